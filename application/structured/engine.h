/* Ask a model for one contract-shaped object, and get it or an honest failure.
 *
 * The request is constrained by the contract's schema where the endpoint can do that; whatever
 * comes back is extracted (fences and chatter around the object are tolerated and counted),
 * validated against the same schema and, where it does not fit, asked for again with an
 * instruction for the one thing that is wrong, at most ENGINE_REMINDERS times. Transport failures
 * and timeouts are no matter for reminders: they end the asking as errors. Every attempt is an
 * event with its rung and class. */
#ifndef APPLICATION_STRUCTURED_ENGINE_H
#define APPLICATION_STRUCTURED_ENGINE_H

#include "application/journal.h"
#include "application/ports/model.h"
#include "application/settings.h"
#include "domain/base/arena.h"
#include "domain/entities/problem.h"

#define ENGINE_REMINDERS 2 /* constant by S4-31, S4-65 */

/* X(class, name); shared by all contracts (D3) */
#define ATTEMPT_CLASSES(X)                                                                         \
    X(OK, "ok")                                                                                    \
    X(INVALID_JSON, "invalid_json")                                                                \
    X(MISSING_FIELDS, "missing_fields")                                                            \
    X(WRONG_TYPE, "wrong_type")                                                                    \
    X(OUT_OF_RANGE, "out_of_range")                                                                \
    X(UNKNOWN_ENUM, "unknown_enum")                                                                \
    X(CROSS_CHECK, "cross_check")                                                                  \
    X(TRUNCATED, "truncated")                                                                      \
    X(EMPTY, "empty")                                                                              \
    X(TRANSPORT, "transport")                                                                      \
    X(TIMEOUT, "timeout")

enum attempt_class {
#define X(class, name) ATTEMPT_##class,
    ATTEMPT_CLASSES(X)
#undef X
};

const char *attempt_class_name(enum attempt_class class);

struct contract {
    const char *name; /* "intent", "plan", … : the purpose of the model request */
    int version;
    const json_t *schema; /* draft 2020-12 */
    const char *example;  /* a good answer, as text, shown in reminders; may be NULL */
    /* May be NULL. Checks beyond the schema; problems carry fixes. False when there are any. */
    bool (*cross_check)(void *context, const json_t *value, struct problems *problems);
    void *context;
};

struct engine {
    struct model *model;
    struct runtime *runtime;
    const struct settings *settings;
    struct journal *journal;
};

struct ask_prompt {
    const char *system, *user;
    double temperature;
    int max_tokens; /* 0 = settings */
};

struct ask_outcome {
    const json_t *value; /* fits the contract; in the arena */
    unsigned attempts;   /* model calls made */
    bool extracted;      /* there was text around the object */
    int64_t prompt_tokens, cached_tokens, completion_tokens, model_ms; /* summed, -1 unknown */
};

/* ERR_FAILED when the model never gave what the contract asks (the message says what was wrong at
 * the end); transport errors as model_chat reports them. *out is filled with the counts in any
 * case. */
awaits MUST_CHECK enum err_code engine_ask(struct engine *engine, struct scope *scope,
                                           struct arena *arena, const struct contract *contract,
                                           const struct ask_prompt *prompt, struct ask_outcome *out,
                                           struct err *err);

#endif
