#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void the_first_of_them_is_named_and_all_are_counted(void **state)
{
    static const struct {
        const char *a, *b, *path;
        size_t count;
    } rows[] = {
        { "{\"x\":1,\"y\":[1,2]}", "{\"y\":[1,2],\"x\":1}", NULL, 0 },
        { "{\"x\":1,\"y\":[1,2]}", "{\"x\":1,\"y\":[1,3]}", "/y/1", 1 },
        { "{\"y\":[1]}", "{\"y\":[1,2,3]}", "/y/1", 2 },
        { "{\"a/b\":{\"~\":1}}", "{\"a/b\":{\"~\":2}}", "/a~1b/~0", 1 },
        { "{\"a\":1,\"b\":2}", "{\"b\":3,\"c\":4}", "/a", 3 },
        { "{\"a\":1}", "{\"a\":1,\"c\":4}", "/c", 1 },
        { "[1]", "{}", "", 1 },
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        AUTO(arena) arena = { 0 };
        json_t *a = NULL, *b = NULL;
        size_t count = 99;
        assert_int_equal(json_parse(rows[i].a, strlen(rows[i].a), JSON_OURS, &a, NULL), ERR_NONE);
        assert_int_equal(json_parse(rows[i].b, strlen(rows[i].b), JSON_OURS, &b, NULL), ERR_NONE);
        const char *path = json_difference(&arena, a, b, &count);
        assert_int_equal(count, rows[i].count);
        assert_true(path ? rows[i].path && strcmp(path, rows[i].path) == 0 : !rows[i].path);
        json_decref(a);
        json_decref(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_them_is_named_and_all_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
