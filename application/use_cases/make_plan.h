/* `plan`: stop after the checked plan. What it prints is a valid input of `run`. */
#ifndef APPLICATION_USE_CASES_MAKE_PLAN_H
#define APPLICATION_USE_CASES_MAKE_PLAN_H

#include "application/use_cases/mistral_chat.h"

/* As mistral_chat_turn with plan_only, and with the estimated times of the run log. When
 * turn_has_answer(out), *out_plan is the plan to print (in the arena, steps may be empty);
 * otherwise it is NULL and the result object says why (questions, problems). */
awaits MUST_CHECK enum err_code make_plan(struct mistral_chat *chat, struct scope *scope,
                                          struct arena *arena, const struct turn_request *request,
                                          struct turn_result *out, const json_t **out_plan,
                                          struct err *err);

#endif
