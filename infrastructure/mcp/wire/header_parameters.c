#include "infrastructure/mcp/wire/header_parameters.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/wire/http_headers.h"
#include <math.h>
#include <string.h>
#include <strings.h>

#define ANNOTATION "x-mcp-header"
/* Beyond it JavaScript would read another number. */
#define LARGEST_INTEGER 9007199254740991

/* The annotations of one schema. */
struct scan {
    const char *names[HEADER_PARAMETERS_MAX];
    size_t n;
};

/* Schemas are values of these, their elements, or the values of their members; everything else
 * that stands in a schema is data. */
static const char *const keywords_with_schemas[] = {
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
};
static const char *const keywords_with_named_schemas[] = {
    "$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties",
};

static bool is_token(const char *text)
{
    static const char characters[] = "!#$%&'*+-.^_`|~0123456789"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    return *text && text[strspn(text, characters)] == '\0';
}

static bool has_fitting_type(const json_t *schema)
{
    const char *type = json_get_string(schema, "type");
    return text_equal(type, "string") || text_equal(type, "integer") || text_equal(type, "boolean");
}

static enum err_code refuse(const char *name, const char *problem, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *shown = text_one_line(&scratch, name, strlen(name), 60);
    return err_set(err, ERR_PROTOCOL, 0, ANNOTATION " \"%s\" %s", shown, problem);
}

static enum err_code add_name(struct scan *scan, const char *name, struct err *err)
{
    for (size_t i = 0; i < scan->n; i++)
        if (strcasecmp(scan->names[i], name) == 0)
            return refuse(name, "stands there twice", err);
    if (scan->n == HEADER_PARAMETERS_MAX)
        return err_set(err, ERR_LIMIT, 0, "more than %d parameters want a header",
                       HEADER_PARAMETERS_MAX);
    scan->names[scan->n++] = name;
    return ERR_NONE;
}

/* is_reached: the schema holds for a parameter of every call that has that parameter. */
static enum err_code take_annotation(struct scan *scan, const json_t *schema, bool is_reached,
                                     struct err *err)
{
    const json_t *annotation = json_object_get(schema, ANNOTATION);
    const char *name = json_string_value(annotation);
    if (!annotation)
        return ERR_NONE;
    if (!name || json_string_has_nul(annotation))
        return err_set(err, ERR_PROTOCOL, 0, ANNOTATION " is not a text");
    if (!is_token(name))
        return refuse(name, "is not a name for a header", err);
    if (!is_reached)
        return refuse(name, "stands where not every call has it", err);
    if (!has_fitting_type(schema))
        return refuse(name, "is of another type than string, integer or boolean", err);
    return add_name(scan, name, err);
}

static enum err_code scan_schema(struct scan *scan, const json_t *schema, bool is_parameter,
                                 bool is_reached, struct err *err);

/* The schemas among the values of an object or array, or the one schema that it is. */
static enum err_code scan_values(struct scan *scan, const json_t *values, bool is_named,
                                 bool is_reached, struct err *err)
{
    enum err_code r = ERR_NONE;
    const char *key;
    json_t *value;
    if (!is_named && json_is_object(values))
        return scan_schema(scan, values, false, is_reached, err);
    for (size_t i = 0; i < json_array_size(values) && r == ERR_NONE; i++)
        r = scan_schema(scan, json_array_get(values, i), false, is_reached, err);
    if (r || !json_is_object(values))
        return r;
    json_each_member (values, key, value) {
        r = scan_schema(scan, value, true, is_reached, err);
        if (r)
            break;
    }
    return r;
}

static enum err_code scan_schema(struct scan *scan, const json_t *schema, bool is_parameter,
                                 bool is_reached, struct err *err)
{
    enum err_code r = take_annotation(scan, schema, is_parameter && is_reached, err);
    if (!r)
        r = scan_values(scan, json_object_get(schema, "properties"), true, is_reached, err);
    for (size_t i = 0; i < ARRAY_LENGTH(keywords_with_schemas) && !r; i++)
        r = scan_values(scan, json_object_get(schema, keywords_with_schemas[i]), false, false, err);
    for (size_t i = 0; i < ARRAY_LENGTH(keywords_with_named_schemas) && !r; i++)
        r = scan_values(scan, json_object_get(schema, keywords_with_named_schemas[i]), true, false,
                        err);
    return r;
}

enum err_code header_parameters_check(const json_t *schema, struct err *err)
{
    struct scan scan = { .n = 0 };
    return scan_schema(&scan, schema, false, true, err);
}

size_t header_parameters_names(const json_t *schema, const char *out[static HEADER_PARAMETERS_MAX])
{
    struct scan scan = { .n = 0 };
    (void)!scan_schema(&scan, schema, false, true, NULL);
    memcpy(out, scan.names, scan.n * sizeof *out);
    return scan.n;
}

struct lines {
    struct arena *arena;
    const char **lines;
    size_t n;
};

/* A whole number whatever its form is, in digits; NULL: none, or too large. */
static const char *digits_of(struct arena *arena, const json_t *value)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || number != trunc(number) || fabs(number) > LARGEST_INTEGER)
        return NULL;
    return arena_printf(arena, "%lld", (long long)number);
}

/* NULL: the value is none of the type that its schema says. */
static const char *value_text(struct arena *arena, const json_t *schema, const json_t *value)
{
    const char *type = json_get_string(schema, "type");
    if (text_equal(type, "integer"))
        return digits_of(arena, value);
    if (text_equal(type, "boolean") && json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    if (!text_equal(type, "string") || !json_is_string(value))
        return NULL;
    return http_header_value(arena, json_string_value(value), json_string_length(value));
}

static enum err_code add_line(struct lines *lines, const json_t *schema, const json_t *value,
                              struct err *err)
{
    const char *name = json_get_string(schema, ANNOTATION);
    const char *text = name ? value_text(lines->arena, schema, value) : NULL;
    if (!text)
        return ERR_NONE;
    if (strlen(text) > HEADER_PARAMETER_MAX_BYTES)
        return err_set(err, ERR_LIMIT, 0,
                       "the server wants \"%.60s\" in a header, and its value is longer than %d "
                       "bytes",
                       name, HEADER_PARAMETER_MAX_BYTES);
    if (lines->n < HEADER_PARAMETERS_MAX)
        lines->lines[lines->n++] =
            arena_printf(lines->arena, HEADER_PARAMETER_PREFIX "%s: %s", name, text);
    return ERR_NONE;
}

/* Along the parameters that a call really has. */
static enum err_code add_lines(struct lines *lines, const json_t *schema, const json_t *value,
                               struct err *err)
{
    enum err_code r = ERR_NONE;
    const char *key;
    json_t *below;
    if (!json_is_object(value))
        return ERR_NONE;
    json_each_member (json_object_get(schema, "properties"), key, below) {
        const json_t *given = json_object_get(value, key);
        r = given ? add_line(lines, below, given, err) : ERR_NONE;
        if (!r && given)
            r = add_lines(lines, below, given, err);
        if (r)
            break;
    }
    return r;
}

enum err_code header_parameters_lines(struct arena *arena, const json_t *schema,
                                      const json_t *arguments, const char *const **out_lines,
                                      size_t *out_n, struct err *err)
{
    struct lines lines = { .arena = arena };
    lines.lines = arena_array(arena, const char *, HEADER_PARAMETERS_MAX);
    enum err_code r = add_lines(&lines, schema, arguments, err);
    if (r)
        return r;
    *out_lines = lines.lines;
    *out_n = lines.n;
    return ERR_NONE;
}
