#include "application/use_cases/resume_plan.h"
#include "application/use_cases/plan_state.h"
#include "application/use_cases/run_plan.h"
#include "domain/base/text.h"
#include "domain/entities/conversation.h"
#include <string.h>

/* The run as the log has it; without a log, or behind one that lost it, what its id says. */
static enum err_code find_run(struct services *services, struct scope *scope, struct arena *arena,
                              const char *id, struct run_resumption *out, struct err *err)
{
    struct run_repository *runs = NULL;
    struct run *run = NULL;
    enum err_code r = services_runs(services, &runs, err);
    if (r)
        return r;
    if (runs)
        r = run_repository_get(runs, scope, id, arena, &run, err);
    if (r && (r != ERR_NOT_FOUND || !conversation_id_is_valid(id) || strlen(id) >= RUN_ID_MAX))
        return r;
    out->is_logged = run != NULL;
    if (!run) {
        run = arena_new(arena, struct run);
        *run = (struct run){ .id = id, .kind = RUN_KIND_OF_PLANS };
    }
    out->run = run;
    if (run->status == RUN_COMPLETED)
        return err_set(err, ERR_INVALID, 0, "run %.40s is complete: there is nothing left to do",
                       run->id);
    if (!text_equal(run->kind, RUN_KIND_OF_PLANS))
        return err_set(err, ERR_INVALID, 0, "run %.40s is of %.20s: only plans can be resumed",
                       run->id, run->kind);
    return ERR_NONE;
}

static enum err_code open_state(struct services *services, struct scope *scope,
                                struct plan_resumption *resumption, struct err *err)
{
    struct run_states *states = services->run_states;
    struct run_resumption *run = &resumption->run;
    const char *id = run->run->id, *status;
    enum err_code r = run_states_claim(states, id, &run->claim, err);
    if (!r)
        r = run_states_open(states, scope, id, &run->state, &resumption->kept, err);
    if (r == ERR_NOT_FOUND) {
        err_prefix(err, r, "run %.40s", id);
        return err_hint(err, r,
                        strcmp(services->settings->runs_keep_state, "never") == 0
                            ? "runs.keep_state is never: then no run can be resumed"
                            : "it ended before it was kept, or long ago: begin it again");
    }
    status = r ? NULL : run_contents_fact(resumption->kept, RUN_FACT_STATUS);
    if (!r && text_equal(status, run_status_name(RUN_COMPLETED)))
        return err_set(err, ERR_INVALID, 0, "run %.40s is complete: there is nothing left to do",
                       id);
    return r;
}

enum err_code resume_plan(struct services *services, struct scope *scope, struct arena *arena,
                          const struct resume_request *request, struct turn_result *out,
                          struct err *err)
{
    struct plan_resumption resumption = { .request = request };
    struct kept_plan plan = { 0 };
    *out = (struct turn_result){ 0 };
    if (!services->run_states)
        return err_set(err, ERR_UNAVAILABLE, 0, "there is nowhere that runs could be kept");
    enum err_code r = find_run(services, scope, arena, request->run_id, &resumption.run, err);
    if (!r)
        r = open_state(services, scope, &resumption, err);
    if (!r)
        r = plan_state_read(arena, services->digest, resumption.kept, &plan, err);
    if (!r) {
        resumption.was_checked = plan.was_checked;
        const struct run_plan_request run = { .plan = plan.plan,
                                              .vars = plan.vars,
                                              .is_foreign = plan.is_foreign,
                                              .resumed = &resumption };
        return run_plan(services, scope, arena, &run, out, err);
    }
    if (resumption.run.state)
        run_state_close(resumption.run.state, r == ERR_NOT_FOUND);
    if (resumption.run.claim)
        run_states_release(services->run_states, resumption.run.claim);
    return r;
}
