/* What an answer may not claim that was made without any tool, or with none that does such a thing:
 * that something was done ("I have deleted a.txt", "The mail has been sent", "Your table is
 * booked"), and facts of this moment (the time of day, a temperature, a price, rate or score now,
 * what is still available, the weather, the state of a device, what is in a file or an inbox).
 * Rather too narrow than too wide: general knowledge passes ("Water boils at 100 °C"), and so do
 * conditions, negations, what the author did with words ("I have translated it"), and what was said
 * before.
 *
 * A claim is known by patterns over the words of a sentence, in lower case
 * (config/words/claims.json has them for English, German, French, Spanish and Italian). The
 * elements of a pattern: word    that word
 *   @list   a word that matches a glob of the list; @list!other: and none of the other list
 *   @list*  any number of them
 *   ~       any number of words of the clause, none of the list "not"
 *   ^       the beginning of the clause
 *   .       the end of the clause
 * A sentence that fits one of "passes" claims nothing. Pure. */
#ifndef DOMAIN_TEXT_UNGROUNDED_H
#define DOMAIN_TEXT_UNGROUNDED_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>

#define UNGROUNDED_MAX_WORDS 200 /* of a sentence; what follows counts as another one */

/* The first sentence with a claim; NULL when there is none. said: the conversation so far, whose
 * sentences and numbers may be repeated. done_by: NULL where no tool was used, else names and
 * descriptions of those that may have changed something, "" for none. With tools only the author's
 * deeds are looked for ("I have mailed it"), as facts and what others did may come from results;
 * beside a change only those of a kind ("beside" in the patterns) that no word of done_by speaks
 * for. In the arena. */
const char *ungrounded_claim(struct arena *arena, const json_t *patterns, const char *answer,
                             const char *said, const char *done_by);

#endif
