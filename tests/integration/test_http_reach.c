
#include "domain/base/cleanup.h"
#include "infrastructure/net/http_client.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/mock_endpoint.h"
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fixture {
    struct uv_runtime *runtime;
    struct mock_endpoint *endpoint;
    struct http_client *client;
    struct http_request request;
    struct http_response response;
    struct err err;
    const char *port;
    char url[400];
};

static bool ignore(void *context, const char *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
    return true;
}

static void fixture_init(struct fixture *f)
{
    *f = (struct fixture){ 0 };
    f->runtime = uv_runtime_create();
    f->endpoint = mock_endpoint_create(f->runtime);
    f->client = http_client_create(f->runtime);
    f->port = strrchr(mock_endpoint_url(f->endpoint), ':');
    f->request = (struct http_request){ .url = f->url,
                                        .connect_timeout_ms = 1000,
                                        .silence_ms = 2000,
                                        .max_bytes = 1 << 20,
                                        .on_bytes = ignore,
                                        .context = f };
    mock_endpoint_add(f->endpoint, (struct mock_answer){ .path = "", .body = "ok" });
}

static void fixture_finish(struct fixture *f)
{
    http_client_destroy(f->client);
    mock_endpoint_destroy(f->endpoint);
    uv_runtime_destroy(f->runtime);
}

static enum err_code perform(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    (void)runtime;
    return http_client_perform(f->client, scope, &f->request, &f->response, &f->err);
}

/* To this host, at the endpoint's port. */
static enum err_code get(struct fixture *f, enum http_reach reach, const char *scheme,
                         const char *host)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    f->request.reach = reach;
    snprintf(f->url, sizeof f->url, "%s://%s%s/", scheme, host, f->port);
    return uv_runtime_run(f->runtime, &scope, perform, f);
}

static size_t n_requests(const struct fixture *f)
{
    const struct mock_request *requests;
    return mock_endpoint_requests(f->endpoint, &requests);
}

static void goes_where_the_user_says(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(get(&f, HTTP_ANYWHERE, "http", "127.0.0.1"), ERR_NONE);
    assert_int_equal(n_requests(&f), 1);
}

static void lets_a_server_on_this_machine_name_this_machine(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(get(&f, HTTP_HERE_TOO, "http", "127.0.0.1"), ERR_NONE);
    assert_int_equal(get(&f, HTTP_HERE_TOO, "http", "localhost"), ERR_NONE);
    assert_int_equal(n_requests(&f), 2);
}

static void lets_no_server_elsewhere_name_an_address_of_ours(void **state)
{
    static const char *const hosts[] = { "127.0.0.1",   "2130706433",        "0x7f.1",
                                         "[::1]",       "[::ffff:10.0.0.1]", "10.1.2.3",
                                         "192.168.0.1", "169.254.169.254",   "0.0.0.0",
                                         "localhost",   "a.localhost",       "localhost." };
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    for (size_t i = 0; i < ARRAY_LENGTH(hosts); i++) {
        if (get(&f, HTTP_PUBLIC, "https", hosts[i]) != ERR_DENIED)
            fail_msg("%s: %s", hosts[i], f.err.message);
        assert_string_not_equal(f.err.hint, "");
    }
    assert_int_equal(n_requests(&f), 0);
}

static void says_what_kind_of_address_it_is(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(get(&f, HTTP_PUBLIC, "https", "169.254.169.254"), ERR_DENIED);
    assert_string_equal(f.err.message, "169.254.169.254 is an address of this machine's network");
    assert_int_equal(get(&f, HTTP_HERE_TOO, "https", "10.0.0.1"), ERR_DENIED);
    assert_string_equal(f.err.message, "10.0.0.1 is an address of a private network");
    assert_int_equal(get(&f, HTTP_HERE_TOO, "http", "8.8.8.8"), ERR_DENIED);
    assert_string_equal(f.err.message, "8.8.8.8 is public, and is reached over https only");
}

static void wants_https_of_what_a_server_names(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(get(&f, HTTP_PUBLIC, "http", "mcp.example"), ERR_DENIED);
    assert_string_equal(f.err.message, "a url that a server names must be https");
    assert_int_equal(get(&f, HTTP_PUBLIC, "ftp", "mcp.example"), ERR_DENIED);
    f.request.url = "no url";
    assert_int_equal(get(&f, HTTP_PUBLIC, "https", "x"), ERR_INVALID);
}

static enum err_code check(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    (void)runtime;
    return http_client_check(f->client, scope, f->request.url, f->request.reach, &f->err);
}

/* Whether a person may be sent to this host. */
static enum err_code check_page(struct fixture *f, enum http_reach reach, const char *scheme,
                                const char *host)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    f->request.reach = reach;
    snprintf(f->url, sizeof f->url, "%s://%s/", scheme, host);
    return uv_runtime_run(f->runtime, &scope, check, f);
}

/* Its name says nothing about where it leads. False: it has none that can be resolved. */
static bool find_own_name(char *out, size_t size)
{
    struct addrinfo *found = NULL;
    (void)!gethostname(out, size - 1);
    bool is_known = strcmp(out, "localhost") != 0 && getaddrinfo(out, NULL, NULL, &found) == 0;
    if (found)
        freeaddrinfo(found);
    return is_known;
}

static void judges_a_page_for_another_program_without_a_request(void **state)
{
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(check_page(&f, HTTP_PUBLIC, "https", "10.0.0.1"), ERR_DENIED);
    assert_int_equal(check_page(&f, HTTP_PUBLIC, "https", "localhost"), ERR_DENIED);
    assert_int_equal(check_page(&f, HTTP_PUBLIC, "http", "8.8.8.8"), ERR_DENIED);
    assert_int_equal(check_page(&f, HTTP_PUBLIC, "https", "8.8.8.8"), ERR_NONE);
    assert_int_equal(check_page(&f, HTTP_HERE_TOO, "http", "localhost"), ERR_NONE);
    assert_int_equal(check_page(&f, HTTP_ANYWHERE, "http", "10.0.0.1"), ERR_NONE);
    assert_int_equal(check_page(&f, HTTP_PUBLIC, "https", "unknown.invalid"), ERR_NONE);
    assert_int_equal(n_requests(&f), 0);
}

static void judges_a_page_by_the_addresses_of_its_name(void **state)
{
    char name[256] = "";
    (void)state;
    if (!find_own_name(name, sizeof name))
        skip();
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(check_page(&f, HTTP_PUBLIC, "https", name), ERR_DENIED);
    assert_non_null(strstr(f.err.message, " is an address of "));
}

static void judges_a_name_by_the_address_it_leads_to(void **state)
{
    char name[256] = "";
    (void)state;
    if (!find_own_name(name, sizeof name))
        skip();
    AUTO(fixture) f;
    fixture_init(&f);
    assert_int_equal(get(&f, HTTP_PUBLIC, "https", name), ERR_DENIED);
    assert_non_null(strstr(f.err.message, " is an address of "));
    assert_int_equal(n_requests(&f), 0);
}

static void leaves_it_to_a_proxy_where_a_name_leads(void **state)
{
    const struct mock_request *requests;
    (void)state;
    AUTO(fixture) f;
    fixture_init(&f);
    setenv("https_proxy", mock_endpoint_url(f.endpoint), 1);
    (void)!get(&f, HTTP_PUBLIC, "https", "mcp.example");
    assert_int_equal(mock_endpoint_requests(f.endpoint, &requests), 1);
    assert_non_null(strstr(requests[0].head, "CONNECT mcp.example:"));
    assert_int_equal(get(&f, HTTP_PUBLIC, "https", "10.0.0.1"), ERR_DENIED);
    assert_int_equal(get(&f, HTTP_PUBLIC, "https", "localhost"), ERR_DENIED);
    unsetenv("https_proxy");
    assert_int_equal(n_requests(&f), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_where_the_user_says),
        cmocka_unit_test(lets_a_server_on_this_machine_name_this_machine),
        cmocka_unit_test(lets_no_server_elsewhere_name_an_address_of_ours),
        cmocka_unit_test(says_what_kind_of_address_it_is),
        cmocka_unit_test(wants_https_of_what_a_server_names),
        cmocka_unit_test(judges_a_name_by_the_address_it_leads_to),
        cmocka_unit_test(judges_a_page_for_another_program_without_a_request),
        cmocka_unit_test(judges_a_page_by_the_addresses_of_its_name),
        cmocka_unit_test(leaves_it_to_a_proxy_where_a_name_leads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
