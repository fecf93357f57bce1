#include "domain/base/rfc3339.h"
#include "domain/figure/plot_spec.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define DISTINCT_ROOM 128

_Static_assert(PLOT_MAX_CATEGORIES < DISTINCT_ROOM && PLOT_MAX_SERIES < DISTINCT_ROOM,
               "more values are told apart than anything asks for");

int plot_data_find(const struct plot_data *data, const char *name)
{
    for (size_t i = 0; i < data->n_columns; i++)
        if (strcmp(data->columns[i].name, name) == 0)
            return (int)i;
    return -1;
}

const json_t *plot_data_cell(const struct plot_data *data, size_t row, size_t column)
{
    return json_array_get(json_array_get(data->rows, row), column);
}

static bool is_among(const json_t *const *values, size_t n, const json_t *value)
{
    for (size_t i = 0; i < n; i++)
        if (json_equal(values[i], value))
            return true;
    return false;
}

size_t plot_data_distinct(const struct plot_data *data, size_t column, size_t max)
{
    const json_t *seen[DISTINCT_ROOM];
    size_t n = 0;
    for (size_t row = 0; row < data->n_rows && n <= max && n < DISTINCT_ROOM; row++) {
        const json_t *cell = plot_data_cell(data, row, column);
        if (!json_is_null(cell) && !is_among(seen, n, cell))
            seen[n++] = cell;
    }
    return n;
}

static bool is_day(const char *text)
{
    char at_midnight[RFC3339_SIZE];
    int64_t ms;
    if (strlen(text) != strlen("2026-11-21") || !isdigit((unsigned char)text[0]))
        return false;
    snprintf(at_midnight, sizeof at_midnight, "%sT00:00:00Z", text);
    return rfc3339_parse(at_midnight, &ms);
}

bool plot_data_is_date(const struct plot_data *data, size_t column)
{
    size_t n = 0;
    for (size_t row = 0; row < data->n_rows; row++) {
        const json_t *cell = plot_data_cell(data, row, column);
        if (json_is_null(cell))
            continue;
        if (!json_is_string(cell) || !is_day(json_string_value(cell)))
            return false;
        n++;
    }
    return n > 0;
}
