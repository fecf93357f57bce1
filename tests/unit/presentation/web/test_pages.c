/* Pages as a browser gets them: who may see which, what is in their heads, and that no text of
 * others becomes markup. */
#include "tests/unit/presentation/web/pages_bench.h"

static void nobody_gets_more_than_the_way_in(void **state)
{
    struct pages_bench *bench = *state;
    static const char *const paths[] = { "/", "/runs", "/runs/r1", "/runs/r1/events" };
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
        (void)request_as(bench, NULL, "GET", paths[i], NULL);
        assert_int_equal(bench->x.status, 303);
        assert_string_equal(fake_exchange_got(&bench->x, "Location"), "/login");
    }
    (void)request_as(bench, NULL, "POST", "/runs/r1/answer", "a=b");
    assert_int_equal(bench->x.status, 303);
    has(request_as(bench, NULL, "GET", "/login", NULL), "<form method=\"post\" action=\"/login\">");
    assert_int_equal(bench->x.status, 200);
    has(request_as(bench, NULL, "GET", "/style.css", NULL), ":focus-visible");
    assert_string_equal(bench->x.type, "text/css; charset=utf-8");
    has(request_as(bench, NULL, "GET", "/script.js", NULL), "EventSource");
    assert_true(bench->x.body.length < 10240);
}

static void other_paths_are_left_to_others(void **state)
{
    struct pages_bench *bench = *state;
    static const char *const paths[] = { "/mcp", "/runsx", "//runs", "/login/", "/style.css.map" };
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
        fake_exchange_finish(&bench->x);
        fake_exchange_init(&bench->x, "GET", paths[i], NULL);
        assert_false(
            pages_answer(bench->pages, &bench->own->scope, &bench->x.base, &bench->visitor));
        assert_false(bench->x.base.is_answered);
    }
}

static void every_page_has_a_strict_policy_and_is_not_stored(void **state)
{
    struct pages_bench *bench = *state;
    static const char *const paths[] = { "/", "/runs", "/runs/r1", "/login", "/style.css" };
    log_run(bench->own, (struct run){ .id = "r1", .title = "x" }, 0);
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
        const char *page = get(bench, paths[i]);
        has(fake_exchange_got(&bench->x, "Content-Security-Policy"), "default-src 'none';");
        has(fake_exchange_got(&bench->x, "Content-Security-Policy"), "frame-ancestors 'none';");
        assert_string_equal(fake_exchange_got(&bench->x, "Referrer-Policy"), "same-origin");
        assert_string_equal(fake_exchange_got(&bench->x, "Cache-Control"), "no-store");
        has_not(page, " style=");
        has_not(page, "<style");
    }
}

static void a_right_token_becomes_a_cookie_and_leaves_the_address(void **state)
{
    struct pages_bench *bench = *state;
    (void)request_as(bench, NULL, "GET", "/login?token=right-token", NULL);
    assert_int_equal(bench->x.status, 303);
    assert_string_equal(fake_exchange_got(&bench->x, "Location"), "/runs");
    assert_string_equal(fake_exchange_got(&bench->x, "Set-Cookie"),
                        PAGES_COOKIE "=right-token; Path=/; Secure; HttpOnly; SameSite=Strict");

    (void)request_as(bench, NULL, "POST", "/login", "token=right-token");
    assert_int_equal(bench->x.status, 303);
    assert_non_null(fake_exchange_got(&bench->x, "Set-Cookie"));
}

static void a_wrong_token_sets_no_cookie(void **state)
{
    struct pages_bench *bench = *state;
    static const char *const bodies[] = { "token=wrong", "token=", "other=1",
                                          "token=right-token%0d%0aX:1", "token=right-token;x" };
    for (size_t i = 0; i < ARRAY_LENGTH(bodies); i++) {
        has(request_as(bench, NULL, "POST", "/login", bodies[i]), "role=\"alert\"");
        assert_true(bench->x.status == 403 || bench->x.status == 400);
        assert_null(fake_exchange_got(&bench->x, "Set-Cookie"));
    }
}

static void a_token_that_cannot_be_looked_up_now_is_not_called_wrong(void **state)
{
    struct pages_bench *bench = *state;
    bench->identify_fails = ERR_LIMIT;
    has(request_as(bench, NULL, "POST", "/login", "token=right-token"), "Too many persons at once");
    assert_int_equal(bench->x.status, 503);
    assert_null(fake_exchange_got(&bench->x, "Set-Cookie"));
    bench->identify_fails = ERR_INVALID;
    has(request_as(bench, NULL, "POST", "/login", "token=right-token"), "cannot be found out now");
    assert_int_equal(bench->x.status, 500);
}

static void the_cookie_is_found_among_others(void **state)
{
    struct pages_bench *bench = *state;
    static const struct {
        const char *cookie, *token;
    } cases[] = { { PAGES_COOKIE "=abc", "abc" },
                  { "a=b; " PAGES_COOKIE "=abc; c=d", "abc" },
                  { "x" PAGES_COOKIE "=abc", NULL },
                  { PAGES_COOKIE "=", NULL },
                  { PAGES_COOKIE "=\"abc\"", NULL },
                  { "", NULL },
                  { NULL, NULL } };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        bench->x.cookie = cases[i].cookie;
        const char *token = pages_cookie_token(&bench->x.base, &bench->arena);
        assert_true(text_equal(token, cases[i].token));
    }
}

static void signing_out_takes_the_token_of_the_form(void **state)
{
    struct pages_bench *bench = *state;
    (void)request_as(bench, &bench->visitor, "POST", "/logout", "csrf=00");
    assert_int_equal(bench->x.status, 403);
    assert_null(fake_exchange_got(&bench->x, "Set-Cookie"));
    (void)post(bench, "/runs", "/logout", "");
    assert_int_equal(bench->x.status, 303);
    has(fake_exchange_got(&bench->x, "Set-Cookie"), "Max-Age=0");
    (void)get(bench, "/logout");
    assert_int_equal(bench->x.status, 405);
    assert_string_equal(fake_exchange_got(&bench->x, "Allow"), "POST");
}

static void what_is_no_form_is_refused(void **state)
{
    struct pages_bench *bench = *state;
    char *large = arena_alloc(&bench->arena, PAGES_FORM_BYTES + 2);
    memset(large, 'a', PAGES_FORM_BYTES + 1);
    (void)request_as(bench, NULL, "POST", "/login", large);
    assert_int_equal(bench->x.status, 413);
    (void)request_as(bench, NULL, "POST", "/login", "token=%zz");
    assert_int_equal(bench->x.status, 400);
    (void)get(bench, "/runs?q=%00");
    assert_int_equal(bench->x.status, 400);
    (void)get(bench, "/runs?q=%ff");
    assert_int_equal(bench->x.status, 400);
    fake_exchange_finish(&bench->x);
    fake_exchange_init(&bench->x, "POST", "/login", "{}");
    bench->x.content_type = "application/json";
    assert_true(pages_answer(bench->pages, &bench->own->scope, &bench->x.base, NULL));
    assert_int_equal(bench->x.status, 415);
}

static void runs_of_others_are_as_little_there_as_none(void **state)
{
    struct pages_bench *bench = *state;
    log_run(bench->own, (struct run){ .id = "mine1", .title = "my own" }, 0);
    log_run(bench->other, (struct run){ .id = "theirs1", .title = "their secret" }, 0);
    has(get(bench, "/runs/mine1"), "my own");
    assert_int_equal(bench->x.status, 200);

    const char *none = arena_strdup(&bench->arena, get(bench, "/runs/nothing"));
    assert_int_equal(bench->x.status, 404);
    static const char *const paths[] = { "/runs/theirs1",
                                         "/runs/theirs1?person=bob",
                                         "/runs/mine",
                                         "/runs/latest",
                                         "/runs/mine1?person=bob",
                                         "/runs/",
                                         "/runs/mine1/x",
                                         "/runs/%6dine1",
                                         "/runs/../runs/mine1",
                                         "/runs/mine1/../..",
                                         "/runs/theirs1/events",
                                         "/runs/theirs1/events?person=bob" };
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
        assert_string_equal(get(bench, paths[i]), none);
        assert_int_equal(bench->x.status, 404);
    }
    has_not(get(bench, "/runs"), "their secret");
    (void)get(bench, "/runs?person=bob");
    assert_int_equal(bench->x.status, 404);
}

static void an_admin_sees_everybodys_runs_with_their_names(void **state)
{
    struct pages_bench *bench = *state;
    log_run(bench->own, (struct run){ .id = "mine1", .title = "of ada" }, 1000);
    log_run(bench->other, (struct run){ .id = "theirs1", .title = "of bob" }, 0);

    const char *page = request_as(bench, &bench->admin, "GET", "/runs", NULL);
    const char *theirs = strstr(page, "/runs/theirs1?person=bob");
    assert_non_null(theirs);
    assert_non_null(strstr(theirs, "/runs/mine1?person=ada"));
    has(page, "<td dir=\"auto\">bob</td>");
    page = request_as(bench, &bench->admin, "GET", "/runs?person=bob", NULL);
    has(page, "of bob");
    has_not(page, "of ada");
    page = request_as(bench, &bench->admin, "GET", "/runs/theirs1?person=bob", NULL);
    assert_int_equal(bench->x.status, 200);
    has(page, "A run of bob");
}

static void a_run_of_another_person_holds_the_services_of_that_person_alone(void **state)
{
    struct pages_bench *bench = *state;
    bench->n_crowd = 1000;
    (void)request_as(bench, &bench->admin, "GET", "/runs/p0999-1?person=p0999", NULL);
    assert_int_equal(bench->x.status, 200);
    has(buf_string(&bench->x.body), "A run of p0999");
    assert_int_equal(bench->most_looked_at, 1);
    (void)request_as(bench, &bench->admin, "GET", "/runs/p1000-1?person=p1000", NULL);
    assert_int_equal(bench->x.status, 404);
    (void)request_as(bench, &bench->admin, "GET", "/runs?person=p1000", NULL);
    assert_int_equal(bench->x.status, 404);
}

static void the_list_says_whose_runs_are_missing_and_shows_the_others(void **state)
{
    struct pages_bench *bench = *state;
    log_run(bench->own, (struct run){ .id = "mine1", .title = "of ada" }, 0);
    bench->unreadable = "bob";
    const char *page = request_as(bench, &bench->admin, "GET", "/runs", NULL);
    assert_int_equal(bench->x.status, 200);
    has(page, "of ada");
    has(page, "bob: 96 persons have something running; try again</li>");
    (void)request_as(bench, &bench->admin, "GET", "/runs?person=bob", NULL);
    assert_int_equal(bench->x.status, 503);
    (void)request_as(bench, &bench->admin, "GET", "/runs/theirs1?person=bob", NULL);
    assert_int_equal(bench->x.status, 503);
    bench->unreadable = NULL;
    has_not(request_as(bench, &bench->admin, "GET", "/runs", NULL), "missing");
}

static void log_hostile_runs(struct service_bench *of)
{
    log_run(of, (struct run){ .id = "r1", .title = HOSTILE, .status = RUN_REFUSED }, 0);
    log_event(of, "r1", EVENT_TOOL_CALL,
              json_pack("{s:s, s:s, s:{s:s}}", "step", HOSTILE, "tool", HOSTILE, "args", HOSTILE,
                        HOSTILE));
    log_event(of, "r1", EVENT_TOOL_RESULT,
              json_pack("{s:s, s:s, s:{s:[{s:s,s:s}]}}", "step", HOSTILE, "tool", HOSTILE, "result",
                        "content", "type", "text", "text", HOSTILE));
    log_event(of, "r1", EVENT_APPROVAL_ASKED,
              json_pack("{s:s, s:s, s:s, s:s, s:s, s:[{s:s, s:s, s:{s:s}}]}", "tool", HOSTILE,
                        "path", HOSTILE, "hash", HOSTILE, "text", HOSTILE, "show", HOSTILE, "calls",
                        "step", HOSTILE, "tool", HOSTILE, "args", HOSTILE, HOSTILE));
    log_event(of, "r1", EVENT_RUN_FINISHED,
              json_pack("{s:s, s:{s:s, s:s, s:s}}", "status", "refused", "error", "code", HOSTILE,
                        "message", HOSTILE, "hint", HOSTILE));
    log_run(of,
            (struct run){ .id = "r2",
                          .kind = "ask",
                          .session_id = "s",
                          .title = "x",
                          .status = RUN_NEEDS_ANSWER },
            0);
    log_event(of, "r2", EVENT_QUESTIONS,
              json_pack("{s:[{s:s, s:s, s:[s]}, {s:s, s:s, s:s, s:s}]}", "questions", "key",
                        HOSTILE, "text", HOSTILE, "choices", HOSTILE, "key", HOSTILE, "text",
                        HOSTILE, "wants", HOSTILE, "example", HOSTILE));
    log_run(of, (struct run){ .id = "r3", .title = "x" }, 0);
    log_event(of, "r3", EVENT_WARNING, json_pack("{s:s}", "text", HOSTILE));
}

static void script_in_every_text_is_text(void **state)
{
    struct pages_bench *bench = *state;
    memcpy(bench->visitor.name, HOSTILE, sizeof bench->visitor.name - 1);
    log_hostile_runs(bench->own);
    static const char *const paths[] = { "/runs",
                                         "/runs/r1",
                                         "/runs/r2",
                                         "/runs/r3",
                                         "/runs/r3/events?after=0",
                                         "/runs?q=%3Cscript%3E%3Cimg%20%22&state=failed" };
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
        const char *page = get(bench, paths[i]);
        assert_int_equal(bench->x.status, 200);
        has_not(page, "<script>");
        has_not(page, "<img");
        has(page, "&lt;script&gt;");
    }
}

/* The row of a run in a list. */
static const char *row_of(struct pages_bench *bench, const char *page, const char *id)
{
    const char *at = strstr(page, arena_printf(&bench->arena, "/runs/%s\"", id));
    assert_non_null(at);
    return arena_strndup(&bench->arena, at, (size_t)(strstr(at, "</tr>") - at));
}

static void the_list_says_what_became_of_each_run_and_what_waits_comes_first(void **state)
{
    struct pages_bench *bench = *state;
    json_auto_t *stats =
        json_pack("{s:{s:{s:i}, s:{s:i}}}", "tools", "a/b", "calls", 2, "a/c", "calls", 3);
    log_run(bench->own,
            (struct run){ .id = "done1", .title = "read", .status = RUN_COMPLETED, .stats = stats },
            1000);
    log_run(bench->own, (struct run){ .id = "cut1", .title = "cut off" }, 2000);
    log_run(bench->own,
            (struct run){ .id = "asks1",
                          .kind = "ask",
                          .session_id = "s",
                          .title = "which?",
                          .status = RUN_NEEDS_ANSWER },
            9000);
    log_event(bench->own, "asks1", EVENT_QUESTIONS,
              json_pack("{s:[{s:s, s:s}]}", "questions", "key", "path", "text", "Which path?"));

    const char *page = get(bench, "/runs");

    const char *waits = strstr(page, "Waits for a person"), *all = strstr(page, "All runs</h2>");
    assert_non_null(waits);
    assert_true(waits < all);
    has(row_of(bench, page, "asks1"), "asks a question");
    has(row_of(bench, page, "cut1"), "was interrupted");
    has(row_of(bench, all, "done1"), "<span class=\"tag good\">completed</span>");
    has(row_of(bench, all, "done1"), "<td class=\"number\">1.5 s</td><td class=\"number\">5</td>");
    page = get(bench, "/runs?state=completed");
    has(page, "done1");
    has_not(page, "cut1");
    has_not(page, "Waits for a person</h2>");
    has(get(bench, "/runs?q=WHICH"), "asks1");
    has_not(get(bench, "/runs?kind=chat"), "asks1");
    (void)get(bench, "/runs?state=odd");
    assert_int_equal(bench->x.status, 404);
}

static void what_was_answered_waits_no_longer(void **state)
{
    struct pages_bench *bench = *state;
    struct run asks = { .id = "asks1",
                        .kind = "ask",
                        .session_id = "s",
                        .title = "which?",
                        .status = RUN_NEEDS_ANSWER };
    log_run(bench->own, asks, 9000);
    log_event(bench->own, "asks1", EVENT_QUESTIONS,
              json_pack("{s:[{s:s, s:s}]}", "questions", "key", "path", "text", "Which path?"));
    has(get(bench, "/runs?state=waiting"), "asks1");
    asks.id = "next1";
    asks.status = RUN_COMPLETED;
    log_run(bench->own, asks, 1000);
    has_not(get(bench, "/runs?state=waiting"), "asks1");
    has(get(bench, "/runs/asks1"), "/runs/next1");
}

static const char *link_of(struct pages_bench *bench, const char *page, const char *words)
{
    const char *end = strstr(page, arena_printf(&bench->arena, "\">%s</a>", words)), *at = end;
    if (!end)
        return NULL;
    while (strncmp(at, "href=\"", 6) != 0)
        at--;
    char *link = arena_strndup(&bench->arena, at + 6, (size_t)(end - at - 6));
    for (char *amp; (amp = strstr(link, "&amp;"));)
        memmove(amp + 1, amp + 5, strlen(amp + 5) + 1);
    return link;
}

static const char *follow(struct pages_bench *bench, const char *words)
{
    const char *link = link_of(bench, buf_string(&bench->x.body), words);
    assert_non_null(link);
    return request_as(bench, &bench->admin, "GET", link, NULL);
}

/* Of two persons, whose logs interleave. */
static void a_long_list_is_read_page_by_page(void **state)
{
    struct pages_bench *bench = *state;
    for (int i = 0; i < 2 * PAGES_ROWS + 50; i++) {
        const char *id = arena_printf(&bench->arena, "run%03d", i);
        log_run(i % 2 ? bench->own : bench->other,
                (struct run){ .id = id, .title = id, .status = RUN_COMPLETED }, i * 10);
    }
    const char *page = request_as(bench, &bench->admin, "GET", "/runs", NULL);
    has(page, ">run099<");
    has_not(page, ">run100<");
    assert_null(link_of(bench, page, "Newest"));
    page = follow(bench, "Older");
    has(page, ">run100<");
    has(page, ">run199<");
    has_not(page, ">run200<");
    page = follow(bench, "Older");
    has(page, ">run249<");
    assert_null(link_of(bench, page, "Older"));
    page = follow(bench, "Newest");
    has(page, ">run000<");
    assert_null(link_of(bench, page, "Newest"));
}

/* How many rows of the crowd the page has, which stand in the order in which they began. */
static int n_rows_in_order(struct pages_bench *bench, int *last)
{
    int n = 0, person, number;
    for (const char *at = buf_string(&bench->x.body); (at = strstr(at, "<a href=\"/runs/p")); n++) {
        at += strlen("<a href=\"/runs/p");
        assert_int_equal(sscanf(at, "%4d-%d?", &person, &number), 2);
        assert_int_equal(number * 1000 + person, *last + 1);
        *last = number * 1000 + person;
    }
    return n;
}

static void the_runs_of_a_thousand_persons_are_listed_and_one_is_held_at_a_time(void **state)
{
    struct pages_bench *bench = *state;
    int last = -1, n_pages = 1;
    bench->n_crowd = 1000;
    has(request_as(bench, &bench->admin, "GET", "/runs", NULL), "<option value=\"p0999\">");
    assert_int_equal(n_rows_in_order(bench, &last), PAGES_ROWS);
    while (link_of(bench, buf_string(&bench->x.body), "Older")) {
        (void)follow(bench, "Older");
        assert_int_equal(n_rows_in_order(bench, &last), PAGES_ROWS);
        n_pages++;
    }
    assert_int_equal(last, CROWD_RUNS * 1000 - 1);
    assert_int_equal(n_pages, CROWD_RUNS * 1000 / PAGES_ROWS);
    assert_int_equal(bench->most_looked_at, 1);
}

static void a_run_that_is_under_way_is_told_as_it_goes_on(void **state)
{
    struct pages_bench *bench = *state;
    struct run_claim *claim = NULL;
    log_run(bench->own, (struct run){ .id = "r1", .title = "x" }, 0);
    assert_int_equal(run_states_claim(&bench->states.base, &bench->own->scope, "r1", &claim, NULL),
                     ERR_NONE);
    log_event(bench->own, "r1", EVENT_RUN_STARTED, json_pack("{s:s}", "kind", "run"));
    has(get(bench, "/runs/r1"), "data-events=\"/runs/r1/events?after=1\"");
    log_event(bench->own, "r1", EVENT_WARNING, json_pack("{s:s}", "text", "two\nlines"));

    fake_exchange_finish(&bench->x);
    fake_exchange_init(&bench->x, "GET", "/runs/r1/events?after=1", NULL);
    bench->x.goes_after = 5;
    assert_true(pages_answer(bench->pages, &bench->own->scope, &bench->x.base, &bench->visitor));

    const char *text = buf_string(&bench->x.body);
    assert_string_equal(bench->x.type, "text/event-stream; charset=utf-8");
    has(text, "id: 2\nevent: entry\ndata: <li dir=\"auto\"><strong>warning</strong> two");
    has_not(text, "id: 1\n");
    has(text, ": still there\n\n");
    has_not(text, "event: end");
    run_states_release(&bench->states.base, claim);
    has(get(bench, "/runs/r1/events?after=2"), "event: end\ndata: reload\n\n");
    (void)get(bench, "/runs/r1/events?after=x");
    assert_int_equal(bench->x.status, 400);
}

static void a_stream_ends_with_the_server_and_says_nothing_of_the_run(void **state)
{
    struct pages_bench *bench = *state;
    struct run_claim *claim = NULL;
    log_run(bench->own, (struct run){ .id = "r1", .title = "x" }, 0);
    assert_int_equal(run_states_claim(&bench->states.base, &bench->own->scope, "r1", &claim, NULL),
                     ERR_NONE);
    (void)request_as(bench, &bench->visitor, "HEAD", "/runs/r1/events", NULL);
    assert_int_equal(bench->x.status, 200);
    bench->own->runtime.cancel_scope = &bench->own->scope;
    bench->own->runtime.cancel_at_ms = bench->own->runtime.now_ms + 2 * PAGES_COMMENT_MS;
    has(get(bench, "/runs/r1/events"), ": still there\n\n");
    has_not(buf_string(&bench->x.body), "event: end");
    run_states_release(&bench->states.base, claim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nobody_gets_more_than_the_way_in),
        TEST(other_paths_are_left_to_others),
        TEST(every_page_has_a_strict_policy_and_is_not_stored),
        TEST(a_right_token_becomes_a_cookie_and_leaves_the_address),
        TEST(a_wrong_token_sets_no_cookie),
        TEST(a_token_that_cannot_be_looked_up_now_is_not_called_wrong),
        TEST(the_cookie_is_found_among_others),
        TEST(signing_out_takes_the_token_of_the_form),
        TEST(what_is_no_form_is_refused),
        TEST(runs_of_others_are_as_little_there_as_none),
        TEST(an_admin_sees_everybodys_runs_with_their_names),
        TEST(a_run_of_another_person_holds_the_services_of_that_person_alone),
        TEST(the_list_says_whose_runs_are_missing_and_shows_the_others),
        TEST(script_in_every_text_is_text),
        TEST(the_list_says_what_became_of_each_run_and_what_waits_comes_first),
        TEST(what_was_answered_waits_no_longer),
        TEST(a_long_list_is_read_page_by_page),
        TEST(the_runs_of_a_thousand_persons_are_listed_and_one_is_held_at_a_time),
        TEST(a_run_that_is_under_way_is_told_as_it_goes_on),
        TEST(a_stream_ends_with_the_server_and_says_nothing_of_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
