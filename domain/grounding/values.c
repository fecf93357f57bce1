/* A cursor goes through the text once. At the beginning of a word it tries quote, name, date, time
 * and number in this order; what is none of them is passed. */
#include "domain/grounding/values.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Words, and what those before "=" mean. Left out is what means something else more often ("once",
 * "neuf", "sei"). */
static const char numbers[] =
    " zero null zéro cero =0 one eins un une uno una ein eine einen einem einer =1 two zwei deux "
    "dos due =2 three drei trois tres tre =3 four vier quatre cuatro quattro =4 five fünf cinq "
    "cinco cinque =5 six sechs seis =6 seven sieben sept siete sette =7 eight acht huit ocho otto "
    "=8 nine neun nueve nove =9 ten zehn dix diez dieci =10 eleven elf onze undici =11 twelve "
    "zwölf douze doce dodici =12 twenty zwanzig vingt veinte venti =20 thirty dreißig dreissig "
    "trente treinta trenta =30 forty vierzig quarante cuarenta quaranta =40 fifty fünfzig "
    "cinquante cincuenta cinquanta =50 sixty sechzig soixante sesenta sessanta =60 seventy siebzig "
    "septante setenta settanta soixante-dix =70 eighty achtzig quatre-vingt quatre-vingts ochenta "
    "ottanta =80 ninety neunzig nonante noventa novanta quatre-vingt-dix =90 ";
static const char months[] =
    " january januar jänner janvier enero gennaio jan janv =1 february februar février febrero "
    "febbraio feb févr =2 march märz mars marzo mar mrz =3 april avril abril aprile apr avr =4 may "
    "mai mayo maggio =5 june juni juin junio giugno jun =6 july juli juillet julio luglio jul juil "
    "=7 august août agosto aug =8 september septembre septiembre settembre sep sept =9 october "
    "oktober octobre octubre ottobre oct okt =10 november novembre noviembre nov =11 december "
    "dezember décembre diciembre dicembre dec dez déc =12 ";
static const char units[] =
    " st nd rd th er ère e ème ª º =1 ms s sec second seconds sekunde sekunden seconde secondes "
    "segundo segundos secondo secondi min mins minute minutes minuten minuto minutos minuti h hr "
    "hrs hour hours stunde stunden std heure heures hora horas ora ore d day days tag tage tagen "
    "jour jours día días giorno giorni week weeks woche wochen semaine semaines semana semanas "
    "settimana settimane month months monat monate mois mes meses mese mesi year years jahr jahre "
    "jahren ans années año años anni =2 % percent prozent =3 x times fach mal fois veces volte =4 "
    "b kb mb gb tb kib mib gib tib ko mo go byte bytes octets kilobytes megabytes gigabytes k m g "
    "° °c °f degree degrees grad degrés grados gradi c f celsius fahrenheit $ eur usd gbp chf euro "
    "euros dollar dollars dólares dollari cent cents km cm mm kg mg l ml kw kwh v mbit hpa =5 ";
static const char scales[] = /* powers of ten */
    " thousand tausend mille mila mil =3 million millions millionen mio mln millones millón "
    "milione milioni =6 billion billions milliarde milliarden mrd milliard milliards miliardo "
    "miliardi bn =9 trillion trillions billionen =12 ";
static const char hedges[] =
    " about around approximately approx roughly nearly almost over above under below some ca circa "
    "etwa rund ungefähr zirka fast knapp gut über unter mehr weniger environ près presque plus "
    "moins quelque autour unos unas alrededor aproximadamente casi más menos cerca quasi più meno "
    "oltre intorno =1 ";

/* -1 when the table does not have the word. */
static int meaning(const char *table, const char *word, size_t length)
{
    for (const char *at = table; length && (at = strchr(at + 1, *word));)
        if (at[-1] == ' ' && strncmp(at, word, length) == 0 && at[length] == ' ')
            return (int)strtol(strchr(at, '=') + 1, NULL, 10);
    return -1;
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

/* The letters at `at`, with hyphens between them; or a sign that is a unit. */
static size_t word_length(const char *at)
{
    size_t n = *at == '%' || *at == '$';
    while (!n && (is_letter(at[n]) || (n && at[n] == '-' && is_letter(at[n + 1]))))
        for (n = 1; is_letter(at[n]) || (at[n] == '-' && is_letter(at[n + 1])); n++)
            ;
    return n;
}

/* " ", ", ", " de ", ". ": what stands between the parts of a date. */
static const char *skip_filler(const char *at)
{
    at += strspn(at, " ,.");
    size_t n = word_length(at);
    return meaning(" de del of =1 ", at, n) > 0 ? at + n + strspn(at + n, " ") : at;
}

/* Y and y: a year of four, or also two digits; M and D: month and day in digits; B: a month by its
 * name; o: "th" or nothing; H, I, S: hour, minute, second; a: am or pm; a blank: fillers. */
static const char *match(const char *at, const char *pattern, struct value *out)
{
    static const char fields[] = "YyMDHIS";
    static const size_t least[] = { 4, 2, 1, 1, 1, 2, 2 }, most[] = { 4, 4, 2, 2, 2, 2, 2 };
    static const size_t part[] = { 0, 0, 1, 2, 0, 1, 2 };
    int *parts = out->parts;
    parts[0] = parts[1] = parts[2] = -1;
    out->is_half_known = *pattern == 'H';
    for (; at && *pattern; pattern++) {
        const char *field = strchr(fields, *pattern);
        size_t digits = strspn(at, "0123456789"), n = word_length(at);
        size_t i = field ? (size_t)(field - fields) : 0;
        if (field) {
            bool fits = digits >= least[i] && digits <= most[i];
            parts[part[i]] = fits ? atoi(at) : 0;
            at = fits ? at + digits : NULL;
        } else if (*pattern == 'B') {
            parts[1] = meaning(months, at, n);
            at = parts[1] > 0 ? at + n : NULL;
        } else if (*pattern == 'o') {
            at += meaning(units, at, n) == UNIT_ORDINAL ? n : 0;
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

static size_t read_moment(const char *at, struct value *out)
{
    static const char *const patterns[] = { "Y-M-D", "Y/M/D",  "D.M.y",  "D/M/y",   "M/D/y",
                                            "D-M-y", "Do B Y", "B Do Y", "Do B",    "B Y",
                                            "B Do",  "H:I:Sa", "H:Ia",   "Ha",      "H:I:S",
                                            "H:I",   "HhI",    "H h I",  "H.I uhr", "H uhr" };
    int *parts = out->parts;
    size_t digits = strspn(at, "0123456789"), word = digits ? digits : word_length(at);
    const char *next = at + word + strspn(at + word, " ,.");
    /* Most words and numbers are told from dates and times by what follows. */
    if (digits ? digits > 4 || (!strchr("-/.:", at[word]) && !is_letter(*next))
               : !isdigit((unsigned char)*next))
        return 0;
    for (size_t i = 0; i < ARRAY_LENGTH(patterns); i++) {
        const char mark = patterns[i][1];
        if ((*patterns[i] == 'B') == (digits > 0) || (strchr("-/.:h", mark) && mark != at[word]))
            continue;
        const char *end = match(at, patterns[i], out);
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
    size_t n = strspn(at, "0123456789");
    bool has_mark = false;
    for (size_t group = n;;) {
        size_t next = at[n] && at[n + 1] ? strspn(at + n + 1, "0123456789") : 0;
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

/* A word of scale behind a number, and the unit, which only claims are judged by. */
static const char *read_unit(const char *at, bool is_answer, struct value *out)
{
    const char *word = at + strspn(at, " -"), *end = at;
    size_t n = word_length(word);
    int power = meaning(scales, word, n), unit;
    for (size_t i = 0; power > 0 && i < out->n_readings; i++) {
        out->readings[i] *= pow(10, power);
        out->slack[i] *= pow(10, power);
        out->is_whole = false;
    }
    if (power > 0) {
        end = word + n;
        word = end + strspn(end, " ");
        n = word_length(word);
    }
    if (!is_answer)
        return end;
    bool is_percent = meaning(" pour por per =1 ", word, n) > 0 && word[n + 1] == 'c';
    unit = is_percent ? UNIT_PERCENT : meaning(units, word, n);
    if (unit <= 0 || (unit == UNIT_ORDINAL && word != at))
        return end;
    out->unit = (enum value_unit)unit;
    return word + n;
}

/* Looks at the words before the value on its line, and at a sign right before it. */
static void read_context(const struct value_reader *reader, struct value *out)
{
    const char *start = reader->folded->text, *at = start + out->at, *from = at;
    if (at > start && at[-1] == '$')
        out->unit = UNIT_MEASURE;
    out->is_embedded = at > start && (text_is_word_byte(at[-1]) || at[-1] == '_' ||
                                      (at - 1 > start && at[-1] == '-' && is_letter(at[-2])));
    for (int blanks = 0; reader->is_answer && from > start && from[-1] != '\n' && blanks < 3;
         from--)
        blanks += from[-1] == ' ';
    for (; from < at; from++) {
        size_t n = word_length(from);
        out->is_hedged = out->is_hedged || strchr("~<>", *from) || meaning(hedges, from, n) > 0;
        from += n ? n - 1 : 0;
    }
}

static size_t read_number(const struct value_reader *reader, struct value *out)
{
    const char *at = reader->folded->text + out->at, *end;
    size_t n = numeral_length(reader, at);
    *out = (struct value){ .at = out->at, .length = n };
    out->is_whole = strspn(at, "0123456789") == n;
    read_as(out, at, n, '.');
    if (!out->is_whole)
        read_as(out, at, n, ',');
    read_context(reader, out);
    end = read_unit(at + n, reader->is_answer, out);
    if (end == at + n && is_letter(*end))
        out->is_embedded = true;
    while (out->is_embedded && (text_is_word_byte(*end) || *end == '_'))
        end++;
    return (size_t)(end - at);
}

/* "seven"; "twenty-five" and "treinta y cinco" are not judged. */
static size_t read_number_word(const struct value_reader *reader, struct value *out)
{
    const char *at = reader->folded->text + out->at;
    size_t n = word_length(at), first = strcspn(at, "-");
    int number = meaning(numbers, at, n);
    bool is_compound = first < n && number < 0;
    number = is_compound ? meaning(numbers, at, first) : number;
    if (number < 0)
        return 0;
    *out = (struct value){ .at = out->at,
                           .length = n,
                           .readings = { number },
                           .slack = { 0.5 },
                           .n_readings = 1,
                           .is_word = true,
                           .is_whole = true };
    read_context(reader, out);
    out->is_embedded = is_compound || strncmp(at + n, " y ", 3) == 0;
    return (size_t)(read_unit(at + n, reader->is_answer, out) - at);
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
    size_t n = strspn(start + from, "0123456789"), before = from;
    const char *behind = start + from + n;
    while (before && strchr(" \t(#>", start[before - 1]))
        before--;
    return n && n <= 3 && (!before || start[before - 1] == '\n') && *behind &&
           strchr(".)", *behind) && (!behind[1] || strchr(" \n", behind[1]));
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
    if (reader->is_answer && (is_list_number(start, reader->at) || (n = read_quote(at, out))))
        return n;
    out->kind = VALUE_NAME;
    if (reader->is_answer && (n = read_name(at)))
        return n;
    if ((is_number || is_letter(*at)) && (n = read_moment(at, out)))
        return n;
    n = is_number ? read_number(reader, out) : 0;
    return is_number || !reader->is_answer ? n : read_number_word(reader, out);
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
