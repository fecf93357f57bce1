#include "domain/figure/svg_harm.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define BLANKS " \t\r\n"
#define UNKNOWN UINT32_MAX /* a reference that means something only elsewhere */

struct attribute {
    struct svg_span name, value;
};

bool svg_span_is(struct svg_span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.at, text, span.length) == 0;
}

struct svg_span svg_local_name(struct svg_span name)
{
    const char *colon = memchr(name.at, ':', name.length);
    size_t prefix = colon ? (size_t)(colon - name.at) + 1 : 0;
    return (struct svg_span){ name.at + prefix, name.length - prefix };
}

static void advance(struct svg_span *left, size_t n)
{
    *left = (struct svg_span){ left->at + n, left->length - n };
}

static void skip_blanks(struct svg_span *left)
{
    while (left->length && *left->at && strchr(BLANKS, *left->at))
        advance(left, 1);
}

/* &#106; and &#x6a; as the number they are; 0 when there is no such reference. */
static size_t read_number(struct svg_span left, uint32_t *out)
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

static size_t read_reference(struct svg_span left, uint32_t *out)
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

/* The next character as whoever shows the file sees it, in lower case. There must be one. */
static uint32_t next_letter(struct svg_span *left)
{
    uint32_t code = (unsigned char)*left->at;
    size_t size = code == '&' ? read_reference(*left, &code) : 1;
    advance(left, size ? size : 1);
    if (!size)
        return UNKNOWN;
    return code < 0x80 ? (uint32_t)tolower((int)code) : code;
}

/* Moves behind the word when it stands there. */
static bool take(struct svg_span *left, const char *word)
{
    struct svg_span at = *left;
    for (; *word; word++)
        if (!at.length || next_letter(&at) != (unsigned char)*word)
            return false;
    *left = at;
    return true;
}

/* Whether a place is one within the file. is_picture: what is there is shown and not opened, so
 * the file may carry it along. */
static bool is_within(struct svg_span place, bool is_picture)
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

bool svg_css_is_harmless(struct svg_span text)
{
    bool has_escape = false, has_call = false;
    while (text.length) {
        struct svg_span at = text;
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

/* name="value" at the beginning of what is left, which moves behind it. */
static bool take_attribute(struct svg_span *left, struct attribute *out)
{
    out->name = (struct svg_span){ left->at, 0 };
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
    out->value = (struct svg_span){ left->at, (size_t)(end - left->at) };
    advance(left, out->value.length + 1);
    return true;
}

static bool is_handler(struct svg_span name)
{
    return name.length > 2 && strncasecmp(name.at, "on", 2) == 0;
}

static bool attribute_is_harmless(struct svg_span element, const struct attribute *attribute)
{
    struct svg_span name = svg_local_name(attribute->name);
    if (is_handler(name) || svg_span_is(name, "base"))
        return false;
    if (svg_span_is(name, "href") || svg_span_is(name, "src"))
        return is_within(attribute->value,
                         svg_span_is(element, "image") || svg_span_is(element, "feImage"));
    return svg_css_is_harmless(attribute->value);
}

/* Everything that draws, and what programs that draw say of themselves in <metadata>. */
static bool is_known(struct svg_span name)
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
        if (svg_span_is(name, known[i]))
            return true;
    return name.length > 2 && name.at[0] == 'f' && name.at[1] == 'e' && name.at[2] >= 'A' &&
           name.at[2] <= 'Z';
}

bool svg_tag_is_harmless(struct svg_span name, struct svg_span attributes)
{
    struct svg_span element = svg_local_name(name);
    struct attribute attribute;
    if (!is_known(element))
        return false;
    for (skip_blanks(&attributes); attributes.length; skip_blanks(&attributes))
        if (!take_attribute(&attributes, &attribute) || !attribute_is_harmless(element, &attribute))
            return false;
    return true;
}
