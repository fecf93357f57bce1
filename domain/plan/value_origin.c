#include "domain/plan/value_origin.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/schema_view.h"
#include <ctype.h>
#include <string.h>

#define WORD_MAX_BYTES 32 /* of one word of a name; a longer one is no word of the lists */
#define WORD_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

#define FORMAL_LANGUAGES                                                                           \
    " sql query expression formula equation regex regexp pattern glob selector xpath jsonpath jq " \
    "cypher graphql script statement "
#define TEXTS                                                                                      \
    " text body content contents message subject title summary description comment caption reply " \
    "answer prompt instructions poem paragraph letter essay story thought markdown html "
#define PROGRAMS " code command program " /* alone; in a compound such as zip_code it is an id */
#define LINKS " to of for in on with from that which as by at " /* behind the head noun */

static bool is_in(const char *list, const char *word)
{
    const char *found = *word ? strstr(list, word) : NULL;
    while (found && (found[-1] != ' ' || found[strlen(word)] != ' '))
        found = strstr(found + 1, word);
    return found;
}

/* The head noun of a name or of the first words of a description, in lower case: the last word
 * before a link, a stop or the end. Words of a name are told by capitals as well as by what is no
 * letter. *out_alone: it is the only word. */
static void find_head(const char *text, char head[WORD_MAX_BYTES], bool *out_alone)
{
    char word[WORD_MAX_BYTES];
    size_t n = 0;
    for (*head = '\0';; n++) {
        size_t length = 0;
        text += strcspn(text, WORD_CHARACTERS ".,;:(");
        for (; isalnum((unsigned char)*text) && length + 1 < sizeof word; text++) {
            if (length && isupper((unsigned char)text[0]) && islower((unsigned char)text[-1]))
                break;
            word[length++] = (char)tolower((unsigned char)*text);
        }
        word[length] = '\0';
        if (length == 0 || is_in(LINKS, word))
            break;
        memcpy(head, word, sizeof word);
    }
    *out_alone = n == 1;
}

enum kind { KIND_GIVEN, KIND_TEXT, KIND_FORMAL };

static enum kind kind_of(const char *text)
{
    char head[WORD_MAX_BYTES];
    bool is_alone;
    find_head(text ? text : "", head, &is_alone);
    if (is_in(FORMAL_LANGUAGES, head))
        return KIND_FORMAL;
    return is_in(TEXTS, head) || (is_alone && is_in(PROGRAMS, head)) ? KIND_TEXT : KIND_GIVEN;
}

static bool has_type(const json_t *schema, const char *name)
{
    const json_t *type = json_object_get(schema, "type");
    bool is_it = text_equal(json_string_value(type), name);
    for (size_t i = 0; i < json_array_size(type); i++)
        is_it = is_it || text_equal(json_string_value(json_array_get(type, i)), name);
    return is_it;
}

static const json_t *schema_of(const struct tool *tool, const char *name)
{
    const json_t *schema = json_object_get(json_object_get(tool->input_schema, "properties"), name);
    return schema_view_resolve(tool->input_schema, schema);
}

static bool is_choice(const json_t *schema)
{
    return json_object_get(schema, "enum") || json_object_get(schema, "const");
}

bool value_is_written(const struct tool *tool, const char *name)
{
    const json_t *schema = schema_of(tool, name), *items = json_object_get(schema, "items");
    const char *format = json_get_string(schema, "format");
    if (has_type(schema, "object") ||
        has_type(schema_view_resolve(tool->input_schema, items), "object"))
        return true;
    if (!has_type(schema, "string") || is_choice(schema) || json_object_get(schema, "pattern") ||
        (format && strcmp(format, "regex") != 0))
        return false;
    enum kind kind = kind_of(name);
    return kind == KIND_FORMAL || (kind == KIND_TEXT && tool->read_only != HINT_YES) ||
           kind_of(json_get_string(schema, "description")) == KIND_FORMAL;
}

static bool stands_in(const char *text, const char *word, size_t length)
{
    for (const char *at = text; *at; at++)
        if (strncasecmp(at, word, length) == 0 && !text_is_word_byte(at[length]) &&
            (at == text || !text_is_word_byte(at[-1])))
            return true;
    return false;
}

static bool is_text_said(const char *value, struct said said)
{
    for (const char *p = value; *p;) {
        size_t length = 0;
        while (text_is_word_byte(p[length]))
            length++;
        bool is_said = length == 0;
        for (size_t i = 0; i < said.n && !is_said; i++)
            is_said = stands_in(said.texts[i], p, length);
        if (!is_said)
            return false;
        p += length + (length == 0);
    }
    return true;
}

static bool is_scalar_said(const json_t *value, struct said said)
{
    char number[64];
    const char *text = json_string_value(value);
    snprintf(number, sizeof number, "%.15g", json_number_value(value));
    if (!text && json_is_number(value))
        text = number;
    return !text || strchr(text, '{') || is_text_said(text, said);
}

bool value_is_said(const struct tool *tool, const char *name, const json_t *value, struct said said)
{
    const json_t *schema = schema_of(tool, name), *usual = json_object_get(schema, "default");
    if (is_choice(schema) || (usual && json_equal(usual, value)) || value_is_written(tool, name))
        return true;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!is_scalar_said(json_array_get(value, i), said))
            return false;
    return is_scalar_said(value, said);
}
