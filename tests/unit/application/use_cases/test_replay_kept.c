/* The ports stay those of the bench: what they answer the second time is the replay. */
#include "application/use_cases/replay_kept.h"
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/service_bench.h"
#include <string.h>

static const char plan_text[] =
    "{\"steps\":[{\"id\":\"a\",\"tool\":\"shop/note\",\"args\":{\"text\":\"x\"}},"
    "{\"id\":\"b\",\"tool\":\"shop/note\",\"args\":{\"text\":\"{a.text}\"}}]}";
static const char first_run[] = "id000001";

static struct fake_run_states states;

static int set_up(void **state)
{
    struct service_bench *bench =
        service_bench_create("shop", "[{\"name\":\"note\",\"inputSchema\":{\"type\":\"object\"}}]");
    fake_run_states_init(&states);
    bench->services.base.run_states = &states.base;
    bench->services.settings.runs_keep_state = "always";
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    fake_run_states_finish(&states);
    return service_bench_tear_down(state);
}

static void answer(struct service_bench *bench, const char *text)
{
    fake_tool_server_reply(bench->server, (struct fake_tool_reply){ .tool = "note", .text = text });
}

static void run(struct service_bench *bench)
{
    struct turn_result result;
    json_t *plan = NULL;
    assert_int_equal(json_parse(plan_text, strlen(plan_text), JSON_OURS, &plan, NULL), ERR_NONE);
    const struct run_plan_request request = { .plan = arena_keep_json(&bench->arena, plan) };
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_NONE);
}

static enum err_code read_run(struct service_bench *bench, const char *id,
                              struct kept_replay *replay)
{
    return replay_kept_read(&bench->services.base, &bench->scope, &bench->arena, id, replay,
                            &bench->err);
}

static const char *difference(struct service_bench *bench)
{
    struct kept_replay replay;
    struct replay_difference found;
    assert_int_equal(read_run(bench, first_run, &replay), ERR_NONE);
    assert_int_equal(replay_kept(&bench->services.base, &bench->scope, &bench->arena, &replay,
                                 &found, &bench->err),
                     ERR_NONE);
    return found.text;
}

static void the_same_answers_leave_the_same_events(void **state)
{
    struct service_bench *bench = *state;
    const char *const texts[] = { "one", "two", "one", "two" };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        answer(bench, texts[i]);
    run(bench);
    bench->runtime.now_ms += 1000;
    assert_null(difference(bench));
}

static void the_first_difference_is_told_with_its_step_and_place(void **state)
{
    struct service_bench *bench = *state;
    const char *const texts[] = { "one", "two", "one", "six" };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        answer(bench, texts[i]);
    run(bench);
    const char *text = difference(bench);
    assert_non_null(text);
    assert_non_null(strstr(text, "b, tool_result/data/"));
    assert_non_null(strstr(text, "two"));
    assert_non_null(strstr(text, "six"));
}

static void what_cannot_be_replayed_is_refused_with_the_reason(void **state)
{
    struct service_bench *bench = *state;
    struct kept_replay replay;
    assert_int_equal(read_run(bench, "nobody", &replay), ERR_NOT_FOUND);
    run(bench);
    bench->services.settings.runs_store_text = false;
    assert_int_equal(read_run(bench, first_run, &replay), ERR_INVALID);
    assert_non_null(strstr(bench->err.message, "only hashes"));
    bench->services.settings.runs_store_text = true;
    bench->services.settings.runs_keep_state = "failed";
    run(bench);
    assert_int_equal(read_run(bench, "id000002", &replay), ERR_NOT_FOUND);
    assert_non_null(strstr(bench->err.hint, "keep_state: always"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_answers_leave_the_same_events, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_difference_is_told_with_its_step_and_place,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_replayed_is_refused_with_the_reason, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
