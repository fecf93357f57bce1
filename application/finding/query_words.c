#include "application/finding/query_words.h"
#include "application/finding/everyday_words.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include <ctype.h>
#include <string.h>

#define CLAUSE_ENDS ",;:!?."
#define AROUND "\"'()[]{}<>*`,;:!?."

/* The signs beyond ASCII that stand between words, as those of ASCII that do the same. */
static char plain_sign(const char *bytes, size_t *out_length)
{
    const unsigned char *b = (const unsigned char *)bytes;
    *out_length = 2;
    if (b[0] == 0xC2 && (b[1] == 0xAB || b[1] == 0xBB))
        return '"';
    if (b[0] == 0xC2 && b[1] >= 0xA0 && b[1] <= 0xBF)
        return ' ';
    *out_length = 3;
    if (b[0] == 0xE2 && b[1] == 0x80 && (b[2] == 0x98 || b[2] == 0x99))
        return '\'';
    if (b[0] == 0xE2 && b[1] == 0x80 && b[2])
        return b[2] >= 0x9A && b[2] <= 0x9F ? '"' : ' ';
    return '\0';
}

static char *with_plain_signs(struct arena *arena, const char *text)
{
    char *out = arena_strdup(arena, text), *to = out;
    for (const char *at = text; *at;) {
        size_t length = 1;
        char sign = (unsigned char)*at >= 0x80 ? plain_sign(at, &length) : '\0';
        *to++ = sign ? sign : *at;
        at += sign ? length : 1;
    }
    *to = '\0';
    return out;
}

static bool is_key(const char *word)
{
    size_t letters = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    size_t digits = word[letters] == '-' ? strspn(word + letters + 1, "0123456789") : 0;
    return letters >= 2 && digits && !word[letters + 1 + digits];
}

/* "a.txt", "notes/a", "~/x"; not "e.g" or "3.5". */
static bool is_file(const char *word)
{
    const char *dot = strrchr(word, '.'), *slash = strchr(word, '/');
    size_t extension = dot ? strlen(dot + 1) : 0;
    bool has_extension = dot && dot - word >= 2 && extension >= 1 && extension <= 5 &&
                         isalpha((unsigned char)dot[1]) && !strchr(dot, '\'');
    return has_extension || (slash && slash[1] && !isdigit((unsigned char)slash[1]));
}

/* What the word stands out by: ann@example.org, notes/a.txt, WEB-118, #support. */
static const char *form_of(const char *word)
{
    const char *at = strchr(word, '@');
    if (text_starts_with(word, "http://") || text_starts_with(word, "https://") ||
        text_starts_with(word, "www."))
        return "@url";
    if (at && at != word && strchr(at, '.'))
        return "@address";
    if (word[0] == '#' && isalpha((unsigned char)word[1]))
        return "@channel";
    if (is_key(word))
        return "@key";
    return is_file(word) ? "@file" : NULL;
}

struct splitting {
    struct arena *arena;
    struct query_words *out;
    bool in_quotes;
};

static void add_word(struct splitting *splitting, const char *bytes, size_t length,
                     const char *form)
{
    struct query_words *out = splitting->out;
    bool is_number = strspn(bytes, "0123456789") >= length;
    if (out->n == QUERY_MAX_WORDS || length == 0 || (!form && is_number))
        return;
    const char *said = arena_strndup(splitting->arena, bytes, length);
    out->words[out->n++] =
        (struct query_word){ .said = said,
                             .plain = text_unaccented(splitting->arena, bytes, length),
                             .form = form,
                             .is_dropped = !form && length == 1,
                             .is_quoted = splitting->in_quotes };
}

/* One run of what is not blank. A file is known by its form and its extension: its name is chosen
 * by people, and says as little of tools as an address does. */
static void add_run(struct splitting *splitting, const char *bytes, size_t length)
{
    while (length && strchr(AROUND, bytes[0]))
        bytes++, length--;
    while (length && strchr(AROUND, bytes[length - 1]))
        length--;
    const char *run = arena_strndup(splitting->arena, bytes, length);
    const char *form = form_of(run);
    if (form) {
        add_word(splitting, run, length, form);
        const char *dot = text_equal(form, "@file") ? strrchr(run, '.') : NULL;
        if (dot && !strchr(dot, '/'))
            add_word(splitting, dot + 1, strlen(dot + 1), NULL);
        return;
    }
    for (size_t at = 0; at < length;) {
        size_t n = 0;
        while (at + n < length && text_is_word_byte(run[at + n]))
            n++;
        add_word(splitting, run + at, n, NULL);
        at += n ? n : 1;
    }
}

void query_words_split(struct arena *arena, const char *text, struct query_words *out)
{
    struct splitting splitting = { .arena = arena, .out = out };
    *out = (struct query_words){ .words = arena_array(arena, struct query_word, QUERY_MAX_WORDS) };
    for (const char *at = with_plain_signs(arena, text); *at && out->n < QUERY_MAX_WORDS;) {
        at += strspn(at, " \t\r\n");
        size_t length = strcspn(at, " \t\r\n");
        if (at[0] == '"')
            splitting.in_quotes = true;
        add_run(&splitting, at, length);
        bool ends = length && !splitting.in_quotes && strchr(CLAUSE_ENDS, at[length - 1]);
        if (ends && out->n)
            out->words[out->n - 1].ends_clause = true;
        if (length > 1 && memchr(at + 1, '"', length - 1))
            splitting.in_quotes = false;
        at += length;
    }
}

/* A clause without words of its own is none. */
static void number_clauses(struct query_words *words)
{
    uint32_t clause = 0;
    bool has_words = false;
    for (size_t i = 0; i < words->n; i++) {
        struct query_word *word = &words->words[i];
        word->clause = clause;
        has_words = has_words || !word->is_dropped;
        if (word->ends_clause && has_words && clause + 1 < QUERY_MAX_CLAUSES) {
            clause++;
            has_words = false;
        }
    }
    words->n_clauses = clause + 1;
}

enum err_code query_words_read(struct arena *arena, struct tool_index *index, struct assets *assets,
                               const char *text, struct query_words *out, struct err *err)
{
    query_words_split(arena, text, out);
    enum err_code r = everyday_words_apply(arena, index, assets, out, err);
    if (r)
        return r;
    number_clauses(out);
    return ERR_NONE;
}
