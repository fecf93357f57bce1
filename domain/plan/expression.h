/* Expressions: the conditions and checks of a plan, over references to what its steps gave.
 *
 *   length({find.matches}) >= {inputs.least} and not ({find.kind} in ["draft", "old"])
 *
 * They are total: without loops, assignments, input or output, each ends with a value or an error.
 * They are typed: `and`, `or` and `not` take true and false only, `<` and its kin compare numbers
 * with numbers or texts with texts, and `==` of values of different types is false. Where the types
 * of references are known, what cannot be right is found before anything runs. `or` binds less than
 * `and`, that less than `not`, that less than a comparison, of which one stands alone.
 *
 *   literals   12 -0.5 true false null "text" 'it''s text' [1, {s1.n}]
 *   {…}        a reference; what stands in the braces is its reader's affair
 *   A in B     an element of the list B, or the name of a member of the object B
 *   length(A)  of a text in characters, of a list or an object in elements
 *   count(LIST, VALUE)   how many elements equal the value
 *   first(LIST) last(LIST)   null of an empty one
 *   keys(OBJECT) lower(TEXT)
 *   contains(A, B)   the text A has the text B in it, or the list A an element equal to B
 *   starts_with(TEXT, TEXT) matches(TEXT, PATTERN)   the pattern as JSON Schema understands it
 *   default(REFERENCE, VALUE)   the value where the reference leads to nothing
 *
 * Pure. An expression lives in the arena it was made in. */
#ifndef DOMAIN_PLAN_EXPRESSION_H
#define DOMAIN_PLAN_EXPRESSION_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define EXPRESSION_MAX_BYTES 4096
#define EXPRESSION_MAX_DEPTH 64
#define EXPRESSION_MAX_REFERENCES 64

struct expression;

/* Types of JSON; a set of them where only that is known. */
enum value_type {
    TYPE_NULL = 1,
    TYPE_BOOLEAN = 2,
    TYPE_NUMBER = 4,
    TYPE_TEXT = 8,
    TYPE_LIST = 16,
    TYPE_OBJECT = 32,
    TYPE_ANY = 63,
};

/* ERR_BAD_PLAN says at which character reading stopped, and why; ERR_LIMIT for a text beyond the
 * bounds. */
MUST_CHECK
enum err_code expression_parse(struct arena *arena, const char *text, struct expression **out,
                               struct err *err);

/* The references, in the order in which they stand there: what is in the braces. */
size_t expression_n_references(const struct expression *expression);
const char *expression_reference(const struct expression *expression, size_t i);
/* Whether it stands in default(), so that it may lead to nothing. */
bool expression_reference_may_lack(const struct expression *expression, size_t i);

/* Of what types the value may be, given those of the references. ERR_BAD_PLAN: it can only fail. */
MUST_CHECK
enum err_code expression_check(const struct expression *expression, const unsigned *types,
                               unsigned *out_types, struct err *err);

/* values: of the references; NULL for one that leads to nothing. *out lives in the arena.
 * ERR_FAILED says which types did not fit, or which reference leads to nothing. */
MUST_CHECK
enum err_code expression_evaluate(struct arena *arena, const struct expression *expression,
                                  const json_t *const *values, const json_t **out, struct err *err);

/* For people, in the arena: a comparison with the values of both its sides, "3 >= 5"; of any other
 * expression its references with their values, "{s1.n} is 3". */
const char *expression_explain(struct arena *arena, const struct expression *expression,
                               const json_t *const *values);

#endif
