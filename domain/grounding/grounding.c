/* First the sources become one text in small letters, sorted numbers, and a list of dates and
 * times; then every value of the answer is looked for. */
#include "domain/grounding/grounding.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/grounding/values.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 64
#define MAX_COUNT 100000 /* of occurrences of a word */

/* Different numbers, as long as they are few: n is GROUNDING_PAIRS + 1 where there are more. */
struct few {
    double list[GROUNDING_PAIRS + 1];
    size_t n;
};

/* The numbers that stand at one place of several records. */
struct column {
    unsigned key;
    struct few few;
    double sum, n;
};

struct grounds {
    struct arena *arena;
    struct buf text; /* everything, in small letters */
    double *numbers; /* absolute values, as they stand, and counts; sorted at the end */
    size_t n_numbers, numbers_capacity;
    struct value *moments; /* dates and times */
    size_t n_moments, moments_capacity;
    struct column columns[MAX_COLUMNS];
    size_t n_columns;
    struct few few; /* those that stand alone */
    double most;    /* elements or lines of one list or text */
    bool is_full;   /* there is more than may be looked into */
    /* Of the answer: */
    const struct folded *answer;
    double found[GROUNDING_MAX_CLAIMS]; /* its numbers that are grounded */
    size_t n_found;
    struct few few_found;
    bool is_second; /* what was not found at first is tried with all means */
};

static void add(struct grounds *g, double number)
{
    *arena_push(g->arena, g->numbers, g->n_numbers, g->numbers_capacity) = fabs(number);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_between(double number, double least, double most)
{
    return number >= least - fabs(least) * 1e-9 && number <= most + fabs(most) * 1e-9;
}

static bool stands_between(const struct grounds *g, double least, double most)
{
    size_t low = 0, high = g->n_numbers;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->numbers[middle] < least - fabs(least) * 1e-9)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->n_numbers && is_between(g->numbers[low], least, most);
}

static void add_few(struct few *few, double number)
{
    for (size_t i = 0; i < few->n; i++)
        if (few->list[i] == number)
            return;
    if (few->n <= GROUNDING_PAIRS)
        few->list[few->n++] = number;
}

/* All that is looked through counts for the bound. */
static bool keep(struct grounds *g, const char *text, size_t length)
{
    bool fits = buf_append(&g->text, text, length) && buf_append(&g->text, "\n", 1);
    g->is_full = g->is_full || !fits;
    return !g->is_full;
}

static void add_cell(struct grounds *g, unsigned key, double number)
{
    size_t i = 0;
    while (i < g->n_columns && g->columns[i].key != key)
        i++;
    if (i == MAX_COLUMNS)
        return;
    struct column *column = &g->columns[i];
    g->n_columns += i == g->n_columns;
    column->key = key;
    add_few(&column->few, number);
    column->n++;
    column->sum += number;
}

/* 12 345 is one number as well, where it is not in a table. */
static void add_groups(struct grounds *g, const char *behind, double number)
{
    for (; *behind == ' ' && strspn(behind + 1, "0123456789") == 3; behind += 4)
        add(g, number = number * 1000 + atoi(behind));
}

static void count_text(struct grounds *g, const char *text)
{
    double lines = 0, words = 0;
    for (const char *at = text; *at; at++) {
        bool ends = !at[1] || isspace((unsigned char)at[1]);
        words += ends && !isspace((unsigned char)*at);
        lines += *at == '\n' || !at[1];
    }
    add(g, lines);
    add(g, words);
    g->most = fmax(g->most, lines);
}

/* Takes the values of a text. key: of the column that its first number belongs to; 0: what was
 * said, which only is looked for. */
static void add_text(struct grounds *g, const char *text, unsigned key)
{
    struct folded folded = value_fold(g->arena, text);
    size_t heading = strcspn(text, "\n"), at = 0;
    struct value_reader reader = { .folded = &folded,
                                   .is_csv = memchr(text, ',', heading) &&
                                             strcspn(text, "0123456789") >= heading };
    struct value value;
    unsigned place = 0;
    if (!keep(g, folded.text, folded.length))
        return;
    while (value_next(&reader, &value)) {
        for (; at < value.at; at++)
            place = folded.text[at] == '\n' ? 0 : place;
        if (value.is_whole && !value.is_word)
            add_groups(g, folded.text + value.at + value.length, value.readings[0]);
        if (value.kind != VALUE_NUMBER)
            *arena_push(g->arena, g->moments, g->n_moments, g->moments_capacity) = value;
        if (value.kind == VALUE_DATE)
            add(g, value.parts[0]);
        for (size_t i = 0; i < value.n_readings; i++)
            add(g, value.readings[i]);
        if (!value.n_readings || value.is_embedded || value.is_word)
            continue;
        add_few(&g->few, value.readings[0]);
        if (key)
            add_cell(g, key + ++place * 2654435761u, value.readings[0]);
    }
    if (key)
        count_text(g, text);
}

/* Takes a value of a result; the recursion is bounded by what json_parse reads. */
static void add_result(struct grounds *g, const json_t *value, unsigned key)
{
    const char *name;
    json_t *member;
    double sum = 0, n = (double)json_array_size(value);
    size_t i;
    if (json_is_string(value))
        add_text(g, json_string_value(value), key);
    if (json_is_number(value) && keep(g, "#######", 7)) {
        add(g, json_number_value(value));
        add_few(&g->few, json_number_value(value));
        add_cell(g, key, json_number_value(value));
    }
    add(g, n);
    add(g, (double)json_object_size(value));
    g->most = fmax(g->most, n);
    json_array_foreach (value, i, member)
        add_result(g, member, key);
    json_each_member (value, name, member) {
        unsigned inner = key;
        for (const char *at = name; *at; at++)
            inner = (inner ^ (unsigned char)*at) * 16777619u;
        add_text(g, name, 0);
        add_result(g, member, inner);
        sum += json_number_value(member);
    }
    add(g, sum);
}

/* How often the text stands there by itself, not as a part of a longer word or name. */
static size_t occurrences(const struct grounds *g, const char *text, size_t length, size_t enough)
{
    const char *all = buf_string(&g->text);
    const char *wanted = arena_strndup(g->arena, text, length);
    size_t n = 0;
    for (const char *at = all; length && n < enough && (at = strstr(at, wanted)); at++) {
        const char *behind = at + length;
        bool is_inside = isdigit((unsigned char)*text)
                             ? at > all && isdigit((unsigned char)at[-1])
                             : at > all && (text_is_word_byte(at[-1]) || at[-1] == '_');
        bool is_point = (*behind == '.' || *behind == ',') && text_is_word_byte(behind[1]);
        n += !(is_inside && text_is_word_byte(*text)) && !text_is_word_byte(*behind) &&
             *behind != '_' && !is_point;
    }
    return n;
}

/* Each part of a path may have been said apart: a folder in the request, names in the result. */
static bool name_stands(const struct grounds *g, const char *at, size_t length)
{
    const char *end = at + length;
    bool stands = true;
    if (occurrences(g, at, length, 1))
        return true;
    for (size_t n; at < end && stands; at += n + 1) {
        n = strcspn(at, "/");
        n = n < (size_t)(end - at) ? n : (size_t)(end - at);
        stands = !n || strncmp(at, ".", n) == 0 || occurrences(g, at, n, 1);
    }
    return stands;
}

/* Without the punctuation that belongs to the sentence around it, up to a gap. */
static bool quote_stands(const struct grounds *g, const char *at, size_t length)
{
    const char *gap = strstr(at, "...");
    size_t n = gap && (size_t)(gap - at) < length ? (size_t)(gap - at) : length;
    while (n && strchr(".,;:!? ", at[n - 1]))
        n--;
    return strstr(buf_string(&g->text), arena_strndup(g->arena, at, n));
}

static bool moment_stands(const struct grounds *g, const struct value *v)
{
    const int *a = v->parts;
    double number = a[1] < 0 ? a[0] : a[0] * 60 + a[1];
    for (size_t i = 0; i < g->n_moments; i++) {
        const struct value *known = &g->moments[i];
        const int *b = known->parts;
        bool is_half_known = v->is_half_known || known->is_half_known;
        bool same = known->kind == v->kind;
        for (int part = 0; part < 3; part++)
            same = same &&
                   (a[part] == b[part] || a[part] < 0 || b[part] < 0 ||
                    (is_half_known && (v->kind == VALUE_DATE ? part && a[part] == b[3 - part]
                                                             : !part && a[0] % 12 == b[0] % 12)));
        if (same)
            return true;
    }
    return v->kind == VALUE_TIME && stands_between(g, number, number);
}

/* Whether a number between these follows from two of the few. */
static bool follows(const struct few *few, const struct value *v, double least, double most)
{
    bool is_percent = v->unit == UNIT_PERCENT;
    bool has_ratios = is_percent || v->unit == UNIT_RATIO || !v->is_whole || v->is_hedged;
    for (size_t i = 0; few->n <= GROUNDING_PAIRS && i < few->n; i++)
        for (size_t j = 0; j < few->n; j++) {
            double a = few->list[i], b = few->list[j], per = is_percent ? 100 : 1;
            double of[] = { a / b * per, (a - b) / b * per, a / (a + b) * per, a + b, a - b,
                            a * b,       (a + b) / 2 };
            for (size_t k = has_ratios ? 0 : 3; i != j && k < (is_percent ? 3 : 7); k++)
                if (is_between(fabs(of[k]), least, most))
                    return true;
        }
    return false;
}

static bool is_derived(const struct grounds *g, const struct value *v, double least, double most)
{
    if (follows(&g->few, v, least, most))
        return true;
    for (size_t i = 0; i < g->n_columns; i++) {
        struct column column = g->columns[i];
        if (is_between(column.sum, least, most) || is_between(column.sum / column.n, least, most))
            return true;
        add_few(&column.few, column.sum);
        if (follows(&column.few, v, least, most))
            return true;
    }
    if (!g->is_second)
        return false;
    for (size_t i = 0; i < g->n_found; i++) {
        double sum = 0;
        for (size_t j = i; j < g->n_found && j < i + GROUNDING_PAIRS; j++)
            if (is_between(sum += g->found[j], least, most))
                return true;
    }
    return follows(&g->few_found, v, least, most);
}

/* Whether the number is hours, minutes or seconds of a duration: "2 h 15 min" of 135 minutes. */
static bool is_part_of(double duration, double least, double most)
{
    double parts[] = { floor(duration / 3600), floor(fmod(duration, 3600) / 60),
                       floor(duration / 60),   fmod(duration, 60),
                       duration / 60,          duration };
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        if (is_between(parts[i], least, most))
            return true;
    return false;
}

static double point_of(const struct value *v)
{
    const int *parts = v->parts;
    return v->kind == VALUE_TIME ? parts[0] * 60 + fmax(parts[1], 0)
                                 : parts[0] * 365.25 + parts[1] * 30.44 + parts[2];
}

/* Few durations: they stand there, or lie between two times or dates. */
static bool is_duration(const struct grounds *g, double least, double most)
{
    const struct value *moments = g->moments;
    for (size_t i = 0; g->few.n <= GROUNDING_PAIRS && i < g->few.n; i++)
        if (is_part_of(g->few.list[i], least, most))
            return true;
    for (size_t i = 0; g->n_moments <= GROUNDING_PAIRS && i < g->n_moments; i++)
        for (size_t j = 0; j < i; j++)
            if (moments[i].kind == moments[j].kind &&
                is_part_of(round(fabs(point_of(&moments[i]) - point_of(&moments[j]))), least, most))
                return true;
    return false;
}

/* Whether a number between these stands there in another unit. */
static bool is_converted(const struct grounds *g, const struct value *v, double least, double most)
{
    static const double factors[] = { 60,  3600, 86400, 24,      7,          1440, 1000,
                                      1e6, 1e9,  1024,  1048576, 1073741824, 100 };
    size_t from = v->unit == UNIT_MEASURE ? 6 : v->unit == UNIT_PERCENT ? 12 : 0;
    size_t to = v->unit == UNIT_TIME ? 7 : v->unit >= UNIT_PERCENT ? 13 : 0;
    for (size_t i = from; i < to; i++)
        if (stands_between(g, least * factors[i], most * factors[i]) ||
            stands_between(g, least / factors[i], most / factors[i]))
            return true;
    if (v->unit == UNIT_MEASURE) /* degrees, of Celsius or Fahrenheit */
        return stands_between(g, least * 1.8 + 32, most * 1.8 + 32) ||
               stands_between(g, (least - 32) / 1.8, (most - 32) / 1.8);
    return v->unit == UNIT_PERCENT && stands_between(g, 100 - most, 100 - least);
}

/* Zeros at the end of "about 1,200" are not shown digits, nor are those of whole thousands; and
 * 1,286 is "over 1,200". */
static bool reading_fits(const struct grounds *g, const struct value *v, size_t i)
{
    double number = v->readings[i], slack = v->slack[i], zeros = 1;
    while (slack == 0.5 && number >= 10 * zeros && fmod(number, 10 * zeros) == 0)
        zeros *= 10;
    if (v->is_hedged || (zeros >= 1000 && number >= 10 * zeros))
        slack = fmax(zeros / 2, slack);
    double least = number - slack, most = number + slack * (v->is_hedged ? 2 : 1);
    bool is_count = v->is_whole && !v->unit && !v->is_hedged;
    double exact = is_count && number <= GROUNDING_SMALL ? slack : 0;
    return stands_between(g, least, most) || is_derived(g, v, least + exact, most - exact) ||
           is_converted(g, v, least, most) || (v->unit == UNIT_TIME && is_duration(g, least, most));
}

static bool is_small(const struct grounds *g, const struct value *v)
{
    double number = v->n_readings ? v->readings[0] : INFINITY;
    bool is_count = v->is_whole && number <= GROUNDING_SMALL && v->unit != UNIT_PERCENT &&
                    v->unit != UNIT_MEASURE;
    return is_count && (number <= (v->is_word ? 3 : 1) || number <= g->most);
}

/* Whether a word beside the number occurs so often. */
static bool counts_word(const struct grounds *g, const struct value *v)
{
    const char *text = g->answer->text;
    size_t from = v->at, to = v->at, wanted = (size_t)v->readings[0];
    while (from && text[from - 1] != '\n' && v->at - from < 100)
        from--;
    while (text[to] && text[to] != '\n' && to - v->at < 100)
        to++;
    for (size_t n; from < to; from += n + 1) {
        for (n = 0; text_is_word_byte(text[from + n]) || text[from + n] == '_'; n++)
            ;
        if (n > 2 && occurrences(g, text + from, n, wanted + 1) == wanted)
            return true;
    }
    return false;
}

/* "from 9 to 18.30" */
static bool is_time(const struct grounds *g, double number)
{
    for (size_t i = 0; i < g->n_moments; i++) {
        const int *parts = g->moments[i].parts;
        double time = parts[0] + fmax(parts[1], 0) / 100;
        if (g->moments[i].kind == VALUE_TIME && is_between(number, time, time))
            return true;
    }
    return false;
}

static bool number_stands(const struct grounds *g, const struct value *v)
{
    const char *text = g->answer->text + v->at;
    bool is_day = v->unit == UNIT_TIME && v->readings[0] == 24;
    if (v->is_embedded || is_day || is_small(g, v))
        return true;
    for (size_t i = 0; i < v->n_readings; i++)
        if (reading_fits(g, v, i) || is_time(g, v->readings[i]))
            return true;
    if (!v->is_whole)
        return occurrences(g, text, v->length, 1);
    return g->is_second && !v->is_word && v->readings[0] < MAX_COUNT && counts_word(g, v);
}

static bool is_grounded(const struct grounds *g, const struct value *v)
{
    const char *at = g->answer->text + v->at;
    return v->kind == VALUE_NUMBER  ? number_stands(g, v)
           : v->kind == VALUE_NAME  ? name_stands(g, at, v->length)
           : v->kind == VALUE_QUOTE ? quote_stands(g, at, v->length)
                                    : moment_stands(g, v);
}

static void name_value(const struct grounds *g, const char *answer, const struct value *v,
                       struct grounding *out)
{
    const size_t *origins = g->answer->origins + v->at;
    size_t length = origins[v->length] - origins[0];
    const char *text = text_one_line(g->arena, answer + origins[0], length, GROUNDING_NAME_COLUMNS);
    if (!text_is_one_of(text, out->ungrounded, out->n))
        out->ungrounded[out->n++] = text;
}

/* Goes through the answer: at first for its numbers that are grounded, then for what is not. */
static void judge(struct grounds *g, const char *answer, struct grounding *out)
{
    struct value_reader reader = { .folded = g->answer, .is_answer = true };
    struct value value;
    for (size_t i = 0; i < GROUNDING_MAX_CLAIMS && value_next(&reader, &value); i++) {
        bool is_sound = is_grounded(g, &value);
        if (!is_sound && g->is_second)
            name_value(g, answer, &value, out);
        if (!is_sound || g->is_second || !value.n_readings || value.is_embedded)
            continue;
        g->found[g->n_found++] = value.readings[0];
        add_few(&g->few_found, value.readings[0]);
    }
}

void grounding_check(struct arena *arena, const char *answer,
                     const struct grounding_sources *sources, struct grounding *out)
{
    struct folded folded = value_fold(arena, answer);
    struct grounds *g = arena_new(arena, struct grounds);
    g->arena = arena;
    g->answer = &folded;
    buf_init(&g->text, GROUNDING_MAX_BYTES);
    for (size_t i = 0; i < sources->n_said; i++)
        add_text(g, sources->said[i], 0);
    for (size_t i = 0; i < sources->n_results; i++)
        add_result(g, sources->results[i], (unsigned)i + 1);
    *out = (struct grounding){ .is_unjudged = g->is_full };
    out->ungrounded = arena_array(arena, const char *, GROUNDING_MAX_CLAIMS);
    if (g->n_numbers)
        qsort(g->numbers, g->n_numbers, sizeof *g->numbers, compare);
    for (int pass = 0; pass < 2 && !out->is_unjudged; pass++) {
        judge(g, answer, out);
        g->is_second = true;
    }
    buf_finish(&g->text);
}
