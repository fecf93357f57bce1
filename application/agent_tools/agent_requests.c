#include "application/agent_tools/agent_requests.h"
#include "application/agent_tools/agent_questions.h"
#include "application/agent_tools/agent_tools.h"
#include "application/agent_tools/job_arguments.h"
#include "application/use_cases/make_plan.h"
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"

static enum err_code take_answers(struct arena *arena, const json_t *arguments,
                                  struct chat_request *request, struct err *err)
{
    const json_t *given = json_object_get(arguments, "answers");
    struct chat_answer *answers =
        arena_array(arena, struct chat_answer, json_object_size(given) + 1);
    const char *key;
    json_t *value;
    json_each_member (given, key, value) {
        if (json_string_has_nul(value))
            return err_set(err, ERR_INVALID, 0, "/answers/%.60s: U+0000 is not allowed", key);
        const char *text =
            json_is_string(value) ? json_string_value(value) : json_print_in(arena, value);
        answers[request->n_answers++] = (struct chat_answer){ .key = key, .value = text };
    }
    request->answers = answers;
    return ERR_NONE;
}

static enum err_code read_chat(struct arena *arena, const json_t *arguments,
                               struct chat_request *out, struct err *err)
{
    enum err_code r = job_take_text(arguments, "request", &out->message, err);
    if (!r)
        r = job_take_text(arguments, "session_id", &out->session_id, err);
    if (!r)
        r = take_answers(arena, arguments, out, err);
    if (r)
        return r;
    if (!out->message && !out->n_answers)
        return err_set(err, ERR_INVALID, 0, "/request: missing; say what is to be done");
    if (out->n_answers && !out->session_id)
        return err_set(err, ERR_INVALID, 0,
                       "/session_id: missing; answers belong to the session that asked");
    return ERR_NONE;
}

/* *out_plan: only of a turn that stops after the plan. */
awaits MUST_CHECK static enum err_code take_turn(struct mistral_chat *chat, struct scope *scope,
                                                 struct arena *arena,
                                                 const struct chat_request *request,
                                                 struct turn_result *out, const json_t **out_plan,
                                                 struct err *err)
{
    return request->plan_only ? make_plan(chat, scope, arena, request, out, out_plan, err)
                              : mistral_chat_turn(chat, scope, arena, request, out, err);
}

/* Turns until there is nothing to ask, or nobody who answers: then the result has the questions. */
awaits MUST_CHECK static enum err_code converse(struct services *services, struct scope *scope,
                                                struct arena *arena, struct chat_request *request,
                                                struct turn_result *out, const json_t **out_plan,
                                                struct err *err)
{
    struct mistral_chat *chat = mistral_chat_create(services);
    enum err_code r = take_turn(chat, scope, arena, request, out, out_plan, err);
    for (unsigned i = 0; !r && out->status == RUN_NEEDS_ANSWER && i < AGENT_MAX_ROUNDS; i++) {
        struct chat_request next = { .plan_only = request->plan_only };
        if (!agent_questions_ask(services->user, scope, arena, out, &next))
            break;
        r = take_turn(chat, scope, arena, &next, out, out_plan, err);
    }
    mistral_chat_destroy(chat);
    return r;
}

enum err_code agent_ask(struct services *services, struct scope *scope, struct arena *arena,
                        const json_t *arguments, struct turn_result *out, struct err *err)
{
    struct chat_request request = { 0 };
    const json_t *none = NULL;
    enum err_code r = read_chat(arena, arguments, &request, err);
    return r ? r : converse(services, scope, arena, &request, out, &none, err);
}

enum err_code agent_plan(struct services *services, struct scope *scope, struct arena *arena,
                         const json_t *arguments, struct turn_result *out, struct err *err)
{
    struct chat_request request = { 0 };
    const json_t *plan = NULL;
    enum err_code r = read_chat(arena, arguments, &request, err);
    request.plan_only = true;
    if (!r)
        r = converse(services, scope, arena, &request, out, &plan, err);
    if (!r && plan)
        out->answer = json_print_in(arena, plan);
    return r;
}

static enum err_code read_plan(const struct services *services, struct arena *arena,
                               const json_t *given, const json_t **out, struct err *err)
{
    struct document document = { 0 };
    size_t length = json_string_length(given);
    *out = given;
    if (!json_is_string(given))
        return ERR_NONE;
    if (length > AGENT_TOOLS_MAX_PLAN_BYTES)
        return err_set(err, ERR_LIMIT, 0, "/plan: %zu bytes, at most %d are allowed", length,
                       AGENT_TOOLS_MAX_PLAN_BYTES);
    enum err_code r = documents_parse(services->documents, json_string_value(given), length, arena,
                                      &document, err);
    if (r)
        return err_prefix(err, ERR_BAD_PLAN, "/plan");
    *out = document.value;
    return ERR_NONE;
}

enum err_code agent_run_plan(struct services *services, struct scope *scope, struct arena *arena,
                             const json_t *arguments, struct turn_result *out, struct err *err)
{
    struct run_plan_request request = { .vars = json_object_get(arguments, "vars"),
                                        .dry_run = json_get_bool(arguments, "dry_run", false),
                                        .is_foreign = true };
    enum err_code r =
        read_plan(services, arena, json_object_get(arguments, "plan"), &request.plan, err);
    return r ? r : run_plan(services, scope, arena, &request, out, err);
}
