/* What somebody who waits for two agents or for a figure wants to know meanwhile. */
#ifndef APPLICATION_AGENT_TOOLS_JOB_PROGRESS_H
#define APPLICATION_AGENT_TOOLS_JOB_PROGRESS_H

#include "domain/base/arena.h"
#include "domain/entities/event.h"

/* "round 2, agent b: SOLVED"; NULL for an event that says nothing of it. In the arena. */
const char *job_progress_text(struct arena *arena, const struct event *event);

#endif
