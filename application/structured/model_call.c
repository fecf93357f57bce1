#include "application/structured/model_call.h"
#include "application/ports/runtime.h"
#include "application/structured/extract.h"
#include "application/structured/prompt.h"
#include "application/structured/reply_ledger.h"
#include "domain/policy/retry.h"
#include <math.h>
#include <string.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static double scale_of(const struct engine *engine)
{
    return engine->token_scale > 0 ? engine->token_scale : 1;
}

/* Compares the estimate with what the endpoint's tokenizer says about this prompt. */
awaits static void ask_for_scale(struct engine *engine, struct scope *scope, struct arena *arena,
                                 const struct prompt *prompt)
{
    const char *user = prompt_user_text(arena, prompt);
    const char *text = arena_printf(arena, "%s\n%s", prompt_system_text(arena, prompt), user);
    int64_t counted = 0, estimated = prompt_tokens(prompt, 1);
    struct err ignored = { 0 };
    enum err_code r = model_count_tokens(engine->model, scope, text, &counted, &ignored);
    if (r == ERR_FAILED)
        engine->cannot_count = true;
    if (!r && counted > 0 && estimated > 0)
        engine->token_scale =
            fmin(fmax((double)counted / (double)estimated, CONTEXT_WINDOW_MIN_SCALE),
                 CONTEXT_WINDOW_MAX_SCALE);
}

static void report_trimmed(struct engine *engine, const char *purpose,
                           const struct prompt_trim *trim, int64_t context_tokens)
{
    journal_emit(engine->journal, EVENT_PROMPT_TRIMMED,
                 json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "purpose", purpose, "what", trim->what,
                           "dropped", (json_int_t)trim->dropped, "tokens_before",
                           (json_int_t)trim->tokens_before, "tokens", (json_int_t)trim->tokens,
                           "context_tokens", (json_int_t)context_tokens));
    journal_warn(engine->journal,
                 "%s: the prompt is too long for the model's context (%lld of %lld tokens): %zu "
                 "parts were left out (%s); raise model.context_tokens, or ask for less",
                 purpose, (long long)trim->tokens_before, (long long)context_tokens, trim->dropped,
                 trim->what);
}

enum err_code context_window_fit(struct engine *engine, struct scope *scope, struct arena *arena,
                                 struct fitted_prompt *fitted, struct err *err)
{
    struct model_status status = { .context_tokens = -1 };
    struct err ignored = { 0 };
    enum err_code r = model_check(engine->model, scope, arena, &status, &ignored);
    if (r == ERR_CANCELLED)
        return err_set(err, ERR_CANCELLED, 0, "cancelled");
    int64_t context = r || status.context_tokens <= 0 ? -1 : status.context_tokens;
    fitted->context_tokens = context;
    fitted->tokens = prompt_tokens(&fitted->prompt, scale_of(engine));
    if (context < 0)
        return ERR_NONE;
    /* The chat template and the answer need room as well. */
    int64_t budget =
        context - PROMPT_REPLY_RESERVE_TOKENS - smaller(fitted->max_tokens, context / 2);
    bool is_near = (double)fitted->tokens > CONTEXT_WINDOW_COUNT_FROM * (double)budget;
    if (is_near && !engine->cannot_count)
        ask_for_scale(engine, scope, arena, &fitted->prompt);
    struct prompt_trim trim;
    (void)prompt_fit(arena, &fitted->prompt, budget, scale_of(engine), &fitted->prompt, &trim);
    int64_t left = context - PROMPT_REPLY_RESERVE_TOKENS - trim.tokens;
    if (left < smaller(fitted->max_tokens, CONTEXT_WINDOW_MIN_ANSWER)) {
        r = err_set(err, ERR_LIMIT, 0,
                    "the request has about %lld tokens, which leaves no room for an answer in the "
                    "model's context of %lld",
                    (long long)trim.tokens, (long long)context);
        err_about(err, r, "model");
        return err_hint(err, r,
                        "ask for less, or raise model.context_tokens (a server of its own: "
                        "start it with a larger context)");
    }
    if (trim.dropped)
        report_trimmed(engine, fitted->purpose, &trim, context);
    fitted->tokens = trim.tokens;
    fitted->max_tokens = (int)smaller(fitted->max_tokens, left);
    return ERR_NONE;
}

/* Some servers count what they had in their cache as not evaluated; only a prompt that comes near
 * the context, or one of unknown size, makes fewer tokens suspicious. */
static bool was_cut(const struct fitted_prompt *fitted, const struct model_reply *reply)
{
    double context = (double)fitted->context_tokens, tokens = (double)fitted->tokens;
    bool may_be_cut = context <= 0 || tokens > CONTEXT_WINDOW_NEARLY_FULL * context;
    return may_be_cut && fitted->tokens > CONTEXT_WINDOW_CUT_TOKENS && reply->prompt_tokens > 0 &&
           (double)reply->prompt_tokens < CONTEXT_WINDOW_CUT_BELOW * tokens;
}

static bool was_lost(const struct fitted_prompt *fitted, const struct model_reply *reply)
{
    return reply->counts_cached && fitted->tokens > CONTEXT_WINDOW_LOST_TOKENS &&
           reply->prompt_tokens > 0 &&
           (double)reply->prompt_tokens < CONTEXT_WINDOW_LOST_BELOW * (double)fitted->tokens;
}

void context_window_check_reply(struct engine *engine, const struct fitted_prompt *fitted,
                                const struct model_reply *reply)
{
    if (!was_cut(fitted, reply) && !was_lost(fitted, reply))
        return;
    journal_emit(engine->journal, EVENT_PROMPT_TRIMMED,
                 json_pack("{s:s, s:s, s:I, s:I, s:I}", "purpose", fitted->purpose, "by",
                           "endpoint", "tokens_before", (json_int_t)fitted->tokens, "tokens",
                           (json_int_t)reply->prompt_tokens, "context_tokens",
                           (json_int_t)fitted->context_tokens));
    journal_warn(engine->journal,
                 "%s: the endpoint evaluated %lld tokens of about %lld: it cut the prompt; give it "
                 "a larger context, or the chat template of its model",
                 fitted->purpose, (long long)reply->prompt_tokens, (long long)fitted->tokens);
}

static void emit_prompt(struct engine *engine, struct arena *arena, const struct model_call *call,
                        const struct fitted_prompt *fitted)
{
    const char *system = prompt_system_text(arena, &fitted->prompt);
    const char *user = prompt_user_text(arena, &fitted->prompt);
    journal_emit(engine->journal, EVENT_PROMPT_SENT,
                 json_pack("{s:s, s:s, s:o, s:o, s:f, s:i, s:b, s:I}", "purpose", call->purpose,
                           "rung", call->rung, "system", journal_text(engine->journal, system),
                           "user", journal_text(engine->journal, user), "temperature",
                           call->temperature, "max_tokens", fitted->max_tokens, "schema",
                           call->schema != NULL, "tokens", (json_int_t)fitted->tokens));
}

/* What the model thought on its way to the answer is not logged. */
static void emit_reply(const struct engine *engine, const struct model_call *call,
                       const struct model_reply *reply)
{
    AUTO(arena) scratch = { 0 };
    const char *said = extract_without_thinking(&scratch, reply->text, call->working);
    static const char *const stops[] = {
        [MODEL_STOP_END] = "end",
        [MODEL_STOP_LENGTH] = "length",
        [MODEL_STOP_EARLY] = "early",
    };
    journal_emit(
        engine->journal, EVENT_MODEL_REPLIED,
        json_pack("{s:s, s:o, s:s, s:s*, s:I, s:I, s:I, s:I, s:s*, s:o*}", "purpose", call->purpose,
                  "reply", journal_text(engine->journal, said), "stop", stops[reply->stop], "model",
                  reply->model, "prompt_tokens", (json_int_t)reply->prompt_tokens, "cached_tokens",
                  (json_int_t)reply->cached_tokens, "completion_tokens",
                  (json_int_t)reply->completion_tokens, "ms", (json_int_t)reply->duration_ms,
                  "reply_id", call->reply_id, "recovered", call->is_kept ? json_true() : NULL));
}

/* The reply of an earlier process, shown as if it came. That it came is in the log already, unless
 * the process was killed before it wrote that. */
static bool recall(struct engine *engine, struct arena *arena, struct model_call *call,
                   const struct model_request *request, struct model_reply *out)
{
    const struct reply_ledger *replies = engine->replies;
    call->reply_id = reply_ledger_recall(engine->replies, engine->party, request, arena, out);
    call->is_kept = call->reply_id;
    if (!call->is_kept)
        return false;
    call->calls = 1;
    if (replies->logged && !json_object_get(replies->logged, call->reply_id))
        emit_reply(engine, call, out);
    (void)request->on_token(request->context, out->text, strlen(out->text));
    return true;
}

/* One of the places of the endpoint, for one request. */
awaits static enum err_code chat_in_place(struct engine *engine, struct scope *scope,
                                          struct arena *arena, const struct model_request *request,
                                          struct model_reply *out, struct err *err)
{
    const struct settings *settings = engine->settings;
    struct place *place = NULL;
    enum err_code r = places_take(engine->places, scope,
                                  arena_printf(arena, "model %.150s", settings->model_base_url),
                                  (unsigned)settings->model_parallel, &place, err);
    if (!r)
        r = model_chat(engine->model, scope, request, arena, out, err);
    places_give_back(engine->places, place);
    return r;
}

/* Sends requests until one is answered or fails for good; counts them in call->calls. */
static enum err_code request_with_retries(struct engine *engine, struct scope *scope,
                                          struct arena *arena, struct model_call *call,
                                          const struct model_request *request,
                                          struct model_reply *out, struct err *err)
{
    const struct stream_watch *watch = request->context;
    const struct retry_policy policy = { .attempts = (unsigned)engine->settings->model_attempts,
                                         .first_delay_ms = MODEL_CALL_FIRST_DELAY_MS,
                                         .max_delay_ms = MODEL_CALL_MAX_DELAY_MS };
    for (;;) {
        call->calls++;
        enum err_code r = chat_in_place(engine, scope, arena, request, out, err);
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
    if (code == ERR_NOT_FOUND && err)
        err->code = ERR_UNAVAILABLE;
    return code == ERR_NOT_FOUND ? ERR_UNAVAILABLE : code;
}

static int64_t seed_of(const struct settings *settings, unsigned attempt)
{
    int64_t seed = settings->model_seed;
    return seed < 0 || attempt < 2 ? seed : (seed + attempt - 1) & INT32_MAX;
}

enum err_code model_call(struct engine *engine, struct scope *scope, struct arena *arena,
                         struct model_call *call, struct model_reply *out, struct err *err)
{
    struct fitted_prompt fitted = { .purpose = call->purpose,
                                    .prompt = *call->prompt,
                                    .max_tokens = call->max_tokens };
    enum err_code r = context_window_fit(engine, scope, arena, &fitted, err);
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
        .seed = seed_of(settings, call->attempt),
        .first_token_ms = settings->model_first_token_timeout_seconds * 1000,
        .silence_ms = settings->timeout_seconds * 1000,
        .on_token = stream_watch_token,
        .is_complete = stream_watch_is_complete,
        .context = &watch,
    };
    if (recall(engine, arena, call, &request, out)) {
        call->heard = stream_watch_end(&watch, arena);
        return ERR_NONE;
    }
    emit_prompt(engine, arena, call, &fitted);
    r = request_with_retries(engine, scope, arena, call, &request, out, err);
    if (r)
        return model_failure(r, err);
    call->reply_id = reply_ledger_keep(engine->replies, scope, engine->party, &request, out);
    call->heard = stream_watch_end(&watch, arena);
    emit_reply(engine, call, out);
    context_window_check_reply(engine, &fitted, out);
    return ERR_NONE;
}
