/* Numbers of a program that draws, against the numbers it was to draw. */
#include "domain/figure/figure_finding.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_NUMBER = 12, MAX_NUMBERS = 200000, NUMBER_BYTES = 40 };

struct numbers {
    double *list;
    size_t n, capacity;
};

static bool is_name_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The next number at or behind *at that is part of no name and no "#rrggbb"; *out_start is where
 * it begins, *at moves behind it. */
static bool next_number(const char *text, const char **at, const char **out_start, double *out)
{
    for (const char *p = *at; *p; p++) {
        bool starts = isdigit((unsigned char)*p) &&
                      (p == text || (!is_name_letter(p[-1]) && p[-1] != '.' && p[-1] != '#'));
        if (!starts)
            continue;
        char *end = NULL;
        *out = strtod(p, &end);
        if (end == p || is_name_letter(*end)) {
            while (is_name_letter(*p))
                p++;
            p--;
            continue;
        }
        *out_start = p;
        *at = end;
        return true;
    }
    return false;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct numbers numbers_of(struct arena *arena, const char *text)
{
    struct numbers numbers = { 0 };
    const char *at = text, *start;
    double value;
    while (numbers.n < MAX_NUMBERS && next_number(text, &at, &start, &value))
        *arena_push(arena, numbers.list, numbers.n, numbers.capacity) = value;
    if (numbers.n)
        qsort(numbers.list, numbers.n, sizeof *numbers.list, by_size);
    return numbers;
}

/* "figsize=(", "dpi=", "fontsize=": how it looks, not what it says. */
static bool is_of_the_look(const char *code, const char *start)
{
    static const char *const looks[] = { "figsize",  "dpi",    "size", "width",    "height",
                                         "alpha",    "pad",    "loc",  "rotation", "bins",
                                         "fontsize", "zorder", "lw",   "ms",       "linewidth",
                                         "capsize",  "spacing" };
    const char *equals = start;
    while (equals > code && equals[-1] != '\n' && equals[-1] != '=')
        equals--;
    if (equals == code || equals[-1] != '=')
        return false;
    const char *end = equals - 1;
    while (end > code && (end[-1] == ' ' || end[-1] == '"' || end[-1] == '\'' || end[-1] == ']'))
        end--;
    for (size_t i = 0; i < ARRAY_LENGTH(looks); i++) {
        size_t length = strlen(looks[i]);
        if ((size_t)(end - code) >= length && strncmp(end - length, looks[i], length) == 0)
            return true;
    }
    return false;
}

void find_foreign_numbers(struct figure_findings *findings, const char *code, const char *source)
{
    struct numbers known = numbers_of(findings->arena, source);
    const char *at = code, *start;
    double value;
    for (size_t n = 0; n < MAX_NUMBERS && next_number(code, &at, &start, &value); n++) {
        bool is_small = value <= SMALL_NUMBER && floor(value) == value;
        bool is_known = known.n && bsearch(&value, known.list, known.n, sizeof value, by_size);
        if (is_small || is_known || is_of_the_look(code, start))
            continue;
        size_t length = (size_t)(at - start);
        figure_finding_add(findings, "number_foreign", FINDING_UNFAITHFUL,
                           "take every number from the data",
                           "neither text nor data have the number %.*s",
                           (int)(length > NUMBER_BYTES ? NUMBER_BYTES : length), start);
    }
}
