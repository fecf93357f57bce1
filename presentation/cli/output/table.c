#include "presentation/cli/output/table.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include "presentation/cli/output.h"
#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum { CELL_MAX_COLUMNS = 4000, GAP = 2, MIN_ROOM = 20 };

void table_init(struct table *table, struct arena *arena, size_t n_columns)
{
    assert(n_columns && n_columns <= TABLE_MAX_COLUMNS);
    *table = (struct table){ .arena = arena, .n_columns = n_columns };
}

void table_cells(struct table *table, const char *const *cells)
{
    for (size_t i = 0; i < table->n_columns; i++)
        *arena_push(table->arena, table->cells, table->n, table->capacity) =
            cells[i] ? text_one_line(table->arena, cells[i], strlen(cells[i]), CELL_MAX_COLUMNS)
                     : "";
}

void table_row(struct table *table, ...)
{
    const char *cells[TABLE_MAX_COLUMNS] = { NULL };
    va_list args;
    va_start(args, table);
    for (size_t i = 0; i < table->n_columns; i++)
        cells[i] = va_arg(args, const char *);
    va_end(args);
    table_cells(table, cells);
}

static const char *plain_row(const struct table *table, size_t row)
{
    const char *line = "";
    for (size_t i = 0; i < table->n_columns; i++)
        line = arena_printf(table->arena, "%s%s%s", line, i ? "\t" : "",
                            table->cells[row * table->n_columns + i]);
    return line;
}

/* The rest of the last cell, in lines below its beginning. */
static const char *folded(const struct table *table, const char *line, const char *rest,
                          size_t indent, size_t room)
{
    for (;;) {
        size_t cut = text_fold(rest, room);
        line = arena_printf(table->arena, "%s%.*s", line, (int)cut, rest);
        rest += cut;
        if (!*rest)
            return line;
        line = arena_printf(table->arena, "%s\n%*s", line, (int)indent, "");
    }
}

static const char *padded_row(const struct table *table, size_t row, const size_t *widths,
                              size_t columns)
{
    const char *line = "";
    size_t used = 0;
    for (size_t i = 0; i < table->n_columns; i++) {
        const char *cell = table->cells[row * table->n_columns + i];
        bool last = i + 1 == table->n_columns;
        if (last && used + MIN_ROOM < columns && table->folds)
            return folded(table, line, cell, used, columns - used);
        if (last && used + MIN_ROOM < columns)
            cell = text_one_line(table->arena, cell, strlen(cell), columns - used);
        int padding = last ? 0 : (int)(widths[i] + GAP - text_columns(cell));
        line = arena_printf(table->arena, "%s%s%*s", line, cell, padding, "");
        used += widths[i] + GAP;
    }
    return line;
}

const char *table_text(const struct table *table, size_t columns)
{
    AUTO(buf) text;
    size_t widths[TABLE_MAX_COLUMNS] = { 0 };
    bool fits = true;
    buf_init(&text, SIZE_MAX);
    for (size_t i = 0; i < table->n; i++) {
        size_t wide = text_columns(table->cells[i]), *width = &widths[i % table->n_columns];
        if (wide > *width)
            *width = wide;
    }
    for (size_t row = 0; fits && row < table->n / table->n_columns; row++)
        fits = buf_puts(&text, columns ? padded_row(table, row, widths, columns)
                                       : plain_row(table, row)) &&
               buf_puts(&text, "\n");
    return arena_strndup(table->arena, buf_string(&text), text.length);
}

bool table_print(struct table *table, struct cli *cli)
{
    const char *text =
        table_text(table, cli->answer_style.is_terminal ? console_columns(cli->console) : 0);
    return !*text || output_text(cli, text, strlen(text));
}
