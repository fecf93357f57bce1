#include "application/orchestrators/turn_result.h"
#include "application/orchestrators/pending_questions.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include "domain/text/known_secrets.h"

static void add_tokens(int64_t *sum, int64_t more)
{
    if (more >= 0)
        *sum = (*sum < 0 ? 0 : *sum) + more;
}

void usage_add(struct usage *usage, unsigned calls, int64_t prompt, int64_t cached,
               int64_t completion, int64_t ms)
{
    usage->model_calls += calls;
    add_tokens(&usage->prompt_tokens, prompt);
    add_tokens(&usage->cached_tokens, cached);
    add_tokens(&usage->completion_tokens, completion);
    add_tokens(&usage->model_ms, ms);
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

static void set_count(json_t *object, const char *key, int64_t count)
{
    if (count >= 0)
        json_object_set_new(object, key, json_integer(count));
}

static json_t *usage_to_json(const struct usage *usage)
{
    json_t *value = json_object();
    set_count(value, "model_calls", usage->model_calls);
    set_count(value, "prompt_tokens", usage->prompt_tokens);
    set_count(value, "cached_tokens", usage->cached_tokens);
    set_count(value, "completion_tokens", usage->completion_tokens);
    set_count(value, "model_ms", usage->model_ms);
    set_count(value, "tool_ms", usage->tool_ms);
    set_count(value, "overhead_ms", usage->overhead_ms);
    return value;
}

static void set_steps(json_t *value, const struct turn_result *result)
{
    json_t *steps = json_array(), *receipts = json_array();
    for (size_t i = 0; i < result->n_steps; i++) {
        json_array_append_new(steps, step_outcome_to_json(&result->steps[i]));
        json_t *receipt = step_outcome_receipt(&result->steps[i]);
        if (receipt)
            json_array_append_new(receipts, receipt);
    }
    json_object_set_new(value, "steps", steps);
    json_object_set_new(value, "receipts", receipts);
}

static void set_thoughts(json_t *value, const struct turn_result *result)
{
    const struct intent *intent = result->intent;
    if (intent)
        json_object_set_new(value, "intent", intent_to_json(intent));
    if (intent && result->status == RUN_NEEDS_ANSWER)
        json_object_set_new(value, "questions",
                            questions_to_json(intent->questions, intent->n_questions));
    if (result->plan)
        json_object_set_new(value, "plan", plan_to_json(result->plan));
    if (result->problems && result->problems->n)
        json_object_set_new(value, "problems", problems_to_json(result->problems));
}

void turn_result_not_saved(struct turn_result *result, const struct err *why)
{
    result->not_saved = *why;
    result->had_answer |= result->status == RUN_COMPLETED;
    if (result->status != RUN_COMPLETED && result->status != RUN_NEEDS_ANSWER)
        return;
    result->status = RUN_FAILED;
    result->err = *why;
}

json_t *turn_result_to_json(const struct turn_result *result)
{
    json_auto_t *value = json_pack("{s:i}", "version", TURN_RESULT_VERSION);
    set_text(value, "run_id", result->run_id);
    set_text(value, "session_id", result->session_id);
    if (result->session_id)
        json_object_set_new(value, "saved", json_boolean(!result->not_saved.code));
    set_text(value, "status", run_status_name(result->status));
    if (result->is_resumable)
        json_object_set_new(value, "resumable", json_true());
    set_text(value, "analyst", result->analyst);
    set_text(value, "answer", result->answer);
    set_text(value, "dropped", result->dropped);
    set_text(value, "answer_source", result->answer ? result->answer_source : NULL);
    if (result->ungrounded)
        json_object_set_new(value, "ungrounded", json_share(result->ungrounded));
    if (result->answer && result->is_ungrounded)
        json_object_set_new(value, "grounded", json_false());
    if (result->outputs)
        json_object_set_new(value, "outputs", json_share(result->outputs));
    if (result->approval)
        json_object_set_new(value, "approval", json_share(result->approval));
    set_thoughts(value, result);
    set_steps(value, result);
    if (result->dry_run)
        json_object_set_new(value, "dry_run", json_share(result->dry_run));
    json_object_set_new(value, "usage", usage_to_json(&result->usage));
    if (result->err.code)
        json_object_set_new(value, "error", err_to_json(&result->err));
    return known_secrets_mask_json(value);
}

static const json_t *kept(struct arena *arena, const json_t *value, const char *key)
{
    const json_t *member = json_object_get(value, key);
    return member ? arena_keep_json(arena, json_share(member)) : NULL;
}

struct turn_result turn_result_from_json(struct arena *arena, const json_t *value)
{
    const json_t *questions = json_object_get(value, "questions");
    struct turn_result result = {
        .run_id = arena_strdup(arena, json_get_string(value, "run_id")),
        .session_id = arena_strdup(arena, json_get_string(value, "session_id")),
        .status = run_status_parse(json_get_string(value, "status")),
        .answer = arena_strdup(arena, json_get_string(value, "answer")),
        .analyst = arena_strdup(arena, json_get_string(value, "analyst")),
        .outputs = kept(arena, value, "outputs"),
        .approval = kept(arena, value, "approval"),
        .is_resumable = json_get_bool(value, "resumable", false),
        .usage = usage_none(),
    };
    result.had_answer = result.answer != NULL;
    if (json_array_size(questions)) {
        struct intent *intent = arena_new(arena, struct intent);
        pending_read_questions(arena, questions, intent);
        result.intent = intent;
    }
    (void)!err_from_json(json_object_get(value, "error"), NULL, &result.err);
    return result;
}
