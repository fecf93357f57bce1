/* Each file of words is read for what it makes of the words of the request. The language is that
 * whose file knows most of them; its meanings count, then those of the files for every language,
 * and, for words that have none, the English ones, which other languages borrow from. */
#include "application/finding/query_words.h"
#include "application/finding/word_files.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include <ctype.h>
#include <string.h>

#define CLAUSE_ENDS ",;:!?."
#define AROUND "\x01\"'()[]{}<>*`,;:!?." /* \x01: WORD_FILLER */
#define BLANKS " \t\r\n"
#define COMPOUND_MIN_PART 5 /* letters of a word that is part of a longer one */
#define STOP_WORD_EVIDENCE 2

static bool is_issue_key(const char *word)
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
    if (is_issue_key(word))
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
    for (const char *at = word_plain_signs(arena, text); *at && out->n < QUERY_MAX_WORDS;) {
        at += strspn(at, BLANKS);
        size_t length = strcspn(at, BLANKS);
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

/* A language that the request may be in, while its file is read. */
struct reading {
    struct arena *arena;
    struct tool_index *index;
    struct query_words words; /* as the file sees them */
    const char **stems;       /* of the words */
    bool is_german;           /* which joins words to one */
};

/* "turn_on": the words from this one on. */
static bool begins_phrase(const struct query_words *words, size_t at, const char *key)
{
    for (; at < words->n; at++) {
        size_t length = strcspn(key, "_");
        const char *plain = words->words[at].plain;
        if (strncmp(plain, key, length) != 0 || plain[length])
            return false;
        if (!key[length])
            return true;
        key += length + 1;
    }
    return false;
}

/* German writes "Wetterbericht" for a report on the weather. */
static bool is_part(const char *word, const char *key)
{
    size_t n = strlen(key);
    return n >= COMPOUND_MIN_PART && strlen(word) > n + 2 &&
           (text_starts_with(word, key) || text_ends_with(word, key));
}

static bool is_key(const struct reading *reading, size_t at, const char *key, bool has_senses)
{
    const struct query_word *word = &reading->words.words[at];
    const char *own = word->form ? word->form : word->plain;
    bool may_vary = has_senses && !word->form && !word->is_dropped;
    if (may_vary && reading->is_german && is_part(own, key))
        return true;
    if (own[0] != key[0])
        return false;
    if (strcmp(own, key) == 0)
        return true;
    if (strchr(key, '_'))
        return begins_phrase(&reading->words, at, key);
    return may_vary && own[1] == key[1] &&
           strcmp(tool_index_stem(reading->index, reading->words.language, key, reading->arena),
                  reading->stems[at]) == 0;
}

static void take(struct arena *arena, struct query_word *word, const char *senses)
{
    bool joins = *senses == ',';
    word->ends_clause = word->ends_clause || (joins && !word->is_quoted);
    word->is_dropped = word->is_dropped || joins || !*senses;
    for (size_t n; *senses && !joins && !word->is_quoted; senses += strspn(senses, BLANKS)) {
        n = strcspn(senses, BLANKS);
        if (word->n_senses < TOOL_INDEX_MAX_SENSES)
            *arena_push(arena, word->senses, word->n_senses, word->senses_capacity) =
                arena_strndup(arena, senses, n);
        senses += n;
    }
}

/* The entries that a word may be, in their order: a part of a German word may be any. */
static void read_word(struct reading *reading, const struct word_file *file, size_t at)
{
    struct query_word *word = &reading->words.words[at];
    const struct word_table *table = &file->table;
    const struct word_entry *entry =
        reading->is_german ? table->entries
                           : word_table_find(table, word->form ? word->form : word->plain);
    const struct word_entry *end = table->entries + table->n;
    while (entry && entry != end) {
        const char *senses = entry->meanings ? table->texts + entry->meanings + 1 : "";
        if (is_key(reading, at, table->texts + entry->key, *senses && *senses != ','))
            take(reading->arena, word, senses);
        entry = reading->is_german ? entry + 1 : word_table_next(table, entry);
    }
}

static void read_file(struct reading *reading, const struct word_file *file)
{
    reading->is_german = text_equal(reading->words.language, "de");
    reading->stems = arena_array(reading->arena, const char *, reading->words.n + 1);
    for (size_t i = 0; i < reading->words.n; i++)
        reading->stems[i] = tool_index_stem(reading->index, reading->words.language,
                                            reading->words.words[i].plain, reading->arena);
    for (size_t i = 0; i < reading->words.n; i++)
        read_word(reading, file, i);
}

static size_t evidence(const struct query_words *words)
{
    size_t sum = 0;
    for (size_t i = 0; i < words->n; i++)
        sum += words->words[i].is_dropped ? STOP_WORD_EVIDENCE : words->words[i].n_senses > 0;
    return sum;
}

static void borrow(struct query_words *words, const struct query_words *english)
{
    for (size_t i = 0; i < english->n; i++) {
        struct query_word *word = &words->words[i];
        const struct query_word *other = &english->words[i];
        if (word->n_senses || word->is_dropped || other->is_dropped)
            continue;
        word->senses = other->senses;
        word->n_senses = other->n_senses;
    }
}

/* Of equal ones English is the language, and where nothing speaks for another one. */
static void read_files(struct reading *reading, const struct word_folder *folder)
{
    size_t most = 0;
    struct query_words best = reading->words, english = { 0 };
    const struct query_words unread = reading->words;
    for (size_t i = 0; i < folder->n; i++) {
        if (!folder->files[i].language)
            continue;
        reading->words.language = folder->files[i].language;
        reading->words.words = arena_array(reading->arena, struct query_word, unread.n + 1);
        memcpy(reading->words.words, unread.words, unread.n * sizeof *unread.words);
        read_file(reading, &folder->files[i]);
        bool is_english = text_equal(reading->words.language, TOOL_INDEX_ENGLISH);
        size_t speaks = evidence(&reading->words);
        english = is_english ? reading->words : english;
        if (speaks < most + !is_english)
            continue;
        most = speaks;
        best = reading->words;
    }
    reading->words = best;
    for (size_t i = 0; i < folder->n; i++)
        if (!folder->files[i].language)
            read_file(reading, &folder->files[i]);
    borrow(&reading->words, &english);
}

/* A clause without words of its own is none. */
static void number_clauses(struct query_words *words)
{
    uint32_t clause = 0;
    bool has_words = false;
    for (size_t i = 0; i < words->n; i++) {
        struct query_word *word = &words->words[i];
        word->clause = clause;
        word->is_dropped = word->is_dropped && !word->n_senses;
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
    struct reading reading = { .arena = arena, .index = index };
    query_words_split(arena, text, &reading.words);
    reading.words.language = TOOL_INDEX_ENGLISH;
    const struct word_folder *folder;
    enum err_code r = word_folder_read(assets, QUERY_WORDS_FOLDER, &folder, err);
    if (!r) {
        read_files(&reading, folder);
        number_clauses(&reading.words);
    }
    *out = reading.words;
    return r;
}
