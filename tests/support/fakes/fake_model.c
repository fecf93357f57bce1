#include "tests/support/fakes/fake_model.h"
#include <assert.h>
#include <string.h>

static struct fake_model *fake_of(struct model *model)
{
    return (struct fake_model *)model;
}

static const char *text_of(struct fake_model *fake, const struct model_request *request,
                           enum model_role role)
{
    for (size_t i = 0; i < request->n_messages; i++)
        if (request->messages[i].role == role)
            return arena_strdup(&fake->arena, request->messages[i].parts[0].text);
    return "";
}

static const char *image_of(struct fake_model *fake, const struct model_request *request)
{
    for (size_t i = 0; i < request->n_messages; i++)
        for (size_t k = 0; k < request->messages[i].n_parts; k++)
            if (request->messages[i].parts[k].kind == MODEL_IMAGE)
                return arena_strdup(&fake->arena, request->messages[i].parts[k].text);
    return NULL;
}

static void record(struct fake_model *fake, const struct model_request *request)
{
    assert(fake->n_requests < FAKE_MODEL_MAX);
    fake->requests[fake->n_requests++] = (struct fake_request){
        .purpose = arena_strdup(&fake->arena, request->purpose),
        .system = text_of(fake, request, MODEL_SYSTEM),
        .user = text_of(fake, request, MODEL_USER),
        .image = image_of(fake, request),
        .schema = arena_keep_json(&fake->arena, json_deep_copy(request->schema)),
        .temperature = request->temperature,
        .seed = request->seed,
        .max_tokens = request->max_tokens,
    };
}

/* How much of the text was streamed; *out_stopped when the watcher had enough. */
static size_t stream(const struct model_request *request, const char *text, size_t length,
                     bool *out_stopped)
{
    size_t half = length / 2;
    *out_stopped = false;
    if (!request->on_token || length == 0)
        return length;
    if (half && !request->on_token(request->context, text, half)) {
        *out_stopped = true;
        return half;
    }
    *out_stopped = !request->on_token(request->context, text + half, length - half);
    return length;
}

static enum err_code fail(const struct fake_reply *reply, struct err *err)
{
    return err_set(err, reply->fails, 0, "the fake model was told to fail: %s",
                   err_name(reply->fails));
}

static enum err_code answer(struct fake_model *fake, struct scope *scope,
                            const struct model_request *request, struct arena *arena,
                            struct model_reply *out, struct err *err)
{
    if (fake->n_requests > fake->n_replies)
        return err_set(err, ERR_UNAVAILABLE, 0, "the script is over");
    const struct fake_reply *reply = &fake->replies[fake->n_requests - 1];
    enum err_code r =
        reply->delay_ms ? runtime_sleep(fake->runtime, scope, reply->delay_ms, err) : ERR_NONE;
    if (r)
        return r;
    bool stopped = false;
    if (reply->fails) {
        (void)stream(request, reply->text, reply->after_bytes, &stopped);
        return fail(reply, err);
    }
    size_t length = stream(request, reply->text, strlen(reply->text), &stopped);
    *out = (struct model_reply){ .text = arena_strndup(arena, reply->text, length),
                                 .model = "fake",
                                 .stop = stopped ? MODEL_STOP_EARLY : reply->stop,
                                 .prompt_tokens = reply->prompt_tokens ? reply->prompt_tokens : 10,
                                 .cached_tokens = -1,
                                 .completion_tokens = 5,
                                 .duration_ms = 7,
                                 .notes = reply->notes,
                                 .n_notes = reply->n_notes };
    return ERR_NONE;
}

static enum err_code fake_chat(struct model *model, struct scope *scope,
                               const struct model_request *request, struct arena *arena,
                               struct model_reply *out, struct err *err)
{
    struct fake_model *fake = fake_of(model);
    int64_t now_ms = fake->runtime ? runtime_now_ms(fake->runtime) : 0;
    if (scope_check(scope, now_ms, err))
        return scope_check(scope, now_ms, err);
    record(fake, request);
    if (++fake->in_flight > fake->max_in_flight)
        fake->max_in_flight = fake->in_flight;
    enum err_code r = answer(fake, scope, request, arena, out, err);
    fake->in_flight--;
    return r;
}

static enum err_code fake_check(struct model *model, struct scope *scope, struct arena *arena,
                                struct model_status *out, struct err *err)
{
    (void)scope;
    (void)arena;
    if (fake_of(model)->check_fails)
        return err_set(err, fake_of(model)->check_fails, 0, "no such model");
    const struct fake_model *fake = fake_of(model);
    int64_t context = fake->context_tokens;
    *out = (struct model_status){ .kind = "fake",
                                  .base_url = fake->base_url ? fake->base_url : "",
                                  .model = "fake",
                                  .requested = "fake",
                                  .reason = "as written",
                                  .context_tokens = context ? context : -1,
                                  .schema_support = fake->schema_support };
    return ERR_NONE;
}

static enum err_code fake_list(struct model *model, struct scope *scope, struct arena *arena,
                               const char ***out_names, size_t *out_n, struct err *err)
{
    (void)model;
    (void)scope;
    (void)err;
    *out_names = arena_array(arena, const char *, 1);
    (*out_names)[0] = "fake";
    *out_n = 1;
    return ERR_NONE;
}

static enum err_code fake_count(struct model *model, struct scope *scope, const char *text,
                                int64_t *out_tokens, struct err *err)
{
    (void)scope;
    (void)text;
    struct fake_model *fake = fake_of(model);
    fake->n_counts++;
    if (!fake->counted)
        return err_set(err, ERR_FAILED, 0, "the fake model cannot count");
    *out_tokens = fake->counted;
    return ERR_NONE;
}

static enum err_code fake_warm(struct model *model, struct scope *scope, const char *system,
                               struct err *err)
{
    (void)scope;
    (void)err;
    fake_of(model)->n_warmed++;
    fake_of(model)->warmed = arena_strdup(&fake_of(model)->arena, system);
    return ERR_NONE;
}

static void fake_destroy(struct model *model)
{
    fake_model_finish(fake_of(model));
}

void fake_model_init(struct fake_model *fake, struct runtime *runtime)
{
    static const struct model_ops ops = { .check = fake_check,
                                          .list = fake_list,
                                          .chat = fake_chat,
                                          .count_tokens = fake_count,
                                          .warm = fake_warm,
                                          .destroy = fake_destroy };
    *fake = (struct fake_model){ .base.ops = &ops, .runtime = runtime };
}

void fake_model_finish(struct fake_model *fake)
{
    arena_finish(&fake->arena);
}

void fake_model_reply(struct fake_model *fake, const char *text)
{
    fake_model_push(fake, (struct fake_reply){ .text = text });
}

void fake_model_push(struct fake_model *fake, struct fake_reply reply)
{
    assert(fake->n_replies < FAKE_MODEL_MAX);
    if (!reply.text)
        reply.text = "";
    fake->replies[fake->n_replies++] = reply;
}
