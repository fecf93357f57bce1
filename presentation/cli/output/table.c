#include "presentation/cli/output/table.h"
#include "domain/base/text.h"
#include "presentation/cli/output.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CELL_MAX_COLUMNS = 4000, GAP = 2, MIN_ROOM = 20 };

void table_init(struct table *table, struct arena *arena, size_t n_columns)
{
    assert(n_columns && n_columns <= TABLE_MAX_COLUMNS);
    *table = (struct table){ .arena = arena, .n_columns = n_columns };
}

void table_row(struct table *table, ...)
{
    va_list args;
    va_start(args, table);
    for (size_t i = 0; i < table->n_columns; i++) {
        const char *cell = va_arg(args, const char *);
        *arena_push(table->arena, table->cells, table->n, table->capacity) =
            cell ? text_one_line(table->arena, cell, strlen(cell), CELL_MAX_COLUMNS) : "";
    }
    va_end(args);
}

static bool print_plain(const struct table *table, struct cli *cli, size_t row)
{
    const char *line = "";
    for (size_t i = 0; i < table->n_columns; i++)
        line = arena_printf(table->arena, "%s%s%s", line, i ? "\t" : "",
                            table->cells[row * table->n_columns + i]);
    return output_line(cli, "%s", line);
}

/* The rest of the last cell, in lines below its beginning. */
static bool print_folded(const struct table *table, struct cli *cli, const char *line,
                         const char *rest, size_t indent, size_t room)
{
    for (;;) {
        size_t cut = text_fold(rest, room);
        if (!output_line(cli, "%s%.*s", line, (int)cut, rest))
            return false;
        rest += cut;
        if (!*rest)
            return true;
        line = arena_printf(table->arena, "%*s", (int)indent, "");
    }
}

static bool print_padded(const struct table *table, struct cli *cli, size_t row,
                         const size_t *widths)
{
    const char *line = "";
    size_t used = 0, columns = console_columns(cli->console);
    for (size_t i = 0; i < table->n_columns; i++) {
        const char *cell = table->cells[row * table->n_columns + i];
        bool last = i + 1 == table->n_columns;
        if (last && used + MIN_ROOM < columns && table->folds)
            return print_folded(table, cli, line, cell, used, columns - used);
        if (last && used + MIN_ROOM < columns)
            cell = text_one_line(table->arena, cell, strlen(cell), columns - used);
        int padding = last ? 0 : (int)(widths[i] + GAP - text_columns(cell));
        line = arena_printf(table->arena, "%s%s%*s", line, cell, padding, "");
        used += widths[i] + GAP;
    }
    return output_line(cli, "%s", line);
}

bool table_print(struct table *table, struct cli *cli)
{
    size_t widths[TABLE_MAX_COLUMNS] = { 0 };
    size_t n_rows = table->n / table->n_columns;
    for (size_t i = 0; i < table->n; i++) {
        size_t columns = text_columns(table->cells[i]), *width = &widths[i % table->n_columns];
        if (columns > *width)
            *width = columns;
    }
    for (size_t row = 0; row < n_rows; row++) {
        bool open = cli->answer_style.is_terminal ? print_padded(table, cli, row, widths)
                                                  : print_plain(table, cli, row);
        if (!open)
            return false;
    }
    return true;
}
