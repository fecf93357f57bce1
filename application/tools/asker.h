/* Who asks a person, or the model, and in the middle of what: a server, while it runs a tool, reads
 * a resource or makes a prompt. */
#ifndef APPLICATION_TOOLS_ASKER_H
#define APPLICATION_TOOLS_ASKER_H

#include "domain/base/arena.h"
#include <jansson.h>

enum asker_work { ASKER_TOOL, ASKER_RESOURCE, ASKER_PROMPT };

struct asker {
    const char *server;
    enum asker_work work;
    const char *name;    /* of the tool (`server/name`), URI of the resource, name of the prompt */
    const char *step_id; /* may be NULL */
};

/* What every event about a question says first: `server`, what is going on, the step. Owned by the
 * caller. */
json_t *asker_event(const struct asker *asker);
/* `the server "dev" asks, while dev/send runs`; what: "asks", …; in the arena. */
const char *asker_title(struct arena *arena, const struct asker *asker, const char *what);

#endif
