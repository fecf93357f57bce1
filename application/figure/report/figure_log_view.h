/* The round log of seed 001 (S1-18, S1-19) made of the events of a run, so that `runs export` has
 * it also where no folder was written. Pure. */
#ifndef APPLICATION_FIGURE_REPORT_FIGURE_LOG_VIEW_H
#define APPLICATION_FIGURE_REPORT_FIGURE_LOG_VIEW_H

#include "domain/entities/event.h"
#include <stddef.h>

/* Owned by the caller. NULL when the events are no run of the figure job that came to its end. */
json_t *figure_log_from_events(const struct event *events, size_t n);

#endif
