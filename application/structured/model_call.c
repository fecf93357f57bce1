#include "application/structured/model_call.h"
#include "application/ports/runtime.h"
#include "application/structured/context_window.h"
#include "application/structured/prompt_messages.h"
#include "domain/plan/retry.h"

static void emit_prompt(struct engine *engine, const struct model_call *call,
                        const struct fitted_prompt *fitted, const char *user)
{
    journal_emit(engine->journal, EVENT_PROMPT_SENT,
                 json_pack("{s:s, s:s, s:o, s:o, s:f, s:i, s:b, s:I}", "purpose", call->purpose,
                           "rung", call->rung, "system",
                           journal_text(engine->journal, fitted->prompt.system), "user",
                           journal_text(engine->journal, user), "temperature", call->temperature,
                           "max_tokens", fitted->max_tokens, "schema", call->schema != NULL,
                           "tokens", (json_int_t)fitted->tokens));
}

static void emit_reply(struct engine *engine, const struct model_call *call,
                       const struct model_reply *reply)
{
    static const char *const stops[] = {
        [MODEL_STOP_END] = "end",
        [MODEL_STOP_LENGTH] = "length",
        [MODEL_STOP_EARLY] = "early",
    };
    journal_emit(
        engine->journal, EVENT_MODEL_REPLIED,
        json_pack("{s:s, s:o, s:s, s:s*, s:I, s:I, s:I, s:I}", "purpose", call->purpose, "reply",
                  journal_text(engine->journal, reply->text), "stop", stops[reply->stop], "model",
                  reply->model, "prompt_tokens", (json_int_t)reply->prompt_tokens, "cached_tokens",
                  (json_int_t)reply->cached_tokens, "completion_tokens",
                  (json_int_t)reply->completion_tokens, "ms", (json_int_t)reply->duration_ms));
}

/* Requests until one is answered, or fails for good. */
static enum err_code request_with_retries(struct engine *engine, struct scope *scope,
                                          struct arena *arena, struct model_call *call,
                                          const struct model_request *request,
                                          const struct stream_watch *watch, struct model_reply *out,
                                          struct err *err)
{
    const struct retry_policy policy = { .attempts = (unsigned)engine->settings->model_attempts,
                                         .first_delay_ms = MODEL_CALL_FIRST_DELAY_MS,
                                         .max_delay_ms = MODEL_CALL_MAX_DELAY_MS };
    for (;;) {
        call->calls++;
        enum err_code r = model_chat(engine->model, scope, request, arena, out, err);
        int64_t delay_ms;
        bool again = r == ERR_UNAVAILABLE && watch->bytes == 0 &&
                     retry_again(&policy, call->calls, r, &delay_ms);
        if (!again)
            return r;
        r = runtime_sleep(engine->runtime, scope, delay_ms, err);
        if (r)
            return r;
    }
}

enum err_code model_failure(enum err_code code, struct err *err)
{
    if (code != ERR_NOT_FOUND)
        return code;
    if (err)
        err->code = ERR_UNAVAILABLE;
    return ERR_UNAVAILABLE;
}

enum err_code model_call(struct engine *engine, struct scope *scope, struct arena *arena,
                         struct model_call *call, struct model_reply *out, struct err *err)
{
    struct fitted_prompt fitted;
    enum err_code r = context_window_fit(engine, scope, arena, call->purpose, call->prompt,
                                         call->max_tokens, &fitted, err);
    if (r)
        return r;
    const struct model_message *messages = NULL;
    size_t n_messages = prompt_messages(arena, &fitted.prompt, &messages);
    const struct settings *settings = engine->settings;
    call->most_tokens = fitted.max_tokens;
    AUTO(stream_watch) watch;
    stream_watch_init(&watch, engine->journal, call->purpose, call->shape,
                      (size_t)settings->model_max_response_bytes);
    watch.attempt = call->attempt;
    watch.is_bare = call->is_bare;
    watch.stops = call->stops;
    const struct model_request request = {
        .purpose = call->purpose,
        .messages = messages,
        .n_messages = n_messages,
        .schema = call->schema,
        .temperature = call->temperature,
        .max_tokens = fitted.max_tokens,
        .seed = settings->model_seed,
        .first_token_ms = settings->model_first_token_timeout_seconds * 1000,
        .silence_ms = settings->timeout_seconds * 1000,
        .on_token = stream_watch_token,
        .is_complete = stream_watch_is_complete,
        .context = &watch,
    };
    emit_prompt(engine, call, &fitted, prompt_user_text(arena, &fitted.prompt));
    r = request_with_retries(engine, scope, arena, call, &request, &watch, out, err);
    if (r)
        return model_failure(r, err);
    call->heard = stream_watch_end(&watch, arena);
    emit_reply(engine, call, out);
    context_window_check_reply(engine, call->purpose, &fitted, out);
    return ERR_NONE;
}
