/* The use case around a turn: bounds, sessions, edits, no model. */
#include "application/studio/studio_prompt.h"
#include "application/use_cases/sessions.h"
#include "application/use_cases/studio_chat.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/studio_bench.h"
#include <string.h>

static void reply(struct studio_bench *bench, const char *text)
{
    fake_model_reply(&bench->services.model, text);
}

static const char *letters(struct studio_bench *bench, size_t n)
{
    char *text = arena_alloc(&bench->arena, n + 1);
    memset(text, 'a', n);
    return text;
}

static enum err_code turn_without_session(struct studio_bench *bench, const char *message)
{
    const struct studio_request request = { .message = message, .no_session = true };
    return studio_chat_turn(bench->chat, &bench->scope, &bench->arena, &request, &bench->session_id,
                            &bench->result, &bench->err);
}

static void a_message_is_bounded_by_its_setting(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.settings.studio_max_message_bytes = 64;
    reply(bench, STUDIO_REPLY("Long.", "", "false"));

    assert_int_equal(studio_bench_turn(bench, letters(bench, 64)), ERR_NONE);
    assert_int_equal(studio_bench_turn(bench, letters(bench, 65)), ERR_LIMIT);

    assert_string_equal(bench->err.message, "the message has 65 bytes, at most 64 are allowed");
    assert_int_equal(bench->services.model.n_requests, 1);
}

static void refuses_messages_that_are_none(void **state)
{
    struct studio_bench *bench = *state;

    assert_int_equal(studio_bench_turn(bench, ""), ERR_INVALID);
    assert_int_equal(studio_bench_turn(bench, " \n\t"), ERR_INVALID);
    assert_string_not_equal(bench->err.hint, "");
    assert_int_equal(studio_bench_turn(bench, "cat \xff"), ERR_INVALID);

    assert_int_equal(bench->services.runs.n_runs, 0);
}

static void refuses_a_session_id_that_could_be_a_path(void **state)
{
    struct studio_bench *bench = *state;
    const struct studio_request request = { .message = "a cat", .session_id = "../x" };

    enum err_code r = studio_chat_turn(bench->chat, &bench->scope, &bench->arena, &request,
                                       &bench->session_id, &bench->result, &bench->err);

    assert_int_equal(r, ERR_INVALID);
}

static void without_an_id_a_new_session_begins(void **state)
{
    struct studio_bench *bench = *state;
    const struct studio_request request = { .message = "a cat" };
    struct conversation *stored = NULL;
    reply(bench, STUDIO_REPLY("Which?", "", "false"));

    assert_int_equal(studio_chat_turn(bench->chat, &bench->scope, &bench->arena, &request,
                                      &bench->session_id, &bench->result, &bench->err),
                     ERR_NONE);

    assert_int_equal(show_session(&bench->services.base, &bench->scope, &bench->arena,
                                  bench->session_id, &stored, &bench->err),
                     ERR_NONE);
    assert_int_equal(stored->n_messages, 2);
}

static void without_a_session_the_talk_lives_as_long_as_the_chat(void **state)
{
    struct studio_bench *bench = *state;
    struct studio_state left = { 0 };
    reply(bench, STUDIO_REPLY("Which?", "", "false"));
    reply(bench, STUDIO_REPLY("Done.", "a tabby", "false"));

    assert_int_equal(turn_without_session(bench, "a cat"), ERR_NONE);
    assert_int_equal(turn_without_session(bench, "a tabby"), ERR_NONE);

    assert_null(bench->session_id);
    assert_int_equal(bench->services.conversations.n_saves, 0);
    assert_non_null(strstr(studio_bench_asked(bench, 1), "Which?"));
    assert_int_equal(
        studio_chat_state(bench->chat, &bench->scope, &bench->arena, NULL, &left, &bench->err),
        ERR_NONE);
    assert_string_equal(left.image.prompt, "a tabby");
}

static void without_a_session_only_what_can_be_seen_is_kept(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.settings.studio_history_messages = 2;
    reply(bench, STUDIO_REPLY("One.", "", "false"));
    reply(bench, STUDIO_REPLY("Two.", "", "false"));
    reply(bench, STUDIO_REPLY("Three.", "", "false"));
    assert_int_equal(turn_without_session(bench, "first"), ERR_NONE);
    assert_int_equal(turn_without_session(bench, "second"), ERR_NONE);
    bench->services.settings.studio_history_messages = 100;

    assert_int_equal(turn_without_session(bench, "third"), ERR_NONE);

    assert_null(strstr(studio_bench_asked(bench, 2), "first"));
    assert_non_null(strstr(studio_bench_asked(bench, 2), "second"));
}

static void without_a_session_the_talk_can_be_forgotten(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Done.", "a tabby", "false"));
    reply(bench, STUDIO_REPLY("Hello.", "", "false"));
    assert_int_equal(turn_without_session(bench, "a cat"), ERR_NONE);

    studio_chat_forget(bench->chat);
    assert_int_equal(turn_without_session(bench, "hello"), ERR_NONE);

    assert_string_equal(studio_bench_asked(bench, 1),
                        "The person:\nhello\n\n[current prompt: \"\"]");
}

static void without_a_session_a_prompt_can_be_edited_as_well(void **state)
{
    struct studio_bench *bench = *state;
    const struct studio_request edit = { .message = "a dog", .no_session = true };
    struct studio_state left = { 0 };
    reply(bench, STUDIO_REPLY("Fine.", "", "false"));

    assert_int_equal(studio_chat_edit_prompt(bench->chat, &bench->scope, &bench->arena, &edit,
                                             &bench->session_id, &left, &bench->err),
                     ERR_NONE);
    assert_int_equal(turn_without_session(bench, "go on"), ERR_NONE);

    assert_true(left.edited);
    assert_null(bench->session_id);
    assert_non_null(
        strstr(studio_bench_asked(bench, 0), "[user edited prompt to: \"a dog\"]\ngo on"));
}

static void the_live_context_is_bounded_by_its_setting(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.settings.studio_history_messages = 2;
    reply(bench, STUDIO_REPLY("One.", "", "false"));
    reply(bench, STUDIO_REPLY("Two.", "", "false"));
    reply(bench, STUDIO_REPLY("Three.", "", "false"));

    assert_int_equal(studio_bench_turn(bench, "first"), ERR_NONE);
    assert_int_equal(studio_bench_turn(bench, "second"), ERR_NONE);
    assert_int_equal(studio_bench_turn(bench, "third"), ERR_NONE);

    assert_non_null(strstr(studio_bench_asked(bench, 1), "first"));
    assert_null(strstr(studio_bench_asked(bench, 2), "first"));
    assert_non_null(strstr(studio_bench_asked(bench, 2), "second"));
    assert_int_equal(studio_bench_stored(bench)->n_messages, 6);
}

static void clearing_the_session_clears_the_context_and_not_the_prompt(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Done.", "a tabby", "false"));
    reply(bench, STUDIO_REPLY("Hello.", "", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(
        clear_session(&bench->services.base, &bench->scope, STUDIO_BENCH_SESSION, &bench->err),
        ERR_NONE);
    assert_int_equal(studio_bench_turn(bench, "hello"), ERR_NONE);

    assert_string_equal(studio_bench_asked(bench, 1),
                        "The person:\nhello\n\n[current prompt: \"a tabby\"]");
}

static void without_a_model_there_is_no_studio(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.choice = MODEL_CHOICE_LEXICAL;

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_UNAVAILABLE);

    const json_t *error = studio_bench_event(bench, EVENT_ERROR, 0);
    assert_non_null(strstr(bench->err.hint, "ollama pull mistral:7b"));
    assert_string_equal(json_get_string(error, "text"), bench->err.message);
    assert_null(studio_bench_stored(bench));
}

static void an_endpoint_without_the_model_is_unavailable(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.model.check_fails = ERR_NOT_FOUND;

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_UNAVAILABLE);

    assert_int_equal(bench->services.model.n_requests, 0);
}

static void a_contract_that_is_broken_is_an_error_and_no_answer(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.assets.override_path = "data/schemas/image_chat.schema.json";
    bench->services.assets.override_text = "{";

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_INVALID);

    assert_int_equal(bench->services.model.n_requests, 0);
    assert_int_equal(fake_services_count(&bench->services, EVENT_ERROR), 1);
}

static void where_texts_are_not_stored_the_log_has_no_word_of_the_talk(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.settings.runs_store_text = false;
    bench->services.settings.studio_image_tool = "art/draw";
    fake_tool_server_reply(bench->server,
                           (struct fake_tool_reply){ .tool = "draw", .text = "secret.png" });
    reply(bench, STUDIO_REPLY("A secret!", "a secret cat", "true"));
    for (int i = 0; i < 4; i++)
        reply(bench, "a secret and no JSON");

    assert_int_equal(studio_bench_edit(bench, "my secret"), ERR_NONE);
    assert_int_equal(studio_bench_turn(bench, "a secret"), ERR_NONE);
    assert_string_equal(bench->result.image, "secret.png");
    assert_int_equal(studio_bench_turn(bench, "another secret"), ERR_NONE);
    assert_int_equal(bench->result.end, STUDIO_RESET);

    for (size_t i = 0; i < bench->services.runs.n_events; i++) {
        const char *data = json_print_in(&bench->arena, bench->services.runs.events[i].data);
        if (strstr(data, "secret"))
            fail_msg("%s: %s", event_kind_name(bench->services.runs.events[i].kind), data);
    }
}

static void an_edit_begins_a_session_and_is_told(void **state)
{
    struct studio_bench *bench = *state;

    assert_int_equal(studio_bench_edit(bench, "a dog"), ERR_NONE);

    const json_t *update = studio_bench_event(bench, EVENT_PROMPT_UPDATE, 0);
    assert_string_equal(bench->session_id, STUDIO_BENCH_SESSION);
    assert_string_equal(json_get_string(update, "prompt"), "a dog");
    assert_string_equal(json_get_string(update, "by"), "user");
    assert_string_equal(studio_bench_state(bench).image.prompt, "a dog");
}

static void an_edit_keeps_the_settings(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, "Fine.\n---\n{\"prompt\": \"a cat\", \"generate_image\": false, \"steps\": 30, "
                 "\"cfg\": 7.5, \"seed\": 42}");
    assert_int_equal(studio_bench_turn(bench, "finer"), ERR_NONE);

    assert_int_equal(studio_bench_edit(bench, "a dog"), ERR_NONE);

    struct studio_state left = studio_bench_state(bench);
    assert_string_equal(left.image.prompt, "a dog");
    assert_int_equal(left.image.steps, 30);
    assert_int_equal(left.image.seed, 42);
}

static void an_edited_prompt_is_bounded(void **state)
{
    struct studio_bench *bench = *state;

    assert_int_equal(studio_bench_edit(bench, letters(bench, IMAGE_PROMPT_MAX_BYTES)), ERR_NONE);
    assert_int_equal(studio_bench_edit(bench, letters(bench, IMAGE_PROMPT_MAX_BYTES + 1)),
                     ERR_LIMIT);
    assert_int_equal(studio_bench_edit(bench, "\xff"), ERR_INVALID);

    assert_int_equal(strlen(studio_bench_state(bench).image.prompt), IMAGE_PROMPT_MAX_BYTES);
}

static void an_edit_that_cannot_be_stored_is_an_error(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.conversations.next_save = ERR_UNAVAILABLE;

    assert_int_equal(studio_bench_edit(bench, "a dog"), ERR_UNAVAILABLE);

    assert_int_equal(fake_services_count(&bench->services, EVENT_PROMPT_UPDATE), 0);
    assert_int_equal(fake_services_count(&bench->services, EVENT_ERROR), 1);
}

static void an_answer_that_cannot_be_stored_is_shown_and_fails(void **state)
{
    struct studio_bench *bench = *state;
    bench->services.conversations.next_save = ERR_UNAVAILABLE;
    reply(bench, STUDIO_REPLY("Which?", "", "false"));

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_string_equal(bench->result.text, "Which?");
    assert_int_equal(bench->result.not_saved.code, ERR_UNAVAILABLE);
    assert_non_null(strstr(json_get_string(studio_bench_event(bench, EVENT_ERROR, 0), "text"),
                           "was not saved"));
    assert_string_equal(json_get_string(studio_bench_event(bench, EVENT_RUN_FINISHED, 0), "status"),
                        "failed");
}

/* Another process, which changes the prompt as soon as the turn has loaded the session. */
struct neighbour {
    struct observer base;
    struct studio_bench *bench;
    struct studio_state leaves;
};

static void meddle(struct observer *observer, const struct event *event)
{
    struct neighbour *neighbour = (struct neighbour *)observer;
    struct studio_bench *bench = neighbour->bench;
    if (event->kind != EVENT_RUN_STARTED)
        return;
    struct conversation *stored = studio_bench_stored(bench);
    int64_t version_ms = stored->updated_at_ms;
    studio_state_store(stored, &neighbour->leaves);
    conversation_add(&bench->arena, stored, MESSAGE_USER, "theirs", NULL, version_ms + 1);
    assert_int_equal(conversation_repository_save(bench->services.conversations_port, &bench->scope,
                                                  stored, version_ms, NULL),
                     ERR_NONE);
}

static void turn_beside_neighbour(struct studio_bench *bench, const char *message, bool edited)
{
    static const struct observer_ops ops = { meddle };
    struct neighbour neighbour = {
        .base = { &ops },
        .bench = bench,
        .leaves = { .image = image_prompt_default(), .edited = edited },
    };
    neighbour.leaves.image.prompt = "a dog";
    bench->services.base.observer = &neighbour.base;
    assert_int_equal(studio_bench_turn(bench, message), ERR_NONE);
    bench->services.base.observer = &bench->screen.base;
}

static void the_second_of_two_who_change_the_prompt_is_told(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Fine.", "a cat", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);
    reply(bench, STUDIO_REPLY("Wet.", "a cat in the rain", "false"));

    turn_beside_neighbour(bench, "rain", false);

    assert_int_equal(bench->result.not_saved.code, ERR_UNAVAILABLE);
    assert_non_null(strstr(bench->result.not_saved.message, "its prompt was changed meanwhile"));
    assert_string_equal(studio_bench_state(bench).image.prompt, "a dog");
}

static void a_prompt_changed_meanwhile_stays_behind_a_turn_that_leaves_it(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Fine.", "a cat", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);
    reply(bench, STUDIO_REPLY("Nice.", "a cat", "false"));

    turn_beside_neighbour(bench, "nice", false);

    assert_int_equal(bench->result.not_saved.code, ERR_NONE);
    assert_string_equal(studio_bench_state(bench).image.prompt, "a dog");
}

static void an_edit_made_meanwhile_is_the_newest_word(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("Fine.", "a cat", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);
    reply(bench, STUDIO_REPLY("Wet.", "a cat in the rain", "false"));

    turn_beside_neighbour(bench, "rain", true);

    assert_int_equal(bench->result.not_saved.code, ERR_NONE);
    assert_string_equal(studio_bench_state(bench).image.prompt, "a dog");
}

static void a_session_nobody_knows_has_the_default_state(void **state)
{
    struct studio_bench *bench = *state;

    struct studio_state left = studio_bench_state(bench);

    struct image_prompt fresh = image_prompt_default();
    assert_string_equal(left.image.prompt, "");
    assert_true(image_prompt_same_settings(&left.image, &fresh));
    assert_false(left.edited);
}

static void a_state_that_was_tampered_with_is_brought_into_range(void **state)
{
    struct studio_bench *bench = *state;
    struct conversation *conversation = conversation_create(&bench->arena, "x", 1);
    json_object_set_new(conversation->context, STUDIO_CONTEXT_KEY,
                        json_pack("{s:{s:i, s:s}, s:s}", "image", "steps", 5000, "prompt", "a cat",
                                  "edited", "yes"));

    struct studio_state left = studio_state_of(&bench->arena, conversation);

    assert_int_equal(left.image.steps, 100);
    assert_string_equal(left.image.prompt, "a cat");
    assert_false(left.edited);
}

/* A model that only remembers what it was warmed with. */
struct warm_model {
    struct model base;
    const char *system;
    unsigned n;
};

static enum err_code remember(struct model *model, struct scope *scope, const char *system,
                              struct err *err)
{
    (void)scope;
    struct warm_model *warm = (struct warm_model *)model;
    warm->n++;
    warm->system = strstr(system, "ALWAYS include the delimiter") ? "studio" : "other";
    return err_set(err, ERR_UNAVAILABLE, 0, "not now");
}

static void warming_evaluates_the_static_text_and_its_failure_is_no_news(void **state)
{
    struct studio_bench *bench = *state;
    static const struct model_ops ops = { .warm = remember };
    struct warm_model warm = { .base = { &ops } };
    bench->services.model_port = &warm.base;

    studio_chat_warm(bench->chat, &bench->scope);

    assert_int_equal(warm.n, 1);
    assert_string_equal(warm.system, "studio");
    assert_int_equal(bench->services.runs.n_runs, 0);
}

static void nothing_is_warmed_that_is_not_wanted_or_not_there(void **state)
{
    struct studio_bench *bench = *state;
    static const struct model_ops ops = { .warm = remember };
    struct warm_model warm = { .base = { &ops } };
    bench->services.model_port = &warm.base;

    bench->services.settings.model_warm_up = false;
    studio_chat_warm(bench->chat, &bench->scope);
    bench->services.settings.model_warm_up = true;
    bench->services.choice = MODEL_CHOICE_LEXICAL;
    studio_chat_warm(bench->chat, &bench->scope);

    assert_int_equal(warm.n, 0);
}

static void destroying_no_chat_is_fine(void **state)
{
    (void)state;
    studio_chat_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, studio_bench_set_up, studio_bench_tear_down)
        TEST(a_message_is_bounded_by_its_setting),
        TEST(refuses_messages_that_are_none),
        TEST(refuses_a_session_id_that_could_be_a_path),
        TEST(without_an_id_a_new_session_begins),
        TEST(without_a_session_the_talk_lives_as_long_as_the_chat),
        TEST(without_a_session_only_what_can_be_seen_is_kept),
        TEST(without_a_session_the_talk_can_be_forgotten),
        TEST(without_a_session_a_prompt_can_be_edited_as_well),
        TEST(the_live_context_is_bounded_by_its_setting),
        TEST(clearing_the_session_clears_the_context_and_not_the_prompt),
        TEST(without_a_model_there_is_no_studio),
        TEST(an_endpoint_without_the_model_is_unavailable),
        TEST(a_contract_that_is_broken_is_an_error_and_no_answer),
        TEST(where_texts_are_not_stored_the_log_has_no_word_of_the_talk),
        TEST(an_edit_begins_a_session_and_is_told),
        TEST(an_edit_keeps_the_settings),
        TEST(an_edited_prompt_is_bounded),
        TEST(an_edit_that_cannot_be_stored_is_an_error),
        TEST(an_answer_that_cannot_be_stored_is_shown_and_fails),
        TEST(the_second_of_two_who_change_the_prompt_is_told),
        TEST(a_prompt_changed_meanwhile_stays_behind_a_turn_that_leaves_it),
        TEST(an_edit_made_meanwhile_is_the_newest_word),
        TEST(a_session_nobody_knows_has_the_default_state),
        TEST(a_state_that_was_tampered_with_is_brought_into_range),
        TEST(warming_evaluates_the_static_text_and_its_failure_is_no_news),
        TEST(nothing_is_warmed_that_is_not_wanted_or_not_there),
        TEST(destroying_no_chat_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
