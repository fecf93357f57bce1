/* How large the prompts of a turn are with the eight tools of the workspace, in tokens as 3.5 bytes
 * each, and how much of them two turns share. A small model is slow to read and has little room. */
#include "application/use_cases/mistral_chat.h"
#include "domain/base/json.h"
#include "infrastructure/workspace/workspace_tools.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <string.h>

#define BYTES_PER_TOKEN 3.5
#define MAX_INTENT 1400
#define MAX_INTENT_AND_PLAN 1700
#define MIN_SHARED 0.95
#define PLAN_AT_ONCE 1500 /* tokens of tools, as the settings have it */

#define NO_TOOL                                                                                    \
    "{\"reason\":\"small talk\",\"primary_goal\":\"greet\",\"tools_needed\":[\"none\"],"           \
    "\"parameters\":{},\"unclear_aspects\":[],\"needs_clarification\":false,\"confidence\":0.9,"   \
    "\"steps\":[]}"

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct mistral_chat *chat;
    struct arena arena;
    struct scope scope;
};

static const char *tools_of_workspace(struct arena *arena)
{
    json_auto_t *tools = json_array();
    for (size_t i = 0; i < workspace_n_tools; i++)
        json_array_append_new(tools, workspace_tool_definition(&workspace_tools[i]));
    assert_int_equal(json_array_size(tools), 8);
    return json_print_in(arena, tools);
}

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    fake_services_add_server(&bench->services, "files", tools_of_workspace(&bench->arena));
    bench->chat = mistral_chat_create(&bench->services.base);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    mistral_chat_destroy(bench->chat);
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

/* What the turn's first request was, as one text. */
static const char *ask(struct bench *bench, int64_t plan_at_once, const char *message)
{
    const struct fake_model *model = &bench->services.model;
    size_t first = model->n_requests;
    const struct turn_request request = { .message = message, .no_session = true };
    struct turn_result result;
    struct err err = { 0 };
    bench->services.settings.tools_plan_at_once = plan_at_once;
    fake_model_reply(&bench->services.model, NO_TOOL);
    fake_model_reply(&bench->services.model, "Hello.");
    assert_int_equal(
        mistral_chat_turn(bench->chat, &bench->scope, &bench->arena, &request, &result, &err),
        ERR_NONE);
    return arena_printf(&bench->arena, "%s\n%s", model->requests[first].system,
                        model->requests[first].user);
}

static double tokens(const char *text)
{
    return (double)strlen(text) / BYTES_PER_TOKEN;
}

static void an_intent_has_at_most_1400_tokens(void **state)
{
    const char *text =
        ask(*state, 0, "which of the files here mentions plums, and how long is it?");
    assert_non_null(strstr(text, "- files__search_files(query"));
    assert_true(tokens(text) <= MAX_INTENT);
}

static void intent_and_plan_in_one_have_at_most_1700_tokens(void **state)
{
    const char *text =
        ask(*state, PLAN_AT_ONCE, "which of the files here mentions plums, and how long is it?");
    assert_non_null(strstr(text, "\"steps\""));
    assert_true(tokens(text) <= MAX_INTENT_AND_PLAN);
}

static void two_turns_share_nearly_all_that_is_asked_for_the_same_purpose(void **state)
{
    for (int64_t plan_at_once = 0; plan_at_once <= PLAN_AT_ONCE; plan_at_once += PLAN_AT_ONCE) {
        const char *one = ask(*state, plan_at_once, "how many lines has sales.csv?");
        const char *other = ask(*state, plan_at_once, "write the word plum into notes/new.md");
        size_t shared = 0;
        while (one[shared] && one[shared] == other[shared])
            shared++;
        assert_true((double)shared >= MIN_SHARED * (double)strlen(one));
    }
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(an_intent_has_at_most_1400_tokens),
        T(intent_and_plan_in_one_have_at_most_1700_tokens),
        T(two_turns_share_nearly_all_that_is_asked_for_the_same_purpose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
