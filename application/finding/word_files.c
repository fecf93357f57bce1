#include "application/finding/word_files.h"
#include "domain/base/text.h"
#include <string.h>

/* The table that was made of a file when mistro was built. */
static const struct word_table *built_in(const char *path)
{
    const struct named_word_table *named = word_tables;
    while (named->path && strcmp(named->path, path) != 0)
        named++;
    return named->path ? &named->table : NULL;
}

static enum err_code read_file(struct arena *arena, struct assets *assets, const char *path,
                               struct word_table *out, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *text, *origin;
    enum err_code r = assets_get(assets, path, &scratch, &text, &origin, err);
    if (r)
        return r;
    const struct word_table *made = strcmp(origin, ASSETS_BUILT_IN) == 0 ? built_in(path) : NULL;
    if (made) {
        *out = *made;
        return ERR_NONE;
    }
    if (strlen(text) > WORD_FILE_MAX_BYTES) {
        r = err_set(err, ERR_LIMIT, 0, "%s is larger than %d bytes", origin, WORD_FILE_MAX_BYTES);
        return err_hint(err, r, "divide it into several files");
    }
    size_t line = 0;
    if (!word_table_make(arena, text, out, &line)) {
        r = err_set(err, ERR_INVALID, 0, "%s, line %zu: there is no \"->\"", origin, line);
        return err_hint(err, r, "write: what people say -> what tools are called");
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
        r = read_file(arena, assets, arena_printf(arena, "%s/%s", folder, names[i]),
                      &out->files[i].table, err);
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
