#include "infrastructure/mcp/client/restart_window.h"
#include <stdlib.h>

void restart_window_init(struct restart_window *window, size_t most)
{
    *window = (struct restart_window){ .most = most };
    window->times_ms = calloc(most + 1, sizeof *window->times_ms);
    if (!window->times_ms)
        abort();
}

void restart_window_finish(struct restart_window *window)
{
    free(window->times_ms);
}

static void forget_old(struct restart_window *window, int64_t now_ms)
{
    while (window->n && now_ms - window->times_ms[window->first] >= RESTART_WINDOW_MS) {
        window->first = (window->first + 1) % window->most;
        window->n--;
    }
}

static int64_t delay_after(size_t n_restarts)
{
    int64_t delay_ms = n_restarts ? RESTART_DELAY_MS : 0;
    for (size_t i = 1; i < n_restarts && delay_ms < RESTART_DELAY_MAX_MS; i++)
        delay_ms *= 2;
    return delay_ms < RESTART_DELAY_MAX_MS ? delay_ms : RESTART_DELAY_MAX_MS;
}

bool restart_window_count(struct restart_window *window, int64_t now_ms, int64_t *out_delay_ms)
{
    forget_old(window, now_ms);
    if (window->n >= window->most)
        return false;
    *out_delay_ms = delay_after(window->n);
    window->times_ms[(window->first + window->n) % window->most] = now_ms;
    window->n++;
    return true;
}
