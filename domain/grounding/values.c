/* A cursor goes through the text once. At the beginning of a word it tries quote, name, date, time
 * and number in this order; what is none of them is passed. */
#include "domain/grounding/values.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

/* -1 when the table does not have the word. */
static double meaning(const json_t *words, const char *table, const char *word, size_t length)
{
    const json_t *value = json_object_getn(json_object_get(words, table), word, length);
    return value ? json_number_value(value) : -1;
}

static bool is_letter(char c)
{
    return text_is_word_byte(c) && !isdigit((unsigned char)c);
}

/* The one spelling of a character; 0 for those that have no other. */
static char spelling(uint32_t code)
{
    static const struct {
        uint32_t from, to;
        char as;
    } rows[] = { { '\n', '\n', '\n' },      { 0, ' ', ' ' },         { '*', '*', ' ' },
                 { '`', '`', ' ' },         { '!', '~', '\0' },      { 0x7F, 0xA0, ' ' },
                 { 0xAB, 0xAB, '"' },       { 0xBB, 0xBB, '"' },     { 0xA3, 0xA5, '$' },
                 { 0xD7, 0xD7, 'x' },       { 0x2010, 0x2015, '-' }, { 0x2018, 0x201B, '\'' },
                 { 0x201C, 0x201F, '"' },   { 0x2026, 0x2026, '.' }, { 0x20AC, 0x20AC, '$' },
                 { 0x2212, 0x2212, '-' },   { 0x2248, 0x2248, '~' }, { 0x2000, 0x2BFF, ' ' },
                 { 0x1F000, 0x10FFFF, ' ' } };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (code >= rows[i].from && code <= rows[i].to)
            return rows[i].as ? rows[i].as : (char)tolower((int)code);
    return '\0';
}

struct folded value_fold(struct arena *arena, const char *text)
{
    size_t length = strlen(text), size;
    struct folded out = { .text = arena_alloc(arena, length + 1),
                          .origins = arena_array(arena, size_t, length + 1) };
    for (size_t at = 0; at < length; at += size) {
        uint32_t code = 0;
        size = text_utf8_next(text + at, length - at, &code);
        char one = size ? spelling(code) : ' ';
        size_t n = out.length, kept = one ? 1 : size;
        size = size ? size : 1;
        if (one == ' ' && n && out.text[n - 1] == ' ')
            continue;
        for (size_t i = 0; i < kept; i++)
            out.origins[n + i] = at;
        memcpy(out.text + n, one ? &one : text + at, kept);
        if (code >= 0xC0 && code <= 0xDE && !one)
            out.text[n + 1] = (char)(out.text[n + 1] + 0x20);
        out.length += kept;
    }
    out.origins[out.length] = length;
    return out;
}

/* The letters at `at`, or a sign that is a unit. */
static size_t word_length(const char *at)
{
    size_t n = *at == '%' || *at == '$';
    while (is_letter(at[n]) && !strchr("%$", *at))
        n++;
    return n;
}

/* The most bytes at `at` that one word of numbers has; *out: its value. */
static size_t number_part(const json_t *words, const char *at, size_t length, double *out)
{
    while (length && (*out = meaning(words, "numbers", at, length)) < 0)
        length--;
    return length;
}

/* The bytes of a number in words, with *out its value; 0 when there is none. "Twenty-five",
 * "fünfundzwanzig" and "quatre-vingt-dix" are sums of their parts; a hundred and more multiplies
 * what stands before it. */
static size_t read_number_word(const struct value_reader *reader, const char *at, double *out)
{
    static const char *const joints[] = { "-", "und", " et ", " y ", " and ", " ", "" };
    double total = 0, sum = 0, part = 0, last = 0;
    size_t end = 0, joint = 0;
    for (size_t n, from = 0; (n = word_length(at + from)); from = end + joint) {
        if (at[from + n] == '-' && meaning(reader->words, "numbers", at + from, n) < 0)
            n += 1 + word_length(at + from + n + 1);
        if (!reader->is_answer && meaning(reader->words, "numbers", at + from, n) < 0)
            break;
        n = number_part(reader->words, at + from, n, &part);
        /* "one two" are two numbers, and so are "twenty and thirty". */
        bool is_apart = joint && at[end] == ' ' && part < 100 && last < (joint > 1 ? 20 : 100);
        if (!n || is_apart)
            break;
        sum = part >= 100 ? fmax(sum, 1) * part : sum + part;
        total += part >= 1000 ? sum : 0;
        sum = part >= 1000 ? 0 : sum;
        last = part;
        end = from + n;
        for (joint = 0; strncmp(at + end, joints[joint], strlen(joints[joint])) != 0;)
            joint++;
        joint = strlen(joints[joint]);
    }
    *out = total + sum;
    return is_letter(at[end]) ? 0 : end;
}

/* The bytes of the phrase of the table that stands at `at`, with *out its minutes. */
static size_t read_phrase(const json_t *phrases, const char *at, int *out)
{
    const char *phrase;
    const json_t *minutes;
    json_object_foreach ((json_t *)(uintptr_t)phrases, phrase, minutes) {
        size_t n = *phrase == *at ? strlen(phrase) : 0;
        if (!n || strncmp(at, phrase, n) != 0 || is_letter(at[n]))
            continue;
        *out = (int)json_integer_value(minutes);
        return n;
    }
    return 0;
}

/* "Noon", "half past nine", "viertel vor 9", "las nueve y media". */
static size_t read_clock(const struct value_reader *reader, const char *at, struct value *out)
{
    int minutes = 0, more = 0;
    double hour = 0;
    bool is_word = is_letter(*at);
    const json_t *phrases = is_word ? json_object_get(reader->words, "before the hour") : NULL;
    size_t before = read_phrase(phrases, at, &minutes);
    const char *name = at + before + strspn(at + before, " ");
    size_t digits = strspn(name, DIGITS);
    size_t n = digits ? digits : read_number_word(reader, name, &hour), after = 0;
    hour = digits ? atoi(name) : hour;
    if (n && name[n] == ' ' && is_letter(name[n + 1]))
        after = read_phrase(json_object_get(reader->words, "after the hour"), name + n, &more);
    bool is_said = n && hour <= 24 && (before || after);
    phrases = is_word && !is_said ? json_object_get(reader->words, "clock") : NULL;
    size_t noon = read_phrase(phrases, at, &minutes);
    if (!is_said && !noon)
        return 0;
    minutes += is_said ? (int)hour * 60 + more + 24 * 60 : 0;
    *out = (struct value){ .kind = VALUE_TIME,
                           .at = out->at,
                           .parts = { minutes / 60 % 24, minutes % 60, -1 },
                           .is_half_known = is_said && hour <= 12 };
    return noon ? noon : (size_t)(name - at) + n + after;
}

/* " ", ", ", " de ", ". ": what stands between the parts of a date. */
static const char *skip_filler(const char *at)
{
    static const char *const fillers[] = { "de ", "del ", "of " };
    at += strspn(at, " ,.");
    for (size_t i = 0; i < ARRAY_LENGTH(fillers); i++)
        if (text_starts_with(at, fillers[i]))
            return at + strlen(fillers[i]);
    return at;
}

/* Y and y: a year of four, or also two digits; M and D: month and day in digits; B: a month by its
 * name; o: "th" or nothing; H, I, S: hour, minute, second; a: am or pm; a blank: fillers. */
static const char *match(const json_t *words, const char *at, const char *pattern,
                         struct value *out)
{
    static const char fields[] = "YyMDHIS";
    static const size_t least[] = { 4, 2, 1, 1, 1, 2, 2 }, most[] = { 4, 4, 2, 2, 2, 2, 2 };
    static const size_t part[] = { 0, 0, 1, 2, 0, 1, 2 };
    const json_t *units = json_object_get(words, "units");
    int *parts = out->parts;
    parts[0] = parts[1] = parts[2] = -1;
    out->is_half_known = *pattern == 'H';
    for (; at && *pattern; pattern++) {
        const char *field = strchr(fields, *pattern);
        size_t digits = strspn(at, DIGITS), n = word_length(at);
        size_t i = field ? (size_t)(field - fields) : 0;
        if (field) {
            bool fits = digits >= least[i] && digits <= most[i];
            parts[part[i]] = fits ? atoi(at) : 0;
            at = fits ? at + digits : NULL;
        } else if (*pattern == 'B') {
            parts[1] = (int)meaning(words, "months", at, n);
            at = parts[1] > 0 ? at + n : NULL;
        } else if (*pattern == 'o') {
            at += meaning(units, "ordinal", at, n) > 0 ? n : 0;
        } else if (*pattern == 'a') {
            at += strspn(at, " ");
            n = *at && strncmp(at + 1, ".m", 2) == 0 ? 3 : 2;
            if ((*at != 'a' && *at != 'p') || (n == 2 && at[1] != 'm'))
                return NULL;
            parts[0] = parts[0] % 12 + (*at == 'p' ? 12 : 0);
            out->is_half_known = false;
            at += n;
        } else {
            at = *pattern == ' ' ? skip_filler(at) : *at == *pattern ? at + 1 : NULL;
        }
    }
    bool ends = at && !isdigit((unsigned char)*at) && (!is_letter(*at) || strchr("tz", *at));
    return ends ? at + is_letter(*at) : NULL;
}

static size_t read_moment(const struct value_reader *reader, const char *at, struct value *out)
{
    static const char *const patterns[] = { "Y-M-D", "Y-M",   "Y/M/D",  "D.M.y",  "D/M/y",
                                            "M/D/y", "D-M-y", "Do B Y", "B Do Y", "Do B",
                                            "B Y",   "B Do",  "H:I:Sa", "H:Ia",   "Ha",
                                            "H:I:S", "H:I",   "HhI",    "H h I",  "H.I uhr",
                                            "H uhr" };
    int *parts = out->parts;
    size_t clock = read_clock(reader, at, out);
    size_t digits = strspn(at, DIGITS), word = digits ? digits : word_length(at);
    const char *next = at + word + strspn(at + word, " ,.");
    if (clock)
        return clock;
    /* Most words and numbers are told from dates and times by what follows. */
    next = digits ? next : skip_filler(next);
    if (digits ? digits > 4 || (!strchr("-/.:", at[word]) && !is_letter(*next))
               : !isdigit((unsigned char)*next))
        return 0;
    for (size_t i = 0; i < ARRAY_LENGTH(patterns); i++) {
        const char mark = patterns[i][1];
        if ((*patterns[i] == 'B') == (digits > 0) || (strchr("-/.:h", mark) && mark != at[word]))
            continue;
        const char *end = match(reader->words, at, patterns[i], out);
        bool is_time = *patterns[i] == 'H';
        out->kind = is_time ? VALUE_TIME : VALUE_DATE;
        if (!end || (is_time ? parts[0] > 24 || parts[1] > 59 : parts[1] > 12 || parts[2] > 31))
            continue;
        parts[0] += !is_time && parts[0] >= 0 && parts[0] < 100 ? 2000 : 0;
        out->is_half_known =
            is_time ? out->is_half_known && parts[0] <= 12 && *at != '0' && parts[2] < 0
                    : strchr(patterns[i], '/') && parts[2] <= 12;
        return (size_t)(end - at);
    }
    return 0;
}

/* Reads the digits and marks as a number with this decimal mark, the other one grouping by three.
 */
static void read_as(struct value *out, const char *at, size_t length, char decimal)
{
    double number = 0, unit = 0;
    size_t since = 0, n_groups = 0;
    for (size_t i = 0; i < length; i++) {
        bool is_digit = isdigit((unsigned char)at[i]);
        if (!is_digit && (unit > 0 || (n_groups && since != 3) || (at[i] != decimal && since > 3)))
            return;
        number = is_digit ? number * 10 + (at[i] - '0') : number;
        unit = at[i] == decimal ? 1 : is_digit ? unit * 10 : unit;
        n_groups += !is_digit && at[i] != decimal;
        since = is_digit ? since + 1 : 0;
    }
    if (unit < 1 && n_groups && (since != 3 || *at == '0'))
        return;
    out->readings[out->n_readings] = number / fmax(unit, 1);
    out->slack[out->n_readings++] = 0.5 / fmax(unit, 1);
}

/* Digits with the marks between them. A blank groups digits by three; in a table, and so wherever
 * the text is not an answer, it separates numbers. */
static size_t numeral_length(const struct value_reader *reader, const char *at)
{
    size_t n = strspn(at, DIGITS);
    bool has_mark = false;
    for (size_t group = n;;) {
        size_t next = at[n] && at[n + 1] ? strspn(at + n + 1, DIGITS) : 0;
        bool groups = at[n] == ' ' || at[n] == '\'' || at[n] == '_';
        bool joins =
            groups ? next == 3 && group <= 3 && !has_mark && (at[n] != ' ' || reader->is_answer)
                   : next && (at[n] == '.' || (at[n] == ',' && !reader->is_csv));
        if (!joins)
            return n;
        has_mark = has_mark || !groups;
        group = next;
        n += 1 + next;
    }
}

/* Adds what the readings are with a word of scale behind them: "1.2 million", "12k". */
static const char *read_scale(const json_t *words, const char *at, struct value *out)
{
    const char *word = at + strspn(at, " -");
    size_t n = word_length(word), n_plain = out->n_readings;
    double scale = meaning(words, "scales", word, n);
    bool is_letter_alone = n == 1;
    if (scale < 0 || n_plain > 2 || (is_letter_alone && word != at))
        return at;
    for (size_t i = 0; i < n_plain; i++) {
        size_t to = is_letter_alone ? out->n_readings++ : i;
        out->readings[to] = out->readings[i] * scale;
        out->slack[to] = out->slack[i] * scale;
    }
    /* "5m" may be metres as well, and "5k" a size. */
    out->is_whole = out->is_whole && is_letter_alone;
    return is_letter_alone ? at : word + n;
}

static const char *read_unit(const json_t *words, const char *at, struct value *out)
{
    const char *word = at + strspn(at, " -"), *name;
    size_t n = word_length(word);
    json_t *units;
    static const char *const percents[] = { "per cent", "pour cent", "por ciento", "per cento" };
    for (size_t i = 0; i < ARRAY_LENGTH(percents); i++)
        n = text_starts_with(word, percents[i]) ? strlen(percents[i]) : n;
    bool is_percent = memchr(word, ' ', n);
    json_object_foreach (json_object_get(words, "units"), name, units) {
        const json_t *factor = json_object_getn(units, is_percent ? "%" : word, is_percent ? 1 : n);
        if (!factor || (strcmp(name, "ordinal") == 0 && word != at))
            continue;
        out->dimension = name;
        out->units = units;
        out->factor = json_number_value(factor);
        return word + n;
    }
    return at;
}

/* Looks at the words before the value on its line, and at a sign right before it. */
static void read_context(const struct value_reader *reader, struct value *out)
{
    const char *start = reader->folded->text, *at = start + out->at, *from = at;
    if (at > start && at[-1] == '$')
        (void)read_unit(reader->words, "$", out);
    out->is_embedded = at > start && (text_is_word_byte(at[-1]) || at[-1] == '_' ||
                                      (at - 1 > start && at[-1] == '-' && is_letter(at[-2])));
    for (int blanks = 0; reader->is_answer && from > start && from[-1] != '\n' && blanks < 3;
         from--)
        blanks += from[-1] == ' ';
    for (; from < at; from++) {
        size_t n = word_length(from);
        out->is_hedged =
            out->is_hedged || strchr("~<>", *from) || meaning(reader->words, "about", from, n) > 0;
        from += n ? n - 1 : 0;
    }
}

static size_t read_number(const struct value_reader *reader, struct value *out)
{
    const char *at = reader->folded->text + out->at, *end;
    bool is_digit = isdigit((unsigned char)*at);
    double number = 0;
    size_t n = is_digit ? numeral_length(reader, at) : read_number_word(reader, at, &number);
    *out = (struct value){ .at = out->at, .length = n, .is_word = !is_digit };
    if (!n)
        return 0;
    out->is_whole = !is_digit || strspn(at, DIGITS) == n;
    if (is_digit)
        read_as(out, at, n, '.');
    if (is_digit && !out->is_whole)
        read_as(out, at, n, ',');
    if (!is_digit)
        *out->readings = number, *out->slack = 0.5, out->n_readings = 1;
    read_context(reader, out);
    end = read_scale(reader->words, at + n, out);
    if (reader->is_answer)
        end = read_unit(reader->words, end, out);
    out->is_embedded = out->is_embedded || (end == at + n && is_letter(*end));
    while (out->is_embedded && (text_is_word_byte(*end) || *end == '_'))
        end++;
    return (size_t)(end - at);
}

/* A name with an extension ("a.txt", "main.c"; not "e.g", "U.S"), an absolute path or a URL. */
static size_t read_name(const char *at)
{
    size_t n = 0;
    while (text_is_word_byte(at[n]) || (at[n] && strchr("_-./~@+", at[n])) ||
           (n && strncmp(at + n, "://", 3) == 0))
        n++;
    while (n && strchr(".-/@+", at[n - 1]))
        n--;
    size_t dot = n;
    while (dot && isalnum((unsigned char)at[dot - 1]))
        dot--;
    bool is_path =
        n > 2 && (memchr(at, ':', n) || (strchr("/~", *at) && memchr(at + 1, '/', n - 1)));
    bool is_name = dot >= 2 && at[dot - 1] == '.' && n - dot <= 10 &&
                   text_is_word_byte(at[dot - 2]) && isalpha((unsigned char)at[dot]) &&
                   (n - dot > 1 || (dot > 2 && strchr("chors", at[dot])));
    return is_path || is_name ? n : 0;
}

/* A text between marks, within a paragraph; what has fewer than two letters is none. */
static size_t read_quote(const char *at, struct value *out)
{
    size_t letters = 0;
    if ((*at != '"' && *at != '\'') || at[1] == ' ')
        return 0;
    for (size_t n = 1; at[n] && strncmp(at + n, "\n\n", 2) != 0; n++) {
        letters += is_letter(at[n]);
        if (at[n] != *at || text_is_word_byte(at[n + 1]))
            continue;
        if (letters < 2)
            return 0;
        out->at++;
        out->length = n - 1;
        return n + 1;
    }
    return 0;
}

/* The bytes of "1." or "2)" at the beginning of a line. */
static bool is_list_number(const char *start, size_t from)
{
    size_t n = strspn(start + from, DIGITS), before = from;
    const char *behind = start + from + n;
    while (before && strchr(" \t(#>", start[before - 1]))
        before--;
    return n && n <= 3 && (!before || start[before - 1] == '\n') && *behind &&
           strchr(".)", *behind) && (!behind[1] || strchr(" \n", behind[1]));
}

/* A number of at most two digits that labels what follows it: "Step 3: ", at the beginning of a
 * line or sentence. */
static bool is_label(const char *start, size_t from)
{
    size_t n = strspn(start + from, DIGITS), word = from;
    const char *behind = start + from + n;
    if (!n || n > 2 || *behind != ':' || !strchr(" \n", behind[1]) || !from ||
        start[from - 1] != ' ')
        return false;
    for (word = from - 1; word && text_is_word_byte(start[word - 1]);)
        word--;
    size_t before = word;
    while (before && strchr(" \t#*-", start[before - 1]))
        before--;
    return word < from - 1 && (!before || strchr("\n.;:!?", start[before - 1]));
}

static size_t read_here(const struct value_reader *reader, struct value *out)
{
    const char *start = reader->folded->text, *at = start + reader->at;
    bool is_number = isdigit((unsigned char)*at);
    size_t n = 0;
    *out = (struct value){ .kind = VALUE_QUOTE, .at = reader->at };
    bool is_time = reader->at > 1 && at[-1] == 't' && isdigit((unsigned char)at[-2]);
    if (reader->at && !is_time && (text_is_word_byte(at[-1]) || at[-1] == '_'))
        return is_number ? read_number(reader, out) : 0;
    if (reader->is_answer && (is_list_number(start, reader->at) || is_label(start, reader->at) ||
                              (n = read_quote(at, out))))
        return n;
    out->kind = VALUE_NAME;
    if (reader->is_answer && (n = read_name(at)))
        return n;
    if (!is_number && !is_letter(*at))
        return 0;
    n = read_moment(reader, at, out);
    return n ? n : read_number(reader, out);
}

bool value_next(struct value_reader *reader, struct value *out)
{
    const char *text = reader->folded->text;
    while (reader->at < reader->folded->length) {
        size_t n = read_here(reader, out), passed = n;
        const char *at = text + reader->at;
        if (!n && isdigit((unsigned char)*at))
            passed = strspn(at, "0123456789");
        while (!n && is_letter(at[passed]))
            passed++;
        reader->at += passed ? passed : 1;
        out->length = out->length ? out->length : n;
        if (n)
            return true;
    }
    return false;
}

bool value_is_between(double number, double least, double most)
{
    return number >= least - fabs(least) * 1e-9 && number <= most + fabs(most) * 1e-9;
}

bool value_is_of(const struct value *v, const char *dimension)
{
    return v->dimension && strcmp(v->dimension, dimension) == 0;
}

bool value_follows_from(const struct value *v, double a, double b, bool may_add, double least,
                        double most)
{
    bool is_share = value_is_of(v, "share"), is_state = value_is_of(v, "temperature");
    double scale = is_share ? v->factor : 1;
    bool may_scale = !is_state && (may_add || !v->is_whole || v->is_hedged || v->dimension);
    const struct {
        bool may;
        double result;
    } rows[] = {
        { may_add && !is_share && !is_state, a + b }, { may_add && !is_share, a - b },
        { may_add && !is_share, (a + b) / 2 },        { may_scale && !is_share, a * b },
        { may_scale && !is_share, a * b / 100 },      { may_scale && !is_share, a + a * b / 100 },
        { may_scale && !is_share, a - a * b / 100 },  { may_scale, a / b },
        { may_scale && is_share, (a - b) / b },       { may_scale && is_share, a / (a + b) },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (rows[i].may && value_is_between(fabs(rows[i].result), least * scale, most * scale))
            return true;
    return false;
}
