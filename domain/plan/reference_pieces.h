/* What reading references and following them share: a string as the pieces it is made of. */
#ifndef DOMAIN_PLAN_REFERENCE_PIECES_H
#define DOMAIN_PLAN_REFERENCE_PIECES_H

#include "domain/plan/references.h"

struct piece {
    const char *text; /* what to write, when it is not a reference */
    size_t length;
    bool is_reference;
    struct reference reference;
};

/* A string being read. */
struct piece_reader {
    struct arena *arena;
    struct reference_place place;
    const char *text;
    size_t length, at;
};

/* The next piece; false at the end. Empty pieces are possible. */
bool reference_next_piece(struct piece_reader *reader, struct piece *out);

#endif
