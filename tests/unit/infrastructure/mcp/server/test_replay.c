/* Events kept for streams that are resumed: how many and how much of one session, and of all. */
#include "infrastructure/mcp/server/replay.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

#define N_SESSIONS (REPLAY_STORE_BYTES / REPLAY_SESSION_BYTES)

/* Keeps an event that counts as so many bytes. */
static void keep(struct replay *replay, int64_t number, size_t size)
{
    size_t length = size - sizeof(struct replay_event) - 1;
    char *text = calloc(1, length + 1);
    assert_non_null(text);
    memset(text, 'x', length);
    replay_keep(replay, 0, number, text);
    free(text);
}

static void a_session_keeps_so_many_events_and_drops_the_oldest_for_one_more(void **state)
{
    struct replay_store store = { 0 };
    struct replay replay;
    (void)state;
    replay_init(&replay, &store, 2);
    replay_keep(&replay, 0, 1, "a");
    replay_keep(&replay, 0, 2, "b");
    assert_string_equal(replay.first->text, "a");
    replay_keep(&replay, 7, 3, "c");
    assert_int_equal(replay.n, 2);
    assert_string_equal(replay.first->text, "b");
    assert_int_equal(replay.first->next->stream, 7);
    replay_finish(&replay);
    assert_int_equal(store.bytes, 0);
    assert_null(store.sessions);
}

static void a_session_keeps_so_many_bytes_and_nothing_that_is_larger(void **state)
{
    struct replay_store store = { 0 };
    struct replay replay;
    (void)state;
    replay_init(&replay, &store, 100);
    keep(&replay, 1, REPLAY_SESSION_BYTES / 2);
    keep(&replay, 2, REPLAY_SESSION_BYTES / 2);
    assert_int_equal(replay.n, 2);
    keep(&replay, 3, 100);
    assert_int_equal(replay.first->number, 2);
    keep(&replay, 4, REPLAY_SESSION_BYTES + 1);
    assert_int_equal(replay.n, 2);
    keep(&replay, 5, REPLAY_SESSION_BYTES);
    assert_int_equal(replay.n, 1);
    replay_finish(&replay);
}

static void none_are_kept_where_none_may_be(void **state)
{
    struct replay_store store = { 0 };
    struct replay replay;
    (void)state;
    replay_init(&replay, &store, 0);
    replay_keep(&replay, 0, 1, "a");
    assert_int_equal(replay.n, 0);
    replay_finish(&replay);
}

static void beyond_what_all_may_keep_the_largest_session_loses_its_oldest(void **state)
{
    struct replay_store store = { 0 };
    struct replay large[N_SESSIONS], small;
    (void)state;
    replay_init(&small, &store, 100);
    keep(&small, 1, 1000);
    for (size_t i = 0; i < N_SESSIONS; i++) {
        replay_init(&large[i], &store, 100);
        keep(&large[i], 1, 2000);
        keep(&large[i], 2, REPLAY_SESSION_BYTES - 2000 - (i == 3 ? 1000 : 0));
    }
    assert_int_equal(store.bytes, REPLAY_STORE_BYTES);
    assert_int_equal(large[0].n + large[3].n + small.n, 5);

    keep(&small, 2, 100); /* one more than fits */

    assert_int_equal(store.bytes, REPLAY_STORE_BYTES - 2000 + 100);
    assert_int_equal(small.n, 2);
    assert_int_equal(large[3].n, 2);
    replay_finish(&small);
    for (size_t i = 0; i < N_SESSIONS; i++)
        replay_finish(&large[i]);
    assert_int_equal(store.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_keeps_so_many_events_and_drops_the_oldest_for_one_more),
        cmocka_unit_test(a_session_keeps_so_many_bytes_and_nothing_that_is_larger),
        cmocka_unit_test(none_are_kept_where_none_may_be),
        cmocka_unit_test(beyond_what_all_may_keep_the_largest_session_loses_its_oldest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
