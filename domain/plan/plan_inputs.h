/* The inputs of a plan of version 2: a JSON Schema each, which says what may be given, with a
 * default where it need not be. An input without a default must be given, unless it says
 * `required: false`; then it is null. One with `secret: true` is a text that is shown and logged
 * nowhere (domain/text/known_secrets.h); `env` names the environment variable that has it. */
#ifndef DOMAIN_PLAN_PLAN_INPUTS_H
#define DOMAIN_PLAN_PLAN_INPUTS_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/base/problem.h"
#include <jansson.h>

/* What the inputs are where nothing is given, an object in the arena without those that must be.
 * Schemas that are none, and
 * defaults that do not fit theirs, are problems below "/inputs". */
const json_t *plan_inputs_defaults(struct arena *arena, const json_t *inputs,
                                   struct problems *problems);

/* The schema of an object that has them, as that of the arguments of a tool. Owned by the caller.
 */
json_t *plan_inputs_schema(const json_t *inputs);

/* A text as the type that the schema of the input asks for: a number, true or false, JSON for a
 * list or an object; else the text as it is. Owned by the caller. */
json_t *plan_input_from_text(const json_t *schema, const char *text);

bool plan_input_is_secret(const json_t *input);

/* A hint with the name of the input, twice. */
#define PLAN_SECRET_REMEDY                                                                         \
    "give it with --var %.80s@FILE, or --var %.80s@- for what standard input has"

/* The value of an environment variable; NULL: it is not set. */
typedef const char *plan_variable_fn(void *context, const char *name);

/* What is given (may be NULL), with what the environment has for the secrets that are not. From now
 * on the secrets of it are known. variable: NULL for the plan of somebody who is to get at no
 * secret. ERR_INVALID: a secret is too short to be found, or not to be given at all; ERR_LIMIT:
 * there are too many. */
MUST_CHECK
enum err_code plan_inputs_take_secrets(struct arena *arena, const json_t *inputs,
                                       const json_t *given, plan_variable_fn *variable,
                                       void *context, const json_t **out, struct err *err);

/* The given values over the defaults. ERR_INVALID: one is no input (the nearest name is the hint),
 * does not fit its schema, or is not given and has no default. */
MUST_CHECK
enum err_code plan_inputs_set(struct arena *arena, const json_t *inputs, const json_t *defaults,
                              const json_t *given, const json_t **out, struct err *err);

#endif
