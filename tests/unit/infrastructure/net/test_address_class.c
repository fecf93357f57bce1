
#include "domain/base/attributes.h"
#include "infrastructure/net/http_destination.h"
#include "tests/support/cmocka.h"
#include <arpa/inet.h>
#include <string.h>

static enum address_class class_of(const char *text)
{
    uint8_t bytes[16];
    if (strchr(text, ':')) {
        assert_int_equal(inet_pton(AF_INET6, text, bytes), 1);
        return address_class_v6(bytes);
    }
    assert_int_equal(inet_pton(AF_INET, text, bytes), 1);
    return address_class_v4(bytes);
}

struct expected {
    const char *address;
    enum address_class class;
};

static void assert_classes(const struct expected *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (class_of(rows[i].address) != rows[i].class)
            fail_msg("%s is %s", rows[i].address, address_class_words(class_of(rows[i].address)));
}

static void knows_where_each_range_of_ipv4_begins_and_ends(void **state)
{
    static const struct expected rows[] = {
        { "0.0.0.0", ADDRESS_UNSPECIFIED },
        { "0.255.255.255", ADDRESS_UNSPECIFIED },
        { "1.0.0.0", ADDRESS_PUBLIC },
        { "9.255.255.255", ADDRESS_PUBLIC },
        { "10.0.0.0", ADDRESS_PRIVATE },
        { "10.255.255.255", ADDRESS_PRIVATE },
        { "11.0.0.0", ADDRESS_PUBLIC },
        { "100.63.255.255", ADDRESS_PUBLIC },
        { "100.64.0.0", ADDRESS_SHARED },
        { "100.127.255.255", ADDRESS_SHARED },
        { "100.128.0.0", ADDRESS_PUBLIC },
        { "126.255.255.255", ADDRESS_PUBLIC },
        { "127.0.0.1", ADDRESS_LOOPBACK },
        { "127.255.255.255", ADDRESS_LOOPBACK },
        { "128.0.0.0", ADDRESS_PUBLIC },
        { "169.253.255.255", ADDRESS_PUBLIC },
        { "169.254.0.0", ADDRESS_LINK_LOCAL },
        { "169.254.169.254", ADDRESS_LINK_LOCAL },
        { "169.255.0.0", ADDRESS_PUBLIC },
        { "172.15.255.255", ADDRESS_PUBLIC },
        { "172.16.0.0", ADDRESS_PRIVATE },
        { "172.31.255.255", ADDRESS_PRIVATE },
        { "172.32.0.0", ADDRESS_PUBLIC },
        { "192.0.0.170", ADDRESS_RESERVED },
        { "192.0.1.0", ADDRESS_PUBLIC },
        { "192.0.2.255", ADDRESS_RESERVED },
        { "192.0.3.0", ADDRESS_PUBLIC },
        { "192.88.99.1", ADDRESS_RESERVED },
        { "192.167.255.255", ADDRESS_PUBLIC },
        { "192.168.0.0", ADDRESS_PRIVATE },
        { "192.168.255.255", ADDRESS_PRIVATE },
        { "192.169.0.0", ADDRESS_PUBLIC },
        { "198.17.255.255", ADDRESS_PUBLIC },
        { "198.18.0.0", ADDRESS_RESERVED },
        { "198.19.255.255", ADDRESS_RESERVED },
        { "198.20.0.0", ADDRESS_PUBLIC },
        { "198.51.100.7", ADDRESS_RESERVED },
        { "203.0.113.7", ADDRESS_RESERVED },
        { "223.255.255.255", ADDRESS_PUBLIC },
        { "224.0.0.1", ADDRESS_MULTICAST },
        { "239.255.255.255", ADDRESS_MULTICAST },
        { "240.0.0.0", ADDRESS_RESERVED },
        { "255.255.255.255", ADDRESS_RESERVED },
    };
    (void)state;
    assert_classes(rows, ARRAY_LENGTH(rows));
}

static void knows_the_ranges_of_ipv6(void **state)
{
    static const struct expected rows[] = {
        { "::", ADDRESS_UNSPECIFIED },       { "::1", ADDRESS_LOOPBACK },
        { "::2", ADDRESS_RESERVED },         { "2606:4700:4700::1111", ADDRESS_PUBLIC },
        { "2000::", ADDRESS_PUBLIC },        { "3ffe:ffff::", ADDRESS_PUBLIC },
        { "3fff::1", ADDRESS_RESERVED },     { "3fff:fff::1", ADDRESS_RESERVED },
        { "3fff:1000::1", ADDRESS_PUBLIC },  { "4000::", ADDRESS_RESERVED },
        { "1fff::", ADDRESS_RESERVED },      { "2001::1", ADDRESS_RESERVED },
        { "2001:1ff::1", ADDRESS_RESERVED }, { "2001:200::1", ADDRESS_PUBLIC },
        { "2001:db8::1", ADDRESS_RESERVED }, { "100::1", ADDRESS_RESERVED },
        { "fc00::1", ADDRESS_PRIVATE },      { "fdff::1", ADDRESS_PRIVATE },
        { "fbff::1", ADDRESS_RESERVED },     { "fe80::1", ADDRESS_LINK_LOCAL },
        { "febf::1", ADDRESS_LINK_LOCAL },   { "fec0::1", ADDRESS_PRIVATE },
        { "ff02::1", ADDRESS_MULTICAST },
    };
    (void)state;
    assert_classes(rows, ARRAY_LENGTH(rows));
}

static void judges_an_ipv4_address_within_an_ipv6_address_by_itself(void **state)
{
    static const struct expected rows[] = {
        { "::ffff:127.0.0.1", ADDRESS_LOOPBACK },
        { "::ffff:192.168.0.1", ADDRESS_PRIVATE },
        { "::ffff:8.8.8.8", ADDRESS_PUBLIC },
        { "2002:0a00:0001::1", ADDRESS_PRIVATE },
        { "2002:0808:0808::1", ADDRESS_PUBLIC },
        { "64:ff9b::169.254.169.254", ADDRESS_LINK_LOCAL },
        { "64:ff9b::8.8.8.8", ADDRESS_PUBLIC },
        { "64:ff9b:1::8.8.8.8", ADDRESS_RESERVED },
    };
    (void)state;
    assert_classes(rows, ARRAY_LENGTH(rows));
}

static void takes_a_loopback_address_behind_a_gateway_for_no_loopback(void **state)
{
    (void)state;
    assert_int_equal(class_of("64:ff9b::127.0.0.1"), ADDRESS_RESERVED);
    assert_int_equal(class_of("2002:7f00:0001::1"), ADDRESS_RESERVED);
}

static void has_words_for_each(void **state)
{
    (void)state;
    assert_string_equal(address_class_words(ADDRESS_PUBLIC), "a public address");
    assert_string_equal(address_class_words(ADDRESS_LINK_LOCAL),
                        "an address of this machine's network");
    assert_string_equal(address_class_words(ADDRESS_RESERVED), "a reserved address");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_where_each_range_of_ipv4_begins_and_ends),
        cmocka_unit_test(knows_the_ranges_of_ipv6),
        cmocka_unit_test(judges_an_ipv4_address_within_an_ipv6_address_by_itself),
        cmocka_unit_test(takes_a_loopback_address_behind_a_gateway_for_no_loopback),
        cmocka_unit_test(has_words_for_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
