/* The console on files, pipes and a pseudo terminal put in place of the standard streams. */
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/end_signals.h"
#include "infrastructure/runtime/fiber.h"
#include "infrastructure/runtime/uv_console.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <uv.h>

#define PATIENCE_MS 20000 /* of a test that would otherwise hang */

struct bench {
    struct uv_runtime *runtime;
    struct console *console;
    int saved[3];           /* the real standard streams */
    int late_fd;            /* written to while a read waits */
    const char *late_bytes; /* NULL: closed instead */
    char text[256];         /* everything read */
    size_t reads;
    enum err_code code;
    struct completion interrupted;
    unsigned interrupts;
};

static int setup(void **state)
{
    static struct bench bench;
    bench = (struct bench){ .runtime = uv_runtime_create() };
    bench.console = uv_console_create(bench.runtime);
    bench.interrupted = completion_of(bench.runtime);
    for (int fd = 0; fd < 3; fd++)
        bench.saved[fd] = dup(fd);
    *state = &bench;
    return 0;
}

static void put_back(struct bench *bench, int fd)
{
    dup2(bench->saved[fd], fd);
}

static int teardown(void **state)
{
    struct bench *bench = *state;
    uv_console_destroy(bench->console);
    uv_runtime_destroy(bench->runtime);
    for (int fd = 0; fd < 3; fd++) {
        put_back(bench, fd);
        close(bench->saved[fd]);
    }
    return fiber_count() == 0 ? 0 : -1;
}

static void replace(int fd, int by)
{
    dup2(by, fd);
    close(by);
}

static enum err_code write_late(struct runtime *port, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    enum err_code code = runtime_sleep(port, scope, 5, NULL);
    if (bench->late_bytes)
        (void)!write(bench->late_fd, bench->late_bytes, strlen(bench->late_bytes));
    else
        close(bench->late_fd);
    return code;
}

static enum err_code read_once(struct bench *bench, struct scope *scope, size_t *out_length)
{
    char bytes[64];
    enum err_code code = console_read(bench->console, scope, bytes, sizeof bytes, out_length, NULL);
    if (code == ERR_NONE)
        strncat(bench->text, bytes, *out_length);
    bench->reads++;
    return code;
}

static enum err_code read_to_the_end(struct runtime *port, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    size_t length = 1;
    struct task *late = bench->late_fd ? runtime_spawn(port, scope, write_late, bench) : NULL;
    while (bench->code == ERR_NONE && length > 0)
        bench->code = read_once(bench, scope, &length);
    return late ? runtime_wait(port, late) : ERR_NONE;
}

static enum err_code read_a_line(struct runtime *port, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    size_t length;
    struct task *late = runtime_spawn(port, scope, write_late, bench);
    bench->code = read_once(bench, scope, &length);
    return runtime_wait(port, late);
}

static void run_for(struct bench *bench, int64_t ms, task_fn *fn)
{
    struct scope scope = runtime_scope(uv_runtime_port(bench->runtime), NULL, ms);
    (void)uv_runtime_run(bench->runtime, &scope, fn, bench);
}

static void reads_a_pipe_to_its_end(void **state)
{
    struct bench *bench = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    replace(STDIN_FILENO, ends[0]);
    assert_int_equal(write(ends[1], "early", 5), 5);
    bench->late_fd = ends[1];

    run_for(bench, PATIENCE_MS, read_to_the_end);

    assert_int_equal(bench->code, ERR_NONE);
    assert_string_equal(bench->text, "early");
    assert_int_equal(bench->reads, 2);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK, 0);
}

static void waits_for_what_is_written_later(void **state)
{
    struct bench *bench = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    replace(STDIN_FILENO, ends[0]);
    bench->late_fd = ends[1];
    bench->late_bytes = "late";

    run_for(bench, PATIENCE_MS, read_a_line);

    close(ends[1]);
    assert_string_equal(bench->text, "late");
}

static void reads_a_file_to_its_end(void **state)
{
    struct bench *bench = *state;
    FILE *file = tmpfile();
    fputs("one line\n", file);
    rewind(file);
    replace(STDIN_FILENO, dup(fileno(file)));
    fclose(file);

    run_for(bench, PATIENCE_MS, read_to_the_end);

    assert_int_equal(bench->code, ERR_NONE);
    assert_string_equal(bench->text, "one line\n");
}

static void reads_nothing_from_the_null_device_and_from_a_closed_stream(void **state)
{
    struct bench *bench = *state;
    replace(STDIN_FILENO, open("/dev/null", O_RDONLY));

    run_for(bench, PATIENCE_MS, read_to_the_end);
    close(STDIN_FILENO);
    run_for(bench, PATIENCE_MS, read_to_the_end);

    assert_int_equal(bench->code, ERR_NONE);
    assert_int_equal(bench->reads, 2);
    assert_string_equal(bench->text, "");
}

static void ends_a_read_with_its_scope(void **state)
{
    struct bench *bench = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    replace(STDIN_FILENO, ends[0]);

    run_for(bench, 5, read_to_the_end);

    assert_int_equal(bench->code, ERR_TIMEOUT);
    close(ends[1]);
}

/* A terminal as standard input; returns the side of the person. */
static int sit_at_a_terminal(unsigned short width)
{
    int person, program;
    struct winsize size = { .ws_col = width, .ws_row = 31 };
    assert_int_equal(openpty(&person, &program, NULL, NULL, &size), 0);
    dup2(program, STDIN_FILENO);
    close(program);
    return person;
}

static void reads_a_line_of_a_terminal_and_leaves_it_blocking(void **state)
{
    struct bench *bench = *state;
    bench->late_fd = sit_at_a_terminal(100);
    bench->late_bytes = "hello\n";

    run_for(bench, PATIENCE_MS, read_a_line);

    assert_string_equal(bench->text, "hello\n");
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK, 0);
    assert_true(console_is_terminal(bench->console, CONSOLE_IN));
    close(bench->late_fd);
}

static void drops_what_was_typed_before_a_question(void **state)
{
    struct bench *bench = *state;
    int waiting = 0;
    bench->late_fd = sit_at_a_terminal(100);
    bench->late_bytes = "no\n";
    assert_int_equal(write(bench->late_fd, "y\n", 2), 2);
    while (waiting < 2) /* the terminal has it */
        assert_int_equal(ioctl(STDIN_FILENO, FIONREAD, &waiting), 0);

    console_drop_typed(bench->console);
    run_for(bench, PATIENCE_MS, read_a_line);

    assert_string_equal(bench->text, "no\n");
    close(bench->late_fd);
}

static void keeps_the_end_of_input_that_was_typed_before_a_question(void **state)
{
    struct bench *bench = *state;
    int waiting = 0, person = sit_at_a_terminal(100);
    assert_int_equal(write(person, "y\n\4", 3), 3);
    while (waiting < 2)
        assert_int_equal(ioctl(STDIN_FILENO, FIONREAD, &waiting), 0);

    console_drop_typed(bench->console);
    run_for(bench, PATIENCE_MS, read_to_the_end);

    assert_int_equal(bench->code, ERR_NONE);
    assert_string_equal(bench->text, "");
    assert_int_equal(bench->reads, 1);
    close(person);
}

static void leaves_what_a_pipe_has(void **state)
{
    struct bench *bench = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    replace(STDIN_FILENO, ends[0]);
    assert_int_equal(write(ends[1], "y\n", 2), 2);
    close(ends[1]);

    console_drop_typed(bench->console);
    run_for(bench, PATIENCE_MS, read_to_the_end);

    assert_string_equal(bench->text, "y\n");
}

static void gives_the_terminal_back_in_its_old_mode(void **state)
{
    struct bench *bench = *state;
    struct termios before, raw, after;
    bench->late_fd = sit_at_a_terminal(100);
    bench->late_bytes = "hello\n";
    tcgetattr(STDIN_FILENO, &before);
    run_for(bench, PATIENCE_MS, read_a_line);
    raw = before;
    cfmakeraw(&raw);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);

    uv_console_destroy(bench->console);
    bench->console = NULL;

    tcgetattr(STDIN_FILENO, &after);
    assert_int_equal(after.c_lflag, before.c_lflag);
    assert_int_equal(after.c_oflag, before.c_oflag);
    close(bench->late_fd);
}

static void keeps_what_is_typed_as_it_came_until_it_may_be_shown(void **state)
{
    struct bench *bench = *state;
    struct termios before, silent, after;
    int person = sit_at_a_terminal(100);
    tcgetattr(STDIN_FILENO, &before);

    bool was_on = console_set_echo(bench->console, false);
    tcgetattr(STDIN_FILENO, &silent);
    bool was_off = !console_set_echo(bench->console, was_on);
    tcgetattr(STDIN_FILENO, &after);
    (void)console_set_echo(bench->console, false);
    uv_console_destroy(bench->console);
    bench->console = NULL;

    assert_true(was_on);
    assert_true(was_off);
    assert_int_equal(silent.c_lflag, before.c_lflag & ~(tcflag_t)(ECHO | ICANON));
    assert_int_equal(silent.c_iflag, before.c_iflag & ~(tcflag_t)ICRNL);
    assert_int_equal(after.c_lflag, before.c_lflag);
    tcgetattr(STDIN_FILENO, &after);
    assert_int_equal(after.c_lflag, before.c_lflag);
    close(person);
}

static void knows_the_size_of_the_terminal(void **state)
{
    struct bench *bench = *state;
    int person = sit_at_a_terminal(133);
    fflush(stdout);
    dup2(STDIN_FILENO, STDOUT_FILENO);
    unsigned wide = console_columns(bench->console), high = console_rows(bench->console);
    ioctl(person, TIOCSWINSZ, &(struct winsize){ .ws_col = 40 });
    unsigned narrow = console_columns(bench->console), unknown = console_rows(bench->console);
    put_back(bench, STDOUT_FILENO);

    assert_int_equal(wide, 133);
    assert_int_equal(narrow, 40);
    assert_int_equal(high, 31);
    assert_int_equal(unknown, 24);
    close(person);
}

static void assumes_80_columns_without_a_terminal(void **state)
{
    struct bench *bench = *state;
    int null = open("/dev/null", O_RDWR);
    fflush(stdout);
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
    unsigned width = console_columns(bench->console);
    bool terminal = console_is_terminal(bench->console, CONSOLE_OUT);
    for (int fd = 0; fd < 3; fd++)
        put_back(bench, fd);
    close(null);

    assert_int_equal(width, 80);
    assert_false(terminal);
}

static void writes_nothing_more_once_the_reader_is_gone(void **state)
{
    struct bench *bench = *state;
    int ends[2], others[2];
    char late[8] = "";
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pipe(others), 0);
    close(ends[0]);
    replace(STDERR_FILENO, ends[1]);
    bool first = console_write(bench->console, CONSOLE_ERR, "a", 1);
    replace(STDERR_FILENO, others[1]);
    bool second = console_write(bench->console, CONSOLE_ERR, "b", 1);
    put_back(bench, STDERR_FILENO);

    ssize_t n = read(others[0], late, sizeof late);

    close(others[0]);
    assert_false(first);
    assert_false(second);
    assert_int_equal(n, 0);
    assert_false(console_write(bench->console, CONSOLE_IN, "c", 1));
}

struct reader {
    int fd;
    size_t bytes;
};

static void read_slowly(void *argument)
{
    struct reader *reader = argument;
    static char bytes[4096];
    ssize_t n;
    while ((n = read(reader->fd, bytes, sizeof bytes)) > 0)
        reader->bytes += (size_t)n;
}

static void writes_all_of_it_though_the_stream_does_not_block(void **state)
{
    struct bench *bench = *state;
    static const char much[500000];
    int ends[2];
    uv_thread_t thread;
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    struct reader reader = { .fd = ends[0] };
    uv_thread_create(&thread, read_slowly, &reader);
    replace(STDERR_FILENO, ends[1]);

    bool written = console_write(bench->console, CONSOLE_ERR, much, sizeof much);

    put_back(bench, STDERR_FILENO);
    uv_thread_join(&thread);
    close(ends[0]);
    assert_true(written);
    assert_int_equal(reader.bytes, sizeof much);
}

static void on_interrupted(void *context)
{
    struct bench *bench = context;
    bench->interrupts++;
    completion_complete(&bench->interrupted);
}

static enum err_code interrupt_myself(struct runtime *port, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    (void)port;
    console_on_interrupt(bench->console, on_interrupted, bench);
    raise(SIGINT);
    bench->code = completion_await(&bench->interrupted, scope, NULL);
    console_on_interrupt(bench->console, NULL, NULL);
    return ERR_NONE;
}

static enum err_code resize_the_terminal(struct runtime *port, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    (void)port;
    console_on_resize(bench->console, on_interrupted, bench);
    raise(SIGWINCH);
    bench->code = completion_await(&bench->interrupted, scope, NULL);
    console_on_resize(bench->console, NULL, NULL);
    return ERR_NONE;
}

static void tells_of_another_size_while_somebody_listens(void **state)
{
    struct bench *bench = *state;
    struct sigaction action;

    run_for(bench, PATIENCE_MS, resize_the_terminal);

    sigaction(SIGWINCH, NULL, &action);
    assert_int_equal(bench->code, ERR_NONE);
    assert_int_equal(bench->interrupts, 1);
    assert_ptr_equal(action.sa_handler, SIG_DFL);
}

static void tells_of_an_interrupt_while_somebody_listens(void **state)
{
    struct bench *bench = *state;
    struct sigaction action;

    run_for(bench, PATIENCE_MS, interrupt_myself);

    sigaction(SIGINT, NULL, &action);
    assert_int_equal(bench->code, ERR_NONE);
    assert_int_equal(bench->interrupts, 1);
    assert_ptr_equal(action.sa_handler, SIG_DFL);
}

static void on_asked(void *context, int number)
{
    struct bench *bench = context;
    bench->interrupts += number == SIGTERM;
    completion_complete(&bench->interrupted);
}

static enum err_code terminate_myself(struct runtime *port, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    (void)port;
    signal(SIGHUP, SIG_IGN);
    struct end_signals *signals = end_signals_create(bench->runtime, on_asked, bench);
    raise(SIGHUP);
    raise(SIGTERM);
    bench->code = completion_await(&bench->interrupted, scope, NULL);
    end_signals_destroy(signals);
    signal(SIGHUP, SIG_DFL);
    return ERR_NONE;
}

static void tells_that_it_is_asked_to_end_unless_that_is_ignored(void **state)
{
    struct bench *bench = *state;

    run_for(bench, PATIENCE_MS, terminate_myself);

    assert_int_equal(bench->code, ERR_NONE);
    assert_int_equal(bench->interrupts, 1);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(reads_a_pipe_to_its_end),
        T(waits_for_what_is_written_later),
        T(reads_a_file_to_its_end),
        T(reads_nothing_from_the_null_device_and_from_a_closed_stream),
        T(ends_a_read_with_its_scope),
        T(reads_a_line_of_a_terminal_and_leaves_it_blocking),
        T(drops_what_was_typed_before_a_question),
        T(keeps_the_end_of_input_that_was_typed_before_a_question),
        T(leaves_what_a_pipe_has),
        T(gives_the_terminal_back_in_its_old_mode),
        T(keeps_what_is_typed_as_it_came_until_it_may_be_shown),
        T(knows_the_size_of_the_terminal),
        T(assumes_80_columns_without_a_terminal),
        T(writes_nothing_more_once_the_reader_is_gone),
        T(writes_all_of_it_though_the_stream_does_not_block),
        T(tells_of_an_interrupt_while_somebody_listens),
        T(tells_of_another_size_while_somebody_listens),
        T(tells_that_it_is_asked_to_end_unless_that_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
