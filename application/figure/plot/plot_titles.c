/* A name is only rewritten by rules that hold for every column: an ending is a unit where it means
 * nothing else, or where another word of the name says what is measured. Anything else stays the
 * word that it is. */
#include "application/figure/plot/plot_titles.h"
#include "application/figure/plot/plot.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define UNITS "data/figure/units.txt"
#define MIN_GROUPED 1000 /* "per_1000" is per 1,000 */

static const char acronyms[] = " api co2 cpu gdp gpu html http id no2 pm10 ram sql url ";

/* Underscores, and dots between letters, stand for blanks. */
static const char *with_blanks(struct arena *arena, const char *name)
{
    char *copy = arena_strdup(arena, name);
    for (char *at = copy; *at; at++)
        if (*at == '_' || (*at == '.' && at > copy && isalpha((unsigned char)at[-1]) &&
                           isalpha((unsigned char)at[1])))
            *at = ' ';
    return text_with_single_blanks(arena, copy, strlen(copy));
}

static bool has_word_of(const char *text, const char *list)
{
    for (size_t n; *text; text += n ? n : 1)
        if ((n = text_word_length(text)) && text_is_listed(list, text, n))
            return true;
    return false;
}

/* Cuts the ending off where it is a word of its own; "per km" is no unit of what is per km. */
static const char *before(struct arena *arena, const char *text, const char *ending)
{
    size_t length = strlen(text), n = strlen(ending);
    if (length < n + 2 || text[length - n - 1] != ' ' || strcmp(text + length - n, ending) != 0)
        return NULL;
    const char *rest = arena_strndup(arena, text, length - n - 1);
    return text_ends_with(rest, " per") ? NULL : rest;
}

/* Takes the unit from the end of the words; NULL where they have none that is certain. */
static const char *take_unit(struct arena *arena, const char **words)
{
    const char *lines = embedded_file_find(plot_files, UNITS)->text;
    for (size_t n; *lines; lines += n + 1) {
        n = strcspn(lines, "\n");
        char *line = arena_strndup(arena, lines, n), *is = strstr(line, " = ");
        if (!is)
            continue;
        const char *shown = is + strlen(" = "), *of = strstr(shown, " of ");
        const char *unit = of ? arena_strndup(arena, shown, (size_t)(of - shown)) : shown;
        *is = '\0';
        const char *rest = before(arena, *words, line);
        if (!rest && strcasecmp(unit, line) == 0)
            rest = before(arena, *words, unit);
        if (!rest || (of && !has_word_of(rest, arena_printf(arena, "%s ", of + strlen(" of")))))
            continue;
        *words = rest;
        return unit;
    }
    return NULL;
}

/* "per 1000" as "per 1,000", "co2" as "CO2". */
static const char *spelled(struct arena *arena, const char *words)
{
    const char *out = "";
    bool is_per = false;
    for (size_t n; *words; words += n) {
        int64_t number;
        n = strcspn(words, " ");
        char *word = arena_strndup(arena, words, n);
        if (text_is_listed(acronyms, word, n))
            for (char *at = word; *at; at++)
                *at = (char)toupper((unsigned char)*at);
        bool is_grouped = is_per && text_to_int64(word, &number) && number >= MIN_GROUPED;
        is_per = strcmp(word, "per") == 0;
        n += strspn(words + n, " ");
        out = arena_printf(arena, "%s%s%s", out, *out ? " " : "",
                           is_grouped ? text_grouped(arena, (size_t)number) : word);
    }
    return out;
}

/* A name that has blanks or signs was written for people, and "x" is a name of its own. */
static const char *in_words(struct arena *arena, const char *prefix, const char *column)
{
    bool is_name = !strpbrk(column, " ()[]{}/%$\\") && strlen(column) > 2;
    const char *words = is_name ? with_blanks(arena, column) : column;
    const char *unit = is_name ? take_unit(arena, &words) : NULL;
    if (text_starts_with(prefix, "mean ") && text_starts_with(words, "mean "))
        prefix = "";
    if (!*words)
        words = column;
    char *title = arena_printf(arena, unit ? "%s%s (%s)" : "%s%s", prefix,
                               is_name ? spelled(arena, words) : words, unit);
    if (is_name || *prefix)
        *title = (char)toupper((unsigned char)*title);
    return title;
}

/* A label that repeats the name of the column says no more than it. */
static const char *title_of(struct arena *arena, const char *label, const char *prefix,
                            const char *column)
{
    bool is_label = *label && strcmp(label, column ? column : "") != 0;
    return is_label ? label : in_words(arena, prefix, column);
}

const char *plot_x_title(struct arena *arena, const struct plot_spec *spec)
{
    return title_of(arena, spec->x_label, "", spec->x);
}

const char *plot_y_title(struct arena *arena, const struct plot_spec *spec)
{
    static const char *const prefixes[] = { [PLOT_AGGREGATE_NONE] = "",
                                            [PLOT_AGGREGATE_SUM] = "sum of ",
                                            [PLOT_AGGREGATE_MEAN] = "mean of ",
                                            [PLOT_AGGREGATE_COUNT] = "" };
    return title_of(arena, spec->y_label, prefixes[spec->aggregate],
                    plot_counts(spec) ? "count" : spec->y);
}

const char *plot_series_title(struct arena *arena, const struct plot_spec *spec)
{
    return spec->color ? in_words(arena, "", spec->color) : "";
}
