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
    json_t *once = json_array(), *asked = json_array(), *vouched = json_array();
    int64_t n_calls = 0;
    for (size_t i = 0; i < n; i++) {
        const struct invoke_request request = { .tool = calls[i].tool,
                                                .arguments = calls[i].args,
                                                .path = calls[i].step->id,
                                                .is_repeatable = calls[i].step->is_repeatable,
                                                .dry_run = true };
        n_calls = n_calls > INT64_MAX - calls[i].n ? INT64_MAX : n_calls + calls[i].n;
        if (request.is_repeatable)
            json_array_append_new(vouched, json_string(calls[i].step->id));
        const char *key = NULL; /* the argument that the effect id would be sent in */
        if (consent_idempotency_argument(invoker, arena, &request, &key, NULL))
            key = NULL;
        struct invoke_request own = request; /* the plan is its author's, who vouches for it */
        own.named_by_user = true;
        if (!consent_may_repeat(invoker, scope, arena, &own, key))
            json_array_append_new(once, json_string(calls[i].step->id));
        if (needs_approval(invoker, scope, arena, &request))
            json_array_append_new(asked, json_string(calls[i].step->id));
    }
    json_t *all = json_pack("{s:I, s:o, s:o}", "calls", (json_int_t)n_calls, "not_repeatable", once,
                            "approval", asked);
    if (json_array_size(vouched))
        json_object_set(all, "repeatable", vouched);
    json_decref(vouched);
    return arena_keep_json(arena, all);
}
