#include "infrastructure/mcp/oauth/metadata/www_authenticate.h"
#include <string.h>
#include <strings.h>

struct reader {
    struct arena *arena;
    const char *at, *end;
};

static bool is_token_byte(char c)
{
    return c > ' ' && c < 0x7F && !strchr("\"(),/:;<=>?@[\\]{}", c);
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
}

static size_t read_token(struct reader *r, const char **out)
{
    *out = r->at;
    while (r->at < r->end && is_token_byte(*r->at))
        r->at++;
    return (size_t)(r->at - *out);
}

/* The text between the quotes; NULL when it is too long or has no end. It takes no more memory than
 * it has bytes: a header may be full of the shortest. */
static const char *read_quoted(struct reader *r)
{
    const char *begin = ++r->at;
    size_t n = 0;
    for (; r->at < r->end && *r->at != '"'; r->at++, n++)
        if (*r->at == '\\' && r->at + 1 < r->end)
            r->at++;
    const char *end = r->at;
    bool has_end = end < r->end;
    r->at += has_end;
    if (!has_end || n > CHALLENGE_MAX_VALUE_BYTES || memchr(begin, '\0', (size_t)(end - begin)))
        return NULL;
    char *text = arena_alloc(r->arena, n + 1), *out = text;
    for (const char *at = begin; at < end; at++) {
        at += *at == '\\';
        *out++ = *at;
    }
    return text;
}

/* A token, or what servers write without quotes although they should not: up to a comma or blank.
 */
static const char *read_bare(struct reader *r)
{
    const char *begin = r->at;
    while (r->at < r->end && *r->at != ',' && *r->at != ' ' && *r->at != '\t')
        r->at++;
    size_t length = (size_t)(r->at - begin);
    bool fits = length && length <= CHALLENGE_MAX_VALUE_BYTES && !memchr(begin, '\0', length);
    return fits ? arena_strndup(r->arena, begin, length) : NULL;
}

static bool is_word(const char *token, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(token, word, length) == 0;
}

static void keep(struct challenge *challenge, const char *name, size_t length, const char *value)
{
    const char **into = is_word(name, length, "resource_metadata") ? &challenge->resource_metadata
                        : is_word(name, length, "scope")           ? &challenge->scope
                        : is_word(name, length, "error")           ? &challenge->error
                                                                   : NULL;
    if (into && !*into)
        *into = value;
}

/* A word is the name of a parameter when "=" and a value follow, else it begins a challenge; the
 * padding of a token68 is not a value. */
static bool read_equals(struct reader *r)
{
    const char *before = r->at;
    skip_blanks(r);
    if (r->at < r->end && *r->at == '=') {
        r->at++;
        skip_blanks(r);
        return true;
    }
    r->at = before;
    return false;
}

void www_authenticate_read(struct challenge *challenge, struct arena *arena, const char *value,
                           size_t length)
{
    struct reader r = { arena, value, value + length };
    bool is_bearer = false;
    while (r.at < r.end) {
        const char *word;
        size_t n = read_token(&r, &word);
        if (n == 0) {
            r.at++;
        } else if (read_equals(&r)) {
            const char *text = r.at < r.end && *r.at == '"' ? read_quoted(&r) : read_bare(&r);
            if (is_bearer)
                keep(challenge, word, n, text);
        } else {
            is_bearer = is_word(word, n, "Bearer");
            challenge->is_bearer = challenge->is_bearer || is_bearer;
        }
    }
}
