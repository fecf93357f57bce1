/* Turns of the studio that go well, and what they leave. */
#include "application/studio/studio_prompt.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/studio_bench.h"
#include <string.h>

static void reply(struct studio_bench *bench, const char *text)
{
    fake_model_reply(&bench->services.model, text);
}

static void draws_with(struct studio_bench *bench, const char *tool)
{
    bench->services.settings.studio_image_tool = tool;
}

static void shows_the_text_and_never_the_json(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("A cat in a hat! Which kind?", "", "false"));

    assert_int_equal(studio_bench_turn(bench, "a cat in a hat"), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_string_equal(bench->result.text, "A cat in a hat! Which kind?");
    assert_non_null(strstr(studio_bench_shown(bench), "A cat in a hat! Which kind?"));
    assert_null(strstr(studio_bench_shown(bench), "---"));
    assert_null(strstr(studio_bench_shown(bench), "{"));
    assert_int_equal(bench->result.attempts, 1);
}

static void the_prompt_is_the_one_of_the_metadata(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Done.", "a tabby cat, \\\"wizard\\\" hat", "false"));

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    const json_t *update = studio_bench_event(bench, EVENT_PROMPT_UPDATE, 0);
    assert_string_equal(bench->result.state.image.prompt, "a tabby cat, \"wizard\" hat");
    assert_string_equal(json_get_string(update, "prompt"), "a tabby cat, \"wizard\" hat");
    assert_string_equal(json_get_string(update, "by"), "model");
    assert_string_equal(studio_bench_state(bench).image.prompt, "a tabby cat, \"wizard\" hat");
}

static void question_and_answer_are_stored_together_with_what_they_mean(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Here it is.", "a red cat", "false"));

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    struct conversation *stored = studio_bench_stored(bench);
    assert_string_equal(bench->session_id, STUDIO_BENCH_SESSION);
    assert_int_equal(stored->n_messages, 2);
    assert_int_equal(stored->messages[0].role, MESSAGE_USER);
    assert_string_equal(stored->messages[0].content, "a cat");
    assert_int_equal(stored->messages[1].role, MESSAGE_ASSISTANT);
    assert_string_equal(stored->messages[1].content, "Here it is.");
    const json_t *mark = json_object_get(stored->messages[1].metadata, STUDIO_METADATA_KEY);
    assert_string_equal(json_get_string(mark, "raw"),
                        STUDIO_REPLY("Here it is.", "a red cat", "false"));
    assert_string_equal(json_get_string(json_object_get(mark, "image"), "prompt"), "a red cat");
}

static void a_turn_ends_with_one_event_done(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Here it is.", "a red cat", "false"));

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    const json_t *done = studio_bench_event(bench, EVENT_DONE, 0);
    assert_string_equal(json_get_string(json_object_get(done, "text"), "text"), "Here it is.");
    assert_string_equal(json_get_string(done, "prompt"), "a red cat");
    assert_true(json_is_false(json_object_get(done, "generate_image")));
    assert_int_equal(json_get_int(json_object_get(done, "settings"), "steps", 0), 4);
    assert_int_equal(json_object_size(json_object_get(done, "settings")), 3);
    assert_int_equal(fake_services_count(&bench->services, EVENT_DONE), 1);
    assert_int_equal(fake_services_count(&bench->services, EVENT_ERROR), 0);
}

static void the_run_is_one_of_the_kind_studio(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Here it is.", "a red cat", "false"));

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->services.runs.n_runs, 1);
    assert_string_equal(bench->services.runs.runs[0].kind, "studio");
    assert_string_equal(bench->services.runs.runs[0].session_id, STUDIO_BENCH_SESSION);
    assert_int_equal(bench->services.runs.runs[0].status, RUN_COMPLETED);
}

static void later_requests_show_the_answer_as_it_came(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Which kind?", "", "false"));
    reply(bench, STUDIO_REPLY("Done.", "a tabby cat", "false"));

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);
    assert_int_equal(studio_bench_turn(bench, "a tabby"), ERR_NONE);

    const char *asked = studio_bench_asked(bench, 1);
    assert_non_null(strstr(asked, STUDIO_REPLY("Which kind?", "", "false")));
    assert_string_equal(bench->result.state.image.prompt, "a tabby cat");
}

static void the_conversation_goes_on_in_another_process(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Done.", "a tabby cat", "false"));
    reply(bench, STUDIO_REPLY("Bigger.", "a big tabby cat", "false"));
    assert_int_equal(studio_bench_turn(bench, "a tabby"), ERR_NONE);
    studio_chat_destroy(bench->chat);
    bench->chat = studio_chat_create(&bench->services.base);

    assert_int_equal(studio_bench_turn(bench, "bigger"), ERR_NONE);

    const char *asked = studio_bench_asked(bench, 1);
    assert_non_null(strstr(asked, "a tabby"));
    assert_non_null(strstr(asked, "[current prompt: \"a tabby cat\"]"));
}

static void an_empty_prompt_takes_nothing_away(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Done.", "a tabby cat", "false"));
    reply(bench, STUDIO_REPLY("What colour?", "", "false"));
    assert_int_equal(studio_bench_turn(bench, "a tabby"), ERR_NONE);

    assert_int_equal(studio_bench_turn(bench, "another colour"), ERR_NONE);

    assert_string_equal(bench->result.state.image.prompt, "a tabby cat");
    assert_int_equal(fake_services_count(&bench->services, EVENT_PROMPT_UPDATE), 1);
    assert_int_equal(fake_services_count(&bench->services, EVENT_SETTINGS_UPDATE), 2);
}

static void an_edit_is_told_once_and_kept_over_the_turns(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Done.", "a cat", "false"));
    reply(bench, STUDIO_REPLY("A dog then. Where?", "", "false"));
    reply(bench, STUDIO_REPLY("On the moon.", "a dog on the moon", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);
    assert_int_equal(studio_bench_edit(bench, "a dog"), ERR_NONE);
    assert_true(studio_bench_state(bench).edited);

    assert_int_equal(studio_bench_turn(bench, "refine it"), ERR_NONE);
    assert_string_equal(bench->result.state.image.prompt, "a dog");
    assert_false(bench->result.state.edited);
    assert_int_equal(studio_bench_turn(bench, "on the moon"), ERR_NONE);

    const char *second = studio_bench_asked(bench, 1), *third = studio_bench_asked(bench, 2);
    assert_non_null(strstr(second, "[user edited prompt to: \"a dog\"]\nrefine it"));
    assert_non_null(strstr(second, "[current prompt: \"a dog\"]"));
    assert_non_null(strstr(third, "[user edited prompt to: \"a dog\"]\nrefine it"));
    assert_null(strstr(third, "\"a dog\"]\non the moon"));
    assert_string_equal(bench->result.state.image.prompt, "a dog on the moon");
}

static void a_value_out_of_range_is_brought_back_and_said(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, "Finer!\n---\n{\"prompt\": \"a cat\", \"generate_image\": false, \"steps\": 150, "
                 "\"cfg\": 1.0, \"seed\": -1}");
    reply(bench, STUDIO_REPLY("Fine.", "a cat", "false"));

    assert_int_equal(studio_bench_turn(bench, "finer"), ERR_NONE);

    const json_t *update = studio_bench_event(bench, EVENT_SETTINGS_UPDATE, 0);
    assert_string_equal(bench->result.adjusted,
                        "Settings adjusted: steps 150→100 (maximum is 100)");
    assert_int_equal(bench->result.state.image.steps, 100);
    assert_string_equal(json_get_string(update, "text"), bench->result.adjusted);
    assert_int_equal(json_get_int(json_object_get(update, "settings"), "steps", 0), 100);
    assert_int_equal(bench->result.attempts, 1);
    assert_int_equal(studio_bench_turn(bench, "and now?"), ERR_NONE);
    assert_null(bench->result.adjusted);
    assert_null(strstr(studio_bench_asked(bench, 1), "150"));
}

static void members_nobody_knows_are_tolerated(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, "Ready.\n---\n{\"prompt\": \"a cat\", \"ready\": true, \"generate_image\": false, "
                 "\"steps\": 4, \"cfg\": 1, \"seed\": -1}");

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_int_equal(bench->result.attempts, 1);
}

static void makes_the_image_by_itself_when_the_model_says_so(void **state)
{
    struct studio_bench *bench = *state;
    draws_with(bench, "art/draw");
    reply(bench, STUDIO_REPLY("Generating.", "a red cat", "true"));
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "draw", .text = "out/1.png" });

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->server->n_calls, 1);
    assert_string_equal(bench->server->calls[0].arguments,
                        "{\"prompt\":\"a red cat\",\"steps\":4}");
    assert_string_equal(bench->result.image, "out/1.png");
    assert_int_equal(fake_services_count(&bench->services, EVENT_IMAGE_READY), 1);
}

static void only_updates_the_prompt_when_the_model_does_not(void **state)
{
    struct studio_bench *bench = *state;
    draws_with(bench, "art/draw");
    reply(bench, STUDIO_REPLY("Like this?", "a red cat", "false"));

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->server->n_calls, 0);
    assert_null(bench->result.not_generated);
    assert_int_equal(fake_services_count(&bench->services, EVENT_GENERATION_STARTED), 0);
}

static void makes_nothing_of_an_empty_prompt(void **state)
{
    struct studio_bench *bench = *state;
    draws_with(bench, "art/draw");
    reply(bench, STUDIO_REPLY("Generating.", "", "true"));

    assert_int_equal(studio_bench_turn(bench, "go"), ERR_NONE);

    assert_int_equal(bench->server->n_calls, 0);
    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_non_null(strstr(bench->result.not_generated, "no prompt"));
}

static void makes_the_image_of_the_person_s_own_prompt(void **state)
{
    struct studio_bench *bench = *state;
    draws_with(bench, "art/draw");
    reply(bench, STUDIO_REPLY("As you wrote it.", "", "true"));
    assert_int_equal(studio_bench_edit(bench, "a dog"), ERR_NONE);

    assert_int_equal(studio_bench_turn(bench, "draw it"), ERR_NONE);

    assert_string_equal(bench->server->calls[0].arguments, "{\"prompt\":\"a dog\",\"steps\":4}");
}

static void without_a_tool_the_answer_stands_and_says_so_once(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Generating.", "a red cat", "true"));

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_non_null(strstr(bench->result.not_generated, "studio.image_tool"));
    assert_int_equal(bench->result.err.code, ERR_NONE);
    assert_int_equal(fake_services_count(&bench->services, EVENT_GENERATION_STARTED), 0);
    assert_int_equal(bench->services.runs.runs[0].status, RUN_COMPLETED);
}

static void a_tool_that_fails_leaves_the_answer_as_it_is(void **state)
{
    struct studio_bench *bench = *state;
    draws_with(bench, "art/draw");
    reply(bench, STUDIO_REPLY("Generating.", "a red cat", "true"));
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "draw", .text = "no paint", .is_error = true });

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_int_equal(bench->result.err.code, ERR_FAILED);
    assert_string_equal(bench->result.not_generated, "art/draw: no paint");
    assert_int_equal(studio_bench_stored(bench)->n_messages, 2);
    assert_string_equal(studio_bench_state(bench).image.prompt, "a red cat");
    assert_int_equal(bench->services.runs.runs[0].status, RUN_FAILED);
}

static void nobody_there_to_allow_it_costs_the_image_and_nothing_else(void **state)
{
    struct studio_bench *bench = *state;
    draws_with(bench, "art/draw");
    bench->services.base.approve_all = false;
    reply(bench, STUDIO_REPLY("Generating.", "a red cat", "true"));

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_int_equal(bench->result.err.code, ERR_DENIED);
    assert_int_equal(bench->server->n_calls, 0);
    assert_string_equal(studio_bench_state(bench).image.prompt, "a red cat");
    assert_int_equal(bench->services.runs.runs[0].status, RUN_REFUSED);
}

static void cancelling_the_image_keeps_the_answer(void **state)
{
    struct studio_bench *bench = *state;
    draws_with(bench, "art/draw");
    reply(bench, STUDIO_REPLY("Generating.", "a red cat", "true"));
    bench->server->delay_ms = 1000;
    bench->runtime.cancel_scope = &bench->scope;
    bench->runtime.cancel_at_ms = 500;

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    bench->scope.cancelled = false;
    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_int_equal(bench->result.err.code, ERR_CANCELLED);
    assert_int_equal(studio_bench_stored(bench)->n_messages, 2);
    assert_int_equal(bench->services.runs.runs[0].status, RUN_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, studio_bench_set_up, studio_bench_tear_down)
        TEST(shows_the_text_and_never_the_json),
        TEST(the_prompt_is_the_one_of_the_metadata),
        TEST(question_and_answer_are_stored_together_with_what_they_mean),
        TEST(a_turn_ends_with_one_event_done),
        TEST(the_run_is_one_of_the_kind_studio),
        TEST(later_requests_show_the_answer_as_it_came),
        TEST(the_conversation_goes_on_in_another_process),
        TEST(an_empty_prompt_takes_nothing_away),
        TEST(an_edit_is_told_once_and_kept_over_the_turns),
        TEST(a_value_out_of_range_is_brought_back_and_said),
        TEST(members_nobody_knows_are_tolerated),
        TEST(makes_the_image_by_itself_when_the_model_says_so),
        TEST(only_updates_the_prompt_when_the_model_does_not),
        TEST(makes_nothing_of_an_empty_prompt),
        TEST(makes_the_image_of_the_person_s_own_prompt),
        TEST(without_a_tool_the_answer_stands_and_says_so_once),
        TEST(a_tool_that_fails_leaves_the_answer_as_it_is),
        TEST(nobody_there_to_allow_it_costs_the_image_and_nothing_else),
        TEST(cancelling_the_image_keeps_the_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
