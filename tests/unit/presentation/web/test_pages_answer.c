/* What a person answers on a page: it does what the command line does, once, and only where a page
 * of that person asked. */
#include "application/use_cases/mistral_chat.h"
#include "application/use_cases/run_plan.h"
#include "tests/unit/presentation/web/pages_bench.h"

#define STEP_APPROVE "{\"id\":\"sure\",\"approve\":{\"text\":\"Charge it?\"}},"
#define STEP_CHARGE "{\"id\":\"pay\",\"tool\":\"shop/charge\",\"args\":{\"n\":7}}"
#define PAGE "/runs/id000001"
#define FORM "/runs/id000001/answer"

static struct turn_result run(struct pages_bench *bench, const char *plan, bool is_foreign)
{
    struct service_bench *own = bench->own;
    struct turn_result result;
    json_t *value = NULL;
    assert_int_equal(json_parse(plan, strlen(plan), JSON_OURS, &value, NULL), ERR_NONE);
    const struct run_plan_request request = { .plan = arena_keep_json(&own->arena, value),
                                              .is_foreign = is_foreign };
    assert_int_equal(
        run_plan(&own->services.base, &own->scope, &own->arena, &request, &result, &own->err),
        ERR_NONE);
    return result;
}

static void run_to_approval(struct pages_bench *bench)
{
    struct turn_result result =
        run(bench, "{\"version\":2,\"steps\":[" STEP_APPROVE STEP_CHARGE "]}", false);
    assert_int_equal(result.status, RUN_REFUSED);
    assert_string_equal(result.run_id, "id000001");
}

/* The hidden fields of a form about an approval, as a browser sends them. */
static const char *approval_fields(struct pages_bench *bench)
{
    (void)get(bench, PAGE);
    return arena_printf(&bench->arena, "path=%s&hash=%s", hidden(bench, "path"),
                        hidden(bench, "hash"));
}

static enum run_status status_of(struct pages_bench *bench)
{
    return bench->own->services.runs.runs[0].status;
}

static void an_approval_shows_its_calls_and_lets_the_run_go_on_with_the_same_record(void **state)
{
    struct pages_bench *bench = *state;
    run_to_approval(bench);
    const char *page = get(bench, PAGE);
    has(page, "Waits for your approval");
    has(page, "Charge it?");
    has(page, "&quot;n&quot;: 7");
    has(page, hidden(bench, "hash"));

    (void)post(bench, PAGE, FORM, approval_fields(bench));

    assert_int_equal(bench->x.status, 303);
    assert_string_equal(fake_exchange_got(&bench->x, "Location"), PAGE);
    assert_int_equal(status_of(bench), RUN_COMPLETED);
    assert_int_equal(bench->own->server->n_calls, 1);
    const struct event *given =
        fake_run_repository_event(&bench->own->services.runs, EVENT_APPROVAL_GIVEN, 0);
    assert_string_equal(json_get_string(given->data, "answer"), "--answer");
}

static void a_form_without_the_token_of_its_page_does_nothing(void **state)
{
    struct pages_bench *bench = *state;
    run_to_approval(bench);
    const char *fields = approval_fields(bench);
    const char *csrf = hidden(bench, "csrf"), *event = hidden(bench, "event");
    char *wrong = arena_strdup(&bench->arena, csrf);
    wrong[0] = wrong[0] == 'a' ? 'b' : 'a';
    const char *const bodies[] = {
        arena_printf(&bench->arena, "event=%s&%s", event, fields),
        arena_printf(&bench->arena, "csrf=&event=%s&%s", event, fields),
        arena_printf(&bench->arena, "csrf=%s&event=%s&%s", wrong, event, fields),
        arena_printf(&bench->arena, "csrf=%.10s&event=%s&%s", csrf, event, fields),
    };
    for (size_t i = 0; i < ARRAY_LENGTH(bodies); i++) {
        (void)request_as(bench, &bench->visitor, "POST", FORM, bodies[i]);
        assert_int_equal(bench->x.status, 403);
    }
    const char *right = arena_printf(&bench->arena, "csrf=%s&event=%s&%s", csrf, event, fields);
    fake_exchange_finish(&bench->x); /* the token of one cookie is no other's */
    fake_exchange_init(&bench->x, "POST", FORM, right);
    bench->x.cookie = PAGES_COOKIE "=another-token";
    assert_true(pages_answer(bench->pages, &bench->own->scope, &bench->x.base, &bench->visitor));
    assert_int_equal(bench->x.status, 403);
    assert_int_equal(status_of(bench), RUN_REFUSED);
    assert_int_equal(bench->own->server->n_calls, 0);
}

static void another_hash_and_a_second_answer_are_refused(void **state)
{
    struct pages_bench *bench = *state;
    run_to_approval(bench);
    const char *fields = approval_fields(bench);
    const char *csrf = hidden(bench, "csrf"), *event = hidden(bench, "event");
    const char *body = arena_printf(&bench->arena, "csrf=%s&event=%s&%s", csrf, event, fields);

    (void)post(bench, PAGE, FORM, "path=sure&hash=00");
    assert_int_equal(bench->x.status, 409);
    assert_int_equal(bench->own->server->n_calls, 0);
    (void)request_as(bench, &bench->visitor, "POST", FORM, body);
    assert_int_equal(bench->x.status, 303);
    has(request_as(bench, &bench->visitor, "POST", FORM, body), "Answered already");
    assert_int_equal(bench->x.status, 409);
    assert_int_equal(bench->own->server->n_calls, 1);
}

static void a_call_that_the_policy_asks_about_is_approved_alike(void **state)
{
    struct pages_bench *bench = *state;
    assert_int_equal(run(bench, "{\"steps\":[" STEP_CHARGE "]}", true).status, RUN_REFUSED);
    has(get(bench, PAGE), "Approve this call");

    (void)post(bench, PAGE, FORM, approval_fields(bench));

    assert_int_equal(bench->x.status, 303);
    assert_int_equal(status_of(bench), RUN_COMPLETED);
    assert_int_equal(bench->own->server->n_calls, 1);
}

static void an_uncertain_call_is_settled_as_was_said(void **state)
{
    struct pages_bench *bench = *state;
    fake_tool_server_reply(
        bench->own->server,
        (struct fake_tool_reply){ .tool = "charge", .fails = ERR_UNAVAILABLE, .is_lost = true });
    assert_int_equal(run(bench, "{\"steps\":[" STEP_CHARGE "]}", false).status, RUN_FAILED);
    has(get(bench, PAGE), "Go on with this run");
    (void)post(bench, PAGE, FORM, "");
    assert_int_equal(bench->x.status, 303);
    assert_int_equal(status_of(bench), RUN_NEEDS_ANSWER);

    const char *page = get(bench, PAGE);
    has(page, "value=\"repeat\"");
    has(page, ": it took effect");
    has(post(bench, PAGE, FORM, "answer0=done&result0={"), "The result is no JSON");
    assert_int_equal(bench->x.status, 400);
    (void)post(bench, PAGE, FORM, "answer0=done&result0=%7B%22paid%22%3Atrue%7D");

    assert_int_equal(bench->x.status, 303);
    assert_int_equal(status_of(bench), RUN_COMPLETED);
    assert_int_equal(bench->own->server->n_calls, 1);
    const struct event *settled =
        fake_run_repository_event(&bench->own->services.runs, EVENT_CALL_SETTLED, 0);
    assert_string_equal(json_get_string(settled->data, "by"), "--answer");
}

#define INTENT                                                                                     \
    "{\"primary_goal\":\"charge\",\"tools_needed\":[\"shop__charge\"],\"parameters\":{},"          \
    "\"unclear_aspects\":[],\"needs_clarification\":false,\"confidence\":1,\"steps\":[]}"

/* A turn that asks. The page of its run, in the arena. */
static const char *ask_in_session(struct pages_bench *bench)
{
    struct service_bench *own = bench->own;
    struct turn_result result;
    const struct turn_request request = { .message = "charge it", .session_id = "s" };
    fake_model_reply(&own->services.model, INTENT);
    struct mistral_chat *chat = mistral_chat_create(&own->services.base);
    assert_int_equal(
        mistral_chat_turn(chat, &own->scope, &own->arena, &request, &result, &own->err), ERR_NONE);
    mistral_chat_destroy(chat);
    assert_int_equal(result.status, RUN_NEEDS_ANSWER);
    return arena_printf(&bench->arena, "/runs/%s", result.run_id);
}

static void a_question_whose_answer_failed_waits_again(void **state)
{
    struct pages_bench *bench = *state;
    const char *page = ask_in_session(bench);
    struct run later = { .id = "failed1", .kind = "ask", .session_id = "s", .status = RUN_FAILED };
    log_run(bench->own, later, -1000);
    has(get(bench, "/runs?state=waiting"), page);
    has(get(bench, page), "Waits for your answer");

    later.id = "done1";
    later.status = RUN_COMPLETED;
    log_run(bench->own, later, -2000);
    has_not(get(bench, "/runs?state=waiting"), page);
}

static void a_question_of_a_turn_is_answered_by_the_next_turn_of_its_session(void **state)
{
    struct pages_bench *bench = *state;
    struct service_bench *own = bench->own;
    const char *page = ask_in_session(bench);
    const char *form = arena_printf(&bench->arena, "%s/answer", page);
    has(get(bench, page), "Waits for your answer");
    has(buf_string(&bench->x.body), "answer0");
    (void)post(bench, page, form, "answer0=");
    assert_int_equal(bench->x.status, 400);

    fake_model_reply(&own->services.model, INTENT);
    (void)post(bench, page, form, "answer0=5");

    assert_int_equal(bench->x.status, 303);
    assert_int_equal(own->services.runs.n_runs, 2);
    assert_string_equal(own->services.runs.runs[1].session_id, "s");
}

/* A state of a run that is only in the log. */
static void keep_state(struct pages_bench *bench, const char *id)
{
    struct run_states *states = &bench->states.base;
    struct run_claim *claim = NULL;
    struct run_state *kept = NULL;
    assert_int_equal(run_states_claim(states, &bench->own->scope, id, &claim, NULL), ERR_NONE);
    assert_int_equal(run_states_create(states, &bench->own->scope, id, &kept, NULL), ERR_NONE);
    run_state_close(kept, false);
    run_states_release(states, claim);
}

static void what_nothing_is_kept_of_has_no_form(void **state)
{
    struct pages_bench *bench = *state;
    log_run(bench->own, (struct run){ .id = "gone1", .title = "x", .status = RUN_FAILED }, 0);
    has(get(bench, "/runs/gone1"), "Nothing is kept of this run");
    has_not(buf_string(&bench->x.body), "/runs/gone1/answer");
    log_run(bench->own, (struct run){ .id = "mute1", .kind = "ask", .status = RUN_NEEDS_ANSWER },
            0);
    has(get(bench, "/runs/mute1"), "The log keeps no texts");
    has_not(buf_string(&bench->x.body), "/runs/mute1/answer");
}

static void what_an_answer_failed_with_is_said_on_the_page_of_the_run(void **state)
{
    struct pages_bench *bench = *state;
    log_run(bench->own, (struct run){ .id = "gone1", .title = "x", .status = RUN_FAILED }, 0);
    keep_state(bench, "gone1");
    (void)post(bench, "/runs/gone1", "/runs/gone1/answer", "");
    assert_int_equal(bench->x.status, 303);
    has(get(bench, "/runs/gone1"), "The last answer was not carried out");
}

static void an_answer_about_what_does_not_wait_changes_nothing(void **state)
{
    struct pages_bench *bench = *state;
    log_run(bench->own, (struct run){ .id = "done1", .title = "x", .status = RUN_COMPLETED }, 0);
    (void)get(bench, "/runs");
    const char *body = arena_printf(&bench->arena, "csrf=%s&event=0", hidden(bench, "csrf"));
    (void)request_as(bench, &bench->visitor, "POST", "/runs/done1/answer", body);
    assert_int_equal(bench->x.status, 409);
    (void)request_as(bench, &bench->visitor, "POST", "/runs/other/answer", body);
    assert_int_equal(bench->x.status, 404);
    (void)get(bench, "/runs/done1/answer");
    assert_int_equal(bench->x.status, 405);
}

/* A runtime on which what is begun does not come to its end. */
static struct task *hold(struct runtime *r, struct scope *sc, task_fn *fn, void *argument)
{
    (void)r, (void)sc, (void)fn;
    return argument;
}

static size_t let_go(struct runtime *r, struct task **tasks, size_t n, enum err_code *out)
{
    (void)r, (void)tasks, (void)n;
    *out = ERR_CANCELLED;
    return 0;
}

static void only_so_many_answers_are_carried_out_at_once_and_none_twice(void **state)
{
    struct pages_bench *bench = *state;
    struct immediate_runtime held = immediate_runtime();
    struct runtime_ops ops = *held.port.ops;
    ops.spawn = hold;
    ops.wait_any = let_go;
    held.port.ops = &ops;
    const struct pages_options options = { .runtime = &held.port,
                                           .scope = &bench->own->scope,
                                           .digest = bench->own->services.base.digest,
                                           .ids = bench->own->services.base.ids,
                                           .visitors = &bench->visitors };
    pages_destroy(bench->pages);
    bench->pages = pages_create(&options);
    for (unsigned i = 0; i <= PAGES_MAX_ANSWERS; i++) {
        const char *id = arena_printf(&bench->arena, "cut%u", i);
        const char *page = arena_printf(&bench->arena, "/runs/%s", id);
        const char *form = arena_printf(&bench->arena, "%s/answer", page);
        log_run(bench->own, (struct run){ .id = id, .title = "x", .status = RUN_FAILED }, 0);
        keep_state(bench, id);
        (void)post(bench, page, form, "");
        assert_int_equal(bench->x.status, i < PAGES_MAX_ANSWERS ? 303 : 503);
    }
    assert_int_equal(bench->held, PAGES_MAX_ANSWERS); /* as none of them comes to its end */
    bench->held = 0;
    has(get(bench, "/runs/cut0"), "id=\"live\"");
    const char *body = arena_printf(&bench->arena, "csrf=%s&event=0", hidden(bench, "csrf"));
    (void)request_as(bench, &bench->visitor, "POST", "/runs/cut0/answer", body);
    assert_int_equal(bench->x.status, 409);
    pages_destroy(bench->pages);
    bench->pages = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_approval_shows_its_calls_and_lets_the_run_go_on_with_the_same_record),
        TEST(a_form_without_the_token_of_its_page_does_nothing),
        TEST(another_hash_and_a_second_answer_are_refused),
        TEST(a_call_that_the_policy_asks_about_is_approved_alike),
        TEST(an_uncertain_call_is_settled_as_was_said),
        TEST(a_question_of_a_turn_is_answered_by_the_next_turn_of_its_session),
        TEST(a_question_whose_answer_failed_waits_again),
        TEST(what_nothing_is_kept_of_has_no_form),
        TEST(what_an_answer_failed_with_is_said_on_the_page_of_the_run),
        TEST(an_answer_about_what_does_not_wait_changes_nothing),
        TEST(only_so_many_answers_are_carried_out_at_once_and_none_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
