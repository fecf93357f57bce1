
#include "domain/base/base64.h"
#include "tests/support/cmocka.h"

static void writes_base64_in_both_alphabets(void **state)
{
    struct arena arena = { 0 };
    (void)state;
    assert_string_equal(base64_text(&arena, "", 0), "");
    assert_string_equal(base64_text(&arena, "a", 1), "YQ==");
    assert_string_equal(base64_text(&arena, "ab", 2), "YWI=");
    assert_string_equal(base64_text(&arena, "abc", 3), "YWJj");
    assert_string_equal(base64_text(&arena, "\xFB\xFF\xFE", 3), "+//+");
    assert_string_equal(base64url_text(&arena, "\xFB\xFF\xFE", 3), "-__-");
    assert_string_equal(base64url_text(&arena, "a", 1), "YQ");
    arena_finish(&arena);
}

static void appends_as_much_as_a_buffer_may_hold(void **state)
{
    struct buf buf;
    (void)state;
    buf_init(&buf, 8);
    assert_true(base64_append(&buf, "abc", 3));
    assert_true(base64_append(&buf, "a", 1));
    assert_string_equal(buf_string(&buf), "YWJjYQ==");
    assert_false(base64_append(&buf, "a", 1));
    assert_string_equal(buf_string(&buf), "YWJjYQ==");
    buf_finish(&buf);
}

static void decodes_with_blanks_and_refuses_what_is_none(void **state)
{
    size_t n = 0;
    (void)state;
    auto_str decoded = base64_decode("aGVs\nbG8=", &n);
    assert_int_equal(n, 5);
    assert_memory_equal(decoded, "hello", 5);
    auto_str odd = base64_decode("+//+", &n);
    assert_int_equal(n, 3);
    assert_memory_equal(odd, "\xFB\xFF\xFE", 3);
    assert_null(base64_decode("a*b", &n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_base64_in_both_alphabets),
        cmocka_unit_test(appends_as_much_as_a_buffer_may_hold),
        cmocka_unit_test(decodes_with_blanks_and_refuses_what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
