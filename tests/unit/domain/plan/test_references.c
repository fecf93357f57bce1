
#include "domain/base/json.h"
#include "domain/plan/references.h"
#include "tests/support/cmocka.h"
#include <string.h>

/* A plan of three steps, the values of its variables and the results of the first two steps. */
struct fixture {
    struct arena arena;
    struct step steps[3];
    struct plan plan;
    json_t *vars;
    struct step_result first, second;
    const struct step_result *results[3];
};

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return value;
}

static int open_fixture(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .steps = { { .id = "s1" }, { .id = "fetch" }, { .id = "s3" } } };
    f.plan = (struct plan){ .steps = f.steps, .n_steps = 3 };
    f.vars = arena_keep_json(&f.arena, parse("{\"path\":\"n.md\",\"deep\":{\"n\":7}}"));
    step_result_from_text(&f.arena, "first text",
                          parse("{\"items\":[{\"id\":11},{\"id\":12}],\"ok\":true,\"e\":{}}"),
                          false, &f.first);
    step_result_from_text(&f.arena, "second text", NULL, false, &f.second);
    f.results[0] = &f.first;
    f.results[1] = &f.second;
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    arena_finish(&f->arena);
    return 0;
}

static enum err_code bind(struct fixture *f, const char *args, const json_t **out, struct err *err)
{
    f->steps[2].args = arena_keep_json(&f->arena, parse(args));
    return references_bind(&f->arena, &f->plan, 2, f->vars, f->results, out, err);
}

static void becomes(struct fixture *f, const char *args, const char *expected)
{
    const json_t *bound = NULL;
    struct err err = { 0 };
    assert_int_equal(bind(f, args, &bound, &err), ERR_NONE);
    assert_string_equal(json_print_in(&f->arena, bound), expected);
}

static void fails_with(struct fixture *f, const char *args, const char *message)
{
    const json_t *bound = NULL;
    struct err err = { 0 };
    assert_int_equal(bind(f, args, &bound, &err), ERR_BAD_PLAN);
    assert_string_equal(err.message, message);
    assert_null(bound);
}

static void a_string_that_is_only_a_reference_keeps_the_type(void **state)
{
    becomes(*state, "{\"a\":\"{s1.items[1].id}\",\"b\":\"{s1.ok}\",\"c\":\"{vars.deep}\"}",
            "{\"a\":12,\"b\":true,\"c\":{\"n\":7}}");
    becomes(*state, "[\"{s1.items}\",[\"{fetch}\"]]",
            "[[{\"id\":11},{\"id\":12}],[\"second text\"]]");
}

static void a_result_of_too_many_values_cannot_be_referred_to(void **state)
{
    struct fixture *f = *state;
    const json_t *bound = NULL;
    struct err err = { 0 };
    step_result_limit(&f->first, 8);
    assert_int_equal(bind(f, "[\"{s1.ok}\"]", &bound, &err), ERR_LIMIT);
    assert_string_equal(err.message,
                        "reference {s1.ok}: the result of step s1 has more than 8 JSON "
                        "values (mcp.max_values)");
    becomes(f, "[\"{s1.text}\"]", "[\"first text\"]");
}

static void inside_text_a_value_is_printed(void **state)
{
    becomes(*state, "{\"a\":\"n={s1.items[0].id} at {vars.path}, {vars.deep}!\"}",
            "{\"a\":\"n=11 at n.md, {\\\"n\\\":7}!\"}");
}

static void every_way_to_name_a_step_works(void **state)
{
    becomes(*state, "\"{prev_result}\"", "\"second text\"");
    becomes(*state, "\"{prev_result.text}\"", "\"second text\"");
    becomes(*state, "\"{steps[0].items[0].id}\"", "11");
    becomes(*state, "\"{steps[1]}\"", "\"second text\"");
    becomes(*state, "\"{s1.items.1.id}\"", "12");
    becomes(*state, "\"{s1.text}\"", "\"first text\"");
}

static void a_brace_that_is_no_reference_stays(void **state)
{
    static const char *const texts[] = {
        "\"{\"",
        "\"}\"",
        "\"{}\"",
        "\"{ s1 }\"",
        "\"{user.name}\"",
        "\"{{x}}\"",
        "\"{vars}\"",
        "\"{steps}\"",
        "\"{steps.a}\"",
        "\"{s1.}\"",
        "\"{s1[x]}\"",
        "\"{s1[1}\"",
        "\"{s1 .a}\"",
        "\"{vars[0]}\"",
        "\"a { b\"",
        "\"if (x) {y;}\"",
        "\"{\\\"s1\\\":1}\"",
        "\"{s1[]}\"",
        "\"{s1[1234567890]}\"",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        becomes(*state, texts[i], texts[i]);
}

static void a_doubled_brace_writes_one_where_it_would_be_a_reference(void **state)
{
    becomes(*state, "\"{{s1}}\"", "\"{s1}\"");
    becomes(*state, "\"a {{vars.path}} b\"", "\"a {vars.path} b\"");
    becomes(*state, "\"{{s1} {s1.ok}\"", "\"{s1} true\"");
    becomes(*state, "\"{{{s1}}}\"", "\"{{s1}}\"");
}

static void what_a_reference_asks_for_and_what_is_there_is_said(void **state)
{
    fails_with(*state, "\"{s1.nothing}\"",
               "reference {s1.nothing}: no \"nothing\", there is an object with items, ok, e");
    fails_with(*state, "\"{s1.items[2]}\"",
               "reference {s1.items[2]}: no [2], there is a list of 2");
    fails_with(*state, "\"{s1.e.x}\"", "reference {s1.e.x}: no \"x\", there is an empty object");
    fails_with(*state, "\"x {s1.ok.x}\"", "reference {s1.ok.x}: no \"x\", there is a single value");
    fails_with(*state, "[\"{fetch.x}\"]", "reference {fetch.x}: no \"x\", there is text");
    fails_with(*state, "{\"a\":\"{s3}\"}", "reference {s3}: step s3 gave no result");
    fails_with(*state, "\"{s9}\"", "reference {s9}: there is no such step");
    fails_with(*state, "\"{steps[3]}\"", "reference {steps[3]}: there is no such step");
    fails_with(*state, "\"{vars.none}\"",
               "reference {vars.none}: no \"none\", there is an object with path, deep");
}

static void an_object_with_many_members_is_described_by_a_few(void **state)
{
    struct fixture *f = *state;
    f->vars = arena_keep_json(&f->arena, parse("{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,"
                                               "\"g\":1,\"h\":1,\"i\":null}"));
    fails_with(f, "\"{vars.x}\"",
               "reference {vars.x}: no \"x\", there is an object with a, b, c, "
               "d, e, f, g, h, …");
    fails_with(f, "\"{vars.i.x}\"", "reference {vars.i.x}: no \"x\", there is null");
}

static void values_that_are_no_text_pass_through(void **state)
{
    becomes(*state, "{\"a\":[1,2.5,null,true,\"plain\"],\"b\":\"nul \\u0000 {vars.path}\"}",
            "{\"a\":[1,2.5,null,true,\"plain\"],\"b\":\"nul \\u0000 n.md\"}");
}

static void sixteen_parts_are_a_reference_and_seventeen_are_text(void **state)
{
    fails_with(*state, "\"{s1.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a}\"",
               "reference {s1.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a}: no \"a\", there is an object with "
               "items, ok, e");
    becomes(*state, "\"{s1.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a}\"",
            "\"{s1.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a}\"");
}

static void text_that_grows_beyond_the_limit_is_refused(void **state)
{
    struct fixture *f = *state;
    const size_t mebibyte = 1048576;
    char *large = arena_alloc(&f->arena, mebibyte + 1);
    memset(large, 'x', mebibyte);
    json_t *vars = json_pack("{s:s}", "x", large);
    f->vars = arena_keep_json(&f->arena, vars);
    json_t *args = json_array();
    for (int i = 0; i < 64; i++)
        json_array_append_new(args, json_string("{vars.x}{vars.path}"));
    json_object_set_new(vars, "path", json_string(""));
    f->steps[2].args = arena_keep_json(&f->arena, args);
    const json_t *bound = NULL;
    assert_int_equal(references_bind(&f->arena, &f->plan, 2, f->vars, f->results, &bound, NULL),
                     ERR_NONE);
    json_array_append_new(args, json_string("{vars.x}{vars.path}"));
    assert_int_equal(references_bind(&f->arena, &f->plan, 2, f->vars, f->results, &bound, NULL),
                     ERR_LIMIT);
}

struct seen {
    char text[400];
    size_t stop_after, n;
};

static bool note(void *context, const char *path, const struct reference *reference)
{
    struct seen *seen = context;
    size_t used = strlen(seen->text);
    snprintf(seen->text + used, sizeof seen->text - used, "%s %s %d%s;", path, reference->text,
             reference->step, reference->whole ? " whole" : "");
    return ++seen->n != seen->stop_after;
}

static void visiting_goes_through_all_references_in_order(void **state)
{
    struct fixture *f = *state;
    struct seen seen = { 0 };
    json_t *args = arena_keep_json(
        &f->arena, parse("{\"a\":[\"{s1}\",\"x {fetch.id} {vars.v}\"],\"b/c\":{\"d\":"
                         "\"{prev_result}\"},\"e\":\"{fetc.id}\",\"f\":7,\"g\":\"{fetc}\"}"));
    assert_true(references_visit(&f->arena, &f->plan, 2, args, note, &seen));
    assert_string_equal(seen.text, "/a/0 s1 0 whole;/a/1 fetch.id 1;/a/1 vars.v -1;"
                                   "/b~1c/d prev_result 1 whole;/e fetc.id -1 whole;");
}

static void visiting_stops_when_told(void **state)
{
    struct fixture *f = *state;
    struct seen seen = { .stop_after = 1 };
    json_t *args = arena_keep_json(&f->arena, parse("[{\"a\":\"{s1}\"},\"{s1}\"]"));
    assert_false(references_visit(&f->arena, &f->plan, 2, args, note, &seen));
    assert_int_equal(seen.n, 1);
}

static void the_first_step_has_no_previous_result(void **state)
{
    struct fixture *f = *state;
    struct seen seen = { 0 };
    json_t *args = arena_keep_json(&f->arena, parse("\"{prev_result.x}\""));
    assert_true(references_visit(&f->arena, &f->plan, 0, args, note, &seen));
    assert_string_equal(seen.text, " prev_result.x -1 whole;");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(a_string_that_is_only_a_reference_keeps_the_type),
        T(a_result_of_too_many_values_cannot_be_referred_to),
        T(inside_text_a_value_is_printed),
        T(every_way_to_name_a_step_works),
        T(a_brace_that_is_no_reference_stays),
        T(a_doubled_brace_writes_one_where_it_would_be_a_reference),
        T(what_a_reference_asks_for_and_what_is_there_is_said),
        T(an_object_with_many_members_is_described_by_a_few),
        T(values_that_are_no_text_pass_through),
        T(sixteen_parts_are_a_reference_and_seventeen_are_text),
        T(text_that_grows_beyond_the_limit_is_refused),
        T(visiting_goes_through_all_references_in_order),
        T(visiting_stops_when_told),
        T(the_first_step_has_no_previous_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
