/* What a plan of version 2 is as a tool: its goal the description, its inputs the arguments, its
 * outputs the structured result. Everything is read from the plan as it was written, so that the
 * tool says what the person who wrote the plan said. Pure. */
#ifndef DOMAIN_PLAN_PLAN_TOOL_H
#define DOMAIN_PLAN_PLAN_TOOL_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>

#define PLAN_TOOL_NAME_MAX 64             /* of the file, without its ending */
#define PLAN_TOOL_TITLE_COLUMNS 100       /* of a goal that is the title as well */
#define PLAN_TOOL_GOAL_COLUMNS 2000       /* of a goal in the description */
#define PLAN_TOOL_DESCRIPTION_COLUMNS 500 /* of what an input says of itself, likewise */

/* Letters, digits, '_' and '-', at most PLAN_TOOL_NAME_MAX of them. */
bool plan_tool_name_is_valid(const char *name);

/* An input that nobody could give: it is secret, so no argument of a tool, and no variable of the
 * environment has it. NULL: there is none. */
const char *plan_tool_unreachable_input(const json_t *plan);

/* Whether `holds` holds of every step with `tool`, those of blocks, of `finally` and of the plans
 * that it uses as well. */
typedef bool plan_step_test(void *context, const json_t *step);
bool plan_tool_all_steps(const json_t *plan, plan_step_test *holds, void *context);

/* The definition as in tools/list; owned by the caller. name: of the tool. only_reads: every call
 * in it is of a tool that is trusted to. is_open_world: one may reach beyond this machine. */
json_t *plan_tool_definition(struct arena *arena, const json_t *plan, const char *name,
                             bool only_reads, bool is_open_world);

#endif
