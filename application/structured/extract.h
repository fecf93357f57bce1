/* Finds the one JSON value in what a model said, and says how it stood there.
 *
 * Thinking (<think>…</think>, [THINK]…[/THINK]) and a byte order mark in front are no answer. Then:
 * the whole text, else inside a code fence, else the first value whose brackets balance (strings
 * and escapes respected; an array of plain words such as "[1]" only when no object follows). Where
 * none of them parses, the same is tried with repair (application/structured/repair.h), and last
 * with the outermost slice, from the first bracket to the last one of its kind. A value that was
 * cut is never closed by guessing (C4), and no part of a broken value is taken for the value. */
#ifndef APPLICATION_STRUCTURED_EXTRACT_H
#define APPLICATION_STRUCTURED_EXTRACT_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define EXTRACT_MAX_SCALAR_BYTES (1024 * 1024) /* a longer text that begins no object is prose */

enum extract_kind { EXTRACT_NOTHING, EXTRACT_WHOLE, EXTRACT_FENCED, EXTRACT_BALANCED, EXTRACT_CUT };

/* *out (owned by the caller) is written for WHOLE, FENCED and BALANCED. CUT: a value began and the
 * text ended before it did. Without repair. */
enum extract_kind extract_json(const char *text, size_t length, json_t **out);

struct extraction {
    enum extract_kind kind;
    json_t *value;     /* in the arena; NULL for NOTHING and CUT */
    bool is_repaired;  /* it had to be mended, without loss */
    bool has_trailing; /* visible text follows it: a closing fence alone is none */
    size_t at, length; /* where it stood in the text, as it came */
};

/* The same with repair: what the ladder uses (its rungs extract and repair). */
struct extraction extract_value(struct arena *arena, const char *text, size_t length);

#endif
