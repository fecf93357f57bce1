/* Pieces of an event's sentence, foreign text in them escaped and cut; in the arena. */
#ifndef PRESENTATION_CLI_EVENTS_EVENT_WORDS_H
#define PRESENTATION_CLI_EVENTS_EVENT_WORDS_H

#include "domain/base/arena.h"

/* A member that is a string; "" where it is none. */
const char *event_member(struct arena *arena, const json_t *data, const char *key);
/* A value as JSON; NULL is "". */
const char *event_value(struct arena *arena, const json_t *value);
/* ", 12 ms", or nothing when the event does not say. */
const char *event_ms(struct arena *arena, const json_t *data, const char *key);
/* The strings of a list, or a member of each of its objects. */
const char *event_joined(struct arena *arena, const json_t *list, const char *key,
                         const char *separator);

#endif
