/* What comes back for one message: its headers and status, the messages in its body (JSON, JSON on
 * each line, or a stream of events), handed over as they come, and why there is no message in it.
 */
#include "domain/base/json.h"
#include "domain/base/json_scan.h"
#include "infrastructure/mcp/http/http_exchange.h"
#include <string.h>

void http_answer_init(struct http_answer *answer, size_t max_message_bytes)
{
    *answer = (struct http_answer){ 0 };
    buf_init(&answer->text, max_message_bytes);
    sse_init(&answer->events, max_message_bytes);
}

void http_answer_finish(struct http_answer *answer)
{
    buf_finish(&answer->text);
    sse_finish(&answer->events);
}

void http_answer_reset(struct http_answer *answer, size_t max_message_bytes)
{
    struct sse before = answer->events;
    http_answer_finish(answer);
    http_answer_init(answer, max_message_bytes);
    answer->events.retry_ms = before.retry_ms;
    memcpy(answer->events.id, before.id, sizeof before.id);
    memcpy(answer->events.next_id, before.id, sizeof before.id);
}

void http_answer_on_header(void *context, const char *name, size_t name_length, const char *value,
                           size_t value_length)
{
    struct http_exchange *exchange = context;
    struct http_answer *answer = &exchange->answer;
    if (http_header_is(name, name_length, "Content-Type")) {
        answer->media = http_media_of(value, value_length);
    } else if (http_header_is(name, name_length, "WWW-Authenticate")) {
        www_authenticate_read(&answer->challenge, &exchange->passing, value, value_length);
    } else if (http_header_is(name, name_length, "Location")) {
        answer->location = arena_strndup(&exchange->passing, value, value_length);
    } else if (http_header_is(name, name_length, "Mcp-Session-Id")) {
        answer->session = http_session_id(&exchange->passing, value, value_length);
        answer->has_bad_session = !answer->session;
    }
}

/* The session begins before the body of the answer that begins it: more may be asked in there. */
void http_answer_on_headers(void *context, int status)
{
    struct http_exchange *exchange = context;
    struct http_transport *t = exchange->transport;
    struct http_answer *answer = &exchange->answer;
    answer->status = status;
    if (exchange->kind == EXCHANGE_LISTEN && !exchange->is_over)
        http_transport_listens(t);
    bool begins = !t->is_by_sse && exchange->method &&
                  strcmp(exchange->method, "initialize") == 0 && http_answer_is_success(answer);
    if (begins && answer->has_bad_session)
        err_set(&answer->problem, ERR_PROTOCOL, 0, "its Mcp-Session-Id cannot be used");
    else if (begins && answer->session)
        strcpy(t->session, answer->session);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void hand_over(struct http_exchange *exchange, const char *bytes, size_t length)
{
    struct http_transport *t = exchange->transport;
    const struct jsonrpc_id *of = exchange->kind == EXCHANGE_REQUEST ? &exchange->id : NULL;
    while (length && is_blank(bytes[length - 1]))
        length--;
    if (length && t->is_open && !exchange->is_over)
        t->events.on_message(t->events.context, of, bytes, length);
}

static bool on_event(void *context, const char *name, const char *data, size_t length)
{
    struct http_exchange *exchange = context;
    if (http_sse_is_stream(exchange) && strcmp(name, "endpoint") == 0)
        return http_sse_take_endpoint(exchange, data, length);
    if (length && (!*name || strcmp(name, "message") == 0)) {
        exchange->n_resumptions = 0;
        hand_over(exchange, data, length);
    }
    return !exchange->is_over;
}

static bool is_whole(const char *text, size_t length)
{
    struct json_scan scan;
    struct json_slice value;
    json_scan_begin(&scan, text, length);
    json_scan_value(&scan, &value);
    enum json_verdict verdict = json_scan_end(&scan);
    return verdict == JSON_SOUND || verdict == JSON_NEEDS_REPAIR;
}

/* A message that ends on the first line is one of several, or all there is. */
static void look_at_first_line(struct http_answer *answer)
{
    const struct buf *text = &answer->text;
    const char *end = text->length ? memchr(text->bytes, '\n', text->length) : NULL;
    if (answer->has_first_line || !end)
        return;
    size_t length = (size_t)(end - text->bytes);
    if (length && text->bytes[length - 1] == '\r')
        length--;
    answer->has_first_line = true;
    answer->is_by_line = length && text->bytes[0] == '{' && text->bytes[length - 1] == '}' &&
                         is_whole(text->bytes, length);
}

static void hand_over_lines(struct http_exchange *exchange)
{
    struct buf *text = &exchange->answer.text;
    size_t at = 0;
    while (at < text->length) {
        const char *line = text->bytes + at, *end = memchr(line, '\n', text->length - at);
        if (!end)
            break;
        hand_over(exchange, line, (size_t)(end - line));
        at += (size_t)(end - line) + 1;
    }
    buf_consume(text, at);
}

static bool take_text(struct http_exchange *exchange, const char *bytes, size_t length)
{
    struct http_answer *answer = &exchange->answer;
    if (!buf_append(&answer->text, bytes, length)) {
        err_set(&answer->problem, ERR_LIMIT, 0, "a message is longer than %zu bytes",
                answer->text.max_bytes);
        return false;
    }
    if (answer->media != HTTP_MEDIA_JSON || !http_answer_is_success(answer))
        return true;
    if (!memchr(bytes, '\n', length)) /* a long message is not searched again for every piece */
        return true;
    look_at_first_line(answer);
    if (answer->is_by_line)
        hand_over_lines(exchange);
    return !exchange->is_over;
}

bool http_answer_on_bytes(void *context, const char *bytes, size_t length)
{
    struct http_exchange *exchange = context;
    struct http_answer *answer = &exchange->answer;
    if (answer->problem.code)
        return false;
    bool is_events = answer->media == HTTP_MEDIA_EVENTS && http_answer_is_success(answer);
    if (!is_events && exchange->kind == EXCHANGE_LISTEN)
        return false;
    if (!is_events)
        return take_text(exchange, bytes, length);
    if (sse_feed(&answer->events, bytes, length, on_event, exchange, &answer->problem))
        return false;
    return !exchange->is_over && !answer->problem.code;
}

/* The error object of a message that is one, owned by the caller; or NULL. */
static json_t *error_in(const struct http_exchange *exchange)
{
    const struct buf *text = &exchange->answer.text;
    json_auto_t *value = NULL;
    size_t max_values = (size_t)exchange->transport->settings->mcp_max_values;
    if (!text->length ||
        json_parse_message(text->bytes, text->length, max_values, &value, NULL) != ERR_NONE)
        return NULL;
    struct jsonrpc_message message = jsonrpc_classify(value);
    return message.kind == JSONRPC_ERROR ? json_incref(message.error) : NULL;
}

static bool is_error_message(const struct http_exchange *exchange)
{
    json_auto_t *error = error_in(exchange);
    return error != NULL;
}

/* Modern servers say what they mind, and others which revisions they speak. */
static bool names_the_remedy(const json_t *error)
{
    int code = jsonrpc_error_code(error);
    return code == JSONRPC_HEADER_MISMATCH || code == JSONRPC_MISSING_CAPABILITY ||
           code == JSONRPC_UNSUPPORTED_VERSION ||
           json_is_array(json_object_get(json_object_get(error, "data"), "supported"));
}

bool http_answer_turns_elsewhere(const struct http_exchange *exchange)
{
    const struct http_answer *answer = &exchange->answer;
    bool may_turn = answer->status == 400 || answer->status == 404 || answer->status == 405;
    if (!may_turn || !exchange->method || strcmp(exchange->method, "initialize") != 0)
        return false;
    json_auto_t *error = error_in(exchange);
    return !names_the_remedy(error);
}

static bool looks_like_json(const struct buf *text)
{
    size_t i = 0;
    while (i < text->length && is_blank(text->bytes[i]))
        i++;
    return i < text->length && (text->bytes[i] == '{' || text->bytes[i] == '[');
}

/* An error message says more than the status, but a missing or refused login comes first. */
void http_answer_deliver(struct http_exchange *exchange)
{
    const struct http_answer *answer = &exchange->answer;
    const struct buf *text = &answer->text;
    bool may_ask = answer->status != 401 && answer->status != 403;
    bool is_message = http_answer_is_success(answer)
                          ? answer->media == HTTP_MEDIA_JSON || looks_like_json(text)
                          : may_ask && is_error_message(exchange);
    if (is_message && !answer->problem.code)
        hand_over(exchange, text->bytes, text->length);
}

/* Servers say 404, and some of them 400 with words. */
bool http_answer_ends_session(const struct http_exchange *exchange)
{
    const struct http_answer *answer = &exchange->answer;
    if (!exchange->used_session || (answer->status != 404 && answer->status != 400))
        return false;
    if (answer->status == 404)
        return !is_error_message(exchange) || strcasestr(buf_string(&answer->text), "session");
    const char *text = buf_string(&answer->text);
    return strcasestr(text, "session") || strstr(text, "-32000") || strstr(text, "-32001");
}

static bool has_token(const struct server_config *config)
{
    for (size_t i = 0; i < config->n_headers; i++)
        if (http_header_is(config->headers[i], strcspn(config->headers[i], ":"), "Authorization"))
            return true;
    return false;
}

static const char *file_of(const struct server_config *config)
{
    return config->file ? config->file : "mcp.json";
}

static enum err_code explain_refusal(int status, const struct server_config *config,
                                     struct err *err)
{
    enum err_code r = err_set(err, ERR_AUTH, status, "it %s (HTTP %d)",
                              status == 401 ? "wants to know who asks" : "denies access", status);
    if (has_token(config))
        return err_hint(err, r, "it does not take the Authorization header given in %s",
                        file_of(config));
    return err_hint(err, r,
                    "give it a token in %s: \"headers\": {\"Authorization\": \"Bearer "
                    "${TOKEN}\"}",
                    file_of(config));
}

enum err_code http_status_explain(int status, const struct server_config *config, struct err *err)
{
    enum err_code r;
    if (status == 401 || status == 403)
        return explain_refusal(status, config, err);
    if (status >= 300 && status < 400) {
        r = err_set(err, ERR_UNAVAILABLE, status, "it leads elsewhere (HTTP %d)", status);
        return err_hint(err, r,
                        "a redirect is followed within the same origin only: if you trust "
                        "where it leads, write that url");
    }
    if (status == 429)
        return err_set(err, ERR_UNAVAILABLE, status, "it has too much to do (HTTP 429)");
    if (status == 408 || (status >= 502 && status < 600))
        return err_set(err, ERR_UNAVAILABLE, status, "it cannot answer now (HTTP %d)", status);
    if (status >= 200 && status < 300)
        return err_set(err, ERR_PROTOCOL, status, "it did not answer (HTTP %d)", status);
    r = err_set(err, ERR_PROTOCOL, status, "HTTP %d instead of an answer", status);
    return err_hint(err, r, "is the url in %s that of an MCP endpoint?", file_of(config));
}

/* What the status means, with the server's own words where it has any. */
static enum err_code explain_status(const struct http_exchange *exchange, struct err *err)
{
    const struct http_answer *answer = &exchange->answer;
    enum err_code r = http_status_explain(answer->status, exchange->transport->config, err);
    json_auto_t *error = r == ERR_PROTOCOL ? error_in(exchange) : NULL;
    struct err said;
    if (error) {
        (void)jsonrpc_explain_error(error, &said);
        return err_set(err, r, answer->status, "HTTP %d, %s", answer->status, said.message);
    }
    /* Longer than this client waits, or after it waited as often as it does. */
    if (r == ERR_UNAVAILABLE && answer->retry_after_ms)
        (void)err_hint(err, r, "the server asks to be left alone for %lld s",
                       (long long)answer->retry_after_ms / 1000);
    return r;
}

enum err_code http_answer_explain(const struct http_exchange *exchange, struct err *err)
{
    const struct http_answer *answer = &exchange->answer;
    if (answer->problem.code) {
        if (err)
            *err = answer->problem;
        if (answer->problem.code == ERR_LIMIT)
            (void)err_hint(err, ERR_LIMIT,
                           "raise mcp.max_message_bytes if the server may send so much");
        return answer->problem.code;
    }
    if (http_answer_is_success(answer) && answer->media == HTTP_MEDIA_EVENTS)
        return err_set(err, ERR_UNAVAILABLE, 0, "its stream ended without an answer");
    enum err_code r = http_answer_is_success(answer) && answer->text.length
                          ? err_set(err, ERR_PROTOCOL, answer->status,
                                    "it answered with something other than an MCP message")
                          : explain_status(exchange, err);
    return http_answer_is_success(answer) ? err_hint(err, r, "is its url that of an MCP endpoint?")
                                          : r;
}
