
#include "domain/base/json.h"
#include "domain/consensus/envelope.h"
#include "tests/support/cmocka.h"
#include <string.h>

static bool read(struct arena *arena, const char *text, struct envelope *out,
                 struct problems *problems)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_FOREIGN, &value, NULL), ERR_NONE);
    return envelope_from_json(arena, arena_keep_json(arena, value), out, problems);
}

static struct envelope read_well(struct arena *arena, const char *text)
{
    struct problems problems = { .arena = arena };
    struct envelope envelope = { 0 };
    assert_true(read(arena, text, &envelope, &problems));
    assert_int_equal(problems.n, 0);
    return envelope;
}

static void assert_refused(const char *text, const char *path)
{
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    struct envelope envelope = { 0 };
    assert_false(read(&arena, text, &envelope, &problems));
    assert_int_equal(problems.n, 1);
    assert_string_equal(problems.list[0].path, path);
    assert_non_null(problems.list[0].fix);
    assert_null(envelope.role);
}

static void thinking_is_not_kept(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct envelope envelope =
        read_well(&arena, "{\"status\":\"WORKING\",\"artifact\":{\"type\":\"plan\",\"content\":{"
                          "\"steps\":[1],\"reasoning\":\"first\"}},\"meta\":{\"thinking\":\"hm\","
                          "\"change_reason\":\"a slip\"},\"request\":{\"scratchpad\":[]}}");

    json_auto_t *written = envelope_to_json(&envelope, NULL);
    auto_str text = json_print(written);
    assert_null(strstr(text, "first"));
    assert_null(strstr(text, "hm"));
    assert_null(strstr(text, "scratchpad"));
    assert_non_null(strstr(text, "steps"));
    assert_string_equal(envelope.change_reason, "a slip");
}

static void a_reason_of_blanks_is_none(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct envelope envelope =
        read_well(&arena, "{\"status\":\"WORKING\",\"meta\":{\"change_reason\":\" \\n\\t\"}}");

    assert_string_equal(envelope.change_reason, "");
}

static void reads_all_members_of_the_protocol(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct envelope envelope = read_well(
        &arena,
        "{\"role\":\"Writer\",\"domain\":\"prose\",\"task_understanding\":\"greet\","
        "\"public_message\":\"here it is [SOLVED]\",\"artifact\":{\"type\":\"fact_pack\","
        "\"content\":{\"a\":1}},\"needs_from_peer\":[\"x\",\"y\",\"z\"],"
        "\"handoff_to\":\"Physicist\",\"status\":\"SOLVED\",\"final_solution\":"
        "{\"canonical_text\":\"hi\",\"sha256\":\"00\"},\"meta\":{\"change_reason\":\"r\"}}");

    assert_string_equal(envelope.role, "Writer");
    assert_int_equal(envelope.artifact, ENVELOPE_ARTIFACT_FACT_PACK);
    assert_int_equal(envelope.n_needs, 3);
    assert_string_equal(envelope.needs[2], "z");
    assert_int_equal(envelope.status, ENVELOPE_SOLVED);
    assert_true(envelope.solved);
    assert_false(envelope.contact);
    assert_string_equal(envelope.canonical_text, "hi");
    assert_string_equal(envelope.sha256, "00");
    assert_string_equal(envelope.change_reason, "r");
}

static void what_is_missing_is_empty_but_for_the_status(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct envelope envelope = read_well(&arena, "{\"status\":\"WORKING\"}");

    assert_string_equal(envelope.role, "");
    assert_string_equal(envelope.canonical_text, "");
    assert_int_equal(json_object_size(envelope.content), 0);
    assert_null(envelope_candidate(&envelope));
    assert_refused("{}", "/status");
}

static void a_tag_counts_wherever_it_stands(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const char *const solved[] = {
        "{\"status\":\"SOLVED\",\"public_message\":\"yes [solved]\"}",
        "{\"status\":\"SOLVED\",\"tags\":[\"[SOLVED]\"]}",
        "{\"status\":\"SOLVED\",\"tags\":[\"SOLVED\"]}",
        "{\"status\":\"SOLVED\",\"tags\":\"SOLVED\"}",
        "{\"status\":\"SOLVED\",\"tag\":\"[SOLVED]\"}",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(solved); i++)
        assert_true(read_well(&arena, solved[i]).solved);
    assert_true(read_well(&arena, "{\"status\":\"NEED_PEER\",\"tag\":\"contact\"}").contact);
    assert_false(read_well(&arena, "{\"status\":\"SOLVED\",\"tags\":[\"UNSOLVED\"]}").solved);
}

static void spellings_of_a_status_are_read_and_other_words_are_not(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_int_equal(read_well(&arena, "{\"status\":\"ready to solve\"}").status,
                     ENVELOPE_READY_TO_SOLVE);
    assert_int_equal(read_well(&arena, "{\"status\":\"Need-Peer\"}").status, ENVELOPE_NEED_PEER);
    assert_refused("{\"status\":\"turn_1\"}", "/status");
    assert_refused("{\"status\":3}", "/status");
    assert_refused("{\"status\":\"SOLVED_BUT_WITH_A_VERY_LONG_TAIL_BEHIND_IT\"}", "/status");
}

static void refuses_what_has_another_shape_with_its_path(void **state)
{
    (void)state;
    assert_refused("[]", "");
    assert_refused("{\"status\":\"WORKING\",\"role\":1}", "/role");
    assert_refused("{\"status\":\"WORKING\",\"artifact\":{\"type\":\"poem\"}}", "/artifact/type");
    assert_refused("{\"status\":\"WORKING\",\"artifact\":3}", "/artifact");
    assert_refused("{\"status\":\"WORKING\",\"artifact\":{\"content\":[]}}", "/artifact/content");
    assert_refused("{\"status\":\"WORKING\",\"needs_from_peer\":[1]}", "/needs_from_peer/0");
    assert_refused("{\"status\":\"WORKING\",\"needs_from_peer\":[\"a\",\"b\",\"c\",\"d\"]}",
                   "/needs_from_peer/3");
    assert_refused("{\"status\":\"WORKING\",\"final_solution\":\"4\"}", "/final_solution");
    assert_refused("{\"status\":\"WORKING\",\"tags\":[1]}", "/tags/0");
    assert_refused("{\"status\":\"WORKING\",\"final_solution\":{\"canonical_text\":\"a\\u0000\"}}",
                   "/final_solution/canonical_text");
}

static void a_number_or_an_object_is_the_text_that_says_it(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(
        read_well(&arena, "{\"status\":\"SOLVED\",\"final_solution\":{\"canonical_text\":4}}")
            .canonical_text,
        "4");
    assert_string_equal(
        read_well(&arena, "{\"status\":\"SOLVED\",\"final_solution\":{\"canonical_text\":[1]}}")
            .canonical_text,
        "[1]");
}

static const char *solution_of(struct arena *arena, size_t length)
{
    char *text = arena_alloc(arena, length + 1);
    memset(text, 'a', length);
    return arena_printf(
        arena, "{\"status\":\"SOLVED\",\"final_solution\":{\"canonical_text\":\"%s\"}}", text);
}

static void an_answer_has_a_bound_and_a_message_is_cut_at_its_own(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    char *message = arena_alloc(&arena, ENVELOPE_MAX_MESSAGE_BYTES + 2);
    memset(message, 'm', ENVELOPE_MAX_MESSAGE_BYTES + 1);

    struct envelope whole = read_well(&arena, solution_of(&arena, ENVELOPE_MAX_CANONICAL_BYTES));
    struct envelope cut = read_well(
        &arena, arena_printf(&arena, "{\"status\":\"SOLVED\",\"public_message\":\"%s [SOLVED]\"}",
                             message));

    assert_int_equal(strlen(whole.canonical_text), ENVELOPE_MAX_CANONICAL_BYTES);
    assert_refused(solution_of(&arena, ENVELOPE_MAX_CANONICAL_BYTES + 1),
                   "/final_solution/canonical_text");
    assert_true(strlen(cut.public_message) <= ENVELOPE_MAX_MESSAGE_BYTES);
    assert_true(cut.solved);
}

static void prints_what_it_read_with_the_tags_and_the_hash_of_the_controller(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct envelope envelope = read_well(
        &arena, "{\"role\":\"W\",\"status\":\"SOLVED\",\"tag\":\"SOLVED\",\"final_solution\":"
                "{\"canonical_text\":\"4\",\"sha256\":\"lie\"},\"meta\":{\"k\":1},\"other\":1}");
    envelope.promoted = true;

    json_auto_t *printed = envelope_to_json(&envelope, "abc");

    auto_str text = json_print(printed);
    assert_string_equal(
        text, "{\"role\":\"W\",\"domain\":\"\",\"task_understanding\":\"\",\"public_message\":\"\","
              "\"artifact\":{\"type\":\"results\",\"content\":{}},\"needs_from_peer\":[],"
              "\"handoff_to\":\"\",\"status\":\"SOLVED\",\"final_solution\":{\"canonical_text\":"
              "\"4\",\"sha256\":\"abc\"},\"tags\":[\"[SOLVED]\"],\"meta\":{\"k\":1,"
              "\"promoted\":true}}");
    assert_true(read_well(&arena, text).promoted);
    assert_null(json_object_get(envelope.meta, "promoted"));
}

static void a_proposal_may_have_its_text_in_the_artifact(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const char form[] = "{\"status\":\"%s\",\"artifact\":{\"content\":%s}}";
    struct {
        const char *status, *content, *candidate;
    } rows[] = {
        { "PROPOSED", "{\"answer\":\"4\",\"text\":\"5\"}", "4" },
        { "READY_TO_SOLVE", "{\"whatever\":\"4\"}", "4" },
        { "PROPOSED", "{\"a\":\"4\",\"b\":\"5\"}", NULL },
        { "PROPOSED", "\"4\"", "4" },
        { "PROPOSED", "{}", NULL },
        { "WORKING", "{\"answer\":\"4\"}", NULL },
        { "SOLVED", "{\"answer\":\"4\"}", NULL },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        struct envelope envelope =
            read_well(&arena, arena_printf(&arena, form, rows[i].status, rows[i].content));
        const char *candidate = envelope_candidate(&envelope);
        if (rows[i].candidate)
            assert_string_equal(candidate, rows[i].candidate);
        else
            assert_null(candidate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_members_of_the_protocol),
        cmocka_unit_test(thinking_is_not_kept),
        cmocka_unit_test(a_reason_of_blanks_is_none),
        cmocka_unit_test(what_is_missing_is_empty_but_for_the_status),
        cmocka_unit_test(a_tag_counts_wherever_it_stands),
        cmocka_unit_test(spellings_of_a_status_are_read_and_other_words_are_not),
        cmocka_unit_test(refuses_what_has_another_shape_with_its_path),
        cmocka_unit_test(a_number_or_an_object_is_the_text_that_says_it),
        cmocka_unit_test(an_answer_has_a_bound_and_a_message_is_cut_at_its_own),
        cmocka_unit_test(prints_what_it_read_with_the_tags_and_the_hash_of_the_controller),
        cmocka_unit_test(a_proposal_may_have_its_text_in_the_artifact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
