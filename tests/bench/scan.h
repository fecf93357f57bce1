/* Just enough JSON for the benchmark's servers: finds values in a well-formed text
 * without building anything, so that a server's share of a round trip stays small. */
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slice {
    const char *p;
    size_t n;
};

static inline const char *skip_ws(const char *p, const char *e)
{
    while (p < e && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
        p++;
    return p;
}

static inline const char *skip_string(const char *p, const char *e)
{ /* p at the quote */
    for (p++; p < e; p++) {
        while (p + 4 <= e && p[0] != '"' && p[0] != '\\' && p[1] != '"' && p[1] != '\\' &&
               p[2] != '"' && p[2] != '\\' && p[3] != '"' && p[3] != '\\')
            p += 4;
        if (p >= e)
            break;
        if (*p == '\\')
            p++;
        else if (*p == '"')
            return p + 1;
    }
    return e;
}

static inline const char *skip_value(const char *p, const char *e)
{
    p = skip_ws(p, e);
    if (p < e && *p == '"')
        return skip_string(p, e);
    if (p < e && (*p == '{' || *p == '[')) {
        int depth = 0;
        while (p < e) {
            if (*p == '"') {
                p = skip_string(p, e);
                continue;
            }
            if (*p == '{' || *p == '[')
                depth++;
            if ((*p == '}' || *p == ']') && --depth == 0)
                return p + 1;
            p++;
        }
        return e;
    }
    while (p < e && *p != ',' && *p != '}' && *p != ']')
        p++;
    return p;
}

/* From obj[key] on, its end not looked for; or an empty slice. */
static inline struct slice enter(struct slice obj, const char *key)
{
    const char *e = obj.p + obj.n, *p = skip_ws(obj.p, e);
    size_t klen = strlen(key);
    if (p >= e || *p != '{')
        return (struct slice){ 0 };
    p++;
    for (;;) {
        p = skip_ws(p, e);
        if (p >= e || *p != '"')
            return (struct slice){ 0 };
        const char *k = p + 1;
        p = skip_string(p, e);
        size_t n = (size_t)(p - k) - 1;
        p = skip_ws(p, e);
        if (p < e && *p == ':')
            p++;
        p = skip_ws(p, e);
        if (n == klen && !memcmp(k, key, n))
            return (struct slice){ p, (size_t)(e - p) };
        p = skip_ws(skip_value(p, e), e);
        if (p < e && *p == ',')
            p++;
    }
}

/* The raw text of obj[key], or an empty slice. */
static inline struct slice get(struct slice obj, const char *key)
{
    struct slice v = enter(obj, key);
    if (v.n)
        v.n = (size_t)(skip_value(v.p, v.p + v.n) - v.p);
    return v;
}

static inline bool is_str(struct slice s, const char *lit)
{
    size_t n = strlen(lit);
    return s.n == n + 2 && s.p[0] == '"' && !memcmp(s.p + 1, lit, n);
}

static inline double num(struct slice s)
{
    char b[32];
    if (!s.n || s.n >= sizeof b)
        return 0;
    memcpy(b, s.p, s.n);
    b[s.n] = 0;
    return atof(b);
}

/* Steps through an array: start with *at = array.p, ends with an empty slice. */
static inline struct slice next(struct slice array, const char **at)
{
    const char *e = array.p + array.n, *p = *at;
    if (!array.n || *array.p != '[')
        return (struct slice){ 0 };
    p = skip_ws(p == array.p ? p + 1 : p, e);
    if (p < e && *p == ',')
        p = skip_ws(p + 1, e);
    if (p >= e || *p == ']')
        return (struct slice){ 0 };
    *at = skip_value(p, e);
    return (struct slice){ p, (size_t)(*at - p) };
}

/* Copies a string's raw text (names here have no escapes); "" if it is no string. */
static inline const char *text(struct slice s, char *b, size_t cap)
{
    bool str = s.n >= 2 && *s.p == '"' && s.n - 2 < cap;
    if (str)
        memcpy(b, s.p + 1, s.n - 2);
    b[str ? s.n - 2 : 0] = 0;
    return b;
}
