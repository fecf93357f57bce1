#include "application/structured/engine.h"
#include "application/structured/judge.h"
#include "application/structured/model_call.h"
#include "application/structured/recovery.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <math.h>
#include <string.h>

#define NOTE_MAX_COLUMNS 300
#define MAX_NOTES 16             /* of one reply that are reported */
#define RETRY_WARMER 0.2         /* the same temperature tends to give the same wrong answer */
#define MAX_TEMPERATURE 2.0      /* endpoints refuse more */
#define BUDGET_MAX_TOKENS 131072 /* the bound of settings.max_tokens */

/* One attempt: on which rung it stood and what it cost. */
struct attempt {
    unsigned number; /* 1, 2, … within the asking */
    enum engine_rung rung;
    unsigned requests; /* model calls, repeated transport failures included */
    bool is_kept;      /* its reply came to an earlier process of the run */
    const char *model; /* NULL while none has answered */
    int64_t prompt_tokens, completion_tokens, duration_ms; /* -1 unknown */
};

struct asking {
    struct engine *engine;
    struct arena *arena;
    const struct contract *contract;
    const struct ask_prompt *asked;
    struct json_schema *schema; /* NULL for CONTRACT_TEXT */
    struct ask_outcome *out;
    struct ladder ladder;
    struct attempt attempt; /* the present one */
    /* what it sends */
    struct prompt prompt;
    int max_tokens;
    int most_tokens; /* of them in the context that was left */
    bool is_bare;    /* compacted: an object alone */
};

static void emit_attempt(const struct asking *asking, const struct verdict *verdict)
{
    const struct attempt *attempt = &asking->attempt;
    json_t *data = json_pack(
        "{s:s, s:i, s:i, s:s, s:s, s:s*, s:b, s:b, s:i, s:s*, s:i, s:I, s:I, s:I}", "contract",
        asking->contract->name, "version", asking->contract->version, "attempt",
        (int)attempt->number, "rung", engine_rung_name(attempt->rung), "class",
        attempt_class_name(verdict->class), "saved_by", verdict_saved_by(verdict), "extracted",
        verdict->extracted, "repaired", verdict->repaired, "synonyms", (int)verdict->synonyms,
        "model", attempt->model, "requests", (int)attempt->requests, "ms",
        (json_int_t)attempt->duration_ms, "prompt_tokens", (json_int_t)attempt->prompt_tokens,
        "tokens", (json_int_t)attempt->completion_tokens);
    if (attempt->is_kept)
        json_object_set_new(data, "kept", json_true());
    journal_emit(asking->engine->journal, EVENT_ATTEMPT, data);
}

/* The one word a member "tool" of this schema allows. */
static const char *tool_of(const json_t *schema)
{
    const json_t *tool = json_object_get(json_object_get(schema, "properties"), "tool");
    const json_t *words = json_object_get(tool, "enum");
    if (json_array_size(words) == 1)
        return json_string_value(json_array_get(words, 0));
    return json_get_string(tool, "const");
}

/* The tool whose step the path lies in: the nearest schema at or above it that names one. */
static const char *tool_at(struct arena *arena, const json_t *schema, const char *path)
{
    char *above = arena_strdup(arena, path);
    for (;;) {
        const char *tool = tool_of(json_path_find(schema, above));
        char *slash = strrchr(above, '/');
        if (tool || !slash)
            return tool;
        *slash = '\0';
    }
}

/* Reports what the endpoint did not take of the request's schema. */
static void emit_notes(const struct asking *asking, const struct model_reply *reply)
{
    struct arena *arena = asking->arena;
    for (size_t i = 0; i < reply->n_notes && i < MAX_NOTES; i++) {
        const struct model_schema_note *note = &reply->notes[i];
        const char *said = note->message ? note->message : "";
        journal_emit(asking->engine->journal, EVENT_SCHEMA_QUARANTINED,
                     json_pack("{s:s, s:s, s:s*, s:s}", "contract", asking->contract->name, "path",
                               note->path, "tool",
                               tool_at(arena, asking->contract->schema, note->path), "message",
                               text_one_line(arena, said, strlen(said), NOTE_MAX_COLUMNS)));
    }
}

static void add_count(int64_t *sum, int64_t count)
{
    if (count >= 0)
        *sum = *sum < 0 ? count : *sum + count;
}

static void count_reply(struct asking *asking, const struct model_reply *reply)
{
    struct ask_outcome *out = asking->out;
    add_count(&out->prompt_tokens, reply->prompt_tokens);
    add_count(&out->cached_tokens, reply->cached_tokens);
    add_count(&out->completion_tokens, reply->completion_tokens);
    add_count(&out->model_ms, reply->duration_ms);
    struct attempt *attempt = &asking->attempt;
    attempt->model = reply->model ? reply->model : attempt->model;
    attempt->prompt_tokens = reply->prompt_tokens;
    attempt->completion_tokens = reply->completion_tokens;
    attempt->duration_ms = reply->duration_ms;
}

static double temperature_of(const struct asking *asking)
{
    const double of_profile[] = { [CONTRACT_PROFILE_DECIDE] = asking->engine->settings->temperature,
                                  [CONTRACT_PROFILE_ENVELOPE] = 0,
                                  [CONTRACT_PROFILE_CONVERSE] = -1 };
    double warmer = RETRY_WARMER * (asking->attempt.number - 1);
    double temperature = of_profile[asking->contract->profile];
    /* A compaction is another question, and an answer to it is the last chance. */
    if (temperature < 0 || asking->attempt.rung == RUNG_COMPACTION)
        return temperature;
    return fmin(temperature + warmer, MAX_TEMPERATURE);
}

static void begin_attempt(struct asking *asking, enum engine_rung rung)
{
    struct attempt *attempt = &asking->attempt;
    *attempt = (struct attempt){ .number = attempt->number + 1,
                                 .rung = rung,
                                 .model = attempt->model,
                                 .prompt_tokens = -1,
                                 .completion_tokens = -1,
                                 .duration_ms = -1 };
}

/* What was shown of an attempt that failed is taken back. */
static void end_attempt(struct asking *asking, const struct verdict *verdict)
{
    emit_attempt(asking, verdict);
    if (verdict->class != ATTEMPT_OK && asking->contract->shape != CONTRACT_OBJECT)
        journal_emit(asking->engine->journal, EVENT_ATTEMPT_DISCARDED,
                     json_pack("{s:s, s:i}", "contract", asking->contract->name, "attempt",
                               (int)asking->attempt.number));
}

/* One model call, repeated while only the transport fails; its failure is an attempt as well. */
static enum err_code call_model(struct asking *asking, struct scope *scope,
                                struct model_reply *reply, struct heard *heard, struct err *err)
{
    /* An endpoint can hold an answer to a schema only where it is nothing but the object. */
    bool is_object = asking->contract->shape == CONTRACT_OBJECT || asking->is_bare;
    struct model_call call = {
        .purpose = asking->contract->name,
        .rung = engine_rung_name(asking->attempt.rung),
        .prompt = &asking->prompt,
        .schema = is_object ? asking->contract->schema : NULL,
        .temperature = temperature_of(asking),
        .max_tokens = asking->max_tokens,
        .shape = asking->contract->shape,
        .is_bare = asking->is_bare,
        .attempt = asking->attempt.number,
        .working = asking->contract->working,
    };
    enum err_code r = model_call(asking->engine, scope, asking->arena, &call, reply, err);
    asking->out->attempts += call.calls;
    asking->attempt.requests = call.calls;
    asking->attempt.is_kept = call.is_kept;
    *heard = call.heard;
    asking->most_tokens = call.most_tokens;
    if (!r) {
        count_reply(asking, reply);
        emit_notes(asking, reply);
    } else if (r != ERR_CANCELLED && call.calls) {
        const struct verdict failed = { .class = r == ERR_TIMEOUT ? ATTEMPT_TIMEOUT
                                                                  : ATTEMPT_TRANSPORT };
        end_attempt(asking, &failed);
    }
    return r;
}

static void take_value(struct asking *asking, const struct verdict *verdict, const char *raw)
{
    struct ask_outcome *out = asking->out;
    out->value = verdict->value;
    out->text = verdict->text;
    out->raw = raw;
    out->rung = asking->attempt.rung;
    out->extracted = verdict->extracted;
    out->repaired = verdict->repaired;
    out->synonyms = verdict->synonyms;
}

/* The end of an answer, or one that was wrapped, waits until it is known for one. */
static void show_rest(const struct asking *asking, const struct verdict *verdict, size_t shown)
{
    bool is_text = asking->contract->shape == CONTRACT_TEXT && verdict->class == ATTEMPT_OK;
    if (is_text && strlen(verdict->text) > shown)
        journal_emit(asking->engine->journal, EVENT_ANSWER_TOKEN,
                     json_pack("{s:s, s:s}", "purpose", asking->contract->name, "text",
                               verdict->text + shown));
}

/* Shows what people read of the answer and have not seen while it came. */
static void report_rest(struct asking *asking, const struct model_reply *reply)
{
    struct journal *journal = asking->engine->journal;
    const struct ask_outcome *out = asking->out;
    if (asking->is_bare && out->text && *out->text)
        journal_emit(
            journal, EVENT_TOKEN,
            json_pack("{s:i, s:s}", "attempt", (int)asking->attempt.number, "text", out->text));
    if (asking->contract->shape != CONTRACT_TEXT || reply->stop != MODEL_STOP_LENGTH)
        return;
    if (asking->most_tokens < asking->max_tokens)
        journal_warn(journal, "the answer was cut: the model's context had room for %d tokens",
                     asking->most_tokens);
    else
        journal_warn(journal, "the answer was cut at max_tokens (%d)", asking->max_tokens);
}

/* The request as it was, and the reminder behind it. */
static void remind(struct asking *asking, struct verdict *verdict, const char *reply)
{
    const struct prompt *asked = &asking->asked->prompt;
    struct prompt_part *parts = arena_array(asking->arena, struct prompt_part, asked->n_parts + 1);
    if (asked->n_parts)
        memcpy(parts, asked->parts, asked->n_parts * sizeof *parts);
    parts[asked->n_parts].text = reminder_text(asking->arena, asking->contract, reply,
                                               &verdict->problems, asking->ladder.reminders);
    asking->prompt.parts = parts;
    asking->prompt.n_parts = asked->n_parts + 1;
}

static void compact(struct asking *asking)
{
    const struct compaction_input input = { .wishes = asking->asked->wishes,
                                            .n_wishes = asking->asked->n_wishes,
                                            .state = asking->asked->state };
    const struct prompt *asked = &asking->asked->prompt;
    struct prompt_part *parts = arena_array(asking->arena, struct prompt_part, asked->n_parts + 1);
    size_t n = 0;
    for (size_t i = 0; i < asked->n_parts; i++)
        if (asked->parts[i].speaker == PROMPT_OPENING || asked->parts[i].speaker == PROMPT_TASK)
            parts[n++] = asked->parts[i];
    parts[n++].text = compaction_text(asking->arena, asking->contract, &input);
    asking->prompt.parts = parts;
    asking->prompt.n_parts = n;
    asking->is_bare = asking->contract->shape == CONTRACT_TEXT_AND_OBJECT;
}

/* Prepares the next attempt. False when only the contract's own last rung is left. */
static bool climb(struct asking *asking, struct verdict *verdict, const char *reply)
{
    enum engine_rung rung = ladder_climb(&asking->ladder, verdict->class);
    if (rung == RUNG_BUDGET)
        asking->max_tokens =
            asking->max_tokens > BUDGET_MAX_TOKENS / 2 ? BUDGET_MAX_TOKENS : asking->max_tokens * 2;
    if (rung == RUNG_REMINDER)
        remind(asking, verdict, reply);
    if (rung == RUNG_COMPACTION)
        compact(asking);
    begin_attempt(asking, rung);
    return rung != RUNG_LAST;
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

/* Takes what the contract itself gives, which must fit the contract as well. verdict: on what the
 * model said at the end. */
static enum err_code stand_on_last_rung(struct asking *asking, struct verdict *verdict,
                                        struct err *err)
{
    const struct contract *contract = asking->contract;
    const json_t *value =
        contract->last_rung ? contract->last_rung(contract->context, asking->arena) : NULL;
    if (!value)
        return give_up(asking, verdict, err);
    struct verdict last = { .class = json_is_string(value) ? ATTEMPT_OK : ATTEMPT_WRONG_TYPE,
                            .text = json_string_value(value) };
    if (contract->shape != CONTRACT_TEXT) {
        last = judge_value(asking->arena, contract, asking->schema, value);
        last.text = contract->shape == CONTRACT_TEXT_AND_OBJECT ? "" : NULL;
    }
    if (last.class != ATTEMPT_OK)
        return give_up(asking, &last, err);
    emit_attempt(asking, &last);
    take_value(asking, &last, NULL);
    return ERR_NONE;
}

static enum err_code climb_ladder(struct asking *asking, struct scope *scope, struct err *err)
{
    struct attempt *attempt = &asking->attempt;
    struct model_reply reply = { 0 }; /* the last one */
    struct verdict verdict = { 0 };   /* what is wrong with it */
    for (;;) {
        struct heard heard = { 0 };
        enum err_code r = call_model(asking, scope, &reply, &heard, err);
        if (!r) {
            const struct judged judged = { asking->contract, asking->schema, &reply, &heard,
                                           asking->is_bare };
            verdict = judge_reply(asking->arena, &judged);
            show_rest(asking, &verdict, heard.shown);
            end_attempt(asking, &verdict);
        } else if (r == ERR_LIMIT && attempt->requests == 0 && attempt->number > 1) {
            /* A reminder is longer than the request it belongs to. Where the context has no room
             * for it the attempt does not count; the next rung asks for what the last answer
             * lacked. */
            attempt->number--;
        } else {
            return r;
        }
        if (verdict.class == ATTEMPT_OK) {
            take_value(asking, &verdict, reply.text);
            report_rest(asking, &reply);
            return ERR_NONE;
        }
        if (!climb(asking, &verdict, reply.text))
            return stand_on_last_rung(asking, &verdict, err);
    }
}

enum err_code engine_ask(struct engine *engine, struct scope *scope, struct arena *arena,
                         const struct contract *contract, const struct ask_prompt *prompt,
                         struct ask_outcome *out, struct err *err)
{
    *out = (struct ask_outcome){
        .prompt_tokens = -1, .cached_tokens = -1, .completion_tokens = -1, .model_ms = -1
    };
    struct asking asking = { .engine = engine,
                             .arena = arena,
                             .contract = contract,
                             .asked = prompt,
                             .out = out,
                             .ladder.can_compact = prompt->n_wishes > 0,
                             .prompt = prompt->prompt };
    enum err_code r = ERR_NONE;
    if (contract->shape != CONTRACT_TEXT)
        r = json_schema_compile(judged_schema(arena, contract), NULL, 0, &asking.schema, err);
    if (r)
        return err_prefix(err, r, "schema of %s", contract->name);
    asking.max_tokens = prompt->max_tokens > 0     ? prompt->max_tokens
                        : contract->max_tokens > 0 ? contract->max_tokens
                                                   : (int)engine->settings->max_tokens;
    begin_attempt(&asking, RUNG_GENERATE);
    r = climb_ladder(&asking, scope, err);
    json_schema_destroy(asking.schema);
    return r;
}
