/* A tool server within the process whose tools are jobs of mistro: their definitions are assets,
 * each is a function. Calls run side by side, each with a run of its own in the log, whose id is in
 * its result; what happens in it is the call's progress, cancelling the call ends the job, and the
 * call's limits are the job's. A job that fails is the tool's own failure, which a model may read.
 *
 * What a job would ask a person goes to whoever answers the call (agent_user.h), and it sees no
 * server that is mistro once more (agent_turn.h). */
#ifndef APPLICATION_AGENT_TOOLS_OWN_SERVER_H
#define APPLICATION_AGENT_TOOLS_OWN_SERVER_H

#include "application/services.h"
#include "domain/tool/step_result.h"

#define OWN_SERVER_MAX_CALLS 16 /* at once; further ones are told to come again */
#define OWN_SERVER_MAX_ASSETS 2

/* The arguments fit the tool's schema already; what a schema cannot say is checked by the function,
 * and its error names the path of the argument. *out lies in the arena. */
typedef enum err_code own_tool_fn(struct services *services, struct scope *scope,
                                  struct arena *arena, const json_t *arguments,
                                  struct step_result *out, struct err *err);

struct own_tool {
    const char *name;
    own_tool_fn *handle;
};

struct own_server_kind {
    const char *name;        /* as a configured server would be called */
    const char *server_name; /* as it calls itself, and its identity */
    bool is_builtin;
    const struct own_tool *tools;
    size_t n_tools;
    const char *assets[OWN_SERVER_MAX_ASSETS]; /* with definitions: "data/schemas/…"; NULL: none */
};

/* services and kind are borrowed; whoever watches the services is not told of these jobs. The
 * definitions are read when somebody first wants them. */
struct tool_server *own_server_create(struct services *services,
                                      const struct own_server_kind *kind);
/* Reads them now, for who wants to know that they are sound. */
MUST_CHECK
enum err_code own_server_read(struct tool_server *server, struct err *err);

#endif
