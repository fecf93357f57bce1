#include "domain/schema/schema_shape.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/schema_view.h"
#include <ctype.h>
#include <string.h>

enum { MAX_DEPTH = 3, MAX_MEMBERS = 4 };

struct form {
    const char *names, *words, *example;
};

/* The last word of "outputPath" or "output_path". */
static const char *last_word(const char *name)
{
    size_t at = strlen(name);
    while (at && isalnum((unsigned char)name[at - 1]) &&
           !(isupper((unsigned char)name[at]) && islower((unsigned char)name[at - 1])))
        at--;
    return name + at;
}

/* Texts that are written in a certain way, by their format or by the last word of their name. */
static const struct form *form_of(const json_t *schema, const char *name)
{
    static const struct form forms[] = {
        { " date ", "a date", "2026-01-31" },
        { " date-time datetime timestamp ", "a date with a time", "2026-01-31T09:30:00Z" },
        { " time ", "a time", "09:30" },
        { " email ", "an e-mail address", "ann@example.org" },
        { " uri url link ", "a URL", "https://example.org/" },
        { " path file filename filepath ", "a path", "notes.md" },
        { " folder dir directory ", "a folder", "docs" },
    };
    const char *format = json_get_string(schema, "format");
    const char *said = format ? format : name ? last_word(name) : "";
    for (size_t i = 0; i < ARRAY_LENGTH(forms); i++)
        if (text_is_listed(forms[i].names, said, strlen(said)))
            return &forms[i];
    return NULL;
}

static const json_t *first_not_null(const json_t *root, const json_t *list)
{
    const json_t *one = NULL;
    size_t i;
    json_array_foreach (list, i, one) {
        const json_t *type =
            json_is_string(one) ? one : json_object_get(schema_view_resolve(root, one), "type");
        if (!text_equal(json_string_value(type), "null"))
            break;
    }
    return one;
}

/* The schema, or the first of its alternatives that is not null; *out_type: "" where none is said.
 */
static const json_t *narrowed(const json_t *root, const json_t *schema, const char **out_type)
{
    schema = schema_view_resolve(root, schema);
    const json_t *any = json_object_get(schema, "anyOf");
    any = any ? any : json_object_get(schema, "oneOf");
    if (json_array_size(any))
        schema = schema_view_resolve(root, first_not_null(root, any));
    const json_t *type = json_object_get(schema, "type");
    const char *said = json_string_value(json_is_array(type) ? first_not_null(root, type) : type);
    *out_type = said ? said : json_object_get(schema, "properties") ? "object" : "";
    return schema;
}

static const char *noun(const char *type)
{
    static const char *const nouns[][2] = { { "string", "text" },
                                            { "integer", "whole number" },
                                            { "number", "number" },
                                            { "object", "object" },
                                            { "array", "list" } };
    for (size_t i = 0; i < ARRAY_LENGTH(nouns); i++)
        if (strcmp(nouns[i][0], type) == 0)
            return nouns[i][1];
    return "value";
}

static const char *words_of(struct arena *arena, const json_t *root, const json_t *schema,
                            const struct form *form, const char *type)
{
    const char *pattern = json_get_string(schema, "pattern"), *of;
    const json_t *least = json_object_get(schema, "minimum");
    const json_t *most = json_object_get(schema, "maximum");
    if (strcmp(type, "string") == 0 && (pattern || form))
        return pattern ? arena_printf(arena, "a text that matches %s", pattern) : form->words;
    (void)narrowed(root, json_object_get(schema, "items"), &of);
    if (strcmp(type, "array") == 0 && *of)
        return arena_printf(arena, "a list of %ss", noun(of));
    return arena_printf(arena, "a%s %s%s%s%s%s", *type == 'o' ? "n" : "", noun(type),
                        least ? " from " : "", least ? json_print_in(arena, least) : "",
                        most ? " up to " : "", most ? json_print_in(arena, most) : "");
}

static json_t *example_of(const json_t *root, const json_t *schema, const char *name,
                          unsigned depth);

/* With the members that must be there; where none must, with the first one. */
static json_t *example_object(const json_t *root, const json_t *schema, unsigned depth)
{
    const json_t *properties = json_object_get(schema, "properties"), *one;
    const char *name;
    json_t *object = json_object();
    bool needs_some = json_array_size(json_object_get(schema, "required")) > 0;
    json_each_member (properties, name, one)
        if (json_object_size(object) < (needs_some ? MAX_MEMBERS : 1) &&
            (!needs_some || schema_view_requires(schema, name)))
            json_object_set_new(object, name, example_of(root, one, name, depth + 1));
    return object;
}

/* Owned by the caller; NULL: none can be made. */
static json_t *example_of(const json_t *root, const json_t *schema, const char *name,
                          unsigned depth)
{
    const char *type;
    schema = narrowed(root, schema, &type);
    const json_t *said = json_object_get(schema, "const");
    said = said ? said : json_array_get(json_object_get(schema, "examples"), 0);
    said = said ? said : json_array_get(json_object_get(schema, "enum"), 0);
    said = said ? said : json_object_get(schema, "default");
    bool is_blank = json_is_null(said) || text_equal(json_string_value(said), "");
    if ((said && !is_blank) || depth > MAX_DEPTH)
        return json_share(said);
    if (strcmp(type, "object") == 0)
        return example_object(root, schema, depth);
    if (strcmp(type, "array") == 0)
        return json_pack("[o*]",
                         example_of(root, json_object_get(schema, "items"), name, depth + 1));
    if (strcmp(type, "boolean") == 0)
        return json_true();
    const json_t *least = json_object_get(schema, "minimum");
    if (strcmp(noun(type), "text") != 0 && *type)
        return least ? json_share(least) : json_integer(3);
    const struct form *form = form_of(schema, name);
    return json_object_get(schema, "pattern") ? NULL
                                              : json_string(form ? form->example : "some words");
}

struct schema_shape schema_shape(struct arena *arena, const json_t *root, const json_t *schema,
                                 const char *name)
{
    const char *type;
    const json_t *own = narrowed(root, schema, &type);
    const struct form *form = strcmp(type, "string") == 0 ? form_of(own, name) : NULL;
    json_auto_t *example = example_of(root, schema, name, 0);
    const char *words = words_of(arena, root, own, form, type);
    const char *text =
        json_is_string(example) ? json_string_value(example) : json_print_in(arena, example);
    return (struct schema_shape){
        .words = text_one_line(arena, words, strlen(words), SCHEMA_SHAPE_COLUMNS),
        .example = text ? text_one_line(arena, text, strlen(text), SCHEMA_SHAPE_COLUMNS) : NULL,
        .is_formed = form != NULL,
    };
}
