/* References to variables as other clients write them, in the form of mcp.json. */
#ifndef INFRASTRUCTURE_CONFIG_CLIENTS_REFERENCES_H
#define INFRASTRUCTURE_CONFIG_CLIENTS_REFERENCES_H

#include "domain/base/arena.h"
#include <jansson.h>

enum {
    REFERENCE_BRACES = 1, /* ${NAME}, ${NAME:-default} */
    REFERENCE_DOLLAR = 2, /* $NAME */
    REFERENCE_ENV = 4,    /* ${env:NAME} */
    REFERENCE_EDITOR = 8, /* ${workspaceFolder}, ${userHome}, ${input:ID} */
    REFERENCE_FILE = 16,  /* ${file:PATH} */
    REFERENCE_CURLY = 32, /* {env:NAME}, {file:PATH} */
};

#define REFERENCE_LITERAL "${:-$}{" /* what mcp.json expands to "${" */

struct reference_style {
    unsigned kinds;
    const char *folder; /* of the project; NULL: whichever mistro is started in */
    const char *server; /* whose text it is */
    json_t *origins;    /* gets NAME: "file:PATH" or "input:ID" for what becomes ${NAME} */
};

/* ${NAME} where the client would expand something, `${:-$}{` where it would leave a "${" as it is.
 * An input or a file becomes a variable with a name made of the server's and its own, so that it is
 * none that the environment has for another purpose. In the arena. */
const char *references_translated(struct arena *arena, const struct reference_style *style,
                                  const char *text);
/* ${NAME}; what no name of a variable has, as a shell would take for something else, becomes '_'. A
 * default (:-…) stays. In the arena. */
const char *reference_to(struct arena *arena, const char *name);
/* A text in capitals, with '_' for what no name of a variable has. In the arena. */
const char *variable_name(struct arena *arena, const char *text);

#endif
