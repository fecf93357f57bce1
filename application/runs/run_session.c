#include "application/runs/run_session.h"
#include "application/structured/model_call.h"
#include "application/tools/quarantine.h"
#include "application/tools/server_events.h"
#include "domain/base/text.h"

#define SECONDS_MS 1000
#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)
/* Old runs that are removed at the end of a run: more than it adds, and too few to be felt. */
#define PRUNED_AT_ONCE 20
#define MEGABYTE ((int64_t)1024 * 1024)

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
    enum err_code r = services_runs(services, &runs, err);
    if (r) {
        err_hint(err, r, "runs.enabled: false works without a run log");
        return err_prefix(err, r, "run log");
    }
    *session =
        (struct run_session){ .services = services, .arena = arena, .status = RUN_COMPLETED };
    session->started_ms = runtime_now_ms(services->runtime);
    session->scope =
        runtime_scope(services->runtime, scope, settings->limits_run_seconds * SECONDS_MS);
    journal_init(&session->journal, services->runtime, runs, services->digest, services->ids,
                 settings->runs_store_text);
    if (services->observer)
        journal_add_observer(&session->journal, services->observer);
    session->counter.base.ops = &counter_ops;
    run_stats_init(&session->counter.stats, arena);
    journal_add_observer(&session->journal, &session->counter.base);
    journal_begin(&session->journal, options->kind, options->session_id, options->title,
                  json_pack("{s:s}", "model", settings->model_name));
    return ERR_NONE;
}

enum err_code run_session_open_tools(struct run_session *session, json_t *session_approvals,
                                     struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n_servers = 0;
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
    return ERR_NONE;
}

enum err_code run_session_refresh_tools(struct run_session *session, struct err *err)
{
    enum err_code r = toolbox_refresh(session->toolbox, &session->scope, NULL, err);
    size_t n = 0;
    const struct toolbox_failure *failures = toolbox_failures(session->toolbox, &n);
    for (size_t i = 0; !r && i < n; i++)
        journal_warn(&session->journal, "%s", failures[i].err.message);
    if (!r)
        quarantine_report(&session->journal, session->toolbox);
    return r;
}

enum err_code run_session_model(struct run_session *session, struct run_model *out, struct err *err)
{
    struct services *services = session->services;
    struct model *model = NULL;
    *out = (struct run_model){ .choice = MODEL_CHOICE_NAMED };
    enum err_code r = services_model(services, &session->scope, &model, &out->choice, err);
    if (!r && model)
        r = model_check(model, &session->scope, session->arena, &out->status, err);
    if (!r)
        out->engine = (struct engine){ .model = model,
                                       .runtime = services->runtime,
                                       .settings = services->settings,
                                       .journal = &session->journal };
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
                         size_t *out_removed, struct err *err)
{
    struct run_repository *runs = NULL;
    const struct run_retention keep = {
        .keep_ms = services->settings->runs_keep_days * DAY_MS,
        .max_bytes = services->settings->runs_max_mb * MEGABYTE,
        .max_runs = max_runs,
    };
    enum err_code r = services_runs(services, &runs, err);
    *out_removed = 0;
    if (r || !runs)
        return r;
    return run_repository_prune(runs, scope, &keep, runtime_wall_ms(services->runtime), out_removed,
                                err);
}

void run_session_end(struct run_session *session, enum run_status status, const struct err *why)
{
    struct services *services = session->services;
    struct scope closing =
        scope_child(NULL, runtime_now_ms(services->runtime) + RUN_SESSION_CLOSE_MS);
    struct err err = { 0 };
    size_t removed;
    server_events_stop(session->servers, session->n_servers);
    if (session->toolbox)
        quarantine_warn_unpinned(&session->journal, session->toolbox);
    if (prune_runs(services, &closing, PRUNED_AT_ONCE, &removed, &err))
        journal_warn(&session->journal, "old runs were not removed: %s", err.message);
    session->journal.run.stats = run_stats_json(&session->counter.stats);
    if (journal_end(&session->journal, &closing, status, why, &err))
        journal_warn(&session->journal, "not all events of this run were logged: %s", err.message);
    if (session->toolbox)
        invoker_finish(&session->invoker);
    toolbox_destroy(session->toolbox);
    session->toolbox = NULL;
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
