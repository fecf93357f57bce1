/* Something that happened in a run. Events are what people watch, what scripts read with
 * `--events` and what the run log keeps; docs/events.md lists their fields. Versioned, numbered
 * within their run, time-stamped, append-only. */
#ifndef DOMAIN_ENTITIES_EVENT_H
#define DOMAIN_ENTITIES_EVENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define EVENT_VERSION 1

/* X(kind, name, kept in the run log). The kinds that are not kept are many and carry nothing
 * that a later kept one does not. */
#define EVENT_KINDS(X)                                                                             \
    X(RUN_STARTED, "run_started", true)                                                            \
    X(RUN_RESUMED, "run_resumed", true)                                                            \
    X(CALL_SETTLED, "call_settled", true)                                                          \
    X(STEPS_KEPT, "steps_kept", true)                                                              \
    X(RUN_FINISHED, "run_finished", true)                                                          \
    X(SERVER_STATE, "server_state", true)                                                          \
    X(SERVER_LOG, "server_log", false)                                                             \
    X(TOOLS_CHANGED, "tools_changed", true)                                                        \
    X(PROMPT_SENT, "prompt_sent", true)                                                            \
    X(MODEL_TOKEN, "model_token", false)                                                           \
    X(MODEL_REPLIED, "model_replied", true)                                                        \
    X(ATTEMPT, "attempt", true)                                                                    \
    X(ATTEMPT_DISCARDED, "attempt_discarded", true)                                                \
    X(PROMPT_TRIMMED, "prompt_trimmed", true)                                                      \
    X(SCHEMA_QUARANTINED, "schema_quarantined", true)                                              \
    X(MODEL_STATE, "model_state", true)                                                            \
    X(INTENT, "intent", true)                                                                      \
    X(QUESTIONS, "questions", true)                                                                \
    X(QUESTIONS_DROPPED, "questions_dropped", true)                                                \
    X(PLAN, "plan", true)                                                                          \
    X(PLAN_REJECTED, "plan_rejected", true)                                                        \
    X(STEP_STARTED, "step_started", true)                                                          \
    X(STEP_PROGRESS, "step_progress", false)                                                       \
    X(STEP_FINISHED, "step_finished", true)                                                        \
    X(APPROVAL_ASKED, "approval_asked", true)                                                      \
    X(APPROVAL_GIVEN, "approval_given", true)                                                      \
    X(ELICITATION_ASKED, "elicitation_asked", true)                                                \
    X(ELICITATION_ANSWERED, "elicitation_answered", true)                                          \
    X(SAMPLING_ASKED, "sampling_asked", true)                                                      \
    X(SAMPLING_ANSWERED, "sampling_answered", true)                                                \
    X(TASK, "task", true)                                                                          \
    X(TOOLS_QUARANTINED, "tools_quarantined", true)                                                \
    X(TOOLS_APPROVED, "tools_approved", true)                                                      \
    X(RESOURCE_UPDATED, "resource_updated", true)                                                  \
    X(TOOL_CALL, "tool_call", true)                                                                \
    X(TOOL_RESULT, "tool_result", true)                                                            \
    X(ANSWER_TOKEN, "answer_token", false)                                                         \
    X(ANSWER, "answer", true)                                                                      \
    X(TOKEN, "token", false)                                                                       \
    X(PROMPT_UPDATE, "prompt_update", true)                                                        \
    X(SETTINGS_UPDATE, "settings_update", true)                                                    \
    X(GENERATION_STARTED, "generation_started", true)                                              \
    X(IMAGE_READY, "image_ready", true)                                                            \
    X(CONSENSUS_STARTED, "consensus_started", true)                                                \
    X(ENVELOPE, "envelope", true)                                                                  \
    X(ARBITER_HINT, "arbiter_hint", true)                                                          \
    X(VOTE, "vote", true)                                                                          \
    X(CONSENSUS_ENDED, "consensus_ended", true)                                                    \
    X(FIGURE_STARTED, "figure_started", true)                                                      \
    X(STAGE_STARTED, "stage_started", true)                                                        \
    X(STAGE_FINISHED, "stage_finished", true)                                                      \
    X(FIGURE_FINDINGS, "figure_findings", true)                                                    \
    X(FIGURE_RENDERED, "figure_rendered", true)                                                    \
    X(FIGURE_ENDED, "figure_ended", true)                                                          \
    X(CONTEXT_RESET, "context_reset", true)                                                        \
    X(DONE, "done", true)                                                                          \
    X(ERROR, "error", true)                                                                        \
    X(WARNING, "warning", true)

enum event_kind {
#define X(kind, name, kept) EVENT_##kind,
    EVENT_KINDS(X)
#undef X
};

struct event {
    const char *run_id;
    uint64_t number; /* 1, 2, … within the run; 0 for kinds that are not kept */
    int64_t time_ms; /* since 1970, UTC */
    enum event_kind kind;
    const json_t *data; /* object, borrowed for the time of the call that hands it over */
};

const char *event_kind_name(enum event_kind kind);
bool event_kind_parse(const char *name, enum event_kind *out_kind);
bool event_is_kept(enum event_kind kind);
/* {"v":1,"run":…,"n":…,"time":…,"event":…,…data}; owned by the caller. */
json_t *event_to_json(const struct event *event);

#endif
