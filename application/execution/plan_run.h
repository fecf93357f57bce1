/* A plan while it is carried out, as the files of this room share it. executor.c goes through a
 * list of steps: that of the plan, or that of a body, once for each element of a loop. step_call.c
 * makes one call, step_body.c carries out loops, blocks and used plans, which are lists again,
 * step_approve.c asks a person and step_ask.c a model. */
#ifndef APPLICATION_EXECUTION_PLAN_RUN_H
#define APPLICATION_EXECUTION_PLAN_RUN_H

#include "application/execution/executor.h"
#include "application/execution/flow_watch.h"
#include "domain/plan/references.h"

/* The steps of one list, by their index in the plan, and of each those of the list that it waits
 * for, by their number in it. */
struct step_list {
    size_t *steps;
    struct list_needs {
        size_t *steps;
        size_t n;
    } * needs;
    size_t n;
};

/* One run of one plan. */
struct plan_run {
    struct executor *executor;
    struct run_session *session;
    const struct plan *plan;
    struct execution *execution;
    const struct step_list *lists; /* of the plan, then of each body: see list_of */
    const struct flow_note *flows; /* of each step */
    int64_t n_calls, n_last_calls; /* so far, those of `finally` apart; against their limit */
    int64_t result_bytes;          /* of loops, likewise */
    size_t n_workers;              /* of all loops that are under way */
    json_t *approved;              /* the calls that were approved, by their paths */
};

/* One run of one list. */
struct list_run {
    struct plan_run *run;
    struct frame frame;
    struct scope *scope;
    struct arena *arena;
    const char *prefix; /* of the paths of its steps: "b[17]." */
    bool is_quiet;      /* in a loop: its steps are no events of their own */
    const struct step_list *list;
    struct step_run *steps;             /* one for each of the list */
    const struct step_result **results; /* those of the frame */
    struct task **tasks;                /* NULL while a step is not running */
    size_t n_running;
    size_t n_decided; /* from the front: none of these steps is waiting */
    struct err *stop; /* what ends the run as a whole; code NONE while it goes on */
    const struct step_outcome *failed; /* the first that failed and was not to be continued after */
};

/* One call on its way: of a step, or of one element of its loop. */
struct step_call {
    struct plan_run *run;
    struct scope *scope;
    struct arena *arena;
    const struct frame *frame;
    size_t at; /* the step, in the plan */
    struct step_outcome *outcome;
    struct invoke_request request;
    bool is_unbound; /* a dry run: its references have nothing to be bound to */
    bool is_quiet;   /* it is no event that it begins */
};

/* One step of a list. */
struct step_run {
    struct list_run *in;
    size_t at;
    struct step_outcome *outcome;
    struct step_call call; /* of a step that is one call */
    const char *path;      /* of the step in the run */
    int64_t began_ms;      /* monotonic */
};

/* Makes the steps of a list: of the plan, or of the body that its frame is of. The outcomes are
 * those of the execution where it is the plan's. */
void list_run_init(struct list_run *list, bool is_finally);
/* Takes over what an earlier process did for its steps; how many of them went well. */
size_t list_run_take_kept(struct list_run *list);
awaits void list_run_go(struct list_run *list);
/* The steps of the plan's `finally`, behind its list. */
awaits void list_run_finally(struct list_run *list);
/* Adds what became of the steps of a body to the sums of the execution. */
void list_run_count(const struct list_run *list);
/* What a list gave: its last step's result. NULL: nothing. */
const struct step_result *list_run_last(const struct list_run *list);

/* Fills in the call of a step at a path. */
void step_call_init(struct step_call *call, const char *path);
/* Everything before a call is sent. True: it is to be sent; else its outcome says what became of
 * it. */
awaits bool step_call_begin(struct step_call *call);
/* Sends it. The outcome has the result, or its error. */
awaits enum err_code step_call_send(struct step_call *call);
/* The state of an outcome that has its result or its error. */
static inline enum step_state step_state_of(const struct step_outcome *outcome)
{
    return outcome->err.code ? STEP_ERROR : STEP_OK;
}
/* A call that an earlier process made, where one is kept at the path. */
bool step_call_take_kept(struct step_call *call);

/* Whether what ended with this code ends the run as a whole. */
bool step_ends_the_run(enum err_code code);
void step_emit_started(struct plan_run *run, const char *path, const struct step_outcome *outcome);

/* Whether a step is more than one call, and is carried out by a task of its own. */
bool step_has_body(const struct step *step);
/* The elements of a list; of an object, its members as {key, value}. NULL: it is neither. */
const json_t *step_elements(struct arena *arena, const json_t *value);
/* A task: everything a step with a body, an approve or an ask does. */
awaits enum err_code step_body_carry_out(struct runtime *runtime, struct scope *scope, void *step);
awaits enum err_code step_approve(struct step_run *step);
awaits enum err_code step_ask(struct step_run *step);

#endif
