/* Whether a caption says what the figure shows. One that does not makes the Planner say what it
 * assumes (B2), and the Critic hold that against the source. Pure. */
#ifndef DOMAIN_FIGURE_CAPTION_DOUBT_H
#define DOMAIN_FIGURE_CAPTION_DOUBT_H

#include "domain/base/arena.h"

/* Why it may be ambiguous, as a clause ("it asks instead of saying"), or NULL. */
const char *caption_doubt(struct arena *arena, const char *caption, const char *source_context);

#endif
