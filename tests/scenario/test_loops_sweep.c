/* Each call to a port goes wrong once, in each way, while a plan of version 2 with loops in loops,
 * blocks and used plans is carried out: it must end cleanly, say why, and leave nothing undone that
 * stands in its `finally`. */
#include "tests/scenario/shop_plan.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/plans/broken_run.h"

enum { MOST_CALLS = 800, LEAST_CALLS = 100 };

struct session {
    struct broken_run run; /* first, so that either can be had from the other */
    struct fake_tool_server listed;
    struct shop shop;
};

static enum err_code serve(struct broken_run *run, struct scope *scope,
                           const struct tool_call *call, const char *path, struct arena *arena,
                           struct step_result *out, struct err *err)
{
    (void)scope, (void)path, (void)err;
    struct session *session = (struct session *)run;
    const char *n = json_get_string(call->arguments, "n");
    shop_serve(&session->shop, call->name, n);
    shop_answer(&session->shop, arena, n, out);
    return ERR_NONE;
}

static void begin(struct session *session, enum fault fault, unsigned n)
{
    static const struct policy_rule repeat = { .effect = POLICY_UNSAID,
                                               .repeat = HINT_YES,
                                               .tool = "look" };
    broken_run_init(&session->run, n, fault, n);
    fake_tool_server_init(&session->listed, session->run.services.base.runtime, BROKEN_RUN_SERVER,
                          SHOP_TOOLS);
    session->run.listed = &session->listed.base;
    session->run.serve = serve;
    session->run.services.settings.policy = &repeat;
    session->run.services.settings.n_policy = 1;
    shop_open(&session->shop);
}

static void end(struct session *session)
{
    shop_close(&session->shop);
    fake_tool_server_finish(&session->listed);
    broken_run_finish(&session->run);
}

static const char *wrong_status(const struct session *session)
{
    const struct broken_run *run = &session->run;
    bool is_complete = broken_run_is_complete(run);
    bool goes_on = run->hit_in && text_starts_with(run->hit_in, "some[");
    if (run->hit == BROKEN_SERVER && run->ports.fault != FAULT_CANCEL && is_complete != goes_on)
        return goes_on ? "it is not complete although the loop goes on"
                       : "it is complete although a call failed";
    if (is_complete && shop_charged(&session->shop, "last") != 1)
        return "it is complete without its last call";
    return NULL;
}

/* When the state cannot be written nothing is called any more, the end neither. */
static const char *undone(struct session *session)
{
    struct broken_run *run = &session->run;
    const json_t *times;
    const char *n;
    bool has_begun = json_object_size(session->shop.effects);
    bool is_excused = run->hit == BROKEN_STATE || text_equal(run->hit_in, "tidy");
    json_each_member (session->shop.effects, n, times)
        if (json_integer_value(times) != 1)
            return "something was charged twice";
    if (has_begun && !is_excused && shop_charged(&session->shop, "tidy") != 1)
        return "its finally was not carried out";
    for (int k = 1; k <= 2 && !is_excused; k++) {
        const char *used = arena_printf(&run->arena, "h-%d", k);
        const char *before = arena_printf(&run->arena, "f-%d", k);
        const char *path = arena_printf(&run->arena, "part[%d].h", k - 1);
        if (shop_charged(&session->shop, before) && !text_equal(run->hit_in, path) &&
            shop_charged(&session->shop, used) != 1)
            return "the finally of a used plan was not carried out";
    }
    return NULL;
}

/* The rule that was broken, or NULL. */
static const char *run_with(enum fault fault, unsigned n, int parallel, bool *out_was_hit)
{
    static struct session session; /* too large for a frame */
    struct broken_run *run = &session.run;
    begin(&session, fault, n);
    broken_run_do(run, &(struct run_plan_request){ .plan = shop_plan(&run->arena, parallel) });
    const char *broken = broken_run_leftover(run);
    broken = broken ? broken : wrong_status(&session);
    broken = broken ? broken : undone(&session);
    if (broken)
        print_error("fault %d at call %u (%s), %d at once: %s; %s%s\n", (int)fault, n,
                    run->hit_in ? run->hit_in : "no tool", parallel, broken, run->err.message,
                    run->result.err.message);
    *out_was_hit = run->was_hit;
    end(&session);
    return broken;
}

static void sweep(enum fault fault)
{
    for (int parallel = 1; parallel <= 4; parallel += 3) {
        unsigned n = 1;
        for (bool was_hit = true; was_hit; n++)
            assert_null(run_with(fault, n, parallel, &was_hit));
        assert_in_range(n, LEAST_CALLS, MOST_CALLS);
    }
}

static void a_failure_anywhere_ends_cleanly(void **state)
{
    (void)state;
    sweep(FAULT_FAIL);
}

static void a_cancellation_anywhere_ends_cleanly(void **state)
{
    (void)state;
    sweep(FAULT_CANCEL);
}

static void a_timeout_anywhere_ends_cleanly(void **state)
{
    (void)state;
    sweep(FAULT_TIME_OUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_anywhere_ends_cleanly),
        cmocka_unit_test(a_cancellation_anywhere_ends_cleanly),
        cmocka_unit_test(a_timeout_anywhere_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
