/* What an agent of a consensus says in one turn: one JSON object, of one form
 * for both agents. Reading is tolerant: spellings of a status, text where an object is expected and
 * tags without brackets are read as what they mean; anything else that does not fit is a problem. A
 * plain value; strings belong to an arena. */
#ifndef DOMAIN_CONSENSUS_ENVELOPE_H
#define DOMAIN_CONSENSUS_ENVELOPE_H

#include "domain/base/arena.h"
#include "domain/base/problem.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define ENVELOPE_MAX_NEEDS 3               /* more, and a small model answers none of them well */
#define ENVELOPE_MAX_CANONICAL_BYTES 65536 /* of canonical_text */
#define ENVELOPE_MAX_MESSAGE_BYTES 2000    /* of public_message and of a reason */

/* X(status, name) */
#define ENVELOPE_STATUSES(X)                                                                       \
    X(WORKING, "WORKING")                                                                          \
    X(NEED_PEER, "NEED_PEER")                                                                      \
    X(PROPOSED, "PROPOSED")                                                                        \
    X(READY_TO_SOLVE, "READY_TO_SOLVE")                                                            \
    X(SOLVED, "SOLVED")

enum envelope_status {
#define X(status, name) ENVELOPE_##status,
    ENVELOPE_STATUSES(X)
#undef X
};

/* X(type, name) */
#define ENVELOPE_ARTIFACTS(X)                                                                      \
    X(COMPONENT_SPEC, "component_spec")                                                            \
    X(CODE_PATCH, "code_patch")                                                                    \
    X(OUTLINE, "outline")                                                                          \
    X(FACT_PACK, "fact_pack")                                                                      \
    X(SOURCE_PACK, "source_pack")                                                                  \
    X(PLAN, "plan")                                                                                \
    X(DATASET, "dataset")                                                                          \
    X(RESULTS, "results")

enum envelope_artifact {
#define X(type, name) ENVELOPE_ARTIFACT_##type,
    ENVELOPE_ARTIFACTS(X)
#undef X
};

struct envelope {
    const char *role, *domain, *task_understanding, *public_message; /* "" where missing */
    enum envelope_artifact artifact;
    const json_t *content; /* object, perhaps empty; as the next two without the model's thinking */
    const char *needs[ENVELOPE_MAX_NEEDS];
    size_t n_needs;
    const char *handoff_to;
    enum envelope_status status;
    bool contact, solved;       /* the tags, wherever they stood */
    const char *canonical_text; /* as the agent wrote it; "" for none */
    const char *sha256;         /* the agent's own claim, "" for none; never believed */
    const char *change_reason;  /* meta.change_reason: why the answer is another one; "" for none */
    const json_t *request;      /* as it came; NULL where missing */
    const json_t *meta;         /* as it came; NULL where missing */
    bool promoted;              /* SOLVED by the controller's promotion, not by the agent */
};

/* Reads a value that fits the contract `envelope` (data/schemas/envelope.schema.json). False, with
 * problems, when it does not; *out is written only when it does. Lives as long as value and arena.
 */
bool envelope_from_json(struct arena *arena, const json_t *value, struct envelope *out,
                        struct problems *problems);
/* The v2 object: tags normalised, sha256 (hex, may be NULL) in final_solution, meta.promoted where
 * it is; unknown members are not kept. Owned by the caller. */
json_t *envelope_to_json(const struct envelope *envelope, const char *sha256);

/* The text an agent stands for: canonical_text; else, of a PROPOSED or READY_TO_SOLVE envelope, the
 * one string of artifact.content (members canonical_text, candidate, answer, text, final in this
 * order, or its only string member). NULL when there is none. */
const char *envelope_candidate(const struct envelope *envelope);
/* Whether it is one of these members. */
bool envelope_is_candidate_member(const char *key);

const char *envelope_status_name(enum envelope_status status);
const char *envelope_artifact_name(enum envelope_artifact type);

#endif
