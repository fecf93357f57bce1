/* The kinds of damage that leave an object whole and say the same in another way, and those that
 * put something beside it; the others are in noisy_model.c. */
#ifndef TESTS_SUPPORT_NOISY_OBJECT_H
#define TESTS_SUPPORT_NOISY_OBJECT_H

#include "tests/support/noisy_model.h"

#define DELIMITER "\n---\n"

/* An answer taken apart: conversational text, then the object, either of which may be missing. */
struct answer {
    struct arena *arena;
    const struct model_request *request;
    const char *text; /* all of it */
    const char *head; /* before the delimiter; NULL without one */
    const char *body; /* the object's text; NULL for words alone */
    json_t *value;    /* of the body */
};

/* The answer with another body, and with that of another value, which is taken over. */
const char *answer_with_body(const struct answer *answer, const char *body);
const char *answer_with_value(const struct answer *answer, json_t *value);

/* NULL when this kind of damage makes no sense for the answer, or is not of these. */
const char *noisy_object(const struct answer *answer, enum noise_kind kind);

#endif
