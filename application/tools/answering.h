/* What a server may ask in the middle of one request, put to whom it is for: the person who is
 * present, by a form or for a visit to a page of the server's own (a URL), and the model, where the
 * server's configuration allows that (sampling.h).
 *
 * Who asks is always said. Of a form the server learns what the person typed and saw before it was
 * sent; of a page nothing but that they agreed to open it. They see the whole address before
 * anything is opened, with its host set off and what is odd about it said; nothing is fetched
 * beforehand, and what is not a web page is declined without asking. Where no person is present, no
 * server is offered to ask one. Told as elicitation_asked and elicitation_answered. */
#ifndef APPLICATION_TOOLS_ANSWERING_H
#define APPLICATION_TOOLS_ANSWERING_H

#include "application/journal.h"
#include "application/ports/tool_server.h"
#include "application/services.h"

/* Who asks, and in the middle of what: a server, while it runs a tool, reads a resource or makes a
 * prompt. */
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

/* As on_question of struct answerer. A person who leaves without a word is ELICITATION_CANCEL. */
awaits MUST_CHECK enum err_code elicitation_ask(const struct answering *answering,
                                                const struct elicitation *question,
                                                struct scope *scope, struct arena *arena,
                                                struct elicitation_answer *out, struct err *err);

#endif
