/* The contract `plan` for the tools of one turn: each step names one of the shortlist, and its
 * arguments fit that tool's schema or are references to earlier steps. Schemas that cannot be
 * carried over (references of their own, too large) let any object through; the plan check looks
 * at the values in any case. */
#ifndef APPLICATION_ORCHESTRATORS_PLAN_CONTRACT_H
#define APPLICATION_ORCHESTRATORS_PLAN_CONTRACT_H

#include "application/execution/arguments.h"
#include "application/finding/shortlist.h"
#include "domain/plan/intent.h"

#define PLAN_CONTRACT_MAX_SCHEMA_BYTES 16384 /* of one tool's schema */
/* A list that is somewhat too long is read, so that the plan check can name the limit. */
#define PLAN_CONTRACT_SPARE_ITEMS 16

/* A plan must have every required argument. Steps that come along with an intent may lack some:
 * an endpoint that enforces a schema would otherwise make the model invent values that were not
 * given. */
enum plan_arguments { PLAN_ARGUMENTS_REQUIRED, PLAN_ARGUMENTS_MAY_LACK };

/* Completes the static schema (changed in place) for these tools; one without steps stays. */
void plan_contract_complete(json_t *schema, const struct shortlist *list, size_t max_steps,
                            enum plan_arguments arguments);
/* What a model wrote, as a plan document: shown names become full names, missing ids become
 * prefix1, prefix2, …, the goal is added. Owned by the caller. */
json_t *plan_contract_read(const json_t *value, const struct shortlist *list, const char *prefix,
                           const char *goal, const json_t *vars);

/* The contracts `intent` and `intent_and_plan`: how they are completed, how what a model wrote is
 * brought to what it surely means, and how it becomes an intent. Pure. */

#define INTENT_MAX_GOAL_BYTES 400 /* of one that is made from the request */
#define INTENT_NO_CONFIDENCE -1.0 /* the model reported none */

/* Completes the static schema (changed in place): names of tools are those of the list or none;
 * steps, where the contract has them, use the same tools. */
void intent_contract_complete(json_t *schema, const struct shortlist *list, size_t max_steps);
/* Types, names of tools and the arguments of steps as they were surely meant. In the arena. */
const json_t *intent_contract_mend(struct arena *arena, const json_t *schema,
                                   const struct shortlist *list, const json_t *value,
                                   struct argument_notes *notes);
/* Tool calls that a model wrote unasked as such an object, still to be mended: their tools are
 * needed, their arguments are what the request says, and they are the steps. In the arena. */
const json_t *intent_contract_adopt(struct arena *arena, const json_t *calls, const char *message);
/* message: the goal where the value has none. In the arena. */
struct intent *intent_contract_read(struct arena *arena, const struct shortlist *list,
                                    const json_t *value, const char *message);
/* The intent as a value of the contract for this list, which may lack its tool; in the arena. */
const json_t *intent_contract_write(struct arena *arena, const struct shortlist *list,
                                    const struct intent *intent);

#endif
