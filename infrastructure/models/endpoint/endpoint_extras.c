/* What an endpoint can do besides answering: count the tokens of a text, and evaluate a system text
 * ahead of the request that will begin with it. */
#include "domain/base/json.h"
#include "infrastructure/models/endpoint/endpoint_model.h"
#include <string.h>

static json_t *question_for(const struct endpoint_model *model, const char *text)
{
    if (strcmp(model->kind, "llama-server") == 0)
        return json_pack("{s:s, s:b}", "content", text, "add_special", 0);
    if (strcmp(model->kind, "vllm") == 0)
        return json_pack("{s:s, s:s, s:b}", "model", model->name, "prompt", text,
                         "add_special_tokens", 0);
    return NULL;
}

/* -1 when the answer does not say. */
static int64_t count_in(const json_t *answer)
{
    const json_t *tokens = json_object_get(answer, "tokens");
    int64_t listed = json_is_array(tokens) ? (int64_t)json_array_size(tokens) : -1;
    return json_get_int(answer, "count", listed);
}

enum err_code endpoint_model_count_tokens(struct model *base, struct scope *scope, const char *text,
                                          int64_t *out_tokens, struct err *err)
{
    struct endpoint_model *model = (struct endpoint_model *)base;
    AUTO(arena) arena = { 0 };
    struct endpoint_answer answer;
    enum err_code r = endpoint_model_resolve(model, scope, &arena, err);
    if (r)
        return r;
    json_auto_t *question = question_for(model, text);
    if (!question)
        return err_set(err, ERR_FAILED, 0, "model endpoint %s cannot count tokens",
                       model->client.shown_url);
    r = endpoint_client_post(&model->client, scope, "/tokenize", json_print_in(&arena, question),
                             &arena, &answer, err);
    if (r)
        return r;
    int64_t count = answer.status == 200 ? count_in(answer.json) : -1;
    if (count < 0)
        return err_set(err, ERR_FAILED, answer.status,
                       "model endpoint %s did not say how many tokens there are",
                       model->client.shown_url);
    *out_tokens = count;
    return ERR_NONE;
}

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

awaits static enum err_code warm_alone(struct endpoint_model *model, struct scope *scope,
                                       const char *system, struct err *err)
{
    AUTO(arena) arena = { 0 };
    enum err_code r = endpoint_model_resolve(model, scope, &arena, err);
    if (r || !is_worth_it(model))
        return r;
    const struct settings *settings = model->client.settings;
    const struct model_part rules = { MODEL_TEXT, system, NULL };
    const struct model_part user = { MODEL_TEXT, ".", NULL };
    const struct model_message messages[] = { { MODEL_SYSTEM, &rules, 1 },
                                              { MODEL_USER, &user, 1 } };
    const struct model_request request = {
        .purpose = "warm_up",
        .messages = messages,
        .n_messages = ARRAY_LENGTH(messages),
        /* Only llama-server takes 0 for "evaluate, and that is all". */
        .max_tokens = strcmp(model->kind, "llama-server") == 0 ? 0 : 1,
        .seed = -1,
        .first_token_ms = settings->model_first_token_timeout_seconds * 1000,
        .silence_ms = settings->timeout_seconds * 1000,
    };
    struct chat_ask ask = { .request = &request, .arena = &arena };
    struct model_reply reply;
    return endpoint_model_send(model, scope, &ask, &reply, err);
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
