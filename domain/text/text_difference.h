/* What became of a text, line by line: what is gone, what is new, what stayed. Of lines that moved
 * the longest common order stays. Two texts that differ in very many lines are not compared that
 * closely: all of the one is gone then and all of the other is new, which is true as well. */
#ifndef DOMAIN_TEXT_TEXT_DIFFERENCE_H
#define DOMAIN_TEXT_TEXT_DIFFERENCE_H

#include "domain/base/arena.h"
#include <stdbool.h>

#define TEXT_DIFFERENCE_MAX_CELLS 1000000 /* lines of the one × lines of the other */

struct difference_line {
    char mark; /* '-', '+' or ' ' */
    const char *text;
    size_t length; /* without its newline */
};

struct text_difference {
    struct difference_line *lines;
    size_t n;
    bool is_same;
};

/* NULL is a text without lines, "" has an empty one: only equal texts are the same. The lines are
 * borrowed from the texts; the array is in the arena. */
struct text_difference text_difference(struct arena *arena, const char *before, const char *after);

#endif
