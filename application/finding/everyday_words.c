/* Two passes over the files. The first counts, for each language, which words of the request are
 * its own, and takes the language that has most; the second gives senses from the files of that
 * language, of every language, and, to words that got none, of English, which others borrow from.
 */
#include "application/finding/everyday_words.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include <ctype.h>
#include <string.h>

#define COMPOUND_MIN_PART 5 /* letters of a word that is part of a longer one */
#define MAX_PARTS 5         /* of a phrase */
#define STOP_WORD_EVIDENCE 2

struct words_file {
    const char *path, *origin, *text;
    const char *language; /* NULL: every one */
};

enum line_kind { LINE_SENSES, LINE_STOPS, LINE_JOINS };

/* One file while it is read. */
struct reading {
    struct arena *arena;
    struct tool_index *index;
    struct query_words *words;
    const struct words_file *file;
    const char *language; /* of the stems */
    const char **stems;   /* of the words, in that language */
    bool only_bare;       /* gives senses only to words that had none */
    bool counts_only;     /* the first pass */
    bool *had_senses, *is_counted;
    size_t evidence;
    bool first_bytes[256]; /* of the words and their forms */
    char *key;             /* room for one */
};

static const char *const form_names[] = {
    [QUERY_FORM_WORD] = "",    [QUERY_FORM_ADDRESS] = "@address",
    [QUERY_FORM_URL] = "@url", [QUERY_FORM_FILE] = "@file",
    [QUERY_FORM_KEY] = "@key", [QUERY_FORM_CHANNEL] = "@channel",
};

static void add_senses(struct reading *reading, struct query_word *word, const char *senses,
                       size_t length)
{
    for (size_t at = 0; at < length && word->n_senses < TOOL_INDEX_MAX_SENSES;) {
        size_t blank = strspn(senses + at, " \t");
        size_t n = strcspn(senses + at + blank, " \t\r\n");
        if (at + blank + n > length || n == 0)
            return;
        *arena_push(reading->arena, word->senses, word->n_senses, word->senses_capacity) =
            arena_strndup(reading->arena, senses + at + blank, n);
        at += blank + n;
    }
}

struct line {
    enum line_kind kind;
    const char *senses;
    size_t length;
};

static void take(struct reading *reading, size_t at, const struct line *line)
{
    struct query_word *word = &reading->words->words[at];
    if (reading->counts_only) {
        size_t counts = line->kind == LINE_SENSES ? 1 : STOP_WORD_EVIDENCE;
        reading->evidence += reading->is_counted[at] ? 0 : counts;
        reading->is_counted[at] = true;
        return;
    }
    if (reading->only_bare && (reading->had_senses[at] || line->kind != LINE_SENSES))
        return;
    if (line->kind == LINE_SENSES) {
        if (!word->is_quoted)
            add_senses(reading, word, line->senses, line->length);
        return;
    }
    word->is_dropped = true;
    word->ends_clause = word->ends_clause || (line->kind == LINE_JOINS && !word->is_quoted);
}

/* "turn_on": the words from this one on. */
static bool begins_phrase(const struct reading *reading, size_t at, const char *key)
{
    for (; at < reading->words->n; at++) {
        size_t length = strcspn(key, "_");
        const char *plain = reading->words->words[at].plain;
        if (strlen(plain) != length || strncmp(plain, key, length) != 0)
            return false;
        if (!key[length])
            return true;
        key += length + 1;
    }
    return false;
}

/* German writes "Wetterbericht" for a report on the weather. */
static bool is_part(const struct reading *reading, const char *word, const char *key)
{
    bool joins = text_equal(reading->language, "de");
    size_t n = strlen(key);
    return joins && n >= COMPOUND_MIN_PART && strlen(word) > n + 2 &&
           (text_starts_with(word, key) || text_ends_with(word, key));
}

static bool is_key(const struct reading *reading, size_t at, const char *key,
                   const struct line *line)
{
    const struct query_word *word = &reading->words->words[at];
    if (word->form != QUERY_FORM_WORD)
        return strcmp(form_names[word->form], key) == 0;
    if (strchr(key, '_'))
        return begins_phrase(reading, at, key);
    if (strcmp(word->plain, key) == 0)
        return true;
    if (line->kind != LINE_SENSES || reading->counts_only)
        return false;
    if (is_part(reading, word->plain, key))
        return true;
    if (strncmp(word->plain, key, 2) != 0)
        return false;
    const char *stem = tool_index_stem(reading->index, reading->language, key, reading->arena);
    return strcmp(stem, reading->stems[at]) == 0;
}

static void read_key(struct reading *reading, const char *bytes, size_t length,
                     const struct line *line)
{
    bool may_be_part = !reading->counts_only && text_equal(reading->language, "de");
    unsigned char first = (unsigned char)bytes[0];
    if (first < 0x80 && !reading->first_bytes[first] && !may_be_part)
        return;
    AUTO(arena) scratch = { 0 };
    const char *key = text_unaccented(&scratch, bytes, length);
    for (size_t i = 0; i < reading->words->n; i++)
        if (is_key(reading, i, key, line))
            take(reading, i, line);
}

static enum err_code read_line(struct reading *reading, const char *bytes, size_t length,
                               size_t number, struct err *err)
{
    const char *end = bytes + length, *arrow = bytes;
    size_t blank = strspn(bytes, " \t\r");
    if (blank >= length || bytes[blank] == '#')
        return ERR_NONE;
    while (arrow + 1 < end && !(arrow[0] == '-' && arrow[1] == '>'))
        arrow++;
    if (arrow + 1 >= end) {
        enum err_code r = err_set(err, ERR_INVALID, 0, "%s, line %zu: there is no \"->\"",
                                  reading->file->origin, number);
        return err_hint(err, r, "write: what people say -> what tools are called");
    }
    struct line line = { .senses = arrow + 2 };
    line.senses += strspn(line.senses, " \t\r");
    line.length = line.senses < end ? (size_t)(end - line.senses) : 0;
    if (line.length == 0)
        line.kind = LINE_STOPS;
    else if (line.senses[0] == ',')
        line.kind = LINE_JOINS;
    for (const char *at = bytes; at < arrow;) {
        size_t n = strcspn(at, " \t-");
        if (n)
            read_key(reading, at, n, &line);
        at += n ? n : 1;
    }
    return ERR_NONE;
}

static enum err_code read_file(struct reading *reading, const struct words_file *file,
                               struct err *err)
{
    enum err_code r = ERR_NONE;
    size_t number = 1;
    reading->file = file;
    for (const char *at = file->text; !r && *at; number++) {
        size_t length = strcspn(at, "\n");
        r = read_line(reading, at, length, number, err);
        at += length + (at[length] == '\n');
    }
    return r;
}

static enum err_code load(struct arena *arena, struct assets *assets, struct words_file **out,
                          size_t *out_n, struct err *err)
{
    const char **names = NULL;
    size_t n = 0;
    enum err_code r = assets_list(assets, EVERYDAY_FOLDER, arena, &names, &n, err);
    if (!r && n > EVERYDAY_MAX_FILES)
        r = err_set(err, ERR_LIMIT, 0, "%s has %zu files, more than %d", EVERYDAY_FOLDER, n,
                    EVERYDAY_MAX_FILES);
    struct words_file *files = arena_array(arena, struct words_file, n + 1);
    for (size_t i = 0; !r && i < n; i++) {
        files[i].path = arena_printf(arena, "%s/%s", EVERYDAY_FOLDER, names[i]);
        r = assets_get(assets, files[i].path, arena, &files[i].text, &files[i].origin, err);
        if (!r && strlen(files[i].text) > EVERYDAY_MAX_BYTES) {
            r = err_set(err, ERR_LIMIT, 0, "%s is larger than %d bytes", files[i].origin,
                        EVERYDAY_MAX_BYTES);
            err_hint(err, r, "divide it into several files");
        }
        if (text_matches_glob("[a-z][a-z].txt", names[i]))
            files[i].language = arena_strndup(arena, names[i], 2);
    }
    *out = files;
    *out_n = r ? 0 : n;
    return r;
}

/* English where nothing speaks for another language. */
static enum err_code guess(struct reading *reading, const struct words_file *files, size_t n,
                           struct err *err)
{
    size_t most = 0;
    enum err_code r = ERR_NONE;
    reading->counts_only = true;
    reading->words->language = TOOL_INDEX_ENGLISH;
    for (size_t i = 0; !r && i < n; i++) {
        if (!files[i].language)
            continue;
        memset(reading->is_counted, 0, reading->words->n * sizeof *reading->is_counted);
        reading->evidence = 0;
        r = read_file(reading, &files[i], err);
        bool is_english = strcmp(files[i].language, TOOL_INDEX_ENGLISH) == 0;
        if (reading->evidence < most + !is_english)
            continue;
        most = reading->evidence;
        reading->words->language = files[i].language;
    }
    reading->counts_only = false;
    return r;
}

static void set_language(struct reading *reading, const char *language)
{
    reading->language = language;
    for (size_t i = 0; i < reading->words->n; i++) {
        struct query_word *word = &reading->words->words[i];
        reading->stems[i] = tool_index_stem(reading->index, language, word->plain, reading->arena);
        reading->had_senses[i] = word->n_senses || word->is_dropped;
    }
}

enum err_code everyday_words_apply(struct arena *arena, struct tool_index *index,
                                   struct assets *assets, struct query_words *words,
                                   struct err *err)
{
    struct words_file *files = NULL;
    size_t n = 0;
    struct reading reading = { .arena = arena, .index = index, .words = words };
    reading.stems = arena_array(arena, const char *, words->n + 1);
    reading.had_senses = arena_array(arena, bool, words->n + 1);
    reading.is_counted = arena_array(arena, bool, words->n + 1);
    for (size_t i = 0; i < words->n; i++)
        reading.first_bytes[(unsigned char)words->words[i].plain[0]] = true;
    reading.first_bytes['@'] = true;
    enum err_code r = load(arena, assets, &files, &n, err);
    if (!r)
        r = guess(&reading, files, n, err);
    if (r)
        return r;
    set_language(&reading, words->language);
    for (size_t i = 0; !r && i < n; i++)
        if (!files[i].language || strcmp(files[i].language, words->language) == 0)
            r = read_file(&reading, &files[i], err);
    bool is_english = strcmp(words->language, TOOL_INDEX_ENGLISH) == 0;
    reading.only_bare = true;
    set_language(&reading, TOOL_INDEX_ENGLISH);
    for (size_t i = 0; !r && !is_english && i < n; i++)
        if (text_equal(files[i].language, TOOL_INDEX_ENGLISH))
            r = read_file(&reading, &files[i], err);
    return r;
}
