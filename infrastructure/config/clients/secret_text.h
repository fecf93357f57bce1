/* Which parts of a server's definition are secrets that somebody wrote down: values whose names say
 * so, credentials in URLs and headers, keys of well-known shapes, and what only chance writes. What
 * is no secret may be taken for one, which costs a variable; the other way round it would be
 * printed. */
#ifndef INFRASTRUCTURE_CONFIG_CLIENTS_SECRET_TEXT_H
#define INFRASTRUCTURE_CONFIG_CLIENTS_SECRET_TEXT_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct secret_span {
    size_t start, length;
    const char *name; /* of the option, parameter or header that it is the value of; or NULL */
    bool is_default;  /* the ":-…" of a reference: without it the reference is left */
};

/* The secrets in a text, in order, none within another; in the arena. name: of the header, variable
 * or option whose value the text is; NULL: none. ${…} is a reference, never a secret. */
size_t secret_spans(struct arena *arena, const char *name, const char *text,
                    struct secret_span **out);

/* What is put in the place of a secret. name: of the variable, header, option or parameter, or
 * NULL. In the arena. */
typedef const char *secret_replace_fn(void *context, const char *name, const char *secret);
/* A server's definition in the form of mcp.json with each secret replaced. A variable of the
 * environment that has one is replaced as a whole. For people what an argument sets in an
 * environment is replaced whatever it is. Owned by the caller. */
json_t *secrets_replaced(struct arena *arena, const json_t *definition, bool is_for_people,
                         secret_replace_fn *replace, void *context);

#endif
