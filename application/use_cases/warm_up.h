/* While a person types the first message of a chat: finds and loads the model, and has it evaluate
 * the text that every first request of a turn begins with. */
#ifndef APPLICATION_USE_CASES_WARM_UP_H
#define APPLICATION_USE_CASES_WARM_UP_H

#include "application/services.h"

/* n_tools: that there are to choose from, which decides what a turn asks first. Nothing without
 * model.warm_up; ends with its scope; failing is no news: the request itself will tell. */
awaits void warm_up_chat(struct services *services, struct scope *scope, size_t n_tools);

#endif
