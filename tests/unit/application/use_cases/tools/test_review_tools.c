#include "application/use_cases/tools/review_tools.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/service_bench.h"
#include <string.h>

#define SCHEMA "\"inputSchema\":{\"type\":\"object\"}"
#define SEARCH(description) "{\"name\":\"search\",\"description\":\"" description "\"," SCHEMA "}"
#define LOOK "{\"name\":\"look\",\"annotations\":{\"readOnlyHint\":true}," SCHEMA "}"

static int set_up(void **state)
{
    static const struct server_config config = { .name = "web", .enabled = true };
    struct service_bench *bench = service_bench_create("web", "[" SEARCH("Searches.") "]");
    bench->services.settings.servers = &config;
    bench->services.settings.n_servers = 1;
    *state = bench;
    return 0;
}

static void review(struct service_bench *bench, struct tool_review *out)
{
    static const struct review_request everything = { 0 };
    assert_int_equal(review_tools(&bench->services.base, &bench->scope, &bench->arena, &everything,
                                  out, &bench->err),
                     ERR_NONE);
}

static void says_which_tools_may_be_repeated_once_they_are_approved(void **state)
{
    struct service_bench *bench = *state;
    struct tool_review before, after;
    AUTO(buf) shown;
    buf_init(&shown, 4096);
    review(bench, &before);
    assert_int_equal(before.n_servers, 0);
    tool_review_finish(&before);

    fake_tool_server_redefine(bench->server, "[" SEARCH("Changed.") "," LOOK "]");
    review(bench, &after);
    assert_int_equal(after.n_servers, 1);
    assert_true(reviewed_server_print(&shown, &after.servers[0]));
    json_auto_t *json = reviewed_server_to_json(&after.servers[0]);
    assert_int_equal(reviewed_server_approve(&bench->services.base, &bench->scope, &bench->arena,
                                             &after.servers[0], &bench->err),
                     ERR_NONE);
    tool_review_finish(&after);

    const char *said = strstr(buf_string(&shown), "it says that it only reads: once approved");
    assert_non_null(said);
    assert_true(said > strstr(buf_string(&shown), "web/look"));
    assert_null(strstr(said + 1, "it says that it only reads"));
    const json_t *tools = json_object_get(json, "tools");
    assert_true(json_is_false(json_object_get(json_array_get(tools, 0), "repeat")));
    assert_true(json_is_true(json_object_get(json_array_get(tools, 1), "repeat")));
    json_t *approved = bench->services.approvals.approved;
    assert_int_equal(json_object_size(approved), 1);
    const char *key = json_object_iter_key(json_object_iter(approved));
    assert_non_null(strstr(key, APPROVAL_OF_REPEATING " "));
    assert_non_null(strstr(key, "/look "));
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, service_bench_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(says_which_tools_may_be_repeated_once_they_are_approved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
