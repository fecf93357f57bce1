#include "application/use_cases/runs/otlp_trace.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include <string.h>

/* Numbers of opentelemetry.proto.trace.v1. */
enum { SPAN_INTERNAL = 1, SPAN_CLIENT = 3, STATUS_ERROR = 2 };

#define OPEN (-1) /* the end of a span that has none yet */
#define NO_SPAN SIZE_MAX
#define OTHER_ERROR "_OTHER" /* what the conventions have where no class of error is known */
#define LOST "outcome_unknown"

struct span {
    const char *id, *name;
    size_t parent; /* NO_SPAN: the caller's, or none */
    int kind;
    int64_t start_ms, end_ms;
    json_t *attributes;  /* array of KeyValue */
    const char *error;   /* error.type; NULL: none */
    const char *message; /* of the error; or NULL */
};

/* What was begun and has not ended: a call of a step, or a request to a model. */
struct pending {
    const json_t *data; /* of its event */
    size_t call;        /* execute_tool; NO_SPAN: a request to a model */
    size_t span;        /* tools/call, or chat */
};

struct making {
    struct arena *arena;
    struct digest *digest;
    const struct recorded_run *recorded;
    const struct event *event; /* that is looked at */
    int64_t before_ms;         /* time of the one before it */
    bool with_texts;
    struct span *list;
    size_t n, capacity;
    struct pending *pending;
    size_t n_pending, pending_capacity;
    size_t planning; /* or NO_SPAN */
    json_t *used;    /* ids of calls, as keys */
    json_t *servers; /* name: the event that it is ready */
};

static void add(struct making *making, size_t at, const char *key, const char *type, json_t *value)
{
    json_array_append_new(making->list[at].attributes,
                          json_pack("{s:s, s:{s:o}}", "key", key, "value", type, value));
}

static void add_text(struct making *making, size_t at, const char *key, const char *text)
{
    if (text && *text)
        add(making, at, key, "stringValue", json_string(text));
}

/* 64 bits are a string in this encoding. */
static void add_number(struct making *making, size_t at, const char *key, int64_t number)
{
    if (number >= 0)
        add(making, at, key, "intValue",
            json_string(arena_printf(making->arena, "%lld", (long long)number)));
}

/* A value of the log, as JSON, where texts are wanted. */
static void add_value(struct making *making, size_t at, const char *key, const json_t *value)
{
    if (making->with_texts && value)
        add_text(making, at, key, json_print_in(making->arena, value));
}

/* The conventions' messages, of one with one part of text. reason: why it ended; NULL: it is an
 * input; role NULL: instructions, which are parts only. */
static void add_message(struct making *making, size_t at, const char *key, const char *role,
                        const json_t *text_object, const char *reason)
{
    const char *text = json_get_string(text_object, "text");
    if (!text)
        return;
    json_t *parts = json_pack("[{s:s, s:s}]", "type", "text", "content", text);
    if (role)
        parts =
            json_pack("[{s:s, s:o, s:s*}]", "role", role, "parts", parts, "finish_reason", reason);
    add_value(making, at, key, arena_keep_json(making->arena, parts));
}

/* operation: of the conventions for GenAI, or the method of MCP, which only executes tools. */
static size_t begin(struct making *making, const char *operation, const char *name, int kind,
                    size_t parent)
{
    const struct event *event = making->event;
    char id[TRACE_SPAN_SIZE];
    const char *what =
        event ? arena_printf(making->arena, "%s %llu", operation, (unsigned long long)event->number)
              : operation;
    size_t at = making->n;
    *arena_push(making->arena, making->list, making->n, making->capacity) = (struct span){
        .id = arena_strdup(making->arena,
                           trace_span(making->digest, making->recorded->run->id, what, id)),
        .name = name && *name ? arena_printf(making->arena, "%s %s", operation, name) : operation,
        .parent = parent,
        .kind = kind,
        .start_ms = event ? event->time_ms : making->recorded->run->started_at_ms,
        .end_ms = OPEN,
        .attributes = arena_keep_json(making->arena, json_array()),
    };
    add_text(making, at, "gen_ai.operation.name",
             strchr(operation, '/') ? "execute_tool" : operation);
    return at;
}

static void end(struct making *making, size_t at, int64_t time_ms, const char *error,
                const char *message)
{
    struct span *span = &making->list[at];
    span->end_ms = time_ms > span->start_ms ? time_ms : span->start_ms;
    span->error = error;
    span->message = making->with_texts ? message : NULL;
}

static void drop_pending(struct making *making, size_t i)
{
    making->n_pending--;
    memmove(&making->pending[i], &making->pending[i + 1],
            (making->n_pending - i) * sizeof *making->pending);
}

/* The oldest that the event of the data belongs to; making->n_pending: none. */
static size_t find_pending(const struct making *making, const json_t *data, bool is_call)
{
    const char *purpose = json_get_string(data, "purpose");
    if (!purpose)
        purpose = json_get_string(data, "contract");
    size_t i = 0;
    for (; i < making->n_pending; i++) {
        const struct pending *pending = &making->pending[i];
        if (is_call != (pending->call != NO_SPAN))
            continue;
        if (is_call ? recorded_is_same_call(pending->data, data)
                    : text_equal(json_get_string(pending->data, "purpose"), purpose))
            break;
    }
    return i;
}

static bool is_planning(const char *purpose)
{
    static const char purposes[] = " intent intent_and_plan plan questions ";
    return purpose && text_is_listed(purposes, purpose, strlen(purpose));
}

static void begin_planning(struct making *making)
{
    if (making->planning == NO_SPAN)
        making->planning = begin(making, "plan", NULL, SPAN_INTERNAL, 0);
}

/* With a plan, with questions, or with another purpose of the model. A plan of a file took no time.
 */
static void end_planning(struct making *making)
{
    if (making->event->kind == EVENT_PLAN)
        begin_planning(making);
    if (making->planning != NO_SPAN)
        end(making, making->planning, making->event->time_ms, NULL, NULL);
    making->planning = NO_SPAN;
}

static size_t begin_chat(struct making *making)
{
    const struct recorded_run *recorded = making->recorded;
    const char *model = json_get_string(making->event->data, "model");
    if (!model)
        model = json_get_string(recorded->run->meta, "model");
    bool plans = is_planning(json_get_string(making->event->data, "purpose"));
    if (plans)
        begin_planning(making);
    else
        end_planning(making);
    size_t at = begin(making, "chat", model, SPAN_CLIENT, plans ? making->planning : 0);
    add_text(making, at, "gen_ai.provider.name", "mistro");
    add_text(making, at, "gen_ai.request.model", model);
    add_text(making, at, "gen_ai.conversation.id", recorded->run->session_id);
    add_text(making, at, "mistro.purpose", json_get_string(making->event->data, "purpose"));
    return at;
}

static void take_prompt(struct making *making, const json_t *data)
{
    size_t at = begin_chat(making);
    const json_t *temperature = json_object_get(data, "temperature");
    *arena_push(making->arena, making->pending, making->n_pending, making->pending_capacity) =
        (struct pending){ .data = data, .call = NO_SPAN, .span = at };
    add_number(making, at, "gen_ai.request.max_tokens", json_get_int(data, "max_tokens", -1));
    if (temperature)
        add(making, at, "gen_ai.request.temperature", "doubleValue",
            json_real(json_number_value(temperature)));
    add_text(making, at, "gen_ai.output.type", json_get_bool(data, "schema", false) ? "json" : "");
    add_message(making, at, "gen_ai.system_instructions", NULL, json_object_get(data, "system"),
                NULL);
    add_message(making, at, "gen_ai.input.messages", "user", json_object_get(data, "user"), NULL);
}

/* A reply that was recovered has no request in the log. */
static void take_reply(struct making *making, const json_t *data)
{
    size_t i = find_pending(making, data, false);
    bool has_begun = i < making->n_pending;
    size_t at = has_begun ? making->pending[i].span : begin_chat(making);
    const char *stop = text_equal(json_get_string(data, "stop"), "length") ? "length" : "stop";
    if (has_begun)
        drop_pending(making, i);
    else
        making->list[at].start_ms -= json_get_int(data, "ms", 0);
    end(making, at, making->event->time_ms, NULL, NULL);
    add_text(making, at, "gen_ai.response.model", json_get_string(data, "model"));
    add(making, at, "gen_ai.response.finish_reasons", "arrayValue",
        json_pack("{s:[{s:s}]}", "values", "stringValue", stop));
    add_number(making, at, "gen_ai.usage.input_tokens", json_get_int(data, "prompt_tokens", -1));
    add_number(making, at, "gen_ai.usage.cache_read.input_tokens",
               json_get_int(data, "cached_tokens", -1));
    add_number(making, at, "gen_ai.usage.output_tokens",
               json_get_int(data, "completion_tokens", -1));
    add_message(making, at, "gen_ai.output.messages", "assistant", json_object_get(data, "reply"),
                stop);
}

/* Of a request without a reply: why. */
static void take_attempt(struct making *making, const json_t *data)
{
    const char *class = json_get_string(data, "class");
    size_t i = find_pending(making, data, false);
    if (i == making->n_pending ||
        (!text_equal(class, "transport") && !text_equal(class, "timeout")))
        return;
    end(making, making->pending[i].span, making->event->time_ms, class, NULL);
    drop_pending(making, i);
}

/* What is known of how the server was reached. */
static void add_transport(struct making *making, size_t at, const char *tool)
{
    const char *server = arena_strndup(making->arena, tool, strcspn(tool, "/"));
    const json_t *ready = json_object_get(making->servers, server);
    const char *transport = json_get_string(ready, "transport");
    add_text(making, at, "mcp.protocol.version", json_get_string(ready, "protocol_version"));
    if (transport && !text_equal(transport, "in process"))
        add_text(making, at, "network.transport", text_equal(transport, "stdio") ? "pipe" : "tcp");
}

static void add_tool(struct making *making, size_t at, const json_t *data, const char *name)
{
    const char *effect_id = json_get_string(data, "effect_id");
    add_text(making, at, "gen_ai.tool.name", name);
    add_text(making, at, "gen_ai.tool.call.id",
             effect_id ? effect_id : json_get_string(data, "span_id"));
    add_value(making, at, "gen_ai.tool.call.arguments", json_object_get(data, "args"));
}

static size_t begin_call(struct making *making, const json_t *data, const char *tool)
{
    size_t at = begin(making, "execute_tool", tool, SPAN_INTERNAL, 0);
    add_tool(making, at, data, tool);
    add_text(making, at, "mistro.step", json_get_string(data, "step"));
    add_number(making, at, "mistro.line", json_get_int(data, "line", -1));
    return at;
}

/* A span under the id that the server was told, unless another has it: a process that was killed
 * may have made the same attempt before. */
static void begin_sending(struct making *making, struct pending *pending, const json_t *data,
                          const char *tool)
{
    const char *slash = strchr(tool, '/'), *name = slash ? slash + 1 : tool;
    const char *id = json_get_string(data, "span_id"), *sent_at = json_get_string(data, "sent_at");
    size_t at = begin(making, "tools/call", name, SPAN_CLIENT, pending->call);
    if (id && !json_object_get(making->used, id)) {
        making->list[at].id = id;
        json_object_set_new(making->used, id, json_true());
    }
    if (sent_at)
        (void)rfc3339_parse(sent_at, &making->list[at].start_ms);
    add_text(making, at, "mcp.method.name", "tools/call");
    add_tool(making, at, data, name);
    add_transport(making, at, tool);
    add_number(making, at, "mistro.attempt", json_get_int(data, "attempt", 1));
    pending->span = at;
}

static void take_call(struct making *making, const json_t *data)
{
    const char *tool = json_get_string(data, "tool");
    tool = tool ? tool : "";
    size_t i = find_pending(making, data, true);
    bool is_again = i < making->n_pending && json_get_int(data, "attempt", 1) > 1;
    if (!is_again) {
        i = making->n_pending;
        *arena_push(making->arena, making->pending, making->n_pending, making->pending_capacity) =
            (struct pending){ .call = begin_call(making, data, tool), .span = NO_SPAN };
    }
    struct pending *pending = &making->pending[i];
    if (pending->span != NO_SPAN)
        end(making, pending->span, making->event->time_ms,
            json_object_get(pending->data, "recovered") ? LOST : OTHER_ERROR, NULL);
    pending->data = data;
    begin_sending(making, pending, data, tool);
}

static void end_call(struct making *making, size_t i, const char *error, const char *message)
{
    const struct pending *pending = &making->pending[i];
    end(making, pending->call, making->event->time_ms, error, message);
    if (pending->span != NO_SPAN)
        end(making, pending->span, making->event->time_ms, error, message);
    drop_pending(making, i);
}

static void take_result(struct making *making, const json_t *data)
{
    const json_t *error = json_object_get(data, "error");
    size_t i = find_pending(making, data, true);
    if (i == making->n_pending)
        return;
    const size_t at[] = { making->pending[i].call, making->pending[i].span };
    for (size_t k = 0; k < ARRAY_LENGTH(at); k++)
        if (at[k] != NO_SPAN)
            add_value(making, at[k], "gen_ai.tool.call.result", json_object_get(data, "result"));
    const char *code = json_get_string(error, "outcome") ? LOST : json_get_string(error, "code");
    const char *of_tool = json_get_bool(data, "is_error", false) ? "tool_error" : NULL;
    end_call(making, i, error ? code : of_tool, json_get_string(error, "message"));
}

/* `repeat` goes on with the call; the other words end it. */
static void take_settlement(struct making *making, const json_t *data)
{
    const char *as = json_get_string(data, "as");
    size_t i = find_pending(making, data, true);
    if (i < making->n_pending && !text_equal(as, "repeat"))
        end_call(making, i, text_equal(as, "fail") ? LOST : NULL, NULL);
}

/* Whoever waited is gone. Of a call only the attempt is over where the run goes on with it. */
static void interrupt(struct making *making, int64_t time_ms, const char *error, bool goes_on)
{
    for (size_t i = making->n_pending; i-- > 0;) {
        struct pending *pending = &making->pending[i];
        bool is_call = pending->call != NO_SPAN, is_over = !is_call || !goes_on;
        if (pending->span != NO_SPAN)
            end(making, pending->span, time_ms, is_call ? LOST : error, NULL);
        if (is_call && is_over)
            end(making, pending->call, time_ms, LOST, NULL);
        pending->span = NO_SPAN;
        if (is_over)
            drop_pending(making, i);
    }
    if (making->planning != NO_SPAN)
        end(making, making->planning, time_ms, error, NULL);
    making->planning = NO_SPAN;
}

static void take_end(struct making *making, const json_t *data)
{
    const json_t *error = json_object_get(data, "error");
    const char *code = json_get_string(error, "code"), *status = json_get_string(data, "status");
    bool is_fine =
        status && text_is_listed(" completed dry_run needs_answer ", status, strlen(status));
    struct span *root = &making->list[0];
    root->error = is_fine ? NULL : code ? code : status;
    root->message = !is_fine && making->with_texts ? json_get_string(error, "message") : NULL;
}

static void take(struct making *making)
{
    const json_t *data = making->event->data;
    enum event_kind kind = making->event->kind;
    if (kind == EVENT_PROMPT_SENT)
        take_prompt(making, data);
    else if (kind == EVENT_MODEL_REPLIED)
        take_reply(making, data);
    else if (kind == EVENT_ATTEMPT)
        take_attempt(making, data);
    else if (kind == EVENT_INTENT)
        begin_planning(making);
    else if (kind == EVENT_PLAN || kind == EVENT_QUESTIONS)
        end_planning(making);
    else if (kind == EVENT_TOOL_CALL)
        take_call(making, data);
    else if (kind == EVENT_TOOL_RESULT)
        take_result(making, data);
    else if (kind == EVENT_CALL_SETTLED)
        take_settlement(making, data);
    else if (kind == EVENT_RUN_RESUMED)
        interrupt(making, making->before_ms, "interrupted", true);
    else if (kind == EVENT_RUN_FINISHED)
        take_end(making, data);
    else if (kind == EVENT_ANSWER)
        add_message(making, 0, "gen_ai.output.messages", "assistant",
                    json_object_get(data, "answer"), "stop");
    else if (kind == EVENT_SERVER_STATE && text_equal(json_get_string(data, "state"), "ready"))
        json_object_set_new(making->servers, json_get_string(data, "server"), json_share(data));
}

static void begin_run(struct making *making)
{
    const struct run *run = making->recorded->run;
    size_t at = begin(making, "invoke_workflow", run->kind, SPAN_INTERNAL, NO_SPAN);
    json_auto_t *title = json_pack("{s:s?}", "text", run->title);
    add_text(making, at, "gen_ai.workflow.name", run->kind);
    add_text(making, at, "gen_ai.conversation.id", run->session_id);
    add_text(making, at, "mistro.run.id", run->id);
    add_text(making, at, "mistro.run.status", run_status_name(run->status));
    if (run->title && *run->title)
        add_message(making, at, "gen_ai.input.messages", "user", title, NULL);
}

/* A clock that was set, or a call that began in an earlier process, makes a parent longer. */
static void enclose(struct making *making)
{
    for (size_t i = making->n; i-- > 0;) {
        const struct span *span = &making->list[i];
        struct span *parent = span->parent == NO_SPAN ? NULL : &making->list[span->parent];
        if (parent && parent->start_ms > span->start_ms)
            parent->start_ms = span->start_ms;
        if (parent && parent->end_ms < span->end_ms)
            parent->end_ms = span->end_ms;
    }
}

static json_t *nanoseconds(struct arena *arena, int64_t ms)
{
    return json_string(arena_printf(arena, "%lld000000", (long long)ms));
}

static json_t *span_json(struct making *making, const struct trace *trace, size_t at)
{
    const struct span *span = &making->list[at];
    const char *parent = span->parent == NO_SPAN ? trace->parent : making->list[span->parent].id;
    const char *state = at == 0 && *trace->state ? trace->state : NULL;
    if (span->error)
        add_text(making, at, "error.type", span->error);
    return json_pack(
        "{s:s, s:s, s:s*, s:s*, s:s, s:i, s:o, s:o, s:O, s:o}", "traceId", trace->id, "spanId",
        span->id, "parentSpanId", *parent ? parent : NULL, "traceState", state, "name", span->name,
        "kind", span->kind, "startTimeUnixNano", nanoseconds(making->arena, span->start_ms),
        "endTimeUnixNano", nanoseconds(making->arena, span->end_ms), "attributes", span->attributes,
        "status",
        json_pack("{s:s*, s:i}", "message", span->message, "code", span->error ? STATUS_ERROR : 0));
}

/* A run that has no end in the log ended, as far as anybody knows, with its last event. */
static void end_run(struct making *making)
{
    const struct run *run = making->recorded->run;
    const char *error = run->status == RUN_INTERRUPTED ? "interrupted" : making->list[0].error;
    int64_t end_ms = run->finished_at_ms ? run->finished_at_ms : making->before_ms;
    interrupt(making, end_ms, error, false);
    end(making, 0, end_ms, error, making->list[0].message);
    enclose(making);
}

const json_t *otlp_trace(struct arena *arena, struct digest *digest,
                         const struct recorded_run *recorded, bool with_texts)
{
    const struct run *run = recorded->run;
    const struct trace_texts caller = { json_get_string(run->meta, TRACE_PARENT_KEY),
                                        json_get_string(run->meta, TRACE_STATE_KEY) };
    struct making making = { .arena = arena,
                             .digest = digest,
                             .recorded = recorded,
                             .before_ms = run->started_at_ms,
                             .with_texts = with_texts,
                             .planning = NO_SPAN,
                             .used = arena_keep_json(arena, json_object()),
                             .servers = arena_keep_json(arena, json_object()) };
    struct trace trace;
    trace_begin(&trace, digest, run->id, &caller);
    begin_run(&making);
    for (size_t i = 0; i < recorded->n_events; i++) {
        making.event = &recorded->events[i];
        take(&making);
        making.before_ms = making.event->time_ms;
    }
    end_run(&making);
    json_t *spans = json_array();
    for (size_t i = 0; i < making.n; i++)
        json_array_append_new(spans, span_json(&making, &trace, i));
    return arena_keep_json(
        arena, json_pack("{s:[{s:{s:[{s:s, s:{s:s}}]}, s:[{s:{s:s}, s:o}]}]}", "resourceSpans",
                         "resource", "attributes", "key", "service.name", "value", "stringValue",
                         "mistro", "scopeSpans", "scope", "name", "mistro", "spans", spans));
}
