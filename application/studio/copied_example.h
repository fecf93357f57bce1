/* A weak model copies what it is shown: the prompt of the example instead of one for the person.
 * That it stands in the pane anybody can put right; an image of it nobody asked for. Pure. */
#ifndef APPLICATION_STUDIO_COPIED_EXAMPLE_H
#define APPLICATION_STUDIO_COPIED_EXAMPLE_H

#include "application/structured/engine.h"

struct own_words {
    const struct contract *contract; /* whose good answer has the example */
    const struct ask_prompt *asked;  /* all that the person said, and the prompt as it was */
};

/* contract.cross_check with struct own_words as its context: false when an image is to be made of
 * the example's prompt and not a word of it is the person's. */
bool copied_example_check(void *context, const json_t *value, struct problems *problems);

#endif
