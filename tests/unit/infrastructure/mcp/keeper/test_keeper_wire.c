#include "domain/base/json.h"
#include "infrastructure/mcp/keeper/keeper_wire.h"
#include "infrastructure/runtime/descriptor.h"
#include "tests/support/cmocka.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct ends {
    int a, b;
};

static struct ends pair(void)
{
    int both[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both), 0);
    return (struct ends){ both[0], both[1] };
}

static void close_both(struct ends *ends)
{
    descriptor_close(&ends->a);
    descriptor_close(&ends->b);
}

static void a_message_arrives_with_its_three_pipes(void **state)
{
    (void)state;
    struct ends ends = pair();
    json_auto_t *sent = json_pack("{s:i}", "pid", 7), *came = NULL;
    int pipes[KEEPER_PIPES], out[KEEPER_PIPES] = { 0, 1, 2 };
    assert_int_equal(keeper_send(ends.a, sent, out, NULL), ERR_NONE);
    assert_true(keeper_receive(ends.b, &came, pipes, NULL));
    assert_true(json_equal(sent, came));
    for (int i = 0; i < KEEPER_PIPES; i++) {
        assert_true(pipes[i] > 2);
        assert_true(fcntl(pipes[i], F_GETFD) & FD_CLOEXEC);
        descriptor_close(&pipes[i]);
    }
    close_both(&ends);
}

static void a_message_without_pipes_brings_none(void **state)
{
    (void)state;
    struct ends ends = pair();
    json_auto_t *sent = json_pack("{s:b}", "stop", 1), *came = NULL;
    int pipes[KEEPER_PIPES];
    assert_int_equal(keeper_send(ends.a, sent, NULL, NULL), ERR_NONE);
    assert_true(keeper_receive(ends.b, &came, pipes, NULL));
    for (int i = 0; i < KEEPER_PIPES; i++)
        assert_int_equal(pipes[i], -1);
    close_both(&ends);
}

static int send_with(int fd, const char *text, size_t n_descriptors)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * 8)];
    } control = { 0 };
    union {
        const char *in;
        char *out; /* sendmsg does not change it */
    } both = { .in = text };
    struct iovec all = { .iov_base = both.out, .iov_len = strlen(text) };
    struct msghdr packet = { .msg_iov = &all,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(sizeof(int) * n_descriptors) };
    struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * n_descriptors);
    for (size_t i = 0; i < n_descriptors; i++)
        memcpy(CMSG_DATA(header) + i * sizeof(int), &(int){ 0 }, sizeof(int));
    return (int)sendmsg(fd, &packet, 0);
}

static int next_descriptor(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

static void too_few_or_too_many_pipes_are_none_and_none_stays_open(void **state)
{
    (void)state;
    static const size_t numbers[] = { 1, 2, 4, 8 };
    struct ends ends = pair();
    int before = next_descriptor(), pipes[KEEPER_PIPES];
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++) {
        json_t *came = NULL;
        assert_true(send_with(ends.a, "{}", numbers[i]) > 0);
        if (keeper_receive(ends.b, &came, pipes, NULL))
            assert_int_equal(pipes[0], -1);
        json_decref(came);
        assert_int_equal(next_descriptor(), before);
    }
    close_both(&ends);
}

static void what_is_no_json_or_nothing_at_all_is_no_message(void **state)
{
    (void)state;
    struct ends ends = pair();
    json_t *came = NULL;
    int pipes[KEEPER_PIPES];
    bool again = false;
    assert_int_equal(send(ends.a, "{\"open\":", 8, 0), 8);
    assert_false(keeper_receive(ends.b, &came, pipes, &again));
    assert_false(again);
    assert_int_equal(fcntl(ends.b, F_SETFL, O_NONBLOCK), 0);
    assert_false(keeper_receive(ends.b, &came, pipes, &again));
    assert_true(again);
    descriptor_close(&ends.a);
    assert_false(keeper_receive(ends.b, &came, pipes, &again));
    assert_false(again);
    assert_null(came);
    close_both(&ends);
}

static void a_message_has_a_bound(void **state)
{
    (void)state;
    struct ends ends = pair();
    for (int over = 0; over < 2; over++) {
        size_t length = KEEPER_MAX_PACKET_BYTES - strlen("{\"a\":\"\"}") + (size_t)over;
        char *text = malloc(length + 1);
        assert_non_null(text);
        memset(text, 'x', length);
        text[length] = '\0';
        json_auto_t *sent = json_pack("{s:s}", "a", text), *came = NULL;
        int pipes[KEEPER_PIPES];
        assert_int_equal(keeper_send(ends.a, sent, NULL, NULL), over ? ERR_LIMIT : ERR_NONE);
        if (!over)
            assert_true(keeper_receive(ends.b, &came, pipes, NULL));
        free(text);
    }
    close_both(&ends);
}

static void a_folder_that_others_can_enter_is_refused(void **state)
{
    (void)state;
    char folder[] = "/tmp/mistro-keeper.XXXXXX";
    struct err err = { 0 };
    int fd = -1;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(keeper_connect(folder, 100, &fd, &err), ERR_NOT_FOUND);
    assert_int_equal(chmod(folder, 0711), 0);
    assert_int_equal(keeper_connect(folder, 100, &fd, &err), ERR_DENIED);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(keeper_connect(folder, 100, &fd, &err), ERR_NOT_FOUND);
}

static void who_connects_reaches_who_listens_however_long_the_path_is(void **state)
{
    (void)state;
    char folder[400] = "/tmp/mistro-keeper.XXXXXX";
    assert_non_null(mkdtemp(folder));
    size_t length = strlen(folder);
    memset(folder + length, 'x', 250);
    folder[length] = '/';
    folder[length + 250] = '\0';
    assert_int_equal(mkdir(folder, 0700), 0);
    int at = -1, listening = -1, fd = -1;
    assert_int_equal(keeper_folder_open(folder, &at, NULL), ERR_NONE);
    assert_int_equal(keeper_listen(at, &listening, NULL), ERR_NONE);
    assert_int_equal(keeper_connect(folder, 100, &fd, NULL), ERR_NONE);
    assert_true(keeper_peer_is_ours(fd));
    descriptor_close(&fd);
    descriptor_close(&listening);
    assert_int_equal(keeper_connect(folder, 100, &fd, NULL), ERR_NOT_FOUND);
    keeper_unlisten(at);
    descriptor_close(&at);
    assert_int_equal(rmdir(folder), 0);
    folder[length] = '\0';
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_with_its_three_pipes),
        cmocka_unit_test(a_message_without_pipes_brings_none),
        cmocka_unit_test(too_few_or_too_many_pipes_are_none_and_none_stays_open),
        cmocka_unit_test(what_is_no_json_or_nothing_at_all_is_no_message),
        cmocka_unit_test(a_message_has_a_bound),
        cmocka_unit_test(a_folder_that_others_can_enter_is_refused),
        cmocka_unit_test(who_connects_reaches_who_listens_however_long_the_path_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
