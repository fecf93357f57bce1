/* The plans of tests/data/plans/valid as `mistro run` reads them, those that they use included,
 * each with what it prints, and the tools that they are written for, which the server of `mistro
 * serve mock` plays. */
#ifndef TESTS_SUPPORT_FULL_PLANS_PLAN_CORPUS_H
#define TESTS_SUPPORT_FULL_PLANS_PLAN_CORPUS_H

#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"
#include "application/use_cases/plans/link_plan.h"

struct corpus_plan {
    const char *name; /* of its file */
    struct linked_plan linked;
    const char *expected; /* its answer, without the line end behind it */
};

struct plan_corpus {
    struct corpus_plan *plans;
    size_t n;
    const json_t *fixture;
    struct arena arena;
};

/* ERR_NONE, or what cannot be read. */
MUST_CHECK enum err_code plan_corpus_init(struct plan_corpus *corpus, struct err *err);
void plan_corpus_finish(struct plan_corpus *corpus);
/* A server of the tools, to be destroyed through its port. */
struct tool_server *plan_corpus_server(const struct plan_corpus *corpus, struct runtime *runtime,
                                       const char *name);
/* Whether a tool of such a server only reads. */
bool plan_corpus_only_reads(struct tool_server *server, const char *tool);

/* The step of the plan's own lists that a path in it begins with; NULL: there is none. */
const json_t *corpus_plan_step(const struct corpus_plan *plan, const char *path);

#endif
