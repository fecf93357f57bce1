/* Lets the model word the questions (clarification.wording: model). Which questions there are,
 * their keys and their choices are code's (domain/plan/confidence.h); the model may only say them
 * better. When it cannot, the templates are what is asked. */
#ifndef APPLICATION_ORCHESTRATORS_QUESTION_WORDING_H
#define APPLICATION_ORCHESTRATORS_QUESTION_WORDING_H

#include "application/orchestrators/turn.h"

/* Rewrites the texts of turn->intent's questions, where the settings want it and there is a model.
 * Whatever goes wrong with the model leaves the templates, with a warning: the question is worth
 * more than its wording. ERR_CANCELLED, or what is wrong with the prompt. */
awaits MUST_CHECK enum err_code question_wording_apply(struct turn *turn, struct err *err);

#endif
