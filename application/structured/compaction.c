#include "application/structured/compaction.h"
#include "application/structured/defuse.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define GENERAL_TEXT                                                                               \
    "User wants: {wishes}. Respond with ONLY JSON (no conversational text): {example}"
#define BETWEEN "; "
#define DELIMITER "\n---\n"

/* A message of nothing but these carries no wish. */
static const char *const greetings[] = { "hi",   "hello",  "hey", "thanks", "thank",
                                         "you",  "please", "ok",  "okay",   "great",
                                         "good", "nice",   "yes", "sure",   "cool" };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Ignoring the case of ASCII letters. */
static bool same_words(const char *a, size_t length, const char *b)
{
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i]))
            return false;
    return b[length] == '\0';
}

static bool is_greeting(const char *word, size_t length)
{
    while (length && strchr("!.,?", word[length - 1]))
        length--;
    for (size_t i = 0; i < ARRAY_LENGTH(greetings); i++)
        if (same_words(word, length, greetings[i]))
            return true;
    return length == 0;
}

/* The words of a message with one blank between them; *out_is_wish: one of them is no greeting. */
static const char *words_of(struct arena *arena, const char *text, bool *out_is_wish)
{
    char *words = arena_alloc(arena, strlen(text) + 1), *to = words;
    *out_is_wish = false;
    while (*text) {
        size_t length = strcspn(text, " \t\r\n");
        if (length && to > words)
            *to++ = ' ';
        memcpy(to, text, length);
        to += length;
        *out_is_wish = *out_is_wish || !is_greeting(text, length);
        text += length;
        text += strspn(text, " \t\r\n");
    }
    *to = '\0';
    return words;
}

/* The most whole words that fit; of a single word that does not, its beginning. */
static size_t cut_at_word(const char *text, size_t max_bytes)
{
    size_t length = strlen(text), kept = text_cut(text, length, max_bytes), word = kept;
    if (kept == length || is_blank(text[kept]))
        return kept;
    while (word && !is_blank(text[word - 1]))
        word--;
    while (word && is_blank(text[word - 1]))
        word--;
    return word ? word : kept;
}

static bool was_said(const char *const *said, size_t n, const char *words)
{
    for (size_t i = 0; i < n; i++)
        if (same_words(said[i], strlen(said[i]), words))
            return true;
    return false;
}

const char *compaction_wishes(struct arena *arena, const struct compaction_input *input,
                              size_t max_bytes)
{
    const char *all = "";
    const char **said = arena_array(arena, const char *, input->n_wishes + 1);
    size_t n_said = 0, left = max_bytes;
    for (size_t i = input->n_wishes; i-- > 0;) {
        bool is_wish;
        const char *words = words_of(arena, input->wishes[i], &is_wish);
        if (!is_wish || was_said(said, n_said, words))
            continue;
        size_t needed = strlen(words) + (n_said ? strlen(BETWEEN) : 0);
        if (needed > left && n_said)
            break; /* and everything before it, which is older */
        size_t kept = cut_at_word(words, left);
        all = arena_printf(arena, "%s%s%.*s", all, n_said ? BETWEEN : "", (int)kept, words);
        left = needed > left ? 0 : left - needed;
        said[n_said++] = words;
    }
    return all;
}

/* The object alone: the text before a delimiter is not wanted here (S4-36). */
static const char *example_of(const struct contract *contract)
{
    const char *good = contract->good ? contract->good : "{}";
    const char *delimiter = strstr(good, DELIMITER);
    return delimiter ? delimiter + strlen(DELIMITER) : good;
}

static const char *replace(struct arena *arena, const char *text, const char *name,
                           const char *value)
{
    const char *found = strstr(text, name);
    return found ? arena_printf(arena, "%.*s%s%s", (int)(found - text), text, value,
                                found + strlen(name))
                 : text;
}

const char *compaction_text(struct arena *arena, const struct contract *contract,
                            const struct compaction_input *input)
{
    const char *text = contract->compaction ? contract->compaction : GENERAL_TEXT;
    const char *wishes = compaction_wishes(arena, input, COMPACTION_MAX_WISHES_BYTES);
    if (input->state && *input->state)
        wishes = arena_printf(arena, "%s%s%s", wishes, *wishes ? BETWEEN : "", input->state);
    /* The example first: what a person said may contain "{example}". */
    text = replace(arena, text, "{example}", example_of(contract));
    return replace(arena, text, "{wishes}", defuse_text(arena, wishes));
}
