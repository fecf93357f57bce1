/* Values that nobody chose: the arguments of a tool and the answers to a form, made of what their
 * schemas demand. They fit simple schemas; where a server wants more it says so, and that is an
 * answer as well. Everything lives in the arena. */
#ifndef TESTS_CONFORMANCE_MADE_UP_H
#define TESTS_CONFORMANCE_MADE_UP_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>

/* Only what `required` names: "x", 3, true, {} or []; a default, a const or the first of an enum
 * where there is one. */
const json_t *made_up_arguments(struct arena *arena, const json_t *schema);
/* The same for a prompt, whose definition lists its arguments. */
const json_t *made_up_prompt_arguments(struct arena *arena, const json_t *definition);
/* What a person sends who leaves everything as it is prefilled, and fills in what must be filled
 * in. ERR_INVALID: the schema is no form. */
MUST_CHECK
enum err_code made_up_form(struct arena *arena, const json_t *schema, json_t **out,
                           struct err *err);

#endif
