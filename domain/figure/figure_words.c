/* Words are read from left to right; what stands before a word (the start of a sentence,
 * punctuation) is remembered for it. A vocabulary is the sorted words of some texts, looked up by
 * their stem: all but the last letters, of which there are at most STEM_ENDING. */
#include "domain/figure/figure_words.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { QUOTED_MAX_BYTES = 80, STEM_SHORTEST = 4, STEM_ENDING = 3 };

struct reader {
    struct arena *arena;
    const char *text;
    size_t length, at;
    struct figure_word *list;
    size_t n, capacity;
    bool starts_sentence, follows_break;
};

static bool is_letter_code(uint32_t code)
{
    if (code < 0x80)
        return isalnum((int)code);
    bool is_mark = (code >= 0x80 && code <= 0xBF) || (code >= 0x2000 && code <= 0x2BFF) ||
                   (code >= 0x3000 && code <= 0x303F) || code == 0x060C || code == 0x061B ||
                   code == 0x061F || code == 0xD7 || code == 0xF7;
    return !is_mark;
}

static bool is_sentence_end(uint32_t code)
{
    return code == '.' || code == '!' || code == '?' || code == '\n' || code == 0x3002 ||
           code == 0x061F;
}

/* A mark between letters belongs to the word: "tools/call", "two-tower", "v1.2", "don't". */
static bool is_joint(const struct reader *reader, size_t at)
{
    uint32_t next;
    return at + 1 < reader->length && strchr("-_./'", reader->text[at]) &&
           text_utf8_next(reader->text + at + 1, reader->length - at - 1, &next) &&
           is_letter_code(next);
}

static size_t word_length(const struct reader *reader)
{
    size_t at = reader->at;
    while (at < reader->length) {
        uint32_t code;
        size_t step = text_utf8_next(reader->text + at, reader->length - at, &code);
        bool goes_on = step && (is_letter_code(code) || (at > reader->at && is_joint(reader, at)) ||
                                (code == '_' && at > reader->at));
        if (!goes_on)
            break;
        at += step;
    }
    return at - reader->at;
}

static void push(struct reader *reader, size_t offset, size_t length, bool is_quoted)
{
    const char *text = reader->text + offset;
    if (!is_quoted && length > 2 && strncmp(text + length - 2, "'s", 2) == 0)
        length -= 2;
    struct figure_word *word = arena_push(reader->arena, reader->list, reader->n, reader->capacity);
    *word = (struct figure_word){ .text = arena_strndup(reader->arena, text, length),
                                  .offset = offset,
                                  .is_quoted = is_quoted,
                                  .starts_sentence = reader->starts_sentence,
                                  .follows_break = reader->follows_break };
    reader->starts_sentence = reader->follows_break = false;
}

/* Takes "…", “…”, «…» or `…` of one line. */
static bool take_quoted(struct reader *reader)
{
    static const struct {
        const char *open, *close;
    } marks[] = { { "\"", "\"" }, { "“", "”" }, { "«", "»" }, { "`", "`" }, { "„", "“" } };
    const char *here = reader->text + reader->at;
    for (size_t i = 0; i < ARRAY_LENGTH(marks); i++) {
        if (!text_starts_with(here, marks[i].open))
            continue;
        const char *inner = here + strlen(marks[i].open), *end = strstr(inner, marks[i].close);
        size_t length = end ? (size_t)(end - inner) : 0;
        if (length == 0 || length > QUOTED_MAX_BYTES || memchr(inner, '\n', length))
            continue;
        reader->follows_break = true;
        push(reader, (size_t)(inner - reader->text), length, true);
        reader->at = (size_t)(end - reader->text) + strlen(marks[i].close);
        reader->follows_break = true;
        return true;
    }
    return false;
}

static void skip_mark(struct reader *reader)
{
    uint32_t code = 0;
    size_t step = text_utf8_next(reader->text + reader->at, reader->length - reader->at, &code);
    if (is_sentence_end(code))
        reader->starts_sentence = true;
    if (code != ' ' && code != '\t')
        reader->follows_break = true;
    reader->at += step ? step : 1;
}

struct figure_words figure_words_read(struct arena *arena, const char *text)
{
    struct reader reader = { .arena = arena,
                             .text = text,
                             .length = strlen(text),
                             .starts_sentence = true,
                             .follows_break = true };
    while (reader.at < reader.length && reader.n < FIGURE_MAX_WORDS) {
        size_t length = word_length(&reader);
        if (length) {
            push(&reader, reader.at, length, false);
            reader.at += length;
        } else if (!take_quoted(&reader)) {
            skip_mark(&reader);
        }
    }
    return (struct figure_words){ reader.list, reader.n };
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *figure_lower_case(struct arena *arena, const char *text, size_t length)
{
    char *lower = arena_strndup(arena, text, length);
    for (char *at = lower; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return lower;
}

bool figure_word_is_common(const char *word)
{
    static const char *const common[] = {
        "a",     "about", "after", "again", "all",     "also",    "an",     "and",     "any",
        "are",   "as",    "at",    "be",    "because", "been",    "before", "both",    "but",
        "by",    "can",   "does",  "each",  "every",   "finally", "first",  "for",     "from",
        "has",   "have",  "her",   "here",  "his",     "how",     "if",     "in",      "into",
        "is",    "it",    "its",   "last",  "lastly",  "may",     "more",   "most",    "must",
        "next",  "no",    "not",   "now",   "of",      "on",      "once",   "one",     "only",
        "or",    "other", "our",   "out",   "over",    "same",    "second", "shows",   "so",
        "some",  "such",  "than",  "that",  "the",     "their",   "them",   "then",    "there",
        "these", "they",  "third", "this",  "those",   "through", "to",     "two",     "under",
        "until", "up",    "using", "was",   "we",      "were",    "what",   "when",    "where",
        "which", "while", "who",   "why",   "will",    "with",    "within", "without", "would",
        "you",   "your",
    };
    char lower[16];
    size_t length = strlen(word);
    if (length >= sizeof lower)
        return false;
    for (size_t i = 0; i <= length; i++)
        lower[i] = (char)tolower((unsigned char)word[i]);
    return text_is_one_of(lower, common, ARRAY_LENGTH(common));
}

bool figure_word_is_capitalised(const char *word)
{
    return word[0] >= 'A' && word[0] <= 'Z';
}

bool figure_word_is_name(const char *word)
{
    unsigned capitals = 0, digits = 0, letters = 0, inner = 0;
    for (const char *at = word; *at; at++) {
        bool is_capital = *at >= 'A' && *at <= 'Z';
        capitals += is_capital;
        inner += is_capital && at > word && at[-1] >= 'a' && at[-1] <= 'z';
        digits += *at >= '0' && *at <= '9';
        letters += isalpha((unsigned char)*at) || (unsigned char)*at >= 0x80;
        if ((*at == '_' || *at == '/') && at > word)
            return true;
    }
    return (capitals >= 2 && capitals == letters) || (digits && letters) || inner;
}

/* The parts of "two-tower" are words as well. */
static void add_parts(struct arena *arena, const char *word, const char ***list, size_t *n,
                      size_t *capacity)
{
    const char *lower = figure_lower_case(arena, word, strlen(word));
    *arena_push(arena, *list, *n, *capacity) = lower;
    for (const char *at = lower; strpbrk(lower, " -_/.") && *at;) {
        size_t length = strcspn(at, " -_/.");
        if (length)
            *arena_push(arena, *list, *n, *capacity) = arena_strndup(arena, at, length);
        at += length;
        at += strspn(at, " -_/.");
    }
}

struct figure_vocabulary figure_vocabulary_of(struct arena *arena, const char *const *texts,
                                              size_t n)
{
    const char **list = NULL;
    size_t n_list = 0, capacity = 0;
    for (size_t i = 0; i < n; i++) {
        struct figure_words words = figure_words_read(arena, texts[i]);
        for (size_t k = 0; k < words.n; k++)
            add_parts(arena, words.list[k].text, &list, &n_list, &capacity);
    }
    if (n_list)
        qsort(list, n_list, sizeof *list, compare_words);
    return (struct figure_vocabulary){ list, n_list };
}

static size_t stem_length(size_t length)
{
    if (length <= STEM_SHORTEST + STEM_ENDING)
        return length < STEM_SHORTEST ? length : STEM_SHORTEST;
    return length - STEM_ENDING;
}

bool figure_vocabulary_knows(const struct figure_vocabulary *vocabulary, const char *word)
{
    char lower[QUOTED_MAX_BYTES + 1];
    size_t length = strlen(word), low = 0, high = vocabulary->n;
    if (length >= sizeof lower)
        length = sizeof lower - 1;
    for (size_t i = 0; i < length; i++)
        lower[i] = (char)tolower((unsigned char)word[i]);
    size_t stem = stem_length(length);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strncmp(vocabulary->words[middle], lower, stem) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == vocabulary->n || strncmp(vocabulary->words[low], lower, stem) != 0)
        return false;
    return length >= STEM_SHORTEST || vocabulary->words[low][stem] == '\0';
}

static bool is_white(uint32_t code)
{
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xa0 ||
           (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
           code == 0x202f || code == 0x205f || code == 0x3000;
}

/* Steps over white space, up to the next other character. */
static bool skip_white(const char **at)
{
    const char *start = *at;
    uint32_t code;
    for (size_t n; (n = text_utf8_next(*at, strnlen(*at, 4), &code)); *at += n)
        if (!is_white(code))
            break;
    return *at != start;
}

bool figure_same_words(const char *a, const char *b)
{
    (void)skip_white(&a);
    (void)skip_white(&b);
    while (*a && *b) {
        bool white_in_a = skip_white(&a), white_in_b = skip_white(&b);
        if (white_in_a != white_in_b && *a && *b)
            return false;
        if (*a != *b)
            break;
        a += *a != '\0';
        b += *b != '\0';
    }
    (void)skip_white(&a);
    (void)skip_white(&b);
    return *a == *b;
}
