/* What a tool call gave (CallToolResult of MCP). It keeps the bytes as the server sent them
 * beside the value, so that `call --json` prints them unchanged. A tool's own failure
 * (`isError`) is a result, not an err. Lives in the arena it was made in. */
#ifndef DOMAIN_ENTITIES_STEP_RESULT_H
#define DOMAIN_ENTITIES_STEP_RESULT_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct step_result {
    const char *bytes; /* the JSON text of the result object, NUL-terminated */
    size_t length;
    const json_t *value;      /* the same, parsed; an object */
    const json_t *content;    /* array of blocks; never NULL, may be empty */
    const json_t *structured; /* structuredContent, or NULL when absent; JSON null is a value */
    bool is_error;
};

/* Copies bytes into the arena and keeps a reference to value, which is their parsed form.
 * ERR_PROTOCOL when value is no object or a member has the wrong type. */
MUST_CHECK
enum err_code step_result_init(struct arena *arena, const char *bytes, size_t length, json_t *value,
                               struct step_result *out, struct err *err);
/* A result made by mistro itself: one text block, and structured (stolen, may be NULL). */
void step_result_from_text(struct arena *arena, const char *text, json_t *structured, bool is_error,
                           struct step_result *out);

/* All text blocks, joined by newlines. In the arena; "" when there are none. */
const char *step_result_text(struct arena *arena, const struct step_result *result);
/* A step's value for references: structuredContent, else its single text parsed as JSON if that
 * is an object or array, else the text as a string. Borrowed from the arena. */
const json_t *step_result_data(struct arena *arena, const struct step_result *result);

#endif
