#include "application/workers/run_result.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/entities/queued_run.h"
#include "tests/support/cmocka.h"
#include <string.h>

/* The text of a result whose answer has so many bytes. */
static const char *text_with(struct arena *arena, size_t n)
{
    char *answer = arena_calloc(arena, n + 1, 1);
    memset(answer, 'a', n);
    const struct turn_result result = {
        .run_id = "01run", .status = RUN_COMPLETED, .answer = answer, .usage = usage_none()
    };
    return run_result_text(arena, &result);
}

static void a_result_is_kept_up_to_its_bound_and_beyond_it_an_error(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    size_t around = strlen(text_with(&arena, 0));
    const char *largest = text_with(&arena, QUEUE_RESULT_MAX - around);
    assert_int_equal(strlen(largest), QUEUE_RESULT_MAX);
    assert_non_null(strstr(largest, "aaaa"));

    const char *text = text_with(&arena, QUEUE_RESULT_MAX - around + 1);
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    const struct turn_result result = turn_result_from_json(&arena, arena_keep_json(&arena, value));
    assert_string_equal(result.run_id, "01run");
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_null(result.answer);
    assert_int_equal(result.err.code, ERR_LIMIT);
    assert_non_null(strstr(result.err.hint, "mistro runs show 01run"));
}

static void a_result_is_read_back_as_a_person_is_shown_it(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct question question = { .key = "uncertain.a", .text = "What became of a?" };
    const struct intent intent = { .questions = &question,
                                   .n_questions = 1,
                                   .primary_goal = "buy" };
    struct turn_result result = { .run_id = "01run",
                                  .session_id = "01session",
                                  .status = RUN_NEEDS_ANSWER,
                                  .intent = &intent,
                                  .is_resumable = true,
                                  .usage = usage_none() };
    err_set(&result.err, ERR_UNAVAILABLE, 0, "no answer");
    err_hint(&result.err, ERR_UNAVAILABLE, "look at the shop");
    err_about(&result.err, ERR_UNAVAILABLE, "server");
    result.err.is_outcome_unknown = true;
    json_t *value = turn_result_to_json(&result);
    const struct turn_result read = turn_result_from_json(&arena, arena_keep_json(&arena, value));
    assert_string_equal(read.session_id, "01session");
    assert_int_equal(read.status, RUN_NEEDS_ANSWER);
    assert_true(read.is_resumable);
    assert_false(read.had_answer);
    assert_int_equal(read.intent->n_questions, 1);
    assert_string_equal(read.intent->questions[0].key, "uncertain.a");
    assert_int_equal(read.err.code, ERR_UNAVAILABLE);
    assert_string_equal(read.err.message, "no answer");
    assert_string_equal(read.err.hint, "look at the shop");
    assert_string_equal(read.err.what, "server");
    assert_true(read.err.is_outcome_unknown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_is_kept_up_to_its_bound_and_beyond_it_an_error),
        cmocka_unit_test(a_result_is_read_back_as_a_person_is_shown_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
