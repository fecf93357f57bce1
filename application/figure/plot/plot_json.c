#include "application/figure/plot/plot_json.h"
#include "domain/base/json.h"
#include <string.h>

static enum err_code no_table(const struct plot_builder *builder)
{
    err_set(builder->err, ERR_INVALID, 0, "this JSON is no table");
    return err_hint(builder->err, ERR_INVALID,
                    "an array of objects is one, also under \"data\", \"rows\" or \"values\"");
}

static const json_t *element(const json_t *array, size_t index)
{
    return json_array_get(array, index);
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
            return err_set(builder->err, ERR_INVALID, 0, "row %zu is no object", i + 1);
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
        const json_t *name = element(names, i);
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
        return err_set(builder->err, ERR_INVALID, 0, "row %zu is no array of at most %zu cells",
                       json_array_size(builder->rows), builder->n_columns);
    json_array_foreach ((json_t *)(uintptr_t)cells, i, value)
        plot_builder_set(row, i, json_share(value));
    return ERR_NONE;
}

/* names: NULL when the first row has them, if it is nothing but text. */
static enum err_code read_arrays(struct plot_builder *builder, const json_t *names,
                                 const json_t *rows)
{
    const json_t *first = element(rows, 0);
    size_t from = !names && all_text(first) && json_array_size(rows) > 1 ? 1 : 0;
    size_t n = names ? json_array_size(names) : json_array_size(first);
    enum err_code r = add_names(builder, from ? first : names, n);
    for (size_t i = from; !r && i < json_array_size(rows); i++)
        r = add_array_row(builder, element(rows, i));
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
    if (json_is_object(element(rows, 0)))
        return read_objects(builder, rows);
    if (json_is_array(element(rows, 0)))
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
            json_is_object(element(value, 0)) || json_is_array(element(value, 0)))
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
            plot_builder_set(row, column, json_share(element(values, i)));
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

enum err_code plot_json_read(struct plot_builder *builder, const json_t *value)
{
    for (int depth = 0; depth <= PLOT_MAX_WRAPPERS; depth++) {
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
