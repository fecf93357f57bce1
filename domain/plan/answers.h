/* What a message says in answer to the questions that wait. Several are answered at once by key
 * ("a=1 b=2", "a: one, b: two", "a is one and b is two"), by number ("1) one 2) two") or, part by
 * part, in their order ("one, two and 3"). A message of one part answers the first. What could
 * belong to several questions answers none. Words such as "never mind" and "what do you mean?" are
 * no answers, but for a question that has them as choices; nor is "no", but where yes or no is
 * asked. Quoted and bracketed parts of a message are values: nothing is looked for in them. Pure.
 */
#ifndef DOMAIN_PLAN_ANSWERS_H
#define DOMAIN_PLAN_ANSWERS_H

#include "domain/base/arena.h"
#include "domain/plan/intent.h"

#define ANSWERS_MAX_BYTES 16384 /* a longer message is one answer as a whole */

enum answer_meaning {
    ANSWER_VALUES,
    ANSWER_MISFIT,  /* a value that the question cannot take */
    ANSWER_UNCLEAR, /* which question is answered cannot be told */
    ANSWER_EXPLAIN, /* the person does not understand the question */
    ANSWER_DROP,    /* the question shall not be asked any more */
};

struct answers {
    enum answer_meaning meaning;
    const char *
        *values;      /* one for each question; NULL: not answered. Not all fit when told by key */
    const char *rest; /* the request behind "never mind, …"; NULL: nothing stands behind it */
};

struct answer_reading {
    const json_t *words; /* config/words/answers.json */
    const struct question *questions;
    size_t n;
    /* Whether the question can take the value. */
    bool (*fits)(const void *context, const struct question *question, const char *value);
    const void *context;
};

/* The message is not blank. In the arena. */
void answers_read(struct arena *arena, const struct answer_reading *reading, const char *message,
                  struct answers *out);
/* The choice that is meant: by its text, by its place in the list, by a word for yes, no or none,
 * or, of tools and where it is wanted, by words of its name. NULL: none of them, or more than one.
 */
const char *answers_choice(struct arena *arena, const json_t *words,
                           const struct question *question, const char *text, bool by_words);
/* The parts between line breaks and semicolons, else between commas as well, else at "and" as well.
 * n: how many are wanted; 0: those of a list, which has "and" before its last part alone. Their
 * number; in the arena. */
size_t answers_split(struct arena *arena, const json_t *words, const char *text, size_t n,
                     const char ***out);

#endif
