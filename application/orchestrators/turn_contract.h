/* A contract as one turn asks for it: the static one, completed with what only the turn knows, and
 * the words that describe it. The words are of the static one, so that the task stays the same
 * bytes from turn to turn and its cache warm. */
#ifndef APPLICATION_ORCHESTRATORS_TURN_CONTRACT_H
#define APPLICATION_ORCHESTRATORS_TURN_CONTRACT_H

#include "application/orchestrators/turn.h"

#define TURN_KNOWN_BYTES 2000 /* of earlier results in a compacted request */

struct turn_contract {
    struct contract contract; /* functions and their context are the asker's to set */
    json_t *schema;           /* the contract's, to be completed; NULL for plain text */
    const char *text;         /* {contract} in a prompt */
};

/* In the arena of the turn. */
MUST_CHECK
enum err_code turn_contract_load(const struct turn *turn, const char *name,
                                 struct turn_contract *out, struct err *err);
/* The prompt that asks for it: the opening of the turn, config/prompts/NAME_task.txt and the user's
 * template (turn_make_prompt), and for the ladder what the user wanted and what must not be lost:
 * the goal and what is known so far, unless *out says something else already. */
MUST_CHECK
enum err_code turn_contract_prompt(const struct turn *turn, const struct turn_contract *contract,
                                   const char *user_path, const struct prompt_value *values,
                                   size_t n, struct ask_prompt *out, struct err *err);

#endif
