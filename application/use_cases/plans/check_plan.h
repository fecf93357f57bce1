/* Whether the plan of a file may run: what `run` decides before it calls anything, and all that
 * `plans check` does. Every problem is found at once, with its line and column. */
#ifndef APPLICATION_USE_CASES_PLANS_CHECK_PLAN_H
#define APPLICATION_USE_CASES_PLANS_CHECK_PLAN_H

#include "application/services.h"
#include "application/tools/toolbox.h"
#include "application/use_cases/plans/link_plan.h"
#include "domain/plan/plan_check.h"

struct plan_text {
    const char *text; /* of the file */
    size_t length;
    const struct plan_files *files; /* of its folder; NULL: the plans it uses cannot be read */
};

struct check_plans_request {
    const struct plan_text *texts;
    size_t n;
    const json_t *vars; /* of a plan of version 1: object of --var values (strings), or NULL */
    bool is_offline;    /* no server is started: shape, order and references alone */
};

struct checked_plan {
    const struct plan *plan;   /* as far as it can be read; NULL: not at all */
    struct problems *problems; /* in the order of the file */
    struct problems *unknown;  /* references to fields of which nothing is known, likewise */
    const char *warning;       /* of plan_literal_warning */
    struct err err; /* why tools could not be had, and the check was as one that is offline */
};

/* out has n elements. Nothing is called, logged or kept. ERR_CANCELLED, ERR_TIMEOUT and what has
 * nothing to do with the plans are errors; a server that cannot be had is in out[].err. */
awaits MUST_CHECK enum err_code check_plans(struct services *services, struct scope *scope,
                                            struct arena *arena,
                                            const struct check_plans_request *request,
                                            struct checked_plan *out, struct err *err);

/* The rest is for run_plan.c as well. */

/* The plan's defaults and what was given in their place, of the type of the default where the text
 * of a --var allows it. In the arena. */
const json_t *plan_merge_vars(struct arena *arena, const json_t *defaults, const json_t *given);
/* Whether a tool is named without its server. */
bool plan_has_bare_name(const struct plan *plan);
/* Starts the servers that the plan names and no other; those of bare names are had by a refresh. A
 * tool that is not there is no error: the check tells of it. */
awaits MUST_CHECK enum err_code plan_find_tools(struct toolbox *toolbox, struct scope *scope,
                                                struct arena *arena, const struct plan *plan,
                                                struct plan_check_input *input, struct err *err);
/* What to say of the first text that looks like a reference and is none; NULL: there is none. */
const char *plan_literal_warning(struct arena *arena, const struct plan *plan);
/* Gives every problem that has a JSON Pointer its line and column, and its file where it is in a
 * plan that is used, and brings them into the order of the documents. */
void plan_place_problems(struct documents *documents, const struct linked_plan *linked,
                         struct problems *problems);

#endif
