/* The page of a run: what is on it, what its bounds leave out, and that nothing in the log becomes
 * anything but text. */
#include "domain/base/json.h"
#include "tests/unit/presentation/page/page_bench.h"
#include <malloc.h>

/* Everything that must not act in a browser. */
#define HOSTILE                                                                                    \
    "</pre></td><script>alert(1)</script><img src=x onerror=alert(1)>]]>\xe2\x80\xae\"'&"          \
    "javascript:alert(1) https://example.com/"

static char *letters(struct page_bench *bench, char letter, size_t n)
{
    char *text = arena_alloc(&bench->arena, n + 1);
    memset(text, letter, n);
    return text;
}

static void the_head_says_what_ran_when_and_how_it_ended(void **state)
{
    struct page_bench *bench = *state;
    tell_call(bench, "s1", "x");
    tell(bench, EVENT_PROMPT_SENT, "{\"purpose\":\"answer\",\"rung\":\"generate\"}");
    tell(bench, EVENT_MODEL_REPLIED,
         "{\"purpose\":\"answer\",\"reply\":{\"text\":\"y\"},\"prompt_tokens\":7,"
         "\"cached_tokens\":3,\"completion_tokens\":2,\"ms\":20}");

    const char *page = page_of(bench);

    has(page, "<h1 dir=\"auto\">what was asked</h1>");
    has(page, "<span class=\"tag good\">completed</span>");
    has(page, "<dt>started</dt><dd dir=\"auto\">2023-11-14T22:13:20.000Z</dd>");
    has(page, "<dt>exit status</dt><dd dir=\"auto\">0</dd>");
    has(page, "<dt>took</dt><dd dir=\"auto\">1000 ms</dd>");
    has(page, "<dt>calls</dt><dd dir=\"auto\">1 in 3 ms</dd>");
    has(page, "<dt>model requests</dt><dd dir=\"auto\">1 in 20 ms</dd>");
    has(page, "<dt>tokens</dt><dd dir=\"auto\">7 in, 3 of them cached, 2 out</dd>");
}

static void the_exit_status_is_told_where_the_log_says_enough(void **state)
{
    struct page_bench *bench = *state;
    bench->run.status = RUN_NEEDS_ANSWER;
    has(page_of(bench), "<dt>exit status</dt><dd dir=\"auto\">5</dd>");
    bench->run.status = RUN_RUNNING;
    assert_null(strstr(page_of(bench), "exit status"));
    bench->run.status = RUN_REFUSED;
    tell(bench, EVENT_RUN_FINISHED,
         "{\"status\":\"refused\",\"error\":{\"code\":\"denied\",\"message\":\"a rule says no\","
         "\"hint\":\"allow it\"}}");
    const char *page = page_of(bench);
    has(page, "<dt>exit status</dt><dd dir=\"auto\">6</dd>");
    has(page, "<h2>Error: denied</h2>");
    has(page, "a rule says no");
    has(page, "allow it");
}

static void what_went_wrong_stands_before_what_went_well(void **state)
{
    struct page_bench *bench = *state;
    tell_call(bench, "s1", "x");
    tell(bench, EVENT_STEP_FINISHED,
         "{\"step\":\"s2\",\"tool\":\"a/c\",\"status\":\"error\",\"error\":\"no such file\"}");
    tell(bench, EVENT_STEP_FINISHED,
         "{\"step\":\"s3\",\"tool\":\"a/d\",\"status\":\"skipped\",\"error\":\"not reached\"}");

    const char *page = page_of(bench), *section = strstr(page, "<h2>What went wrong</h2>");

    assert_non_null(section);
    assert_true(section < strstr(page, "<h2>Calls</h2>"));
    const char *trouble =
        arena_strndup(&bench->arena, section, (size_t)(strstr(section, "</section>") - section));
    has(trouble, "no such file");
    assert_null(strstr(trouble, "not reached"));
}

static void a_run_that_waits_has_not_ended_and_a_worker_that_begins_it_is_no_trouble(void **state)
{
    struct page_bench *bench = *state;
    bench->run.status = RUN_QUEUED;
    has(page_of(bench), "<span class=\"tag warn\">queued</span>");
    assert_null(strstr(page_of(bench), "<dt>ended</dt>"));
    tell(bench, EVENT_RUN_RESUMED, "{\"status\":\"queued\"}");
    assert_null(strstr(page_of(bench), "<h2>What went wrong</h2>"));
    tell(bench, EVENT_RUN_RESUMED, "{\"status\":\"interrupted\"}");
    has(page_of(bench), "<h2>What went wrong</h2>");
}

static void a_call_has_its_arguments_its_result_and_a_receipt(void **state)
{
    struct page_bench *bench = *state;
    tell_call(bench, "s1", "bound");

    const char *page = page_of(bench);

    has(page, "<span class=\"tag good\">ok</span> s1 a/b: 42 bytes, 3 ms");
    has(page, "&quot;text&quot;: &quot;bound&quot;");
    has(page, "<p class=\"label\">Result</p><pre tabindex=\"0\" dir=\"auto\">bound</pre>");
    has(page, "Sent 2023-11-14T22:13:20.010Z (event 1), answered 2023-11-14T22:13:20.020Z (event "
              "2) after 3 ms, 42 bytes.");
}

static void a_call_without_a_result_says_that_it_may_have_taken_effect(void **state)
{
    struct page_bench *bench = *state;
    tell(bench, EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"args\":{},\"attempt\":1}");
    tell(bench, EVENT_TOOL_CALL,
         "{\"tool\":\"a/b\",\"args\":{},\"attempt\":2,\"outcome\":\"unknown\"}");

    const char *page = page_of(bench);

    assert_int_equal(times(page, "<span class=\"tag warn\">unknown</span>"), 1);
    has(page, "2 attempts, no answer: it may have taken effect.");
    has(page, "<h2>What went wrong</h2>");
    bench->run.status = RUN_RUNNING; /* its answer may still come */
    assert_null(strstr(page_of(bench), "<h2>What went wrong</h2>"));
}

static void calls_that_look_alike_have_a_result_each(void **state)
{
    struct page_bench *bench = *state;
    for (int i = 0; i < 2; i++)
        tell(bench, EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"args\":{},\"attempt\":1}");
    tell(bench, EVENT_TOOL_RESULT, "{\"tool\":\"a/b\",\"result\":{\"first\":1}}");
    tell(bench, EVENT_TOOL_RESULT, "{\"tool\":\"a/b\",\"result\":{\"second\":2}}");

    const char *page = page_of(bench);

    has(page, "&quot;first&quot;: 1");
    has(page, "&quot;second&quot;: 2");
}

static void a_long_plan_takes_little_memory(void **state)
{
    enum { STEPS = 1000, MOST_KIB = 8192 };
    struct page_bench *bench = *state;
    json_t *steps = json_array();
    for (unsigned i = 0; i < STEPS; i++) {
        const char *id = arena_printf(&bench->arena, "s%u", i);
        const char *needed = arena_printf(&bench->arena, "{s%u.y}", i ? i - 1 : 0);
        json_array_append_new(steps, json_pack("{s:s, s:s, s:{s:s}}", "id", id, "tool", "a/b",
                                               "args", "x", i ? needed : ""));
        tell_call(bench, id, "x");
    }
    tell_value(bench, EVENT_PLAN, json_pack("{s:{s:o}}", "plan", "steps", steps));
    struct mallinfo2 before = mallinfo2();

    const char *page = page_of(bench);

    struct mallinfo2 after = mallinfo2();
    assert_true(strlen(page) < RUN_PAGE_MAX_BYTES);
    has(page, "more steps are not shown here");
    assert_true((after.uordblks + after.hblkhd - before.uordblks - before.hblkhd) / 1024 <
                MOST_KIB);
}

static void the_timeline_has_a_bar_for_what_took_time(void **state)
{
    struct page_bench *bench = *state;
    tell_call(bench, "s1", "x");
    tell(bench, EVENT_MODEL_REPLIED, "{\"purpose\":\"answer\",\"reply\":{},\"ms\":20}");

    const char *page = page_of(bench);

    /* The step took 3 of the 40 ms until the last event, and ended after 30. */
    has(page, "<rect class=\"step\" x=\"675\" width=\"75\" height=\"10\"/>");
    has(page, "<rect class=\"model\" x=\"500\" width=\"500\" height=\"10\"/>");
}

static void the_plan_is_a_picture_and_a_list_of_what_each_step_needs(void **state)
{
    struct page_bench *bench = *state;
    tell(bench, EVENT_PLAN,
         "{\"plan\":{\"steps\":[{\"id\":\"s1\",\"tool\":\"a/b\",\"args\":{}},"
         "{\"id\":\"s2\",\"tool\":\"a/c\",\"args\":{\"x\":\"{s1.y}\"}}]}}");
    tell_call(bench, "s1", "x");

    const char *listed = page_of(bench);
    bench->picture = (struct plan_picture){ "<svg>light</svg>", "<svg>dark</svg>" };
    const char *drawn = page_of(bench);

    has(listed,
        "<th dir=\"auto\" scope=\"row\">s2</th><td dir=\"auto\">a/c</td>"
        "<td dir=\"auto\">s1</td><td dir=\"auto\"><span class=\"tag warn\">not begun</span>");
    assert_null(strstr(listed, "<img"));
    has(drawn, "<img alt=");
    has(drawn, "src=\"data:image/svg+xml;base64,PHN2Zz5saWdodDwvc3ZnPg==\"");
    has(drawn, "media=\"(prefers-color-scheme:dark)\"");
}

static void the_rungs_of_the_ladder_are_rows(void **state)
{
    struct page_bench *bench = *state;
    tell(bench, EVENT_PROMPT_SENT,
         "{\"purpose\":\"intent\",\"system\":{\"sha256\":\"1\",\"text\":\"the "
         "rules\"},\"user\":{\"sha256\":\"2\",\"text\":\"the "
         "request\"}}");
    tell(
        bench, EVENT_ATTEMPT,
        "{\"contract\":\"intent\",\"attempt\":1,\"rung\":\"generate\",\"class\":\"invalid_json\"}");
    tell(bench, EVENT_ATTEMPT,
         "{\"contract\":\"intent\",\"attempt\":2,\"rung\":\"reminder\",\"class\":\"ok\","
         "\"saved_by\":\"repair\",\"requests\":1,\"tokens\":-1}");

    const char *page = page_of(bench);

    has(page, "<span class=\"tag bad\">invalid_json</span>");
    has(page, "reminder</td><td dir=\"auto\"><span class=\"tag good\">ok, saved by repair</span>");
    has(page, "the rules</pre>");
    has(page, "the request</pre>");
    assert_null(strstr(page, ">-1<"));
}

static void a_consensus_shows_rounds_with_roles_and_candidates(void **state)
{
    struct page_bench *bench = *state;
    tell(bench, EVENT_CONSENSUS_STARTED,
         "{\"task\":{\"text\":\"2+2\"},\"agents\":[{\"role\":\"Solver\"},{\"role\":\"Critic\"}]}");
    tell(bench, EVENT_ENVELOPE,
         "{\"round\":1,\"agent\":\"b\",\"envelope\":{\"status\":\"SOLVED\"},\"canonical\":\"four\","
         "\"remarks\":[{\"note\":\"adopted\",\"text\":\"taken over\"}],\"ms\":5}");
    tell(bench, EVENT_ENVELOPE,
         "{\"round\":2,\"agent\":\"a\",\"error_envelope\":{\"reason\":\"no JSON\"},\"ms\":5}");
    tell(bench, EVENT_CONSENSUS_ENDED,
         "{\"end\":\"consensus\",\"rounds\":2,\"text\":\"four\",\"candidates\":[null,null]}");

    const char *page = page_of(bench);

    has(page, "<th dir=\"auto\" scope=\"row\">1</th><td dir=\"auto\">Critic</td>"
              "<td dir=\"auto\">SOLVED</td><td dir=\"auto\">four</td>"
              "<td dir=\"auto\">taken over</td>");
    has(page, "<td dir=\"auto\">Solver</td><td dir=\"auto\">unreadable</td>");
    has(page, "no JSON");
    has(page, "consensus after 2 rounds: four");
}

static void a_figure_shows_its_passes_and_what_they_gave(void **state)
{
    struct page_bench *bench = *state;
    tell(bench, EVENT_FIGURE_STARTED, "{\"input\":{\"caption\":\"TCP\"},\"mode\":\"plot_code\"}");
    tell(bench, EVENT_STAGE_FINISHED,
         "{\"stage\":\"visualizer\",\"round\":0,\"output\":{\"artifact\":{\"value\":"
         "\"runs/x/round_0.svg\"}},\"by\":\"rules\",\"ms\":4}");
    tell(bench, EVENT_FIGURE_RENDERED, "{\"round\":0,\"rendered\":false,\"error\":\"no dot\"}");

    const char *page = page_of(bench);

    has(page, "<h2>Passes of the figure</h2>");
    has(page, "runs/x/round_0.svg");
    has(page, "visualizer, round 0, by rules, 4 ms");
    has(page, "no picture: no dot");
}

static void a_run_that_kept_no_texts_shows_their_hashes(void **state)
{
    struct page_bench *bench = *state;
    tell(bench, EVENT_PLAN, "{\"plan\":{\"sha256\":\"aa11\",\"bytes\":7}}");
    tell(bench, EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"args\":{\"sha256\":\"bb22\",\"bytes\":9}}");

    const char *page = page_of(bench);

    assert_null(strstr(page, "<h2>Steps of the plan</h2>"));
    has(page, "bb22");
}

/* One event of each kind, in which every text is the same. */
static void tell_every_kind(struct page_bench *bench, const char *text)
{
    static const char *const names[] = { "step",      "tool",     "error",  "message", "text",
                                         "stage",     "purpose",  "rung",   "class",   "contract",
                                         "model",     "saved_by", "status", "server",  "reason",
                                         "canonical", "agent",    "state",  "end",     "source",
                                         "kind" };
    static const char *const objects[] = { "args",  "result", "envelope", "output", "findings",
                                           "reply", "system", "user",     "answer", "input" };
    for (enum event_kind kind = EVENT_RUN_STARTED; kind <= EVENT_WARNING; kind++) {
        json_t *data = json_object();
        for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
            json_object_set_new(data, names[i], json_string(text));
        for (size_t i = 0; i < ARRAY_LENGTH(objects); i++)
            json_object_set_new(data, objects[i], json_pack("{s:s}", text, text));
        if (kind == EVENT_RUN_FINISHED)
            json_object_set_new(
                data, "error",
                json_pack("{s:s, s:s, s:s}", "code", text, "message", text, "hint", text));
        if (kind == EVENT_PLAN)
            json_object_set_new(
                data, "plan",
                json_pack("{s:[{s:s, s:s, s:{}}]}", "steps", "id", "s1", "tool", text, "args"));
        tell_value(bench, kind, data);
    }
}

static void nothing_in_the_log_becomes_markup_a_link_or_a_script(void **state)
{
    struct page_bench *bench = *state;
    bench->run.title = HOSTILE;
    bench->run.kind = HOSTILE;
    bench->run.session_id = HOSTILE;
    bench->run.meta = arena_keep_json(&bench->arena, json_pack("{s:s}", HOSTILE, HOSTILE));
    tell_every_kind(bench, HOSTILE);

    const char *page = page_of(bench);

    has(page, "&lt;script&gt;alert(1)&lt;/script&gt;");
    has(page, "\\u{202e}");
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "<img"));
    assert_null(strstr(page, "\xe2\x80\xae"));
    assert_null(strstr(page, "href=\""));
    assert_null(strstr(page, "style=\""));
    assert_null(strstr(page, "src=\""));
    assert_null(strstr(page, "url("));
    assert_int_equal(times(page, "<section"), times(page, "</section>"));
    assert_int_equal(times(page, "<td"), times(page, "</td>"));
    assert_int_equal(times(page, "<pre"), times(page, "</pre>"));
    assert_int_equal(times(page, "<details"), times(page, "</details>"));
}

static void a_value_is_cut_behind_its_bound_and_says_by_how_much(void **state)
{
    struct page_bench *bench = *state;
    tell_call(bench, "s1", letters(bench, 'x', RUN_PAGE_VALUE_BYTES));
    const char *whole = page_of(bench);
    tell_call(bench, "s2", letters(bench, 'x', RUN_PAGE_VALUE_BYTES + 1));
    const char *cut = page_of(bench);

    assert_null(strstr(strstr(whole, "Result"), "are left out"));
    has(strstr(strstr(cut, "Result") + 1, "Result"), "Cut: 1 of 4001 bytes are left out.");
}

static void a_cell_is_cut_behind_its_bound(void **state)
{
    struct page_bench *bench = *state;
    for (size_t beyond = 0; beyond <= 1; beyond++) {
        bench->run.title = letters(bench, 'x', RUN_PAGE_CELL_BYTES + beyond);
        const char *head = strstr(page_of(bench), "<h1");
        assert_int_equal(strstr(head, "x…</h1>") != NULL, beyond);
    }
}

static void settings_behind_the_bound_are_counted(void **state)
{
    enum { MAX_SETTINGS = 20 };
    struct page_bench *bench = *state;
    for (int beyond = 0; beyond <= 1; beyond++) {
        json_t *meta = json_object();
        for (int i = 0; i < MAX_SETTINGS + beyond; i++)
            json_object_set_new(meta, arena_printf(&bench->arena, "k%d", i), json_integer(i));
        bench->run.meta = arena_keep_json(&bench->arena, meta);
        const char *page = page_of(bench);
        has(page, "<dt>k19</dt>");
        assert_null(strstr(page, "<dt>k20</dt>"));
        assert_int_equal(strstr(page, "<dt>further settings</dt><dd dir=\"auto\">1<") != NULL,
                         beyond);
    }
}

static void a_result_of_many_texts_is_shown_as_json_behind_the_first(void **state)
{
    enum { MAX_BLOCKS = 3 };
    struct page_bench *bench = *state;
    for (unsigned beyond = 0; beyond <= 1; beyond++) {
        json_t *content = json_array();
        for (unsigned i = 0; i < MAX_BLOCKS + beyond; i++)
            json_array_append_new(content, json_pack("{s:s, s:s}", "type", "text", "text", "x"));
        bench->n_events = 0;
        tell(bench, EVENT_TOOL_CALL, "{\"tool\":\"a/b\",\"args\":{}}");
        tell_value(bench, EVENT_TOOL_RESULT,
                   json_pack("{s:s, s:{s:o}}", "tool", "a/b", "result", "content", content));
        const char *page = page_of(bench);
        assert_int_equal(times(page, "Result</p>"), MAX_BLOCKS + beyond);
        assert_int_equal(times(page, "&quot;content&quot;"), beyond);
    }
}

static void a_list_ends_at_its_bound_and_counts_the_rest(void **state)
{
    struct page_bench *bench = *state;
    for (unsigned i = 0; i < RUN_PAGE_MAX_ROWS; i++)
        tell(bench, EVENT_WARNING, "{\"text\":\"w\"}");
    const char *whole = page_of(bench);
    tell(bench, EVENT_WARNING, "{\"text\":\"w\"}");
    const char *cut = page_of(bench);

    assert_null(strstr(whole, "not shown here"));
    assert_int_equal(times(whole, "<tr><th dir"), 2 * RUN_PAGE_MAX_ROWS);
    assert_int_equal(times(cut, "<tr><th dir"), 2 * RUN_PAGE_MAX_ROWS);
    assert_int_equal(times(cut, "1 more events are not shown here"), 2);
    has(cut, "<code>mistro runs events r1</code>");
}

static void a_list_ends_where_it_fills_its_part_of_the_page(void **state)
{
    struct page_bench *bench = *state;
    const char *text = letters(bench, 'x', 2 * RUN_PAGE_VALUE_BYTES);
    for (unsigned i = 0; i < 40; i++)
        tell_call(bench, "s1", text);

    const char *page = page_of(bench), *calls = strstr(page, "<h2>Calls</h2>");
    size_t length = (size_t)(strstr(calls, "</section>") - calls);

    assert_true(length > RUN_PAGE_LIST_BYTES);
    assert_true(length < RUN_PAGE_LIST_BYTES + 4 * RUN_PAGE_VALUE_BYTES);
    has(calls, "more calls are not shown here");
}

static void whatever_a_run_holds_the_page_stays_below_its_bound_and_whole(void **state)
{
    struct page_bench *bench = *state;
    char *text = letters(bench, '"', 5000), *picture = letters(bench, '<', DRAW_PLAN_MAX_BYTES);
    bench->picture = (struct plan_picture){ picture, picture };
    bench->run.title = text;
    bench->run.id = letters(bench, 'r', 60);
    bench->run.meta = arena_keep_json(&bench->arena, json_pack("{s:s}", "x", text));
    for (unsigned i = 0; i < 20; i++)
        tell_every_kind(bench, text);
    for (unsigned i = 0; i < 200; i++)
        tell_call(bench, "s1", text);

    const char *page = page_of(bench);

    assert_true(strlen(page) < RUN_PAGE_MAX_BYTES);
    assert_true(strlen(page) > RUN_PAGE_MAX_BYTES - 80000);
    assert_string_equal(page + strlen(page) - strlen("</html>\n"), "</html>\n");
    assert_int_equal(times(page, "<section"), times(page, "</section>"));
}

static void a_run_of_nothing_is_a_page(void **state)
{
    struct page_bench *bench = *state;
    bench->run.title = NULL;
    bench->run.finished_at_ms = 0;
    bench->run.status = RUN_RUNNING;

    const char *page = page_of(bench);

    has(page, "<h1 dir=\"auto\">run</h1>");
    has(page, "<span class=\"tag warn\">running</span>");
    has(page, "</html>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_head_says_what_ran_when_and_how_it_ended),
        TEST(the_exit_status_is_told_where_the_log_says_enough),
        TEST(what_went_wrong_stands_before_what_went_well),
        TEST(a_run_that_waits_has_not_ended_and_a_worker_that_begins_it_is_no_trouble),
        TEST(a_call_has_its_arguments_its_result_and_a_receipt),
        TEST(a_call_without_a_result_says_that_it_may_have_taken_effect),
        TEST(calls_that_look_alike_have_a_result_each),
        TEST(a_long_plan_takes_little_memory),
        TEST(the_timeline_has_a_bar_for_what_took_time),
        TEST(the_plan_is_a_picture_and_a_list_of_what_each_step_needs),
        TEST(the_rungs_of_the_ladder_are_rows),
        TEST(a_consensus_shows_rounds_with_roles_and_candidates),
        TEST(a_figure_shows_its_passes_and_what_they_gave),
        TEST(a_run_that_kept_no_texts_shows_their_hashes),
        TEST(nothing_in_the_log_becomes_markup_a_link_or_a_script),
        TEST(a_value_is_cut_behind_its_bound_and_says_by_how_much),
        TEST(a_cell_is_cut_behind_its_bound),
        TEST(settings_behind_the_bound_are_counted),
        TEST(a_result_of_many_texts_is_shown_as_json_behind_the_first),
        TEST(a_list_ends_at_its_bound_and_counts_the_rest),
        TEST(a_list_ends_where_it_fills_its_part_of_the_page),
        TEST(whatever_a_run_holds_the_page_stays_below_its_bound_and_whole),
        TEST(a_run_of_nothing_is_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
