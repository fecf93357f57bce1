/* The text side of references: a string with references in it, cut into pieces. Used by
 * references.c only. */
#ifndef DOMAIN_PLAN_REFERENCE_TEXT_H
#define DOMAIN_PLAN_REFERENCE_TEXT_H

#include "domain/plan/references.h"

struct piece {
    const char *text; /* what to write, when it is no reference */
    size_t length;
    bool is_reference;
    struct reference reference;
};

/* A string being read. */
struct piece_reader {
    struct arena *arena;
    const struct plan *plan;
    size_t at_step;
    const char *text;
    size_t length, at;
};

/* The next piece; false at the end. Empty pieces are possible. */
bool reference_next_piece(struct piece_reader *reader, struct piece *out);

#endif
