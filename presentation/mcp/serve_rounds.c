/* A modern client cannot be asked: its request is answered with the questions (inputRequests) and a
 * state that names the call, which is parked. The request that comes back with this state and the
 * answers takes the place of the first one, and the call goes on. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/mcp/serve_session.h"
#include <stdio.h>
#include <string.h>

enum { KEY_SIZE = 24 };

bool serve_is_parked(const struct serve_call *call)
{
    return *call->state != '\0';
}

bool serve_is_answered(const struct serve_call *call)
{
    return serve_is_parked(call) || call->as_task;
}

/* scratch: for the key of a question that has none of its own. */
static const char *key_of(const struct serve_question *question, char scratch[static KEY_SIZE])
{
    snprintf(scratch, KEY_SIZE, "q%lld", (long long)question->number);
    return question->key ? question->key : scratch;
}

json_t *serve_input_requests(struct serve_call *call)
{
    json_t *requests = json_object();
    for (struct serve_question *at = call->questions; at; at = at->next) {
        char scratch[KEY_SIZE];
        if (at->answer)
            continue;
        json_object_set_new(requests, key_of(at, scratch),
                            json_pack("{s:s, s:O}", "method", at->method, "params", at->params));
        at->is_sent = true;
    }
    return requests;
}

void serve_round_drop(struct serve_call *call)
{
    *call->state = '\0';
    call->is_cancelled = true;
    runtime_cancel(call->session->runtime, &call->scope);
}

/* Calls whose client does not come back must not keep others from asking. */
static void make_room(struct session *s)
{
    struct serve_call *oldest = NULL;
    size_t n = 0;
    for (size_t i = 0; i < s->n_calls; i++) {
        n += serve_is_parked(s->calls[i]);
        if (!oldest && serve_is_parked(s->calls[i]))
            oldest = s->calls[i];
    }
    if (n >= SERVE_MAX_PARKED)
        serve_round_drop(oldest);
}

void serve_round_ask(struct serve_call *call)
{
    struct session *s = call->session;
    char id[ID_SIZE];
    if (serve_is_parked(call) || call->is_cancelled)
        return;
    make_room(s);
    snprintf(call->state, sizeof call->state, "%s.%lld", ids_fresh(s->options->ids, id),
             (long long)++s->n_parked);
    json_t *result = json_pack("{s:o, s:s}", "inputRequests", serve_input_requests(call),
                               "requestState", call->state);
    session_complete(s, result, true, false);
    json_object_set_new(result, "resultType", json_string("input_required"));
    rpc_reply(s->rpc, call->message.id, result);
}

void serve_round_await(struct serve_call *call)
{
    struct session *s = call->session;
    struct scope waiting = scope_child(&call->scope, SCOPE_NO_DEADLINE);
    if (!serve_is_parked(call))
        return;
    call->parked = &waiting;
    (void)!runtime_sleep(s->runtime, &waiting, SERVE_QUESTION_MS, NULL);
    call->parked = NULL;
    if (serve_is_parked(call))
        serve_round_drop(call);
}

bool serve_is_retry(const struct rpc_message *message)
{
    return json_object_get(message->params, "requestState") != NULL;
}

static bool are_same(const json_t *a, const json_t *b)
{
    return (!a && !b) || json_equal(a, b);
}

/* The state is only a key. The request must be about what the parked call is about. */
static bool repeats(const struct serve_call *call, const struct rpc_message *message)
{
    static const char *const members[] = { "name", "uri", "arguments" };
    bool is_same = strcmp(call->message.method, message->method) == 0;
    for (size_t i = 0; i < ARRAY_LENGTH(members); i++)
        is_same = is_same && are_same(json_object_get(call->message.params, members[i]),
                                      json_object_get(message->params, members[i]));
    return is_same;
}

static struct serve_call *find_parked(const struct session *s, const struct rpc_message *message)
{
    const char *state = json_get_string(message->params, "requestState");
    for (size_t i = 0; state && i < s->n_calls; i++)
        if (serve_is_parked(s->calls[i]) && !s->calls[i]->is_cancelled &&
            strcmp(s->calls[i]->state, state) == 0)
            return s->calls[i];
    return NULL;
}

/* The tool works on what lies in the first message, so that one is kept as well. */
static void take_over(struct serve_call *call, struct rpc_message *message)
{
    if (call->first.whole)
        rpc_message_finish(&call->message);
    else
        call->first = call->message;
    call->message = *message;
    *message = (struct rpc_message){ 0 };
    const json_t *meta = json_object_get(call->message.params, "_meta");
    const char *level = json_get_string(meta, "io.modelcontextprotocol/logLevel");
    call->log_level = level ? serve_log_level(level) : LOG_NEVER;
    call->progress_token = json_object_get(meta, "progressToken");
    call->last_progress = -1;
    *call->state = '\0';
}

void serve_settle_questions(struct serve_call *call, json_t *responses)
{
    for (struct serve_question *at = call->questions; at; at = at->next) {
        char scratch[KEY_SIZE];
        const char *key = key_of(at, scratch);
        json_t *answer = json_object_get(responses, key);
        if (at->answer || !at->is_sent || !json_is_object(answer))
            continue;
        serve_question_settle(at, call->session, answer, false);
        json_object_del(responses, key);
    }
}

bool serve_is_foreseen(const struct serve_call *call, struct serve_question *question)
{
    json_t *responses = json_object_get(call->message.params, "inputResponses");
    json_t *answer = question->key ? json_object_get(responses, question->key) : NULL;
    if (!call->is_modern || !json_is_object(answer))
        return false;
    question->answer = json_incref(answer);
    json_object_del(responses, question->key);
    return true;
}

void serve_retry(struct session *s, struct rpc_message *message)
{
    struct serve_call *call = find_parked(s, message);
    if (!call || !repeats(call, message)) {
        rpc_fail(
            s->rpc, message->id, MCP_BAD_PARAMS,
            "this requestState is of no such request, too old, or was used already",
            json_pack("{s:o}", "hint",
                      json_sprintf("call again without requestState; at most %d calls wait for "
                                   "answers, those of your other clients among them, and "
                                   "the oldest gives way to another",
                                   SERVE_MAX_PARKED)));
        return;
    }
    take_over(call, message);
    serve_settle_questions(call, json_object_get(call->message.params, "inputResponses"));
    if (serve_has_open_question(call))
        serve_round_ask(call);
    if (call->parked && !serve_is_parked(call))
        runtime_cancel(s->runtime, call->parked);
}
