/* How long something is to last, as people type it. */
#ifndef PRESENTATION_CLI_DURATION_H
#define PRESENTATION_CLI_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* "90s", "10m", "2h", "30d"; seconds without a unit. False: it is none, or not 1 to max_ms. */
bool duration_read(const char *text, int64_t max_ms, int64_t *out_ms);

#endif
