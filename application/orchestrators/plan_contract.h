/* The contract `plan` for the tools of one turn: each step names one of the shortlist, and its
 * arguments fit that tool's schema or are references to earlier steps. Schemas that cannot be
 * carried over (references of their own, too large) let any object through; the plan check looks
 * at the values in any case. */
#ifndef APPLICATION_ORCHESTRATORS_PLAN_CONTRACT_H
#define APPLICATION_ORCHESTRATORS_PLAN_CONTRACT_H

#include "application/tools/shortlist.h"

#define PLAN_CONTRACT_MAX_SCHEMA_BYTES 16384 /* of one tool's schema */

/* A plan must have every required argument. Steps that come along with an intent may lack some:
 * an endpoint that enforces a schema would otherwise make the model invent what nobody said. */
enum plan_arguments { PLAN_ARGUMENTS_REQUIRED, PLAN_ARGUMENTS_MAY_LACK };

/* Completes the static schema (changed in place) for these tools; one without steps stays. */
void plan_contract_complete(json_t *schema, const struct shortlist *list, size_t max_steps,
                            enum plan_arguments arguments);
/* What a model wrote, as a plan document: shown names become full names, missing ids become
 * prefix1, prefix2, …, the goal is added. Owned by the caller. */
json_t *plan_contract_read(const json_t *value, const struct shortlist *list, const char *prefix,
                           const char *goal, const json_t *vars);

#endif
