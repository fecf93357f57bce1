/* What a model is asked to give: one object of a known shape, or words. A contract is data: its
 * schema and all that belongs to it are one file, data/schemas/NAME.schema.json, whose member
 * "x-contract" holds what JSON Schema has no keyword for (application/structured/contracts.h
 * reads it). What is known only when it is asked (the tools of a turn) is added by the asker. */
#ifndef DOMAIN_CONTRACT_CONTRACT_H
#define DOMAIN_CONTRACT_CONTRACT_H

#include "domain/base/arena.h"
#include "domain/base/problem.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define CONTRACT_MAX_BAD_EXAMPLES 4

/* X(shape, name) */
#define CONTRACT_SHAPES(X)                                                                         \
    X(OBJECT, "object")                   /* one JSON value and nothing else */                    \
    X(TEXT_AND_OBJECT, "text_and_object") /* text, a line "---", one JSON object */                \
    X(TEXT, "text")                       /* words for a person; no schema */

enum contract_shape {
#define X(shape, name) CONTRACT_##shape,
    CONTRACT_SHAPES(X)
#undef X
};

/* X(profile, name): how freely the model may choose its words */
#define CONTRACT_PROFILES(X)                                                                       \
    X(DECIDE, "decide")     /* settings.temperature */                                             \
    X(ENVELOPE, "envelope") /* 0 */                                                                \
    X(CONVERSE, "converse") /* the model's own default */

enum contract_profile {
#define X(profile, name) CONTRACT_PROFILE_##profile,
    CONTRACT_PROFILES(X)
#undef X
};

/* A value that models write where the contract has another word for it. */
struct contract_synonym {
    const char *path; /* JSON Pointer; "-" stands for any element: "/steps/-/tool" */
    const char *said; /* compared without ASCII case */
    const char *meant;
};

struct contract {
    const char *name; /* "intent", "plan", …: also the purpose of the model request */
    int version;
    enum contract_shape shape;
    enum contract_profile profile;
    const json_t *schema; /* draft 2020-12; NULL exactly for CONTRACT_TEXT */
    const char *good;     /* a good answer, as the model should write it; may be NULL */
    const char *bad[CONTRACT_MAX_BAD_EXAMPLES]; /* and what it should not write */
    const char *bad_why[CONTRACT_MAX_BAD_EXAMPLES];
    size_t n_bad;
    const struct contract_synonym *synonyms;
    size_t n_synonyms;
    int max_tokens; /* of an answer; 0 = settings.max_tokens */
    /* The member in which a model thinks before it decides, or NULL: asked for first, not missed in
     * an answer without it, and no part of the accepted value. */
    const char *working;
    /* The first sentence of a reminder and the whole text of a compaction; NULL: the general ones.
     * {example} is `good` (in a compaction its object alone), {wishes} what the user wants. */
    const char *reminder, *compaction;

    /* What is code; each may be NULL and gets `context`. */
    /* The value as it was surely meant (types, names), before anything is held against it; the
     * value itself when nothing is to be done. Loses and invents nothing. In the arena. */
    const json_t *(*normalise)(void *context, struct arena *arena, const json_t *value);
    /* Checks beyond the schema, of a string where the contract is one of text; problems carry
     * fixes. False when there are any. */
    bool (*cross_check)(void *context, const json_t *value, struct problems *problems);
    /* Tool calls that the model wrote unasked (application/structured/native_calls.h: array of
     * {name, arguments}), as a value of this contract; NULL when they make none. In the arena. */
    const json_t *(*adopt_calls)(void *context, struct arena *arena, const json_t *calls);
    /* The last rung: what stands for an answer when the model gave none, a string where
     * that is text; NULL when nothing can. */
    const json_t *(*last_rung)(void *context, struct arena *arena);
    void *context;
};

bool contract_shape_parse(const char *name, enum contract_shape *out);
bool contract_profile_parse(const char *name, enum contract_profile *out);

#endif
