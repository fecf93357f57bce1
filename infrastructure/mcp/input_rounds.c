#include "infrastructure/mcp/input_rounds.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/elicitation.h"
#include <stdlib.h>
#include <string.h>

static void forget_round(struct input_rounds *rounds)
{
    json_decref(rounds->requests);
    json_decref(rounds->responses);
    free(rounds->state);
    rounds->requests = rounds->responses = NULL;
    rounds->state = NULL;
}

void input_rounds_finish(struct input_rounds *rounds)
{
    forget_round(rounds);
    *rounds = (struct input_rounds){ 0 };
}

/* As it was received where that can be passed on. */
static char *state_text(const json_t *state, const char *text, size_t length)
{
    if (!text || !json_member_text(text, length, "requestState", &text, &length))
        return json_print(state);
    char *copy = strndup(text, length);
    if (!copy)
        abort();
    return copy;
}

enum err_code input_rounds_take(struct input_rounds *rounds, const json_t *result, const char *text,
                                size_t length, struct err *err)
{
    json_t *requests = json_object_get(result, "inputRequests");
    const json_t *state = json_object_get(result, "requestState");
    if ((requests && !json_is_object(requests)) || (state && !json_is_string(state)) ||
        (json_object_size(requests) == 0 && !state))
        return err_set(err, ERR_PROTOCOL, 0, "the server asks for input, but not for what");
    if (json_object_size(requests) > INPUT_MAX_REQUESTS)
        return err_set(err, ERR_LIMIT, 0, "the server asks for more than %d inputs at once",
                       INPUT_MAX_REQUESTS);
    if (++rounds->n > INPUT_MAX_ROUNDS)
        return err_set(err, ERR_LIMIT, 0, "the server asked for input %d times and asks again",
                       INPUT_MAX_ROUNDS);
    forget_round(rounds);
    rounds->requests = json_incref(requests);
    rounds->state = state ? state_text(state, text, length) : NULL;
    rounds->is_open = true;
    return ERR_NONE;
}

static bool is_method(const json_t *request, const char *method)
{
    return text_equal(json_get_string(request, "method"), method);
}

/* A server may only ask for what it was told that there is; there is no way to refuse it the rest
 * but to end the call. Nobody is asked anything before that is known of all. */
MUST_CHECK
static enum err_code check_request(const struct client *client, const struct tool_call *call,
                                   const json_t *request, struct err *err)
{
    struct elicitation as_form;
    const char *method = json_get_string(request, "method");
    if (is_method(request, "roots/list") && client->roots)
        return ERR_NONE;
    if (is_method(request, "elicitation/create") && client->options.has_person && call->on_question)
        return err_prefix(err,
                          elicitation_read(json_object_get(request, "params"), &as_form, err)
                              ? ERR_PROTOCOL
                              : ERR_NONE,
                          "the server's question");
    AUTO(arena) scratch = { 0 };
    method = method ? text_one_line(&scratch, method, strlen(method), 40) : "";
    return err_set(err, ERR_PROTOCOL, 0,
                   "the server asks for \"%s\" in the middle of the call, which was not offered",
                   method);
}

MUST_CHECK
static enum err_code check_requests(const struct input_rounds *rounds, const struct client *client,
                                    const struct tool_call *call, struct err *err)
{
    const char *key;
    json_t *request;
    enum err_code r = ERR_NONE;
    json_object_foreach (rounds->requests, key, request) {
        r = check_request(client, call, request, err);
        if (r)
            break;
    }
    return r;
}

awaits MUST_CHECK static enum err_code respond(const struct client *client, struct scope *scope,
                                               const struct tool_call *call, const json_t *request,
                                               json_t **out_response, struct err *err)
{
    if (is_method(request, "roots/list"))
        return json_parse(client->roots, strlen(client->roots), JSON_OURS, out_response, err);
    const json_t *params = json_object_get(request, "params");
    enum err_code r = elicitation_put(call, scope, params, out_response, err);
    return r == ERR_INVALID ? err_prefix(err, ERR_PROTOCOL, "the server's question") : r;
}

enum err_code input_rounds_answer(struct input_rounds *rounds, const struct client *client,
                                  struct scope *scope, const struct tool_call *call,
                                  struct err *err)
{
    const char *key;
    json_t *request, *response = NULL;
    rounds->is_open = false;
    if (json_object_size(rounds->requests) == 0)
        return runtime_sleep(client->runtime, scope, INPUT_PAUSE_MS, err);
    enum err_code r = check_requests(rounds, client, call, err);
    if (r)
        return r;
    rounds->responses = json_object();
    json_object_foreach (rounds->requests, key, request) {
        r = respond(client, scope, call, request, &response, err);
        if (r)
            return r;
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
