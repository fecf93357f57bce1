/* What comes in. A result stays text on its way to the request that waits for it: the message is
 * walked once, and the result handed on as a slice. Everything else is small, as a rule, and read
 * as a value. What is not a message is counted, and too much of it ends the connection. */
#include "application/ports/traffic.h"
#include "domain/base/json.h"
#include "domain/base/json_scan.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/wire/connection_internal.h"
#include <stdlib.h>
#include <string.h>

/* How much of a line that is not a message is worth logging. */
#define JUNK_LOGGED_BYTES 200
#define LEVEL_MAX_BYTES 32

static void log_text(struct connection *connection, const char *level, const char *text,
                     size_t length)
{
    if (connection->wants_logs && connection->events.on_log)
        connection->events.on_log(connection->events.context, level, text, length);
}

void connection_refuse(struct connection *connection, const json_t *id, int code,
                       const char *message)
{
    AUTO(buf) line = { 0 };
    buf_init(&line, connection->options.max_message_bytes);
    if (jsonrpc_append_error(&line, id, code, message, NULL))
        connection_send_line(connection, NULL, &line);
}

static void receive_junk(struct connection *connection, const char *line, size_t length)
{
    struct err why;
    size_t limit = (size_t)connection->options.max_junk_lines;
    connection->junk_lines++;
    log_text(connection, "stdout", line, text_cut(line, length, JUNK_LOGGED_BYTES));
    if (connection->junk_lines <= limit)
        return;
    err_set(&why, ERR_PROTOCOL, 0, "more than %zu of its lines are not messages", limit);
    err_hint(&why, ERR_PROTOCOL, "over stdio a server may write for people on its stderr only");
    connection_fail(connection, &why);
}

/* The one an answer is for; NULL: it is late, came twice, or answers nothing that was asked. An
 * error without an id is meant for the request that it came in answer to; where that cannot be
 * told, it can only be meant for the one request there is. */
static struct request *find_request(struct connection *connection, const struct jsonrpc_id *of,
                                    const struct jsonrpc_message *message)
{
    struct jsonrpc_id id;
    if (jsonrpc_read_id(message->id, &id))
        return connection_find(connection, id);
    if (message->kind != JSONRPC_ERROR || (message->id && !json_is_null(message->id)))
        return NULL;
    return of ? connection_find(connection, *of) : connection_find_only(connection);
}

static enum err_code take_result(const struct connection *connection, struct request *request,
                                 const struct result_outline *result, struct err *err)
{
    if (request->on_result)
        return request->on_result(request->context, result, err);
    return json_parse_message(result->text.text, result->text.length,
                              connection->options.max_values, &request->result, err);
}

/* What is held goes out first: the server works while the result is taken. */
static void receive_result(struct connection *connection, const struct jsonrpc_outline *answer)
{
    struct jsonrpc_id id;
    struct err err;
    struct request *request =
        jsonrpc_scan_id(answer->id, &id) ? connection_find(connection, id) : NULL;
    if (!request) /* it is late, came twice, or answers nothing that was asked */
        return;
    connection_end_turn(connection, request);
    request->was_answered = true;
    enum err_code r = take_result(connection, request, &answer->result, &err);
    connection_settle(connection, request, r, &err);
}

static void receive_error(struct connection *connection, struct request *request, json_t *error)
{
    struct err err;
    enum err_code r = jsonrpc_explain_error(error, &err);
    request->error = json_incref(error);
    request->was_answered = true;
    connection_settle(connection, request, r, &err);
}

static void receive_progress(struct connection *connection, const json_t *params)
{
    struct jsonrpc_id id = { 0 };
    const json_t *token = json_object_get(params, "progressToken");
    if (!jsonrpc_read_whole(token, &id.number) &&
        (!json_is_string(token) || !text_to_int64(json_string_value(token), &id.number)))
        return;
    struct request *request = connection_find(connection, id);
    if (!request || !request->on_progress)
        return;
    connection_note_life(connection, request);
    request->on_progress(request->progress_context, json_get_number(params, "progress", 0),
                         json_get_number(params, "total", -1), json_get_string(params, "message"));
}

/* No values are made of it, however many it has: it is only shown. */
static void receive_log(struct connection *connection, struct json_slice params)
{
    char level[LEVEL_MAX_BYTES] = "info";
    struct json_slice data = json_slice_member(params, "data"),
                      name = json_slice_member(params, "level");
    struct json_string_reader reader = json_string_read(name);
    AUTO(buf) text = { 0 };
    if (!connection->wants_logs || !data.length)
        return;
    if (json_slice_is_string(name))
        level[json_string_next(&reader, level, sizeof level - 1)] = '\0';
    buf_init(&text, SIZE_MAX);
    if (json_slice_is_string(data) && json_string_append(&text, data))
        data = (struct json_slice){ buf_string(&text), text.length };
    log_text(connection, level, data.text, data.length);
}

static bool is_log(const struct jsonrpc_outline *outline)
{
    return outline->version.length && !outline->id.length &&
           json_string_is(outline->method, "notifications/message");
}

static void receive_notification(struct connection *connection,
                                 const struct jsonrpc_message *message)
{
    if (strcmp(message->method, "notifications/progress") == 0) {
        receive_progress(connection, message->params);
    } else if (strcmp(message->method, "notifications/cancelled") == 0 && !connection->is_modern) {
        connection_cancel_question(connection, message->params);
    } else if (connection->events.on_notification) {
        connection->events.on_notification(connection->events.context, message->method,
                                           message->params);
    }
}

/* Servers of the old revisions wait for an answer to whatever they ask. Nothing but ping is offered
 * and, where there are some, roots, a person and a model. */
static void answer_request(struct connection *connection, const struct jsonrpc_message *message)
{
    AUTO(buf) line = { 0 };
    const char *result = strcmp(message->method, "ping") == 0         ? "{}"
                         : strcmp(message->method, "roots/list") == 0 ? connection->options.roots
                                                                      : NULL;
    if (connection->is_modern || connection_take_question(connection, message))
        return;
    buf_init(&line, connection->options.max_message_bytes);
    if (!result)
        connection_refuse(connection, message->id, JSONRPC_METHOD_NOT_FOUND, "Method not found");
    else if (jsonrpc_append_result(&line, message->id, result, strlen(result)))
        connection_send_line(connection, NULL, &line);
}

static bool receive_message(struct connection *connection, const struct jsonrpc_id *of,
                            json_t *value)
{
    struct jsonrpc_message message = jsonrpc_classify(value);
    struct request *request;
    switch (message.kind) {
    case JSONRPC_REQUEST:
        if (!json_is_string(message.id) && !json_is_number(message.id))
            return false;
        answer_request(connection, &message);
        return true;
    case JSONRPC_NOTIFICATION:
        receive_notification(connection, &message);
        return true;
    case JSONRPC_ERROR:
        if ((request = find_request(connection, of, &message)))
            receive_error(connection, request, message.error);
        return true;
    case JSONRPC_JUNK:
    case JSONRPC_RESULT: /* these stay text */
        break;
    }
    return false;
}

/* The request whose id a text has that claims to answer it, and is not a message of JSON-RPC. */
static struct request *find_answered(struct connection *connection,
                                     const struct jsonrpc_outline *outline)
{
    struct jsonrpc_id id;
    bool is_answer =
        !outline->method.length &&
        (outline->version.length || outline->result.text.length || outline->error.length);
    return is_answer && outline->id.length && jsonrpc_scan_id(outline->id, &id)
               ? connection_find(connection, id)
               : NULL;
}

/* Better a failed request than one that waits for its timeout. */
static void receive_no_message(struct connection *connection, const struct jsonrpc_outline *outline,
                               const char *line, size_t length)
{
    struct err why;
    struct request *request = find_answered(connection, outline);
    if (!request) {
        receive_junk(connection, line, length);
        return;
    }
    enum err_code r = err_set(&why, ERR_PROTOCOL, 0,
                              "its answer is not a message of JSON-RPC 2.0 with a result or "
                              "an error");
    connection_settle(connection, request, r, &why);
}

/* What looks like an answer fails its request here as well. */
static void receive_unparsable(struct connection *connection, const char *line, size_t length,
                               const struct err *why)
{
    struct jsonrpc_id id;
    struct err err = *why;
    if (!jsonrpc_salvage_id(line, length, &id)) {
        if (why->code == ERR_LIMIT)
            log_text(connection, "warning", why->message, strlen(why->message));
        receive_junk(connection, line, length);
        return;
    }
    struct request *request = connection_find(connection, id);
    if (!request)
        return;
    err.code = ERR_PROTOCOL;
    err_prefix(&err, ERR_PROTOCOL, "its answer cannot be read");
    connection_settle(connection, request, ERR_PROTOCOL, &err);
}

/* A request or a notification of more values than are made of a message. */
static void refuse_values(struct connection *connection, const struct jsonrpc_outline *outline,
                          const struct err *why)
{
    struct json_slice id = outline->id;
    json_auto_t *value = NULL;
    log_text(connection, "warning", why->message, strlen(why->message));
    if (id.length && !json_parse_message(id.text, id.length, 1, &value, NULL))
        connection_refuse(connection, value, JSONRPC_INVALID_REQUEST, why->message);
}

/* A sound text, of a message or of an element of a batch. False: it is not a message. */
static bool receive_text(struct connection *connection, const struct jsonrpc_id *of,
                         struct json_slice text, const struct jsonrpc_outline *outline)
{
    json_auto_t *value = NULL;
    struct err why;
    if (jsonrpc_is_result(outline)) {
        receive_result(connection, outline);
        return true;
    }
    if (is_log(outline)) {
        receive_log(connection, outline->params);
        return true;
    }
    if (!json_parse_message(text.text, text.length, connection->options.max_values, &value, &why))
        return receive_message(connection, of, value);
    if (outline->method.length)
        refuse_values(connection, outline, &why);
    else
        receive_unparsable(connection, text.text, text.length, &why);
    return true;
}

/* Element by element, so that a result or a log costs what it costs by itself. */
static bool receive_batch(struct connection *connection, const struct jsonrpc_id *of,
                          struct json_scan *scan)
{
    struct json_slice element = { 0 };
    struct jsonrpc_outline outline;
    size_t n = 0, most = connection->options.max_values;
    bool is_message = true;
    struct err why;
    while (json_scan_element(scan)) {
        json_scan_value(scan, &element);
        if (n++ == most) {
            err_set(&why, ERR_LIMIT, 0, "a batch of more than %zu JSON values (mcp.max_values)",
                    most);
            log_text(connection, "warning", why.message, strlen(why.message));
            return is_message;
        }
        (void)jsonrpc_scan(element.text, element.length, &outline); /* as sound as the whole */
        is_message = receive_text(connection, of, element, &outline) && is_message;
    }
    return n && is_message;
}

/* A result stays text. Everything else is small, as a rule, and read as a value: errors, and what
 * the server wants or tells. Text that must be repaired becomes text again before anything is taken
 * from it, and its value is given back. */
void connection_receive(void *context, const struct jsonrpc_id *of, const char *bytes,
                        size_t length)
{
    struct connection *connection = context;
    struct jsonrpc_outline outline;
    struct json_slice text = { bytes, length }, *received = &outline.result.received;
    struct json_scan scan;
    auto_str repaired = NULL;
    json_t *value = NULL;
    struct err why;
    if (connection->options.traffic)
        traffic_saw(connection->options.traffic, connection->options.server, TRAFFIC_FROM_SERVER,
                    bytes, length);
    if (!connection->is_open)
        return;
    if (jsonrpc_scan(bytes, length, &outline) != JSON_SOUND) {
        if (json_parse_message(bytes, length, connection->options.max_values, &value, &why)) {
            receive_unparsable(connection, bytes, length, &why);
            return;
        }
        repaired = json_print(value);
        json_decref(value);
        text = (struct json_slice){ repaired, strlen(repaired) };
        (void)jsonrpc_scan(text.text, text.length, &outline);
        (void)json_member_text(bytes, length, "result", &received->text, &received->length);
    }
    json_scan_begin(&scan, text.text, text.length);
    bool is_message = json_scan_enter(&scan, '[') ? receive_batch(connection, of, &scan)
                                                  : receive_text(connection, of, text, &outline);
    if (!is_message)
        receive_no_message(connection, &outline, bytes, length);
}

void connection_receive_diagnostics(void *context, const char *line, size_t length)
{
    log_text(context, "stderr", line, length);
}
