
#include "application/structured/judge.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const struct contract_synonym table[] = {
    { "/status", "done", "SOLVED" },
    { "/steps/-/tool", "cat", "read" },
    { "/words/-", "nope", "no" },
};
static const struct contract with_synonyms = { .synonyms = table,
                                               .n_synonyms = ARRAY_LENGTH(table) };

static json_t *parsed(struct arena *arena, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return arena_keep_json(arena, value);
}

/* The value afterwards as text, NULL when nothing was replaced. */
static const char *applied(struct arena *arena, const char *text, unsigned *out_n)
{
    const json_t *value = synonyms_apply(arena, &with_synonyms, parsed(arena, text), out_n);
    return value ? json_print_in(arena, value) : NULL;
}

static void replaces_a_word_by_the_contracts_own(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    unsigned n = 0;
    assert_string_equal(applied(&arena, "{\"status\":\"Done\",\"x\":\"done\"}", &n),
                        "{\"status\":\"SOLVED\",\"x\":\"done\"}");
    assert_int_equal(n, 1);
}

static void replaces_in_every_element_and_counts(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    unsigned n = 0;
    assert_string_equal(
        applied(&arena,
                "{\"steps\":[{\"tool\":\"cat\"},{\"tool\":\"read\"},{\"tool\":\"CAT\"},7],"
                "\"words\":[\"nope\",\"yes\"]}",
                &n),
        "{\"steps\":[{\"tool\":\"read\"},{\"tool\":\"read\"},{\"tool\":\"read\"},7],"
        "\"words\":[\"no\",\"yes\"]}");
    assert_int_equal(n, 3);
}

static void leaves_everything_else_as_it_is(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    unsigned n = 0;
    assert_null(applied(&arena, "{\"status\":\"open\",\"steps\":{\"tool\":\"cat\"}}", &n));
    assert_null(applied(&arena, "{\"status\":[\"done\"],\"steps\":[[{\"tool\":\"cat\"}]]}", &n));
    assert_null(applied(&arena, "[\"done\"]", &n));
    assert_null(applied(&arena, "\"done\"", &n));
}

static void does_not_change_the_value_itself(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    unsigned n = 0;
    const json_t *value = parsed(&arena, "{\"status\":\"done\"}");
    assert_non_null(synonyms_apply(&arena, &with_synonyms, value, &n));
    assert_string_equal(json_get_string(value, "status"), "done");
}

static const struct contract with_gaps = {
    .good = "{\"path\":\"<path of the file>\"}",
    .bad = { "{\"to\":\"<name>\"}" },
    .n_bad = 1,
};

static const char *gap_in(struct arena *arena, const struct contract *contract, const char *text)
{
    struct problems problems = { .arena = arena };
    if (!placeholder_find(contract, parsed(arena, text), &problems))
        return "none";
    return problems.list[0].path;
}

static void finds_the_gaps_of_the_examples(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(gap_in(&arena, &with_gaps, "{\"path\":\"<path of the file>\"}"), "/path");
    assert_string_equal(gap_in(&arena, &with_gaps, "{\"a\":[{\"b\":\"<name>\"}]}"), "/a/0/b");
    assert_string_equal(gap_in(&arena, &with_gaps, "\"<name>\""), "");
}

static void other_text_in_angle_brackets_may_be_meant(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(gap_in(&arena, &with_gaps, "{\"html\":\"<br>\"}"), "none");
    assert_string_equal(gap_in(&arena, &with_gaps, "{\"a\":\"see <name>\",\"b\":\"<>\"}"), "none");
    static const struct contract without = { .good = "{\"a\":\"b\"}" };
    assert_string_equal(gap_in(&arena, &without, "{\"a\":\"<name>\"}"), "none");
}

/* "<xx…>" of so many bytes, in the example as in the answer. */
static const char *gap_of_length(struct arena *arena, size_t length)
{
    char *gap = arena_alloc(arena, length + 1);
    memset(gap, 'x', length);
    gap[0] = '<';
    gap[length - 1] = '>';
    const char *text = arena_printf(arena, "{\"a\":\"%s\"}", gap);
    const struct contract contract = { .good = text };
    return gap_in(arena, &contract, text);
}

static void a_longer_text_is_no_gap(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(gap_of_length(&arena, PLACEHOLDER_MAX_BYTES), "/a");
    assert_string_equal(gap_of_length(&arena, PLACEHOLDER_MAX_BYTES + 1), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces_a_word_by_the_contracts_own),
        cmocka_unit_test(replaces_in_every_element_and_counts),
        cmocka_unit_test(leaves_everything_else_as_it_is),
        cmocka_unit_test(does_not_change_the_value_itself),
        cmocka_unit_test(finds_the_gaps_of_the_examples),
        cmocka_unit_test(other_text_in_angle_brackets_may_be_meant),
        cmocka_unit_test(a_longer_text_is_no_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
