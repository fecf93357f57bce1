/* The round log: a sample as another program writes it, and each rule from both sides. */
#include "domain/base/json.h"
#include "domain/figure/stage_contract.h"
#include "tests/support/cmocka.h"
#include <string.h>

/* The sample, byte for byte. */
static const char sample[] = "{\n"
                             "  \"max_rounds\": 3,\n"
                             "  \"mode\": \"diagram_image\",\n"
                             "  \"terminated_early\": false,\n"
                             "  \"termination_reason\": \"\",\n"
                             "  \"rounds\": [\n"
                             "    {\n"
                             "      \"round\": 0,\n"
                             "      \"description_t\": \"string\",\n"
                             "      \"artifact\": {\"type\": \"image_path\", \"value\": "
                             "\"/tmp/r0.png\"},\n"
                             "      \"critique\": {\n"
                             "        \"critic_suggestions\": \"string\",\n"
                             "        \"revised_description\": \"string\",\n"
                             "        \"stop_flag\": false\n"
                             "      }\n"
                             "    }\n"
                             "  ]\n"
                             "}\n";

#define ROUND(index, drawn, asked, stop)                                                           \
    "{\"round\":" index ",\"description_t\":\"" drawn                                              \
    "\",\"artifact\":{\"type\":\"image_path\",\"value\":\"/tmp/r.png\"},\"critique\":"             \
    "{\"critic_suggestions\":\"s\",\"revised_description\":\"" asked "\",\"stop_flag\":" stop "}}"
#define LOG(max, early, reason, rounds)                                                            \
    "{\"max_rounds\":" max ",\"mode\":\"diagram_image\",\"terminated_early\":" early               \
    ",\"termination_reason\":\"" reason "\",\"rounds\":[" rounds "]}"

struct row {
    const char *log;
    bool well_formed, complete;
    const char *expected;
    unsigned max_rounds;
    bool allow_drift;
};

static const char *check(struct arena *arena, const struct row *row,
                         struct round_log_verdict *out_verdict)
{
    json_t *log = NULL;
    struct problems problems = { .arena = arena };
    const char *lines = "";
    assert_int_equal(json_parse(row->log, strlen(row->log), JSON_FOREIGN, &log, NULL), ERR_NONE);
    *out_verdict = round_log_check(log, row->max_rounds, row->allow_drift, &problems);
    json_decref(log);
    for (size_t i = 0; i < problems.n; i++) {
        assert_non_null(problems.list[i].fix);
        lines = arena_printf(arena, "%s%s%s", lines, i ? "\n" : "",
                             problem_print(&problems, &problems.list[i]));
    }
    return lines;
}

static void check_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        AUTO(arena) arena = { 0 };
        struct round_log_verdict verdict;
        assert_string_equal(check(&arena, &rows[i], &verdict), rows[i].expected);
        assert_int_equal(verdict.well_formed, rows[i].well_formed);
        assert_int_equal(verdict.complete, rows[i].complete);
    }
}

static void the_sample_of_the_seed_is_well_formed_and_incomplete(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    json_t *log = NULL;
    assert_int_equal(json_parse(sample, strlen(sample), JSON_OURS, &log, NULL), ERR_NONE);

    struct round_log_verdict verdict = round_log_check(log, 0, false, &problems);
    json_decref(log);

    assert_true(verdict.well_formed);
    assert_false(verdict.complete);
    assert_int_equal(problems.n, 1);
    assert_string_equal(problems.list[0].rule, STAGE_RULE_COMPLETE);
    assert_string_equal(problem_print(&problems, &problems.list[0]),
                        "/rounds/0/critique/stop_flag: 1 of 3 rounds, and the last does not stop");
}

static void a_log_is_complete_by_a_stop_or_by_all_its_rounds(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { LOG("3", "false", "", ROUND("0", "a", "a", "true")), true, true, "", 0, false },
        { LOG("1", "false", "", ROUND("0", "a", "b", "false")), true, true, "", 0, false },
        { LOG("2", "false", "", ROUND("0", "a", "b", "false") "," ROUND("1", "b", "c", "false")),
          true, true, "", 0, false },
        { LOG("3", "true", "approved", ROUND("0", "a", "a", "true")), true, true, "", 0, false },
        { LOG("3", "true", "no progress", ROUND("0", "a", "a", "false")), true, false,
          "/rounds/0/critique/stop_flag: it ended early, and the last round does not stop", 0,
          false },
        { LOG("5", "false", "", ROUND("0", "a", "b", "false")), true, true, "", 1, false },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void rounds_are_some_and_no_more_than_the_maximum(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { LOG("3", "false", "", ""), false, false, "/rounds: empty", 0, false },
        { LOG("1", "false", "", ROUND("0", "a", "b", "false") "," ROUND("1", "b", "c", "false")),
          false, false, "/rounds: 2 rounds of at most 1", 0, false },
        { LOG("9", "false", "", ROUND("0", "a", "b", "false") "," ROUND("1", "b", "c", "false")),
          false, false, "/rounds: 2 rounds of at most 1", 1, false },
        { LOG("true", "false", "", ROUND("0", "a", "a", "true")), false, false,
          "/max_rounds: true, not an integer", 0, false },
        { LOG("0", "false", "", ROUND("0", "a", "a", "true")), false, false,
          "/max_rounds: no room for a round", 0, false },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void a_round_stands_where_its_number_says(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { LOG("2", "false", "", ROUND("1", "a", "a", "true")), false, false,
          "/rounds/0/round: round 1 stands at position 0", 0, false },
        { LOG("2", "false", "", ROUND("false", "a", "a", "true")), false, false,
          "/rounds/0/round: false, not an integer", 0, false },
        { LOG("2", "false", "", ROUND("0", "a", "b", "false") "," ROUND("0", "b", "c", "true")),
          false, false, "/rounds/1/round: round 0 stands at position 1", 0, false },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void nothing_comes_after_a_stop(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { LOG("2", "false", "", ROUND("0", "a", "a", "true") "," ROUND("1", "a", "a", "true")),
          false, false, "/rounds/1: a round after the stop of round 0", 0, false },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void a_round_draws_what_the_one_before_asked_for(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { LOG("2", "false", "",
              ROUND("0", "a", "two\\n  boxes", "false") "," ROUND("1", " two boxes ", "c", "true")),
          true, true, "", 0, false },
        { LOG("2", "false", "",
              ROUND("0", "a", "two boxes", "false") "," ROUND("1", "twoboxes", "c", "true")),
          false, false, "/rounds/1/description_t: not what round 0 asked for", 0, false },
        { LOG("2", "false", "", ROUND("0", "a", "b", "false") "," ROUND("1", "b c", "c", "true")),
          false, false, "/rounds/1/description_t: not what round 0 asked for", 0, false },
        { LOG("2", "false", "", ROUND("0", "a", "b", "false") "," ROUND("1", "x", "c", "true")),
          true, true, "", 0, true },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void who_ends_early_says_why_and_has_rounds_left(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { LOG("3", "true", " ", ROUND("0", "a", "a", "true")), false, false,
          "/termination_reason: empty", 0, false },
        { LOG("1", "true", "approved", ROUND("0", "a", "a", "true")), false, false,
          "/terminated_early: true with 1 of 1 rounds", 0, false },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void a_stop_with_a_failed_gate_and_a_wrong_artifact_are_refused(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { LOG("1", "false", "",
              "{\"round\":0,\"description_t\":\"d\",\"artifact\":{\"type\":\"code_text\",\"value\":"
              "\"x\"},\"critique\":{\"critic_suggestions\":\"s\",\"revised_description\":\"d\","
              "\"stop_flag\":true,\"quality_gate\":{\"faithfulness_ok\":false,"
              "\"readability_ok\":true}}}"),
          false, false,
          "/rounds/0/critique/stop_flag: stops although faithfulness_ok is false\n"
          "/rounds/0/artifact/type: code_text is not what mode diagram_image gives",
          0, false },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void source_and_caption_stay_the_same_where_they_are_repeated(void **state)
{
    (void)state;
#define WITH_CAPTION(index, caption, stop)                                                         \
    "{\"round\":" index ",\"caption\":\"" caption                                                  \
    "\",\"description_t\":\"a\",\"artifact\":{\"type\":\"image_path\",\"value\":\"r\"},"           \
    "\"critique\":{\"critic_suggestions\":\"s\",\"revised_description\":\"a\",\"stop_flag\":" stop \
    "}}"
    static const struct row rows[] = {
        { LOG("2", "false", "",
              WITH_CAPTION("0", "The order", "false") "," WITH_CAPTION("1", "The order", "true")),
          true, true, "", 0, false },
        { LOG("2", "false", "",
              WITH_CAPTION("0", "The order", "false") "," WITH_CAPTION("1", "An order", "true")),
          false, false,
          "/rounds/1/caption: not what stood there before: it stays the same to the end", 0,
          false },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

static void what_is_no_log_is_refused_with_what_is_wrong(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "[]", false, false, "an array, not an object", 0, false },
        { "{}", false, false,
          "/max_rounds: missing\n/terminated_early: missing\n/termination_reason: missing\n"
          "/rounds: missing",
          0, false },
        { LOG("1", "1", "", "null"), false, false,
          "/terminated_early: a number, neither true nor false\n"
          "/rounds/0: null, not an object",
          0, false },
        { "{\"max_rounds\":1,\"mode\":\"other\",\"terminated_early\":false,\"termination_reason\":"
          "null,\"rounds\":{}}",
          false, false,
          "/mode: no mode: \"other\"\n/termination_reason: null, not a string\n"
          "/rounds: not an array",
          0, false },
    };
    check_rows(rows, ARRAY_LENGTH(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_of_the_seed_is_well_formed_and_incomplete),
        cmocka_unit_test(a_log_is_complete_by_a_stop_or_by_all_its_rounds),
        cmocka_unit_test(rounds_are_some_and_no_more_than_the_maximum),
        cmocka_unit_test(a_round_stands_where_its_number_says),
        cmocka_unit_test(nothing_comes_after_a_stop),
        cmocka_unit_test(a_round_draws_what_the_one_before_asked_for),
        cmocka_unit_test(who_ends_early_says_why_and_has_rounds_left),
        cmocka_unit_test(a_stop_with_a_failed_gate_and_a_wrong_artifact_are_refused),
        cmocka_unit_test(source_and_caption_stay_the_same_where_they_are_repeated),
        cmocka_unit_test(what_is_no_log_is_refused_with_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
