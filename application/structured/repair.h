/* Mends JSON that says without doubt what it means: a comma before a closing bracket, Python's
 * True, False and None, raw line breaks in strings, typographic quotes around names and texts, the
 * escapes \_ and \', // and # comments, a byte order mark. Nothing is invented: a value that was
 * cut is never closed, because no one knows what is missing. Pure. */
#ifndef APPLICATION_STRUCTURED_REPAIR_H
#define APPLICATION_STRUCTURED_REPAIR_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

/* Behind the comment that begins at `at`, outside of strings; `at` itself when none does. */
const char *repair_skip_comment(const char *at, const char *end);

/* False when there is nothing that this can mend. Whether the result parses is the caller's to
 * find out. *out_text in the arena. */
bool repair_json(struct arena *arena, const char *text, size_t length, const char **out_text,
                 size_t *out_length);

#endif
