/* A plan: steps over tools, with references between them. A plan may come from a model, from
 * a file or from the lexical analyst, and every plan goes through the checks of plan/plan_check.h
 * before anything runs. Lives in the arena it was made in.
 *
 * Version 1 is what models write. Version 2 is for plans that people keep (docs/plans.md): it has
 * typed inputs in place of variables, outputs, conditions and checks, loops, blocks of steps, other
 * plans that it uses, approvals and questions to a model; a brace in it is always a reference
 * (plan/references.h).
 *
 * All steps stand in one array in the order of the file, those of a block or of a used plan behind
 * the step they belong to. Each says in whose body it is, so that a step without a body, which is
 * every step of version 1, needs nothing of this. */
#ifndef DOMAIN_PLAN_PLAN_H
#define DOMAIN_PLAN_PLAN_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/base/problem.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_FORMAT_VERSION 1
#define PLAN_NEWEST_VERSION 2
#define PLAN_MAX_STEPS 1000 /* of version 2; a setting bounds version 1 */
#define PLAN_STEP_ID_MAX 64
#define PLAN_MAX_RETRY 10
#define PLAN_MAX_TIMEOUT_MS 86400000
#define PLAN_MAX_PARALLEL 64
#define PLAN_MAX_ITEMS 100000 /* of a loop, and 1,000 unless its `limit` says otherwise */
#define PLAN_MAX_REPEATS 1000
#define PLAN_MAX_LOOPS 3     /* within each other */
#define PLAN_MAX_USE_DEPTH 8 /* plans that use others */

struct expression;

enum step_on_error { STEP_STOP, STEP_CONTINUE };

/* X(kind, the member that makes a step one of it) */
#define STEP_KINDS(X)                                                                              \
    X(TOOL, "tool")       /* one call, or one for each item of a loop */                           \
    X(BLOCK, "steps")     /* a list of steps of its own */                                         \
    X(USE, "use")         /* the steps of another plan, with inputs of their own */                \
    X(APPROVE, "approve") /* a person says yes to the calls behind it */                           \
    X(ASK, "ask")         /* one answer of a model */

enum step_kind {
#define X(kind, member) STEP_##kind,
    STEP_KINDS(X)
#undef X
};

/* What a step is carried out for. */
struct step_loop {
    const json_t *each; /* a reference or a list; NULL: it is repeated until something holds */
    const char *item, *index; /* what references call the element and its number */
    size_t max_parallel, limit;
    bool goes_on; /* behind an element that failed */
    const struct expression *until;
    const char *until_text;
    size_t max;
    int64_t delay_ms;
};

/* When a call is made again; beside step.retry, how often. */
struct step_retry {
    int64_t delay_ms; /* before the first time; -1: as the settings say */
    bool is_fixed;    /* else it doubles */
    bool on_timeout, on_unavailable;
    bool on_error; /* the tool's own failure */
};

/* How to find out whether a call took effect. */
struct step_verify {
    const char *tool;
    const json_t *args;
    const struct expression *done;
    const char *done_text;
    const json_t *result; /* a value with references */
};

/* Of another plan. */
struct step_use {
    const char *file;     /* as of plan_use_file; NULL: it cannot be told */
    const json_t *with;   /* the values of its inputs */
    const json_t *inputs; /* as of struct plan, like the next */
    const json_t *vars;
};

/* What must hold once the step has its result. */
struct step_check {
    const struct expression *that;
    const char *text;      /* of the expression */
    const char *otherwise; /* said where it does not hold; NULL: nothing */
};

struct step {
    const char *id; /* letters, digits, '_' and '-'; unique in its file; not vars, steps, … */
    enum step_kind kind;
    const char *tool;   /* as written: "server/tool", or a bare name where it is unique; else "" */
    const json_t *args; /* object; strings in it may hold references (plan/references.h) */
    const char **needs; /* ids of steps that must end first, beyond what references imply */
    size_t n_needs;
    int64_t timeout_ms;               /* silence allowed; 0 = the server's setting */
    unsigned retry;                   /* further attempts where the call may be repeated */
    const struct step_retry *retries; /* NULL: as the settings say */
    bool is_repeatable;               /* its author says that the call may be repeated */
    const struct step_verify *verify; /* or NULL */
    enum step_on_error on_error;
    int64_t estimated_ms; /* -1 when unknown */
    /* The step is skipped where this does not hold; NULL: it always runs. */
    const struct expression *when;
    const char *when_text;
    struct step_check *checks;
    size_t n_checks;
    const struct step_loop *loop; /* NULL: it is carried out once */
    const struct step_use *use;
    const json_t *outputs; /* of a block or a used plan; or NULL */
    const char *text;      /* of an approve or an ask, with references */
    const json_t *show;    /* of an approve; or NULL */
    const json_t *schema;  /* of an ask */
    size_t body_of;        /* 0: it is in a list of the plan; else 1 + whose body it is in */
    size_t unit;           /* 0: it is of the plan; else 1 + the step that uses its plan */
    size_t end;            /* of a step with a body: the index behind the last step in it */
    bool is_finally;       /* of its plan's `finally` */
    const char *at;        /* JSON Pointer of it in what was read; NULL in a plan that was made */
    bool has_own_id;       /* else the id is its position */
};

struct step_name {
    const char *id;
    size_t unit, at;
};

struct plan {
    int version;
    const char *goal;      /* may be "" */
    const json_t *vars;    /* object: defaults of the plan's variables, or of its inputs */
    const json_t *inputs;  /* object: JSON Schemas by name; NULL in version 1 */
    const json_t *outputs; /* object: values with references, as in args; NULL: none */
    bool may_ask;          /* it says `model: allowed` */
    bool has_approve;      /* among its steps */
    const json_t *source;  /* what it was read from, of version 2; else NULL */
    struct step *steps;
    size_t n_steps;
    const struct step_name *names; /* of a plan that was read: its ids in order; or NULL */
    int64_t estimated_ms;          /* -1 when unknown */
};

/* Reads the shape of a plan: an object with "steps", or an array of {tool, args} alone. Ids default
 * to s1, s2, … Every fault of shape is a problem. The value must live as long as the arena. What
 * comes is the plan as far as it can be read, for plan_check alone, which says the rest of what is
 * wrong: a tool that could not be read is "", arguments that could not be read are NULL, and so is
 * the plan of what is no plan at all. *out_fine: there was no problem. */
struct plan *plan_read(struct arena *arena, const json_t *value, struct problems *problems,
                       bool *out_fine);
/* The same where only a plan without a fault is of use: *out is written only when there is none. */
bool plan_from_json(struct arena *arena, const json_t *value, struct plan **out,
                    struct problems *problems);
/* A valid input of plan_from_json. Owned by the caller. */
json_t *plan_to_json(const struct plan *plan);
/* The version that a plan is read as: the newest one also where it says none that is known, and has
 * members that came with it. */
int plan_version_of(const json_t *plan);
/* The names of the members of a plan of that version, or of a step of one, of whatever kind. */
const char *const *plan_members(int version, bool of_step, size_t *out_n);
/* Whether a step has a member of this name; and the member that another name for it means
 * ("arguments": "args"), NULL when there is none. */
bool plan_step_has(const char *member);
const char *plan_step_member(const char *said);
/* Index of the first step of the plan's own file with that id, or -1; and of a unit. */
int plan_find_step(const struct plan *plan, const char *id);
int plan_find_step_of(const struct plan *plan, size_t unit, const char *id);
/* Whether it is of a `finally`, or stands in the body of one that is. */
bool plan_step_is_last(const struct plan *plan, size_t at);
/* How many steps there are before the plan's own `finally`. */
size_t plan_n_before_finally(const struct plan *plan);
/* Whether the step `at` stands in the body of step `of`, however deep. */
bool plan_step_is_in(const struct plan *plan, size_t at, size_t of);
/* The index behind the steps that an approve guards: those behind it in its list, with their
 * bodies, up to the next approve of the list. */
size_t plan_guarded_end(const struct plan *plan, size_t approve);
/* The step that an address in a run leads to, as "b", "b[17]" or "b[17].c" (docs/durability.md), or
 * -1. */
int plan_step_at(const struct plan *plan, const char *path);
/* The file that a plan names by `use`, relative to the folder of the first plan; from: the file of
 * the plan that names it, NULL: the first one. NULL where it may lie outside of that folder. In the
 * arena. */
const char *plan_use_file(struct arena *arena, const char *from, const char *said);
/* An address in a run without the numbers of repeats, which are the same call each time: as an
 * approve shows it. In the arena. */
const char *plan_shown_path(struct arena *arena, const struct plan *plan, const char *path);
/* The value and the schema of an output, NULL where it has none. */
const json_t *plan_output_value(const json_t *output, const json_t **out_schema);

#endif
