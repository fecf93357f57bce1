/* A regular expression without what stands around it. /…/i means another pattern than /…/: flags
 * that change what matches are written into it, "(?i)…". */
#include "domain/consensus/canonical_parts.h"
#include "domain/consensus/canonical_text.h"
#include <string.h>

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

enum err_code canonical_regex(struct buf *out, struct span text, struct err *err)
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
