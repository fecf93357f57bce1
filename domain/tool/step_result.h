/* What a tool call gave (CallToolResult of MCP): the bytes as the server sent them, which is what
 * `call --json` prints and what most results are only ever used for. Its shape was checked when it
 * arrived; values are made of it when a caller asks for one, at most once. A tool's own failure
 * (`isError`) is a result, not an err. Lives in the arena it was made in; copies share what was
 * made of it. */
#ifndef DOMAIN_TOOL_STEP_RESULT_H
#define DOMAIN_TOOL_STEP_RESULT_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/tool/result_outline.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define RESULT_PREVIEW_WHOLE_BYTES (16 * 1024) /* up to here nothing is left out */
#define RESULT_PREVIEW_TEXT_BYTES 512

struct step_result {
    const char *bytes; /* the JSON text of the result object, NUL-terminated */
    size_t length;
    bool is_error;
    struct step_result_parts *parts; /* private */
};

/* Copies into the arena what was walked with its message. ERR_PROTOCOL when it is not an object or
 * a member has the wrong type. */
MUST_CHECK
enum err_code step_result_keep(struct arena *arena, const struct result_outline *outline,
                               struct step_result *out, struct err *err);
/* For a text that was not walked yet. ERR_INVALID when it is not sound JSON. */
MUST_CHECK
enum err_code step_result_init(struct arena *arena, const char *bytes, size_t length,
                               struct step_result *out, struct err *err);
/* A result made by mistro itself: one text block, and structured (stolen, may be NULL). One that is
 * nested deeper than JSON_MAX_DEPTH makes it a failure that says so. */
void step_result_from_text(struct arena *arena, const char *text, json_t *structured, bool is_error,
                           struct step_result *out);

/* How many values may be made of the result, or of a part of it, counted as json_parse_message
 * does; no bound at first. Beyond it a result keeps its bytes, and what asks for values gets NULL.
 */
void step_result_limit(struct step_result *result, size_t max_values);
size_t step_result_max_values(const struct step_result *result);

/* Borrowed from the result's arena; NULL beyond the bound as well. */
const json_t *step_result_value(const struct step_result *result);   /* the whole object */
const json_t *step_result_content(const struct step_result *result); /* an array, maybe empty */
/* structuredContent, or NULL when absent; JSON null is a value. */
const json_t *step_result_structured(const struct step_result *result);

/* The content, for content_block_next: nothing is copied or made of its blocks. */
struct json_scan step_result_blocks(const struct step_result *result);

/* What the first text block says, a string; zeroed when there is none. */
struct json_slice step_result_first_text(const struct step_result *result);

/* All text blocks, joined by newlines. In the arena; "" when there are none. */
const char *step_result_text(struct arena *arena, const struct step_result *result);
/* What people and models read of it: text blocks as they are, and a line for any other that says
 * what it is. In the arena; "" without blocks. */
const char *step_result_shown(struct arena *arena, const struct step_result *result);
/* The bytes of the first block that has any (an image, audio, a resource), owned by the caller
 * (malloc); NULL when none has. */
char *step_result_bytes(const struct step_result *result, size_t *out_length);

/* What a person reads of a block, its own text or that of its resource; NULL when it has none. */
const json_t *content_block_text(const json_t *block);
/* What a block without text is: "[image/png 4,033 bytes]", "[file:///a]". On one line, in the
 * arena.
 */
const char *content_block_label(struct arena *arena, const json_t *block);

/* A step's value for references: structuredContent, else its single text parsed as JSON if that
 * is an object or array, else the text as a string. Borrowed from the arena; NULL beyond the bound.
 */
const json_t *step_result_data(struct arena *arena, const struct step_result *result);

/* What the log and those who watch a run see of a result: all of a small one; of a large one
 * {"content", "isError"?, "cut": true}, where the content is what its first text begins with, or
 * its structured content. Owned by the caller. */
json_t *result_preview(const struct step_result *result);

#endif
