/* A table is read row by row into a plot_builder, which has the bounds: first the shapes that CSV
 * has, then those of JSON, at last which of the two a text is. */
#include "application/figure/plot/plot.h"
#include "application/figure/plot/plot_builder.h"
#include "domain/base/csv_reader.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define BINARY_LOOK_BYTES 4096
#define SHOWN_COLUMNS 100
#define SHOWN_VALUES 3
#define SHOWN_VALUE_COLUMNS 40
#define MAX_WRAPPERS 4 /* objects around the table: {"data":{"values":[…]}} */

static bool is_blank(const struct csv_field *field)
{
    return strspn(field->text, " \t") == field->length;
}

/* Names stand above the data unless the first line is nothing but numbers. */
static bool has_names(const struct csv_reader *reader)
{
    double number;
    for (size_t i = 0; i < reader->n_fields; i++)
        if (!text_to_double(reader->fields[i].text, &number))
            return true;
    return false;
}

static enum err_code add_csv_row(struct plot_builder *builder, const struct csv_reader *reader)
{
    size_t number = json_array_size(builder->rows) + 1;
    json_t *row = plot_builder_add_row(builder);
    if (!row)
        return ERR_LIMIT;
    for (size_t i = 0; i < reader->n_fields; i++) {
        const struct csv_field *field = &reader->fields[i];
        if (i < builder->n_columns)
            plot_builder_set(row, i, plot_builder_text(field->text, field->length));
        else if (!is_blank(field))
            return err_set(builder->err, ERR_INVALID, 0,
                           "row %zu has %zu fields, and there are %zu columns", number,
                           reader->n_fields, builder->n_columns);
    }
    return ERR_NONE;
}

static enum err_code add_csv_columns(struct plot_builder *builder, const struct csv_reader *reader,
                                     bool named)
{
    size_t n = reader->n_fields;
    while (named && n > 1 && is_blank(&reader->fields[n - 1]))
        n--;
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < n; i++)
        r = plot_builder_add_column(builder, reader->fields[i].text,
                                    named ? reader->fields[i].length : 0);
    return r;
}

static enum err_code read_csv(struct plot_builder *builder, const char *bytes, size_t length)
{
    AUTO(csv_reader) reader = { 0 };
    csv_reader_init(&reader, bytes, length, 0);
    builder->decimal_comma = reader.delimiter != ',';
    if (!csv_reader_next(&reader))
        return err_set(builder->err, ERR_INVALID, 0, "there are no rows of data");
    bool named = has_names(&reader);
    enum err_code r = add_csv_columns(builder, &reader, named);
    if (!r && !named)
        r = add_csv_row(builder, &reader);
    while (!r && csv_reader_next(&reader))
        r = add_csv_row(builder, &reader);
    if (!r && reader.has_too_many)
        return err_set(builder->err, ERR_LIMIT, 0, "a row of more than %d fields", CSV_MAX_FIELDS);
    return r;
}

static enum err_code no_table(const struct plot_builder *builder)
{
    err_set(builder->err, ERR_INVALID, 0, "this JSON is not a table");
    return err_hint(builder->err, ERR_INVALID,
                    "an array of objects is one, also under \"data\", \"rows\" or \"values\"");
}

/* The index of the column of that name, which is added when it is new. */
static enum err_code find_or_add(struct plot_builder *builder, const char *member, size_t *out)
{
    const char *key = *member ? member : "unnamed";
    int found = plot_builder_find(builder, key);
    *out = found < 0 ? builder->n_columns : (size_t)found;
    return found < 0 ? plot_builder_add_column(builder, key, strlen(key)) : ERR_NONE;
}

static enum err_code read_objects(struct plot_builder *builder, const json_t *rows)
{
    size_t i, column;
    json_t *object, *value;
    const char *key;
    json_array_foreach ((json_t *)(uintptr_t)rows, i, object) {
        json_t *row = plot_builder_add_row(builder);
        if (!row)
            return ERR_LIMIT;
        if (!json_is_object(object))
            return err_set(builder->err, ERR_INVALID, 0, "row %zu is not an object", i + 1);
        json_each_member (object, key, value) {
            enum err_code r = find_or_add(builder, key, &column);
            if (r)
                return r;
            plot_builder_set(row, column, json_share(value));
        }
    }
    return ERR_NONE;
}

static bool all_text(const json_t *array)
{
    size_t i;
    json_t *value;
    json_array_foreach ((json_t *)(uintptr_t)array, i, value)
        if (!json_is_string(value))
            return false;
    return json_array_size(array) > 0;
}

/* Names from an array of them; where there are none, "column 1" and so on. */
static enum err_code add_names(struct plot_builder *builder, const json_t *names, size_t n)
{
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < n; i++) {
        const json_t *name = json_array_get(names, i);
        const char *text =
            json_is_object(name) ? json_get_string(name, "name") : json_string_value(name);
        r = plot_builder_add_column(builder, text ? text : "", text ? strlen(text) : 0);
    }
    return r;
}

static enum err_code add_array_row(struct plot_builder *builder, const json_t *cells)
{
    size_t i;
    json_t *value;
    json_t *row = plot_builder_add_row(builder);
    if (!row)
        return ERR_LIMIT;
    if (!json_is_array(cells) || json_array_size(cells) > builder->n_columns)
        return err_set(builder->err, ERR_INVALID, 0, "row %zu is not an array of at most %zu cells",
                       json_array_size(builder->rows), builder->n_columns);
    json_array_foreach ((json_t *)(uintptr_t)cells, i, value)
        plot_builder_set(row, i, json_share(value));
    return ERR_NONE;
}

/* names: NULL when the first row has them, if it is nothing but text. */
static enum err_code read_arrays(struct plot_builder *builder, const json_t *names,
                                 const json_t *rows)
{
    const json_t *first = json_array_get(rows, 0);
    size_t from = !names && all_text(first) && json_array_size(rows) > 1 ? 1 : 0;
    size_t n = names ? json_array_size(names) : json_array_size(first);
    enum err_code r = add_names(builder, from ? first : names, n);
    for (size_t i = from; !r && i < json_array_size(rows); i++)
        r = add_array_row(builder, json_array_get(rows, i));
    return r;
}

static enum err_code read_values(struct plot_builder *builder, const json_t *values)
{
    size_t i;
    json_t *value;
    enum err_code r = plot_builder_add_column(builder, "value", strlen("value"));
    json_array_foreach ((json_t *)(uintptr_t)values, i, value) {
        json_t *row = r ? NULL : plot_builder_add_row(builder);
        if (!row)
            return ERR_LIMIT;
        plot_builder_set(row, 0, json_share(value));
    }
    return r;
}

static enum err_code read_rows(struct plot_builder *builder, const json_t *names,
                               const json_t *rows)
{
    if (json_is_object(json_array_get(rows, 0)))
        return read_objects(builder, rows);
    if (json_is_array(json_array_get(rows, 0)))
        return read_arrays(builder, names, rows);
    return json_array_size(rows) ? read_values(builder, rows) : no_table(builder);
}

/* {"year":[2024,2025],"rain":[612,588]} */
static bool is_columnar(const json_t *object)
{
    const char *key;
    json_t *value;
    size_t length = SIZE_MAX;
    json_each_member (object, key, value) {
        size_t n = json_array_size(value);
        if (!json_is_array(value) || !n || (length != SIZE_MAX && n != length) ||
            json_is_object(json_array_get(value, 0)) || json_is_array(json_array_get(value, 0)))
            return false;
        length = n;
    }
    return length != SIZE_MAX;
}

static enum err_code read_columnar(struct plot_builder *builder, const json_t *object)
{
    const char *key;
    json_t *values;
    size_t column = 0;
    json_each_member (object, key, values) {
        enum err_code r = plot_builder_add_column(builder, key, strlen(key));
        for (size_t i = 0; !r && i < json_array_size(values); i++) {
            json_t *row = column ? json_array_get(builder->rows, i) : plot_builder_add_row(builder);
            if (!row)
                return ERR_LIMIT;
            plot_builder_set(row, column, json_share(json_array_get(values, i)));
        }
        if (r)
            return r;
        column++;
    }
    return ERR_NONE;
}

/* The member in which an object keeps its rows, or NULL. */
static const json_t *wrapped(const json_t *object)
{
    static const char *const names[] = { "data",    "rows",  "values",  "records",
                                         "results", "items", "content", "result" };
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        const json_t *member = json_object_get(object, names[i]);
        if (json_is_array(member) || json_is_object(member))
            return member;
    }
    return NULL;
}

/* Finds the table in a value of JSON. ERR_INVALID: there is none. */
static enum err_code read_value(struct plot_builder *builder, const json_t *value)
{
    for (int depth = 0; depth <= MAX_WRAPPERS; depth++) {
        const json_t *names = json_object_get(value, "columns");
        const json_t *inner = json_is_object(value) ? wrapped(value) : NULL;
        if (json_is_array(value))
            return read_rows(builder, NULL, value);
        if (json_is_array(names) && json_is_array(inner))
            return read_rows(builder, names, inner);
        if (is_columnar(value))
            return read_columnar(builder, value);
        if (!inner)
            return no_table(builder);
        value = inner;
    }
    return no_table(builder);
}

static bool looks_like_json(const char *bytes, size_t length)
{
    size_t at = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < length && strchr(" \t\r\n", bytes[at]) && bytes[at])
        at++;
    return at < length && (bytes[at] == '{' || bytes[at] == '[');
}

static enum err_code read_text(struct plot_builder *builder, const char *bytes, size_t length,
                               size_t max_bytes)
{
    if (length > max_bytes) {
        err_set(builder->err, ERR_LIMIT, 0, "%zu bytes are more than %zu", length, max_bytes);
        return err_hint(builder->err, ERR_LIMIT, "figure.max_data_bytes is the bound");
    }
    if (memchr(bytes, '\0', length < BINARY_LOOK_BYTES ? length : BINARY_LOOK_BYTES))
        return err_set(builder->err, ERR_INVALID, 0, "it is binary, not a table");
    if (!looks_like_json(bytes, length))
        return read_csv(builder, bytes, length);
    json_t *value;
    enum err_code r = json_parse(bytes, length, JSON_FOREIGN, &value, builder->err);
    return r ? r : read_value(builder, arena_keep_json(builder->arena, value));
}

static const char *shown(struct arena *arena, const char *text)
{
    return text_one_line(arena, text, strlen(text), SHOWN_COLUMNS);
}

enum err_code plot_table_from_text(struct arena *arena, const char *bytes, size_t length,
                                   size_t max_bytes, const char *origin, struct plot_data *out,
                                   struct err *err)
{
    struct plot_builder builder;
    plot_builder_init(&builder, arena, err);
    enum err_code r = read_text(&builder, bytes, length, max_bytes);
    if (!r)
        r = plot_builder_finish(&builder, origin, out);
    return r ? err_prefix(err, r, "%s", shown(arena, origin)) : ERR_NONE;
}

enum err_code plot_table_from_result(struct arena *arena, const struct step_result *result,
                                     size_t max_bytes, const char *origin, struct plot_data *out,
                                     struct err *err)
{
    struct plot_builder builder;
    const json_t *structured = step_result_structured(result);
    const char *text = step_result_text(arena, result);
    if (result->is_error)
        return err_set(err, ERR_FAILED, 0, "%s: the tool failed: %s", shown(arena, origin),
                       shown(arena, text));
    if (result->length > max_bytes)
        return err_hint(err,
                        err_set(err, ERR_LIMIT, 0, "%s: %zu bytes are more than %zu",
                                shown(arena, origin), result->length, max_bytes),
                        "figure.max_data_bytes is the bound");
    plot_builder_init(&builder, arena, err);
    if (structured && !read_value(&builder, structured) &&
        !plot_builder_finish(&builder, origin, out))
        return ERR_NONE;
    return plot_table_from_text(arena, text, strlen(text), max_bytes, origin, out, err);
}

/* "- "city": text, such as "Oslo", "Rome", "Bergen"" */
static bool add_column(struct buf *out, struct arena *arena, const struct plot_data *data, size_t i)
{
    const json_t *values[SHOWN_VALUES];
    size_t n = plot_data_values(data, i, values, SHOWN_VALUES);
    bool fits = buf_printf(out, "- \"%s\": %s", data->columns[i].name,
                           data->columns[i].is_number ? "number" : "text");
    for (size_t k = 0; k < n && fits; k++) {
        const char *value = json_print_in(arena, values[k]);
        fits = buf_printf(out, "%s%s", k ? ", " : ", such as ",
                          text_one_line(arena, value, strlen(value), SHOWN_VALUE_COLUMNS));
    }
    return fits && buf_puts(out, "\n");
}

const char *plot_data_in_words(struct arena *arena, const struct plot_data *data)
{
    AUTO(buf) out;
    buf_init(&out, SIZE_MAX);
    for (size_t i = 0; i < data->n_columns && add_column(&out, arena, data, i);)
        i++;
    return arena_strdup(arena, buf_string(&out));
}
