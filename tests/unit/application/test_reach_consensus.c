/* Two agents from the request to the result: who they are, how they end, what is refused. */
#include "domain/base/json.h"
#include "tests/support/consensus_bench.h"
#include <string.h>

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

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

    assert_int_equal(bench->result.end, CONSENSUS_CONSENSUS);
    assert_string_equal(bench->result.text, "4");
    assert_int_equal(bench->result.rounds, 2);
    assert_int_equal(bench->kind, CANONICAL_NUMBER);
    assert_int_equal(bench->services.model.n_requests, 0);
}

static void two_rules_that_say_the_same_agree_in_the_first_round(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.agents[1] = AGENT_MOCK_RULE;

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->result.end, CONSENSUS_CONSENSUS);
    assert_int_equal(bench->result.rounds, 1);
}

static void two_echoes_never_agree(void **state)
{
    struct consensus_bench *bench = *state;
    use_mocks(bench);
    bench->request.agents[0] = AGENT_MOCK_ECHO;
    bench->request.max_rounds = 3;

    assert_int_equal(consensus_bench_reach(bench), ERR_NONE);

    assert_int_equal(bench->result.end, CONSENSUS_MAX_ROUNDS);
    assert_null(bench->result.text);
    assert_int_equal(bench->result.rounds, 3);
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
    assert_string_equal(bench->run_id, "id000001");
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
