#include "tests/support/full/mcp_matrix.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/leftovers.h"
#include "tests/support/full/peer_process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SILENCE_MS 3000 /* of a call, unless the row says otherwise */
#define LIMIT_MS                                                                                   \
    20000 /* no run takes longer, come what may: 64 MiB under a sanitizer take some                \
           */

struct matrix_case {
    const struct matrix_row *row;
    bool is_http;
};

struct run {
    struct peer peer; /* first: tasks get the peer */
    const struct matrix_row *row;
    struct peer_process process;
    char variable[64], count[64]; /* of the rules, in a file: the second call may need a restart */
    const char *variables[1];
    enum err_code then_code;
    const char *then_text;
    int64_t took_ms;
    size_t descriptors;
};

static void call_again(struct runtime *runtime, struct scope *scope, struct run *run)
{
    struct peer *peer = &run->peer, first = *peer;
    peer->err = (struct err){ 0 };
    run->then_code = peer_call(runtime, scope, peer);
    run->then_text = run->then_code ? arena_strdup(&peer->arena, peer->err.message)
                                    : step_result_text(&peer->arena, &peer->result);
    peer->code = first.code;
    peer->err = first.err;
    peer->result = first.result;
}

static enum err_code call_once_or_twice(struct runtime *runtime, struct scope *scope,
                                        void *argument)
{
    struct run *run = argument;
    int64_t began_ms = runtime_now_ms(runtime);
    (void)!peer_call(runtime, scope, &run->peer);
    if (run->row->then)
        call_again(runtime, scope, run);
    run->took_ms = runtime_now_ms(runtime) - began_ms;
    return ERR_NONE;
}

static void prepare(struct run *run, const struct matrix_row *row)
{
    static unsigned n_runs;
    *run = (struct run){ .descriptors = leftover_descriptors(), .row = row };
    strcpy(run->count, "/tmp/mistro-matrix-XXXXXX");
    close(mkstemp(run->count));
    const char *arguments[MATRIX_MAX_RULES + 5] = {
        row->is_modern ? "--modern" : "-=", row->is_stubborn ? "--stubborn" : "-=", "--count",
        run->count
    };
    for (size_t i = 0; i < MATRIX_MAX_RULES && row->rules[i]; i++)
        arguments[i + 4] = row->rules[i];
    peer_init(&run->peer, arguments);
    snprintf(run->variable, sizeof run->variable, "MISTRO_TEST_RUN=%d.%u", getpid(), n_runs++);
    run->variables[0] = run->variable;
    run->peer.config.environment = run->variables;
    run->peer.config.n_environment = 1;
    run->peer.silence_ms = row->silence_ms ? row->silence_ms : SILENCE_MS;
    run->peer.max_ms = row->max_ms;
    run->peer.config.start_timeout_ms = row->start_timeout_ms;
    if (row->max_message_bytes)
        run->peer.settings.mcp_max_message_bytes = row->max_message_bytes;
    if (row->max_junk_lines)
        run->peer.settings.mcp_max_junk_lines = row->max_junk_lines;
}

static void assert_contains(const char *text, const char *words)
{
    if (words && !strstr(text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, text);
}

static void assert_outcome(struct run *run, const struct matrix_outcome *outcome)
{
    struct peer *peer = &run->peer;
    const struct matrix_row *row = run->row;
    if (peer->code != outcome->code)
        fail_msg("ended with %d, not %d: %s", (int)peer->code, (int)outcome->code,
                 peer->err.message);
    const char *text =
        peer->code ? peer->err.message : step_result_text(&peer->arena, &peer->result);
    if (row->text_bytes && !peer->code)
        assert_int_equal(strlen(text), row->text_bytes);
    else if (peer->code)
        assert_contains(text, outcome->words);
    else
        assert_string_equal(text, outcome->words);
    if (outcome->era)
        assert_string_equal(peer->status.era, outcome->era);
    assert_contains(peer->last_log, outcome->log);
    if (row->n_logs)
        assert_int_equal(peer->n_logs, row->n_logs);
    if (row->then)
        assert_string_equal(run->then_text, row->then);
}

static void assert_nothing_left(const struct run *run)
{
    if (run->took_ms > LIMIT_MS || run->peer.close_ms > LIMIT_MS)
        fail_msg("took %lld ms, and %lld ms to close", (long long)run->took_ms,
                 (long long)run->peer.close_ms);
    assert_int_equal(leftover_processes(run->variable), 0);
    assert_false(leftover_children());
    assert_int_equal(leftover_descriptors(), run->descriptors);
}

static void behaves_as_the_table_says(void **state)
{
    const struct matrix_case *which = *state;
    struct run run;
    prepare(&run, which->row);
    if (which->is_http)
        peer_process_start(&run.process, &run.peer);
    peer_run(&run.peer, call_once_or_twice);
    if (which->is_http)
        peer_process_end(&run.process);
    bool is_own = which->is_http && which->row->http.words;
    assert_outcome(&run, is_own ? &which->row->http : &which->row->stdio);
    peer_finish(&run.peer);
    unlink(run.count);
    assert_nothing_left(&run);
}

/* The table for people; each row is a line of it that begins with its behaviour. */
static void is_in_the_documentation(void **state)
{
    static char text[1 << 17];
    const struct matrix_case *which = *state;
    FILE *file = fopen(SOURCE_DIR "/docs/mcp-servers.md", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (const struct matrix_row *row = which->row; row->behaviour; row++) {
        char line[300];
        snprintf(line, sizeof line, "\n| %s |", row->behaviour);
        if (!strstr(text, line))
            fail_msg("docs/mcp-servers.md does not say what becomes of: %s", row->behaviour);
    }
}

/* What a library opens once and keeps is no leak. */
static void open_what_is_kept(void)
{
    struct run run;
    prepare(&run, &(const struct matrix_row){ .behaviour = "" });
    peer_run(&run.peer, call_once_or_twice);
    peer_finish(&run.peer);
    unlink(run.count);
}

int matrix_run(const struct matrix_row *rows)
{
    size_t n_rows = 0, n = 0;
    while (rows[n_rows].behaviour)
        n_rows++;
    struct CMUnitTest *tests = calloc(2 * n_rows + 1, sizeof *tests);
    struct matrix_case *cases = calloc(2 * n_rows + 1, sizeof *cases);
    if (!tests || !cases)
        abort();
    for (; n < 2 * n_rows; n++) {
        char *name = NULL;
        cases[n] = (struct matrix_case){ &rows[n / 2], n % 2 == 1 };
        if (asprintf(&name, "%s: %s", n % 2 ? "http" : "stdio", rows[n / 2].behaviour) < 0)
            abort();
        tests[n] = (struct CMUnitTest){ .name = name,
                                        .test_func = behaves_as_the_table_says,
                                        .initial_state = &cases[n] };
    }
    cases[n].row = rows;
    tests[n] = (struct CMUnitTest){ .name = "every row is in docs/mcp-servers.md",
                                    .test_func = is_in_the_documentation,
                                    .initial_state = &cases[n] };
    open_what_is_kept();
    cmocka_set_test_filter(getenv("MISTRO_MATRIX_ROW")); /* "http: floods*", to look at one */
    int failed = _cmocka_run_group_tests("matrix", tests, n + 1, NULL, NULL);
    for (size_t i = 0; i < n; i++)
        free((char *)(uintptr_t)tests[i].name);
    free(tests);
    free(cases);
    return failed;
}
