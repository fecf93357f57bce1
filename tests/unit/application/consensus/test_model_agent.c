/* Agents behind models: what they are told, and what becomes of what they say. */
#include "application/structured/contracts.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include "tests/support/consensus_bench.h"
#include "tests/support/fakes/fake_candidate_checker.h"
#include <string.h>

static void say(struct consensus_bench *bench, const char *status, const char *text,
                const char *more)
{
    fake_model_reply(&bench->services.model, consensus_bench_envelope(bench, status, text, more));
}

static const struct fake_request *asked(struct consensus_bench *bench, size_t n)
{
    assert_true(n < bench->services.model.n_requests);
    return &bench->services.model.requests[n];
}

static void two_models_that_say_the_same_agree_at_once(void **state)
{
    struct consensus_bench *bench = *state;
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4.0", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
    assert_string_equal(bench->reached.result.canonical, "4");
    assert_int_equal(bench->reached.result.rounds, 1);
    assert_int_equal(bench->reached.result.usage[0].model_calls, 1);
    assert_int_equal(bench->reached.result.usage[0].prompt_tokens, 10);
}

static void nobody_sees_the_other_in_the_first_round(void **state)
{
    struct consensus_bench *bench = *state;
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "5", "");
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", ",\"meta\":{\"change_reason\":\"I counted one twice.\"}");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_null(strstr(asked(bench, 1)->user, "peer"));
    assert_non_null(strstr(asked(bench, 2)->user, "stands for this text, since round 1: \"5\""));
    assert_non_null(strstr(asked(bench, 3)->user, "stands for this text, since round 1: \"4\""));
    assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
    assert_int_equal(bench->reached.result.flips, 1);
}

static void the_system_text_has_role_protocol_and_pack(void **state)
{
    struct consensus_bench *bench = *state;
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_non_null(strstr(asked(bench, 0)->system, "You are the Solver."));
    assert_non_null(strstr(asked(bench, 0)->system, "You solve problems that have one number"));
    assert_non_null(strstr(asked(bench, 1)->system, "You are the Checker."));
    assert_non_null(strstr(asked(bench, 1)->system, "You are the one who checks."));
    assert_null(strstr(asked(bench, 0)->system, "<"));
}

/* What both are told is evaluated once where they share an endpoint. */
static void the_two_differ_only_behind_what_they_share(void **state)
{
    struct consensus_bench *bench = *state;
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    const char *a = asked(bench, 0)->system, *b = asked(bench, 1)->system;
    size_t shared = 0;
    while (a[shared] && a[shared] == b[shared])
        shared++;
    assert_non_null(strstr(a, "You are the Solver."));
    assert_true(a + shared == strstr(a, "You are the Solver.") + strlen("You are the "));
    assert_true(shared >= strlen(a) * 3 / 4);
}

static size_t place_of(const json_t *required, const char *name)
{
    size_t i = 0;
    while (i < json_array_size(required) &&
           strcmp(json_string_value(json_array_get(required, i)), name) != 0)
        i++;
    assert_true(i < json_array_size(required));
    return i;
}

/* A grammar asks for the required members first, in this order. */
static void the_final_text_is_required_before_the_status(void **state)
{
    struct consensus_bench *bench = *state;
    struct contract contract;
    assert_int_equal(
        contract_load(&bench->arena, bench->services.base.assets, "envelope", &contract, NULL),
        ERR_NONE);
    const json_t *required = json_object_get(contract.schema, "required");
    const json_t *properties = json_object_get(contract.schema, "properties");
    const json_t *solution = json_object_get(properties, "final_solution");
    assert_true(place_of(required, "working") < place_of(required, "final_solution"));
    assert_true(place_of(required, "final_solution") < place_of(required, "status"));
    assert_int_equal(place_of(json_object_get(solution, "required"), "canonical_text"), 0);
    assert_int_equal(json_get_int(json_object_get(properties, "working"), "maxLength", 0), 300);
    static const char *const known[] = { "role", "domain", "handoff_to", "request" };
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++) {
        assert_null(json_object_get(properties, known[i]));
        assert_null(strstr(contract_prompt_text(&bench->arena, &contract),
                           arena_printf(&bench->arena, "\"%s\"", known[i])));
    }
}

/* The host knows who speaks, and a final text may be missing while there is none. */
static void an_envelope_of_what_only_the_model_knows_is_whole(void **state)
{
    struct consensus_bench *bench = *state;
    char *working = arena_alloc(&bench->arena, 401);
    memset(working, 'w', 400);
    working[400] = '\0';
    fake_model_reply(&bench->services.model,
                     arena_printf(&bench->arena,
                                  "{\"task_understanding\":\"Add.\",\"working\":\"%s\","
                                  "\"public_message\":\"So far.\",\"status\":\"WORKING\"}",
                                  working));
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    const json_t *envelope =
        json_object_get(consensus_bench_event(bench, EVENT_ENVELOPE, 0), "envelope");
    assert_int_equal(bench->reached.result.usage[0].model_calls, 2);
    assert_string_equal(json_get_string(envelope, "role"), "Solver");
    assert_string_equal(json_get_string(envelope, "domain"), "mathematics");
    assert_string_equal(json_get_string(envelope, "handoff_to"), "Checker");
    assert_null(json_object_get(envelope, "working"));
    assert_null(strstr(asked(bench, 1)->user, "www"));
    assert_null(strstr(asked(bench, 2)->user, "www"));
}

static void a_final_text_that_is_a_value_is_taken_as_it_reads(void **state)
{
    struct consensus_bench *bench = *state;
    static const struct {
        const char *solution, *text;
    } cases[] = { { "{\"canonical_text\":391}", "391" },
                  { "\"391\"", "391" },
                  { "391", "391" },
                  { "{\"canonical_text\":0.1}", "0.1" },
                  { "{\"canonical_text\":\"391\"}", "391" } };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        for (int agent = 0; agent < 2; agent++)
            fake_model_reply(&bench->services.model,
                             arena_printf(&bench->arena,
                                          "{\"task_understanding\":\"Add.\",\"final_solution\":%s,"
                                          "\"public_message\":\"[SOLVED]\",\"status\":"
                                          "\"SOLVED.\"}",
                                          cases[i].solution));
        size_t before = bench->services.model.n_requests;

        assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

        assert_int_equal(bench->services.model.n_requests - before, 2);
        assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
        assert_string_equal(bench->reached.result.text, cases[i].text);
    }
}

/* More digits than a number keeps when it is read: nobody's answer may be made of it. */
static void a_number_that_lost_digits_is_asked_for_as_a_text(void **state)
{
    struct consensus_bench *bench = *state;
    fake_model_reply(&bench->services.model,
                     "{\"task_understanding\":\"Add.\",\"final_solution\":{\"canonical_text\":"
                     "123456789012345678901234567890},\"public_message\":\"[SOLVED]\",\"status\":"
                     "\"SOLVED\"}");
    say(bench, "SOLVED", "123456789012345678901234567890", "");
    say(bench, "SOLVED", "123456789012345678901234567890", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->services.model.n_requests, 3);
    assert_string_equal(bench->reached.result.text, "123456789012345678901234567890");
}

static void questions_of_the_peer_are_put_before_the_agent(void **state)
{
    struct consensus_bench *bench = *state;
    static const char question[] = "{\"task_understanding\":\"Add.\",\"needs_from_peer\":[\"Which "
                                   "base?\"],\"public_message\":\"[CONTACT]\",\"status\":"
                                   "\"NEED_PEER\"}";
    fake_model_reply(&bench->services.model, question);
    say(bench, "WORKING", "", "");
    fake_model_reply(&bench->services.model, question);
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_non_null(strstr(asked(bench, 3)->user, "Your peer asks you"));
    assert_non_null(strstr(asked(bench, 3)->user, "1. \"Which base?\""));
}

static void a_status_of_the_models_own_is_taken_for_what_it_means(void **state)
{
    struct consensus_bench *bench = *state;
    say(bench, "completed", "4", "");
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->services.model.n_requests, 2);
    assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
}

static void solved_without_a_text_is_asked_for_again(void **state)
{
    struct consensus_bench *bench = *state;
    say(bench, "SOLVED", "", "");
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_non_null(strstr(asked(bench, 1)->user, "final_solution.canonical_text"));
    assert_int_equal(bench->reached.result.rounds, 1);
    assert_int_equal(bench->reached.result.usage[0].model_calls, 2);
}

static void two_that_copy_the_example_do_not_agree_on_it(void **state)
{
    struct consensus_bench *bench = *state;
    bench->request.role_set = "writer_physicist";
    bench->request.max_rounds = 1;
    for (int i = 0; i < 8; i++)
        say(bench, "SOLVED", "On Tuesday two boats left the harbour and one of them came back.",
            "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_MAX_ROUNDS);
    assert_false(bench->reached.result.candidates[0].exists);
}

/* The contract describes the answer: a model that has none says that. */
static void two_that_copy_the_contract_do_not_agree_on_it(void **state)
{
    struct consensus_bench *bench = *state;
    struct contract contract;
    assert_int_equal(
        contract_load(&bench->arena, bench->services.base.assets, "envelope", &contract, NULL),
        ERR_NONE);
    const json_t *solution =
        json_object_get(json_object_get(contract.schema, "properties"), "final_solution");
    const json_t *text = json_object_get(json_object_get(solution, "properties"), "canonical_text");
    const char *description = json_get_string(text, "description");
    assert_non_null(description);
    say(bench, "SOLVED", description, "");
    say(bench, "SOLVED", description, "");
    bench->request.role_set = "writer_physicist";
    bench->request.max_rounds = 1;

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_MAX_ROUNDS);
    assert_int_equal(bench->reached.result.refused, 2);
}

static void two_that_copy_a_gap_do_not_agree_on_it(void **state)
{
    struct consensus_bench *bench = *state;
    bench->request.role_set = "writer_physicist";
    bench->request.max_rounds = 1;
    say(bench, "SOLVED", "<NUMBER>", "");
    say(bench, "SOLVED", "<NUMBER>", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_MAX_ROUNDS);
    assert_int_equal(bench->reached.result.refused, 2);
}

static const char code_patch[] =
    "{\"task_understanding\":\"Write it.\",\"artifact\":{\"type\":\"code_patch\",\"content\":"
    "{\"language\":\"C\"}},\"final_solution\":{\"canonical_text\":\"int x;\"},\"public_message\":"
    "\"[SOLVED]\",\"status\":\"SOLVED\"}";

static void an_artifact_without_its_form_costs_one_reminder_and_never_the_turn(void **state)
{
    struct consensus_bench *bench = *state;
    bench->request.role_set = "code";
    fake_model_reply(&bench->services.model, code_patch);
    fake_model_reply(&bench->services.model, code_patch);
    say(bench, "WORKING", "", "");
    say(bench, "SOLVED", "int x;", "");
    say(bench, "SOLVED", "int x;", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_non_null(strstr(asked(bench, 1)->user, "files"));
    assert_non_null(strstr(asked(bench, 3)->user, "Your last artifact did not have its form"));
    assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
}

static void a_spent_ladder_is_told_to_the_peer_and_the_run_goes_on(void **state)
{
    struct consensus_bench *bench = *state;
    say(bench, "SOLVED", "4", "");
    for (int i = 0; i < 4; i++)
        fake_model_reply(&bench->services.model, "I think it is four.");
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
    assert_int_equal(bench->reached.result.rounds, 2);
    assert_non_null(strstr(asked(bench, 5)->user, "could not be read"));
    const json_t *lost = consensus_bench_event(bench, EVENT_ENVELOPE, 1);
    assert_null(json_object_get(lost, "envelope"));
}

/* Each turn costs the whole ladder: two that only chat cost 64 requests in eight rounds. */
static void two_that_only_chat_end_the_run(void **state)
{
    struct consensus_bench *bench = *state;
    for (int i = 0; i < 24; i++)
        fake_model_reply(&bench->services.model, "I think it is four.");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_UNREADABLE);
    assert_int_equal(bench->services.model.n_requests, 16);
    assert_int_equal(bench->reached.result.rounds, 2);
    assert_non_null(strstr(bench->reached.result.err.message, "no usable envelope"));
    const json_t *ended = consensus_bench_event(bench, EVENT_CONSENSUS_ENDED, 0);
    assert_string_equal(json_get_string(ended, "end"), "unreadable");
    assert_non_null(json_object_get(ended, "error"));
}

/* What stands last is copied first. */
static void the_task_stands_behind_the_example_of_another_one(void **state)
{
    struct consensus_bench *bench = *state;
    for (int i = 0; i < 3; i++)
        fake_model_reply(&bench->services.model, "I think it is four.");
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_true(text_ends_with(asked(bench, 3)->user, "The task: 2+2"));
    assert_non_null(strstr(asked(bench, 3)->user, "harbour"));
}

static void an_endpoint_that_is_gone_ends_the_run_with_its_reason(void **state)
{
    struct consensus_bench *bench = *state;
    bench->services.settings.model_attempts = 1;
    say(bench, "SOLVED", "4", "");
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_UNAVAILABLE });

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_AGENTS_LOST);
    assert_int_equal(bench->reached.result.err.code, ERR_UNAVAILABLE);
    assert_string_equal(bench->reached.result.candidates[0].text, "4");
}

static void who_was_silent_once_is_asked_again_in_the_same_turn(void **state)
{
    struct consensus_bench *bench = *state;
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_TIMEOUT });
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
    assert_int_equal(bench->reached.result.rounds, 1);
    assert_int_equal(bench->reached.result.usage[0].model_calls, 2);
    const char *warning = json_get_string(consensus_bench_event(bench, EVENT_WARNING, 0), "text");
    assert_non_null(strstr(warning, "the Solver is asked once more"));
}

static void who_was_silent_twice_is_lost(void **state)
{
    struct consensus_bench *bench = *state;
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_TIMEOUT });
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_TIMEOUT });
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_AGENTS_LOST);
    assert_int_equal(bench->reached.result.err.code, ERR_TIMEOUT);
    assert_int_equal(bench->services.model.n_requests, 2);
}

static void what_the_checker_refuses_is_told_to_its_author(void **state)
{
    struct consensus_bench *bench = *state;
    struct fake_candidate_checker checker;
    fake_candidate_checker_init(&checker);
    checker.refuses = "5";
    checker.failure = "it must be at most 4";
    bench->services.base.checker = &checker.base;
    say(bench, "SOLVED", "5", "");
    say(bench, "SOLVED", "5", "");
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_non_null(strstr(asked(bench, 2)->user, "it must be at most 4"));
    assert_string_equal(bench->reached.result.text, "4");
    assert_int_equal(checker.n_checks, 4);
}

static void a_checker_that_fails_ends_the_run(void **state)
{
    struct consensus_bench *bench = *state;
    struct fake_candidate_checker checker;
    fake_candidate_checker_init(&checker);
    checker.fails = ERR_TIMEOUT;
    bench->services.base.checker = &checker.base;
    say(bench, "SOLVED", "5", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_TIMEOUT);

    assert_int_equal(fake_services_count(&bench->services, EVENT_RUN_FINISHED), 1);
}

static void the_peers_text_is_bounded_and_says_so(void **state)
{
    struct consensus_bench *bench = *state;
    bench->request.role_set = "writer_physicist";
    bench->services.settings.consensus_peer_bytes = 256;
    bench->request.max_rounds = 2;
    char *text = arena_alloc(&bench->arena, 258);
    memset(text, 'a', 257);
    say(bench, "SOLVED", text, "");
    say(bench, "WORKING", "", "");
    say(bench, "SOLVED", text, "");
    say(bench, "WORKING", "", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_non_null(strstr(asked(bench, 3)->user, "(cut: the first 256 of 257 bytes"));
}

static void a_text_that_has_to_be_said_again_gets_the_room_for_it(void **state)
{
    struct consensus_bench *bench = *state;
    bench->request.role_set = "writer_physicist";
    bench->services.settings.consensus_max_tokens = 64;
    bench->services.settings.max_tokens = 2048;
    bench->request.max_rounds = 2;
    const char *text = "word word word word word word word word word word word word word word";
    say(bench, "SOLVED", text, "");
    say(bench, "WORKING", "", "");
    say(bench, "WORKING", "", "");
    say(bench, "WORKING", "", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_true(asked(bench, 3)->max_tokens >= 400);
    assert_true(asked(bench, 3)->max_tokens <= 2048);
}

static void a_vote_counts_what_most_samples_say(void **state)
{
    struct consensus_bench *bench = *state;
    bench->request.vote = 3;
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "5", "");
    say(bench, "SOLVED", "4.0", "");
    say(bench, "SOLVED", "4", "");

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.vote.samples, 3);
    assert_int_equal(bench->reached.result.vote.usable, 3);
    assert_int_equal(bench->reached.result.vote.agree, 2);
    assert_string_equal(bench->reached.result.vote.text, "4.0");
    assert_true(asked(bench, 2)->temperature > 0.5);
    assert_true(asked(bench, 0)->temperature < 0.01);
    assert_int_equal(bench->reached.result.vote.usage.model_calls, 3);
    assert_int_equal(fake_services_count(&bench->services, EVENT_VOTE), 1);
}

static void a_vote_without_an_answer_has_no_winner(void **state)
{
    struct consensus_bench *bench = *state;
    bench->services.settings.model_attempts = 1;
    bench->request.vote = 2;
    say(bench, "SOLVED", "4", "");
    say(bench, "SOLVED", "4", "");
    say(bench, "WORKING", "", "");
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_UNAVAILABLE });

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.vote.usable, 0);
    assert_null(bench->reached.result.vote.text);
}

int main(void)
{
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, consensus_bench_set_up, consensus_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(two_models_that_say_the_same_agree_at_once),
        TEST(nobody_sees_the_other_in_the_first_round),
        TEST(the_system_text_has_role_protocol_and_pack),
        TEST(the_two_differ_only_behind_what_they_share),
        TEST(the_final_text_is_required_before_the_status),
        TEST(an_envelope_of_what_only_the_model_knows_is_whole),
        TEST(a_final_text_that_is_a_value_is_taken_as_it_reads),
        TEST(a_number_that_lost_digits_is_asked_for_as_a_text),
        TEST(two_that_only_chat_end_the_run),
        TEST(the_task_stands_behind_the_example_of_another_one),
        TEST(questions_of_the_peer_are_put_before_the_agent),
        TEST(a_status_of_the_models_own_is_taken_for_what_it_means),
        TEST(solved_without_a_text_is_asked_for_again),
        TEST(two_that_copy_the_example_do_not_agree_on_it),
        TEST(two_that_copy_the_contract_do_not_agree_on_it),
        TEST(two_that_copy_a_gap_do_not_agree_on_it),
        TEST(an_artifact_without_its_form_costs_one_reminder_and_never_the_turn),
        TEST(a_spent_ladder_is_told_to_the_peer_and_the_run_goes_on),
        TEST(an_endpoint_that_is_gone_ends_the_run_with_its_reason),
        TEST(who_was_silent_once_is_asked_again_in_the_same_turn),
        TEST(who_was_silent_twice_is_lost),
        TEST(what_the_checker_refuses_is_told_to_its_author),
        TEST(a_checker_that_fails_ends_the_run),
        TEST(the_peers_text_is_bounded_and_says_so),
        TEST(a_text_that_has_to_be_said_again_gets_the_room_for_it),
        TEST(a_vote_counts_what_most_samples_say),
        TEST(a_vote_without_an_answer_has_no_winner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
