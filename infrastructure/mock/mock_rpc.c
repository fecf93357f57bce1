/* The faults of a mock that only a process can have, as a wrapper around the rpc port through which
 * it serves. Faults arrive through mock_server_on_fault on the task of a call; a fault that hangs
 * up ends the wait for the next message, and one that falls silent drops everything that is sent.
 */
#include "infrastructure/mock/mock_server.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mock_rpc {
    struct rpc port;
    struct runtime *runtime;
    struct tool_server *mock;
    struct rpc *inner;
    int out_fd;
    struct scope *reading; /* of the wait for the next message; NULL without one */
    bool is_closed, is_silent, has_started;
};

static struct mock_rpc *mock_of(struct rpc *rpc)
{
    return (struct mock_rpc *)rpc;
}

/* The port that messages go to, or NULL once the server is silent; then the value is released. */
static struct rpc *speaking(struct rpc *rpc, json_t *value)
{
    struct mock_rpc *m = mock_of(rpc);
    if (!m->is_silent)
        return m->inner;
    json_decref(value);
    return NULL;
}

/* The descriptor may be non-blocking: the loop owns it as well. */
static void write_raw(int fd, const char *text)
{
    size_t left = strlen(text);
    while (left) {
        ssize_t n = write(fd, text, left);
        if (n < 0 && errno == EAGAIN)
            n = poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1) < 0 ? -1 : 0;
        if (n < 0 && errno != EINTR)
            return;
        text += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
}

static enum err_code play_fault(void *context, struct scope *sc, enum mock_fault fault,
                                struct err *err)
{
    struct mock_rpc *m = context;
    enum err_code r = rpc_flush(m->inner, sc, err);
    if (r)
        return r;
    switch (fault) {
    case MOCK_FAULT_NONE:
    case MOCK_FAULT_HANG:
        break;
    case MOCK_FAULT_SILENCE:
        m->is_silent = true;
        break;
    case MOCK_FAULT_CLOSE:
        m->is_closed = true;
        if (m->reading)
            runtime_cancel(m->runtime, m->reading);
        break;
    case MOCK_FAULT_EXIT:
        _exit(MOCK_EXIT_STATUS);
    case MOCK_FAULT_JUNK:
        write_raw(m->out_fd, "Listening for requests... (this line is no message)\n");
        break;
    case MOCK_FAULT_GARBAGE:
        write_raw(m->out_fd, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\n");
        break;
    }
    return ERR_NONE;
}

static enum err_code start(struct mock_rpc *m, struct scope *sc, struct err *err)
{
    const struct mock_fixture *fixture = mock_server_fixture(m->mock);
    m->has_started = true;
    enum err_code r = ERR_NONE;
    if (fixture->start_delay_ms)
        r = runtime_sleep(m->runtime, sc, fixture->start_delay_ms, err);
    return r || !fixture->start_fault ? r : play_fault(m, sc, fixture->start_fault, err);
}

static enum err_code mock_next(struct rpc *rpc, struct scope *outer, struct rpc_message *out,
                               struct err *err)
{
    struct mock_rpc *m = mock_of(rpc);
    enum err_code r = m->has_started ? ERR_NONE : start(m, outer, err);
    struct scope sc = scope_child(outer, SCOPE_NO_DEADLINE);
    *out = (struct rpc_message){ 0 };
    while (!r && !m->is_closed) {
        m->reading = &sc;
        r = rpc_next(m->inner, &sc, out, err);
        m->reading = NULL;
        if (r || !m->is_silent)
            break;
        rpc_message_finish(out);
    }
    if (!m->is_closed)
        return r;
    if (!r)
        rpc_message_finish(out);
    return err_set(err, ERR_UNAVAILABLE, 0, "closed by the fixture");
}

static void mock_reply(struct rpc *rpc, const json_t *id, json_t *result)
{
    struct rpc *inner = speaking(rpc, result);
    if (inner)
        rpc_reply(inner, id, result);
}

static void mock_reply_text(struct rpc *rpc, const json_t *id, const char *result, size_t length)
{
    struct rpc *inner = speaking(rpc, NULL);
    if (inner)
        rpc_reply_text(inner, id, result, length);
}

static void mock_fail(struct rpc *rpc, const json_t *id, int code, const char *message,
                      json_t *data)
{
    struct rpc *inner = speaking(rpc, data);
    if (inner)
        rpc_fail(inner, id, code, message, data);
}

static void mock_notify(struct rpc *rpc, const json_t *about, const char *method, json_t *params)
{
    struct rpc *inner = speaking(rpc, params);
    if (inner)
        rpc_notify(inner, about, method, params);
}

static void mock_ask(struct rpc *rpc, const json_t *about, int64_t id, const char *method,
                     json_t *params)
{
    struct rpc *inner = speaking(rpc, params);
    if (inner)
        rpc_ask(inner, about, id, method, params);
}

static enum err_code mock_flush(struct rpc *rpc, struct scope *sc, struct err *err)
{
    return rpc_flush(mock_of(rpc)->inner, sc, err);
}

static void mock_destroy(struct rpc *rpc)
{
    struct mock_rpc *m = mock_of(rpc);
    mock_server_on_fault(m->mock, /* fn */ NULL, NULL);
    rpc_destroy(m->inner);
    free(m);
}

static const struct rpc_ops mock_rpc_ops = {
    .next = mock_next,
    .reply = mock_reply,
    .reply_text = mock_reply_text,
    .refuse = mock_fail,
    .notify = mock_notify,
    .ask = mock_ask,
    .flush = mock_flush,
    .destroy = mock_destroy,
};

struct rpc *mock_rpc_create(struct runtime *runtime, struct tool_server *mock, struct rpc *inner,
                            int out_fd)
{
    struct mock_rpc *m = calloc(1, sizeof *m);
    if (!m)
        abort();
    m->port.ops = &mock_rpc_ops;
    m->runtime = runtime;
    m->mock = mock;
    m->inner = inner;
    m->out_fd = out_fd;
    mock_server_on_fault(mock, play_fault, m);
    return &m->port;
}
