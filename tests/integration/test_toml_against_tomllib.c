/* Texts of a seeded generator, read by Python's tomllib and by us. */
#include "domain/base/json.h"
#include "infrastructure/config/clients/foreign_text.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Python's side has objects where there are times and numbers that JSON lacks; ours are text. */
static bool is_equal(const json_t *theirs, const json_t *ours)
{
    const char *key;
    const json_t *value;
    size_t i;
    if (json_is_object(theirs) && json_is_string(ours))
        return json_object_get(theirs, "time") || json_object_get(theirs, "number");
    if (json_is_array(theirs)) {
        bool same = json_array_size(theirs) == json_array_size(ours);
        json_array_foreach (theirs, i, value)
            same = same && is_equal(value, json_array_get(ours, i));
        return same;
    }
    if (!json_is_object(theirs))
        return json_equal(theirs, ours) || (json_is_number(theirs) && json_is_number(ours) &&
                                            json_number_value(theirs) == json_number_value(ours));
    bool same = json_object_size(theirs) == json_object_size(ours);
    json_each_member (theirs, key, value)
        same = same && is_equal(value, json_object_get(ours, key));
    return same;
}

static void check(const char *line)
{
    json_auto_t *row = json_loads(line, 0, NULL);
    const char *text = json_get_string(row, "text");
    const json_t *theirs = json_object_get(row, "value");
    struct text_flaw flaw;
    if (!text)
        return; /* a NUL in it */
    json_auto_t *ours = toml_read(text, strlen(text), &flaw);
    if (json_is_null(theirs) ? !ours : ours && is_equal(theirs, ours))
        return;
    char *read = json_dumps(ours, JSON_ENCODE_ANY);
    print_error("%s\nread as %s (%d:%d %s)\n", line, read ? read : "-", flaw.line, flaw.column,
                ours ? "" : flaw.why);
    free(read);
    fail();
}

static void python_and_mistro_read_the_same(void **state)
{
    (void)state;
    static char line[65536];
    char command[256];
    const char *seed = getenv("MISTRO_TOML_SEED"), *count = getenv("MISTRO_TOML_TEXTS");
    if (system("python3 -c 'import tomllib' 2>/dev/null") != 0)
        skip();
    snprintf(command, sizeof command, "python3 " SOURCE_DIR "/tests/support/toml_cases.py %s %s",
             seed ? seed : "1", count ? count : "4000");
    FILE *cases = popen(command, "r");
    assert_non_null(cases);
    size_t n = 0;
    for (; fgets(line, sizeof line, cases); n++)
        check(line);
    assert_int_equal(pclose(cases), 0);
    assert_true(n >= 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(python_and_mistro_read_the_same) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
