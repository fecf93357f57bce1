/* Sentences and the phrases in them. A text falls into blocks (paragraphs and items of lists), a
 * block into sentences; a phrase is a piece of a sentence, and nothing is copied but the sentences.
 */
#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static struct phrase trim(struct phrase phrase)
{
    while (phrase.length && strchr(" \t\r\n,;:*_`\"", phrase.text[0])) {
        phrase.text++;
        phrase.length--;
    }
    while (phrase.length && strchr(" \t\r\n,;:.!?*_`\"", phrase.text[phrase.length - 1]))
        phrase.length--;
    return phrase;
}

struct phrase phrase_before(struct phrase phrase, const char *at)
{
    return (struct phrase){ phrase.text, (size_t)(at - phrase.text) };
}

struct phrase phrase_behind(struct phrase phrase, const char *at, size_t length)
{
    size_t taken = (size_t)(at - phrase.text) + length;
    return (struct phrase){ phrase.text + taken, phrase.length - taken };
}

bool phrase_is(struct phrase phrase, const char *word)
{
    return phrase.length == strlen(word) && strncasecmp(phrase.text, word, phrase.length) == 0;
}

const char *phrase_find(struct phrase phrase, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= phrase.length; i++) {
        bool starts = i == 0 || !is_word_byte(phrase.text[i - 1]) || !is_word_byte(word[0]);
        bool ends = i + length == phrase.length || !is_word_byte(phrase.text[i + length]) ||
                    !is_word_byte(word[length - 1]);
        if (starts && ends && strncasecmp(phrase.text + i, word, length) == 0)
            return phrase.text + i;
    }
    return NULL;
}

/* Takes one of the words off the front, with the blank or comma behind it. */
static bool drop_first_word(struct phrase *phrase, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(words[i]);
        if (length < phrase->length && strncasecmp(phrase->text, words[i], length) == 0 &&
            strchr(" ,:", phrase->text[length])) {
            *phrase = trim((struct phrase){ phrase->text + length, phrase->length - length });
            return true;
        }
    }
    return false;
}

struct phrase phrase_name(struct phrase phrase)
{
    static const char *const before[] = {
        "the",     "a",       "an",        "this",          "that",    "these",      "each",
        "every",   "its",     "their",     "both",          "first",   "second",     "third",
        "then",    "next",    "finally",   "lastly",        "last",    "after that", "afterwards",
        "at last", "also",    "now",       "once again",    "in turn", "and",        "so",
        "there",   "instead", "meanwhile", "at query time", "later",   "own",
    };
    phrase = trim(phrase);
    while (drop_first_word(&phrase, before, ARRAY_LENGTH(before)))
        ;
    return phrase;
}

static bool is_one_of(struct phrase word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (phrase_is(word, words[i]))
            return true;
    return false;
}

/* The first word; the rest goes to *out_rest. */
static struct phrase first_word(struct phrase phrase, struct phrase *out_rest)
{
    size_t n = 0;
    while (n < phrase.length && phrase.text[n] != ' ')
        n++;
    *out_rest = trim((struct phrase){ phrase.text + n, phrase.length - n });
    return (struct phrase){ phrase.text, n };
}

bool phrase_names_something(struct phrase name)
{
    static const char *const openers[] = {
        "which", "who",  "whom", "what", "is",      "are",       "was",    "were", "be",
        "been",  "has",  "have", "had",  "can",     "must",      "will",   "not",  "when",
        "if",    "once", "the",  "them", "because", "otherwise", "passed",
    };
    static const char *const articles[] = { "the", "a", "an", "its", "their", "his", "her" };
    struct phrase rest, word = first_word(name, &rest);
    bool is_name = word.length && isupper((unsigned char)word.text[0]) && !phrase_is(word, "which");
    if (word.length == 0 || (!is_name && is_one_of(word, openers, ARRAY_LENGTH(openers))))
        return false;
    while (rest.length) {
        char last = word.text[word.length - 1];
        word = first_word(rest, &rest);
        if (last == 's' && rest.length && is_one_of(word, articles, ARRAY_LENGTH(articles)))
            return false;
    }
    return true;
}

const char *phrase_label(struct arena *arena, struct phrase phrase)
{
    static const char *const ends[] = { ", ",     " that ",  " which ", " with ",    " so that ",
                                        " when ", " while ", " who ",   " because ", " by way " };
    phrase = phrase_name(phrase);
    for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
        const char *end = phrase_find(phrase, ends[i]);
        if (end && end > phrase.text)
            phrase.length = (size_t)(end - phrase.text);
    }
    phrase = trim(phrase);
    if (phrase_is(phrase, "it") || phrase_is(phrase, "them"))
        return "";
    size_t length = text_cut(phrase.text, phrase.length, TEXT_GRAPH_LABEL_BYTES);
    return length < phrase.length ? arena_printf(arena, "%.*s…", (int)length, phrase.text)
                                  : arena_strndup(arena, phrase.text, length);
}

/* "12. ", "3) ", "- ", "• ": how long the mark of a list item is. */
static size_t mark_length(const char *line, size_t length, bool *out_numbered)
{
    size_t at = 0;
    *out_numbered = false;
    while (at < length && at < 3 && isdigit((unsigned char)line[at]))
        at++;
    if (at && at + 1 < length && strchr(".)", line[at]) && line[at + 1] == ' ') {
        *out_numbered = true;
        return at + 2;
    }
    if (length > 2 && strchr("-*+#", line[0]) && (line[1] == ' ' || line[1] == '#'))
        return strspn(line, "-*+# ");
    return text_starts_with(line, "• ") ? strlen("• ") : 0;
}

/* A full stop ends a sentence only before a blank or the end: "v1.2" does not end. */
static size_t sentence_length(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool is_stop = strchr(".!?;", text[i]) != NULL;
        bool is_last = i + 1 == length || strchr(" \t\r\n", text[i + 1]);
        if (text[i] && is_stop && is_last)
            return i + 1;
        if (strncmp(text + i, "。", strlen("。")) == 0)
            return i + strlen("。");
    }
    return length;
}

struct listing {
    struct arena *arena;
    struct phrase *list;
    bool *numbered;
    size_t n, capacity, numbered_capacity;
};

static void push(struct listing *listing, struct phrase phrase, bool is_numbered)
{
    size_t n = listing->n;
    phrase = trim(phrase);
    if (phrase.length == 0 || n == TEXT_GRAPH_MAX_SENTENCES)
        return;
    phrase.text = text_with_single_blanks(listing->arena, phrase.text, phrase.length);
    phrase.length = strlen(phrase.text);
    *arena_push(listing->arena, listing->numbered, n, listing->numbered_capacity) = is_numbered;
    *arena_push(listing->arena, listing->list, listing->n, listing->capacity) = phrase;
}

/* Whether an arrow in the line leads from something in it to something in it: a line that begins or
 * ends with its arrow goes on from, or on in, another. */
static bool has_whole_arrow(const char *line)
{
    size_t length = 0;
    struct phrase phrase = trim((struct phrase){ line, strcspn(line, "\n") });
    const char *arrow = phrase_find_arrow(phrase, 0, &length);
    if (!arrow || arrow == phrase.text)
        return false;
    const char *last = arrow;
    while ((arrow = phrase_find_arrow(phrase, (size_t)(last - phrase.text) + length, &length)))
        last = arrow;
    return last + length < phrase.text + phrase.length;
}

/* Whether the next line belongs to the same list of arrows, one a line, as this one, or begins or
 * ends it: "The path:", "A → B", "B → C", "The rest waits." */
static bool is_line_of_arrows(const char *line, const char *next)
{
    struct phrase words = { line, strcspn(line, "\n") };
    while (words.length && strchr(" \t\r", words.text[words.length - 1]))
        words.length--;
    if (has_whole_arrow(line))
        return has_whole_arrow(next) || isupper((unsigned char)next[strspn(next, " \t")]);
    return has_whole_arrow(next) && words.length && words.text[words.length - 1] == ':';
}

/* Wrapped lines belong together; a blank line or the mark of an item ends a block, and so does a
 * line of arrows. */
static size_t block_length(const char *text)
{
    const char *line = text;
    size_t at = strcspn(text, "\n");
    while (text[at]) {
        const char *next = text + at + 1;
        bool is_numbered, ends = is_line_of_arrows(line, next);
        size_t length = strcspn(next, "\n");
        line = next;
        next += strspn(next, " \t");
        if (ends || strspn(next, "\r\n") || !*next || mark_length(next, length, &is_numbered))
            return at + 1;
        at += 1 + length;
    }
    return at;
}

struct phrase *text_sentences(struct arena *arena, const char *text, bool **out_numbered,
                              size_t *out_n)
{
    struct listing listing = { .arena = arena };
    while (*text) {
        size_t length = block_length(text), at = strspn(text, " \t");
        bool is_numbered = false;
        if (at < length)
            at += mark_length(text + at, length - at, &is_numbered);
        while (at < length) {
            size_t sentence = sentence_length(text + at, length - at);
            push(&listing, (struct phrase){ text + at, sentence }, is_numbered);
            at += sentence;
        }
        text += length;
    }
    *out_numbered = listing.numbered;
    *out_n = listing.n;
    return listing.list;
}
