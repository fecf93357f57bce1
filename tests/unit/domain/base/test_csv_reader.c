#include "domain/base/csv_reader.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records as "a|b" lines, to be compared at a glance. */
static const char *read_all(const char *text, char delimiter)
{
    static char out[1000];
    struct csv_reader reader = { 0 };
    csv_reader_init(&reader, text, strlen(text), delimiter);
    out[0] = '\0';
    while (csv_reader_next(&reader)) {
        for (size_t i = 0; i < reader.n_fields; i++) {
            assert_int_equal(strlen(reader.fields[i].text), reader.fields[i].length);
            strcat(strcat(out, i ? "|" : ""), reader.fields[i].text);
        }
        strcat(out, "/");
    }
    csv_reader_finish(&reader);
    return out;
}

static void reads_fields_and_records(void **state)
{
    (void)state;
    assert_string_equal(read_all("a,b\n1,2\n", 0), "a|b/1|2/");
    assert_string_equal(read_all("a,b\r\n1,\r\n", 0), "a|b/1|/");
    assert_string_equal(read_all("a,b\r1,2", 0), "a|b/1|2/");
    assert_string_equal(read_all("\xef\xbb\xbf"
                                 "a\n\n\nb",
                                 0),
                        "a/b/");
    assert_string_equal(read_all("", 0), "");
    assert_string_equal(read_all(",", 0), "|/");
}

static void reads_quoted_fields(void **state)
{
    (void)state;
    assert_string_equal(read_all("\"a,b\",\"c\"\"d\"\n\"x\ny\",\"\"", 0), "a,b|c\"d/x\ny|/");
}

static void takes_broken_quotes_as_they_stand(void **state)
{
    (void)state;
    assert_string_equal(read_all("\"a\"b,c", 0), "ab|c/");
    assert_string_equal(read_all("a\"b,c", 0), "a\"b|c/");
    assert_string_equal(read_all("\"open,x\ny", 0), "open,x\ny/");
    assert_string_equal(read_all("\"", 0), "/");
}

static void guesses_the_delimiter(void **state)
{
    (void)state;
    assert_string_equal(read_all("a;b;c\n1,5;2;3", 0), "a|b|c/1,5|2|3/");
    assert_string_equal(read_all("a\tb\n1,5\t2", 0), "a|b/1,5|2/");
    assert_string_equal(read_all("\"a;b;c\",d", 0), "a;b;c|d/");
    assert_string_equal(read_all("a,b\tc", '\t'), "a,b|c/");
}

static void bounds_the_fields_of_a_record(void **state)
{
    (void)state;
    char text[CSV_MAX_FIELDS + 2];
    struct csv_reader reader = { 0 };
    memset(text, ',', sizeof text);
    csv_reader_init(&reader, text, CSV_MAX_FIELDS - 1, ',');
    assert_true(csv_reader_next(&reader));
    assert_int_equal(reader.n_fields, CSV_MAX_FIELDS);
    assert_false(reader.has_too_many);
    csv_reader_finish(&reader);
    csv_reader_init(&reader, text, CSV_MAX_FIELDS, ',');
    assert_true(csv_reader_next(&reader));
    assert_int_equal(reader.n_fields, CSV_MAX_FIELDS);
    assert_true(reader.has_too_many);
    csv_reader_finish(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_fields_and_records),
        cmocka_unit_test(reads_quoted_fields),
        cmocka_unit_test(takes_broken_quotes_as_they_stand),
        cmocka_unit_test(guesses_the_delimiter),
        cmocka_unit_test(bounds_the_fields_of_a_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
