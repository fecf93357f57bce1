#include "application/use_cases/tools/read_resource.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <stdlib.h>
#include <string.h>

#define TEXT(text) "{\"contents\":[{\"uri\":\"a:1\",\"text\":\"" text "\"}]}"

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_tool_server *server;
    struct scope scope;
    struct err err;
    size_t n_told, enough;
    const char *update; /* told by the server while the first reading is shown; NULL: none */
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->runtime = immediate_runtime();
    b->scope.deadline_ms = 5000;
    b->enough = 100;
    fake_services_init(&b->services, &b->runtime.port, SOURCE_DIR);
    b->server = fake_services_add_server(&b->services, "notes", "[]");
    b->server->offered[OFFERING_RESOURCE] = "[{\"uri\":\"a:1\"}]";
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    fake_services_finish(&b->services);
    free(b);
    return 0;
}

static void give(struct bench *b, const char *then)
{
    fake_tool_server_offer(b->server, (struct fake_offering_reply){ .kind = OFFERING_RESOURCE,
                                                                    .key = "a:1",
                                                                    .result = TEXT("one"),
                                                                    .then = then });
}

static bool on_content(void *context, const struct offering_result *content)
{
    struct bench *b = context;
    (void)content;
    if (++b->n_told == 1 && b->update)
        fake_tool_server_update(b->server, *b->update ? b->update : NULL);
    return b->n_told < b->enough;
}

static enum err_code watch(struct bench *b, const char *server, const char *uri)
{
    const struct resource_watch wanted = {
        .server = server, .uri = uri, .on_content = on_content, .context = b
    };
    return watch_resource(&b->services.base, &b->scope, &wanted, &b->err);
}

static void tells_what_it_holds_and_what_it_holds_then(void **state)
{
    struct bench *b = *state;
    give(b, TEXT("two"));
    b->enough = 2;
    assert_int_equal(watch(b, "notes", "a:1"), ERR_NONE);
    assert_int_equal(b->n_told, 2);
    assert_null(b->server->listener.on_resource_updated);
}

static void goes_on_until_its_time_is_over(void **state)
{
    struct bench *b = *state;
    give(b, NULL);
    assert_int_equal(watch(b, "notes", "a:1"), ERR_TIMEOUT);
    assert_int_equal(b->n_told, 1);
}

static void tells_the_same_again_when_the_server_says_that_it_changed(void **state)
{
    struct bench *b = *state;
    give(b, NULL);
    b->update = "a:1/below";
    assert_int_equal(watch(b, "notes", "a:1"), ERR_TIMEOUT);
    assert_int_equal(b->n_told, 2);
}

static void tells_nothing_when_something_may_have_been_missed_and_was_not(void **state)
{
    struct bench *b = *state;
    give(b, NULL);
    b->update = "";
    assert_int_equal(watch(b, "notes", "a:1"), ERR_TIMEOUT);
    assert_int_equal(b->n_told, 1);
    assert_int_equal(b->server->n_watched, 2);
}

static void fails_where_there_is_nothing_to_watch(void **state)
{
    struct bench *b = *state;
    give(b, NULL);
    assert_int_equal(watch(b, "nots", "a:1"), ERR_NOT_FOUND);
    assert_int_equal(watch(b, "notes", "a:2"), ERR_NOT_FOUND);
    b->server->watch_fails = ERR_UNAVAILABLE;
    assert_int_equal(watch(b, "notes", "a:1"), ERR_UNAVAILABLE);
    assert_int_equal(b->n_told, 0);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(tells_what_it_holds_and_what_it_holds_then),
        TEST(goes_on_until_its_time_is_over),
        TEST(tells_the_same_again_when_the_server_says_that_it_changed),
        TEST(tells_nothing_when_something_may_have_been_missed_and_was_not),
        TEST(fails_where_there_is_nothing_to_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
