/* What a server may ask in the middle of one request, put to whoever can answer it: the person who
 * is present, and the model where the server's configuration allows that. */
#ifndef APPLICATION_TOOLS_ANSWERING_H
#define APPLICATION_TOOLS_ANSWERING_H

#include "application/journal.h"
#include "application/ports/tool_server.h"
#include "application/services.h"
#include "application/tools/asker.h"

struct answering {
    struct services *services;
    struct journal *journal;
    struct asker asker;
    int64_t n_sampled;        /* requests to the model so far */
    struct answerer answerer; /* hand this to the server */
};

/* Everything is borrowed. It stays where it is. */
void answering_init(struct answering *answering, struct services *services, struct journal *journal,
                    struct asker asker);

#endif
