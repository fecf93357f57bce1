#include "application/use_cases/mistral_chat.h"
#include "application/orchestrators/clarifier.h"
#include "application/orchestrators/mistral_orchestrator.h"
#include "application/use_cases/runs/job.h"
#include "application/use_cases/stored_conversation.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

struct mistral_chat {
    struct services *services;
    json_t *session_approvals;
};

struct mistral_chat *mistral_chat_create(struct services *services)
{
    struct mistral_chat *chat = calloc(1, sizeof *chat);
    if (!chat)
        abort();
    chat->services = services;
    chat->session_approvals = json_object();
    return chat;
}

void mistral_chat_destroy(struct mistral_chat *chat)
{
    if (!chat)
        return;
    json_decref(chat->session_approvals);
    free(chat);
}

struct services *mistral_chat_services(const struct mistral_chat *chat)
{
    return chat->services;
}

static bool is_blank(const char *text)
{
    return !text || text[strspn(text, " \t\r\n")] == '\0';
}

static enum err_code check_request(const struct services *services,
                                   const struct chat_request *request, struct err *err)
{
    const char *message = request->message ? request->message : "";
    const char *attached = request->attached ? request->attached : "";
    size_t length = strlen(message) + strlen(attached);
    int64_t max = services->settings->limits_request_bytes;
    if (is_blank(message) && is_blank(attached) && request->n_answers == 0)
        return err_hint(err, err_set(err, ERR_INVALID, 0, "the request is empty"),
                        "try: mistro ask \"which files are here?\"");
    if ((int64_t)length > max)
        return err_set(err, ERR_LIMIT, 0, "the request has %zu bytes, at most %lld are allowed",
                       length, (long long)max);
    if (!text_is_utf8(message, strlen(message)) || !text_is_utf8(attached, strlen(attached)))
        return err_set(err, ERR_INVALID, 0, "the request is no valid UTF-8");
    return ERR_NONE;
}

static const char *whole_message(struct arena *arena, const struct chat_request *request)
{
    if (is_blank(request->attached))
        return is_blank(request->message) ? NULL : request->message;
    if (is_blank(request->message))
        return request->attached;
    return arena_printf(arena, "%s\n\n%s", request->message, request->attached);
}

/* Both may be NULL. */
static bool is_same_question(const json_t *left, const json_t *right)
{
    return left == right || json_equal(left, right);
}

/* A session has room for one question. The turn that asked or answered it first keeps its change;
 * another turn that did so meanwhile is told, since a question that is not stored can never be
 * answered, and one that was answered must not be answered again. */
static enum err_code merge_clarification(const struct stored_conversation *ours,
                                         struct conversation *theirs, struct err *err)
{
    const json_t *before = json_object_get(ours->context, CLARIFIER_CONTEXT_KEY);
    const json_t *stored = json_object_get(theirs->context, CLARIFIER_CONTEXT_KEY);
    json_t *after = json_object_get(ours->conversation->context, CLARIFIER_CONTEXT_KEY);
    if (is_same_question(after, before))
        return ERR_NONE;
    if (!is_same_question(stored, before)) {
        err_set(err, ERR_FAILED, 0, "%s meanwhile",
                before ? "its question was answered or cleared"
                       : "another question was asked in it");
        return err_hint(err, ERR_FAILED, "mistro sessions show %s tells what it did", theirs->id);
    }
    if (after)
        json_object_set(theirs->context, CLARIFIER_CONTEXT_KEY, after);
    else
        json_object_del(theirs->context, CLARIFIER_CONTEXT_KEY);
    return ERR_NONE;
}

static enum err_code prepare(struct mistral_chat *chat, struct job *job,
                             struct mistral_orchestrator *orchestrator, struct err *err)
{
    size_t n_tools = 0;
    enum err_code r = job_open_tools(job, chat->session_approvals, err);
    if (!r)
        r = job_refresh_tools(job, err);
    if (!r)
        r = services_index(chat->services, &orchestrator->index, err);
    if (r)
        return r;
    const struct tool *const *tools = toolbox_tools(job->toolbox, &n_tools);
    r = tool_index_build(orchestrator->index, tools, n_tools, err);
    orchestrator->services = chat->services;
    orchestrator->journal = &job->journal;
    orchestrator->toolbox = job->toolbox;
    orchestrator->invoker = &job->invoker;
    return r ? r : mistral_orchestrator_initialize(orchestrator, &job->scope, job->arena, err);
}

static enum err_code handle(struct mistral_chat *chat, struct job *job,
                            const struct chat_request *request, struct stored_conversation *stored,
                            struct turn_result *out, struct err *err)
{
    struct mistral_orchestrator orchestrator = { 0 };
    struct turn_answer *answers =
        arena_array(job->arena, struct turn_answer, request->n_answers + 1);
    for (size_t i = 0; i < request->n_answers; i++)
        answers[i] = (struct turn_answer){ request->answers[i].key, request->answers[i].value };
    const struct turn_request turn = { .message = whole_message(job->arena, request),
                                       .answers = answers,
                                       .n_answers = request->n_answers,
                                       .plan_only = request->plan_only,
                                       .dry_run = request->dry_run };
    enum err_code r = prepare(chat, job, &orchestrator, err);
    return r ? r
             : mistral_orchestrator_handle_message(&orchestrator, &job->scope, job->arena,
                                                   stored->conversation, &turn, out, err);
}

/* The log and the conversation are put away even when the turn was cancelled. */
static void put_away(struct job *job, struct stored_conversation *stored,
                     struct turn_result *result)
{
    struct runtime *runtime = job->services->runtime;
    struct scope closing = scope_child(NULL, runtime_now_ms(runtime) + JOB_CLOSE_MS);
    struct err err = { 0 };
    if (stored_conversation_save(stored, &closing, job->arena, merge_clarification, &err))
        turn_result_not_saved(result, &err);
    int64_t total_ms = runtime_now_ms(runtime) - job->started_ms;
    int64_t rest_ms = total_ms - result->usage.model_ms - result->usage.tool_ms;
    result->usage.overhead_ms = rest_ms > 0 ? rest_ms : 0;
    result->session_id = stored_conversation_id(stored);
    result->run_id = arena_strdup(job->arena, result->run_id);
}

static const char *kind_of(const struct chat_request *request)
{
    if (request->plan_only)
        return "plan";
    return request->interactive ? "chat" : "ask";
}

static enum err_code run_turn(struct mistral_chat *chat, struct scope *scope, struct arena *arena,
                              const struct chat_request *request,
                              struct stored_conversation *stored, struct turn_result *out,
                              struct err *err)
{
    struct job job;
    struct turn_result result = { 0 };
    struct err why = { 0 };
    const char *session_id = stored_conversation_id(stored);
    enum err_code r = job_begin(&job, chat->services, scope, arena, kind_of(request), session_id,
                                whole_message(arena, request), err);
    if (r)
        return r;
    r = job_code(&job, handle(chat, &job, request, stored, &result, &why), &why);
    if (!r) {
        if (result.err.code && job_code(&job, result.err.code, &result.err) == ERR_LIMIT)
            result.status = RUN_LIMIT;
        put_away(&job, stored, &result);
    }
    job_end(&job, r ? run_status_of(r) : result.status, r ? &why : &result.err);
    if (r) {
        if (err)
            *err = why;
        return r;
    }
    *out = result;
    return ERR_NONE;
}

enum err_code mistral_chat_turn(struct mistral_chat *chat, struct scope *scope, struct arena *arena,
                                const struct chat_request *request, struct turn_result *out,
                                struct err *err)
{
    struct stored_conversation stored = { 0 };
    enum err_code r = check_request(chat->services, request, err);
    if (!r)
        r = stored_conversation_load(chat->services, scope, arena, request->session_id,
                                     request->no_session, request->n_answers > 0, &stored, err);
    return r ? r : run_turn(chat, scope, arena, request, &stored, out, err);
}
