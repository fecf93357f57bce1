/* docs/events.md is the contract of every event: no kind without a heading, no heading without a
 * kind, and what it says about being kept is true. */

#include "domain/base/text.h"
#include "domain/entities/event.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

#define X(kind, name, kept) EVENT_##kind,
static const enum event_kind kinds[] = { EVENT_KINDS(X) };
#undef X

static char page[65536];

static int read_page(void **state)
{
    (void)state;
    FILE *in = fopen(SOURCE_DIR "/docs/events.md", "r");
    if (!in)
        return -1;
    size_t n = fread(page, 1, sizeof page - 1, in);
    fclose(in);
    return n > 0 && n < sizeof page - 1 ? 0 : -1;
}

/* The text under the heading of a kind, or NULL. */
static const char *section_of(enum event_kind kind)
{
    char heading[80];
    snprintf(heading, sizeof heading, "\n### %s\n", event_kind_name(kind));
    const char *found = strstr(page, heading);
    return found ? found + strlen(heading) : NULL;
}

static void every_kind_is_a_heading(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (!section_of(kinds[i]))
            fail_msg("no heading for %s", event_kind_name(kinds[i]));
}

static void every_heading_is_a_kind(void **state)
{
    (void)state;
    for (const char *at = page; (at = strstr(at, "\n### "));) {
        char name[80];
        enum event_kind kind;
        at += 5;
        assert_int_equal(sscanf(at, "%79s", name), 1);
        assert_true(event_kind_parse(name, &kind));
    }
}

static void says_which_kinds_are_not_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        const char *section = section_of(kinds[i]);
        assert_non_null(section);
        assert_int_equal(text_starts_with(section, "Not kept."), !event_is_kept(kinds[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_a_heading),
        cmocka_unit_test(every_heading_is_a_kind),
        cmocka_unit_test(says_which_kinds_are_not_kept),
    };
    return cmocka_run_group_tests(tests, read_page, NULL);
}
