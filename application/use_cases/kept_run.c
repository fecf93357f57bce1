#include "application/use_cases/kept_run.h"
#include "application/use_cases/run_plan.h"
#include "domain/entities/conversation.h"
#include <string.h>

enum err_code kept_run_find(struct services *services, struct scope *scope, struct arena *arena,
                            const char *run_id, struct run_resumption *out, struct err *err)
{
    struct run_repository *runs = NULL;
    struct run *run = NULL;
    *out = (struct run_resumption){ 0 };
    if (!services->run_states)
        return err_set(err, ERR_UNAVAILABLE, 0, "there is nowhere that runs could be kept");
    enum err_code r = services_runs(services, &runs, err);
    if (!r && runs)
        r = run_repository_get(runs, scope, run_id, arena, &run, err);
    bool can_be = conversation_id_is_valid(run_id) && strlen(run_id) < RUN_ID_MAX;
    if (!r && !run && !can_be)
        return err_set(err, ERR_NOT_FOUND, 0, "no run \"%.100s\"", run_id);
    if (r && (r != ERR_NOT_FOUND || !can_be))
        return r;
    out->is_logged = run != NULL;
    if (!run) {
        run = arena_new(arena, struct run);
        *run = (struct run){ .id = run_id, .kind = RUN_KIND_OF_PLANS };
    }
    out->run = run;
    return ERR_NONE;
}

enum err_code kept_run_open(struct services *services, struct scope *scope,
                            struct run_resumption *run, struct err *err)
{
    const char *id = run->run->id;
    enum err_code r = run_states_claim(services->run_states, scope, id, &run->claim, err);
    if (!r)
        r = run_states_open(services->run_states, scope, id, &run->state, &run->kept, err);
    if (r == ERR_NOT_FOUND && !run->is_logged) {
        err_set(err, r, 0, "no run \"%.100s\"", id);
        err_hint(err, r, "mistro runs list shows them");
    } else if (r == ERR_NOT_FOUND) {
        err_prefix(err, r, "run %.40s", id);
        err_about(err, r, KEPT_RUN_NOTHING);
    }
    if (r)
        kept_run_close(services, run, /* remove */ false);
    return r;
}

void kept_run_close(struct services *services, struct run_resumption *run, bool remove)
{
    if (run->state)
        run_state_close(run->state, remove);
    if (run->claim)
        run_states_release(services->run_states, run->claim);
    run->state = NULL;
    run->claim = NULL;
}
