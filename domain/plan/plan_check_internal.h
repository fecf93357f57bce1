/* What the files of plan_check share: plan_check.c looks at tools and order,
 * plan_check_references.c at references and expressions, plan_check_kinds.c at loops, blocks and
 * what else version 2 has, plan_check_arguments.c at the arguments of a step, plan_check_gaps.c for
 * gaps in them; plan_shapes.c tells what is known of a value before the run, and plan_check_hints.c
 * what to write instead. */
#ifndef DOMAIN_PLAN_PLAN_CHECK_INTERNAL_H
#define DOMAIN_PLAN_PLAN_CHECK_INTERNAL_H

#include "domain/plan/expression.h"
#include "domain/plan/plan_check.h"
#include "domain/plan/references.h"
#include "domain/schema/schema_view.h"

struct plan_checking {
    struct arena *arena;
    const struct plan *plan;
    const struct plan_check_input *input;
    struct problems *problems;
    const struct tool **tools;   /* of each step; NULL where it is not known */
    const struct tool *verifier; /* of the verify that is looked at; or NULL */
    const struct shape **shapes; /* of what each step gives; NULL: not yet made */
    uint64_t **reached; /* of each step a bit for each that it waits for; NULL: not yet made */
};

/* What is known of a value: its schema, its members, or what its elements are. */
enum shape_kind { SHAPE_UNKNOWN, SHAPE_SCHEMA, SHAPE_MEMBERS, SHAPE_LIST };

struct shape {
    enum shape_kind kind;
    const json_t *root, *schema; /* SCHEMA */
    const char **names;          /* MEMBERS, and a shape for each */
    const struct shape **shapes;
    size_t n;
    const struct shape *element; /* LIST */
};

/* What a step gives. Never NULL; in the arena, as are all that follow. */
const struct shape *plan_shape_of_step(struct plan_checking *checking, size_t at);
/* What the element of a step's loop is. */
const struct shape *plan_shape_of_item(struct plan_checking *checking, size_t at);
/* What a reference leads to: SCHEMA_HAS with *out, SCHEMA_UNKNOWN, or SCHEMA_LACKS where *out_part
 * of it asks *out for what it does not have. */
enum schema_answer plan_shape_follow(struct plan_checking *checking,
                                     const struct reference_place *place,
                                     const struct reference *reference, const struct shape **out,
                                     size_t *out_part);
/* Those of the plan, or of the used one, that the place is in. */
const json_t *plan_inputs_at(const struct reference_place *place);
/* Of the elements of a list; NULL: nothing is known of them. */
const struct shape *plan_shape_element(struct plan_checking *checking, const struct shape *shape);
/* A schema that says the type, at least. */
const json_t *plan_shape_schema(struct plan_checking *checking, const struct shape *shape,
                                const json_t **out_root);
/* A set of enum value_type. */
unsigned plan_shape_types(struct plan_checking *checking, const struct shape *shape);
const char *plan_shape_names(struct plan_checking *checking, const struct shape *shape);

/* A place while its references are looked at. What `path` is below stands in problems->at. */
struct looking {
    struct plan_checking *checking;
    struct reference_place place;
    const char *path;          /* in front of the path of each reference */
    bool has_result;           /* the step's own result may be referred to */
    bool is_outside;           /* of the step's own loop: its element is not there */
    bool has_verified;         /* {verify} may be referred to */
    bool may_lack;             /* the reference may lead to nothing */
    bool in_expression;        /* what it leads to goes to no tool, and no text is around it */
    const struct tool *to;     /* whose arguments it is in; or NULL */
    const json_t *args;        /* these arguments */
    unsigned types;            /* enum value_type: what the last reference may lead to */
    const struct shape *shape; /* … as far as it is known; NULL: not at all */
};

struct looking plan_look_at(struct plan_checking *checking, size_t at);
void plan_check_value(struct looking *looking, const json_t *value);
/* Of true or false. */
void plan_check_expression(struct looking *looking, const struct expression *expression);
/* They may be NULL; body_of as in struct reference_place. */
void plan_check_outputs(struct plan_checking *checking, const json_t *outputs, size_t body_of);
/* Loops, verify, approve, ask, and the outputs of blocks and used plans. */
void plan_check_kind(struct plan_checking *checking, size_t at);
/* The tool with that name, rewritten in full; else a problem at the path. NULL also where no tools
 * are known. */
const struct tool *plan_check_tool(const struct plan_checking *checking, size_t at,
                                   const char *path, const char **name);
/* How a step comes before one that asks for it. */
const char *plan_check_move(const struct plan_checking *checking, size_t at, size_t later,
                            bool is_by_position);
/* Whether the later step waits for the earlier one, which is about to ask for it. */
bool plan_check_is_cycle(struct plan_checking *checking, size_t earlier, size_t later);

/* Where the problems of a step belong that are found next, and those of its arguments. */
void plan_check_at_step(const struct plan_checking *checking, size_t at);
void plan_check_at_arguments(const struct plan_checking *checking, size_t at);

/* What of the arguments is known before the run fits the tool's input schema. */
void plan_check_arguments(const struct plan_checking *checking, size_t at, const struct tool *tool,
                          const json_t *args);
/* No argument has a gap (plan/gap.h). */
void plan_check_gaps(const struct plan_checking *checking, size_t at);

/* "args.items[0].path" for "/items/0/path"; the last name of it is *out_name, NULL when there is
 * none; out_name may be NULL. In the arena. */
const char *plan_check_place(struct arena *arena, const char *path, const char **out_name);
/* "write {s1.matches[0].path} in step s2, args.path": what to put at this JSON Pointer into the
 * args of step `at` in place of a reference that asks for what is not there, or of a gap (reference
 * NULL, or one to no step). NULL when nothing tells which field is meant. In the arena. */
const char *plan_check_replacement(const struct plan_checking *checking, size_t at,
                                   const char *path, const struct reference *reference);

#endif
