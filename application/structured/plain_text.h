/* The answer in a reply that is words for a person, without what a weak model writes around it:
 * control tokens of its template ("[/INST]", "</s>"), an object with the answer as its one text
 * ({"answer": "…"}), a fence around everything, and a next turn that it makes up ("User: …"). What
 * follows a control token or begins such a turn is no part of the answer. Pure. */
#ifndef APPLICATION_STRUCTURED_PLAIN_TEXT_H
#define APPLICATION_STRUCTURED_PLAIN_TEXT_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

/* The answer of a whole reply, without blanks around it; "" when there is none. In the arena. */
const char *plain_text(struct arena *arena, const char *reply);

/* Of a reply that is still coming: where the answer begins. */
size_t plain_text_begin(const char *reply);
/* How far it certainly is the answer, which is certain up to `from`. Nothing is while it may be
 * wrapped. *out_ended: nothing of it will follow. */
size_t plain_text_end(const char *reply, size_t begin, size_t from, bool *out_ended);

#endif
