/* Who agrees with whom: exactly two agents, each with a role, a domain, perhaps a model and an
 * endpoint of its own, and a pack, which is the part of its instructions that its role has. What
 * the two have to agree on is the set's as well: the canonical kind, and the checker that tells a
 * candidate's fitness by running it.
 *
 * Two shapes are read: {"agents":[{…},{…}]} and {"agent_a":{…},"agent_b":{…}}.
 * A pair of roles that has a pack each ("writer_physicist") needs no file: it is composed. */
#ifndef DOMAIN_CONSENSUS_ROLE_SET_H
#define DOMAIN_CONSENSUS_ROLE_SET_H

#include "domain/base/arena.h"
#include "domain/base/problem.h"
#include "domain/consensus/envelope.h"

#define ROLE_SET_AGENTS 2
#define ROLE_SET_NAME_MAX 64            /* of a set, a role, a domain, a pack */
#define ROLE_SET_MAX_URL_BYTES 2048     /* of an endpoint, and of the name of a model */
#define ROLE_SET_MAX_SYSTEM_BYTES 16384 /* of words of an agent's own */

/* X(kind, name): how two texts are held against each other */
#define CANONICAL_KINDS(X)                                                                         \
    X(TEXT, "text")                                                                                \
    X(CODE, "code")                                                                                \
    X(JSON, "json")                                                                                \
    X(NUMBER, "number")                                                                            \
    X(REGEX, "regex")                                                                              \
    X(SQL, "sql")

enum canonical_kind {
#define X(kind, name) CANONICAL_##kind,
    CANONICAL_KINDS(X)
#undef X
};

struct role_agent {
    const char *role;     /* "Physicist": what it calls itself and is called */
    const char *domain;   /* short label */
    const char *model;    /* NULL: the one of the settings */
    const char *base_url; /* NULL: likewise */
    const char *pack;     /* config/rolesets/packs/PACK.md; NULL: none */
    const char *system;   /* further words of its own, or NULL */
    bool is_auditor;      /* it doubts before it adopts; by default the second agent */
};

struct role_set {
    const char *name, *description; /* description may be "" */
    struct role_agent agents[ROLE_SET_AGENTS];
    enum canonical_kind kind;
    const char *example_format; /* what a task's examples look like, for people; may be NULL */
    const json_t *examples;     /* that every candidate is run against; NULL: those of the task */
};

/* Three agents, one agent, a missing role and unknown kinds are problems with their path. Members
 * that mistro does not know are passed over, but for those that look misspelt. A pack may be named
 * by its file, of which only the name is taken. "auditor":true says who doubts. Borrows examples
 * from value. */
bool role_set_from_json(struct arena *arena, const char *name, const json_t *value,
                        struct role_set *out, struct problems *problems);
json_t *role_set_to_json(const struct role_set *set); /* owned by the caller */

const char *canonical_kind_name(enum canonical_kind kind);
bool canonical_kind_parse(const char *name, enum canonical_kind *out);

#endif
