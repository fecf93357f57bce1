
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "infrastructure/config/config.h"
#include "infrastructure/config/yaml_internal.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

static int open_arena(void **state)
{
    static struct arena arena;
    *state = &arena;
    return 0;
}

static int close_arena(void **state)
{
    arena_finish(*state);
    return 0;
}

static enum err_code parse(struct arena *arena, const char *text, struct document *out,
                           struct err *err)
{
    return documents_parse(yaml_documents(), text, strlen(text), arena, out, err);
}

static void reads(struct arena *arena, const char *text, const char *expected)
{
    struct document document = { 0 };
    struct err err = { 0 };
    if (parse(arena, text, &document, &err))
        fail_msg("%s: %s", text, err.message);
    assert_string_equal(json_print_in(arena, document.value), expected);
}

static void refuses(struct arena *arena, const char *text, enum err_code code, const char *message)
{
    struct document document = { 0 };
    struct err err = { 0 };
    assert_int_equal(parse(arena, text, &document, &err), code);
    assert_string_equal(err.message, message);
    assert_null(document.value);
}

static const char *fix_of(struct arena *arena, const char *text)
{
    struct document document = { 0 };
    struct problems problems = { .arena = arena };
    struct err err = { 0 };
    assert_int_equal(documents_parse_all(yaml_documents(), text, strlen(text), arena, &problems,
                                         &document, &err),
                     ERR_INVALID);
    assert_int_equal(problems.n, 1);
    return problems.list[0].fix;
}

static void what_is_wrong_with_a_line_is_said_where_it_can_be_guessed(void **state)
{
    static const char quotes[] = "put all of the value that begins with {s.n} in quotes",
                      any[] = "write YAML or JSON that can be read";
    assert_string_equal(fix_of(*state, "a: 1\nwhen: {s.n} > 2\nb: 1"), quotes);
    assert_string_equal(fix_of(*state, "when: {s.n} == 2"), quotes);
    assert_string_equal(fix_of(*state, "- {id: x, when: {s.n} > 2}"), quotes);
    assert_string_equal(fix_of(*state, "- {s.n}/x\n"), quotes);
    assert_string_equal(fix_of(*state, "steps:\n\t- a"), "indent with spaces");
    assert_string_equal(fix_of(*state, "a:\n  - b: 1\n  \tc: 1"), "indent with spaces");
    assert_string_equal(fix_of(*state, "{\n\t\"a\": 1\n\t\"b\": 2\n}"), any);
    assert_string_equal(fix_of(*state, "a: {s.n}\nb: {s.n} # c\nc: ["), any);
    assert_string_equal(fix_of(*state, "a: {b: {s.n}, c: [}"), any);
    assert_string_equal(fix_of(*state, ""
                                       "a: \"{s.n} x\" y"),
                        any);
}

static void scalars_follow_the_core_schema(void **state)
{
    reads(*state, "[yes, no, on, off, y, Yes]", "[\"yes\",\"no\",\"on\",\"off\",\"y\",\"Yes\"]");
    reads(*state, "[true, False, TRUE, tRue]", "[true,false,true,\"tRue\"]");
    reads(*state, "[null, ~, Null, nUll, '']", "[null,null,null,\"nUll\",\"\"]");
    reads(*state, "[1, -2, +3, 010, 0x1F, 0o17, 08]", "[1,-2,3,10,31,15,8]");
    reads(*state, "[1.5, .5, 2., 1e3, -1.5E-2]", "[1.5,0.5,2.0,1000.0,-0.015]");
    reads(*state, "[1:30, 1_000, 0x, 0o9, 1e, '.', -, '1', \"2\", 1.2.3, 2026-11-21]",
          "[\"1:30\",\"1_000\",\"0x\",\"0o9\",\"1e\",\".\",\"-\",\"1\",\"2\",\"1.2.3\","
          "\"2026-11-21\"]");
    reads(*state, "99999999999999999999", "1e20");
    reads(*state, "[!!str 1, !!int 2, ! 3]", "[\"1\",2,\"3\"]");
}

static void an_empty_document_is_null(void **state)
{
    reads(*state, "", "null");
    reads(*state, "# nothing\n", "null");
    reads(*state, "---\n...\n", "null");
}

static void blocks_and_flows_are_the_same(void **state)
{
    reads(*state, "a:\n  - {b: 1, c: [2]}\n  - |\n    two\n    lines\nd: {}\n",
          "{\"a\":[{\"b\":1,\"c\":[2]},\"two\\nlines\\n\"],\"d\":{}}");
}

static void aliases_stand_for_what_was_anchored(void **state)
{
    reads(*state, "a: &x {n: 1}\nb: *x\nc: [*x, &y 2, *y]\n",
          "{\"a\":{\"n\":1},\"b\":{\"n\":1},\"c\":[{\"n\":1},2,2]}");
    refuses(*state, "a: *x\n", ERR_INVALID, "line 1, column 4: no anchor before this alias: x");
    refuses(*state, "a: &x [*x]\n", ERR_INVALID,
            "line 1, column 8: no anchor before this alias: x");
}

static void aliases_that_multiply_are_stopped(void **state)
{
    refuses(*state,
            "a: &a [1,1,1,1,1,1,1,1,1,1]\n"
            "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
            "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
            "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
            "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
            "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
            ERR_LIMIT, "line 6, column 8: too many values");
}

/* n lines of a list of mappings in the block style: two values each, its mapping and its number. */
static char *long_list(size_t n)
{
    struct buf text;
    buf_init(&text, DOCUMENT_MAX_BYTES);
    for (size_t i = 0; i < n; i++)
        assert_true(buf_puts(&text, "- key: 1\n"));
    return text.bytes;
}

static void as_many_values_as_there_may_be_are_read_and_one_more_is_not(void **state)
{
    struct document document = { 0 };
    struct err err = { 0 };
    char *text = long_list(DOCUMENT_MAX_VALUES / 2);
    text[strlen(text) - sizeof "- key: 1"] = '\0'; /* the list is a value as well: one item less */
    strcpy(text + strlen(text), "\n- 1\n");
    assert_int_equal(parse(*state, text, &document, &err), ERR_NONE);
    assert_int_equal(json_array_size(document.value), DOCUMENT_MAX_VALUES / 2);
    free(text);
    text = long_list(DOCUMENT_MAX_VALUES / 2);
    refuses(*state, text, ERR_LIMIT, "line 100000, column 8: too many values");
    free(text);
}

static void keys_do_not_count_as_values(void **state)
{
    struct document document = { 0 };
    struct err err = { 0 };
    struct buf text;
    buf_init(&text, DOCUMENT_MAX_BYTES);
    for (int i = 1; i < DOCUMENT_MAX_VALUES; i++)
        assert_true(buf_printf(&text, "k%d: 1\n", i));
    assert_int_equal(parse(*state, buf_string(&text), &document, &err), ERR_NONE);
    assert_int_equal(json_object_size(document.value), DOCUMENT_MAX_VALUES - 1);
    assert_true(buf_puts(&text, "more: 1\n"));
    refuses(*state, buf_string(&text), ERR_LIMIT, "line 200000, column 7: too many values");
    buf_finish(&text);
}

static void cut(struct buf *text, size_t length)
{
    text->length = length;
    buf_terminate(text);
}

/* Counting values first changes nothing about what is said of them. */
static void a_fault_in_a_long_document_is_told_as_in_a_short_one(void **state)
{
    struct buf text;
    buf_init(&text, DOCUMENT_MAX_BYTES);
    assert_true(buf_printf(&text, "a: %0*d\n", DOCUMENT_MAX_VALUES, 1));
    size_t length = text.length;
    assert_true(buf_puts(&text, "a: 2\n"));
    refuses(*state, buf_string(&text), ERR_INVALID,
            "line 2, column 1: the key is there already: a");
    cut(&text, length);
    assert_true(buf_puts(&text, "b: [\n"));
    refuses(*state, buf_string(&text), ERR_INVALID,
            "line 3, column 1: did not find expected node content");
    cut(&text, length);
    assert_true(buf_puts(&text, "b: "));
    for (int i = 0; i < JSON_MAX_DEPTH + 10; i++)
        assert_true(buf_puts(&text, "["));
    refuses(*state, buf_string(&text), ERR_LIMIT, "line 2, column 259: nested too deeply");
    buf_finish(&text);
}

static void json_is_read_as_json(void **state)
{
    reads(*state, " {\"a\":\t[1,\n\t\"b\\u0041\"]}", "{\"a\":[1,\"bA\"]}");
    reads(*state, "{a: 1, # not JSON but YAML\n b: [x,],}", "{\"a\":1,\"b\":[\"x\"]}");
}

static void faults_begin_with_their_place(void **state)
{
    struct document document = { 0 };
    struct err err = { 0 };
    refuses(*state, "a: 1\na: 2\n", ERR_INVALID, "line 2, column 1: the key is there already: a");
    refuses(*state, "{\"a\":1,\"a\":2}", ERR_INVALID,
            "line 1, column 8: the key is there already: a");
    refuses(*state, "? [a]\n: 1\n", ERR_INVALID, "line 1, column 3: a key must be text");
    refuses(*state, "?\n: 1\n", ERR_INVALID, "line 1, column 2: a key is missing");
    refuses(*state, "\"a\\0b\": 1\n", ERR_INVALID, "line 1, column 1: a key with a NUL in it");
    refuses(*state, "a: .inf\n", ERR_INVALID, "line 1, column 4: JSON cannot hold .inf");
    refuses(*state, "a: !odd 1\n", ERR_INVALID, "line 1, column 4: a tag that is not known: !odd");
    refuses(*state, "a\n---\nb\n", ERR_INVALID, "line 2, column 4: only one document is read");
    assert_int_equal(parse(*state, "a:\n\t- b\n", &document, &err), ERR_INVALID);
    assert_memory_equal(err.message, "line 2, column 1: ", 18);
}

static char *nested(struct arena *arena, size_t depth)
{
    char *text = arena_alloc(arena, depth * 2 + 1);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return text;
}

static void nesting_of_256_is_read_and_257_is_not(void **state)
{
    struct document document = { 0 };
    struct err err = { 0 };
    assert_int_equal(parse(*state, nested(*state, 256), &document, &err), ERR_NONE);
    assert_int_equal(parse(*state, nested(*state, 257), &document, &err), ERR_LIMIT);
    const char *anchored = arena_printf(*state, "[&a %s, %.100s*a%s", nested(*state, 200),
                                        nested(*state, 100), nested(*state, 100) + 100);
    assert_int_equal(parse(*state, anchored, &document, &err), ERR_LIMIT);
}

static void a_document_may_have_four_mebibytes_and_not_one_byte_more(void **state)
{
    struct document document = { 0 };
    char *text = arena_alloc(*state, DOCUMENT_MAX_BYTES + 2);
    memset(text, ' ', DOCUMENT_MAX_BYTES);
    text[0] = '1';
    assert_int_equal(parse(*state, text, &document, NULL), ERR_NONE);
    text[DOCUMENT_MAX_BYTES] = ' ';
    assert_int_equal(parse(*state, text, &document, NULL), ERR_LIMIT);
}

static void every_value_has_its_place(void **state)
{
    struct document document = { 0 };
    int line = 0, column = 0;
    assert_int_equal(parse(*state, "a:\n  b/c: 1\n  d:\n    - x\n    - {~e: y}\n", &document, NULL),
                     ERR_NONE);
    struct documents *documents = yaml_documents();
    assert_true(documents_place(documents, &document, "/a/b~1c", &line, &column));
    assert_int_equal(line, 2);
    assert_int_equal(column, 3);
    assert_true(documents_place(documents, &document, "/a/d/1/~0e", &line, &column));
    assert_int_equal(line, 5);
    assert_int_equal(column, 8);
    assert_true(documents_place(documents, &document, "/a/d/7/nothing", &line, &column));
    assert_int_equal(line, 4);
    assert_true(documents_place(documents, &document, "/a/d/x", &line, &column));
    assert_int_equal(line, 4);
    assert_true(documents_place(documents, &document, "", &line, &column));
    assert_int_equal(line, 1);
}

static void json_has_places_too(void **state)
{
    struct document document = { 0 };
    int line = 0, column = 0;
    assert_int_equal(parse(*state, "{\n  \"a\": {\n    \"b\": 1}}", &document, NULL), ERR_NONE);
    assert_true(documents_place(yaml_documents(), &document, "/a/b", &line, &column));
    assert_int_equal(line, 3);
    assert_int_equal(column, 5);
    struct document none = { 0 };
    assert_false(documents_place(yaml_documents(), &none, "/a", &line, &column));
}

static void stands_at(const char *text, const char *path, int line, int column, int value_line,
                      int value_column)
{
    AUTO(arena) arena = { 0 };
    struct document document = { 0 };
    struct documents *documents = yaml_documents();
    int at_line = 0, at_column = 0;
    assert_int_equal(parse(&arena, text, &document, NULL), ERR_NONE);
    assert_true(documents_place(documents, &document, path, &at_line, &at_column));
    assert_int_equal(at_line, line);
    assert_int_equal(at_column, column);
    assert_true(documents_value_place(documents, &document, path, &at_line, &at_column));
    assert_int_equal(at_line, value_line);
    assert_int_equal(at_column, value_column);
}

static void keys_and_values_have_places_of_their_own(void **state)
{
    (void)state;
    stands_at("a:\n  b: 1\n", "/a/b", 2, 3, 2, 6);
    stands_at("a:\n  b: 1\n", "/a", 1, 1, 2, 3);
    stands_at("a:\n  b: 1\n", "/a/c", 2, 3, 2, 3);
    stands_at("- {a: [1, 'x']}\n", "/0/a/1", 1, 11, 1, 11);
    stands_at("a: |\n  text\nb: >-\n  t\n", "/b", 3, 1, 3, 4);
    stands_at("\xC3\xA4\xF0\x9F\x98\x80: {\xC3\xB6: 1}\n", "/\xC3\xA4\xF0\x9F\x98\x80/\xC3\xB6", 1,
              6, 1, 9);
    stands_at("a: 1\r\nb:\r\n  - c\r\n", "/b/0", 3, 5, 3, 5);
    stands_at("\xEF\xBB\xBF"
              "a: &x 1\n",
              "/a", 1, 1, 1, 7);
}

static void a_value_begins_behind_its_anchor_and_tag_and_an_alias_where_it_stands(void **state)
{
    (void)state;
    const char *text = "a: &one !!str  x\nb: &two # it\n  \xC3\xA4: &three 1\nd: *two\n";
    stands_at(text, "/a", 1, 1, 1, 16);
    stands_at(text, "/b", 2, 1, 3, 3);
    stands_at(text, "/b/\xC3\xA4", 3, 3, 3, 13);
    stands_at(text, "/d", 4, 1, 4, 4);
    stands_at(text, "/d/c", 4, 4, 4, 4);
}

static void json_that_yaml_cannot_read_has_places(void **state)
{
    (void)state;
    const char *text =
        "{\t\"a\\/b\":{\"\\ud83d\\ude00\":[1 ,\n \"x\\\"]\", -2.5e3,{} , [ ] ,null]},"
        "\n\"\xC3\xA4\":\"\xC3\xA4\",\"z\":7}";
    stands_at(text, "/a~1b", 1, 3, 1, 10);
    stands_at(text, "/a~1b/\xF0\x9F\x98\x80/1", 2, 2, 2, 2);
    stands_at(text, "/a~1b/\xF0\x9F\x98\x80/2", 2, 10, 2, 10);
    stands_at(text, "/a~1b/\xF0\x9F\x98\x80/5", 2, 27, 2, 27);
    stands_at(text, "/z", 3, 9, 3, 13);
}

static void every_duplicate_key_is_a_problem_of_who_wants_all(void **state)
{
    struct document document = { 0 };
    struct problems problems = { .arena = *state };
    static const char text[] = "a: 1\na: 2\nb: {c: 1, d: 2,\n  c: 3}\n";
    assert_int_equal(documents_parse_all(yaml_documents(), text, strlen(text), *state, &problems,
                                         &document, NULL),
                     ERR_NONE);
    assert_int_equal(problems.n, 2);
    assert_int_equal(problems.list[0].line, 2);
    assert_int_equal(problems.list[0].column, 1);
    assert_int_equal(problems.list[1].line, 4);
    assert_int_equal(problems.list[1].column, 3);
    assert_string_equal(problems.list[1].message, "the key is there already: c");
    assert_int_equal(json_get_int(document.value, "a", 0), 1);
}

static void what_is_no_document_is_a_problem_with_its_place(void **state)
{
    struct document document = { 0 };
    struct problems problems = { .arena = *state };
    struct err err = { 0 };
    static const char text[] = "a: 1\nb: *x\n";
    assert_int_equal(documents_parse_all(yaml_documents(), text, strlen(text), *state, &problems,
                                         &document, &err),
                     ERR_INVALID);
    assert_int_equal(problems.n, 1);
    assert_int_equal(problems.list[0].line, 2);
    assert_int_equal(problems.list[0].column, 4);
}

static void what_is_printed_reads_back_the_same(void **state)
{
    static const char *const values[] = {
        "null",
        "[]",
        "{}",
        "\"x\"",
        "1.5",
        "[[1,[2]],{\"a\":{\"b\":[]}},[{\"c\":1,\"d\":{}}]]",
        "{\"yes\":\"no\",\"1\":\"1\",\"null\":\"null\",\"a b\":\" a\",\"\":\"\",\"k: v\":\"x # "
        "y\"}",
        "[\"{s1.text}\",\"- a\",\"a:\",\"true\",\"0x1\",\"1e3\",\"~\",\"*a\",\"&a\",\"!a\",\"%a\"]",
        "[\"line\\nbreak\\ttab\",\"\\u0000\\u0001\\u007f\\u0085\\u2028\\ufeff\\u202e\","
        "\"h\u00e4\U0001F600\"]",
        "[\"a\\\\b\\\"c\",\"-\",\"?\",\"trailing \",\"two  blanks\",\"@x\",\"files/read_file\"]",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
        struct document first = { 0 }, second = { 0 };
        const char *text = NULL;
        assert_int_equal(parse(*state, values[i], &first, NULL), ERR_NONE);
        assert_int_equal(documents_print_yaml(yaml_documents(), first.value, *state, &text, NULL),
                         ERR_NONE);
        struct err err = { 0 };
        if (parse(*state, text, &second, &err))
            fail_msg("%s: %s", text, err.message);
        assert_true(json_equal(first.value, second.value));
    }
}

static void print_is_block_style_with_quotes_where_needed(void **state)
{
    struct document document = { 0 };
    const char *text = NULL;
    assert_int_equal(parse(*state,
                           "{\"goal\":\"review it\",\"steps\":[{\"id\":\"s1\",\"args\":{\"path\":"
                           "\"{vars.p}\",\"on\":true}},{\"id\":\"s2\",\"args\":{},\"needs\":["
                           "\"s1\"]}]}",
                           &document, NULL),
                     ERR_NONE);
    assert_int_equal(documents_print_yaml(yaml_documents(), document.value, *state, &text, NULL),
                     ERR_NONE);
    assert_string_equal(text, "goal: review it\n"
                              "steps:\n"
                              "  - id: s1\n"
                              "    args:\n"
                              "      path: \"{vars.p}\"\n"
                              "      \"on\": true\n"
                              "  - id: s2\n"
                              "    args: {}\n"
                              "    needs:\n"
                              "      - s1\n");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
    const struct CMUnitTest tests[] = {
        T(what_is_wrong_with_a_line_is_said_where_it_can_be_guessed),
        T(scalars_follow_the_core_schema),
        T(an_empty_document_is_null),
        T(blocks_and_flows_are_the_same),
        T(aliases_stand_for_what_was_anchored),
        T(aliases_that_multiply_are_stopped),
        T(as_many_values_as_there_may_be_are_read_and_one_more_is_not),
        T(keys_do_not_count_as_values),
        T(a_fault_in_a_long_document_is_told_as_in_a_short_one),
        T(json_is_read_as_json),
        T(faults_begin_with_their_place),
        T(nesting_of_256_is_read_and_257_is_not),
        T(a_document_may_have_four_mebibytes_and_not_one_byte_more),
        T(every_value_has_its_place),
        T(json_has_places_too),
        T(keys_and_values_have_places_of_their_own),
        T(a_value_begins_behind_its_anchor_and_tag_and_an_alias_where_it_stands),
        T(json_that_yaml_cannot_read_has_places),
        T(every_duplicate_key_is_a_problem_of_who_wants_all),
        T(what_is_no_document_is_a_problem_with_its_place),
        T(what_is_printed_reads_back_the_same),
        T(print_is_block_style_with_quotes_where_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
