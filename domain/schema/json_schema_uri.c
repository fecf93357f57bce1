/* URI references as RFC 3986 section 5.2 resolves them. Nothing is normalised beyond that. */
#include "domain/base/text.h"
#include "domain/schema/json_schema_internal.h"
#include <ctype.h>
#include <string.h>

struct span {
    const char *at;
    size_t length;
    bool present;
};

struct uri {
    struct span scheme, authority, path, query, fragment;
};

static struct span span_until(const char **at, const char *stops)
{
    struct span span = { .at = *at, .length = strcspn(*at, stops), .present = true };
    *at += span.length;
    return span;
}

static size_t scheme_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || (n && text[n] && strchr("+-.", text[n])))
        n++;
    return n && isalpha((unsigned char)text[0]) && text[n] == ':' ? n : 0;
}

static struct uri uri_parse(const char *text)
{
    struct uri uri = { 0 };
    size_t scheme = scheme_length(text);
    if (scheme) {
        uri.scheme = (struct span){ text, scheme, true };
        text += scheme + 1;
    }
    if (text[0] == '/' && text[1] == '/') {
        text += 2;
        uri.authority = span_until(&text, "/?#");
    }
    uri.path = span_until(&text, "?#");
    if (*text == '?') {
        text++;
        uri.query = span_until(&text, "#");
    }
    if (*text == '#')
        uri.fragment = (struct span){ text + 1, strlen(text + 1), true };
    return uri;
}

static char *drop_last_segment(char *start, char *end)
{
    while (end > start && *--end != '/')
        ;
    *end = '\0';
    return end;
}

/* RFC 3986 5.2.4, into `out`, which has room for the whole path. */
static void remove_dot_segments(const char *in, char *out)
{
    char *start = out;
    *out = '\0';
    while (*in) {
        if (strncmp(in, "../", 3) == 0 || strncmp(in, "./", 2) == 0) {
            in += in[1] == '/' ? 2 : 3;
        } else if (strncmp(in, "/./", 3) == 0) {
            in += 2;
        } else if (strcmp(in, "/.") == 0 || strcmp(in, "/..") == 0) {
            if (in[2])
                out = drop_last_segment(start, out);
            *out++ = '/';
            in += strlen(in);
        } else if (strncmp(in, "/../", 4) == 0) {
            out = drop_last_segment(start, out);
            in += 3;
        } else if (strcmp(in, ".") == 0 || strcmp(in, "..") == 0) {
            in += strlen(in);
        } else {
            size_t length = 1 + strcspn(in + 1, "/");
            memcpy(out, in, length);
            out += length;
            in += length;
        }
        *out = '\0';
    }
}

/* The path of a relative reference put where the base's last segment was. */
static char *merge_paths(struct arena *arena, const struct uri *base, struct span path)
{
    if (base->authority.present && !base->path.length)
        return arena_printf(arena, "/%.*s", (int)path.length, path.at);
    size_t keep = base->path.length;
    while (keep && base->path.at[keep - 1] != '/')
        keep--;
    return arena_printf(arena, "%.*s%.*s", (int)keep, base->path.at, (int)path.length, path.at);
}

static char *resolve_path(struct arena *arena, const struct uri *base, struct span path)
{
    char *whole = path.length && path.at[0] == '/' ? arena_strndup(arena, path.at, path.length)
                                                   : merge_paths(arena, base, path);
    char *clean = arena_alloc(arena, strlen(whole) + 2);
    remove_dot_segments(whole, clean);
    return clean;
}

static const char *part(struct arena *arena, const char *before, struct span span,
                        const char *behind)
{
    if (!span.present)
        return "";
    return arena_printf(arena, "%s%.*s%s", before, (int)span.length, span.at, behind);
}

const char *schema_uri_resolve(struct arena *arena, const char *base_text, const char *reference)
{
    struct uri base = uri_parse(base_text), uri = uri_parse(reference);
    if (uri.scheme.present || !*base_text)
        return arena_strdup(arena, reference);
    const char *path = arena_strndup(arena, uri.path.at, uri.path.length);
    if (!uri.authority.present) {
        uri.authority = base.authority;
        if (uri.path.length) {
            path = resolve_path(arena, &base, uri.path);
        } else {
            path = arena_strndup(arena, base.path.at, base.path.length);
            if (!uri.query.present)
                uri.query = base.query;
        }
    }
    return arena_printf(arena, "%s%s%s%s%s", part(arena, "", base.scheme, ":"),
                        part(arena, "//", uri.authority, ""), path, part(arena, "?", uri.query, ""),
                        part(arena, "#", uri.fragment, ""));
}

const char *schema_uri_split(struct arena *arena, const char *uri, const char **out_fragment)
{
    size_t length = strcspn(uri, "#");
    char *fragment = arena_strdup(arena, uri[length] ? uri + length + 1 : "");
    char *to = fragment;
    for (const char *from = fragment; *from; to++) {
        int high = *from == '%' ? text_hex_digit(from[1]) : -1;
        int low = high >= 0 ? text_hex_digit(from[2]) : -1;
        bool is_escape = low >= 0 && (high || low);
        *to = is_escape ? (char)(high * 16 + low) : *from;
        from += is_escape ? 3 : 1;
    }
    *to = '\0';
    *out_fragment = fragment;
    return arena_strndup(arena, uri, length);
}
