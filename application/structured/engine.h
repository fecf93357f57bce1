/* Ask a model for what a contract describes, and get it or an honest failure.
 *
 * The ladder: the request is constrained by the contract's schema where the endpoint can do
 * that; what comes back is extracted from what stands around it, mended where that loses nothing,
 * and held against the same schema and the contract's own checks. An answer that was cut off gets
 * more budget, once, and never a reminder where a compaction is possible. Anything else that is
 * wrong is asked for again with an instruction for that one thing, at most ENGINE_REMINDERS times,
 * then once with everything but the wish left out (ENGINE_COMPACTIONS; only where the prompt has
 * wishes). Each attempt has another seed, and but for the compaction a warmer temperature, since a
 * model that is asked the same in the same way repeats itself. The last rung is the contract's.
 * Transport failures and timeouts do not climb the ladder: they end the asking as errors. Every
 * attempt is an event with its rung and class. The stream is closed when something follows the
 * object, or when blanks or digits run away. */
#ifndef APPLICATION_STRUCTURED_ENGINE_H
#define APPLICATION_STRUCTURED_ENGINE_H

#include "application/journal.h"
#include "application/ports/model.h"
#include "application/ports/places.h"
#include "application/settings.h"
#include "application/structured/prompt.h"
#include "domain/base/arena.h"
#include "domain/contract/contract.h"

/* Constant, so that two runs of one request ask equally often. */
#define ENGINE_REMINDERS 2
#define ENGINE_COMPACTIONS 1

struct reply_ledger;

/* X(class, name); shared by all contracts, so that statistics compare them */
#define ATTEMPT_CLASSES(X)                                                                         \
    X(OK, "ok")                                                                                    \
    X(MISSING_DELIMITER, "missing_delimiter")                                                      \
    X(INVALID_JSON, "invalid_json")                                                                \
    X(MISSING_FIELDS, "missing_fields")                                                            \
    X(WRONG_TYPE, "wrong_type")                                                                    \
    X(OUT_OF_RANGE, "out_of_range")                                                                \
    X(UNKNOWN_ENUM, "unknown_enum")                                                                \
    X(CROSS_CHECK, "cross_check")                                                                  \
    X(UNGROUNDED, "ungrounded")                                                                    \
    X(PLACEHOLDER, "placeholder")                                                                  \
    X(TRUNCATED, "truncated")                                                                      \
    X(RAN_AWAY, "ran_away")                                                                        \
    X(EMPTY, "empty")                                                                              \
    X(TRANSPORT, "transport")                                                                      \
    X(TIMEOUT, "timeout")

enum attempt_class {
#define X(class, name) ATTEMPT_##class,
    ATTEMPT_CLASSES(X)
#undef X
};

const char *attempt_class_name(enum attempt_class class);

/* X(rung, name): in the order in which they are climbed. EXTRACT and REPAIR are not requests of
 * their own: in statistics they name what saved the answer of the rung before; an outcome names the
 * rung that asked, and tells the rest by its flags. */
#define ENGINE_RUNGS(X)                                                                            \
    X(GENERATE, "generate")                                                                        \
    X(EXTRACT, "extract")                                                                          \
    X(REPAIR, "repair")                                                                            \
    X(BUDGET, "budget")                                                                            \
    X(REMINDER, "reminder")                                                                        \
    X(COMPACTION, "compaction")                                                                    \
    X(LAST, "last")

enum engine_rung {
#define X(rung, name) RUNG_##rung,
    ENGINE_RUNGS(X)
#undef X
};

const char *engine_rung_name(enum engine_rung rung);

struct engine {
    struct model *model;
    struct runtime *runtime;
    const struct settings *settings;
    struct journal *journal;
    struct places *places;        /* NULL: requests are not bounded */
    struct reply_ledger *replies; /* of the run; NULL: what the model says is not kept */
    const char *party;            /* whose replies they are, of several at work; or NULL */
    /* For model_call.c: the endpoint's count divided by the estimate, 0 while unknown. */
    double token_scale;
    bool cannot_count;
};

struct ask_prompt {
    struct prompt prompt;
    const char *const *wishes; /* what the user said, oldest first: all that a compaction keeps */
    size_t n_wishes;
    const char *state; /* what must not be lost beside the wishes; may be NULL */
    int max_tokens;    /* 0 = the contract's */
};

struct ask_outcome {
    const json_t *value;   /* fits the contract; NULL for CONTRACT_TEXT; in the arena */
    const char *text;      /* what a person may read of the answer; NULL for CONTRACT_OBJECT */
    const char *raw;       /* the accepted answer as it came; NULL on the last rung */
    enum engine_rung rung; /* that asked for it */
    unsigned attempts;     /* model calls made */
    bool extracted;        /* there was text around the object */
    bool repaired;         /* it was mended without loss */
    unsigned synonyms;     /* values that were replaced by the contract's word */
    int64_t prompt_tokens, cached_tokens, completion_tokens, model_ms; /* summed, -1 unknown */
};

/* ERR_FAILED when the model never gave what the contract asks and its last rung has nothing (the
 * message says what was wrong at the end); ERR_LIMIT when not even the parts that stay fit the
 * model's context; transport errors as model_chat reports them. *out is filled with the counts in
 * any case.
 *
 * Text that may be shown is reported as it comes, by events: answer_token for CONTRACT_TEXT, token
 * for CONTRACT_TEXT_AND_OBJECT; when the attempt it belongs to fails, attempt_discarded takes it
 * back.
 */
awaits MUST_CHECK enum err_code engine_ask(struct engine *engine, struct scope *scope,
                                           struct arena *arena, const struct contract *contract,
                                           const struct ask_prompt *prompt, struct ask_outcome *out,
                                           struct err *err);

#endif
