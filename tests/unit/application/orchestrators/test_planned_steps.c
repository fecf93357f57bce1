/* What models write as steps and arguments, and what becomes of it before it is judged. */
#include "application/orchestrators/planned_steps.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

#define INPUT                                                                                      \
    "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"n\":{\"type\":"         \
    "\"integer\"},\"share\":{\"type\":\"number\"},\"deep\":{\"type\":\"boolean\"},\"mode\":"       \
    "{\"enum\":[\"Text\",\"Bytes\"]},\"twins\":{\"enum\":[\"a\",\"A\"]},\"tags\":{\"type\":"       \
    "\"array\",\"items\":{\"type\":\"integer\"}},\"either\":{\"type\":[\"string\",\"integer\"]},"  \
    "\"maybe\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]},\"any\":{\"oneOf\":["      \
    "{\"type\":\"string\"},{\"type\":\"integer\"}]},\"where\":{\"type\":\"object\",\"properties\"" \
    ":{\"line\":{\"type\":\"integer\"}}},\"unit\":{\"type\":\"string\",\"default\":\"cm\"},"       \
    "\"none\":{\"type\":[\"integer\",\"null\"]}},\"required\":[\"path\",\"unit\"]}"

struct bench {
    struct arena arena;
    struct tool tool;
    struct offered_tool offered;
    struct shortlist list;
    struct argument_notes notes;
};

static json_t *parsed(struct bench *bench, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), 0);
    return arena_keep_json(&bench->arena, value);
}

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->tool = (struct tool){ .server = "files",
                                 .name = "read_file",
                                 .full_name = "files/read_file",
                                 .input_schema = parsed(bench, INPUT) };
    bench->offered = (struct offered_tool){ .tool = &bench->tool, .shown = "files__read_file" };
    bench->list = (struct shortlist){ .tools = &bench->offered, .n = 1 };
    bench->notes = argument_notes_make(&bench->arena);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    arena_finish(&bench->arena);
    free(bench);
    return 0;
}

/* The arguments as they become, with the default that every call here gets left out. */
static const char *fitted(struct bench *bench, const char *args)
{
    json_t *value = json_share(
        arguments_of_step(&bench->arena, &bench->tool, parsed(bench, args), &bench->notes));
    arena_keep_json(&bench->arena, value);
    json_object_del(value, "unit");
    return json_print_in(&bench->arena, value);
}

static void text_becomes_what_the_schema_asks_for(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(fitted(bench, "{\"n\":\"5\"}"), "{\"n\":5}");
    assert_string_equal(fitted(bench, "{\"n\":\" 5 \"}"), "{\"n\":5}");
    assert_string_equal(fitted(bench, "{\"share\":\"0.5\"}"), "{\"share\":0.5}");
    assert_string_equal(fitted(bench, "{\"deep\":\"True\"}"), "{\"deep\":true}");
    assert_string_equal(fitted(bench, "{\"deep\":\"false\"}"), "{\"deep\":false}");
    assert_string_equal(fitted(bench, "{\"maybe\":\"7\"}"), "{\"maybe\":7}");
    assert_string_equal(fitted(bench, "{\"mode\":\" text\"}"), "{\"mode\":\"Text\"}");
    assert_string_equal(fitted(bench, "{\"where\":{\"line\":\"3\"}}"), "{\"where\":{\"line\":3}}");
}

static void text_stays_where_it_is_right_or_says_something_else(void **state)
{
    struct bench *bench = *state;
    static const char *const same[] = {
        "{\"path\":\" 5 \"}",   "{\"path\":\"true\"}", "{\"n\":\"fivefold\"}", "{\"n\":\"5.5\"}",
        "{\"n\":\"\"}",         "{\"either\":\"5\"}",  "{\"any\":\"5\"}",      "{\"twins\":\"A\"}",
        "{\"mode\":\"other\"}", "{\"deep\":\"yes\"}",  "{\"n\":\"5\\u0000\"}",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(same); i++)
        assert_string_equal(fitted(bench, same[i]), same[i]);
}

static void a_decimal_comma_is_a_point_where_it_groups_nothing(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(fitted(bench, "{\"share\":\"2,5\"}"), "{\"share\":2.5}");
    assert_string_equal(fitted(bench, "{\"share\":\"2,500\"}"), "{\"share\":\"2,500\"}");
    assert_string_equal(fitted(bench, "{\"n\":\"2,5\"}"), "{\"n\":\"2,5\"}");
}

static void one_value_becomes_a_list_of_one(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(fitted(bench, "{\"tags\":\"3\"}"), "{\"tags\":[3]}");
    assert_string_equal(fitted(bench, "{\"tags\":[\"3\",4]}"), "{\"tags\":[3,4]}");
    assert_string_equal(fitted(bench, "{\"path\":[\"a\"],\"n\":[\"5\"]}"),
                        "{\"path\":\"a\",\"n\":5}");
    assert_string_equal(fitted(bench, "{\"path\":[\"a\",\"b\"]}"), "{\"path\":[\"a\",\"b\"]}");
}

static void a_reference_is_left_alone(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(fitted(bench, "{\"n\":\"{s1.n}\",\"tags\":\"{s1.tags}\"}"),
                        "{\"n\":\"{s1.n}\",\"tags\":\"{s1.tags}\"}");
    assert_int_equal(json_array_size(bench->notes.list), 1); /* the default */
}

static void unknown_arguments_and_idle_nulls_are_left_out_and_told(void **state)
{
    struct bench *bench = *state;
    bench->notes.step = "s1";

    assert_string_equal(fitted(bench, "{\"colour\":1,\"n\":null,\"none\":null}"),
                        "{\"none\":null}");

    assert_string_equal(json_print_in(&bench->arena, json_array_get(bench->notes.list, 0)),
                        "{\"step\":\"s1\",\"path\":\"/colour\",\"change\":\"unknown argument left "
                        "out\"}");
    assert_string_equal(json_get_string(json_array_get(bench->notes.list, 1), "change"),
                        "null left out");
}

static void arguments_that_a_schema_leaves_open_stay(void **state)
{
    struct bench *bench = *state;
    static const char *const open[] = {
        "{\"type\":\"object\"}",
        "{\"type\":\"object\",\"properties\":{\"a\":{}},\"additionalProperties\":true}",
        "{\"type\":\"object\",\"properties\":{\"a\":{}},\"patternProperties\":{\"^x\":{}}}",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(open); i++) {
        bench->tool.input_schema = parsed(bench, open[i]);
        assert_string_equal(fitted(bench, "{\"x\":\"1\"}"), "{\"x\":\"1\"}");
    }
    assert_int_equal(json_array_size(bench->notes.list), 0);
}

static void what_is_required_and_has_a_default_gets_it(void **state)
{
    struct bench *bench = *state;

    const json_t *args = arguments_of_step(&bench->arena, &bench->tool,
                                           parsed(bench, "{\"path\":\"a\"}"), &bench->notes);

    assert_string_equal(json_get_string(args, "unit"), "cm");
    assert_string_equal(json_get_string(json_array_get(bench->notes.list, 0), "change"),
                        "default filled in");
}

static void no_more_is_told_than_can_be_read(void **state)
{
    struct bench *bench = *state;
    json_t *args = parsed(bench, "{}");
    for (int i = 0; i < ARGUMENT_NOTES_MAX + 5; i++)
        json_object_set_new(args, arena_printf(&bench->arena, "x%d", i), json_integer(i));

    const json_t *left = arguments_of_step(&bench->arena, &bench->tool, args, &bench->notes);

    assert_int_equal(json_object_size(left), 1);
    assert_int_equal(json_array_size(bench->notes.list), ARGUMENT_NOTES_MAX);
}

static const char *mended(struct bench *bench, const char *steps)
{
    const json_t *value = planned_steps_mend(&bench->arena, &bench->list, parsed(bench, steps), 10,
                                             "s", &bench->notes);
    return json_print_in(&bench->arena, value);
}

#define DONE                                                                                       \
    "[{\"id\":\"s1\",\"tool\":\"files__read_file\",\"args\":{\"path\":\"a\",\"n\":5,\"unit\":"     \
    "\"cm\"}}]"

static void steps_get_their_ids_and_names_and_types(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(mended(bench, "[{\"id\":\"s1\",\"tool\":\"read_file\",\"args\":{\"path\":"
                                      "\"a\",\"n\":\"5\"}}]"),
                        DONE);
    assert_string_equal(mended(bench, "[{\"id\":\"s1\",\"tool\":\"read_file\",\"args\":{\"path\":"
                                      "\"a\",\"n\":\"fünf\"}}]"),
                        DONE);
    const json_t *note = json_array_get(bench->notes.list, 0);
    assert_string_equal(json_get_string(note, "step"), "s1");
    assert_string_equal(json_get_string(note, "path"), "/n");
    assert_string_equal(json_get_string(note, "change"), "text to number");
}

static void a_tool_call_is_a_step(void **state)
{
    struct bench *bench = *state;
    json_t *value = parsed(bench, mended(bench, "[{\"name\":\"files.read_file\",\"arguments\":"
                                                "{\"path\":\"a\",\"n\":\"5\"}}]"));
    assert_true(json_equal(value, parsed(bench, DONE)));
}

static void a_step_in_other_words_is_the_step(void **state)
{
    struct bench *bench = *state;
    static const char *const said[] = {
        "[{\"tool_name\":\"read_file\",\"parameters\":{\"path\":\"a\",\"n\":5}}]",
        "[{\"tool\":\"read_file\",\"arguments\":{\"path\":\"a\",\"n\":5}}]",
        "[{\"tool\":\"read_file\",\"args\":\"{\\\"path\\\": \\\"a\\\", \\\"n\\\": 5,}\"}]",
        "[{\"tool\":\"read_file\",\"path\":\"a\",\"n\":5}]",
        "[{\"action\":\"read_file\",\"input\":{\"path\":\"a\",\"n\":5}}]",
        ("[{\"type\":\"function\",\"function\":{\"name\":\"read_file\",\"arguments\":"
         "\"{\\\"path\\\":\\\"a\\\",\\\"n\\\":5}\"}}]"),
        "[{\"tool\":\"read_file\",\"args\":{\"path\":\"a\",\"n\":5},\"reason\":\"it reads\"}]",
    };
    json_t *done = parsed(bench, DONE);
    for (size_t i = 0; i < ARRAY_LENGTH(said); i++)
        if (!json_equal(parsed(bench, mended(bench, said[i])), done))
            fail_msg("%s: %s", said[i], mended(bench, said[i]));
}

static void a_parameter_with_the_name_of_a_tool_stays_one(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(
        mended(bench, "[{\"name\":\"a\",\"tool_name\":\"read_file\",\"path\":\"b\",\"id\":\"x\"}]"),
        "[{\"name\":\"a\",\"id\":\"x\",\"tool\":\"files__read_file\",\"args\":{\"path\":\"b\","
        "\"unit\":"
        "\"cm\"}}]");
}

static void a_text_that_says_a_value_becomes_it(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(fitted(bench, "{\"tags\":\"[1, 2]\"}"), "{\"tags\":[1,2]}");
    assert_string_equal(fitted(bench, "{\"where\":\"{\\\"line\\\": \\\"3\\\"}\"}"),
                        "{\"where\":{\"line\":3}}");
    assert_string_equal(fitted(bench, "{\"path\":391}"), "{\"path\":\"391\"}");
    assert_string_equal(fitted(bench, "{\"mode\":\"text.\"}"), "{\"mode\":\"Text\"}");
    assert_string_equal(fitted(bench, "{\"path\":\"[1]\"}"), "{\"path\":\"[1]\"}");
    assert_string_equal(fitted(bench, "{\"path\":3.10}"), "{\"path\":3.1}");
    assert_string_equal(fitted(bench, "{\"where\":\"[1]\"}"), "{\"where\":\"[1]\"}");
    assert_string_equal(fitted(bench, "{\"where\":\"{s1.x}\"}"), "{\"where\":\"{s1.x}\"}");
}

static void a_step_alone_is_a_list_of_one(void **state)
{
    struct bench *bench = *state;
    json_t *value =
        parsed(bench, mended(bench, "{\"tool\":\"Read_File\",\"args\":{\"path\":\"a\",\"n\":5}}"));
    assert_true(json_equal(value, parsed(bench, DONE)));
}

static void a_step_without_arguments_has_none(void **state)
{
    struct bench *bench = *state;
    assert_string_equal(
        mended(bench, "[{\"id\":\"\",\"tool\":\"read_file\"}]"),
        "[{\"id\":\"s1\",\"tool\":\"files__read_file\",\"args\":{\"unit\":\"cm\"}}]");
}

static void what_is_no_step_stays_for_the_contract_to_refuse(void **state)
{
    struct bench *bench = *state;
    static const char *const same[] = {
        "[5]",
        "[\"files__read_file a\"]",
        "5",
        "[{\"tool\":\"files__read_file\",\"args\":[1],\"id\":\"x\"}]",
        "[{\"tool\":\"rm\",\"args\":{\"n\":\"5\"},\"id\":\"x\"}]",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(same); i++)
        assert_string_equal(mended(bench, same[i]), same[i]);
}

static void steps_keep_to_the_tools_that_were_named(void **state)
{
    struct bench *bench = *state;
    const char *const named[] = { "files/read_file" };
    const json_t *good = parsed(bench, DONE);
    const json_t *bad = parsed(bench, "[{\"tool\":\"rm\"}]");
    assert_true(planned_steps_keep_to(&bench->list, good, named, 1));
    assert_false(planned_steps_keep_to(&bench->list, good, named, 0));
    assert_false(planned_steps_keep_to(&bench->list, bad, named, 1));
}

static void what_the_steps_add_must_have_been_said(void **state)
{
    struct bench *bench = *state;
    const char *text = "read a.md";
    const json_t *steps = parsed(bench, "[{\"tool\":\"files__read_file\",\"args\":{\"path\":"
                                        "\"a.md\",\"n\":7,\"deep\":true,\"mode\":\"Text\"}}]");
    const json_t *nothing = parsed(bench, "{}");
    const json_t *corrected = planned_steps_correct(&bench->arena, &bench->list, steps, nothing,
                                                    text, said_read(&bench->arena, text, NULL));
    assert_string_equal(json_print_in(&bench->arena, corrected), "{\"path\":\"a.md\"}");
}

static void a_result_of_an_earlier_turn_is_a_value(void **state)
{
    struct bench *bench = *state;
    const char *text = "now read it";
    const json_t *steps =
        parsed(bench, "[{\"tool\":\"files__read_file\",\"args\":{\"path\":\"{vars.r1.path}\"}}]");
    const json_t *corrected =
        planned_steps_correct(&bench->arena, &bench->list, steps, parsed(bench, "{}"), text,
                              said_read(&bench->arena, text, NULL));
    assert_string_equal(json_print_in(&bench->arena, corrected), "{\"path\":\"{vars.r1.path}\"}");
}

static void each_value_of_a_plan_is_told_with_where_it_comes_from(void **state)
{
    struct bench *bench = *state;
    struct step steps[] = {
        { .id = "s1", .args = parsed(bench, "{\"path\":\"a.MD\",\"n\":12,\"mode\":\"Text\"}") },
        { .id = "s2", .args = parsed(bench, "{\"path\":\"{s1.path}\",\"either\":\"plums\"}") },
    };
    const struct plan plan = { .goal = "", .steps = steps, .n_steps = 2 };
    const struct said *earlier = said_read(&bench->arena, "about Plums, please", NULL);

    assert_string_equal(
        planned_steps_explain(&bench->arena, &plan, "Context of a.md, 120", earlier),
        "s1: path = \"a.MD\": \"a.md\" in the request\n"
        "s1: n = 12: the model gave it\n"
        "s1: mode = \"Text\": the model gave it\n"
        "s2: path = \"{s1.path}\": from an earlier result\n"
        "s2: either = \"plums\": said or found earlier\n");
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(text_becomes_what_the_schema_asks_for),
        TEST(text_stays_where_it_is_right_or_says_something_else),
        TEST(a_decimal_comma_is_a_point_where_it_groups_nothing),
        TEST(one_value_becomes_a_list_of_one),
        TEST(a_reference_is_left_alone),
        TEST(unknown_arguments_and_idle_nulls_are_left_out_and_told),
        TEST(arguments_that_a_schema_leaves_open_stay),
        TEST(what_is_required_and_has_a_default_gets_it),
        TEST(no_more_is_told_than_can_be_read),
        TEST(steps_get_their_ids_and_names_and_types),
        TEST(a_tool_call_is_a_step),
        TEST(a_step_in_other_words_is_the_step),
        TEST(a_parameter_with_the_name_of_a_tool_stays_one),
        TEST(a_text_that_says_a_value_becomes_it),
        TEST(a_step_alone_is_a_list_of_one),
        TEST(a_step_without_arguments_has_none),
        TEST(what_is_no_step_stays_for_the_contract_to_refuse),
        TEST(steps_keep_to_the_tools_that_were_named),
        TEST(what_the_steps_add_must_have_been_said),
        TEST(a_result_of_an_earlier_turn_is_a_value),
        TEST(each_value_of_a_plan_is_told_with_where_it_comes_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
