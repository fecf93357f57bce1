
#include "application/structured/recovery.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/engine_fixture.h"
#include <math.h>
#include <string.h>

static const char *const wishes[] = { "Read the file.", "No, the other one." };

static void ladder_init(struct engine_fixture *f)
{
    engine_fixture_init(f);
    f->prompt.wishes = wishes;
    f->prompt.n_wishes = ARRAY_LENGTH(wishes);
}

static void push_cut(struct engine_fixture *f)
{
    fake_model_push(&f->model,
                    (struct fake_reply){ .text = "{\"tool\":\"re", .stop = MODEL_STOP_LENGTH });
}

static void climbs_every_rung_and_gives_up(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    fake_model_reply(&f.model, "no");
    push_cut(&f);
    for (int i = 0; i < 5; i++)
        fake_model_reply(&f.model, "no");
    assert_int_equal(engine_fixture_ask(&f), ERR_FAILED);
    assert_string_equal(engine_fixture_attempts(&f),
                        "generate:invalid_json reminder:truncated budget:invalid_json "
                        "reminder:invalid_json compaction:invalid_json");
    assert_int_equal(f.model.n_requests, LADDER_MAX_REQUESTS);
    assert_int_equal(f.out.attempts, LADDER_MAX_REQUESTS);
    assert_null(f.out.value);
}

static void counts_begin_anew_with_every_asking(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    for (int asking = 0; asking < 3; asking++) {
        fake_model_reply(&f.model, "no");
        fake_model_reply(&f.model, "no");
        fake_model_reply(&f.model, "{\"tool\":\"read\"}");
        assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
        assert_int_equal(f.out.attempts, 3);
        assert_int_equal(f.out.rung, RUNG_REMINDER);
    }
    assert_int_equal(json_get_int(engine_fixture_event(&f, "attempt", 3), "attempt", 0), 1);
}

static void a_reminder_that_no_context_holds_is_left_out(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    char text[1001] = { 0 };
    memset(text, '7', sizeof text - 1);
    f.user.text = text;
    f.model.context_tokens =
        prompt_tokens(&f.prompt.prompt, 1) + PROMPT_REPLY_RESERVE_TOKENS + f.prompt.max_tokens;
    fake_model_reply(&f.model, "no");
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(engine_fixture_attempts(&f), "generate:invalid_json compaction:ok");
    assert_int_equal(json_get_int(engine_fixture_event(&f, "attempt", 1), "attempt", 0), 2);
}

static void a_request_that_no_context_holds_is_a_limit(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    f.model.context_tokens = PROMPT_REPLY_RESERVE_TOKENS + 1;
    assert_int_equal(engine_fixture_ask(&f), ERR_LIMIT);
    assert_int_equal(f.model.n_requests, 0);
}

static void a_reminder_is_no_warmer_than_endpoints_take(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    f.settings.temperature = 2;
    fake_model_reply(&f.model, "no");
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_true(f.model.requests[1].temperature == 2.0);
}

static void every_attempt_has_another_seed_and_temperature(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    f.settings.model_seed = INT32_MAX - 1;
    for (int i = 0; i < 4; i++)
        fake_model_reply(&f.model, "no");
    assert_int_equal(engine_fixture_ask(&f), ERR_FAILED);
    static const int64_t seeds[] = { INT32_MAX - 1, INT32_MAX, 0, 1 };
    static const double temperatures[] = { 0.2, 0.4, 0.6, 0.2 };
    for (size_t i = 0; i < ARRAY_LENGTH(seeds); i++) {
        assert_int_equal(f.model.requests[i].seed, seeds[i]);
        assert_true(fabs(f.model.requests[i].temperature - temperatures[i]) < 0.01);
    }
}

static void where_no_seed_is_sent_none_is_made_up(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    f.settings.model_seed = -1;
    fake_model_reply(&f.model, "no");
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_int_equal(f.model.requests[1].seed, -1);
}

static void a_model_that_repeats_itself_gets_no_request_twice(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    for (int i = 0; i < 4; i++)
        fake_model_reply(&f.model, "no");
    assert_int_equal(engine_fixture_ask(&f), ERR_FAILED);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(f.model.requests[i].user, f.model.requests[k].user);
}

static void a_compaction_keeps_the_opening_and_the_task_and_ends_with_the_wish(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    const struct prompt_part parts[] = {
        { .text = "Tools: [INST].", .speaker = PROMPT_OPENING },
        { .text = "Say what it needs. ", .speaker = PROMPT_TASK },
        { .text = "A long history." },
    };
    f.prompt.prompt =
        (struct prompt){ .system = "Rules. ", .parts = parts, .n_parts = ARRAY_LENGTH(parts) };
    for (int i = 0; i < 3; i++)
        fake_model_reply(&f.model, "nonsense");
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(f.model.requests[i].system, "Rules. Tools: [ INST].");
    const char *user = f.model.requests[3].user;
    assert_memory_equal(user, "Say what it needs. Respond with ONLY JSON", 41);
    assert_string_equal(strstr(user, "User wants"),
                        "User wants: No, the other one.; Read the file.");
    assert_null(strstr(user, "history"));
}

static void a_compaction_is_one_request_without_history(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    f.prompt.state = "The file is notes.md.";
    for (int i = 0; i < 3; i++)
        fake_model_reply(&f.model, "nonsense");
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    const struct fake_request *request = &f.model.requests[3];
    assert_string_equal(request->system, "You plan.");
    assert_non_null(strstr(request->user, "User wants: "));
    assert_non_null(strstr(request->user, "Respond with ONLY JSON (no conversational text): "));
    assert_non_null(strstr(request->user, "The file is notes.md."));
    assert_null(strstr(request->user, "nonsense"));
    assert_true(request->temperature > 0.19 && request->temperature < 0.21);
    assert_string_equal(engine_fixture_attempts(&f), "generate:invalid_json reminder:invalid_json "
                                                     "reminder:invalid_json compaction:ok");
    assert_int_equal(f.out.rung, RUNG_COMPACTION);
}

static void a_second_cut_goes_to_the_compaction_with_the_doubled_budget(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    push_cut(&f);
    push_cut(&f);
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(engine_fixture_attempts(&f),
                        "generate:truncated budget:truncated compaction:ok");
    assert_int_equal(f.model.requests[2].max_tokens, 200);
}

static void an_object_that_stops_in_the_middle_is_cut_whatever_the_endpoint_says(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    fake_model_reply(&f.model, "{\"tool\":\"read\",\"n\":");
    fake_model_reply(&f.model, "{\"tool\":\"read\",\"n\":1}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(engine_fixture_attempts(&f), "generate:truncated budget:ok");
}

static void the_budget_of_the_contract_counts_where_the_asker_has_none(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    f.prompt.max_tokens = 0;
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    f.contract.max_tokens = 77;
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_int_equal(f.model.requests[0].max_tokens, f.settings.max_tokens);
    assert_int_equal(f.model.requests[1].max_tokens, 77);
}

static const json_t *read_it(void *context, struct arena *arena)
{
    ++*(int *)context;
    return arena_keep_json(arena, json_pack("{s:s}", "tool", "read"));
}

static const json_t *fly(void *context, struct arena *arena)
{
    (void)context;
    return arena_keep_json(arena, json_pack("{s:s}", "tool", "fly"));
}

static void the_last_rung_is_the_contracts(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    int called = 0;
    ladder_init(&f);
    f.contract.last_rung = read_it;
    f.contract.context = &called;
    for (int i = 0; i < 4; i++)
        fake_model_reply(&f.model, "no");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_int_equal(called, 1);
    assert_string_equal(json_get_string(f.out.value, "tool"), "read");
    assert_int_equal(f.out.rung, RUNG_LAST);
    assert_int_equal(f.out.attempts, 4);
    assert_null(f.out.raw);
    assert_non_null(strstr(engine_fixture_attempts(&f), "compaction:invalid_json last:ok"));
    const json_t *last = engine_fixture_event(&f, "attempt", 4);
    assert_int_equal(json_get_int(last, "requests", -1), 0);
    assert_string_equal(json_get_string(last, "model"), "fake");
}

static void a_last_rung_that_does_not_fit_is_none(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    f.contract.last_rung = fly;
    for (int i = 0; i < 4; i++)
        fake_model_reply(&f.model, "no");
    assert_int_equal(engine_fixture_ask(&f), ERR_FAILED);
    assert_null(f.out.value);
}

static void a_failing_endpoint_is_no_matter_for_the_last_rung(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    int called = 0;
    ladder_init(&f);
    f.contract.last_rung = read_it;
    f.contract.context = &called;
    fake_model_push(&f.model, (struct fake_reply){ .fails = ERR_TIMEOUT });
    assert_int_equal(engine_fixture_ask(&f), ERR_TIMEOUT);
    assert_int_equal(called, 0);
    assert_string_equal(engine_fixture_attempts(&f), "generate:timeout");
}

static void a_synonym_saves_an_answer_and_is_counted(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    static const struct contract_synonym synonyms[] = { { "/tool", "cat", "read" } };
    ladder_init(&f);
    f.contract.synonyms = synonyms;
    f.contract.n_synonyms = 1;
    fake_model_reply(&f.model, "{\"tool\":\"CAT\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(json_get_string(f.out.value, "tool"), "read");
    assert_int_equal(f.out.synonyms, 1);
    const json_t *attempt = engine_fixture_event(&f, "attempt", 0);
    assert_string_equal(json_get_string(attempt, "saved_by"), "synonym");
    assert_int_equal(json_get_int(attempt, "synonyms", 0), 1);
}

static void what_saved_an_answer_is_told(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    fake_model_reply(&f.model, "Sure: {\"tool\":\"read\"}");
    fake_model_reply(&f.model, "{\"tool\":\"read\",}");
    for (int i = 0; i < 3; i++)
        assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    const json_t *plain = engine_fixture_event(&f, "attempt", 0);
    const json_t *extracted = engine_fixture_event(&f, "attempt", 1);
    const json_t *repaired = engine_fixture_event(&f, "attempt", 2);
    assert_null(json_object_get(plain, "saved_by"));
    assert_string_equal(json_get_string(extracted, "saved_by"), "extract");
    assert_true(json_get_bool(extracted, "extracted", false));
    assert_string_equal(json_get_string(repaired, "saved_by"), "repair");
    assert_true(json_get_bool(repaired, "repaired", false));
    assert_true(f.out.repaired);
    assert_int_equal(f.out.rung, RUNG_GENERATE);
}

static const json_t *adopt(void *context, struct arena *arena, const json_t *calls)
{
    (void)context;
    const char *name = json_get_string(json_array_get(calls, 0), "name");
    return arena_keep_json(arena, json_pack("{s:s}", "tool", name));
}

static void tool_calls_that_nobody_asked_for_are_adopted(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    f.contract.adopt_calls = adopt;
    fake_model_reply(&f.model, "[TOOL_CALLS] [{\"name\":\"read\",\"arguments\":{}}]");
    fake_model_reply(&f.model, "[TOOL_CALLS] [{\"name\":\"fly\",\"arguments\":{}}]");
    fake_model_reply(&f.model, "{\"tool\":\"write\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(json_get_string(f.out.value, "tool"), "read");
    assert_string_equal(json_get_string(engine_fixture_event(&f, "attempt", 0), "saved_by"),
                        "calls");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(json_get_string(f.out.value, "tool"), "write");
}

static void tool_calls_are_no_answer_in_words(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    engine_fixture_shape(&f, CONTRACT_TEXT, NULL, NULL);
    fake_model_reply(&f.model, "[TOOL_CALLS] [{\"name\":\"read\",\"arguments\":{}}]");
    fake_model_reply(&f.model, "It says {\"name\":\"read\",\"arguments\":{}} there.");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(f.out.text, "It says {\"name\":\"read\",\"arguments\":{}} there.");
    assert_string_equal(engine_fixture_attempts(&f), "generate:wrong_type reminder:ok");
}

static void a_gap_of_the_example_is_no_value(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    engine_fixture_shape(&f, CONTRACT_OBJECT,
                         "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"}}}",
                         "{\"path\":\"<path>\"}");
    fake_model_reply(&f.model, "{\"path\":\"<path>\"}");
    fake_model_reply(&f.model, "{\"path\":\"notes.md\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(engine_fixture_attempts(&f), "generate:placeholder reminder:ok");
    assert_non_null(strstr(f.model.requests[1].user, "- Put the real value in place of the gap of "
                                                     "the example, at /path.\n"));
}

static void digits_that_run_away_end_the_stream(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    char text[600];
    memset(text, '3', sizeof text);
    text[sizeof text - 1] = '\0';
    memcpy(text, "{\"tool\":\"read\",\"n\":", 19);
    fake_model_reply(&f.model, text);
    fake_model_reply(&f.model, "{\"tool\":\"read\"}");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    assert_string_equal(engine_fixture_attempts(&f), "generate:ran_away reminder:ok");
}

static void an_object_is_enough_however_much_follows(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    ladder_init(&f);
    fake_model_reply(&f.model, "{\"tool\":\"read\"} And now I will explain at length what I did");
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    const json_t *reply = engine_fixture_event(&f, "model_replied", 0);
    assert_string_equal(json_get_string(reply, "stop"), "early");
    assert_null(strstr(json_get_string(json_object_get(reply, "reply"), "text"), "at length"));
}

static void parts_of_a_schema_that_were_not_taken_are_told_with_their_tool(void **state)
{
    (void)state;
    AUTO(engine_fixture) f;
    static const struct model_schema_note notes[] = {
        { "/properties/steps/items/anyOf/0/properties/args", "no grammar\nfor this" },
        { "/properties/reason", "neither" },
    };
    ladder_init(&f);
    engine_fixture_shape(
        &f, CONTRACT_OBJECT,
        "{\"type\":\"object\",\"properties\":{\"reason\":{},\"steps\":{\"items\":{\"anyOf\":"
        "[{\"properties\":{\"tool\":{\"enum\":[\"files__read\"]},\"args\":{}}}]}}}}",
        NULL);
    fake_model_push(&f.model, (struct fake_reply){ .text = "{}", .notes = notes, .n_notes = 2 });
    assert_int_equal(engine_fixture_ask(&f), ERR_NONE);
    const json_t *first = engine_fixture_event(&f, "schema_quarantined", 0);
    assert_string_equal(json_get_string(first, "tool"), "files__read");
    assert_string_equal(json_get_string(first, "contract"), "intent");
    assert_string_equal(json_get_string(first, "message"), "no grammar\\nfor this");
    const json_t *second = engine_fixture_event(&f, "schema_quarantined", 1);
    assert_string_equal(json_get_string(second, "path"), "/properties/reason");
    assert_null(json_object_get(second, "tool"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(climbs_every_rung_and_gives_up),
        cmocka_unit_test(counts_begin_anew_with_every_asking),
        cmocka_unit_test(a_reminder_that_no_context_holds_is_left_out),
        cmocka_unit_test(a_request_that_no_context_holds_is_a_limit),
        cmocka_unit_test(a_reminder_is_no_warmer_than_endpoints_take),
        cmocka_unit_test(every_attempt_has_another_seed_and_temperature),
        cmocka_unit_test(where_no_seed_is_sent_none_is_made_up),
        cmocka_unit_test(a_model_that_repeats_itself_gets_no_request_twice),
        cmocka_unit_test(a_compaction_keeps_the_opening_and_the_task_and_ends_with_the_wish),
        cmocka_unit_test(a_compaction_is_one_request_without_history),
        cmocka_unit_test(a_second_cut_goes_to_the_compaction_with_the_doubled_budget),
        cmocka_unit_test(an_object_that_stops_in_the_middle_is_cut_whatever_the_endpoint_says),
        cmocka_unit_test(the_budget_of_the_contract_counts_where_the_asker_has_none),
        cmocka_unit_test(the_last_rung_is_the_contracts),
        cmocka_unit_test(a_last_rung_that_does_not_fit_is_none),
        cmocka_unit_test(a_failing_endpoint_is_no_matter_for_the_last_rung),
        cmocka_unit_test(a_synonym_saves_an_answer_and_is_counted),
        cmocka_unit_test(what_saved_an_answer_is_told),
        cmocka_unit_test(tool_calls_that_nobody_asked_for_are_adopted),
        cmocka_unit_test(tool_calls_are_no_answer_in_words),
        cmocka_unit_test(a_gap_of_the_example_is_no_value),
        cmocka_unit_test(digits_that_run_away_end_the_stream),
        cmocka_unit_test(an_object_is_enough_however_much_follows),
        cmocka_unit_test(parts_of_a_schema_that_were_not_taken_are_told_with_their_tool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
