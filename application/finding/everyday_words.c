/* Each file is read for what it makes of the words of the request. The language is that whose file
 * knows most of them; its meanings count, then those of the files for every language, and, for
 * words that have none, the English ones, which other languages borrow from. */
#include "application/finding/everyday_words.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include <string.h>

#define BLANKS " \t\r"
#define COMPOUND_MIN_PART 5 /* letters of a word that is part of a longer one */
#define STOP_WORD_EVIDENCE 2

/* What one file makes of one word. */
struct meaning {
    bool is_stop, joins;
    const char **senses;
    size_t n, capacity;
};

struct words_file {
    const char *language; /* NULL: every one */
    const char *origin, *text;
    struct meaning *meanings; /* of each word of the request */
};

struct reading {
    struct arena *arena;
    struct tool_index *index;
    struct query_words *words;
    const char *language; /* of the file that is read, and of the stems */
    const char **stems;   /* of the words of the request */
};

/* "turn_on": the words from this one on. */
static bool begins_phrase(const struct query_words *words, size_t at, const char *key)
{
    for (; at < words->n; at++) {
        size_t length = strcspn(key, "_");
        const char *plain = words->words[at].plain;
        if (strlen(plain) != length || strncmp(plain, key, length) != 0)
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
    const struct query_word *word = &reading->words->words[at];
    if (word->form)
        return strcmp(word->form, key) == 0;
    if (strchr(key, '_'))
        return begins_phrase(reading->words, at, key);
    if (strcmp(word->plain, key) == 0)
        return true;
    if (has_senses && text_equal(reading->language, "de") && is_part(word->plain, key))
        return true;
    return has_senses && strncmp(word->plain, key, 2) == 0 &&
           strcmp(tool_index_stem(reading->index, reading->language, key, reading->arena),
                  reading->stems[at]) == 0;
}

/* The text up to one of the ends, which is cut off; NULL behind the last. */
static char *next_part(char **rest, const char *ends)
{
    char *part = *rest;
    if (!part)
        return NULL;
    char *end = part + strcspn(part, ends);
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    return part;
}

static void take(struct reading *reading, struct meaning *meaning, const char *senses)
{
    bool joins = *senses == ',', has_senses = *senses && !joins;
    meaning->joins = meaning->joins || joins;
    meaning->is_stop = meaning->is_stop || !has_senses;
    char *rest = has_senses ? arena_strdup(reading->arena, senses) : NULL;
    for (const char *sense; (sense = next_part(&rest, BLANKS));)
        if (*sense && meaning->n < TOOL_INDEX_MAX_SENSES)
            *arena_push(reading->arena, meaning->senses, meaning->n, meaning->capacity) = sense;
}

static bool read_line(struct reading *reading, char *line, struct meaning *meanings)
{
    line += strspn(line, BLANKS);
    char *arrow = strstr(line, "->");
    if (*line == '#' || !*line)
        return true;
    if (!arrow)
        return false;
    *arrow = '\0';
    const char *senses = arrow + 2 + strspn(arrow + 2, BLANKS), *key;
    while ((key = next_part(&line, BLANKS))) {
        AUTO(arena) scratch = { 0 };
        const char *plain = text_unaccented(&scratch, key, strlen(key));
        for (size_t i = 0; *plain && i < reading->words->n; i++)
            if (is_key(reading, i, plain, *senses && *senses != ','))
                take(reading, &meanings[i], senses);
    }
    return true;
}

static enum err_code read_file(struct reading *reading, const char *language,
                               struct words_file *file, struct err *err)
{
    char *rest = arena_strdup(reading->arena, file->text), *line;
    size_t n = reading->words->n;
    reading->language = language;
    file->meanings = arena_array(reading->arena, struct meaning, n + 1);
    for (size_t i = 0; i < n; i++)
        reading->stems[i] = tool_index_stem(reading->index, language,
                                            reading->words->words[i].plain, reading->arena);
    for (size_t number = 1; (line = next_part(&rest, "\n")); number++) {
        if (read_line(reading, line, file->meanings))
            continue;
        enum err_code r =
            err_set(err, ERR_INVALID, 0, "%s, line %zu: there is no \"->\"", file->origin, number);
        return err_hint(err, r, "write: what people say -> what tools are called");
    }
    return ERR_NONE;
}

static enum err_code load(struct arena *arena, struct assets *assets, struct words_file **out,
                          size_t *out_n, struct err *err)
{
    const char **names = NULL;
    enum err_code r = assets_list(assets, EVERYDAY_FOLDER, arena, &names, out_n, err);
    if (!r && *out_n > EVERYDAY_MAX_FILES)
        return err_set(err, ERR_LIMIT, 0, "%s has %zu files, more than %d", EVERYDAY_FOLDER, *out_n,
                       EVERYDAY_MAX_FILES);
    struct words_file *files = *out = arena_array(arena, struct words_file, r ? 1 : *out_n + 1);
    for (size_t i = 0; !r && i < *out_n; i++) {
        const char *path = arena_printf(arena, "%s/%s", EVERYDAY_FOLDER, names[i]);
        r = assets_get(assets, path, arena, &files[i].text, &files[i].origin, err);
        if (!r && strlen(files[i].text) > EVERYDAY_MAX_BYTES) {
            r = err_set(err, ERR_LIMIT, 0, "%s is larger than %d bytes", files[i].origin,
                        EVERYDAY_MAX_BYTES);
            err_hint(err, r, "divide it into several files");
        }
        if (text_matches_glob("[a-z][a-z].txt", names[i]))
            files[i].language = arena_strndup(arena, names[i], 2);
    }
    return r;
}

static size_t evidence(const struct words_file *file, size_t n_words)
{
    size_t sum = 0;
    for (size_t i = 0; i < n_words; i++)
        sum += file->meanings[i].is_stop ? STOP_WORD_EVIDENCE : file->meanings[i].n > 0;
    return sum;
}

/* Reads the files of languages; English where nothing speaks for another one. */
static enum err_code guess(struct reading *reading, struct words_file *files, size_t n,
                           struct err *err)
{
    size_t most = 0;
    enum err_code r = ERR_NONE;
    reading->words->language = TOOL_INDEX_ENGLISH;
    for (size_t i = 0; !r && i < n; i++) {
        if (!files[i].language)
            continue;
        r = read_file(reading, files[i].language, &files[i], err);
        size_t speaks = r ? 0 : evidence(&files[i], reading->words->n);
        if (speaks < most + !text_equal(files[i].language, TOOL_INDEX_ENGLISH))
            continue;
        most = speaks;
        reading->words->language = files[i].language;
    }
    return r;
}

static void apply(struct reading *reading, const struct words_file *file, bool is_borrowed)
{
    for (size_t i = 0; i < reading->words->n; i++) {
        struct query_word *word = &reading->words->words[i];
        const struct meaning *meaning = &file->meanings[i];
        if (is_borrowed && (word->n_senses || word->is_dropped || meaning->is_stop))
            continue;
        word->is_dropped = word->is_dropped || (meaning->is_stop && !meaning->n);
        word->ends_clause = word->ends_clause || (meaning->joins && !word->is_quoted);
        for (size_t s = 0; !word->is_quoted && s < meaning->n; s++)
            if (word->n_senses < TOOL_INDEX_MAX_SENSES)
                *arena_push(reading->arena, word->senses, word->n_senses, word->senses_capacity) =
                    meaning->senses[s];
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
    enum err_code r = load(arena, assets, &files, &n, err);
    if (!r)
        r = guess(&reading, files, n, err);
    for (size_t i = 0; !r && i < n; i++) {
        if (!files[i].language)
            r = read_file(&reading, words->language, &files[i], err);
        if (!r && (!files[i].language || text_equal(files[i].language, words->language)))
            apply(&reading, &files[i], /* is_borrowed */ false);
    }
    for (size_t i = 0; !r && i < n; i++)
        if (text_equal(files[i].language, TOOL_INDEX_ENGLISH))
            apply(&reading, &files[i], /* is_borrowed */ true);
    return r;
}
