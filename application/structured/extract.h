/* Finds the one JSON value in what a model said, and how it stood there; or the tool calls that it
 * wrote instead.
 *
 * Thinking (<think>…</think>, [THINK]…[/THINK]) and a byte order mark in front are not part of the
 * answer. The value is the whole text, else what a code fence holds, else the first value whose
 * brackets balance (strings and escapes respected; an array of plain words such as "[1]" only when
 * no object follows). Where none of them parses, all of this is tried again with repair
 * (application/structured/repair.h), and last with the outermost slice, from the first bracket to
 * the last one of its kind. A value that was cut is never closed by guessing, because a plan or an
 * answer that lost its end would pass for a whole one; for the same reason no part of a broken
 * value is taken for the value.
 *
 * Tool calls are found in the notations that models were trained on and write unasked: Mistral's
 * "[TOOL_CALLS] [{…}]" and "[TOOL_CALLS]name[ARGS]{…}", "<tool_call>{…}</tool_call>", and a fenced
 * or bare {"name":…,"arguments":{…}}. Pure. */
#ifndef APPLICATION_STRUCTURED_EXTRACT_H
#define APPLICATION_STRUCTURED_EXTRACT_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define EXTRACT_MAX_SCALAR_BYTES                                                                   \
    (1024 * 1024) /* a longer text without a bracket first is prose                                \
                   */

enum extract_kind { EXTRACT_NOTHING, EXTRACT_WHOLE, EXTRACT_FENCED, EXTRACT_BALANCED, EXTRACT_CUT };

/* Without repair. *out (owned by the caller) is written for WHOLE, FENCED and BALANCED. CUT: a
 * value began and the text ended before it did. */
enum extract_kind extract_json(const char *text, size_t length, json_t **out);

struct extraction {
    enum extract_kind kind;
    json_t *value;     /* in the arena; NULL for NOTHING and CUT */
    bool is_repaired;  /* it had to be mended, without loss */
    bool has_trailing; /* visible text follows it, other than a closing fence */
    size_t at, length; /* where it stood in the text, as it came */
};

/* With repair: what the ladder uses (its rungs extract and repair). */
struct extraction extract_value(struct arena *arena, const char *text, size_t length);

/* The text without what the model thought: what stands in front of the answer, which may be all of
 * it, and what is in the member of that name (or NULL) of an object, also of one that was cut. In
 * the arena, or the text. */
const char *extract_without_thinking(struct arena *arena, const char *text, const char *member);

#define NATIVE_CALLS_MAX 16

/* Array of {"name":…,"arguments":{…}} in the arena; NULL when the text holds no such call.
 * Arguments that are a string of JSON are read. */
const json_t *native_calls_find(struct arena *arena, const char *text, size_t length);

#endif
