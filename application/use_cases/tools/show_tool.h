/* `tool SERVER/TOOL`: one tool in full, and whether it may be called. */
#ifndef APPLICATION_USE_CASES_TOOLS_SHOW_TOOL_H
#define APPLICATION_USE_CASES_TOOLS_SHOW_TOOL_H

#include "application/services.h"
#include "application/tools/definition_change.h"

struct shown_tool {
    const char *full_name, *title, *description; /* title and description may be NULL; untrusted */
    const char *signature;
    const json_t *definition;                                      /* as the server sent it */
    const json_t *input_schema, *output_schema;                    /* output_schema may be NULL */
    const char *read_only, *destructive, *idempotent, *open_world; /* "yes", "no", "unsaid" */
    const char *policy;      /* what happens in `ask`: "allow", "ask", "deny" */
    bool approved;           /* a person allowed it for good */
    bool may_repeat;         /* mistro may make a call again whose outcome is unknown */
    const char *sha256;      /* of the definition: the identity that an approval is bound to */
    const char *quarantined; /* NULL: it may be used; else why not, "changed" or "new" */
    struct definition_change change; /* since it was agreed to; of a changed tool */
    const json_t *agreed;            /* its definition before that; else NULL */
};

/* ERR_NOT_FOUND with the nearest names. Everything is in the arena. */
awaits MUST_CHECK enum err_code show_tool(struct services *services, struct scope *scope,
                                          struct arena *arena, const char *name,
                                          struct shown_tool *out, struct err *err);
/* For --json; owned by the caller. */
json_t *shown_tool_to_json(const struct shown_tool *tool);

#endif
