/* Queues and workers on the pages: who sees which, what a run's page says of its place, and that it
 * is cancelled there as by `runs cancel`. */
#include "application/use_cases/run_plan.h"
#include "tests/support/fakes/fake_run_queue.h"
#include "tests/unit/presentation/web/pages_bench.h"

#define LEASE_MS 10000

/* Of ada and of bob, with what the pages see and with a worker of each. */
static struct fake_queue_store own, others;
static struct fake_run_queue *worker, *other_worker;
static const struct queue_worker host_1 = { .name = "host:1", .queue = "night", .jobs = 4 };

static struct fake_run_queue *open_queue(struct service_bench *of, struct fake_queue_store *store)
{
    fake_queue_store_init(store, &of->runtime.port, LEASE_MS);
    of->services.queue_port = &fake_run_queue_create(store)->base;
    return fake_run_queue_create(store);
}

static int set_up_queues(void **state)
{
    int r = set_up(state);
    struct pages_bench *bench = *state;
    worker = open_queue(bench->own, &own);
    other_worker = open_queue(bench->other, &others);
    return r;
}

static int tear_down_queues(void **state)
{
    int r = tear_down(state);
    fake_queue_store_finish(&own);
    fake_queue_store_finish(&others);
    return r;
}

#define QUEUE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_queues, tear_down_queues)

static void submit(struct pages_bench *bench, struct service_bench *to, const char *id,
                   int64_t not_before_ms)
{
    const struct queued_run run = { .run_id = id,
                                    .queue = "night",
                                    .not_before_ms = not_before_ms };
    log_run(to, (struct run){ .id = id, .title = id, .status = RUN_RUNNING }, 0);
    to->services.runs.runs[to->services.runs.n_runs - 1].status = RUN_QUEUED;
    assert_int_equal(
        run_queue_add(to->services.queue_port, &to->scope, &run, &bench->arena, &id, &to->err),
        ERR_NONE);
}

static struct queued_run *take(struct pages_bench *bench, struct fake_run_queue *by)
{
    struct queued_run *run = NULL;
    assert_int_equal(
        run_queue_take(&by->base, &bench->own->scope, &host_1, &bench->arena, &run, NULL),
        ERR_NONE);
    return run;
}

static void beat(struct pages_bench *bench, struct fake_run_queue *by, const struct queued_run *has)
{
    struct queue_worker me = host_1;
    struct queue_pulse pulse;
    me.n_busy = has != NULL;
    me.takings = has ? &has->taking : NULL;
    assert_int_equal(run_queue_beat(&by->base, &bench->own->scope, &me, &pulse, NULL), ERR_NONE);
}

/* Workers die over the run that is next. */
static void set_aside(struct pages_bench *bench, struct service_bench *of,
                      struct fake_run_queue *by)
{
    for (int i = 0; i < QUEUE_MAX_DEATHS; i++) {
        assert_non_null(take(bench, by));
        of->runtime.now_ms += LEASE_MS;
        struct fake_run_queue *heir = fake_run_queue_create(by->store);
        beat(bench, heir, NULL);
        run_queue_destroy(&heir->base);
    }
}

static void a_store_without_a_queue_has_no_page_of_queues(void **state)
{
    struct pages_bench *bench = *state;
    has(get(bench, "/runs"), "<a href=\"/queues\">");
    bench->own->services.queue_port = NULL;
    has_not(get(bench, "/runs"), "/queues");
    (void)get(bench, "/queues");
    assert_int_equal(bench->x.status, 404);
    (void)request_as(bench, NULL, "GET", "/queues", NULL);
    assert_string_equal(fake_exchange_got(&bench->x, "Location"), "/login");
}

static void queues_say_how_many_wait_since_when_and_what_was_set_aside_why(void **state)
{
    struct pages_bench *bench = *state;
    has(get(bench, "/queues"), "Nothing waits");
    submit(bench, bench->own, "01POISON", 0);
    set_aside(bench, bench->own, worker);
    submit(bench, bench->own, "01TAKEN", 0);
    (void)take(bench, worker);
    submit(bench, bench->own, "01WAITS", 0);
    submit(bench, bench->own, "01LATER", IMMEDIATE_WALL_START_MS + 3600000);
    const char *page = get(bench, "/queues");
    assert_int_equal(bench->x.status, 200);
    has(page, "<th scope=\"row\" dir=\"auto\">night</th><td class=\"number\">2</td>"
              "<td class=\"number\">1</td><td class=\"number\">1</td>"
              "<td class=\"when\"><span>2026-01-01</span> <span>00:00:30</span></td></tr>");
    has(page,
        "<a href=\"/runs/01POISON\"><code>01POISON</code></a> </th><td dir=\"auto\">night</td>"
        "<td dir=\"auto\">3 workers died while they had it, last host:1</td>");
    has_not(page, "/runs/01WAITS");
    has_not(page, "Workers");
    has_not(page, "Person");
}

static void an_admin_sees_the_workers_and_everybodys_queues(void **state)
{
    struct pages_bench *bench = *state;
    submit(bench, bench->own, "01MINE", 0);
    submit(bench, bench->other, "01THEIRS", 0);
    submit(bench, bench->other, "02THEIRS", 0);
    beat(bench, other_worker, take(bench, other_worker));
    const char *page = request_as(bench, &bench->admin, "GET", "/queues", NULL);
    has(page, "<td class=\"number\">1</td><td class=\"number\">0</td><td class=\"number\">0</td>"
              "<td class=\"when\"><span>2026-01-01</span> <span>00:00:00</span></td>"
              "<td dir=\"auto\">ada</td>");
    has(page, "<th scope=\"row\" dir=\"auto\">host:1</th><td dir=\"auto\">night</td><td>1 of 4 "
              "<a href=\"/runs/01THEIRS?person=bob\"><code>01THEIRS</code></a> </td>");
    has(page, "<td dir=\"auto\">bob</td>");
    has_not(get(bench, "/queues"), "bob");
    has_not(get(bench, "/queues"), "host:1");

    bench->unreadable = "bob";
    page = request_as(bench, &bench->admin, "GET", "/queues", NULL);
    has(page, "<li dir=\"auto\" class=\"\">bob: 96 persons");
    has(page, "<td dir=\"auto\">ada</td>");
    assert_int_equal(bench->most_looked_at, 1);
}

static void a_run_says_where_it_waits_and_who_has_it(void **state)
{
    struct pages_bench *bench = *state;
    submit(bench, bench->own, "01A", 0);
    submit(bench, bench->own, "01B", IMMEDIATE_WALL_START_MS + 3600000);
    has(get(bench, "/runs?state=queued"), "waits for a worker");
    has(get(bench, "/runs/01A"), "Waits for a worker</h2>\n<p>In the queue <bdi>night</bdi>.</p>");
    has(get(bench, "/runs/01A"), "data-events=\"/runs/01A/events?after=0\"");
    has(get(bench, "/runs/01B"), "</bdi>, not before 2026-01-01 01:00:00.</p>");
    const struct queued_run *run = take(bench, worker);
    has(get(bench, "/runs/01A"), "A worker has it</h2>\n<p>In the queue <bdi>night</bdi>, by "
                                 "<bdi>host:1</bdi>.</p>");
    assert_int_equal(run_queue_end(&worker->base, &bench->own->scope, run, QUEUE_ENDED, NULL, NULL),
                     ERR_NONE);
    has_not(get(bench, "/runs/01A"), "In the queue");
    submit(bench, bench->own, "01C", 0);
    set_aside(bench, bench->own, worker);
    has(get(bench, "/runs/01C"),
        "Set aside</h2>\n<p>In the queue <bdi>night</bdi>: <bdi>3 workers");
    has_not(get(bench, "/runs/01C"), "/cancel\"");
}

static void the_stream_of_a_run_ends_when_it_has_begun(void **state)
{
    struct pages_bench *bench = *state;
    submit(bench, bench->own, "01A", 0);
    fake_exchange_finish(&bench->x);
    fake_exchange_init(&bench->x, "GET", "/runs/01A/events", NULL);
    bench->x.goes_after = 2;
    assert_true(pages_answer(bench->pages, &bench->own->scope, &bench->x.base, &bench->visitor));
    has(buf_string(&bench->x.body), ": still there\n\n");
    bench->own->services.runs.runs[0].status = RUN_COMPLETED;
    has(get(bench, "/runs/01A/events"), "event: end\ndata: reload\n\n");
}

static const char plan[] = "{\"goal\":\"pay\",\"steps\":[{\"id\":\"a\",\"tool\":\"shop/charge\","
                           "\"args\":{\"n\":1}}]}";

static void a_run_is_cancelled_once_by_a_form_of_its_page(void **state)
{
    struct pages_bench *bench = *state;
    struct service_bench *own_bench = bench->own;
    const struct run_plan_request request = { .plan = arena_keep_json(&bench->arena,
                                                                      json_loads(plan, 0, NULL)) };
    struct turn_result result;
    assert_int_equal(queue_plan(&own_bench->services.base, &own_bench->scope, &bench->arena,
                                &request, &result, &own_bench->err),
                     ERR_NONE);
    const struct queued_run run = { .run_id = result.run_id, .queue = "night" };
    const char *id = NULL;
    assert_int_equal(run_queue_add(own_bench->services.queue_port, &own_bench->scope, &run,
                                   &bench->arena, &id, NULL),
                     ERR_NONE);
    const char *page = arena_printf(&bench->arena, "/runs/%s", id);
    const char *form = arena_printf(&bench->arena, "%s/cancel", page);

    (void)request_as(bench, &bench->visitor, "POST", form, "csrf=0123");
    assert_int_equal(bench->x.status, 403);
    (void)post(bench, page, form, "person=bob");
    assert_int_equal(bench->x.status, 404);
    (void)get(bench, form);
    assert_int_equal(bench->x.status, 405);
    assert_int_equal(own.rows[0].run.state, QUEUE_QUEUED);

    (void)post(bench, page, form, "");
    assert_int_equal(bench->x.status, 303);
    assert_string_equal(fake_exchange_got(&bench->x, "Location"), page);
    assert_int_equal(own.rows[0].run.state, QUEUE_CANCELLED);
    assert_int_equal(own_bench->services.runs.runs[0].status, RUN_CANCELLED);
    has_not(get(bench, page), "In the queue");
    const char *body = arena_printf(&bench->arena, "csrf=%s", hidden(bench, "csrf"));
    (void)request_as(bench, &bench->visitor, "POST", form, body);
    assert_int_equal(bench->x.status, 409);
}

static void the_worker_of_a_run_is_asked_to_end_it(void **state)
{
    struct pages_bench *bench = *state;
    submit(bench, bench->own, "01A", 0);
    (void)take(bench, worker);
    (void)post(bench, "/runs/01A", "/runs/01A/cancel", "");
    assert_int_equal(bench->x.status, 303);
    assert_true(own.rows[0].run.is_cancelled);
    has(get(bench, "/runs/01A"), "Its worker was asked to end it.");
    has_not(get(bench, "/runs/01A"), "/cancel\"");
}

static void an_admin_cancels_a_run_of_another_person(void **state)
{
    struct pages_bench *bench = *state;
    submit(bench, bench->other, "01THEIRS", 0);
    (void)request_as(bench, &bench->admin, "GET", "/runs/01THEIRS?person=bob", NULL);
    const char *body = arena_printf(&bench->arena, "csrf=%s&person=%s", hidden(bench, "csrf"),
                                    hidden(bench, "person"));
    (void)request_as(bench, &bench->admin, "POST", "/runs/01THEIRS/cancel", body);
    assert_int_equal(bench->x.status, 303);
    assert_int_equal(others.rows[0].run.state, QUEUE_CANCELLED);
}

static enum err_code is_away(void *context, struct scope *scope, struct err *err)
{
    (void)context;
    (void)scope;
    return err_set(err, ERR_UNAVAILABLE, 0, "the store is away");
}

static void a_store_that_is_away_is_said_to_be_so(void **state)
{
    struct pages_bench *bench = *state;
    submit(bench, bench->own, "01A", 0);
    (void)get(bench, "/runs/01A");
    const char *body = arena_printf(&bench->arena, "csrf=%s", hidden(bench, "csrf"));
    ((struct fake_run_queue *)bench->own->services.queue_port)->on_use = is_away;
    has(get(bench, "/queues"), "the store is away");
    assert_int_equal(bench->x.status, 503);
    (void)request_as(bench, &bench->visitor, "POST", "/runs/01A/cancel", body);
    assert_int_equal(bench->x.status, 503);
    assert_int_equal(own.rows[0].run.state, QUEUE_QUEUED);
}

static void names_of_queues_and_workers_are_text(void **state)
{
    struct pages_bench *bench = *state;
    struct queue_worker hostile = { .name = HOSTILE, .queue = HOSTILE, .jobs = 1 };
    struct queue_pulse pulse;
    submit(bench, bench->own, "01A", 0);
    own.rows[0].run.queue = HOSTILE;
    own.rows[0].run.worker = HOSTILE;
    own.rows[0].run.reason = HOSTILE;
    assert_int_equal(
        run_queue_beat(&worker->base, &bench->own->scope, &hostile, &pulse, &bench->own->err),
        ERR_NONE);
    static const enum queue_state states[] = { QUEUE_QUEUED, QUEUE_TAKEN, QUEUE_POISONED };
    for (size_t i = 0; i < ARRAY_LENGTH(states); i++) {
        own.rows[0].run.state = states[i];
        has_not(request_as(bench, &bench->admin, "GET", "/queues", NULL), "<img");
        has_not(get(bench, "/runs/01A"), "<img");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        QUEUE_TEST(a_store_without_a_queue_has_no_page_of_queues),
        QUEUE_TEST(queues_say_how_many_wait_since_when_and_what_was_set_aside_why),
        QUEUE_TEST(an_admin_sees_the_workers_and_everybodys_queues),
        QUEUE_TEST(a_run_says_where_it_waits_and_who_has_it),
        QUEUE_TEST(the_stream_of_a_run_ends_when_it_has_begun),
        QUEUE_TEST(a_run_is_cancelled_once_by_a_form_of_its_page),
        QUEUE_TEST(the_worker_of_a_run_is_asked_to_end_it),
        QUEUE_TEST(an_admin_cancels_a_run_of_another_person),
        QUEUE_TEST(a_store_that_is_away_is_said_to_be_so),
        QUEUE_TEST(names_of_queues_and_workers_are_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
