/* Tool calls in the notations that models were trained on and write unasked: Mistral's
 * "[TOOL_CALLS] [{…}]" and "[TOOL_CALLS]name[ARGS]{…}", "<tool_call>{…}</tool_call>", and a fenced
 * or bare {"name":…,"arguments":{…}}. Pure. */
#ifndef APPLICATION_STRUCTURED_NATIVE_CALLS_H
#define APPLICATION_STRUCTURED_NATIVE_CALLS_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stddef.h>

#define NATIVE_CALLS_MAX 16

/* Array of {"name":…,"arguments":{…}} in the arena; NULL when the text holds no such call.
 * Arguments that are a string of JSON are read. */
const json_t *native_calls_find(struct arena *arena, const char *text, size_t length);

#endif
