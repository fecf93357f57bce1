
#include "application/tools/elicitation_form.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

struct bench {
    struct arena arena;
    struct elicitation_form form;
    struct err err;
    enum err_code code;
};

static json_t *value_of(struct bench *bench, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_FOREIGN, &value, &bench->err), 0);
    return arena_keep_json(&bench->arena, value);
}

static void read_schema(struct bench *bench, const char *schema)
{
    *bench = (struct bench){ 0 };
    bench->code =
        elicitation_form_init(value_of(bench, schema), &bench->arena, &bench->form, &bench->err);
}

static void tear_down(struct bench *bench)
{
    elicitation_form_finish(&bench->form);
    arena_finish(&bench->arena);
}

/* A form of one field "x" with this schema. */
static const struct form_field *read_field(struct bench *bench, const char *schema)
{
    char text[1000];
    snprintf(text, sizeof text, "{\"type\":\"object\",\"properties\":{\"x\":%s}}", schema);
    read_schema(bench, text);
    assert_string_equal(bench->err.message, "");
    assert_int_equal(bench->form.form.n_fields, 1);
    return &bench->form.form.fields[0];
}

static bool accepts(struct bench *bench, const char *answer)
{
    const struct form *form = &bench->form.form;
    return !form->check(form->context, &bench->arena, 0, value_of(bench, answer));
}

static void a_string_is_a_text_with_its_bounds(void **state)
{
    struct bench bench;
    (void)state;
    const struct form_field *field = read_field(
        &bench, "{\"type\":\"string\",\"title\":\"Name\",\"description\":\"in full\",\"minLength\":"
                "2,\"maxLength\":3,\"default\":\"Bo\"}");
    assert_int_equal(field->kind, FORM_TEXT);
    assert_string_equal(field->key, "x");
    assert_string_equal(field->label, "Name");
    assert_string_equal(field->note, "in full (2 to 3 characters)");
    assert_string_equal(json_string_value(field->fallback), "Bo");
    assert_false(field->required);
    assert_false(accepts(&bench, "\"A\""));
    assert_true(accepts(&bench, "\"Äd\""));
    assert_true(accepts(&bench, "\"Ada\""));
    assert_false(accepts(&bench, "\"Adam\""));
    tear_down(&bench);
}

static void the_formats_of_texts_are_checked(void **state)
{
    static const struct {
        const char *format, *good, *bad;
    } cases[] = {
        { "email", "a@b", "a b@c" },
        { "email", "a@b.org", "@b" },
        { "uri", "https://h/x", "h/x" },
        { "uri", "urn:x", "9:x" },
        { "date", "2024-02-29", "2023-02-29" },
        { "date", "2026-11-21", "2026-11-21Z" },
        { "date-time", "2026-11-21T08:15:00Z", "2026-11-21" },
        { "unheard-of", "anything", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(elicitation_format_fits(cases[i].format, cases[i].good));
        if (cases[i].bad)
            assert_false(elicitation_format_fits(cases[i].format, cases[i].bad));
    }
}

static void a_text_that_breaks_its_format_is_not_accepted(void **state)
{
    struct bench bench;
    (void)state;
    const struct form_field *field =
        read_field(&bench, "{\"type\":\"string\",\"format\":\"email\",\"default\":\"nobody\"}");
    assert_string_equal(field->note, "an e-mail address");
    assert_null(field->fallback);
    assert_true(accepts(&bench, "\"a@b.c\""));
    assert_false(accepts(&bench, "\"a.b.c\""));
    tear_down(&bench);
}

static void numbers_have_their_bounds(void **state)
{
    struct bench bench;
    (void)state;
    const struct form_field *field =
        read_field(&bench, "{\"type\":\"integer\",\"minimum\":1,\"maximum\":10,\"default\":10}");
    assert_int_equal(field->kind, FORM_INTEGER);
    assert_string_equal(field->note, "a whole number, 1 to 10");
    assert_int_equal(json_integer_value(field->fallback), 10);
    assert_false(accepts(&bench, "0"));
    assert_true(accepts(&bench, "1"));
    assert_false(accepts(&bench, "11"));
    tear_down(&bench);
    field = read_field(&bench, "{\"type\":\"number\",\"minimum\":0.5}");
    assert_int_equal(field->kind, FORM_NUMBER);
    assert_string_equal(field->note, "a number, at least 0.5");
    assert_true(accepts(&bench, "0.5"));
    assert_false(accepts(&bench, "0.4"));
    tear_down(&bench);
}

static void a_default_that_does_not_fit_is_left_out(void **state)
{
    struct bench bench;
    (void)state;
    assert_null(read_field(&bench, "{\"type\":\"integer\",\"maximum\":1,\"default\":2}")->fallback);
    tear_down(&bench);
}

static void a_truth_value_is_a_yes_or_no(void **state)
{
    struct bench bench;
    (void)state;
    const struct form_field *field = read_field(&bench, "{\"type\":\"boolean\",\"default\":false}");
    assert_int_equal(field->kind, FORM_BOOLEAN);
    assert_true(json_is_false(field->fallback));
    assert_null(field->note);
    tear_down(&bench);
}

static void choices_come_in_three_notations(void **state)
{
    static const struct {
        const char *schema, *title;
    } cases[] = {
        { "{\"type\":\"string\",\"enum\":[\"r\",\"g\"],\"default\":\"g\"}", NULL },
        { "{\"type\":\"string\",\"enum\":[\"r\",\"g\"],\"enumNames\":[\"Red\",\"Green\"],"
          "\"default\":\"g\"}",
          "Green" },
        { "{\"type\":\"string\",\"oneOf\":[{\"const\":\"r\",\"title\":\"Red\"},{\"const\":\"g\","
          "\"title\":\"Green\"}],\"default\":\"g\"}",
          "Green" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;
        const struct form_field *field = read_field(&bench, cases[i].schema);
        assert_int_equal(field->kind, FORM_CHOICE);
        assert_int_equal(field->n_choices, 2);
        assert_string_equal(field->choices[1], "g");
        assert_string_equal(json_string_value(field->fallback), "g");
        if (cases[i].title)
            assert_string_equal(field->titles[1], cases[i].title);
        else
            assert_null(field->titles);
        assert_true(accepts(&bench, "\"r\""));
        assert_false(accepts(&bench, "\"Red\""));
        tear_down(&bench);
    }
}

static void several_choices_come_in_two_notations(void **state)
{
    static const char *const schemas[] = {
        "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"r\",\"g\",\"b\"]},"
        "\"minItems\":1,\"maxItems\":2,\"default\":[\"g\"]}",
        "{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"r\",\"title\":\"Red\"},{\"const\":"
        "\"g\"},{\"const\":\"b\"}]},\"minItems\":1,\"maxItems\":2,\"default\":[\"g\"]}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        struct bench bench;
        const struct form_field *field = read_field(&bench, schemas[i]);
        assert_int_equal(field->kind, FORM_CHOICES);
        assert_int_equal(field->n_choices, 3);
        assert_string_equal(field->note, "1 to 2 of them");
        assert_int_equal(json_array_size(field->fallback), 1);
        assert_false(accepts(&bench, "[]"));
        assert_true(accepts(&bench, "[\"r\",\"b\"]"));
        assert_false(accepts(&bench, "[\"r\",\"g\",\"b\"]"));
        tear_down(&bench);
    }
}

static void what_no_form_has_is_refused_as_a_whole(void **state)
{
    static const char *const schemas[] = {
        "{\"type\":\"array\"}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\"}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"null\"}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":true}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"enum\":[]}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"enum\":[1]}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"oneOf\":[{}]}}}",
        "{\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":\"(\"}}}",
        "{\"type\":\"object\"}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        struct bench bench;
        read_schema(&bench, schemas[i]);
        assert_int_equal(bench.code, ERR_INVALID);
        tear_down(&bench);
    }
}

/* A form of n fields of one kind. */
static enum err_code code_for_fields(unsigned n)
{
    struct bench bench;
    json_auto_t *properties = json_object();
    char key[16];
    for (unsigned i = 0; i < n; i++) {
        snprintf(key, sizeof key, "f%u", i);
        json_object_set_new(properties, key, json_pack("{s:s}", "type", "string"));
    }
    json_auto_t *schema = json_pack("{s:O}", "properties", properties);
    bench = (struct bench){ 0 };
    enum err_code r = elicitation_form_init(schema, &bench.arena, &bench.form, &bench.err);
    tear_down(&bench);
    return r;
}

static enum err_code code_for_choices(unsigned n)
{
    struct bench bench = { 0 };
    json_t *values = json_array();
    for (unsigned i = 0; i < n; i++)
        json_array_append_new(values, json_sprintf("c%u", i));
    json_auto_t *schema =
        json_pack("{s:{s:{s:s, s:o}}}", "properties", "x", "type", "string", "enum", values);
    enum err_code r = elicitation_form_init(schema, &bench.arena, &bench.form, &bench.err);
    tear_down(&bench);
    return r;
}

static void fields_and_choices_are_bounded(void **state)
{
    (void)state;
    assert_int_equal(code_for_fields(ELICITATION_MAX_FIELDS), ERR_NONE);
    assert_int_equal(code_for_fields(ELICITATION_MAX_FIELDS + 1), ERR_LIMIT);
    assert_int_equal(code_for_choices(ELICITATION_MAX_CHOICES), ERR_NONE);
    assert_int_equal(code_for_choices(ELICITATION_MAX_CHOICES + 1), ERR_LIMIT);
}

static void the_answers_are_held_against_the_whole_schema(void **state)
{
    struct bench bench;
    (void)state;
    read_schema(&bench, "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{"
                        "\"type\":\"string\"}},\"required\":[\"b\"],\"minProperties\":2}");
    assert_false(bench.form.form.fields[0].required);
    assert_true(bench.form.form.fields[1].required);
    const json_t *one = value_of(&bench, "{\"b\":\"x\"}");
    assert_int_equal(elicitation_form_check(&bench.form, &bench.arena, one, &bench.err),
                     ERR_INVALID);
    const json_t *both = value_of(&bench, "{\"a\":\"x\",\"b\":\"x\"}");
    assert_int_equal(elicitation_form_check(&bench.form, &bench.arena, both, &bench.err), ERR_NONE);
    tear_down(&bench);
}

static void what_looks_secret_is_not_for_the_log(void **state)
{
    struct bench bench;
    (void)state;
    read_schema(&bench, "{\"properties\":{\"pw\":{\"type\":\"string\",\"title\":\"Password\"},"
                        "\"who\":{\"type\":\"string\"}}}");
    assert_true(bench.form.asks_for_secret);
    json_auto_t *kept = elicitation_form_loggable(
        &bench.form, value_of(&bench, "{\"pw\":\"hunter2\",\"who\":\"Ada\"}"));
    assert_string_equal(json_get_string(kept, "pw"), "[redacted]");
    assert_string_equal(json_get_string(kept, "who"), "Ada");
    tear_down(&bench);
    (void)read_field(&bench, "{\"type\":\"string\"}");
    assert_false(bench.form.asks_for_secret);
    tear_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_is_a_text_with_its_bounds),
        cmocka_unit_test(the_formats_of_texts_are_checked),
        cmocka_unit_test(a_text_that_breaks_its_format_is_not_accepted),
        cmocka_unit_test(numbers_have_their_bounds),
        cmocka_unit_test(a_default_that_does_not_fit_is_left_out),
        cmocka_unit_test(a_truth_value_is_a_yes_or_no),
        cmocka_unit_test(choices_come_in_three_notations),
        cmocka_unit_test(several_choices_come_in_two_notations),
        cmocka_unit_test(what_no_form_has_is_refused_as_a_whole),
        cmocka_unit_test(fields_and_choices_are_bounded),
        cmocka_unit_test(the_answers_are_held_against_the_whole_schema),
        cmocka_unit_test(what_looks_secret_is_not_for_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
