#include "presentation/cli/events/event_text.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/events/event_text_jobs.h"
#include "presentation/cli/events/event_words.h"
#include <string.h>

/* "s1 files/read_file", or the tool alone. */
static const char *step_and_tool(struct arena *arena, const json_t *data)
{
    const char *step = event_member(arena, data, "step"), *tool = event_member(arena, data, "tool");
    int64_t line = json_get_int(data, "line", 0);
    if (line)
        return arena_printf(arena, "line %lld %s", (long long)line, tool);
    return *step ? arena_printf(arena, "%s %s", step, tool) : tool;
}

static const char *run_started_text(struct arena *arena, const json_t *data)
{
    const char *title = event_member(arena, data, "title");
    return arena_printf(arena, "%s%s%s", event_member(arena, data, "kind"), *title ? ": " : "",
                        title);
}

static const char *run_finished_text(struct arena *arena, const json_t *data)
{
    const char *why = event_member(arena, json_object_get(data, "error"), "message");
    return arena_printf(arena, "%s%s%s%s", event_member(arena, data, "status"),
                        event_ms(arena, data, "duration_ms"), *why ? ": " : "", why);
}

/* "ready in 12 ms (stdio, legacy 2025-11-25)" */
static const char *ready_text(struct arena *arena, const json_t *data)
{
    int64_t start_ms = json_get_int(data, "start_ms", -1);
    const char *era = event_member(arena, data, "era"),
               *version = event_member(arena, data, "protocol_version");
    const char *time = start_ms < 0 ? "" : arena_printf(arena, " in %lld ms", (long long)start_ms);
    return arena_printf(arena, "ready%s (%s%s%s%s%s)", time, event_member(arena, data, "transport"),
                        *era ? ", " : "", era, *version ? " " : "", version);
}

static const char *server_state_text(struct arena *arena, const json_t *data)
{
    const char *state = event_member(arena, data, "state"),
               *message = event_member(arena, data, "message");
    if (strcmp(state, "ready") == 0)
        state = ready_text(arena, data);
    return arena_printf(arena, "%s: %s%s%s", event_member(arena, data, "server"), state,
                        *message ? ": " : "", message);
}

static const char *server_log_text(struct arena *arena, const json_t *data)
{
    return arena_printf(arena, "%s [%s] %s", event_member(arena, data, "server"),
                        event_member(arena, data, "level"), event_member(arena, data, "text"));
}

static const char *prompt_text(struct arena *arena, const json_t *data)
{
    int64_t bytes = json_get_int(json_object_get(data, "system"), "bytes", 0) +
                    json_get_int(json_object_get(data, "user"), "bytes", 0);
    return arena_printf(arena, "for the %s, %lld bytes%s", event_member(arena, data, "purpose"),
                        (long long)bytes,
                        json_get_bool(data, "schema", false) ? ", answer held to a schema" : "");
}

static const char *reply_text(struct arena *arena, const json_t *data)
{
    int64_t in = json_get_int(data, "prompt_tokens", -1);
    int64_t out = json_get_int(data, "completion_tokens", -1);
    const char *tokens = in < 0 && out < 0 ? ""
                                           : arena_printf(arena, ", %lld tokens in, %lld out",
                                                          (long long)in, (long long)out);
    return arena_printf(arena, "for the %s%s%s: %s", event_member(arena, data, "purpose"), tokens,
                        event_ms(arena, data, "ms"),
                        event_member(arena, json_object_get(data, "reply"), "text"));
}

/* "2 for the plan, reminder: ok by repair" */
static const char *attempt_text(struct arena *arena, const json_t *data)
{
    const char *rung = event_member(arena, data, "rung"),
               *saved_by = event_member(arena, data, "saved_by");
    bool is_first = !*rung || strcmp(rung, "generate") == 0;
    return arena_printf(
        arena, "%lld for the %s%s%s: %s%s%s", (long long)json_get_int(data, "attempt", 1),
        event_member(arena, data, "contract"), is_first ? "" : ", ", is_first ? "" : rung,
        event_member(arena, data, "class"), *saved_by ? " by " : "", saved_by);
}

/* What was changed in values, or nothing. */
static const char *adjusted_text(struct arena *arena, const json_t *data)
{
    const char *changes = event_joined(arena, json_object_get(data, "adjusted"), "change", ", ");
    return *changes ? arena_printf(arena, "; adjusted: %s", changes) : "";
}

static const char *intent_text(struct arena *arena, const json_t *data)
{
    const json_t *evidence = json_object_get(data, "evidence");
    const char *tools = event_joined(arena, json_object_get(data, "tools_needed"), NULL, ", ");
    return arena_printf(
        arena, "%s %s, confidence %.2f = match %.2f x complete %.2f x valid %.2f - doubt %.2f%s",
        *tools ? tools : "no tool", event_value(arena, json_object_get(data, "parameters")),
        json_get_number(data, "confidence", 0), json_get_number(evidence, "tool_match", 0),
        json_get_number(evidence, "completeness", 0), json_get_number(evidence, "validity", 0),
        json_get_number(evidence, "penalty", 0), adjusted_text(arena, data));
}

static const char *plan_text(struct arena *arena, const json_t *data)
{
    const json_t *steps = json_object_get(json_object_get(data, "plan"), "steps");
    return arena_printf(arena, "by %s: %s%s", event_member(arena, data, "by"),
                        event_joined(arena, steps, "tool", ", "), adjusted_text(arena, data));
}

static const char *call_text(struct arena *arena, const json_t *data)
{
    int64_t attempt = json_get_int(data, "attempt", 1);
    return arena_printf(arena, "%s %s%s%s", step_and_tool(arena, data),
                        event_value(arena, json_object_get(data, "args")),
                        attempt > 1 ? arena_printf(arena, ", attempt %lld", (long long)attempt)
                                    : "",
                        json_object_get(data, "outcome")
                            ? ": may have been sent, no answer: it may have taken effect"
                            : "");
}

static const char *result_text(struct arena *arena, const json_t *data)
{
    const char *error = event_member(arena, json_object_get(data, "error"), "message");
    const char *how =
        *error ? error
        : json_get_bool(data, "is_error", false)
            ? "the tool's own error"
            : arena_printf(arena, "%lld bytes", (long long)json_get_int(data, "bytes", 0));
    return arena_printf(arena, "%s: %s%s", step_and_tool(arena, data), how,
                        event_ms(arena, data, "duration_ms"));
}

static const char *step_finished_text(struct arena *arena, const json_t *data)
{
    const char *error = event_member(arena, data, "error");
    return arena_printf(arena, "%s %s%s%s%s", step_and_tool(arena, data),
                        event_member(arena, data, "status"), event_ms(arena, data, "duration_ms"),
                        *error ? ": " : "", error);
}

/* "s1 lab/copy 3 of 9: the third file"; not every server knows how much there is in all */
static const char *progress_text(struct arena *arena, const json_t *data)
{
    const char *message = event_member(arena, data, "message");
    double total = json_get_number(data, "total", 0);
    return arena_printf(
        arena, "%s %g%s%s%s", step_and_tool(arena, data), json_get_number(data, "progress", 0),
        total > 0 ? arena_printf(arena, " of %g", total) : "", *message ? ": " : "", message);
}

/* "s1 lab/research is a task, working: gathering sources". Whoever knows its id can ask for the
 * result. */
static const char *task_text(struct arena *arena, const json_t *data)
{
    const char *message = event_member(arena, data, "message");
    return arena_printf(arena, "%s is a task, %s%s%s", step_and_tool(arena, data),
                        event_member(arena, data, "status"), *message ? ": " : "", message);
}

static const char *answer_text(struct arena *arena, const json_t *data)
{
    const json_t *answer = json_object_get(data, "answer");
    return arena_printf(arena, "%lld bytes: %s", (long long)json_get_int(answer, "bytes", 0),
                        event_member(arena, answer, "text"));
}

/* "history, result: 9200 of 8192 tokens" */
static const char *trimmed_text(struct arena *arena, const json_t *data)
{
    return arena_printf(arena, "%s: %lld tokens for a context of %lld",
                        event_member(arena, data, "what"),
                        (long long)json_get_int(data, "tokens_before", -1),
                        (long long)json_get_int(data, "context_tokens", -1));
}

static const char *quarantined_text(struct arena *arena, const json_t *data)
{
    const char *tool = event_member(arena, data, "tool");
    return arena_printf(arena, "%s: %s", *tool ? tool : event_member(arena, data, "path"),
                        event_member(arena, data, "message"));
}

static const char *model_state_text(struct arena *arena, const json_t *data)
{
    const char *message = event_member(arena, data, "message");
    return arena_printf(arena, "%s%s%s", event_member(arena, data, "state"), *message ? ": " : "",
                        message);
}

static const char *tools_changed_text(struct arena *arena, const json_t *data)
{
    return arena_printf(arena, "%s: its list of tools changed",
                        event_member(arena, data, "server"));
}

static const char *tools_quarantined_text(struct arena *arena, const json_t *data)
{
    return arena_printf(arena, "%s: %s", event_member(arena, data, "server"),
                        event_joined(arena, json_object_get(data, "tools"), "tool", ", "));
}

static const char *resource_updated_text(struct arena *arena, const json_t *data)
{
    const char *uri = event_member(arena, data, "uri");
    return arena_printf(arena, "%s: %s", event_member(arena, data, "server"),
                        *uri ? arena_printf(arena, "%s holds something else now", uri)
                             : "resources may have changed unheard");
}

static const char *questions_text(struct arena *arena, const json_t *data)
{
    return event_joined(arena, json_object_get(data, "questions"), "text", "; ");
}

static const char *problems_text(struct arena *arena, const json_t *data)
{
    return event_joined(arena, json_object_get(data, "problems"), "message", "; ");
}

static const char *elicitation_text(struct arena *arena, const json_t *data)
{
    const char *action = event_member(arena, data, "action");
    const json_t *content = json_object_get(data, "content");
    if (!*action)
        return arena_printf(arena, "%s: %s%s%s", event_member(arena, data, "server"),
                            event_member(arena, json_object_get(data, "message"), "text"),
                            json_object_get(data, "url") ? " " : "",
                            event_member(arena, data, "url"));
    return arena_printf(arena, "%s: %s%s%s", event_member(arena, data, "server"), action,
                        content ? " " : "", event_value(arena, content));
}

static const char *sampling_text(struct arena *arena, const json_t *data)
{
    const char *status = event_member(arena, data, "status");
    const char *text = *status ? "reply" : "messages";
    return arena_printf(arena, "%s: %s%s%s", event_member(arena, data, "server"), status,
                        *status ? " " : "",
                        event_member(arena, json_object_get(data, text), "text"));
}

static const char *approval_text(struct arena *arena, const json_t *data)
{
    return arena_printf(arena, "%s: %s", event_member(arena, data, "tool"),
                        event_member(arena, data, "answer"));
}

static const char *discarded_text(struct arena *arena, const json_t *data)
{
    return arena_printf(arena, "%lld for the %s", (long long)json_get_int(data, "attempt", 1),
                        event_member(arena, data, "contract"));
}

static const char *prompt_update_text(struct arena *arena, const json_t *data)
{
    return arena_printf(arena, "by the %s: %s", event_member(arena, data, "by"),
                        event_member(arena, data, "prompt"));
}

static const char *settings_text(struct arena *arena, const json_t *data)
{
    const char *text = event_member(arena, data, "text");
    return *text ? text : event_value(arena, json_object_get(data, "settings"));
}

static const char *generation_text(struct arena *arena, const json_t *data)
{
    const char *text = event_member(arena, data, "text");
    return *text ? text : call_text(arena, data);
}

static const char *image_text(struct arena *arena, const json_t *data)
{
    return arena_printf(arena, "%s: %s", event_member(arena, data, "tool"),
                        event_member(arena, data, "image"));
}

static const char *done_text(struct arena *arena, const json_t *data)
{
    return event_value(arena, json_object_get(data, "settings"));
}

/* Kinds that are not here say their member `text`. */
static const char *(*const texts[])(struct arena *arena, const json_t *data) = {
    [EVENT_RUN_STARTED] = run_started_text,
    [EVENT_RUN_FINISHED] = run_finished_text,
    [EVENT_SERVER_STATE] = server_state_text,
    [EVENT_SERVER_LOG] = server_log_text,
    [EVENT_TOOLS_CHANGED] = tools_changed_text,
    [EVENT_RESOURCE_UPDATED] = resource_updated_text,
    [EVENT_TOOLS_QUARANTINED] = tools_quarantined_text,
    [EVENT_PROMPT_SENT] = prompt_text,
    [EVENT_MODEL_REPLIED] = reply_text,
    [EVENT_MODEL_STATE] = model_state_text,
    [EVENT_ATTEMPT] = attempt_text,
    [EVENT_ATTEMPT_DISCARDED] = discarded_text,
    [EVENT_PROMPT_TRIMMED] = trimmed_text,
    [EVENT_SCHEMA_QUARANTINED] = quarantined_text,
    [EVENT_INTENT] = intent_text,
    [EVENT_QUESTIONS] = questions_text,
    [EVENT_PLAN] = plan_text,
    [EVENT_PLAN_REJECTED] = problems_text,
    [EVENT_STEP_STARTED] = call_text,
    [EVENT_STEP_PROGRESS] = progress_text,
    [EVENT_STEP_FINISHED] = step_finished_text,
    [EVENT_TASK] = task_text,
    [EVENT_TOOL_CALL] = call_text,
    [EVENT_TOOL_RESULT] = result_text,
    [EVENT_APPROVAL_ASKED] = call_text,
    [EVENT_APPROVAL_GIVEN] = approval_text,
    [EVENT_ELICITATION_ASKED] = elicitation_text,
    [EVENT_ELICITATION_ANSWERED] = elicitation_text,
    [EVENT_SAMPLING_ASKED] = sampling_text,
    [EVENT_SAMPLING_ANSWERED] = sampling_text,
    [EVENT_ANSWER] = answer_text,
    [EVENT_PROMPT_UPDATE] = prompt_update_text,
    [EVENT_SETTINGS_UPDATE] = settings_text,
    [EVENT_GENERATION_STARTED] = generation_text,
    [EVENT_IMAGE_READY] = image_text,
    [EVENT_DONE] = done_text,
};

const char *event_text(struct arena *arena, const struct event *event)
{
    bool is_known = (size_t)event->kind < ARRAY_LENGTH(texts) && texts[event->kind];
    const char *of_job = event_text_of_job(arena, event);
    if (of_job)
        return of_job;
    return is_known ? texts[event->kind](arena, event->data)
                    : event_member(arena, event->data, "text");
}
