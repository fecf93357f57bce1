/* A call that the policy asks about, in a run without a person: who looks at the run later can
 * approve exactly this call, and the run goes on with it. */
#include "tests/support/resume_bench.h"

/* A plan that is no consent to its calls; the policy asks about the first one. */
static struct turn_result run_foreign(struct service_bench *bench)
{
    struct turn_result result;
    const struct run_plan_request request = { .plan = parsed(bench, plan_text),
                                              .is_foreign = true };
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_NONE);
    assert_int_equal(result.status, RUN_REFUSED);
    assert_true(result.is_resumable);
    assert_int_equal(bench->server->n_calls, 0);
    return result;
}

static const json_t *asked(struct service_bench *bench, size_t at)
{
    const struct event *event =
        fake_run_repository_event(&bench->services.runs, EVENT_APPROVAL_ASKED, at);
    assert_non_null(event);
    return event->data;
}

static struct turn_result approve(struct service_bench *bench, const char *path, const char *hash)
{
    json_t *answers = json_object();
    json_object_set_new(answers, arena_printf(&bench->arena, "approve.%s", path),
                        json_string(hash));
    arena_keep_json(&bench->arena, answers);
    return resumed(bench, (struct resume_request){ ASK, .answers = answers });
}

static void the_call_that_was_approved_is_made_and_the_next_one_is_asked_about(void **state)
{
    struct service_bench *bench = *state;
    (void)run_foreign(bench);
    assert_string_equal(json_get_string(asked(bench, 0), "path"), "a");

    struct turn_result result = approve(bench, "a", json_get_string(asked(bench, 0), "hash"));

    assert_int_equal(result.status, RUN_REFUSED);
    assert_int_equal(bench->server->n_calls, 1);
    const struct event *given =
        fake_run_repository_event(&bench->services.runs, EVENT_APPROVAL_GIVEN, 0);
    assert_string_equal(json_get_string(given->data, "answer"), "--answer");
    assert_string_equal(json_get_string(asked(bench, 1), "path"), "b");

    (void)approve(bench, "b", json_get_string(asked(bench, 1), "hash"));
    result = approve(bench, "c", json_get_string(asked(bench, 2), "hash"));
    assert_int_equal(result.status, RUN_COMPLETED);
    assert_int_equal(bench->server->n_calls, 3);
}

static void another_hash_approves_nothing(void **state)
{
    struct service_bench *bench = *state;
    (void)run_foreign(bench);

    assert_int_equal(approve(bench, "a", "00").status, RUN_REFUSED);
    assert_int_equal(approve(bench, "b", json_get_string(asked(bench, 0), "hash")).status,
                     RUN_REFUSED);

    assert_int_equal(bench->server->n_calls, 0);
}

static void a_changed_tool_has_another_hash(void **state)
{
    struct service_bench *bench = *state;
    (void)run_foreign(bench);
    const char *hash = json_get_string(asked(bench, 0), "hash");
    (void)approve(bench, "a", hash);
    hash = json_get_string(asked(bench, 1), "hash");
    redefine_charge(bench, CHARGES_TWICE);

    json_t *answers = arena_keep_json(&bench->arena, json_pack("{s:s}", "approve.b", hash));
    (void)resumed(bench,
                  (struct resume_request){ ASK, .answers = answers, .accepts_changes = true });

    assert_int_equal(bench->server->n_calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(the_call_that_was_approved_is_made_and_the_next_one_is_asked_about),
        T(another_hash_approves_nothing),
        T(a_changed_tool_has_another_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
