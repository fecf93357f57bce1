/* Children: what they are born with, and what is written to them and read of them. */
#include "tests/integration/process_talk.h"
#include "tests/support/cmocka.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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
    /* The child ends by itself: how fast it does is the machine's affair. */
    talk->options.close_wait_ms = 10000;

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
        T(ends_a_child_by_closing_its_input),
        T(refuses_to_queue_more_than_the_bound_for_a_child_that_does_not_read),
        T(says_that_a_dead_child_does_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
