#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/waits.h"
#include <assert.h>
#include <stddef.h>

void completion_complete(struct completion *completion)
{
    completion->done = true;
    if (completion->waiter)
        waits_wake(uv_runtime_waits(completion->runtime), completion->waiter, WAKE_DONE);
}

static enum wake_reason park(struct completion *completion, const struct scope *scope,
                             const int64_t *until_ms)
{
    assert(!completion->waiter && "two tasks await one completion");
    struct wait wait = { 0 };
    completion->waiter = &wait;
    enum wake_reason reason =
        waits_park(uv_runtime_waits(completion->runtime), &wait, scope, until_ms);
    completion->waiter = NULL;
    return reason;
}

enum err_code completion_await_until(struct completion *completion, const struct scope *scope,
                                     const int64_t *until_ms, struct err *err)
{
    struct runtime *clock = uv_runtime_port(completion->runtime);
    if (completion->done)
        return ERR_NONE;
    enum err_code code = scope_check(scope, runtime_now_ms(clock), err);
    if (code)
        return code;
    enum wake_reason reason = park(completion, scope, until_ms);
    /* Cancelled or late, but done before this task ran again: there is nothing left to cancel. */
    if (completion->done)
        return ERR_NONE;
    if (reason == WAKE_UNTIL)
        return err_set(err, ERR_TIMEOUT, 0, "out of time");
    return scope_check(scope, runtime_now_ms(clock), err);
}

enum err_code completion_await(struct completion *completion, const struct scope *scope,
                               struct err *err)
{
    return completion_await_until(completion, scope, NULL, err);
}

void completion_await_end(struct completion *completion)
{
    while (!completion->done)
        (void)park(completion, /* scope= */ NULL, /* until_ms= */ NULL);
}
