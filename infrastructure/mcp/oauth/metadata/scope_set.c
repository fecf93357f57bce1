#include "infrastructure/mcp/oauth/metadata/scope_set.h"
#include "domain/base/buf.h"
#include "infrastructure/mcp/oauth/metadata/oauth_metadata.h"
#include <string.h>

/* The next word, and where to look on. */
static const char *next_word(const char **at, size_t *out_length)
{
    const char *word = *at + strspn(*at, " ");
    *out_length = strcspn(word, " ");
    *at = word + *out_length;
    return *out_length ? word : NULL;
}

bool scope_set_has(const char *set, const char *word, size_t length)
{
    size_t n;
    for (const char *at = set ? set : "", *one; (one = next_word(&at, &n));)
        if (n == length && memcmp(one, word, n) == 0)
            return true;
    return false;
}

bool scope_set_includes(const char *set, const char *part)
{
    size_t n;
    for (const char *at = part ? part : "", *one; (one = next_word(&at, &n));)
        if (!scope_set_has(set, one, n))
            return false;
    return true;
}

/* A word that does not fit is left out. */
static void add_word(struct buf *set, const char *word, size_t length)
{
    size_t blank = set->length > 0;
    if (scope_set_has(buf_string(set), word, length) ||
        set->length + blank + length > set->max_bytes)
        return;
    bool fits = (!blank || buf_puts(set, " ")) && buf_append(set, word, length);
    (void)fits;
}

static void add_words(struct buf *set, const char *words)
{
    size_t n;
    for (const char *at = words ? words : "", *one; (one = next_word(&at, &n));)
        add_word(set, one, n);
}

const char *scope_set_union(struct arena *arena, const char *a, const char *b)
{
    AUTO(buf) set;
    buf_init(&set, SCOPE_SET_MAX_BYTES);
    add_words(&set, a);
    add_words(&set, b);
    return set.length ? arena_strdup(arena, buf_string(&set)) : NULL;
}

const char *scope_set_of(struct arena *arena, const json_t *array)
{
    AUTO(buf) set;
    buf_init(&set, SCOPE_SET_MAX_BYTES);
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_auto_t *one = json_pack("{s:O}", "scope", json_array_get(array, i));
        add_words(&set, oauth_member(one, "scope"));
    }
    return set.length ? arena_strdup(arena, buf_string(&set)) : NULL;
}
