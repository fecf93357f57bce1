/* A question lies in the frame of `ask`, in the list of its call. It is put to the client in the
 * way of its era (put_question), and `ask` sleeps until the answer settles the question, the time
 * is over or the call ends. on_question and on_sampling are what tools see of it. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/json_schema.h"
#include "presentation/mcp/serve_session.h"
#include <stdlib.h>
#include <string.h>

enum { REFUSAL_COLUMNS = 200, REJECTED = -1 };

const json_t *serve_capabilities(const struct serve_call *call)
{
    const json_t *meta = json_object_get(call->message.params, "_meta");
    return call->is_modern ? json_object_get(meta, "io.modelcontextprotocol/clientCapabilities")
                           : call->session->capabilities;
}

/* An empty capability means that the client knows forms only (MCP, "Elicitation"). */
static bool takes_mode(const struct serve_call *call, const char *mode)
{
    const json_t *elicitation = json_object_get(serve_capabilities(call), "elicitation");
    bool says_nothing =
        !json_object_get(elicitation, "form") && !json_object_get(elicitation, "url");
    return json_object_get(elicitation, mode) ||
           (json_is_object(elicitation) && says_nothing && strcmp(mode, "form") == 0);
}

static bool takes_sampling(const struct serve_call *call)
{
    return json_is_object(json_object_get(serve_capabilities(call), "sampling"));
}

static void add_question(struct serve_call *call, struct serve_question *question)
{
    struct serve_question **end = &call->questions;
    while (*end)
        end = &(*end)->next;
    *end = question;
}

static void remove_question(struct serve_call *call, const struct serve_question *question)
{
    struct serve_question **at = &call->questions;
    while (*at != question)
        at = &(*at)->next;
    *at = question->next;
}

static size_t n_questions(const struct serve_call *call)
{
    size_t n = 0;
    for (const struct serve_question *at = call->questions; at; at = at->next)
        n++;
    return n;
}

bool serve_has_open_question(const struct serve_call *call)
{
    bool is_open = false;
    for (const struct serve_question *at = call->questions; at; at = at->next)
        is_open = is_open || !at->answer;
    return is_open;
}

void serve_send_question(struct serve_call *call, struct serve_question *question)
{
    question->is_sent = true;
    rpc_ask(call->session->rpc, call->message.id, question->number, question->method,
            json_incref(question->params));
}

static void put_question(struct serve_call *call, struct serve_question *question)
{
    if (call->as_task)
        serve_task_ask(call);
    else if (call->is_modern)
        serve_round_ask(call);
    else
        serve_send_question(call, question);
}

/* The answer is not waited for any more. A modern client may still come back for the result, unless
 * it took too long. */
static void withdraw(struct serve_call *call, const struct serve_question *question,
                     bool is_too_late)
{
    if (call->is_modern && is_too_late && !call->as_task)
        serve_round_drop(call);
    if (question->is_sent && !call->is_modern && !call->session->is_gone)
        rpc_notify(call->session->rpc, call->message.id, "notifications/cancelled",
                   json_pack("{s:I, s:s}", "requestId", (json_int_t)question->number, "reason",
                             "the call has ended, or it took too long"));
}

static enum err_code explain_refusal(const json_t *error, struct err *err)
{
    AUTO(arena) arena = { 0 };
    const char *said = json_get_string(error, "message");
    int code = (int)json_get_int(error, "code", 0);
    said = text_one_line(&arena, said ? said : "", said ? strlen(said) : 0, REFUSAL_COLUMNS);
    return err_set(err, code == REJECTED ? ERR_DENIED : ERR_UNAVAILABLE, code,
                   "the client answered with error %d: \"%s\"", code, said);
}

/* r: how the wait ended. */
static enum err_code conclude(struct serve_call *call, struct serve_question *question,
                              enum err_code r, json_t **out_answer, struct err *err)
{
    if (!question->answer)
        withdraw(call, question, r == ERR_NONE);
    if (!question->answer && r == ERR_NONE)
        return err_set(err, ERR_UNAVAILABLE, 0, "the client did not answer for %d s",
                       SERVE_QUESTION_MS / 1000);
    if (!question->answer && call->session->is_gone)
        return err_set(err, ERR_UNAVAILABLE, 0, "the client has gone");
    if (!question->answer)
        return r;
    if (question->is_refused)
        return explain_refusal(question->answer, err);
    *out_answer = json_incref(question->answer);
    return ERR_NONE;
}

/* what: method, params, which are stolen, and key. *out_answer: an object, owned by the caller. */
awaits MUST_CHECK static enum err_code ask(struct serve_call *call, struct scope *sc,
                                           const struct serve_question *what, json_t **out_answer,
                                           struct err *err)
{
    struct session *s = call->session;
    json_auto_t *owned = what->params;
    struct scope waiting = scope_child(sc, SCOPE_NO_DEADLINE);
    struct serve_question question = *what;
    enum err_code r = ERR_NONE;
    question.params = owned;
    question.number = ++s->n_asked;
    question.waiting = &waiting;
    if (s->is_gone)
        return err_set(err, ERR_UNAVAILABLE, 0, "the client has gone");
    if (n_questions(call) >= SERVE_MAX_QUESTIONS)
        return err_set(err, ERR_LIMIT, 0, "more than %d questions at once", SERVE_MAX_QUESTIONS);
    add_question(call, &question);
    if (!serve_is_foreseen(call, &question)) {
        put_question(call, &question);
        r = runtime_sleep(s->runtime, &waiting, SERVE_QUESTION_MS, err);
    }
    remove_question(call, &question);
    r = conclude(call, &question, r, out_answer, err);
    json_decref(question.answer);
    return r;
}

static json_t *elicitation_params(const struct serve_call *call, const struct elicitation *question)
{
    json_t *params = json_pack("{s:s}", "message", question->message);
    if (question->schema) {
        json_object_set_new(params, "requestedSchema", json_share(question->schema));
        return params;
    }
    json_object_set_new(params, "mode", json_string("url"));
    json_object_set_new(params, "url", json_string(question->url));
    if (!call->is_modern)
        json_object_set_new(params, "elicitationId",
                            json_sprintf("e%lld", (long long)call->session->n_asked + 1));
    return params;
}

static enum err_code check_content(const struct elicitation *question, const json_t *content,
                                   struct arena *arena, struct err *err)
{
    struct problems problems = { .arena = arena };
    bool fits = false;
    enum err_code r = json_schema_check(question->schema, content, &problems, &fits, err);
    if (r || fits)
        return r;
    return err_set(err, ERR_UNAVAILABLE, 0, "the client's answer does not fit the form: %s",
                   problems.n ? problem_print(&problems, problems.list) : "");
}

static enum err_code read_answer(const struct elicitation *question, const json_t *answer,
                                 struct arena *arena, struct elicitation_answer *out,
                                 struct err *err)
{
    const char *action = json_get_string(answer, "action");
    const json_t *content = json_object_get(answer, "content");
    bool is_accepted = text_equal(action, "accept");
    if (!is_accepted && !text_equal(action, "decline") && !text_equal(action, "cancel"))
        return err_set(err, ERR_UNAVAILABLE, 0, "the client's answer has no action");
    struct elicitation_answer found = { .action = is_accepted ? ELICITATION_ACCEPT
                                                  : text_equal(action, "decline")
                                                      ? ELICITATION_DECLINE
                                                      : ELICITATION_CANCEL };
    if (is_accepted && !question->url) {
        found.content = arena_keep_json(arena, json_is_object(content) ? json_deep_copy(content)
                                                                       : json_object());
        enum err_code r = check_content(question, found.content, arena, err);
        if (r)
            return r;
    }
    *out = found;
    return ERR_NONE;
}

awaits static enum err_code on_question(void *context, struct scope *sc,
                                        const struct elicitation *question, struct arena *arena,
                                        struct elicitation_answer *out, struct err *err)
{
    struct serve_call *call = context;
    json_auto_t *answer = NULL;
    const char *mode = question->url ? "url" : "form";
    if (!takes_mode(call, mode))
        return answerer_lacks(arena_printf(arena, "elicitation.%s", mode), err);
    const struct serve_question what = { .method = "elicitation/create",
                                         .params = elicitation_params(call, question),
                                         .key = question->key };
    enum err_code r = ask(call, sc, &what, &answer, err);
    return r ? r : read_answer(question, answer, arena, out, err);
}

awaits static enum err_code on_sampling(void *context, struct scope *sc, const json_t *params,
                                        struct arena *arena, json_t **out_result, struct err *err)
{
    struct serve_call *call = context;
    json_t *answer = NULL;
    if (!takes_sampling(call))
        return answerer_lacks("sampling", err);
    const struct serve_question what = { .method = "sampling/createMessage",
                                         .params = json_copy((json_t *)(uintptr_t)params) };
    enum err_code r = ask(call, sc, &what, &answer, err);
    if (!r)
        *out_result = arena_keep_json(arena, answer);
    return r;
}

void serve_question_init(struct serve_call *call)
{
    bool can_come_back = !call->is_modern || call->session->options->ids;
    bool takes_questions = takes_mode(call, "form") || takes_mode(call, "url");
    call->answerer = (struct answerer){
        .on_question = can_come_back && takes_questions ? on_question : NULL,
        .on_sampling = can_come_back && takes_sampling(call) ? on_sampling : NULL,
        .context = call,
    };
}

void serve_question_settle(struct serve_question *question, struct session *s, json_t *answer,
                           bool is_refused)
{
    question->answer = json_incref(answer);
    question->is_refused = is_refused;
    runtime_cancel(s->runtime, question->waiting);
}

/* The question that was sent with this id, or NULL. */
static struct serve_question *find_question(const struct session *s, int64_t id,
                                            struct serve_call **out_call)
{
    for (size_t i = 0; i < s->n_calls; i++)
        for (struct serve_question *at = s->calls[i]->questions; at; at = at->next)
            if (at->number == id && at->is_sent && !at->answer) {
                *out_call = s->calls[i];
                return at;
            }
    return NULL;
}

void serve_answered(struct session *s, const struct rpc_message *message)
{
    struct serve_call *call = NULL;
    if (s->era != SESSION_LEGACY || !json_is_integer(message->id))
        return;
    struct serve_question *question = find_question(s, json_integer_value(message->id), &call);
    if (!question)
        return;
    serve_question_settle(question, s, message->error ? message->error : message->result,
                          message->error != NULL);
    if (call->as_task && !serve_has_open_question(call))
        serve_task_note(call, SERVE_TASK_WORKING);
}

void serve_abandon_questions(struct session *s)
{
    s->is_gone = true;
    for (size_t i = 0; i < s->n_calls; i++) {
        struct serve_call *call = s->calls[i];
        if (serve_is_answered(call))
            serve_round_drop(call);
        for (struct serve_question *at = call->questions; at; at = at->next)
            runtime_cancel(s->runtime, at->waiting);
    }
}
