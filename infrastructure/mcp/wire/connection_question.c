/* What a legacy server asks of a person or a model in the middle of a call. It is answered on the
 * task that waits for the call, one at a time; the protocol does not say which call a question
 * belongs to, so with several of them it is the oldest that takes such a question. While a question
 * stands no request of this connection runs out of time. */
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "infrastructure/mcp/wire/connection_internal.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>

/* One that waits. */
struct question {
    enum question_kind kind;
    json_t *id, *params;
    struct question *next;
};

static void free_question(struct question *question)
{
    json_decref(question->id);
    json_decref(question->params);
    free(question);
}

static struct question *take_first(struct connection *connection)
{
    struct question *first = connection->first_question;
    if (first) {
        connection->first_question = first->next;
        connection->n_questions--;
    }
    return first;
}

void connection_drop_questions(struct connection *connection)
{
    struct question *question;
    while ((question = take_first(connection)))
        free_question(question);
    connection->question_id = NULL;
}

/* What was asked for a task is answered for it. Owned by the caller. */
static json_t *related(const struct question *question, const json_t *result)
{
    static const char key[] = "io.modelcontextprotocol/related-task";
    json_t *task = json_object_get(json_object_get(question->params, "_meta"), key);
    if (!task)
        return json_share(result);
    json_t *copy = json_copy((json_t *)(uintptr_t)result);
    json_object_set_new(copy, "_meta", json_pack("{s:O}", key, task));
    return copy;
}

static void reply(struct connection *connection, const struct question *question, json_t *result)
{
    json_auto_t *whole = related(question, result);
    auto_str text = json_print(whole);
    AUTO(buf) line;
    buf_init(&line, connection->options.max_message_bytes);
    if (jsonrpc_append_result(&line, question->id, text, strlen(text)))
        connection_send_line(connection, NULL, &line);
    json_decref(result);
}

/* To a question that no one answers, or that the answerer refuses. */
static void turn_down(struct connection *connection, const struct question *question)
{
    if (question->kind == QUESTION_ELICITATION)
        reply(connection, question, elicitation_cancelled());
    else
        connection_refuse(connection, question->id, JSONRPC_REJECTED,
                          "User rejected sampling request");
}

/* The oldest call that takes such questions, but for one that gives up; or NULL. */
static struct request *find_asker(struct connection *connection, enum question_kind kind,
                                  const struct request *leaving)
{
    struct request *oldest = NULL;
    for (size_t i = 0; i < CONNECTION_BUCKETS; i++)
        for (struct request *at = connection->pending[i]; at; at = at->next)
            if (question_is_taken(at->answerer, kind) && at != leaving &&
                (!oldest || at->id.number < oldest->id.number))
                oldest = at;
    return oldest;
}

/* Hands what waits to a call; what no call takes is turned down. */
static void pass_on(struct connection *connection, const struct request *leaving)
{
    connection->asker = NULL;
    while (connection->first_question) {
        connection->asker = find_asker(connection, connection->first_question->kind, leaving);
        if (connection->asker) {
            completion_complete(&connection->asker->done);
            return;
        }
        struct question *question = take_first(connection);
        turn_down(connection, question);
        free_question(question);
    }
}

static bool is_offered(const struct connection *connection, enum question_kind kind)
{
    return (kind == QUESTION_ELICITATION && connection->options.takes_elicitation) ||
           (kind == QUESTION_SAMPLING && connection->options.takes_sampling);
}

static void queue(struct connection *connection, enum question_kind kind,
                  const struct jsonrpc_message *message)
{
    struct question *question = calloc(1, sizeof *question);
    if (!question)
        abort();
    question->kind = kind;
    question->id = json_incref(message->id);
    question->params = json_incref(message->params);
    struct question **end = &connection->first_question;
    while (*end)
        end = &(*end)->next;
    *end = question;
    connection->n_questions++;
    if (!connection->asker)
        pass_on(connection, NULL);
}

bool connection_take_question(struct connection *connection, const struct jsonrpc_message *message)
{
    const struct server_question what = { .kind = question_kind_of(message->method),
                                          .params = message->params };
    struct err why;
    if (!is_offered(connection, what.kind))
        return false;
    if (question_check(&what, &why))
        connection_refuse(connection, message->id, JSONRPC_INVALID_PARAMS, why.message);
    else if (connection->n_questions >= CONNECTION_MAX_QUESTIONS)
        connection_refuse(connection, message->id, JSONRPC_INTERNAL_ERROR,
                          "too many questions wait already");
    else
        queue(connection, what.kind, message);
    return true;
}

void connection_withdraw_question(struct connection *connection)
{
    if (connection->question_scope && !find_asker(connection, connection->question_kind, NULL))
        runtime_cancel(uv_runtime_port(connection->runtime), connection->question_scope);
}

void connection_cancel_question(struct connection *connection, const json_t *params)
{
    const json_t *id = json_object_get(params, "requestId");
    if (connection->question_scope && json_equal(id, connection->question_id)) {
        connection->question_id = NULL;
        runtime_cancel(uv_runtime_port(connection->runtime), connection->question_scope);
        return;
    }
    for (struct question **at = &connection->first_question; *at; at = &(*at)->next)
        if (json_equal(id, (*at)->id)) {
            struct question *question = *at;
            *at = question->next;
            connection->n_questions--;
            free_question(question);
            return;
        }
}

/* Silence is counted from the end of a question, and its time is not part of the whole. */
static void resume_limits(struct connection *connection, int64_t began_ms)
{
    int64_t now_ms = connection_now_ms(connection);
    for (size_t i = 0; i < CONNECTION_BUCKETS; i++)
        for (struct request *at = connection->pending[i]; at; at = at->next) {
            if (at->max_ms)
                at->latest_ms += now_ms - began_ms;
            connection_note_life(connection, at);
        }
}

/* A person who cannot be asked has answered as little as one who left; a model that fails is the
 * server's to hear of, but not why. */
static void report_failure(struct connection *connection, const struct question *question,
                           const struct err *why)
{
    if (why->code == ERR_INVALID)
        connection_refuse(connection, question->id, JSONRPC_INVALID_PARAMS, why->message);
    else if (question->kind == QUESTION_ELICITATION || why->code == ERR_DENIED ||
             why->code == ERR_CANCELLED)
        turn_down(connection, question);
    else
        connection_refuse(connection, question->id, JSONRPC_INTERNAL_ERROR,
                          "the model did not answer");
}

awaits static void answer(struct connection *connection, struct request *request,
                          const struct question *question, const struct scope *scope)
{
    struct scope asking = scope_child(scope, SCOPE_NO_DEADLINE);
    const struct server_question what = { .kind = question->kind, .params = question->params };
    struct err why;
    json_t *result = NULL;
    int64_t began_ms = connection_now_ms(connection);
    connection->question_scope = &asking;
    connection->question_id = question->id;
    connection->question_kind = question->kind;
    enum err_code r = question_put(request->answerer, &asking, &what, &result, &why);
    bool is_wanted = connection->question_id != NULL;
    connection->question_scope = NULL;
    connection->question_id = NULL;
    resume_limits(connection, began_ms);
    if (!is_wanted)
        json_decref(result);
    else if (r)
        report_failure(connection, question, &why);
    else
        reply(connection, question, result);
}

void connection_answer_questions(struct connection *connection, struct request *request,
                                 const struct scope *scope)
{
    const struct question *first;
    while ((first = connection->first_question) && !request->is_settled &&
           question_is_taken(request->answerer, first->kind) &&
           !scope_check(scope, connection_now_ms(connection), NULL)) {
        struct question *question = take_first(connection);
        answer(connection, request, question, scope);
        free_question(question);
    }
    pass_on(connection, request);
}
