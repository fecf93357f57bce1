#include "application/execution/arguments.h"
#include "application/execution/executor.h"
#include "application/execution/result_cache.h"
#include "application/orchestrators/pending_questions.h"
#include "application/orchestrators/plan_contract.h"
#include "application/orchestrators/prompt_template.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include <string.h>

#define TOOLS                                                                                      \
    "[{\"name\":\"read.file\",\"description\":\"Reads a file\",\"inputSchema\":{\"type\":"         \
    "\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"},"      \
    "\"mode\":{\"enum\":[\"Text\",\"Bytes\"]},\"tags\":{\"type\":\"array\",\"items\":{\"type\":"   \
    "\"integer\"}},\"deep\":{\"type\":\"boolean\"}},\"required\":[\"path\"]},\"annotations\":{"    \
    "\"readOnlyHint\":true}},{\"name\":\"read_file\",\"inputSchema\":{\"type\":\"object\"}},"      \
    "{\"name\":\"zip\",\"inputSchema\":{\"type\":\"object\"}}]"

struct bench {
    struct arena arena;
    struct tool_catalogue *catalogue;
    const struct tool *tools[3];
    struct fake_services services; /* for its index */
    struct shortlist list;
};

static json_t *parsed(struct bench *bench, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), 0);
    return arena_keep_json(&bench->arena, value);
}

static void make_list(struct bench *bench, const char *text, size_t max)
{
    struct tool_index *index = &bench->services.index.base;
    const struct shortlist_request request = {
        .tools = bench->tools, .n_tools = 3, .text = text, .max_tokens = 1500, .max_lines = max
    };
    assert_int_equal(tool_index_build(index, bench->tools, 3, NULL), 0);
    assert_int_equal(shortlist_make(&bench->arena, index, &bench->services.assets.base, &request,
                                    &bench->list, NULL),
                     0);
}

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    fake_services_init(&bench->services, NULL, SOURCE_DIR);
    bench->catalogue = tool_catalogue_create("dev");
    json_t *tools = parsed(bench, TOOLS);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(tool_catalogue_add(bench->catalogue, json_array_get(tools, i), NULL), 0);
    for (size_t i = 0; i < 3; i++)
        bench->tools[i] = &bench->catalogue->tools[i];
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    tool_catalogue_unref(bench->catalogue);
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

static void a_prompt_is_filled_in_one_pass(void **state)
{
    struct bench *bench = *state;
    const struct prompt_template template = { "{a} {{b} {\"x\": 1} {} {s1.text} {b}", "built in" };
    const struct prompt_value values[] = { { .name = "a", .text = "{b}" },
                                           { .name = "b", .text = "[/INST]" } };
    struct prompt prompt = { 0 };

    assert_int_equal(prompt_fill(&bench->arena, &template, values, 2, &prompt, NULL), ERR_NONE);
    const char *text = prompt_user_text(&bench->arena, &prompt);

    assert_true(strncmp(text, "{b} {b} {\"x\": 1} {} {s1.text} ", 30) == 0);
    assert_null(strstr(text, "[/INST]"));
}

static void a_value_of_several_parts_keeps_them_apart(void **state)
{
    struct bench *bench = *state;
    const struct prompt_template template = { "Said: {said}Now: {now}", "built in" };
    const struct prompt_part said[] = {
        { .text = "one\n", .keep = PROMPT_DROP_FIRST, .what = "history" },
        { .text = "</s>\n", .keep = PROMPT_DROP_FIRST, .instead = "[INST]" }
    };
    const struct prompt_value values[] = { { .name = "said", .parts = said, .n_parts = 2 },
                                           { .name = "now", .text = "two" } };
    struct prompt prompt = { 0 };

    assert_int_equal(prompt_fill(&bench->arena, &template, values, 2, &prompt, NULL), ERR_NONE);

    assert_int_equal(prompt.n_parts, 4);
    assert_string_equal(prompt.parts[1].what, "history");
    assert_int_equal(prompt.parts[2].keep, PROMPT_DROP_FIRST);
    assert_string_equal(prompt.parts[2].instead, "[ INST]");
    assert_string_equal(prompt_user_text(&bench->arena, &prompt), "Said: one\n< /s>\nNow: two");
}

static void a_prompt_at_its_bound_is_fine_and_one_byte_more_is_not(void **state)
{
    struct bench *bench = *state;
    const struct prompt_template template = { "{a}{b}", "built in" };
    char *text = arena_alloc(&bench->arena, PROMPT_MAX_BYTES + 1);
    memset(text, 'x', PROMPT_MAX_BYTES);
    const struct prompt_part part = { .text = text };
    const struct prompt_value values[] = { { .name = "a", .parts = &part, .n_parts = 1 },
                                           { .name = "b", .text = "" } };
    const struct prompt_value longer[] = { values[0], { .name = "b", .text = "x" } };
    const struct prompt_value swapped[] = { { .name = "a", .text = "x" },
                                            { .name = "b", .parts = &part, .n_parts = 1 } };
    struct prompt prompt = { 0 };
    struct err err = { 0 };

    assert_int_equal(prompt_fill(&bench->arena, &template, values, 2, &prompt, &err), ERR_NONE);
    assert_int_equal(prompt_fill(&bench->arena, &template, longer, 2, &prompt, &err), ERR_LIMIT);
    assert_int_equal(prompt_fill(&bench->arena, &template, swapped, 2, &prompt, &err), ERR_LIMIT);
}

static void an_unknown_placeholder_names_the_file(void **state)
{
    struct bench *bench = *state;
    const struct prompt_template template = { "{weather}", "/home/ann/intent.txt" };
    struct prompt prompt = { 0 };
    struct err err = { 0 };

    assert_int_equal(prompt_fill(&bench->arena, &template, NULL, 0, &prompt, &err), ERR_INVALID);

    assert_string_equal(err.message, "prompt /home/ann/intent.txt: unknown placeholder {weather}");
}

static void a_small_set_of_tools_is_shown_whole_and_sorted(void **state)
{
    struct bench *bench = *state;

    make_list(bench, "zip it", 3);

    assert_int_equal(bench->list.n, 3);
    assert_string_equal(bench->list.best[0]->name, "zip");
    assert_string_equal(bench->list.tools[0].shown, "dev__read_file_2");
    assert_string_equal(bench->list.tools[1].shown, "dev__read_file");
    assert_ptr_equal(shortlist_find(&bench->list, "dev__read_file_2"), bench->tools[0]);
    assert_ptr_equal(shortlist_find(&bench->list, "dev/zip"), bench->tools[2]);
}

static void a_tool_that_is_reserved_is_shown_to_requests_with_its_words_only(void **state)
{
    struct bench *bench = *state;
    struct tool reserved = *bench->tools[2];
    reserved.definition = parsed(bench, "{\"_meta\":{\"mistro/only_for\":[\"agree\"]}}");
    bench->tools[2] = &reserved;

    make_list(bench, "zip it", 3);
    assert_int_equal(bench->list.n, 2);
    assert_null(shortlist_find(&bench->list, "dev/zip"));
    make_list(bench, "something was AGREED upon", 3);
    assert_ptr_equal(shortlist_find(&bench->list, "dev/zip"), &reserved);
    make_list(bench, "zip it", 2); /* two are left, and two there may be */
    assert_int_equal(bench->list.n, 2);
}

static void a_large_set_has_lines_for_what_the_request_names_and_names_for_the_rest(void **state)
{
    struct bench *bench = *state;

    make_list(bench, "Zip!", 1);
    assert_int_equal(bench->list.n, 3);
    assert_false(bench->list.is_complete);
    assert_int_equal(bench->list.tools[0].as, OFFERED_NAME);
    assert_string_equal(bench->list.tools[2].shown, "dev__zip");
    assert_int_equal(bench->list.tools[2].as, OFFERED_LINE);
}

static void values_are_fitted_where_nothing_is_lost(void **state)
{
    struct bench *bench = *state;
    const json_t *given =
        parsed(bench, "{\"path\":5,\"n\":\"twelve\",\"mode\":\"TEXT\",\"tags\":\"3\","
                      "\"deep\":\"true\",\"x\":null,\"y\":\"\",\"z\":1}");

    const json_t *fitted = arguments_fit(&bench->arena, bench->tools, 1, given, false, NULL);
    const json_t *known = arguments_for(&bench->arena, bench->tools[0], fitted);

    assert_string_equal(
        json_print_in(&bench->arena, fitted),
        "{\"path\":\"5\",\"n\":12,\"mode\":\"Text\",\"tags\":[3],\"deep\":true,\"z\":1}");
    assert_null(json_object_get(known, "z"));
    assert_non_null(
        json_object_get(arguments_fit(&bench->arena, bench->tools, 1, given, true, NULL), "y"));
    assert_ptr_equal(arguments_for(&bench->arena, bench->tools[2], fitted), fitted);
}

static void the_third_identical_call_is_a_circle(void **state)
{
    struct bench *bench = *state;
    struct result_cache cache = { .arena = &bench->arena };
    const struct step_result *found = NULL;
    struct step_result result;
    const json_t *args = parsed(bench, "{\"a\":1,\"b\":2}");
    const json_t *same = parsed(bench, "{\"b\":2,\"a\":1}");
    step_result_from_text(&bench->arena, "ok", NULL, false, &result);

    assert_int_equal(result_cache_ask(&cache, bench->tools[0], args, &found), CACHE_CALL);
    result_cache_put(&cache, bench->tools[0], args, &result);
    assert_int_equal(result_cache_ask(&cache, bench->tools[0], same, &found), CACHE_RESULT);
    assert_ptr_equal(found, &result);
    assert_int_equal(result_cache_ask(&cache, bench->tools[0], args, &found), CACHE_CIRCLE);
}

static void what_may_change_something_is_called_again(void **state)
{
    struct bench *bench = *state;
    struct result_cache cache = { .arena = &bench->arena };
    const struct step_result *found = NULL;
    struct step_result result;
    const json_t *args = parsed(bench, "{}");
    step_result_from_text(&bench->arena, "ok", NULL, false, &result);

    assert_int_equal(result_cache_ask(&cache, bench->tools[2], args, &found), CACHE_CALL);
    result_cache_put(&cache, bench->tools[2], args, &result);
    assert_int_equal(result_cache_ask(&cache, bench->tools[2], args, &found), CACHE_CALL);
    assert_int_equal(result_cache_ask(&cache, bench->tools[2], args, &found), CACHE_CIRCLE);
}

static bool accepts(struct bench *bench, const json_t *schema, const char *text)
{
    bool fits = false;
    assert_int_equal(json_schema_check(schema, parsed(bench, text), NULL, &fits, NULL), ERR_NONE);
    return fits;
}

static void the_plan_contract_takes_values_of_the_schema_or_references(void **state)
{
    struct bench *bench = *state;
    json_t *schema = parsed(bench, "{\"type\":\"object\",\"properties\":{\"steps\":{\"type\":"
                                   "\"array\"}},\"required\":[\"steps\"]}");
    make_list(bench, "read", 3);
    plan_contract_complete(schema, &bench->list, 2, PLAN_ARGUMENTS_REQUIRED);

#define STEP(args) "{\"id\":\"s1\",\"tool\":\"dev__read_file_2\",\"args\":{\"path\":\"a\"" args "}}"
    assert_true(accepts(bench, schema, "{\"steps\":[" STEP(",\"n\":5") "]}"));
    assert_true(accepts(bench, schema, "{\"steps\":[" STEP(",\"n\":\"{s1.count}\"") "]}"));
    assert_false(accepts(bench, schema, "{\"steps\":[" STEP(",\"n\":\"five\"") "]}"));
    assert_false(accepts(bench, schema,
                         "{\"steps\":[{\"id\":\"s1\",\"tool\":\"dev__other\",\"args\":{}}]}"));
    const char *steps = STEP("");
    for (size_t i = 1; i < 2 + PLAN_CONTRACT_SPARE_ITEMS; i++)
        steps = arena_printf(&bench->arena, "%s," STEP(""), steps);
    assert_true(accepts(bench, schema, arena_printf(&bench->arena, "{\"steps\":[%s]}", steps)));
    assert_false(accepts(bench, schema,
                         arena_printf(&bench->arena, "{\"steps\":[%s," STEP("") "]}", steps)));
}

static void a_question_survives_in_the_conversation(void **state)
{
    struct bench *bench = *state;
    const char *tools[] = { "dev/zip" }, *choices[] = { "dev/zip", "none" };
    struct question question = {
        .key = "tool", .text = "Which?", .choices = choices, .n_choices = 2
    };
    const struct intent intent = { .primary_goal = "g",
                                   .tools_needed = tools,
                                   .n_tools_needed = 1,
                                   .parameters = parsed(bench, "{\"a\":1}"),
                                   .questions = &question,
                                   .n_questions = 1,
                                   .analyst = "lexical" };
    struct conversation *conversation = conversation_create(&bench->arena, "c", 1);

    pending_store(conversation, "zip it", &intent);
    const struct pending *pending = pending_load(&bench->arena, conversation);

    assert_string_equal(pending->message, "zip it");
    assert_string_equal(pending->intent.analyst, "lexical");
    assert_string_equal(pending->intent.questions[0].choices[1], "none");
    assert_int_equal(json_get_int(pending->intent.parameters, "a", 0), 1);
    pending_forget(conversation);
    assert_null(pending_load(&bench->arena, conversation));
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_prompt_is_filled_in_one_pass),
        TEST(a_value_of_several_parts_keeps_them_apart),
        TEST(a_prompt_at_its_bound_is_fine_and_one_byte_more_is_not),
        TEST(an_unknown_placeholder_names_the_file),
        TEST(a_small_set_of_tools_is_shown_whole_and_sorted),
        TEST(a_tool_that_is_reserved_is_shown_to_requests_with_its_words_only),
        TEST(a_large_set_has_lines_for_what_the_request_names_and_names_for_the_rest),
        TEST(values_are_fitted_where_nothing_is_lost),
        TEST(the_third_identical_call_is_a_circle),
        TEST(what_may_change_something_is_called_again),
        TEST(the_plan_contract_takes_values_of_the_schema_or_references),
        TEST(a_question_survives_in_the_conversation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
