
#include "application/structured/stream_watch.h"
#include "domain/base/attributes.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

struct sample {
    const char *text;
    int ends_at; /* index of the byte that ended it; -1: none did */
};

/* Whatever the chunks: the byte is the same. */
static int end_of(const char *text, size_t chunk)
{
    struct object_end object_end = { 0 };
    size_t length = strlen(text);
    for (size_t at = 0; at < length; at += chunk) {
        size_t n = length - at < chunk ? length - at : chunk;
        struct object_end before = object_end;
        if (!object_end_feed(&object_end, text + at, n))
            continue;
        for (size_t i = 0; i < n; i++)
            if (object_end_feed(&before, text + at + i, 1))
                return (int)(at + i);
    }
    return -1;
}

static void check(const struct sample *samples, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t chunk = 1; chunk < 8; chunk++)
            if (end_of(samples[i].text, chunk) != samples[i].ends_at)
                fail_msg("%s in chunks of %zu: %d", samples[i].text, chunk,
                         end_of(samples[i].text, chunk));
}

static void ends_at_the_first_visible_byte_behind_the_object(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "{}", -1 },
        { "{} \n\t ", -1 },
        { "{}x", 2 },
        { " \n{\"a\":1}\n\nHope this helps", 11 },
        { "{\"a\":[1,{\"b\":[]}]}[2]", 18 },
        { "{\"a\": 1 // no } here: \"\n, \"b\":2}x", 32 },
        { "{ # note {\n\"a\":1}x", 17 },
        { "Sure:\n{\"a\":1}!", 13 },
        { "{ \n \"a\":1} y", 11 },
    };
    check(samples, ARRAY_LENGTH(samples));
}

static void waits_for_a_second_object(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "{\"a\":1}{\"a\":2}", -1 },
        { "{\"a\":1}\n\n{\"a\":2}\nso", -1 },
        { "{\"a\":1},\n{\"a\":2}", -1 },
    };
    check(samples, ARRAY_LENGTH(samples));
}

static void respects_strings_and_escapes(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "{\"a\":\"}\"}x", 9 },      { "{\"a\":\"\\\"}\"}x", 11 }, { "{\"a\":\"\\\\\"}x", 10 },
        { "{\"a}\":[\"]}\"]}x", 13 }, { "{\"a\":\"}}}}", -1 },
    };
    check(samples, ARRAY_LENGTH(samples));
}

static void the_end_of_a_fence_belongs_to_the_object(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "```json\n{\"a\":1}\n```\n", -1 },
        { "```json\n{\"a\":1}\n```\nDone", 20 },
    };
    check(samples, ARRAY_LENGTH(samples));
}

static void brackets_of_prose_are_no_object(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "use {braces} or [sic] {x} y", -1 },
        { "like {\"a\":1} but not this", -1 },
        { "[1, 2] three", -1 },
        { "[{\"a\":1}] and more", -1 },
        { "{ this is prose }\n{\"a\":1}x", 25 },
        { "see [1]\nthen\n{\"a\":{}}x", 21 },
    };
    check(samples, ARRAY_LENGTH(samples));
}

static void tool_calls_may_be_followed_by_others(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        { "[TOOL_CALLS] [{\"name\":\"a\"}]\n{\"name\":\"b\"} x", -1 },
        { "[TOOL_CALLS]a[ARGS]{\"x\":1}[TOOL_CALLS]b[ARGS]{}y", -1 },
        { "<tool_call>\n{\"name\":\"a\"}\n</tool_call>\n<tool_call>\n{}\n</tool_call>", -1 },
    };
    check(samples, ARRAY_LENGTH(samples));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_at_the_first_visible_byte_behind_the_object),
        cmocka_unit_test(waits_for_a_second_object),
        cmocka_unit_test(respects_strings_and_escapes),
        cmocka_unit_test(the_end_of_a_fence_belongs_to_the_object),
        cmocka_unit_test(brackets_of_prose_are_no_object),
        cmocka_unit_test(tool_calls_may_be_followed_by_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
