#include "tests/support/perfect_model.h"
#include <assert.h>
#include <string.h>

static const char *answer_to(const struct perfect_model *perfect, const char *purpose)
{
    for (size_t i = 0; i < perfect->n_answers; i++)
        if (strcmp(perfect->answers[i].purpose, purpose) == 0)
            return perfect->answers[i].text;
    return NULL;
}

static enum err_code perfect_chat(struct model *model, struct scope *scope,
                                  const struct model_request *request, struct arena *arena,
                                  struct model_reply *out, struct err *err)
{
    struct perfect_model *perfect = (struct perfect_model *)model;
    const char *text = answer_to(perfect, request->purpose);
    (void)scope;
    perfect->asked++;
    if (!text)
        return err_set(err, ERR_UNAVAILABLE, 0, "no answer for \"%s\"", request->purpose);
    bool goes_on = !request->on_token || request->on_token(request->context, text, strlen(text));
    *out = (struct model_reply){ .text = arena_strdup(arena, text),
                                 .model = "perfect",
                                 .stop = goes_on ? MODEL_STOP_END : MODEL_STOP_EARLY,
                                 .prompt_tokens = -1,
                                 .cached_tokens = -1,
                                 .completion_tokens = -1 };
    return ERR_NONE;
}

static enum err_code perfect_check(struct model *model, struct scope *scope, struct arena *arena,
                                   struct model_status *out, struct err *err)
{
    (void)model;
    (void)scope;
    (void)arena;
    (void)err;
    *out = (struct model_status){ .kind = "perfect",
                                  .base_url = "",
                                  .model = "perfect",
                                  .requested = "perfect",
                                  .reason = "as written",
                                  .context_tokens = -1 };
    return ERR_NONE;
}

static enum err_code perfect_list(struct model *model, struct scope *scope, struct arena *arena,
                                  const char ***out_names, size_t *out_n, struct err *err)
{
    (void)model;
    (void)scope;
    (void)err;
    *out_names = arena_array(arena, const char *, 1);
    (*out_names)[0] = "perfect";
    *out_n = 1;
    return ERR_NONE;
}

static void keep(struct model *model)
{
    (void)model;
}

void perfect_model_init(struct perfect_model *perfect)
{
    static const struct model_ops ops = {
        .check = perfect_check, .list = perfect_list, .chat = perfect_chat, .destroy = keep
    };
    *perfect = (struct perfect_model){ .base.ops = &ops };
}

void perfect_model_know(struct perfect_model *perfect, const char *purpose, const char *text)
{
    for (size_t i = 0; i < perfect->n_answers; i++)
        if (strcmp(perfect->answers[i].purpose, purpose) == 0) {
            perfect->answers[i].text = text;
            return;
        }
    assert(perfect->n_answers < PERFECT_MODEL_MAX);
    perfect->answers[perfect->n_answers].purpose = purpose;
    perfect->answers[perfect->n_answers++].text = text;
}
