
#include "application/tools/answering.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <stdlib.h>
#include <string.h>

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct journal journal;
    struct arena arena;
    struct scope scope;
    json_t *schema, *answers;
    struct elicitation_answer answer;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    bench->services.user.present = true;
    bench->schema = json_pack("{s:{s:{s:s}, s:{s:s}}, s:[s]}", "properties", "name", "type",
                              "string", "password", "type", "string", "required", "name");
    bench->answers = json_pack("{s:s, s:s}", "name", "Ada", "password", "hunter2");
    journal_init(&bench->journal, &bench->runtime.port, bench->services.runs_port,
                 bench->services.base.digest, bench->services.base.ids, true);
    journal_begin(&bench->journal, "call", NULL, "test", NULL);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    json_decref(bench->schema);
    json_decref(bench->answers);
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

static enum err_code ask(struct bench *bench)
{
    const struct answering answering = {
        .services = &bench->services.base,
        .journal = &bench->journal,
        .asker = { .server = "dev", .name = "dev/send", .step_id = "s1" },
    };
    const struct elicitation question = { .message = "Who?", .schema = bench->schema };
    return elicitation_ask(&answering, &question, &bench->scope, &bench->arena, &bench->answer,
                           &bench->err);
}

static const json_t *data_of(struct bench *bench, enum event_kind kind)
{
    (void)!journal_sync(&bench->journal, &bench->scope, NULL);
    const struct event *event = fake_run_repository_event(&bench->services.runs, kind, 0);
    return event ? event->data : NULL;
}

static void the_answer_goes_back_and_the_log_has_no_secret(void **state)
{
    struct bench *bench = *state;
    bench->services.user.form_answers = bench->answers;

    assert_int_equal(ask(bench), ERR_NONE);

    assert_int_equal(bench->answer.action, ELICITATION_ACCEPT);
    assert_string_equal(json_get_string(bench->answer.content, "password"), "hunter2");
    assert_non_null(strstr(bench->services.user.form_title, "\"dev\" asks, while dev/send runs"));
    assert_non_null(strstr(bench->services.user.form_title, "looks like a secret"));
    const json_t *asked = data_of(bench, EVENT_ELICITATION_ASKED);
    assert_string_equal(json_get_string(asked, "step"), "s1");
    assert_string_equal(json_get_string(json_object_get(asked, "message"), "text"), "Who?");
    assert_int_equal(json_array_size(json_object_get(asked, "fields")), 2);
    const json_t *answered = data_of(bench, EVENT_ELICITATION_ANSWERED);
    assert_string_equal(json_get_string(answered, "action"), "accept");
    const json_t *content = json_object_get(answered, "content");
    assert_string_equal(json_get_string(content, "name"), "Ada");
    assert_string_equal(json_get_string(content, "password"), "[redacted]");
}

static void a_person_may_decline_or_leave(void **state)
{
    struct bench *bench = *state;

    assert_int_equal(ask(bench), ERR_NONE);
    assert_int_equal(bench->answer.action, ELICITATION_DECLINE);
    assert_null(bench->answer.content);
    bench->services.user.form_fails = ERR_UNAVAILABLE;
    assert_int_equal(ask(bench), ERR_NONE);
    assert_int_equal(bench->answer.action, ELICITATION_CANCEL);

    const json_t *answered = data_of(bench, EVENT_ELICITATION_ANSWERED);
    assert_string_equal(json_get_string(answered, "action"), "decline");
}

static void the_end_of_the_call_is_no_answer(void **state)
{
    struct bench *bench = *state;
    bench->services.user.form_fails = ERR_CANCELLED;

    assert_int_equal(ask(bench), ERR_CANCELLED);

    assert_null(data_of(bench, EVENT_ELICITATION_ANSWERED));
}

static void answers_that_do_not_fit_the_form_are_not_sent(void **state)
{
    struct bench *bench = *state;
    json_object_del(bench->answers, "name");
    bench->services.user.form_answers = bench->answers;

    assert_int_equal(ask(bench), ERR_NONE);

    assert_int_equal(bench->answer.action, ELICITATION_CANCEL);
    assert_non_null(data_of(bench, EVENT_WARNING));
}

static void what_is_no_form_is_not_shown(void **state)
{
    struct bench *bench = *state;
    json_object_set_new(bench->schema, "properties", json_array());

    assert_int_equal(ask(bench), ERR_INVALID);

    assert_string_equal(bench->services.user.form_title, "");
    assert_null(data_of(bench, EVENT_ELICITATION_ASKED));
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_answer_goes_back_and_the_log_has_no_secret),
        TEST(a_person_may_decline_or_leave),
        TEST(the_end_of_the_call_is_no_answer),
        TEST(answers_that_do_not_fit_the_form_are_not_sent),
        TEST(what_is_no_form_is_not_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
