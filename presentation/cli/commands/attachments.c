#include "presentation/cli/commands/attachments.h"
#include "application/use_cases/tools/read_resource.h"
#include "domain/base/text.h"
#include "presentation/cli/files.h"
#include <stdio.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

static bool begins_word(const char *message, const char *at)
{
    return at == message || strchr(blanks, at[-1]);
}

/* The length of the name behind an '@' that begins a word; 0 when it names nothing. */
static size_t name_length(const char *at)
{
    bool quoted = at[1] == '"' && strchr(at + 2, '"');
    if (at[1] == '@')
        return 0;
    return quoted ? strcspn(at + 2, "\"") + 2 : strcspn(at + 1, blanks);
}

static bool is_file(const char *path)
{
    FILE *file = fopen(path, "rbe");
    if (file)
        fclose(file);
    return file != NULL;
}

/* "@notes.md," means notes.md, unless there is a file with the comma in its name. */
static const char *file_name(struct arena *arena, const char *name, size_t length)
{
    if (name[0] == '"')
        return arena_strndup(arena, name + 1, length - 2);
    const char *whole = arena_strndup(arena, name, length);
    if (is_file(whole))
        return whole;
    while (length > 1 && strchr(".,;:!?)", name[length - 1]))
        length--;
    return arena_strndup(arena, name, length);
}

static enum err_code read_file(struct console *console, struct scope *scope, struct arena *arena,
                               const char *path, size_t max_bytes, const char **out,
                               struct err *err)
{
    size_t length = 0;
    enum err_code r = files_read(console, scope, arena, path, max_bytes, out, &length, err);
    if (r == ERR_INVALID)
        err_hint(err, r, "a word that begins with @ names a file; write @@ for a plain @");
    if (!r && (strlen(*out) != length || !text_is_utf8(*out, length)))
        return err_set(err, ERR_INVALID, 0, "%.200s: not a text file", path);
    return r;
}

static enum err_code attach(const struct attachment_sources *from, struct scope *scope,
                            struct arena *arena, const char *name, struct buf *into,
                            struct err *err)
{
    const char *text = NULL;
    bool is_resource = from->services && is_resource_name(name) && !is_file(name);
    enum err_code r =
        is_resource
            ? read_resource_text(from->services, scope, arena, name, into->max_bytes, &text, err)
            : read_file(from->console, scope, arena, name, into->max_bytes, &text, err);
    if (r)
        return err_prefix(err, r, "attach");
    if (!buf_printf(into, "%s%s:\n", into->length ? "\n" : "", name) || !buf_puts(into, text))
        return err_set(err, ERR_LIMIT, 0, "attach: more than %zu bytes in all", into->max_bytes);
    return ERR_NONE;
}

enum err_code attachments_read(const struct attachment_sources *from, struct scope *scope,
                               struct arena *arena, const char *message, size_t max_bytes,
                               struct attachments *out, struct err *err)
{
    AUTO(buf) text, words;
    size_t n = 0;
    buf_init(&text, max_bytes);
    buf_init(&words, strlen(message) + 1);
    for (const char *at = message; *at; at++) {
        bool marks = *at == '@' && begins_word(message, at);
        size_t length = marks ? name_length(at) : 0;
        if (length && n++ == ATTACHMENTS_MAX_FILES)
            return err_set(err, ERR_LIMIT, 0, "attach: more than %d of them",
                           ATTACHMENTS_MAX_FILES);
        const char *path = length ? file_name(arena, at + 1, length) : NULL;
        enum err_code r = path ? attach(from, scope, arena, path, &text, err) : ERR_NONE;
        if (r)
            return r;
        bool dropped = length || (marks && at[1] == '@');
        if (!dropped && !buf_append(&words, at, 1))
            return err_set(err, ERR_LIMIT, 0, "attach: the message is too long");
    }
    *out = (struct attachments){ .message = arena_strdup(arena, buf_string(&words)),
                                 .text = n ? arena_strdup(arena, buf_string(&text)) : NULL };
    return ERR_NONE;
}
