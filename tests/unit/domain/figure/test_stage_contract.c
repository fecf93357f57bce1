/* The contracts of the five stages: complete samples, and what a lenient validator would let
 * through. */
#include "domain/base/json.h"
#include "domain/figure/stage_contract.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define POOL(id) "{\"id\":\"" id "\",\"summary\":\"s\",\"domain\":\"d\",\"diagram_type\":\"flow\"}"
#define INPUT(pool)                                                                                \
    "{\"source_context\":\"A, then B.\",\"communicative_intent\":\"show the order\","              \
    "\"caption\":\"The order\",\"candidate_pool\":[" pool "]}"
#define OUTPUT(refs)                                                                               \
    "{\"top_refs\":[" refs "],\"selection_rationale\":\"close\","                                  \
    "\"retrieval_confidence\":\"high\"}"
#define ARTIFACT(type) "{\"artifact\":{\"type\":\"" type "\",\"value\":\"/tmp/output.png\"}}"
#define DRAW(mode) "{\"description_t\":\"two boxes\",\"mode\":\"" mode "\",\"round\":0}"
#define CRITIQUE(stop, faithful, readable)                                                         \
    "{\"critic_suggestions\":\"wider\",\"revised_description\":\"two wide boxes\","                \
    "\"stop_flag\":" stop ",\"quality_gate\":{\"faithfulness_ok\":" faithful                       \
    ",\"readability_ok\":" readable "}}"

/* The problems as lines; "" when there is none. */
static const char *check(struct arena *arena, enum figure_stage stage, const char *input,
                         const char *output)
{
    json_t *in = NULL, *out = NULL;
    struct problems problems = { .arena = arena };
    const char *lines = "";
    if (input)
        assert_int_equal(json_parse(input, strlen(input), JSON_FOREIGN, &in, NULL), ERR_NONE);
    if (output)
        assert_int_equal(json_parse(output, strlen(output), JSON_FOREIGN, &out, NULL), ERR_NONE);
    bool is_fine = stage_contract_check(stage, in, out, &problems);
    json_decref(in);
    json_decref(out);
    assert_int_equal(is_fine, problems.n == 0);
    for (size_t i = 0; i < problems.n; i++) {
        assert_non_null(problems.list[i].fix);
        lines = arena_printf(arena, "%s%s%s", lines, i ? "\n" : "",
                             problem_print(&problems, &problems.list[i]));
    }
    return lines;
}

struct row {
    const char *input, *output, *expected;
};

static void check_rows(enum figure_stage stage, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        AUTO(arena) arena = { 0 };
        assert_string_equal(check(&arena, stage, rows[i].input, rows[i].output), rows[i].expected);
    }
}

static void takes_the_samples_of_the_seed(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *artifact =
        "{\"artifact\":{\"type\":\"image_path\",\"value\":\"/tmp/output.png\"},"
        "\"description_t\":\"string\",\"source_context\":\"string\",\"caption\":\"string\","
        "\"round\":0}";

    assert_string_equal(check(&arena, STAGE_RETRIEVER, INPUT(POOL("ref_001") "," POOL("ref_014")),
                              OUTPUT("\"ref_001\",\"ref_014\"")),
                        "");
    assert_string_equal(
        check(&arena, STAGE_PLANNER,
              "{\"source_context\":\"string\",\"communicative_intent\":\"string\","
              "\"caption\":\"string\",\"retrieved_examples\":[{\"id\":\"ref_001\","
              "\"summary\":\"string\"}]}",
              "{\"initial_description\":\"string\",\"assumption_block\":\"optional string\"}"),
        "");
    assert_string_equal(check(&arena, STAGE_STYLIST,
                              "{\"initial_description\":\"string\",\"style_guidelines\":\"string\","
                              "\"source_context\":\"string\",\"caption\":\"string\"}",
                              "{\"optimized_description\":\"string\",\"style_actions\":"
                              "[\"color harmonization\",\"layout cleanup\"]}"),
                        "");
    assert_string_equal(
        check(&arena, STAGE_VISUALIZER, DRAW("diagram_image"), ARTIFACT("image_path")), "");
    assert_string_equal(check(&arena, STAGE_VISUALIZER, DRAW("plot_code"), ARTIFACT("code_text")),
                        "");
    assert_string_equal(check(&arena, STAGE_CRITIC, artifact, CRITIQUE("false", "true", "true")),
                        "");
}

static void either_side_may_be_missing_but_nothing_that_is_required(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { INPUT(POOL("r")), NULL, "" },
        { NULL, OUTPUT("\"anything\""), "" },
        { NULL, NULL, "" },
        { NULL, "{\"top_refs\":[\"r\"],\"extra\":1}",
          "output /selection_rationale: missing\noutput /retrieval_confidence: missing" },
        { "[]", "7", "input: an array, not an object\noutput: a number, not an object" },
    };
    check_rows(STAGE_RETRIEVER, rows, ARRAY_LENGTH(rows));
}

static void unknown_fields_are_allowed(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    assert_string_equal(check(&arena, STAGE_PLANNER, NULL,
                              "{\"initial_description\":\"d\",\"note\":null,\"x\":{}}"),
                        "");
}

static void top_refs_are_one_to_ten_names_of_the_pool_each_once(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { NULL, OUTPUT(""), "output /top_refs: 0 references" },
        { NULL, OUTPUT("\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"10\""), "" },
        { NULL, OUTPUT("\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"10\",\"11\""),
          "output /top_refs: 11 references" },
        { NULL, OUTPUT("\"a\",\"b\",\"a\""), "output /top_refs/2: repeats \"a\"" },
        { INPUT(POOL("a")), OUTPUT("7,null,[\"a\"]"),
          "output /top_refs/0: a number, not a string\noutput /top_refs/1: null, not a string\n"
          "output /top_refs/2: an array, not a string" },
        { NULL, OUTPUT("\"\""), "output /top_refs/0: empty" },
        { INPUT(POOL("a")), OUTPUT("\"b\""),
          "output /top_refs/0: there is no \"b\" in the candidate_pool" },
        { NULL,
          "{\"top_refs\":\"a\",\"selection_rationale\":\"r\",\"retrieval_confidence\":\"low\"}",
          "output /top_refs: a string, not an array" },
        { INPUT("1"), OUTPUT("\"a\""),
          "input /candidate_pool/0: a number, not an object\n"
          "output /top_refs/0: there is no \"a\" in the candidate_pool" },
        { INPUT(""), NULL, "input /candidate_pool: empty" },
    };
    check_rows(STAGE_RETRIEVER, rows, ARRAY_LENGTH(rows));
}

static void confidence_is_one_of_three_words(void **state)
{
    (void)state;
#define CONFIDENT(value)                                                                           \
    "{\"top_refs\":[\"a\"],\"selection_rationale\":\"r\",\"retrieval_confidence\":" value "}"
    static const struct row rows[] = {
        { NULL, CONFIDENT("\"medium\""), "" },
        { NULL, CONFIDENT("\"low\""), "" },
        { NULL, CONFIDENT("\"High\""), "output /retrieval_confidence: no confidence: \"High\"" },
        { NULL, CONFIDENT("0.9"), "output /retrieval_confidence: a number, not a string" },
    };
    check_rows(STAGE_RETRIEVER, rows, ARRAY_LENGTH(rows));
}

static void empty_and_blank_strings_are_refused_with_their_path(void **state)
{
    (void)state;
    static const struct row planner[] = {
        { "{\"source_context\":\"\",\"communicative_intent\":\" \\n\",\"caption\":\"\\u00a0\","
          "\"retrieved_examples\":[{\"id\":\"\",\"summary\":\"s\"}]}",
          "{\"initial_description\":\"\"}",
          "input /source_context: empty\ninput /communicative_intent: blank\n"
          "input /caption: blank\ninput /retrieved_examples/0/id: empty\n"
          "output /initial_description: empty" },
        { NULL, "{\"initial_description\":\"d\",\"assumption_block\":\"\"}", "" },
        { NULL, "{\"initial_description\":\"d\",\"assumption_block\":null}",
          "output /assumption_block: null, not a string" },
        { NULL, "{\"initial_description\":\"a\\u0000b\"}",
          "output /initial_description: U+0000 in a string" },
    };
    static const struct row stylist[] = {
        { NULL, "{\"optimized_description\":\"d\",\"style_actions\":[]}", "" },
        { NULL, "{\"optimized_description\":\"d\",\"style_actions\":[\"x\",\"\"]}",
          "output /style_actions/1: empty" },
    };
    check_rows(STAGE_PLANNER, planner, ARRAY_LENGTH(planner));
    check_rows(STAGE_STYLIST, stylist, ARRAY_LENGTH(stylist));
}

static void true_is_no_round_number(void **state)
{
    (void)state;
#define ROUND(value) "{\"description_t\":\"d\",\"mode\":\"plot_code\",\"round\":" value "}"
    static const struct row rows[] = {
        { ROUND("2"), NULL, "" },
        { ROUND("true"), NULL, "input /round: true, not an integer" },
        { ROUND("1.0"), NULL, "input /round: not an integer" },
        { ROUND("-1"), NULL, "input /round: negative" },
        { ROUND("\"0\""), NULL, "input /round: a string, not an integer" },
    };
    check_rows(STAGE_VISUALIZER, rows, ARRAY_LENGTH(rows));
}

static void an_artifact_fits_its_mode(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { DRAW("plot_code"), ARTIFACT("image_path"),
          "output /artifact/type: image_path is not what mode plot_code gives" },
        { DRAW("diagram_image"), ARTIFACT("code_text"),
          "output /artifact/type: code_text is not what mode diagram_image gives" },
        { DRAW("plot_code"), ARTIFACT("image_prompt"), "" },
        { DRAW("diagram_image"), ARTIFACT("image_prompt"), "" },
        { DRAW("image"), ARTIFACT("image_path"), "input /mode: no mode: \"image\"" },
        { NULL, ARTIFACT("picture"), "output /artifact/type: no type of artifact: \"picture\"" },
        { NULL, "{\"artifact\":{\"type\":1,\"value\":\"\"}}",
          "output /artifact/type: a number, not a string\noutput /artifact/value: empty" },
        { "{\"description_t\":\"d\",\"mode\":null,\"round\":0}", ARTIFACT("code_text"),
          "input /mode: null, not a string" },
    };
    check_rows(STAGE_VISUALIZER, rows, ARRAY_LENGTH(rows));
}

static void a_critic_stops_only_through_both_gates(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { NULL, CRITIQUE("true", "true", "true"), "" },
        { NULL, CRITIQUE("false", "false", "false"), "" },
        { NULL, CRITIQUE("true", "false", "true"),
          "output /stop_flag: stops although faithfulness_ok is false" },
        { NULL, CRITIQUE("true", "true", "false"),
          "output /stop_flag: stops although readability_ok is false" },
        { NULL, CRITIQUE("\"yes\"", "1", "true"),
          "output /stop_flag: a string, neither true nor false\n"
          "output /quality_gate/faithfulness_ok: a number, neither true nor false" },
        { NULL, "{\"critic_suggestions\":\"s\",\"revised_description\":\"d\",\"stop_flag\":true}",
          "output /quality_gate: missing" },
    };
    check_rows(STAGE_CRITIC, rows, ARRAY_LENGTH(rows));
}

static void source_and_caption_stay_the_same_bytes(void **state)
{
    (void)state;
#define STYLED(caption)                                                                            \
    "{\"optimized_description\":\"d\",\"style_actions\":[],\"caption\":\"" caption "\"}"
#define TO_STYLE                                                                                   \
    "{\"initial_description\":\"d\",\"style_guidelines\":\"g\",\"source_context\":\"s\","          \
    "\"caption\":\"The order\"}"
    static const struct row rows[] = {
        { TO_STYLE, STYLED("The order"), "" },
        { TO_STYLE, STYLED("The order "),
          "output /caption: not what the input has: it stays the same to the end" },
    };
    check_rows(STAGE_STYLIST, rows, ARRAY_LENGTH(rows));
}

static void a_style_keeps_the_names_of_the_plan(void **state)
{
    (void)state;
#define PLANNED                                                                                    \
    "{\"initial_description\":\"The Client sends SYN to the Server.\",\"style_guidelines\":\"g\"," \
    "\"source_context\":\"s\",\"caption\":\"c\"}"
    static const struct row rows[] = {
        { PLANNED,
          "{\"optimized_description\":\"Blue boxes: Client, Server; an arrow SYN.\","
          "\"style_actions\":[]}",
          "" },
        { PLANNED,
          "{\"optimized_description\":\"Blue boxes: Client, Server; an arrow.\","
          "\"style_actions\":[]}",
          "output /optimized_description: \"SYN\" was lost on the way" },
    };
    check_rows(STAGE_STYLIST, rows, ARRAY_LENGTH(rows));
}

static void a_list_of_a_thousand_faults_ends(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    json_auto_t *output = json_pack("{s:s, s:[]}", "optimized_description", "d", "style_actions");
    for (size_t i = 0; i < 1000; i++)
        json_array_append_new(json_object_get(output, "style_actions"), json_null());

    assert_false(stage_contract_check(STAGE_STYLIST, NULL, output, &problems));

    assert_int_equal(problems.n, PROBLEMS_MAX);
    assert_int_equal(problems.dropped, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_samples_of_the_seed),
        cmocka_unit_test(either_side_may_be_missing_but_nothing_that_is_required),
        cmocka_unit_test(unknown_fields_are_allowed),
        cmocka_unit_test(top_refs_are_one_to_ten_names_of_the_pool_each_once),
        cmocka_unit_test(confidence_is_one_of_three_words),
        cmocka_unit_test(empty_and_blank_strings_are_refused_with_their_path),
        cmocka_unit_test(true_is_no_round_number),
        cmocka_unit_test(an_artifact_fits_its_mode),
        cmocka_unit_test(a_critic_stops_only_through_both_gates),
        cmocka_unit_test(source_and_caption_stay_the_same_bytes),
        cmocka_unit_test(a_style_keeps_the_names_of_the_plan),
        cmocka_unit_test(a_list_of_a_thousand_faults_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
