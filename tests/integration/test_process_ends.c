/* Children: that each of them ends, whatever it does and whoever holds its pipes. */
#include "tests/integration/process_talk.h"
#include "tests/support/cmocka.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void ends_a_child_that_ignores_its_input_with_sigterm(void **state)
{
    struct talk *talk = *state;
    talk->options.command = PEER("deaf");

    run(talk, close_after_first_word);

    assert_int_equal(talk->status, 7);
    assert_int_equal(talk->signal, 0);
}

static void ends_a_child_that_ignores_sigterm_with_sigkill(void **state)
{
    struct talk *talk = *state;
    talk->options.command = PEER("stubborn");

    run(talk, close_after_first_word);

    assert_int_equal(talk->signal, SIGKILL);
    assert_in_range(talk->close_took_ms, 100, 10000);
}

static void hear_nothing(void *context, const char *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
}

static void note(void *context)
{
    completion_complete(context);
}

static void note_exit(void *context, int status, int signal)
{
    (void)status;
    (void)signal;
    completion_complete(context);
}

static void let_the_loop_turn(struct runtime *port, struct scope *scope)
{
    (void)!runtime_sleep(port, scope, 50, NULL);
}

/* The second child may get the numbers of the first one's descriptors. */
static enum err_code close_one_that_ended_beside_another(struct runtime *port, struct scope *scope,
                                                         void *argument)
{
    struct talk *talk = argument;
    struct process *first = NULL;
    struct completion over = completion_of(talk->runtime);
    struct process_options options = talk->options;
    AUTO(buf) words = { 0 };
    options.command = PEER("exit");
    options.on_stderr_line = NULL;
    options.on_stdout = hear_nothing;
    options.on_stdout_end = note;
    options.on_exit = note_exit;
    options.context = &over;
    (void)!process_start(talk->runtime, &options, &first, NULL);
    await(&over, scope);
    let_the_loop_turn(port, scope);
    talk->start_code = process_start(talk->runtime, &talk->options, &talk->process, &talk->err);
    let_the_loop_turn(port, scope);
    process_close(first, scope);
    buf_init(&words, 100);
    (void)!buf_puts(&words, "still there\n");
    talk->write_code = process_write(talk->process, &words, 100, &talk->err);
    await(&talk->spoke, scope);
    close_it(talk, port, scope);
    return ERR_NONE;
}

static void closing_a_child_takes_nothing_from_another(void **state)
{
    struct talk *talk = *state;
    talk->options.command = PEER("echo");

    run(talk, close_one_that_ended_beside_another);

    assert_string_equal(talk->out, "still there\n");
    assert_true(talk->exited.done);
}

static enum err_code close_in_a_cancelled_scope(struct runtime *port, struct scope *scope,
                                                void *argument)
{
    struct talk *talk = argument;
    struct scope ended = scope_child(scope, SCOPE_NO_DEADLINE);
    talk->start_code = process_start(talk->runtime, &talk->options, &talk->process, &talk->err);
    await(&talk->spoke, scope);
    runtime_cancel(port, &ended);
    close_it(talk, port, &ended);
    return ERR_NONE;
}

static void does_not_wait_in_a_scope_that_ended(void **state)
{
    struct talk *talk = *state;
    talk->options.command = PEER("stubborn");
    talk->options.close_wait_ms = 15000;

    run(talk, close_in_a_cancelled_scope);

    assert_int_equal(talk->signal, SIGKILL);
    assert_in_range(talk->close_took_ms, 0, 10000);
}

/* Gone, or dead and waiting for its new parent. */
static bool is_dead(int pid)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return true;
    bool read = fgets(line, sizeof line, file);
    fclose(file);
    const char *state = strrchr(line, ')');
    return !read || !state || state[2] == 'Z' || state[2] == 'X';
}

static bool dies_soon(int pid)
{
    for (unsigned i = 0; i < 2000 && !is_dead(pid); i++)
        usleep(1000);
    return is_dead(pid);
}

static enum err_code close_after_exit(struct runtime *port, struct scope *scope, void *argument)
{
    struct talk *talk = argument;
    talk->start_code = process_start(talk->runtime, &talk->options, &talk->process, &talk->err);
    await(&talk->exited, scope);
    close_it(talk, port, scope);
    return ERR_NONE;
}

static void ends_a_grandchild_that_holds_the_pipes(void **state)
{
    struct talk *talk = *state;
    talk->options.command = PEER("grandchild");

    run(talk, close_after_exit);

    assert_true(talk->exited.done);
    assert_false(talk->out_ended.done);
    assert_true(atoi(talk->out) > 0);
    assert_true(dies_soon(atoi(talk->out)));
}

static enum err_code start_and_tell(struct runtime *port, struct scope *scope, void *argument)
{
    struct talk *talk = argument;
    (void)port;
    talk->options.command = PEER("stubborn");
    talk->start_code = process_start(talk->runtime, &talk->options, &talk->process, NULL);
    if (talk->start_code)
        return talk->start_code;
    await(&talk->spoke, scope);
    talk->status = process_id(talk->process);
    return ERR_NONE;
}

/* A process of ours that starts a child, tells its id and dies without closing anything. */
static void be_a_careless_parent(int tell)
{
    void *state;
    setup(&state);
    struct talk *talk = state;
    run(talk, start_and_tell);
    (void)!write(tell, &talk->status, sizeof talk->status);
    _exit(0);
}

static void dies_with_its_parent(void **state)
{
    (void)state;
    int ends[2], pid = 0;
    assert_int_equal(pipe(ends), 0);
    if (fork() == 0)
        be_a_careless_parent(ends[1]);
    close(ends[1]);
    ssize_t n = read(ends[0], &pid, sizeof pid);
    close(ends[0]);

    assert_int_equal(n, sizeof pid);
    assert_true(dies_soon(pid));
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(ends_a_child_that_ignores_its_input_with_sigterm),
        T(ends_a_child_that_ignores_sigterm_with_sigkill),
        T(closing_a_child_takes_nothing_from_another),
        T(does_not_wait_in_a_scope_that_ended),
        T(ends_a_grandchild_that_holds_the_pipes),
        cmocka_unit_test(dies_with_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
