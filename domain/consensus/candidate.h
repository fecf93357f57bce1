/* Texts that cannot be anybody's answer, though models give them and the original agreed on one:
 * «<NUMBER>» (B1). The rule, by what is surely no answer, because a false refusal costs a turn and
 * a false answer the whole run:
 *
 *   empty        nothing is left, or "...", "___", "\"\"" (".." and "**" may be meant)
 *   placeholder  words alone in brackets: in <…> any but elements of HTML, headers and single
 *                letters; in {…} and […] with a word that says what should stand there ("answer",
 *                "your", "number"), in {…} also capitals, {{…}} and ${…} always; "your answer
 *                here", "tbd"; and such a gap in a text of at most eight words. <p>hello</p>,
 *                [1, 2], {"a":1} and {x} are answers
 *   status_word  a word of the protocol alone: READY_TO_SOLVE, turn_1, [SOLVED] however written;
 *                SOLVED, APPROVED, TIE and the like in capitals only, and not where the task
 *                itself offers the word. "A", "Tie" and "approved" are answers
 *   template     a sentence of the envelope's template with little else
 *   echo         the words of the task, all and no others, from two words on: a task that says
 *                nothing but its own answer cannot be told from an echo
 *
 * Of a JSON text the strings are looked at, for gaps that say what should stand there and for
 * template sentences only, unless it is one string. The same goes for a regex, of which "..." is
 * one, and of status words. SQL has neither brackets around it nor one word. A number is none of
 * these. Pure. */
#ifndef DOMAIN_CONSENSUS_CANDIDATE_H
#define DOMAIN_CONSENSUS_CANDIDATE_H

#include "domain/base/problem.h"
#include "domain/consensus/role_set.h"

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

/* canonical: canonical_text of the candidate; task: the task as given. */
enum candidate_fault candidate_fault(enum canonical_kind kind, const char *canonical,
                                     const char *task);
const char *candidate_fault_name(enum candidate_fault fault);
/* What the agent is told: an instruction. */
const char *candidate_fault_fix(enum candidate_fault fault);

#endif
