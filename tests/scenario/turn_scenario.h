/* One turn with everything in it: two steps side by side, a third that needs both, an answer; on
 * virtual time, with faulty ports. Intent and plan come in one call or in two. Shared by the
 * scenario tests. */
#ifndef TESTS_SCENARIO_TURN_SCENARIO_H
#define TESTS_SCENARIO_TURN_SCENARIO_H

#include "application/use_cases/mistral_chat.h"
#include "tests/support/fakes/faulty_ports.h"
#include "tests/support/full/virtual_runtime.h"
#include <string.h>

#define SCENARIO_PARALLEL 2
#define SCENARIO_TOOLS                                                                             \
    "[{\"name\":\"read\",\"description\":\"Reads a file\",\"inputSchema\":{\"type\":\"object\","   \
    "\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"]},\"annotations\":"    \
    "{\"readOnlyHint\":true}},{\"name\":\"join\",\"description\":\"Joins texts\",\"inputSchema\":" \
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"string\"}" \
    "},\"required\":[\"a\",\"b\"]}}]"
#define SCENARIO_GOAL                                                                              \
    "\"primary_goal\":\"join the files\",\"tools_needed\":[\"files__read\",\"files__join\"],"      \
    "\"parameters\":{\"path\":\"a\",\"a\":\"x\",\"b\":\"y\"},\"unclear_aspects\":[],"              \
    "\"needs_clarification\":false,\"confidence\":0.9"
#define SCENARIO_STEPS                                                                             \
    "\"steps\":[{\"id\":\"s1\",\"tool\":\"files__read\",\"args\":{\"path\":\"a\"}},"               \
    "{\"id\":\"s2\",\"tool\":\"files__read\",\"args\":{\"path\":\"b\"}},"                          \
    "{\"id\":\"s3\",\"tool\":\"files__read\",\"args\":{\"path\":\"c\"}},"                          \
    "{\"id\":\"s4\",\"tool\":\"files__join\",\"args\":{\"a\":\"{s1.text}\",\"b\":\"{s2.text}\"}}]"

enum scenario_kind {
    SCENARIO_AT_ONCE, /* intent and plan in one answer */
    SCENARIO_APART,   /* in two */
    SCENARIO_KINDS
};

struct scenario {
    struct virtual_runtime *runtime;
    struct fake_services services;
    struct faulty_ports ports;
    struct scope scope;
    struct arena arena;
    struct mistral_chat *chat;
    struct turn_result result;
    struct err err;
    enum err_code code;
};

static inline void scenario_script(struct fake_services *services, enum scenario_kind kind)
{
    if (kind == SCENARIO_AT_ONCE) {
        fake_model_reply(&services->model, "{" SCENARIO_GOAL "," SCENARIO_STEPS "}");
    } else {
        services->settings.tools_plan_at_once = 0;
        fake_model_reply(&services->model, "{" SCENARIO_GOAL "}");
        fake_model_reply(&services->model, "{" SCENARIO_STEPS "}");
    }
    fake_model_reply(&services->model, "They are joined.");
}

static inline void scenario_init(struct scenario *scenario, uint64_t seed, enum scenario_kind kind)
{
    *scenario = (struct scenario){ .scope = { .deadline_ms = SCOPE_NO_DEADLINE } };
    scenario->runtime = virtual_runtime_create(seed);
    fake_services_init(&scenario->services, virtual_runtime_port(scenario->runtime), SOURCE_DIR);
    fake_services_add_server(&scenario->services, "files", SCENARIO_TOOLS);
    scenario->services.base.approve_all = true;
    scenario->services.settings.tools_max_parallel = SCENARIO_PARALLEL;
    scenario_script(&scenario->services, kind);
    faulty_ports_init(&scenario->ports, &scenario->services, &scenario->scope);
    scenario->chat = mistral_chat_create(&scenario->services.base);
}

static inline void scenario_finish(struct scenario *scenario)
{
    mistral_chat_destroy(scenario->chat);
    arena_finish(&scenario->arena);
    fake_services_finish(&scenario->services);
    virtual_runtime_destroy(scenario->runtime);
}

static inline enum err_code scenario_task(struct runtime *runtime, struct scope *scope,
                                          void *argument)
{
    (void)runtime;
    struct scenario *scenario = argument;
    const struct turn_request request = { .message = "join a and b, with a look at c",
                                          .session_id = "s" };
    scenario->code = mistral_chat_turn(scenario->chat, scope, &scenario->arena, &request,
                                       &scenario->result, &scenario->err);
    return scenario->code;
}

static inline void scenario_run(struct scenario *scenario)
{
    (void)virtual_runtime_run(scenario->runtime, &scenario->scope, scenario_task, scenario);
}

static inline bool scenario_completed(const struct scenario *scenario)
{
    return scenario->code == ERR_NONE && scenario->result.status == RUN_COMPLETED;
}

/* NULL when all is well, else what is not. */
static inline const char *scenario_broken_rule(const struct scenario *scenario)
{
    const struct fake_services *services = &scenario->services;
    const struct turn_result *result = &scenario->result;
    size_t n_started = fake_services_count(services, EVENT_STEP_STARTED);
    size_t n_finished = fake_services_count(services, EVENT_STEP_FINISHED);
    if (virtual_runtime_tasks(scenario->runtime) || scenario->ports.under_way)
        return "something is still running";
    if (services->servers[0].max_in_flight > SCENARIO_PARALLEL)
        return "more steps ran at once than allowed";
    bool has_answer = scenario->code == ERR_NONE && turn_has_answer(result);
    if (scenario_completed(scenario) && !services->conversations.n_saves)
        return "a completed turn was not saved";
    if (has_answer && !scenario_completed(scenario) && !result->not_saved.code &&
        !result->had_answer)
        return "a turn failed that was saved";
    if (!has_answer && (result->answer || fake_services_count(services, EVENT_ANSWER)))
        return "a failed turn has an answer";
    if (has_answer && !result->had_answer && strcmp(result->answer, "They are joined.") != 0)
        return "a turn has another answer";
    if (n_finished < n_started)
        return "a step began and never ended";
    if (scenario->code && !scenario->err.message[0])
        return "an error says nothing";
    if (scenario->code == ERR_NONE && result->status != RUN_COMPLETED && !result->err.message[0])
        return "a failed result does not say why";
    if (fake_services_count(services, EVENT_RUN_STARTED) !=
        fake_services_count(services, EVENT_RUN_FINISHED))
        return "the run was not closed";
    return NULL;
}

#endif
