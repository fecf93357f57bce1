#include "domain/base/json.h"
#include "infrastructure/models/endpoint/endpoint_extras.h"
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

/* -1 when the answer tells no count. */
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
    int status = 0;
    const json_t *answer = NULL;
    enum err_code r = endpoint_model_resolve(model, scope, &arena, err);
    if (r)
        return r;
    json_auto_t *question = question_for(model, text);
    if (!question)
        return err_set(err, ERR_FAILED, 0, "model endpoint %s cannot count tokens",
                       model->client.shown_url);
    r = endpoint_client_post(&model->client, scope, "/tokenize", json_print_in(&arena, question),
                             &arena, &status, &answer, err);
    if (r)
        return r;
    int64_t count = status == 200 ? count_in(answer) : -1;
    if (count < 0)
        return err_set(err, ERR_FAILED, status, "model endpoint %s tells no count of tokens",
                       model->client.shown_url);
    *out_tokens = count;
    return ERR_NONE;
}
