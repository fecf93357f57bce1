
#include "infrastructure/mcp/oauth/store/keyring.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

static char text[KEYRING_MAX_BYTES + 2];

static int leave_the_session(void **state)
{
    (void)state;
    unsetenv("DBUS_SESSION_BUS_ADDRESS");
    return setenv("XDG_RUNTIME_DIR", "/nowhere/at/all", 1);
}

static void starts_no_bus_where_there_is_none(void **state)
{
    AUTO(buf) found = { 0 };
    struct err err;
    (void)state;
    buf_init(&found, KEYRING_MAX_BYTES);
    assert_int_equal(keyring_read("/h/logins", &found, &err), ERR_UNAVAILABLE);
    assert_string_equal(err.message, "keyring: there is no session bus");
    assert_int_equal(keyring_remove("/h/logins", &err), ERR_UNAVAILABLE);
}

static void takes_no_more_than_its_bound(void **state)
{
    struct err err;
    (void)state;
    memset(text, 'x', KEYRING_MAX_BYTES);
    assert_int_equal(keyring_write("/h/logins", text, &err), ERR_UNAVAILABLE);
    text[KEYRING_MAX_BYTES] = 'x';
    assert_int_equal(keyring_write("/h/logins", text, &err), ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_no_bus_where_there_is_none),
        cmocka_unit_test(takes_no_more_than_its_bound),
    };
    return cmocka_run_group_tests(tests, leave_the_session, NULL);
}
