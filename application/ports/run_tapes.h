/* What a run asks servers, models and people, and what they answer, kept beside its state so that
 * the run can be replayed. */
#ifndef APPLICATION_PORTS_RUN_TAPES_H
#define APPLICATION_PORTS_RUN_TAPES_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stdbool.h>

struct run_tapes;
struct run_tape;
struct user;

struct taped_run {
    const char *id;
    const struct scope *scope; /* what happens within it is kept */
    struct user *user;         /* who is asked in it */
    bool approves_all;         /* nobody is asked for consent */
};

struct run_tapes_ops {
    enum err_code (*begin)(struct run_tapes *tapes, const struct taped_run *run,
                           struct run_tape **out, struct err *err);
    void (*end)(struct run_tapes *tapes, struct run_tape *tape);
};

struct run_tapes {
    const struct run_tapes_ops *ops;
};

/* Until the end, for which scope and user are borrowed. ERR_INVALID: it cannot be written. */
MUST_CHECK
static inline enum err_code run_tapes_begin(struct run_tapes *tapes, const struct taped_run *run,
                                            struct run_tape **out, struct err *err)
{
    return tapes->ops->begin(tapes, run, out, err);
}
static inline void run_tapes_end(struct run_tapes *tapes, struct run_tape *tape)
{
    tapes->ops->end(tapes, tape);
}

#endif
