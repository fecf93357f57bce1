
#include "application/journal.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_repository.h"
#include <stdio.h>
#include <string.h>

static int64_t clock_ms;

static int64_t read_clock(struct runtime *r)
{
    (void)r;
    return clock_ms;
}

static const struct runtime_ops clock_ops = { .now_ms = read_clock, .wall_ms = read_clock };
static struct runtime clock_runtime = { &clock_ops };

static void counted_id(struct ids *i, char out_id[static ID_SIZE])
{
    (void)i;
    strcpy(out_id, "run1");
}

static const struct ids_ops ids_ops = { .fresh = counted_id };
static struct ids test_ids = { &ids_ops };

static void length_digest(struct digest *d, const void *bytes, size_t length,
                          char out_hex[static DIGEST_HEX_SIZE])
{
    (void)d, (void)bytes;
    snprintf(out_hex, DIGEST_HEX_SIZE, "hash-of-%zu", length);
}

static const struct digest_ops digest_ops = { .sha256 = length_digest };
static struct digest test_digest = { &digest_ops };

/* Remembers the last event, with its data printed. */
struct spy {
    struct observer base;
    unsigned n;
    struct event last;
    char *data;
};

static void spy_observe(struct observer *o, const struct event *event)
{
    struct spy *spy = (struct spy *)o;
    free(spy->data);
    spy->n++;
    spy->last = *event;
    spy->data = json_print_sorted(event->data);
}

static const struct observer_ops spy_ops = { .observe = spy_observe };

struct fixture {
    struct fake_run_repository repository;
    struct spy spy;
    struct journal journal;
    struct scope scope;
    struct err err;
};

static void start_journal(struct fixture *f, bool store_text)
{
    journal_init(&f->journal, &clock_runtime, &f->repository.base, &test_digest, &test_ids,
                 store_text);
    journal_add_observer(&f->journal, &f->spy.base);
}

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .spy = { .base = { &spy_ops } },
                          .scope = { .deadline_ms = SCOPE_NO_DEADLINE } };
    clock_ms = 1000;
    fake_run_repository_init(&f.repository);
    start_journal(&f, true);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    free(f->spy.data);
    fake_run_repository_finish(&f->repository);
    return 0;
}

static void begins_a_run_with_what_is_known_about_it(void **state)
{
    struct fixture *f = *state;

    journal_begin(&f->journal, "ask", "sess", "count the files", json_pack("{s:s}", "model", "m"));

    assert_string_equal(f->journal.run_id, "run1");
    assert_int_equal(f->repository.n_runs, 1);
    assert_string_equal(f->repository.runs[0].id, "run1");
    assert_string_equal(f->repository.runs[0].kind, "ask");
    assert_string_equal(f->repository.runs[0].session_id, "sess");
    assert_string_equal(f->repository.runs[0].title, "count the files");
    assert_int_equal(f->repository.runs[0].started_at_ms, 1000);
    assert_int_equal(f->spy.last.kind, EVENT_RUN_STARTED);
    assert_string_equal(f->spy.data, "{\"kind\":\"ask\",\"meta\":{\"model\":\"m\"},"
                                     "\"session_id\":\"sess\",\"title\":\"count the files\"}");
}

static void leaves_out_a_session_that_is_none(void **state)
{
    struct fixture *f = *state;

    journal_begin(&f->journal, "call", NULL, NULL, NULL);

    assert_string_equal(f->spy.data, "{\"kind\":\"call\",\"meta\":{},\"title\":\"\"}");
}

static void numbers_what_is_kept_and_stamps_everything(void **state)
{
    struct fixture *f = *state;

    journal_emit(&f->journal, EVENT_PLAN, NULL);
    assert_int_equal(f->spy.last.number, 1);
    journal_emit(&f->journal, EVENT_MODEL_TOKEN, json_pack("{s:s}", "text", "a"));
    assert_int_equal(f->spy.last.number, 0);
    clock_ms = 1250;
    journal_emit(&f->journal, EVENT_ANSWER, NULL);

    assert_int_equal(f->spy.last.number, 2);
    assert_int_equal(f->spy.last.time_ms, 1250);
    assert_string_equal(f->spy.data, "{}");
    assert_int_equal(f->spy.n, 3);
    assert_int_equal(f->repository.n_events, 2);
    assert_string_equal(f->repository.events[1].run_id, "run1");
}

static void tells_every_observer_also_without_a_repository(void **state)
{
    struct fixture *f = *state;
    journal_init(&f->journal, &clock_runtime, NULL, &test_digest, &test_ids, true);
    for (int i = 0; i < JOURNAL_MAX_OBSERVERS; i++)
        journal_add_observer(&f->journal, &f->spy.base);

    journal_begin(&f->journal, "ask", NULL, "x", NULL);

    assert_int_equal(f->spy.n, JOURNAL_MAX_OBSERVERS);
    assert_int_equal(journal_sync(&f->journal, &f->scope, &f->err), ERR_NONE);
    assert_int_equal(journal_end(&f->journal, &f->scope, RUN_COMPLETED, NULL, &f->err), ERR_NONE);
    assert_int_equal(f->repository.n_events, 0);
}

static void lets_no_secret_through(void **state)
{
    struct fixture *f = *state;

    journal_emit(&f->journal, EVENT_TOOL_CALL,
                 json_pack("{s:{s:s, s:s}}", "arguments", "api_key", "hunter2", "path", "a"));
    assert_null(strstr(f->spy.data, "hunter2"));
    assert_non_null(strstr(f->spy.data, "\"path\":\"a\""));
    journal_begin(&f->journal, "ask", NULL, "use password=hunter2 please",
                  json_pack("{s:s}", "token", "hunter2"));

    assert_null(strstr(f->spy.data, "hunter2"));
    assert_null(strstr(f->repository.runs[0].title, "hunter2"));
    assert_null(json_get_string(f->repository.runs[0].meta, "nothing"));
    assert_string_not_equal(json_get_string(f->repository.runs[0].meta, "token"), "hunter2");
}

static void logs_no_words_of_an_intent_where_texts_are_not_stored(void **state)
{
    struct fixture *f = *state;
    f->journal.store_text = false;

    journal_emit(&f->journal, EVENT_INTENT,
                 json_pack("{s:s, s:{s:s}, s:f}", "primary_goal", "sell the house", "parameters",
                           "street", "Elm", "confidence", 0.5));

    const json_t *logged = f->repository.events[0].data;
    assert_null(json_get_string(logged, "primary_goal"));
    assert_non_null(json_get_string(json_object_get(logged, "primary_goal"), "sha256"));
    assert_null(json_object_get(json_object_get(logged, "parameters"), "street"));
    assert_true(json_get_number(logged, "confidence", 0) == 0.5);
    assert_non_null(strstr(f->spy.data, "sell the house"));
}

/* {"list":["x…"],"text":"x…"} with texts of the given length. */
static json_t *long_data(size_t bytes)
{
    AUTO(arena) scratch = { 0 };
    char *text = arena_alloc(&scratch, bytes + 1);
    memset(text, 'x', bytes);
    return json_pack("{s:[s], s:s}", "list", text, "text", text);
}

static void cuts_texts_above_the_bound_and_keeps_those_at_it(void **state)
{
    struct fixture *f = *state;
    json_t *data = long_data(JOURNAL_MAX_FIELD_BYTES);
    char *whole = json_print_sorted(data);

    journal_emit(&f->journal, EVENT_TOOL_RESULT, data);
    bool same = strcmp(f->spy.data, whole) == 0;
    free(whole);
    assert_true(same);
    journal_emit(&f->journal, EVENT_TOOL_RESULT, long_data(JOURNAL_MAX_FIELD_BYTES + 1));

    const json_t *kept = f->repository.events[1].data;
    const char *text = json_get_string(kept, "text");
    assert_true(text_ends_with(text, "x… [1048577 bytes in all]"));
    assert_true(strlen(text) < JOURNAL_MAX_FIELD_BYTES + 64);
    assert_true(text_ends_with(json_string_value(json_array_get(json_object_get(kept, "list"), 0)),
                               "in all]"));
}

static void leaves_the_value_it_was_given_to_others_as_it_was(void **state)
{
    struct fixture *f = *state;
    json_auto_t *data = long_data(JOURNAL_MAX_FIELD_BYTES + 1);

    journal_emit(&f->journal, EVENT_TOOL_RESULT, json_incref(data));

    assert_int_equal(strlen(json_get_string(data, "text")), JOURNAL_MAX_FIELD_BYTES + 1);
}

static void cuts_a_title_at_its_bound(void **state)
{
    struct fixture *f = *state;
    char title[RUN_TITLE_MAX + 2];
    memset(title, 'a', sizeof title - 1);
    title[RUN_TITLE_MAX + 1] = '\0';

    journal_begin(&f->journal, "ask", NULL, title, NULL);
    assert_int_equal(strlen(f->repository.runs[0].title), RUN_TITLE_MAX);
    title[RUN_TITLE_MAX] = '\0';
    journal_begin(&f->journal, "ask", NULL, title, NULL);
    assert_string_equal(f->repository.runs[1].title, title);
}

static void keeps_hash_and_size_of_a_text_and_the_text_where_that_is_wanted(void **state)
{
    struct fixture *f = *state;

    json_auto_t *with = journal_text(&f->journal, "hello");
    start_journal(f, false);
    json_auto_t *without = journal_text(&f->journal, "hello");
    journal_begin(&f->journal, "ask", NULL, "a private matter", NULL);

    assert_string_equal(json_get_string(with, "text"), "hello");
    assert_string_equal(json_get_string(with, "sha256"), "hash-of-5");
    assert_int_equal(json_get_int(with, "bytes", 0), 5);
    assert_null(json_object_get(without, "text"));
    assert_string_equal(json_get_string(without, "sha256"), "hash-of-5");
    assert_string_equal(f->repository.runs[0].title, "");
}

static void warns_with_a_text(void **state)
{
    struct fixture *f = *state;

    journal_warn(&f->journal, "server %s is %d s late", "files", 3);

    assert_int_equal(f->spy.last.kind, EVENT_WARNING);
    assert_string_equal(f->spy.data, "{\"text\":\"server files is 3 s late\"}");
}

static void cuts_a_warning_at_its_bound(void **state)
{
    struct fixture *f = *state;
    char text[JOURNAL_MAX_WARNING_BYTES + 2];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';

    journal_warn(&f->journal, "%s", text);
    size_t above = strlen(json_get_string(f->repository.events[0].data, "text"));
    text[JOURNAL_MAX_WARNING_BYTES] = '\0';
    journal_warn(&f->journal, "%s", text);

    assert_int_equal(above, JOURNAL_MAX_WARNING_BYTES);
    assert_string_equal(json_get_string(f->repository.events[1].data, "text"), text);
}

static void ends_a_run_with_its_status_and_waits_for_the_disk(void **state)
{
    struct fixture *f = *state;
    journal_begin(&f->journal, "ask", NULL, "x", NULL);
    clock_ms = 1700;

    assert_int_equal(journal_end(&f->journal, &f->scope, RUN_COMPLETED, NULL, &f->err), ERR_NONE);

    assert_string_equal(f->spy.data, "{\"duration_ms\":700,\"status\":\"completed\"}");
    assert_int_equal(f->repository.runs[0].status, RUN_COMPLETED);
    assert_int_equal(f->repository.runs[0].finished_at_ms, 1700);
    assert_int_equal(f->repository.n_syncs, 1);
    assert_int_equal(f->repository.n_synced, 2);
}

static void a_resumed_run_took_the_time_of_its_own_process(void **state)
{
    struct fixture *f = *state;
    const struct run logged = { .id = "r7", .kind = "run", .started_at_ms = 100, .n_events = 4 };
    journal_resume(&f->journal, &logged);
    clock_ms = 1700;

    assert_int_equal(journal_end(&f->journal, &f->scope, RUN_COMPLETED, NULL, &f->err), ERR_NONE);

    assert_string_equal(f->spy.data, "{\"duration_ms\":700,\"status\":\"completed\"}");
}

static void says_why_a_run_ended(void **state)
{
    struct fixture *f = *state;
    struct err why;
    (void)err_set(&why, ERR_TIMEOUT, 0, "no answer");
    (void)err_hint(&why, ERR_TIMEOUT, "start it");

    assert_int_equal(journal_end(&f->journal, &f->scope, RUN_FAILED, &why, &f->err), ERR_NONE);

    assert_non_null(strstr(f->spy.data, "\"error\":{\"code\":\"timeout\",\"hint\":\"start it\","
                                        "\"message\":\"no answer\"}"));
}

static void reports_what_the_disk_refused(void **state)
{
    struct fixture *f = *state;

    f->repository.next_sync = ERR_UNAVAILABLE;
    assert_int_equal(journal_sync(&f->journal, &f->scope, &f->err), ERR_UNAVAILABLE);
    f->repository.next_sync = ERR_UNAVAILABLE;
    assert_int_equal(journal_end(&f->journal, &f->scope, RUN_COMPLETED, NULL, &f->err),
                     ERR_UNAVAILABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(begins_a_run_with_what_is_known_about_it),
        T(leaves_out_a_session_that_is_none),
        T(numbers_what_is_kept_and_stamps_everything),
        T(tells_every_observer_also_without_a_repository),
        T(lets_no_secret_through),
        T(logs_no_words_of_an_intent_where_texts_are_not_stored),
        T(cuts_texts_above_the_bound_and_keeps_those_at_it),
        T(leaves_the_value_it_was_given_to_others_as_it_was),
        T(cuts_a_title_at_its_bound),
        T(keeps_hash_and_size_of_a_text_and_the_text_where_that_is_wanted),
        T(warns_with_a_text),
        T(cuts_a_warning_at_its_bound),
        T(ends_a_run_with_its_status_and_waits_for_the_disk),
        T(a_resumed_run_took_the_time_of_its_own_process),
        T(says_why_a_run_ended),
        T(reports_what_the_disk_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
