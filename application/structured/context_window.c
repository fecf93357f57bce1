#include "application/structured/context_window.h"
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

/* The tokens of a request besides its prompt: what the template adds, and room for the answer. */
static int64_t reserve_for(int64_t context_tokens, int max_tokens)
{
    return PROMPT_REPLY_RESERVE_TOKENS + smaller(max_tokens, context_tokens / 2);
}

awaits static enum err_code find_context(struct engine *engine, struct scope *scope,
                                         struct arena *arena, int64_t *out)
{
    struct model_status status = { .context_tokens = -1 };
    struct err ignored = { 0 };
    enum err_code r = model_check(engine->model, scope, arena, &status, &ignored);
    *out = r || status.context_tokens <= 0 ? -1 : status.context_tokens;
    return r == ERR_CANCELLED ? r : ERR_NONE;
}

/* What the endpoint's tokenizer says about this very prompt. */
awaits static void ask_for_scale(struct engine *engine, struct scope *scope, struct arena *arena,
                                 const struct prompt *prompt)
{
    const char *user = prompt_user_text(arena, prompt);
    const char *text = arena_printf(arena, "%s\n%s", prompt->system ? prompt->system : "", user);
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

static void tell_trimmed(struct engine *engine, const char *purpose, const struct prompt_trim *trim,
                         int64_t context_tokens)
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

static enum err_code does_not_fit(int64_t tokens, int64_t context_tokens, struct err *err)
{
    enum err_code r = err_set(err, ERR_LIMIT, 0,
                              "the request has about %lld tokens, which leaves no room for an "
                              "answer in the model's context of %lld",
                              (long long)tokens, (long long)context_tokens);
    err_about(err, r, "model");
    return err_hint(err, r,
                    "ask for less, or raise model.context_tokens (a server of its own: "
                    "start it with a larger context)");
}

static enum err_code fit(struct engine *engine, struct arena *arena, const char *purpose,
                         const struct prompt *prompt, struct fitted_prompt *out, struct err *err)
{
    int64_t context = out->context_tokens, budget = context - reserve_for(context, out->max_tokens);
    struct prompt_trim trim;
    (void)prompt_fit(arena, prompt, budget, scale_of(engine), &out->prompt, &trim);
    int64_t left = context - PROMPT_REPLY_RESERVE_TOKENS - trim.tokens;
    if (left < smaller(out->max_tokens, CONTEXT_WINDOW_MIN_ANSWER))
        return does_not_fit(trim.tokens, context, err);
    if (trim.dropped)
        tell_trimmed(engine, purpose, &trim, context);
    out->tokens = trim.tokens;
    out->max_tokens = (int)smaller(out->max_tokens, left);
    return ERR_NONE;
}

enum err_code context_window_fit(struct engine *engine, struct scope *scope, struct arena *arena,
                                 const char *purpose, const struct prompt *prompt, int max_tokens,
                                 struct fitted_prompt *out, struct err *err)
{
    struct fitted_prompt fitted = { .prompt = *prompt, .max_tokens = max_tokens };
    if (find_context(engine, scope, arena, &fitted.context_tokens))
        return err_set(err, ERR_CANCELLED, 0, "cancelled");
    fitted.tokens = prompt_tokens(prompt, scale_of(engine));
    enum err_code r = ERR_NONE;
    if (fitted.context_tokens > 0) {
        int64_t budget = fitted.context_tokens - reserve_for(fitted.context_tokens, max_tokens);
        bool near = (double)fitted.tokens > CONTEXT_WINDOW_COUNT_FROM * (double)budget;
        if (near && !engine->cannot_count)
            ask_for_scale(engine, scope, arena, prompt);
        r = fit(engine, arena, purpose, prompt, &fitted, err);
    }
    if (!r)
        *out = fitted;
    return r;
}

/* Some servers count what they had in their cache as not evaluated; only a prompt that comes near
 * the context, or one of unknown size, makes fewer tokens suspicious. */
static bool was_cut(const struct fitted_prompt *fitted, const struct model_reply *reply)
{
    int64_t context = fitted->context_tokens;
    bool may_be_cut =
        context <= 0 || (double)fitted->tokens > CONTEXT_WINDOW_NEARLY_FULL * (double)context;
    int64_t evaluated = reply->prompt_tokens;
    return may_be_cut && fitted->tokens > CONTEXT_WINDOW_CUT_TOKENS && evaluated > 0 &&
           (double)evaluated < CONTEXT_WINDOW_CUT_BELOW * (double)fitted->tokens;
}

static bool was_lost(const struct fitted_prompt *fitted, const struct model_reply *reply)
{
    return reply->counts_cached && fitted->tokens > CONTEXT_WINDOW_LOST_TOKENS &&
           reply->prompt_tokens > 0 &&
           (double)reply->prompt_tokens < CONTEXT_WINDOW_LOST_BELOW * (double)fitted->tokens;
}

void context_window_check_reply(struct engine *engine, const char *purpose,
                                const struct fitted_prompt *fitted, const struct model_reply *reply)
{
    if (!was_cut(fitted, reply) && !was_lost(fitted, reply))
        return;
    journal_emit(engine->journal, EVENT_PROMPT_TRIMMED,
                 json_pack("{s:s, s:s, s:I, s:I, s:I}", "purpose", purpose, "by", "endpoint",
                           "tokens_before", (json_int_t)fitted->tokens, "tokens",
                           (json_int_t)reply->prompt_tokens, "context_tokens",
                           (json_int_t)fitted->context_tokens));
    journal_warn(engine->journal,
                 "%s: the endpoint evaluated %lld tokens of about %lld: it cut the prompt; give it "
                 "a larger context, or the chat template of its model",
                 purpose, (long long)reply->prompt_tokens, (long long)fitted->tokens);
}
