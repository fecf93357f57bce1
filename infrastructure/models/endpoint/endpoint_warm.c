#include "infrastructure/models/endpoint/endpoint_extras.h"
#include <string.h>

#define WARM_PURPOSE "warm_up"
#define WARM_USER "."

/* Kinds that keep what they evaluated, and answer for nothing. */
static bool is_worth_it(const struct endpoint_model *model)
{
    static const char *const kinds[] = { "ollama",    "llama-server", "vllm",
                                         "lm-studio", "mistral.rs",   "tgi" };
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (strcmp(model->kind, kinds[i]) == 0)
            return true;
    return false;
}

/* Only llama-server takes 0 for "evaluate, and that is all". */
static int tokens_to_make(const struct endpoint_model *model)
{
    return strcmp(model->kind, "llama-server") == 0 ? 0 : 1;
}

awaits static enum err_code warm_alone(struct endpoint_model *model, struct scope *scope,
                                       const char *system, struct err *err)
{
    AUTO(arena) arena = { 0 };
    enum err_code r = endpoint_model_resolve(model, scope, &arena, err);
    if (r || !is_worth_it(model))
        return r;
    const struct settings *settings = model->client.settings;
    const struct model_part rules = { MODEL_TEXT, system, NULL };
    const struct model_part user = { MODEL_TEXT, WARM_USER, NULL };
    const struct model_message messages[] = { { MODEL_SYSTEM, &rules, 1 },
                                              { MODEL_USER, &user, 1 } };
    const struct model_request request = {
        .purpose = WARM_PURPOSE,
        .messages = messages,
        .n_messages = ARRAY_LENGTH(messages),
        .max_tokens = tokens_to_make(model),
        .seed = -1,
        .first_token_ms = settings->model_first_token_timeout_seconds * 1000,
        .silence_ms = settings->timeout_seconds * 1000,
    };
    struct model_reply reply;
    const char *refusal;
    return endpoint_model_send(model, scope, &request, NULL, &arena, &reply, &refusal, err);
}

enum err_code endpoint_model_warm(struct model *base, struct scope *scope, const char *system,
                                  struct err *err)
{
    struct endpoint_model *model = (struct endpoint_model *)base;
    struct scope yielding = scope_child(scope, SCOPE_NO_DEADLINE);
    enum err_code r = task_lock_take_yielding(model->queue, model->client.runtime, &yielding, err);
    if (r)
        return r;
    r = warm_alone(model, &yielding, system, err);
    task_lock_release(model->queue);
    return r;
}
