/* Each call to a port goes wrong once, in each way, while a studio takes two turns and an edit.
 * Whatever happens, question and answer are stored together, the runs are closed, what the person
 * wrote is not lost, and the next turn is answered. */
#include "tests/support/cmocka.h"
#include "tests/support/fault_sweep.h"
#include "tests/support/studio_bench.h"
#include <string.h>

#define FIRST STUDIO_REPLY("Drawing.", "a red cat", "true")
#define SECOND STUDIO_REPLY("Drawing again.", "a dog on the moon", "true")
#define LAST STUDIO_REPLY("Here I am.", "", "false")

/* The answers are there for whoever asks, so that a turn which fails does not shift them. */
static void answer_with(struct studio_bench *bench, const char *text)
{
    struct fake_model *model = &bench->services.model;
    model->n_replies = model->n_requests;
    for (int i = 0; i < 4; i++)
        fake_model_reply(model, text);
}

static const char *broken_rule(struct studio_bench *bench, bool was_edited)
{
    const struct conversation *stored = studio_bench_stored(bench);
    const struct fake_services *services = &bench->services;
    if (stored && stored->n_messages % 2)
        return "a question is stored without its answer";
    if (fake_services_count(services, EVENT_RUN_STARTED) !=
        fake_services_count(services, EVENT_RUN_FINISHED))
        return "a run was not closed";
    if (was_edited && !strstr(studio_bench_state(bench).image.prompt, "a dog"))
        return "the person's prompt is lost";
    if (strchr(studio_bench_shown(bench), '{') || strstr(studio_bench_shown(bench), "---"))
        return "metadata reached the screen";
    return NULL;
}

/* The session with the n-th call broken; *out_calls says how many calls there were. */
static const char *take_turns(struct studio_bench *bench, enum fault fault, unsigned n,
                              unsigned *out_calls)
{
    static struct faulty_ports ports;
    bench->services.settings.studio_image_tool = "art/draw";
    bench->services.settings.model_attempts = 1;
    faulty_ports_init(&ports, &bench->services, &bench->scope);
    ports.fault = fault;
    ports.hit_at = n;
    answer_with(bench, FIRST);
    enum err_code first = studio_bench_turn(bench, "a cat");
    bench->scope.cancelled = false;
    bool was_edited = !studio_bench_edit(bench, "a dog");
    bench->scope.cancelled = false;
    answer_with(bench, SECOND);
    enum err_code second = studio_bench_turn(bench, "on the moon");
    bench->scope.cancelled = false;
    ports.fault = FAULT_NONE;
    *out_calls = ports.calls;
    if ((first || second) && !bench->err.message[0])
        return "an error says nothing";
    const char *broken = broken_rule(bench, was_edited);
    answer_with(bench, LAST);
    if (!broken && (studio_bench_turn(bench, "hello") || bench->result.end != STUDIO_ANSWERED))
        broken = "the conversation does not go on";
    return broken;
}

static const char *session(enum fault fault, unsigned n, unsigned *out_calls)
{
    void *state = NULL;
    if (studio_bench_set_up(&state))
        return "no bench";
    const char *broken = take_turns(state, fault, n, out_calls);
    studio_bench_tear_down(&state);
    return broken;
}

static void a_failure_anywhere_leaves_a_whole_conversation(void **state)
{
    (void)state;
    assert_true(fault_sweep(session, FAULT_FAIL) > 10);
}

static void a_cancellation_anywhere_leaves_a_whole_conversation(void **state)
{
    (void)state;
    assert_true(fault_sweep(session, FAULT_CANCEL) > 10);
}

static void a_timeout_anywhere_leaves_a_whole_conversation(void **state)
{
    (void)state;
    assert_true(fault_sweep(session, FAULT_TIME_OUT) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_anywhere_leaves_a_whole_conversation),
        cmocka_unit_test(a_cancellation_anywhere_leaves_a_whole_conversation),
        cmocka_unit_test(a_timeout_anywhere_leaves_a_whole_conversation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
