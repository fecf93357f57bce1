#include "application/structured/engine.h"
#include "application/structured/judge.h"
#include "application/structured/model_call.h"
#include "application/structured/reminder.h"
#include "domain/base/text.h"
#include <string.h>

#define REMINDER_WARMER 0.2      /* the same temperature tends to give the same wrong answer */
#define BUDGET_MAX_TOKENS 131072 /* the bound of settings.max_tokens */

/* What the next attempt sends, and on which rung of the ladder it stands. */
struct rung {
    const char *name;
    struct prompt prompt;
    double temperature;
    int max_tokens;
    unsigned reminders;
    bool budget_doubled;
};

struct asking {
    struct engine *engine;
    struct arena *arena;
    const struct contract *contract;
    const struct ask_prompt *prompt;
    struct json_schema *schema;
    struct ask_outcome *out;
};

static void add_count(int64_t *sum, int64_t count)
{
    if (count >= 0)
        *sum = *sum < 0 ? count : *sum + count;
}

static void count_reply(struct ask_outcome *out, const struct model_reply *reply)
{
    add_count(&out->prompt_tokens, reply->prompt_tokens);
    add_count(&out->cached_tokens, reply->cached_tokens);
    add_count(&out->completion_tokens, reply->completion_tokens);
    add_count(&out->model_ms, reply->duration_ms);
}

static void emit_attempt(struct asking *asking, const struct rung *rung, enum attempt_class class,
                         const struct model_reply *reply, bool extracted)
{
    json_t *data =
        json_pack("{s:s, s:i, s:i, s:s, s:s, s:b, s:s*, s:I, s:I}", "contract",
                  asking->contract->name, "version", asking->contract->version, "attempt",
                  (int)asking->out->attempts, "rung", rung->name, "class",
                  attempt_class_name(class), "extracted", extracted, "model", reply->model, "ms",
                  (json_int_t)reply->duration_ms, "tokens", (json_int_t)reply->completion_tokens);
    journal_emit(asking->engine->journal, EVENT_ATTEMPT, data);
}

/* One model call, repeated while only the transport fails; its failure is an attempt as well. */
static enum err_code call_model(struct asking *asking, struct scope *scope, const struct rung *rung,
                                struct model_reply *reply, struct err *err)
{
    struct model_call call = {
        .purpose = asking->contract->name,
        .rung = rung->name,
        .prompt = &rung->prompt,
        .schema = asking->contract->schema,
        .temperature = rung->temperature,
        .max_tokens = rung->max_tokens,
    };
    enum err_code r = model_call(asking->engine, scope, asking->arena, &call, reply, err);
    asking->out->attempts += call.calls;
    if (!r)
        count_reply(asking->out, reply);
    else if (r != ERR_CANCELLED)
        emit_attempt(asking, rung, r == ERR_TIMEOUT ? ATTEMPT_TIMEOUT : ATTEMPT_TRANSPORT, reply,
                     false);
    return r;
}

static double temperature_of(const struct asking *asking)
{
    const double of_profile[] = { [CONTRACT_PROFILE_DECIDE] = asking->engine->settings->temperature,
                                  [CONTRACT_PROFILE_ENVELOPE] = 0,
                                  [CONTRACT_PROFILE_CONVERSE] = -1 };
    return of_profile[asking->contract->profile];
}

static enum err_code give_up(struct asking *asking, struct verdict *verdict, struct err *err)
{
    const char *why = attempt_class_name(verdict->class);
    if (verdict->problems.n)
        why = problem_print(&verdict->problems, &verdict->problems.list[0]);
    err_set(err, ERR_FAILED, 0, "the model gave no usable %s in %u attempts: %s",
            asking->contract->name, asking->out->attempts,
            text_one_line(asking->arena, why, strlen(why), 200));
    err_about(err, ERR_FAILED, "model");
    return err_hint(err, ERR_FAILED, "say it in other words, or use a larger model");
}

/* The next rung: more room for an answer that was cut off (once), else a reminder. False when
 * there is none left. */
static bool climb(struct asking *asking, struct rung *rung, struct verdict *verdict,
                  const char *reply)
{
    if (verdict->class == ATTEMPT_TRUNCATED && !rung->budget_doubled) {
        rung->name = "budget";
        rung->budget_doubled = true;
        rung->max_tokens =
            rung->max_tokens > BUDGET_MAX_TOKENS / 2 ? BUDGET_MAX_TOKENS : rung->max_tokens * 2;
        return true;
    }
    if (rung->reminders == ENGINE_REMINDERS)
        return false;
    rung->name = "reminder";
    rung->reminders++;
    rung->temperature = temperature_of(asking) + REMINDER_WARMER;
    struct prompt_part *part = arena_new(asking->arena, struct prompt_part);
    part->text = reminder_text(asking->arena, asking->contract,
                               prompt_user_text(asking->arena, &asking->prompt->prompt), reply,
                               &verdict->problems);
    rung->prompt.parts = part;
    rung->prompt.n_parts = 1;
    return true;
}

static enum err_code climb_ladder(struct asking *asking, struct scope *scope, struct rung *rung,
                                  struct err *err)
{
    for (;;) {
        struct model_reply reply = { 0 };
        enum err_code r = call_model(asking, scope, rung, &reply, err);
        if (r)
            return r;
        struct verdict verdict =
            judge_reply(asking->arena, asking->contract, asking->schema, &reply);
        emit_attempt(asking, rung, verdict.class, &reply, verdict.extracted);
        if (verdict.class == ATTEMPT_OK) {
            asking->out->value = verdict.value;
            asking->out->extracted = verdict.extracted;
            return ERR_NONE;
        }
        if (!climb(asking, rung, &verdict, reply.text))
            return give_up(asking, &verdict, err);
    }
}

enum err_code engine_ask(struct engine *engine, struct scope *scope, struct arena *arena,
                         const struct contract *contract, const struct ask_prompt *prompt,
                         struct ask_outcome *out, struct err *err)
{
    *out = (struct ask_outcome){
        .prompt_tokens = -1, .cached_tokens = -1, .completion_tokens = -1, .model_ms = -1
    };
    struct asking asking = { engine, arena, contract, prompt, NULL, out };
    enum err_code r = json_schema_compile(contract->schema, NULL, 0, &asking.schema, err);
    if (r)
        return err_prefix(err, r, "schema of %s", contract->name);
    struct rung rung = {
        .name = "generate",
        .prompt = prompt->prompt,
        .temperature = temperature_of(&asking),
        .max_tokens =
            prompt->max_tokens > 0 ? prompt->max_tokens : (int)engine->settings->max_tokens,
    };
    r = climb_ladder(&asking, scope, &rung, err);
    json_schema_destroy(asking.schema);
    return r;
}
