/* How often a server may be started again: at most so many times within any five minutes, each
 * time after a longer wait than before. Pure: the caller says what time it is. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_RESTART_WINDOW_H
#define INFRASTRUCTURE_MCP_CLIENT_RESTART_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESTART_WINDOW_MS (5 * 60 * 1000)
#define RESTART_DELAY_MS 100 /* before the second restart in the window; the first is at once */
#define RESTART_DELAY_MAX_MS 5000

struct restart_window {
    int64_t *times_ms; /* of the restarts in the window, a ring with room for `most` */
    size_t most, first, n;
};

void restart_window_init(struct restart_window *window, size_t most);
void restart_window_finish(struct restart_window *window);
/* Counts a restart and says how long to wait before it. False: there were too many. */
bool restart_window_count(struct restart_window *window, int64_t now_ms, int64_t *out_delay_ms);

#endif
