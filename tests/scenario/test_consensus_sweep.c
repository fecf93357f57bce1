/* Two models until they agree, with each call to a port broken once, in each way; with answers
 * damaged as weak models damage them; and side by side at two endpoints. Whatever happens: the run
 * is closed, no consensus is on anything but what both said, and it ends. */
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/consensus_bench.h"
#include "tests/support/fault_sweep.h"
#include "tests/support/full/virtual_runtime.h"
#include "tests/support/noisy_model.h"
#include <stdio.h>
#include <string.h>

/* Both know the answer; the checker says another one first and takes over the solver's. */
struct sure_model {
    struct model base;
    struct runtime *runtime;
    const char *url;
    unsigned asked;
    int64_t ms; /* that an answer takes */
    bool is_gone;
    int *in_flight, *most_in_flight;
};

static enum err_code check(struct model *m, struct scope *sc, struct arena *arena,
                           struct model_status *out, struct err *err)
{
    (void)sc;
    (void)arena;
    (void)err;
    *out = (struct model_status){ .kind = "script",
                                  .base_url = ((struct sure_model *)m)->url,
                                  .model = "sure",
                                  .requested = "sure",
                                  .reason = "as written",
                                  .context_tokens = -1 };
    return ERR_NONE;
}

static const char *system_of(const struct model_request *request)
{
    return request->messages[0].parts[0].text;
}

static const char *envelope(struct arena *arena, const char *answer)
{
    return arena_printf(arena,
                        "{\"role\":\"R\",\"domain\":\"d\",\"task_understanding\":\"Add.\","
                        "\"artifact\":{\"type\":\"results\",\"content\":{}},\"needs_from_peer\":[],"
                        "\"handoff_to\":\"P\",\"meta\":{\"change_reason\":\"I saw my slip.\"},"
                        "\"final_solution\":{\"canonical_text\":\"%s\"},\"public_message\":"
                        "\"[SOLVED]\",\"status\":\"SOLVED\"}",
                        answer);
}

static enum err_code chat(struct model *m, struct scope *sc, const struct model_request *request,
                          struct arena *arena, struct model_reply *out, struct err *err)
{
    struct sure_model *model = (struct sure_model *)m;
    bool is_checker = strstr(system_of(request), "You are the Checker.");
    bool is_first = model->asked++ < 2;
    int ignored = 0, *in_flight = model->in_flight ? model->in_flight : &ignored;
    ++*in_flight;
    if (model->most_in_flight && *in_flight > *model->most_in_flight)
        *model->most_in_flight = *in_flight;
    enum err_code r = model->ms ? runtime_sleep(model->runtime, sc, model->ms, err) : ERR_NONE;
    --*in_flight;
    if (r)
        return r;
    if (model->is_gone)
        return err_set(err, ERR_AUTH, 0, "it wants a login");
    *out = (struct model_reply){ .text = envelope(arena, is_checker && is_first ? "5" : "4"),
                                 .model = "sure",
                                 .prompt_tokens = 2000,
                                 .cached_tokens = -1,
                                 .completion_tokens = 50,
                                 .duration_ms = 1 };
    return ERR_NONE;
}

static void nothing(struct model *m)
{
    (void)m;
}

static struct sure_model sure_model(struct runtime *runtime, const char *url)
{
    static const struct model_ops ops = { .check = check, .chat = chat, .destroy = nothing };
    return (struct sure_model){ .base = { &ops }, .runtime = runtime, .url = url };
}

static const char *broken_rule(const struct consensus_bench *bench, enum err_code r)
{
    const struct fake_services *services = &bench->services;
    if (fake_services_count(services, EVENT_RUN_STARTED) !=
        fake_services_count(services, EVENT_RUN_FINISHED))
        return "a run was not closed";
    if (r && !bench->err.message[0])
        return "an error says nothing";
    if (!r && bench->reached.result.end == CONSENSUS_CONSENSUS &&
        strcmp(bench->reached.result.canonical, "4") != 0)
        return "a consensus on what nobody said";
    if (!r && bench->reached.result.end == CONSENSUS_AGENTS_LOST &&
        !bench->reached.result.err.message[0])
        return "lost agents without a reason";
    return NULL;
}

static const char *reach_with(struct consensus_bench *bench, enum fault fault, unsigned n,
                              unsigned *out_calls)
{
    static struct faulty_ports ports;
    struct sure_model model = sure_model(&bench->runtime.port, "here");
    bench->services.settings.model_attempts = 1;
    bench->services.model_port = &model.base;
    bench->request.vote = 2;
    faulty_ports_init(&ports, &bench->services, &bench->scope);
    ports.fault = fault;
    ports.hit_at = n;
    enum err_code r = consensus_bench_reach(bench);
    *out_calls = ports.calls;
    if (ports.under_way)
        return "something is still under way";
    if (*out_calls < n && (r || bench->reached.result.end != CONSENSUS_CONSENSUS))
        return "untouched, the two do not agree";
    return broken_rule(bench, r);
}

static const char *session(enum fault fault, unsigned n, unsigned *out_calls)
{
    void *state = NULL;
    if (consensus_bench_set_up(&state))
        return "no bench";
    const char *broken = reach_with(state, fault, n, out_calls);
    consensus_bench_tear_down(&state);
    return broken;
}

static void a_failure_anywhere_ends_the_run_and_says_why(void **state)
{
    (void)state;
    assert_true(fault_sweep(session, FAULT_FAIL) > 10);
}

static void a_cancellation_anywhere_ends_the_run(void **state)
{
    (void)state;
    assert_true(fault_sweep(session, FAULT_CANCEL) > 10);
}

static void a_timeout_anywhere_ends_the_run(void **state)
{
    (void)state;
    assert_true(fault_sweep(session, FAULT_TIME_OUT) > 10);
}

/* The end of a run whose model damages so many of its answers; -1: a rule was broken. */
static int noisy_end(uint64_t seed, double damage)
{
    void *state = NULL;
    if (consensus_bench_set_up(&state))
        return -1;
    struct consensus_bench *bench = state;
    struct sure_model model = sure_model(&bench->runtime.port, "here");
    struct noisy_model noisy;
    noisy_model_init(&noisy, &model.base, seed, damage);
    bench->services.model_port = &noisy.base;
    enum err_code r = consensus_bench_reach(bench);
    const char *broken = broken_rule(bench, r);
    int end = broken || r ? -1 : (int)bench->reached.result.end;
    if (end < 0)
        fprintf(stderr, "seed %llu: %s %s\n", (unsigned long long)seed, broken ? broken : "",
                bench->err.message);
    consensus_bench_tear_down(&state);
    return end;
}

static unsigned count_agreements(double damage, unsigned runs)
{
    unsigned agreed = 0;
    for (uint64_t seed = 1; seed <= runs; seed++) {
        int end = noisy_end(seed, damage);
        if (end < 0)
            return 0;
        agreed += end == CONSENSUS_CONSENSUS;
    }
    return agreed;
}

static void answers_that_are_damaged_in_every_third_turn_still_agree(void **state)
{
    (void)state;
    assert_true(count_agreements(0.3, 100) >= 99);
}

static void answers_that_are_mostly_damaged_never_agree_on_anything_else(void **state)
{
    (void)state;
    assert_true(count_agreements(0.8, 100) >= 50);
}

/* A run as a task of the invented time. */
struct timed {
    struct consensus_bench *bench;
    enum err_code result;
};

static enum err_code reach(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct timed *timed = argument;
    struct consensus_bench *bench = timed->bench;
    (void)runtime;
    timed->result = reach_consensus(&bench->services.base, scope, &bench->arena, &bench->request,
                                    &bench->reached, &bench->err);
    return ERR_NONE;
}

/* Plays with two models at these addresses; the most that were asked at once. */
static int play_two(struct consensus_bench *bench, const char *url_a, const char *url_b,
                    bool a_is_gone)
{
    struct virtual_runtime *virtual = virtual_runtime_create(1);
    struct runtime *runtime = virtual_runtime_port(virtual);
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct sure_model a = sure_model(runtime, url_a), b = sure_model(runtime, url_b);
    struct timed timed = { .bench = bench };
    int in_flight = 0, most = 0;
    a.is_gone = a_is_gone;
    a.ms = b.ms = 100;
    a.in_flight = b.in_flight = &in_flight;
    a.most_in_flight = b.most_in_flight = &most;
    bench->services.base.runtime = runtime;
    bench->services.model_port = &a.base;
    bench->services.other_port = &b.base;
    bench->request.models[1] = "other";
    (void)virtual_runtime_run(virtual, &scope, reach, &timed);
    assert_int_equal(timed.result, ERR_NONE);
    assert_int_equal(virtual_runtime_tasks(virtual), 0);
    virtual_runtime_destroy(virtual);
    return most;
}

static int most_at_once(struct consensus_bench *bench, const char *url_a, const char *url_b)
{
    return play_two(bench, url_a, url_b, false);
}

static void an_agent_that_is_lost_side_by_side_leaves_the_answer_of_the_other(void **state)
{
    struct consensus_bench *bench = *state;

    (void)play_two(bench, "http://a", "http://b", true);

    assert_int_equal(bench->reached.result.end, CONSENSUS_AGENTS_LOST);
    assert_string_equal(bench->reached.result.err.message, "it wants a login");
    assert_false(bench->reached.result.candidates[0].exists);
    assert_true(bench->reached.result.candidates[1].exists);
    assert_int_equal(bench->reached.result.usage[1].model_calls, 1);
}

static void two_endpoints_are_asked_side_by_side_in_the_first_round(void **state)
{
    struct consensus_bench *bench = *state;

    assert_int_equal(most_at_once(bench, "http://a", "http://b"), 2);

    assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
    assert_string_equal(bench->services.other_name, "other");
    assert_int_equal(fake_services_count(&bench->services, EVENT_WARNING), 0);
}

static void two_models_at_one_endpoint_take_turns_and_it_is_said_once(void **state)
{
    struct consensus_bench *bench = *state;

    assert_int_equal(most_at_once(bench, "http://a", "http://a"), 1);

    assert_int_equal(bench->reached.result.end, CONSENSUS_CONSENSUS);
    assert_int_equal(fake_services_count(&bench->services, EVENT_WARNING), 1);
}

int main(void)
{
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, consensus_bench_set_up, consensus_bench_tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_anywhere_ends_the_run_and_says_why),
        cmocka_unit_test(a_cancellation_anywhere_ends_the_run),
        cmocka_unit_test(a_timeout_anywhere_ends_the_run),
        cmocka_unit_test(answers_that_are_damaged_in_every_third_turn_still_agree),
        cmocka_unit_test(answers_that_are_mostly_damaged_never_agree_on_anything_else),
        TEST(an_agent_that_is_lost_side_by_side_leaves_the_answer_of_the_other),
        TEST(two_endpoints_are_asked_side_by_side_in_the_first_round),
        TEST(two_models_at_one_endpoint_take_turns_and_it_is_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
