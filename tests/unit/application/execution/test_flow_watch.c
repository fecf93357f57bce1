/* Where private data, content from outside and a call that sends out meet: in a plan, in what was
 * heard before it, and in a turn of the model. */
#include "application/execution/flow_watch.h"
#include "domain/base/json.h"
#include "tests/support/chat_bench.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define TEXT_SCHEMA                                                                                \
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}"
#define NOTE                                                                                       \
    "{\"name\":\"note\",\"description\":\"Reads the note\",\"inputSchema\":{\"type\":\"object\"}," \
    "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}"
#define FETCH                                                                                      \
    "{\"name\":\"fetch\",\"description\":\"Fetches the page\",\"inputSchema\":{\"type\":"          \
    "\"object\"},\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":true}}"
#define POST                                                                                       \
    "{\"name\":\"post\",\"description\":\"Posts a text\"," TEXT_SCHEMA                             \
    ",\"annotations\":{\"openWorldHint\":true}}"
#define ALL "[" NOTE "," FETCH "," POST "]"

#define STEP(id, tool, args) "{\"id\":\"" id "\",\"tool\":\"" tool "\",\"args\":" args "}"
#define TEXT_OF_FIRST "{\"text\":\"{s1.text}\"}"
#define READ_NOTE STEP("s1", "home/note", "{}")
#define FETCH_FIRST STEP("s1", "home/fetch", "{}")
#define FETCH_PAGE STEP("s2", "home/fetch", "{}")
#define POST_IT STEP("s3", "home/post", TEXT_OF_FIRST)

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct server_config configs[2];
    struct run_session session;
    struct arena arena;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    fake_services_add_server(&bench->services, "home", ALL);
    fake_services_add_server(&bench->services, "cloud", "[" NOTE "," POST "]");
    fake_services_add_server(&bench->services, "attic", "[" NOTE "]");
    bench->configs[0] = (struct server_config){ .name = "home", .command = "node" };
    bench->configs[1] = (struct server_config){ .name = "cloud", .url = "https://a.example" };
    bench->services.settings.servers = bench->configs;
    bench->services.settings.n_servers = 2;
    bench->services.pins_port = NULL;
    struct services *services = &bench->services.base;
    bench->session = (struct run_session){
        .services = services,
        .arena = &bench->arena,
        .scope = { .deadline_ms = SCOPE_NO_DEADLINE },
        .toolbox = toolbox_create(services, bench->services.server_ports, 3),
    };
    *state = bench;
    return toolbox_refresh(bench->session.toolbox, &bench->session.scope, NULL, NULL) != ERR_NONE;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    toolbox_destroy(bench->session.toolbox);
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

static const struct plan *plan_of(struct bench *bench, const char *steps)
{
    json_t *value = NULL;
    struct plan *plan = NULL;
    struct problems problems = { .arena = &bench->arena };
    assert_int_equal(json_parse(steps, strlen(steps), JSON_OURS, &value, NULL), ERR_NONE);
    assert_true(
        plan_from_json(&bench->arena, arena_keep_json(&bench->arena, value), &plan, &problems));
    return plan;
}

static const struct flow_note *watch(struct bench *bench, const char *steps,
                                     const struct data_meeting *heard)
{
    return flow_watch_plan(&bench->session, plan_of(bench, steps), heard);
}

static void notes_the_step_where_all_three_meet(void **state)
{
    struct bench *bench = *state;

    const struct flow_note *notes =
        watch(bench, "[" READ_NOTE "," FETCH_PAGE "," POST_IT "]", NULL);

    assert_false(notes[0].is_risky || notes[1].is_risky);
    assert_true(notes[2].is_risky);
    assert_string_equal(notes[2].reason,
                        "it sends data out, after private data of home/note and content from "
                        "outside of home/fetch: check what it sends");
}

static void says_nothing_where_one_of_them_is_missing(void **state)
{
    struct bench *bench = *state;
    static const char *const plans[] = {
        "[" READ_NOTE "," POST_IT "]",
        "[" FETCH_FIRST "," POST_IT "]",
        "[" READ_NOTE "," FETCH_PAGE "]",
        "[" STEP("s1", "home/none", "{}") "," STEP("s2", "none", "{}") "]",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(plans); i++) {
        const struct flow_note *notes = watch(bench, plans[i], NULL);
        assert_false(notes[0].is_risky || notes[1].is_risky);
        assert_null(notes[1].reason);
    }
}

/* What is behind a url counts as outside whatever it says of itself. */
static void tells_what_goes_from_one_server_to_another(void **state)
{
    struct bench *bench = *state;

    static const char read[] = STEP("s1", "home/note", "{}");
    static const char send[] = STEP("s2", "cloud/post", TEXT_OF_FIRST);
    static const char outside[] = STEP("s3", "cloud/note", "{}");
    static const char again[] = STEP("s4", "cloud/post", TEXT_OF_FIRST);
    const struct flow_note *notes = watch(
        bench, arena_printf(&bench->arena, "[%s,%s,%s,%s]", read, send, outside, again), NULL);

    assert_false(notes[1].is_risky);
    assert_string_equal(notes[1].reason, "its arguments hold what home/note gave");
    assert_true(notes[3].is_risky);
}

static void counts_what_the_author_of_the_plan_had_heard(void **state)
{
    struct bench *bench = *state;
    struct data_meeting heard = { 0 };
    const char *post = "[" STEP("s1", "home/post", "{\"text\":\"hello\"}") "]";
    assert_false(watch(bench, post, &heard)[0].is_risky);

    flow_watch_hear(&bench->session, "home/note", &heard);
    flow_watch_hear(&bench->session, "unknown", &heard);
    assert_false(watch(bench, post, &heard)[0].is_risky);
    flow_watch_hear(&bench->session, "fetch", &heard);

    assert_string_equal(heard.private_from, "home/note");
    assert_string_equal(heard.outside_from, "home/fetch");
    assert_true(watch(bench, post, &heard)[0].is_risky);
}

static void a_bare_name_of_several_tools_is_none_of_them(void **state)
{
    struct bench *bench = *state;
    struct data_meeting heard = { 0 };
    flow_watch_hear(&bench->session, "note", &heard);
    assert_null(heard.private_from);
    assert_null(heard.outside_from);
}

static struct chat_bench *open_chat(void)
{
    struct chat_bench *bench = chat_bench_create("home", ALL);
    bench->services.base.approve_all = true;
    return bench;
}

static int set_up_chat(void **state)
{
    *state = open_chat();
    return 0;
}

static void propose(struct chat_bench *bench, const char *tools, const char *steps)
{
    chat_bench_propose(bench, tools, "{}", steps);
}

#define READ_BOTH                                                                                  \
    STEP("s1", "home__note", "{}")                                                                 \
    "," STEP("s2", "home__fetch", "{}")
#define POST_HELLO STEP("p1", "home__post", "{\"text\":\"hello\"}")
#define WARNING "home/post: it sends data out"

static void a_turn_hears_the_results_that_its_conversation_has_shown(void **state)
{
    struct chat_bench *bench = *state;
    propose(bench, "\"home__note\",\"home__fetch\"", READ_BOTH);
    fake_model_reply(bench->model, "Both were read.");
    assert_int_equal(chat_bench_say(bench, "read the note and fetch the page"), ERR_NONE);
    assert_int_equal(bench->result.n_steps, 2);
    assert_false(chat_bench_warned_of(bench, WARNING));
    propose(bench, "\"home__post\"", POST_HELLO);
    fake_model_reply(bench->model, "Posted.");

    assert_int_equal(chat_bench_say(bench, "post the text hello"), ERR_NONE);

    assert_int_equal(bench->result.status, RUN_COMPLETED);
    assert_true(chat_bench_warned_of(bench, WARNING));
}

static void a_plan_that_is_only_shown_is_warned_of_as_well(void **state)
{
    struct chat_bench *bench = *state;
    propose(bench, "\"home__note\",\"home__fetch\",\"home__post\"",
            READ_BOTH "," STEP("s3", "home__post", "{\"text\":\"{s1.text}\"}"));
    const struct turn_request request = { .message = "read the note, fetch the page, post it",
                                          .plan_only = true };

    assert_int_equal(chat_bench_send(bench, &request), ERR_NONE);

    assert_int_equal(bench->server->n_calls, 0);
    assert_true(chat_bench_warned_of(bench, WARNING));
}

static void a_second_plan_hears_the_results_of_the_first(void **state)
{
    struct chat_bench *bench = *state;
    propose(bench, "\"home__note\",\"home__fetch\"",
            READ_BOTH ",{\"id\":\"s3\",\"tool\":\"home__note\",\"args\":{\"x\":1},\"needs\":["
                      "\"s1\",\"s2\"]}");
    fake_tool_server_reply(bench->server, (struct fake_tool_reply){ .tool = "note", .text = "n" });
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "note", .text = "not now", .is_error = true });
    fake_model_reply(bench->model, "{\"steps\":[" POST_HELLO "]}");
    fake_model_reply(bench->model, "Posted.");

    assert_int_equal(chat_bench_say(bench, "read the note, fetch the page, post it"), ERR_NONE);

    assert_int_equal(bench->result.n_steps, 4);
    assert_true(chat_bench_warned_of(bench, WARNING));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define CHAT(name) cmocka_unit_test_setup_teardown(name, set_up_chat, chat_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(notes_the_step_where_all_three_meet),
        TEST(says_nothing_where_one_of_them_is_missing),
        TEST(tells_what_goes_from_one_server_to_another),
        TEST(counts_what_the_author_of_the_plan_had_heard),
        TEST(a_bare_name_of_several_tools_is_none_of_them),
        CHAT(a_turn_hears_the_results_that_its_conversation_has_shown),
        CHAT(a_plan_that_is_only_shown_is_warned_of_as_well),
        CHAT(a_second_plan_hears_the_results_of_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
