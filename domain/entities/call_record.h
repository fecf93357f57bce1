/* What is kept of one call of a run, so that another process can go on with the run: what became of
 * it decides whether it may be, must not be, or perhaps should be made again. */
#ifndef DOMAIN_ENTITIES_CALL_RECORD_H
#define DOMAIN_ENTITIES_CALL_RECORD_H

#include "domain/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(state, name) */
#define CALL_STATES(X)                                                                             \
    X(PENDING, "pending")     /* nothing was sent, for certain */                                  \
    X(SENT, "sent")           /* under way, or the process died meanwhile */                       \
    X(DONE, "done")           /* answered with a result */                                         \
    X(FAILED, "failed")       /* answered with a failure */                                        \
    X(UNCERTAIN, "uncertain") /* sent, and no answer will come */

enum call_state {
#define X(state, name) CALL_##state,
    CALL_STATES(X)
#undef X
};

struct call_record {
    const char *path; /* where in the run it stands; one record for each */
    enum call_state state;
    unsigned attempt;      /* 1, 2, … */
    const char *tool;      /* full name */
    const char *args;      /* JSON text of what is sent */
    const char *effect_id; /* goes with every attempt, so that the server can know a repetition */
    const char *argument;  /* that the effect id was sent in as well, or NULL */
    const char *result;    /* the bytes that the server answered with, or NULL */
    size_t result_length;
    const char *error; /* JSON text of an error in the place of a result, or of why the result
                          cannot be used, or NULL */
    const char *task;  /* the id of the server's task that it became, or NULL */
    int64_t sent_at_ms, duration_ms;
};

struct run_fact {
    const char *name, *text;
};

/* Everything that is kept of a run, in the order in which it was first put there. Whoever fills it
 * indexes it. */
struct run_contents {
    struct run_fact *facts;
    size_t n_facts, facts_capacity;
    struct call_record *calls;
    size_t n_calls, calls_capacity;
    struct call_record **by_path; /* once they are indexed */
};

/* The error of a call that no answer came to and that was settled as failed. */
#define CALL_SETTLED_AS_FAILED                                                                     \
    "{\"code\":\"failed\",\"message\":\"no answer came, and it was settled as failed\","           \
    "\"outcome\":\"unknown\"}"

const char *call_state_name(enum call_state state);
enum call_state call_state_parse(const char *name); /* CALL_UNCERTAIN when unknown */
/* It was sent, and nobody knows what became of it. */
bool call_is_uncertain(const struct call_record *call);
/* It was sent, no answer is kept, and somebody settled it as failed, which may be wrong. */
bool call_was_settled_as_failed(const struct call_record *call);
/* All of it in the arena. */
struct call_record call_record_copy(struct arena *arena, const struct call_record *call);
/* What finds calls by their path, in the arena; no call may be added afterwards. */
void run_contents_index(struct run_contents *contents, struct arena *arena);
/* NULL where there is none. */
const char *run_contents_fact(const struct run_contents *contents, const char *name);
struct call_record *run_contents_call(const struct run_contents *contents, const char *path);

#endif
