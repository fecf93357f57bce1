#include "infrastructure/postgres/postgres_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/contracts/pin_repository_contract.h"
#include "tests/support/full/postgres/postgres_server.h"
#include "tests/support/full/postgres/postgres_subject.h"

#define ID PIN_CONTRACT_ID

static struct postgres_subject subject;

static void *connect_person(struct postgres_subject *s)
{
    return postgres_pins_create(s->db, "ada");
}

static int setup(void **state)
{
    return pin_fixture_open(state, &subject.uv.base);
}

static void pins_of_another_person_are_not_seen(void **state)
{
    struct pin_fixture *f = *state;
    struct pins_head head;
    assert_int_equal(pin_save(f, ID, 0, "f", pin_examples, 2), ERR_NONE);
    postgres_server_run("UPDATE mistro.pins SET person = 'bob'");
    assert_int_equal(pin_look(f, ID, &head), ERR_NONE);
    assert_int_equal(head.revision, 0);
}

static void trusts_nothing_anew_because_a_row_is_damaged(void **state)
{
    struct pin_fixture *f = *state;
    struct pins_head head;
    struct pins pins;
    assert_int_equal(pin_save(f, ID, 0, "f", pin_examples, 2), ERR_NONE);
    postgres_server_run("UPDATE mistro.pins SET tools = 'x'");
    assert_int_equal(pin_load(f, ID, &pins), ERR_INVALID);
    postgres_server_run("UPDATE mistro.pins SET head = '{}' || chr(10)");
    assert_int_equal(pin_look(f, ID, &head), ERR_INVALID);
    assert_string_not_equal(f->err.hint, "");
    assert_int_equal(pin_save(f, ID, 0, "f", pin_examples, 2), ERR_MISMATCH);
}

static void takes_no_identity_that_is_not_a_hash(void **state)
{
    struct pin_fixture *f = *state;
    struct pins_head head;
    assert_int_equal(pin_look(f, "../approvals", &head), ERR_INVALID);
    assert_int_equal(pin_look(f, ID "0", &head), ERR_INVALID);
}

static void forgets_the_server_that_was_not_written_for_longest(void **state)
{
    struct pin_fixture *f = *state;
    struct pins_head head;
    assert_int_equal(pin_save(f, ID, 0, "f", pin_examples, 1), ERR_NONE);
    postgres_server_run("UPDATE mistro.pins SET written_at = '2000-01-01';"
                        "INSERT INTO mistro.pins SELECT 'ada', to_hex(i), 1, '', '', now()"
                        " FROM generate_series(1, 999) i");
    assert_int_equal(pin_look(f, ID, &head), ERR_NONE);
    assert_int_equal(head.revision, 1);
    assert_int_equal(pin_save(f, "ffff", 0, "f", pin_examples, 1), ERR_NONE);
    assert_int_equal(pin_look(f, ID, &head), ERR_NONE);
    assert_int_equal(head.revision, 0);
    assert_int_equal(pin_look(f, "ffff", &head), ERR_NONE);
    assert_int_equal(head.revision, 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, pin_fixture_close)
    const struct CMUnitTest tests[] = {
        T(pins_of_another_person_are_not_seen),
        T(trusts_nothing_anew_because_a_row_is_damaged),
        T(takes_no_identity_that_is_not_a_hash),
        T(forgets_the_server_that_was_not_written_for_longest),
    };
#undef T
    subject = postgres_subject(connect_person);
    return run_pin_repository_contract(&subject.uv.base) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
