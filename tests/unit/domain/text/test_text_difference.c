#include "domain/base/buf.h"
#include "domain/text/text_difference.h"
#include "tests/support/cmocka.h"
#include <string.h>

/* The lines joined by '|', each behind its mark. */
static const char *differ(struct arena *arena, const char *before, const char *after)
{
    struct text_difference difference = text_difference(arena, before, after);
    const char *text = difference.is_same ? "=" : "";
    for (size_t i = 0; i < difference.n; i++)
        text = arena_printf(arena, "%s%s%c%.*s", text, i ? "|" : "", difference.lines[i].mark,
                            (int)difference.lines[i].length, difference.lines[i].text);
    return text;
}

static void tells_lines_that_are_gone_from_new_ones_and_those_that_stay(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(differ(&arena, "a\nb\nc", "a\nx\nc"), " a|-b|+x| c");
    assert_string_equal(differ(&arena, "a\nb", "b\na"), "-a| b|+a");
    assert_string_equal(differ(&arena, "a", "b\na\nc"), "+b| a|+c");
    assert_string_equal(differ(&arena, "a\nb\nc\nd", "a\nd"), " a|-b|-c| d");
    assert_string_equal(differ(&arena, "x\na\ny\nb\nz", "a\nq\nb"), "-x| a|-y|+q| b|-z");
}

static void knows_equal_texts(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(differ(&arena, "a\nb", "a\nb"), "= a| b");
    assert_string_equal(differ(&arena, NULL, NULL), "=");
    assert_string_equal(differ(&arena, "", ""), "= ");
}

static void takes_no_two_texts_for_the_same(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_string_equal(differ(&arena, "a", "a\n"), " a|+");
    assert_string_equal(differ(&arena, NULL, ""), "+");
    assert_string_equal(differ(&arena, "", NULL), "-");
    assert_string_equal(differ(&arena, NULL, "a"), "+a");
}

static char *numbered(struct arena *arena, char letter, unsigned n)
{
    struct buf text;
    buf_init(&text, SIZE_MAX);
    for (unsigned i = 0; i < n; i++)
        assert_true(buf_printf(&text, "%s%c%u", i ? "\n" : "", letter, i));
    char *copy = arena_strdup(arena, buf_string(&text));
    buf_finish(&text);
    return copy;
}

static void compares_so_many_lines_and_above_that_says_all_is_new(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *before = numbered(&arena, 'a', 1000);
    const char *at_bound = arena_printf(&arena, "b\n%s", numbered(&arena, 'a', 999));
    const char *above = arena_printf(&arena, "b\n%s\nc", numbered(&arena, 'a', 999));

    struct text_difference near = text_difference(&arena, before, at_bound);
    struct text_difference far = text_difference(&arena, before, above);

    assert_int_equal(near.n, 1001); /* one gone, one new, 999 stay */
    assert_int_equal(near.lines[0].mark, '+');
    assert_int_equal(near.lines[1].mark, ' ');
    assert_int_equal(far.n, 2001);
    assert_int_equal(far.lines[999].mark, '-');
    assert_int_equal(far.lines[1000].mark, '+');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_lines_that_are_gone_from_new_ones_and_those_that_stay),
        cmocka_unit_test(knows_equal_texts),
        cmocka_unit_test(takes_no_two_texts_for_the_same),
        cmocka_unit_test(compares_so_many_lines_and_above_that_says_all_is_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
