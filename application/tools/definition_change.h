/* What became of a tool's definition since it was agreed to, in lines for the person who decides.
 * Schemas and annotations are compared as sorted, indented JSON, so that order does not count. */
#ifndef APPLICATION_TOOLS_DEFINITION_CHANGE_H
#define APPLICATION_TOOLS_DEFINITION_CHANGE_H

#include "domain/base/buf.h"
#include "domain/text/text_difference.h"
#include "domain/tool/tool.h"

enum { DEFINITION_PARTS = 5 }; /* title, description, both schemas, annotations */

struct definition_part {
    const char *name;
    struct text_difference difference; /* lines are untrusted */
};

struct definition_change {
    struct definition_part parts[DEFINITION_PARTS]; /* only what changed */
    size_t n;
};

/* before: the text of the pinned definition (tool_definition_text), NULL for a new tool. In the
 * arena. */
struct definition_change definition_change(struct arena *arena, const char *before,
                                           const struct tool *tool);
#define DEFINITION_CHANGE_COLUMNS 6 /* what is printed in front of a line of theirs */
/* Appends it to be read: every changed part in full, with everything in it made visible. False
 * when the buffer is full. */
MUST_CHECK
bool definition_change_print(struct buf *out, const struct definition_change *change);

#endif
