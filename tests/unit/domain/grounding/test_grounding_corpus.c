/* The check of answers on data that others wrote (tests/data/grounding). A right answer that is
 * flagged costs a person the model's words, so next to none may be; how many wrong ones pass is
 * printed, with each of them. */
#include "domain/base/json.h"
#include "domain/grounding/grounding.h"
#include "tests/support/cmocka.h"

enum { RIGHT_ANSWERS = 100, FLAGGED_RIGHT_ANSWERS = 2, RESULTS = 16 };

static json_t *words;

static struct grounding check(struct arena *arena, const json_t *one)
{
    const json_t *given = json_object_get(one, "results"), *values[RESULTS];
    size_t n = json_array_size(given);
    assert_in_range(n, 1, RESULTS);
    for (size_t i = 0; i < n; i++) {
        const json_t *result = json_array_get(given, i),
                     *structured = json_object_get(result, "structured");
        values[i] = structured ? structured : json_object_get(result, "text");
    }
    const char *request = json_get_string(one, "request");
    struct grounding found;
    grounding_check(
        arena, json_get_string(one, "answer"),
        &(struct grounding_sources){
            .words = words, .results = values, .n_results = n, .said = &request, .n_said = 1 },
        &found);
    return found;
}

static void tell(const json_t *one, const char *what, const struct grounding *found)
{
    print_message("%s (%s): %s: %s\n", json_get_string(one, "id"), json_get_string(one, "kind"),
                  what, json_get_string(one, "answer"));
    for (size_t i = 0; i < found->n; i++)
        print_message("    %s\n", found->ungrounded[i]);
}

static void right_answers_are_hardly_ever_flagged(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    json_t *corpus = json_load_file(SOURCE_DIR "/tests/data/grounding/answers.json", 0, NULL);
    assert_non_null(corpus);
    words =
        arena_keep_json(&arena, json_load_file(SOURCE_DIR "/config/words/values.json", 0, NULL));
    assert_non_null(words);
    arena_keep_json(&arena, corpus);
    size_t i, right = 0, flagged = 0, wrong = 0, passed = 0;
    const json_t *one;
    json_array_foreach (json_object_get(corpus, "answers"), i, one) {
        bool is_right = json_is_true(json_object_get(one, "right"));
        struct grounding found = check(&arena, one);
        assert_false(found.is_unjudged);
        if (is_right && found.n > 0)
            tell(one, "right and flagged", &found);
        else if (!is_right && found.n == 0)
            tell(one, "wrong and not flagged", &found);
        right += is_right;
        wrong += !is_right;
        flagged += is_right && found.n > 0;
        passed += !is_right && found.n == 0;
    }
    print_message("%zu of %zu right answers flagged, %zu of %zu wrong ones not flagged\n", flagged,
                  right, passed, wrong);
    assert_int_equal(right, RIGHT_ANSWERS);
    assert_in_range(flagged, 0, FLAGGED_RIGHT_ANSWERS);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_answers_are_hardly_ever_flagged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
