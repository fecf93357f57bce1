/* The page of a run that was gone on with: how it ended at last, what became of calls that nobody
 * had an answer to, and the time between. */
#include "tests/unit/presentation/page/page_bench.h"

/* A step whose call has no answer, and the end of that process. */
static void tell_lost_step(struct page_bench *bench)
{
    tell(bench, EVENT_PLAN,
         "{\"plan\":{\"steps\":[{\"id\":\"s1\",\"tool\":\"a/b\",\"args\":{}},"
         "{\"id\":\"s2\",\"tool\":\"a/c\",\"args\":{\"x\":\"{s1.y}\"}}]}}");
    tell(bench, EVENT_TOOL_CALL, "{\"step\":\"s1\",\"tool\":\"a/b\",\"args\":{},\"attempt\":1}");
    tell(bench, EVENT_TOOL_RESULT,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"duration_ms\":2,\"error\":{\"code\":\"unavailable\","
         "\"message\":\"sent, no answer\",\"outcome\":\"unknown\"}}");
    tell(bench, EVENT_STEP_FINISHED,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"status\":\"error\",\"duration_ms\":2}");
    tell(bench, EVENT_STEP_FINISHED, "{\"step\":\"s2\",\"tool\":\"a/c\",\"status\":\"skipped\"}");
    tell(bench, EVENT_RUN_FINISHED,
         "{\"status\":\"failed\",\"error\":{\"code\":\"unavailable\",\"message\":\"no answer\"}}");
    tell(bench, EVENT_RUN_RESUMED, "{\"status\":\"failed\"}");
}

static void a_run_that_was_resumed_shows_its_last_end(void **state)
{
    struct page_bench *bench = *state;
    tell_lost_step(bench);
    tell(bench, EVENT_ANSWER, "{\"answer\":\"the first\"}");
    tell(bench, EVENT_ANSWER, "{\"answer\":\"the last\"}");
    tell(bench, EVENT_RUN_FINISHED, "{\"status\":\"completed\"}");

    const char *page = page_of(bench);

    has(page, "<dt>exit status</dt><dd dir=\"auto\">0</dd>");
    assert_null(strstr(page, "<h2>Error"));
    has(page, "the last</pre>");

    bench->run.status = RUN_INTERRUPTED;
    page = page_of(bench);

    assert_null(strstr(page, "<h2>Error"));
    assert_null(strstr(page, "<dt>exit status"));
}

static void a_settled_call_says_how_it_was_settled_and_is_no_failure(void **state)
{
    struct page_bench *bench = *state;
    tell_lost_step(bench);
    tell(bench, EVENT_CALL_SETTLED,
         "{\"step\":\"p2.s1\",\"tool\":\"a/b\",\"as\":\"done\",\"by\":\"person\"}");

    const char *page = page_of(bench), *calls = strstr(page, "<h2>Calls</h2>");

    has(calls, "<summary><span class=\"tag good\">done</span>");
    assert_null(strstr(page, "<dt>failed calls"));
    has(calls, "no answer: it may have taken effect. Settled as done (person) "
               "2023-11-14T22:13:20.080Z (event 8).");
    has(page, "<th dir=\"auto\" scope=\"row\">s1</th><td dir=\"auto\">a/b</td>"
              "<td dir=\"auto\"></td><td dir=\"auto\"><span class=\"tag good\">done</span>");
}

static void a_call_that_was_settled_to_be_repeated_has_the_result_of_its_repetition(void **state)
{
    struct page_bench *bench = *state;
    tell_lost_step(bench);
    tell(bench, EVENT_CALL_SETTLED,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"as\":\"repeat\",\"by\":\"person\"}");
    tell(bench, EVENT_TOOL_CALL, "{\"step\":\"s1\",\"tool\":\"a/b\",\"args\":{},\"attempt\":2}");
    tell(bench, EVENT_TOOL_RESULT,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"is_error\":false,\"result\":{\"second\":2}}");

    const char *page = page_of(bench), *calls = strstr(page, "<h2>Calls</h2>");

    assert_int_equal(times(calls, "Receipt"), 1);
    has(calls, "<summary><span class=\"tag good\">ok</span>");
    has(calls, "&quot;second&quot;: 2");
    has(calls, "2 attempts, answered");
}

static void what_the_state_gave_the_log_later_says_so(void **state)
{
    struct page_bench *bench = *state;
    tell(bench, EVENT_RUN_RESUMED, "{\"status\":\"running\"}");
    tell(bench, EVENT_TOOL_CALL,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"args\":{},\"attempt\":2,\"recovered\":true,"
         "\"sent_at\":\"2023-11-14T22:00:00.000Z\"}");
    tell(bench, EVENT_TOOL_RESULT,
         "{\"step\":\"s1\",\"tool\":\"a/b\",\"is_error\":false,\"recovered\":true,"
         "\"duration_ms\":5,\"bytes\":9,\"result\":{}}");

    const char *page = page_of(bench);

    has(page, "Sent 2023-11-14T22:00:00.000Z (event 2), 2 attempts, answered (event 3, from the "
              "state of the run) after 5 ms, 9 bytes.");
}

static void a_pause_is_a_row_of_the_timeline_and_in_no_bar(void **state)
{
    struct page_bench *bench = *state;
    tell_call(bench, "s1", "x");
    tell(bench, EVENT_RUN_RESUMED, "{\"status\":\"running\"}");
    tell_call(bench, "s2", "x");
    for (size_t i = 3; i < bench->n_events; i++)
        bench->events[i].time_ms += 3600000;
    bench->run.finished_at_ms += 3600000;

    const char *page = page_of(bench);

    /* Of 60 ms of work the first step ended after 30, the second after 60. */
    has(page, "<rect class=\"step\" x=\"450\" width=\"50\" height=\"10\"/>");
    has(page, "<rect class=\"step\" x=\"950\" width=\"50\" height=\"10\"/>");
    has(page, ">pause </th>");
    has(page, "<td dir=\"auto\" class=\"number\">3600.0 s</td>");
    has(page, "<dt>took</dt><dd dir=\"auto\">990 ms</dd>");
    has(page, "<dt>paused</dt><dd dir=\"auto\">3600.0 s</dd>");
}

static void a_consensus_that_began_again_shows_its_last_rounds(void **state)
{
    struct page_bench *bench = *state;
    for (int i = 0; i < 2; i++) {
        tell(bench, EVENT_CONSENSUS_STARTED,
             "{\"task\":{\"text\":\"2+2\"},\"agents\":[{\"role\":\"Solver\"},{\"role\":\"Critic\"}]"
             "}");
        tell(bench, EVENT_ENVELOPE,
             "{\"round\":1,\"agent\":\"b\",\"envelope\":{\"status\":\"SOLVED\"},\"ms\":5}");
    }

    assert_int_equal(times(page_of(bench), "<td dir=\"auto\">Critic</td>"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_that_was_resumed_shows_its_last_end),
        TEST(a_settled_call_says_how_it_was_settled_and_is_no_failure),
        TEST(a_call_that_was_settled_to_be_repeated_has_the_result_of_its_repetition),
        TEST(what_the_state_gave_the_log_later_says_so),
        TEST(a_pause_is_a_row_of_the_timeline_and_in_no_bar),
        TEST(a_consensus_that_began_again_shows_its_last_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
