/* Sentences and the phrases in them. A text falls into blocks (paragraphs and items of lists), a
 * block into sentences; a phrase is a piece of a sentence, and nothing is copied but the sentences.
 */
#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { QUOTED_NAME_BLANKS = 2, SEARCHED_BYTES = 65536 };

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

struct phrase phrase_trim(struct phrase phrase)
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

/* "12. ", "3) ", "- ", "• ": how long the mark of a list item is. */
static size_t mark_length(const char *line, size_t length, int *out_number)
{
    size_t at = 0;
    *out_number = 0;
    while (at < length && at < 3 && isdigit((unsigned char)line[at]))
        at++;
    if (at && at + 1 < length && strchr(".)", line[at]) && line[at + 1] == ' ') {
        *out_number = (int)strtol(line, NULL, 10);
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
    const char *text; /* all of it */
    struct sentences *out;
    bool is_quoting; /* a quotation began before the sentence */
    int n_arrows;    /* lines of arrows */
};

/* Whether more than a name in the sentence is quoted. */
static bool is_quoted(struct listing *listing, struct phrase sentence)
{
    static const char *const marks[] = { "\"", "“", "”", "„" };
    bool is_quoted = listing->is_quoting;
    size_t n_blanks = 0;
    for (size_t i = 0; i < sentence.length; i++) {
        for (size_t k = 0; k < ARRAY_LENGTH(marks); k++)
            if (strncmp(sentence.text + i, marks[k], strlen(marks[k])) == 0) {
                listing->is_quoting = !listing->is_quoting;
                n_blanks = 0;
            }
        n_blanks += sentence.text[i] == ' ';
        is_quoted = is_quoted || (listing->is_quoting && n_blanks > QUOTED_NAME_BLANKS);
    }
    return is_quoted || listing->is_quoting;
}

static void push(struct listing *listing, struct phrase phrase, struct sentence like)
{
    struct sentences *out = listing->out;
    like.is_apart = is_quoted(listing, phrase) || memchr(phrase.text, '?', phrase.length);
    phrase = phrase_trim(phrase);
    if (phrase.length == 0 || out->n == TEXT_GRAPH_MAX_SENTENCES)
        return;
    like.phrase.text = text_with_single_blanks(listing->arena, phrase.text, phrase.length);
    like.phrase.length = strlen(like.phrase.text);
    *arena_push(listing->arena, out->list, out->n, out->capacity) = like;
}

/* The names in a line of arrows that begin and end it; false where it has no arrow that leads from
 * something in it to something in it: then it goes on from, or on in, another. */
static bool ends_of_arrows(const char *line, struct phrase *out_first, struct phrase *out_last)
{
    size_t length = 0;
    struct phrase phrase = phrase_trim((struct phrase){ line, strcspn(line, "\n") });
    const char *arrow = phrase_find_arrow(phrase, 0, &length);
    if (!arrow || arrow == phrase.text)
        return false;
    const char *last = arrow;
    *out_first = phrase_trim(phrase_before(phrase, arrow));
    while ((arrow = phrase_find_arrow(phrase, (size_t)(last - phrase.text) + length, &length)))
        last = arrow;
    *out_last = phrase_trim(phrase_behind(phrase, last, length));
    return out_last->length > 0;
}

/* Whether a line of arrows ends where another begins. A name may be wrapped: "Client -> Load",
 * "Balancer -> Server". It surely is where the text has "Load Balancer"; else, without a full stop,
 * the lines have to hang together. */
static bool ends_before_arrows(struct listing *listing, struct phrase last, struct phrase first)
{
    const char *end = last.text + last.length;
    const char *joined = arena_printf(listing->arena, "%.*s %.*s", (int)last.length, last.text,
                                      (int)first.length, first.text);
    struct phrase text = { listing->text, strnlen(listing->text, SEARCHED_BYTES) };
    if (++listing->n_arrows <= TEXT_GRAPH_MAX_SENTENCES && phrase_find(text, joined))
        return false;
    listing->out->may_be_wrapped |= *end == '\r' || *end == '\n';
    return true;
}

/* Whether the next line belongs to the same list of arrows, one a line, as this one, or begins or
 * ends it: "The path:", "A → B", "B → C", "The rest waits." */
static bool is_line_of_arrows(struct listing *listing, const char *line, const char *next)
{
    struct phrase first, last, next_first, next_last, words = { line, strcspn(line, "\n") };
    size_t length;
    bool is_next = ends_of_arrows(next, &next_first, &next_last);
    while (words.length && strchr(" \t\r", words.text[words.length - 1]))
        words.length--;
    if (!ends_of_arrows(line, &first, &last)) {
        char end = words.length ? words.text[words.length - 1] : '.';
        listing->out->may_be_titled |=
            is_next && !strchr(".:;!?", end) && !phrase_find_arrow(words, 0, &length);
        return is_next && end == ':';
    }
    return is_next ? ends_before_arrows(listing, last, next_first)
                   : isupper((unsigned char)next[strspn(next, " \t")]);
}

/* Wrapped lines belong together; a blank line or the mark of an item ends a block, and so does a
 * line of arrows. */
static size_t block_length(struct listing *listing, const char *text)
{
    const char *line = text;
    size_t at = strcspn(text, "\n");
    while (text[at]) {
        const char *next = text + at + 1;
        int number;
        bool ends = is_line_of_arrows(listing, line, next);
        size_t length = strcspn(next, "\n");
        line = next;
        next += strspn(next, " \t");
        if (ends || strspn(next, "\r\n") || !*next || mark_length(next, length, &number))
            return at + 1;
        at += 1 + length;
    }
    return at;
}

struct sentences text_sentences(struct arena *arena, const char *text)
{
    struct sentences out = { 0 };
    struct listing listing = { .arena = arena, .text = text, .out = &out };
    while (*text && out.n < TEXT_GRAPH_MAX_SENTENCES) {
        size_t length = block_length(&listing, text), at = strspn(text, " \t");
        struct sentence like = { 0 };
        listing.is_quoting = false;
        if (at < length)
            at += mark_length(text + at, length - at, &like.number);
        while (at < length) {
            size_t sentence = sentence_length(text + at, length - at);
            push(&listing, (struct phrase){ text + at, sentence }, like);
            like.number = 0;
            at += sentence;
        }
        text += length;
    }
    return out;
}
