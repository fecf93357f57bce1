#include "domain/base/json.h"
#include "domain/tool/offering.h"
#include "tests/support/cmocka.h"
#include <string.h>

static json_t *parsed(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return value;
}

static enum err_code add(struct offerings *offerings, enum offering_kind kind, const char *text,
                         struct err *err)
{
    json_auto_t *definition = parsed(text);
    return offerings_add(offerings, kind, definition, err);
}

static enum err_code read_result(struct arena *arena, enum offering_kind kind, const char *text,
                                 struct offering_result *out, struct err *err)
{
    json_auto_t *value = parsed(text);
    return offering_result_init(arena, kind, text, strlen(text), value, out, err);
}

static void keeps_what_people_are_shown_and_the_definition_as_it_was(void **state)
{
    AUTO(arena) arena = { 0 };
    struct offerings all = { .arena = &arena };
    (void)state;

    assert_int_equal(add(&all, OFFERING_RESOURCE,
                         "{\"uri\":\"a:1\",\"name\":\"n\",\"title\":\"T\",\"x\":1,"
                         "\"mimeType\":\"text/plain\"}",
                         NULL),
                     ERR_NONE);
    assert_int_equal(add(&all, OFFERING_PROMPT, "{\"name\":\"p\",\"description\":7}", NULL),
                     ERR_NONE);

    assert_int_equal(all.n, 2);
    assert_string_equal(all.list[0].title, "T");
    assert_string_equal(all.list[0].mime_type, "text/plain");
    assert_int_equal(json_get_int(all.list[0].definition, "x", 0), 1);
    assert_string_equal(all.list[1].title, "p");
    assert_string_equal(all.list[1].description, "");
    assert_ptr_equal(offerings_find(&all, OFFERING_PROMPT, "p"), &all.list[1]);
    assert_null(offerings_find(&all, OFFERING_RESOURCE, "p"));
}

static void refuses_what_cannot_be_asked_for(void **state)
{
    static const char *const bad[] = { "{}", "{\"uri\":5}", "{\"uri\":\"\"}",
                                       "{\"uri\":\"a\\u0000b\"}", "[]" };
    AUTO(arena) arena = { 0 };
    struct offerings all = { .arena = &arena };
    struct err err = { 0 };
    (void)state;

    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
        assert_int_equal(add(&all, OFFERING_RESOURCE, bad[i], &err), ERR_PROTOCOL);

    assert_int_equal(all.n, 0);
    assert_string_equal(err.message, "a resource without a uri");
}

static void knows_a_uri_of_a_template_by_what_stands_before_its_first_brace(void **state)
{
    AUTO(arena) arena = { 0 };
    struct offerings all = { .arena = &arena };
    (void)state;
    assert_int_equal(add(&all, OFFERING_TEMPLATE, "{\"uriTemplate\":\"n:/{x}\"}", NULL), ERR_NONE);
    assert_int_equal(add(&all, OFFERING_TEMPLATE, "{\"uriTemplate\":\"{+any}\"}", NULL), ERR_NONE);
    assert_int_equal(add(&all, OFFERING_RESOURCE, "{\"uri\":\"n:/\"}", NULL), ERR_NONE);

    assert_true(offering_template_fits(&all.list[0], "n:/1"));
    assert_false(offering_template_fits(&all.list[0], "m:/1"));
    assert_false(offering_template_fits(&all.list[1], "n:/1"));
    assert_false(offering_template_fits(&all.list[2], "n:/1"));
}

static void keeps_the_bytes_of_a_result_beside_its_parts(void **state)
{
    static const char text[] = "{ \"contents\":[{\"uri\":\"a\",\"text\":\"x\"},{\"blob\":\"\"}]}";
    AUTO(arena) arena = { 0 };
    struct offering_result result;
    (void)state;

    assert_int_equal(read_result(&arena, OFFERING_RESOURCE, text, &result, NULL), ERR_NONE);

    assert_string_equal(result.bytes, text);
    assert_int_equal(result.length, strlen(text));
    assert_int_equal(json_array_size(result.items), 2);
}

static void refuses_a_result_of_another_shape(void **state)
{
    static const struct {
        enum offering_kind kind;
        const char *text, *message;
    } bad[] = {
        { OFFERING_RESOURCE, "[]", "the answer has no array of contents" },
        { OFFERING_RESOURCE, "{\"contents\":{}}", "the answer has no array of contents" },
        { OFFERING_RESOURCE, "{\"contents\":[{\"uri\":\"a\"}]}",
          "contents[0] of the answer is malformed" },
        { OFFERING_PROMPT, "{\"contents\":[]}", "the answer has no array of messages" },
        { OFFERING_PROMPT,
          "{\"messages\":[{\"role\":\"user\",\"content\":{}},{\"role\":\"user\"}]}",
          "messages[1] of the answer is malformed" },
        { OFFERING_PROMPT, "{\"messages\":[{\"content\":{}}]}",
          "messages[0] of the answer is malformed" },
    };
    AUTO(arena) arena = { 0 };
    struct offering_result result;
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct err err = { 0 };
        assert_int_equal(read_result(&arena, bad[i].kind, bad[i].text, &result, &err),
                         ERR_PROTOCOL);
        assert_string_equal(err.message, bad[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_people_are_shown_and_the_definition_as_it_was),
        cmocka_unit_test(refuses_what_cannot_be_asked_for),
        cmocka_unit_test(knows_a_uri_of_a_template_by_what_stands_before_its_first_brace),
        cmocka_unit_test(keeps_the_bytes_of_a_result_beside_its_parts),
        cmocka_unit_test(refuses_a_result_of_another_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
