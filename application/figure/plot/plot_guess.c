/* First what the words say (the mark, what is done to the values, which columns are meant; English
 * words in any case, and a plural is its singular), then the columns that fit the mark. */
#include "application/figure/plot/plot.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_words.h"
#include <math.h>
#include <string.h>

#define FEW_PLACES 30 /* bars or boxes that are made without being asked for */
#define NONE (-1)
#define MIN_WORD_BYTES 3

#define WIDE 100       /* largest to smallest value, from which on a logarithm shows more */
#define VERY_WIDE 1000 /* and from which on nothing else shows the small ones */

enum naming { HINTED, NAMED, LACKING }; /* LACKING: a plot that mistro does not have */

/* Words with '|' between them, the usual name first. */
struct mark_words {
    const char *words;
    enum plot_mark mark; /* or what comes nearest to it */
    enum naming naming;
};

/* Names of plots before what only hints at one. */
static const struct mark_words mark_words[] = {
    { "pie chart|pie|donut chart|doughnut chart|treemap|radar chart", PLOT_BAR, LACKING },
    { "heat map|heatmap|choropleth", PLOT_BAR, LACKING },
    { "violin plot|violin chart", PLOT_BOX, LACKING },
    { "bubble chart|bubble plot", PLOT_POINT, LACKING },
    { "stacked bar|stacked column", PLOT_BAR, LACKING },
    { "histogram", PLOT_HISTOGRAM, NAMED },
    { "scatter plot|scatter|scatterplot|scattergram", PLOT_POINT, NAMED },
    { "box plot|boxplot|box-plot|boxes", PLOT_BOX, NAMED },
    { "bar chart|column chart|barplot", PLOT_BAR, NAMED },
    { "stacked area|area chart|area plot|stacked", PLOT_AREA, NAMED },
    { "line chart|line plot|line graph", PLOT_LINE, NAMED },
    { "distributions", PLOT_BOX, HINTED },
    { "bar", PLOT_BAR, NAMED },
    { "area", PLOT_AREA, NAMED },
    { "line", PLOT_LINE, NAMED },
    { "curve|time series", PLOT_LINE, HINTED },
    { "distribution", PLOT_HISTOGRAM, HINTED },
    { "spread", PLOT_BOX, HINTED },
    { "correlation|against|versus|vs|relation between|relationship", PLOT_POINT, HINTED },
    { "over time|trend|development of", PLOT_LINE, HINTED },
    { "composition", PLOT_AREA, HINTED },
    { "compare|comparison|ranking|rank", PLOT_BAR, HINTED },
};

static const struct {
    const char *words;
    enum plot_aggregate aggregate;
} aggregate_words[] = {
    { "number of|count of|how many", PLOT_AGGREGATE_COUNT },
    { "mean|average", PLOT_AGGREGATE_MEAN },
    { "total|sum of", PLOT_AGGREGATE_SUM },
};

struct wish {
    const struct mark_words *mark; /* or NULL */
    bool has_aggregate, sorted, along, log, log_both;
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

/* What stands behind the first of the words "a|b" that the text says, or NULL. */
static const char *behind_any(const char *text, const char *words)
{
    for (size_t n; *words; words += n + (words[n] == '|')) {
        n = strcspn(words, "|");
        const char *at = find_words(text, words, n);
        if (at)
            return at + n;
    }
    return NULL;
}

static bool says(const char *text, const char *words)
{
    return behind_any(text, words) != NULL;
}

static bool names_column(const struct plot_data *data, const char *words)
{
    for (size_t i = 0; i < data->n_columns; i++)
        if (says(data->columns[i].name, words))
            return true;
    return false;
}

/* The "area" of a column "area_km2" is no mark. */
static void read_mark(const struct plot_data *data, const char *text, struct wish *wish)
{
    for (size_t i = 0; i < ARRAY_LENGTH(mark_words) && !wish->mark; i++)
        if (says(text, mark_words[i].words) && !names_column(data, mark_words[i].words))
            wish->mark = &mark_words[i];
}

static void read_aggregate(const char *text, struct wish *wish)
{
    for (size_t i = 0; i < ARRAY_LENGTH(aggregate_words) && !wish->has_aggregate; i++) {
        wish->has_aggregate = says(text, aggregate_words[i].words);
        wish->aggregate = aggregate_words[i].aggregate;
    }
}

/* The caption decides where both say something. */
static struct wish read_wish(const struct plot_data *data, const char *caption, const char *intent)
{
    const char *const texts[] = { caption, intent };
    struct wish wish = { 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        const char *text = texts[i];
        read_mark(data, text, &wish);
        read_aggregate(text, &wish);
        wish.sorted |= says(text, "rank|ranking|ranked|sorted|top|highest|compare|comparison");
        wish.along |= says(text, "hourly|daily|weekly|monthly|yearly|annual|seasonal|course of");
        wish.log_both |= says(text, "log-log|loglog");
        wish.log |= says(text, "log scale|log-scale|log axis|log axes|log-log|loglog|logarithmic");
    }
    return wish;
}

/* "Response times" are latency_ms rather than response_size_kb. */
static bool is_duration(const char *column)
{
    return text_ends_with(column, "_ms") || text_ends_with(column, "_s");
}

/* A column along which something goes on: year, epoch, x. "Response time" is a value. */
static bool names_axis(const char *column)
{
    return !says(column, "response") && !is_duration(column) &&
           says(column, "year|month|day|date|time|hour|week|epoch|step|round|x|iteration|index|age|"
                        "timestamp|quarter");
}

/* A column that only names rows: id. */
static bool names_key(const char *column)
{
    return says(column, "id|key|code|number|zip");
}

struct guess {
    struct arena *arena;
    const struct plot_data *data;
    const char *caption, *intent;
    struct wish wish;
};

static bool is_few(const struct guess *g, int column, size_t max)
{
    size_t n = plot_data_distinct(g->data, (size_t)column, max);
    return n > 0 && n <= max;
}

/* Whether time or another order runs along the column: by its name, or because it has times. */
static bool is_axis(const struct guess *g, int column)
{
    return plot_data_is_time(g->data, (size_t)column) || names_axis(g->data->columns[column].name);
}

typedef bool (*fits_fn)(const struct guess *g, int column);

static bool fits_number(const struct guess *g, int column)
{
    return g->data->columns[column].is_number;
}

static bool fits_value(const struct guess *g, int column)
{
    return fits_number(g, column) && !names_axis(g->data->columns[column].name) &&
           !names_key(g->data->columns[column].name);
}

static bool fits_place(const struct guess *g, int column)
{
    return !fits_number(g, column) && is_few(g, column, FEW_PLACES);
}

static bool fits_axis(const struct guess *g, int column)
{
    return is_axis(g, column) &&
           (fits_number(g, column) || plot_data_is_time(g->data, (size_t)column));
}

static bool fits_series(const struct guess *g, int column)
{
    return !fits_number(g, column) && is_few(g, column, PLOT_MAX_SERIES) && !is_few(g, column, 1) &&
           !plot_data_is_time(g->data, (size_t)column);
}

/* How many words of the column's name the text has; where it has the first goes to *out_first. */
static unsigned mentions(const char *text, const char *column, const char **out_first)
{
    const char *first = find_words(text, column, strlen(column)); /* may be a single letter */
    unsigned count = is_duration(column) && says(text, "time") ? 2 : 0;
    count += first != NULL;
    for (size_t n; *column; column += n ? n : 1) {
        n = text_word_length(column);
        const char *at = n >= MIN_WORD_BYTES ? find_words(text, column, n) : NULL;
        first = at && (!first || at < first) ? at : first;
        count += at != NULL;
    }
    if (out_first)
        *out_first = first;
    return count;
}

static const char *first_mention(const char *text, const char *column)
{
    const char *first;
    (void)mentions(text, column, &first);
    return first;
}

/* "A against B" */
static bool is_against(const struct guess *g, const char *a, const char *b)
{
    const char *first = first_mention(g->caption, a), *second = first_mention(g->caption, b);
    return first && second && first < second &&
           says(arena_strndup(g->arena, first, (size_t)(second - first)),
                "against|versus|vs|over|as a function of|with|depends on");
}

static bool is_spoken(const struct guess *g, int column)
{
    const char *name = g->data->columns[column].name;
    return mentions(g->caption, name, NULL) || mentions(g->intent, name, NULL);
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
        unsigned n = mentions(g->caption, name, NULL) + mentions(g->intent, name, NULL);
        best = best == NONE || n > most ? i : best;
        most = n > most ? n : most;
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
    const char *at = behind_any(text, aggregate_words[0].words);
    at = at ? at + strspn(at, " ") : NULL;
    for (int column = 0; at && column < (int)g->data->n_columns; column++)
        if (fits_number(g, column) && first_mention(at, g->data->columns[column].name) == at)
            return true;
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
    if (mark != PLOT_BAR && mark != PLOT_LINE && mark != PLOT_AREA)
        return true;
    if (y == NONE || (g->wish.aggregate == PLOT_AGGREGATE_COUNT && g->wish.has_aggregate))
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
    x = x == NONE ? find(g, fits_number, NONE, NONE) : x;
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
    int first = find(g, fits_value, NONE, NONE), second = find(g, fits_value, first, NONE);
    second = second == NONE ? find(g, fits_number, first, NONE) : second;
    if (first == NONE || second == NONE)
        return false;
    bool is_turned = is_against(g, name_of(g, first), name_of(g, second));
    int x = is_turned ? second : first, y = is_turned ? first : second;
    return finish(g, PLOT_POINT, x, y, find(g, fits_series, x, y), out);
}

static bool guess_along(const struct guess *g, enum plot_mark mark, struct plot_spec *out)
{
    int x = find(g, fits_axis, NONE, NONE);
    if (x == NONE)
        x = find(g, fits_number, find(g, fits_value, NONE, NONE), NONE);
    int y = find(g, fits_value, x, NONE);
    return x != NONE && y != NONE && finish(g, mark, x, y, find(g, fits_series, x, y), out);
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
    return mark == PLOT_HISTOGRAM ? guess_histogram(g, out)
           : mark == PLOT_BOX     ? guess_box(g, out) || guess_histogram(g, out)
           : mark == PLOT_POINT   ? guess_points(g, out)
           : mark == PLOT_BAR     ? guess_bars(g, out)
                                  : guess_along(g, mark, out);
}

/* What is chosen has to pass the checks that every spec has to; NULL when it does. */
static const char *problem_of(const struct guess *g, const struct plot_spec *spec,
                              struct plot_spec *out)
{
    struct problems problems = { .arena = g->arena };
    const json_t *value = arena_keep_json(g->arena, plot_spec_to_json(spec));
    bool passes = plot_spec_from_json(g->arena, value, g->data, out, &problems);
    return passes ? NULL : problems.list[0].message;
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
    if (problem_of(g, &with, spec))
        (void)problem_of(g, &only_y, spec);
}

void plot_spec_heed(struct arena *arena, const struct plot_data *data, const char *caption,
                    const char *intent, struct plot_spec *spec)
{
    const struct guess g = { arena, data, caption, intent, read_wish(data, caption, intent) };
    int x = plot_data_find(data, spec->x);
    spec->sorted = spec->sorted || (spec->mark == PLOT_BAR && g.wish.sorted && !is_axis(&g, x));
    if (g.wish.log && !spec->log_x && !spec->log_y)
        add_logarithms(&g, spec);
}

static bool guess_mark(const struct guess *g, enum plot_mark mark, struct plot_spec *out)
{
    struct plot_spec spec;
    if (!choose(g, mark, &spec) || problem_of(g, &spec, out))
        return false;
    plot_spec_heed(g->arena, g->data, g->caption, g->intent, out);
    if (out->log_x || out->log_y)
        return true;
    spec = *out;
    spec.log_x = is_wide(g, spec.x, VERY_WIDE);
    spec.log_y = is_wide(g, spec.y, VERY_WIDE);
    (void)problem_of(g, &spec, out);
    return true;
}

/* A line is a good guess only along time, and where the words do not speak of names instead. Bars
 * of these would be means that hide the time, which somebody has to ask for. */
static bool is_along(const struct guess *g)
{
    static const char each[] = "by|per|each|every";
    int axis = find(g, fits_axis, NONE, NONE), place = find_spoken(g, fits_place, NONE, NONE);
    if (axis == NONE || place == NONE || g->wish.along ||
        find_spoken(g, fits_axis, NONE, NONE) != NONE)
        return axis != NONE;
    bool is_grouped = g->wish.has_aggregate || says(g->caption, each) || says(g->intent, each);
    return !is_grouped && plot_data_repeats(g->arena, g->data, place, NONE) &&
           !plot_data_repeats(g->arena, g->data, axis, place);
}

/* "Perplexity over parameters": two columns of numbers, one against the other, and no time. */
static bool is_one_against_another(const struct guess *g)
{
    int a = find_spoken(g, fits_value, NONE, NONE);
    int b = a == NONE ? NONE : find_spoken(g, fits_value, a, NONE);
    return b != NONE && find_spoken(g, fits_axis, NONE, NONE) == NONE &&
           (is_against(g, name_of(g, a), name_of(g, b)) ||
            is_against(g, name_of(g, b), name_of(g, a)));
}

bool plot_spec_guess(struct arena *arena, const struct plot_data *data, const char *caption,
                     const char *intent, struct plot_spec *out)
{
    static const enum plot_mark otherwise[] = { PLOT_LINE, PLOT_BAR, PLOT_POINT, PLOT_HISTOGRAM };
    struct guess g = { .arena = arena, .data = data, .caption = caption, .intent = intent };
    g.wish = read_wish(data, caption, intent);
    if (g.wish.aggregate == PLOT_AGGREGATE_COUNT &&
        (counts_column(&g, caption) || counts_column(&g, intent)))
        g.wish.has_aggregate = false;
    if (g.wish.mark && guess_mark(&g, g.wish.mark->mark, out))
        return true;
    if (!g.wish.mark && !g.wish.has_aggregate && is_one_against_another(&g) &&
        guess_mark(&g, PLOT_POINT, out))
        return true;
    for (size_t i = is_along(&g) ? 0 : 1; i < ARRAY_LENGTH(otherwise); i++)
        if (guess_mark(&g, otherwise[i], out))
            return true;
    return false;
}

/* Why the mark that was asked for is not drawn, as the rest of a sentence. */
static const char *reason(const struct guess *g, const struct mark_words *asked)
{
    struct plot_spec wanted;
    if (asked->naming == LACKING)
        return ": there is no such plot";
    if (!choose(g, asked->mark, &wanted) || wanted.mark != asked->mark)
        return ": the data have no columns for it";
    const char *problem = problem_of(g, &wanted, &wanted);
    return problem ? arena_printf(g->arena, ": %s", problem) : "";
}

/* Whether caption or intent have a word of the column, whatever its ending is. */
static bool is_named(const struct guess *g, const char *column)
{
    const char *const texts[] = { g->caption, g->intent };
    struct figure_vocabulary said = figure_vocabulary_of(g->arena, texts, ARRAY_LENGTH(texts));
    bool is_named = is_spoken(g, plot_data_find(g->data, column));
    for (size_t n; *column && !is_named; column += n ? n : 1) {
        n = text_word_length(column);
        is_named = n >= MIN_WORD_BYTES &&
                   figure_vocabulary_knows(&said, arena_strndup(g->arena, column, n));
    }
    return is_named;
}

void find_plot_faults(struct figure_findings *findings, const struct plot_data *data,
                      const char *caption, const char *intent, const struct plot_spec *spec,
                      bool is_guess)
{
    const struct guess g = { findings->arena, data, caption, intent,
                             read_wish(data, caption, intent) };
    const struct mark_words *asked = g.wish.mark;
    const char *const columns[] = { spec->x, spec->y };
    if (asked && (asked->naming == LACKING || asked->mark != spec->mark) && asked->naming != HINTED)
        figure_finding_add(findings, "mark_replaced", FINDING_DOUBTFUL,
                           "draw what is asked for, or ask for the plot that is drawn",
                           "\"%.*s\" is asked for and \"%s\" is drawn%s",
                           (int)strcspn(asked->words, "|"), asked->words,
                           plot_mark_name(spec->mark), reason(&g, asked));
    for (size_t i = 0; is_guess && i < ARRAY_LENGTH(columns); i++)
        if (columns[i] && !is_named(&g, columns[i]) &&
            !(i == 0 && is_axis(&g, plot_data_find(data, columns[i]))))
            figure_finding_add(findings, "column_guessed", FINDING_DOUBTFUL,
                               "name the columns that are meant",
                               "neither caption nor intent names \"%s\"",
                               figure_finding_name(findings, columns[i]));
}
