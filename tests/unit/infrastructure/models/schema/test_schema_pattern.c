
#include "domain/base/attributes.h"
#include "domain/base/cleanup.h"
#include "infrastructure/models/schema/schema_lowering_internal.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static void assert_becomes(const char *pattern, const char *lowered)
{
    auto_str found = schema_pattern_lower(pattern);
    if (!found)
        fail_msg("%s is dropped", pattern);
    assert_string_equal(found, lowered);
}

static void assert_dropped(const char *pattern)
{
    auto_str found = schema_pattern_lower(pattern);
    if (found)
        fail_msg("%s becomes %s", pattern, found);
}

static void keeps_plain_patterns(void **state)
{
    (void)state;
    assert_becomes("^$", "^$");
    assert_becomes("^[a-z]{2,5}(-[A-Z]+)?$", "^[a-z]{2,5}(-[A-Z]+)?$");
    assert_becomes("^(red|green|blue)*$", "^(red|green|blue)*$");
    assert_becomes("^\xc3\xa4[\xc3\xa4-\xc3\xbc]{3}$", "^\xc3\xa4[\xc3\xa4-\xc3\xbc]{3}$");
}

static void spells_out_character_classes(void **state)
{
    (void)state;
    assert_becomes("^\\d+[\\w-]\\.(?:a|b)$", "^[0-9]+[A-Za-z0-9_-]\\.(a|b)$");
    assert_becomes("^a\\s[\\s\\d]$", "^a[ ][ 0-9]$");
}

static void escapes_as_engines_do(void **state)
{
    (void)state;
    assert_becomes("^\\/a\\-b\\@c\\.d\\+$", "^/a-b@c\\.d\\+$");
    assert_becomes("^[\\.\\-\\/_]$", "^[./_-]$");
    assert_becomes("^[\\]\\[a]$", "^[\\]\\[a]$");
    assert_becomes("^[a^-]$", "^[a^-]$");
    assert_becomes("^[-a]$", "^[a-]$");
}

static void reads_lazy_quantifiers_as_they_are_meant(void **state)
{
    (void)state;
    assert_becomes("^a+?b*?c??d{2,}?$", "^a+b*c?d{2,}$");
}

static void drops_what_is_not_anchored(void **state)
{
    (void)state;
    assert_dropped("");
    assert_dropped("^");
    assert_dropped("abc");
    assert_dropped("^abc");
    assert_dropped("abc$");
    assert_dropped("^abc\\$");
    assert_dropped("^a|b$");
    assert_dropped("^(^a|b$)$");
}

static void drops_what_engines_do_not_know(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "^(?=a)b$", "^(?!a)b$", "^(?<n>a)$", "^(a)\\1$",  "^a\\b$", "^\\p{L}$", "^\\D$",    "^a{$",
        "^a{x}$",   "^a{2,1}$", "^a{,3}$",   "^a++$",     "^a**$",  "^*a$",     "^(a$",     "^a)$",
        "^[a$",     "^[]$",     "^[z-a]$",   "^[a-\\d]$", "^]$",    "^\\x41$",  "^\\u0041$"
    };
    for (size_t i = 0; i < ARRAY_LENGTH(patterns); i++)
        assert_dropped(patterns[i]);
}

static void drops_what_could_end_a_string_of_json(void **state)
{
    (void)state;
    static const char *const patterns[] = { "^.+$",    "^[^a]$", "^\"$",    "^\\\\$", "^[ -~]$",
                                            "^[!-a]$", "^[\"]$", "^[A-z]$", "^\\n$",  "^a\tb$" };
    for (size_t i = 0; i < ARRAY_LENGTH(patterns); i++)
        assert_dropped(patterns[i]);
    assert_becomes("^[#-Z]$", "^[#-Z]$");
}

static void bounds_what_repetitions_spell_out(void **state)
{
    (void)state;
    assert_becomes("^a{2000}$", "^a{2000}$");
    assert_dropped("^a{2001}$");
    assert_becomes("^(a{40}){50}$", "^(a{40}){50}$");
    assert_dropped("^(a{40}b){50}$");
    assert_dropped("^a{99999999999999999999}$");
}

static void bounds_groups_and_length(void **state)
{
    (void)state;
    char nested[3 * SCHEMA_PATTERN_MAX_GROUPS + 8] = "^";
    for (int i = 0; i < SCHEMA_PATTERN_MAX_GROUPS; i++)
        strcat(nested, "(");
    strcat(nested, "a");
    for (int i = 0; i < SCHEMA_PATTERN_MAX_GROUPS; i++)
        strcat(nested, ")");
    strcat(nested, "$");
    assert_becomes(nested, nested);
    char deeper[sizeof nested + 2];
    snprintf(deeper, sizeof deeper, "^(%.*s)$", (int)strlen(nested) - 2, nested + 1);
    assert_dropped(deeper);

    static char of_classes[SCHEMA_PATTERN_MAX_BYTES + 2];
    memset(of_classes, ' ', sizeof of_classes - 1);
    of_classes[0] = '^';
    of_classes[1] = '[';
    of_classes[sizeof of_classes - 3] = ']';
    of_classes[sizeof of_classes - 2] = '$';
    assert_dropped(of_classes);
    memmove(&of_classes[2], &of_classes[3], sizeof of_classes - 3);
    assert_becomes(of_classes, of_classes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_plain_patterns),
        cmocka_unit_test(spells_out_character_classes),
        cmocka_unit_test(escapes_as_engines_do),
        cmocka_unit_test(reads_lazy_quantifiers_as_they_are_meant),
        cmocka_unit_test(drops_what_is_not_anchored),
        cmocka_unit_test(drops_what_engines_do_not_know),
        cmocka_unit_test(drops_what_could_end_a_string_of_json),
        cmocka_unit_test(bounds_what_repetitions_spell_out),
        cmocka_unit_test(bounds_groups_and_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
