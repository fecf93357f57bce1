#include "application/tools/call_ledger.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/service_bench.h"
#include <string.h>

struct bench {
    struct service_bench *services;
    struct fake_run_states states;
    struct call_ledger ledger;
};

static int set_up(void **state)
{
    static struct bench bench; /* too large for a frame */
    struct run_claim *claim;
    bench = (struct bench){ .services = service_bench_create("shop", "[]") };
    fake_run_states_init(&bench.states);
    assert_int_equal(
        run_states_claim(&bench.states.base, &bench.services->scope, "r1", &claim, NULL), ERR_NONE);
    assert_int_equal(run_states_create(&bench.states.base, &bench.services->scope, "r1",
                                       &bench.ledger.state, NULL),
                     ERR_NONE);
    bench.ledger.max_bytes = 100;
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    void *services = bench->services;
    fake_run_states_finish(&bench->states);
    return service_bench_tear_down(&services);
}

static const struct call_record record = {
    .path = "s1", .state = CALL_SENT, .tool = "shop/charge", .args = "{}", .effect_id = "e"
};

static enum err_code intend(struct bench *bench, bool may_repeat)
{
    return call_ledger_intend(&bench->ledger, &bench->services->scope, &record, may_repeat,
                              &bench->services->err);
}

static void settle(struct bench *bench, bool may_repeat, size_t bytes)
{
    static const char text[200];
    struct call_record done = record;
    done.state = CALL_DONE;
    done.result = text;
    done.result_length = bytes;
    (void)!call_ledger_settle(&bench->ledger, &bench->services->scope, &done, may_repeat, NULL);
}

static void an_intent_that_may_not_be_repeated_is_forced_to_disk(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(intend(bench, false), ERR_NONE);
    assert_int_equal(bench->states.n_syncs, 1);
    settle(bench, false, 10);
    assert_int_equal(bench->states.n_commits, 2);
    assert_int_equal(bench->states.n_syncs, 1);
}

static void calls_that_may_be_repeated_are_not_waited_for(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(intend(bench, true), ERR_NONE);
        settle(bench, true, 1);
    }
    assert_int_equal(bench->states.n_commits, 0);
}

static void a_result_is_on_disk_before_the_next_call_whatever_that_is(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(intend(bench, false), ERR_NONE);
    settle(bench, false, 10);
    assert_int_equal(intend(bench, true), ERR_NONE);
    assert_int_equal(bench->states.n_syncs, 2);
    assert_int_equal(intend(bench, true), ERR_NONE);
    assert_int_equal(bench->states.n_syncs, 2);
}

/* A call beside it is answered while the disk is waited for. */
static enum err_code settle_beside(void *context, struct scope *scope, struct err *err)
{
    (void)scope;
    (void)err;
    struct bench *bench = context;
    bench->states.on_use = NULL;
    settle(bench, false, 10);
    return ERR_NONE;
}

static void a_result_that_comes_while_the_disk_is_waited_for_is_forced_there_as_well(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(intend(bench, false), ERR_NONE);
    settle(bench, false, 10);
    bench->states.on_use = settle_beside;
    bench->states.context = bench;
    assert_int_equal(intend(bench, true), ERR_NONE);
    assert_int_equal(bench->states.n_syncs, 2);
    assert_int_equal(intend(bench, true), ERR_NONE);
    assert_int_equal(bench->states.n_syncs, 3);
    assert_int_equal(intend(bench, true), ERR_NONE);
    assert_int_equal(bench->states.n_syncs, 3);
}

static void what_cannot_be_written_is_not_called(void **state)
{
    struct bench *bench = *state;
    bench->states.commit_fails = ERR_UNAVAILABLE;
    assert_int_equal(intend(bench, false), ERR_UNAVAILABLE);
    assert_non_null(strstr(bench->services->err.message, "not called: "));
}

static void a_state_may_be_as_large_as_the_settings_say_and_not_larger(void **state)
{
    struct bench *bench = *state;
    settle(bench, true, 100);
    assert_int_equal(intend(bench, true), ERR_NONE);
    settle(bench, true, 1);
    assert_int_equal(intend(bench, true), ERR_LIMIT);
    assert_non_null(strstr(bench->services->err.message, "runs.max_state_mb"));
}

static const char *effect_id(struct bench *bench, const char *run_id, const char *path,
                             const char *identity, const char *tool, const char *args)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(args, strlen(args), JSON_OURS, &value, NULL), ERR_NONE);
    const struct call_address address = { run_id, path, identity, tool,
                                          arena_keep_json(&bench->services->arena, value) };
    return call_effect_id(&bench->services->arena, bench->services->services.base.digest, &address);
}

static void an_effect_id_tells_one_call_from_every_other(void **state)
{
    struct bench *bench = *state;
    const char *id = effect_id(bench, "r", "s1", "npx shop", "charge", "{\"a\":1,\"b\":2}");
    assert_int_equal(strlen(id), CALL_EFFECT_ID_LENGTH);
    assert_int_equal(strspn(id, "abcdefghijklmnopqrstuvwxyz234567"), CALL_EFFECT_ID_LENGTH);
    assert_string_equal(id, effect_id(bench, "r", "s1", "npx shop", "charge", "{\"b\":2,\"a\":1}"));
    assert_string_not_equal(id,
                            effect_id(bench, "q", "s1", "npx shop", "charge", "{\"a\":1,\"b\":2}"));
    assert_string_not_equal(id,
                            effect_id(bench, "r", "s2", "npx shop", "charge", "{\"a\":1,\"b\":2}"));
    assert_string_not_equal(id,
                            effect_id(bench, "r", "s1", "uvx shop", "charge", "{\"a\":1,\"b\":2}"));
    assert_string_not_equal(id,
                            effect_id(bench, "r", "s1", "npx shop", "refund", "{\"a\":1,\"b\":2}"));
    assert_string_not_equal(id,
                            effect_id(bench, "r", "s1", "npx shop", "charge", "{\"a\":1,\"b\":3}"));
}

static enum call_state state_after(enum err_code code, bool is_unknown, bool in_process)
{
    const struct err err = { .code = code, .is_outcome_unknown = is_unknown };
    return call_state_of(&err, in_process);
}

static void only_a_call_that_was_surely_not_carried_out_is_pending_again(void **state)
{
    (void)state;
    assert_int_equal(state_after(ERR_TIMEOUT, true, false), CALL_UNCERTAIN);
    assert_int_equal(state_after(ERR_UNAVAILABLE, true, false), CALL_UNCERTAIN);
    assert_int_equal(state_after(ERR_PROTOCOL, true, false), CALL_UNCERTAIN);
    assert_int_equal(state_after(ERR_UNAVAILABLE, false, false), CALL_PENDING);
    assert_int_equal(state_after(ERR_AUTH, false, false), CALL_PENDING);
    assert_int_equal(state_after(ERR_CANCELLED, false, false), CALL_PENDING);
    assert_int_equal(state_after(ERR_CANCELLED, false, true), CALL_UNCERTAIN);
    assert_int_equal(state_after(ERR_INVALID, false, false), CALL_FAILED);
    assert_int_equal(state_after(ERR_LIMIT, false, false), CALL_FAILED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_intent_that_may_not_be_repeated_is_forced_to_disk),
        TEST(calls_that_may_be_repeated_are_not_waited_for),
        TEST(a_result_is_on_disk_before_the_next_call_whatever_that_is),
        TEST(a_result_that_comes_while_the_disk_is_waited_for_is_forced_there_as_well),
        TEST(what_cannot_be_written_is_not_called),
        TEST(a_state_may_be_as_large_as_the_settings_say_and_not_larger),
        TEST(an_effect_id_tells_one_call_from_every_other),
        TEST(only_a_call_that_was_surely_not_carried_out_is_pending_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
