#include "application/figure/plot/plot_words.h"
#include "domain/base/attributes.h"
#include "domain/base/text_words.h"
#include <ctype.h>
#include <string.h>

#define MIN_WORD_BYTES 3

static bool is_same(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i]))
            return false;
    return true;
}

/* Where the words stand in the text, as whole words but for a plural; NULL where they do not. */
static const char *find_words(const char *text, const char *words, size_t length)
{
    size_t left = strlen(text);
    for (const char *at = text; left >= length && length; at++, left--) {
        if ((at > text && text_is_word_byte(at[-1])) || !is_same(at, words, length))
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

static bool find_mark(const char *text, struct plot_wish *wish)
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

static bool find_aggregate(const char *text, struct plot_wish *wish)
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

static bool wants_order(const char *text)
{
    return says(text, "ranking") || says(text, "ranked") || says(text, "sorted") ||
           says(text, "top") || says(text, "highest");
}

struct plot_wish plot_words_read(const char *caption, const char *intent)
{
    struct plot_wish wish = { .sorted = wants_order(caption) || wants_order(intent) };
    if (!find_mark(caption, &wish))
        find_mark(intent, &wish);
    if (!find_aggregate(caption, &wish))
        find_aggregate(intent, &wish);
    return wish;
}

/* Where the text first speaks of any word of the column's name, or NULL. */
static const char *first_mention(const char *text, const char *column)
{
    const char *first = find_words(text, column, strlen(column));
    while (*column) {
        size_t n = 0;
        while (text_is_word_byte(column[n]))
            n++;
        const char *at = n >= MIN_WORD_BYTES ? find_words(text, column, n) : NULL;
        if (at && (!first || at < first))
            first = at;
        column += n ? n : 1;
    }
    return first;
}

bool plot_words_mention(const char *text, const char *column)
{
    return first_mention(text, column) != NULL;
}

bool plot_words_against(const char *text, const char *a, const char *b)
{
    static const char *const between[] = { "against", "versus", "vs", "over", "as a function of" };
    const char *first = first_mention(text, a), *second = first_mention(text, b);
    for (size_t i = 0; first && second && i < ARRAY_LENGTH(between); i++) {
        const char *at = find_words(text, between[i], strlen(between[i]));
        if (at && first < at && at < second)
            return true;
    }
    return false;
}

static bool has_word_of(const char *column, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (says(column, words[i]))
            return true;
    return false;
}

bool plot_words_name_axis(const char *column)
{
    static const char *const words[] = { "year",  "month", "day",       "date",
                                         "time",  "hour",  "week",      "epoch",
                                         "step",  "round", "x",         "iteration",
                                         "index", "age",   "timestamp", "quarter" };
    /* "response time" is a value and no axis. */
    bool is_duration = says(column, "response") || strstr(column, "_ms") || strstr(column, "_s");
    return !is_duration && has_word_of(column, words, ARRAY_LENGTH(words));
}

bool plot_words_name_key(const char *column)
{
    static const char *const words[] = { "id", "key", "code", "number", "zip" };
    return has_word_of(column, words, ARRAY_LENGTH(words));
}
