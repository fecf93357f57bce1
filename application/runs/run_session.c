#include "application/runs/run_session.h"
#include "application/structured/model_call.h"
#include "application/tools/quarantine.h"
#include "application/tools/server_events.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

#define SECONDS_MS 1000
#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)
/* Old runs that are removed at the end of a run: more than it adds, and too few to be felt. */
#define PRUNED_AT_ONCE 20
#define STATES_PRUNED_AT_ONCE 64 /* after one run in 32 */
#define MEGABYTE ((int64_t)1024 * 1024)

/* That a new run has no owner costs no more than that it may be listed as interrupted: a run that
 * must have one notes it again. */
awaits static void own(struct run_session *session, const struct run_resumption *resumed)
{
    struct services *services = session->services;
    struct journal *journal = &session->journal;
    if (resumed) {
        snprintf(journal->run_id, sizeof journal->run_id, "%s", resumed->run->id);
        session->claim = resumed->claim;
        session->state = resumed->state;
        session->kept = resumed->kept;
        session->answers = resumed->answers;
        session->host = resumed->host;
    } else if (services->run_states) {
        (void)!run_states_claim(services->run_states, &session->scope, journal->run_id,
                                &session->claim, NULL);
    }
}

/* A run that goes on in another folder than before belongs to that one. */
static void note_folder(struct run_session *session)
{
    const char *folder = session->services->folder;
    const char *before = run_contents_fact(session->kept, RUN_FACT_FOLDER);
    if (!folder || !before || strcmp(before, folder) == 0)
        return;
    journal_warn(&session->journal, "the run began in %s and goes on in %s", before, folder);
    run_state_put_fact(session->state, RUN_FACT_FOLDER, folder);
}

/* What a caller said of its trace, as far as it is valid; nothing where there was no caller. */
static struct trace_texts caller_of(const struct run_session *session)
{
    const struct trace *trace = &session->journal.trace;
    return trace_print(session->arena, trace, trace->parent);
}

/* A run that goes on stays part of the trace that it began in. */
static void begin_trace(struct run_session *session, bool is_resumed)
{
    const struct services *services = session->services;
    struct trace_texts caller = { 0 };
    if (!is_resumed)
        caller = services->caller;
    else if (session->kept)
        caller = (struct trace_texts){ run_contents_fact(session->kept, RUN_FACT_TRACE_PARENT),
                                       run_contents_fact(session->kept, RUN_FACT_TRACE_STATE) };
    trace_begin(&session->journal.trace, services->digest, session->journal.run_id, &caller);
}

static void count_event(struct observer *observer, const struct event *event)
{
    run_stats_event(&((struct run_counter *)observer)->stats, event);
}

static const struct observer_ops counter_ops = { count_event };

enum err_code run_session_begin(struct run_session *session, struct services *services,
                                const struct scope *scope, struct arena *arena,
                                const struct run_options *options, struct err *err)
{
    struct run_repository *runs = NULL;
    const struct settings *settings = services->settings;
    const bool has_model = options->asks_model && strcmp(settings->model_name, "none") != 0;
    enum err_code r = services_runs(services, &runs, err);
    if (r) {
        err_hint(err, r, "runs.enabled: false works without a run log");
        return err_prefix(err, r, "run log");
    }
    *session =
        (struct run_session){ .services = services, .arena = arena, .status = RUN_COMPLETED };
    session->is_dry = options->is_dry;
    session->is_queued = options->is_queued;
    session->started_ms = runtime_now_ms(services->runtime);
    session->scope =
        runtime_scope(services->runtime, scope, settings->limits_run_seconds * SECONDS_MS);
    journal_init(&session->journal, services->runtime, runs, services->digest, services->ids,
                 settings->runs_store_text);
    if (services->observer)
        journal_add_observer(&session->journal, services->observer);
    own(session, options->resumed);
    begin_trace(session, options->resumed);
    const struct trace_texts caller = caller_of(session);
    session->counter.base.ops = &counter_ops;
    run_stats_init(&session->counter.stats, arena);
    journal_add_observer(&session->journal, &session->counter.base);
    if (options->resumed && options->resumed->is_logged)
        journal_resume(&session->journal, options->resumed->run);
    else
        journal_begin(&session->journal, options->kind, options->session_id, options->title,
                      json_pack("{s:s*, s:s*, s:s*, s:s*}", "model",
                                has_model ? settings->model_name : NULL, "folder", services->folder,
                                TRACE_PARENT_KEY, caller.parent, TRACE_STATE_KEY, caller.state));
    if (options->resumed)
        note_folder(session);
    return ERR_NONE;
}

static bool keeps_all(const struct run_session *session)
{
    return strcmp(session->services->settings->runs_keep_state, "always") == 0;
}

/* What cannot be kept for a replay does not stop the run. */
static void begin_tape(struct run_session *session)
{
    const struct services *services = session->services;
    const struct taped_run run = { session->journal.run_id, &session->scope, services->user,
                                   services->approve_all };
    struct err err = { 0 };
    if (services->run_tapes && keeps_all(session) &&
        run_tapes_begin(services->run_tapes, &run, &session->tape, &err))
        journal_warn(&session->journal, "runs replay will not know this run: %s", err.message);
}

awaits static enum err_code open_and_list(struct run_session *session, struct scope *scope,
                                          struct err *err)
{
    enum err_code r = run_session_open_tools(session, session->session_approvals, err);
    return r ? r : toolbox_refresh(session->toolbox, scope, NULL, err);
}

awaits static enum err_code opening_task(struct runtime *runtime, struct scope *scope,
                                         void *argument)
{
    struct run_session *session = argument;
    (void)runtime;
    return open_and_list(session, scope, &session->opening_err);
}

/* A tape begins once there is a state: what servers list before would be missing in it. */
static void open_ahead(struct run_session *session)
{
    struct runtime *runtime = session->services->runtime;
    if (!session->opens_ahead || (session->services->run_tapes && keeps_all(session)))
        return;
    session->opening_scope = scope_child(&session->scope, SCOPE_NO_DEADLINE);
    session->opening = runtime_spawn(runtime, &session->opening_scope, opening_task, session);
}

static void keep_caller(struct run_session *session)
{
    const struct trace_texts caller = caller_of(session);
    if (caller.parent)
        run_state_put_fact(session->state, RUN_FACT_TRACE_PARENT, caller.parent);
    if (caller.state)
        run_state_put_fact(session->state, RUN_FACT_TRACE_STATE, caller.state);
}

enum err_code run_session_keep_state(struct run_session *session, struct err *err)
{
    struct run_states *states = session->services->run_states;
    const char *run_id = session->journal.run_id;
    struct err why = { 0 };
    enum err_code r = ERR_NONE;
    if (!states || strcmp(session->services->settings->runs_keep_state, "never") == 0)
        return ERR_NONE;
    if (!session->claim)
        r = run_states_claim(states, &session->scope, run_id, &session->claim, err);
    /* The run is in the log before it has a state, so that `runs list` knows what can be resumed. A
     * log that cannot be written is a warning at the end, since the state has what it takes, but
     * one of a newer mistro is not for this one to work beside. */
    if (!r && journal_sync(&session->journal, &session->scope, &why) == ERR_INVALID)
        r = ERR_INVALID;
    if (r == ERR_INVALID && why.code && err)
        *err = why;
    if (!r)
        open_ahead(session);
    if (!r)
        r = run_states_create(states, &session->scope, run_id, &session->state, err);
    session->invoker.ledger.state = session->state; /* where the tools were opened before */
    if (!r && session->services->folder && !session->is_queued)
        run_state_put_fact(session->state, RUN_FACT_FOLDER, session->services->folder);
    if (!r)
        keep_caller(session);
    if (!r && !session->is_queued)
        begin_tape(session);
    return r ? err_prefix(err, r, "state of the run") : ERR_NONE;
}

enum err_code run_session_check_kept(const struct run_session *session, struct err *err)
{
    if (session->state)
        return ERR_NONE;
    if (session->unkept.code && err)
        *err = session->unkept;
    if (session->unkept.code)
        return session->unkept.code;
    err_set(err, ERR_INVALID, 0, "a worker takes up what is kept of a run, and nothing is kept");
    return err_hint(err, ERR_INVALID, "set runs.keep_state: failed");
}

bool run_session_goes_on_elsewhere(const struct run_session *session)
{
    const struct run_host *host = session->host;
    return host && (host->gives_back || (session->state && run_state_check(session->state, NULL)));
}

bool run_session_leaves_state(const struct run_session *session, enum run_status status)
{
    return session->state && !session->drops_state && status != RUN_COMPLETED;
}

/* Last of all: until the log says that the run is complete, its state can tell. A state that says
 * nothing of an end is that of a process that died. */
static void close_state(struct run_session *session, enum run_status status, bool is_told)
{
    struct run_states *states = session->services->run_states;
    bool stays = !is_told || run_session_leaves_state(session, status) ||
                 (keeps_all(session) && !session->drops_state);
    if (session->tape)
        run_tapes_end(session->services->run_tapes, session->tape);
    if (session->state && is_told)
        run_state_put_fact(session->state, RUN_FACT_STATUS, run_status_name(status));
    if (session->state)
        run_state_close(session->state, !stays);
    if (session->claim)
        run_states_release(states, session->claim);
    session->state = NULL;
    session->claim = NULL;
}

enum err_code run_session_open_tools(struct run_session *session, json_t *session_approvals,
                                     struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n_servers = 0;
    if (session->toolbox)
        return ERR_NONE;
    enum err_code r =
        services_servers(session->services, &session->scope, &servers, &n_servers, err);
    if (r)
        return r;
    if (n_servers > TOOLBOX_MAX_SERVERS)
        return err_set(err, ERR_LIMIT, 0, "%zu servers are configured, at most %d can be used",
                       n_servers, TOOLBOX_MAX_SERVERS);
    session->servers = servers;
    session->n_servers = n_servers;
    server_events_listen(&session->journal, servers, n_servers,
                         session->services->wants_server_logs);
    session->toolbox = toolbox_create(session->services, servers, n_servers);
    invoker_init(&session->invoker, session->services, session->toolbox, &session->journal,
                 session_approvals);
    session->invoker.answers = session->answers;
    session->invoker.ledger.state = session->state;
    session->invoker.ledger.failure = session->unkept;
    session->invoker.ledger.is_closed = session->host ? &session->host->gives_back : NULL;
    for (size_t i = 0; session->kept && i < session->kept->n_calls; i++)
        session->invoker.ledger.bytes += (int64_t)session->kept->calls[i].result_length;
    session->invoker.ledger.has_calls = session->kept && session->kept->n_calls;
    session->invoker.ledger.max_bytes = session->services->settings->runs_max_state_mb * MEGABYTE;
    return ERR_NONE;
}

awaits static enum err_code await_opening(struct run_session *session, struct err *err)
{
    enum err_code r = runtime_wait(session->services->runtime, session->opening);
    session->opening = NULL;
    if (r && err)
        *err = session->opening_err;
    return r;
}

/* Asks about what changed, and tells what cannot be used. */
awaits static enum err_code settle_lists(struct run_session *session, struct err *err)
{
    bool is_approved = false;
    enum err_code r =
        quarantine_ask(session->services, &session->scope, &session->journal, session->toolbox,
                       session->invoker.session_approvals, &is_approved, err);
    if (!r && is_approved)
        r = toolbox_refresh(session->toolbox, &session->scope, NULL, err);
    size_t n = 0;
    const struct toolbox_failure *failures = toolbox_failures(session->toolbox, &n);
    for (size_t i = 0; !r && i < n; i++)
        journal_warn(&session->journal, "%s", failures[i].err.message);
    if (!r)
        quarantine_report(&session->journal, session->toolbox);
    return r;
}

enum err_code run_session_start_tools(struct run_session *session, struct err *err)
{
    enum err_code r = session->opening ? await_opening(session, err)
                                       : open_and_list(session, &session->scope, err);
    return r ? r : settle_lists(session, err);
}

enum err_code run_session_refresh_tools(struct run_session *session, struct err *err)
{
    enum err_code r = toolbox_refresh(session->toolbox, &session->scope, NULL, err);
    return r ? r : settle_lists(session, err);
}

void run_session_open_replies(struct run_session *session)
{
    session->replies = (struct reply_ledger){ .state = session->state,
                                              .kept = session->kept,
                                              .logged = session->replies.logged,
                                              .digest = session->services->digest,
                                              .arena = session->arena };
}

enum err_code run_session_model(struct run_session *session, struct run_model *out, struct err *err)
{
    struct services *services = session->services;
    struct model *model = NULL;
    *out = (struct run_model){ .choice = MODEL_CHOICE_NAMED };
    run_session_open_replies(session);
    enum err_code r = services_model(services, &session->scope, &model, &out->choice, err);
    if (!r && model)
        r = model_check(model, &session->scope, session->arena, &out->status, err);
    if (!r)
        out->engine = (struct engine){ .model = model,
                                       .runtime = services->runtime,
                                       .settings = services->settings,
                                       .journal = &session->journal,
                                       .places = services->places,
                                       .replies = &session->replies };
    return model_failure(r, err);
}

enum err_code run_session_code(const struct run_session *session, enum err_code code,
                               struct err *err)
{
    int64_t bound_seconds = session->services->settings->limits_run_seconds;
    bool is_over = run_session_now_ms(session) >= session->scope.deadline_ms;
    if (code != ERR_TIMEOUT || bound_seconds == 0 || !is_over)
        return code;
    return err_set(err, ERR_LIMIT, 0, "the run took longer than %lld s", (long long)bound_seconds);
}

int64_t run_session_overhead_ms(const struct run_session *session, int64_t busy_ms)
{
    int64_t total_ms = run_session_now_ms(session) - session->started_ms;
    return total_ms > busy_ms ? total_ms - busy_ms : 0;
}

enum err_code prune_runs(struct services *services, struct scope *scope, size_t max_runs,
                         const char *spared, size_t *out_removed, struct err *err)
{
    struct run_repository *runs = NULL;
    const struct run_retention keep = {
        .keep_ms = services->settings->runs_keep_days * DAY_MS,
        .max_bytes = services->settings->runs_max_mb * MEGABYTE,
        .max_runs = max_runs,
        .spared = spared,
    };
    enum err_code r = services_runs(services, &runs, err);
    *out_removed = 0;
    if (r || !runs)
        return r;
    return run_repository_prune(runs, scope, &keep, runtime_wall_ms(services->runtime), out_removed,
                                err);
}

enum err_code prune_run_states(struct services *services, struct scope *scope, size_t max_runs,
                               size_t *out_removed, struct err *err)
{
    const struct settings *settings = services->settings;
    int64_t keep_ms = settings->runs_keep_days * DAY_MS;
    int64_t before_ms = keep_ms ? runtime_wall_ms(services->runtime) - keep_ms : 0;
    *out_removed = 0;
    if (!services->run_states)
        return ERR_NONE;
    return run_states_prune(services->run_states, scope, before_ms,
                            settings->runs_max_state_mb * MEGABYTE, max_runs, out_removed, err);
}

/* The store answered, and would answer the same to another process. */
static bool is_refusal(enum err_code code)
{
    return code && code != ERR_UNAVAILABLE && code != ERR_MISMATCH && code != ERR_TIMEOUT &&
           code != ERR_CANCELLED;
}

/* What is known of the run of a host is written before its end is logged: that fails where the run
 * was taken away, and the log is then that of whoever goes on with it. refusal: why the store does
 * not take the state of a run that is not lost. */
awaits static bool is_lost(struct run_session *session, struct scope *closing, struct err *refusal)
{
    struct run_host *host = session->host;
    struct err err = { 0 };
    if (!host || !session->state)
        return false;
    enum err_code r = run_state_commit(session->state, closing, true, &err);
    if (is_refusal(r)) {
        r = host->check(host, closing, NULL);
        if (!r)
            *refusal = err;
    }
    if (r)
        session->journal.repository = NULL;
    return r != ERR_NONE;
}

/* Not behind a run for which something was unavailable: a store that is away has been told of. */
static void remove_old(struct run_session *session, struct scope *scope)
{
    struct services *services = session->services;
    const char *run_id = session->journal.run_id;
    struct err err = { 0 };
    size_t removed;
    if (prune_runs(services, scope, PRUNED_AT_ONCE, run_id, &removed, &err))
        journal_warn(&session->journal, "old runs were not removed: %s", err.message);
    /* After one run in 32 (run ids end in random base-32 digits): too seldom to be felt. */
    if (text_ends_with(run_id, "0") &&
        prune_run_states(services, scope, STATES_PRUNED_AT_ONCE, &removed, &err))
        journal_warn(&session->journal, "old states of runs were not removed: %s", err.message);
}

void run_session_end(struct run_session *session, enum run_status status, const struct err *why)
{
    struct services *services = session->services;
    if (session->opening) {
        runtime_cancel(services->runtime, &session->opening_scope);
        (void)!await_opening(session, NULL);
    }
    struct scope closing =
        scope_child(NULL, runtime_now_ms(services->runtime) + RUN_SESSION_CLOSE_MS);
    struct err err = { 0 };
    if (session->is_dry && status == RUN_COMPLETED)
        status = RUN_DRY;
    struct err refusal = { 0 };
    bool has_lost = is_lost(session, &closing, &refusal);
    if (has_lost || (session->host && session->host->gives_back)) {
        status = RUN_QUEUED;
    } else if (refusal.code) {
        status = RUN_FAILED;
        why = &refusal;
    }
    server_events_stop(session->servers, session->n_servers);
    if (session->toolbox)
        quarantine_warn_unpinned(&session->journal, session->toolbox);
    if (!why || why->code != ERR_UNAVAILABLE)
        remove_old(session, &closing);
    /* Of a run that was resumed the events are counted when somebody asks: this process has not
     * seen all of them. */
    session->journal.run.stats = session->kept ? NULL : run_stats_json(&session->counter.stats);
    bool is_told =
        !journal_end(&session->journal, &closing, status, status == RUN_QUEUED ? NULL : why, &err);
    if (!is_told)
        journal_warn(&session->journal, "not all events of this run were logged: %s", err.message);
    if (session->toolbox)
        invoker_finish(&session->invoker);
    toolbox_destroy(session->toolbox);
    session->toolbox = NULL;
    is_told = (is_told && !has_lost) || !session->host;
    if (session->host && is_told && status != RUN_QUEUED)
        is_told = session->host->end(session->host, session, status, why);
    close_state(session, status, is_told);
}

enum err_code run_session_do(struct services *services, struct scope *scope, struct arena *arena,
                             const struct run_options *options, run_body *body, void *context,
                             struct err *err)
{
    struct run_session session;
    struct err why = { 0 };
    enum err_code r = run_session_begin(&session, services, scope, arena, options, err);
    if (r)
        return r;
    r = run_session_code(&session, body(&session, context, &why), &why);
    if (r)
        run_session_end(&session, run_status_of(r), &why);
    else
        run_session_end(&session, session.status, &session.why);
    if (r && err)
        *err = why;
    return r;
}
