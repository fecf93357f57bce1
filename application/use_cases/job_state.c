#include "application/use_cases/job_state.h"
#include "application/runs/kept_call.h"
#include "application/use_cases/recover_log.h"
#include "application/use_cases/settle_calls.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define FACT_FIRST_MODEL "model"

static enum err_code begin(struct run_session *session, const char *kind, json_t *request,
                           struct err *err)
{
    const struct services *services = session->services;
    enum err_code r = run_session_keep_state(session, err);
    if (r || !session->state)
        return r;
    if (!request)
        return err_set(err, ERR_INVALID, 0, "the request is not UTF-8");
    if (!session->is_queued)
        json_object_set_new(request, "model", json_string(services->settings->model_name));
    json_object_set_new(request, "local_ms", json_integer(runtime_local_ms(services->runtime)));
    auto_str text = json_print_sorted(request);
    run_state_put_fact(session->state, kind, text);
    return run_state_commit(session->state, &session->scope, false, err);
}

enum err_code job_state_begin(struct run_session *session, const char *kind, json_t *request,
                              struct err *err)
{
    struct err why = { 0 };
    json_auto_t *owned = request;
    enum err_code r = begin(session, kind, owned, &why);
    if (r != ERR_UNAVAILABLE) {
        if (r && err)
            *err = why;
        return r;
    }
    if (session->state)
        run_state_close(session->state, /* remove */ true);
    session->state = NULL;
    session->unkept = why;
    session->invoker.ledger.state = NULL;
    session->invoker.ledger.failure = why;
    journal_warn(&session->journal, "%s; it cannot be resumed, and calls only what may be repeated",
                 why.message);
    return ERR_NONE;
}

enum err_code job_state_read(struct arena *arena, const struct run_contents *contents,
                             const char *kind, struct kept_job *out, struct err *err)
{
    const char *text = run_contents_fact(contents, kind);
    json_t *request = NULL;
    if (!text)
        return err_set(err, ERR_NOT_FOUND, 0, "the run ended before its request was kept");
    enum err_code r = json_parse(text, strlen(text), JSON_OURS, &request, err);
    if (r)
        return err_prefix(err, ERR_UNAVAILABLE, "state of the run: %s", kind);
    *out = (struct kept_job){ .request = arena_keep_json(arena, request),
                              .model = json_get_string(request, "model"),
                              .local_ms = json_get_int(request, "local_ms", 0) };
    return ERR_NONE;
}

/* What one model began another one would go on with. A job that was queued began with the model of
 * its first worker. */
static enum err_code compare_model(const struct run_session *session,
                                   const struct resumption *resumed, struct err *err)
{
    const char *now = session->services->settings->model_name, *before = resumed->job.model;
    if (!before)
        before = run_contents_fact(session->kept, FACT_FIRST_MODEL);
    if (!before) {
        run_state_put_fact(session->state, FACT_FIRST_MODEL, now);
        return ERR_NONE;
    }
    if (resumed->request->accepts_changes || text_equal(now, before))
        return ERR_NONE;
    err_set(err, ERR_MISMATCH, 0, "the run began with the model %.100s, and now it is %.100s",
            before, now);
    return err_hint(err, ERR_MISMATCH, "resume with -m %.100s, or with --accept-changes", before);
}

enum err_code job_state_settle(struct run_session *session, const struct resumption *resumed,
                               const struct kept_plan *plans, size_t n_plans,
                               const struct intent **out_open, struct err *err)
{
    enum err_code r = compare_model(session, resumed, err);
    session->set_back_ms = runtime_local_ms(session->services->runtime) - resumed->job.local_ms;
    return r ? r : settle_calls(session, plans, n_plans, resumed->request, out_open, err);
}

bool job_end_is_final(enum err_code code)
{
    return code == ERR_NONE || code == ERR_FAILED || code == ERR_UNGROUNDED ||
           code == ERR_BAD_PLAN || code == ERR_INVALID || code == ERR_NOT_FOUND;
}

static enum err_code take_up(struct run_session *session, struct job *job, struct err *err)
{
    struct plan *plan = arena_new(session->arena, struct plan);
    const struct kept_plan calls = { .plan = plan };
    recover_log(session);
    enum err_code r = kept_calls_as_plan(session, plan, err);
    if (!r && plan->n_steps)
        r = run_session_open_tools(session, NULL, err);
    if (!r)
        r = job_state_settle(session, job->resumed, &calls, 1, &job->end->open, err);
    return r;
}

/* A job that came to its end would come to it again, unless a call can be made again. One that is
 * done and fails has a folder that could not be written. */
static bool is_worth_keeping(const struct run_session *session, enum err_code code)
{
    const struct call_ledger *calls = &session->invoker.ledger;
    bool is_final =
        code ? code != ERR_FAILED && job_end_is_final(code) : job_end_is_final(session->why.code);
    if (code == ERR_NONE && session->status == RUN_COMPLETED)
        return true;
    return is_final ? calls->has_failed : calls->has_calls || session->replies.n_replies;
}

static enum err_code run(struct run_session *session, void *context, struct err *err)
{
    struct job *job = context;
    enum err_code r = ERR_NONE;
    if (job->resumed)
        r = take_up(session, job, err);
    else if (!job->keeps_nothing)
        r = job_state_begin(session, job->kind, steal(&job->request), err);
    bool begins = !r && !job->end->open;
    if (begins)
        r = job->work(session, job->context, err);
    else if (!r)
        session->status = RUN_NEEDS_ANSWER;
    /* An error of a job that is resumed may be about how it is resumed. */
    if (!job->resumed || (begins && !r))
        session->drops_state = !is_worth_keeping(session, r);
    job->end->run_id = arena_strdup(session->arena, session->journal.run_id);
    job->end->status = r ? run_status_of(r) : session->status;
    job->end->is_resumable = run_session_leaves_state(session, job->end->status);
    return r;
}

enum err_code job_do(struct services *services, struct scope *scope, struct arena *arena,
                     struct job *job, const char *session_id, const char *title, struct err *err)
{
    const struct run_options options = { .kind = job->kind,
                                         .session_id = session_id,
                                         .title = title,
                                         .asks_model = job->asks_model,
                                         .resumed = job->resumed ? &job->resumed->run : NULL };
    *job->end = (struct job_end){ .run_id = "" };
    enum err_code r = run_session_do(services, scope, arena, &options, run, job, err);
    json_decref(job->request); /* of a run that could not begin */
    job->request = NULL;
    return r;
}
