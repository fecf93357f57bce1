/* What a contract suite needs to know about the repository it is run on. Operations that wait run
 * inside a task: `run` starts one and returns its result, so that the suite itself only asserts on
 * the main stack. */
#ifndef TESTS_SUPPORT_REPOSITORY_SUBJECT_H
#define TESTS_SUPPORT_REPOSITORY_SUBJECT_H

#include "application/ports/runtime.h"

struct repository_subject {
    /* A repository (of the kind the suite is about) on a fresh, empty store. */
    void *(*open)(struct repository_subject *s);
    /* Another repository on the same store, after the first was destroyed: what was acknowledged
     * is there. NULL where the store dies with its repository. */
    void *(*reopen)(struct repository_subject *s);
    enum err_code (*run)(struct repository_subject *s, task_fn *fn, void *argument);
    /* Removes the store; the repository was destroyed before. */
    void (*close)(struct repository_subject *s);
};

/* `run` for repositories that never wait. */
static inline enum err_code repository_subject_run_at_once(struct repository_subject *s,
                                                           task_fn *fn, void *argument)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    (void)s;
    return fn(NULL, &scope, argument);
}

/* `close` for repositories that have no store beside themselves. */
static inline void repository_subject_close_nothing(struct repository_subject *s)
{
    (void)s;
}

#endif
