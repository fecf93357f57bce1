/* A plot spec from JSON, held against its data: first the words and columns it names, then whether
 * they fit each other (numbers where a length is drawn, no more series than can be told apart, no
 * logarithm of what is not above 0). */
#include "domain/figure/plot_spec.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "domain/figure/figure_reading.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DISTINCT_ROOM 128
#define SHOWN_NAMES 12 /* columns that a fix lists */

_Static_assert(PLOT_MAX_CATEGORIES < DISTINCT_ROOM && PLOT_MAX_SERIES < DISTINCT_ROOM,
               "more values are told apart than anything asks for");

#define X(value, name) name,
static const char *const mark_words[] = { PLOT_MARKS(X) };
static const char *const aggregate_words[] = { PLOT_AGGREGATES(X) };
#undef X

static const struct figure_names marks = { mark_words, ARRAY_LENGTH(mark_words) };
static const struct figure_names aggregates = { aggregate_words, ARRAY_LENGTH(aggregate_words) };

const char *plot_mark_name(enum plot_mark mark)
{
    return mark_words[mark];
}

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

size_t plot_data_values(const struct plot_data *data, size_t column, const json_t **out, size_t max)
{
    size_t n = 0;
    for (size_t row = 0; row < data->n_rows && n < max; row++) {
        const json_t *cell = plot_data_cell(data, row, column);
        if (!json_is_null(cell) && !is_among(out, n, cell))
            out[n++] = cell;
    }
    return n;
}

size_t plot_data_distinct(const struct plot_data *data, size_t column, size_t max)
{
    const json_t *seen[DISTINCT_ROOM];
    return plot_data_values(data, column, seen, max < DISTINCT_ROOM ? max + 1 : DISTINCT_ROOM);
}

/* The rest of a short form is that of a whole one, which is parsed. */
bool plot_time_read(const char *text, int64_t *out_ms)
{
    static const char rest[] = "2000-01-01T00:00:00Z";
    char whole[RFC3339_SIZE];
    size_t length = strlen(text);
    if (*text < '1' || *text > '9' || length + 2 > sizeof whole)
        return false;
    if (length == strlen("2026-11") || length == strlen("2026-11-21") ||
        length == strlen("2026-11-21 08:15") || length == strlen("2026-11-21 08:15:30"))
        snprintf(whole, sizeof whole, "%s%s", text, rest + length);
    else if (rfc3339_parse(text, out_ms))
        return true;
    else
        snprintf(whole, sizeof whole, "%sZ", text);
    if (whole[4] == '/' && whole[7] == '/')
        whole[4] = whole[7] = '-';
    return rfc3339_parse(whole, out_ms);
}

typedef bool (*cell_fn)(const json_t *cell);

/* Whether the column has cells, and all that are there are of the kind. */
static bool is_column_of(const struct plot_data *data, size_t column, cell_fn is_one)
{
    size_t n = 0;
    for (size_t row = 0; row < data->n_rows; row++) {
        const json_t *cell = plot_data_cell(data, row, column);
        if (!json_is_null(cell) && !is_one(cell))
            return false;
        n += !json_is_null(cell);
    }
    return n > 0;
}

static bool is_time(const json_t *cell)
{
    int64_t ms;
    return json_is_string(cell) && plot_time_read(json_string_value(cell), &ms);
}

static bool is_year(const json_t *cell)
{
    json_int_t year = json_integer_value(cell);
    return year >= 1900 && year <= 2100;
}

bool plot_data_is_time(const struct plot_data *data, size_t column)
{
    return is_column_of(data, column, is_time);
}

bool plot_data_is_year(const struct plot_data *data, size_t column)
{
    return strcasestr(data->columns[column].name, "year") && is_column_of(data, column, is_year);
}

bool plot_data_repeats(struct arena *arena, const struct plot_data *data, int x, int color)
{
    json_t *seen = arena_keep_json(arena, json_object());
    for (size_t row = 0; row < data->n_rows; row++) {
        const json_t *cell = plot_data_cell(data, row, (size_t)x);
        auto_str place = json_is_null(cell) ? NULL : json_print(cell);
        if (!place)
            continue;
        auto_str name = color < 0 ? NULL : json_print(plot_data_cell(data, row, (size_t)color));
        const char *key = arena_printf(arena, "%s %s", place, name ? name : "");
        if (json_object_get(seen, key))
            return true;
        json_object_set_new_nocheck(seen, key, json_true());
    }
    return false;
}

/* A spec while it is read. */
struct reading {
    struct figure_reading base;
    const struct plot_data *data;
    struct plot_spec *spec;
    int x, y, color; /* columns, or -1 */
};

static bool is_absent(const struct reading *reading, const char *key)
{
    const json_t *member = json_object_get(reading->base.object, key);
    return !member || json_is_null(member);
}

/* The member; NULL when it is absent, or, with a problem, when it is not text. */
static const char *text_member(const struct reading *reading, const char *key, size_t max_bytes)
{
    const json_t *member = json_object_get(reading->base.object, key);
    if (is_absent(reading, key))
        return NULL;
    if (!json_is_string(member) || json_string_has_nul(member))
        figure_complain(&reading->base, key, "give a text", "not a text");
    else if (json_string_length(member) > max_bytes)
        figure_complain(&reading->base, key, "make it shorter", "longer than %zu bytes", max_bytes);
    else
        return json_string_value(member);
    return NULL;
}

static bool flag_member(const struct reading *reading, const char *key)
{
    const json_t *member = json_object_get(reading->base.object, key);
    if (!is_absent(reading, key) && !json_is_boolean(member))
        figure_complain(&reading->base, key, "give true or false", "neither true nor false");
    return json_is_true(member);
}

/* The index of a word of a closed list, `absent` when there is none; -1 is a problem. */
static int word_member(const struct reading *reading, const char *key, struct figure_names names,
                       int absent)
{
    if (!text_member(reading, key, PLOT_MAX_NAME_BYTES))
        return absent;
    return figure_read_word(&reading->base, key, names);
}

static const char *columns_there_are(const struct reading *reading)
{
    const char *names[SHOWN_NAMES];
    size_t n = 0;
    for (; n < reading->data->n_columns && n < SHOWN_NAMES; n++)
        names[n] = figure_shown(&reading->base, reading->data->columns[n].name);
    return arena_printf(reading->base.arena, "use one of the columns %s%s",
                        figure_list_words(&reading->base, (struct figure_names){ names, n }),
                        n < reading->data->n_columns ? ", …" : "");
}

/* The column that the member names, or -1; its name goes to *out_name, else NULL. */
static int column_member(const struct reading *reading, const char *key, const char **out_name)
{
    const char *name = text_member(reading, key, PLOT_MAX_NAME_BYTES);
    int column = name ? plot_data_find(reading->data, name) : -1;
    if (name && column < 0)
        figure_complain(&reading->base, key, columns_there_are(reading),
                        "the data have no column \"%s\"", figure_shown(&reading->base, name));
    *out_name = column < 0 ? NULL : reading->data->columns[column].name;
    return column;
}

/* The first cell of a column that is not a number, for a sentence. */
static const char *first_text(const struct reading *reading, int column)
{
    for (size_t row = 0; row < reading->data->n_rows; row++) {
        const json_t *cell = plot_data_cell(reading->data, row, (size_t)column);
        if (json_is_string(cell))
            return arena_printf(reading->base.arena, ": row %zu has \"%s\"", row + 1,
                                figure_shown(&reading->base, json_string_value(cell)));
    }
    return "";
}

static void check_numbers(const struct reading *reading, const char *key, int column)
{
    if (column < 0 || reading->data->columns[column].is_number)
        return;
    figure_complain(&reading->base, key, "use a column of numbers here, or aggregate count",
                    "column \"%s\" does not consist of numbers%s",
                    figure_shown(&reading->base, reading->data->columns[column].name),
                    first_text(reading, column));
}

/* Of a column of numbers; infinite where none is there. */
static double least_of(const struct plot_data *data, int column)
{
    double least = INFINITY;
    for (size_t row = 0; row < data->n_rows; row++) {
        const json_t *cell = plot_data_cell(data, row, (size_t)column);
        if (json_is_number(cell) && json_number_value(cell) < least)
            least = json_number_value(cell);
    }
    return least;
}

static void check_logarithm(const struct reading *reading, const char *key, bool is_asked,
                            int column)
{
    if (!is_asked || column < 0)
        return;
    if (!reading->data->columns[column].is_number)
        figure_complain(&reading->base, key, "leave it out",
                        "a logarithm of what does not consist of numbers");
    else if (least_of(reading->data, column) <= 0)
        figure_complain(&reading->base, key, "leave it out",
                        "column \"%s\" has values that are not above 0",
                        figure_shown(&reading->base, reading->data->columns[column].name));
}

static bool has_boxes(enum plot_mark mark)
{
    return mark == PLOT_BAR || mark == PLOT_BOX;
}

static bool stands_on_zero(enum plot_mark mark)
{
    return mark == PLOT_BAR || mark == PLOT_AREA || mark == PLOT_HISTOGRAM;
}

/* What has no colour is a series as well. */
static size_t count_series(const struct plot_data *data, size_t color)
{
    size_t n = plot_data_distinct(data, color, PLOT_MAX_SERIES);
    for (size_t row = 0; row < data->n_rows; row++)
        if (json_is_null(plot_data_cell(data, row, color)))
            return n + 1;
    return n;
}

static void check_counts(const struct reading *reading)
{
    const struct plot_data *data = reading->data;
    if (reading->color >= 0 && count_series(data, (size_t)reading->color) > PLOT_MAX_SERIES)
        figure_complain(&reading->base, "color",
                        "use a column with fewer different values, or leave color out",
                        "more than %d series cannot be told apart", PLOT_MAX_SERIES);
    if (has_boxes(reading->spec->mark) && reading->x >= 0 &&
        plot_data_distinct(data, (size_t)reading->x, PLOT_MAX_CATEGORIES) > PLOT_MAX_CATEGORIES)
        figure_complain(&reading->base, "x",
                        "use a column with fewer different values, or the mark line",
                        "more than %d %s beside each other", PLOT_MAX_CATEGORIES,
                        reading->spec->mark == PLOT_BAR ? "bars" : "boxes");
}

static void check_histogram(const struct reading *reading)
{
    enum plot_aggregate aggregate = reading->spec->aggregate;
    check_numbers(reading, "x", reading->x);
    if (!is_absent(reading, "y"))
        figure_complain(&reading->base, "y", "leave y out", "a histogram counts x and has no y");
    if (aggregate == PLOT_AGGREGATE_SUM || aggregate == PLOT_AGGREGATE_MEAN)
        figure_complain(&reading->base, "aggregate", "leave aggregate out", "a histogram counts");
}

static void check_values(const struct reading *reading)
{
    const struct plot_spec *spec = reading->spec;
    if (spec->aggregate == PLOT_AGGREGATE_COUNT && spec->mark != PLOT_BOX)
        return;
    if (is_absent(reading, "y"))
        figure_complain(&reading->base, "y", "name the column of the values, or aggregate count",
                        "missing");
    check_numbers(reading, "y", reading->y);
    if (spec->mark == PLOT_BOX && spec->aggregate != PLOT_AGGREGATE_NONE)
        figure_complain(&reading->base, "aggregate", "leave aggregate out",
                        "a box shows all values");
}

static void check_axes(const struct reading *reading)
{
    const struct plot_spec *spec = reading->spec;
    if (spec->log_x && (has_boxes(spec->mark) || spec->mark == PLOT_HISTOGRAM))
        figure_complain(&reading->base, "log_x", "leave log_x out",
                        "this mark has no logarithmic x");
    else
        check_logarithm(reading, "log_x", spec->log_x, reading->x);
    if (spec->log_y && stands_on_zero(spec->mark))
        figure_complain(&reading->base, "log_y", "leave log_y out, or use line or point",
                        "this mark begins at 0, which a logarithm does not have");
    else if (spec->aggregate != PLOT_AGGREGATE_COUNT)
        check_logarithm(reading, "log_y", spec->log_y, reading->y);
}

/* Whether a word of the name says that the values of several things have no sum. Shares and counts
 * have one. */
static bool has_no_sum(const char *name)
{
    static const char words[] =
        " accuracy age auc average avg bleu capita celsius degc density efficiency f1 fahrenheit "
        "humidity index latency loss losses mean median p50 p90 p95 p99 perplexity ppl precision "
        "pressure price prices probability quantile rate rates ratio ratios recall rmse score "
        "scores speed temp temperature temperatures temps utilization voltage ";
    for (size_t n; *name; name += n ? n : 1)
        if ((n = text_word_length(name)) && text_is_listed(words, name, n))
            return true;
    return false;
}

/* Bars and areas of one place are added up unless they are averaged, and areas of several series
 * stand on each other. */
static void check_sums(const struct reading *reading)
{
    const struct plot_spec *spec = reading->spec;
    bool is_stack = spec->mark == PLOT_AREA && reading->color >= 0;
    bool adds_up = spec->aggregate == PLOT_AGGREGATE_SUM ||
                   (spec->aggregate == PLOT_AGGREGATE_NONE && stands_on_zero(spec->mark));
    if (plot_counts(spec) || reading->x < 0 || reading->y < 0)
        return;
    const char *name = figure_shown(&reading->base, reading->data->columns[reading->y].name);
    if (is_stack && spec->aggregate == PLOT_AGGREGATE_MEAN)
        figure_complain(&reading->base, "aggregate", "use the mark line",
                        "areas of several series stand on each other, and means have no sum");
    else if (is_stack && least_of(reading->data, reading->y) < 0)
        figure_complain(&reading->base, "y", "use the mark line",
                        "column \"%s\" has values below 0, which cannot stand on each other", name);
    else if (is_stack && has_no_sum(spec->y))
        figure_complain(&reading->base, "mark", "use the mark line",
                        "areas of several series stand on each other, and \"%s\" has no sum", name);
    else if (adds_up && has_no_sum(spec->y) &&
             plot_data_repeats(reading->base.arena, reading->data, reading->x, reading->color))
        figure_complain(&reading->base, "aggregate", "use the aggregate mean, or a color",
                        "several rows have the same x, and \"%s\" has no sum", name);
}

static void read_columns(struct reading *reading)
{
    struct plot_spec *spec = reading->spec;
    if (is_absent(reading, "x"))
        figure_complain(&reading->base, "x", columns_there_are(reading), "missing");
    reading->x = column_member(reading, "x", &spec->x);
    reading->y = column_member(reading, "y", &spec->y);
    reading->color = column_member(reading, "color", &spec->color);
}

static void read_looks(struct reading *reading)
{
    struct plot_spec *spec = reading->spec;
    const char *x_label = text_member(reading, "x_label", PLOT_MAX_LABEL_BYTES);
    const char *y_label = text_member(reading, "y_label", PLOT_MAX_LABEL_BYTES);
    spec->x_label = x_label ? arena_strdup(reading->base.arena, x_label) : "";
    spec->y_label = y_label ? arena_strdup(reading->base.arena, y_label) : "";
    spec->log_x = flag_member(reading, "log_x");
    spec->log_y = flag_member(reading, "log_y");
    spec->sorted = flag_member(reading, "sorted") && spec->mark == PLOT_BAR;
}

/* False when there is nothing to hold the rest against. */
static bool read_words(struct reading *reading)
{
    if (is_absent(reading, "mark"))
        figure_complain(&reading->base, "mark",
                        arena_printf(reading->base.arena, "use one of %s",
                                     figure_list_words(&reading->base, marks)),
                        "missing");
    int mark = word_member(reading, "mark", marks, -1);
    int aggregate = word_member(reading, "aggregate", aggregates, PLOT_AGGREGATE_NONE);
    reading->spec->mark = mark < 0 ? PLOT_BAR : (enum plot_mark)mark;
    reading->spec->aggregate = aggregate < 0 ? PLOT_AGGREGATE_NONE : (enum plot_aggregate)aggregate;
    return mark >= 0 && aggregate >= 0;
}

bool plot_spec_from_json(struct arena *arena, const json_t *value, const struct plot_data *data,
                         struct plot_spec *out, struct problems *problems)
{
    struct plot_spec spec = { 0 };
    struct reading reading = { { arena, problems, value, "" }, data, &spec, -1, -1, -1 };
    size_t before = problems->n + problems->dropped;
    if (!json_is_object(value)) {
        problems_add(problems, NULL, "", "not an object")->fix =
            "give an object with mark, x and y";
        return false;
    }
    bool has_words = read_words(&reading);
    read_columns(&reading);
    read_looks(&reading);
    if (has_words) {
        if (spec.mark == PLOT_HISTOGRAM)
            check_histogram(&reading);
        else
            check_values(&reading);
        check_sums(&reading);
        check_axes(&reading);
        check_counts(&reading);
    }
    if (problems->n + problems->dropped > before)
        return false;
    *out = spec;
    return true;
}

json_t *plot_spec_to_json(const struct plot_spec *spec)
{
    return json_pack("{ss ss ss* ss* ss ss ss sb sb sb}", "mark", mark_words[spec->mark], "x",
                     spec->x, "y", spec->y, "color", spec->color, "aggregate",
                     aggregate_words[spec->aggregate], "x_label", spec->x_label, "y_label",
                     spec->y_label, "log_x", (int)spec->log_x, "log_y", (int)spec->log_y, "sorted",
                     (int)spec->sorted);
}
