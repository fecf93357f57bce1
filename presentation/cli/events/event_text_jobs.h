/* The sentences of events that belong to consensus and figures (event_text.h has the rest). */
#ifndef PRESENTATION_CLI_EVENTS_EVENT_TEXT_JOBS_H
#define PRESENTATION_CLI_EVENTS_EVENT_TEXT_JOBS_H

#include "domain/base/arena.h"
#include "domain/entities/event.h"
#include <stdbool.h>

/* NULL for an event of another job. */
const char *event_text_of_job(struct arena *arena, const struct event *event);
/* Whether a person is told of it as it happens, without asking for more. */
bool event_is_progress_of_job(const struct event *event);

#endif
