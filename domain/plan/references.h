/* References from one step to what earlier steps gave:
 *   {prev_result.field} {prev_result}   the step before this one in the plan
 *   {s1.items[0].id} {s1.items.0.id} {s1}  a step by its id; {s1.text} is always the text
 *   {steps[0].field}                    a step by its position, from 0
 *   {vars.name}                         a variable of the plan; {vars.r1.text} a result of an
 *                                       earlier turn
 * A string that is only a reference becomes the referenced JSON value; inside longer text the
 * value is printed (strings as they are, else compact JSON). A brace that starts no reference
 * stays as it is, so templates and code pass through: {user.name} is text unless a step has that
 * id. What was certainly meant as a step ({s9}, or a slip in an id) is a reference to nothing,
 * which the plan check reports. {{s1}} writes {s1}.
 *
 * In a plan of version 2 every brace begins a reference, {{ writes one brace, and what is none is a
 * problem of the plan; {inputs.name} is a value that the plan was given. Pure. */
#ifndef DOMAIN_PLAN_REFERENCES_H
#define DOMAIN_PLAN_REFERENCES_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/plan/plan.h"
#include "domain/tool/step_result.h"

#define REFERENCE_MAX_PARTS 16                   /* one more is text */
#define REFERENCE_MAX_INDEX_DIGITS 9             /* one more is text as well */
#define REFERENCES_MAX_TEXT_BYTES (64 * 1048576) /* printed into the arguments of one step */

enum reference_root { REFERENCE_STEP, REFERENCE_VARS };

struct reference {
    enum reference_root root;
    int step;         /* index into the plan; -1 for variables or when no such step exists */
    const char *text; /* as written, without the braces */
    const char *parts[REFERENCE_MAX_PARTS]; /* members, or array indices in decimal */
    bool is_index[REFERENCE_MAX_PARTS];
    size_t n_parts;
    bool is_malformed; /* version 2: what the brace begins is no reference */
    bool whole;        /* the string is nothing but this reference */
    size_t at, length; /* in the string, with the braces */
};

/* Calls visit for every reference in args, in document order, with the JSON Pointer of the string
 * that holds it. at_step is the index of the step the args belong to (for prev_result). Stops
 * when visit returns false. */
typedef bool reference_visit_fn(void *context, const char *path, const struct reference *reference);
bool references_visit(struct arena *arena, const struct plan *plan, size_t at_step,
                      const json_t *args, reference_visit_fn *visit, void *context);

/* The reference that stands alone in a text, as between the braces: "s1.items[0]". is_malformed
 * where it is none. */
struct reference reference_parse(struct arena *arena, const struct plan *plan, size_t at_step,
                                 const char *text);

/* Whether args that stand in no plan hold what looks like a reference; vars: only those to one of
 * its members count, NULL: all. */
bool references_are_in(struct arena *arena, const json_t *args, const json_t *vars);

/* The member or element of value that part i of the reference names; of an array a member is the
 * element of that number, and the "text" of a string is the string. NULL when there is none. */
const json_t *reference_find_part(const json_t *value, const struct reference *reference, size_t i);

/* Replaces every reference in the args of a step. results[i] is NULL where step i has none.
 * vars: object of the variables' values. The new value is in the arena. ERR_BAD_PLAN names the
 * reference, what it asked for and what is there instead; ERR_LIMIT when the text grows too large.
 */
MUST_CHECK
enum err_code references_bind(struct arena *arena, const struct plan *plan, size_t at_step,
                              const json_t *vars, const struct step_result *const *results,
                              const json_t **out_args, struct err *err);
/* What it leads to, NULL where that is nothing: the step gave no result, or has no such member. In
 * the arena. */
const json_t *reference_find(struct arena *arena, const struct plan *plan,
                             const struct reference *reference, const json_t *vars,
                             const struct step_result *const *results);
/* The same of a value that may stand in the args of the step. */
MUST_CHECK
enum err_code references_bind_value(struct arena *arena, const struct plan *plan, size_t at_step,
                                    const json_t *value, const json_t *vars,
                                    const struct step_result *const *results, const json_t **out,
                                    struct err *err);

#endif
