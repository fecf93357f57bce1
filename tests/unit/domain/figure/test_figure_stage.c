#include "domain/base/json.h"
#include "domain/figure/figure_stage.h"
#include "tests/support/cmocka.h"

static void every_name_reads_back_as_what_it_names(void **state)
{
    (void)state;
    enum figure_stage stage;
    enum figure_mode mode;
    enum figure_artifact_type type;

#define X(value, name)                                                                             \
    assert_true(figure_stage_parse(name, &stage));                                                 \
    assert_int_equal(stage, STAGE_##value);                                                        \
    assert_string_equal(figure_stage_name(STAGE_##value), name);
    FIGURE_STAGES(X)
#undef X
#define X(value, name)                                                                             \
    assert_true(figure_mode_parse(name, &mode));                                                   \
    assert_int_equal(mode, FIGURE_MODE_##value);                                                   \
    assert_string_equal(figure_mode_name(FIGURE_MODE_##value), name);
    FIGURE_MODES(X)
#undef X
#define X(value, name)                                                                             \
    assert_true(figure_artifact_parse(name, &type));                                               \
    assert_int_equal(type, FIGURE_ARTIFACT_##value);                                               \
    assert_string_equal(figure_artifact_name(FIGURE_ARTIFACT_##value), name);
    FIGURE_ARTIFACTS(X)
#undef X
}

static void another_name_is_none(void **state)
{
    (void)state;
    enum figure_stage stage;
    enum figure_mode mode;
    enum figure_artifact_type type;

    assert_false(figure_stage_parse("Critic", &stage));
    assert_false(figure_stage_parse(NULL, &stage));
    assert_false(figure_mode_parse("image", &mode));
    assert_false(figure_artifact_parse("", &type));
}

static void the_input_is_what_the_retriever_takes(void **state)
{
    (void)state;
    static const struct figure_reference pool[] = {
        { .id = "ref_001", .summary = "a handshake", .domain = "networks", .diagram_type = "flow" },
        { .id = "ref_002", .summary = "a cycle" },
    };
    struct figure_input input = { .source_context = "A sends SYN.",
                                  .communicative_intent = "order",
                                  .caption = "A handshake",
                                  .pool = pool,
                                  .n_pool = 2 };

    json_auto_t *value = figure_input_to_json(&input);

    auto_str text = json_print(value);
    assert_string_equal(
        text,
        "{\"source_context\":\"A sends SYN.\",\"communicative_intent\":\"order\","
        "\"caption\":\"A handshake\",\"candidate_pool\":["
        "{\"id\":\"ref_001\",\"summary\":\"a handshake\",\"domain\":\"networks\","
        "\"diagram_type\":\"flow\"},"
        "{\"id\":\"ref_002\",\"summary\":\"a cycle\",\"domain\":\"\",\"diagram_type\":\"\"}]}");
}

static void a_critique_that_was_not_read_says_so(void **state)
{
    (void)state;
    struct figure_critique read = { .critic_suggestions = "wider",
                                    .revised_description = "d",
                                    .stop_flag = true,
                                    .faithfulness_ok = true,
                                    .readability_ok = true,
                                    .reviewed = true };
    struct figure_critique unread = { .critic_suggestions = NULL, .revised_description = "d" };

    json_auto_t *first = figure_critique_to_json(&read);
    json_auto_t *second = figure_critique_to_json(&unread);

    auto_str first_text = json_print(first);
    auto_str second_text = json_print(second);
    assert_string_equal(first_text, "{\"critic_suggestions\":\"wider\",\"revised_description\":"
                                    "\"d\",\"stop_flag\":true,\"quality_gate\":{\"faithfulness_ok\""
                                    ":true,\"readability_ok\":true}}");
    assert_string_equal(second_text, "{\"critic_suggestions\":\"\",\"revised_description\":\"d\","
                                     "\"stop_flag\":false,\"quality_gate\":{\"faithfulness_ok\":"
                                     "false,\"readability_ok\":false},\"reviewed\":false}");
}

static void the_round_log_has_the_shape_of_the_seed(void **state)
{
    (void)state;
    static const struct figure_round rounds[] = {
        { .round = 0,
          .description_t = "two boxes",
          .artifact = { FIGURE_ARTIFACT_IMAGE_PATH, "/tmp/r0.png" },
          .critique = { .critic_suggestions = "s",
                        .revised_description = "two boxes, one arrow",
                        .reviewed = true } },
    };
    struct figure_round_log log = {
        .max_rounds = 3, .mode = FIGURE_MODE_DIAGRAM_IMAGE, .rounds = rounds, .n_rounds = 1
    };

    json_auto_t *value = figure_round_log_to_json(&log);

    auto_str text = json_print(value);
    assert_string_equal(
        text,
        "{\"max_rounds\":3,\"mode\":\"diagram_image\",\"terminated_early\":false,"
        "\"termination_reason\":\"\",\"rounds\":[{\"round\":0,\"description_t\":\"two boxes\","
        "\"artifact\":{\"type\":\"image_path\",\"value\":\"/tmp/r0.png\"},\"critique\":"
        "{\"critic_suggestions\":\"s\",\"revised_description\":\"two boxes, one arrow\","
        "\"stop_flag\":false,\"quality_gate\":{\"faithfulness_ok\":false,"
        "\"readability_ok\":false}}}]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_reads_back_as_what_it_names),
        cmocka_unit_test(another_name_is_none),
        cmocka_unit_test(the_input_is_what_the_retriever_takes),
        cmocka_unit_test(a_critique_that_was_not_read_says_so),
        cmocka_unit_test(the_round_log_has_the_shape_of_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
