#include "domain/base/arena.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void blocks_are_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    unsigned char *blocks[200];
    for (size_t i = 0; i < 200; i++) {
        blocks[i] = arena_alloc(&arena, i);
        assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < i; j++)
            assert_int_equal(blocks[i][j], 0);
        memset(blocks[i], (int)i, i);
    }
    for (size_t i = 1; i < 200; i++)
        assert_int_equal(blocks[i][i - 1], i);
    assert_int_equal(arena.bytes, 199 * 200 / 2);
}

static void takes_blocks_larger_than_a_chunk(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    char *large = arena_alloc(&arena, 1000000);
    char *small = arena_alloc(&arena, 10);
    large[999999] = 'x';
    small[9] = 'y';
    assert_int_equal(large[0], 0);
}

static void copies_and_prints_strings(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_null(arena_strdup(&arena, NULL));
    assert_string_equal(arena_strdup(&arena, "abc"), "abc");
    assert_string_equal(arena_strndup(&arena, "abc", 2), "ab");
    assert_string_equal(arena_strndup(&arena, NULL, 0), "");
    assert_string_equal(arena_printf(&arena, "%s-%d", "a", 7), "a-7");
}

static void prints_short_and_long_strings_whole(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    for (size_t length = 250; length < 260; length++) {
        const char *text = arena_printf(&arena, "%*d", (int)length, 7);
        assert_int_equal(strlen(text), length);
        assert_int_equal(text[length - 1], '7');
    }
    assert_string_equal(arena_printf(&arena, "%s", ""), "");
}

static void keeps_json_values_until_the_end(void **state)
{
    (void)state;
    struct arena arena = { 0 };
    json_t *value = json_object();
    json_incref(value);
    assert_ptr_equal(arena_keep_json(&arena, value), value);
    assert_null(arena_keep_json(&arena, NULL));
    assert_int_equal(value->refcount, 2);
    arena_finish(&arena);
    assert_int_equal(value->refcount, 1);
    json_decref(value);
}

static void arrays_grow_and_keep_their_elements(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    int *list = NULL;
    size_t n = 0, capacity = 0;
    for (int i = 0; i < 100; i++)
        *arena_push(&arena, list, n, capacity) = i;
    assert_int_equal(n, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(list[i], i);
}

static void is_usable_again_after_the_end(void **state)
{
    (void)state;
    struct arena arena = { 0 };
    arena_finish(&arena);
    arena_alloc(&arena, 10);
    arena_finish(&arena);
    assert_int_equal(arena.bytes, 0);
    assert_string_equal(arena_strdup(&arena, "again"), "again");
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_aligned_and_apart),
        cmocka_unit_test(takes_blocks_larger_than_a_chunk),
        cmocka_unit_test(copies_and_prints_strings),
        cmocka_unit_test(prints_short_and_long_strings_whole),
        cmocka_unit_test(keeps_json_values_until_the_end),
        cmocka_unit_test(arrays_grow_and_keep_their_elements),
        cmocka_unit_test(is_usable_again_after_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
