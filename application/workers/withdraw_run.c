#include "application/workers/withdraw_run.h"
#include "application/use_cases/kept_run.h"

static enum err_code end_cancelled(struct run_session *session, void *context, struct err *err)
{
    (void)context;
    session->drops_state = !session->kept->n_calls; /* else it can be gone on with by hand */
    return err_set(err, ERR_CANCELLED, 0, "cancelled while it was queued");
}

void withdraw_run(struct services *services, const char *run_id)
{
    AUTO(arena) arena = { 0 };
    struct scope scope =
        scope_child(NULL, runtime_now_ms(services->runtime) + RUN_SESSION_CLOSE_MS);
    struct run_resumption resumed;
    struct err err = { 0 };
    if (kept_run_find(services, &scope, &arena, run_id, &resumed, &err) ||
        kept_run_open(services, &scope, &resumed, &err))
        return;
    const struct run_options options = { .kind = resumed.run->kind,
                                         .title = resumed.run->title,
                                         .resumed = &resumed };
    (void)!run_session_do(services, &scope, &arena, &options, end_cancelled, NULL, &err);
}

enum err_code cancel_run(struct services *services, struct scope *scope, const char *run_id,
                         bool *out_was_queued, struct err *err)
{
    struct run_queue *queue = NULL;
    enum err_code r = services_queue(services, &queue, err);
    if (!r)
        r = run_queue_cancel(queue, scope, run_id, out_was_queued, err);
    if (!r && *out_was_queued)
        withdraw_run(services, run_id);
    return r;
}
