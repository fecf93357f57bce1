#include "application/tools/call_place.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include <stdio.h>
#include <string.h>

static char asked[PLACES_NAME_MAX + 1];
static unsigned asked_most;

static enum err_code take(struct places *places, struct scope *scope, const char *name,
                          unsigned most, struct place **out, struct err *err)
{
    (void)places, (void)scope, (void)out, (void)err;
    snprintf(asked, sizeof asked, "%s", name);
    asked_most = most;
    return ERR_NONE;
}

static void a_call_takes_a_place_of_its_server_where_the_settings_bound_it(void **state)
{
    (void)state;
    static const struct places_ops ops = { .take = take };
    struct places places = { &ops };
    const struct server_config servers[] = { { .name = "shop", .max_parallel = 3 },
                                             { .name = "free" } };
    struct settings settings = { .servers = servers, .n_servers = 2 };
    const struct services services = { .settings = &settings, .places = &places };
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct place *place;
    assert_int_equal(call_place_take(&services, &scope, "shop", &place, NULL), ERR_NONE);
    assert_string_equal(asked, "server shop");
    assert_int_equal(asked_most, 3);
    asked[0] = '\0';
    assert_int_equal(call_place_take(&services, &scope, "free", &place, NULL), ERR_NONE);
    assert_int_equal(call_place_take(&services, &scope, "files", &place, NULL), ERR_NONE);
    assert_string_equal(asked, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_takes_a_place_of_its_server_where_the_settings_bound_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
