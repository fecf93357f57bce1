#include "infrastructure/mcp/client/client_request.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"

/* On the loop's stack. */
static enum err_code take_answer(void *context, const struct result_outline *result,
                                 struct err *err)
{
    struct client_request *x = context;
    if (x->may_need_input && x->is_modern && json_string_is(result->type, "input_required"))
        return input_rounds_take(&x->rounds, result, err);
    return x->take(x->context, result, err);
}

/* Whether the server refused the request for something that a new list of tools or a new handshake
 * corrects. */
static bool is_outdated(struct client_request *x, struct err *err)
{
    struct client *client = x->client;
    const json_t *error = x->request.error;
    if (x->has_parameters_in_headers && client_sends_parameters(client) &&
        jsonrpc_error_code(error) == JSONRPC_HEADER_MISMATCH) {
        client->is_stale = true;
        (void)err_hint(err, err ? err->code : ERR_FAILED,
                       "does a proxy on the way take headers out of requests?");
        return true;
    }
    return !x->is_of_session && client_revision_was_refused(client, error);
}

/* Whether the server turned the request away for want of a token, and there is another now. Where
 * there is none, *r and err say why. */
awaits static bool authorize(struct client_request *x, enum err_code *r, struct err *err)
{
    if (*r != ERR_AUTH || x->request.was_sent || x->was_authorized)
        return false;
    x->was_authorized = true;
    enum err_code why = connection_authorize(x->client->connection, x->scope, err);
    if (why)
        *r = why;
    return why == ERR_NONE;
}

enum err_code client_request_send(struct client_request *x, enum sending_end *out_end,
                                  struct err *err)
{
    struct client *client = x->client;
    struct request *request = &x->request;
    int64_t began_ms = runtime_now_ms(client->runtime);
    AUTO(buf) line;
    *out_end = SENDING_SETTLED;
    x->is_modern = client->session.era == ERA_MODERN;
    x->rounds.max_values = (size_t)client->context.settings->mcp_max_values;
    request->on_result = x->take ? take_answer : NULL;
    request->context = x;
    request->used_ms = x->used_ms;
    buf_init(&line, (size_t)client->context.settings->mcp_max_message_bytes);
    if (!connection_begin(client->connection, request, &line) ||
        (x->append_params && (!buf_puts(&line, ",\"params\":") || !x->append_params(x, &line))) ||
        !buf_puts(&line, "}\n"))
        return err_set(err, ERR_LIMIT, 0, "the request is longer than mcp.max_message_bytes");
    enum err_code r = connection_post(client->connection, request, &line, err);
    if (r == ERR_NONE)
        r = connection_await(client->connection, request, x->scope, err);
    if (x->may_need_input && input_rounds_needs_urls(request->error, request->answerer))
        r = input_rounds_take_urls(&x->rounds, request->error, err);
    if (!r && x->rounds.is_open)
        *out_end = SENDING_ASKED;
    else if (is_outdated(x, err))
        *out_end = SENDING_OUTDATED;
    else if (r == ERR_UNAVAILABLE && !request->was_sent)
        *out_end = SENDING_UNSEEN;
    else if (authorize(x, &r, err)) /* which may be ERR_UNAVAILABLE where it fails */
        *out_end = SENDING_AUTHORIZED;
    x->used_ms += runtime_now_ms(client->runtime) - began_ms;
    return r;
}

/* A server that ended while the request waited, or whose session was over, is started again: each
 * start counts against the bound on restarts. */
awaits MUST_CHECK static enum err_code start_and_send(struct client_request *x, bool is_again,
                                                      enum sending_end *out_end, struct err *err)
{
    AUTO(arena) arena = { 0 };
    *out_end = SENDING_SETTLED;
    enum err_code r = x->is_of_session ? ERR_NONE : client_ensure_started(x->client, x->scope, err);
    if (!r && x->prepare)
        r = x->prepare(x->context, is_again, &arena, err);
    if (!r)
        r = client_request_send(x, out_end, err);
    x->request.headers = NULL; /* they lay in the arena */
    return r;
}

/* The loop that decides whether a request is sent once more. */
enum err_code client_request_run(struct client_request *x, struct err *err)
{
    const struct request unsent = x->request;
    enum sending_end end;
    for (bool is_again = false;; is_again = true) {
        enum err_code r = start_and_send(x, is_again, &end, err);
        switch (end) {
        case SENDING_SETTLED:
            return r;
        case SENDING_ASKED: /* as often as INPUT_MAX_ROUNDS says; with the answers it is another */
            r = input_rounds_answer(&x->rounds, x->client, x->scope, unsent.answerer, err);
            if (r)
                return r;
            x->was_unseen = false;
            break;
        case SENDING_OUTDATED: /* once: what is refused again is refused for good */
            if (x->was_corrected || x->is_of_session)
                return r;
            x->was_corrected = true;
            break;
        case SENDING_AUTHORIZED: /* authorize() allows it once */
            break;
        case SENDING_UNSEEN: /* once; a call that is held may see several servers end before it */
            if (x->is_of_session || (x->was_unseen && !unsent.max_in_flight))
                return r;
            x->was_unseen = true;
            break;
        }
        request_finish(&x->request);
        x->request = unsent;
    }
}

static bool append_json(const struct client_request *x, struct buf *line)
{
    return jsonrpc_append_json(line, x->context);
}

enum err_code client_request_in_session(struct client *client, struct scope *scope,
                                        struct request *request, const json_t *params,
                                        struct err *err)
{
    struct client_request x = {
        .client = client,
        .scope = scope,
        .request = *request,
        .is_of_session = true,
        .append_params = params ? append_json : NULL,
        .context = (json_t *)(uintptr_t)params,
    };
    enum err_code r = client_request_run(&x, err);
    *request = x.request;
    return err_prefix(err, r, "%s", request->method);
}

/* A result without a type is complete. */
enum err_code client_check_result_type(const struct result_outline *result, struct err *err)
{
    struct json_slice type = result->type;
    if (!type.length || json_string_is(type, "complete"))
        return ERR_NONE;
    if (json_string_is(type, "input_required"))
        return err_set(err, ERR_PROTOCOL, 0,
                       "the server asks for input where mistro does not offer any");
    if (json_string_is(type, "task"))
        return err_set(err, ERR_PROTOCOL, 0,
                       "the server answers with a task, which mistro does not offer");
    return err_set(err, ERR_PROTOCOL, 0, "the answer has an unknown resultType");
}
