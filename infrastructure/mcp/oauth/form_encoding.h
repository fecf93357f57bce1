/* Form encoding (application/x-www-form-urlencoded), which OAuth's requests and redirects are in.
 * Pure. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_FORM_ENCODING_H
#define INFRASTRUCTURE_MCP_OAUTH_FORM_ENCODING_H

#include "domain/base/arena.h"
#include "domain/base/buf.h"

/* Appends `name=value`, with "&" in front of any but the first of a form. A value of NULL adds
 * nothing. */
MUST_CHECK
bool form_add(struct buf *form, const char *name, const char *value);
/* The encoded text, in the arena. */
char *form_encode(struct arena *arena, const char *text);
/* Whether there is such a parameter at all. */
bool form_has(const char *form, size_t length, const char *name);
/* The decoded value of a parameter, in the arena; NULL when there is none, when there are two, when
 * it cannot be decoded or when it has U+0000. */
const char *form_find(struct arena *arena, const char *form, size_t length, const char *name);

#endif
