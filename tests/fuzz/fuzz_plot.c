/* Any bytes as data: a table within its bounds or an error; a spec that is guessed of them passes
 * its checks; and whatever the cells and names say, the script's strings end where they should and
 * the Vega-Lite text is JSON. */
#include "application/figure/plot/plot.h"
#include "domain/base/json.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/plain_style.h"
#include "tests/support/python_tokens.h"
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES 65536

static void insist(bool holds)
{
    if (!holds)
        abort();
}

static void check_table(const struct plot_data *data)
{
    insist(data->n_columns > 0 && data->n_columns <= PLOT_MAX_COLUMNS);
    insist(data->n_rows > 0 && data->n_rows <= PLOT_MAX_ROWS);
    for (size_t row = 0; row < data->n_rows; row++)
        for (size_t column = 0; column < data->n_columns; column++) {
            const json_t *cell = plot_data_cell(data, row, column);
            bool is_number = data->columns[column].is_number;
            insist(json_is_null(cell) || (is_number ? json_is_number(cell) : json_is_string(cell)));
        }
}

static void check_code(struct arena *arena, const struct plot_spec *spec,
                       const struct plot_data *data)
{
    size_t n_strings;
    json_t *again = NULL;
    insist(python_tokens_balance(plot_matplotlib(arena, spec, data, &plain_style), &n_strings));
    json_t *vega = arena_keep_json(arena, plot_vega_lite(spec, data, &plain_style));
    const char *text = vega ? json_print_in(arena, vega) : "";
    insist(json_parse(text, strlen(text), JSON_OURS, &again, NULL) == ERR_NONE);
    json_decref(again);
}

static void try_spec(struct arena *arena, const struct plot_data *data, const char *mark)
{
    struct plot_spec spec;
    struct problems problems = { .arena = arena };
    const char *last = data->columns[data->n_columns - 1].name;
    json_t *value = arena_keep_json(arena, json_pack("{s:s, s:s, s:s, s:s}", "mark", mark, "x",
                                                     data->columns[0].name, "y", last, "color",
                                                     data->columns[data->n_columns / 2].name));
    insist(value != NULL);
    if (strcmp(mark, "histogram") == 0) {
        json_object_del(value, "y");
        json_object_set_new(value, "x", json_string(last));
    }
    if (plot_spec_from_json(arena, value, data, &spec, &problems))
        check_code(arena, &spec, data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const marks[] = { "bar", "line", "point", "area", "box", "histogram" };
    AUTO(arena) arena = { 0 };
    struct plot_data data;
    struct plot_spec spec;
    const char *text = arena_strndup(&arena, (const char *)bytes, size);
    if (plot_table_from_text(&arena, text, size, MAX_BYTES, "fuzz", &data, NULL))
        return 0;
    check_table(&data);
    if (plot_spec_guess(&arena, &data, text, "", &spec))
        check_code(&arena, &spec, &data);
    for (size_t i = 0; i < ARRAY_LENGTH(marks); i++)
        try_spec(&arena, &data, marks[i]);
    return 0;
}
