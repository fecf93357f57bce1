#include "infrastructure/mcp/elicitation.h"
#include "domain/base/json.h"
#include <string.h>

enum err_code elicitation_read(const json_t *params, struct elicitation *out, struct err *err)
{
    const json_t *mode = json_object_get(params, "mode");
    const char *message = json_get_string(params, "message");
    const json_t *schema = json_object_get(params, "requestedSchema");
    if (mode && (!json_is_string(mode) || strcmp(json_string_value(mode), "form") != 0))
        return err_set(err, ERR_INVALID, 0, "elicitation: only the mode form is offered");
    if (!message || !json_is_object(schema))
        return err_set(err, ERR_INVALID, 0, "elicitation: no message or no requestedSchema");
    *out = (struct elicitation){ .message = message, .schema = schema };
    return ERR_NONE;
}

static json_t *result_of(const struct elicitation_answer *answer)
{
    static const char *const names[] = { "accept", "decline", "cancel" };
    json_t *result = json_pack("{s:s}", "action", names[answer->action]);
    if (answer->action == ELICITATION_ACCEPT)
        json_object_set(result, "content", answer->content);
    return result;
}

enum err_code elicitation_put(const struct tool_call *call, struct scope *scope,
                              const json_t *params, json_t **out_result, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct elicitation question;
    struct elicitation_answer answer;
    enum err_code r = elicitation_read(params, &question, err);
    if (!r)
        r = call->on_question(call->context, scope, &question, &arena, &answer, err);
    if (!r)
        *out_result = result_of(&answer);
    return r;
}

json_t *elicitation_cancelled(void)
{
    const struct elicitation_answer answer = { .action = ELICITATION_CANCEL };
    return result_of(&answer);
}
