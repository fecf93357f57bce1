#include "domain/base/json.h"
#include "domain/plan/expression.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

#define UNKNOWN_WORD                                                                               \
    "an unknown word: texts stand in quotes, references in braces, and the functions are length, " \
    "count, first, last, keys, lower, contains, starts_with, matches and default"

static const json_t *parse_json(struct arena *arena, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return arena_keep_json(arena, value);
}

/* The value as JSON, or the error; each {…} leads to the member of that name. */
static const char *value_of(struct arena *arena, const char *text, const char *members)
{
    struct expression *expression = NULL;
    struct err err = { .code = ERR_NONE };
    const json_t *object = parse_json(arena, members), *out = NULL;
    const json_t *values[EXPRESSION_MAX_REFERENCES] = { NULL };
    if (expression_parse(arena, text, &expression, &err))
        return arena_strdup(arena, err.message);
    for (size_t i = 0; i < expression_n_references(expression); i++)
        values[i] = json_object_get(object, expression_reference(expression, i));
    if (expression_evaluate(arena, expression, values, &out, &err)) {
        assert_int_equal(err.code, ERR_FAILED);
        return arena_strdup(arena, err.message);
    }
    return json_print_in(arena, out);
}

struct row {
    const char *text, *members, *value;
};

static void check_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        AUTO(arena) arena = { 0 };
        const char *members = rows[i].members ? rows[i].members : "{}";
        assert_string_equal(value_of(&arena, rows[i].text, members), rows[i].value);
    }
}

static void literals_and_lists_are_values(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "12", NULL, "12" },
        { " -0.5 ", NULL, "-0.5" },
        { "1e2", NULL, "100.0" },
        { "true", NULL, "true" },
        { "null", NULL, "null" },
        { "\"a\\n\\\"b\\\"\"", NULL, "\"a\\n\\\"b\\\"\"" },
        { "'it''s \\n {x}'", NULL, "\"it's \\\\n {x}\"" },
        { "''", NULL, "\"\"" },
        { "[]", NULL, "[]" },
        { "[1, [2], {a}]", "{\"a\": {\"b\": 3}}", "[1,[2],{\"b\":3}]" },
        { "{a b.c[0]}", "{\"a b.c[0]\": 7}", "7" },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void words_bind_less_than_comparisons(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "1 < 2 and 2 < 3", NULL, "true" },
        { "true or false and false", NULL, "true" },
        { "(true or false) and false", NULL, "false" },
        { "not 1 == 2", NULL, "true" },
        { "not not true", NULL, "true" },
        { "not true or true", NULL, "true" },
        { "not (true or true)", NULL, "false" },
        { "false or false or true", NULL, "true" },
        { "{android} and {order}", "{\"android\": true, \"order\": true}", "true" },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void comparisons_are_typed(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "1 == 1.0", NULL, "true" },
        { "1 == '1'", NULL, "false" },
        { "1 != '1'", NULL, "true" },
        { "[1, {a}] == [1.0, null]", "{\"a\": null}", "true" },
        { "2 <= 2", NULL, "true" },
        { "2 >= 3", NULL, "false" },
        { "9007199254740993 > 9007199254740992", NULL, "true" },
        { "9007199254740993 == 9007199254740992", NULL, "false" },
        { "'b' > 'a'", NULL, "true" },
        { "'a' < 'aa'", NULL, "true" },
        { "1 < '2'", NULL, "< takes two numbers or two texts, not a number, a text" },
        { "null <= null", NULL, "<= takes two numbers or two texts, not null, null" },
        { "not 1", NULL, "not takes true or false, not a number" },
        { "true and 1", NULL, "and takes true or false, not a number" },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void what_decides_ends_and_and_or(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "false and {gone}", NULL, "false" },
        { "true or {gone} > 1", NULL, "true" },
        { "true and {gone}", NULL, "{gone} leads to nothing here" },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void functions_look_into_values(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "length('h\xc3\xa4')", NULL, "2" },
        { "length([1, 2, 3])", NULL, "3" },
        { "length({o})", "{\"o\": {\"a\": 1, \"b\": 2}}", "2" },
        { "length(3)", NULL, "length takes a text, a list or an object, not a number" },
        { "count([1, 1.0, 2], 1)", NULL, "2" },
        { "first([3, 4])", NULL, "3" },
        { "last([3, 4])", NULL, "4" },
        { "first([])", NULL, "null" },
        { "keys({o})", "{\"o\": {\"b\": 1, \"a\": 2}}", "[\"b\",\"a\"]" },
        { "lower('AbC')", NULL, "\"abc\"" },
        { "contains('abc', 'bc')", NULL, "true" },
        { "contains('abc', '')", NULL, "true" },
        { "contains('abc', 1)", NULL, "contains takes a list, or two texts, not a text, a number" },
        { "contains([1, [2]], [2])", NULL, "true" },
        { "starts_with('abc', 'ab')", NULL, "true" },
        { "starts_with('a', 'ab')", NULL, "false" },
        { "matches('2026-11-24', '^[0-9]{4}-')", NULL, "true" },
        { "matches('x', '^[0-9]')", NULL, "false" },
        { "2 in [1, 2]", NULL, "true" },
        { "2 not in [1, 2]", NULL, "false" },
        { "'a' in {o}", "{\"o\": {\"a\": null}}", "true" },
        { "1 in {o}", "{\"o\": {\"a\": null}}", "false" },
        { "'a' in 'abc'", NULL, "in takes a list or an object last, not a text, a text" },
        { "default({gone}, 5)", NULL, "5" },
        { "default({a}, 5)", "{\"a\": null}", "null" },
        { "default({gone}, default({a}, 1)) + 1", "{\"a\": 2}",
          "character 34 of the expression: expected its end, or an operator" },
        { "default({gone}, default({a}, 1))", "{\"a\": 2}", "2" },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void a_pattern_that_takes_too_long_does_not_match(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "matches('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', '^(a+)+$')", NULL, "false" },
    };
    AUTO(arena) arena = { 0 };
    check_rows(rows, ARRAY_LENGTH(rows));
    const char *why = value_of(&arena, "matches('a', '(')", "{}");
    assert_true(strncmp(why, "matches: ", 9) == 0);
    assert_non_null(strstr(why, "is not a regular expression"));
}

static void what_is_no_expression_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "", NULL, "character 1 of the expression: it ends too early" },
        { "1 <", NULL, "character 4 of the expression: it ends too early" },
        { "1 2", NULL, "character 3 of the expression: expected its end, or an operator" },
        { "1 = 2", NULL, "character 3 of the expression: expected its end, or an operator" },
        { "1 < 2 < 3", NULL, "character 7 of the expression: expected its end, or an operator" },
        { "(1", NULL, "character 3 of the expression: expected \")\"" },
        { "[1 2]", NULL, "character 4 of the expression: expected \",\" or \"]\"" },
        { "{a", NULL,
          "character 1 of the expression: a reference that does not end: } is missing" },
        { "'a", NULL, "character 1 of the expression: a text that does not end: ' is missing" },
        { "\"a", NULL,
          "character 1 of the expression: a text that does not end, or with an unknown escape" },
        { "1.2.3", NULL, "character 1 of the expression: not a number" },
        { "draft == 1", NULL, "character 1 of the expression: " UNKNOWN_WORD },
        { "lengths([])", NULL, "character 1 of the expression: " UNKNOWN_WORD },
        { "length [1]", NULL, "character 8 of the expression: expected \"(\" behind length" },
        { "length(1, 2)", NULL, "character 13 of the expression: length() takes 1 operand, not 2" },
        { "default(1, 2)", NULL,
          "character 14 of the expression: default() takes a reference first" },
        { "1 not 2", NULL, "character 3 of the expression: expected its end, or an operator" },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static enum err_code parse_nested(struct arena *arena, int depth)
{
    char text[EXPRESSION_MAX_BYTES] = "";
    struct expression *out;
    memset(text, '(', (size_t)depth);
    text[depth] = '1';
    memset(text + depth + 1, ')', (size_t)depth);
    return expression_parse(arena, text, &out, NULL);
}

static enum err_code parse_references(struct arena *arena, int n)
{
    const char *text = "[";
    struct expression *out;
    for (int i = 0; i < n; i++)
        text = arena_printf(arena, "%s%s{a}", text, i ? "," : "");
    return expression_parse(arena, arena_printf(arena, "%s]", text), &out, NULL);
}

static void length_depth_and_references_are_bounded(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct expression *out;
    char text[EXPRESSION_MAX_BYTES + 2] = "";
    memset(text, '1', EXPRESSION_MAX_BYTES + 1);
    text[0] = text[EXPRESSION_MAX_BYTES] = '\'';
    assert_int_equal(expression_parse(&arena, text, &out, NULL), ERR_LIMIT);
    text[EXPRESSION_MAX_BYTES - 1] = '\'';
    text[EXPRESSION_MAX_BYTES] = '\0';
    assert_int_equal(expression_parse(&arena, text, &out, NULL), ERR_NONE);
    assert_int_equal(parse_nested(&arena, EXPRESSION_MAX_DEPTH), ERR_NONE);
    assert_int_equal(parse_nested(&arena, EXPRESSION_MAX_DEPTH + 1), ERR_LIMIT);
    assert_int_equal(parse_references(&arena, EXPRESSION_MAX_REFERENCES), ERR_NONE);
    assert_int_equal(parse_references(&arena, EXPRESSION_MAX_REFERENCES + 1), ERR_LIMIT);
}

/* "fine" with the types of the value, or why it can only fail. Every reference is of `types`. */
static const char *check(struct arena *arena, const char *text, unsigned types)
{
    struct expression *expression = NULL;
    struct err err = { .code = ERR_NONE };
    unsigned all[EXPRESSION_MAX_REFERENCES], given = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        all[i] = types;
    assert_int_equal(expression_parse(arena, text, &expression, NULL), ERR_NONE);
    enum err_code r = expression_check(expression, all, &given, &err);
    assert_true(r == ERR_NONE || r == ERR_BAD_PLAN);
    return r ? arena_strdup(arena, err.message) : arena_printf(arena, "fine %u", given);
}

static void types_are_checked_before_anything_runs(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(check(&arena, "{a} < 1", TYPE_ANY), "fine 2");
    assert_string_equal(check(&arena, "{a} < 1", TYPE_NULL | TYPE_NUMBER), "fine 2");
    assert_string_equal(check(&arena, "{a} < 1", TYPE_TEXT),
                        "< takes two numbers or two texts, not a text, a number");
    assert_string_equal(check(&arena, "{a} == 1", TYPE_TEXT), "fine 2");
    assert_string_equal(check(&arena, "length({a})", TYPE_LIST), "fine 4");
    assert_string_equal(check(&arena, "length({a})", TYPE_NUMBER | TYPE_NULL),
                        "length takes a text, a list or an object, not null or a number");
    assert_string_equal(check(&arena, "true or length({a})", TYPE_LIST),
                        "or takes true or false, not a number");
    assert_string_equal(check(&arena, "default({a}, 1)", TYPE_TEXT), "fine 12");
    assert_string_equal(check(&arena, "[lower({a})]", TYPE_LIST), "lower takes a text, not a list");
    assert_string_equal(check(&arena, "first({a})", TYPE_LIST), "fine 63");
    assert_string_equal(check(&arena, "contains({a}, 1)", TYPE_TEXT),
                        "contains takes a list, or two texts, not a text, a number");
}

static void says_what_may_lack_and_what_both_sides_were(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct expression *expression = NULL;
    const json_t *three = parse_json(&arena, "[1,2,3]"), *values[] = { three, NULL };
    assert_int_equal(expression_parse(&arena, "length({a}) >= default({b}, 5)", &expression, NULL),
                     ERR_NONE);
    assert_false(expression_reference_may_lack(expression, 0));
    assert_true(expression_reference_may_lack(expression, 1));
    assert_string_equal(expression_explain(&arena, expression, values), "3 >= 5");
    assert_int_equal(expression_parse(&arena, "not contains({a}, 2)", &expression, NULL), ERR_NONE);
    assert_string_equal(expression_explain(&arena, expression, values), "{a} is [1,2,3]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_and_lists_are_values),
        cmocka_unit_test(words_bind_less_than_comparisons),
        cmocka_unit_test(comparisons_are_typed),
        cmocka_unit_test(what_decides_ends_and_and_or),
        cmocka_unit_test(functions_look_into_values),
        cmocka_unit_test(a_pattern_that_takes_too_long_does_not_match),
        cmocka_unit_test(what_is_no_expression_is_refused_with_its_place),
        cmocka_unit_test(length_depth_and_references_are_bounded),
        cmocka_unit_test(types_are_checked_before_anything_runs),
        cmocka_unit_test(says_what_may_lack_and_what_both_sides_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
