#include "domain/consensus/canonical_text.h"
#include "domain/base/text.h"
#include "domain/consensus/consensus_internal.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#define LEAST_FENCE 3 /* of backticks or tildes around code and other languages */

enum canonical_character canonical_character(uint32_t code)
{
    bool is_nothing =
        (code >= 0x200B && code <= 0x200F) || (code >= 0x2060 && code <= 0x2064) || code == 0xFEFF;
    if (is_nothing)
        return CHARACTER_NOTHING;
    bool is_blank = code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xA0 ||
                    code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
                    code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
    return is_blank ? CHARACTER_BLANK : CHARACTER_SEEN;
}

struct span canonical_trim(struct span span)
{
    size_t from = 0, to = 0;
    bool seen = false;
    for (size_t at = 0, size; at < span.length; at += size) {
        uint32_t code = 0;
        size = text_utf8_next(span.text + at, span.length - at, &code);
        size = size ? size : 1;
        if (canonical_character(code) != CHARACTER_SEEN)
            continue;
        from = seen ? from : at;
        seen = true;
        to = at + size;
    }
    return (struct span){ span.text + from, to - from };
}

/* The bytes of "json" and the line's end behind an opening fence, which are not part of the text.
 */
static size_t language_line(struct span inner)
{
    const char *end = memchr(inner.text, '\n', inner.length);
    size_t line = end ? (size_t)(end - inner.text) + 1 : 0;
    for (size_t i = 0; i + 1 < line; i++)
        if (!isalnum((unsigned char)inner.text[i]) && !strchr("+#._- \t\r", inner.text[i]))
            return 0;
    return line;
}

struct span canonical_within_fence(struct span span)
{
    struct span bare = canonical_trim(span);
    size_t fence = 0;
    while (fence < bare.length && strchr("`~", *bare.text) && bare.text[fence] == *bare.text)
        fence++;
    if (fence < LEAST_FENCE || bare.length < 2 * fence ||
        memcmp(bare.text, bare.text + bare.length - fence, fence) != 0)
        return span;
    struct span inner = { bare.text + fence, bare.length - 2 * fence };
    if (memmem(inner.text, inner.length, bare.text, fence))
        return span; /* two fences and something between them */
    size_t language = language_line(inner);
    return (struct span){ inner.text + language, inner.length - language };
}

struct span canonical_unfence(struct span span)
{
    return canonical_trim(canonical_within_fence(span));
}

enum err_code canonical_full(struct err *err)
{
    err_set(err, ERR_LIMIT, 0, "the text is longer than %d bytes", ENVELOPE_MAX_CANONICAL_BYTES);
    return err_hint(err, ERR_LIMIT, "give a shorter text");
}

/* The plain sign for a quote or an apostrophe of typesetting; NULL: it is none. */
static const char *plain_quote(uint32_t code)
{
    if (code >= 0x2018 && code <= 0x201B)
        return "'";
    bool is_double = (code >= 0x201C && code <= 0x201F) || code == 0xAB || code == 0xBB;
    return is_double ? "\"" : NULL;
}

static enum err_code append_prose(struct buf *out, struct span text, struct err *err)
{
    bool blank = false, fits = true;
    for (size_t at = 0, size; at < text.length && fits; at += size) {
        uint32_t code = 0;
        size = text_utf8_next(text.text + at, text.length - at, &code);
        enum canonical_character character = canonical_character(code);
        blank = blank || character == CHARACTER_BLANK;
        if (character != CHARACTER_SEEN)
            continue;
        const char *plain = plain_quote(code);
        fits = (!blank || !out->length || buf_puts(out, " ")) &&
               (plain ? buf_puts(out, plain) : buf_append(out, text.text + at, size));
        blank = false;
    }
    return fits ? ERR_NONE : canonical_full(err);
}

static enum err_code canonical_prose(struct buf *out, struct span text, struct err *err)
{
    utf8proc_uint8_t *composed = NULL;
    utf8proc_ssize_t length =
        utf8proc_map((const utf8proc_uint8_t *)text.text, (utf8proc_ssize_t)text.length, &composed,
                     UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (length < 0) /* of UTF-8, which it is, only for want of memory */
        abort();
    enum err_code r =
        append_prose(out, (struct span){ (const char *)composed, (size_t)length }, err);
    free(composed);
    return r;
}

/* Only line ends may differ: where a line begins can decide what the program does. */
static enum err_code canonical_code(struct buf *out, struct span text, struct err *err)
{
    bool fits = true;
    while (text.length && strchr("\r\n", text.text[text.length - 1]))
        text.length--;
    if (!canonical_trim(text).length)
        return ERR_NONE;
    for (size_t i = 0, n; i < text.length && fits; i += n) {
        size_t returns = strspn(text.text + i, "\r");
        bool is_line_end = returns && text.text[i + returns] == '\n';
        n = returns ? returns : 1;
        fits = is_line_end || buf_append(out, text.text + i, n);
    }
    return fits ? ERR_NONE : canonical_full(err);
}

/* A regular expression loses what stands around it. /…/i means another pattern than /…/: flags
 * that change what matches are written into it, "(?i)…". */
static const char kept_flags[] = "imsx";  /* PCRE2 has them as (?imsx) */
static const char other_flags[] = "dguy"; /* where and how often is searched */

/* The place of the one slash that ends the pattern; 0: there is none, or another one before it. */
static size_t closing_slash(struct span text)
{
    size_t at = 1;
    while (at < text.length && text.text[at] != '/')
        at += text.text[at] == '\\' ? 2 : 1;
    return at < text.length && at > 1 ? at : 0;
}

static bool flags_are_known(struct span flags)
{
    for (size_t i = 0; i < flags.length; i++)
        if (!flags.text[i] ||
            (!strchr(kept_flags, flags.text[i]) && !strchr(other_flags, flags.text[i])))
            return false;
    return true;
}

static bool append_flags(struct buf *out, struct span flags)
{
    char kept[sizeof kept_flags];
    size_t n = 0;
    for (const char *flag = kept_flags; *flag; flag++)
        if (memchr(flags.text, *flag, flags.length))
            kept[n++] = *flag;
    kept[n] = '\0';
    return !n || (buf_puts(out, "(?") && buf_puts(out, kept) && buf_puts(out, ")"));
}

/* Without empty lines around it. A blank at either end of a pattern is part of it. */
static struct span whole_lines(struct span text)
{
    struct span seen = canonical_trim(text);
    size_t before = (size_t)(seen.text - text.text), behind = before + seen.length;
    const char *first = before ? memrchr(text.text, '\n', before) : NULL;
    const char *last =
        text.length > behind ? memchr(text.text + behind, '\n', text.length - behind) : NULL;
    const char *from = first ? first + 1 : text.text, *to = last ? last : text.text + text.length;
    while (to > from && to[-1] == '\r')
        to--;
    return seen.length ? (struct span){ from, (size_t)(to - from) } : seen;
}

/* True: it had delimiters, and is within *text now. */
static bool take_delimiters(struct span *text, struct span *flags)
{
    struct span bare = canonical_trim(*text);
    size_t end = bare.length && *bare.text == '/' ? closing_slash(bare) : 0;
    if (!end)
        return false;
    struct span behind = { bare.text + end + 1, bare.length - end - 1 };
    if (!flags_are_known(behind))
        return false;
    *flags = behind;
    *text = (struct span){ bare.text + 1, end - 1 };
    return true;
}

static enum err_code canonical_regex(struct buf *out, struct span text, struct err *err)
{
    struct span flags = { "", 0 };
    /* Each round leaves less; what is within slashes has no slash of its own. */
    text = whole_lines(canonical_within_fence(text));
    if (take_delimiters(&text, &flags))
        text = whole_lines(canonical_within_fence(text));
    if (!text.length)
        return ERR_NONE;
    bool fits = append_flags(out, flags) && buf_append(out, text.text, text.length);
    return fits ? ERR_NONE : canonical_full(err);
}

static enum err_code canonical_of(enum canonical_kind kind, struct buf *out, struct span text,
                                  struct err *err)
{
    switch (kind) {
    case CANONICAL_TEXT:
        return canonical_prose(out, text, err);
    case CANONICAL_CODE:
        return canonical_code(out, canonical_within_fence(text), err);
    case CANONICAL_JSON:
        return canonical_json(out, canonical_unfence(text), err);
    case CANONICAL_NUMBER:
        return canonical_number(out, canonical_unfence(text), err);
    case CANONICAL_REGEX:
        return canonical_regex(out, text, err);
    case CANONICAL_SQL:
        return canonical_sql(out, text, err);
    }
    return err_set(err, ERR_INTERNAL, 0, "no such kind of text");
}

static enum err_code check_text(const char *text, size_t length, struct err *err)
{
    if (length > ENVELOPE_MAX_CANONICAL_BYTES)
        return canonical_full(err);
    if (text_is_utf8(text, length))
        return ERR_NONE;
    err_set(err, ERR_INVALID, 0, "the text is not UTF-8");
    return err_hint(err, ERR_INVALID, "give plain text");
}

enum err_code canonical_text(struct arena *arena, enum canonical_kind kind, const char *text,
                             const char **out, struct err *err)
{
    AUTO(buf) canonical = { 0 };
    struct span span = { text, strlen(text) };
    enum err_code r = check_text(text, span.length, err);
    if (r)
        return r;
    buf_init(&canonical, ENVELOPE_MAX_CANONICAL_BYTES);
    if (canonical_trim(span).length && (r = canonical_of(kind, &canonical, span, err)))
        return r;
    if (!canonical.length) {
        err_set(err, ERR_INVALID, 0, "the text is empty");
        return err_hint(err, ERR_INVALID, "give the whole answer");
    }
    *out = arena_strndup(arena, canonical.bytes, canonical.length);
    return ERR_NONE;
}
