#include "application/structured/reply_ledger.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/service_bench.h"
#include <string.h>

struct bench {
    struct service_bench *services;
    struct fake_run_states states;
    struct run_claim *claim;
    struct reply_ledger ledger; /* of the process that lives */
    const char *party;
};

static struct reply_ledger ledger_of(struct bench *bench, struct run_state *state,
                                     const struct run_contents *kept)
{
    return (struct reply_ledger){ .state = state,
                                  .kept = kept,
                                  .digest = bench->services->services.base.digest,
                                  .arena = &bench->services->arena };
}

static int set_up(void **state)
{
    static struct bench bench; /* too large for a frame */
    struct run_state *kept;
    bench = (struct bench){ .services = service_bench_create("shop", "[]") };
    fake_run_states_init(&bench.states);
    assert_int_equal(
        run_states_claim(&bench.states.base, &bench.services->scope, "r1", &bench.claim, NULL),
        ERR_NONE);
    assert_int_equal(
        run_states_create(&bench.states.base, &bench.services->scope, "r1", &kept, NULL), ERR_NONE);
    bench.ledger = ledger_of(&bench, kept, NULL);
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

static const struct model_part hello = { .text = "hello" };
static const struct model_message message = { .role = MODEL_USER, .parts = &hello, .n_parts = 1 };
static const struct model_request request = {
    .purpose = "answer", .messages = &message, .n_messages = 1, .max_tokens = 10, .seed = 1
};

static void keep(struct bench *bench, const struct model_request *of, const char *text)
{
    const struct model_reply reply = { .text = text,
                                       .model = "small",
                                       .stop = MODEL_STOP_EARLY,
                                       .prompt_tokens = 7,
                                       .completion_tokens = -1 };
    reply_ledger_keep(&bench->ledger, &bench->services->scope, bench->party, of, &reply);
}

static void die(struct bench *bench)
{
    struct run_state *state = NULL;
    const struct run_contents *contents = NULL;
    fake_run_states_die(&bench->states, /* by_power_cut */ false);
    assert_int_equal(run_states_open(&bench->states.base, &bench->services->scope, "r1", &state,
                                     &contents, NULL),
                     ERR_NONE);
    bench->ledger = ledger_of(bench, state, contents);
}

static bool recalls(struct bench *bench, const struct model_request *of, struct model_reply *out)
{
    return reply_ledger_recall(&bench->ledger, bench->party, of, &bench->services->arena, out);
}

static void a_reply_is_there_after_the_process_was_killed(void **state)
{
    struct bench *bench = *state;
    struct model_reply reply = { 0 };
    keep(bench, &request, "hi");
    die(bench);
    assert_true(recalls(bench, &request, &reply));
    assert_string_equal(reply.text, "hi");
    assert_string_equal(reply.model, "small");
    assert_int_equal(reply.stop, MODEL_STOP_EARLY);
    assert_int_equal(reply.prompt_tokens, 7);
    assert_int_equal(reply.completion_tokens, -1);
    assert_int_equal(bench->ledger.n_replies, 1);
}

static void the_same_request_gets_its_replies_in_their_order(void **state)
{
    struct bench *bench = *state;
    struct model_reply reply = { 0 };
    keep(bench, &request, "first");
    keep(bench, &request, "second");
    die(bench);
    assert_true(recalls(bench, &request, &reply));
    assert_string_equal(reply.text, "first");
    assert_true(recalls(bench, &request, &reply));
    assert_string_equal(reply.text, "second");
    assert_false(recalls(bench, &request, &reply));
}

static void a_reply_that_follows_a_recalled_one_is_kept_behind_it(void **state)
{
    struct bench *bench = *state;
    struct model_reply reply = { 0 };
    keep(bench, &request, "first");
    die(bench);
    assert_true(recalls(bench, &request, &reply));
    assert_false(recalls(bench, &request, &reply));
    keep(bench, &request, "second");
    die(bench);
    assert_true(recalls(bench, &request, &reply));
    assert_string_equal(reply.text, "first");
    assert_true(recalls(bench, &request, &reply));
    assert_string_equal(reply.text, "second");
}

static void any_other_request_is_asked(void **state)
{
    struct bench *bench = *state;
    struct model_reply reply = { 0 };
    const struct model_part part = { .text = "hello!" };
    const struct model_message other = { .role = MODEL_USER, .parts = &part, .n_parts = 1 };
    json_auto_t *schema = json_object();
    keep(bench, &request, "hi");
    die(bench);
    struct model_request requests[] = { request, request, request, request, request };
    requests[0].messages = &other;
    requests[1].seed = 2;
    requests[2].max_tokens = 11;
    requests[3].schema = schema;
    requests[4].temperature = 0.5;
    for (size_t i = 0; i < ARRAY_LENGTH(requests); i++)
        assert_false(recalls(bench, &requests[i], &reply));
    assert_true(recalls(bench, &request, &reply));
}

static void two_who_are_asked_the_same_have_replies_of_their_own(void **state)
{
    struct bench *bench = *state;
    struct model_reply reply = { 0 };
    bench->party = "a";
    keep(bench, &request, "hi from a");
    bench->party = "b";
    keep(bench, &request, "hi from b");
    die(bench);
    assert_true(recalls(bench, &request, &reply));
    assert_string_equal(reply.text, "hi from b");
    assert_false(recalls(bench, &request, &reply));
    bench->party = "a";
    assert_true(recalls(bench, &request, &reply));
    assert_string_equal(reply.text, "hi from a");
}

static void a_reply_that_is_damaged_is_asked_for_again(void **state)
{
    static const char *const damaged[] = { "{\"text\":\"hi\",\"stop\":3}",
                                           "{\"text\":\"hi\",\"stop\":-1}",
                                           "{\"text\":7,\"stop\":0}", "{\"text\":" };
    struct bench *bench = *state;
    struct model_reply reply = { 0 };
    keep(bench, &request, "hi");
    for (size_t i = 0; i < ARRAY_LENGTH(damaged); i++) {
        bench->states.states[0].puts[0].fact.text = damaged[i];
        die(bench);
        assert_false(recalls(bench, &request, &reply));
    }
}

static void nothing_is_kept_of_a_run_without_a_state(void **state)
{
    struct bench *bench = *state;
    struct model_reply reply = { 0 };
    bench->ledger.state = NULL;
    keep(bench, &request, "hi");
    assert_int_equal(bench->ledger.n_replies, 0);
    assert_false(recalls(bench, &request, &reply));
    assert_false(reply_ledger_recall(NULL, NULL, &request, &bench->services->arena, &reply));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_reply_is_there_after_the_process_was_killed),
        TEST(the_same_request_gets_its_replies_in_their_order),
        TEST(a_reply_that_follows_a_recalled_one_is_kept_behind_it),
        TEST(any_other_request_is_asked),
        TEST(two_who_are_asked_the_same_have_replies_of_their_own),
        TEST(a_reply_that_is_damaged_is_asked_for_again),
        TEST(nothing_is_kept_of_a_run_without_a_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
