#include "infrastructure/runtime/end_signals.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <uv.h>

#define N_SIGNALS 2

struct end_signals {
    uv_signal_t handles[N_SIGNALS];
    void (*asked)(void *context, int number);
    void *context;
    unsigned open_handles; /* while it is destroyed */
};

static void on_signal(uv_signal_t *handle, int number)
{
    const struct end_signals *signals = handle->data;
    signals->asked(signals->context, number);
}

static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

struct end_signals *end_signals_create(struct uv_runtime *runtime,
                                       void (*asked)(void *context, int number), void *context)
{
    static const int numbers[N_SIGNALS] = { SIGTERM, SIGHUP };
    struct end_signals *signals = calloc(1, sizeof *signals);
    if (!signals)
        abort();
    signals->asked = asked;
    signals->context = context;
    for (size_t i = 0; i < N_SIGNALS; i++) {
        uv_signal_init(uv_runtime_loop(runtime), &signals->handles[i]);
        signals->handles[i].data = signals;
        if (!is_ignored(numbers[i]))
            uv_signal_start(&signals->handles[i], on_signal, numbers[i]);
    }
    return signals;
}

static void on_closed(uv_handle_t *handle)
{
    struct end_signals *signals = handle->data;
    if (--signals->open_handles == 0)
        free(signals);
}

void end_signals_destroy(struct end_signals *signals)
{
    signals->open_handles = N_SIGNALS;
    for (size_t i = 0; i < N_SIGNALS; i++)
        uv_close((uv_handle_t *)&signals->handles[i], on_closed);
}
