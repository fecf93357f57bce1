/* First what the words say (the mark, what is done to the values, which columns are meant; English
 * words in any case, and a plural is its singular), then the columns that fit the mark. */
#include "application/figure/plot/plot.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <math.h>
#include <string.h>

#define FEW_PLACES 30 /* bars or boxes that are made without being asked for */
#define NONE (-1)
#define MIN_WORD_BYTES 3

#define WIDE 100        /* largest to smallest value, from which on a logarithm shows more */
#define VERY_WIDE 10000 /* and from which on nothing else shows the small ones */

struct wish {
    bool has_mark, has_aggregate, sorted, along, log, log_both;
    enum plot_mark mark;
    enum plot_aggregate aggregate;
};

/* Where the words first stand in the text, as whole words but for a plural, in any case; or NULL.
 */
static const char *find_words(const char *text, const char *words, size_t length)
{
    size_t left = strlen(text);
    for (const char *at = text; left >= length && length; at++, left--) {
        if ((at > text && text_is_word_byte(at[-1])) || strncasecmp(at, words, length) != 0)
            continue;
        const char *end = at + length;
        end += *end == 's' || *end == 'S';
        if (!text_is_word_byte(*end))
            return at;
    }
    return NULL;
}

static bool says(const char *text, const char *words)
{
    return find_words(text, words, strlen(words)) != NULL;
}

struct mark_word {
    const char *words;
    enum plot_mark mark;
};

/* Names of plots before what only hints at one. */
static const struct mark_word mark_words[] = {
    { "histogram", PLOT_HISTOGRAM },
    { "distributions", PLOT_BOX },
    { "scatter", PLOT_POINT },
    { "scatterplot", PLOT_POINT },
    { "box plot", PLOT_BOX },
    { "boxplot", PLOT_BOX },
    { "bar chart", PLOT_BAR },
    { "bar", PLOT_BAR },
    { "area", PLOT_AREA },
    { "stacked", PLOT_AREA },
    { "line chart", PLOT_LINE },
    { "line", PLOT_LINE },
    { "curve", PLOT_LINE },
    { "time series", PLOT_LINE },
    { "distribution", PLOT_HISTOGRAM },
    { "spread", PLOT_BOX },
    { "correlation", PLOT_POINT },
    { "against", PLOT_POINT },
    { "versus", PLOT_POINT },
    { "vs", PLOT_POINT },
    { "relation between", PLOT_POINT },
    { "relationship", PLOT_POINT },
    { "over time", PLOT_LINE },
    { "trend", PLOT_LINE },
    { "development of", PLOT_LINE },
    { "composition", PLOT_AREA },
    { "compare", PLOT_BAR },
    { "comparison", PLOT_BAR },
    { "ranking", PLOT_BAR },
    { "rank", PLOT_BAR },
};

struct aggregate_word {
    const char *words;
    enum plot_aggregate aggregate;
};

static const struct aggregate_word aggregate_words[] = {
    { "number of", PLOT_AGGREGATE_COUNT }, { "count of", PLOT_AGGREGATE_COUNT },
    { "how many", PLOT_AGGREGATE_COUNT },  { "mean", PLOT_AGGREGATE_MEAN },
    { "average", PLOT_AGGREGATE_MEAN },    { "total", PLOT_AGGREGATE_SUM },
    { "sum of", PLOT_AGGREGATE_SUM },
};

static bool read_mark(const char *text, struct wish *wish)
{
    for (size_t i = 0; i < ARRAY_LENGTH(mark_words); i++) {
        if (!says(text, mark_words[i].words))
            continue;
        wish->mark = mark_words[i].mark;
        wish->has_mark = true;
        return true;
    }
    return false;
}

static bool read_aggregate(const char *text, struct wish *wish)
{
    for (size_t i = 0; i < ARRAY_LENGTH(aggregate_words); i++) {
        if (!says(text, aggregate_words[i].words))
            continue;
        wish->aggregate = aggregate_words[i].aggregate;
        wish->has_aggregate = true;
        return true;
    }
    return false;
}

static bool says_any(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (says(text, words[i]))
            return true;
    return false;
}

static bool either_says(const char *caption, const char *intent, const char *const *words, size_t n)
{
    return says_any(caption, words, n) || says_any(intent, words, n);
}

/* The caption decides where both say something. */
static struct wish read_wish(const char *caption, const char *intent)
{
    static const char *const order[] = { "rank", "ranking", "ranked", "sorted", "top", "highest" };
    static const char *const along[] = { "hourly", "daily",  "weekly",   "monthly",
                                         "yearly", "annual", "seasonal", "course of" };
    static const char *const logs[] = { "log scale", "log-scale", "log axis",   "log axes",
                                        "log-log",   "loglog",    "logarithmic" };
    static const char *const both[] = { "log-log", "loglog" };
    struct wish wish = {
        .sorted = either_says(caption, intent, order, ARRAY_LENGTH(order)),
        .along = either_says(caption, intent, along, ARRAY_LENGTH(along)),
        .log = either_says(caption, intent, logs, ARRAY_LENGTH(logs)),
        .log_both = either_says(caption, intent, both, ARRAY_LENGTH(both)),
    };
    if (!read_mark(caption, &wish))
        read_mark(intent, &wish);
    if (!read_aggregate(caption, &wish))
        read_aggregate(intent, &wish);
    return wish;
}

/* Where the text first speaks of any word of the column's name, or NULL. */
static const char *first_mention(const char *text, const char *column)
{
    const char *first = find_words(text, column, strlen(column));
    while (*column) {
        size_t n = text_word_length(column);
        const char *at = n >= MIN_WORD_BYTES ? find_words(text, column, n) : NULL;
        if (at && (!first || at < first))
            first = at;
        column += n ? n : 1;
    }
    return first;
}

bool plot_words_against(const char *text, const char *a, const char *b)
{
    static const char *const between[] = { "against",          "versus", "vs",        "over",
                                           "as a function of", "with",   "depends on" };
    const char *first = first_mention(text, a), *second = first_mention(text, b);
    for (size_t i = 0; first && second && i < ARRAY_LENGTH(between); i++) {
        const char *at = find_words(text, between[i], strlen(between[i]));
        if (at && first < at && at < second)
            return true;
    }
    return false;
}

/* "Response times" are latency_ms rather than response_size_kb. */
static bool is_duration(const char *column)
{
    return text_ends_with(column, "_ms") || text_ends_with(column, "_s");
}

/* A column along which something goes on: year, epoch, x. */
static bool names_axis(const char *column)
{
    static const char *const words[] = { "year",  "month", "day",       "date",
                                         "time",  "hour",  "week",      "epoch",
                                         "step",  "round", "x",         "iteration",
                                         "index", "age",   "timestamp", "quarter" };
    /* "response time" is a value, not an axis. */
    return !says(column, "response") && !is_duration(column) &&
           says_any(column, words, ARRAY_LENGTH(words));
}

/* A column that only names rows: id. */
static bool names_key(const char *column)
{
    static const char *const words[] = { "id", "key", "code", "number", "zip" };
    return says_any(column, words, ARRAY_LENGTH(words));
}

struct guess {
    struct arena *arena;
    const struct plot_data *data;
    const char *caption, *intent;
    struct wish wish;
};

static bool is_number(const struct guess *g, int column)
{
    return g->data->columns[column].is_number;
}

static bool is_few(const struct guess *g, int column, size_t max)
{
    size_t n = plot_data_distinct(g->data, (size_t)column, max);
    return n > 0 && n <= max;
}

static bool is_time(const struct guess *g, int column)
{
    return plot_data_is_time(g->data, (size_t)column);
}

/* Whether time or another order runs along the column: by its name, or because it has times. */
static bool is_axis(const struct guess *g, int column)
{
    return is_time(g, column) || names_axis(g->data->columns[column].name);
}

typedef bool (*fits_fn)(const struct guess *g, int column);

static bool fits_value(const struct guess *g, int column)
{
    return is_number(g, column) && !names_axis(g->data->columns[column].name) &&
           !names_key(g->data->columns[column].name);
}

static bool fits_number(const struct guess *g, int column)
{
    return is_number(g, column);
}

static bool fits_place(const struct guess *g, int column)
{
    return !is_number(g, column) && is_few(g, column, FEW_PLACES);
}

static bool fits_axis(const struct guess *g, int column)
{
    return is_axis(g, column) && (is_number(g, column) || is_time(g, column));
}

static bool fits_series(const struct guess *g, int column)
{
    return !is_number(g, column) && is_few(g, column, PLOT_MAX_SERIES) && !is_few(g, column, 1) &&
           !is_time(g, column);
}

static unsigned mentions(const char *text, const char *column)
{
    unsigned n = is_duration(column) && says(text, "time") ? 2 : 0;
    n += says(text, column); /* which may be a single letter */
    while (*column) {
        size_t length = text_word_length(column);
        n += length >= MIN_WORD_BYTES && find_words(text, column, length);
        column += length ? length : 1;
    }
    return n;
}

static bool is_spoken(const struct guess *g, int column)
{
    const char *name = g->data->columns[column].name;
    return mentions(g->caption, name) || mentions(g->intent, name);
}

/* Of the columns that fit and are neither of two others the one of which most words are spoken; of
 * several, and where none is spoken of, the first. */
static int find(const struct guess *g, fits_fn fits, int not_this, int nor_that)
{
    int best = NONE;
    unsigned most = 0;
    for (int i = 0; i < (int)g->data->n_columns; i++) {
        if (i == not_this || i == nor_that || !fits(g, i))
            continue;
        const char *name = g->data->columns[i].name;
        unsigned n = mentions(g->caption, name) + mentions(g->intent, name);
        if (best != NONE && n <= most)
            continue;
        best = i;
        most = n;
    }
    return best;
}

static int find_spoken(const struct guess *g, fits_fn fits, int not_this, int nor_that)
{
    int found = find(g, fits, not_this, nor_that);
    return found != NONE && is_spoken(g, found) ? found : NONE;
}

/* "Number of parameters" names a column of numbers where there is one, and counts no rows. */
static bool counts_column(const struct guess *g, const char *text)
{
    for (size_t i = 0; i < ARRAY_LENGTH(aggregate_words); i++) {
        const char *words = aggregate_words[i].words;
        const char *at = find_words(text, words, strlen(words));
        if (!at || aggregate_words[i].aggregate != PLOT_AGGREGATE_COUNT)
            continue;
        at += strlen(words);
        at += strspn(at, " ");
        for (int column = 0; column < (int)g->data->n_columns; column++)
            if (fits_number(g, column) && first_mention(at, g->data->columns[column].name) == at)
                return true;
    }
    return false;
}

static const char *name_of(const struct guess *g, int column)
{
    return column == NONE ? NULL : g->data->columns[column].name;
}

static bool finish(const struct guess *g, enum plot_mark mark, int x, int y, int color,
                   struct plot_spec *out)
{
    *out = (struct plot_spec){ .mark = mark,
                               .x = name_of(g, x),
                               .y = name_of(g, y),
                               .color = name_of(g, color),
                               .x_label = "",
                               .y_label = "" };
    bool adds_up = mark == PLOT_BAR || mark == PLOT_LINE || mark == PLOT_AREA;
    if (!adds_up)
        return true;
    if (y == NONE)
        out->aggregate = PLOT_AGGREGATE_COUNT;
    else if (g->wish.aggregate == PLOT_AGGREGATE_COUNT && g->wish.has_aggregate)
        out->aggregate = PLOT_AGGREGATE_COUNT;
    else if (plot_data_repeats(g->arena, g->data, x, color))
        out->aggregate = g->wish.has_aggregate ? g->wish.aggregate
                         : mark == PLOT_AREA   ? PLOT_AGGREGATE_SUM
                                               : PLOT_AGGREGATE_MEAN;
    return true;
}

static bool guess_histogram(const struct guess *g, struct plot_spec *out)
{
    int x = find(g, fits_value, NONE, NONE);
    if (x == NONE)
        x = find(g, fits_number, NONE, NONE);
    return x != NONE &&
           finish(g, PLOT_HISTOGRAM, x, NONE, find_spoken(g, fits_series, x, NONE), out);
}

static bool guess_box(const struct guess *g, struct plot_spec *out)
{
    int x = find(g, fits_place, NONE, NONE), y = find(g, fits_value, x, NONE);
    return x != NONE && y != NONE &&
           finish(g, PLOT_BOX, x, y, find_spoken(g, fits_series, x, y), out);
}

/* The first number that is named runs across, the next one up; "weight against height" turns that.
 */
static bool guess_points(const struct guess *g, struct plot_spec *out)
{
    int first = find(g, fits_value, NONE, NONE);
    int second = first == NONE ? NONE : find(g, fits_value, first, NONE);
    if (second == NONE)
        second = first == NONE ? NONE : find(g, fits_number, first, NONE);
    if (second == NONE)
        return false;
    bool is_turned = plot_words_against(g->caption, name_of(g, first), name_of(g, second));
    int x = is_turned ? second : first, y = is_turned ? first : second;
    return finish(g, PLOT_POINT, x, y, find(g, fits_series, x, y), out);
}

static bool guess_along(const struct guess *g, enum plot_mark mark, struct plot_spec *out)
{
    int x = find(g, fits_axis, NONE, NONE);
    if (x == NONE)
        x = find(g, fits_number, find(g, fits_value, NONE, NONE), NONE);
    int y = x == NONE ? NONE : find(g, fits_value, x, NONE);
    if (y == NONE)
        return false;
    return finish(g, mark, x, y, find(g, fits_series, x, y), out);
}

/* "By year and city": bars along the years, and one of each city in each. */
static bool is_split(const struct guess *g, int axis, int place)
{
    const char *first = first_mention(g->caption, name_of(g, axis));
    const char *second = first_mention(g->caption, name_of(g, place));
    return fits_series(g, place) && first && second && first < second;
}

static bool guess_bars(const struct guess *g, struct plot_spec *out)
{
    int x = find(g, fits_place, NONE, NONE), axis = find(g, fits_axis, NONE, NONE);
    bool is_axis_meant =
        axis != NONE && is_few(g, axis, FEW_PLACES) &&
        (x == NONE || (is_spoken(g, axis) && (!is_spoken(g, x) || is_split(g, axis, x))));
    x = is_axis_meant ? axis : x;
    if (x == NONE)
        return false;
    int y = g->wish.has_aggregate && g->wish.aggregate == PLOT_AGGREGATE_COUNT
                ? NONE
                : find(g, fits_value, x, NONE);
    return finish(g, PLOT_BAR, x, y, find_spoken(g, fits_series, x, y), out);
}

static bool choose(const struct guess *g, enum plot_mark mark, struct plot_spec *out)
{
    switch (mark) {
    case PLOT_HISTOGRAM:
        return guess_histogram(g, out);
    case PLOT_BOX:
        return guess_box(g, out) || guess_histogram(g, out);
    case PLOT_POINT:
        return guess_points(g, out);
    case PLOT_LINE:
    case PLOT_AREA:
        return guess_along(g, mark, out);
    case PLOT_BAR:
        break;
    }
    return guess_bars(g, out);
}

/* What is chosen has to pass the checks that every spec has to. */
static bool passes(const struct guess *g, const struct plot_spec *spec, struct plot_spec *out)
{
    struct problems problems = { .arena = g->arena };
    const json_t *value = arena_keep_json(g->arena, plot_spec_to_json(spec));
    return plot_spec_from_json(g->arena, value, g->data, out, &problems);
}

static bool is_wide(const struct guess *g, const char *name, double ratio)
{
    int column = name ? plot_data_find(g->data, name) : NONE;
    double least = INFINITY, most = 0;
    for (size_t row = 0; column != NONE && row < g->data->n_rows; row++) {
        const json_t *cell = plot_data_cell(g->data, row, (size_t)column);
        if (json_is_number(cell)) {
            least = fmin(least, json_number_value(cell));
            most = fmax(most, json_number_value(cell));
        }
    }
    return least > 0 && most >= ratio * least;
}

/* On the axes that were asked for, or that have the values for it; where none of that can be drawn,
 * there is no logarithm. */
static void add_logarithms(const struct guess *g, struct plot_spec *spec)
{
    struct plot_spec with = *spec, only_y = *spec;
    with.log_x = g->wish.log_both || is_wide(g, spec->x, WIDE);
    with.log_y = g->wish.log_both || !with.log_x || is_wide(g, spec->y, WIDE);
    only_y.log_y = true;
    if (!passes(g, &with, spec))
        (void)passes(g, &only_y, spec);
}

void plot_spec_heed(struct arena *arena, const struct plot_data *data, const char *caption,
                    const char *intent, struct plot_spec *spec)
{
    const struct guess g = { arena, data, caption, intent, read_wish(caption, intent) };
    int x = plot_data_find(data, spec->x);
    spec->sorted = spec->sorted || (spec->mark == PLOT_BAR && g.wish.sorted && !is_axis(&g, x));
    if (g.wish.log && !spec->log_x && !spec->log_y)
        add_logarithms(&g, spec);
}

static bool guess_mark(const struct guess *g, enum plot_mark mark, struct plot_spec *out)
{
    struct plot_spec spec;
    if (!choose(g, mark, &spec) || !passes(g, &spec, out))
        return false;
    plot_spec_heed(g->arena, g->data, g->caption, g->intent, out);
    if (out->log_x || out->log_y)
        return true;
    spec = *out;
    spec.log_x = is_wide(g, spec.x, VERY_WIDE);
    spec.log_y = is_wide(g, spec.y, VERY_WIDE);
    (void)passes(g, &spec, out);
    return true;
}

/* A line is a good guess only along time, and where the words do not speak of names instead. */
static bool is_along(const struct guess *g)
{
    if (find(g, fits_axis, NONE, NONE) == NONE)
        return false;
    return g->wish.along || find_spoken(g, fits_axis, NONE, NONE) != NONE ||
           find_spoken(g, fits_place, NONE, NONE) == NONE;
}

/* "Perplexity over parameters": two columns of numbers, one against the other, and no time. */
static bool is_one_against_another(const struct guess *g)
{
    int a = find_spoken(g, fits_value, NONE, NONE);
    int b = a == NONE ? NONE : find_spoken(g, fits_value, a, NONE);
    return b != NONE && find_spoken(g, fits_axis, NONE, NONE) == NONE &&
           (plot_words_against(g->caption, name_of(g, a), name_of(g, b)) ||
            plot_words_against(g->caption, name_of(g, b), name_of(g, a)));
}

bool plot_spec_guess(struct arena *arena, const struct plot_data *data, const char *caption,
                     const char *intent, struct plot_spec *out)
{
    static const enum plot_mark otherwise[] = { PLOT_LINE, PLOT_BAR, PLOT_POINT, PLOT_HISTOGRAM };
    struct guess g = { .arena = arena, .data = data, .caption = caption, .intent = intent };
    g.wish = read_wish(caption, intent);
    if (g.wish.aggregate == PLOT_AGGREGATE_COUNT &&
        (counts_column(&g, caption) || counts_column(&g, intent)))
        g.wish.has_aggregate = false;
    if (g.wish.has_mark && guess_mark(&g, g.wish.mark, out))
        return true;
    if (!g.wish.has_mark && !g.wish.has_aggregate && is_one_against_another(&g) &&
        guess_mark(&g, PLOT_POINT, out))
        return true;
    for (size_t i = is_along(&g) ? 0 : 1; i < ARRAY_LENGTH(otherwise); i++)
        if (guess_mark(&g, otherwise[i], out))
            return true;
    return false;
}
