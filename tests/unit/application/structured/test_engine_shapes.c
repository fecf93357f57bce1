
#include "application/structured/stream_watch.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/engine_fixture.h"
#include <string.h>

#define CHAT_SCHEMA                                                                                \
    "{\"type\":\"object\",\"required\":[\"prompt\",\"steps\"],\"properties\":{\"prompt\":"         \
    "{\"type\":\"string\"},\"steps\":{\"type\":\"integer\"}}}"
#define OBJECT "{\"prompt\":\"a cat\",\"steps\":4}"
#define GOOD "Here it is.\n---\n" OBJECT

static void chat_init(struct engine_fixture *f)
{
    static const char *const wishes[] = { "a cat", "make it blue" };
    engine_fixture_init(f);
    engine_fixture_shape(f, CONTRACT_TEXT_AND_OBJECT, CHAT_SCHEMA, GOOD);
    f->contract.profile = CONTRACT_PROFILE_CONVERSE;
    f->contract.name = "image_chat";
    f->prompt.wishes = wishes;
    f->prompt.n_wishes = ARRAY_LENGTH(wishes);
}

static void text_is_told_as_it_comes_and_the_object_is_the_value(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    chat_init(&f);
    fake_model_reply(&f.model, "A blue cat!\n\n---\n" OBJECT);
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(f.out.text, "A blue cat!");
    assert_string_equal(json_get_string(f.out.value, "prompt"), "a cat");
    assert_string_equal(f.out.raw, "A blue cat!\n\n---\n" OBJECT);
    assert_string_equal(engine_fixture_attempts(&f), "generate:ok");
    assert_null(strstr(engine_fixture_screen(&f), "---"));
    assert_int_equal(json_get_int(engine_fixture_event(&f, "token", 0), "attempt", 0), 1);
}

static void text_and_object_are_not_held_to_a_schema_but_the_object_alone_is(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    chat_init(&f);
    for (int i = 0; i < 3; i++)
        fake_model_reply(&f.model, "no object");
    fake_model_reply(&f.model, OBJECT);
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    for (int i = 0; i < 3; i++)
        assert_null(f.model.requests[i].schema);
    assert_non_null(f.model.requests[3].schema);
}

static void what_failed_attempts_told_is_taken_back(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    chat_init(&f);
    fake_model_reply(&f.model, "First try");
    fake_model_reply(&f.model, "Second\n---\n{\"prompt\":\"a cat\"}");
    fake_model_reply(&f.model, GOOD);
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    const char *screen = engine_fixture_screen(&f);
    assert_non_null(strstr(screen, "First try|-1-|Second"));
    assert_non_null(strstr(screen, "|-2-|Here it is."));
    assert_string_equal(engine_fixture_attempts(&f),
                        "generate:missing_delimiter reminder:missing_fields reminder:ok");
    const json_t *last = NULL, *token;
    for (size_t n = 0; (token = engine_fixture_event(&f, "token", n)); n++)
        last = token;
    assert_int_equal(json_get_int(last, "attempt", 0), 3);
}

static void the_reminder_begins_with_the_sentence_of_the_contract(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    chat_init(&f);
    f.contract.reminder = "Please end with `---` and JSON, like this: {example}";
    fake_model_reply(&f.model, "no object");
    fake_model_reply(&f.model, GOOD);
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    const char *user = f.model.requests[1].user;
    assert_non_null(strstr(user, "</answer>\nPlease end with `---` and JSON, like this: " GOOD "\n"
                                 "This time:\n- Write what you say, "));
    assert_null(strstr(user, "A good answer has this form"));
    assert_true(f.model.requests[1].temperature < 0);
}

static void each_way_to_miss_the_form_has_its_class(void **state)
{
    (void)state;
    static const struct {
        const char *reply, *attempts;
        enum model_stop stop;
    } cases[] = {
        { "Just text", "generate:missing_delimiter", MODEL_STOP_END },
        { OBJECT, "generate:missing_delimiter", MODEL_STOP_END },
        { "Text {\"prompt\":\"\",\"steps\":1}", "generate:missing_delimiter", MODEL_STOP_END },
        { "", "generate:empty", MODEL_STOP_END },
        { " \n\n", "generate:empty", MODEL_STOP_END },
        { "Text\n---\nnot json {", "generate:missing_delimiter", MODEL_STOP_END },
        { "Text\n---\n{\"prompt\" 5}", "generate:invalid_json", MODEL_STOP_END },
        { "Text\n---\n{\"steps\":4}", "generate:missing_fields", MODEL_STOP_END },
        { "Text\n---\n{\"prompt\":5,\"steps\":4}", "generate:wrong_type", MODEL_STOP_END },
        { "Text that is cut", "generate:truncated", MODEL_STOP_LENGTH },
        { "Text\n---\n{\"prompt\":\"a c", "generate:truncated", MODEL_STOP_END },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        AUTO(engine_fixture) f;
        chat_init(&f);
        fake_model_push(&f.model,
                        (struct fake_reply){ .text = cases[i].reply, .stop = cases[i].stop });
        fake_model_reply(&f.model, GOOD);
        assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
        if (strncmp(engine_fixture_attempts(&f), cases[i].attempts, strlen(cases[i].attempts)) != 0)
            fail_msg("%s: %s", cases[i].reply, engine_fixture_attempts(&f));
    }
}

static void after_a_compaction_a_bare_object_is_enough(void **state)
{
    (void)state;
    static const char *const replies[] = { OBJECT, "---\n" OBJECT, "```json\n" OBJECT "\n```",
                                           "Here: " OBJECT, "Here:\n" OBJECT };
    for (size_t i = 0; i < ARRAY_LENGTH(replies); i++) {
        AUTO(engine_fixture) f;
        chat_init(&f);
        for (int j = 0; j < 3; j++)
            fake_model_reply(&f.model, "");
        fake_model_reply(&f.model, replies[i]);
        assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
        assert_string_equal(f.out.text, "");
        assert_string_equal(json_get_string(f.out.value, "prompt"), "a cat");
        assert_int_equal(f.out.rung, RUNG_COMPACTION);
        assert_string_equal(engine_fixture_screen(&f), "|-1-||-2-||-3-|");
    }
}

static void chatter_behind_a_bare_object_is_not_waited_for(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    chat_init(&f);
    for (int i = 0; i < 3; i++)
        fake_model_reply(&f.model, "");
    fake_model_reply(&f.model, OBJECT "\nThis object has the prompt of a cat and four steps to go");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(json_get_string(engine_fixture_event(&f, "model_replied", 3), "stop"),
                        "early");
    assert_string_equal(engine_fixture_screen(&f), "|-1-||-2-||-3-|");
}

static void text_of_a_compaction_is_told_once_it_is_accepted(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    chat_init(&f);
    for (int i = 0; i < 3; i++)
        fake_model_reply(&f.model, "");
    fake_model_reply(&f.model, GOOD);
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(f.out.text, "Here it is.");
    assert_string_equal(engine_fixture_screen(&f), "|-1-||-2-||-3-|Here it is.");
}

static void a_stream_ends_when_something_follows_its_object(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    chat_init(&f);
    fake_model_reply(&f.model, GOOD "\nI hope this helps.                                       ");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(json_get_string(engine_fixture_event(&f, "model_replied", 0), "stop"),
                        "early");
    assert_string_equal(engine_fixture_attempts(&f), "generate:ok");
}

static void an_attempt_whose_transport_fails_is_taken_back(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    chat_init(&f);
    fake_model_push(&f.model, (struct fake_reply){ .text = "A cat that is ",
                                                   .after_bytes = 10,
                                                   .fails = ERR_UNAVAILABLE });
    assert_int_equal(engine_fixture_ask(&f), ERR_UNAVAILABLE);
    assert_non_null(strstr(engine_fixture_screen(&f), "|-1-|"));
    assert_string_equal(engine_fixture_attempts(&f), "generate:transport");
}

static void words_are_told_and_accepted_without_a_schema(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    engine_fixture_shape(&f, CONTRACT_TEXT, NULL, NULL);
    fake_model_reply(&f.model, "It is sunny.\n\n");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(f.out.text, "It is sunny.");
    assert_null(f.out.value);
    assert_null(f.model.requests[0].schema);
    assert_string_equal(engine_fixture_screen(&f), "It is sunny.");
    assert_string_equal(json_get_string(engine_fixture_event(&f, "answer_token", 0), "purpose"),
                        "intent");
}

static void what_stands_around_an_answer_is_never_told(void **state)
{
    (void)state;
    static const char *const replies[] = {
        "[/INST] It is sunny.</s><s>[INST] And now?",
        "It is sunny.\n\nUser: and tomorrow?\nAssistant: rain",
        "{\"answer\": \"It is sunny.\"}",
        "```\nIt is sunny.\n```",
    };
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        AUTO(engine_fixture) f;
        engine_fixture_init(&f);
        engine_fixture_shape(&f, CONTRACT_TEXT, NULL, NULL);
        fake_model_reply(&f.model, replies[i]);
        assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
        assert_string_equal(f.out.text, "It is sunny.");
        assert_string_equal(engine_fixture_screen(&f), "It is sunny.");
    }
}

static void silence_is_no_answer(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    engine_fixture_shape(&f, CONTRACT_TEXT, NULL, NULL);
    fake_model_reply(&f.model, " \n");
    fake_model_reply(&f.model, "Sunny.");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(engine_fixture_attempts(&f), "generate:empty reminder:ok");
    assert_non_null(strstr(f.model.requests[1].user, "Answer again, in plain words."));
}

static void words_that_were_cut_are_taken_with_a_warning(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    engine_fixture_shape(&f, CONTRACT_TEXT, NULL, NULL);
    fake_model_push(&f.model,
                    (struct fake_reply){ .text = "It is sun", .stop = MODEL_STOP_LENGTH });
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(f.out.text, "It is sun");
    assert_string_equal(json_get_string(engine_fixture_event(&f, "warning", 0), "text"),
                        "the answer was cut at max_tokens (100)");
}

static void words_that_the_context_cut_are_not_blamed_on_max_tokens(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    engine_fixture_shape(&f, CONTRACT_TEXT, NULL, NULL);
    f.model.context_tokens = 512;
    f.prompt.max_tokens = 4000;
    fake_model_push(&f.model,
                    (struct fake_reply){ .text = "It is sun", .stop = MODEL_STOP_LENGTH });
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    const char *text = json_get_string(engine_fixture_event(&f, "warning", 0), "text");
    assert_non_null(text);
    assert_non_null(strstr(text, "the answer was cut: the model's context had room for "));
}

static void words_that_end_in_endless_blanks_are_ended(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    engine_fixture_shape(&f, CONTRACT_TEXT, NULL, NULL);
    fake_model_reply(&f.model, arena_printf(&f.arena, "%*s", 3 * STREAM_MAX_TEXT_BLANKS, ""));
    fake_model_reply(&f.model,
                     arena_printf(&f.arena, "Sunny.%*s.", STREAM_MAX_TEXT_BLANKS - 1, ""));
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(engine_fixture_attempts(&f), "generate:ran_away reminder:ok");
    assert_int_equal(strlen(f.out.text), STREAM_MAX_TEXT_BLANKS - 1 + 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_told_as_it_comes_and_the_object_is_the_value),
        cmocka_unit_test(text_and_object_are_not_held_to_a_schema_but_the_object_alone_is),
        cmocka_unit_test(what_failed_attempts_told_is_taken_back),
        cmocka_unit_test(the_reminder_begins_with_the_sentence_of_the_contract),
        cmocka_unit_test(each_way_to_miss_the_form_has_its_class),
        cmocka_unit_test(after_a_compaction_a_bare_object_is_enough),
        cmocka_unit_test(chatter_behind_a_bare_object_is_not_waited_for),
        cmocka_unit_test(text_of_a_compaction_is_told_once_it_is_accepted),
        cmocka_unit_test(a_stream_ends_when_something_follows_its_object),
        cmocka_unit_test(an_attempt_whose_transport_fails_is_taken_back),
        cmocka_unit_test(words_are_told_and_accepted_without_a_schema),
        cmocka_unit_test(what_stands_around_an_answer_is_never_told),
        cmocka_unit_test(silence_is_no_answer),
        cmocka_unit_test(words_that_were_cut_are_taken_with_a_warning),
        cmocka_unit_test(words_that_the_context_cut_are_not_blamed_on_max_tokens),
        cmocka_unit_test(words_that_end_in_endless_blanks_are_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
