/* One value brought to what its schema asks for, where the change is exact: an argument of a tool,
 * or any part of an object that a contract describes. Text becomes the number, the truth value, the
 * object or the list that it says, a whole number the text that it is written as, one value a list
 * of one, null an empty list or object or, where it may be missing, nothing; of a choice the case
 * and the punctuation around it are mended. What fits stays as it is, and so does a reference to an
 * earlier step. Pure. */
#ifndef APPLICATION_STRUCTURED_ARGUMENT_VALUE_H
#define APPLICATION_STRUCTURED_ARGUMENT_VALUE_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>

#define ARGUMENT_NOTES_MAX 50 /* noted; further changes are made and not told */

/* What was changed, as events tell it: an array of {"step", "path", "change"}, step where there is
 * one. No values: they are in the plan or the intent. */
struct argument_notes {
    json_t *list;     /* in the arena; NULL: notes are not wanted */
    const char *step; /* id that the next notes are about; may be NULL */
};

/* Whether the schema's "type" is or lists this one; false when it says nothing. */
bool argument_takes(const json_t *schema, const char *type);
void argument_note(struct argument_notes *notes, const char *path, const char *change);
/* A reference of the caller's own to the value, or to what it became. path: JSON Pointer. */
json_t *argument_fit(struct arena *arena, const json_t *schema, const char *path,
                     const json_t *value, struct argument_notes *notes);
/* The object or the list that a text says, mended if need be (repair.h); NULL: it says none. In the
 * arena. */
const json_t *argument_from_text(struct arena *arena, const json_t *text);

#endif
