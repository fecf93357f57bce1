/* The plans that a plan uses are read before anything else is done with it, and stand from then on
 * in its member `used`, by their files: so a run keeps all of what it runs, and an edited file
 * changes nothing in it. What is there already is not read again. A file that cannot be had is a
 * text there that says why; the reading of the plan (domain/plan/plan.h) makes a problem of it
 * where the file is named. */
#ifndef APPLICATION_USE_CASES_PLANS_LINK_PLAN_H
#define APPLICATION_USE_CASES_PLANS_LINK_PLAN_H

#include "application/ports/documents.h"

#define LINK_PLAN_MAX_FILES 100

/* Reads a file by its name relative to the folder of the plan, into the arena. */
struct plan_files {
    enum err_code (*read)(const struct plan_files *files, struct arena *arena, const char *file,
                          const char **out_text, size_t *out_length, struct err *err);
};

/* One of the files that were read. */
struct plan_part {
    const char *file;
    struct document document;
};

struct linked_plan {
    struct document document; /* of the plan itself, as it was read */
    const json_t *value;      /* the plan with those that it uses */
    struct plan_part *parts;
    size_t n_parts;
};

/* *out with its document. files: NULL where none can be read. Faults of the files that are read
 * (duplicate keys) are problems. ERR_CANCELLED, ERR_TIMEOUT. */
awaits MUST_CHECK enum err_code link_plan(struct documents *documents,
                                          const struct plan_files *files, struct arena *arena,
                                          struct problems *problems, struct linked_plan *out,
                                          struct err *err);

#endif
