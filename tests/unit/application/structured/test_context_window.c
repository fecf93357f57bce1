
#include "application/structured/model_call.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/engine_fixture.h"
#include <string.h>

enum { CONTEXT = 1024, ANSWER = 200 };
/* What a prompt may have: 1024 - PROMPT_REPLY_RESERVE_TOKENS - 200. */
#define BUDGET 760

struct fixture {
    struct engine_fixture base;
    struct fitted_prompt out;
};

static void fixture_init(struct fixture *f)
{
    engine_fixture_init(&f->base);
    f->base.model.context_tokens = CONTEXT;
}

static void fixture_finish(struct fixture *f)
{
    engine_fixture_finish(&f->base);
}

/* So many tokens by the estimate, which counts the blank in front of a text. */
static const char *digits(struct fixture *f, size_t tokens)
{
    char *text = arena_alloc(&f->base.arena, tokens);
    memset(text, '7', tokens - 1);
    return text;
}

/* A request that always stays, and history of so many tokens before it. */
static enum err_code fit(struct fixture *f, size_t request, size_t history, int max_tokens)
{
    const struct prompt_part parts[] = {
        { .text = digits(f, history ? history : 1), .keep = PROMPT_DROP_FIRST, .what = "history" },
        { .text = digits(f, request) },
    };
    const struct prompt prompt = { .system = "",
                                   .parts = parts + !history,
                                   .n_parts = history ? 2 : 1 };
    f->out =
        (struct fitted_prompt){ .purpose = "plan", .prompt = prompt, .max_tokens = max_tokens };
    return context_window_fit(&f->base.engine, &f->base.scope, &f->base.arena, &f->out,
                              &f->base.err);
}

static void a_prompt_that_fills_its_budget_is_sent_whole(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(fit(&f, 100, BUDGET - 100, ANSWER), ERR_NONE);
    assert_int_equal(f.out.tokens, BUDGET);
    assert_int_equal(f.out.max_tokens, ANSWER);
    assert_int_equal(f.out.context_tokens, CONTEXT);
    assert_int_equal(json_array_size(f.base.recorder.events), 0);
}

static void one_token_more_drops_history_and_tells_it_loudly(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(fit(&f, 100, BUDGET - 99, ANSWER), ERR_NONE);
    assert_int_equal(f.out.tokens, 100);
    const json_t *event = engine_fixture_event(&f.base, "prompt_trimmed", 0);
    assert_string_equal(json_get_string(event, "purpose"), "plan");
    assert_string_equal(json_get_string(event, "what"), "history");
    assert_int_equal(json_get_int(event, "dropped", 0), 1);
    assert_int_equal(json_get_int(event, "tokens_before", 0), BUDGET + 1);
    assert_int_equal(json_get_int(event, "tokens", 0), 100);
    assert_int_equal(json_get_int(event, "context_tokens", 0), CONTEXT);
    assert_non_null(
        strstr(json_get_string(engine_fixture_event(&f.base, "warning", 0), "text"), "(history)"));
}

static void an_unknown_context_bounds_nothing(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    f.base.model.context_tokens = 0;
    assert_int_equal(fit(&f, 100, 100000, ANSWER), ERR_NONE);
    assert_int_equal(f.out.tokens, 100100);
    assert_int_equal(f.out.context_tokens, -1);
    f.base.model.check_fails = ERR_UNAVAILABLE;
    assert_int_equal(fit(&f, 100, 100000, ANSWER), ERR_NONE);
    assert_int_equal(json_array_size(f.base.recorder.events), 0);
}

static void being_cancelled_ends_it(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    f.base.model.check_fails = ERR_CANCELLED;
    assert_int_equal(fit(&f, 100, 100, ANSWER), ERR_CANCELLED);
}

static void an_answer_gets_what_a_large_request_leaves(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(fit(&f, BUDGET + 10, 0, ANSWER), ERR_NONE);
    assert_int_equal(f.out.max_tokens, ANSWER - 10);
    assert_int_equal(fit(&f, BUDGET + ANSWER - CONTEXT_WINDOW_MIN_ANSWER, 0, ANSWER), ERR_NONE);
    assert_int_equal(f.out.max_tokens, CONTEXT_WINDOW_MIN_ANSWER);
}

static void a_request_that_leaves_too_little_for_an_answer_is_refused(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(fit(&f, BUDGET + ANSWER - CONTEXT_WINDOW_MIN_ANSWER + 1, 300, ANSWER),
                     ERR_LIMIT);
    assert_non_null(strstr(f.base.err.message, "the model's context of 1024"));
    assert_non_null(strstr(f.base.err.hint, "model.context_tokens"));
    assert_int_equal(fit(&f, BUDGET + ANSWER - 16, 0, 16), ERR_NONE);
    assert_int_equal(fit(&f, BUDGET + ANSWER - 15, 0, 16), ERR_LIMIT);
}

static void at_most_half_of_the_context_is_kept_free_for_an_answer(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    size_t half = CONTEXT / 2 - PROMPT_REPLY_RESERVE_TOKENS;
    assert_int_equal(fit(&f, 100, half - 100, 4096), ERR_NONE);
    assert_int_equal(f.out.tokens, half);
    assert_int_equal(f.out.max_tokens, CONTEXT / 2);
    assert_int_equal(fit(&f, 100, half - 99, 4096), ERR_NONE);
    assert_int_equal(f.out.tokens, 100);
}

static void the_endpoint_counts_only_where_it_matters_and_its_ratio_is_kept(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    f.base.model.counted = 2 * 531;
    assert_int_equal(fit(&f, 100, 400, ANSWER), ERR_NONE);
    assert_int_equal(f.base.model.n_counts, 0);
    assert_int_equal(fit(&f, 100, 431, ANSWER), ERR_NONE); /* 0.7 of the budget is 532 */
    assert_int_equal(f.base.model.n_counts, 0);
    assert_int_equal(fit(&f, 100, 433, ANSWER), ERR_NONE);
    assert_int_equal(f.base.model.n_counts, 1);
    assert_int_equal(f.out.tokens, 200); /* the history left: twice 533 are too many */
    assert_int_equal(fit(&f, 100, 50, ANSWER), ERR_NONE);
    assert_int_equal(f.base.model.n_counts, 1);
    assert_int_equal(f.out.tokens, 300);
}

static void an_endpoint_that_cannot_count_is_asked_once(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(fit(&f, 100, 600, ANSWER), ERR_NONE);
    assert_int_equal(fit(&f, 100, 600, ANSWER), ERR_NONE);
    assert_int_equal(f.base.model.n_counts, 1);
    assert_int_equal(f.out.tokens, 700);
}

static void check_reply(struct fixture *f, int64_t sent, int64_t context,
                        const struct model_reply *reply)
{
    const struct fitted_prompt fitted = { .purpose = "answer",
                                          .tokens = sent,
                                          .context_tokens = context };
    json_array_clear(f->base.recorder.events);
    context_window_check_reply(&f->base.engine, &fitted, reply);
}

static void check(struct fixture *f, int64_t sent, int64_t context, int64_t evaluated)
{
    const struct model_reply reply = { .prompt_tokens = evaluated };
    check_reply(f, sent, context, &reply);
}

static bool is_told_to_have_lost(struct fixture *f, int64_t sent, int64_t evaluated)
{
    const struct model_reply reply = { .prompt_tokens = evaluated, .counts_cached = true };
    check_reply(f, sent, 32768, &reply);
    return engine_fixture_event(&f->base, "prompt_trimmed", 0) &&
           engine_fixture_event(&f->base, "warning", 0);
}

static void an_endpoint_that_evaluated_fewer_tokens_is_told_of(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    check(&f, 1000, -1, 599);
    const json_t *event = engine_fixture_event(&f.base, "prompt_trimmed", 0);
    assert_string_equal(json_get_string(event, "by"), "endpoint");
    assert_int_equal(json_get_int(event, "tokens_before", 0), 1000);
    assert_int_equal(json_get_int(event, "tokens", 0), 599);
    assert_non_null(strstr(json_get_string(engine_fixture_event(&f.base, "warning", 0), "text"),
                           "cut the prompt"));
    check(&f, 1000, 1200, 599);
    assert_non_null(engine_fixture_event(&f.base, "prompt_trimmed", 0));
}

static void nothing_is_told_where_fewer_tokens_prove_nothing(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    check(&f, 1000, -1, 600); /* estimates are estimates */
    assert_null(engine_fixture_event(&f.base, "prompt_trimmed", 0));
    check(&f, 500, -1, 10); /* too short to be cut */
    assert_null(engine_fixture_event(&f.base, "prompt_trimmed", 0));
    check(&f, 1000, -1, -1); /* not told */
    assert_null(engine_fixture_event(&f.base, "prompt_trimmed", 0));
    check(&f, 1000, 8192, 10); /* far from full: cached tokens were not counted */
    assert_null(engine_fixture_event(&f.base, "prompt_trimmed", 0));
}

static void counts_that_include_the_cache_show_what_a_template_left_out(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_true(is_told_to_have_lost(&f, 800, 6));
    assert_true(is_told_to_have_lost(&f, 900, 299));
    assert_false(is_told_to_have_lost(&f, 900, 300)); /* another vocabulary */
    assert_true(is_told_to_have_lost(&f, 101, 6));
    assert_false(is_told_to_have_lost(&f, 100, 6));
    assert_false(is_told_to_have_lost(&f, 800, 0)); /* not told */
}

static void a_count_beyond_belief_is_not_believed(void **state)
{
    (void)state;
    static const struct {
        int64_t counted;
        double scale;
    } cases[] = { { 1, CONTEXT_WINDOW_MIN_SCALE }, { 700 * 1000, CONTEXT_WINDOW_MAX_SCALE } };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        AUTO(fixture) f;
        fixture_init(&f);
        f.base.model.counted = cases[i].counted;
        assert_int_equal(fit(&f, 100, 600, ANSWER), ERR_NONE);
        assert_true(f.base.engine.token_scale == cases[i].scale);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prompt_that_fills_its_budget_is_sent_whole),
        cmocka_unit_test(one_token_more_drops_history_and_tells_it_loudly),
        cmocka_unit_test(an_unknown_context_bounds_nothing),
        cmocka_unit_test(being_cancelled_ends_it),
        cmocka_unit_test(an_answer_gets_what_a_large_request_leaves),
        cmocka_unit_test(a_request_that_leaves_too_little_for_an_answer_is_refused),
        cmocka_unit_test(at_most_half_of_the_context_is_kept_free_for_an_answer),
        cmocka_unit_test(the_endpoint_counts_only_where_it_matters_and_its_ratio_is_kept),
        cmocka_unit_test(an_endpoint_that_cannot_count_is_asked_once),
        cmocka_unit_test(an_endpoint_that_evaluated_fewer_tokens_is_told_of),
        cmocka_unit_test(nothing_is_told_where_fewer_tokens_prove_nothing),
        cmocka_unit_test(counts_that_include_the_cache_show_what_a_template_left_out),
        cmocka_unit_test(a_count_beyond_belief_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
