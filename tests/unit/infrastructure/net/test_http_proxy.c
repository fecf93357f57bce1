
#include "infrastructure/net/http_destination.h"
#include "tests/support/cmocka.h"
#include <string.h>

struct variable {
    const char *name, *value;
};

static const struct variable *environment;

static const char *find(const char *name)
{
    for (const struct variable *at = environment; at->name; at++)
        if (strcmp(at->name, name) == 0)
            return at->value;
    return NULL;
}

static const char *choose(const struct variable *variables, const char *scheme, const char *host)
{
    environment = variables;
    return http_proxy_choose(find, strcmp(scheme, "https") == 0, host);
}

static void assert_proxy(const char *actual, const char *expected)
{
    if (expected)
        assert_string_equal(actual ? actual : "none", expected);
    else
        assert_null(actual);
}

static void chooses_by_the_scheme_before_the_one_for_all(void **state)
{
    static const struct variable all[] = { { "http_proxy", "plain" },
                                           { "https_proxy", "secure" },
                                           { "all_proxy", "all" },
                                           { NULL, NULL } };
    static const struct variable one[] = { { "ALL_PROXY", "all" },
                                           { "https_proxy", "" },
                                           { NULL, NULL } };
    static const struct variable none[] = { { NULL, NULL } };
    (void)state;
    assert_proxy(choose(all, "http", "a.example"), "plain");
    assert_proxy(choose(all, "https", "a.example"), "secure");
    assert_proxy(choose(one, "http", "a.example"), "all");
    assert_proxy(choose(one, "https", "a.example"), "all");
    assert_proxy(choose(none, "https", "a.example"), NULL);
}

static void takes_capitals_for_https_only(void **state)
{
    static const struct variable capitals[] = { { "HTTP_PROXY", "plain" },
                                                { "HTTPS_PROXY", "secure" },
                                                { NULL, NULL } };
    (void)state;
    assert_proxy(choose(capitals, "http", "a.example"), NULL);
    assert_proxy(choose(capitals, "https", "a.example"), "secure");
}

static void leaves_out_the_hosts_and_domains_of_no_proxy(void **state)
{
    static const struct variable some[] = { { "https_proxy", "p" },
                                            { "no_proxy", "one.example, .two.example,10.0.0.0/8" },
                                            { NULL, NULL } };
    static const struct variable every[] = { { "https_proxy", "p" },
                                             { "NO_PROXY", "*" },
                                             { NULL, NULL } };
    (void)state;
    assert_proxy(choose(some, "https", "one.example"), NULL);
    assert_proxy(choose(some, "https", "ONE.example"), NULL);
    assert_proxy(choose(some, "https", "a.one.example"), NULL);
    assert_proxy(choose(some, "https", "done.example"), "p");
    assert_proxy(choose(some, "https", "two.example"), NULL);
    assert_proxy(choose(some, "https", "a.two.example"), NULL);
    assert_proxy(choose(some, "https", "example"), "p");
    assert_proxy(choose(every, "https", "a.example"), NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_by_the_scheme_before_the_one_for_all),
        cmocka_unit_test(takes_capitals_for_https_only),
        cmocka_unit_test(leaves_out_the_hosts_and_domains_of_no_proxy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
