#include "application/use_cases/runs/job.h"
#include "application/tools/quarantine.h"
#include "application/tools/server_events.h"
#include "application/use_cases/runs/runs.h"
#include "domain/base/text.h"
#include "domain/text/redact.h"
#include <string.h>

#define SECONDS_MS 1000

static const char *make_title(struct arena *arena, const char *text)
{
    const char *shown = redact_text(arena, text ? text : "");
    return arena_strndup(arena, shown, text_cut(shown, strlen(shown), JOB_TITLE_BYTES));
}

static json_t *make_meta(const struct services *services)
{
    return json_pack("{s:s}", "model", services->settings->model_name);
}

enum err_code job_begin(struct job *job, struct services *services, const struct scope *scope,
                        struct arena *arena, const char *kind, const char *session_id,
                        const char *title, struct err *err)
{
    struct run_repository *runs = NULL;
    enum err_code r = services_runs(services, &runs, err);
    if (r) {
        err_hint(err, r, "runs.enabled: false works without a run log");
        return err_prefix(err, r, "run log");
    }
    *job = (struct job){ .services = services, .arena = arena };
    job->started_ms = runtime_now_ms(services->runtime);
    job->scope = runtime_scope(services->runtime, scope,
                               services->settings->limits_run_seconds * SECONDS_MS);
    journal_init(&job->journal, services->runtime, runs, services->digest, services->ids,
                 services->settings->runs_store_text);
    if (services->observer)
        journal_add_observer(&job->journal, services->observer);
    journal_begin(&job->journal, kind, session_id, make_title(arena, title), make_meta(services));
    return ERR_NONE;
}

enum err_code job_open_tools(struct job *job, json_t *session_approvals, struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n_servers = 0;
    enum err_code r = services_servers(job->services, &job->scope, &servers, &n_servers, err);
    if (r)
        return r;
    if (n_servers > TOOLBOX_MAX_SERVERS)
        return err_set(err, ERR_LIMIT, 0, "%zu servers are configured, at most %d can be used",
                       n_servers, TOOLBOX_MAX_SERVERS);
    job->servers = servers;
    job->n_servers = n_servers;
    server_events_listen(&job->journal, servers, n_servers, job->services->wants_server_logs);
    job->toolbox = toolbox_create(job->services, servers, n_servers);
    invoker_init(&job->invoker, job->services, job->toolbox, &job->journal, session_approvals);
    return ERR_NONE;
}

enum err_code job_refresh_tools(struct job *job, struct err *err)
{
    enum err_code r = toolbox_refresh(job->toolbox, &job->scope, NULL, err);
    size_t n = 0;
    const struct toolbox_failure *failures = toolbox_failures(job->toolbox, &n);
    for (size_t i = 0; !r && i < n; i++)
        journal_warn(&job->journal, "%s", failures[i].err.message);
    if (!r)
        quarantine_report(&job->journal, job->toolbox);
    return r;
}

enum err_code job_code(const struct job *job, enum err_code code, struct err *err)
{
    int64_t bound_seconds = job->services->settings->limits_run_seconds;
    bool is_over = runtime_now_ms(job->services->runtime) >= job->scope.deadline_ms;
    if (code != ERR_TIMEOUT || bound_seconds == 0 || !is_over)
        return code;
    return err_set(err, ERR_LIMIT, 0, "the run took longer than %lld s", (long long)bound_seconds);
}

/* Old runs go behind one run in 32 (ids end in chance): often enough for the bounds of the log to
 * hold, too seldom to be felt. */
static void clear_up(struct job *job, struct scope *scope)
{
    struct err err = { 0 };
    size_t removed;
    bool is_its_turn = text_ends_with(job->journal.run_id, "0");
    if (is_its_turn && job->journal.repository && prune_runs(job->services, scope, &removed, &err))
        journal_warn(&job->journal, "old runs were not removed: %s", err.message);
}

void job_end(struct job *job, enum run_status status, const struct err *why)
{
    struct runtime *runtime = job->services->runtime;
    struct scope closing = scope_child(NULL, runtime_now_ms(runtime) + JOB_CLOSE_MS);
    struct err err = { 0 };
    server_events_stop(job->servers, job->n_servers);
    if (job->toolbox)
        quarantine_warn_unpinned(&job->journal, job->toolbox);
    clear_up(job, &closing);
    if (journal_end(&job->journal, &closing, status, why, &err))
        journal_warn(&job->journal, "not all events of this run were logged: %s", err.message);
    if (job->toolbox)
        invoker_finish(&job->invoker);
    toolbox_destroy(job->toolbox);
    job->toolbox = NULL;
}
