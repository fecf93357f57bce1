/* mistro's own tools: what each gives, when it asks back, refuses, is cancelled or misused. */
#include "application/agent_tools/agent_tools.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include "tests/support/chat_bench.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

#define READ_STEP "{\"tool\":\"files__read_file\",\"args\":{\"path\":\"a.md\"}}"
#define WRITE_PLAN                                                                                 \
    "[{\"tool\":\"files/read_file\",\"args\":{\"path\":\"a.md\"}},"                                \
    "{\"tool\":\"files/write_file\",\"args\":{\"path\":\"b.md\",\"text\":\"{s1.text}\"}}]"

struct agent_bench {
    struct chat_bench *chat;
    struct tool_server *agent;
    struct scope scope;
    struct arena arena;
    struct step_result result; /* of the last call */
    struct err err;
    const char *told[32]; /* its progress, in the arena */
    size_t n_told;
    double last_progress;
};

static int set_up(void **state)
{
    struct agent_bench *bench = calloc(1, sizeof *bench);
    bench->chat = chat_bench_create("files", CHAT_BENCH_FILES);
    bench->chat->server->is_builtin = true;
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    *state = bench;
    return agent_tools_create(&bench->chat->services.base, &bench->agent, NULL) ? -1 : 0;
}

static int tear_down(void **state)
{
    struct agent_bench *bench = *state;
    void *chat = bench->chat;
    tool_server_close(bench->agent, &bench->scope);
    tool_server_destroy(bench->agent);
    arena_finish(&bench->arena);
    chat_bench_tear_down(&chat);
    free(bench);
    return 0;
}

static void on_progress(void *context, double progress, double total, const char *message)
{
    struct agent_bench *bench = context;
    if (bench->n_told < ARRAY_LENGTH(bench->told) && total < 0 && progress > bench->last_progress)
        bench->told[bench->n_told++] = arena_strdup(&bench->arena, message);
    bench->last_progress = progress;
}

static enum err_code call(struct agent_bench *bench, const char *tool, const char *arguments)
{
    json_t *value = NULL;
    if (json_parse(arguments, strlen(arguments), JSON_OURS, &value, &bench->err))
        return ERR_INTERNAL;
    const struct tool_call request = { .name = tool,
                                       .arguments = arena_keep_json(&bench->arena, value),
                                       .on_progress = on_progress,
                                       .context = bench };
    bench->result = (struct step_result){ 0 };
    bench->err = (struct err){ 0 };
    bench->n_told = 0;
    bench->last_progress = 0;
    return tool_server_call(bench->agent, &bench->scope, &request, &bench->arena, &bench->result,
                            &bench->err);
}

static const char *text_of(struct agent_bench *bench)
{
    return step_result_text(&bench->arena, &bench->result);
}

static const char *member(struct agent_bench *bench, const char *key)
{
    return json_get_string(step_result_structured(&bench->result), key);
}

static void assert_says(struct agent_bench *bench, const char *words)
{
    if (!strstr(text_of(bench), words))
        fail_msg("\"%s\" is not in: %s", words, text_of(bench));
}

/* What every result owes the client, whatever its status. */
static void assert_fits_the_output_schema(struct agent_bench *bench, const char *tool)
{
    struct tool_catalogue *catalogue = NULL;
    struct problems problems = { .arena = &bench->arena };
    bool fits = false;
    assert_int_equal(tool_server_list(bench->agent, &bench->scope, &catalogue, NULL), ERR_NONE);
    const json_t *schema = tool_catalogue_find(catalogue, tool)->output_schema;
    assert_int_equal(
        json_schema_check(schema, step_result_structured(&bench->result), &problems, &fits, NULL),
        ERR_NONE);
    tool_catalogue_unref(catalogue);
    if (!fits)
        fail_msg("%s", problem_print(&problems, problems.list));
}

static void use_the_lexical_analyst(struct agent_bench *bench)
{
    bench->chat->services.choice = MODEL_CHOICE_LEXICAL;
    bench->chat->services.settings.model_name = "none";
}

static void offers_its_jobs_of_which_plan_and_consensus_only_read(void **state)
{
    struct agent_bench *bench = *state;
    struct tool_catalogue *catalogue = NULL;

    assert_int_equal(tool_server_list(bench->agent, &bench->scope, &catalogue, NULL), ERR_NONE);

    assert_int_equal(catalogue->n_tools, 5);
    assert_int_equal(tool_catalogue_find(catalogue, "ask")->read_only, HINT_NO);
    assert_int_equal(tool_catalogue_find(catalogue, "plan")->read_only, HINT_YES);
    assert_int_equal(tool_catalogue_find(catalogue, "run_plan")->read_only, HINT_NO);
    assert_int_equal(tool_catalogue_find(catalogue, "consensus")->read_only, HINT_YES);
    tool_catalogue_unref(catalogue);
}

static void answers_a_request_with_text_and_the_result_object(void **state)
{
    struct agent_bench *bench = *state;
    chat_bench_propose(bench->chat, "\"files__read_file\"", "{\"path\":\"a.md\"}", READ_STEP);
    fake_model_reply(bench->chat->model, "It is about plums.");

    assert_int_equal(call(bench, "ask", "{\"request\":\"what is in a.md?\"}"), ERR_NONE);

    assert_false(bench->result.is_error);
    assert_string_equal(text_of(bench), "It is about plums.");
    assert_string_equal(member(bench, "status"), "completed");
    assert_string_equal(member(bench, "answer"), "It is about plums.");
    assert_int_equal(
        json_array_size(json_object_get(step_result_structured(&bench->result), "receipts")), 1);
    assert_fits_the_output_schema(bench, "ask");
}

static void tells_what_happens_as_progress_that_grows(void **state)
{
    struct agent_bench *bench = *state;
    static const char *const expected[] = { "understood: read the file \"a.md\"", "plan of 1 step",
                                            "s1 files/read_file: started",
                                            "s1 files/read_file: half", "s1 files/read_file: ok" };
    use_the_lexical_analyst(bench);

    assert_int_equal(call(bench, "ask", "{\"request\":\"read the file \\\"a.md\\\"\"}"), ERR_NONE);

    assert_int_equal(bench->n_told, ARRAY_LENGTH(expected));
    for (size_t i = 0; i < ARRAY_LENGTH(expected); i++)
        assert_string_equal(bench->told[i], expected[i]);
}

static void asks_back_and_goes_on_with_the_answer_in_the_same_session(void **state)
{
    struct agent_bench *bench = *state;
    use_the_lexical_analyst(bench);

    assert_int_equal(call(bench, "ask", "{\"request\":\"read the file\"}"), ERR_NONE);

    const char *session = member(bench, "session_id");
    const json_t *questions = json_object_get(step_result_structured(&bench->result), "questions");
    assert_false(bench->result.is_error);
    assert_string_equal(member(bench, "status"), "needs_answer");
    assert_string_equal(json_get_string(json_array_get(questions, 0), "key"), "path");
    assert_says(bench, session);
    assert_fits_the_output_schema(bench, "ask");
    assert_int_equal(bench->chat->server->n_calls, 0);

    const char *answer = arena_printf(
        &bench->arena, "{\"session_id\":\"%s\",\"answers\":{\"path\":\"a.md\"}}", session);
    assert_int_equal(call(bench, "ask", answer), ERR_NONE);

    assert_string_equal(member(bench, "status"), "completed");
    assert_string_equal(member(bench, "session_id"), session);
    assert_string_equal(bench->chat->server->calls[0].arguments, "{\"path\":\"a.md\"}");
}

static void a_turn_that_was_not_saved_is_an_error_with_its_answer(void **state)
{
    struct agent_bench *bench = *state;
    chat_bench_propose(bench->chat, "\"files__read_file\"", "{\"path\":\"a.md\"}", READ_STEP);
    fake_model_reply(bench->chat->model, "It is about plums.");
    bench->chat->services.conversations.next_save = ERR_UNAVAILABLE;

    assert_int_equal(call(bench, "ask", "{\"request\":\"what is in a.md?\"}"), ERR_NONE);

    assert_true(bench->result.is_error);
    assert_says(bench, "It is about plums.\n\nfailed: session ");
    assert_string_equal(member(bench, "status"), "failed");
    assert_string_equal(member(bench, "answer"), "It is about plums.");
    assert_false(json_get_bool(step_result_structured(&bench->result), "saved", true));
    assert_fits_the_output_schema(bench, "ask");
}

static void a_plan_whose_session_was_not_saved_is_an_error_with_the_plan(void **state)
{
    struct agent_bench *bench = *state;
    chat_bench_propose(bench->chat, "\"files__read_file\"", "{\"path\":\"a.md\"}", READ_STEP);
    bench->chat->services.conversations.next_save = ERR_UNAVAILABLE;

    assert_int_equal(call(bench, "plan", "{\"request\":\"what is in a.md?\"}"), ERR_NONE);

    assert_true(bench->result.is_error);
    auto_str plan = json_print(json_object_get(step_result_structured(&bench->result), "plan"));
    assert_says(bench, plan);
    assert_says(bench, "was not saved");
}

static void takes_numbers_and_truth_values_as_answers(void **state)
{
    struct agent_bench *bench = *state;
    use_the_lexical_analyst(bench);
    assert_int_equal(call(bench, "ask", "{\"request\":\"read the file\",\"session_id\":\"new:s\"}"),
                     ERR_NONE);

    assert_int_equal(call(bench, "ask", "{\"session_id\":\"s\",\"answers\":{\"path\":2024}}"),
                     ERR_NONE);

    assert_string_equal(member(bench, "status"), "completed");
    assert_string_equal(bench->chat->server->calls[0].arguments, "{\"path\":\"2024\"}");
}

static void begins_no_session_by_a_name_that_does_not_exist(void **state)
{
    struct agent_bench *bench = *state;
    use_the_lexical_analyst(bench);
    assert_int_equal(
        call(bench, "ask", "{\"request\":\"read a.md\",\"session_id\":\"new:harvest\"}"), ERR_NONE);
    assert_string_equal(member(bench, "session_id"), "harvest");

    assert_int_equal(call(bench, "ask", "{\"request\":\"read a.md\",\"session_id\":\"harvets\"}"),
                     ERR_NONE);

    assert_true(bench->result.is_error);
    assert_says(bench, "/session_id: no session is named \"harvets\"; did you mean harvest? "
                       "(new:NAME begins one)");
    assert_int_equal(bench->chat->server->n_calls, 1);
    assert_fits_the_output_schema(bench, "ask");
}

static void plans_without_running_and_the_plan_can_be_run(void **state)
{
    struct agent_bench *bench = *state;
    chat_bench_propose(bench->chat, "\"files__read_file\"", "{\"path\":\"a.md\"}", READ_STEP);

    assert_int_equal(call(bench, "plan", "{\"request\":\"what is in a.md?\"}"), ERR_NONE);

    assert_string_equal(member(bench, "status"), "completed");
    assert_int_equal(bench->chat->server->n_calls, 0);
    assert_fits_the_output_schema(bench, "plan");
    auto_str plan = json_print(json_object_get(step_result_structured(&bench->result), "plan"));
    assert_string_equal(text_of(bench), plan);

    assert_int_equal(call(bench, "run_plan", arena_printf(&bench->arena, "{\"plan\":%s}", plan)),
                     ERR_NONE);

    assert_string_equal(member(bench, "status"), "completed");
    assert_string_equal(text_of(bench), "ok");
    assert_int_equal(bench->chat->server->n_calls, 1);
    assert_fits_the_output_schema(bench, "run_plan");
}

static void binds_a_plan_to_its_variables_and_calls_nothing_in_a_dry_run(void **state)
{
    struct agent_bench *bench = *state;

    assert_int_equal(call(bench, "run_plan",
                          "{\"dry_run\":true,\"vars\":{\"f\":\"c.md\"},\"plan\":[{\"tool\":"
                          "\"files/read_file\",\"args\":{\"path\":\"{vars.f}\"}}]}"),
                     ERR_NONE);

    const json_t *path =
        json_path_find(step_result_structured(&bench->result), "/steps/0/args/path");
    assert_string_equal(member(bench, "status"), "completed");
    assert_string_equal(json_string_value(path), "c.md");
    assert_int_equal(bench->chat->server->n_calls, 0);
}

static void refuses_what_nobody_can_approve_and_lists_the_calls(void **state)
{
    struct agent_bench *bench = *state;

    assert_int_equal(call(bench, "run_plan", "{\"plan\":" WRITE_PLAN "}"), ERR_NONE);

    assert_true(bench->result.is_error);
    assert_string_equal(member(bench, "status"), "refused");
    assert_says(bench, "files/write_file needs approval");
    assert_says(bench, "not called: files/write_file {\"path\":\"b.md\"");
    assert_int_equal(bench->chat->server->n_calls, 1);
    assert_int_equal(bench->chat->services.user.n_asked, 0);
    assert_fits_the_output_schema(bench, "run_plan");
}

static void runs_what_would_ask_when_it_was_approved_at_the_start(void **state)
{
    struct agent_bench *bench = *state;
    bench->chat->services.base.approve_all = true;

    assert_int_equal(call(bench, "run_plan", "{\"plan\":" WRITE_PLAN "}"), ERR_NONE);

    assert_string_equal(member(bench, "status"), "completed");
    assert_int_equal(bench->chat->server->n_calls, 2);
}

static void never_asks_a_person_even_if_one_sits_there(void **state)
{
    struct agent_bench *bench = *state;
    bench->chat->services.user.present = true;
    bench->chat->services.user.answer = APPROVAL_ONCE;

    assert_int_equal(call(bench, "run_plan", "{\"plan\":" WRITE_PLAN "}"), ERR_NONE);

    assert_string_equal(member(bench, "status"), "refused");
    assert_int_equal(bench->chat->services.user.n_asked, 0);
}

static void keeps_to_a_deny_rule_whatever_was_approved(void **state)
{
    struct agent_bench *bench = *state;
    const struct policy_rule deny = { .effect = POLICY_DENY, .tool = "write_*" };
    bench->chat->services.base.approve_all = true;
    bench->chat->services.settings.policy = &deny;
    bench->chat->services.settings.n_policy = 1;

    assert_int_equal(call(bench, "run_plan", "{\"plan\":" WRITE_PLAN "}"), ERR_NONE);

    assert_string_equal(member(bench, "status"), "refused");
    assert_says(bench, "denied by the settings");
}

static void reports_every_problem_of_a_plan_that_may_not_run(void **state)
{
    struct agent_bench *bench = *state;

    assert_int_equal(call(bench, "run_plan",
                          "{\"plan\":[{\"tool\":\"files/read_file\",\"args\":{\"path\":5}},"
                          "{\"tool\":\"files/reed_file\",\"args\":{}}]}"),
                     ERR_NONE);

    assert_true(bench->result.is_error);
    assert_says(bench, "s1 /path: ");
    assert_says(bench, "files/reed_file");
    assert_fits_the_output_schema(bench, "run_plan");
}

static void says_what_to_do_when_no_model_answers(void **state)
{
    struct agent_bench *bench = *state;
    bench->chat->services.model_fails = ERR_UNAVAILABLE;

    assert_int_equal(call(bench, "ask", "{\"request\":\"what is in a.md?\"}"), ERR_NONE);

    assert_true(bench->result.is_error);
    assert_string_equal(member(bench, "status"), "failed");
    assert_string_equal(
        json_string_value(json_path_find(step_result_structured(&bench->result), "/error/code")),
        "unavailable");
    assert_says(bench, "no model answers");
    assert_fits_the_output_schema(bench, "ask");
}

static void ends_the_turn_when_the_call_is_cancelled(void **state)
{
    struct agent_bench *bench = *state;
    chat_bench_propose(bench->chat, "\"files__read_file\"", "{\"path\":\"a.md\"}", READ_STEP);
    bench->chat->server->delay_ms = 5000;
    bench->chat->runtime.cancel_scope = &bench->scope;
    bench->chat->runtime.cancel_at_ms = 1000;

    assert_int_equal(call(bench, "ask", "{\"request\":\"what is in a.md?\"}"), ERR_CANCELLED);

    assert_int_equal(bench->chat->runtime.now_ms, 1000);
    const json_t *end = chat_bench_event(bench->chat, EVENT_RUN_FINISHED);
    assert_string_equal(json_get_string(end, "status"), "cancelled");
}

static void ends_with_the_bound_of_the_call(void **state)
{
    struct agent_bench *bench = *state;
    json_auto_t *arguments = json_pack("{s:[{s:s, s:{s:s}}]}", "plan", "tool", "files/read_file",
                                       "args", "path", "a.md");
    const struct tool_call request = { .name = "run_plan", .arguments = arguments, .max_ms = 100 };
    bench->chat->server->delay_ms = 5000;

    assert_int_equal(tool_server_call(bench->agent, &bench->scope, &request, &bench->arena,
                                      &bench->result, &bench->err),
                     ERR_TIMEOUT);
}

static void names_the_path_of_what_is_wrong_with_the_arguments(void **state)
{
    struct agent_bench *bench = *state;
    static const struct {
        const char *tool, *arguments, *says;
    } cases[] = {
        { "ask", "{}", "/request: missing" },
        { "plan", "{\"answers\":{}}", "/request: missing" },
        { "ask", "{\"request\":5}", "/request: " },
        { "ask", "{\"request\":\"x\",\"sesion_id\":\"s\"}", "sesion_id" },
        { "ask", "{\"request\":\"a\\u0000b\"}", "/request: U+0000" },
        { "ask", "{\"request\":\"a\",\"session_id\":\"s\\u0000\"}", "/session_id: U+0000" },
        { "ask", "{\"answers\":{\"path\":\"a\"}}", "/session_id: missing" },
        { "ask", "{\"session_id\":\"s\",\"answers\":{\"path\":{}}}", "/answers/path: " },
        { "ask", "{\"session_id\":\"s\",\"answers\":{\"path\":\"\\u0000\"}}", "/answers/path: U+" },
        { "ask", "{\"session_id\":\"new:../s\",\"request\":\"x\"}", "session id" },
        { "plan", "{\"session_id\":\"../s\",\"request\":\"x\"}", "no session is named" },
        { "run_plan", "{}", "plan" },
        { "run_plan", "{\"plan\":5}", "/plan: " },
        { "run_plan", "{\"plan\":[],\"vars\":[]}", "/vars: " },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        assert_int_equal(call(bench, cases[i].tool, cases[i].arguments), ERR_NONE);
        assert_true(bench->result.is_error);
        assert_says(bench, cases[i].says);
        assert_fits_the_output_schema(bench, cases[i].tool);
    }
    assert_int_equal(bench->chat->server->n_calls, 0);
}

static void knows_no_other_tool(void **state)
{
    struct agent_bench *bench = *state;

    assert_int_equal(call(bench, "sing", "{}"), ERR_NOT_FOUND);
}

static void refuses_definitions_of_tools_it_does_not_have(void **state)
{
    struct agent_bench *bench = *state;
    struct tool_server *other = NULL;
    bench->chat->services.assets.override_path = AGENT_TOOLS_ASSET;
    bench->chat->services.assets.override_text = "{\"tools\":[{\"name\":\"sing\"}]}";

    assert_int_equal(agent_tools_create(&bench->chat->services.base, &other, &bench->err),
                     ERR_INVALID);

    assert_non_null(strstr(bench->err.message, "/tools/0/name"));
    assert_null(other);
}

static void leaves_out_a_server_that_is_this_agent_once_more(void **state)
{
    struct agent_bench *bench = *state;
    const char *const words[] = { "serve", "agent" };
    const struct server_config configs[] = {
        { .name = "files", .command = "notes-server" },
        { .name = "self", .command = "/usr/bin/mistro", .arguments = words, .n_arguments = 2 }
    };
    fake_services_add_server(&bench->chat->services, "self", CHAT_BENCH_FILES);
    bench->chat->services.settings.servers = configs;
    bench->chat->services.settings.n_servers = ARRAY_LENGTH(configs);

    assert_int_equal(call(bench, "run_plan",
                          "{\"plan\":[{\"tool\":\"self/read_file\",\"args\":{\"path\":\"a\"}}]}"),
                     ERR_NONE);

    assert_string_equal(member(bench, "status"), "failed");
    assert_says(bench, "self");
    assert_int_equal(bench->chat->services.servers[1].n_lists, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(offers_its_jobs_of_which_plan_and_consensus_only_read),
        TEST(answers_a_request_with_text_and_the_result_object),
        TEST(tells_what_happens_as_progress_that_grows),
        TEST(asks_back_and_goes_on_with_the_answer_in_the_same_session),
        TEST(takes_numbers_and_truth_values_as_answers),
        TEST(a_turn_that_was_not_saved_is_an_error_with_its_answer),
        TEST(a_plan_whose_session_was_not_saved_is_an_error_with_the_plan),
        TEST(begins_no_session_by_a_name_that_does_not_exist),
        TEST(plans_without_running_and_the_plan_can_be_run),
        TEST(binds_a_plan_to_its_variables_and_calls_nothing_in_a_dry_run),
        TEST(refuses_what_nobody_can_approve_and_lists_the_calls),
        TEST(runs_what_would_ask_when_it_was_approved_at_the_start),
        TEST(never_asks_a_person_even_if_one_sits_there),
        TEST(keeps_to_a_deny_rule_whatever_was_approved),
        TEST(reports_every_problem_of_a_plan_that_may_not_run),
        TEST(says_what_to_do_when_no_model_answers),
        TEST(ends_the_turn_when_the_call_is_cancelled),
        TEST(ends_with_the_bound_of_the_call),
        TEST(names_the_path_of_what_is_wrong_with_the_arguments),
        TEST(knows_no_other_tool),
        TEST(refuses_definitions_of_tools_it_does_not_have),
        TEST(leaves_out_a_server_that_is_this_agent_once_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
