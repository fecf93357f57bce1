/* A session that somebody else changes while a turn of it runs. */
#include "application/use_cases/stored_conversation.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/studio_bench.h"
#include <string.h>

static void reply(struct studio_bench *bench, const char *text)
{
    fake_model_reply(&bench->services.model, text);
}

/* Somebody else, who changes the session while the model answers. */
struct neighbour {
    struct observer base;
    struct studio_bench *bench;
    const char *prompt; /* what they edit the prompt to; NULL: they say something */
    enum err_code code;
    bool was_there;
};

static enum err_code edit_from_elsewhere(struct studio_bench *bench, const char *prompt)
{
    struct studio_state left;
    const char *id;
    const struct studio_request edit = { .message = prompt, .session_id = STUDIO_BENCH_SESSION };
    struct studio_chat *chat = studio_chat_create(&bench->services.base);
    enum err_code r =
        studio_chat_edit_prompt(chat, &bench->scope, &bench->arena, &edit, &id, &left, NULL);
    studio_chat_destroy(chat);
    return r;
}

static enum err_code say_from_elsewhere(struct studio_bench *bench, const char *text)
{
    struct conversation_repository *store = bench->services.conversations_port;
    struct conversation *c = NULL;
    enum err_code r = conversation_repository_get_recent(store, &bench->scope, STUDIO_BENCH_SESSION,
                                                         1, &bench->arena, &c, NULL);
    if (r)
        return r;
    int64_t version_ms = c->updated_at_ms;
    size_t n = c->n_messages;
    conversation_add(&bench->arena, c, MESSAGE_USER, text, NULL, 9);
    return conversation_repository_append(store, &bench->scope, c, n, version_ms, NULL);
}

static void meddle(struct observer *observer, const struct event *event)
{
    struct neighbour *neighbour = (struct neighbour *)observer;
    struct studio_bench *bench = neighbour->bench;
    if (event->kind != EVENT_PROMPT_SENT || neighbour->was_there)
        return;
    neighbour->was_there = true;
    neighbour->code = neighbour->prompt ? edit_from_elsewhere(bench, neighbour->prompt)
                                        : say_from_elsewhere(bench, "me too");
}

static enum err_code turn_with_neighbour(struct studio_bench *bench, const char *message,
                                         const char *prompt)
{
    static const struct observer_ops ops = { meddle };
    struct neighbour neighbour = { .base = { &ops }, .bench = bench, .prompt = prompt };
    bench->services.base.observer = &neighbour.base;
    enum err_code r = studio_bench_turn(bench, message);
    bench->services.base.observer = NULL;
    assert_true(neighbour.was_there);
    assert_int_equal(neighbour.code, ERR_NONE);
    return r;
}

static void an_edit_made_while_the_model_answers_is_the_newest_word(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("One.", "a cat", "false"));
    reply(bench, STUDIO_REPLY("Two.", "a bigger cat", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(turn_with_neighbour(bench, "bigger", "a dog"), ERR_NONE);

    assert_string_equal(studio_bench_state(bench).image.prompt, "a dog");
    assert_true(studio_bench_state(bench).edited);
    assert_int_equal(studio_bench_stored(bench)->n_messages, 4);
}

static void what_others_said_meanwhile_stays_before_the_turn(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("One.", "a cat", "false"));
    reply(bench, STUDIO_REPLY("Two.", "a bigger cat", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(turn_with_neighbour(bench, "bigger", NULL), ERR_NONE);

    struct conversation *stored = studio_bench_stored(bench);
    assert_int_equal(stored->n_messages, 5);
    assert_string_equal(stored->messages[2].content, "me too");
    assert_string_equal(stored->messages[4].content, "Two.");
    assert_string_equal(studio_bench_state(bench).image.prompt, "a bigger cat");
}

static void a_fresh_start_is_behind_what_others_said_meanwhile(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("One.", "a cat", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);
    for (int i = 0; i < 4; i++)
        reply(bench, "No JSON.");

    assert_int_equal(turn_with_neighbour(bench, "bigger", NULL), ERR_NONE);

    struct conversation *stored = studio_bench_stored(bench);
    assert_int_equal(bench->result.end, STUDIO_RESET);
    assert_int_equal(stored->n_messages, 5);
    assert_int_equal(conversation_live_start(stored), 5);
}

static void a_turn_of_a_session_that_was_removed_meanwhile_is_not_saved(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("One.", "a cat", "false"));
    bench->services.conversations.next_save = ERR_MISMATCH;

    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);

    assert_int_equal(bench->result.end, STUDIO_ANSWERED);
    assert_int_equal(bench->result.not_saved.code, ERR_UNAVAILABLE);
    assert_null(studio_bench_stored(bench));
}

static void gives_up_when_others_never_stop_writing(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("One.", "a cat", "false"));
    reply(bench, STUDIO_REPLY("Two.", "a bigger cat", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);
    bench->services.conversations.next_save = ERR_MISMATCH;
    bench->services.conversations.more_refusals = STORED_CONVERSATION_SAVES - 1;

    assert_int_equal(studio_bench_turn(bench, "bigger"), ERR_NONE);

    assert_int_equal(bench->result.not_saved.code, ERR_UNAVAILABLE);
    assert_int_equal(studio_bench_stored(bench)->n_messages, 2);
}

static void does_not_give_up_one_attempt_earlier(void **state)
{
    struct studio_bench *bench = *state;
    reply(bench, STUDIO_REPLY("One.", "a cat", "false"));
    reply(bench, STUDIO_REPLY("Two.", "a bigger cat", "false"));
    assert_int_equal(studio_bench_turn(bench, "a cat"), ERR_NONE);
    bench->services.conversations.next_save = ERR_MISMATCH;
    bench->services.conversations.more_refusals = STORED_CONVERSATION_SAVES - 2;

    assert_int_equal(studio_bench_turn(bench, "bigger"), ERR_NONE);

    assert_int_equal(bench->result.not_saved.code, ERR_NONE);
    assert_int_equal(studio_bench_stored(bench)->n_messages, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, studio_bench_set_up, studio_bench_tear_down)
        TEST(an_edit_made_while_the_model_answers_is_the_newest_word),
        TEST(what_others_said_meanwhile_stays_before_the_turn),
        TEST(a_fresh_start_is_behind_what_others_said_meanwhile),
        TEST(a_turn_of_a_session_that_was_removed_meanwhile_is_not_saved),
        TEST(gives_up_when_others_never_stop_writing),
        TEST(does_not_give_up_one_attempt_earlier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
