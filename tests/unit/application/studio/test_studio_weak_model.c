/* The studio with a model that copies what it is shown, or says nothing beside its metadata. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include "tests/support/studio_bench.h"
#include <string.h>

#define EXAMPLE(generate)                                                                          \
    STUDIO_REPLY("Perfect!", "a tabby cat wearing a blue wizard hat", generate)

static void reply(struct studio_bench *bench, const char *text)
{
    fake_model_reply(&bench->services.model, text);
}

static void replies_without_json(struct studio_bench *bench, size_t n)
{
    for (size_t i = 0; i < n; i++)
        reply(bench, "No JSON.");
}

/* What a compaction gives has no words, and neither has an answer that begins with its delimiter:
 * the person reads what became of the prompt. */
static void an_answer_without_words_says_what_became_of_the_prompt(void **state)
{
    struct studio_bench *bench = *state;
    static const struct {
        const char *prompt, *said;
    } cases[] = { { "", "Tell me more about the image." },
                  { "a red dragon", "The prompt is updated." },
                  { "a red dragon", "The prompt stays as it is." },
                  { "", "The prompt stays as it is." } };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        replies_without_json(bench, 3);
        reply(bench, arena_printf(&bench->arena,
                                  "{\"prompt\": \"%s\", \"generate_image\": false, \"steps\": 4, "
                                  "\"cfg\": 1.0, \"seed\": -1}",
                                  cases[i].prompt));

        assert_int_equal(studio_bench_turn(bench, "a red dragon"), ERR_NONE);

        assert_string_equal(bench->result.text, cases[i].said);
        assert_true(text_ends_with(studio_bench_shown(bench), cases[i].said));
    }
    reply(bench, STUDIO_REPLY("", "a blue dragon", "false"));
    assert_int_equal(studio_bench_turn(bench, "a blue one"), ERR_NONE);
    assert_string_equal(bench->result.text, "The prompt is updated.");
}

static void a_compaction_shows_an_example_that_starts_no_image(void **state)
{
    struct studio_bench *bench = *state;
    replies_without_json(bench, 4);

    assert_int_equal(studio_bench_turn(bench, "a red dragon"), ERR_NONE);

    assert_null(strstr(strstr(studio_bench_asked(bench, 3), "User wants"), "true"));
}

static void a_copied_example_starts_no_image(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.settings.studio_image_tool = "art/draw";
    reply(bench, EXAMPLE("true"));
    reply(bench, STUDIO_REPLY("Here it comes.", "a red dragon", "false"));

    assert_int_equal(studio_bench_turn(bench, "a red dragon"), ERR_NONE);

    const json_t *attempt = studio_bench_event(bench, EVENT_ATTEMPT, 0);
    assert_string_equal(json_get_string(attempt, "class"), "cross_check");
    assert_string_equal(bench->result.state.image.prompt, "a red dragon");
    assert_int_equal(bench->server->n_calls, 0);
}

static void who_wants_what_the_example_shows_gets_it(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, EXAMPLE("false"));
    assert_int_equal(studio_bench_turn(bench, "a red dragon"), ERR_NONE);
    assert_int_equal(bench->result.attempts, 1); /* a person can put that right */
    reply(bench, EXAMPLE("true"));
    assert_int_equal(studio_bench_turn(bench, "A CAT then"), ERR_NONE);
    assert_int_equal(bench->result.attempts, 1);
    assert_true(bench->result.state.image.generate_image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, studio_bench_set_up, studio_bench_tear_down)
        TEST(an_answer_without_words_says_what_became_of_the_prompt),
        TEST(a_compaction_shows_an_example_that_starts_no_image),
        TEST(a_copied_example_starts_no_image),
        TEST(who_wants_what_the_example_shows_gets_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
