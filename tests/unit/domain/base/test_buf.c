#include "domain/base/buf.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void is_an_empty_string_before_anything_is_appended(void **state)
{
    (void)state;
    AUTO(buf) buf;
    buf_init(&buf, 10);
    assert_string_equal(buf_string(&buf), "");
    buf_clear(&buf);
    buf_consume(&buf, 0);
    auto_str taken = buf_take(&buf);
    assert_string_equal(taken, "");
}

static void takes_its_maximum_and_not_one_byte_more(void **state)
{
    (void)state;
    AUTO(buf) buf;
    buf_init(&buf, 4);
    assert_true(buf_puts(&buf, "abcd"));
    assert_false(buf_append(&buf, "e", 1));
    assert_false(buf_printf(&buf, "%d", 1));
    assert_false(buf_reserve(&buf, SIZE_MAX));
    assert_true(buf_append(&buf, "", 0));
    assert_string_equal(buf_string(&buf), "abcd");
}

static void grows_in_pieces(void **state)
{
    (void)state;
    AUTO(buf) buf;
    buf_init(&buf, 100000);
    for (int i = 0; i < 1000; i++)
        assert_true(buf_printf(&buf, "%03d ", i));
    assert_int_equal(buf.length, 4000);
    assert_memory_equal(buf.bytes + 3996, "999 ", 5);
}

static void reserved_room_is_written_in_place(void **state)
{
    (void)state;
    AUTO(buf) buf;
    buf_init(&buf, 10);
    assert_true(buf_reserve(&buf, 3));
    memcpy(buf.bytes, "xyz", 3);
    buf.length += 3;
    buf_terminate(&buf);
    assert_string_equal(buf_string(&buf), "xyz");
}

static void forgets_from_the_front_and_as_a_whole(void **state)
{
    (void)state;
    AUTO(buf) buf;
    buf_init(&buf, 10);
    assert_true(buf_puts(&buf, "abcdef"));
    buf_consume(&buf, 4);
    assert_string_equal(buf_string(&buf), "ef");
    buf_clear(&buf);
    assert_string_equal(buf_string(&buf), "");
    assert_true(buf_puts(&buf, "0123456789"));
}

static void gives_its_content_away(void **state)
{
    (void)state;
    AUTO(buf) buf;
    buf_init(&buf, 10);
    assert_true(buf_puts(&buf, "mine"));
    auto_str taken = buf_take(&buf);
    assert_string_equal(taken, "mine");
    assert_string_equal(buf_string(&buf), "");
    assert_true(buf_puts(&buf, "new"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_an_empty_string_before_anything_is_appended),
        cmocka_unit_test(takes_its_maximum_and_not_one_byte_more),
        cmocka_unit_test(grows_in_pieces),
        cmocka_unit_test(reserved_room_is_written_in_place),
        cmocka_unit_test(forgets_from_the_front_and_as_a_whole),
        cmocka_unit_test(gives_its_content_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
