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
 * problem of the plan; {inputs.name} is a value that the plan was given, {item.x} and {index} are
 * the element of a loop and its number, {verify.x} is what the tool of a step's `verify` gave.
 * [-1] is the last element, [0:10] a list of some, [*] all of them: {s1.items[*].id} is a list of
 * that member of every element that has it.
 *
 * What a reference may lead to depends on where it stands: a place names the list of steps and the
 * position in it. What it leads to depends on the run: a frame has the results of one list, and
 * those around it. Pure. */
#ifndef DOMAIN_PLAN_REFERENCES_H
#define DOMAIN_PLAN_REFERENCES_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "domain/plan/plan.h"
#include "domain/tool/step_result.h"

#define REFERENCE_MAX_PARTS 16                   /* one more is text */
#define REFERENCE_MAX_INDEX_DIGITS 9             /* one more is text as well */
#define REFERENCES_MAX_TEXT_BYTES (64 * 1048576) /* printed into the arguments of one step */

enum reference_root {
    REFERENCE_STEP,
    REFERENCE_VARS,   /* or inputs */
    REFERENCE_ITEM,   /* of the loop `step` */
    REFERENCE_INDEX,  /* likewise */
    REFERENCE_VERIFY, /* what a verify gave */
};

/* Where references stand: in what belongs to the step `at`, or, where `at` is the end of a body,
 * behind the last step in it, as outputs do. */
struct reference_place {
    const struct plan *plan;
    size_t at;
    size_t body_of; /* whose list that is, as in struct step */
    bool is_around; /* the step as a whole: the element of its own loop is not there */
};

/* The results of one list of steps in one run of it, while it is carried out. */
struct frame {
    const struct frame *outer; /* around it; NULL: the list is the plan's */
    const struct plan *plan;
    size_t body_of;     /* whose list it is, as in struct step */
    const json_t *vars; /* of the plan or of the used one; NULL: as around it */
    size_t first;       /* results[i] is of step first + i */
    const struct step_result *const *results; /* NULL: none */
    const json_t *item, *index;               /* where the step whose body it is is a loop */
    const json_t *verified;                   /* what a verify gave; or NULL */
};

struct reference {
    enum reference_root root;
    int step;         /* index into the plan; -1 for variables or when no such step exists */
    const char *text; /* as written, without the braces */
    const char *parts[REFERENCE_MAX_PARTS]; /* members, or indices in decimal; "0:10"; "*" */
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
bool references_visit_at(struct arena *arena, const struct reference_place *place,
                         const json_t *value, reference_visit_fn *visit, void *context);
/* Of the args of a step; of what is about the step as a whole, such as `when`; of outputs: body_of
 * as in struct step. */
struct reference_place reference_place_of(const struct plan *plan, size_t at_step);
struct reference_place reference_place_around(const struct plan *plan, size_t at_step);
struct reference_place reference_place_behind(const struct plan *plan, size_t body_of);

/* The reference that stands alone in a text, as between the braces: "s1.items[0]". is_malformed
 * where it is none. */
struct reference reference_parse(struct arena *arena, const struct reference_place *place,
                                 const char *text);

/* Whether args that stand in no plan hold what looks like a reference; vars: only those to one of
 * its members count, NULL: all. */
bool references_are_in(struct arena *arena, const json_t *args, const json_t *vars);

/* The member or element of value that part i of the reference names; of an array a member is the
 * element of that number, and the "text" of a string is the string. NULL when there is none, and
 * where the part names a list of elements. */
const json_t *reference_find_part(const json_t *value, const struct reference *reference, size_t i);
/* Whether part i names a list of elements: "0:10" or "*". */
bool reference_part_is_list(const struct reference *reference, size_t i);

/* Replaces every reference in the args of a step of a plan without bodies. results[i] is NULL where
 * step i has none. vars: object of the variables' values. The new value is in the arena.
 * ERR_BAD_PLAN names the reference, what it asked for and what is there instead; ERR_LIMIT when the
 * text grows too large. */
MUST_CHECK
enum err_code references_bind(struct arena *arena, const struct plan *plan, size_t at_step,
                              const json_t *vars, const struct step_result *const *results,
                              const json_t **out_args, struct err *err);
/* The same of any value that stands in a place, in any plan. */
MUST_CHECK
enum err_code references_bind_value(struct arena *arena, const struct reference_place *place,
                                    const struct frame *frame, const json_t *value,
                                    const json_t **out, struct err *err);
/* What it leads to, NULL where that is nothing: the step gave no result, or has no such member. In
 * the arena. */
const json_t *reference_find(struct arena *arena, const struct reference *reference,
                             const struct frame *frame);
/* Whether a value refers to a step that gave nothing in this frame; or_failed: or the failure of
 * its tool. */
bool references_lack_result(struct arena *arena, const struct reference_place *place,
                            const struct frame *frame, const json_t *value, bool or_failed);

/* The string as one of a plan of version 2: of each reference what print gives, with its braces,
 * and every other brace doubled. A new reference. */
typedef const char *reference_print_fn(void *context, const struct reference *reference);
json_t *references_rewrite(struct arena *arena, const struct plan *plan, size_t at_step,
                           const json_t *string, reference_print_fn *print, void *context);

#endif
