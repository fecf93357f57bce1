/* The rounds of a request: what a server asks in the middle of it is read and checked, put to the
 * answerer, and appended when the request is sent again. client_request.h tells the whole story. */
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_request.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget_round(struct input_rounds *rounds)
{
    json_decref(rounds->requests);
    json_decref(rounds->responses);
    free(rounds->state);
    rounds->requests = rounds->responses = NULL;
    rounds->state = NULL;
    rounds->is_refusal = false;
}

void input_rounds_finish(struct input_rounds *rounds)
{
    forget_round(rounds);
    *rounds = (struct input_rounds){ 0 };
}

/* As it was received, even where the text had to be repaired; NULL when there is none. What is not
 * UTF-8 cannot be sent. */
static char *state_text(const struct result_outline *result)
{
    struct json_slice state = json_slice_member(result->text, "requestState"), received;
    if (result->received.length &&
        json_member_text(result->received.text, result->received.length, "requestState",
                         &received.text, &received.length) &&
        text_is_utf8(received.text, received.length))
        state = received;
    char *copy = state.length ? strndup(state.text, state.length) : NULL;
    if (state.length && !copy)
        abort();
    return copy;
}

MUST_CHECK
static enum err_code open_round(struct input_rounds *rounds, size_t n_requests, struct err *err)
{
    if (n_requests > INPUT_MAX_REQUESTS)
        return err_set(err, ERR_LIMIT, 0, "the server asks for more than %d inputs at once",
                       INPUT_MAX_REQUESTS);
    if (++rounds->n > INPUT_MAX_ROUNDS)
        return err_set(err, ERR_LIMIT, 0, "the server asked for input %d times and asks again",
                       INPUT_MAX_ROUNDS);
    forget_round(rounds);
    rounds->is_open = true;
    return ERR_NONE;
}

enum err_code input_rounds_take(struct input_rounds *rounds, const struct result_outline *result,
                                struct err *err)
{
    json_auto_t *value = NULL;
    enum err_code r =
        json_parse_message(result->text.text, result->text.length, rounds->max_values, &value, err);
    if (r)
        return r;
    json_t *requests = json_object_get(value, "inputRequests");
    const json_t *state = json_object_get(value, "requestState");
    if ((requests && !json_is_object(requests)) || (state && !json_is_string(state)) ||
        (json_object_size(requests) == 0 && !state))
        return err_set(err, ERR_PROTOCOL, 0, "the server asks for input, but not for what");
    r = open_round(rounds, json_object_size(requests), err);
    if (r)
        return r;
    rounds->requests = json_incref(requests);
    rounds->state = state_text(result);
    return ERR_NONE;
}

bool input_rounds_needs_urls(const json_t *error, const struct answerer *answerer)
{
    return jsonrpc_error_code(error) == JSONRPC_URL_NEEDED &&
           question_is_taken(answerer, QUESTION_ELICITATION);
}

enum err_code input_rounds_take_urls(struct input_rounds *rounds, const json_t *error,
                                     struct err *err)
{
    const json_t *data = json_object_get(error, "data");
    json_t *elicitations = json_object_get(data, "elicitations"), *params;
    char key[24];
    size_t i;
    if (json_array_size(elicitations) == 0)
        return err_set(err, ERR_PROTOCOL, JSONRPC_URL_NEEDED,
                       "the server wants a url to be visited, but does not say which");
    enum err_code r = open_round(rounds, json_array_size(elicitations), err);
    if (r)
        return r;
    rounds->requests = json_object();
    rounds->is_refusal = true;
    json_array_foreach (elicitations, i, params) {
        if (!text_equal(json_get_string(params, "mode"), "url"))
            return err_set(err, ERR_PROTOCOL, JSONRPC_URL_NEEDED,
                           "the server wants more than a visit to a url first, and what else "
                           "it wants could not be sent to it");
        snprintf(key, sizeof key, "%zu", i);
        json_object_set_new(
            rounds->requests, key,
            json_pack("{s:s, s:O}", "method", "elicitation/create", "params", params));
    }
    return ERR_NONE;
}

/* A modern server does not wait: it is called again when the person is done. */
static struct server_question question_of(const json_t *request)
{
    return (struct server_question){ .kind = question_kind_of(json_get_string(request, "method")),
                                     .params = json_object_get(request, "params"),
                                     .must_finish = true };
}

static bool is_offered(const struct client *client, const struct answerer *answerer,
                       enum question_kind kind)
{
    const struct era_offer offer = client_offer_of(client, answerer);
    return (kind == QUESTION_ROOTS && offer.roots) ||
           (kind == QUESTION_ELICITATION && offer.elicitation) ||
           (kind == QUESTION_SAMPLING && offer.sampling);
}

/* A server may only ask for what it was told that there is; the only way to refuse it the
 * rest is to end the call. No one is asked anything before all of it has been checked. */
MUST_CHECK
static enum err_code check_request(const struct client *client, const struct answerer *answerer,
                                   const json_t *request, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const struct server_question question = question_of(request);
    const char *method = json_get_string(request, "method");
    if (is_offered(client, answerer, question.kind)) {
        enum err_code r = question_check(&question, err);
        return r ? err_prefix(err, ERR_PROTOCOL, "the server's question") : ERR_NONE;
    }
    method = method ? text_one_line(&scratch, method, strlen(method), 40) : "";
    return err_set(err, ERR_PROTOCOL, 0,
                   "the server asks for \"%s\" in the middle of the call, which was not offered",
                   method);
}

awaits MUST_CHECK static enum err_code respond(const struct client *client, struct scope *scope,
                                               const struct answerer *answerer,
                                               const struct server_question *question,
                                               json_t **out_response, struct err *err)
{
    if (question->kind == QUESTION_ROOTS)
        return json_parse(client->roots, strlen(client->roots), JSON_OURS, out_response, err);
    enum err_code r = question_put(answerer, scope, question, out_response, err);
    if (r == ERR_INVALID)
        return err_prefix(err, ERR_PROTOCOL, "the server's question");
    return r && question->kind == QUESTION_SAMPLING ? err_prefix(err, r, "sampling") : r;
}

/* A person is at a page that a legacy server wants them to have been at first (-32042). They say
 * when they are done there; the server may say it before them (notifications/elicitation/complete),
 * and then their word is not needed any more. */
struct url_visit {
    const char *id; /* elicitationId, or NULL */
    struct scope *scope;
    bool is_over; /* by the server's account */
    struct url_visit *next;
};

/* ERR_DENIED: they do not go, or leave. */
awaits MUST_CHECK static enum err_code visit_url(struct client *client, struct scope *scope,
                                                 const struct answerer *answerer,
                                                 const struct server_question *question,
                                                 struct err *err)
{
    struct scope visiting = scope_child(scope, SCOPE_NO_DEADLINE);
    struct url_visit visit = { .id = json_get_string(question->params, "elicitationId"),
                               .scope = &visiting,
                               .next = client->visits };
    json_auto_t *answer = NULL;
    client->visits = &visit;
    enum err_code r = question_put(answerer, &visiting, question, &answer, err);
    struct url_visit **at = &client->visits;
    while (*at != &visit)
        at = &(*at)->next;
    *at = visit.next;
    if (visit.is_over && r == ERR_CANCELLED)
        return scope_check(scope, runtime_now_ms(client->runtime), err);
    if (r || text_equal(json_get_string(answer, "action"), "accept"))
        return r;
    return err_set(err, ERR_DENIED, 0,
                   "the server wants a url to be visited first, which was declined");
}

enum err_code input_rounds_answer(struct input_rounds *rounds, struct client *client,
                                  struct scope *scope, const struct answerer *answerer,
                                  struct err *err)
{
    const char *key;
    json_t *request, *response = NULL;
    enum err_code r = ERR_NONE;
    rounds->is_open = false;
    if (json_object_size(rounds->requests) == 0)
        return runtime_sleep(client->runtime, scope, INPUT_PAUSE_MS, err);
    json_object_foreach (rounds->requests, key, request) {
        r = check_request(client, answerer, request, err);
        if (r)
            return r;
    }
    if (!rounds->is_refusal)
        rounds->responses = json_object();
    json_object_foreach (rounds->requests, key, request) {
        const struct server_question question = question_of(request);
        /* Nothing can be said to a server that refused the call until its pages were visited. */
        r = rounds->is_refusal ? visit_url(client, scope, answerer, &question, err)
                               : respond(client, scope, answerer, &question, &response, err);
        if (r)
            return r;
        if (!rounds->is_refusal)
            json_object_set_new(rounds->responses, key, response);
    }
    return ERR_NONE;
}

bool input_rounds_append(const struct input_rounds *rounds, struct buf *line)
{
    bool fits = true;
    if (rounds->responses)
        fits =
            buf_puts(line, ",\"inputResponses\":") && jsonrpc_append_json(line, rounds->responses);
    if (fits && rounds->state)
        fits = buf_puts(line, ",\"requestState\":") && buf_puts(line, rounds->state);
    return fits;
}

void input_rounds_end_visit(struct client *client, const json_t *params)
{
    const char *id = json_get_string(params, "elicitationId");
    for (struct url_visit *visit = client->visits; id && visit; visit = visit->next)
        if (text_equal(visit->id, id) && !visit->is_over) {
            visit->is_over = true;
            runtime_cancel(client->runtime, visit->scope);
        }
}
