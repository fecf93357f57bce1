#include "application/studio/studio.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <string.h>

#define NUMBER(name, more) "\"" name "\":{\"type\":\"number\"" more "}"
#define TOOL(name, properties, more)                                                               \
    "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{" properties      \
    "}" more "}}"
#define PROMPT "\"prompt\":{\"type\":\"string\"}"
#define TOOLS                                                                                                                             \
    "[" TOOL("draw", PROMPT "," NUMBER("steps", "") "," NUMBER("cfg", "") "," NUMBER("seed", ""), ",\"required\":[\"prompt\"]") "," TOOL( \
        "plain", PROMPT,                                                                                                                  \
        ",\"additionalProperties\":false") "," TOOL("seeded",                                                                             \
                                                    PROMPT "," NUMBER("seed", ",\"minimum\":0"),                                          \
                                                    "") "," TOOL("other",                                                                 \
                                                                 "\"text\":{\"type\":\"string\"}"                                         \
                                                                 "," NUMBER("n", ""),                                                     \
                                                                 ",\"required\":[\"text\"]") "]"

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_tool_server *server;
    struct run_session session;
    struct image_prompt image;
    struct studio_result result;
    struct arena arena;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    struct runtime *runtime = &bench->runtime.port;
    struct services *services = &bench->services.base;
    struct settings *settings = &bench->services.settings;
    fake_services_init(&bench->services, runtime, SOURCE_DIR);
    services->approve_all = true;
    settings->studio_image_tool = "art/draw";
    bench->server = fake_services_add_server(&bench->services, "art", TOOLS);
    struct run_session *session = &bench->session;
    session->services = services;
    session->arena = &bench->arena;
    session->scope.deadline_ms = SCOPE_NO_DEADLINE;
    session->toolbox = toolbox_create(services, bench->services.server_ports, 1);
    journal_init(&session->journal, runtime, bench->services.runs_port, services->digest,
                 services->ids, true);
    journal_begin(&session->journal, "studio", NULL, "test", NULL);
    invoker_init(&session->invoker, services, session->toolbox, &session->journal, NULL);
    bench->image = image_prompt_default();
    bench->image.prompt = "a red cat";
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    invoker_finish(&bench->session.invoker);
    toolbox_destroy(bench->session.toolbox);
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

static enum err_code generate(struct bench *bench)
{
    return studio_generate(&bench->session, &bench->image, &bench->result, &bench->err);
}

static const json_t *event_data(struct bench *bench, enum event_kind kind)
{
    const struct event *event = fake_run_repository_event(&bench->services.runs, kind, 0);
    return event ? event->data : NULL;
}

static void calls_the_configured_tool_with_prompt_and_settings(void **state)
{
    struct bench *bench = *state;
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "draw", .text = "out/cat.png" });

    assert_int_equal(generate(bench), ERR_NONE);

    assert_int_equal(bench->server->n_calls, 1);
    assert_string_equal(bench->server->calls[0].arguments,
                        "{\"prompt\":\"a red cat\",\"steps\":4,\"cfg\":1.0,\"seed\":-1}");
    assert_string_equal(bench->result.image, "out/cat.png");
    assert_null(bench->result.not_generated);
}

static void tells_what_it_calls_and_what_came_of_it(void **state)
{
    struct bench *bench = *state;
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "draw", .text = "out/cat.png" });

    assert_int_equal(generate(bench), ERR_NONE);

    const json_t *started = event_data(bench, EVENT_GENERATION_STARTED);
    const json_t *ready = event_data(bench, EVENT_IMAGE_READY);
    assert_string_equal(json_get_string(started, "tool"), "art/draw");
    assert_string_equal(json_get_string(json_object_get(started, "args"), "prompt"), "a red cat");
    assert_string_equal(json_get_string(ready, "tool"), "art/draw");
    assert_string_equal(json_get_string(ready, "image"), "out/cat.png");
    assert_true(json_is_array(json_object_get(json_object_get(ready, "result"), "content")));
}

static void passes_only_what_the_tool_takes(void **state)
{
    struct bench *bench = *state;
    bench->services.settings.studio_image_tool = "art/plain";

    assert_int_equal(generate(bench), ERR_NONE);

    assert_string_equal(bench->server->calls[0].arguments, "{\"prompt\":\"a red cat\"}");
}

static void a_random_seed_is_not_passed_to_a_tool_that_knows_none(void **state)
{
    struct bench *bench = *state;
    bench->services.settings.studio_image_tool = "art/seeded";

    assert_int_equal(generate(bench), ERR_NONE);
    bench->image.seed = 0;
    assert_int_equal(generate(bench), ERR_NONE);

    assert_string_equal(bench->server->calls[0].arguments, "{\"prompt\":\"a red cat\"}");
    assert_string_equal(bench->server->calls[1].arguments, "{\"prompt\":\"a red cat\",\"seed\":0}");
}

static void the_names_of_the_arguments_are_settings(void **state)
{
    struct bench *bench = *state;
    struct settings *settings = &bench->services.settings;
    settings->studio_image_tool = "art/other";
    settings->studio_prompt_argument = "text";
    settings->studio_steps_argument = "n";
    settings->studio_cfg_argument = "";

    assert_int_equal(generate(bench), ERR_NONE);

    assert_string_equal(bench->server->calls[0].arguments, "{\"text\":\"a red cat\",\"n\":4}");
}

static void a_tool_that_takes_no_prompt_is_an_error_of_the_setting(void **state)
{
    struct bench *bench = *state;
    bench->services.settings.studio_image_tool = "art/other";

    assert_int_equal(generate(bench), ERR_INVALID);

    assert_int_equal(bench->server->n_calls, 0);
    assert_string_equal(bench->err.message,
                        "studio.prompt_argument: art/other takes no argument \"prompt\"");
    assert_string_equal(bench->err.hint, "it takes text, n");
}

static void without_a_tool_nothing_starts_and_it_says_how_one_is_named(void **state)
{
    struct bench *bench = *state;
    toolbox_destroy(steal(&bench->session.toolbox));

    assert_int_equal(generate(bench), ERR_NONE);

    assert_null(bench->result.image);
    assert_non_null(strstr(bench->result.not_generated, "studio.image_tool"));
    assert_int_equal(fake_services_count(&bench->services, EVENT_GENERATION_STARTED), 0);
}

static void a_tool_that_nobody_has_is_an_error_of_the_setting(void **state)
{
    struct bench *bench = *state;
    bench->services.settings.studio_image_tool = "art/drow";

    assert_int_equal(generate(bench), ERR_NOT_FOUND);

    assert_non_null(strstr(bench->err.message, "studio.image_tool: "));
    assert_non_null(strstr(bench->err.hint, "draw"));
}

static void what_the_tool_says_of_its_failure_is_the_error(void **state)
{
    struct bench *bench = *state;
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "draw", .text = "out of\nmemory", .is_error = true });

    assert_int_equal(generate(bench), ERR_FAILED);

    assert_string_equal(bench->err.message, "art/draw: out of\\nmemory");
    assert_null(bench->result.image);
    assert_null(event_data(bench, EVENT_IMAGE_READY));
}

static void a_failure_without_words_is_said_as_well(void **state)
{
    struct bench *bench = *state;
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "draw", .structured = "{\"code\":1}", .is_error = true });

    assert_int_equal(generate(bench), ERR_FAILED);

    assert_non_null(strstr(bench->err.message, "art/draw: "));
}

static void nothing_is_called_that_nobody_allowed(void **state)
{
    struct bench *bench = *state;
    bench->services.base.approve_all = false;

    assert_int_equal(generate(bench), ERR_DENIED);

    assert_int_equal(bench->server->n_calls, 0);
}

static void a_person_is_asked_once_and_may_allow_it(void **state)
{
    struct bench *bench = *state;
    bench->services.base.approve_all = false;
    bench->services.user.present = true;
    bench->services.user.answer = APPROVAL_SESSION;

    assert_int_equal(generate(bench), ERR_NONE);
    assert_int_equal(generate(bench), ERR_NONE);

    assert_int_equal(bench->services.user.n_asked, 1);
    assert_int_equal(bench->server->n_calls, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(calls_the_configured_tool_with_prompt_and_settings),
        TEST(tells_what_it_calls_and_what_came_of_it),
        TEST(passes_only_what_the_tool_takes),
        TEST(a_random_seed_is_not_passed_to_a_tool_that_knows_none),
        TEST(the_names_of_the_arguments_are_settings),
        TEST(a_tool_that_takes_no_prompt_is_an_error_of_the_setting),
        TEST(without_a_tool_nothing_starts_and_it_says_how_one_is_named),
        TEST(a_tool_that_nobody_has_is_an_error_of_the_setting),
        TEST(what_the_tool_says_of_its_failure_is_the_error),
        TEST(a_failure_without_words_is_said_as_well),
        TEST(nothing_is_called_that_nobody_allowed),
        TEST(a_person_is_asked_once_and_may_allow_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
