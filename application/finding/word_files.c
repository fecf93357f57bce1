#include "application/finding/word_files.h"
#include "domain/base/text.h"
#include "domain/base/text_words.h"
#include <string.h>

#define BLANKS " \t\r\n"

enum err_code word_files_list(struct arena *arena, struct assets *assets, const char *folder,
                              const char ***out_names, size_t *out_n, struct err *err)
{
    enum err_code r = assets_list(assets, folder, arena, out_names, out_n, err);
    if (!r && *out_n > WORD_FILES_MAX)
        return err_set(err, ERR_LIMIT, 0, "%s has %zu files, more than %d", folder, *out_n,
                       WORD_FILES_MAX);
    return r;
}

bool word_file_is_language(const char *name)
{
    return text_matches_glob("[a-z][a-z].txt", name);
}

char *word_next_part(char **rest, const char *ends)
{
    char *part = *rest;
    if (!part)
        return NULL;
    char *end = part + strcspn(part, ends);
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    return part;
}

static bool read_line(char *line, word_line_fn *on_line, void *context)
{
    line += strspn(line, BLANKS);
    char *arrow = strstr(line, "->");
    if (*line == '#' || !*line)
        return true;
    if (!arrow)
        return false;
    *arrow = '\0';
    on_line(context, line, arrow + 2 + strspn(arrow + 2, BLANKS));
    return true;
}

enum err_code word_file_read(struct arena *arena, struct assets *assets, const char *folder,
                             const char *name, word_line_fn *on_line, void *context,
                             struct err *err)
{
    const char *path = arena_printf(arena, "%s/%s", folder, name), *text, *origin;
    enum err_code r = assets_get(assets, path, arena, &text, &origin, err);
    if (r)
        return r;
    if (strlen(text) > WORD_FILE_MAX_BYTES) {
        r = err_set(err, ERR_LIMIT, 0, "%s is larger than %d bytes", origin, WORD_FILE_MAX_BYTES);
        return err_hint(err, r, "divide it into several files");
    }
    char *rest = text_unaccented(arena, text, strlen(text)), *line;
    for (size_t number = 1; (line = word_next_part(&rest, "\n")); number++) {
        if (read_line(line, on_line, context))
            continue;
        r = err_set(err, ERR_INVALID, 0, "%s, line %zu: there is no \"->\"", origin, number);
        return err_hint(err, r, "write: what people say -> what tools are called");
    }
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
