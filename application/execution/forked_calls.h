/* The calls of another run whose results a run takes over: `runs fork` runs an edited plan, and a
 * step whose tool and bound arguments are those of a call that the other run made is not called
 * again. Each call is taken once, so that a plan that wants an effect twice gets it twice. */
#ifndef APPLICATION_EXECUTION_FORKED_CALLS_H
#define APPLICATION_EXECUTION_FORKED_CALLS_H

#include "domain/base/arena.h"
#include "domain/entities/call_record.h"
#include <jansson.h>

/* Between the id of another run and the path of a call in it: no path of a step has one. */
#define FORKED_PATH_SEPARATOR '/'

struct forked_call;

struct forked_calls {
    struct arena *arena;
    const char *run_id; /* of the run that is forked; NULL: their paths say whose calls they are */
    struct forked_call *list;
    size_t n, capacity;
    size_t n_taken; /* by this process */
};

/* What a forked run has to keep of a call of the run it is made from: one that was answered with a
 * result, or that may have taken effect. */
bool forked_call_counts(const struct call_record *call);
/* The calls of the run that is forked, or, of a forked run that is gone on with (run_id NULL),
 * those that it kept of the other one and has not taken. Everything is borrowed. */
void forked_calls_init(struct forked_calls *calls, struct arena *arena,
                       const struct run_contents *contents, const char *run_id);
/* The first call that is equal and was not taken; NULL when there is none. tool: its full name. It
 * is taken where it has a result. */
const struct call_record *forked_calls_take(struct forked_calls *calls, const char *tool,
                                            const json_t *args);
/* How such a call that is uncertain is settled, in the run that made it: a command, in the arena.
 */
const char *forked_calls_remedy(const struct forked_calls *calls, const struct call_record *call);

#endif
