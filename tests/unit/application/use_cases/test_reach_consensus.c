/* Two agents from the request to the result: who they are, how they end, what is refused. */
#include "application/consensus/role_sets.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/consensus_bench.h"
#include "tests/support/fakes/fake_candidate_checker.h"
#include <string.h>

static void use_mocks(struct consensus_bench *bench)
{
    bench->request.agents[0] = AGENT_MOCK_RULE;
    bench->request.agents[1] = AGENT_MOCK_ECHO;
    bench->request.mock_answer = "4";
}

static void two_mocks_agree_without_a_model(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
    assert_string_equal(bench->reached.result.text, "4");
    assert_int_equal(bench->reached.result.rounds, 2);
    assert_int_equal(bench->reached.kind, CANONICAL_NUMBER);
    assert_int_equal(bench->services.model.n_requests, 0);
}

static void two_rules_that_say_the_same_agree_in_the_first_round(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.agents[1] = AGENT_MOCK_RULE;

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
    assert_int_equal(bench->reached.result.rounds, 1);
}

static void two_echoes_never_agree(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.agents[0] = AGENT_MOCK_ECHO;
    bench->request.max_rounds = 3;

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->reached.result.end, CONSENSUS_MAX_ROUNDS);
    assert_null(bench->reached.result.text);
    assert_int_equal(bench->reached.result.rounds, 3);
}

static void every_turn_is_an_event(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(fake_services_count(&bench->services, EVENT_CONSENSUS_STARTED), 1);
    assert_int_equal(fake_services_count(&bench->services, EVENT_ENVELOPE), 4);
    assert_int_equal(fake_services_count(&bench->services, EVENT_CONSENSUS_ENDED), 1);
    const json_t *last = consensus_bench_event(bench, EVENT_ENVELOPE, 3);
    assert_string_equal(json_get_string(last, "agent"), "b");
    assert_int_equal(json_get_int(last, "round", 0), 2);
    assert_string_equal(json_get_string(last, "canonical"), "4");
    const json_t *ended = consensus_bench_event(bench, EVENT_CONSENSUS_ENDED, 0);
    assert_string_equal(json_get_string(ended, "end"), "consensus");
    assert_string_equal(json_get_string(ended, "text"), "4");
    assert_string_equal(bench->reached.run_id, "id000001");
}

static void an_unknown_role_set_is_told_the_nearest(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.role_set = "writer_fysicist";

    assert_int_equal(consensus_bench_reach(bench), ERR_INVALID);

    assert_string_equal(bench->err.message, "no role set is named \"writer_fysicist\"");
    assert_non_null(strstr(bench->err.hint, "writer_physicist"));
    assert_int_equal(bench->services.runs.n_runs, 0);
}

static void every_ordered_pair_of_roles_is_a_role_set(void **state)
{
    struct consensus_bench *bench = *state;
    static const char *const roles[] = { "writer", "physicist", "biologist", "programmer",
                                         "uiux_designer" };
    use_mocks(bench);
    for (size_t i = 0; i < ARRAY_LENGTH(roles); i++)
        for (size_t j = 0; j < ARRAY_LENGTH(roles); j++) {
            bench->request.role_set = arena_printf(&bench->arena, "%s_%s", roles[i], roles[j]);
            assert_int_equal(consensus_bench_reach(bench), i == j ? ERR_INVALID : ERR_NONE);
        }
}

static const char *letters(struct consensus_bench *bench, size_t n)
{
    char *text = arena_alloc(&bench->arena, n + 1);
    memset(text, 'a', n);
    return text;
}

static void a_task_is_bounded_by_its_setting(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->services.settings.limits_request_bytes = 64;
    bench->request.task = letters(bench, 64);
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
    bench->request.task = letters(bench, 65);
    assert_int_equal(consensus_bench_reach(bench), ERR_LIMIT);
    assert_string_equal(bench->err.message, "the task has 65 bytes, at most 64 are allowed");
}

static void refuses_tasks_and_answers_that_are_none(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.task = " \n";
    assert_int_equal(consensus_bench_reach(bench), ERR_INVALID);
    assert_string_not_equal(bench->err.hint, "");
    bench->request.task = "add \xff";
    assert_int_equal(consensus_bench_reach(bench), ERR_INVALID);
    bench->request.task = "2+2";
    bench->request.mock_answer = "\xff";
    assert_int_equal(consensus_bench_reach(bench), ERR_INVALID);
    assert_int_equal(bench->services.runs.n_runs, 0);
}

static void rounds_and_samples_are_bounded(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.max_rounds = CONTROLLER_MAX_ROUNDS;
    bench->request.vote = CONSENSUS_MAX_VOTES;
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
    assert_int_equal(bench->reached.result.vote.samples, CONSENSUS_MAX_VOTES);
    assert_int_equal(bench->reached.result.vote.agree, CONSENSUS_MAX_VOTES);
    bench->request.vote++;
    assert_int_equal(consensus_bench_reach(bench), ERR_LIMIT);
    bench->request.vote = 0;
    bench->request.max_rounds++;
    assert_int_equal(consensus_bench_reach(bench), ERR_LIMIT);
}

static void a_role_set_has_exactly_two_agents(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.role_set_text =
        "{\"agents\":[{\"role\":\"A\"},{\"role\":\"B\"},{\"role\":\"C\"}]}";
    assert_int_equal(consensus_bench_reach(bench), ERR_INVALID);
    assert_non_null(strstr(bench->err.message, "role set math: /agents: 3 agents"));
    bench->request.role_set = NULL;
    bench->request.role_set_text = "{\"agents\":";
    assert_int_equal(consensus_bench_reach(bench), ERR_INVALID);
    assert_non_null(strstr(bench->err.message, "role set given: "));
}

static void both_shapes_of_a_role_set_are_taken(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.role_set_text = "{\"agent_a\":{\"role\":\"A\"},\"agent_b\":{\"role\":\"B\"}}";
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
    bench->request.role_set_text = "{\"agents\":[{\"role\":\"A\"},{\"role\":\"B\"}]}";
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
}

static void a_pack_that_is_missing_is_told_before_anybody_is_asked(void **state)
{
    struct consensus_bench *bench = *state;
    bench->request.role_set_text =
        "{\"agents\":[{\"role\":\"A\",\"pack\":\"wrter\"},{\"role\":\"B\"}]}";
    assert_int_equal(consensus_bench_reach(bench), ERR_NOT_FOUND);
    assert_string_equal(bench->err.message, "there is no pack config/rolesets/packs/wrter.md");
    assert_non_null(strstr(bench->err.hint, "writer"));
    assert_int_equal(bench->services.runs.n_runs, 0);
    use_mocks(bench);
    assert_int_equal(consensus_bench_reach(bench), ERR_NOT_FOUND);
}

static void a_file_of_the_users_comes_before_a_composed_pair(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.role_set = "writer_physicist";
    bench->services.assets.override_path = "config/rolesets/writer_physicist.json";
    bench->services.assets.override_text =
        "{\"kind\":\"number\",\"agents\":[{\"role\":\"A\"},{\"role\":\"B\"}]}";
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
    assert_int_equal(bench->reached.kind, CANONICAL_NUMBER);
}

static void a_pack_of_the_users_makes_pairs_with_the_others(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.role_set = "chemist_writer";
    bench->services.assets.override_path = "config/rolesets/packs/chemist.md";
    bench->services.assets.override_text = "# Chemist (chemistry)\n\nYou know substances.\n";
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
    const json_t *started = consensus_bench_event(bench, EVENT_CONSENSUS_STARTED, 0);
    const json_t *first = json_array_get(json_object_get(started, "agents"), 0);
    assert_string_equal(json_get_string(first, "role"), "Chemist");
}

static void a_pack_too_long_for_a_prompt_is_refused(void **state)
{
    struct consensus_bench *bench = *state;
    bench->request.role_set_text =
        "{\"agents\":[{\"role\":\"A\",\"pack\":\"mine\"},{\"role\":\"B\"}]}";
    bench->services.assets.override_path = "config/rolesets/packs/mine.md";
    bench->services.assets.override_text = letters(bench, ROLE_PACK_MAX_BYTES + 1);
    assert_int_equal(consensus_bench_reach(bench), ERR_LIMIT);
}

static void parts_of_task_pairs_are_no_roles_to_compose(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.role_set = "math_solver_writer";
    assert_int_equal(consensus_bench_reach(bench), ERR_INVALID);
}

static bool is_listed(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void files_and_pairs_are_listed_in_order(void **state)
{
    struct consensus_bench *bench = *state;
    const char **names = NULL;
    size_t n = 0;
    assert_int_equal(list_role_sets(&bench->services.base, &bench->arena, &names, &n, &bench->err),
                     ERR_NONE);
    assert_int_equal(n, 4 + 5 * 4);
    assert_true(is_listed(names, n, "math"));
    assert_true(is_listed(names, n, "uiux_designer_programmer"));
    for (size_t i = 1; i < n; i++)
        assert_true(strcmp(names[i - 1], names[i]) < 0);
}

static void every_task_pair_is_one(void **state)
{
    struct consensus_bench *bench = *state;
    static const struct {
        const char *name, *answer;
        enum canonical_kind kind;
    } pairs[] = { { "math", "4", CANONICAL_NUMBER },
                  { "regex", "^a+$", CANONICAL_REGEX },
                  { "sql", "select 1", CANONICAL_SQL },
                  { "code", "return a + b;", CANONICAL_CODE } };
    use_mocks(bench);
    for (size_t i = 0; i < ARRAY_LENGTH(pairs); i++) {
        bench->request.role_set = pairs[i].name;
        bench->request.mock_answer = pairs[i].answer;
        assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
        assert_int_equal(bench->reached.kind, pairs[i].kind);
        assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
    }
}

static void without_a_model_it_says_what_to_do(void **state)
{
    struct consensus_bench *bench = *state;
    bench->services.choice = MODEL_CHOICE_LEXICAL;
    assert_int_equal(consensus_bench_reach(bench), ERR_UNAVAILABLE);
    assert_string_equal(bench->err.message,
                        "the Solver: a consensus needs a model, and there is none");
    assert_non_null(strstr(bench->err.hint, "--mock"));
}

static void a_role_may_name_its_model_and_its_endpoint(void **state)
{
    struct consensus_bench *bench = *state;
    bench->request.role_set_text = "{\"kind\":\"number\",\"agents\":[{\"role\":\"A\"},{\"role\":"
                                   "\"B\",\"model\":\"small\",\"base_url\":\"http://b\"}]}";
    fake_model_reply(&bench->services.model, consensus_bench_envelope(bench, "SOLVED", "4", ""));
    fake_model_reply(&bench->services.model, consensus_bench_envelope(bench, "SOLVED", "4", ""));
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
    assert_string_equal(bench->services.other_name, "small");
    assert_string_equal(bench->services.other_url, "http://b");
}

static void examples_of_another_form_are_told_before_anybody_is_asked(void **state)
{
    struct consensus_bench *bench = *state;
    struct fake_candidate_checker checker;
    fake_candidate_checker_init(&checker);
    checker.fails = ERR_INVALID;
    bench->services.base.checker = &checker.base;
    bench->request.examples = arena_keep_json(&bench->arena, json_pack("{s:i}", "mach", 1));
    assert_int_equal(consensus_bench_reach(bench), ERR_INVALID);
    assert_int_equal(bench->services.runs.n_runs, 0);
    assert_ptr_equal(checker.examples, bench->request.examples);
}

static void a_log_without_texts_keeps_hashes_alone(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->services.settings.runs_store_text = false;
    bench->request.task = "secret sum";
    bench->request.role_set_text = "{\"kind\":\"number\",\"examples\":{\"equals\":\"417\"},"
                                   "\"agents\":[{\"role\":\"A\"},{\"role\":\"B\"}]}";
    bench->request.mock_answer = "417";
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
    static const enum event_kind kinds[] = { EVENT_CONSENSUS_STARTED, EVENT_ENVELOPE,
                                             EVENT_CONSENSUS_ENDED };
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        const char *text = json_print_in(&bench->arena, consensus_bench_event(bench, kinds[i], 0));
        assert_null(strstr(text, "417"));
        assert_null(strstr(text, "secret"));
    }
    assert_string_equal(bench->reached.result.text, "417");
}

static void the_result_is_final_json(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.vote = 2;
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
    json_auto_t *value = consensus_result_to_json(&bench->reached.result, bench->reached.run_id,
                                                  bench->reached.kind);
    assert_string_equal(json_get_string(value, "status"), "CONSENSUS");
    assert_string_equal(json_get_string(value, "canonical_text"), "4");
    assert_string_equal(json_get_string(value, "kind"), "number");
    assert_int_equal(json_array_size(json_object_get(value, "candidates")), 2);
    const json_t *last = json_array_get(json_object_get(value, "envelopes"), 1);
    assert_string_equal(json_get_string(last, "status"), "SOLVED");
    assert_string_equal(json_get_string(json_object_get(last, "final_solution"), "sha256"),
                        bench->reached.result.sha256);
    assert_int_equal(json_get_int(json_object_get(value, "vote"), "agree", 0), 2);
}

static void without_consensus_final_json_has_both_candidates(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.agents[0] = AGENT_MOCK_ECHO;
    bench->request.max_rounds = 1;
    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);
    json_auto_t *value = consensus_result_to_json(&bench->reached.result, bench->reached.run_id,
                                                  bench->reached.kind);
    assert_string_equal(json_get_string(value, "status"), "NO_CONSENSUS");
    assert_string_equal(json_get_string(value, "reason"), "max_rounds");
    assert_true(json_is_null(json_object_get(value, "text")));
    assert_true(json_is_null(json_array_get(json_object_get(value, "candidates"), 0)));
}

static void kinds_of_agents_have_names(void **state)
{
    (void)state;
    enum agent_kind kind = AGENT_MODEL;
    assert_true(agent_kind_parse("mock_echo", &kind));
    assert_int_equal(kind, AGENT_MOCK_ECHO);
    assert_false(agent_kind_parse("mistral", &kind));
    assert_int_equal(kind, AGENT_MOCK_ECHO);
}

int main(void)
{
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, consensus_bench_set_up, consensus_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(two_mocks_agree_without_a_model),
        TEST(two_rules_that_say_the_same_agree_in_the_first_round),
        TEST(two_echoes_never_agree),
        TEST(every_turn_is_an_event),
        TEST(an_unknown_role_set_is_told_the_nearest),
        TEST(every_ordered_pair_of_roles_is_a_role_set),
        TEST(a_task_is_bounded_by_its_setting),
        TEST(refuses_tasks_and_answers_that_are_none),
        TEST(rounds_and_samples_are_bounded),
        TEST(a_role_set_has_exactly_two_agents),
        TEST(both_shapes_of_a_role_set_are_taken),
        TEST(a_pack_that_is_missing_is_told_before_anybody_is_asked),
        TEST(a_file_of_the_users_comes_before_a_composed_pair),
        TEST(a_pack_of_the_users_makes_pairs_with_the_others),
        TEST(a_pack_too_long_for_a_prompt_is_refused),
        TEST(parts_of_task_pairs_are_no_roles_to_compose),
        TEST(files_and_pairs_are_listed_in_order),
        TEST(every_task_pair_is_one),
        TEST(without_a_model_it_says_what_to_do),
        TEST(a_role_may_name_its_model_and_its_endpoint),
        TEST(examples_of_another_form_are_told_before_anybody_is_asked),
        TEST(a_log_without_texts_keeps_hashes_alone),
        TEST(the_result_is_final_json),
        TEST(without_consensus_final_json_has_both_candidates),
        TEST(kinds_of_agents_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
