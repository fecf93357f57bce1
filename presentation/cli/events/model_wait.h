/* What a person sees while a model works: what it decides, in plain words, for how long, and how
 * many tokens came so far. Pure. */
#ifndef PRESENTATION_CLI_EVENTS_MODEL_WAIT_H
#define PRESENTATION_CLI_EVENTS_MODEL_WAIT_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_wait {
    const char *words; /* NULL while no model is asked anything */
    unsigned asked;    /* requests that are under way: agents may be asked side by side */
    int64_t began_ms;  /* the first of them */
    size_t tokens;     /* pieces of the answer so far; most endpoints send a token at a time */
};

/* purpose: as in the event prompt_sent. */
void model_wait_begin(struct model_wait *wait, const char *purpose, int64_t now_ms);
static inline bool model_wait_is_on(const struct model_wait *wait)
{
    return wait->words != NULL;
}
/* One request is answered or has failed. True when it was the last. */
bool model_wait_end(struct model_wait *wait);
/* "  … planning (12 s, 48 tokens)" in at most so many columns, of which the numbers come first; in
 * the arena. */
const char *model_wait_text(struct arena *arena, const struct model_wait *wait, int64_t now_ms,
                            size_t columns);

#endif
