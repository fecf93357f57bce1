#include "domain/base/attributes.h"
#include "domain/base/rfc3339.h"
#include "tests/support/cmocka.h"

static void prints_and_reads_back_points_in_time(void **state)
{
    (void)state;
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {
        { 0, "1970-01-01T00:00:00.000Z" },
        { -1, "1969-12-31T23:59:59.999Z" },
        { 951782400000, "2000-02-29T00:00:00.000Z" },
        { 1795248930042, "2026-11-21T08:15:30.042Z" },
        { -62135596800000, "0001-01-01T00:00:00.000Z" },
        { 253402300799999, "9999-12-31T23:59:59.999Z" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        char text[RFC3339_SIZE];
        int64_t ms = 1;
        assert_string_equal(rfc3339_print(rows[i].ms, text), rows[i].text);
        assert_true(rfc3339_parse(rows[i].text, &ms));
        assert_true(ms == rows[i].ms);
    }
}

static void reads_offsets_and_fractions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } rows[] = {
        { "1970-01-01T01:00:00+01:00", 0 }, { "1969-12-31T23:30:00-00:30", 0 },
        { "1970-01-01t00:00:00.5z", 500 },  { "1970-01-01 00:00:00.123456789Z", 123 },
        { "1970-01-01T00:00:60Z", 60000 },  { "1970-01-01T00:00:00.05Z", 50 },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        int64_t ms = -1;
        if (!rfc3339_parse(rows[i].text, &ms) || ms != rows[i].ms)
            fail_msg("%s", rows[i].text);
    }
}

static void refuses_what_is_no_point_in_time(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        "1970-01-01",
        "1970-01-01T00:00:00",
        "1970-02-30T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "1970-13-01T00:00:00Z",
        "1970-00-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "1970-01-01T24:00:00Z",
        "1970-01-01T00:60:00Z",
        "1970-01-01T00:00:61Z",
        "1970-01-01T00:00:00.Z",
        "1970-01-01T00:00:00.1234567890Z",
        "1970-01-01T00:00:00+24:00",
        "1970-01-01T00:00:00+00:60",
        "1970-01-01T00:00:00+0000",
        "1970-01-01T00:00:00Zx",
        "970-01-01T00:00:00Z",
    };
    int64_t ms;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (rfc3339_parse(rows[i], &ms))
            fail_msg("%s", rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_and_reads_back_points_in_time),
        cmocka_unit_test(reads_offsets_and_fractions),
        cmocka_unit_test(refuses_what_is_no_point_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
