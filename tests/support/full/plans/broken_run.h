/* One run of a plan on virtual time of which one call to a port goes wrong: of the one server that
 * it has, of the state of the run, or of another store. A call of a tool passes twice, on its way
 * to the server and back: so each call is once broken that was not carried out, and once one whose
 * answer is lost. What became of the run is looked at by the test that broke it. */
#ifndef TESTS_SUPPORT_FULL_PLANS_BROKEN_RUN_H
#define TESTS_SUPPORT_FULL_PLANS_BROKEN_RUN_H

#include "application/use_cases/resume_run.h"
#include "application/use_cases/run_plan.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/fakes/faulty_ports.h"
#include "tests/support/full/virtual_runtime.h"

#define BROKEN_RUN_SERVER "shop"

enum broken_port { BROKEN_OTHER, BROKEN_SERVER, BROKEN_STATE };

struct broken_run;

/* Carries a call out. path: where it stands in the plan, as in the log. */
typedef enum err_code broken_run_serve(struct broken_run *run, struct scope *scope,
                                       const struct tool_call *call, const char *path,
                                       struct arena *arena, struct step_result *out,
                                       struct err *err);

struct broken_run {
    struct virtual_runtime *runtime;
    struct fake_services services;
    struct fake_run_states states;
    struct faulty_ports ports;
    struct tool_server server;
    struct tool_server *listed; /* whose tools and status the server has; set by the test, */
    broken_run_serve *serve;    /* … and so is this */
    broken_run_serve *answered; /* the answer of a call came through; or NULL */
    struct scope scope;
    struct arena arena;
    bool was_hit;         /* it came to the call that was to go wrong, */
    enum broken_port hit; /* … which was one of this port */
    const char *hit_in;   /* the path of the call of a tool that did; or NULL */
    struct turn_result result;
    struct err err;
    enum err_code code;
};

/* n: the call that goes wrong, from 1. */
void broken_run_init(struct broken_run *run, uint64_t seed, enum fault fault, unsigned n);
void broken_run_finish(struct broken_run *run);
void broken_run_do(struct broken_run *run, const struct run_plan_request *request);
/* Goes on with the run, over ports that are sound from now on. */
void broken_run_resume(struct broken_run *run, const struct resume_request *request);
bool broken_run_is_complete(const struct broken_run *run);
/* What is left undone or unsaid of any run, whatever its plan is; or NULL. */
const char *broken_run_leftover(const struct broken_run *run);

#endif
