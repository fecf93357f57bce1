/* The studio with a model that does not keep to the format, and with one that is not there. */
#include "application/studio/studio_prompt.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/studio_bench.h"
#include <stdio.h>
#include <string.h>

#define BARE(prompt, generate)                                                                     \
    "{\"prompt\": \"" prompt "\", \"generate_image\": " generate                                   \
    ", \"steps\": 4, \"cfg\": 1.0, \"seed\": -1}"

static void reply(struct studio_bench *bench, const char *text)
{
    fake_model_reply(&bench->services.model, text);
}

static void replies(struct studio_bench *bench, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        reply(bench, text);
}

/* The one request, its two reminders and the compaction. */
static void never_gives_json(struct studio_bench *bench)
{
    replies(bench, "I would rather talk about the weather.", 4);
}

static void a_reminder_recovers_and_nobody_sees_it(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, "What kind of cat, I wonder?");
    reply(bench, STUDIO_REPLY("Which kind?", "", "false"));

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_int_equal(bench->result.attempts, 2);
    assert_string_equal(bench->result.text, "Which kind?");
    assert_null(strstr(studio_bench_shown(bench), "wonder"));
    assert_non_null(strstr(studio_bench_shown(bench), "Which kind?"));
    assert_int_equal(fake_services_count(&bench->services, EVENT_ERROR), 0);
    assert_int_equal(studio_bench_stored(bench)->n_messages, 2);
}

static void every_way_to_be_wrong_has_its_name_and_is_recovered(void **state)
{
    struct studio_bench *bench = *state;
    static const struct {
        const char *text, *class;
    } cases[] = {
        { STUDIO_REPLY("Which kind?", "", "false"), "ok" },
        { STUDIO_REPLY("Here.", "a cat", "true"), "ok" },
        { "Which kind?", "missing_delimiter" },
        { "Which kind?\n" BARE("", "false"), "missing_delimiter" },
        { "Which kind?\n---\n{prompt: , generate_image}", "invalid_json" },
        { "Which kind?\n---\n{\"prompt\": \"\", \"generate_image\": false, \"steps\": 4, \"cfg\": "
          "1.0}",
          "missing_fields" },
        { "Which kind?\n---\n{\"prompt\": \"\", \"generate_image\": false, \"steps\": \"4.3\", "
          "\"cfg\": 1.0, \"seed\": -1}",
          "wrong_type" },
        { "", "empty" },
    };
    for (size_t i = 0, n_attempts = 0; i < ARRAY_LENGTH(cases); i++) {
        bool is_good = strcmp(cases[i].class, "ok") == 0;
        reply(bench, cases[i].text);
        if (!is_good)
            reply(bench, STUDIO_REPLY("Now it is right.", "a cat", "false"));

        assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

        const json_t *attempt = studio_bench_event(bench, EVENT_ATTEMPT, n_attempts);
        assert_string_equal(json_get_string(attempt, "class"), cases[i].class);
        assert_int_equal(bench->result.end, STUDIO_ANSWERED);
        assert_int_equal(bench->result.attempts, is_good ? 1 : 2);
        n_attempts += bench->result.attempts;
    }
    assert_null(strstr(studio_bench_shown(bench), "{"));
    assert_null(strstr(studio_bench_shown(bench), "---"));
}

static void the_reminder_says_what_the_seed_says_and_leaves_no_trace(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, "What kind of cat, I wonder?");
    reply(bench, STUDIO_REPLY("Which kind?", "", "false"));
    reply(bench, STUDIO_REPLY("Done.", "a tabby cat", "false"));

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);
    assert_int_equal(studio_bench_turn(bench, "a tabby"), ERR_NONE);

    assert_non_null(strstr(studio_bench_asked(bench, 1),
                           "Please end your response with `---` followed by JSON using this "
                           "format: "));
    assert_null(strstr(studio_bench_asked(bench, 2), "Please end your response"));
    assert_null(strstr(studio_bench_asked(bench, 2), "wonder"));
}

static void each_request_has_its_own_two_reminders(void **state)
{
    struct studio_bench *bench = *state;
    for (int turn = 0; turn < 3; turn++) {
        replies(bench, "No JSON.", 2);
        reply(bench, STUDIO_REPLY("Here.", "a cat", "false"));

        assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

        assert_int_equal(bench->result.end, STUDIO_ANSWERED);
        assert_int_equal(bench->result.attempts, 3);
    }
}

static void after_two_reminders_the_conversation_is_compacted(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Which kind?", "", "false"));
    assert_int_equal(studio_bench_turn(bench, "a red dragon"), ERR_NONE);
    replies(bench, "No JSON.", 3);
    reply(bench, BARE("a red dragon in the rain", "false"));

    assert_int_equal(studio_bench_turn(bench, "in the rain"), ERR_NONE);

    const char *compacted = studio_bench_asked(bench, 4);
    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_int_equal(bench->result.attempts, 4);
    assert_string_equal(bench->result.state.image.prompt, "a red dragon in the rain");
    assert_non_null(strstr(compacted, "User wants: "));
    assert_non_null(strstr(compacted, "dragon"));
    assert_non_null(strstr(compacted, "Respond with ONLY JSON"));
    assert_null(strstr(compacted, "Which kind?"));
}

static void what_a_compaction_saved_is_no_bad_example_later(void **state)
{
    struct studio_bench *bench = *state;
    replies(bench, "No JSON.", 3);
    reply(bench, BARE("a cat", "false"));
    reply(bench, STUDIO_REPLY("Blue.", "a blue cat", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(studio_bench_turn(bench, "blue"), ERR_NONE);

    assert_non_null(strstr(studio_bench_asked(bench, 4),
                           "You:\nThe prompt is updated.\n---\n{\"prompt\":\"a cat\""));
}

static void a_compaction_keeps_what_the_person_wrote(void **state)
{
    struct studio_bench *bench = *state;
    assert_int_equal(studio_bench_edit(bench, "a green dog"), ERR_NONE);
    replies(bench, "No JSON.", 3);
    reply(bench, BARE("a green dog on the moon", "false"));

    assert_int_equal(studio_bench_turn(bench, "on the moon"), ERR_NONE);

    assert_non_null(strstr(studio_bench_asked(bench, 3), "a green dog"));
}

static void when_all_fails_it_starts_fresh_with_the_exact_words(void **state)
{
    struct studio_bench *bench = *state;
    never_gives_json(bench);

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_RESET);
    assert_int_equal(bench->result.attempts, 4);
    assert_int_equal(bench->services.model.n_requests, 4);
    assert_string_equal(bench->result.text,
                        "I'm having trouble understanding the format. Let's start fresh.");
    assert_int_equal(bench->result.err.code, ERR_FAILED);
    assert_int_equal(bench->services.runs.runs[0].status, RUN_FAILED);
    assert_string_equal(studio_bench_shown(bench), "");
}

static void a_fresh_start_logs_the_whole_history(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Which kind?", "", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);
    never_gives_json(bench);

    assert_int_equal(studio_bench_turn(bench, "a tabby"), ERR_NONE);

    const json_t *reset = studio_bench_event(bench, EVENT_CONTEXT_RESET, 0);
    const json_t *messages = json_object_get(reset, "messages");
    static const char *const said[] = { "a cat", "Which kind?", "a tabby" };
    assert_string_equal(json_get_string(reset, "text"), STUDIO_RESET_TEXT);
    assert_int_equal(json_array_size(messages), ARRAY_LENGTH(said));
    for (size_t i = 0; i < ARRAY_LENGTH(said); i++) {
        const json_t *message = json_array_get(messages, i);
        assert_string_equal(json_get_string(json_object_get(message, "text"), "text"), said[i]);
    }
    const json_t *error = studio_bench_event(bench, EVENT_ERROR, 0);
    assert_string_equal(json_get_string(error, "text"), STUDIO_RESET_TEXT);
    assert_string_equal(json_get_string(json_object_get(error, "error"), "code"), "failed");
    assert_int_equal(fake_services_count(&bench->services, EVENT_DONE), 1);
}

static void a_fresh_start_keeps_the_stored_transcript(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Which kind?", "", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);
    never_gives_json(bench);

    assert_int_equal(studio_bench_turn(bench, "a tabby"), ERR_NONE);

    struct conversation *stored = studio_bench_stored(bench);
    assert_int_equal(stored->n_messages, 4);
    assert_string_equal(stored->messages[0].content, "a cat");
    assert_string_equal(stored->messages[2].content, "a tabby");
    assert_int_equal(stored->messages[3].role, MESSAGE_SYSTEM);
    assert_string_equal(stored->messages[3].content, STUDIO_RESET_TEXT);
    assert_int_equal(conversation_live_start(stored), 4);
}

static void the_next_message_starts_fresh(void **state)
{
    struct studio_bench *bench = *state;
    never_gives_json(bench);
    reply(bench, STUDIO_REPLY("A dog!", "a dog", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(studio_bench_turn(bench, "a dog"), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_string_equal(studio_bench_asked(bench, 4),
                        "The person:\na dog\n\n[current prompt: \"\"]");
}

static void a_fresh_start_loses_nothing_that_the_person_wrote(void **state)
{
    struct studio_bench *bench = *state;
    assert_int_equal(studio_bench_edit(bench, "a green dog"), ERR_NONE);
    never_gives_json(bench);
    reply(bench, STUDIO_REPLY("Hello.", "", "false"));
    assert_int_equal(studio_bench_turn(bench, "on the moon"), ERR_NONE);
    assert_string_equal(bench->result.state.image.prompt, "a green dog");

    assert_int_equal(studio_bench_turn(bench, "hello"), ERR_NONE);

    assert_non_null(
        strstr(studio_bench_asked(bench, 4), "[user edited prompt to: \"a green dog\"]\nhello"));
    assert_string_equal(bench->result.state.image.prompt, "a green dog");
}

static void nothing_is_executed_from_an_invalid_object(void **state)
{
    struct studio_bench *bench = *state;
    static const char *const broken[] = {
        "Go.\n---\n{\"prompt\": \"bad\", \"generate_image\": true, \"steps\": 4, \"cfg\": 1.0}",
        "Go.\n---\n{\"prompt\": \"bad\", \"generate_image\": \"true\", \"steps\": 4, \"cfg\": 1, "
        "\"seed\": -1}",
        "Go.\n---\n{\"prompt\": 7, \"generate_image\": true, \"steps\": 4, \"cfg\": 1, \"seed\": "
        "-1}",
        "Go.\n---\n{\"prompt\": \"bad\", \"generate_image\": true, \"steps\": \"4.3\", \"cfg\": 1, "
        "\"seed\": -1}",
        "Go.\n---\n{\"prompt\": \"bad\", \"generate_image\": true, \"steps\": 4",
        "Go.\n---\n[\"bad\", true, 4, 1.0, -1]",
        "Go.\n---\n",
    };
    bench->services.settings.studio_image_tool = "art/draw";
    for (size_t i = 0; i < ARRAY_LENGTH(broken); i++) {
        bench->services.model.n_requests = bench->services.model.n_replies = 0;
        replies(bench, broken[i], 8);

        assert_int_equal(studio_bench_turn(bench, "go"), ERR_NONE);

        if (bench->result.end != STUDIO_RESET)
            fail_msg("it was taken for an answer: %s", broken[i]);
        assert_string_equal(bench->result.state.image.prompt, "");
    }
    assert_int_equal(bench->server->n_calls, 0);
    assert_int_equal(fake_services_count(&bench->services, EVENT_PROMPT_UPDATE), 0);
    assert_int_equal(fake_services_count(&bench->services, EVENT_GENERATION_STARTED), 0);
}

static void a_transport_that_fails_changes_nothing_and_the_talk_goes_on(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.settings.model_attempts = 1;
    reply(bench, STUDIO_REPLY("Which kind?", "", "false"));
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_UNAVAILABLE });
    reply(bench, STUDIO_REPLY("Done.", "a tabby cat", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(studio_bench_turn(bench, "a tabby"), ERR_NONE);
    assert_int_equal(bench->result.end, STUDIO_FAILED);
    assert_int_equal(bench->result.err.code, ERR_UNAVAILABLE);
    assert_string_equal(bench->result.text, bench->result.err.message);
    assert_int_equal(studio_bench_stored(bench)->n_messages, 2);
    assert_int_equal(fake_services_count(&bench->services, EVENT_ERROR), 1);

    assert_int_equal(studio_bench_turn(bench, "a tabby"), ERR_NONE);
    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_non_null(strstr(studio_bench_asked(bench, 2), "Which kind?"));
}

static void what_was_said_before_a_transport_failed_is_taken_back(void **state)
{
    struct studio_bench *bench = *state;
    fake_model_push(
        &bench->services.model,
        (struct fake_reply){ .text = STUDIO_REPLY("A long story about cats", "", "false"),
                             .fails = ERR_UNAVAILABLE,
                             .after_bytes = 20 });

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_FAILED);
    assert_int_equal(bench->services.model.n_requests, 1);
    assert_string_equal(studio_bench_shown(bench), "");
}

static void an_edit_waits_until_a_model_has_seen_it(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.settings.model_attempts = 1;
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_TIMEOUT });
    reply(bench, STUDIO_REPLY("A dog it is.", "a dog", "false"));
    assert_int_equal(studio_bench_edit(bench, "a dog"), ERR_NONE);
    assert_int_equal(studio_bench_turn(bench, "go on"), ERR_NONE);
    assert_int_equal(bench->result.end, STUDIO_FAILED);

    assert_int_equal(studio_bench_turn(bench, "go on"), ERR_NONE);

    assert_non_null(strstr(studio_bench_asked(bench, 1), "[user edited prompt to: \"a dog\"]"));
}

/* A message of so many words, which begins with the first. */
static const char *words(struct studio_bench *bench, const char *first, size_t n)
{
    char *text = arena_alloc(&bench->arena, strlen(first) + n * 5 + 1), *to = text;
    to += sprintf(to, "%s", first);
    for (size_t i = 0; i < n; i++)
        to += sprintf(to, " word");
    return text;
}

static void a_short_context_loses_the_oldest_words_first(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.model.context_tokens = 4096;
    for (int i = 0; i < 3; i++)
        reply(bench, STUDIO_REPLY("Noted.", "a cat", "false"));

    assert_int_equal(studio_bench_turn(bench, words(bench, "oldest", 1000)), ERR_NONE);
    assert_int_equal(studio_bench_turn(bench, words(bench, "older", 1000)), ERR_NONE);
    assert_int_equal(studio_bench_turn(bench, words(bench, "newest", 1000)), ERR_NONE);

    const char *asked = studio_bench_asked(bench, 2);
    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_null(strstr(asked, "oldest"));
    assert_non_null(strstr(asked, "newest"));
    assert_non_null(strstr(asked, "[current prompt: \"a cat\"]"));
    assert_true(fake_services_count(&bench->services, EVENT_PROMPT_TRIMMED) > 0);
    assert_int_equal(studio_bench_stored(bench)->n_messages, 6);
}

static void a_message_that_no_context_holds_is_a_limit_and_changes_nothing(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.model.context_tokens = 2048;

    assert_int_equal(studio_bench_turn(bench, words(bench, "long", 2000)), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_FAILED);
    assert_int_equal(bench->result.err.code, ERR_LIMIT);
    assert_int_equal(bench->services.model.n_requests, 0);
    assert_null(studio_bench_stored(bench));
    assert_int_equal(bench->services.runs.runs[0].status, RUN_LIMIT);
}

static void cancelling_the_model_changes_nothing(void **state)
{
    struct studio_bench *bench = *state;
    fake_model_push(
        &bench->services.model,
        (struct fake_reply){ .text = STUDIO_REPLY("Hm.", "a cat", "false"), .delay_ms = 1000 });
    bench->runtime.cancel_scope = &bench->scope;
    bench->runtime.cancel_at_ms = 500;

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_CANCELLED);

    bench->scope.cancelled = false;
    assert_null(studio_bench_stored(bench));
    assert_int_equal(bench->services.runs.runs[0].status, RUN_CANCELLED);
    assert_int_equal(fake_services_count(&bench->services, EVENT_ERROR), 1);
}

static void a_run_that_takes_too_long_is_a_limit(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.settings.limits_run_seconds = 1;
    fake_model_push(
        &bench->services.model,
        (struct fake_reply){ .text = STUDIO_REPLY("Hm.", "a cat", "false"), .delay_ms = 1001 });

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_LIMIT);

    assert_int_equal(bench->services.runs.runs[0].status, RUN_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, studio_bench_set_up, studio_bench_tear_down)
        TEST(a_reminder_recovers_and_nobody_sees_it),
        TEST(every_way_to_be_wrong_has_its_name_and_is_recovered),
        TEST(the_reminder_says_what_the_seed_says_and_leaves_no_trace),
        TEST(each_request_has_its_own_two_reminders),
        TEST(after_two_reminders_the_conversation_is_compacted),
        TEST(what_a_compaction_saved_is_no_bad_example_later),
        TEST(a_compaction_keeps_what_the_person_wrote),
        TEST(when_all_fails_it_starts_fresh_with_the_exact_words),
        TEST(a_fresh_start_logs_the_whole_history),
        TEST(a_fresh_start_keeps_the_stored_transcript),
        TEST(the_next_message_starts_fresh),
        TEST(a_fresh_start_loses_nothing_that_the_person_wrote),
        TEST(nothing_is_executed_from_an_invalid_object),
        TEST(a_transport_that_fails_changes_nothing_and_the_talk_goes_on),
        TEST(what_was_said_before_a_transport_failed_is_taken_back),
        TEST(an_edit_waits_until_a_model_has_seen_it),
        TEST(a_short_context_loses_the_oldest_words_first),
        TEST(a_message_that_no_context_holds_is_a_limit_and_changes_nothing),
        TEST(cancelling_the_model_changes_nothing),
        TEST(a_run_that_takes_too_long_is_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
