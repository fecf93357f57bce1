/* One SQL statement without what its grammar does not see: comments, case, the width of blanks.
 * What stands in quotes is data and stays, byte by byte. */
#include "domain/base/text.h"
#include "domain/consensus/canonical_text.h"
#include "domain/consensus/consensus_internal.h"
#include <ctype.h>
#include <string.h>

/* Blanks beside these mean nothing in any dialect. */
static const char tight[] = ",()";

struct lexer {
    const char *at, *end;
    struct buf *out;
    bool blank;  /* blanks or a comment since what was written last */
    bool closed; /* a semicolon since then */
};

static enum err_code refuse(struct err *err, const char *message, const char *fix)
{
    err_set(err, ERR_INVALID, 0, "%s", message);
    return err_hint(err, ERR_INVALID, "%s", fix);
}

/* The end of what opens here and closes with `close`, NULL when it does not close. Quotes that are
 * doubled are part of the text: reading them as the end of one and the start of another gives equal
 * bytes.
 */
static const char *find_close(const struct lexer *l, size_t skip, const char *close)
{
    size_t left = (size_t)(l->end - l->at);
    const char *found =
        left > skip ? memmem(l->at + skip, left - skip, close, strlen(close)) : NULL;
    return found ? found + strlen(close) : NULL;
}

static bool is_at(const struct lexer *l, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(l->end - l->at) >= length && memcmp(l->at, text, length) == 0;
}

/* The end of a comment, `at` when there is none, NULL when it does not end. */
static const char *skip_comment(const struct lexer *l)
{
    if (is_at(l, "/*"))
        return find_close(l, 2, "*/");
    if (!is_at(l, "--"))
        return l->at;
    const char *line_end = find_close(l, 2, "\n");
    return line_end ? line_end : l->end;
}

static const char *skip_quoted(const struct lexer *l)
{
    switch (*l->at) {
    case '\'':
        return find_close(l, 1, "'");
    case '"':
        return find_close(l, 1, "\"");
    case '`':
        return find_close(l, 1, "`");
    case '[': /* a name, in SQLite */
        return find_close(l, 1, "]");
    default:
        return l->at;
    }
}

static bool write_token(struct lexer *l, const char *bytes, size_t length)
{
    struct buf *out = l->out;
    bool is_tight =
        strchr(tight, *bytes) || (out->length && strchr(tight, out->bytes[out->length - 1]));
    bool fits = !l->blank || !out->length || is_tight || buf_puts(out, " ");
    l->blank = false;
    return fits && buf_append(out, bytes, length);
}

/* A blank, a semicolon or a plain character. */
static enum err_code take_character(struct lexer *l, struct err *err)
{
    uint32_t code = 0;
    size_t size = text_utf8_next(l->at, (size_t)(l->end - l->at), &code);
    const char *from = l->at;
    l->at += size;
    if (canonical_character(code) != CHARACTER_SEEN) {
        l->blank = true;
        return ERR_NONE;
    }
    if (code == ';') {
        l->closed = l->closed || l->out->length;
        return ERR_NONE;
    }
    if (l->closed)
        return refuse(err, "there is more than one statement", "give exactly one");
    char lower = (char)tolower((unsigned char)*from);
    bool fits = write_token(l, size == 1 ? &lower : from, size);
    return fits ? ERR_NONE : canonical_full(err);
}

static enum err_code take_quoted(struct lexer *l, const char *behind, struct err *err)
{
    if (l->closed)
        return refuse(err, "there is more than one statement", "give exactly one");
    bool fits = write_token(l, l->at, (size_t)(behind - l->at));
    l->at = behind;
    return fits ? ERR_NONE : canonical_full(err);
}

static enum err_code take(struct lexer *l, struct err *err)
{
    const char *behind = skip_comment(l);
    if (!behind)
        return refuse(err, "a comment does not end", "leave comments out");
    if (behind > l->at) {
        l->at = behind;
        l->blank = true;
        return ERR_NONE;
    }
    if (is_at(l, "```"))
        return refuse(err, "there is a fence within it", "give the statement alone");
    behind = skip_quoted(l);
    if (!behind)
        return refuse(err, "a quote does not end", "close it");
    return behind > l->at ? take_quoted(l, behind, err) : take_character(l, err);
}

enum err_code canonical_sql(struct buf *out, struct span text, struct err *err)
{
    struct span inner = canonical_unfence(text);
    struct lexer lexer = { .at = inner.text, .end = inner.text + inner.length, .out = out };
    enum err_code r = ERR_NONE;
    while (!r && lexer.at < lexer.end)
        r = take(&lexer, err);
    return r;
}
