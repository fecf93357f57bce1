/* Where the values of a JSON text stand. The text was read, so it is known to be right, and its
 * members come in the order in which the value has them: only the ends of things are looked for. */
#include "domain/base/json.h"
#include "infrastructure/config/yaml_internal.h"
#include <string.h>

struct place_reader {
    const char *at;
    size_t line, column;
};

static void skip_byte(struct place_reader *reader)
{
    unsigned char byte = (unsigned char)*reader->at++;
    reader->line += byte == '\n';
    reader->column = byte == '\n' ? 1 : reader->column + ((byte & 0xC0) != 0x80);
}

static void skip_any(struct place_reader *reader, const char *bytes)
{
    while (strchr(bytes, *reader->at))
        skip_byte(reader);
}

static void skip_string(struct place_reader *reader)
{
    skip_byte(reader);
    while (*reader->at != '"') {
        if (*reader->at == '\\')
            skip_byte(reader);
        skip_byte(reader);
    }
    skip_byte(reader);
}

#define BLANKS " \t\r\n"

static json_t *read_place(struct place_reader *reader, const json_t *value);

static json_t *read_array(struct place_reader *reader, const json_t *array)
{
    json_t *children = json_array();
    const json_t *element;
    size_t i;
    json_array_foreach (array, i, element) {
        skip_any(reader, BLANKS ",");
        json_array_append_new(children, read_place(reader, element));
    }
    return children;
}

static json_t *read_object(struct place_reader *reader, const json_t *object)
{
    json_t *children = json_object();
    const char *key;
    const json_t *member;
    json_each_member (object, key, member) {
        skip_any(reader, BLANKS ",");
        struct place_reader at_key = *reader;
        skip_string(reader);
        skip_any(reader, BLANKS ":");
        json_t *place = read_place(reader, member);
        yaml_place_set_key(place, at_key.line, at_key.column);
        json_object_set_new(children, key, place);
    }
    return children;
}

/* Begins at the value and ends behind it. */
static json_t *read_place(struct place_reader *reader, const json_t *value)
{
    struct place_reader start = *reader;
    json_t *children = NULL;
    if (json_is_array(value) || json_is_object(value)) {
        skip_byte(reader);
        children = json_is_array(value) ? read_array(reader, value) : read_object(reader, value);
        skip_any(reader, BLANKS);
        skip_byte(reader);
    } else if (json_is_string(value)) {
        skip_string(reader);
    } else {
        while (!strchr(BLANKS ",]}", *reader->at))
            skip_byte(reader);
    }
    return yaml_place(start.line, start.column, children);
}

json_t *json_places(const char *text, const json_t *value)
{
    struct place_reader reader = { text, 1, 1 };
    skip_any(&reader, BLANKS);
    return read_place(&reader, value);
}
