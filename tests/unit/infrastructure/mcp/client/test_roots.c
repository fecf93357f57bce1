
#include "infrastructure/mcp/client/roots.h"
#include "tests/support/cmocka.h"

static void gives_folders_as_encoded_uris_with_their_last_part_as_name(void **state)
{
    static const char *const folders[] = { "/srv/my notes", "/a%b/ü?#", "/", "/x~y_z-1.2",
                                           "/\xff" };
    struct server_config config = { .roots = folders, .n_roots = 5 };
    AUTO(arena) arena = { 0 };
    (void)state;
    assert_string_equal(roots_result(&arena, &config),
                        "{\"roots\":[{\"uri\":\"file:///srv/my%20notes\",\"name\":\"my notes\"},"
                        "{\"uri\":\"file:///a%25b/%C3%BC%3F%23\",\"name\":\"ü?#\"},"
                        "{\"uri\":\"file:///\",\"name\":\"/\"},"
                        "{\"uri\":\"file:///x~y_z-1.2\",\"name\":\"x~y_z-1.2\"},"
                        "{\"uri\":\"file:///%FF\",\"name\":\"\\\\xff\"}]}");
}

static void tells_no_folders_apart_from_an_empty_list(void **state)
{
    static const char *const folders[] = { NULL };
    struct server_config without = { .roots = NULL }, empty = { .roots = folders };
    AUTO(arena) arena = { 0 };
    (void)state;
    assert_null(roots_result(&arena, &without));
    assert_string_equal(roots_result(&arena, &empty), "{\"roots\":[]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_folders_as_encoded_uris_with_their_last_part_as_name),
        cmocka_unit_test(tells_no_folders_apart_from_an_empty_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
