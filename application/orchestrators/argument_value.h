/* One value brought to the type its schema asks for, where that loses nothing (arguments.h). */
#ifndef APPLICATION_ORCHESTRATORS_ARGUMENT_VALUE_H
#define APPLICATION_ORCHESTRATORS_ARGUMENT_VALUE_H

#include "application/orchestrators/arguments.h"

/* Whether the schema's "type" is or lists this one; false when it says nothing. */
bool argument_takes(const json_t *schema, const char *type);
void argument_note(struct argument_notes *notes, const char *path, const char *change);
/* A reference of the caller's own to the value, or to what it became. path: JSON Pointer. */
json_t *argument_fit(struct arena *arena, const json_t *schema, const char *path,
                     const json_t *value, struct argument_notes *notes);

#endif
