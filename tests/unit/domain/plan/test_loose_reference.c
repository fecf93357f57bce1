/* References as models write them, and what they become. */
#include "domain/base/json.h"
#include "domain/plan/loose_reference.h"
#include "tests/support/cmocka.h"
#include <string.h>

struct bench {
    struct arena arena;
    const char *changed; /* path of the last string that changed */
};

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){ 0 };
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    arena_finish(&((struct bench *)*state)->arena);
    return 0;
}

static void note(void *context, const char *path)
{
    ((struct bench *)context)->changed = path;
}

/* Read in the third step, behind s1 and "fetch". */
static const json_t *read_with(struct bench *bench, size_t n, bool escapes, const json_t *args)
{
    static const char *const ids[] = { "s1", "fetch" };
    const struct loose_references loose = { &bench->arena, ids, n, escapes, note, bench };
    return loose_references_read(&loose, args);
}

static void becomes(struct bench *bench, const char *text, const char *expected)
{
    json_t *value = arena_keep_json(&bench->arena, json_string(text));
    assert_string_equal(json_string_value(read_with(bench, 2, false, value)), expected);
}

static void a_reference_in_another_notation_is_read(void **state)
{
    becomes(*state, "{{s1.x}}", "{s1.x}");
    becomes(*state, "{{ s1.x }}", "{s1.x}");
    becomes(*state, "{{{s1.x}}}", "{s1.x}");
    becomes(*state, "${s1.x}", "{s1.x}");
    becomes(*state, "${{ s1.x }}", "{s1.x}");
    becomes(*state, "$s1.x", "{s1.x}");
    becomes(*state, "{$s1.x}", "{s1.x}");
    becomes(*state, "{ s1.items[0].id }", "{s1.items[0].id}");
    becomes(*state, "{s1[\"items\"][0]['id']}", "{s1.items[0].id}");
    becomes(*state, "<s1.text>", "{s1.text}");
    becomes(*state, "{step1.x}", "{s1.x}");
    becomes(*state, "{Step_2.x}", "{fetch.x}");
    becomes(*state, "{steps.s1.x}", "{s1.x}");
    becomes(*state, "{steps.fetch.x}", "{fetch.x}");
    becomes(*state, "{result.x}", "{prev_result.x}");
    becomes(*state, "{prev.x}", "{prev_result.x}");
    becomes(*state, "{previous_result.x}", "{prev_result.x}");
    becomes(*state, "<prev_result.x>", "{prev_result.x}");
    becomes(*state, "{{prev_result}}", "{prev_result}");
    becomes(*state, "{s1.items[*]}", "{s1.items}");
    becomes(*state, "{s1.items[]}", "{s1.items}");
    becomes(*state, "{{vars.s1.x}}", "{vars.s1.x}");
    becomes(*state, "s1.text", "{s1.text}");
    becomes(*state, "s1.temp_c", "{s1.temp_c}");
    becomes(*state, "s1.items[999999999].path", "{s1.items[999999999].path}");
    becomes(*state, "s1.items[0].path", "{s1.items[0].path}");
}

static void references_within_a_text_are_read_where_they_stand(void **state)
{
    becomes(*state, "It is {{s1.temp}} in $fetch.city.", "It is {s1.temp} in {fetch.city}.");
    becomes(*state, "{s1.a} and {step2.b}", "{s1.a} and {fetch.b}");
    becomes(*state, "{{s1.a} {{s1.b}}", "{{s1.a} {s1.b}");
}

static void what_may_mean_something_else_stays(void **state)
{
    static const char *const texts[] = {
        "s1.items[0999999999].path",
        "",
        "{",
        "{}",
        "{{}}",
        "{s1.x}",
        "{prev_result.x}",
        "{steps[0].x}",
        "{ \"s1\": 1 }",
        "for (i) { s1; }",
        "[0-9]+",
        "<b>",
        "{name}",
        "{{name}}",
        "{s9.x}",
        "{step9.x}",
        "{step0.x}",
        "{1.x}",
        "{s1.items[*].path}",
        "costs $5.10",
        "$prev.x",
        "$s1 is the first",
        "the {result} of it",
        "<result>",
        "s1.png",
        "see s1.text",
        "{s1.x",
        "{s1.x]",
        "{s1.}",
        "a{{{{s1.x}}}}",
        "<p>{result.name}</p>",
        "\\frac{result}{s1}",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        becomes(*state, texts[i], texts[i]);
}

static void the_first_step_has_none_before_it(void **state)
{
    struct bench *bench = *state;
    static const char *const texts[] = { "{{s1.x}}", "{step1.x}", "{result.x}", "{prev.x}" };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        json_t *value = arena_keep_json(&bench->arena, json_string(texts[i]));
        assert_string_equal(json_string_value(read_with(bench, 0, false, value)), texts[i]);
    }
}

static void doubled_braces_of_a_file_stay(void **state)
{
    struct bench *bench = *state;
    json_t *value = arena_keep_json(&bench->arena, json_string("{{s1.x}} ${s1.x}"));
    assert_string_equal(json_string_value(read_with(bench, 2, true, value)), "{{s1.x}} {s1.x}");
}

static void strings_are_found_wherever_they_are_and_told_by_their_path(void **state)
{
    struct bench *bench = *state;
    json_t *args = NULL;
    const char *text = "{\"a\":[1,{\"b/c\":\"{{s1.x}}\"}],\"d\":null,\"e\":\"{s1.y}\"}";
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &args, NULL), ERR_NONE);
    arena_keep_json(&bench->arena, args);

    const json_t *read = read_with(bench, 2, false, args);

    assert_string_equal(json_print_in(&bench->arena, read),
                        "{\"a\":[1,{\"b/c\":\"{s1.x}\"}],\"d\":null,\"e\":\"{s1.y}\"}");
    assert_string_equal(bench->changed, "/a/1/b~1c");
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_reference_in_another_notation_is_read),
        T(references_within_a_text_are_read_where_they_stand),
        T(what_may_mean_something_else_stays),
        T(the_first_step_has_none_before_it),
        T(doubled_braces_of_a_file_stay),
        T(strings_are_found_wherever_they_are_and_told_by_their_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
