/* Cells are kept as they come, as text or numbers, until the table is complete: only then it shows
 * whether a column consists of numbers, and its cells become one or the other. */
#include "application/figure/plot/plot_builder.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define MAX_NUMBER_BYTES 40 /* longer text is not taken for a number */
#define REPLACEMENT "\xef\xbf\xbd"
#define ELLIPSIS "…"

void plot_builder_init(struct plot_builder *builder, struct arena *arena, struct err *err)
{
    *builder = (struct plot_builder){ .arena = arena,
                                      .by_name = arena_keep_json(arena, json_object()),
                                      .rows = arena_keep_json(arena, json_array()),
                                      .err = err };
}

/* Valid UTF-8 without U+0000, at most max_bytes and an ellipsis. */
static void append_clean(struct buf *out, const char *bytes, size_t length, size_t max_bytes)
{
    size_t kept = text_cut(bytes, length, max_bytes);
    for (size_t at = 0; at < kept;) {
        size_t n = bytes[at] ? text_utf8_next(bytes + at, kept - at, NULL) : 0;
        (void)!(n ? buf_append(out, bytes + at, n) : buf_puts(out, REPLACEMENT));
        at += n ? n : 1;
    }
    if (kept < length)
        (void)!buf_puts(out, ELLIPSIS);
}

json_t *plot_builder_text(const char *bytes, size_t length)
{
    AUTO(buf) clean = { 0 };
    if (!length)
        return json_null();
    if (length <= PLOT_MAX_CELL_BYTES && !memchr(bytes, '\0', length) &&
        text_is_utf8(bytes, length))
        return json_stringn_nocheck(bytes, length);
    buf_init(&clean, SIZE_MAX);
    append_clean(&clean, bytes, length, PLOT_MAX_CELL_BYTES);
    return json_stringn_nocheck(clean.bytes, clean.length);
}

int plot_builder_find(const struct plot_builder *builder, const char *name)
{
    return (int)json_get_int(builder->by_name, name, -1);
}

enum err_code plot_builder_add_column(struct plot_builder *builder, const char *bytes,
                                      size_t length)
{
    AUTO(buf) clean;
    buf_init(&clean, SIZE_MAX);
    if (builder->n_columns == PLOT_MAX_COLUMNS)
        return err_set(builder->err, ERR_LIMIT, 0, "more than %d columns", PLOT_MAX_COLUMNS);
    if (length > PLOT_MAX_NAME_BYTES)
        return err_set(builder->err, ERR_LIMIT, 0, "column %zu has a name of more than %d bytes",
                       builder->n_columns + 1, PLOT_MAX_NAME_BYTES);
    append_clean(&clean, bytes, length, PLOT_MAX_NAME_BYTES);
    const char *wanted = clean.length
                             ? arena_strdup(builder->arena, buf_string(&clean))
                             : arena_printf(builder->arena, "column %zu", builder->n_columns + 1);
    const char *name = wanted;
    for (int copy = 2; plot_builder_find(builder, name) >= 0; copy++)
        name = arena_printf(builder->arena, "%s (%d)", wanted, copy);
    json_object_set_new_nocheck(builder->by_name, name,
                                json_integer((json_int_t)builder->n_columns));
    arena_push(builder->arena, builder->columns, builder->n_columns, builder->capacity)->name =
        name;
    return ERR_NONE;
}

json_t *plot_builder_add_row(struct plot_builder *builder)
{
    size_t n = json_array_size(builder->rows) + 1;
    json_t *row;
    if (n <= PLOT_MAX_ROWS && n * builder->n_columns > PLOT_MAX_CELLS) {
        err_set(builder->err, ERR_LIMIT, 0, "more than %d cells", PLOT_MAX_CELLS);
        return NULL;
    }
    if (n > PLOT_MAX_ROWS) {
        err_set(builder->err, ERR_LIMIT, 0, "more than %d rows", PLOT_MAX_ROWS);
        err_hint(builder->err, ERR_LIMIT, "aggregate the data first, or take a sample");
        return NULL;
    }
    row = json_array();
    json_array_append_new(builder->rows, row);
    return row;
}

/* A value of JSON as a cell. */
static json_t *as_cell(json_t *value)
{
    if (json_is_number(value) || json_is_null(value))
        return value;
    json_t *cell = NULL;
    if (json_is_string(value)) {
        cell = plot_builder_text(json_string_value(value), json_string_length(value));
    } else {
        auto_str text = json_print(value);
        cell = plot_builder_text(text, strlen(text));
    }
    json_decref(value);
    return cell;
}

void plot_builder_set(json_t *row, size_t column, json_t *value)
{
    while (json_array_size(row) < column)
        json_array_append_new(row, json_null());
    if (json_array_size(row) == column)
        json_array_append_new(row, as_cell(value));
    else
        json_array_set_new(row, column, as_cell(value));
}

/* "007" is a code, not a seven. */
static bool is_code(const char *text)
{
    text += *text == '-' || *text == '+';
    return text[0] == '0' && isdigit((unsigned char)text[1]);
}

/* The number that a text says, apart from blanks around it; NULL when it says none. */
static json_t *number_of(const struct plot_builder *builder, const char *text)
{
    char copy[MAX_NUMBER_BYTES + 1];
    int64_t integer;
    double real;
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    if (!length || length > MAX_NUMBER_BYTES)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *comma = strchr(copy, ',');
    if (builder->decimal_comma && comma && !strchr(comma + 1, ',') && !strchr(copy, '.'))
        *comma = '.';
    if (is_code(copy))
        return NULL;
    if (text_to_int64(copy, &integer))
        return json_integer(integer);
    return text_to_double(copy, &real) ? json_real(real) : NULL;
}

/* Whether a cell says what people write for a number that is missing. */
static bool says_missing(const char *text)
{
    static const char *const words[] = { "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "-" };
    return text_is_one_of(text, words, ARRAY_LENGTH(words)) || !text[strspn(text, " \t")];
}

struct column_kind {
    size_t n_numbers, n_texts, n_reals;
};

static void look_at(const struct plot_builder *builder, const json_t *cell,
                    struct column_kind *kind)
{
    json_t *number = NULL;
    if (json_is_string(cell) && !says_missing(json_string_value(cell))) {
        number = number_of(builder, json_string_value(cell));
        kind->n_texts += !number;
        cell = number;
    }
    kind->n_numbers += json_is_number(cell);
    kind->n_reals += json_is_real(cell);
    json_decref(number);
}

/* The cell of a column of numbers. Beside reals, integers are reals, so that 1 and 1.0 are one
 * value. */
static json_t *as_number(const struct plot_builder *builder, const json_t *cell, bool as_real)
{
    json_t *number = json_is_string(cell)   ? number_of(builder, json_string_value(cell))
                     : json_is_number(cell) ? json_share(cell)
                                            : NULL;
    if (!number)
        return json_null();
    if (!as_real || json_is_real(number))
        return number;
    json_t *real = json_real(json_number_value(number));
    json_decref(number);
    return real;
}

static json_t *as_text(const json_t *cell)
{
    if (!json_is_number(cell))
        return json_share(cell);
    auto_str text = json_print(cell);
    return json_string(text);
}

static void settle_column(struct plot_builder *builder, size_t column)
{
    struct column_kind kind = { 0 };
    size_t i;
    json_t *row;
    json_array_foreach (builder->rows, i, row)
        look_at(builder, json_array_get(row, column), &kind);
    bool is_number = kind.n_numbers > 0 && kind.n_texts == 0;
    builder->columns[column].is_number = is_number;
    json_array_foreach (builder->rows, i, row) {
        const json_t *cell = json_array_get(row, column);
        json_array_set_new(row, column,
                           is_number ? as_number(builder, cell, kind.n_reals > 0) : as_text(cell));
    }
}

enum err_code plot_builder_finish(struct plot_builder *builder, const char *origin,
                                  struct plot_data *out)
{
    size_t i, n_rows = json_array_size(builder->rows);
    json_t *row;
    if (!builder->n_columns || !n_rows)
        return err_set(builder->err, ERR_INVALID, 0, "there are no rows of data");
    if (n_rows * builder->n_columns > PLOT_MAX_CELLS)
        return err_set(builder->err, ERR_LIMIT, 0, "more than %d cells", PLOT_MAX_CELLS);
    json_array_foreach (builder->rows, i, row)
        while (json_array_size(row) < builder->n_columns)
            json_array_append_new(row, json_null());
    for (i = 0; i < builder->n_columns; i++)
        settle_column(builder, i);
    *out = (struct plot_data){ .columns = builder->columns,
                               .n_columns = builder->n_columns,
                               .n_rows = n_rows,
                               .rows = builder->rows,
                               .origin = arena_strdup(builder->arena, origin) };
    return ERR_NONE;
}
