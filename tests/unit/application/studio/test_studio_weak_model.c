/* The studio with a model that copies what it is shown, says nothing beside its metadata, says too
 * much, or puts its own words in place of the person's. */
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

static void the_reminder_shows_the_prompt_as_it_is_and_makes_no_image(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Fine.", "a red dragon", "true"));
    replies_without_json(bench, 3);
    reply(bench, "{\"prompt\": \"a red dragon\", \"generate_image\": false, \"steps\": 4, "
                 "\"cfg\": 1.0, \"seed\": -1}");
    assert_int_equal(studio_bench_turn(bench, "a red dragon"), ERR_NONE);

    assert_int_equal(studio_bench_turn(bench, "good"), ERR_NONE);

    for (size_t n = 2; n <= 4; n++) { /* two reminders and the compaction */
        const char *asked = studio_bench_asked(bench, n);
        const char *example = strstr(asked, n < 4 ? "using this format:" : "ONLY JSON");
        assert_non_null(example);
        assert_non_null(strstr(example, "\"prompt\":\"a red dragon\",\"generate_image\":false"));
        assert_null(strstr(example, "true"));
        assert_null(strstr(asked, "tabby"));
    }
}

/* A request whose words are chance has no format to rely on. */
static void decides_with_the_temperature_of_the_settings(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.settings.temperature = 0.3;
    reply(bench, STUDIO_REPLY("Fine.", "a red dragon", "false"));

    assert_int_equal(studio_bench_turn(bench, "a red dragon"), ERR_NONE);

    assert_float_equal(bench->services.model.requests[0].temperature, 0.3, 1e-9);
}

static void a_blank_line_before_the_words_is_not_shown(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("\n \nA dragon.", "a red dragon", "false"));
    reply(bench, STUDIO_REPLY("Fine.", "a red dragon", "false"));
    assert_int_equal(studio_bench_turn(bench, "a red dragon"), ERR_NONE);

    assert_string_equal(bench->result.text, "A dragon.");
    assert_string_equal(studio_bench_shown(bench), "A dragon.");
    assert_int_equal(studio_bench_turn(bench, "go on"), ERR_NONE);
    assert_non_null(strstr(studio_bench_asked(bench, 1), "You:\nA dragon.\n---\n{"));
}

static void a_delimiter_that_stands_twice_is_not_shown(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("A dragon.\n---\n", "a red dragon", "false"));
    reply(bench, STUDIO_REPLY("Fine.", "a red dragon", "false"));
    assert_int_equal(studio_bench_turn(bench, "a red dragon"), ERR_NONE);

    assert_string_equal(studio_bench_shown(bench), "A dragon.");
    assert_int_equal(studio_bench_turn(bench, "go on"), ERR_NONE);
    assert_non_null(strstr(studio_bench_asked(bench, 1), "You:\nA dragon.\n---\n{"));
}

/* A reply with a prompt of so many characters, of two bytes each. */
static void replies_at_length(struct studio_bench *bench, size_t characters)
{
    char *prompt = arena_alloc(&bench->arena, 2 * characters + 1);
    for (size_t i = 0; i < characters; i++)
        memcpy(prompt + 2 * i, "\xc3\xa4", 2);
    prompt[2 * characters] = '\0';
    reply(bench, arena_printf(&bench->arena, STUDIO_REPLY("Fine.", "%s", "false"), prompt));
}

static void a_prompt_that_is_too_long_costs_one_reminder(void **state)
{
    struct studio_bench *bench = *state;
    replies_at_length(bench, 200);
    assert_int_equal(studio_bench_turn(bench, "much"), ERR_NONE);
    assert_int_equal(bench->result.attempts, 1);

    studio_bench_edit(bench, "");
    replies_at_length(bench, 201);
    reply(bench, STUDIO_REPLY("Shorter.", "a red dragon", "false"));
    assert_int_equal(studio_bench_turn(bench, "more"), ERR_NONE);
    assert_int_equal(bench->result.attempts, 2);
    assert_string_equal(bench->result.state.image.prompt, "a red dragon");
    assert_non_null(strstr(studio_bench_asked(bench, 2), "in a prompt of under 200 characters"));

    replies_at_length(bench, 400);
    replies_at_length(bench, 300);
    assert_int_equal(studio_bench_turn(bench, "more"), ERR_NONE);
    assert_int_equal(bench->result.attempts, 2);
    assert_int_equal(strlen(bench->result.state.image.prompt), 600);

    studio_bench_edit(bench, "");
    replies_without_json(bench, 2);
    replies_at_length(bench, 300);
    assert_int_equal(studio_bench_turn(bench, "more"), ERR_NONE);
    assert_int_equal(bench->result.attempts, 3);

    replies_at_length(bench, 300); /* it goes on from what is there */
    assert_int_equal(studio_bench_turn(bench, "more"), ERR_NONE);
    assert_int_equal(bench->result.attempts, 1);
}

static void what_the_person_wrote_stays_against_an_answer_that_was_not_asked_for_another(
    void **state)
{
    struct studio_bench *bench = *state;
    bench->services.settings.studio_image_tool = "art/draw";
    reply(bench, STUDIO_REPLY("A cat.", "a cat in a hat", "false"));
    reply(bench, STUDIO_REPLY("Rain.", "a cat in a hat in the rain", "true"));
    assert_int_equal(studio_bench_turn(bench, "a cat in a hat"), ERR_NONE);
    assert_int_equal(studio_bench_edit(bench, "a dog in a hat"), ERR_NONE);

    assert_int_equal(studio_bench_turn(bench, "add some rain"), ERR_NONE);

    const struct studio_result *result = &bench->result;
    assert_string_equal(result->text, "Rain.");
    assert_string_equal(result->state.image.prompt, "a dog in a hat");
    assert_string_equal(studio_bench_state(bench).image.prompt, "a dog in a hat");
    assert_non_null(result->kept);
    assert_non_null(strstr(result->kept, "\"a cat in a hat in the rain\""));
    const json_t *update = studio_bench_event(bench, EVENT_PROMPT_UPDATE, 2);
    assert_string_equal(json_get_string(update, "prompt"), "a dog in a hat");
    assert_string_equal(json_get_string(update, "by"), "user");
    assert_string_equal(json_get_string(update, "text"), result->kept);
    assert_int_equal(bench->server->n_calls, 1);
    assert_non_null(strstr(bench->server->calls[0].arguments, "\"a dog in a hat\""));
    /* Later requests show no answer that had it otherwise, and what it says of itself is no edit.
     */
    reply(bench, STUDIO_REPLY("Fine.", "a dog in a hat in the rain", "false"));
    assert_int_equal(studio_bench_turn(bench, "rain!"), ERR_NONE);
    assert_null(strstr(studio_bench_asked(bench, 2), "a cat in a hat in the rain"));
    assert_string_equal(bench->result.state.image.prompt, "a dog in a hat in the rain");
    assert_null(bench->result.kept);
    /* And it stays the person's over the turns. */
    reply(bench, STUDIO_REPLY("Drawing.", "a cat in a hat", "false"));
    assert_int_equal(studio_bench_turn(bench, "draw it"), ERR_NONE);
    assert_string_equal(bench->result.state.image.prompt, "a dog in a hat in the rain");
}

static void a_message_that_asks_for_another_prompt_gets_it(void **state)
{
    struct studio_bench *bench = *state;
    static const struct {
        const char *edit, *message, *answer;
        bool stays;
    } cases[] = {
        { "a dog in a hat", "make it a cat", "a cat in a hat", false },
        { "a dog in a hat", "Cats, please!", "a fluffy cat in a hat", false },
        { "a dog in a hat", "replace the dog", "a fox in a hat", false },
        { "a dog in a hat", "no hat", "a dog", false },
        { "a dog in a hat", "a cat in space", "a fluffy cat floating in outer space", false },
        { "a dog in a hat", "bigger", "a huge dog in a big hat", false },
        { "a dog in a hat", "bigger", "In the rain: a big, hatted dog", false },
        { "dogs with hats", "add rain", "a dog wearing a hat in the rain", false },
        { "a “dog” in a hat", "add rain", "a dog in a hat, in the rain", false },
        { "ein Hund mit Hut", "im Regen", "ein Hund im Regen, mit einem Hut", false },
        { "a dog in a hat", "something else entirely", "a steam engine", false },
        { "a long tale of a dog", "shorter", "a tale", false },
        { "帽子をかぶった犬", "猫にして", "帽子をかぶった猫", false },
        { "a dog in a hat", "draw it", "a tabby cat wearing a blue wizard hat", true },
        { "a dog in a hat", "what do you think?", "a cat in a hat", true },
        { "a dog in a hat", "add rain", "a cat in the rain", true },
        { "ein Hund mit Hut", "im Regen", "eine Katze mit Hut im Regen", true },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        assert_int_equal(studio_bench_edit(bench, cases[i].edit), ERR_NONE);
        reply(bench,
              arena_printf(&bench->arena, STUDIO_REPLY("Fine.", "%s", "false"), cases[i].answer));
        assert_int_equal(studio_bench_turn(bench, cases[i].message), ERR_NONE);
        if ((bench->result.kept != NULL) != cases[i].stays)
            fail_msg("\"%s\", then \"%s\": \"%s\"", cases[i].edit, cases[i].message,
                     bench->result.state.image.prompt);
    }
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
        TEST(the_reminder_shows_the_prompt_as_it_is_and_makes_no_image),
        TEST(decides_with_the_temperature_of_the_settings),
        TEST(a_blank_line_before_the_words_is_not_shown),
        TEST(a_delimiter_that_stands_twice_is_not_shown),
        TEST(a_prompt_that_is_too_long_costs_one_reminder),
        TEST(what_the_person_wrote_stays_against_an_answer_that_was_not_asked_for_another),
        TEST(a_message_that_asks_for_another_prompt_gets_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
