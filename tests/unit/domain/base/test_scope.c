#include "domain/base/scope.h"
#include "tests/support/cmocka.h"

static void a_child_ends_no_later_than_its_parent(void **state)
{
    (void)state;
    struct scope outer = { .deadline_ms = 100 };
    struct scope later = scope_child(&outer, 200), earlier = scope_child(&outer, 50);
    assert_int_equal(scope_deadline(&later), 100);
    assert_int_equal(scope_deadline(&earlier), 50);
    assert_true(scope_deadline(NULL) == SCOPE_NO_DEADLINE);
}

static void time_is_up_at_the_deadline_and_not_before(void **state)
{
    (void)state;
    struct scope scope = { .deadline_ms = 100 };
    struct err err;
    assert_int_equal(scope_check(&scope, 99, &err), ERR_NONE);
    assert_int_equal(scope_check(&scope, 100, &err), ERR_TIMEOUT);
    assert_string_equal(err.message, "out of time");
}

static void cancelling_a_parent_cancels_its_children_and_not_its_siblings(void **state)
{
    (void)state;
    struct scope outer = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct scope one = scope_child(&outer, SCOPE_NO_DEADLINE);
    struct scope other = scope_child(&outer, SCOPE_NO_DEADLINE);
    struct scope inner = scope_child(&one, 0);
    one.cancelled = true;
    assert_int_equal(scope_check(&inner, 1, NULL), ERR_CANCELLED);
    assert_int_equal(scope_check(&other, 1, NULL), ERR_NONE);
}

static void knows_what_encloses_it(void **state)
{
    (void)state;
    struct scope outer = { 0 }, inner = scope_child(&outer, 0);
    assert_true(scope_is_within(&inner, &outer));
    assert_true(scope_is_within(&inner, &inner));
    assert_false(scope_is_within(&outer, &inner));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_ends_no_later_than_its_parent),
        cmocka_unit_test(time_is_up_at_the_deadline_and_not_before),
        cmocka_unit_test(cancelling_a_parent_cancels_its_children_and_not_its_siblings),
        cmocka_unit_test(knows_what_encloses_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
