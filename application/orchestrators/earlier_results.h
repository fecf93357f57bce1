/* Results of earlier turns that a later one can mean ("now review the code you made"). They are
 * kept in the conversation's context, without secrets (domain/text/redact.h), the newest ones that
 * fit storage.result_bytes; what is older, or larger than that alone, is not kept. A prompt shows
 * each by its name and first lines, and a plan passes it on whole as {vars.r1.text},
 * or a part of it as {vars.r1.field}. */
#ifndef APPLICATION_ORCHESTRATORS_EARLIER_RESULTS_H
#define APPLICATION_ORCHESTRATORS_EARLIER_RESULTS_H

#include "application/orchestrators/turn_result.h"
#include "domain/entities/conversation.h"

#define EARLIER_RESULTS_MAX 16
#define EARLIER_RESULTS_SHOWN_COLUMNS 240 /* of one in a prompt */

/* {"r1": value, …}, oldest first; an object has its result's text as a member "text". What had a
 * secret is left out. In the arena. */
const json_t *earlier_results(struct arena *arena, const struct conversation *conversation);
/* A line for each, with a heading; "" when there are none. In the arena. */
const char *earlier_results_print(struct arena *arena, const struct conversation *conversation);
/* The arguments with {vars.r1} replaced by the result; as they are where they refer to anything
 * that is not among the earlier ones. In the arena. */
const json_t *earlier_results_bind(struct arena *arena, const json_t *earlier, const json_t *args);
/* Keeps the results of a turn that was completed. */
void earlier_results_keep(struct arena *arena, struct conversation *conversation,
                          const struct turn_result *result, size_t max_bytes);

#endif
