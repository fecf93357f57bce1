/* The plans of a folder as tools, one for each file of version 2: arguments are the plan's inputs,
 * the structured result its outputs (domain/plan/plan_tool.h). So a host, or a model of mistro's,
 * picks one checked plan instead of inventing steps.
 *
 * The folder is looked at with every list and every call, so that it needs no restart when it
 * changes. What is no plan of version 2, has another name than a tool can have, has a problem that
 * the check without servers finds, or names the server `plan` is left out, with a warning that says
 * why. There is no recursion: the calls of such a plan do not see these tools.
 *
 * Each call is a run of its own in the log, whose id is in the result: in `_meta`, and in the text
 * of a failure. The plan runs as one that came from elsewhere: the policy is asked about each of
 * its calls, and whoever called is asked by the answerer of the call (agent_turn.h). So the call
 * of the tool itself is not asked about. What happens in the run is the progress of the call, and
 * cancelling it ends the run. */
#ifndef APPLICATION_AGENT_TOOLS_PLAN_TOOLS_H
#define APPLICATION_AGENT_TOOLS_PLAN_TOOLS_H

#include "application/ports/plan_folder.h"
#include "application/services.h"

#define PLAN_TOOLS_NAME "plan"                  /* of the server, beside the configured ones */
#define PLAN_TOOLS_PREFIX "plan."               /* of the tools, for other hosts */
#define PLAN_TOOLS_WATCH_MS 2000                /* between two looks at a folder that is served */
#define PLAN_TOOLS_RUN_ID "local.mistro/run-id" /* in `_meta` of a result */

struct plan_tools_options {
    const char *name;           /* of the server */
    const char *prefix;         /* of its tools; "" for none */
    struct plan_folder *folder; /* borrowed; hears what is left out, once for each state of it */
    struct tool_server *beside; /* whose tools are offered as well; taken over; NULL: none */
    bool watches;               /* a listener hears of changes between two lists */
};

/* services is borrowed, and may have this server among its own. */
struct tool_server *plan_tools_create(struct services *services,
                                      const struct plan_tools_options *options);

#endif
