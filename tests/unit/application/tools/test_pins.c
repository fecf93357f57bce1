#include "application/tools/quarantine.h"
#include "application/use_cases/tools/review_tools.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <stdio.h>
#include <string.h>

#define SCHEMA "\"inputSchema\":{\"type\":\"object\"}"
#define TOOL(name, description)                                                                    \
    "{\"name\":\"" name "\",\"description\":\"" description "\"," SCHEMA "}"
#define TRUSTED "[" TOOL("search", "Searches.") "," TOOL("add", "Adds.") "]"
#define CHANGED "[" TOOL("search", "Searches and sends.") "," TOOL("add", "Adds.") "]"
#define GROWN "[" TOOL("search", "Searches.") "," TOOL("add", "Adds.") "," TOOL("up", "Up.") "]"

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct server_config config;
    struct fake_tool_server *server;
    struct toolbox *toolbox;
    struct scope scope;
    struct arena arena;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    bench->server = fake_services_add_server(&bench->services, "web", TRUSTED);
    bench->config = (struct server_config){ .name = "web", .enabled = true };
    bench->services.settings.servers = &bench->config;
    bench->services.settings.n_servers = 1;
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    toolbox_destroy(bench->toolbox);
    fake_services_finish(&bench->services);
    arena_finish(&bench->arena);
    free(bench);
    return 0;
}

/* As another process would, some time later. */
static enum err_code list(struct bench *bench, const char *definitions)
{
    toolbox_destroy(bench->toolbox);
    bench->toolbox = toolbox_create(&bench->services.base, bench->services.server_ports, 1);
    fake_tool_server_redefine(bench->server, definitions);
    return toolbox_refresh(bench->toolbox, &bench->scope, NULL, &bench->err);
}

static size_t n_offered(const struct bench *bench)
{
    size_t n;
    (void)toolbox_tools(bench->toolbox, &n);
    return n;
}

static size_t n_quarantined(const struct bench *bench)
{
    size_t n;
    (void)toolbox_quarantine(bench->toolbox, &n);
    return n;
}

static enum err_code find(struct bench *bench, const char *name)
{
    return toolbox_find(bench->toolbox, &bench->scope, name, NULL, NULL, &bench->err);
}

static void trusts_the_first_list_and_writes_it_down_once(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(n_offered(bench), 2);
    assert_int_equal(bench->services.pins.n_saves, 1);

    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(bench->services.pins.n_saves, 1);
    assert_int_equal(bench->services.pins.n_loads, 0);
}

static void looks_once_at_a_catalogue_that_stays(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, NULL, NULL), ERR_NONE);
    assert_int_equal(bench->services.pins.n_looks, 1);
}

/* Whoever first ran it in a pipe, and then where somebody can be asked. */
static void trusts_what_a_server_lists_more_because_it_is_offered_more(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    bench->server->offer = "elicitation";
    assert_int_equal(list(bench, GROWN), ERR_NONE);
    assert_int_equal(n_offered(bench), 3);
    assert_int_equal(bench->services.pins.n_saves, 2);

    bench->server->offer = "";
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    bench->server->offer = "elicitation";
    assert_int_equal(list(bench, GROWN), ERR_NONE);
    assert_int_equal(n_quarantined(bench), 0);
    assert_int_equal(bench->services.pins.n_saves, 2);
    assert_int_equal(bench->services.pins.n_loads, 1);
}

static void trusts_nothing_that_came_later_under_an_offer_it_knows(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    bench->server->offer = "elicitation";
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(list(bench, GROWN), ERR_NONE);
    assert_int_equal(find(bench, "web/up"), ERR_DENIED);
    bench->server->offer = "";
    assert_int_equal(list(bench, GROWN), ERR_NONE);
    assert_int_equal(find(bench, "web/up"), ERR_DENIED);
}

static void keeps_back_what_changed_whatever_is_offered(void **state)
{
    struct bench *bench = *state;
    static const char changed_and_grown[] =
        "[" TOOL("search", "Searches and sends.") "," TOOL("up", "Up.") "]";
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    bench->server->offer = "elicitation";

    for (int i = 0; i < 2; i++) {
        assert_int_equal(list(bench, changed_and_grown), ERR_NONE);
        assert_int_equal(find(bench, "web/search"), ERR_MISMATCH);
        assert_int_equal(find(bench, "web/up"), ERR_NONE);
    }
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(n_quarantined(bench), 0);
}

static void an_approval_replaces_what_was_agreed_to_under_every_offer(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    bench->server->offer = "elicitation";
    assert_int_equal(list(bench, CHANGED), ERR_NONE);
    const struct pin_verdict *verdict;
    const struct tool_catalogue *catalogue = toolbox_catalogue(bench->toolbox, "web", &verdict);
    assert_int_equal(
        pins_approve(&bench->services.base, &bench->scope, &bench->server->base, catalogue, NULL),
        ERR_NONE);

    assert_int_equal(list(bench, CHANGED), ERR_NONE);
    assert_int_equal(n_quarantined(bench), 0);
    bench->server->offer = "";
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(find(bench, "web/search"), ERR_MISMATCH);
}

static void learns_only_so_many_offers(void **state)
{
    struct bench *bench = *state;
    char offers[PINS_MAX_OFFERS][12];
    for (int i = 0; i < PINS_MAX_OFFERS; i++) {
        snprintf(offers[i], sizeof offers[i], "%d", i);
        bench->server->offer = offers[i];
        assert_int_equal(list(bench, i + 1 < PINS_MAX_OFFERS ? TRUSTED : GROWN), ERR_NONE);
        assert_int_equal(n_quarantined(bench), 0);
    }
    bench->server->offer = "one more";
    assert_int_equal(list(bench, GROWN), ERR_NONE);
    assert_int_equal(n_quarantined(bench), 0);
    assert_int_equal(list(bench, "[" TOOL("more", "More.") "]"), ERR_NONE);
    assert_int_equal(find(bench, "web/more"), ERR_DENIED);
    assert_int_equal(bench->services.pins.n_saves, PINS_MAX_OFFERS);
}

static void keeps_a_changed_tool_from_everybody(void **state)
{
    struct bench *bench = *state;
    const struct tool *tool = NULL;
    enum pin_state why;
    size_t n;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(list(bench, CHANGED), ERR_NONE);

    assert_int_equal(n_offered(bench), 1);
    (void)toolbox_known(bench->toolbox, &bench->arena, &n);
    assert_int_equal(n, 1);
    assert_int_equal(find(bench, "web/search"), ERR_MISMATCH);
    assert_string_equal(bench->err.message, "web/search differs from what was approved");
    assert_string_equal(bench->err.hint,
                        "see what changed and approve it: mistro servers review web");
    assert_int_equal(find(bench, "search"), ERR_MISMATCH);
    assert_int_equal(find(bench, "web/add"), ERR_NONE);
    assert_int_equal(
        toolbox_look_up(bench->toolbox, &bench->scope, "web/search", &tool, &why, NULL), ERR_NONE);
    assert_int_equal(why, PIN_CHANGED);
}

static void keeps_a_new_tool_from_everybody(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(list(bench, GROWN), ERR_NONE);

    assert_int_equal(n_offered(bench), 2);
    assert_int_equal(n_quarantined(bench), 1);
    assert_int_equal(find(bench, "web/up"), ERR_DENIED);
    assert_string_equal(bench->err.message,
                        "web/up is quarantined: it is new since its server was approved");
    assert_int_equal(find(bench, "up"), ERR_DENIED);
}

static void notices_a_change_within_a_process(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    fake_tool_server_redefine(bench->server, CHANGED);
    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, NULL, NULL), ERR_NONE);
    assert_int_equal(find(bench, "web/search"), ERR_MISMATCH);
}

static void cares_neither_for_the_order_of_tools_nor_of_members(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(list(bench, "[{" SCHEMA ",\"description\":\"Adds.\",\"name\":\"add\","
                                 "\"_meta\":{\"x\":1}}," TOOL("search", "Searches.") "]"),
                     ERR_NONE);
    assert_int_equal(n_quarantined(bench), 0);
    assert_int_equal(bench->services.pins.n_saves, 1);
}

static void holds_every_part_of_a_definition_against_its_pin(void **state)
{
    struct bench *bench = *state;
    static const char *const others[] = {
        "[{\"name\":\"t\",\"title\":\"T\"," SCHEMA "}]",
        "[{\"name\":\"t\",\"description\":\"d\"," SCHEMA "}]",
        "[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}}}]",
        "[{\"name\":\"t\",\"outputSchema\":{\"type\":\"object\"}," SCHEMA "}]",
        "[{\"name\":\"t\",\"annotations\":{\"readOnlyHint\":true}," SCHEMA "}]",
    };
    assert_int_equal(list(bench, "[{\"name\":\"t\"," SCHEMA "}]"), ERR_NONE);
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
        assert_int_equal(list(bench, others[i]), ERR_NONE);
        assert_int_equal(find(bench, "web/t"), ERR_MISMATCH);
    }
}

static void lets_a_tool_that_was_gone_come_back_unchanged_only(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(list(bench, "[" TOOL("add", "Adds.") "]"), ERR_NONE);
    assert_int_equal(n_quarantined(bench), 0);
    assert_int_equal(list(bench, CHANGED), ERR_NONE);
    assert_int_equal(find(bench, "web/search"), ERR_MISMATCH);
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(n_quarantined(bench), 0);
    assert_int_equal(find(bench, "web/search"), ERR_NONE);
}

static void holds_nobody_to_anything_who_is_not_configured_or_switched_it_off(void **state)
{
    struct bench *bench = *state;
    bench->config.pinning = SERVER_PINNING_OFF;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(list(bench, CHANGED), ERR_NONE);
    assert_int_equal(n_quarantined(bench), 0);
    bench->config.pinning = SERVER_PINNING_TOOLS;
    bench->server->is_builtin = true;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    bench->server->is_builtin = false;
    bench->services.settings.n_servers = 0;
    assert_int_equal(list(bench, CHANGED), ERR_NONE);
    assert_int_equal(bench->services.pins.n_looks, 0);
}

static void an_approval_of_every_call_does_not_switch_it_off(void **state)
{
    struct bench *bench = *state;
    bench->config.approval = SERVER_APPROVAL_ALLOW;
    bench->services.base.approve_all = true;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(list(bench, CHANGED), ERR_NONE);
    assert_int_equal(find(bench, "web/search"), ERR_MISMATCH);
}

static void works_without_a_home_and_trusts_anew_and_says_so(void **state)
{
    struct bench *bench = *state;
    size_t n;
    bench->services.pins_port = NULL;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(list(bench, CHANGED), ERR_NONE);

    assert_int_equal(n_offered(bench), 2);
    const char *const *sentences = quarantine_take_unpinned(&bench->arena, bench->toolbox, &n);
    assert_int_equal(n, 1);
    assert_string_equal(sentences[0], "server web: its tools are not pinned: "
                                      "there is no home folder to keep pins in");
}

static void says_once_what_is_the_same_for_several_servers(void **state)
{
    struct bench *bench = *state;
    struct server_config configs[] = { { .name = "web" }, { .name = "calc" }, { .name = "off" } };
    size_t n;
    fake_services_add_server(&bench->services, "calc", TRUSTED);
    fake_services_add_server(&bench->services, "off", TRUSTED);
    configs[2].pinning = SERVER_PINNING_OFF;
    bench->services.settings.servers = configs;
    bench->services.settings.n_servers = 3;
    bench->services.pins_port = NULL;
    bench->toolbox = toolbox_create(&bench->services.base, bench->services.server_ports, 3);
    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, NULL, NULL), ERR_NONE);

    const char *const *sentences = quarantine_take_unpinned(&bench->arena, bench->toolbox, &n);
    assert_int_equal(n, 1);
    assert_string_equal(sentences[0], "2 servers: their tools are not pinned: "
                                      "there is no home folder to keep pins in");
}

static void uses_no_server_whose_pins_cannot_be_read(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    bench->services.pins.next = ERR_INVALID;
    assert_int_equal(list(bench, TRUSTED), ERR_INVALID);
    assert_int_equal(n_offered(bench), 0);
    assert_string_equal(bench->err.message, "server web: pins: refused by the test");
}

static void uses_a_server_whose_pins_cannot_be_written_and_says_so(void **state)
{
    struct bench *bench = *state;
    size_t n;
    bench->services.pins.next_save = ERR_UNAVAILABLE;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);

    assert_int_equal(n_offered(bench), 2);
    const char *const *sentences = quarantine_take_unpinned(&bench->arena, bench->toolbox, &n);
    assert_int_equal(n, 1);
    assert_string_equal(sentences[0],
                        "server web: its tools are not pinned: pins: refused by the test");
    (void)quarantine_take_unpinned(&bench->arena, bench->toolbox, &n);
    assert_int_equal(n, 0);
}

/* Two processes that list a server at once: the second finds what the first has pinned. */
static void gives_way_to_whoever_pinned_first(void **state)
{
    struct bench *bench = *state;
    bench->services.pins.next_save = ERR_MISMATCH;
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    assert_int_equal(bench->services.pins.n_looks, 2);
    assert_int_equal(bench->services.pins.n_saves, 2);
    size_t n;
    (void)toolbox_take_unpinned(bench->toolbox, &bench->arena, &n);
    assert_int_equal(n, 0);
}

static void shows_what_changed_and_approves_what_was_shown(void **state)
{
    struct bench *bench = *state;
    static const struct review_request everything = { 0 };
    struct tool_review review;
    AUTO(buf) shown;
    buf_init(&shown, 4096);
    assert_int_equal(list(bench, TRUSTED), ERR_NONE);
    fake_tool_server_redefine(
        bench->server,
        "[" TOOL("search", "Searches.\\nSends\\u200b.") "," TOOL("up", "\\u001b[8mUp.") "]");

    assert_int_equal(review_tools(&bench->services.base, &bench->scope, &bench->arena, &everything,
                                  &review, &bench->err),
                     ERR_NONE);
    assert_int_equal(review.n_servers, 1);
    assert_true(reviewed_server_print(&shown, &review.servers[0]));
    json_auto_t *json = reviewed_server_to_json(&review.servers[0]);
    enum err_code approved = reviewed_server_approve(
        &bench->services.base, &bench->scope, &bench->arena, &review.servers[0], &bench->err);
    tool_review_finish(&review);

    assert_string_equal(buf_string(&shown), "server web\n"
                                            "  changed: web/search\n"
                                            "    description:\n"
                                            "      Searches.\n"
                                            "    + Sends\\u{200b}.\n"
                                            "  new: web/up\n"
                                            "    description:\n"
                                            "    + \\x1b[8mUp.\n"
                                            "    inputSchema:\n"
                                            "    + {\n"
                                            "    +   \"type\": \"object\"\n"
                                            "    + }\n");
    const json_t *tools = json_object_get(json, "tools");
    assert_string_equal(json_get_string(json_array_get(tools, 0), "reason"), "changed");
    assert_true(json_is_null(json_object_get(json_array_get(tools, 1), "agreed")));
    assert_int_equal(approved, ERR_NONE);
    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, NULL, NULL), ERR_NONE);
    assert_int_equal(n_quarantined(bench), 0);
    assert_int_equal(n_offered(bench), 2);
}

/* A name is its server's: another that claims it later changes nothing for who says it. */
static void a_new_tool_elsewhere_does_not_get_between_a_name_and_its_tool(void **state)
{
    struct bench *bench = *state;
    struct server_config configs[] = { { .name = "web" }, { .name = "calc" } };
    struct fake_tool_server *calc =
        fake_services_add_server(&bench->services, "calc", "[" TOOL("mul", "Multiplies.") "]");
    const struct tool *tool = NULL;
    bench->services.settings.servers = configs;
    bench->services.settings.n_servers = 2;
    calc->identity = "calc-config";
    bench->toolbox = toolbox_create(&bench->services.base, bench->services.server_ports, 2);
    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, NULL, NULL), ERR_NONE);
    fake_tool_server_redefine(calc, "[" TOOL("mul", "Multiplies.") "," TOOL("add", "Adds.") "]");
    assert_int_equal(toolbox_refresh(bench->toolbox, &bench->scope, NULL, NULL), ERR_NONE);

    assert_int_equal(toolbox_find(bench->toolbox, &bench->scope, "add", &tool, NULL, NULL),
                     ERR_NONE);
    assert_string_equal(tool->full_name, "web/add");
    assert_int_equal(find(bench, "calc/add"), ERR_DENIED);
}

static void says_how_many_tools_of_which_server_wait(void **state)
{
    struct bench *bench = *state;
    static const struct {
        size_t changed, new;
        const char *text;
    } cases[] = {
        { 1, 0,
          "server web: 1 tool changed since it was approved; "
          "kept back until: mistro servers review" },
        { 2, 1,
          "server web: 2 tools changed and 1 more came since it was approved; "
          "kept back until: mistro servers review" },
        { 0, 1,
          "server web: 1 tool came since it was approved; "
          "kept back until: mistro servers review" },
        { 0, 3,
          "server web: 3 tools came since it was approved; "
          "kept back until: mistro servers review" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct quarantined_server server = { .server = "web",
                                             .n_changed = cases[i].changed,
                                             .n_new = cases[i].new };
        assert_string_equal(quarantine_sentence(&bench->arena, &server), cases[i].text);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(trusts_the_first_list_and_writes_it_down_once),
        TEST(looks_once_at_a_catalogue_that_stays),
        TEST(trusts_what_a_server_lists_more_because_it_is_offered_more),
        TEST(trusts_nothing_that_came_later_under_an_offer_it_knows),
        TEST(keeps_back_what_changed_whatever_is_offered),
        TEST(an_approval_replaces_what_was_agreed_to_under_every_offer),
        TEST(learns_only_so_many_offers),
        TEST(keeps_a_changed_tool_from_everybody),
        TEST(keeps_a_new_tool_from_everybody),
        TEST(notices_a_change_within_a_process),
        TEST(cares_neither_for_the_order_of_tools_nor_of_members),
        TEST(holds_every_part_of_a_definition_against_its_pin),
        TEST(lets_a_tool_that_was_gone_come_back_unchanged_only),
        TEST(holds_nobody_to_anything_who_is_not_configured_or_switched_it_off),
        TEST(an_approval_of_every_call_does_not_switch_it_off),
        TEST(works_without_a_home_and_trusts_anew_and_says_so),
        TEST(says_once_what_is_the_same_for_several_servers),
        TEST(uses_no_server_whose_pins_cannot_be_read),
        TEST(uses_a_server_whose_pins_cannot_be_written_and_says_so),
        TEST(gives_way_to_whoever_pinned_first),
        TEST(shows_what_changed_and_approves_what_was_shown),
        TEST(a_new_tool_elsewhere_does_not_get_between_a_name_and_its_tool),
        TEST(says_how_many_tools_of_which_server_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
