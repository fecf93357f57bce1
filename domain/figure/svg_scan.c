#include "domain/figure/svg_scan.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include "domain/figure/picture_bytes.h"
#include "domain/figure/svg_harm.h"
#include <string.h>

#define POINTS_PER_PIXEL 0.75
#define CDATA "<![CDATA["

enum { DECLARATION_BYTES = 200 };

/* One tag: its name, its attributes, and which of three kinds. */
struct tag {
    struct svg_span name, rest;
    bool is_end, is_alone;
};

struct scan {
    const char *at, *end;
    struct svg_span open[PICTURE_MAX_DEPTH];
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

/* A style sheet of somewhere else may do anything, and so may bytes that are read otherwise than
 * here. What other programs are told is theirs. */
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
    while (name < stop && !strchr(" \t\r\n", *name))
        name++;
    tag.name.length = (size_t)(name - tag.name.at);
    tag.rest = (struct svg_span){ name, (size_t)(stop - name) };
    scan->at = end + 1;
    *out = tag;
    return tag.name.length > 0;
}

/* The next tag, with the text before it; false at the end or at something that is wrong. */
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

/* The text of a style up to its end. It is one piece, so that none hides behind a comment. */
static bool skip_style(struct scan *scan)
{
    while (scan->at < scan->end && *scan->at && strchr(" \t\r\n", *scan->at))
        scan->at++;
    bool is_quoted = at_text(scan, CDATA);
    const char *begin = scan->at += is_quoted ? strlen(CDATA) : 0;
    if (!skip_past(scan, is_quoted ? "]]>" : "<"))
        return false;
    const char *end = scan->at - (is_quoted ? strlen("]]>") : 1);
    scan->at = is_quoted ? scan->at : end;
    while (scan->at < scan->end && *scan->at && strchr(" \t\r\n", *scan->at))
        scan->at++;
    return at_text(scan, "</") &&
           svg_css_is_harmless((struct svg_span){ begin, (size_t)(end - begin) });
}

static const char *step(struct scan *scan, const struct tag *tag)
{
    static const char runs[] = "an SVG that runs or loads something";
    if (!svg_tag_is_harmless(tag->name, tag->rest))
        return runs;
    if (tag->is_alone)
        return NULL;
    if (!tag->is_end) {
        if (scan->depth == PICTURE_MAX_DEPTH)
            return "an SVG that is nested too deep";
        scan->open[scan->depth++] = tag->name;
        return svg_span_is(svg_local_name(tag->name), "style") && !skip_style(scan) ? runs : NULL;
    }
    if (!scan->depth)
        return "an SVG whose tags do not match";
    struct svg_span open = scan->open[--scan->depth];
    return open.length == tag->name.length && memcmp(open.at, tag->name.at, open.length) == 0
               ? NULL
               : "an SVG whose tags do not match";
}

static struct scan scan_of(const char *bytes, size_t length)
{
    return (struct scan){ .at = bytes, .end = bytes + length };
}

static bool first_tag(const char *bytes, size_t length, struct tag *out)
{
    struct scan scan = scan_of(bytes, length);
    size_t blanks = 0;
    while (blanks < length && strchr(" \t\r\n", bytes[blanks]) && bytes[blanks])
        blanks++;
    if (blanks < length && bytes[blanks] != '<')
        return false;
    return next_tag(&scan, out) && svg_span_is(svg_local_name(out->name), "svg");
}

bool svg_starts(const char *bytes, size_t length)
{
    struct tag tag;
    return first_tag(bytes, length, &tag);
}

/* XML has no control characters, and some bring a reader to another meaning of the bytes. */
static bool has_control(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)bytes[i] < ' ' && !(bytes[i] && strchr("\t\r\n", bytes[i])))
            return true;
    return false;
}

const char *svg_fault(const char *bytes, size_t length)
{
    struct scan scan = scan_of(bytes, length);
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
static bool read_length(struct svg_span rest, const char *name, double *out)
{
    char text[24];
    size_t n = strlen(name);
    for (size_t i = 0; i + n + 3 < rest.length; i++) {
        if (!strchr(" \t\r\n", rest.at[i]) || memcmp(rest.at + i + 1, name, n) != 0 ||
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
