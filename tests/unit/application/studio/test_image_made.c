#include "application/studio/studio.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const char *text_of(struct arena *arena, const char *result)
{
    struct step_result made = { 0 };
    assert_int_equal(step_result_init(arena, result, strlen(result), &made, NULL), ERR_NONE);
    return image_made_text(arena, &made);
}

static void says_what_the_tool_gave_in_one_line(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const struct {
        const char *result, *said;
    } cases[] = {
        { "{\"content\":[{\"type\":\"text\",\"text\":\"\\n saved to out/cat.png \\nin 3 s\"}]}",
          "saved to out/cat.png " },
        { "{\"content\":[{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/png\"},"
          "{\"type\":\"text\",\"text\":\"a cat\"}]}",
          "a cat" },
        { "{\"content\":[{\"type\":\"resource_link\",\"uri\":\"file:///cat.png\",\"name\":\"c\"}]}",
          "file:///cat.png" },
        { "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"mem://"
          "1\",\"blob\":\"\"}}]}",
          "mem://1" },
        { "{\"content\":[{\"type\":\"image\",\"data\":\"AAAAAAA=\",\"mimeType\":\"image/png\"}]}",
          "image/png 5 bytes" },
        { "{\"content\":[{\"type\":\"audio\",\"data\":\"AA==\"}]}", "image 1 bytes" },
        { "{\"content\":[{\"type\":\"text\",\"text\":\" \\n\"}]}", "an image" },
        { "{}", "an image" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_string_equal(text_of(&arena, cases[i].result), cases[i].said);
}

static void counts_the_bytes_of_an_image_in_groups(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    char *data = arena_alloc(&arena, 16461);
    memset(data, 'A', 16460);

    const char *said =
        text_of(&arena, arena_printf(&arena,
                                     "{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\","
                                     "\"data\":\"%s\"}]}",
                                     data));

    assert_string_equal(said, "image/png 12,345 bytes");
}

static void a_terminal_obeys_nothing_of_it(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    const char *said =
        text_of(&arena, "{\"content\":[{\"type\":\"text\",\"text\":\"\\u001b[2Jcat\"}]}");

    assert_string_equal(said, "\\x1b[2Jcat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_the_tool_gave_in_one_line),
        cmocka_unit_test(counts_the_bytes_of_an_image_in_groups),
        cmocka_unit_test(a_terminal_obeys_nothing_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
