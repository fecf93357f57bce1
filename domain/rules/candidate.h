/* Texts that cannot be anybody's answer, though models give them and the original agreed on one:
 * «<NUMBER>» (B1). Rejected are text within <…> or {…} that is a gap, words of the protocol
 * (SOLVED, READY_TO_SOLVE, APPROVED, "turn_1"), the template's own sentences, the task said back,
 * and text of which nothing is left. Pure. */
#ifndef DOMAIN_RULES_CANDIDATE_H
#define DOMAIN_RULES_CANDIDATE_H

#include "domain/entities/problem.h"
#include "domain/entities/role_set.h"

/* X(fault, name) */
#define CANDIDATE_FAULTS(X)                                                                        \
    X(NONE, "none")                                                                                \
    X(EMPTY, "empty")                                                                              \
    X(PLACEHOLDER, "placeholder")                                                                  \
    X(STATUS_WORD, "status_word")                                                                  \
    X(TEMPLATE, "template")                                                                        \
    X(ECHO, "echo")

enum candidate_fault {
#define X(fault, name) CANDIDATE_##fault,
    CANDIDATE_FAULTS(X)
#undef X
};

/* canonical: canonical_text of the candidate; task: the task as given. A task that says nothing but
 * its own answer cannot be told from an echo: the echo counts only from two words on. */
enum candidate_fault candidate_fault(struct arena *arena, enum canonical_kind kind,
                                     const char *canonical, const char *task);
const char *candidate_fault_name(enum candidate_fault fault);
/* What the agent is told: an instruction. */
const char *candidate_fault_fix(enum candidate_fault fault);

#endif
