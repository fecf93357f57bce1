
#include "presentation/cli/output/consensus_output.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <stdlib.h>
#include <string.h>

struct bench {
    struct fake_console console;
    struct arguments args;
    struct arena arena;
    struct cli cli;
};

static struct bench *begin(bool is_terminal)
{
    struct bench *bench = calloc(1, sizeof *bench);
    struct style style = style_make(is_terminal, NULL, "1", "xterm");
    fake_console_init(&bench->console, "");
    bench->console.terminals[CONSOLE_OUT] = is_terminal;
    bench->cli = (struct cli){ .args = &bench->args,
                               .console = &bench->console.base,
                               .arena = &bench->arena,
                               .style = style,
                               .answer_style = style };
    return bench;
}

static int in_pipe(void **state)
{
    *state = begin(false);
    return 0;
}

static int on_terminal(void **state)
{
    *state = begin(true);
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    fake_console_finish(&bench->console);
    arena_finish(&bench->arena);
    free(bench);
    return 0;
}

static const struct consensus_result agreed = {
    .end = CONSENSUS_CONSENSUS, .text = "4", .canonical = "4", .sha256 = "ab", .rounds = 1
};
static const struct consensus_result apart = {
    .end = CONSENSUS_MAX_ROUNDS,
    .rounds = 8,
    .candidates = { { .exists = true, .text = "4\033[2J", .canonical = "4", .sha256 = "ab" } }
};

static int show(struct bench *bench, const struct consensus_result *result)
{
    return consensus_output(&bench->cli, result, "r1", CANONICAL_NUMBER);
}

static void a_pipe_has_the_text_and_nothing_else(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(show(bench, &agreed), 0);
    assert_string_equal(buf_string(&bench->console.out), "4\n");
    assert_string_equal(buf_string(&bench->console.err), "");
}

static void a_pipe_has_what_was_compared_and_of_prose_what_was_written(void **state)
{
    struct bench *bench = *state;
    struct consensus_result result = agreed;
    result.text = "/^ a/";
    result.canonical = "^ a";
    assert_int_equal(consensus_output(&bench->cli, &result, "r1", CANONICAL_REGEX), 0);
    assert_int_equal(consensus_output(&bench->cli, &result, "r1", CANONICAL_TEXT), 0);
    assert_string_equal(buf_string(&bench->console.out), "^ a\n/^ a/\n");
}

static void a_terminal_has_it_below_a_line_of_its_own(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(show(bench, &agreed), 0);
    assert_string_equal(buf_string(&bench->console.out), "=== FINAL TEXT ===\n4\n");
}

static void without_consensus_both_candidates_are_shown_and_stdout_is_empty(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(show(bench, &apart), 8);
    assert_string_equal(buf_string(&bench->console.out), "");
    assert_string_equal(buf_string(&bench->console.err),
                        "(No consensus) after 8 rounds: no round is left\n"
                        "  agent a: 4\\x1b[2J\n  agent b: no answer that counts\n");
}

static void the_result_object_tells_both_ends(void **state)
{
    struct bench *bench = *state;
    bench->args.json = true;
    assert_int_equal(show(bench, &agreed), 0);
    assert_non_null(strstr(buf_string(&bench->console.out), "\"status\":\"CONSENSUS\""));
    buf_clear(&bench->console.out);
    assert_int_equal(show(bench, &apart), 8);
    assert_non_null(strstr(buf_string(&bench->console.out), "\"status\":\"NO_CONSENSUS\""));
}

static void the_vote_stands_beside_it_with_what_it_cost(void **state)
{
    struct bench *bench = *state;
    struct consensus_result result = agreed;
    result.duration_ms = 12;
    result.usage[0] = (struct agent_usage){ 1, 100, 10, 5 };
    result.usage[1] = (struct agent_usage){ 1, 100, 12, 6 };
    result.vote = (struct consensus_vote){ .samples = 5,
                                           .usable = 4,
                                           .agree = 3,
                                           .text = "5",
                                           .sha256 = "cd",
                                           .usage = { 5, 250, 50, 20 },
                                           .duration_ms = 21 };
    assert_int_equal(show(bench, &result), 0);
    assert_string_equal(buf_string(&bench->console.out), "4\n");
    assert_string_equal(
        buf_string(&bench->console.err),
        "two agents:  4 (1 round, 200 + 22 tokens, 2 requests, 12 ms)\n"
        "vote of 5:   5 (3 of 4 usable answers, 250 + 50 tokens, 5 requests, 21 ms)\n"
        "the vote is another answer than the one that was agreed on\n");
}

static void who_said_nothing_readable_ends_it_with_the_reason(void **state)
{
    struct bench *bench = *state;
    struct consensus_result mute = { .end = CONSENSUS_UNREADABLE, .rounds = 3 };
    (void)err_set(&mute.err, ERR_FAILED, 0, "the model gave no usable envelope");
    assert_int_equal(show(bench, &mute), 8);
    assert_string_equal(buf_string(&bench->console.err),
                        "(No consensus) after 3 rounds: neither said anything that can be read, "
                        "several turns in a row\n"
                        "  agent a: no answer that counts\n"
                        "  agent b: no answer that counts\n"
                        "mistro: the model gave no usable envelope\n");
}

static void every_end_has_its_exit_status(void **state)
{
    (void)state;
    struct consensus_result lost = { .end = CONSENSUS_AGENTS_LOST,
                                     .err = { .code = ERR_PROTOCOL } };
    struct consensus_result locked = { .end = CONSENSUS_AGENTS_LOST, .err = { .code = ERR_AUTH } };
    struct consensus_result loop = { .end = CONSENSUS_LOOP };
    struct consensus_result mute = { .end = CONSENSUS_UNREADABLE, .err = { .code = ERR_FAILED } };
    assert_int_equal(consensus_exit_status(&agreed), 0);
    assert_int_equal(consensus_exit_status(&loop), 1);
    assert_int_equal(consensus_exit_status(&apart), 8);
    assert_int_equal(consensus_exit_status(&mute), 8);
    assert_int_equal(consensus_exit_status(&lost), 3);
    assert_int_equal(consensus_exit_status(&locked), 4);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, in_pipe, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_pipe_has_the_text_and_nothing_else),
        T(a_pipe_has_what_was_compared_and_of_prose_what_was_written),
        cmocka_unit_test_setup_teardown(a_terminal_has_it_below_a_line_of_its_own, on_terminal,
                                        tear_down),
        T(without_consensus_both_candidates_are_shown_and_stdout_is_empty),
        T(the_result_object_tells_both_ends),
        T(the_vote_stands_beside_it_with_what_it_cost),
        T(who_said_nothing_readable_ends_it_with_the_reason),
        T(every_end_has_its_exit_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
