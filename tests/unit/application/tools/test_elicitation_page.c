
#include "application/tools/answering.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_browser {
    struct browser base;
    enum err_code fails;
    unsigned n_opened;
    size_t n_confirmed; /* what the person had said yes to by then */
    char url[100];
    const struct fake_user *user;
};

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_browser browser;
    struct journal journal;
    struct arena arena;
    struct scope scope;
    struct elicitation question;
    struct elicitation_answer answer;
    struct err err;
};

static enum err_code open_url(struct browser *browser, struct scope *scope, const char *url,
                              struct err *err)
{
    struct fake_browser *fake = (struct fake_browser *)browser;
    (void)scope;
    if (fake->fails)
        return err_set(err, fake->fails, 0, "there is no browser");
    fake->n_opened++;
    fake->n_confirmed = fake->user->n_confirmed;
    snprintf(fake->url, sizeof fake->url, "%s", url);
    return ERR_NONE;
}

static int set_up(void **state)
{
    static const struct browser_ops ops = { .open = open_url };
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    bench->services.user.present = true;
    bench->browser = (struct fake_browser){ .base = { &ops }, .user = &bench->services.user };
    bench->services.base.browser = &bench->browser.base;
    bench->question =
        (struct elicitation){ .message = "Pay here", .url = "https://pay.example/cart?id=1" };
    journal_init(&bench->journal, &bench->runtime.port, bench->services.runs_port,
                 bench->services.base.digest, bench->services.base.ids, true);
    journal_begin(&bench->journal, "call", NULL, "test", NULL);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
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
        .asker = { .server = "shop", .work = ASKER_PROMPT, .name = "pay" },
    };
    bench->answer.action = ELICITATION_CANCEL;
    return elicitation_ask(&answering, &bench->question, &bench->scope, &bench->arena,
                           &bench->answer, &bench->err);
}

static const json_t *data_of(struct bench *bench, enum event_kind kind)
{
    (void)!journal_sync(&bench->journal, &bench->scope, NULL);
    const struct event *event = fake_run_repository_event(&bench->services.runs, kind, 0);
    return event ? event->data : NULL;
}

static void a_page_is_opened_after_the_person_saw_where_it_is(void **state)
{
    struct bench *bench = *state;

    assert_int_equal(ask(bench), ERR_NONE);

    const struct fake_user *user = &bench->services.user;
    assert_int_equal(user->n_confirmed, 1);
    assert_string_equal(user->confirmed[0].title,
                        "the server \"shop\" wants you to open a page, while its prompt pay is "
                        "made");
    assert_string_equal(user->confirmed[0].message, "Pay here");
    assert_string_equal(user->confirmed[0].url, bench->question.url);
    assert_string_equal(user->confirmed[0].warnings, "");
    assert_int_equal(bench->browser.n_opened, 1);
    assert_int_equal(bench->browser.n_confirmed, 1);
    assert_string_equal(bench->browser.url, bench->question.url);
    assert_int_equal(bench->answer.action, ELICITATION_ACCEPT);
    assert_null(bench->answer.content);
    const json_t *asked = data_of(bench, EVENT_ELICITATION_ASKED);
    assert_string_equal(json_get_string(asked, "url"), bench->question.url);
    assert_string_equal(json_get_string(asked, "prompt"), "pay");
    assert_null(json_object_get(asked, "fields"));
    assert_string_equal(json_get_string(data_of(bench, EVENT_ELICITATION_ANSWERED), "action"),
                        "accept");
}

static void a_no_opens_nothing(void **state)
{
    struct bench *bench = *state;
    bench->services.user.words[0] = ERR_DENIED;
    bench->services.user.words[1] = ERR_UNAVAILABLE;

    assert_int_equal(ask(bench), ERR_NONE);
    assert_int_equal(bench->answer.action, ELICITATION_DECLINE);
    assert_int_equal(ask(bench), ERR_NONE);
    assert_int_equal(bench->answer.action, ELICITATION_CANCEL);

    assert_int_equal(bench->browser.n_opened, 0);
}

static void where_the_server_waits_for_nobody_the_person_says_when_they_are_done(void **state)
{
    struct bench *bench = *state;
    bench->question.must_finish = true;
    bench->services.user.words[3] = ERR_UNAVAILABLE;

    assert_int_equal(ask(bench), ERR_NONE);
    assert_int_equal(bench->answer.action, ELICITATION_ACCEPT);
    assert_string_equal(bench->services.user.confirmed[1].question,
                        "Are you done there, and may shop go on?");
    assert_int_equal(ask(bench), ERR_NONE);
    assert_int_equal(bench->answer.action, ELICITATION_CANCEL);
    assert_int_equal(bench->services.user.n_confirmed, 4);
}

static void what_is_odd_about_a_page_is_said(void **state)
{
    struct bench *bench = *state;
    bench->question.url = "http://bank.example@xn--bnk-7ka.example/";

    assert_int_equal(ask(bench), ERR_NONE);

    const char *warnings = bench->services.user.confirmed[0].warnings;
    assert_non_null(strstr(warnings, "punycode"));
    assert_non_null(strstr(warnings, "before the \"@\""));
    assert_non_null(strstr(warnings, "not encrypted"));
}

static void what_is_no_page_is_declined_without_a_question(void **state)
{
    struct bench *bench = *state;
    bench->question.url = "javascript:alert(1)";

    assert_int_equal(ask(bench), ERR_NONE);

    assert_int_equal(bench->answer.action, ELICITATION_DECLINE);
    assert_int_equal(bench->services.user.n_confirmed, 0);
    assert_int_equal(bench->browser.n_opened, 0);
    assert_non_null(strstr(json_get_string(data_of(bench, EVENT_WARNING), "text"),
                           "\"javascript:alert(1)\", which is not a web page"));
}

static void without_a_browser_the_person_opens_it(void **state)
{
    struct bench *bench = *state;
    bench->services.base.browser = NULL;

    assert_int_equal(ask(bench), ERR_NONE);

    assert_string_equal(bench->services.user.confirmed[0].question, "Will you open it yourself?");
    assert_int_equal(bench->answer.action, ELICITATION_ACCEPT);
    assert_null(data_of(bench, EVENT_WARNING));
}

static void where_no_browser_opens_the_person_says_whether_they_went_there(void **state)
{
    struct bench *bench = *state;
    const struct fake_user *user = &bench->services.user;
    bench->browser.fails = ERR_NOT_FOUND;
    bench->services.user.words[3] = ERR_DENIED;
    assert_int_equal(ask(bench), ERR_NONE);
    assert_string_equal(user->confirmed[1].question, "Have you opened it yourself?");
    assert_int_equal(bench->answer.action, ELICITATION_ACCEPT);
    assert_non_null(
        strstr(json_get_string(data_of(bench, EVENT_WARNING), "text"), "there is no browser"));

    assert_int_equal(ask(bench), ERR_NONE);
    assert_int_equal(bench->answer.action, ELICITATION_DECLINE);
    bench->services.user.n_confirmed = 0;
    bench->browser.fails = ERR_CANCELLED;
    assert_int_equal(ask(bench), ERR_CANCELLED);
}

static void whether_they_are_done_is_asked_once_where_no_browser_opens(void **state)
{
    struct bench *bench = *state;
    bench->browser.fails = ERR_NOT_FOUND;
    bench->question.must_finish = true;
    assert_int_equal(ask(bench), ERR_NONE);
    assert_int_equal(bench->services.user.n_confirmed, 2);
    assert_int_equal(bench->answer.action, ELICITATION_ACCEPT);
}

static void the_end_of_the_call_is_no_answer(void **state)
{
    struct bench *bench = *state;
    bench->services.user.words[0] = ERR_CANCELLED;

    assert_int_equal(ask(bench), ERR_CANCELLED);

    assert_null(data_of(bench, EVENT_ELICITATION_ANSWERED));
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_page_is_opened_after_the_person_saw_where_it_is),
        T(a_no_opens_nothing),
        T(where_the_server_waits_for_nobody_the_person_says_when_they_are_done),
        T(what_is_odd_about_a_page_is_said),
        T(what_is_no_page_is_declined_without_a_question),
        T(without_a_browser_the_person_opens_it),
        T(where_no_browser_opens_the_person_says_whether_they_went_there),
        T(whether_they_are_done_is_asked_once_where_no_browser_opens),
        T(the_end_of_the_call_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
