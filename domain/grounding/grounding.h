/* Whether an answer stands on what it was made of. A model that words an answer from results of
 * tools may write a number, a date, the name of a file or a quotation that is nowhere in them; this
 * finds such values by looking for each of them in the results and in what was said (the request,
 * the history, the arguments of calls). It knows no facts and judges no sentence.
 *
 * A number is grounded when it stands there, in any spelling or rounded to the digits it shows; an
 * "about" makes zeros at its end digits that are not shown. So is what follows from numbers there:
 * - how many elements, members, lines or words there are, or how often a word of the same line
 *   of the answer occurs;
 * - sums and averages of a column: of the members of one name in a list, of the numbers at one
 *   place in lines of text; and within a short column what two of its numbers make;
 * - where the answer speaks of it ("in total", "more than", "per"; "derivation" in
 *   config/words/values.json) sums, differences and averages of other numbers: of few altogether,
 *   of one object, and of those that the answer itself shows. Any two numbers have a sum, so that
 *   without a word for it none is taken for meant;
 * - products, quotients and percentages of two of these numbers, also where the value has a unit
 *   or decimals;
 * - the same in another unit (config/words/values.json); and the hours, minutes and days of few
 *   durations, or between few times and dates. Degrees are only compared and averaged.
 * Dates and times count in any format as far as both say the same parts; weekdays are not judged.
 *
 * Numbers up to GROUNDING_SMALL are mostly counts that a reader makes by looking ("2 of the files
 * are new"), and any part of a list may be counted. So such a number without decimals and without a
 * unit of measure is grounded when a list or text in the results has at least so many elements or
 * lines. Where the results are one line this holds for 0 and 1 alone, so that "12 lines", and
 * "8 lines", are found to be wrong for a file of 7. As words, up to three are never judged: they
 * are articles and pronouns as well. Numbers of a list's items are not judged.
 *
 * All this is bounded, and what is beyond a bound is not judged: better no finding than a wrong
 * one. Pure. */
#ifndef DOMAIN_GROUNDING_GROUNDING_H
#define DOMAIN_GROUNDING_GROUNDING_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define GROUNDING_MAX_BYTES (96 * 1024) /* of texts; with more nothing is judged */
#define GROUNDING_MAX_CLAIMS 128        /* values of an answer that are judged */
#define GROUNDING_PAIRS 8
#define GROUNDING_SMALL 10
#define GROUNDING_NAME_COLUMNS 60 /* of a value that is named */

struct grounding_sources {
    const json_t *words;    /* config/words/values.json */
    const json_t **results; /* what tools gave: text as a string, else the value */
    size_t n_results;
    const char **said;
    size_t n_said;
};

struct grounding {
    const char **ungrounded; /* as the answer has them, each once; in the arena */
    size_t n;
    bool is_unjudged; /* there was too much to look into: not all of the values were judged */
};

void grounding_check(struct arena *arena, const char *answer,
                     const struct grounding_sources *sources, struct grounding *out);

#endif
