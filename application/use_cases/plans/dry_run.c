#include "application/use_cases/plans/dry_run.h"
#include "application/tools/consent.h"
#include "domain/base/json.h"

static bool needs_approval(struct invoker *invoker, struct scope *scope, struct arena *arena,
                           const struct invoke_request *request)
{
    bool is_stored = false;
    if (consent_policy(invoker, arena, request) != POLICY_ASK)
        return false;
    struct tool_server *server = toolbox_server_of(invoker->toolbox, request->tool);
    return consent_is_stored(invoker->services, server, scope, arena, request->tool, &is_stored,
                             NULL) ||
           !is_stored;
}

const json_t *dry_run_summary(struct invoker *invoker, struct scope *scope, struct arena *arena,
                              const struct dry_call *calls, size_t n)
{
    json_t *once = json_array(), *asked = json_array();
    for (size_t i = 0; i < n; i++) {
        const struct invoke_request request = { .tool = calls[i].tool,
                                                .arguments = calls[i].args,
                                                .path = calls[i].step->id,
                                                .dry_run = true };
        const char *key = NULL; /* the argument that the effect id would be sent in */
        if (consent_idempotency_argument(invoker, arena, &request, &key, NULL))
            key = NULL;
        if (!consent_may_repeat(invoker, scope, arena, &request, key))
            json_array_append_new(once, json_string(calls[i].step->id));
        if (needs_approval(invoker, scope, arena, &request))
            json_array_append_new(asked, json_string(calls[i].step->id));
    }
    return arena_keep_json(arena, json_pack("{s:I, s:o, s:o}", "calls", (json_int_t)n,
                                            "not_repeatable", once, "approval", asked));
}
