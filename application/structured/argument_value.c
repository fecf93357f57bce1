#include "application/structured/argument_value.h"
#include "application/structured/extract.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include "domain/schema/schema_view.h"
#include <ctype.h>
#include <string.h>

bool argument_takes(const json_t *schema, const char *type)
{
    const json_t *types = json_object_get(schema, "type");
    for (size_t i = 0; i < json_array_size(types); i++)
        if (text_equal(json_string_value(json_array_get(types, i)), type))
            return true;
    return text_equal(json_string_value(types), type);
}

void argument_note(struct argument_notes *notes, const char *path, const char *change)
{
    if (!notes || !notes->list || json_array_size(notes->list) >= ARGUMENT_NOTES_MAX)
        return;
    json_array_append_new(notes->list, json_pack("{s:s*, s:s, s:s}", "step", notes->step, "path",
                                                 path, "change", change));
}

static const char *trimmed(struct arena *arena, const char *text)
{
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[0]))
        text++, length--;
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return arena_strndup(arena, text, length);
}

/* "2,5" with a point; three digits behind a comma may be thousands. */
static const char *with_point(struct arena *arena, const char *text)
{
    const char *comma = strchr(text, ',');
    char *copy = arena_strdup(arena, text);
    if (comma && comma > text && strlen(comma + 1) != 3)
        copy[comma - text] = '.';
    return copy;
}

/* Owned by the caller; NULL when the text is not such a number. */
static json_t *number_from(struct arena *arena, const json_t *schema, const char *text)
{
    int64_t whole = text_number_word(text, strlen(text));
    double number;
    bool is_number = argument_takes(schema, "number");
    if ((is_number || argument_takes(schema, "integer")) &&
        (whole >= 0 || text_to_int64(text, &whole)))
        return json_integer(whole);
    return is_number && text_to_double(with_point(arena, text), &number) ? json_real(number) : NULL;
}

static json_t *truth_from(const json_t *schema, const char *text)
{
    if (argument_takes(schema, "boolean") && strcasecmp(text, "true") == 0)
        return json_true();
    if (argument_takes(schema, "boolean") && strcasecmp(text, "false") == 0)
        return json_false();
    return NULL;
}

/* The one choice that is this text but for its case and the marks around it; NULL when there is
 * none, or several, or the text itself is one. Borrowed. */
static const json_t *same_choice(const json_t *choices, const char *text)
{
    static const char marks[] = ".!,;:*\"'`";
    const json_t *found = NULL;
    const char *word = text + strspn(text, marks);
    size_t length = strlen(word);
    while (length && strchr(marks, word[length - 1]))
        length--;
    for (size_t i = 0; i < json_array_size(choices); i++) {
        const char *choice = json_string_value(json_array_get(choices, i));
        if (!choice || strlen(choice) != length || strncasecmp(choice, word, length) != 0)
            continue;
        if (found || strcmp(choice, text) == 0)
            return NULL;
        found = json_array_get(choices, i);
    }
    return found;
}

/* Owned by the caller; NULL when the text stays one. */
static json_t *from_text(struct arena *arena, const json_t *schema, const char *text,
                         const char **out_change)
{
    const char *word = trimmed(arena, text);
    const json_t *choices = json_object_get(schema, "enum");
    const json_t *choice = same_choice(choices, word);
    *out_change = "case of a choice";
    if (choice || choices)
        return choice ? json_share(choice) : NULL;
    if (argument_takes(schema, "string"))
        return NULL;
    json_t *number = number_from(arena, schema, word);
    *out_change = number ? "text to number" : "text to true or false";
    return number ? number : truth_from(schema, word);
}

static const json_t *alternatives_of(const json_t *schema)
{
    const json_t *any = json_object_get(schema, "anyOf");
    return any ? any : json_object_get(schema, "oneOf");
}

static bool takes_text(const json_t *alternatives)
{
    for (size_t i = 0; i < json_array_size(alternatives); i++) {
        const json_t *one = json_array_get(alternatives, i);
        if (argument_takes(one, "string") && !json_object_get(one, "enum"))
            return true;
    }
    return false;
}

/* "integer or null" is written as alternatives by many servers. */
static json_t *convert_text(struct arena *arena, const json_t *schema, const char *text,
                            const char **out_change)
{
    const json_t *alternatives = alternatives_of(schema);
    json_t *converted = NULL;
    if (!alternatives)
        return from_text(arena, schema, text, out_change);
    if (takes_text(alternatives))
        return NULL;
    for (size_t i = 0; !converted && i < json_array_size(alternatives); i++)
        converted = from_text(arena, json_array_get(alternatives, i), text, out_change);
    return converted;
}

static bool is_reference(const char *text)
{
    size_t length = strlen(text);
    return length > 2 && text[0] == '{' && text[length - 1] == '}';
}

const json_t *argument_from_text(struct arena *arena, const json_t *text)
{
    const char *first = json_string_value(text);
    first = first ? first + strspn(first, " \t\r\n") : "";
    if (!*first || !strchr("{[", *first) || json_string_has_nul(text))
        return NULL;
    struct extraction found = extract_value(arena, first, strlen(first));
    return found.kind == EXTRACT_WHOLE ? found.value : NULL;
}

/* The object or the list that the schema wants and the text says. */
static const json_t *structure_from(struct arena *arena, const json_t *schema, const json_t *value)
{
    bool wants_object = argument_takes(schema, "object"),
         wants_list = argument_takes(schema, "array");
    if ((!wants_object && !wants_list) || argument_takes(schema, "string"))
        return NULL;
    const json_t *said = argument_from_text(arena, value);
    return json_is_object(said) ? (wants_object ? said : NULL) : wants_list ? said : NULL;
}

/* What stands for null where none may be; NULL: nothing does. Owned by the caller. */
static json_t *instead_of_null(const json_t *schema)
{
    bool takes_null = argument_takes(schema, "null");
    if (!takes_null && argument_takes(schema, "array"))
        return json_array();
    return !takes_null && argument_takes(schema, "object") ? json_object() : NULL;
}

static json_t *fit_text(struct arena *arena, const json_t *schema, const char *path,
                        const json_t *value, struct argument_notes *notes)
{
    const char *change = "", *text = json_string_value(value);
    json_t *converted =
        json_string_has_nul(value) ? NULL : convert_text(arena, schema, text, &change);
    if (converted)
        argument_note(notes, path, change);
    return converted ? converted : json_share(value);
}

static json_t *fit_elements(struct arena *arena, const json_t *schema, const char *path,
                            const json_t *list, struct argument_notes *notes)
{
    const json_t *items = json_object_get(schema, "items");
    json_t *fitted = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *at = json_path_element(arena, path, i);
        json_array_append_new(fitted,
                              argument_fit(arena, items, at, json_array_get(list, i), notes));
    }
    return fitted;
}

static json_t *fit_members(struct arena *arena, const json_t *schema, const char *path,
                           const json_t *object, struct argument_notes *notes)
{
    const json_t *properties = json_object_get(schema, "properties");
    json_t *fitted = json_object();
    const char *key;
    json_t *member;
    json_each_member (object, key, member) {
        const char *at = json_path_member(arena, path, key);
        const json_t *one = json_object_get(properties, key);
        json_t *value = argument_fit(arena, one, at, member, notes);
        bool is_idle = json_is_null(value) && json_object_get(one, "type") &&
                       !argument_takes(one, "null") && !schema_view_requires(schema, key);
        if (is_idle)
            json_decref(value);
        else
            json_object_set_new(fitted, key, value);
    }
    return fitted;
}

static bool wants_list_of(const json_t *schema, const json_t *scalar)
{
    const json_t *items = json_object_get(schema, "items");
    bool changes_twice = json_is_number(scalar) && argument_takes(items, "string");
    return text_equal(json_get_string(schema, "type"), "array") && !json_is_null(scalar) &&
           !changes_twice && !(json_is_string(scalar) && is_reference(json_string_value(scalar)));
}

static json_t *list_of(struct arena *arena, const json_t *schema, const char *path,
                       const json_t *scalar, struct argument_notes *notes)
{
    const json_t *items = json_object_get(schema, "items");
    json_t *list = json_array();
    argument_note(notes, path, "one value to a list");
    json_array_append_new(list, argument_fit(arena, items, path, scalar, notes));
    return list;
}

/* The value in a list of one where no list is taken; NULL when it is not so. */
static const json_t *only_element(const json_t *schema, const json_t *value)
{
    const char *type = json_get_string(schema, "type");
    bool takes_lists = !type || strcmp(type, "array") == 0 || strcmp(type, "object") == 0;
    return takes_lists || json_array_size(value) != 1 ? NULL : json_array_get(value, 0);
}

json_t *argument_fit(struct arena *arena, const json_t *schema, const char *path,
                     const json_t *value, struct argument_notes *notes)
{
    if (!schema)
        return json_share(value);
    const json_t *said = structure_from(arena, schema, value), *only = only_element(schema, value);
    if (only) {
        argument_note(notes, path, "a list of one to its value");
        return argument_fit(arena, schema, path, only, notes);
    }
    json_t *other = json_is_null(value) ? instead_of_null(schema) : NULL;
    if (json_is_integer(value) && text_equal(json_get_string(schema, "type"), "string"))
        other = json_string(json_print_in(arena, value));
    if (said || other)
        argument_note(notes, path, said ? "text to what it says" : "type of a value");
    if (other)
        return other;
    value = said ? said : value;
    if (json_is_array(value))
        return fit_elements(arena, schema, path, value, notes);
    if (json_is_object(value))
        return fit_members(arena, schema, path, value, notes);
    if (wants_list_of(schema, value))
        return list_of(arena, schema, path, value, notes);
    return json_is_string(value) ? fit_text(arena, schema, path, value, notes) : json_share(value);
}
