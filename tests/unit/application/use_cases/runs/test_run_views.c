/* What a run of two agents leaves in the log, in the forms of the originals, and its replay. */
#include "application/consensus/consensus_record.h"
#include "application/use_cases/runs/runs.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/consensus_bench.h"
#include <string.h>

static void play_mocks(struct consensus_bench *bench)
{
    bench->request.agents[0] = AGENT_MOCK_RULE;
    bench->request.agents[1] = AGENT_MOCK_ECHO;
    bench->request.mock_answer = "4";
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
}

static void play_replies(struct consensus_bench *bench, const char *const *replies, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fake_model_reply(&bench->services.model, replies[i]);
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
}

static const char *exported(struct consensus_bench *bench, enum run_form form)
{
    const char *text = NULL;
    assert_int_equal(export_run(&bench->services.base, &bench->scope, &bench->arena,
                                bench->reached.run_id, form, false, &text, &bench->err),
                     ERR_NONE);
    return text;
}

static json_t *parsed(struct consensus_bench *bench, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return arena_keep_json(&bench->arena, value);
}

static struct consensus_replay replayed(struct consensus_bench *bench)
{
    struct consensus_replay replay = { 0 };
    assert_int_equal(replay_run(&bench->services.base, &bench->scope, &bench->arena,
                                bench->reached.run_id, &replay, &bench->err),
                     ERR_NONE);
    return replay;
}

static void the_final_object_is_that_of_the_run(void **state)
{
    struct consensus_bench *bench = *state;
    play_mocks(bench);
    json_auto_t *live = consensus_result_to_json(&bench->reached.result, bench->reached.run_id,
                                                 bench->reached.kind);

    assert_true(json_equal(parsed(bench, exported(bench, RUN_FORM_FINAL)), live));
}

static void the_transcript_has_a_line_for_each_envelope(void **state)
{
    struct consensus_bench *bench = *state;
    play_mocks(bench);

    const char *text = exported(bench, RUN_FORM_TRANSCRIPT);

    unsigned lines = 0;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1)
        lines++;
    assert_int_equal(lines, 4);
    const json_t *first = parsed(bench, arena_strndup(&bench->arena, text, strcspn(text, "\n")));
    assert_string_equal(json_get_string(first, "agent"), "a");
    assert_string_equal(json_get_string(first, "role"), "Solver");
    assert_int_equal(json_get_int(first, "round", 0), 1);
    assert_non_null(json_get_string(first, "time"));
    assert_string_equal(json_get_string(json_object_get(first, "envelope"), "status"), "SOLVED");
}

static void of_a_turn_that_could_not_be_read_the_transcript_has_the_error_envelope(void **state)
{
    struct consensus_bench *bench = *state;
    for (int i = 0; i < 8; i++)
        fake_model_reply(&bench->services.model, "four, I think");
    bench->request.max_rounds = 1;
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    const char *text = exported(bench, RUN_FORM_TRANSCRIPT);

    const json_t *first = parsed(bench, arena_strndup(&bench->arena, text, strcspn(text, "\n")));
    const json_t *envelope = json_object_get(first, "envelope");
    assert_string_equal(json_get_string(envelope, "status"), "NEED_PEER");
    assert_non_null(strstr(json_get_string(envelope, "public_message"), "[CONTACT]"));
    assert_null(replayed(bench).difference);
}

static void the_whole_run_has_all_its_events(void **state)
{
    struct consensus_bench *bench = *state;
    play_mocks(bench);

    const json_t *run = parsed(bench, exported(bench, RUN_FORM_RUN));

    assert_string_equal(json_get_string(run, "kind"), "consensus");
    assert_int_equal(json_array_size(json_object_get(run, "events")),
                     bench->services.runs.n_events);
}

static void a_run_has_only_the_forms_of_its_kind(void **state)
{
    struct consensus_bench *bench = *state;
    const char *text = NULL;
    play_mocks(bench);

    assert_int_equal(export_run(&bench->services.base, &bench->scope, &bench->arena,
                                bench->reached.run_id, RUN_FORM_ROUND_LOG, false, &text,
                                &bench->err),
                     ERR_INVALID);
    assert_string_equal(bench->err.message, "the run id000001 of kind consensus has no round_log");
    assert_string_equal(bench->err.hint,
                        "it can be had as run, transcript, final or otlp-json, as far as it came");
    assert_null(text);
}

static void a_form_that_a_run_did_not_reach_is_not_offered_again(void **state)
{
    struct consensus_bench *bench = *state;
    const char *text = NULL;
    play_mocks(bench);
    bench->services.runs.n_events = 1;

    assert_int_equal(export_run(&bench->services.base, &bench->scope, &bench->arena,
                                bench->reached.run_id, RUN_FORM_FINAL, false, &text, &bench->err),
                     ERR_INVALID);
    assert_string_equal(bench->err.hint, "it ended before that; --as run has it as far as it came");
}

static void forms_have_names(void **state)
{
    enum run_form form = RUN_FORM_RUN;
    (void)state;
    assert_true(run_form_parse("round_log", &form));
    assert_int_equal(form, RUN_FORM_ROUND_LOG);
    assert_false(run_form_parse("poem", &form));
}

static void mocks_replay_to_the_same_end(void **state)
{
    struct consensus_bench *bench = *state;
    play_mocks(bench);

    struct consensus_replay replay = replayed(bench);

    assert_null(replay.difference);
    assert_int_equal(replay.turns, 4);
    assert_int_equal(replay.end, CONSENSUS_CONSENSUS);
}

static void coerced_and_refused_envelopes_replay_to_the_same_end(void **state)
{
    struct consensus_bench *bench = *state;
    const char *const replies[] = {
        consensus_bench_envelope(bench, "SOLVED", "<NUMBER>", ""),
        consensus_bench_envelope(bench, "SOLVED", "5", ""),
        consensus_bench_envelope(bench, "PROPOSED", "4", ",\"tags\":[\"SOLVED\"]"),
        consensus_bench_envelope(bench, "SOLVED", "4",
                                 ",\"meta\":{\"change_reason\":\"four it is\"}"),
        consensus_bench_envelope(bench, "SOLVED", "4", ""),
        consensus_bench_envelope(bench, "SOLVED", "4", ""),
        consensus_bench_envelope(bench, "SOLVED", "4", ""),
        consensus_bench_envelope(bench, "SOLVED", "4", ""),
    };
    bench->request.max_rounds = 4;
    play_replies(bench, replies, ARRAY_LENGTH(replies));

    struct consensus_replay replay = replayed(bench);

    assert_null(replay.difference);
    assert_int_equal(replay.end, bench->reached.result.end);
}

static void a_run_that_lost_an_agent_replays_to_the_same_end(void **state)
{
    struct consensus_bench *bench = *state;
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_UNAVAILABLE });
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
    assert_int_equal(bench->reached.result.end, CONSENSUS_AGENTS_LOST);

    struct consensus_replay replay = replayed(bench);

    assert_null(replay.difference);
    assert_int_equal(replay.end, CONSENSUS_AGENTS_LOST);
}

/* The record with one member of one event changed. */
static enum err_code try_changed(struct consensus_bench *bench, enum event_kind kind,
                                 const char *key, json_t *value, struct consensus_replay *out)
{
    struct recorded_run recorded = { 0 };
    assert_int_equal(show_run(&bench->services.base, &bench->scope, &bench->arena,
                              bench->reached.run_id, &recorded, NULL),
                     ERR_NONE);
    struct event *events = recorded.events;
    for (size_t i = 0; i < recorded.n_events; i++) {
        if (events[i].kind != kind)
            continue;
        json_t *changed = json_copy((json_t *)(uintptr_t)events[i].data);
        json_object_set_new(changed, key, value);
        events[i].data = arena_keep_json(&bench->arena, changed);
        break;
    }
    return consensus_replay(&bench->arena, bench->services.base.digest, events, recorded.n_events,
                            out, &bench->err);
}

static struct consensus_replay replay_changed(struct consensus_bench *bench, enum event_kind kind,
                                              const char *key, json_t *value)
{
    struct consensus_replay replay = { 0 };
    assert_int_equal(try_changed(bench, kind, key, value, &replay), ERR_NONE);
    return replay;
}

static void a_record_in_which_one_speaks_out_of_turn_is_none(void **state)
{
    struct consensus_bench *bench = *state;
    struct consensus_replay replay = { 0 };
    play_mocks(bench);
    assert_int_equal(try_changed(bench, EVENT_ENVELOPE, "agent", json_string("b"), &replay),
                     ERR_INVALID);
    assert_string_equal(bench->err.message, "round 1: agent b speaks out of turn");
}

static void the_first_difference_is_said(void **state)
{
    struct consensus_bench *bench = *state;
    play_mocks(bench);
    struct consensus_replay end =
        replay_changed(bench, EVENT_CONSENSUS_ENDED, "end", json_string("loop"));
    assert_string_equal(end.difference, "the run ended with loop and now with consensus");
    struct consensus_replay counts = replay_changed(bench, EVENT_ENVELOPE, "counts", json_false());
    assert_string_equal(counts.difference,
                        "round 1, agent a: the candidate did not count and now counts");
    struct consensus_replay checked =
        replay_changed(bench, EVENT_ENVELOPE, "checked", json_string("it must match \"x\""));
    assert_string_equal(checked.difference,
                        "round 1, agent a: the candidate counted and now does not");
}

static void what_is_no_whole_run_of_two_agents_is_not_replayed(void **state)
{
    struct consensus_bench *bench = *state;
    struct consensus_replay replay = { 0 };
    play_mocks(bench);
    assert_int_equal(
        consensus_replay(&bench->arena, bench->services.base.digest, NULL, 0, &replay, &bench->err),
        ERR_INVALID);
    assert_string_equal(bench->err.message, "this is not a run of two agents");
    size_t n = bench->services.runs.n_events - 2; /* without its end */
    assert_int_equal(consensus_replay(&bench->arena, bench->services.base.digest,
                                      bench->services.runs.events, n, &replay, &bench->err),
                     ERR_INVALID);
    assert_string_equal(bench->err.message, "the run was cut off");
    assert_null(consensus_final("r", bench->services.runs.events, n));
}

static void a_log_without_texts_cannot_be_replayed(void **state)
{
    struct consensus_bench *bench = *state;
    struct consensus_replay replay = { 0 };
    bench->services.settings.runs_store_text = false;
    play_mocks(bench);

    assert_int_equal(replay_run(&bench->services.base, &bench->scope, &bench->arena,
                                bench->reached.run_id, &replay, &bench->err),
                     ERR_UNAVAILABLE);
    assert_string_equal(bench->err.message, "replay: the log kept no texts of this run");
}

int main(void)
{
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, consensus_bench_set_up, consensus_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_final_object_is_that_of_the_run),
        TEST(the_transcript_has_a_line_for_each_envelope),
        TEST(of_a_turn_that_could_not_be_read_the_transcript_has_the_error_envelope),
        TEST(the_whole_run_has_all_its_events),
        TEST(a_run_has_only_the_forms_of_its_kind),
        TEST(a_form_that_a_run_did_not_reach_is_not_offered_again),
        TEST(forms_have_names),
        TEST(mocks_replay_to_the_same_end),
        TEST(coerced_and_refused_envelopes_replay_to_the_same_end),
        TEST(a_run_that_lost_an_agent_replays_to_the_same_end),
        TEST(the_first_difference_is_said),
        TEST(a_record_in_which_one_speaks_out_of_turn_is_none),
        TEST(what_is_no_whole_run_of_two_agents_is_not_replayed),
        TEST(a_log_without_texts_cannot_be_replayed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
