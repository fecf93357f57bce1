/* The steps a model wrote, brought to what they surely mean before anybody judges them: names of
 * tools that were written another way (tool_match.h), references in the notation of other languages
 * (domain/plan/loose_reference.h), values of another type (arguments.h), a call in the notation
 * models were trained on ("name", "arguments") in the place of a step. What cannot
 * be told stays as it is, for the contract and the plan check to refuse. Pure. */
#ifndef APPLICATION_ORCHESTRATORS_PLANNED_STEPS_H
#define APPLICATION_ORCHESTRATORS_PLANNED_STEPS_H

#include "application/execution/arguments.h"
#include "application/finding/shortlist.h"
#include "domain/plan/plan.h"
#include "domain/plan/value_origin.h"

/* A new array in the arena; steps that have no id get prefix1, prefix2, … Anything but an array
 * (one step alone is one) comes back as it is. Notes are about the steps' ids. Of more than `most`
 * steps the rest is left out: the contract takes so many, so that a plan is found too long by the
 * check that says so. */
const json_t *planned_steps_mend(struct arena *arena, const struct shortlist *list,
                                 const json_t *steps, size_t most, const char *prefix,
                                 struct argument_notes *notes);
/* Whether every step uses one of these tools (full names). */
bool planned_steps_keep_to(const struct shortlist *list, const json_t *steps,
                           const char *const *tools, size_t n_tools);

/* The parameters of a request, the invalid ones and the gaps (domain/plan/gap.h) replaced by what
 * the steps that came along say in their place, and with what the steps add that was said. A gap
 * that stays one was not given and is left out; where a step has no value for it either it becomes
 * null, so that a person is asked (confidence.h). What is missing otherwise stays missing: steps
 * may be invented, and then a person must be asked. steps may be NULL. request: in which the text
 * of a gap may stand. In the arena. */
const json_t *planned_steps_correct(struct arena *arena, const struct shortlist *list,
                                    const json_t *steps, const json_t *parameters,
                                    const char *request, const struct said *said);

/* For a person, a line for each argument of a model's plan: where its value comes from, with the
 * words of the request where it is some. In the arena. */
const char *planned_steps_explain(struct arena *arena, const struct plan *plan, const char *request,
                                  const struct said *said);

#endif
