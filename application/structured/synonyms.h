/* Puts the contract's own word where a model wrote another one for the same thing ("done" for
 * "SOLVED"), as the contract's table says and nowhere else. Counted, never silent. Pure. */
#ifndef APPLICATION_STRUCTURED_SYNONYMS_H
#define APPLICATION_STRUCTURED_SYNONYMS_H

#include "domain/contract/contract.h"

/* A copy of the value with the words replaced, in the arena; NULL when there is none to replace.
 * *out_n says how many were. */
const json_t *synonyms_apply(struct arena *arena, const struct contract *contract,
                             const json_t *value, unsigned *out_n);

#endif
