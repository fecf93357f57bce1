#include "application/tools/elicitation_form.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "domain/schema/json_schema.h"
#include "domain/text/redact.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_COLUMNS 80

struct elicitation_field {
    struct json_schema *compiled;
    const char *format; /* or NULL */
    bool is_secret;
};

static const char *shown(struct arena *arena, const char *text)
{
    return text_one_line(arena, text, strlen(text), SHOWN_COLUMNS);
}

/* Whether it is a text that C can hold. */
static bool is_text(const json_t *value)
{
    return json_is_string(value) && !json_string_has_nul(value);
}

/* `enum`, with the old `enumNames` or without. */
static bool read_enum(const json_t *schema, struct arena *arena, struct form_field *field)
{
    const json_t *values = json_object_get(schema, "enum");
    const json_t *names = json_object_get(schema, "enumNames");
    size_t n = json_array_size(values);
    const char **choices = arena_array(arena, const char *, n), **titles = NULL;
    if (json_array_size(names) == n)
        titles = arena_array(arena, const char *, n);
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(values, i), *name = json_array_get(names, i);
        if (!is_text(value))
            return false;
        choices[i] = json_string_value(value);
        if (titles)
            titles[i] = is_text(name) ? json_string_value(name) : choices[i];
    }
    field->choices = choices;
    field->titles = titles;
    field->n_choices = n;
    return n > 0;
}

/* An array of `{const, title}`. */
static bool read_alternatives(const json_t *list, struct arena *arena, struct form_field *field)
{
    size_t n = json_array_size(list);
    const char **choices = arena_array(arena, const char *, n);
    const char **titles = arena_array(arena, const char *, n);
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_object_get(json_array_get(list, i), "const");
        const json_t *title = json_object_get(json_array_get(list, i), "title");
        if (!is_text(value))
            return false;
        choices[i] = json_string_value(value);
        titles[i] = is_text(title) ? json_string_value(title) : choices[i];
    }
    field->choices = choices;
    field->titles = titles;
    field->n_choices = n;
    return n > 0;
}

static bool read_choices(const json_t *schema, struct arena *arena, struct form_field *field)
{
    const json_t *one_of = json_object_get(schema, "oneOf");
    const json_t *any_of = json_object_get(schema, "anyOf");
    if (json_object_get(schema, "enum"))
        return read_enum(schema, arena, field);
    return read_alternatives(one_of ? one_of : any_of, arena, field);
}

static bool has_choices(const json_t *schema)
{
    return json_object_get(schema, "enum") || json_object_get(schema, "oneOf") ||
           json_object_get(schema, "anyOf");
}

/* False: a kind of value that no form has. */
static bool read_kind(const json_t *schema, struct arena *arena, struct form_field *field)
{
    const char *type = json_get_string(schema, "type");
    if (text_equal(type, "array")) {
        field->kind = FORM_CHOICES;
        return read_choices(json_object_get(schema, "items"), arena, field);
    }
    if (has_choices(schema) && (!type || text_equal(type, "string"))) {
        field->kind = FORM_CHOICE;
        return read_choices(schema, arena, field);
    }
    field->kind = text_equal(type, "string")    ? FORM_TEXT
                  : text_equal(type, "integer") ? FORM_INTEGER
                  : text_equal(type, "number")  ? FORM_NUMBER
                                                : FORM_BOOLEAN;
    return field->kind != FORM_BOOLEAN || text_equal(type, "boolean");
}

static bool has_blank(const char *text)
{
    return strpbrk(text, " \t\r\n") != NULL;
}

static bool is_email(const char *text)
{
    const char *at = strrchr(text, '@');
    return at && at != text && at[1] && !has_blank(text);
}

static bool is_uri(const char *text)
{
    size_t scheme =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
    return isalpha((unsigned char)text[0]) && text[scheme] == ':' && text[scheme + 1] &&
           !has_blank(text);
}

static bool is_date_time(const char *text)
{
    int64_t ms;
    return rfc3339_parse(text, &ms);
}

/* A date is what makes a date-time with a time behind it. */
static bool is_date(const char *text)
{
    char whole[sizeof "2026-11-21T00:00:00Z"];
    if (strlen(text) != sizeof "2026-11-21" - 1)
        return false;
    snprintf(whole, sizeof whole, "%sT00:00:00Z", text);
    return is_date_time(whole);
}

static const struct {
    const char *format, *name;
    bool (*fits)(const char *text);
} formats[] = {
    { "email", "an e-mail address", is_email },
    { "uri", "an address such as https://example.org", is_uri },
    { "date", "a date such as 2026-11-21", is_date },
    { "date-time", "a time such as 2026-11-21T08:15:00Z", is_date_time },
};

/* "an e-mail address"; NULL for a format that is not known, which anything fits. */
static const char *format_name(const char *format)
{
    for (size_t i = 0; i < ARRAY_LENGTH(formats); i++)
        if (text_equal(format, formats[i].format))
            return formats[i].name;
    return NULL;
}

bool elicitation_format_fits(const char *format, const char *text)
{
    for (size_t i = 0; i < ARRAY_LENGTH(formats); i++)
        if (text_equal(format, formats[i].format))
            return formats[i].fits(text);
    return true;
}

static const char *bounds_text(struct arena *arena, const json_t *schema, const char *least,
                               const char *most, const char *unit)
{
    const json_t *min = json_object_get(schema, least), *max = json_object_get(schema, most);
    const char *from = json_is_number(min) ? json_print_in(arena, min) : NULL;
    const char *to = json_is_number(max) ? json_print_in(arena, max) : NULL;
    if (from && to)
        return arena_printf(arena, "%s to %s%s", from, to, unit);
    if (from)
        return arena_printf(arena, "at least %s%s", from, unit);
    return to ? arena_printf(arena, "at most %s%s", to, unit) : NULL;
}

static const char *expectation(struct arena *arena, const json_t *schema, enum form_kind kind)
{
    const char *bounds, *name;
    switch (kind) {
    case FORM_TEXT:
        bounds = bounds_text(arena, schema, "minLength", "maxLength", " characters");
        name = format_name(json_get_string(schema, "format"));
        return name && bounds ? arena_printf(arena, "%s, %s", name, bounds) : name ? name : bounds;
    case FORM_INTEGER:
    case FORM_NUMBER:
        name = kind == FORM_INTEGER ? "a whole number" : "a number";
        bounds = bounds_text(arena, schema, "minimum", "maximum", "");
        return bounds ? arena_printf(arena, "%s, %s", name, bounds) : name;
    case FORM_CHOICES:
        return bounds_text(arena, schema, "minItems", "maxItems", " of them");
    case FORM_BOOLEAN:
    case FORM_CHOICE:
        break;
    }
    return NULL;
}

static const char *note_of(struct arena *arena, const json_t *schema, enum form_kind kind)
{
    const char *said = json_get_string(schema, "description");
    const char *expected = expectation(arena, schema, kind);
    if (said && expected)
        return arena_printf(arena, "%s (%s)", said, expected);
    return said ? said : expected;
}

static const char *check_answer(const void *context, struct arena *arena, size_t i,
                                const json_t *answer)
{
    const struct elicitation_form *form = context;
    const struct elicitation_field *field = &form->fields[i];
    struct problems problems = { .arena = arena };
    if (!json_schema_accepts(field->compiled, answer, &problems))
        return problems.n ? problems.list[0].message : "it does not fit";
    if (field->format && !elicitation_format_fits(field->format, json_string_value(answer)))
        return arena_printf(arena, "not %s", format_name(field->format));
    return NULL;
}

static bool is_required(const json_t *schema, const char *key)
{
    const json_t *name;
    size_t i;
    json_array_foreach (json_object_get(schema, "required"), i, name) {
        if (text_equal(json_string_value(name), key))
            return true;
    }
    return false;
}

static enum err_code read_field(struct elicitation_form *form, struct arena *arena, size_t i,
                                struct form_field *field, const json_t *schema, struct err *err)
{
    struct elicitation_field *behind = &form->fields[i];
    const char *title = json_get_string(schema, "title");
    const json_t *fallback = json_object_get(schema, "default");
    const char *key = field->key;
    field->label = title ? title : key;
    if (!json_is_object(schema) || !read_kind(schema, arena, field))
        return err_set(err, ERR_INVALID, 0, "\"%s\" is of a kind that a form cannot have",
                       shown(arena, key));
    if (field->n_choices > ELICITATION_MAX_CHOICES)
        return err_set(err, ERR_LIMIT, 0, "\"%s\" has more than %d choices", shown(arena, key),
                       ELICITATION_MAX_CHOICES);
    enum err_code r = json_schema_compile(schema, NULL, 0, &behind->compiled, err);
    if (r)
        return err_prefix(err, ERR_INVALID, "\"%s\"", shown(arena, key));
    behind->format = field->kind == FORM_TEXT ? json_get_string(schema, "format") : NULL;
    if (behind->format && !format_name(behind->format))
        behind->format = NULL;
    behind->is_secret = redact_is_secret_name(key) || redact_is_secret_name(field->label);
    field->note = note_of(arena, schema, field->kind);
    field->required = is_required(form->schema, key);
    if (fallback && !check_answer(form, arena, i, fallback))
        field->fallback = fallback;
    return ERR_NONE;
}

static enum err_code read_fields(struct elicitation_form *form, struct arena *arena,
                                 struct err *err)
{
    const char *key;
    json_t *member;
    const json_t *properties = json_object_get(form->schema, "properties");
    const char *type = json_get_string(form->schema, "type");
    size_t n = json_object_size(properties);
    if ((type && strcmp(type, "object") != 0) || !json_is_object(properties))
        return err_set(err, ERR_INVALID, 0, "it is not an object with properties");
    if (n > ELICITATION_MAX_FIELDS)
        return err_set(err, ERR_LIMIT, 0, "it has more than %d fields", ELICITATION_MAX_FIELDS);
    struct form_field *fields = arena_array(arena, struct form_field, n);
    form->form.fields = fields;
    form->fields = arena_array(arena, struct elicitation_field, n);
    json_each_member (properties, key, member) {
        size_t i = form->form.n_fields++;
        fields[i].key = key;
        enum err_code r = read_field(form, arena, i, &fields[i], member, err);
        if (r)
            return r;
        form->asks_for_secret |= form->fields[i].is_secret;
    }
    return ERR_NONE;
}

enum err_code elicitation_form_init(const json_t *schema, struct arena *arena,
                                    struct elicitation_form *out, struct err *err)
{
    *out = (struct elicitation_form){ .schema = schema };
    enum err_code r = read_fields(out, arena, err);
    if (r) {
        elicitation_form_finish(out);
        return err_prefix(err, r, "the form");
    }
    out->form.check = check_answer;
    out->form.context = out;
    return ERR_NONE;
}

void elicitation_form_finish(struct elicitation_form *form)
{
    for (size_t i = 0; i < form->form.n_fields; i++)
        json_schema_destroy(form->fields[i].compiled);
    *form = (struct elicitation_form){ 0 };
}

enum err_code elicitation_form_check(const struct elicitation_form *form, struct arena *arena,
                                     const json_t *answers, struct err *err)
{
    struct problems problems = { .arena = arena };
    bool accepts = false;
    enum err_code r = json_schema_check(form->schema, answers, &problems, &accepts, err);
    if (r)
        return err_prefix(err, r, "the form");
    if (accepts)
        return ERR_NONE;
    return err_set(err, ERR_INVALID, 0, "the answers do not fit the form: %s",
                   problems.n ? problem_print(&problems, problems.list) : "no rule says why");
}

json_t *elicitation_form_loggable(const struct elicitation_form *form, const json_t *answers)
{
    json_t *loggable = json_copy((json_t *)(uintptr_t)answers);
    for (size_t i = 0; i < form->form.n_fields; i++) {
        const char *key = form->form.fields[i].key;
        if (form->fields[i].is_secret && json_object_get(loggable, key))
            json_object_set_new(loggable, key, json_string("[redacted]"));
    }
    return loggable;
}
