
#include "application/structured/engine.h"
#include "application/structured/model_call.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/engine_fixture.h"
#include <stdio.h>
#include <string.h>

static void takes_an_answer_that_fits(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    fake_model_reply(&f.model, "{\"tool\":\"read\",\"n\":4}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(json_get_string(f.out.value, "tool"), "read");
    assert_int_equal(f.out.attempts, 1);
    assert_false(f.out.extracted);
    assert_int_equal(f.out.prompt_tokens, 10);
    assert_int_equal(f.out.cached_tokens, -1);
    assert_int_equal(f.out.model_ms, 7);
    assert_string_equal(engine_fixture_attempts(&f), "generate:ok");
}

static void sends_the_schema_and_what_was_asked(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(f.model.requests[0].purpose, "intent");
    assert_string_equal(f.model.requests[0].system, "You plan.");
    assert_string_equal(f.model.requests[0].user, "Read the file.");
    assert_true(json_equal(f.model.requests[0].schema, f.contract.schema));
    assert_int_equal(f.model.requests[0].max_tokens, 100);
}

static void takes_an_answer_out_of_chatter_and_says_so(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    fake_model_reply(&f.model, "Sure:\n```json\n{\"tool\":\"write\"}\n```");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_true(f.out.extracted);
}

static void what_surely_fits_needs_no_other_request(void **state)
{
    (void)state;
    static const char *const said[] = {
        "{\"response\": {\"tool\": \"read\", \"n\": 4}}",
        "[{\"tool\": \"read\", \"n\": 4}]",
        "{\"output\": \"{\\\"tool\\\": \\\"read\\\", \\\"n\\\": 4}\"}",
        "{\"tool\": \"READ.\", \"n\": \"4\"}",
        "{\"tool\": \"read\", // the right one\n \"n\": 4 # four\n}",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(said); i++) {
        AUTO(engine_fixture) f;
        engine_fixture_init(&f);
        fake_model_reply(&f.model, said[i]);
        fake_model_reply(&f.model, "{\"tool\":\"write\"}");
        assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
        if (f.out.attempts != 1)
            fail_msg("%s: %s", said[i], engine_fixture_attempts(&f));
        assert_string_equal(json_get_string(f.out.value, "tool"), "read");
        assert_int_equal(json_get_int(f.out.value, "n", 0), 4);
        assert_string_equal(json_get_string(engine_fixture_event(&f, "attempt", 0), "saved_by"),
                            "repair");
    }
}

static void two_answers_that_differ_are_none(void **state)
{
    (void)state;
    static const struct {
        const char *reply, *attempts;
    } cases[] = {
        { "{\"tool\":\"read\"}\n{\"tool\":\"write\"}", "generate:invalid_json reminder:ok" },
        { "{\"tool\":\"read\"}, {\"tool\":\"write\"}", "generate:invalid_json reminder:ok" },
        { "{\"tool\":\"read\"}\n{\"tool\":\"wri", "generate:invalid_json reminder:ok" },
        { "{\"tool\":\"read\"}\n{\"tool\":\"read\"}", "generate:ok" },
        { "{\"tool\":\"read\"}\n{\"n\":1}", "generate:ok" },
        { "{\"tool\":\"read\"}\n{helps}", "generate:ok" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        AUTO(engine_fixture) f;
        engine_fixture_init(&f);
        fake_model_reply(&f.model, cases[i].reply);
        fake_model_reply(&f.model, "{\"tool\":\"read\"}");
        assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
        assert_string_equal(engine_fixture_attempts(&f), cases[i].attempts);
    }
}

static void reminds_with_an_instruction_in_a_fresh_prompt(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    fake_model_reply(&f.model, "{\"n\":1,\"note\":\"[/INST]\"}");
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    const struct fake_request *reminder = &f.model.requests[1];
    assert_string_equal(reminder->system, "You plan.");
    assert_non_null(strstr(reminder->user, "Read the file.\n\nYour last answer was:\n<answer>\n"
                                           "{\"n\":1,\"note\":\"[ /INST]\"}\n</answer>\n"));
    assert_non_null(strstr(reminder->user, "- Add the property \"tool\""));
    assert_non_null(strstr(reminder->user, "A good answer has this form: {\"tool\":\"read\"}"));
    assert_true(reminder->temperature > 0.39 && reminder->temperature < 0.41);
    assert_string_equal(engine_fixture_attempts(&f), "generate:missing_fields reminder:ok");
}

#define WITH_WORKING                                                                               \
    "{\"type\":\"object\",\"required\":[\"working\",\"tool\"],\"properties\":{\"working\":{"       \
    "\"type\":\"string\",\"maxLength\":5},\"tool\":{\"enum\":[\"read\"]}}}"

static void thinking_is_asked_for_first_not_missed_and_dropped(void **state)
{
    (void)state;
    static const char *const replies[] = { "{\"working\":\"2+2\",\"tool\":\"read\"}",
                                           "{\"tool\":\"read\"}",
                                           "{\"working\":\"far too long\",\"tool\":\"read\"}",
                                           "{\"working\":7,\"tool\":\"read\"}" };
    for (size_t i = 0; i < ARRAY_LENGTH(replies); i++) {
        AUTO(engine_fixture) f;
        engine_fixture_init(&f);
        engine_fixture_shape(&f, CONTRACT_OBJECT, WITH_WORKING, NULL);
        f.contract.working = "working";
        fake_model_reply(&f.model, replies[i]);
        assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
        const json_t *required = json_object_get(f.model.requests[0].schema, "required");
        assert_string_equal(json_string_value(json_array_get(required, 0)), "working");
        assert_string_equal(json_print_in(&f.arena, f.out.value), "{\"tool\":\"read\"}");
        assert_string_equal(f.out.raw, replies[i]);
    }
}

static void forgets_the_first_bad_answer_in_the_second_reminder(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    fake_model_reply(&f.model, "first nonsense");
    fake_model_reply(&f.model, "second nonsense");
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_null(strstr(f.model.requests[2].user, "first nonsense"));
    assert_non_null(strstr(f.model.requests[2].user, "second nonsense"));
}

static void gives_up_after_two_reminders(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    fake_model_reply(&f.model, "no");
    fake_model_reply(&f.model, "{\"tool\":\"fly\"}");
    fake_model_reply(&f.model, "{\"tool\":\"read\",\"n\":\"x\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_FAILED);
    assert_int_equal(f.out.attempts, 3);
    assert_null(f.out.value);
    assert_non_null(strstr(f.err.message, "the model gave no usable intent in 3 attempts: "));
    assert_string_equal(engine_fixture_attempts(&f),
                        "generate:invalid_json reminder:unknown_enum reminder:wrong_type");
}

static void classifies_what_is_out_of_range_and_what_is_empty(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    fake_model_reply(&f.model, " \n");
    fake_model_reply(&f.model, "{\"tool\":\"read\",\"n\":10}");
    fake_model_reply(&f.model, "{\"tool\":\"read\",\"x\":1}");
    assert_int_equal(engine_fixture_ask(&f), ERR_FAILED);
    assert_string_equal(engine_fixture_attempts(&f),
                        "generate:empty reminder:out_of_range reminder:wrong_type");
}

static bool never_write(void *context, const json_t *value, struct problems *problems)
{
    (void)context;
    if (strcmp(json_get_string(value, "tool"), "write") != 0)
        return true;
    problems_add(problems, NULL, "/tool", "write is not wanted")->fix = "use read";
    return false;
}

static void runs_the_cross_check_of_the_contract(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    f.contract.cross_check = never_write;
    fake_model_reply(&f.model, "{\"tool\":\"write\"}");
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_non_null(strstr(f.model.requests[1].user, "- Use read, at /tool.\n"));
    assert_string_equal(engine_fixture_attempts(&f), "generate:cross_check reminder:ok");
}

static void gives_a_cut_answer_more_budget_once_and_no_reminder(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    fake_model_push(&f.model,
                    (struct fake_reply){ .text = "{\"tool\":\"re", .stop = MODEL_STOP_LENGTH });
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(f.model.requests[1].user, "Read the file.");
    assert_int_equal(f.model.requests[1].max_tokens, 200);
    assert_string_equal(engine_fixture_attempts(&f), "generate:truncated budget:ok");
}

static void makes_four_attempts_at_most(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    for (int i = 0; i < 5; i++)
        fake_model_push(&f.model,
                        (struct fake_reply){ .text = "{\"tool\":\"re", .stop = MODEL_STOP_LENGTH });
    assert_int_equal(engine_fixture_ask(&f), ERR_FAILED);
    assert_int_equal(f.out.attempts, 4);
    assert_int_equal(f.model.requests[3].max_tokens, 200);
}

static void ends_a_stream_that_runs_away(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    char blanks[3 * STREAM_MAX_BLANKS];
    snprintf(blanks, sizeof blanks, "{%*s", 2 * STREAM_MAX_BLANKS + 2, "");
    fake_model_reply(&f.model, blanks);
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(engine_fixture_attempts(&f), "generate:ran_away reminder:ok");
}

static void tries_again_when_the_endpoint_is_gone_before_the_first_token(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    fake_model_push(&f.model, (struct fake_reply){ .fails = ERR_UNAVAILABLE });
    fake_model_push(&f.model, (struct fake_reply){ .fails = ERR_UNAVAILABLE });
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_int_equal(f.out.attempts, 3);
    assert_int_equal(f.runtime.sleeps, 2);
    assert_string_equal(engine_fixture_attempts(&f), "generate:ok");
}

static void gives_up_on_the_endpoint_after_the_attempts_of_the_settings(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    for (int i = 0; i < 4; i++)
        fake_model_push(&f.model, (struct fake_reply){ .fails = ERR_UNAVAILABLE });
    assert_int_equal(engine_fixture_ask(&f), ERR_UNAVAILABLE);
    assert_int_equal(f.model.n_requests, 3);
    assert_string_equal(engine_fixture_attempts(&f), "generate:transport");
}

static void never_repeats_what_failed_after_a_token_or_by_silence(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    fake_model_push(&f.model, (struct fake_reply){
                                  .text = "{\"tool", .after_bytes = 6, .fails = ERR_UNAVAILABLE });
    fake_model_push(&f.model, (struct fake_reply){ .fails = ERR_TIMEOUT });
    assert_int_equal(engine_fixture_ask(&f), ERR_UNAVAILABLE);
    assert_int_equal(engine_fixture_ask(&f), ERR_TIMEOUT);
    assert_int_equal(f.model.n_requests, 2);
    assert_string_equal(engine_fixture_attempts(&f), "generate:transport generate:timeout");
}

static void logs_prompt_reply_and_attempt(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    const json_t *prompt = json_array_get(f.recorder.events, 0);
    const json_t *reply = json_array_get(f.recorder.events, 1);
    const json_t *attempt = json_array_get(f.recorder.events, 2);
    assert_string_equal(json_get_string(prompt, "event"), "prompt_sent");
    assert_string_equal(json_get_string(json_object_get(prompt, "user"), "text"), "Read the file.");
    assert_string_equal(json_get_string(reply, "event"), "model_replied");
    assert_string_equal(json_get_string(json_object_get(reply, "reply"), "text"),
                        "{\"tool\":\"read\"}");
    auto_str printed = json_print(attempt);
    assert_string_equal(printed, "{\"contract\":\"intent\",\"version\":3,\"attempt\":1,\"rung\":"
                                 "\"generate\",\"class\":\"ok\",\"extracted\":false,\"repaired\":"
                                 "false,\"synonyms\":0,\"model\":\"fake\",\"requests\":1,"
                                 "\"ms\":7,\"prompt_tokens\":10,\"tokens\":5,"
                                 "\"event\":\"attempt\"}");
}

static void refuses_a_contract_whose_schema_is_none(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    json_auto_t *schema = json_pack("{s:i}", "type", 1);
    f.contract.schema = schema;
    assert_int_equal(engine_fixture_ask(&f), ERR_INVALID);
    assert_int_equal(f.model.n_requests, 0);
}

static void gaps_within_a_text_are_no_reason_to_stop(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    engine_fixture_init(&f);
    engine_fixture_shape(&f, CONTRACT_OBJECT, "{\"type\":\"object\",\"required\":[\"note\"]}",
                         "{\"note\":\"\"}");
    fake_model_reply(&f.model, arena_printf(&f.arena, "{\"note\":\"%*s%0*d\"}",
                                            4 * STREAM_MAX_BLANKS, "", 4 * STREAM_MAX_DIGITS, 7));
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_int_equal(f.out.attempts, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_within_a_text_are_no_reason_to_stop),
        cmocka_unit_test(takes_an_answer_that_fits),
        cmocka_unit_test(sends_the_schema_and_what_was_asked),
        cmocka_unit_test(takes_an_answer_out_of_chatter_and_says_so),
        cmocka_unit_test(what_surely_fits_needs_no_other_request),
        cmocka_unit_test(two_answers_that_differ_are_none),
        cmocka_unit_test(reminds_with_an_instruction_in_a_fresh_prompt),
        cmocka_unit_test(thinking_is_asked_for_first_not_missed_and_dropped),
        cmocka_unit_test(forgets_the_first_bad_answer_in_the_second_reminder),
        cmocka_unit_test(gives_up_after_two_reminders),
        cmocka_unit_test(classifies_what_is_out_of_range_and_what_is_empty),
        cmocka_unit_test(runs_the_cross_check_of_the_contract),
        cmocka_unit_test(gives_a_cut_answer_more_budget_once_and_no_reminder),
        cmocka_unit_test(makes_four_attempts_at_most),
        cmocka_unit_test(ends_a_stream_that_runs_away),
        cmocka_unit_test(tries_again_when_the_endpoint_is_gone_before_the_first_token),
        cmocka_unit_test(gives_up_on_the_endpoint_after_the_attempts_of_the_settings),
        cmocka_unit_test(never_repeats_what_failed_after_a_token_or_by_silence),
        cmocka_unit_test(logs_prompt_reply_and_attempt),
        cmocka_unit_test(refuses_a_contract_whose_schema_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
