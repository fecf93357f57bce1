/* A label is cleaned once, and then wrapped by trial: first as wide as its words need
 * (wide_enough), then as narrow as the same number of lines allows (narrow_enough), so that lines
 * have about the same length. A trial without an arena only counts lines and broken words. */
#include "application/figure/dot/graph_dot_internal.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define ELLIPSIS "…"
#define REPLACEMENT "\xEF\xBF\xBD"
#define MIN_PIECE 3 /* columns of a word that stand alone at the end of a line */

/* One way to wrap: how wide, and the lines it gives; those beyond the bound are only counted. */
struct wrapping {
    struct arena *arena; /* NULL: count only */
    size_t wrap, n;
    size_t n_torn, n_cut; /* words that go on in the next line; where no reader would break them */
    struct dot_label label;
};

static bool is_wide(uint32_t code)
{
    return code >= 0x2E80 &&
           (code <= 0x9FFF || (code >= 0xF900 && code <= 0xFAFF) ||
            (code >= 0xFF00 && code <= 0xFF60) || (code >= 0x20000 && code <= 0x3FFFD));
}

/* Hebrew to Arabic extended, and their presentation forms, whose joined letters stay together. */
static bool is_right_to_left(uint32_t code)
{
    return (code >= 0x590 && code <= 0x8FF) || (code >= 0xFB1D && code <= 0xFDFF) ||
           (code >= 0xFE70 && code <= 0xFEFE) || (code >= 0x10800 && code <= 0x10FFF) ||
           (code >= 0x1E800 && code <= 0x1EFFF);
}

static bool is_printable(uint32_t code)
{
    return code >= ' ' && (code < 0x7F || code > 0x9F) && (code < 0x202A || code > 0x202E) &&
           (code < 0x2066 || code > 0x2069) && code != 0x2028 && code != 0x2029 &&
           (code & 0xFFFE) != 0xFFFE;
}

/* The text with nothing in it but characters that can be shown, single blanks and \n. */
static char *clean(struct arena *arena, const char *text)
{
    size_t length = strlen(text), n = 0;
    char *out = arena_alloc(arena, length * 3 + 1);
    for (size_t at = 0, size; at < length; at += size ? size : 1) {
        uint32_t code = 0;
        size = text_utf8_next(text + at, length - at, &code);
        bool is_break = code == '\n' || code == 0x2028 || code == 0x2029;
        if (code == '\r' || code == '\t' || code == ' ' || is_break) {
            while (n && out[n - 1] == ' ')
                n--;
            if (n && out[n - 1] != '\n')
                out[n++] = is_break ? '\n' : ' ';
        } else if (size && is_printable(code)) {
            memcpy(out + n, text + at, size);
            n += size;
        } else {
            memcpy(out + n, REPLACEMENT, strlen(REPLACEMENT));
            n += strlen(REPLACEMENT);
        }
    }
    while (n && (out[n - 1] == ' ' || out[n - 1] == '\n'))
        n--;
    out[n] = '\0';
    return out;
}

/* Whether a reader would break the word before `at`, which is not its beginning. */
static bool is_good_place(const char *at)
{
    return strchr("_-/.:,", at[-1]) ||
           (isupper((unsigned char)at[0]) && islower((unsigned char)at[-1]));
}

/* How much of a word that is too long for a line stands on it: up to punctuation or a capital,
 * where there is one, else as much as fits; all of a word that is written from right to left. */
static size_t break_word(const char *word, size_t length, size_t wrap)
{
    size_t columns = 0, at = 0, good = 0, wide = 0;
    while (at < length && columns < wrap) {
        uint32_t code = '?';
        size_t size = text_utf8_next(word + at, length - at, &code);
        columns += is_wide(code) ? 2 : 1;
        if (is_right_to_left(code))
            return length;
        if (columns > wrap)
            break;
        if (is_wide(code))
            wide = at + size;
        at += size ? size : 1;
        if (columns >= MIN_PIECE && is_good_place(word + at))
            good = at;
    }
    if (wide && at < length)
        return wide;
    return good && at < length ? good : at;
}

/* Between two ideographs every place is a good one to break. */
static bool starts_wide(const char *word)
{
    uint32_t code = 0;
    text_utf8_next(word, strlen(word), &code);
    return is_wide(code);
}

static bool has_wide(const char *text, size_t length)
{
    for (size_t at = 0, size; at < length; at += size ? size : 1) {
        uint32_t code = 0;
        size = text_utf8_next(text + at, length - at, &code);
        if (is_wide(code))
            return true;
    }
    return false;
}

static size_t columns_of(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t at = 0, size; at < length; at += size ? size : 1) {
        uint32_t code = '?';
        size = text_utf8_next(text + at, length - at, &code);
        columns += is_wide(code) ? 2 : 1;
    }
    return columns;
}

/* How many bytes of the text go on the next line. It does not begin with a blank, and there is no
 * \n before `end`. */
static size_t take_line(const char *text, const char *end, size_t wrap)
{
    const char *at = text, *fits = text;
    while (at < end) {
        const char *word = at + (at > text && *at == ' ');
        const char *word_end = memchr(word, ' ', (size_t)(end - word));
        if (!word_end)
            word_end = end;
        if (columns_of(text, (size_t)(word_end - text)) > wrap) {
            size_t used = columns_of(text, (size_t)(word - text));
            if (fits > text && starts_wide(word) && wrap > used + 2)
                return (size_t)(word - text) +
                       break_word(word, (size_t)(word_end - word), wrap - used);
            break;
        }
        at = fits = word_end;
    }
    if (fits > text)
        return (size_t)(fits - text);
    const char *word_end = memchr(text, ' ', (size_t)(end - text));
    return break_word(text, (size_t)((word_end ? word_end : end) - text), wrap);
}

static void wrap_all(struct wrapping *wrapping, const char *text)
{
    wrapping->n = wrapping->n_torn = wrapping->n_cut = 0;
    while (*text) {
        const char *end = strchrnul(text, '\n');
        while (text < end) {
            size_t length = take_line(text, end, wrapping->wrap);
            if (wrapping->arena && wrapping->label.n < DOT_LABEL_MAX_LINES)
                wrapping->label.lines[wrapping->label.n++] =
                    arena_strndup(wrapping->arena, text, length);
            wrapping->n++;
            text += length;
            bool is_torn = text < end && *text != ' ' && !starts_wide(text);
            wrapping->n_torn += is_torn;
            wrapping->n_cut += is_torn && !is_good_place(text);
            while (text < end && *text == ' ')
                text++;
        }
        text += *text == '\n';
    }
}

/* Columns of the longest word that is to stay whole; very long words and scripts that are written
 * without blanks do not count. */
static size_t longest_word(const char *text)
{
    size_t longest = 0;
    while (*text) {
        size_t length = strcspn(text, " \n");
        size_t columns = columns_of(text, length);
        bool is_whole = columns <= DOT_LABEL_WHOLE_WORD && !has_wide(text, length);
        longest = is_whole && columns > longest ? columns : longest;
        text += length + (text[length] != '\0');
    }
    return longest;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Wider by half at most, where that keeps every word whole, or at least breaks each at a good
 * place. */
static size_t wide_enough(const char *text, size_t wrap)
{
    struct wrapping trial = { 0 };
    size_t uncut = 0;
    for (trial.wrap = wrap; trial.wrap <= wrap + wrap / 2; trial.wrap++) {
        wrap_all(&trial, text);
        if (trial.n_torn == 0)
            return trial.wrap;
        if (trial.n_cut == 0 && !uncut)
            uncut = trial.wrap;
    }
    return uncut ? uncut : wrap;
}

/* As narrow as it gets with as many lines and no more words torn: then no last line has a single
 * word. */
static size_t narrow_enough(const char *text, size_t wrap, size_t least)
{
    struct wrapping widest = { .wrap = wrap }, trial = { 0 };
    wrap_all(&widest, text);
    for (trial.wrap = wrap - 1; trial.wrap >= least && trial.wrap > 1; trial.wrap--) {
        wrap_all(&trial, text);
        if (trial.n > widest.n || trial.n_torn > widest.n_torn)
            break;
    }
    return trial.wrap + 1;
}

struct dot_label dot_label_wrap(struct arena *arena, const char *text, size_t wrap)
{
    const char *cleaned = clean(arena, text);
    size_t longest = longest_word(cleaned);
    wrap = wide_enough(cleaned, larger(larger(wrap, DOT_LABEL_MIN_WRAP), longest));
    size_t narrowest = narrow_enough(cleaned, wrap, larger(wrap / 2, longest));
    struct wrapping wrapping = { .arena = arena, .wrap = narrowest };
    wrap_all(&wrapping, cleaned);
    if (wrapping.n > DOT_LABEL_MAX_LINES) {
        const char **last = &wrapping.label.lines[DOT_LABEL_MAX_LINES - 1];
        size_t length = text_cut_columns(*last, wrap > 1 ? wrap - 1 : 1);
        while (length && (*last)[length - 1] == ' ')
            length--;
        *last = arena_printf(arena, "%.*s" ELLIPSIS, (int)length, *last);
    }
    return wrapping.label;
}

static double letter_width(uint32_t code)
{
    if (code >= 0x80)
        return is_wide(code) ? 1.05 : is_right_to_left(code) ? 0.75 : 0.85;
    if (strchr("MWmw@%", (int)code))
        return 1.0;
    if (strchr("iljI.,:;'|! ", (int)code))
        return 0.36;
    return isupper((int)code) ? 0.75 : 0.65;
}

double dot_label_width(const struct dot_label *label)
{
    double widest = 0;
    for (size_t i = 0; i < label->n; i++) {
        double width = 0;
        size_t length = strlen(label->lines[i]);
        for (size_t at = 0, size; at < length; at += size ? size : 1) {
            uint32_t code = '?';
            size = text_utf8_next(label->lines[i] + at, length - at, &code);
            width += letter_width(code);
        }
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* '&' begins an entity in a quoted label too. */
static const char *quoted(char c)
{
    return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : c == '&' ? "&amp;" : NULL;
}

static const char *marked_up(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '&':
        return "&amp;";
    case '\\':
        return "&#92;&#92;"; /* \E and the like are looked for behind the markup */
    default:
        return NULL;
    }
}

static bool write_line(struct buf *out, const char *line, const char *(*escaped)(char))
{
    bool fits = true;
    for (const char *c = line; *c && fits; c++) {
        const char *instead = escaped(*c);
        fits = instead ? buf_puts(out, instead) : buf_append(out, c, 1);
    }
    return fits;
}

bool dot_label_write(struct buf *out, const struct dot_label *label, bool left)
{
    bool fits = buf_puts(out, "\"");
    for (size_t i = 0; i < label->n && fits; i++)
        fits = write_line(out, label->lines[i], quoted) && buf_puts(out, left               ? "\\l"
                                                                         : i + 1 < label->n ? "\\n"
                                                                                            : "");
    return fits && buf_puts(out, "\"");
}

static const char *as_xml(char c)
{
    return c == '\\' ? NULL : marked_up(c);
}

bool dot_label_write_xml(struct buf *out, const struct dot_label *label)
{
    bool fits = true;
    for (size_t i = 0; i < label->n && fits; i++)
        fits = write_line(out, label->lines[i], as_xml) &&
               buf_puts(out, i + 1 < label->n ? "&#10;" : "");
    return fits;
}

static bool write_lines(struct buf *out, const struct dot_label *label)
{
    bool fits = true;
    for (size_t i = 0; i < label->n && fits; i++)
        fits = write_line(out, label->lines[i], marked_up) &&
               buf_puts(out, i + 1 < label->n ? "<br/>" : "");
    return fits;
}

bool dot_label_write_with_sub(struct buf *out, const struct dot_label *label,
                              const struct dot_label *sub, double size)
{
    return buf_puts(out, "<") && write_lines(out, label) &&
           buf_printf(out, "<br/><font point-size=\"%.1f\">", size) && write_lines(out, sub) &&
           buf_puts(out, "</font>>");
}

bool dot_label_write_padded(struct buf *out, const struct dot_label *label, unsigned padding)
{
    bool fits = buf_printf(out,
                           "<<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" "
                           "cellpadding=\"%u\"><tr><td>",
                           padding);
    return fits && write_lines(out, label) && buf_puts(out, "</td></tr></table>>");
}
