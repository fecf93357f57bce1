#include "domain/base/json.h"
#include "infrastructure/mock/mock_offerings.h"
#include "tests/support/cmocka.h"
#include <string.h>

static enum err_code open_value(struct mock_fixture *fixture, json_t *value, struct err *err)
{
    enum err_code r = mock_fixture_init(fixture, value, err);
    json_decref(value);
    return r;
}

static enum err_code open_text(struct mock_fixture *fixture, const char *text, struct err *err)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return open_value(fixture, value, err);
}

static const char *text_of(struct mock_fixture *fixture, struct arena *arena, const char *uri)
{
    struct offering_result result;
    if (mock_read_resource(fixture, uri, 0, arena, &result, NULL))
        return NULL;
    return json_get_string(json_array_get(result.items, 0), "text");
}

static void a_template_takes_parts_of_a_uri_and_its_text_has_them(void **state)
{
    struct mock_fixture f;
    AUTO(arena) arena = { 0 };
    (void)state;
    assert_int_equal(open_text(&f,
                               "{\"resource_templates\":[{\"uriTemplate\":\"n:{a}-{b}/c\",\"text\":"
                               "\"{args.b} then {args.a}\"},{\"uriTemplate\":\"m:{x}\"}]}",
                               NULL),
                     ERR_NONE);
    assert_string_equal(text_of(&f, &arena, "n:1-22/c"), "22 then 1");
    assert_string_equal(text_of(&f, &arena, "m:{args.x}"), "");
    assert_null(text_of(&f, &arena, "n:1-22/d"));
    assert_null(text_of(&f, &arena, "n:-22/c"));
    assert_null(text_of(&f, &arena, "n:1-2/2/c"));
    assert_null(text_of(&f, &arena, "n:1-22/cc"));
    assert_null(text_of(&f, &arena, "m:1/2"));
    assert_null(text_of(&f, &arena, "m:"));
    mock_fixture_finish(&f);
}

static void what_is_listed_goes_before_templates_and_is_listed_without_its_content(void **state)
{
    struct mock_fixture f;
    AUTO(arena) arena = { 0 };
    struct offerings found = { .arena = &arena };
    (void)state;
    assert_int_equal(
        open_text(&f,
                  "{\"resource_templates\":[{\"uriTemplate\":\"n:{a}\",\"text\":\"t\"}],"
                  "\"resources\":[{\"uri\":\"n:1\",\"text\":\"listed\",\"size\":6}]}",
                  NULL),
        ERR_NONE);
    assert_string_equal(text_of(&f, &arena, "n:1"), "listed");
    assert_int_equal(mock_offerings_list(&f, OFFERING_RESOURCE, &found, NULL), ERR_NONE);
    assert_int_equal(found.n, 1);
    assert_int_equal(json_get_int(found.list[0].definition, "size", 0), 6);
    assert_null(json_object_get(found.list[0].definition, "text"));
    assert_string_equal(json_get_string(found.list[0].definition, "name"), "n:1");
    assert_true(mock_has_resources(&f));
    assert_false(mock_has_prompts(&f));
    mock_fixture_finish(&f);
}

static void what_arguments_put_into_a_prompt_is_data(void **state)
{
    struct mock_fixture f;
    AUTO(arena) arena = { 0 };
    struct offering_result prompt;
    (void)state;
    json_auto_t *arguments = json_pack("{s:s}", "who", "{args.who}");
    assert_int_equal(open_text(&f,
                               "{\"prompts\":[{\"name\":\"p\",\"description\":\"d\",\"messages\":"
                               "[{\"role\":\"assistant\",\"text\":\"hi {args.who}\"}]}]}",
                               NULL),
                     ERR_NONE);
    assert_int_equal(mock_get_prompt(&f, NULL, &(struct prompt_request){ "p", arguments, NULL },
                                     &arena, &prompt, NULL),
                     ERR_NONE);
    assert_string_equal(prompt.bytes,
                        "{\"description\":\"d\",\"messages\":[{\"role\":\"assistant\",\"content\":{"
                        "\"type\":\"text\",\"text\":\"hi {args.who}\"}}]}");
    mock_fixture_finish(&f);
}

static void names_the_faulty_member_of_a_fixture(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        { "{\"resources\":[{\"name\":\"n\"}]}", "/resources/0/uri: a resource needs one" },
        { "{\"resources\":[{\"uri\":\"a\",\"text\":5}]}", "/resources/0/text: must be text" },
        { "{\"resources\":[{\"uri\":\"a\",\"text\":\"\",\"blob\":\"\"}]}",
          "/resources/0: has both text and blob" },
        { "{\"resource_templates\":[{\"uriTemplate\":\"\"}]}",
          "/resource_templates/0/uriTemplate: a resource template needs one" },
        { "{\"prompts\":[7]}", "/prompts/0: must be a mapping" },
        { "{\"prompts\":[{\"name\":\"p\",\"arguments\":[{\"required\":1}]}]}",
          "/prompts/0/arguments/0/required: must be true or false" },
        { "{\"prompts\":[{\"name\":\"p\",\"messages\":[{\"role\":\"user\"}]}]}",
          "/prompts/0/messages/0: needs one of text and content" },
        { "{\"prompts\":[{\"name\":\"p\",\"messages\":[{\"txt\":\"\"}]}]}",
          "/prompts/0/messages/0/txt: there is no such member in a fixture" },
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct mock_fixture f;
        struct err err = { 0 };
        assert_int_equal(open_text(&f, bad[i].text, &err), ERR_INVALID);
        assert_string_equal(err.message, bad[i].message);
    }
}

static json_t *with_prompts(size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:s}", "name", "p"));
    return json_pack("{s:o}", "prompts", list);
}

static void bounds_how_many_there_are(void **state)
{
    struct mock_fixture f;
    struct err err = { 0 };
    (void)state;
    assert_int_equal(open_value(&f, with_prompts(MOCK_MAX_OFFERINGS), &err), ERR_NONE);
    mock_fixture_finish(&f);
    assert_int_equal(open_value(&f, with_prompts(MOCK_MAX_OFFERINGS + 1), &err), ERR_INVALID);
    assert_string_equal(err.message, "/prompts: more than 1000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_template_takes_parts_of_a_uri_and_its_text_has_them),
        cmocka_unit_test(what_is_listed_goes_before_templates_and_is_listed_without_its_content),
        cmocka_unit_test(what_arguments_put_into_a_prompt_is_data),
        cmocka_unit_test(names_the_faulty_member_of_a_fixture),
        cmocka_unit_test(bounds_how_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
