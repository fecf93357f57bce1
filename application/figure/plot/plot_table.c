#include "application/figure/plot/plot_table.h"
#include "application/figure/plot/plot_builder.h"
#include "application/figure/plot/plot_json.h"
#include "domain/base/csv_reader.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define BINARY_LOOK_BYTES 4096
#define SHOWN_COLUMNS 100

static bool is_blank(const struct csv_field *field)
{
    return strspn(field->text, " \t") == field->length;
}

static bool is_number(const char *text)
{
    double number;
    return text_to_double(text, &number);
}

/* Names stand above the data unless the first line is nothing but numbers. */
static bool has_names(const struct csv_reader *reader)
{
    for (size_t i = 0; i < reader->n_fields; i++)
        if (!is_number(reader->fields[i].text))
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

static bool looks_like_json(const char *bytes, size_t length)
{
    size_t at = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < length && strchr(" \t\r\n", bytes[at]) && bytes[at])
        at++;
    return at < length && (bytes[at] == '{' || bytes[at] == '[');
}

static enum err_code read_json(struct plot_builder *builder, const char *bytes, size_t length)
{
    json_t *value;
    enum err_code r = json_parse(bytes, length, JSON_FOREIGN, &value, builder->err);
    return r ? r : plot_json_read(builder, arena_keep_json(builder->arena, value));
}

static enum err_code read_text(struct plot_builder *builder, const char *bytes, size_t length,
                               size_t max_bytes)
{
    if (length > max_bytes) {
        err_set(builder->err, ERR_LIMIT, 0, "%zu bytes are more than %zu", length, max_bytes);
        return err_hint(builder->err, ERR_LIMIT, "figure.max_data_bytes is the bound");
    }
    if (memchr(bytes, '\0', length < BINARY_LOOK_BYTES ? length : BINARY_LOOK_BYTES))
        return err_set(builder->err, ERR_INVALID, 0, "it is binary, and no table");
    return looks_like_json(bytes, length) ? read_json(builder, bytes, length)
                                          : read_csv(builder, bytes, length);
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
    if (structured && !plot_json_read(&builder, structured) &&
        !plot_builder_finish(&builder, origin, out))
        return ERR_NONE;
    return plot_table_from_text(arena, text, strlen(text), max_bytes, origin, out, err);
}
