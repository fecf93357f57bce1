#include "application/use_cases/log_in.h"
#include "application/use_cases/tools/list_servers.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <stdlib.h>
#include <string.h>

#define PAGE "https://as.example/authorize"

struct fake_browser {
    struct browser base;
    const char *opened;
    enum err_code fails;
    unsigned n;
};

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_tool_server *web;
    struct fake_browser browser;
    struct arena arena;
    struct scope scope;
    struct err err;
    const char *page;
    char no_browser[200];
    unsigned n_pages;
};

static enum err_code open_page(struct browser *base, struct scope *sc, const char *url,
                               struct err *err)
{
    struct fake_browser *browser = (struct fake_browser *)base;
    (void)sc;
    browser->n++;
    browser->opened = url;
    return browser->fails ? err_set(err, browser->fails, 0, "there is none") : ERR_NONE;
}

static int set_up(void **state)
{
    static const struct browser_ops ops = { .open = open_page };
    struct bench *b = calloc(1, sizeof *b);
    b->runtime = immediate_runtime();
    b->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&b->services, &b->runtime.port, SOURCE_DIR);
    b->web = fake_services_add_server(&b->services, "web", "[]");
    b->web->login_page = PAGE;
    b->browser.base.ops = &ops;
    b->services.base.browser = &b->browser.base;
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    fake_services_finish(&b->services);
    arena_finish(&b->arena);
    free(b);
    return 0;
}

static void on_page(void *context, const char *url)
{
    struct bench *b = context;
    b->page = url;
    b->n_pages++;
}

static void on_no_browser(void *context, const struct err *why)
{
    struct bench *b = context;
    strcpy(b->no_browser, why->message);
}

static enum err_code try_login(struct bench *b, const char *server, struct login_outcome *out)
{
    struct log_in_request request = {
        .server = server, .on_page = on_page, .on_no_browser = on_no_browser, .context = b
    };
    return log_in(&b->services.base, &b->scope, &b->arena, &request, out, &b->err);
}

static void shows_the_page_and_opens_it_once(void **state)
{
    struct bench *b = *state;
    struct login_outcome out;
    assert_int_equal(try_login(b, "web", &out), ERR_NONE);
    assert_string_equal(b->page, PAGE);
    assert_int_equal(b->n_pages, 1);
    assert_string_equal(b->browser.opened, PAGE);
    assert_int_equal(b->browser.n, 1);
    assert_string_equal(b->no_browser, "");
}

static void says_with_whom_for_what_and_until_when(void **state)
{
    struct bench *b = *state;
    struct login_outcome out;
    assert_int_equal(try_login(b, "web", &out), ERR_NONE);
    json_t *value = login_outcome_to_json(&out);
    assert_string_equal(json_get_string(value, "server"), "web");
    assert_string_equal(json_get_string(value, "issuer"), "https://as.example");
    assert_string_equal(json_get_string(value, "scope"), "read write");
    assert_string_equal(json_get_string(value, "until"), "1970-01-01T00:00:01.000Z");
    json_decref(value);
}

static void goes_on_without_a_browser(void **state)
{
    struct bench *b = *state;
    struct login_outcome out;
    b->browser.fails = ERR_NOT_FOUND;
    assert_int_equal(try_login(b, "web", &out), ERR_NONE);
    assert_string_equal(b->no_browser, "there is none");
    b->services.base.browser = NULL;
    assert_int_equal(try_login(b, "web", &out), ERR_NONE);
    assert_string_equal(b->no_browser, "there is no browser");
}

static void passes_on_what_the_login_said(void **state)
{
    struct bench *b = *state;
    struct login_outcome out;
    b->web->login_fails = ERR_AUTH;
    assert_int_equal(try_login(b, "web", &out), ERR_AUTH);
    assert_string_equal(b->err.message, "server web: as told");
    assert_int_equal(try_login(b, "wib", &out), ERR_NOT_FOUND);
    assert_string_equal(b->err.hint, "did you mean web?");
}

static void logs_out_of_what_it_was_in(void **state)
{
    struct bench *b = *state;
    bool was_in = false;
    b->web->is_logged_in = true;
    assert_int_equal(log_out(&b->services.base, &b->scope, "web", &was_in, &b->err), ERR_NONE);
    assert_true(was_in);
    assert_int_equal(log_out(&b->services.base, &b->scope, "web", &was_in, &b->err), ERR_NONE);
    assert_false(was_in);
    assert_int_equal(log_out(&b->services.base, &b->scope, "nobody", &was_in, &b->err),
                     ERR_NOT_FOUND);
}

static void a_listing_of_servers_has_their_logins(void **state)
{
    struct bench *b = *state;
    struct server_listing listing;
    b->web->is_logged_in = true;
    assert_int_equal(list_servers(&b->services.base, &b->scope, &b->arena, &listing, &b->err),
                     ERR_NONE);
    json_t *value = server_listing_to_json(&listing);
    const json_t *login =
        json_object_get(json_array_get(json_object_get(value, "servers"), 0), "login");
    assert_string_equal(json_get_string(login, "issuer"), "https://as.example");
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shows_the_page_and_opens_it_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(says_with_whom_for_what_and_until_when, set_up, tear_down),
        cmocka_unit_test_setup_teardown(goes_on_without_a_browser, set_up, tear_down),
        cmocka_unit_test_setup_teardown(passes_on_what_the_login_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(logs_out_of_what_it_was_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_listing_of_servers_has_their_logins, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
