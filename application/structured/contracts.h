/* The contracts of mistro, read from their files (data/schemas/, overridable like every asset), and
 * the words in which a prompt shows one to the model. */
#ifndef APPLICATION_STRUCTURED_CONTRACTS_H
#define APPLICATION_STRUCTURED_CONTRACTS_H

#include "application/ports/assets.h"
#include "domain/contract/contract.h"

#define CONTRACT_MAX_VERSION 1000000
#define CONTRACT_MAX_TOKENS 131072 /* the bound of settings.max_tokens */
#define CONTRACT_MAX_SYNONYMS 64
#define CONTRACT_MAX_SHOWN_DEPTH 4 /* of a schema in the words of a prompt */

/* X(name): all contracts; tests walk through them. */
#define CONTRACTS(X)                                                                               \
    X(intent)                                                                                      \
    X(plan)                                                                                        \
    X(intent_and_plan)                                                                             \
    X(questions)                                                                                   \
    X(answer)                                                                                      \
    X(image_chat)                                                                                  \
    X(envelope)                                                                                    \
    X(figure_retriever)                                                                            \
    X(figure_planner)                                                                              \
    X(figure_stylist)                                                                              \
    X(figure_graph)                                                                                \
    X(figure_plot)                                                                                 \
    X(figure_critic)

/* "x-contract" of a schema file: {"version":1, "shape":"object|text_and_object|text",
 * "profile":"decide|envelope|converse", "max_tokens":768, "working":NAME, "good":VALUE or text,
 * "bad":[{"answer":text,"why":text}],
 * "synonyms":[{"path":"/status","said":"done","meant":"SOLVED"}], "reminder":text,
 * "compaction":text}; everything but version is optional. A file of shape text has no other
 * keyword. Unknown members are errors. */

/* *out has everything but the functions and their context. The schema is the caller's own copy, to
 * be completed; all in the arena. ERR_INVALID names the file and what is wrong with it. */
MUST_CHECK
enum err_code contract_load(struct arena *arena, struct assets *assets, const char *name,
                            struct contract *out, struct err *err);

/* The shape of the answer in the words of a prompt: the members in their order, each with its
 * type, its bounds and what it is for, then the examples. In the arena. */
const char *contract_prompt_text(struct arena *arena, const struct contract *contract);

#endif
