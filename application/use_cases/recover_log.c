#include "application/use_cases/recover_log.h"
#include "application/execution/forked_calls.h"
#include "application/runs/kept_call.h"
#include "application/runs/kept_plan.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/tool/step_result.h"
#include <string.h>

#define EVENTS_AT_ONCE 100

/* What the log knows: the effect that each step asked for last, the attempt of each effect that was
 * sent last, and the effects whose last attempt has a result. And the effects that are another
 * run's: a fork that took such a call over did not make it. */
struct known {
    json_t *effects, *attempts, *results, *foreign;
    json_t *replies; /* the ids of those of the model */
};

static void note(struct known *known, const struct event *event)
{
    const char *step = json_get_string(event->data, "step");
    const char *effect = json_get_string(event->data, "effect_id");
    const char *reply = json_get_string(event->data, "reply_id");
    if (event->kind == EVENT_MODEL_REPLIED && reply)
        json_object_set_new(known->replies, reply, json_true());
    if (event->kind == EVENT_TOOL_CALL && step && effect) {
        json_object_set_new(known->effects, step, json_string(effect));
        json_object_set_new(known->attempts, effect,
                            json_integer(json_get_int(event->data, "attempt", 1)));
        json_object_del(known->results, effect);
    } else if (event->kind == EVENT_TOOL_RESULT && step) {
        effect = json_get_string(known->effects, step);
        json_object_set_new(known->results, effect ? effect : step, json_true());
    }
}

/* A part at a time, so that a long log is never in memory as a whole. */
static enum err_code read_log(struct run_session *session, bool with_calls, struct known *known,
                              struct err *err)
{
    static const enum event_kind kinds[] = { EVENT_MODEL_REPLIED, EVENT_TOOL_CALL,
                                             EVENT_TOOL_RESULT };
    struct event_range range = { .run_id = session->journal.run_id,
                                 .max = EVENTS_AT_ONCE,
                                 .kinds = kinds,
                                 .n_kinds = with_calls ? ARRAY_LENGTH(kinds) : 1 };
    enum err_code r = ERR_NONE;
    for (size_t n = EVENTS_AT_ONCE; !r && n == EVENTS_AT_ONCE;) {
        AUTO(arena) arena = { 0 };
        struct event *events = NULL;
        r = run_repository_events(session->journal.repository, &session->scope, &range, &arena,
                                  &events, &n, err);
        for (size_t i = 0; !r && i < n; i++)
            note(known, &events[i]);
        range.after = !r && n ? events[n - 1].number : 0;
    }
    return r;
}

static json_t *head_of(const struct call_record *call)
{
    return json_pack("{s:s, s:s, s:b}", "step", kept_plan_step(call->path), "tool", call->tool,
                     "recovered", 1);
}

static json_t *parsed(const char *text)
{
    json_t *value = NULL;
    return text && !json_parse(text, strlen(text), JSON_OURS, &value, NULL) ? value : json_null();
}

static void emit_call(struct run_session *session, const struct call_record *call)
{
    char at[RFC3339_SIZE], span[TRACE_SPAN_SIZE];
    struct journal *journal = &session->journal;
    const struct trace_call traced = { journal->run_id, call->path, call->tool, 0, call->attempt };
    json_t *data = head_of(call);
    json_object_set_new(data, "effect_id", json_string(call->effect_id));
    json_object_set_new(data, "span_id",
                        json_string(trace_call_span(journal->digest, &traced, span)));
    json_object_set_new(data, "args", parsed(call->args));
    json_object_set_new(data, "attempt", json_integer(call->attempt));
    json_object_set_new(data, "sent_at", json_string(rfc3339_print(call->sent_at_ms, at)));
    journal_emit(journal, EVENT_TOOL_CALL, data);
}

static void emit_result(struct run_session *session, const struct call_record *call)
{
    AUTO(arena) arena = { 0 };
    struct step_result result = { 0 };
    json_t *data = head_of(call);
    json_object_set_new(data, "duration_ms", json_integer(call->duration_ms));
    size_t max_values = (size_t)session->services->settings->mcp_max_values;
    if (call->result && !kept_result(&arena, call, max_values, &result, NULL)) {
        json_object_set_new(data, "is_error", json_boolean(result.is_error));
        json_object_set_new(data, "bytes", json_integer((json_int_t)result.length));
        json_object_set_new(data, "result", journal_result(&session->journal, &result));
    } else {
        json_object_set_new(data, "error", parsed(call->error));
    }
    journal_emit(&session->journal, EVENT_TOOL_RESULT, data);
}

static void recover(struct run_session *session, const struct known *known,
                    const struct call_record *call)
{
    bool was_sent =
        call->state != CALL_PENDING && !json_object_get(known->foreign, call->effect_id);
    bool is_known = json_get_int(known->attempts, call->effect_id, 0) >= (int64_t)call->attempt;
    bool has_end = call->result || call->error;
    if (was_sent && !is_known)
        emit_call(session, call);
    if (was_sent && has_end && !(is_known && json_object_get(known->results, call->effect_id)))
        emit_result(session, call);
}

void recover_log(struct run_session *session)
{
    struct err err = { 0 };
    json_auto_t *effects = json_object();
    json_auto_t *attempts = json_object();
    json_auto_t *results = json_object();
    json_auto_t *foreign = json_object();
    json_t *replies = arena_keep_json(session->arena, json_object());
    struct known known = { effects, attempts, results, foreign, replies };
    const struct run_contents *contents = session->kept;
    const char *status = run_contents_fact(contents, RUN_FACT_STATUS);
    enum run_status was = status ? run_status_parse(status) : RUN_RUNNING;
    bool has_ended = was != RUN_RUNNING && was != RUN_QUEUED; /* as submitted, and then begun */
    run_state_put_fact(session->state, RUN_FACT_STATUS, run_status_name(RUN_RUNNING));
    if (!session->journal.repository)
        return;
    if (read_log(session, !has_ended, &known, &err)) {
        journal_warn(&session->journal, "what the process before did may be missing here: %s",
                     err.message);
        return;
    }
    session->replies.logged = replies;
    for (size_t i = 0; i < contents->n_calls; i++)
        if (strchr(contents->calls[i].path, FORKED_PATH_SEPARATOR))
            json_object_set_new(foreign, contents->calls[i].effect_id, json_true());
    for (size_t i = 0; !has_ended && i < contents->n_calls; i++)
        recover(session, &known, &contents->calls[i]);
}
