#include "tests/support/contracts/run_repository_contract.h"

#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/repositories/run_repository.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static struct repository_subject *subject;

struct fixture {
    struct run_repository *repository;
    struct arena arena;
    struct err err;
};

/* One question with its operands, so that it can run inside a task. */
struct operation {
    struct fixture *f;
    enum err_code (*perform)(struct operation *o, struct scope *scope);
    const char *text;
    uint64_t after;
    size_t max;
    struct run_range range; /* beside max */
    bool calls_only;
    struct run_retention keep;
    int64_t number;
    struct run *runs;
    struct event *events;
    size_t n;
};

static enum err_code perform_in_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct operation *o = argument;
    return o->perform(o, scope);
}

static enum err_code perform(struct operation *o)
{
    return subject->run(subject, perform_in_task, o);
}

static enum err_code perform_sync(struct operation *o, struct scope *scope)
{
    return run_repository_sync(o->f->repository, scope, &o->f->err);
}

static void sync_all(struct fixture *f)
{
    assert_int_equal(perform(&(struct operation){ .f = f, .perform = perform_sync }), ERR_NONE);
}

static enum err_code perform_list(struct operation *o, struct scope *scope)
{
    struct run_range range = o->range;
    range.max = o->max;
    return run_repository_list(o->f->repository, scope, &range, &o->f->arena, &o->runs, &o->n,
                               &o->f->err);
}

static const struct run *list(struct fixture *f, size_t max, size_t *out_n)
{
    struct operation o = { .f = f, .perform = perform_list, .max = max };
    assert_int_equal(perform(&o), ERR_NONE);
    *out_n = o.n;
    return o.runs;
}

static enum err_code perform_get(struct operation *o, struct scope *scope)
{
    return run_repository_get(o->f->repository, scope, o->text, &o->f->arena, &o->runs, &o->f->err);
}

static enum err_code get(struct fixture *f, const char *id, const struct run **out)
{
    struct operation o = { .f = f, .perform = perform_get, .text = id };
    enum err_code r = perform(&o);
    *out = o.runs;
    return r;
}

static enum err_code perform_events(struct operation *o, struct scope *scope)
{
    static const enum event_kind kinds[] = { EVENT_TOOL_CALL, EVENT_TOOL_RESULT };
    struct event_range range = { .run_id = o->text,
                                 .after = o->after,
                                 .max = o->max,
                                 .kinds = kinds,
                                 .n_kinds = o->calls_only ? ARRAY_LENGTH(kinds) : 0 };
    return run_repository_events(o->f->repository, scope, &range, &o->f->arena, &o->events, &o->n,
                                 &o->f->err);
}

static const struct event *events(struct fixture *f, const char *id, uint64_t after, size_t max,
                                  size_t *out_n)
{
    struct operation o = {
        .f = f, .perform = perform_events, .text = id, .after = after, .max = max
    };
    assert_int_equal(perform(&o), ERR_NONE);
    *out_n = o.n;
    return o.events;
}

static enum err_code perform_median(struct operation *o, struct scope *scope)
{
    return run_repository_median_ms(o->f->repository, scope, o->text, &o->number, &o->f->err);
}

static int64_t median(struct fixture *f, const char *tool)
{
    struct operation o = { .f = f, .perform = perform_median, .text = tool };
    assert_int_equal(perform(&o), ERR_NONE);
    return o.number;
}

static enum err_code perform_prune(struct operation *o, struct scope *scope)
{
    enum err_code r = perform_sync(o, scope);
    return r ? r
             : run_repository_prune(o->f->repository, scope, &o->keep, o->number, &o->n,
                                    &o->f->err);
}

static size_t prune(struct fixture *f, int64_t keep_ms, int64_t now_ms)
{
    struct operation o = {
        .f = f, .perform = perform_prune, .keep = { .keep_ms = keep_ms }, .number = now_ms
    };
    assert_int_equal(perform(&o), ERR_NONE);
    return o.n;
}

static void begin(struct fixture *f, const char *id, int64_t started_at_ms)
{
    json_auto_t *meta = json_pack("{s:s}", "model", "m");
    run_repository_begin(f->repository, &(struct run){ .id = id,
                                                       .kind = "ask",
                                                       .session_id = "s1",
                                                       .title = "what is \"this\"?",
                                                       .started_at_ms = started_at_ms,
                                                       .meta = meta });
}

static void finish(struct fixture *f, const char *id, enum run_status status, int64_t at_ms)
{
    run_repository_finish(f->repository,
                          &(struct run){ .id = id, .status = status, .finished_at_ms = at_ms });
}

/* Steals data. */
static void append(struct fixture *f, const char *id, uint64_t number, enum event_kind kind,
                   json_t *data)
{
    run_repository_append(f->repository, &(struct event){ .run_id = id,
                                                          .number = number,
                                                          .time_ms = 1000 + (int64_t)number,
                                                          .kind = kind,
                                                          .data = data });
    json_decref(data);
}

static void append_call(struct fixture *f, uint64_t number, const char *tool, bool is_error,
                        int duration_ms)
{
    append(f, "run1", number, EVENT_TOOL_RESULT,
           json_pack("{s:s, s:b, s:i}", "tool", tool, "is_error", is_error, "duration_ms",
                     duration_ms));
}

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .repository = subject->open(subject) };
    *state = &f;
    return f.repository ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    run_repository_destroy(f->repository);
    subject->close(subject);
    arena_finish(&f->arena);
    return 0;
}

static void knows_nothing_at_first(void **state)
{
    struct fixture *f = *state;
    const struct run *run;
    size_t n;

    sync_all(f);
    list(f, 10, &n);
    assert_int_equal(n, 0);
    events(f, "run1", 0, 10, &n);
    assert_int_equal(n, 0);
    assert_int_equal(get(f, "run1", &run), ERR_NOT_FOUND);
    assert_int_equal(median(f, "a/b"), -1);
}

static void gives_back_a_run_as_it_was_begun_and_finished(void **state)
{
    struct fixture *f = *state;
    const struct run *run;

    begin(f, "run1", 1000);
    assert_int_equal(get(f, "run1", &run), ERR_NONE);
    assert_int_equal(run->status, RUN_RUNNING);
    assert_int_equal(run->finished_at_ms, 0);
    finish(f, "run1", RUN_NEEDS_ANSWER, 1500);
    sync_all(f);

    assert_int_equal(get(f, "run1", &run), ERR_NONE);
    assert_string_equal(run->id, "run1");
    assert_string_equal(run->kind, "ask");
    assert_string_equal(run->session_id, "s1");
    assert_string_equal(run->title, "what is \"this\"?");
    assert_int_equal(run->started_at_ms, 1000);
    assert_int_equal(run->finished_at_ms, 1500);
    assert_int_equal(run->status, RUN_NEEDS_ANSWER);
    assert_string_equal(json_get_string(run->meta, "model"), "m");
    assert_int_equal(run->n_events, 0);
}

static void keeps_a_run_without_session_title_and_meta(void **state)
{
    struct fixture *f = *state;
    const struct run *run;

    run_repository_begin(f->repository,
                         &(struct run){ .id = "run2", .kind = "call", .started_at_ms = 5 });

    assert_int_equal(get(f, "run2", &run), ERR_NONE);
    assert_null(run->session_id);
}

static void gives_events_in_order_from_any_number(void **state)
{
    struct fixture *f = *state;
    const struct run *run;
    size_t n;
    begin(f, "run1", 1000);
    for (uint64_t i = 1; i <= 5; i++)
        append(f, "run1", i, EVENT_WARNING, json_pack("{s:I}", "i", (json_int_t)i));
    append(f, "other", 1, EVENT_PLAN, json_object());

    const struct event *all = events(f, "run1", 0, 100, &n);
    assert_int_equal(n, 5);
    assert_string_equal(all[0].run_id, "run1");
    assert_int_equal(all[0].number, 1);
    assert_int_equal(all[0].time_ms, 1001);
    assert_int_equal(all[0].kind, EVENT_WARNING);
    assert_int_equal(json_get_int(all[4].data, "i", 0), 5);
    const struct event *some = events(f, "run1", 2, 2, &n);
    assert_int_equal(n, 2);
    assert_int_equal(some[0].number, 3);
    assert_int_equal(some[1].number, 4);
    events(f, "run1", 5, 100, &n);
    assert_int_equal(n, 0);
    assert_int_equal(get(f, "run1", &run), ERR_NONE);
    assert_int_equal(run->n_events, 5);
}

static void gives_events_of_some_kinds_only(void **state)
{
    struct fixture *f = *state;
    append(f, "run1", 1, EVENT_TOOL_CALL, json_object());
    append(f, "run1", 2, EVENT_WARNING, json_object());
    append_call(f, 3, "a/b", false, 1);
    append_call(f, 4, "a/b", false, 1);
    struct operation o = {
        .f = f, .perform = perform_events, .text = "run1", .max = 2, .calls_only = true
    };

    assert_int_equal(perform(&o), ERR_NONE);

    assert_int_equal(o.n, 2);
    assert_int_equal(o.events[0].kind, EVENT_TOOL_CALL);
    assert_int_equal(o.events[1].number, 3);
}

static void keeps_data_exactly(void **state)
{
    struct fixture *f = *state;
    size_t n;
    json_auto_t *data =
        json_pack("{s:s, s:f, s:n, s:[b, i], s:{s:s}}", "text", "ä \" \\ \x01 \xf0\x9f\x98\x80",
                  "real", 0.1, "null", "list", 1, -5, "deep", "k", "v");

    append(f, "run1", 1, EVENT_TOOL_RESULT, json_incref(data));

    assert_true(json_equal(events(f, "run1", 0, 1, &n)->data, data));
}

static void lists_the_newest_runs_first(void **state)
{
    struct fixture *f = *state;
    size_t n;
    begin(f, "old", 1000);
    begin(f, "new", 3000);
    begin(f, "mid", 2000);

    const struct run *runs = list(f, 2, &n);

    assert_int_equal(n, 2);
    assert_string_equal(runs[0].id, "new");
    assert_string_equal(runs[1].id, "mid");
}

static void lists_page_by_page(void **state)
{
    struct fixture *f = *state;
    begin(f, "a", 1000);
    begin(f, "b", 2000);
    begin(f, "c", 2000);
    begin(f, "d", 3000);
    struct operation o = { .f = f, .perform = perform_list, .max = 2 };

    assert_int_equal(perform(&o), ERR_NONE);
    assert_string_equal(o.runs[0].id, "d");
    assert_string_equal(o.runs[1].id, "c");
    o.range.before = &o.runs[1];
    assert_int_equal(perform(&o), ERR_NONE);
    assert_string_equal(o.runs[0].id, "b");
    assert_string_equal(o.runs[1].id, "a");
    o.range.before = &o.runs[1];
    assert_int_equal(perform(&o), ERR_NONE);
    assert_int_equal(o.n, 0);
}

/* The ids of the runs that the range has, one letter each. */
static void assert_lists(struct fixture *f, struct run_range range, const char *ids)
{
    struct operation o = { .f = f, .perform = perform_list, .max = 10, .range = range };
    char found[11] = "";
    assert_int_equal(perform(&o), ERR_NONE);
    for (size_t i = 0; i < o.n; i++)
        found[i] = o.runs[i].id[0];
    assert_string_equal(found, ids);
}

static void lists_only_runs_of_a_status_a_kind_a_session_or_with_words(void **state)
{
    struct fixture *f = *state;
    const struct run runs[] = {
        { .id = "a", .kind = "ask", .session_id = "s1", .title = "Read 100% of it" },
        { .id = "b", .kind = "run", .title = "read on" },
        { .id = "c", .kind = "ask", .session_id = "s2", .title = "write" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(runs); i++) {
        struct run run = runs[i];
        run.started_at_ms = 1000 + (int64_t)i;
        run_repository_begin(f->repository, &run);
    }
    finish(f, "b", RUN_FAILED, 2000);
    finish(f, "c", RUN_COMPLETED, 2000);

    assert_lists(f, (struct run_range){ .statuses = 1U << RUN_FAILED }, "b");
    assert_lists(f, (struct run_range){ .statuses = 1U << RUN_FAILED | 1U << RUN_RUNNING }, "ba");
    assert_lists(f, (struct run_range){ .kind = "ask" }, "ca");
    assert_lists(f, (struct run_range){ .session_id = "s1" }, "a");
    assert_lists(f, (struct run_range){ .words = "READ" }, "ba");
    assert_lists(f, (struct run_range){ .words = "100%" }, "a");
    assert_lists(f, (struct run_range){ .words = "' OR 1" }, "");
    assert_lists(f, (struct run_range){ .kind = "ask", .words = "read", .session_id = "s2" }, "");
}

static void lists_what_may_wait_for_a_person(void **state)
{
    struct fixture *f = *state;
    const struct run runs[] = {
        { .id = "a", .kind = "ask", .session_id = "s1", .status = RUN_NEEDS_ANSWER },
        { .id = "b", .kind = "ask", .session_id = "s1", .status = RUN_NEEDS_ANSWER },
        { .id = "c", .kind = "run", .status = RUN_NEEDS_ANSWER },
        { .id = "d", .kind = "run", .status = RUN_REFUSED },
        { .id = "e", .kind = "run", .status = RUN_REFUSED },
        { .id = "f", .kind = "run", .status = RUN_RUNNING },
        { .id = "g", .kind = "run", .status = RUN_COMPLETED },
        { .id = "h", .kind = "ask", .session_id = "s2", .status = RUN_NEEDS_ANSWER },
        { .id = "i", .kind = "ask", .session_id = "s2", .status = RUN_FAILED },
        { .id = "j", .kind = "ask", .session_id = "s2", .status = RUN_CANCELLED },
        { .id = "k", .kind = "ask", .session_id = "s2", .status = RUN_LIMIT },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(runs); i++) {
        struct run run = runs[i];
        run.started_at_ms = 1000 + (int64_t)i;
        run.status = RUN_RUNNING;
        run_repository_begin(f->repository, &run);
        append(f, run.id, 1, run.id[0] == 'e' ? EVENT_APPROVAL_ASKED : EVENT_WARNING,
               json_object());
        if (runs[i].status != RUN_RUNNING)
            finish(f, run.id, runs[i].status, 2000);
    }

    assert_lists(f, (struct run_range){ .may_wait = true }, "hfecb");
    assert_lists(f, (struct run_range){ .may_wait = true, .kind = "ask" }, "hb");
}

static void finds_a_run_by_a_unique_prefix(void **state)
{
    struct fixture *f = *state;
    const struct run *run;
    begin(f, "abcd1", 1);
    begin(f, "abcd2", 2);
    begin(f, "abcd", 3);
    begin(f, "wxyz9", 4);

    assert_int_equal(get(f, "wxyz", &run), ERR_NONE);
    assert_string_equal(run->id, "wxyz9");
    assert_int_equal(get(f, "abcd", &run), ERR_NONE); /* the id itself comes first */
    assert_string_equal(run->id, "abcd");
    assert_int_equal(get(f, "w", &run), ERR_NONE);
    assert_string_equal(run->id, "wxyz9");
    assert_int_equal(get(f, "wxyz99", &run), ERR_NOT_FOUND);
    assert_int_equal(get(f, "", &run), ERR_NOT_FOUND);
    assert_int_equal(get(f, "a%c_1", &run), ERR_NOT_FOUND);
}

static void finds_the_latest_run(void **state)
{
    struct fixture *f = *state;
    const struct run *run;
    assert_int_equal(get(f, RUN_LATEST, &run), ERR_NOT_FOUND);
    begin(f, "wxyz9", 1);
    begin(f, "wxyz8", 2);

    assert_int_equal(get(f, RUN_LATEST, &run), ERR_NONE);
    assert_string_equal(run->id, "wxyz9"); /* ids sort by age */
}

static void refuses_a_prefix_of_several_runs(void **state)
{
    struct fixture *f = *state;
    const struct run *run;
    begin(f, "abcd1", 1);
    begin(f, "abcd2", 2);

    assert_int_equal(get(f, "abcd", &run), ERR_INVALID);

    assert_string_equal(f->err.hint, "give more of it: abcd1, abcd2");
}

static void tells_the_median_of_successful_calls(void **state)
{
    struct fixture *f = *state;
    append_call(f, 1, "a/b", false, 30);
    append_call(f, 2, "a/b", false, 10);
    append_call(f, 3, "a/b", false, 20);
    append_call(f, 4, "a/b", true, 900);
    append_call(f, 5, "a/other", false, 5);

    assert_int_equal(median(f, "a/b"), 20);
    assert_int_equal(median(f, "a/other"), 5);
    assert_int_equal(median(f, "a/"), -1);
}

static void looks_at_the_last_calls_only(void **state)
{
    struct fixture *f = *state;
    append_call(f, 1, "a/b", false, 7);
    for (uint64_t i = 2; i <= RUN_MEDIAN_CALLS; i++)
        append_call(f, i, "a/b", false, i % 2 ? 5 : 9);
    int64_t at_bound = median(f, "a/b"); /* 24 of 5, one 7, 25 of 9 */

    append_call(f, RUN_MEDIAN_CALLS + 1, "a/b", false, 5); /* the 7 is out: 25 of 5, 25 of 9 */
    append_call(f, RUN_MEDIAN_CALLS + 2, "a/b", false, 5); /* 26 of 5 */

    assert_int_equal(at_bound, 9);
    assert_int_equal(median(f, "a/b"), 5);
}

static void removes_runs_that_ended_too_long_ago_with_their_events(void **state)
{
    struct fixture *f = *state;
    const struct run *run;
    const int64_t day = 24 * 60 * 60 * INT64_C(1000), now = 100 * day;
    size_t n;
    begin(f, "ancient", now - 40 * day);
    finish(f, "ancient", RUN_COMPLETED, now - 31 * day);
    append(f, "ancient", 1, EVENT_PLAN, json_object());
    begin(f, "at-bound", now - 40 * day);
    finish(f, "at-bound", RUN_COMPLETED, now - 30 * day);
    begin(f, "died", now - 40 * day);
    begin(f, "running", now - 1000);

    assert_int_equal(prune(f, 0, now), 0);
    assert_int_equal(prune(f, 30 * day, now), 2);

    assert_int_equal(get(f, "ancient", &run), ERR_NOT_FOUND);
    assert_int_equal(get(f, "died", &run), ERR_NOT_FOUND);
    assert_int_equal(get(f, "at-bound", &run), ERR_NONE);
    assert_int_equal(get(f, "running", &run), ERR_NONE);
    events(f, "ancient", 0, 10, &n);
    assert_int_equal(n, 0);
}

static void removes_no_more_runs_at_once_than_it_is_told(void **state)
{
    struct fixture *f = *state;
    const struct run *run;
    for (int i = 0; i < 5; i++) {
        char id[8];
        snprintf(id, sizeof id, "run-%d", i);
        begin(f, id, 1000 + i);
        finish(f, id, RUN_COMPLETED, 2000 + i);
    }
    struct operation o = { .f = f,
                           .perform = perform_prune,
                           .keep = { .keep_ms = 1000, .max_runs = 3 },
                           .number = 100000 };

    assert_int_equal(perform(&o), ERR_NONE);
    assert_int_equal(o.n, 3);
    assert_int_equal(get(f, "run-2", &run), ERR_NOT_FOUND);
    assert_int_equal(get(f, "run-3", &run), ERR_NONE);
    assert_int_equal(perform(&o), ERR_NONE);
    assert_int_equal(o.n, 2);
    assert_int_equal(perform(&o), ERR_NONE);
    assert_int_equal(o.n, 0);
}

static void keeps_what_the_events_of_a_run_count(void **state)
{
    struct fixture *f = *state;
    const struct run *run;
    json_auto_t *stats = json_pack("{s:{s:i}}", "attempts", "ok", 3);
    begin(f, "run1", 1000);
    assert_int_equal(get(f, "run1", &run), ERR_NONE);
    assert_null(run->stats);

    run_repository_finish(f->repository, &(struct run){ .id = "run1",
                                                        .status = RUN_COMPLETED,
                                                        .finished_at_ms = 2000,
                                                        .stats = stats });

    assert_int_equal(get(f, "run1", &run), ERR_NONE);
    assert_true(json_equal(run->stats, stats));
}

static void keeps_everything_when_it_is_opened_again(void **state)
{
    struct fixture *f = *state;
    const struct run *run;
    size_t n;
    if (!subject->reopen)
        skip();
    begin(f, "run1", 1000);
    append(f, "run1", 1, EVENT_RUN_STARTED, json_object());
    finish(f, "run1", RUN_FAILED, 2000);

    run_repository_destroy(f->repository); /* nobody waited for the disk before */
    f->repository = subject->reopen(subject);

    assert_int_equal(get(f, "run1", &run), ERR_NONE);
    assert_int_equal(run->status, RUN_FAILED);
    events(f, "run1", 0, 10, &n);
    assert_int_equal(n, 1);
}

int run_run_repository_contract(struct repository_subject *on)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(knows_nothing_at_first),
        T(gives_back_a_run_as_it_was_begun_and_finished),
        T(keeps_a_run_without_session_title_and_meta),
        T(gives_events_in_order_from_any_number),
        T(gives_events_of_some_kinds_only),
        T(keeps_data_exactly),
        T(lists_the_newest_runs_first),
        T(lists_page_by_page),
        T(lists_only_runs_of_a_status_a_kind_a_session_or_with_words),
        T(lists_what_may_wait_for_a_person),
        T(finds_a_run_by_a_unique_prefix),
        T(finds_the_latest_run),
        T(refuses_a_prefix_of_several_runs),
        T(tells_the_median_of_successful_calls),
        T(looks_at_the_last_calls_only),
        T(removes_runs_that_ended_too_long_ago_with_their_events),
        T(removes_no_more_runs_at_once_than_it_is_told),
        T(keeps_what_the_events_of_a_run_count),
        T(keeps_everything_when_it_is_opened_again),
    };
    subject = on;
    return cmocka_run_group_tests_name("run repository", tests, NULL, NULL);
}
