#include "domain/rules/svg_scan.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include "domain/rules/picture_bytes.h"
#include <string.h>

#define POINTS_PER_PIXEL 0.75

struct span {
    const char *at;
    size_t length;
};

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

static bool is(struct span span, const char *text)
{
    return span.length == strlen(text) && strncasecmp(span.at, text, span.length) == 0;
}

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

/* Comments, processing instructions, the document type without declarations of its own. */
static bool skip_aside(struct scan *scan)
{
    if (at_text(scan, "<!--"))
        return skip_past(scan, "-->");
    if (at_text(scan, "<?"))
        return skip_past(scan, "?>");
    const char *begin = scan->at;
    if (!skip_past(scan, ">"))
        return false;
    return !memchr(begin, '[', (size_t)(scan->at - begin));
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
    tag.rest = (struct span){ name, (size_t)(stop - name) };
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

/* Whether every place that the attribute speaks of is within the file. */
static bool stays_within(struct span rest, const char *attribute, const char *within,
                         const char *data)
{
    size_t n = strlen(attribute);
    for (size_t i = 0; i + n < rest.length; i++) {
        if (strncasecmp(rest.at + i, attribute, n) != 0)
            continue;
        struct span value = { rest.at + i + n, rest.length - i - n };
        while (value.length && strchr("\"' ", *value.at))
            value = (struct span){ value.at + 1, value.length - 1 };
        bool is_within =
            value.length >= strlen(within) && strncasecmp(value.at, within, strlen(within)) == 0;
        if (!is_within &&
            (value.length < strlen(data) || strncasecmp(value.at, data, strlen(data)) != 0))
            return false;
    }
    return true;
}

/* A handler: " onload=" and the like. */
static bool has_handler(struct span rest)
{
    for (size_t i = 0; i + 3 < rest.length; i++)
        if (strchr(" \t\r\n", rest.at[i]) && strncasecmp(rest.at + i + 1, "on", 2) == 0)
            return true;
    return false;
}

static bool is_harmless(const struct tag *tag)
{
    static const char *const running[] = { "script", "foreignObject", "iframe", "embed", "object" };
    for (size_t i = 0; i < ARRAY_LENGTH(running); i++)
        if (is(tag->name, running[i]))
            return false;
    return !has_handler(tag->rest) && stays_within(tag->rest, "href=", "#", "data:image/") &&
           stays_within(tag->rest, "url(", "#", "data:image/");
}

static const char *step(struct scan *scan, const struct tag *tag)
{
    if (!is_harmless(tag))
        return "an SVG that runs or loads something";
    if (tag->is_alone)
        return NULL;
    if (!tag->is_end) {
        if (scan->depth == PICTURE_MAX_DEPTH)
            return "an SVG that is nested too deep";
        scan->open[scan->depth++] = tag->name;
        return NULL;
    }
    if (!scan->depth)
        return "an SVG whose tags do not match";
    struct span open = scan->open[--scan->depth];
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
    return next_tag(&scan, out) && is(out->name, "svg");
}

bool svg_starts(const char *bytes, size_t length)
{
    struct tag tag;
    return first_tag(bytes, length, &tag);
}

const char *svg_fault(const char *bytes, size_t length)
{
    struct scan scan = scan_of(bytes, length);
    struct tag tag;
    const char *fault = text_is_utf8(bytes, length) ? NULL : "an SVG that is not UTF-8";
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
