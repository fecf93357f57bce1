/* The names that a text speaks of: what is quoted, phrases of capitalised words, words that are
 * names by their form; and where there is none of these, the most frequent words. */
#include "domain/base/text.h"
#include "domain/figure/figure_findings.h"
#include "domain/figure/figure_words.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PHRASE_MAX_WORDS = 5, FREQUENT_WORDS = 8, FREQUENT_SHORTEST = 4 };

struct listing {
    struct arena *arena;
    const char **list;
    size_t n, capacity;
};

static void add(struct listing *listing, const char *name)
{
    if (listing->n == FIGURE_MAX_ENTITIES || !*name)
        return;
    for (size_t i = 0; i < listing->n; i++)
        if (strcasecmp(listing->list[i], name) == 0)
            return;
    *arena_push(listing->arena, listing->list, listing->n, listing->capacity) = name;
}

/* How many words from `first` on are capitalised and belong together. */
static size_t phrase_length(const struct figure_words *words, size_t first)
{
    size_t n = 0;
    while (first + n < words->n && n < PHRASE_MAX_WORDS) {
        const struct figure_word *word = &words->list[first + n];
        bool belongs = n == 0 || (!word->follows_break && !word->starts_sentence);
        if (word->is_quoted || !belongs || !figure_word_is_capitalised(word->text))
            break;
        n++;
    }
    return n;
}

static const char *join(struct arena *arena, const struct figure_word *words, size_t n)
{
    const char *text = words[0].text;
    for (size_t i = 1; i < n; i++)
        text = arena_printf(arena, "%s %s", text, words[i].text);
    return text;
}

/* A single capitalised word at the start of a sentence is not a name. Returns how many words were
 * taken. */
static size_t add_phrase(struct listing *listing, const struct figure_words *words, size_t first)
{
    size_t n = phrase_length(words, first), from = first;
    if (n == 0)
        return 0;
    while (n && figure_word_is_common(words->list[from].text)) {
        from++;
        n--;
    }
    const struct figure_word *start = &words->list[from];
    bool is_of_sentence = n == 1 && start->starts_sentence && !figure_word_is_name(start->text);
    if (n && !is_of_sentence)
        add(listing, join(listing->arena, start, n));
    return from + n - first;
}

static size_t add_at(struct listing *listing, const struct figure_words *words, size_t i)
{
    const struct figure_word *word = &words->list[i];
    size_t taken = word->is_quoted ? 0 : add_phrase(listing, words, i);
    if (taken)
        return taken;
    if (word->is_quoted || figure_word_is_name(word->text))
        add(listing, word->text);
    return 1;
}

struct counted {
    const char *word;
    size_t first, count;
};

static int by_word(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    int order = strcasecmp(x->word, y->word);
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int by_count(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

static int by_place(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Makes one of equal neighbours, with their number; returns how many remain. */
static size_t merge_equal(struct counted *list, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept && strcasecmp(list[kept - 1].word, list[i].word) == 0)
            list[kept - 1].count++;
        else
            list[kept++] = list[i];
    }
    return kept;
}

static void add_frequent(struct listing *listing, const struct figure_words *words)
{
    struct counted *list = arena_array(listing->arena, struct counted, words->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < words->n; i++) {
        const char *word = words->list[i].text;
        if (text_code_points(word, strlen(word)) >= FREQUENT_SHORTEST &&
            !figure_word_is_common(word))
            list[n++] = (struct counted){ word, i, 1 };
    }
    qsort(list, n, sizeof *list, by_word);
    n = merge_equal(list, n);
    qsort(list, n, sizeof *list, by_count);
    n = n > FREQUENT_WORDS ? FREQUENT_WORDS : n;
    qsort(list, n, sizeof *list, by_place);
    for (size_t i = 0; i < n; i++)
        add(listing, list[i].word);
}

const char **figure_entities(struct arena *arena, const char *text, size_t *out_n)
{
    struct listing listing = { .arena = arena };
    struct figure_words words = figure_words_read(arena, text);
    for (size_t i = 0; i < words.n && listing.n < FIGURE_MAX_ENTITIES;)
        i += add_at(&listing, &words, i);
    if (listing.n == 0)
        add_frequent(&listing, &words);
    *out_n = listing.n;
    return listing.list;
}
