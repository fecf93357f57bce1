/* References as small models write them, in the notations of other languages: {{s1.x}}, ${s1.x},
 * $s1.x, { s1.x }, <s1.x>, {step1.x} for the first step, {steps.s1.x}, {result.x}, {prev.x} and
 * {previous_result.x} for the step before, ["x"] for .x, and [*] or [] behind a list. What can mean
 * nothing else becomes the reference of plan/references.h that it is; all other text stays, for
 * plan/gap.h to judge. Only for what a model wrote: in a file {{s1.x}} writes {s1.x}. Pure. */
#ifndef DOMAIN_PLAN_LOOSE_REFERENCE_H
#define DOMAIN_PLAN_LOOSE_REFERENCE_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>

/* The steps before the one whose arguments are read, and what is to be told. */
struct loose_references {
    struct arena *arena;
    const char *const *ids; /* of the earlier steps, in their order */
    size_t n;
    bool doubled_are_escapes;                      /* {{s1.x}} stays, as in a file */
    void (*note)(void *context, const char *path); /* of a string that changed; may be NULL */
    void *context;
};

/* The arguments with every such reference in its own form; the value itself when there is none. In
 * the arena. */
const json_t *loose_references_read(const struct loose_references *loose, const json_t *args);

#endif
