#include "infrastructure/mcp/server/stdio_rpc.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/server/byte_streams.h"
#include "infrastructure/mcp/server/rpc_message.h"
#include "infrastructure/mcp/wire/jsonrpc.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a message has around its result: version, id and braces. */
#define ENVELOPE_BYTES 4096

struct stdio_rpc {
    struct rpc base;
    struct byte_input *input;
    struct byte_output *output;
    size_t max_message_bytes, max_values;
    json_t *batch; /* an array whose messages are being handed out, or NULL */
    size_t batch_next;
};

static struct stdio_rpc *stdio_of(struct rpc *rpc)
{
    return (struct stdio_rpc *)rpc;
}

/* Room for an answer as long as a message may be, and its envelope. */
static void init_line(struct stdio_rpc *stdio, struct buf *line)
{
    buf_init(line, stdio->max_message_bytes + ENVELOPE_BYTES);
}

static void send_error(struct stdio_rpc *stdio, const json_t *id, int code, const char *message,
                       const json_t *data)
{
    AUTO(buf) line;
    init_line(stdio, &line);
    if (!jsonrpc_append_error(&line, id, code, message, data)) {
        buf_clear(&line);
        if (!jsonrpc_append_error(&line, id, code, "the error is too long to be sent", NULL))
            return;
    }
    byte_output_send(stdio->output, &line);
}

static void rpc_send_text(struct rpc *rpc, const json_t *id, const char *result, size_t length)
{
    struct stdio_rpc *stdio = stdio_of(rpc);
    AUTO(buf) line;
    init_line(stdio, &line);
    if (jsonrpc_append_result(&line, id, result, length))
        byte_output_send(stdio->output, &line);
    else
        send_error(stdio, id, JSONRPC_INTERNAL_ERROR,
                   "the result is longer than mcp.max_message_bytes", NULL);
}

static void rpc_send_result(struct rpc *rpc, const json_t *id, json_t *result)
{
    auto_str text = json_print(result);
    json_decref(result);
    rpc_send_text(rpc, id, text, strlen(text));
}

static void rpc_send_error(struct rpc *rpc, const json_t *id, int code, const char *message,
                           json_t *data)
{
    send_error(stdio_of(rpc), id, code, message, data);
    json_decref(data);
}

static void rpc_send_notification(struct rpc *rpc, const json_t *about, const char *method,
                                  json_t *params)
{
    (void)about;
    struct stdio_rpc *stdio = stdio_of(rpc);
    AUTO(buf) line;
    init_line(stdio, &line);
    if (jsonrpc_append_notification(&line, method, params))
        byte_output_send(stdio->output, &line);
    json_decref(params);
}

static void rpc_send_request(struct rpc *rpc, const json_t *about, int64_t id, const char *method,
                             json_t *params)
{
    (void)about;
    struct stdio_rpc *stdio = stdio_of(rpc);
    json_auto_t *owned = params;
    AUTO(buf) line;
    init_line(stdio, &line);
    if (jsonrpc_append_request(&line, (struct jsonrpc_id){ .number = id }, method, owned))
        byte_output_send(stdio->output, &line);
}

static enum err_code rpc_drain(struct rpc *rpc, struct scope *sc, struct err *err)
{
    return byte_output_drain(stdio_of(rpc)->output, 0, sc, err);
}

/* Hands out what has the form of a message; answers what has not, where that can be done. Steals
 * the value. */
static bool accept_message(struct stdio_rpc *stdio, json_t *value, struct rpc_message *out)
{
    struct rpc_objection objection;
    if (rpc_message_take(value, out, &objection))
        return true;
    if (objection.code)
        send_error(stdio, objection.id, objection.code, objection.why, NULL);
    json_decref(objection.id);
    return false;
}

/* The next of the batch that is being handed out; false when it is not a message. */
static bool accept_from_batch(struct stdio_rpc *stdio, struct rpc_message *out)
{
    json_t *value = json_incref(json_array_get(stdio->batch, stdio->batch_next++));
    if (stdio->batch_next == json_array_size(stdio->batch)) {
        json_decref(stdio->batch);
        stdio->batch = NULL;
    }
    return accept_message(stdio, value, out);
}

static bool accept_line(struct stdio_rpc *stdio, const char *line, size_t length,
                        struct rpc_message *out)
{
    json_t *value;
    struct err why;
    enum err_code r = json_parse_message(line, length, stdio->max_values, &value, &why);
    if (r) {
        int code = r == ERR_LIMIT ? JSONRPC_INVALID_REQUEST : JSONRPC_PARSE_ERROR;
        send_error(stdio, NULL, code, why.message, NULL);
        return false;
    }
    if (json_array_size(value) == 0)
        return accept_message(stdio, value, out);
    stdio->batch = value;
    stdio->batch_next = 0;
    return false;
}

/* One line; *out_accepted becomes true when it brought a message that is not a batch. */
awaits MUST_CHECK static enum err_code read_line(struct stdio_rpc *stdio, struct scope *sc,
                                                 struct rpc_message *out, bool *out_accepted,
                                                 struct err *err)
{
    const char *line;
    size_t length;
    enum err_code r = byte_input_next(stdio->input, sc, &line, &length, err);
    if (r == ERR_LIMIT) {
        send_error(stdio, NULL, JSONRPC_INVALID_REQUEST, "longer than mcp.max_message_bytes", NULL);
        return ERR_NONE;
    }
    if (r == ERR_NONE)
        *out_accepted = accept_line(stdio, line, length, out);
    return r;
}

static enum err_code rpc_read(struct rpc *rpc, struct scope *sc, struct rpc_message *out,
                              struct err *err)
{
    struct stdio_rpc *stdio = stdio_of(rpc);
    bool accepted = false;
    enum err_code r = ERR_NONE;
    while (r == ERR_NONE && !accepted) {
        /* A client that does not read refusals gets no further ones. */
        r = byte_output_drain(stdio->output, STDIO_RPC_UNREAD_BYTES, sc, err);
        if (r == ERR_NONE && stdio->batch)
            accepted = accept_from_batch(stdio, out);
        else if (r == ERR_NONE)
            r = read_line(stdio, sc, out, &accepted, err);
    }
    /* The input also ends when the answers are not taken. */
    if (r == ERR_UNAVAILABLE) {
        enum err_code broken = byte_output_drain(stdio->output, SIZE_MAX, sc, err);
        r = broken ? broken : r;
    }
    return r;
}

static void on_output_broken(void *context)
{
    struct stdio_rpc *stdio = context;
    byte_input_end(stdio->input);
}

static void rpc_free(struct rpc *rpc)
{
    struct stdio_rpc *stdio = stdio_of(rpc);
    byte_input_destroy(stdio->input);
    byte_output_destroy(stdio->output);
    json_decref(stdio->batch);
    free(stdio);
}

static const struct rpc_ops stdio_rpc_ops = {
    .next = rpc_read,
    .reply = rpc_send_result,
    .reply_text = rpc_send_text,
    .refuse = rpc_send_error,
    .notify = rpc_send_notification,
    .ask = rpc_send_request,
    .flush = rpc_drain,
    .destroy = rpc_free,
};

struct rpc *mcp_fd_rpc_create(struct uv_runtime *runtime, const struct settings *settings,
                              int in_fd, int out_fd)
{
    struct stdio_rpc *stdio = calloc(1, sizeof *stdio);
    if (!stdio)
        abort();
    /* A client that went away is an error of write, not a signal. */
    signal(SIGPIPE, SIG_IGN);
    stdio->base.ops = &stdio_rpc_ops;
    stdio->max_message_bytes = (size_t)settings->mcp_max_message_bytes;
    stdio->max_values = (size_t)settings->mcp_max_values;
    stdio->input = byte_input_create(runtime, in_fd, stdio->max_message_bytes);
    stdio->output = byte_output_create(
        runtime, out_fd, STDIO_RPC_UNREAD_BYTES + 2 * (stdio->max_message_bytes + ENVELOPE_BYTES),
        on_output_broken, stdio);
    return &stdio->base;
}

struct rpc *mcp_stdio_rpc_create(struct uv_runtime *runtime, const struct settings *settings)
{
    return mcp_fd_rpc_create(runtime, settings, STDIN_FILENO, STDOUT_FILENO);
}
