
#include "domain/base/json.h"
#include "domain/tool/step_result.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

static int open_arena(void **state)
{
    static struct arena arena;
    *state = &arena;
    return 0;
}

static int close_arena(void **state)
{
    arena_finish(*state);
    return 0;
}

static enum err_code read(struct arena *arena, const char *text, struct step_result *out,
                          struct err *err)
{
    return step_result_init(arena, text, strlen(text), out, err);
}

static const char *data_of(struct arena *arena, const char *text)
{
    struct step_result result = { 0 };
    assert_int_equal(read(arena, text, &result, NULL), ERR_NONE);
    return json_print_in(arena, step_result_data(arena, &result));
}

static void a_result_keeps_the_bytes_of_the_server(void **state)
{
    struct step_result result = { 0 };
    const char *text = "{ \"content\" : [ ], \"isError\" : true }";
    assert_int_equal(read(*state, text, &result, NULL), ERR_NONE);
    assert_string_equal(result.bytes, text);
    assert_int_equal(result.length, strlen(text));
    assert_true(result.is_error);
    assert_null(step_result_structured(&result));
}

static void a_result_of_too_many_values_keeps_its_bytes(void **state)
{
    static const char *const texts[] = {
        "{\"content\":[],\"structuredContent\":[1,2,3]}",
        "{\"content\":[{\"type\":\"text\",\"text\":\"[1,2,3]\"}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct step_result result = { 0 };
        assert_int_equal(read(*state, texts[i], &result, NULL), ERR_NONE);
        step_result_limit(&result, 4);
        assert_null(step_result_data(*state, &result));
        assert_null(step_result_value(&result));
        assert_string_equal(result.bytes, texts[i]);
        step_result_limit(&result, 5);
        assert_non_null(step_result_data(*state, &result));
    }
}

static void a_missing_content_is_an_empty_one(void **state)
{
    struct step_result result = { 0 };
    assert_int_equal(read(*state, "{}", &result, NULL), ERR_NONE);
    assert_true(json_is_array(step_result_content(&result)));
    assert_string_equal(step_result_text(*state, &result), "");
    assert_false(result.is_error);
}

static void results_of_the_wrong_shape_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "[]", "the result of a tool is not an object" },
        { "{\"content\":{}}", "content is not an array" },
        { "{\"isError\":1}", "isError is not a boolean" },
        { "{\"content\":[7]}", "content block 0 has no type" },
        { "{\"content\":[{\"type\":\"image\"},{\"type\":\"text\"}]}", "text block 1 has no text" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct step_result result = { 0 };
        struct err err = { 0 };
        assert_int_equal(read(*state, cases[i].text, &result, &err), ERR_PROTOCOL);
        assert_string_equal(err.message, cases[i].message);
    }
}

static void text_blocks_are_joined_by_newlines(void **state)
{
    struct step_result result = { 0 };
    assert_int_equal(read(*state,
                          "{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\"},"
                          "{\"type\":\"text\",\"text\":\"b\"}]}",
                          &result, NULL),
                     ERR_NONE);
    assert_string_equal(step_result_text(*state, &result), "a\nb");
    assert_string_equal(json_string_value(step_result_data(*state, &result)), "a\nb");
}

static void structured_content_is_the_data_even_when_it_is_null(void **state)
{
    assert_string_equal(
        data_of(*state, "{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"structuredContent\":"
                        "{\"n\":1}}"),
        "{\"n\":1}");
    assert_string_equal(data_of(*state, "{\"structuredContent\":null}"), "null");
}

static void a_single_text_that_is_an_object_or_array_is_parsed(void **state)
{
    assert_string_equal(
        data_of(*state, "{\"content\":[{\"type\":\"text\",\"text\":\" {\\\"n\\\":[1]}\"}]}"),
        "{\"n\":[1]}");
    assert_string_equal(data_of(*state, "{\"content\":[{\"type\":\"text\",\"text\":\"[1]\"}]}"),
                        "[1]");
    assert_string_equal(data_of(*state, "{\"content\":[{\"type\":\"text\",\"text\":\"12\"}]}"),
                        "\"12\"");
    assert_string_equal(data_of(*state, "{\"content\":[{\"type\":\"text\",\"text\":\"{no\"}]}"),
                        "\"{no\"");
}

static void a_result_of_our_own_reads_like_a_servers(void **state)
{
    struct step_result result = { 0 };
    step_result_from_text(*state, "done", json_pack("{s:i}", "n", 1), true, &result);
    assert_string_equal(result.bytes, "{\"content\":[{\"type\":\"text\",\"text\":\"done\"}],"
                                      "\"structuredContent\":{\"n\":1},\"isError\":true}");
    assert_true(result.is_error);
    assert_string_equal(step_result_text(*state, &result), "done");
}

static void text_of_our_own_that_is_no_utf8_is_escaped(void **state)
{
    struct step_result result = { 0 };
    step_result_from_text(*state, "caf\xe9", NULL, false, &result);
    assert_string_equal(step_result_text(*state, &result), "caf\\xe9");
}

static void blocks_without_text_are_shown_by_what_they_are(void **state)
{
    struct step_result result = { 0 };
    assert_int_equal(
        read(*state,
             "{\"content\":[{\"type\":\"text\",\"text\":\"hello\"},"
             "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"aGVsbG8=\"},"
             "{\"type\":\"audio\",\"data\":\"?\"},{\"type\":\"image\",\"data\":\"\"},"
             "{\"type\":\"resource_link\",\"uri\":\"file:///a\\n\",\"name\":\"a\"},"
             "{\"type\":\"resource\",\"resource\":{\"uri\":\"u\",\"text\":\"inside\"}}]}",
             &result, NULL),
        ERR_NONE);
    assert_string_equal(step_result_shown(*state, &result),
                        "hello\n[image/png 5 bytes]\n[application/octet-stream unreadable bytes]\n"
                        "[application/octet-stream 0 bytes]\n[file:///a\\n]\ninside");
    assert_string_equal(step_result_text(*state, &result), "hello");
    size_t length = 0;
    char *bytes = step_result_bytes(&result, &length);
    assert_int_equal(length, 5);
    assert_memory_equal(bytes, "hello", 5);
    free(bytes);
    assert_int_equal(read(*state, "{}", &result, NULL), ERR_NONE);
    assert_string_equal(step_result_shown(*state, &result), "");
    assert_null(step_result_bytes(&result, &length));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
    const struct CMUnitTest tests[] = {
        T(a_result_keeps_the_bytes_of_the_server),
        T(a_result_of_too_many_values_keeps_its_bytes),
        T(a_missing_content_is_an_empty_one),
        T(results_of_the_wrong_shape_are_refused),
        T(text_blocks_are_joined_by_newlines),
        T(structured_content_is_the_data_even_when_it_is_null),
        T(a_single_text_that_is_an_object_or_array_is_parsed),
        T(a_result_of_our_own_reads_like_a_servers),
        T(text_of_our_own_that_is_no_utf8_is_escaped),
        T(blocks_without_text_are_shown_by_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
