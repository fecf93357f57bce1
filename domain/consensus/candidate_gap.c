/* Gaps: text in brackets that stands for an answer. HTML tags, sets, lists and headers are written
 * in brackets as well, so a gap must look like one: words only, and of these one that says what
 * should stand there, or all in capitals. */
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include "domain/consensus/consensus_internal.h"
#include <ctype.h>
#include <string.h>

#define MAX_GAP_BYTES 200  /* between the brackets */
#define MAX_GAP_WORDS 24   /* "the complete final text, …" */
#define MIN_CAPITALS 3     /* "{AB}" may be a set, "{ABC}" is a name to be filled in */
#define SHORT_TEXT_WORDS 8 /* in which one gap spoils the whole */

/* Words by which a gap says what it asks for. */
static const char *const gap_words[] = {
    "answer",     "number",   "text",        "your",     "here",        "placeholder", "value",
    "result",     "insert",   "final",       "solution", "canonical",   "string",      "todo",
    "fill",       "response", "output",      "content",  "sentence",    "word",        "goes",
    "enter",      "write",    "integer",     "num",      "digit",       "digits",      "expression",
    "regex",      "pattern",  "query",       "sql",      "statement",   "json",        "object",
    "tbd",        "reason",   "explanation", "cause",    "description", "details",     "example",
    "date",       "antwort",  "ergebnis",    "hier",     "zahl",        "wert",        "erklärung",
    "begründung", "deine",    "dein",        "ihre",     "réponse",     "résultat",    "ici",
    "nombre",     "valeur",   "votre",       "raison",   "respuesta",   "resultado",   "aquí",
    "aqui",       "número",   "valor",       "razón",    "risposta",    "risultato",   "qui",
    "numero",     "valore",   "motivo",      "tua",      "tuo",         "script",      "code",
    "codice",     "codigo",   "código",      "inserire", "insérer",     "insertar",    "einfügen",
};
/* Without any brackets. */
static const char *const gap_sentences[] = {
    "your answer",
    "your answer here",
    "answer here",
    "answer goes here",
    "insert answer here",
    "insert your answer here",
    "placeholder",
    "todo",
    "tbd",
    "to be determined",
    "your text here",
    "final answer here",
    "your final answer here",
    "your final answer",
};
/* Elements of HTML that are an answer in their own right: "<br>". */
static const char *const elements[] = {
    "a",      "abbr",  "article", "aside",  "audio",   "b",      "body",  "br",       "button",
    "canvas", "code",  "div",     "em",     "footer",  "form",   "h1",    "h2",       "h3",
    "h4",     "h5",    "h6",      "head",   "header",  "hr",     "html",  "i",        "iframe",
    "img",    "input", "label",   "li",     "link",    "main",   "meta",  "nav",      "ol",
    "option", "p",     "pre",     "script", "section", "select", "small", "span",     "strong",
    "style",  "sub",   "sup",     "svg",    "table",   "tbody",  "td",    "textarea", "th",
    "thead",  "title", "tr",      "u",      "ul",      "video",
};

/* Around an answer that is set off from its surroundings. */
static const char marks[] = "\"'`*_ ";

struct span candidate_bare(const char *text)
{
    struct span whole = canonical_trim((struct span){ text, strlen(text) }), bare = whole;
    while (bare.length && strchr(marks, *bare.text))
        bare = (struct span){ bare.text + 1, bare.length - 1 };
    while (bare.length && strchr(marks, bare.text[bare.length - 1]))
        bare.length--;
    if (bare.length > 1 && bare.text[bare.length - 1] == '.' && bare.text[bare.length - 2] != '.')
        bare.length--;
    return bare.length ? bare : whole;
}

static bool is_made_of(struct span text, const char *characters, size_t at_least)
{
    for (size_t i = 0; i < text.length; i++)
        if (!strchr(characters, text.text[i]))
            return false;
    return text.length >= at_least;
}

/* Characters that leave nothing to be seen though they are not white space: soft hyphen, fillers,
 * directions, variations, tags, controls; and the sign for what could not be read. */
static bool is_unseen(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        { 0x00, 0x1F },     { 0x7F, 0x9F },     { 0xAD, 0xAD },     { 0x34F, 0x34F },
        { 0x61C, 0x61C },   { 0x115F, 0x1160 }, { 0x17B4, 0x17B5 }, { 0x180B, 0x180F },
        { 0x202A, 0x202E }, { 0x2065, 0x206F }, { 0x2800, 0x2800 }, { 0x3164, 0x3164 },
        { 0xFE00, 0xFE0F }, { 0xFFA0, 0xFFA0 }, { 0xFFF0, 0xFFFD }, { 0xE0000, 0xE0FFF },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(ranges); i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return canonical_character(code) != CHARACTER_SEEN;
}

static bool has_nothing_to_see(struct span text)
{
    for (size_t at = 0, size; at < text.length; at += size) {
        uint32_t code = 0;
        size = text_utf8_next(text.text + at, text.length - at, &code);
        size = size ? size : 1;
        if (!is_unseen(code))
            return false;
    }
    return true;
}

/* ".." is a folder, "--" and "**" are operators. */
bool candidate_is_blank(struct span text)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    bool is_ellipsis =
        text.length == strlen(ellipsis) && memcmp(text.text, ellipsis, strlen(ellipsis)) == 0;
    return has_nothing_to_see(text) || is_ellipsis || is_made_of(text, ". ", 3) ||
           is_made_of(text, "_-*=~ ", 3) || is_made_of(text, "\"'`", 2);
}

/* A text in brackets: what stands between them, and which they are. */
struct gap {
    struct span inner;
    char bracket;   /* '<', '{' or '[' */
    bool is_double; /* "{{x}}", "${x}" */
};

static char closing(char bracket)
{
    return bracket == '<' ? '>' : bracket == '{' ? '}' : bracket == '[' ? ']' : '\0';
}

/* Other spellings of brackets: what HTML makes of them, and those of other scripts. Some are quotes
 * as well, which count as square ones: within them a gap must say what it asks for. */
static bool open_other(struct span text, struct gap *out)
{
    static const struct {
        const char *open, *close;
        char as;
    } others[] = { { "&lt;", "&gt;", '<' },
                   { "\xEF\xBC\x9C", "\xEF\xBC\x9E", '<' },
                   { "\xE2\x9F\xA8", "\xE2\x9F\xA9", '<' },
                   { "\xE3\x80\x90", "\xE3\x80\x91", '[' },
                   { "\xC2\xAB", "\xC2\xBB", '[' },
                   { "\xE2\x80\xB9", "\xE2\x80\xBA", '[' } };
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
        size_t open = strlen(others[i].open), close = strlen(others[i].close);
        if (text.length < open + close || text.length > MAX_GAP_BYTES ||
            memcmp(text.text, others[i].open, open) != 0 ||
            memcmp(text.text + text.length - close, others[i].close, close) != 0)
            continue;
        struct span inner = { text.text + open, text.length - open - close };
        *out = (struct gap){ .bracket = others[i].as, .inner = canonical_trim(inner) };
        return true;
    }
    return false;
}

/* The brackets that enclose the whole of it. */
static bool open_gap(struct span text, struct gap *out)
{
    bool is_double = text.length > 1 && *text.text == '$' && text.text[1] == '{';
    if (is_double)
        text = (struct span){ text.text + 1, text.length - 1 };
    char end = text.length >= 2 ? closing(*text.text) : '\0';
    if (!end || text.text[text.length - 1] != end || text.length > MAX_GAP_BYTES)
        return open_other(text, out);
    *out = (struct gap){ .bracket = *text.text, .is_double = is_double };
    out->inner = canonical_trim((struct span){ text.text + 1, text.length - 2 });
    struct gap within;
    if (out->inner.length && *out->inner.text == out->bracket && open_gap(out->inner, &within)) {
        *out = within;
        out->is_double = true;
    }
    return true;
}

/* Words and what may stand between them; no code, no markup. */
static bool is_words(struct span text)
{
    bool has_letter = false;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.text[i];
        if (!isalnum(c) && c < 0x80 && !strchr(" _-',.|;", c))
            return false;
        has_letter = has_letter || isalpha(c) || c >= 0x80;
    }
    return has_letter;
}

static bool is_word_byte(char byte)
{
    unsigned char c = (unsigned char)byte;
    return isalnum(c) || c >= 0x80;
}

static struct span next_word(struct span *left)
{
    while (left->length && !is_word_byte(*left->text))
        *left = (struct span){ left->text + 1, left->length - 1 };
    struct span word = { left->text, 0 };
    while (word.length < left->length && is_word_byte(word.text[word.length]))
        word.length++;
    *left = (struct span){ left->text + word.length, left->length - word.length };
    return word;
}

static size_t count_words(struct span text)
{
    size_t n = 0;
    while (n <= MAX_GAP_WORDS && next_word(&text).length)
        n++;
    return n;
}

static bool is_in(struct span word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i]) == word.length && strncasecmp(list[i], word.text, word.length) == 0)
            return true;
    return false;
}

size_t candidate_gap_words(struct span text)
{
    size_t n = 0;
    for (struct span word = next_word(&text); word.length; word = next_word(&text))
        n += is_in(word, gap_words, ARRAY_LENGTH(gap_words));
    return n;
}

static bool is_capitals(struct span text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (islower((unsigned char)text.text[i]))
            return false;
        n += isupper((unsigned char)text.text[i]) != 0;
    }
    return n >= MIN_CAPITALS;
}

/* "<br>", "<T>", "<stdio.h>" are answers. */
static bool is_angle_gap(struct span inner)
{
    bool is_one_word = !memchr(inner.text, ' ', inner.length);
    return inner.length > 1 && !is_in(inner, elements, ARRAY_LENGTH(elements)) &&
           !(is_one_word && memchr(inner.text, '.', inner.length));
}

static bool is_whole_gap(const struct gap *gap)
{
    if (!is_words(gap->inner) || count_words(gap->inner) > MAX_GAP_WORDS)
        return false;
    if (gap->is_double || candidate_gap_words(gap->inner))
        return true;
    if (gap->bracket == '<')
        return is_angle_gap(gap->inner);
    return gap->bracket == '{' && is_capitals(gap->inner);
}

/* "The sum is ____". */
static bool has_line_to_fill(struct span text)
{
    static const char line[] = "___";
    const char *end = text.text + text.length;
    const char *at = memmem(text.text, text.length, line, strlen(line));
    if (!at || (at > text.text && isalnum((unsigned char)at[-1])))
        return false;
    while (at < end && *at == '_')
        at++;
    return at == end || !isalnum((unsigned char)*at);
}

/* "The answer is <NUMBER>": of a gap among other words more is asked, but where it ends them. */
static bool has_gap_within(struct span text)
{
    if (count_words(text) > SHORT_TEXT_WORDS)
        return false;
    if (has_line_to_fill(text))
        return true;
    for (size_t at = 0; at < text.length; at++) {
        char end = closing(text.text[at]);
        const char *close = end ? memchr(text.text + at, end, text.length - at) : NULL;
        if (!close)
            continue;
        struct span inner = { text.text + at + 1, (size_t)(close - text.text) - at - 1 };
        struct span before = { text.text, at }; /* "#include <string>" is no sentence */
        bool is_last = at && text.text[at - 1] == ' ' && close == text.text + text.length - 1 &&
                       (count_words(before) > 1 || memchr(before.text, ':', at));
        size_t least = text.text[at] == '<' || is_last ? 1 : 2;
        bool is_loud = text.text[at] != '<' || is_capitals(inner) || count_words(inner) > 1 ||
                       (is_last && !is_in(inner, elements, ARRAY_LENGTH(elements)));
        if (is_loud && is_words(inner) && candidate_gap_words(inner) && count_words(inner) >= least)
            return true;
    }
    return false;
}

bool candidate_is_gap(struct span text)
{
    struct gap gap;
    if (is_in(text, gap_sentences, ARRAY_LENGTH(gap_sentences)))
        return true;
    return open_gap(text, &gap) ? is_whole_gap(&gap) : has_gap_within(text);
}

bool candidate_is_plain_gap(struct span text)
{
    struct gap gap;
    bool is_one_word = !memchr(text.text, ' ', text.length);
    if (!is_one_word && is_in(text, gap_sentences, ARRAY_LENGTH(gap_sentences)))
        return true;
    if (!open_gap(text, &gap) || !is_words(gap.inner) || !candidate_gap_words(gap.inner))
        return false;
    return gap.bracket != '[' || count_words(gap.inner) > 1; /* "[text]" is a class of letters */
}
