#include "application/use_cases/resume_run.h"
#include "application/use_cases/kept_run.h"
#include "application/use_cases/make_figure.h"
#include "application/use_cases/mistral_chat.h"
#include "application/use_cases/plan_state.h"
#include "application/use_cases/reach_consensus.h"
#include "application/use_cases/run_plan.h"
#include "application/use_cases/runs/runs.h"
#include "application/use_cases/settle_calls.h"
#include "application/use_cases/studio_chat.h"
#include "application/use_cases/turn_state.h"
#include "domain/base/text.h"
#include <string.h>

enum { LATEST_AMONG = 100 };

bool resume_run_knows(const char *kind)
{
    static const char *const kinds[] = { RUN_KIND_OF_PLANS,   RUN_KIND_OF_ASK,
                                         RUN_KIND_OF_CHAT,    RUN_KIND_OF_CONSENSUS,
                                         RUN_KIND_OF_FIGURES, RUN_KIND_OF_STUDIO };
    return text_is_one_of(kind, kinds, ARRAY_LENGTH(kinds));
}

static enum err_code refuse_complete(const struct run *run, struct err *err)
{
    return err_set(err, ERR_INVALID, 0, "run %.40s is complete: there is nothing left to do",
                   run->id);
}

/* The newest of those that something is left to do of; where there is none, the newest. */
static enum err_code latest_unfinished(struct services *services, struct scope *scope,
                                       struct arena *arena, const char **out_id, struct err *err)
{
    struct run *runs = NULL;
    size_t n = 0;
    enum err_code r = list_runs(services, scope, arena, LATEST_AMONG, &runs, &n, err);
    for (size_t i = 0; i < n; i++) {
        bool is_over = runs[i].status == RUN_COMPLETED || runs[i].status == RUN_DRY ||
                       runs[i].status == RUN_RUNNING || runs[i].status == RUN_QUEUED;
        if (!is_over && resume_run_knows(runs[i].kind)) {
            *out_id = runs[i].id;
            break;
        }
    }
    return r;
}

static enum err_code open_run(struct services *services, struct scope *scope, struct arena *arena,
                              const struct resume_request *request, struct run_resumption *out,
                              struct err *err)
{
    const char *id = request->run_id;
    bool keeps_none = strcmp(services->settings->runs_keep_state, "never") == 0;
    enum err_code r =
        text_equal(id, RUN_LATEST) ? latest_unfinished(services, scope, arena, &id, err) : ERR_NONE;
    if (!r)
        r = kept_run_find(services, scope, arena, id, out, err);
    if (r)
        return r;
    if (out->run->status == RUN_COMPLETED && !request->host)
        return refuse_complete(out->run, err);
    if (out->run->status == RUN_DRY)
        return err_set(err, ERR_INVALID, 0, "run %.40s was a dry run, which called nothing",
                       out->run->id);
    if (!resume_run_knows(out->run->kind))
        return err_set(err, ERR_INVALID, 0, "run %.40s is of %.20s, which cannot be resumed",
                       out->run->id, out->run->kind);
    r = kept_run_open(services, scope, out, err);
    if (r == ERR_NOT_FOUND)
        err_hint(err, r,
                 keeps_none ? "runs.keep_state is never: then no run can be resumed"
                            : "it ended before it was kept, or long ago: begin it again");
    return r;
}

/* Relative names in arguments and in the settings of servers mean other files elsewhere. */
static enum err_code check_folder(const struct services *services, const struct run_contents *kept,
                                  const struct resume_request *request, struct err *err)
{
    const char *before = run_contents_fact(kept, RUN_FACT_FOLDER), *now = services->folder;
    if (request->accepts_changes || !before || !now || strcmp(before, now) == 0)
        return ERR_NONE;
    err_set(err, ERR_MISMATCH, 0, "the run began in the folder %s", before);
    return err_hint(err, ERR_MISMATCH, "resume it there, or with --accept-changes in this one");
}

/* The log may not know that the run ended, or that a fork went on in its place. */
static enum err_code check_end(const struct run_resumption *run,
                               const struct resume_request *request, struct err *err)
{
    const char *fork = plan_state_fork(run->kept), *id = run->run->id;
    const char *status = run_contents_fact(run->kept, RUN_FACT_STATUS);
    bool has_ended = status && !text_equal(status, run_status_name(RUN_RUNNING));
    if (request->is_one_of_all && !run->is_logged && has_ended) {
        err_set(err, ERR_NOT_FOUND, 0, "run %.40s was not interrupted", id);
        return err_about(err, ERR_NOT_FOUND, KEPT_RUN_NOTHING);
    }
    if (text_equal(status, run_status_name(RUN_COMPLETED)) && !request->host)
        return refuse_complete(run->run, err);
    if (!request->is_one_of_all || !fork)
        return ERR_NONE;
    err_set(err, ERR_INVALID, 0,
            "run %.40s was forked as %.40s: resume it by its id, if it is to go on", id, fork);
    return err_about(err, ERR_INVALID, RESUME_RUN_FORKED);
}

/* One run on its way. */
struct resuming {
    struct services *services;
    struct scope *scope;
    struct arena *arena;
    struct resumption resumption;
    struct turn_result *out;
    bool never_began; /* a job: its state is still ours to close */
};

static enum err_code resume_plan(struct resuming *resuming, struct err *err)
{
    struct given_plan plan = { 0 };
    enum err_code r = plan_state_read(resuming->arena, resuming->services->digest,
                                      resuming->resumption.run.kept, &plan, err);
    const struct run_plan_request request = { .plan = plan.plan,
                                              .vars = plan.vars,
                                              .is_foreign = plan.is_foreign,
                                              .was_checked = plan.was_checked,
                                              .resumed = &resuming->resumption };
    resuming->never_began = r != ERR_NONE;
    return r ? r
             : run_plan(resuming->services, resuming->scope, resuming->arena, &request,
                        resuming->out, err);
}

static enum err_code resume_turn(struct resuming *resuming, struct err *err)
{
    struct mistral_chat *chat = mistral_chat_create(resuming->services);
    enum err_code r = mistral_chat_resume(chat, resuming->scope, resuming->arena,
                                          &resuming->resumption, resuming->out, err);
    mistral_chat_destroy(chat);
    return r;
}

/* As the result of a turn; its answer is what the job came to. */
static void take_end(struct resuming *resuming, const struct job_end *end, const char *answer,
                     const struct err *why)
{
    *resuming->out = (struct turn_result){ .run_id = end->run_id,
                                           .status = end->status,
                                           .answer = answer,
                                           .had_answer = answer != NULL,
                                           .intent = end->open,
                                           .is_resumable = end->is_resumable,
                                           .usage = usage_none(),
                                           .err = *why };
    resuming->never_began = !*end->run_id;
}

static enum err_code resume_consensus(struct resuming *resuming, struct err *err)
{
    struct resumed_job *job = resuming->resumption.request->job;
    struct reached_consensus *reached = arena_new(resuming->arena, struct reached_consensus);
    const struct consensus_request request = consensus_request_kept(&resuming->resumption);
    enum err_code r = reach_consensus(resuming->services, resuming->scope, resuming->arena,
                                      &request, reached, err);
    take_end(resuming, &reached->end, consensus_answer(&reached->result, reached->kind),
             &reached->result.err);
    if (!r && !reached->end.open && job)
        job->consensus = reached;
    return r;
}

static enum err_code resume_figure(struct resuming *resuming, struct err *err)
{
    struct resumed_job *job = resuming->resumption.request->job;
    struct made_figure *made = arena_new(resuming->arena, struct made_figure);
    const struct figure_request request =
        figure_request_kept(resuming->arena, &resuming->resumption);
    enum err_code r =
        make_figure(resuming->services, resuming->scope, resuming->arena, &request, made, err);
    take_end(resuming, &made->end, *made->folder ? made->folder : NULL, &made->result.err);
    if (!r && !made->end.open && job)
        job->figure = made;
    return r;
}

static enum err_code resume_studio(struct resuming *resuming, struct err *err)
{
    struct studio_chat *chat = studio_chat_create(resuming->services);
    struct studio_resumed turn;
    const struct studio_result *said = &turn.result;
    enum err_code r = studio_chat_resume(chat, resuming->scope, resuming->arena,
                                         &resuming->resumption, &turn, err);
    const char *answer =
        said->image ? arena_printf(resuming->arena, "%s\n%s", said->text, said->image) : said->text;
    take_end(resuming, &turn.end, answer, &said->err);
    resuming->out->session_id = turn.session_id;
    if (said->not_saved.code)
        turn_result_not_saved(resuming->out, &said->not_saved);
    studio_chat_destroy(chat);
    return r;
}

typedef enum err_code resume_fn(struct resuming *resuming, struct err *err);

/* What the state has says which kind of run it is, also where the log lost it. */
static enum err_code read_state(struct resuming *resuming, resume_fn **out, struct err *err)
{
    static const struct {
        const char *kind;
        resume_fn *resume;
    } jobs[] = { { TURN_STATE_KIND, resume_turn },
                 { RUN_KIND_OF_CONSENSUS, resume_consensus },
                 { RUN_KIND_OF_FIGURES, resume_figure },
                 { RUN_KIND_OF_STUDIO, resume_studio } };
    const struct run_contents *kept = resuming->resumption.run.kept;
    for (size_t i = 0; i < ARRAY_LENGTH(jobs); i++) {
        *out = jobs[i].resume;
        if (run_contents_fact(kept, jobs[i].kind))
            return job_state_read(resuming->arena, kept, jobs[i].kind, &resuming->resumption.job,
                                  err);
    }
    *out = resume_plan;
    return ERR_NONE;
}

awaits static enum err_code resume_once(struct services *services, struct scope *scope,
                                        struct arena *arena, const struct resume_request *request,
                                        struct turn_result *out, struct err *err)
{
    struct resuming resuming = { .services = services,
                                 .scope = scope,
                                 .arena = arena,
                                 .resumption.request = request,
                                 .out = out,
                                 .never_began = true };
    struct run_resumption *run = &resuming.resumption.run;
    resume_fn *resume = NULL;
    *out = (struct turn_result){ 0 };
    enum err_code r = open_run(services, scope, arena, request, run, err);
    run->answers = request->answers;
    run->host = request->host;
    if (!r && request->host)
        r = request->host->check(request->host, scope, err);
    if (!r)
        r = check_end(run, request, err);
    if (!r)
        r = settle_calls_check(arena, run->kept, request, err);
    if (!r)
        r = check_folder(services, run->kept, request, err);
    if (!r)
        r = read_state(&resuming, &resume, err);
    if (!r) {
        resuming.never_began = false;
        r = resume(&resuming, err);
    }
    if (resuming.never_began) /* else what is kept went with its session */
        kept_run_close(services, run,
                       resume == resume_plan && r == ERR_NOT_FOUND && !run->kept->n_calls);
    return r;
}

/* Where the server has forgotten the task that a call became there is nothing left to look at. */
static bool has_forgotten_task(const struct turn_result *result)
{
    for (size_t i = 0; i < result->n_steps; i++)
        if (result->steps[i].err.is_outcome_unknown && result->steps[i].err.code == ERR_FAILED)
            return true;
    return false;
}

/* What is uncertain since a task was forgotten is settled in the same command. */
enum err_code resume_run(struct services *services, struct scope *scope, struct arena *arena,
                         const struct resume_request *request, struct turn_result *out,
                         struct err *err)
{
    enum err_code r = resume_once(services, scope, arena, request, out, err);
    if (r || request->host || !out->is_resumable || !has_forgotten_task(out))
        return r;
    const struct resume_request again = { .run_id = out->run_id,
                                          .uncertain = request->uncertain,
                                          .accepts_changes = request->accepts_changes };
    return resume_once(services, scope, arena, &again, out, err);
}
