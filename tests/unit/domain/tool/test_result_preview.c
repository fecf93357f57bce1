#include "domain/base/json.h"
#include "domain/tool/step_result.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

/* A result of one text block that is so long in all. */
static struct step_result make_result(struct arena *arena, size_t length)
{
    static const char head[] = "{\"content\":[{\"type\":\"text\",\"text\":\"", tail[] = "\"}]}";
    struct step_result result;
    char *text = arena_alloc(arena, length + 1);
    memset(text, 'x', length);
    memcpy(text, head, strlen(head));
    memcpy(text + length - strlen(tail), tail, strlen(tail));
    assert_int_equal(step_result_init(arena, text, length, &result, NULL), ERR_NONE);
    return result;
}

static void a_result_is_shown_whole_up_to_the_bound(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct step_result result = make_result(&arena, RESULT_PREVIEW_WHOLE_BYTES);
    json_auto_t *preview = result_preview(&result);
    assert_true(json_equal(preview, step_result_value(&result)));
}

static void of_a_longer_one_the_beginning_is_shown(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct step_result result = make_result(&arena, RESULT_PREVIEW_WHOLE_BYTES + 1);
    json_auto_t *preview = result_preview(&result);
    const json_t *block = json_path_find(preview, "/content/0");
    const char *text = json_get_string(block, "text");
    assert_string_equal(json_get_string(block, "type"), "text");
    assert_int_equal(strspn(text, "x"), RESULT_PREVIEW_TEXT_BYTES);
    assert_non_null(strstr(text, " bytes of JSON in all]"));
    assert_true(json_get_bool(preview, "cut", false));
}

static void the_first_text_is_found_behind_other_blocks(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    AUTO(buf) text;
    struct step_result result;
    buf_init(&text, 100000);
    assert_true(buf_puts(&text, "{\"isError\":true,\"content\":[{\"type\":\"image\"}"));
    for (int i = 0; i < 1000; i++)
        assert_true(buf_puts(&text, ",{\"type\":\"text\",\"text\":\"short\"}"));
    assert_true(buf_puts(&text, "]}"));
    assert_int_equal(step_result_init(&arena, text.bytes, text.length, &result, NULL), ERR_NONE);
    json_auto_t *preview = result_preview(&result);
    auto_str printed = json_print(preview);
    assert_string_equal(printed, "{\"content\":[{\"type\":\"text\",\"text\":\"short\"}],"
                                 "\"isError\":true,\"cut\":true}");
}

static void a_result_without_text_has_an_empty_preview(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct step_result result;
    static char text[RESULT_PREVIEW_WHOLE_BYTES + 2];
    memset(text, ' ', sizeof text - 1);
    text[0] = '{';
    text[sizeof text - 2] = '}';
    assert_int_equal(step_result_init(&arena, text, sizeof text - 1, &result, NULL), ERR_NONE);
    json_auto_t *preview = result_preview(&result);
    auto_str printed = json_print(preview);
    assert_string_equal(printed, "{\"content\":[],\"cut\":true}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_is_shown_whole_up_to_the_bound),
        cmocka_unit_test(of_a_longer_one_the_beginning_is_shown),
        cmocka_unit_test(the_first_text_is_found_behind_other_blocks),
        cmocka_unit_test(a_result_without_text_has_an_empty_preview),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
