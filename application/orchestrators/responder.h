/* Answers with what happened. The model words the answer from the goal and the results, bounded and
 * marked as data; it is offered no tools here, and it streams. Without a model the answer is the
 * result's own text, and so it is when the model says nothing to the end of the ladder, with a
 * warning, and when twice it says what stands neither in the results nor in what was said
 * (domain/grounding/grounding.h): the second time it was told what. Without steps there is nothing
 * to hold an answer against. A model that is gone or falls silent is an error, behind which what
 * the steps gave is still the answer: work that was done is not thrown away. */
#ifndef APPLICATION_ORCHESTRATORS_RESPONDER_H
#define APPLICATION_ORCHESTRATORS_RESPONDER_H

#include "application/orchestrators/turn.h"

#define RESPONDER_VERBATIM_BYTES (256 * 1024) /* of a result that is the answer itself */

/* {results}: the steps with their arguments and results, each cut to tools.prompt_result_bytes with
 * a note of how much was left out. A part each: one that leaves the prompt leaves its head behind.
 */
struct prompt_value responder_results(const struct turn *turn, const struct step_outcome *steps,
                                      size_t n);
/* Sets the result's answer, also where it fails behind steps that gave something. ERR_FAILED: no
 * tool fits and there is no model, or it said nothing. */
awaits MUST_CHECK enum err_code responder_answer(struct turn *turn, struct err *err);
/* The error of a request that no tool fits, with the reason that the intent gives. */
enum err_code responder_no_tool_fits(const struct turn *turn, struct err *err);
/* The text of the last step that gave one; "" when none did. Of one longer than max_bytes the
 * beginning, and how much is missing. In the arena. */
const char *responder_last_text(struct arena *arena, const struct step_outcome *steps, size_t n,
                                size_t max_bytes);
/* The texts of all steps, each from a line of its own. In the arena. */
const char *responder_all_texts(struct arena *arena, const struct step_outcome *steps, size_t n);

#endif
