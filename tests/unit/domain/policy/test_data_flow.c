#include "domain/base/json.h"
#include "domain/policy/data_flow.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static struct tool_catalogue *catalogue;

/* A tool that is gone with the test. */
static const struct tool *make(const char *server, const char *name, const char *properties,
                               const char *annotations)
{
    AUTO(arena) arena = { 0 };
    const char *text = arena_printf(
        &arena,
        "{\"name\":\"%s_%s\",\"inputSchema\":{\"type\":\"object\",\"properties\":{%s}},"
        "\"annotations\":{%s}}",
        server, name, properties, annotations);
    json_auto_t *definition = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &definition, NULL), ERR_NONE);
    assert_int_equal(tool_catalogue_add(catalogue, definition, NULL), ERR_NONE);
    struct tool *tool = &catalogue->tools[catalogue->n_tools - 1];
    tool->server = server;
    return tool;
}

static int set_up(void **state)
{
    (void)state;
    catalogue = tool_catalogue_create("x");
    /* The array must not move while tests hold tools of it. */
    catalogue->tools = arena_array(&catalogue->arena, struct tool, 64);
    catalogue->capacity = 64;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tool_catalogue_unref(catalogue);
    return 0;
}

#define READS "\"readOnlyHint\":true"
#define OPEN "\"openWorldHint\":true"
#define CLOSED "\"openWorldHint\":false"
#define TEXT "\"text\":{\"type\":\"string\"}"
#define URL "\"url\":{\"type\":\"string\"}"

static void sorts_tools_by_place_and_hints(void **state)
{
    (void)state;
    static const struct {
        enum tool_place place;
        const char *properties, *annotations, *kinds; /* p, o, s */
    } rows[] = {
        { TOOL_BUILTIN, TEXT, READS, "p" },
        { TOOL_BUILTIN, TEXT, "", "" },
        { TOOL_BUILTIN, URL, READS "," OPEN, "p" },
        { TOOL_LOCAL, TEXT, READS, "p" },
        { TOOL_LOCAL, TEXT, READS "," CLOSED, "p" },
        { TOOL_LOCAL, TEXT, "", "" },
        { TOOL_LOCAL, TEXT, CLOSED, "" },
        { TOOL_LOCAL, TEXT, READS "," OPEN, "o" },
        { TOOL_LOCAL, TEXT, OPEN, "os" },
        { TOOL_LOCAL, URL, READS, "o" },
        { TOOL_LOCAL, URL, "", "os" },
        { TOOL_LOCAL, URL, CLOSED, "" },
        { TOOL_LOCAL, URL, READS "," CLOSED, "p" },
        { TOOL_REMOTE, TEXT, "", "os" },
        { TOOL_REMOTE, TEXT, READS "," CLOSED, "os" },
        { TOOL_REMOTE, "", READS, "o" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        char name[8];
        snprintf(name, sizeof name, "%zu", i);
        struct data_kinds kinds =
            data_kinds_of(make("t", name, rows[i].properties, rows[i].annotations), rows[i].place);
        char got[4] = "";
        strcat(got, kinds.is_private ? "p" : "");
        strcat(got, kinds.is_outside ? "o" : "");
        strcat(got, kinds.sends_out ? "s" : "");
        if (strcmp(got, rows[i].kinds) != 0)
            fail_msg("row %zu: %s instead of %s", i, got, rows[i].kinds);
    }
    assert_false(data_kinds_of(NULL, TOOL_REMOTE).is_outside);
}

static void a_tool_that_only_shapes_what_it_is_given_has_nothing_private_of_its_own(void **state)
{
    (void)state;
    struct tool tool = *make("data", "query", TEXT, READS);
    json_auto_t *definition = json_pack("{s{sb}}", "_meta", TOOL_FOR_PLANS, true);
    assert_true(data_kinds_of(&tool, TOOL_BUILTIN).is_private);
    tool.definition = definition;
    assert_false(data_kinds_of(&tool, TOOL_BUILTIN).is_private);
    assert_true(data_kinds_of(&tool, TOOL_LOCAL).is_private); /* another server's word */
}

static const struct plan *plan_of(struct arena *arena, const char *text)
{
    json_t *value = NULL;
    struct plan *plan = NULL;
    struct problems problems = { .arena = arena };
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    assert_true(plan_from_json(arena, arena_keep_json(arena, value), &plan, &problems));
    return plan;
}

/* "p", "o", "s" and "-" make steps that give private data, outside content, send out, or nothing;
 * servers a, b, c, …. The meeting at the last step as "private outside", or "". */
static const char *meet(struct arena *arena, const char *kinds, const char *plan_text,
                        struct data_meeting heard)
{
    const struct plan *plan = plan_of(arena, plan_text);
    struct data_step steps[8] = { 0 };
    struct data_meeting meeting = { 0 };
    size_t n = strlen(kinds);
    assert_int_equal(n, plan->n_steps);
    static unsigned made;
    for (size_t i = 0; i < n; i++) {
        char *server = arena_strdup(&catalogue->arena, "a");
        server[0] = (char)('a' + i);
        steps[i].tool = make(server, arena_printf(arena, "m%u", made++), "", "");
        ((struct tool *)(uintptr_t)steps[i].tool)->full_name = server;
        steps[i].kinds = (struct data_kinds){ .is_private = kinds[i] == 'p',
                                              .is_outside = kinds[i] == 'o' || kinds[i] == 's',
                                              .sends_out = kinds[i] == 's' };
    }
    if (!data_flow_meets(steps, n, data_flow_reach(arena, plan), n - 1, &heard, &meeting))
        return "";
    return arena_printf(arena, "%s %s", meeting.private_from, meeting.outside_from);
}

#define STEP(args) "{\"tool\":\"t\",\"args\":" args "}"
#define FREE STEP("{}")
#define FROM1 STEP("{\"x\":\"{s1.text}\"}")
#define FROM2 STEP("{\"x\":\"see {s2}\"}")
#define PREVIOUS STEP("{\"x\":\"{prev_result.a}\"}")

static void warns_where_all_three_meet_and_something_flows(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const struct data_meeting nothing = { 0 };
    /* each of them flows, or both, or by way of a third */
    assert_string_equal(meet(&arena, "pos", "[" FREE "," FREE "," FROM1 "]", nothing), "a b");
    assert_string_equal(meet(&arena, "pos", "[" FREE "," FREE "," FROM2 "]", nothing), "a b");
    assert_string_equal(meet(&arena, "ops", "[" FREE "," FREE "," PREVIOUS "]", nothing), "b a");
    assert_string_equal(meet(&arena, "po-s", "[" FREE "," FREE "," FROM1 "," PREVIOUS "]", nothing),
                        "a b");
}

static void is_silent_where_one_is_missing_or_nothing_flows(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const struct data_meeting nothing = { 0 };
    assert_string_equal(meet(&arena, "pos", "[" FREE "," FREE "," FREE "]", nothing), "");
    assert_string_equal(meet(&arena, "pps", "[" FREE "," FREE "," FROM1 "]", nothing), "");
    assert_string_equal(meet(&arena, "oos", "[" FREE "," FREE "," FROM1 "]", nothing), "");
    assert_string_equal(meet(&arena, "pop", "[" FREE "," FREE "," FROM1 "]", nothing), "");
    assert_string_equal(meet(&arena, "ps", "[" FREE "," FROM1 "]", nothing), "");
    assert_string_equal(meet(&arena, "--s", "[" FREE "," FREE "," FROM1 "]", nothing), "");
}

static void counts_what_the_author_of_the_plan_has_seen(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const struct data_meeting both = { "files/read", "web/fetch" };
    const struct data_meeting outside = { NULL, "web/fetch" };
    const struct data_meeting mine = { "files/read", NULL };
    assert_string_equal(meet(&arena, "s", "[" FREE "]", both), "files/read web/fetch");
    assert_string_equal(meet(&arena, "ps", "[" FREE "," FREE "]", outside), "a web/fetch");
    assert_string_equal(meet(&arena, "s", "[" FREE "]", outside), "");
    assert_string_equal(meet(&arena, "s", "[" FREE "]", mine), "");
    assert_string_equal(meet(&arena, "p", "[" FREE "]", both), "");
}

#define VERSION_2(steps) "{\"version\":2,\"steps\":[" FREE "," FREE "," steps "]}"

static void follows_what_flows_through_loops_blocks_and_used_plans(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const struct data_meeting nothing = { 0 };
    assert_string_equal(meet(&arena, "pos",
                             VERSION_2("{\"each\":\"{s1.list}\",\"tool\":\"t\",\"args\":{\"x\":"
                                       "\"{item}\"}}"),
                             nothing),
                        "a b");
    assert_string_equal(
        meet(&arena, "po-s",
             VERSION_2("{\"each\":\"{s1.list}\",\"steps\":[" STEP("{\"x\":\"{item.y}\"}") "]}"),
             nothing),
        "a b");
    assert_string_equal(
        meet(&arena, "-o-ps",
             VERSION_2("{\"id\":\"b\",\"steps\":[" FREE "]}," STEP("{\"x\":\"{b.text}\"}")),
             nothing),
        "d b");
    assert_string_equal(
        meet(&arena, "po-s",
             "{\"version\":2,\"used\":{\"u.yml\":{\"version\":2,\"inputs\":{\"a\":{}},\"steps\":"
             "[" STEP(
                 "{\"x\":\"{inputs.a}\"}") "]}},\"steps\":[" FREE "," FREE
                                           ",{\"use\":\"u.yml\",\"with\":{\"a\":\"{s1.text}\"}}]}",
             nothing),
        "a b");
    assert_string_equal(meet(&arena, "pos",
                             VERSION_2("{\"each\":[1],\"tool\":\"t\",\"args\":{\"x\":\"{item}\"}}"),
                             nothing),
                        "");
}

static void names_the_other_server_whose_result_is_an_argument(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const struct plan *plan = plan_of(&arena, "[" FREE "," FROM1 "," PREVIOUS "]");
    const struct data_reach *reach = data_flow_reach(&arena, plan);
    struct data_step steps[3] = { { .tool = make("a", "x1", "", "") },
                                  { .tool = make("a", "x2", "", "") },
                                  { .tool = make("b", "x3", "", "") } };
    assert_null(data_flow_stranger(steps, 3, reach, 0));
    assert_null(data_flow_stranger(steps, 3, reach, 1));
    assert_ptr_equal(data_flow_stranger(steps, 3, reach, 2), steps[0].tool);
    steps[2].tool = NULL;
    assert_null(data_flow_stranger(steps, 3, reach, 2));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(sorts_tools_by_place_and_hints),
        TEST(a_tool_that_only_shapes_what_it_is_given_has_nothing_private_of_its_own),
        TEST(warns_where_all_three_meet_and_something_flows),
        TEST(is_silent_where_one_is_missing_or_nothing_flows),
        TEST(counts_what_the_author_of_the_plan_has_seen),
        TEST(follows_what_flows_through_loops_blocks_and_used_plans),
        TEST(names_the_other_server_whose_result_is_an_argument),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
