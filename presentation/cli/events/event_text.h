/* An event as one sentence for people: what -v prints while a run goes on and what
 * `mistro runs show` lists afterwards. Foreign text in it is escaped; the whole is cut by the
 * caller. Pure. */
#ifndef PRESENTATION_CLI_EVENTS_EVENT_TEXT_H
#define PRESENTATION_CLI_EVENTS_EVENT_TEXT_H

#include "domain/base/arena.h"
#include "domain/base/embedded_file.h"
#include "domain/entities/event.h"

extern const struct embedded_file event_sentences[]; /* data/events.txt */
/* Without the event's name; may be "". In the arena. */
const char *event_text(struct arena *arena, const struct event *event);
/* The arguments of a call, in at most so many columns: " {path: "notes.md", start_line: 2}", or ""
 * where there are none. A long value leaves room for those behind it. In the arena. */
const char *event_arguments(struct arena *arena, const json_t *args, size_t columns);
/* The line about a model server that is started; "" where there is nothing to say. In the arena. */
const char *event_model_state(struct arena *arena, const json_t *data);

#endif
