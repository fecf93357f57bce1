#include "application/finding/word_files.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include <string.h>

#define BLANKS " \t\r\n"
#define BYTES_FOR_A_WORD 9 /* with its meanings, mostly */

/* Of the first two letters. A first word of one letter stands apart. */
static size_t bucket_of(const char *word)
{
    unsigned char second = word[0] && word[1] != '_' ? (unsigned char)word[1] : 0;
    return ((unsigned char)word[0] * 31U + second) % WORD_BUCKETS;
}

const struct word_entry *word_file_find(const struct word_file *file, const char *word)
{
    return file->buckets[bucket_of(word)];
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

/* The words of a line that are marks, or those that are none; NULL where there is none. */
static const char *list_of(struct arena *arena, const char *words, bool marks)
{
    char *list = arena_alloc(arena, strlen(words) + 3);
    size_t length = 0;
    for (size_t n; *(words += strspn(words, BLANKS)); words += n) {
        n = strcspn(words, BLANKS);
        if ((*words == '@') != marks)
            continue;
        list[length] = ' ';
        memcpy(list + length + 1, words, n);
        length += n + 1;
    }
    list[length] = ' ';
    return length ? list : NULL;
}

static bool read_line(struct arena *arena, struct word_file *file, char *line)
{
    line += strspn(line, BLANKS);
    char *arrow = strstr(line, "->"), *key;
    if (*line == '#' || !*line)
        return true;
    if (!arrow)
        return false;
    *arrow = '\0';
    const char *meanings = list_of(arena, arrow + 2, /* marks */ false);
    const char *marks = strchr(arrow + 2, '@') ? list_of(arena, arrow + 2, true) : NULL;
    while ((key = next_part(&line, BLANKS))) {
        char *gap = strstr(key, "..");
        if (!*key)
            continue;
        if (gap)
            *gap = '\0';
        *arena_push(arena, file->entries, file->n, file->capacity) =
            (struct word_entry){ key, gap ? gap + 2 : NULL, meanings, marks, NULL };
    }
    return true;
}

static enum err_code read_file(struct arena *arena, struct assets *assets, const char *path,
                               struct word_file *file, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *text, *origin;
    enum err_code r = assets_get(assets, path, &scratch, &text, &origin, err);
    if (r)
        return r;
    if (strlen(text) > WORD_FILE_MAX_BYTES) {
        r = err_set(err, ERR_LIMIT, 0, "%s is larger than %d bytes", origin, WORD_FILE_MAX_BYTES);
        return err_hint(err, r, "divide it into several files");
    }
    char *rest = text_unaccented(arena, text, strlen(text)), *line;
    file->capacity = strlen(text) / BYTES_FOR_A_WORD + 1;
    file->entries = arena_array(arena, struct word_entry, file->capacity);
    for (size_t number = 1; (line = next_part(&rest, "\n")); number++) {
        if (read_line(arena, file, line))
            continue;
        r = err_set(err, ERR_INVALID, 0, "%s, line %zu: there is no \"->\"", origin, number);
        return err_hint(err, r, "write: what people say -> what tools are called");
    }
    for (size_t i = file->n; i-- > 0;) {
        const struct word_entry **first = &file->buckets[bucket_of(file->entries[i].key)];
        file->entries[i].next = *first;
        *first = &file->entries[i];
    }
    return ERR_NONE;
}

static enum err_code read_folder(struct arena *arena, struct assets *assets, const char *folder,
                                 struct word_folder *out, struct err *err)
{
    const char **names = NULL;
    enum err_code r = assets_list(assets, folder, arena, &names, &out->n, err);
    if (!r && out->n > WORD_FILES_MAX)
        return err_set(err, ERR_LIMIT, 0, "%s has %zu files, more than %d", folder, out->n,
                       WORD_FILES_MAX);
    out->files = r ? NULL : arena_array(arena, struct word_file, out->n + 1);
    for (size_t i = 0; !r && i < out->n; i++) {
        if (text_matches_glob("[a-z][a-z].txt", names[i]))
            out->files[i].language = arena_strndup(arena, names[i], 2);
        r = read_file(arena, assets, arena_printf(arena, "%s/%s", folder, names[i]), &out->files[i],
                      err);
    }
    return r;
}

enum err_code word_folder_read(struct assets *assets, const char *folder,
                               const struct word_folder **out, struct err *err)
{
    struct arena arena = { 0 };
    *out = assets_find_kept(assets, folder);
    if (*out)
        return ERR_NONE;
    struct word_folder *read = arena_new(&arena, struct word_folder);
    enum err_code r = read_folder(&arena, assets, folder, read, err);
    if (r) {
        arena_finish(&arena);
        return r;
    }
    assets_keep(assets, folder, &arena, read);
    *out = read;
    return ERR_NONE;
}

/* The signs beyond ASCII that stand between words, as those of ASCII that do the same. */
static const struct {
    const char *bytes;
    char plain;
} signs[] = {
    { "«", '"' }, { "»", '"' },  { "“", '"' },        { "”", '"' },
    { "„", '"' }, { "‘", '\'' }, { "’", '\'' },       { "¿", ' ' },
    { "¡", ' ' }, { "–", ' ' },  { "—", ' ' },        { "…", ' ' },
    { "•", ' ' }, { "·", ' ' },  { "\xC2\xA0", ' ' }, { "\xE2\x80\xAF", ' ' },
};

char *word_plain_signs(struct arena *arena, const char *text)
{
    char *out = arena_strdup(arena, text);
    for (char *at = out; *at; at++) {
        size_t i = (unsigned char)*at < 0x80 ? ARRAY_LENGTH(signs) : 0;
        while (i < ARRAY_LENGTH(signs) && !text_starts_with(at, signs[i].bytes))
            i++;
        if (i == ARRAY_LENGTH(signs))
            continue;
        size_t n = strlen(signs[i].bytes);
        memset(at, WORD_FILLER, n);
        *at = signs[i].plain;
        at += n - 1;
    }
    return out;
}
