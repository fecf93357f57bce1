/* The whole workflow on a scripted MCP server and a scripted model. On virtual time conversations
 * are in memory; what is to last over a restart is tested on the real runtime, with conversations
 * in files and everything above them made anew. */
#include "application/use_cases/mistral_chat.h"
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"
#include "infrastructure/mock/mock_server.h"
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/full/uv_subject.h"
#include "tests/support/full/virtual_runtime.h"
#include <string.h>

/* A chain of three tools: formalize the task, generate code, review it. */
static const char fixture_text[] =
    "{\"tools\":["
    "{\"name\":\"formalize_task\",\"description\":\"Turns an informal request into a formal one\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"informal_request\":{\"type\":"
    "\"string\"}},\"required\":[\"informal_request\"]},\"annotations\":{\"readOnlyHint\":true},"
    "\"replies\":[{\"structured\":{\"formalized_description\":\"sort {args.informal_request}\"},"
    "\"delay_ms\":20}]},"
    "{\"name\":\"generate_code\",\"description\":\"Writes code\",\"inputSchema\":{\"type\":"
    "\"object\",\"properties\":{\"description\":{\"type\":\"string\"}},\"required\":["
    "\"description\"]},\"annotations\":{\"readOnlyHint\":true},\"replies\":[{\"structured\":"
    "{\"code\":\"print(\\\"{args.description}\\\")\\n\"}}]},"
    "{\"name\":\"review_code\",\"description\":\"Reviews code\",\"inputSchema\":{\"type\":"
    "\"object\",\"properties\":{\"code\":{\"type\":\"string\"}},\"required\":[\"code\"]},"
    "\"annotations\":{\"readOnlyHint\":true},\"replies\":[{\"when\":{\"code\":\"*bad*\"},\"error\":"
    "\"cannot parse\"},{\"text\":\"reviewed: {args.code}\"}]},"
    "{\"name\":\"slow\",\"description\":\"Never answers\",\"annotations\":{\"readOnlyHint\":true},"
    "\"replies\":[{\"fault\":\"hang\"}]}]}";

struct system {
    struct virtual_runtime *runtime; /* or */
    struct uv_runtime *uv;           /* with conversations in the folder */
    char folder[64];
    struct fake_services services;
    struct tool_server *dev;
    struct mistral_chat *chat;
    struct arena arena;
    struct scope scope;
    struct turn_request request;
    struct turn_result result;
    struct err err;
    enum err_code code;
};

static void make_services(struct system *system, struct runtime *runtime)
{
    json_auto_t *fixture = NULL;
    system->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&system->services, runtime, SOURCE_DIR);
    assert_int_equal(json_parse(fixture_text, strlen(fixture_text), JSON_OURS, &fixture, NULL), 0);
    assert_int_equal(mock_server_create(runtime, "dev", fixture, &system->dev, &system->err), 0);
    system->services.server_ports[system->services.n_servers++] = system->dev;
    system->services.base.approve_all = true;
}

static int set_up(void **state)
{
    struct system *system = calloc(1, sizeof *system);
    system->runtime = virtual_runtime_create(7);
    make_services(system, virtual_runtime_port(system->runtime));
    system->chat = mistral_chat_create(&system->services.base);
    *state = system;
    return 0;
}

static void open_conversations(struct system *system)
{
    system->services.conversations_port =
        json_conversation_repository_create(system->uv, system->folder, &system->services.settings);
    system->chat = mistral_chat_create(&system->services.base);
}

static int set_up_on_disk(void **state)
{
    struct system *system = calloc(1, sizeof *system);
    temporary_folder_create(system->folder);
    system->uv = uv_runtime_create();
    make_services(system, uv_runtime_port(system->uv));
    open_conversations(system);
    *state = system;
    return 0;
}

static int tear_down(void **state)
{
    struct system *system = *state;
    mistral_chat_destroy(system->chat);
    arena_finish(&system->arena);
    system->services.n_servers = 0;
    tool_server_destroy(system->dev);
    if (system->uv) {
        conversation_repository_destroy(system->services.conversations_port);
        temporary_folder_remove(system->folder);
    }
    fake_services_finish(&system->services);
    if (system->uv)
        uv_runtime_destroy(system->uv);
    else
        virtual_runtime_destroy(system->runtime);
    free(system);
    return 0;
}

static enum err_code turn_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct system *system = argument;
    system->result = (struct turn_result){ 0 };
    system->code = mistral_chat_turn(system->chat, scope, &system->arena, &system->request,
                                     &system->result, &system->err);
    return system->code;
}

static void say(struct system *system, const char *message)
{
    system->request = (struct turn_request){ .message = message, .session_id = "session" };
    if (system->uv)
        (void)uv_runtime_run(system->uv, &system->scope, turn_task, system);
    else
        (void)virtual_runtime_run(system->runtime, &system->scope, turn_task, system);
}

/* Nothing of what was in memory is left. */
static void restart(struct system *system)
{
    mistral_chat_destroy(system->chat);
    conversation_repository_destroy(system->services.conversations_port);
    open_conversations(system);
}

static void intend(struct system *system, const char *tools, const char *parameters)
{
    fake_model_reply(
        &system->services.model,
        arena_printf(&system->arena,
                     "{\"steps\":[],\"primary_goal\":\"goal\",\"tools_needed\":[%s],\"parameters\":"
                     "%s,\"unclear_aspects\":[],\"needs_clarification\":false,"
                     "\"confidence\":0.85}",
                     tools, parameters));
}

static const char *text_of(struct system *system, size_t step)
{
    return step_result_text(&system->arena, &system->result.steps[step].result);
}

static void goes_from_message_to_intent_to_plan_to_execution_to_response(void **state)
{
    struct system *system = *state;
    intend(system, "\"dev__formalize_task\"", "{\"informal_request\":\"a list\"}");
    fake_model_reply(&system->services.model, "It is formal now.");

    say(system, "formalize this task: a list");

    assert_int_equal(system->code, ERR_NONE);
    assert_int_equal(system->result.status, RUN_COMPLETED);
    assert_string_equal(system->result.answer, "It is formal now.");
    assert_true(system->result.intent->confidence.score >= 0.7);
    assert_string_equal(system->result.plan->steps[0].tool, "dev/formalize_task");
    assert_int_equal(system->result.steps[0].duration_ms, 20);
}

static void asks_when_the_confidence_is_low_and_goes_on_after_a_restart(void **state)
{
    struct system *system = *state;
    intend(system, "\"dev__formalize_task\"", "{}");
    say(system, "formalize");
    assert_int_equal(system->result.status, RUN_NEEDS_ANSWER);
    assert_true(system->result.intent->confidence.score < 0.7);
    restart(system);
    fake_model_reply(&system->services.model, "Formal.");

    say(system, "a queue");

    assert_int_equal(system->result.status, RUN_COMPLETED);
    assert_non_null(strstr(text_of(system, 0), "sort a queue"));
}

static void chains_formalize_generate_and_review(void **state)
{
    struct system *system = *state;
    intend(system, "\"dev__formalize_task\",\"dev__generate_code\",\"dev__review_code\"",
           "{\"informal_request\":\"numbers\",\"description\":\"d\",\"code\":\"c\"}");
    fake_model_reply(
        &system->services.model,
        "{\"steps\":[{\"tool\":\"dev__formalize_task\",\"args\":{\"informal_request\":\"numbers\"}}"
        ",{\"tool\":\"dev__generate_code\",\"args\":{\"description\":"
        "\"{prev_result.formalized_description}\"}},{\"tool\":\"dev__review_code\",\"args\":"
        "{\"code\":\"{prev_result.code}\"}}]}");
    fake_model_reply(&system->services.model, "All three steps are done.");

    say(system, "formalize numbers, generate code and review it");

    assert_int_equal(system->result.status, RUN_COMPLETED);
    assert_int_equal(system->result.n_steps, 3);
    assert_string_equal(text_of(system, 2), "reviewed: print(\"sort numbers\")\n");
}

static void remembers_the_conversation(void **state)
{
    struct system *system = *state;
    intend(system, "\"none\"", "{}");
    fake_model_reply(&system->services.model, "Nice to meet you, Ann.");
    say(system, "my name is Ann");
    restart(system);
    intend(system, "\"none\"", "{}");
    fake_model_reply(&system->services.model, "Ann.");

    say(system, "what is my name?");

    const char *prompt = system->services.model.requests[2].user;
    assert_non_null(strstr(prompt, "my name is Ann"));
    assert_non_null(strstr(prompt, "Nice to meet you, Ann."));
    assert_int_equal(system->services.conversations.n_saves, 0); /* of the one in memory */
}

static void a_model_that_is_away_is_an_error_and_no_answer(void **state)
{
    struct system *system = *state;
    system->services.model.check_fails = ERR_UNAVAILABLE;

    say(system, "formalize a list");

    assert_int_equal(system->code, ERR_UNAVAILABLE);
    assert_null(system->result.answer);
}

static void a_failing_tool_stops_what_depends_on_it(void **state)
{
    struct system *system = *state;
    intend(system, "\"dev__review_code\",\"dev__generate_code\"",
           "{\"code\":\"bad\",\"description\":\"d\"}");
    fake_model_reply(
        &system->services.model,
        "{\"steps\":[{\"id\":\"s1\",\"tool\":\"dev__review_code\",\"args\":{\"code\":\"bad\"}},"
        "{\"id\":\"s2\",\"tool\":\"dev__generate_code\",\"args\":{\"description\":\"{s1.text}\"}},"
        "{\"id\":\"s3\",\"tool\":\"dev__generate_code\",\"args\":{\"description\":\"x\"}}]}");
    fake_model_reply(&system->services.model, "{\"steps\":[]}");

    say(system, "review bad code and generate x");

    assert_int_equal(system->result.status, RUN_FAILED);
    assert_int_equal(system->result.steps[0].state, STEP_ERROR);
    assert_int_equal(system->result.steps[1].state, STEP_SKIPPED);
    assert_int_equal(system->result.steps[2].state, STEP_OK);
    assert_non_null(strstr(system->result.err.message, "cannot parse"));
    assert_null(system->result.answer);
}

static void a_tool_that_never_answers_ends_with_the_bound_of_the_run(void **state)
{
    struct system *system = *state;
    system->services.settings.limits_run_seconds = 30;
    intend(system, "\"dev__slow\"", "{}");

    say(system, "be slow");

    assert_int_equal(system->result.status, RUN_LIMIT);
    assert_int_equal(system->result.err.code, ERR_LIMIT);
    assert_null(system->result.answer);
}

static enum err_code run_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct system *system = argument;
    static const char text[] =
        "[{\"tool\":\"dev/formalize_task\",\"args\":{\"informal_request\":\"{vars.what}\"}},"
        "{\"tool\":\"generate_code\",\"args\":{\"description\":"
        "\"{prev_result.formalized_description}\"}}]";
    json_t *plan = NULL;
    system->code = json_parse(text, strlen(text), JSON_OURS, &plan, &system->err);
    const struct run_plan_request request = {
        .plan = arena_keep_json(&system->arena, plan),
        .vars = arena_keep_json(&system->arena, json_pack("{s:s}", "what", "names")),
    };
    if (!system->code)
        system->code = run_plan(&system->services.base, scope, &system->arena, &request,
                                &system->result, &system->err);
    return system->code;
}

static void runs_the_seeds_plan_without_a_model(void **state)
{
    struct system *system = *state;

    (void)virtual_runtime_run(system->runtime, &system->scope, run_task, system);

    assert_int_equal(system->code, ERR_NONE);
    assert_int_equal(system->result.status, RUN_COMPLETED);
    assert_non_null(strstr(system->result.answer, "sort names"));
    assert_int_equal(system->services.model.n_requests, 0);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define ON_DISK(test) cmocka_unit_test_setup_teardown(test, set_up_on_disk, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(goes_from_message_to_intent_to_plan_to_execution_to_response),
        ON_DISK(asks_when_the_confidence_is_low_and_goes_on_after_a_restart),
        TEST(chains_formalize_generate_and_review),
        ON_DISK(remembers_the_conversation),
        TEST(a_model_that_is_away_is_an_error_and_no_answer),
        TEST(a_failing_tool_stops_what_depends_on_it),
        TEST(a_tool_that_never_answers_ends_with_the_bound_of_the_run),
        TEST(runs_the_seeds_plan_without_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
