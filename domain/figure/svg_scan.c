/* An SVG is walked tag by tag. What it would run or load once it is opened makes it faulty: an
 * element is known here or it is refused, because the list of what browsers run has grown before.
 * Attributes are read as XML reads them, with blanks around the '=' and references like &#106; in
 * the value, and an escape of CSS hides nothing. */
#include "domain/figure/svg_scan.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include "domain/figure/picture_bytes.h"
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define BLANKS " \t\r\n"
#define UNKNOWN UINT32_MAX /* a reference to a character that is not known here */

struct span {
    const char *at;
    size_t length;
};

struct attribute {
    struct span name, value;
};

static bool span_is(struct span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.at, text, span.length) == 0;
}

/* The name without its namespace. */
static struct span local_name(struct span name)
{
    const char *colon = memchr(name.at, ':', name.length);
    size_t prefix = colon ? (size_t)(colon - name.at) + 1 : 0;
    return (struct span){ name.at + prefix, name.length - prefix };
}

static void advance(struct span *left, size_t n)
{
    *left = (struct span){ left->at + n, left->length - n };
}

static void skip_blanks(struct span *left)
{
    while (left->length && *left->at && strchr(BLANKS, *left->at))
        advance(left, 1);
}

/* &#106; and &#x6a; as the number they are; 0 when there is no such reference. */
static size_t read_number(struct span left, uint32_t *out)
{
    bool is_hex = left.length > 2 && left.at[2] == 'x';
    size_t i = is_hex ? 3 : 2;
    uint32_t code = 0;
    for (; i < left.length; i++) {
        int digit = text_hex_digit(left.at[i]);
        if (digit < 0 || (!is_hex && digit > 9))
            break;
        code = code > 0x10ffff ? code : code * (is_hex ? 16 : 10) + (uint32_t)digit;
    }
    *out = code;
    return i < left.length && left.at[i] == ';' ? i + 1 : 0;
}

static size_t read_reference(struct span left, uint32_t *out)
{
    static const struct {
        const char *name;
        char code;
    } known[] = {
        { "&quot;", '"' }, { "&apos;", '\'' }, { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }
    };
    if (left.length > 1 && left.at[1] == '#')
        return read_number(left, out);
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++) {
        size_t length = strlen(known[i].name);
        *out = (unsigned char)known[i].code;
        if (left.length >= length && memcmp(left.at, known[i].name, length) == 0)
            return length;
    }
    return 0;
}

/* The next character as a program that shows the file sees it, in lower case. There must be one. */
static uint32_t next_letter(struct span *left)
{
    uint32_t code = (unsigned char)*left->at;
    size_t size = code == '&' ? read_reference(*left, &code) : 1;
    advance(left, size ? size : 1);
    if (!size)
        return UNKNOWN;
    return code < 0x80 ? (uint32_t)tolower((int)code) : code;
}

/* Whether the word stands there; if so, moves behind it. */
static bool take(struct span *left, const char *word)
{
    struct span at = *left;
    for (; *word; word++)
        if (!at.length || next_letter(&at) != (unsigned char)*word)
            return false;
    *left = at;
    return true;
}

/* Whether a place is one within the file. is_picture: what is there is shown and not opened, so
 * the file may carry it along. */
static bool is_within(struct span place, bool is_picture)
{
    static const char *const carried[] = { "data:image/", "data:font/", "data:application/font",
                                           "data:application/x-font" };
    while (take(&place, " ") || take(&place, "\n") || take(&place, "\t") || take(&place, "\"") ||
           take(&place, "'"))
        continue;
    for (size_t i = 0; is_picture && i < ARRAY_LENGTH(carried); i++)
        if (take(&place, carried[i]))
            return true;
    return take(&place, "#");
}

/* text: what stands between <style> and </style>, or the value of an attribute. */
static bool css_is_harmless(struct span text)
{
    bool has_escape = false, has_call = false;
    while (text.length) {
        struct span at = text;
        if (take(&at, "@import") || take(&at, "image-set(") ||
            (take(&at, "url(") && !is_within(at, true)))
            return false;
        uint32_t letter = next_letter(&text);
        has_escape = has_escape || letter == '\\';
        has_call = has_call || letter == '(' || letter == '@';
        if (letter == UNKNOWN)
            return false;
    }
    return !(has_escape && has_call);
}

/* Takes name="value" off the beginning of *left. */
static bool take_attribute(struct span *left, struct attribute *out)
{
    out->name = (struct span){ left->at, 0 };
    while (left->length && *left->at != '=' && !(*left->at && strchr(BLANKS, *left->at)))
        advance(left, 1);
    out->name.length = (size_t)(left->at - out->name.at);
    skip_blanks(left);
    if (!out->name.length || !left->length || *left->at != '=')
        return false;
    advance(left, 1);
    skip_blanks(left);
    if (!left->length || (*left->at != '"' && *left->at != '\''))
        return false;
    char quote = *left->at;
    advance(left, 1);
    const char *end = memchr(left->at, quote, left->length);
    if (!end)
        return false;
    out->value = (struct span){ left->at, (size_t)(end - left->at) };
    advance(left, out->value.length + 1);
    return true;
}

static bool attribute_is_harmless(struct span element, const struct attribute *attribute)
{
    struct span name = local_name(attribute->name);
    bool is_handler = name.length > 2 && strncasecmp(name.at, "on", 2) == 0;
    if (is_handler || span_is(name, "base"))
        return false;
    if (span_is(name, "href") || span_is(name, "src"))
        return is_within(attribute->value,
                         span_is(element, "image") || span_is(element, "feImage"));
    return css_is_harmless(attribute->value);
}

/* Every element that draws, and those with which drawing programs describe themselves in
 * <metadata>. */
static bool is_known(struct span name)
{
    static const char *const known[] = {
        "svg",     "g",       "a",         "defs",     "symbol", "use",
        "title",   "desc",    "metadata",  "style",    "switch", "view",
        "path",    "rect",    "circle",    "ellipse",  "line",   "polyline",
        "polygon", "text",    "tspan",     "textPath", "image",  "marker",
        "pattern", "mask",    "clipPath",  "filter",   "stop",   "linearGradient",
        "font",    "glyph",   "font-face", "RDF",      "Work",   "radialGradient",
        "type",    "format",  "date",      "creator",  "Agent",  "missing-glyph",
        "rights",  "License", "permits",   "requires", "grid",   "namedview",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (span_is(name, known[i]))
            return true;
    return name.length > 2 && name.at[0] == 'f' && name.at[1] == 'e' && name.at[2] >= 'A' &&
           name.at[2] <= 'Z';
}

/* attributes: the whole tag behind its name. */
static bool tag_is_harmless(struct span name, struct span attributes)
{
    struct span element = local_name(name);
    struct attribute attribute;
    if (!is_known(element))
        return false;
    for (skip_blanks(&attributes); attributes.length; skip_blanks(&attributes))
        if (!take_attribute(&attributes, &attribute) || !attribute_is_harmless(element, &attribute))
            return false;
    return true;
}

#define POINTS_PER_PIXEL 0.75
#define CDATA "<![CDATA["

enum { DECLARATION_BYTES = 200 };

/* One tag: its name, its attributes, and which of three kinds. */
struct tag {
    struct span name, rest;
    bool is_end, is_alone;
};

struct scan {
    const char *at, *end;
    struct span open[PICTURE_MAX_DEPTH];
    size_t depth;
    const char *fault;
};

static bool skip_past(struct scan *scan, const char *what)
{
    const char *found = memmem(scan->at, (size_t)(scan->end - scan->at), what, strlen(what));
    scan->at = found ? found + strlen(what) : scan->end;
    return found;
}

static bool at_text(const struct scan *scan, const char *text)
{
    return (size_t)(scan->end - scan->at) >= strlen(text) &&
           memcmp(scan->at, text, strlen(text)) == 0;
}

/* Where the tag ends: a '>' outside of quotes. */
static const char *find_tag_end(const struct scan *scan)
{
    char quote = '\0';
    for (const char *c = scan->at; c < scan->end; c++) {
        if (quote)
            quote = *c == quote ? '\0' : quote;
        else if (*c == '"' || *c == '\'')
            quote = *c;
        else if (*c == '>')
            return c;
    }
    return NULL;
}

/* Refuses an encoding other than UTF-8, in which the bytes would mean something else than here, and
 * accepts instructions for other programs. */
static bool skip_instruction(struct scan *scan)
{
    const char *begin = scan->at + 2;
    char text[DECLARATION_BYTES];
    if (!skip_past(scan, "?>"))
        return false;
    size_t length = (size_t)(scan->at - begin);
    if (length < 3 || strncasecmp(begin, "xml", 3) != 0)
        return true;
    if (length >= sizeof text || !strchr(" \t\r\n?", begin[3]))
        return false;
    memcpy(text, begin, length);
    text[length] = '\0';
    return !strcasestr(text, "encoding") || strcasestr(text, "utf-8");
}

/* Comments, processing instructions, the document type without declarations of its own. */
static bool skip_aside(struct scan *scan)
{
    if (at_text(scan, "<!--"))
        return skip_past(scan, "-->");
    if (at_text(scan, "<?"))
        return skip_instruction(scan);
    const char *begin = scan->at, *end = find_tag_end(scan);
    if (!end || !at_text(scan, "<!DOCTYPE"))
        return false;
    scan->at = end + 1;
    return !memchr(begin, '[', (size_t)(end - begin));
}

static bool read_tag(struct scan *scan, struct tag *out)
{
    const char *end = find_tag_end(scan);
    if (!end)
        return false;
    struct tag tag = { .is_end = at_text(scan, "</") };
    const char *name = scan->at + 1 + tag.is_end;
    tag.is_alone = end > name && end[-1] == '/';
    const char *stop = end - tag.is_alone;
    tag.name.at = name;
    while (name < stop && !strchr(BLANKS, *name))
        name++;
    tag.name.length = (size_t)(name - tag.name.at);
    tag.rest = (struct span){ name, (size_t)(stop - name) };
    scan->at = end + 1;
    *out = tag;
    return tag.name.length > 0;
}

/* Steps over text to the next tag; false at the end, or with a fault. */
static bool next_tag(struct scan *scan, struct tag *out)
{
    while (scan->at < scan->end) {
        const char *less = memchr(scan->at, '<', (size_t)(scan->end - scan->at));
        scan->at = less ? less : scan->end;
        if (!less)
            return false;
        bool is_aside = at_text(scan, "<!") || at_text(scan, "<?");
        if (is_aside ? !skip_aside(scan) : !read_tag(scan, out)) {
            scan->fault = "an SVG with a broken tag";
            return false;
        }
        if (!is_aside)
            return true;
    }
    return false;
}

/* Steps over the text of a style. It has to be one piece, so that nothing hides behind a comment.
 */
static bool skip_style(struct scan *scan)
{
    while (scan->at < scan->end && *scan->at && strchr(BLANKS, *scan->at))
        scan->at++;
    bool is_quoted = at_text(scan, CDATA);
    const char *begin = scan->at += is_quoted ? strlen(CDATA) : 0;
    if (!skip_past(scan, is_quoted ? "]]>" : "<"))
        return false;
    const char *end = scan->at - (is_quoted ? strlen("]]>") : 1);
    scan->at = is_quoted ? scan->at : end;
    while (scan->at < scan->end && *scan->at && strchr(BLANKS, *scan->at))
        scan->at++;
    return at_text(scan, "</") && css_is_harmless((struct span){ begin, (size_t)(end - begin) });
}

static const char *step(struct scan *scan, const struct tag *tag)
{
    static const char runs[] = "an SVG that runs or loads something";
    if (!tag_is_harmless(tag->name, tag->rest))
        return runs;
    if (tag->is_alone)
        return NULL;
    if (!tag->is_end) {
        if (scan->depth == PICTURE_MAX_DEPTH)
            return "an SVG that is nested too deep";
        scan->open[scan->depth++] = tag->name;
        return span_is(local_name(tag->name), "style") && !skip_style(scan) ? runs : NULL;
    }
    if (!scan->depth)
        return "an SVG whose tags do not match";
    struct span open = scan->open[--scan->depth];
    bool is_match =
        open.length == tag->name.length && memcmp(open.at, tag->name.at, open.length) == 0;
    return is_match ? NULL : "an SVG whose tags do not match";
}

static bool first_tag(const char *bytes, size_t length, struct tag *out)
{
    struct scan scan = { .at = bytes, .end = bytes + length };
    size_t blanks = 0;
    while (blanks < length && strchr(BLANKS, bytes[blanks]) && bytes[blanks])
        blanks++;
    if (blanks < length && bytes[blanks] != '<')
        return false;
    return next_tag(&scan, out) && span_is(local_name(out->name), "svg");
}

bool svg_starts(const char *bytes, size_t length)
{
    struct tag tag;
    return first_tag(bytes, length, &tag);
}

/* XML has no control characters, and some make a reader take the bytes for another encoding. */
static bool has_control(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)bytes[i] < ' ' && !(bytes[i] && strchr("\t\r\n", bytes[i])))
            return true;
    return false;
}

const char *svg_fault(const char *bytes, size_t length)
{
    struct scan scan = { .at = bytes, .end = bytes + length };
    struct tag tag;
    const char *fault = text_is_utf8(bytes, length) ? NULL : "an SVG that is not UTF-8";
    if (!fault && has_control(bytes, length))
        fault = "an SVG with control characters";
    while (!fault && next_tag(&scan, &tag))
        fault = step(&scan, &tag);
    if (!fault)
        fault = scan.fault;
    if (!fault && scan.depth)
        fault = "an SVG that is cut off";
    return fault;
}

/* `width="670pt"`; a bare number is pixels. */
static bool read_length(struct span rest, const char *name, double *out)
{
    char text[24];
    size_t n = strlen(name);
    for (size_t i = 0; i + n + 3 < rest.length; i++) {
        if (!strchr(BLANKS, rest.at[i]) || memcmp(rest.at + i + 1, name, n) != 0 ||
            rest.at[i + 1 + n] != '=')
            continue;
        const char *begin = rest.at + i + n + 3;
        size_t digits = 0, left = (size_t)(rest.at + rest.length - begin);
        while (digits < left && digits + 1 < sizeof text && strchr("0123456789.", begin[digits]))
            digits++;
        memcpy(text, begin, digits);
        text[digits] = '\0';
        if (!text_to_double(text, out))
            return false;
        bool is_points = left >= digits + 2 && memcmp(begin + digits, "pt", 2) == 0;
        *out *= is_points ? 1 : POINTS_PER_PIXEL;
        return true;
    }
    return false;
}

bool svg_size(const char *bytes, size_t length, double *out_width, double *out_height)
{
    struct tag tag;
    return first_tag(bytes, length, &tag) && read_length(tag.rest, "width", out_width) &&
           read_length(tag.rest, "height", out_height);
}
