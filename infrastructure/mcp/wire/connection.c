/* Requests: how they are numbered, sent, awaited, given up and ended. Those that wait for an answer
 * are pending, in buckets by id. Those that say how many of their kind may be in flight lie in the
 * send queue meanwhile, as lines ready to be written, until fewer than that are unanswered. Those
 * whose work goes on at the server after the answer, as tasks, are kept: they lie among the pending
 * ones, so that progress and questions find them. */
#include "infrastructure/mcp/wire/connection.h"
#include "application/ports/runtime.h"
#include "application/ports/traffic.h"
#include "infrastructure/mcp/wire/connection_internal.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <assert.h>
#include <stdlib.h>

int64_t connection_now_ms(const struct connection *connection)
{
    return runtime_now_ms(uv_runtime_port(connection->runtime));
}

static struct request **bucket_of(struct connection *connection, struct jsonrpc_id id)
{
    return &connection->pending[(uint64_t)id.number % CONNECTION_BUCKETS];
}

struct request *connection_find(struct connection *connection, struct jsonrpc_id id)
{
    struct request *request = *bucket_of(connection, id);
    while (request && (request->id.number != id.number || request->id.is_text != id.is_text))
        request = request->next;
    return request;
}

struct request *connection_find_only(struct connection *connection)
{
    struct request *only = NULL;
    for (size_t i = 0; i < CONNECTION_BUCKETS; i++)
        for (struct request *at = connection->pending[i]; at; at = at->next) {
            if (only && !at->is_kept)
                return NULL;
            only = at->is_kept ? only : at;
        }
    return only;
}

void connection_note_life(const struct connection *connection, struct request *request)
{
    int64_t now_ms = connection_now_ms(connection);
    request->until_ms = request->silence_ms ? now_ms + request->silence_ms : INT64_MAX;
    if (request->until_ms > request->latest_ms)
        request->until_ms = request->latest_ms;
}

/* When the request is out of time, counted from now. */
static void set_limits(const struct connection *connection, struct request *request)
{
    int64_t now_ms = connection_now_ms(connection);
    request->latest_ms = request->max_ms ? now_ms + request->max_ms - request->used_ms : INT64_MAX;
    connection_note_life(connection, request);
}

static void make_pending(struct connection *connection, struct request *request)
{
    struct request **bucket = bucket_of(connection, request->id);
    request->is_pending = true;
    request->next = *bucket;
    *bucket = request;
}

/* Every message goes out here. */
MUST_CHECK
static enum err_code send_message(struct connection *connection,
                                  const struct transport_message *about, struct buf *line,
                                  struct err *err)
{
    const struct connection_options *options = &connection->options;
    size_t length = line->length;
    while (length && line->bytes[length - 1] == '\n')
        length--;
    if (options->traffic)
        traffic_saw(options->traffic, options->server, TRAFFIC_TO_SERVER, line->bytes, length);
    return transport_send(connection->transport, about, line, err);
}

/* Sends the line now and makes the request pending. */
MUST_CHECK
static enum err_code send_request(struct connection *connection, struct request *request,
                                  struct buf *line, struct err *err)
{
    struct transport_message about = { .method = request->method,
                                       .name = request->name,
                                       .id = request->id,
                                       .headers = request->headers,
                                       .n_headers = request->n_headers };
    enum err_code r = send_message(connection, &about, line, err);
    if (r)
        return r;
    set_limits(connection, request);
    request->was_sent = true;
    request->has_turn = request->max_in_flight > 0;
    connection->n_in_flight += request->has_turn;
    make_pending(connection, request);
    if (request->on_sent)
        request->on_sent(request->progress_context);
    return ERR_NONE;
}

static bool must_hold(const struct connection *connection, const struct request *request)
{
    return request->max_in_flight &&
           (connection->first_held || connection->n_in_flight >= request->max_in_flight);
}

static void hold(struct connection *connection, struct request *request, struct buf *line)
{
    request->line = *line;
    buf_init(line, line->max_bytes);
    request->next = NULL;
    if (connection->last_held)
        connection->last_held->next = request;
    else
        connection->first_held = request;
    connection->last_held = request;
    request->is_held = true;
}

static void unhold(struct connection *connection, struct request *request)
{
    struct request *before = NULL, **at = &connection->first_held;
    while (*at != request) {
        assert(*at); /* what is held stands in the list */
        before = *at;
        at = &before->next;
    }
    *at = request->next;
    if (connection->last_held == request)
        connection->last_held = before;
    request->is_held = false;
    buf_finish(&request->line);
}

static void send_first_held(struct connection *connection)
{
    struct request *request = connection->first_held;
    struct buf line = request->line;
    struct err err;
    request->line = (struct buf){ 0 };
    unhold(connection, request);
    enum err_code r = send_request(connection, request, &line, &err);
    buf_finish(&line);
    if (r)
        connection_settle(connection, request, r, &err);
}

/* The request is not in flight any more: the next that is held goes out. */
void connection_end_turn(struct connection *connection, struct request *request)
{
    if (!request->has_turn)
        return;
    request->has_turn = false;
    connection->n_in_flight--;
    while (connection->is_open && connection->first_held &&
           connection->n_in_flight < connection->first_held->max_in_flight)
        send_first_held(connection);
}

/* True when the transport makes it known to the server. */
static bool take_out(struct connection *connection, struct request *request, bool is_answered)
{
    if (request->is_held)
        unhold(connection, request);
    if (!request->is_pending)
        return false;
    connection->has_given_up |= !is_answered && !request->is_binding && !request->on_end;
    struct request **at = bucket_of(connection, request->id);
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
    request->is_pending = false;
    bool is_told =
        !request->is_kept && transport_release(connection->transport, request->id, is_answered);
    connection_end_turn(connection, request);
    connection_withdraw_question(connection);
    return is_told;
}

void connection_forget(struct connection *connection, struct request *request)
{
    (void)take_out(connection, request, false);
}

void connection_settle(struct connection *connection, struct request *request, enum err_code r,
                       const struct err *why)
{
    (void)take_out(connection, request, true);
    request->code = r;
    if (why)
        request->err = *why;
    request->is_settled = true;
    completion_complete(&request->done);
    if (request->on_end)
        request->on_end(request->context);
}

static void settle_all(struct connection *connection, const struct err *why)
{
    connection_drop_questions(connection);
    while (connection->first_held)
        connection_settle(connection, connection->first_held, why->code, why);
    for (size_t i = 0; i < CONNECTION_BUCKETS; i++)
        while (connection->pending[i])
            connection_settle(connection, connection->pending[i], why->code, why);
}

static void end(struct connection *connection, const struct err *why)
{
    if (!connection->is_open)
        return;
    connection->is_open = false;
    settle_all(connection, why);
    if (connection->events.on_closed)
        connection->events.on_closed(connection->events.context, why);
}

void connection_fail(struct connection *connection, const struct err *why)
{
    if (connection->is_open)
        transport_abort(connection->transport);
    end(connection, why);
}

void connection_lose(void *context, struct jsonrpc_id id, enum transport_loss loss,
                     const struct err *why)
{
    struct connection *connection = context;
    struct request *request = connection_find(connection, id);
    if (!request)
        return;
    request->was_sent = loss != LOSS_UNSEEN;
    request->was_answered = loss == LOSS_REFUSED;
    connection_settle(connection, request, why->code, why);
}

static void on_transport_closed(void *context, const struct err *why)
{
    end(context, why);
}

struct connection *connection_create(struct uv_runtime *runtime, struct transport *transport,
                                     const struct connection_options *options,
                                     const struct connection_events *events)
{
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        abort();
    connection->runtime = runtime;
    connection->transport = transport;
    connection->options = *options;
    connection->events = *events;
    return connection;
}

void connection_destroy(struct connection *connection)
{
    assert(!connection || !connection->is_open);
    free(connection);
}

enum err_code connection_open(struct connection *connection, struct err *err)
{
    struct transport_events events = {
        .on_message = connection_receive,
        .on_lost = connection_lose,
        .on_diagnostics = connection_receive_diagnostics,
        .on_closed = on_transport_closed,
        .context = connection,
    };
    enum err_code r = transport_open(connection->transport, &events, err);
    connection->is_open = r == ERR_NONE;
    connection->is_modern = connection->has_given_up = false;
    connection->junk_lines = 0;
    return r;
}

bool connection_is_open(const struct connection *connection)
{
    return connection->is_open;
}

bool connection_is_at_rest(const struct connection *connection)
{
    for (size_t i = 0; i < CONNECTION_BUCKETS; i++)
        if (connection->pending[i])
            return false;
    return connection->is_open && !connection->has_given_up && !connection->first_held &&
           !connection->n_questions;
}

int64_t connection_last_id(const struct connection *connection)
{
    return connection->last_id;
}

void connection_begin_behind(struct connection *connection, int64_t last_id)
{
    if (last_id > connection->last_id)
        connection->last_id = last_id;
}

void connection_set_logging(struct connection *connection, bool is_wanted)
{
    connection->wants_logs = is_wanted;
}

void connection_agree(struct connection *connection, const char *version)
{
    transport_agree(connection->transport, version);
}

void connection_use_sse(struct connection *connection, bool is_wanted)
{
    transport_use_sse(connection->transport, is_wanted);
}

void connection_set_modern(struct connection *connection, bool is_modern)
{
    connection->is_modern = is_modern;
}

bool connection_begin(struct connection *connection, struct request *request, struct buf *line)
{
    request->id =
        (struct jsonrpc_id){ .number = ++connection->last_id, .is_text = request->has_text_id };
    return jsonrpc_append_head(line, request->id, request->method);
}

enum err_code connection_post(struct connection *connection, struct request *request,
                              struct buf *line, struct err *err)
{
    if (!connection->is_open)
        return err_set(err, ERR_UNAVAILABLE, 0, "the connection has ended");
    request->done = completion_of(connection->runtime);
    if (!must_hold(connection, request))
        return send_request(connection, request, line, err);
    set_limits(connection, request);
    hold(connection, request, line);
    return ERR_NONE;
}

void connection_send_line(struct connection *connection, const char *method, struct buf *line)
{
    struct transport_message about = { .method = method };
    if (connection->is_open && send_message(connection, &about, line, NULL) != ERR_NONE)
        buf_clear(line);
}

void connection_notify(struct connection *connection, const char *method, const json_t *params)
{
    AUTO(buf) line;
    buf_init(&line, connection->options.max_message_bytes);
    if (jsonrpc_append_notification(&line, method, params))
        connection_send_line(connection, method, &line);
}

static void cancel(struct connection *connection, const struct request *request, const char *reason)
{
    json_auto_t *params =
        request->id.is_text
            ? json_pack("{s:o, s:s}", "requestId",
                        json_sprintf("era-%lld", (long long)request->id.number), "reason", reason)
            : json_pack("{s:I, s:s}", "requestId", (json_int_t)request->id.number, "reason",
                        reason);
    connection_notify(connection, "notifications/cancelled", params);
}

void connection_cancel(struct connection *connection, struct request *request)
{
    bool was_sent = request->is_pending;
    if (!take_out(connection, request, false) && was_sent)
        cancel(connection, request, "cancelled");
}

/* The request ran into its own limits rather than those of the scope. */
static enum err_code explain_silence(const struct request *request, struct err *err)
{
    bool is_total = request->until_ms == request->latest_ms;
    double seconds = (double)(is_total ? request->max_ms : request->silence_ms) / 1000;
    if (is_total)
        return err_set(err, ERR_TIMEOUT, 0, "not done within %g s", seconds);
    return err_set(err, ERR_TIMEOUT, 0, "no answer for %g s", seconds);
}

/* Until the answer came, the wait failed or the task was woken. The limits of a request count from
 * when it is sent, and not while a question stands. Questions of the server wake the task as well,
 * which answers them. */
awaits MUST_CHECK static enum err_code await_answer(struct connection *connection,
                                                    struct request *request,
                                                    const struct scope *scope, struct err *err)
{
    for (;;) {
        enum err_code r = completion_await_until(&request->done, scope, &request->until_ms, err);
        int64_t now_ms = connection_now_ms(connection);
        bool is_out_of_time = r == ERR_TIMEOUT && !scope_check(scope, now_ms, NULL);
        if (is_out_of_time && request->is_held) {
            set_limits(connection, request);
        } else if (is_out_of_time && connection->question_scope) {
            request->until_ms = now_ms + CONNECTION_QUESTION_LOOK_MS;
        } else {
            if (connection->asker != request)
                return r;
            if (!request->is_settled)
                request->done = completion_of(connection->runtime);
            connection_answer_questions(connection, request, scope);
        }
    }
}

/* An answer that comes within the grace may tell what there is to be cancelled; it changes nothing
 * else. */
awaits static void give_up(struct connection *connection, struct request *request,
                           const char *reason)
{
    bool must_tell = !request->is_binding && request->was_sent;
    if (request->grace_ms && request->is_pending) {
        struct scope late = scope_child(NULL, connection_now_ms(connection) + request->grace_ms);
        if (must_tell)
            cancel(connection, request, reason);
        must_tell = false;
        (void)!completion_await(&request->done, &late, NULL);
    }
    if (!take_out(connection, request, false) && must_tell)
        cancel(connection, request, reason);
}

enum err_code connection_await(struct connection *connection, struct request *request,
                               const struct scope *scope, struct err *err)
{
    enum err_code r = await_answer(connection, request, scope, err);
    if (request->is_settled) {
        if (request->code && err)
            *err = request->err;
        return request->code;
    }
    if (r == ERR_TIMEOUT && !request->is_held && connection_now_ms(connection) >= request->until_ms)
        explain_silence(request, err);
    give_up(connection, request, r == ERR_TIMEOUT ? "timeout" : "cancelled");
    return r;
}

enum err_code connection_authorize(struct connection *connection, const struct scope *scope,
                                   struct err *err)
{
    return transport_authorize(connection->transport, scope, err);
}

void connection_keep(struct connection *connection, struct request *request)
{
    if (request->is_pending)
        return;
    request->done = completion_of(connection->runtime);
    request->is_kept = true;
    request->is_settled = false;
    request->until_ms = request->latest_ms = INT64_MAX;
    make_pending(connection, request);
}

enum err_code connection_pause(struct connection *connection, struct request *request, int64_t ms,
                               const struct scope *scope, struct err *err)
{
    request->max_ms = ms;
    set_limits(connection, request);
    enum err_code r = await_answer(connection, request, scope, err);
    if (!request->is_settled)
        request->done = completion_of(connection->runtime);
    return scope_check(scope, connection_now_ms(connection), NULL) ? r : ERR_NONE;
}

void connection_wake(struct request *request)
{
    completion_complete(&request->done);
}

void request_finish(struct request *request)
{
    assert(!request->is_pending);
    json_decref(request->result);
    json_decref(request->error);
    request->result = request->error = NULL;
}

void connection_close(struct connection *connection, const struct scope *scope)
{
    struct err why;
    err_set(&why, ERR_UNAVAILABLE, 0, "the server is being closed");
    connection->is_open = false;
    settle_all(connection, &why);
    transport_close(connection->transport, scope);
}
