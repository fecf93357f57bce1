/* Whether words say anything. Both rules look at plain words, in lower case and without accents.
 *
 * A text says nothing when each of its sentences is, from its first to its last word, one of the
 * sayings of data/consensus/: "I agree with my peer", "voir ci-dessus". One sentence more than that
 * and it may be an answer. A text restates its task when none of its words is new: each is of the
 * task, one of those that only talk about answers, or one that carries no meaning of its own. That
 * holds of tasks that ask for an explanation; where one of several things is asked for, the answer
 * is made of the words of the task. In a shorter answer two things are no choice of the task's
 * words: just what is to be given ("the title of the film"), and the form that it should have. The
 * words are those of data/consensus/words.txt. */
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include "domain/consensus/consensus_internal.h"
#include <string.h>

#define MAX_WORDS 80       /* of a text that says nothing; a longer one says something */
#define MIN_SHARED 4       /* letters in which "explains" and "explanation" are one word */
#define LEAST_COVERED 60   /* per cent of the words of a task in what restates it */
#define MAX_CHOICE_WORDS 3 /* of an answer that is one of the things asked for */

struct words {
    struct span *list; /* in lower case and without accents */
    char *ends;        /* the sign behind each that ends a sentence; 0: none does */
    size_t n, n_ends, capacity, ends_capacity;
};

/* Signs of UTF-8 that separate words: general punctuation, and those of Latin 1. */
static size_t sign_at(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] == 0xE2 && (at[1] == 0x80 || at[1] == 0x81) && at[2])
        return 3;
    return at[0] == 0xC2 && at[1] >= 0x80 && at[1] <= 0xBF ? 2 : 0;
}

static bool is_word_byte(const char *at)
{
    unsigned char c = (unsigned char)*at;
    return (c >= 0x80 && !sign_at(at)) || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

/* The first words of a text, at most so many; in the arena. A point behind a single letter ends no
 * sentence: "k. A." */
static struct words read_words(struct arena *arena, struct span text, size_t max)
{
    struct words words = { 0 };
    for (const char *at = text_unaccented(arena, text.text, text.length); *at && words.n < max;) {
        size_t n = 0;
        while (is_word_byte(at + n))
            n++;
        if (n) {
            *arena_push(arena, words.list, words.n, words.capacity) = (struct span){ at, n };
            *arena_push(arena, words.ends, words.n_ends, words.ends_capacity) = '\0';
        } else if (words.n && !words.ends[words.n - 1] &&
                   strchr(words.list[words.n - 1].length > 1 ? ".!?;:\n" : "!?;:\n", *at)) {
            words.ends[words.n - 1] = *at;
        }
        at += n ? n : sign_at(at) ? sign_at(at) : 1;
    }
    if (words.n && !words.ends[words.n - 1])
        words.ends[words.n - 1] = '\n';
    return words;
}

static struct words read_task(struct arena *arena, const char *task)
{
    return read_words(arena, (struct span){ task, strlen(task) }, SIZE_MAX);
}

/* Whether the word is one of "a|b|c". */
static bool is_one_of(struct span choices, struct span word)
{
    for (size_t n; choices.length; choices.text += n, choices.length -= n) {
        const char *bar = memchr(choices.text, '|', choices.length);
        n = bar ? (size_t)(bar - choices.text) : choices.length;
        if (n == word.length && memcmp(choices.text, word.text, n) == 0)
            return true;
        n += bar != NULL;
    }
    return false;
}

/* How many of the words from `at` on are as the saying has them, at most up to end; whole: it must
 * be all of them. SIZE_MAX: they are others. */
static size_t follow(const char *saying, const struct words *words, size_t at, size_t end,
                     bool whole)
{
    saying += strspn(saying, " ");
    size_t n = strcspn(saying, " \n"), found = SIZE_MAX;
    if (!n)
        return !whole || at == end ? at : SIZE_MAX;
    if (n == 3 && memcmp(saying, "...", n) == 0) {
        for (; at <= end && found == SIZE_MAX; at++)
            found = follow(saying + n, words, at, end, whole);
        return found;
    }
    bool may_be_missing = saying[n - 1] == '?';
    const struct span choices = { saying, n - may_be_missing };
    if (at < end && is_one_of(choices, words->list[at]))
        found = follow(saying + n, words, at + 1, end, whole);
    return found == SIZE_MAX && may_be_missing ? follow(saying + n, words, at, end, whole) : found;
}

/* The kinds of words.txt, as their first lines begin. */
#define ANSWER "\nanswer: "
#define ARTICLE "\narticle: "
#define CHOICE "\nchoice: "
#define EXPLAIN "\nexplain: "
#define FORM "\nform: "
#define HOW "\nhow: "
#define IDLE "\nidle: "
#define MANY "\nmany: "
#define SMALL "\nsmall: "
#define TRANSLATE "\ntranslate: "

/* In the order of cmake/Embed.cmake. */
enum { OPENINGS, SAYINGS, WORDS };

/* The next one that is neither empty nor a comment; NULL behind the last. */
static const char *next_line(const char *line)
{
    while ((line = strchr(line, '\n'))) {
        line++;
        if (*line != '#' && *line != '\n' && *line)
            return line;
    }
    return NULL;
}

/* Whether words.txt has the word among those of the kind, whose lines stand together. */
static bool is_listed(const char *kind, struct span word)
{
    const char *before = strstr(consensus_sayings[WORDS].text, kind++);
    size_t n = strlen(kind);
    for (const char *line = before ? before + 1 : NULL; line && strncmp(line, kind, n) == 0;
         line = next_line(line))
        for (const char *at = line + n - 1; *at == ' '; at += strcspn(at, " \n"))
            if (strncmp(++at, word.text, word.length) == 0 && strchr(" \n", at[word.length]))
                return true;
    return false;
}

static bool is_saying(const struct words *words, size_t at, size_t end)
{
    const char *line = consensus_sayings[SAYINGS].text;
    while ((line = next_line(line)))
        if (follow(line, words, at, end, /* whole= */ true) != SIZE_MAX)
            return true;
    return false;
}

static bool all_are_sayings(const struct words *words)
{
    size_t from = 0;
    for (size_t i = 0; i < words->n; i++) {
        if (!words->ends[i])
            continue;
        if (!is_saying(words, from, i + 1))
            return false;
        from = i + 1;
    }
    return words->n > 0 && words->n <= MAX_WORDS;
}

/* Where the task has these very words, from a word on: "answer with: I agree, or: I disagree".
 * SIZE_MAX: nowhere. */
static size_t find_in(const struct words *task, const struct words *words, size_t at)
{
    for (; at + words->n <= task->n; at++) {
        size_t n = 0;
        while (n < words->n && words->list[n].length == task->list[at + n].length &&
               memcmp(words->list[n].text, task->list[at + n].text, words->list[n].length) == 0)
            n++;
        if (n == words->n)
            return at;
    }
    return SIZE_MAX;
}

static bool has_listed(const struct words *words, const char *kind)
{
    for (size_t i = 0; i < words->n; i++)
        if (is_listed(kind, words->list[i]))
            return true;
    return false;
}

bool candidate_may_be_idle(const char *task)
{
    AUTO(arena) arena = { 0 };
    struct words asked = read_task(&arena, task);
    return has_listed(&asked, IDLE);
}

bool candidate_says_nothing(struct span text, const char *task)
{
    AUTO(arena) arena = { 0 };
    struct words words = read_words(&arena, text, MAX_WORDS + 1), asked = read_task(&arena, task);
    /* "N/A" is none even where the task asks what it means. */
    bool is_letters = words.n == 2 && words.list[0].length + words.list[1].length == 2;
    return all_are_sayings(&words) && (is_letters || find_in(&asked, &words, 0) == SIZE_MAX) &&
           !has_listed(&asked, TRANSLATE);
}

/* "explains" and "explanation" are. */
static bool is_same_word(struct span a, struct span b)
{
    size_t shorter = a.length < b.length ? a.length : b.length, n = 0;
    while (n < shorter && a.text[n] == b.text[n])
        n++;
    return n == a.length && n == b.length ? true : n >= MIN_SHARED && 3 * n >= 2 * shorter;
}

static bool is_in(const struct words *words, size_t from, struct span word)
{
    for (size_t i = from; i < words->n; i++)
        if (is_same_word(words->list[i], word))
            return true;
    return false;
}

/* Per cent of the task's words with a meaning that are in the text from a word on. */
static size_t covered(const struct words *task, const struct words *words, size_t from)
{
    size_t n = 0, found = 0;
    for (size_t i = 0; i < task->n; i++) {
        if (is_listed(SMALL, task->list[i]) || is_listed(ANSWER, task->list[i]))
            continue;
        n++;
        found += is_in(words, from, task->list[i]);
    }
    return n ? 100 * found / n : 0;
}

static bool asks_to_explain(const struct words *task)
{
    for (size_t i = 0; i < task->n; i++) {
        bool begins = !i || task->ends[i - 1];
        if (is_listed(EXPLAIN, task->list[i]))
            return true;
        if (begins && is_listed(HOW, task->list[i]) && i + 1 < task->n &&
            !is_listed(MANY, task->list[i + 1]))
            return true;
    }
    return false;
}

/* Behind the longest opening that it begins with; 0: with none. */
static size_t behind_opening(const struct words *words)
{
    size_t most = 0;
    const char *line = consensus_sayings[OPENINGS].text;
    while ((line = next_line(line))) {
        size_t n = follow(line, words, 0, words->n, /* whole= */ false);
        if (n != SIZE_MAX && n > most)
            most = n;
    }
    return most;
}

/* "The title of the film", where the task is to give just that; what follows a colon or begins a
 * sentence is what is asked about. */
static bool is_object_of(const struct words *task, const struct words *words)
{
    if (!is_listed(ARTICLE, words->list[0]) || has_listed(task, CHOICE))
        return false;
    for (size_t at = 0; (at = find_in(task, words, at)) != SIZE_MAX; at++)
        if (at && !task->ends[at - 1] && (at == 1 || task->ends[at - 2]))
            return true;
    return false;
}

/* "First name LAST NAME", where the task has just that behind "format:" or "example:". */
static bool is_form_of(const struct words *task, const struct words *words)
{
    for (size_t at = 0; words->n > 1 && (at = find_in(task, words, at)) != SIZE_MAX; at++)
        if (at && task->ends[at - 1] == ':' && is_listed(FORM, task->list[at - 1]) &&
            task->ends[at + words->n - 1])
            return true;
    return false;
}

bool candidate_only_names(const char *text, const char *key, const char *task)
{
    AUTO(arena) arena = { 0 };
    struct words words = read_task(&arena, text), keys = read_task(&arena, key),
                 asked = read_task(&arena, task);
    bool has_key = false;
    for (size_t i = 0; i < words.n; i++) {
        bool is_key = is_in(&keys, 0, words.list[i]);
        if (!is_key && !is_listed(SMALL, words.list[i]) && !is_in(&asked, 0, words.list[i]))
            return false;
        has_key = has_key || is_key;
    }
    return has_key && words.n >= 3 && is_listed(SMALL, words.list[0]);
}

/* "The answer is right", where left or right was asked; "Iron is heavier", where it was which. */
static bool chooses(const struct words *task, const struct words *words, size_t from)
{
    size_t n = words->n - from;
    return n && (!from || n <= MAX_CHOICE_WORDS) && has_listed(task, CHOICE) &&
           !has_listed(words, CHOICE);
}

bool candidate_restates(struct span text, const char *task)
{
    AUTO(arena) arena = { 0 };
    struct words words = read_words(&arena, text, MAX_WORDS + 1), asked = read_task(&arena, task);
    size_t n_task = 0, n_answer = 0, from = behind_opening(&words);
    if (words.n > MAX_WORDS || !words.n || chooses(&asked, &words, from))
        return false;
    if (is_object_of(&asked, &words) || is_form_of(&asked, &words))
        return true;
    for (size_t i = from; i < words.n; i++) {
        struct span word = words.list[i];
        bool is_answer_word = is_listed(ANSWER, word);
        if (is_listed(SMALL, word))
            continue;
        if (!is_answer_word && !is_in(&asked, 0, word))
            return false;
        n_answer += is_answer_word;
        n_task += !is_answer_word;
    }
    /* "reason, cause" is a list, and no sentence about answers. */
    bool is_list = n_answer + n_task == words.n && memchr(text.text, ',', text.length);
    if (!n_task)
        return from ? n_answer > 0 || from == words.n : n_answer >= 2 && !is_list;
    bool is_covered = covered(&asked, &words, from) >= LEAST_COVERED;
    return is_covered && (from || (n_task >= 2 && asks_to_explain(&asked)));
}
