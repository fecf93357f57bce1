/* Texts that cannot be an answer, though models give them: two agents may well agree on «<NUMBER>».
 * Only what is certainly not an answer is refused, because a false refusal costs a turn and a false
 * answer the whole run:
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
 *                nothing but its own answer cannot be told from an echo; and the task in other
 * words
 *                ("You want to know why the sky is blue")
 *   non_answer   words that say nothing, in five languages: "I agree with my peer", "N/A", "As an
 * AI language model, I cannot …", "siehe oben", "j'ai besoin de plus d'informations"
 *
 * Of a JSON text the strings are looked at, for gaps that say what should stand there and for
 * template sentences only, unless there is one string in it and nothing else. A regex, of which
 * "..." is one, is looked at in that way, for status words and for non-answers. Code may be a stub
 * and SQL may have names to be filled in, which are placeholders. A number is none of these. Pure.
 */
#ifndef DOMAIN_CONSENSUS_CANDIDATE_H
#define DOMAIN_CONSENSUS_CANDIDATE_H

#include "domain/base/problem.h"
#include "domain/consensus/role_set.h"

/* X(fault, name, what the agent is told: an instruction) */
#define CANDIDATE_FAULTS(X)                                                                        \
    X(NONE, "none", "")                                                                            \
    X(EMPTY, "empty",                                                                              \
      "put the complete final text into final_solution.canonical_text; it was empty")              \
    X(PLACEHOLDER, "placeholder",                                                                  \
      "put the answer itself into final_solution.canonical_text, not a gap in brackets that "      \
      "stands for it")                                                                             \
    X(STATUS_WORD, "status_word",                                                                  \
      "put the answer itself into final_solution.canonical_text; words such as SOLVED belong in "  \
      "status")                                                                                    \
    X(TEMPLATE, "template",                                                                        \
      "put the answer itself into final_solution.canonical_text, not the words of the template")   \
    X(ECHO, "echo", "answer the task; final_solution.canonical_text only repeats it")              \
    X(NON_ANSWER, "non_answer",                                                                    \
      "put the answer itself into final_solution.canonical_text; agreeing, declining and "         \
      "pointing "                                                                                  \
      "elsewhere is none")

enum candidate_fault {
#define X(fault, name, fix) CANDIDATE_##fault,
    CANDIDATE_FAULTS(X)
#undef X
};

/* The same words in the same order, whatever stands between them and however they are written; at
 * least two. */
bool candidate_has_words_of(const char *text, const char *other);

/* canonical: canonical_text of the candidate; task: the task as given. */
enum candidate_fault candidate_fault(enum canonical_kind kind, const char *canonical,
                                     const char *task);
const char *candidate_fault_name(enum candidate_fault fault);
const char *candidate_fault_fix(enum candidate_fault fault);

#endif
