/* Children: what they are born with, what is read of them, and that each of them ends. */
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/fiber.h"
#include "infrastructure/runtime/process.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PEER(name) BUILD_DIR "/tests/peer_" name
#define PATIENCE_MS 20000 /* of a test that would otherwise hang */

static const char *const no_environment[] = { NULL };

/* A conversation with one child: what it is, what was heard, and what came of it. */
struct talk {
    struct uv_runtime *runtime;
    struct process_options options;
    struct process *process;
    enum err_code start_code, write_code;
    struct err err;
    char out[12288];
    size_t out_length, lines;
    char first_line[64], last_line[64];
    char tail[256];
    size_t tail_length;
    int status, signal;
    bool before_exit; /* stdout was heard before the end was told */
    struct completion spoke, out_ended, exited;
    int64_t close_took_ms;
};

static void on_stdout(void *context, const char *bytes, size_t length)
{
    struct talk *talk = context;
    size_t room = sizeof talk->out - 1 - talk->out_length;
    memcpy(talk->out + talk->out_length, bytes, length < room ? length : room);
    talk->out_length += length < room ? length : room;
    talk->before_exit = !talk->exited.done;
    completion_complete(&talk->spoke);
}

static void on_stdout_end(void *context)
{
    completion_complete(&((struct talk *)context)->out_ended);
}

static void on_stderr_line(void *context, const char *line, size_t length)
{
    struct talk *talk = context;
    if (talk->lines++ == 0)
        snprintf(talk->first_line, sizeof talk->first_line, "%.*s", (int)length, line);
    snprintf(talk->last_line, sizeof talk->last_line, "%.*s", (int)length, line);
}

static void on_exited(void *context, int status, int signal)
{
    struct talk *talk = context;
    talk->status = status;
    talk->signal = signal;
    completion_complete(&talk->exited);
}

static int setup(void **state)
{
    static struct talk talk;
    struct uv_runtime *runtime = uv_runtime_create();
    talk = (struct talk){
        .runtime = runtime,
        .options = { .environment = no_environment,
                     .stderr_bytes = 32,
                     .close_wait_ms = 50,
                     .on_stdout = on_stdout,
                     .on_stdout_end = on_stdout_end,
                     .on_stderr_line = on_stderr_line,
                     .on_exit = on_exited,
                     .context = &talk },
        .spoke = completion_of(runtime),
        .out_ended = completion_of(runtime),
        .exited = completion_of(runtime),
    };
    *state = &talk;
    return 0;
}

static int teardown(void **state)
{
    struct talk *talk = *state;
    uv_runtime_destroy(talk->runtime);
    return fiber_count() == 0 ? 0 : -1;
}

static void await(struct completion *completion, const struct scope *scope)
{
    (void)!completion_await(completion, scope, NULL);
}

static void close_it(struct talk *talk, struct runtime *port, const struct scope *scope)
{
    int64_t began = runtime_now_ms(port);
    const char *tail = process_stderr(talk->process, &talk->tail_length);
    memcpy(talk->tail, tail, talk->tail_length);
    process_close(talk->process, scope);
    talk->close_took_ms = runtime_now_ms(port) - began;
}

static void run(struct talk *talk, task_fn *script)
{
    struct scope scope = runtime_scope(uv_runtime_port(talk->runtime), NULL, PATIENCE_MS);
    (void)uv_runtime_run(talk->runtime, &scope, script, talk);
}

static enum err_code listen_to_the_end(struct runtime *port, struct scope *scope, void *argument)
{
    struct talk *talk = argument;
    talk->start_code = process_start(talk->runtime, &talk->options, &talk->process, &talk->err);
    if (talk->start_code)
        return talk->start_code;
    await(&talk->exited, scope);
    await(&talk->out_ended, scope);
    close_it(talk, port, scope);
    return ERR_NONE;
}

static enum err_code close_after_first_word(struct runtime *port, struct scope *scope,
                                            void *argument)
{
    struct talk *talk = argument;
    talk->start_code = process_start(talk->runtime, &talk->options, &talk->process, &talk->err);
    await(&talk->spoke, scope);
    close_it(talk, port, scope);
    return ERR_NONE;
}

static void gives_exactly_the_surroundings_it_was_told(void **state)
{
    struct talk *talk = *state;
    talk->options.command = PEER("surroundings");
    talk->options.arguments = (const char *const[]){ "one", "two words; $(no shell)", NULL };
    talk->options.environment = (const char *const[]){ "A=1", "B=x y", NULL };
    talk->options.directory = "/usr";
    int inherited = open("/dev/null", O_RDONLY);

    run(talk, listen_to_the_end);

    close(inherited);
    assert_string_equal(talk->out, "argument=one\n"
                                   "argument=two words; $(no shell)\n"
                                   "environment A=1\n"
                                   "environment B=x y\n"
                                   "folder=/usr\n"
                                   "leads its session=1\n"
                                   "signal of death=9\n"
                                   "descriptors=3\n"
                                   "SigBlk=0\n"
                                   "SigIgn=0\n");
}

static void finds_a_program_in_the_path_of_the_environment(void **state)
{
    struct talk *talk = *state;
    talk->options.command = "peer_exit";
    talk->options.environment =
        (const char *const[]){ "PATH=relative::/nowhere:" BUILD_DIR "/tests:/bin", NULL };

    run(talk, listen_to_the_end);

    assert_int_equal(talk->start_code, ERR_NONE);
    assert_string_equal(talk->out, "bye\n");
}

static void says_that_there_is_no_such_program_and_where_it_looked(void **state)
{
    struct talk *talk = *state;
    talk->options.command = "no-such-program";
    talk->options.environment = (const char *const[]){ "PATH=/nowhere:/bin", NULL };

    run(talk, listen_to_the_end);

    assert_int_equal(talk->start_code, ERR_NOT_FOUND);
    assert_string_equal(talk->err.message, "no such program: 'no-such-program'");
    assert_string_equal(talk->err.hint, "install it, or give its full path; PATH is /nowhere:/bin");
}

static void says_that_a_path_leads_to_no_program(void **state)
{
    struct talk *talk = *state;
    talk->options.command = "/nowhere/program";

    run(talk, listen_to_the_end);

    assert_int_equal(talk->start_code, ERR_NOT_FOUND);
    assert_int_equal(talk->err.origin, ENOENT);
}

static void says_why_a_file_cannot_be_run(void **state)
{
    struct talk *talk = *state;
    talk->options.command = "/etc/passwd";

    run(talk, listen_to_the_end);

    assert_int_equal(talk->start_code, ERR_UNAVAILABLE);
    assert_string_equal(talk->err.message, "cannot start '/etc/passwd': Permission denied");
}

static void says_that_there_is_no_such_folder(void **state)
{
    struct talk *talk = *state;
    talk->options.command = PEER("exit");
    talk->options.directory = "/nowhere";

    run(talk, listen_to_the_end);

    assert_int_equal(talk->start_code, ERR_INVALID);
    assert_string_equal(talk->err.message, "cannot start in '/nowhere': No such file or directory");
}

static void tells_the_end_after_the_last_words(void **state)
{
    struct talk *talk = *state;
    talk->options.command = PEER("exit");
    talk->options.arguments = (const char *const[]){ "3", NULL };

    run(talk, listen_to_the_end);

    assert_int_equal(talk->status, 3);
    assert_int_equal(talk->signal, 0);
    assert_string_equal(talk->out, "bye\n");
    assert_true(talk->before_exit);
    assert_string_equal(talk->last_line, "last words");
}

static void keeps_the_end_of_a_flood_and_tells_every_line(void **state)
{
    struct talk *talk = *state;
    talk->options.command = PEER("flood");

    run(talk, listen_to_the_end);

    assert_string_equal(talk->out, "done\n");
    assert_int_equal(talk->lines, 65536);
    assert_string_equal(talk->first_line, "noise line 0000");
    assert_string_equal(talk->last_line, "noise line ffff");
    assert_int_equal(talk->tail_length, 32);
    assert_memory_equal(talk->tail, "noise line fffe\nnoise line ffff\n", 32);
}

static enum err_code write_bytes(struct talk *talk, size_t length, size_t max_pending)
{
    AUTO(buf) bytes;
    buf_init(&bytes, length);
    if (!buf_reserve(&bytes, length))
        abort();
    memset(bytes.bytes, 'x', length);
    bytes.length = length;
    buf_terminate(&bytes);
    return process_write(talk->process, &bytes, max_pending, &talk->err);
}

static enum err_code echo_much(struct runtime *port, struct scope *scope, void *argument)
{
    struct talk *talk = argument;
    talk->options.command = PEER("echo");
    talk->start_code = process_start(talk->runtime, &talk->options, &talk->process, &talk->err);
    for (unsigned i = 0; i < 10 && !talk->write_code; i++)
        talk->write_code = write_bytes(talk, 1000, 1000000);
    while (talk->out_length < 10000 && !scope_check(scope, runtime_now_ms(port), NULL)) {
        talk->spoke.done = false;
        await(&talk->spoke, scope);
    }
    close_it(talk, port, scope);
    return ERR_NONE;
}

static void writes_to_a_child_and_hears_it_in_order(void **state)
{
    struct talk *talk = *state;

    run(talk, echo_much);

    assert_int_equal(talk->write_code, ERR_NONE);
    assert_int_equal(talk->out_length, 10000);
    assert_int_equal(talk->status, 0);
    assert_int_equal(talk->signal, 0);
}

static enum err_code fill_a_pipe(struct runtime *port, struct scope *scope, void *argument)
{
    struct talk *talk = argument;
    talk->options.command = PEER("stubborn");
    talk->start_code = process_start(talk->runtime, &talk->options, &talk->process, &talk->err);
    await(&talk->spoke, scope);
    talk->write_code = write_bytes(talk, 200000, 200000);
    if (!talk->write_code)
        talk->write_code = write_bytes(talk, 200000, 200000);
    close_it(talk, port, scope);
    return ERR_NONE;
}

static void refuses_to_queue_more_than_the_bound_for_a_child_that_does_not_read(void **state)
{
    struct talk *talk = *state;

    run(talk, fill_a_pipe);

    assert_int_equal(talk->write_code, ERR_LIMIT);
    assert_memory_equal(talk->err.message, "it does not read: ", 18);
}

static enum err_code write_to_the_dead(struct runtime *port, struct scope *scope, void *argument)
{
    struct talk *talk = argument;
    talk->options.command = PEER("exit");
    talk->start_code = process_start(talk->runtime, &talk->options, &talk->process, &talk->err);
    await(&talk->exited, scope);
    talk->write_code = write_bytes(talk, 10, 1000);
    close_it(talk, port, scope);
    return ERR_NONE;
}

static void says_that_a_dead_child_does_not_read(void **state)
{
    struct talk *talk = *state;

    run(talk, write_to_the_dead);

    assert_int_equal(talk->write_code, ERR_UNAVAILABLE);
}

static void ends_a_child_by_closing_its_input(void **state)
{
    struct talk *talk = *state;

    talk->options.close_wait_ms = 10000;
    run(talk, echo_much);

    assert_int_equal(talk->signal, 0);
    assert_in_range(talk->close_took_ms, 0, 9000);
}

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

static bool contains(char **environment, const char *variable)
{
    for (char **e = environment; *e; e++)
        if (strcmp(*e, variable) == 0)
            return true;
    return false;
}

static void hands_on_only_the_harmless_environment(void **state)
{
    (void)state;
    setenv("HOME", "/home/somebody", 1);
    setenv("LC_TIME", "C", 1);
    setenv("LC_PAPER", "() { :; }", 1);
    setenv("SOME_API_KEY", "secret", 1);
    setenv("LANG", "C", 1);
    const char *extra[] = { "LANG=de_AT.UTF-8", "TOKEN=1", "TOKEN=2" };

    char **environment = process_environment(extra, 3);

    assert_true(contains(environment, "HOME=/home/somebody"));
    assert_true(contains(environment, "LC_TIME=C"));
    assert_true(contains(environment, "LANG=de_AT.UTF-8"));
    assert_true(contains(environment, "TOKEN=2"));
    assert_false(contains(environment, "LANG=C"));
    assert_false(contains(environment, "TOKEN=1"));
    assert_false(contains(environment, "LC_PAPER=() { :; }"));
    assert_false(contains(environment, "SOME_API_KEY=secret"));
    process_environment_free(environment);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(gives_exactly_the_surroundings_it_was_told),
        T(finds_a_program_in_the_path_of_the_environment),
        T(says_that_there_is_no_such_program_and_where_it_looked),
        T(says_that_a_path_leads_to_no_program),
        T(says_why_a_file_cannot_be_run),
        T(says_that_there_is_no_such_folder),
        T(tells_the_end_after_the_last_words),
        T(keeps_the_end_of_a_flood_and_tells_every_line),
        T(writes_to_a_child_and_hears_it_in_order),
        T(refuses_to_queue_more_than_the_bound_for_a_child_that_does_not_read),
        T(says_that_a_dead_child_does_not_read),
        T(ends_a_child_by_closing_its_input),
        T(ends_a_child_that_ignores_its_input_with_sigterm),
        T(ends_a_child_that_ignores_sigterm_with_sigkill),
        T(does_not_wait_in_a_scope_that_ended),
        T(ends_a_grandchild_that_holds_the_pipes),
        cmocka_unit_test(dies_with_its_parent),
        cmocka_unit_test(hands_on_only_the_harmless_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
