#include "domain/text/redact_text.h"
#include "domain/base/attributes.h"
#include "domain/text/redact.h"
#include <ctype.h>
#include <string.h>

/* What a byte may be; every byte of every event is looked up here, so it is a table. */
enum {
    WORD = 1,
    QUOTE = 2, /* of a name, maybe behind a backslash */
    BLANK = 4,
    SIGN = 8, /* between a name and its value */
};

static const unsigned char classes[256] = {
    ['a' ... 'z'] = WORD, ['A' ... 'Z'] = WORD, ['0' ... '9'] = WORD, ['_'] = WORD,
    ['-'] = WORD,         ['\\'] = QUOTE,       ['"'] = QUOTE,        ['\''] = QUOTE,
    [' '] = BLANK,        ['\t'] = BLANK,       ['='] = SIGN,         [':'] = SIGN,
};

static bool is(char c, unsigned wanted)
{
    return classes[(unsigned char)c] & wanted;
}

static size_t skip_all(const char *text, size_t length, size_t at, unsigned wanted)
{
    while (at < length && is(text[at], wanted))
        at++;
    return at;
}

static size_t skip_to(const char *text, size_t length, size_t at, const char *bytes)
{
    while (at < length && !(text[at] && strchr(bytes, text[at])))
        at++;
    return at;
}

static bool starts_with(const char *text, size_t length, size_t at, const char *prefix)
{
    size_t n = strlen(prefix);
    return at + n <= length && strncasecmp(text + at, prefix, n) == 0;
}

/* "Bearer x", "Basic x", "token x": the bytes of the word and the blanks behind it, or 0. */
static size_t scheme_length(const char *text, size_t length, size_t at)
{
    static const char *const schemes[] = { "bearer ", "basic ", "token ", "digest " };
    for (size_t i = 0; i < ARRAY_LENGTH(schemes); i++)
        if (starts_with(text, length, at, schemes[i]))
            return skip_all(text, length, at + strlen(schemes[i]), BLANK) - at;
    return 0;
}

static size_t end_of_value(const char *text, size_t length, size_t at, char quote)
{
    if (!quote)
        return skip_to(text, length, at, " \t\r\n\"'&,;<>)]}");
    for (; at < length && text[at] != quote; at++)
        if (text[at] == '\\' && at + 1 < length)
            at++;
    return at;
}

/* name=value, name: value, "name": "value", --name value is not one. The name is a whole word. */
static bool find_named(const char *text, size_t length, size_t at, size_t end,
                       struct secret_span *out)
{
    char name[64];
    size_t sign = skip_all(text, length, skip_all(text, length, end, QUOTE), BLANK);
    if (end - at >= sizeof name || sign == length || !is(text[sign], SIGN))
        return false;
    memcpy(name, text + at, end - at);
    name[end - at] = '\0';
    if (!redact_is_secret_name(name))
        return false;
    size_t start = sign + 1;
    while (start < length && (is(text[start], BLANK) || text[start] == '\\'))
        start++;
    char quote = start < length && (text[start] == '"' || text[start] == '\'') ? text[start] : '\0';
    start += quote != '\0';
    start += scheme_length(text, length, start);
    *out = (struct secret_span){ start, end_of_value(text, length, start, quote) };
    return out->end > out->start;
}

static size_t count_class(const char *text, size_t length, size_t at, const char *more)
{
    size_t n = 0;
    while (at + n < length &&
           (isalnum((unsigned char)text[at + n]) || (text[at + n] && strchr(more, text[at + n]))))
        n++;
    return n;
}

/* "Bearer " and a credential that is long enough to be one. */
static bool find_credential(const char *text, size_t length, size_t at, struct secret_span *out)
{
    if ((text[at] | ' ') != 'b')
        return false;
    if (!starts_with(text, length, at, "bearer ") && !starts_with(text, length, at, "basic "))
        return false;
    size_t start = at + scheme_length(text, length, at);
    size_t n = count_class(text, length, start, "-._~+/=");
    *out = (struct secret_span){ start, start + n };
    return n >= 8;
}

/* No key has a shorter word at its beginning, nor has a web token, which is several with dots. */
#define KEY_MIN_WORD 14

/* Prefixes that services give their keys, and how many more bytes make it one. */
static bool find_key_shape(const char *text, size_t length, size_t at, size_t end,
                           struct secret_span *out)
{
    static const struct {
        const char *prefix;
        size_t at_least;
    } shapes[] = {
        { "sk-", 16 },   { "ghp_", 20 },     { "gho_", 20 },     { "ghu_", 20 },
        { "ghs_", 20 },  { "ghr_", 20 },     { "xoxb-", 10 },    { "xoxp-", 10 },
        { "xoxa-", 10 }, { "xoxs-", 10 },    { "AKIA", 16 },     { "ASIA", 16 },
        { "AIza", 30 },  { "glpat-", 16 },   { "hf_", 20 },      { "npm_", 30 },
        { "pypi-", 30 }, { "sk_live_", 16 }, { "rk_live_", 16 }, { "github_pat_", 20 },
        { "eyJ", 40 },
    };
    if (end - at < KEY_MIN_WORD)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(shapes); i++) {
        if (text[at] != shapes[i].prefix[0])
            continue;
        size_t prefix = strlen(shapes[i].prefix);
        if (at + prefix > length || strncmp(text + at, shapes[i].prefix, prefix) != 0)
            continue;
        const char *more = strcmp(shapes[i].prefix, "eyJ") == 0 ? "-_." : "-_";
        size_t n = count_class(text, length, at + prefix, more);
        *out = (struct secret_span){ at, at + prefix + n };
        return n >= shapes[i].at_least;
    }
    return false;
}

/* "-----BEGIN … PRIVATE KEY-----" up to its end, or the end of the text. */
static bool find_private_key(const char *text, size_t length, size_t at, struct secret_span *out)
{
    static const char begin[] = "-----BEGIN ", end[] = "PRIVATE KEY-----";
    if (!starts_with(text, length, at, begin))
        return false;
    const char *label = strstr(text + at, end);
    const char *line = strchr(text + at, '\n');
    if (!label || (line && label > line))
        return false;
    size_t start = (size_t)(label - text) + strlen(end);
    const char *last = strstr(text + start, "-----END");
    *out = (struct secret_span){ start, last ? (size_t)(last - text) : length };
    return out->end > out->start;
}

/* "://user:password@host" */
static bool find_userinfo(const char *text, size_t length, size_t at, struct secret_span *out)
{
    if (length - at < strlen("://") || memcmp(text + at, "://", strlen("://")) != 0)
        return false;
    size_t end = skip_to(text, length, at + 3, "/?# \t\r\n\"'<>");
    const char *sign = NULL;
    for (size_t i = at + 3; i < end; i++)
        if (text[i] == '@')
            sign = text + i;
    const char *colon = memchr(text + at + 3, ':', end - at - 3);
    if (!sign || !colon || colon > sign)
        return false;
    *out = (struct secret_span){ (size_t)(colon - text) + 1, (size_t)(sign - text) };
    return out->end > out->start;
}

/* Secrets begin with the first byte of a word. */
static bool find_at_word(const char *text, size_t length, size_t at, size_t end,
                         struct secret_span *out)
{
    if (text[at] == '-' && find_private_key(text, length, at, out))
        return true;
    return find_named(text, length, at, end, out) || find_credential(text, length, at, out) ||
           find_key_shape(text, length, at, end, out);
}

static bool is_new(const char *text, size_t length, const struct secret_span *span)
{
    return !starts_with(text, length, span->start, REDACTED);
}

/* Goes from word to word, and looks at each once. */
bool redact_find(const char *text, size_t length, size_t from, struct secret_span *out)
{
    size_t at = from;
    if (at && at < length && is(text[at - 1], WORD))
        at = skip_all(text, length, at, WORD);
    while (at < length) {
        if (!is(text[at], WORD)) {
            if (text[at] == ':' && find_userinfo(text, length, at, out) &&
                is_new(text, length, out))
                return true;
            at++;
            continue;
        }
        size_t end = skip_all(text, length, at, WORD);
        if (find_at_word(text, length, at, end, out) && is_new(text, length, out))
            return true;
        at = end;
    }
    return false;
}
