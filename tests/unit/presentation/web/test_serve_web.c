#include "presentation/web/serve_web.h"
#include "tests/support/cmocka.h"

struct expectation {
    const char *host;
    bool is_known;
};

static void check(const char *authority, bool is_loopback, const struct expectation *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (serve_web_knows_host(rows[i].host, authority, is_loopback, "mistro.example") !=
            rows[i].is_known)
            fail_msg("%s at %s", rows[i].host, authority);
}

static void a_host_is_known_by_name_and_port(void **state)
{
    static const struct expectation rows[] = {
        { "127.0.0.1:8080", true },
        { "LocalHost:8080", true },
        { "[::1]:8080", true },
        { "mistro.example", true },
        { "mistro.example:443", true },
        { "127.0.0.1", false },
        { "127.0.0.1:80", false },
        { "localhost.:8080", false },
        { "", false },
        { "a@127.0.0.1:8080", false },
        { "evil.example:8080", false },
        { "10.0.0.1:8080", false },
        { "xmistro.example:80", false },
        { ":8080", false },
    };
    (void)state;
    check("127.0.0.1:8080", true, rows, sizeof rows / sizeof *rows);
}

static void the_port_of_http_itself_may_be_left_out(void **state)
{
    static const struct expectation rows[] = {
        { "127.0.0.1", true },    { "localhost", true },       { "[::1]", true },
        { "127.0.0.1:80", true }, { "127.0.0.1:8080", false }, { "evil.example", false }
    };
    (void)state;
    check("127.0.0.1:80", true, rows, sizeof rows / sizeof *rows);
}

static void a_network_reaches_it_by_number(void **state)
{
    static const struct expectation rows[] = { { "192.0.2.7:8080", true },
                                               { "[2001:db8::7]:8080", true },
                                               { "localhost:8080", false },
                                               { "192.0.2.7.evil.example:8080", false } };
    (void)state;
    check("0.0.0.0:8080", false, rows, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_is_known_by_name_and_port),
        cmocka_unit_test(the_port_of_http_itself_may_be_left_out),
        cmocka_unit_test(a_network_reaches_it_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
