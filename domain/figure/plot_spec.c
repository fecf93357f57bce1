#include "domain/figure/plot_spec.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define SHOWN_COLUMNS 60
#define SHOWN_NAMES 12 /* columns that a fix lists */

static const char *const mark_names[] = {
#define X(mark, name) [PLOT_##mark] = name,
    PLOT_MARKS(X)
#undef X
};

static const char *const aggregate_names[] = {
#define X(aggregate, name) [PLOT_AGGREGATE_##aggregate] = name,
    PLOT_AGGREGATES(X)
#undef X
};

const char *plot_mark_name(enum plot_mark mark)
{
    return mark_names[mark];
}

/* A spec while it is read. */
struct reading {
    struct arena *arena;
    const json_t *value;
    const struct plot_data *data;
    struct plot_spec *spec;
    struct problems *problems;
    int x, y, color; /* columns, or -1 */
};

static const char *shown(const struct reading *reading, const char *text)
{
    return text_one_line(reading->arena, text, strlen(text), SHOWN_COLUMNS);
}

static struct problem *complain(const struct reading *reading, const char *path,
                                const char *message, const char *fix)
{
    struct problem *problem = problems_add(reading->problems, NULL, path, "%s", message);
    problem->fix = fix;
    return problem;
}

/* The member, or NULL when it is absent or null; also when it is no text, which is a problem. */
static const char *text_member(const struct reading *reading, const char *key, size_t max_bytes)
{
    const json_t *member = json_object_get(reading->value, key);
    const char *path = json_path_member(reading->arena, "", key);
    if (!member || json_is_null(member))
        return NULL;
    if (!json_is_string(member) || json_string_has_nul(member))
        complain(reading, path, "not a text", "give a text");
    else if (json_string_length(member) > max_bytes)
        complain(reading, path, arena_printf(reading->arena, "longer than %zu bytes", max_bytes),
                 "make it shorter");
    else
        return json_string_value(member);
    return NULL;
}

static bool flag_member(const struct reading *reading, const char *key)
{
    const json_t *member = json_object_get(reading->value, key);
    if (member && !json_is_boolean(member) && !json_is_null(member))
        complain(reading, json_path_member(reading->arena, "", key), "neither true nor false",
                 "give true or false");
    return json_is_true(member);
}

static const char *word_list(struct arena *arena, const char *const *words, size_t n)
{
    const char *list = "";
    for (size_t i = 0; i < n; i++)
        list = arena_printf(arena, "%s%s%s", list, i ? ", " : "", words[i]);
    return list;
}

/* The index of a word of a closed list, `absent` when there is none; -1 is a problem. */
static int word_member(const struct reading *reading, const char *key, const char *const *words,
                       size_t n, int absent)
{
    const char *word = text_member(reading, key, PLOT_MAX_NAME_BYTES);
    if (!word)
        return absent;
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0)
            return (int)i;
    complain(reading, json_path_member(reading->arena, "", key),
             arena_printf(reading->arena, "\"%s\" is no %s", shown(reading, word), key),
             arena_printf(reading->arena, "use one of %s", word_list(reading->arena, words, n)));
    return -1;
}

static const char *columns_there_are(const struct reading *reading)
{
    const char *names[SHOWN_NAMES];
    size_t n = 0;
    for (; n < reading->data->n_columns && n < SHOWN_NAMES; n++)
        names[n] = shown(reading, reading->data->columns[n].name);
    return arena_printf(reading->arena, "use one of the columns %s%s",
                        word_list(reading->arena, names, n),
                        n < reading->data->n_columns ? ", …" : "");
}

static int column_member(const struct reading *reading, const char *key)
{
    const char *name = text_member(reading, key, PLOT_MAX_NAME_BYTES);
    int column = name ? plot_data_find(reading->data, name) : -1;
    if (name && column < 0)
        complain(
            reading, json_path_member(reading->arena, "", key),
            arena_printf(reading->arena, "the data have no column \"%s\"", shown(reading, name)),
            columns_there_are(reading));
    return column;
}

static const char *name_of(const struct reading *reading, int column)
{
    return column < 0 ? NULL : reading->data->columns[column].name;
}

static bool is_absent(const struct reading *reading, const char *key)
{
    const json_t *member = json_object_get(reading->value, key);
    return !member || json_is_null(member);
}

/* The first cell of a column that is no number, for a sentence. */
static const char *first_text(const struct reading *reading, int column)
{
    for (size_t row = 0; row < reading->data->n_rows; row++) {
        const json_t *cell = plot_data_cell(reading->data, row, (size_t)column);
        if (json_is_string(cell))
            return arena_printf(reading->arena, ": row %zu has \"%s\"", row + 1,
                                shown(reading, json_string_value(cell)));
    }
    return "";
}

static void need_numbers(const struct reading *reading, const char *path, int column)
{
    if (column < 0 || reading->data->columns[column].is_number)
        return;
    complain(reading, path,
             arena_printf(reading->arena, "column \"%s\" is not of numbers%s",
                          shown(reading, name_of(reading, column)), first_text(reading, column)),
             "use a column of numbers here, or aggregate count");
}

static bool is_positive(const struct plot_data *data, int column)
{
    for (size_t row = 0; row < data->n_rows; row++) {
        const json_t *cell = plot_data_cell(data, row, (size_t)column);
        if (json_is_number(cell) && json_number_value(cell) <= 0)
            return false;
    }
    return true;
}

static void check_logarithm(const struct reading *reading, const char *path, bool is_asked,
                            int column)
{
    if (!is_asked || column < 0)
        return;
    if (!reading->data->columns[column].is_number)
        complain(reading, path, "a logarithm of what is not of numbers", "leave it out");
    else if (!is_positive(reading->data, column))
        complain(reading, path,
                 arena_printf(reading->arena, "column \"%s\" has values that are not above 0",
                              shown(reading, name_of(reading, column))),
                 "leave it out");
}

static bool has_boxes(enum plot_mark mark)
{
    return mark == PLOT_BAR || mark == PLOT_BOX;
}

static bool stands_on_zero(enum plot_mark mark)
{
    return mark == PLOT_BAR || mark == PLOT_AREA || mark == PLOT_HISTOGRAM;
}

static void check_counts(const struct reading *reading)
{
    const struct plot_data *data = reading->data;
    if (reading->color >= 0 &&
        plot_data_distinct(data, (size_t)reading->color, PLOT_MAX_SERIES) > PLOT_MAX_SERIES)
        complain(reading, "/color",
                 arena_printf(reading->arena, "more than %d series cannot be told apart",
                              PLOT_MAX_SERIES),
                 "use a column with fewer different values, or leave color out");
    if (has_boxes(reading->spec->mark) && reading->x >= 0 &&
        plot_data_distinct(data, (size_t)reading->x, PLOT_MAX_CATEGORIES) > PLOT_MAX_CATEGORIES)
        complain(reading, "/x",
                 arena_printf(reading->arena, "more than %d %s beside each other",
                              PLOT_MAX_CATEGORIES,
                              reading->spec->mark == PLOT_BAR ? "bars" : "boxes"),
                 "use a column with fewer different values, or the mark line");
}

static void check_histogram(const struct reading *reading)
{
    enum plot_aggregate aggregate = reading->spec->aggregate;
    need_numbers(reading, "/x", reading->x);
    if (!is_absent(reading, "y"))
        complain(reading, "/y", "a histogram counts x and has no y", "leave y out");
    if (aggregate == PLOT_AGGREGATE_SUM || aggregate == PLOT_AGGREGATE_MEAN)
        complain(reading, "/aggregate", "a histogram counts", "leave aggregate out");
}

static void check_values(const struct reading *reading)
{
    const struct plot_spec *spec = reading->spec;
    if (spec->aggregate == PLOT_AGGREGATE_COUNT && spec->mark != PLOT_BOX)
        return;
    if (is_absent(reading, "y"))
        complain(reading, "/y", "missing", "name the column of the values, or aggregate count");
    need_numbers(reading, "/y", reading->y);
    if (spec->mark == PLOT_BOX && spec->aggregate != PLOT_AGGREGATE_NONE)
        complain(reading, "/aggregate", "a box shows all values", "leave aggregate out");
}

static void check_axes(const struct reading *reading)
{
    const struct plot_spec *spec = reading->spec;
    if (spec->log_x && (has_boxes(spec->mark) || spec->mark == PLOT_HISTOGRAM))
        complain(reading, "/log_x", "this mark has no logarithmic x", "leave log_x out");
    else
        check_logarithm(reading, "/log_x", spec->log_x, reading->x);
    if (spec->log_y && stands_on_zero(spec->mark))
        complain(reading, "/log_y", "this mark begins at 0, which a logarithm does not have",
                 "leave log_y out, or use line or point");
    else if (spec->aggregate != PLOT_AGGREGATE_COUNT)
        check_logarithm(reading, "/log_y", spec->log_y, reading->y);
}

static void read_columns(struct reading *reading)
{
    struct plot_spec *spec = reading->spec;
    if (is_absent(reading, "x"))
        complain(reading, "/x", "missing", columns_there_are(reading));
    reading->x = column_member(reading, "x");
    reading->y = column_member(reading, "y");
    reading->color = column_member(reading, "color");
    spec->x = name_of(reading, reading->x);
    spec->y = name_of(reading, reading->y);
    spec->color = name_of(reading, reading->color);
}

static void read_looks(struct reading *reading)
{
    struct plot_spec *spec = reading->spec;
    const char *x_label = text_member(reading, "x_label", PLOT_MAX_LABEL_BYTES);
    const char *y_label = text_member(reading, "y_label", PLOT_MAX_LABEL_BYTES);
    spec->x_label = x_label ? arena_strdup(reading->arena, x_label) : "";
    spec->y_label = y_label ? arena_strdup(reading->arena, y_label) : "";
    spec->log_x = flag_member(reading, "log_x");
    spec->log_y = flag_member(reading, "log_y");
    spec->sorted = flag_member(reading, "sorted") && spec->mark == PLOT_BAR;
}

/* False when there is nothing to hold the rest against. */
static bool read_words(struct reading *reading)
{
    if (is_absent(reading, "mark"))
        complain(reading, "/mark", "missing",
                 arena_printf(reading->arena, "use one of %s",
                              word_list(reading->arena, mark_names, ARRAY_LENGTH(mark_names))));
    int mark = word_member(reading, "mark", mark_names, ARRAY_LENGTH(mark_names), -1);
    int aggregate = word_member(reading, "aggregate", aggregate_names,
                                ARRAY_LENGTH(aggregate_names), PLOT_AGGREGATE_NONE);
    reading->spec->mark = mark < 0 ? PLOT_BAR : (enum plot_mark)mark;
    reading->spec->aggregate = aggregate < 0 ? PLOT_AGGREGATE_NONE : (enum plot_aggregate)aggregate;
    return mark >= 0 && aggregate >= 0;
}

bool plot_spec_from_json(struct arena *arena, const json_t *value, const struct plot_data *data,
                         struct plot_spec *out, struct problems *problems)
{
    struct plot_spec spec = { 0 };
    struct reading reading = { arena, value, data, &spec, problems, -1, -1, -1 };
    size_t before = problems->n + problems->dropped;
    if (!json_is_object(value)) {
        complain(&reading, "", "not an object", "give an object with mark, x and y");
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
    json_t *value = json_pack("{s:s, s:s}", "mark", mark_names[spec->mark], "x", spec->x);
    if (spec->y)
        json_object_set_new(value, "y", json_string(spec->y));
    if (spec->color)
        json_object_set_new(value, "color", json_string(spec->color));
    json_object_set_new(value, "aggregate", json_string(aggregate_names[spec->aggregate]));
    json_object_set_new(value, "x_label", json_string(spec->x_label));
    json_object_set_new(value, "y_label", json_string(spec->y_label));
    json_object_set_new(value, "log_x", json_boolean(spec->log_x));
    json_object_set_new(value, "log_y", json_boolean(spec->log_y));
    json_object_set_new(value, "sorted", json_boolean(spec->sorted));
    return value;
}
