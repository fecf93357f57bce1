/* `call SERVER/TOOL`: one tool call, no model. Only the named server is started, and nothing else
 * stands between the command and the call: the command is consent, a deny rule still stops it. */
#ifndef APPLICATION_USE_CASES_TOOLS_CALL_TOOL_H
#define APPLICATION_USE_CASES_TOOLS_CALL_TOOL_H

#include "application/services.h"
#include "application/tools/definition_check.h"
#include "domain/tool/step_result.h"

struct call_request {
    const char *tool;        /* "server/tool", or a bare name where it is unique */
    const json_t *arguments; /* object; NULL is {} */
    /* May be NULL. Makes the arguments instead, once the tool is known: what people type is read
     * in the light of its input schema. The object is borrowed. */
    enum err_code (*make_arguments)(void *context, struct scope *scope, const json_t *input_schema,
                                    json_t **out, struct err *err);
    void *context;
    /* --schema: the definition the caller was written against; NULL = not asked. */
    const json_t *expected_definition;
    enum schema_mode schema_mode;
    bool dry_run;
};

struct call_outcome {
    struct step_result result; /* is_error is exit 1 */
    int64_t duration_ms;
    unsigned attempts;
    const char *run_id;
};

/* Everything in the arena. ERR_NOT_FOUND (nearest names), ERR_INVALID (arguments against the
 * schema), ERR_DENIED, ERR_MISMATCH (what differs), else what the server reports. */
awaits MUST_CHECK enum err_code call_tool(struct services *services, struct scope *scope,
                                          struct arena *arena, const struct call_request *request,
                                          struct call_outcome *out, struct err *err);

#endif
