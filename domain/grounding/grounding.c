/* First the sources become one text in small letters, sorted numbers, and a list of dates and
 * times; then every value of the answer is looked for. */
#include "domain/grounding/grounding.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "domain/grounding/values.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SETS 128
#define SET_NUMBERS 32
#define RECORD_NUMBERS 8
#define MAX_PLACES 16    /* of numbers on a line that are columns */
#define WORK 300000      /* pairs of numbers and bytes of text that a check may look at */
#define NEAR 100         /* bytes of an answer to each side of a value */
#define MAX_COUNT 100000 /* of occurrences of a word */

/* Different numbers that belong together: all there are, those the answer shows, a column, the
 * numbers of one object or line. */
struct set {
    unsigned key;
    double list[SET_NUMBERS + 2]; /* the sum is the last one */
    size_t n;
    double sum, count;
};

struct grounds {
    struct arena *arena;
    const json_t *words;
    struct buf text; /* everything, in small letters */
    double *numbers; /* absolute values, as they stand, and counts; sorted at the end */
    size_t n_numbers, numbers_capacity;
    struct value *moments; /* dates and times */
    size_t n_moments, moments_capacity;
    struct set sets[MAX_SETS];
    size_t n_sets;
    struct set *records;
    size_t n_records, records_capacity;
    double most;  /* elements or lines of one list or text */
    bool is_full; /* there is more than may be looked into */
    double work;
    /* Of the answer: */
    const struct folded *answer;
    bool speaks;    /* of how the value at hand is derived */
    bool is_second; /* what was not found at first is tried with all means */
};

enum { SET_ALL = 1, SET_FOUND };

static void add(struct grounds *g, double number)
{
    *arena_push(g->arena, g->numbers, g->n_numbers, g->numbers_capacity) = fabs(number);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
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
    return low < g->n_numbers && value_is_between(g->numbers[low], least, most);
}

static void add_to(struct set *set, double number)
{
    size_t i = 0;
    set->sum += number;
    set->count++;
    while (i < set->n && set->list[i] != number)
        i++;
    if (i == set->n && i <= SET_NUMBERS)
        set->list[set->n++] = number;
}

static void add_cell(struct grounds *g, unsigned key, double number)
{
    size_t i = 0;
    while (i < g->n_sets && g->sets[i].key != key)
        i++;
    if (i == MAX_SETS)
        return;
    g->n_sets += i == g->n_sets;
    g->sets[i].key = key;
    add_to(&g->sets[i], number);
}

/* What an object or line says belongs together: 120 pieces at 2.50; the sums of what it makes are
 * those of columns. */
static void add_record(struct grounds *g, const struct set *record, unsigned key)
{
    if (record->n < 2 || record->n > RECORD_NUMBERS)
        return;
    *arena_push(g->arena, g->records, g->n_records, g->records_capacity) = *record;
    for (unsigned i = 0; i < record->n && record->n <= 4; i++)
        for (unsigned j = 0; j < i; j++)
            add_cell(g, key ^ (i * 4 + j + 1) * 40503u, record->list[i] * record->list[j]);
}

/* All that is looked through counts for the bound. */
static bool keep(struct grounds *g, const char *text, size_t length)
{
    bool fits = buf_append(&g->text, text, length) && buf_append(&g->text, "\n", 1);
    g->is_full = g->is_full || !fits;
    return !g->is_full;
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

static void add_moment(struct grounds *g, const struct value *v)
{
    const int *parts = v->parts;
    *arena_push(g->arena, g->moments, g->n_moments, g->moments_capacity) = *v;
    /* The year, or "from 9 to 18.30". */
    add(g, v->kind == VALUE_DATE ? parts[0] : parts[0] + fmax(parts[1], 0) / 100);
}

/* Takes the values of a text. key: of the column that its first number belongs to; 0: what was
 * said, which only is looked for. */
static void add_text(struct grounds *g, const char *text, unsigned key)
{
    g->is_full = g->is_full || strlen(text) > GROUNDING_MAX_BYTES;
    if (g->is_full)
        return;
    struct folded folded = value_fold(g->arena, text);
    size_t heading = strcspn(text, "\n"), at = 0;
    struct value_reader reader = { .folded = &folded,
                                   .words = g->words,
                                   .is_csv = memchr(text, ',', heading) &&
                                             strcspn(text, "0123456789") >= heading };
    struct value value;
    struct set line = { 0 };
    if (!keep(g, folded.text, folded.length))
        return;
    while (value_next(&reader, &value)) {
        for (; at < value.at; at++)
            if (folded.text[at] == '\n') {
                add_record(g, &line, key);
                line = (struct set){ 0 };
            }
        if (value.is_whole && !value.is_word)
            add_groups(g, folded.text + value.at + value.length, value.readings[0]);
        if (value.kind != VALUE_NUMBER)
            add_moment(g, &value);
        for (size_t i = 0; i < value.n_readings; i++)
            add(g, value.readings[i]);
        if (!value.n_readings || value.is_embedded || value.is_word)
            continue;
        add_cell(g, SET_ALL, value.readings[0]);
        add_to(&line, value.readings[0]);
        if (key && line.count <= MAX_PLACES)
            add_cell(g, key + (unsigned)line.count * 2654435761u, value.readings[0]);
    }
    add_record(g, &line, key);
    if (key)
        count_text(g, text);
}

/* Takes a value of a result; the recursion is bounded by what json_parse reads. */
static void add_result(struct grounds *g, const json_t *value, unsigned key)
{
    const char *name;
    json_t *member;
    double n = (double)json_array_size(value);
    struct set record = { 0 };
    size_t i;
    if (json_is_string(value))
        add_text(g, json_string_value(value), key);
    if (json_is_number(value) && keep(g, "#######", 7)) {
        add(g, json_number_value(value));
        add_cell(g, SET_ALL, json_number_value(value));
        add_cell(g, key, json_number_value(value));
    }
    add(g, n);
    add(g, (double)json_object_size(value));
    if (json_is_array(value))
        add_cell(g, ~key, n);
    g->most = fmax(g->most, n);
    json_array_foreach (value, i, member)
        add_result(g, member, key);
    json_each_member (value, name, member) {
        unsigned inner = key;
        for (const char *at = name; *at; at++)
            inner = (inner ^ (unsigned char)*at) * 16777619u;
        add_text(g, name, 0);
        add_result(g, member, inner);
        if (json_is_number(member))
            add_to(&record, json_number_value(member));
    }
    add_record(g, &record, key);
}

/* What follows from few moments and columns stands there too: how much time lies between two, sums
 * and averages. */
static void add_what_follows(struct grounds *g)
{
    for (size_t i = 0; g->n_moments <= GROUNDING_PAIRS && i < g->n_moments; i++)
        for (size_t j = 0; j < i; j++) {
            const int *a = g->moments[i].parts, *b = g->moments[j].parts;
            bool is_time = g->moments[i].kind == VALUE_TIME;
            double between =
                is_time ? (a[0] - b[0]) * 60 + fmax(a[1], 0) - fmax(b[1], 0)
                        : (double)(rfc3339_days(a[0], a[1], a[2]) - rfc3339_days(b[0], b[1], b[2]));
            if (g->moments[i].kind != g->moments[j].kind)
                continue;
            add(g, between);
            add_cell(g, SET_ALL, fabs(between));
        }
    for (size_t i = 0; i < g->n_sets; i++) {
        struct set *set = &g->sets[i];
        if (set->count < 2 || set->key <= SET_FOUND)
            continue;
        add(g, set->sum);
        add(g, set->sum / set->count);
        set->list[set->n++] = set->sum;
    }
    if (g->n_numbers)
        qsort(g->numbers, g->n_numbers, sizeof *g->numbers, compare);
}

/* Whether the text stands at `at`, but for what is neither letter nor digit; *end: behind it. */
static bool is_at(const char *at, const char *text, size_t length, bool is_exact)
{
    const char *end = text + length;
    for (;; at++, text++) {
        while (!is_exact && *at && !text_is_word_byte(*at))
            at++;
        while (!is_exact && text < end && !text_is_word_byte(*text))
            text++;
        if (text == end || *at != *text)
            break;
    }
    return text == end && (is_exact || !text_is_word_byte(*at) || !text_is_word_byte(at[-1]));
}

/* How often the text stands there by itself, not as a part of a longer word or name; up to enough.
 */
static size_t occurrences(struct grounds *g, const char *text, size_t length, bool is_exact,
                          size_t enough)
{
    size_t n = 0;
    while (length && !is_exact && !text_is_word_byte(*text))
        text++, length--;
    g->work += (double)g->text.length / 16;
    const char *all = buf_string(&g->text);
    for (const char *at = all; length && n < enough && (at = strchr(at, *text)); at++) {
        const char *behind = at + length;
        bool is_inside = isdigit((unsigned char)*text)
                             ? at > all && isdigit((unsigned char)at[-1])
                             : at > all && (text_is_word_byte(at[-1]) || at[-1] == '_');
        if ((is_inside && text_is_word_byte(*text)) || !is_at(at, text, length, is_exact))
            continue;
        bool is_point = (*behind == '.' || *behind == ',') && text_is_word_byte(behind[1]);
        n += !is_exact || (!text_is_word_byte(*behind) && *behind != '_' && !is_point);
    }
    return n;
}

/* Each part of a path may have been said apart: a folder in the request, names in the result. */
static bool name_stands(struct grounds *g, const char *at, size_t length)
{
    const char *end = at + length;
    bool stands = true;
    if (occurrences(g, at, length, true, 1))
        return true;
    for (size_t n; at < end && stands; at += n + 1) {
        n = strcspn(at, "/");
        n = n < (size_t)(end - at) ? n : (size_t)(end - at);
        stands = !n || strncmp(at, ".", n) == 0 || occurrences(g, at, n, true, 1);
    }
    return stands;
}

/* Up to a gap, and with another word at its beginning or end where enough stands there. */
static bool quote_stands(struct grounds *g, const char *at, size_t length)
{
    const char *gap = strstr(at, "...");
    size_t n = gap && (size_t)(gap - at) < length ? (size_t)(gap - at) : length, last = n;
    size_t first = strcspn(at, " "), blanks = 0;
    for (size_t i = 0; i < n; i++)
        blanks += at[i] == ' ';
    while (last && at[last - 1] != ' ')
        last--;
    return occurrences(g, at, n, false, 1) ||
           (blanks > 3 && (occurrences(g, at, last - 1, false, 1) ||
                           occurrences(g, at + first, n - first, false, 1)));
}

/* An id may stand there in other groups, whose parts the answer's reader takes for numbers. */
static bool id_stands(struct grounds *g, const struct value *v)
{
    const char *start = g->answer->text, *from = start + v->at, *end = from + v->length;
    size_t n = 0;
    while (from > start && (text_is_word_byte(from[-1]) || strchr("-_./: ", from[-1])) &&
           (from[-1] != ' ' || (from - start > 1 && isdigit((unsigned char)from[-2]))))
        from--;
    while (text_is_word_byte(*end) ||
           (*end && strchr("-_./: ", *end) && text_is_word_byte(end[1]) &&
            (*end != ' ' || isdigit((unsigned char)end[1]))))
        end++;
    for (const char *at = from; at < end; at++)
        n += text_is_word_byte(*at) != 0;
    return n > 5 && occurrences(g, from, (size_t)(end - from), false, 1);
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
                    (v->kind == VALUE_TIME && !part && a[0] % 24 == b[0] % 24) ||
                    (is_half_known && (v->kind == VALUE_DATE ? part && a[part] == b[3 - part]
                                                             : !part && a[0] % 12 == b[0] % 12)));
        if (same)
            return true;
    }
    return v->kind == VALUE_TIME && stands_between(g, number, number);
}

struct line {
    const char *at, *end;
};

/* The line of the answer that the value is on, as far as it is near. */
static struct line line_of(const struct grounds *g, const struct value *v)
{
    const char *text = g->answer->text, *value = text + v->at;
    struct line line = { value, value };
    while (line.at > text && line.at[-1] != '\n' && value - line.at < NEAR)
        line.at--;
    while (*line.end && *line.end != '\n' && line.end - value < NEAR)
        line.end++;
    return line;
}

static size_t word_at(const char *text)
{
    size_t n = 0;
    while (text_is_word_byte(text[n]) || text[n] == '_')
        n++;
    return n;
}

/* Whether the answer says that it derives the value: "in total", "more than", "%". */
static bool speaks_of_derivation(const struct grounds *g, const struct value *v)
{
    const json_t *table = json_object_get(g->words, "derivation");
    struct line line = line_of(g, v);
    for (size_t n; line.at < line.end; line.at += n ? n : 1) {
        n = word_at(line.at);
        if (json_object_getn(table, line.at, n ? n : 1))
            return true;
    }
    return false;
}

/* Any two numbers of a small set, of a larger one each with its sum. */
static bool follows(struct grounds *g, const struct set *set, const struct value *v, double least,
                    double most)
{
    bool is_column = set->key > SET_FOUND, is_small = set->n <= GROUNDING_PAIRS + 1;
    bool may_add = is_column || g->speaks;
    if (may_add && set->count > 1 &&
        ((value_is_between(set->sum, least, most) && !value_is_of(v, "temperature")) ||
         value_is_between(set->sum / set->count, least, most)))
        return true;
    /* Nor is there a sum of degrees to compare with. */
    size_t n = set->n - (is_column && set->count > 1 && value_is_of(v, "temperature"));
    size_t first = is_small ? 0 : is_column ? n - 1 : n;
    g->work += (double)((n - first) * n);
    for (size_t i = first; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j &&
                (value_follows_from(v, set->list[i], set->list[j], may_add, least, most) ||
                 value_follows_from(v, set->list[j], set->list[i], may_add, least, most)))
                return true;
    return false;
}

static bool is_derived(struct grounds *g, const struct value *v, double least, double most)
{
    g->speaks = speaks_of_derivation(g, v);
    for (size_t i = 0; i < g->n_sets; i++)
        if ((g->is_second || g->sets[i].key != SET_FOUND) &&
            follows(g, &g->sets[i], v, least, most))
            return true;
    for (size_t i = 0; i < g->n_records; i++)
        if (follows(g, &g->records[i], v, least, most))
            return true;
    return false;
}

/* Whether the number is hours, minutes or seconds of a duration: "2 h 15 min" of 135 minutes. */
static bool is_part_of_time(const struct grounds *g, double least, double most)
{
    const struct set *all = &g->sets[0];
    for (size_t i = 0; all->n <= GROUNDING_PAIRS + 1 && i < all->n; i++) {
        double time = all->list[i], parts[] = { floor(time / 3600), floor(fmod(time, 3600) / 60),
                                                floor(time / 60), fmod(time, 60) };
        for (size_t k = 0; k < ARRAY_LENGTH(parts); k++)
            if (value_is_between(parts[k], least, most))
                return true;
    }
    return false;
}

/* Whether a number between these stands there in another unit of its dimension. */
static bool is_converted(const struct grounds *g, const struct value *v, double least, double most)
{
    const char *name;
    json_t *other;
    json_object_foreach ((json_t *)(uintptr_t)v->units, name, other) {
        double factor = v->factor / json_number_value(other);
        if (stands_between(g, least * factor, most * factor))
            return true;
    }
    if (!v->dimension)
        return false;
    if (strcmp(v->dimension, "bytes") == 0) {
        for (double factor = 1024; factor < 1e13; factor *= 1024)
            if (stands_between(g, least * factor, most * factor))
                return true;
    }
    if (strcmp(v->dimension, "time") == 0)
        return is_part_of_time(g, least, most);
    if (strcmp(v->dimension, "temperature") == 0)
        return stands_between(g, least * 1.8 + 32, most * 1.8 + 32) ||
               stands_between(g, (least - 32) / 1.8, (most - 32) / 1.8);
    return strcmp(v->dimension, "share") == 0 && stands_between(g, 100 - most, 100 - least);
}

/* Zeros at the end of "about 1,200" are not shown digits, nor are those of whole thousands; and
 * 1,286 is "over 1,200". */
static bool reading_fits(struct grounds *g, const struct value *v, size_t i)
{
    double number = v->readings[i], slack = v->slack[i], zeros = 1;
    while (slack == 0.5 && number >= 10 * zeros && fmod(number, 10 * zeros) == 0)
        zeros *= 10;
    if (v->is_hedged || (zeros >= 1000 && number >= 10 * zeros))
        slack = fmax(zeros / 2, slack);
    double least = number - slack, most = number + slack * (v->is_hedged ? 2 : 1);
    bool is_count = v->is_whole && !v->dimension && !v->is_hedged;
    if (is_count && number <= GROUNDING_SMALL)
        least = most = number;
    return stands_between(g, least, most) || is_converted(g, v, least, most) ||
           is_derived(g, v, least, most);
}

/* Whether a word beside the number occurs so often. */
static bool counts_word(struct grounds *g, const struct value *v)
{
    size_t wanted = (size_t)v->readings[0];
    struct line line = line_of(g, v);
    for (size_t n; line.at < line.end; line.at += n + 1)
        if ((n = word_at(line.at)) > 2 && occurrences(g, line.at, n, true, wanted + 1) == wanted)
            return true;
    return false;
}

/* Small counts, the hours of a day, 100 %; and days of dates that are named. */
static bool is_plain(const struct grounds *g, const struct value *v)
{
    double number = v->n_readings ? v->readings[0] : INFINITY;
    const char *dimension = v->dimension ? v->dimension : "";
    bool is_time = strcmp(dimension, "time") == 0, is_ordinal = strcmp(dimension, "ordinal") == 0;
    bool is_count = v->is_whole && number <= GROUNDING_SMALL &&
                    (!*dimension || is_time || is_ordinal || v->factor == 1);
    for (size_t i = 0; i < g->n_moments && (is_ordinal || g->n_moments <= GROUNDING_PAIRS); i++)
        if (v->is_whole && g->moments[i].kind == VALUE_DATE && g->moments[i].parts[2] == number)
            return !is_time;
    return (is_time && number == 24) || (v->units && v->factor == 0.01 && number == 100) ||
           (is_count && (number <= (v->is_word ? 3 : 1) || number <= g->most));
}

static bool number_stands(struct grounds *g, const struct value *v)
{
    const char *text = g->answer->text + v->at;
    if (is_plain(g, v) || id_stands(g, v) || (v->is_embedded && v->length < 3))
        return true;
    for (size_t i = 0; i < v->n_readings; i++)
        if (reading_fits(g, v, i))
            return true;
    if (!v->is_whole)
        return occurrences(g, text, v->length, true, 1);
    return g->is_second && !v->is_word && v->readings[0] < MAX_COUNT && counts_word(g, v);
}

static bool is_grounded(struct grounds *g, const struct value *v)
{
    const char *at = g->answer->text + v->at;
    if (g->work > WORK)
        return true;
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
    struct value_reader reader = { .folded = g->answer, .words = g->words, .is_answer = true };
    struct value value;
    for (size_t i = 0; i < GROUNDING_MAX_CLAIMS && value_next(&reader, &value); i++) {
        bool is_sound = is_grounded(g, &value);
        if (!is_sound && g->is_second)
            name_value(g, answer, &value, out);
        if (!is_sound || g->is_second || !value.n_readings || value.is_embedded)
            continue;
        add_cell(g, SET_FOUND, value.readings[0]);
    }
}

void grounding_check(struct arena *arena, const char *answer,
                     const struct grounding_sources *sources, struct grounding *out)
{
    struct folded folded = value_fold(arena, answer);
    struct grounds *g = arena_new(arena, struct grounds);
    g->arena = arena;
    g->words = sources->words;
    g->answer = &folded;
    g->sets[0].key = SET_ALL;
    g->sets[1].key = SET_FOUND;
    g->n_sets = 2;
    buf_init(&g->text, GROUNDING_MAX_BYTES);
    for (size_t i = 0; i < sources->n_said; i++)
        add_text(g, sources->said[i], 0);
    for (size_t i = 0; i < sources->n_results; i++)
        add_result(g, sources->results[i], ((unsigned)i + 1) * 7919u);
    *out = (struct grounding){ .is_unjudged = g->is_full };
    out->ungrounded = arena_array(arena, const char *, GROUNDING_MAX_CLAIMS);
    add_what_follows(g);
    for (int pass = 0; pass < 2 && !out->is_unjudged; pass++) {
        judge(g, answer, out);
        g->is_second = true;
    }
    out->is_unjudged = out->is_unjudged || g->work > WORK;
    buf_finish(&g->text);
}
