#include "application/runs/kept_call.h"
#include "application/runs/kept_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static bool is_of(const struct call_record *record, const struct tool *tool, const char *args)
{
    return text_equal(record->tool, tool->full_name) && text_equal(record->args, args);
}

/* Where the call is kept. *out: what is known of it; NULL when nothing is. */
static const char *path_of(struct run_session *session, const char *name, const struct tool *tool,
                           const json_t *arguments, const struct call_record **out)
{
    const char *path = name, *args = json_print_in(session->arena, arguments);
    *out = session->kept ? run_contents_call(session->kept, path) : NULL;
    for (unsigned n = 2; *out && !is_of(*out, tool, args); n++) {
        path = arena_printf(session->arena, "%s-%u", name, n);
        *out = run_contents_call(session->kept, path);
    }
    return path;
}

/* In the arena. */
static const char *message_of(struct arena *arena, const struct call_record *record)
{
    json_auto_t *error = NULL;
    const char *text = record->error ? record->error : "";
    bool has_one = !json_parse(text, strlen(text), JSON_OURS, &error, NULL);
    const char *message = has_one ? json_get_string(error, "message") : NULL;
    return message ? arena_strdup(arena, message) : "it failed";
}

enum err_code kept_result(struct arena *arena, const struct call_record *record, size_t max_values,
                          struct step_result *out, struct err *err)
{
    if (record->error) {
        step_result_from_text(arena, message_of(arena, record), NULL, true, out);
        return ERR_NONE;
    }
    enum err_code r = step_result_init(arena, record->result, record->result_length, out, err);
    if (!r)
        step_result_limit(out, max_values);
    return r;
}

static enum err_code take(struct run_session *session, const struct call_record *record,
                          struct invoke_outcome *out, struct err *err)
{
    struct arena *arena = session->arena;
    *out = (struct invoke_outcome){ .duration_ms = record->duration_ms };
    session->invoker.ledger.has_failed |= record->state == CALL_FAILED || record->error;
    if (record->result)
        return kept_result(arena, record, (size_t)session->services->settings->mcp_max_values,
                           &out->result, err);
    if (record->state == CALL_DONE) {
        step_result_from_text(arena, "", NULL, false, &out->result);
        return ERR_NONE;
    }
    return err_set(err, ERR_FAILED, 0, "%.200s: %s", record->tool, message_of(arena, record));
}

enum err_code kept_call(struct run_session *session, const char *name, const struct tool *tool,
                        const json_t *arguments, struct invoke_outcome *out, struct err *err)
{
    const struct call_record *before = NULL;
    const char *path = path_of(session, name, tool, arguments, &before);
    struct step step = { .id = path, .tool = tool->full_name };
    const struct plan plan = { .steps = &step, .n_steps = 1 };
    const struct invoke_request request = {
        .tool = tool,
        .arguments = arguments,
        .step_id = path,
        .path = path,
        .before = before,
    };
    if (before && (before->state == CALL_DONE || before->state == CALL_FAILED))
        return take(session, before, out, err);
    kept_plan_put_tools(session, &(struct kept_plan){ .plan = &plan });
    return invoke(&session->invoker, &session->scope, session->arena, &request, out, err);
}

enum err_code kept_calls_as_plan(struct run_session *session, struct plan *out, struct err *err)
{
    const struct run_contents *kept = session->kept;
    struct arena *arena = session->arena;
    *out = (struct plan){ .goal = session->journal.run.title ? session->journal.run.title : "",
                          .steps = arena_array(arena, struct step, kept->n_calls + 1) };
    for (size_t i = 0; i < kept->n_calls; i++) {
        const struct call_record *call = &kept->calls[i];
        json_t *args = NULL;
        enum err_code r = json_parse(call->args, strlen(call->args), JSON_OURS, &args, err);
        if (r)
            return err_prefix(err, ERR_UNAVAILABLE, "state of the run: %s", call->path);
        out->steps[out->n_steps++] = (struct step){ .id = call->path,
                                                    .tool = call->tool,
                                                    .args = arena_keep_json(arena, args) };
    }
    return ERR_NONE;
}
