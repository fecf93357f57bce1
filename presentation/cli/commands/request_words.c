/* request_words_read puts a command's request together: operands, a pipe, and what the operands
 * name with @. The latter is request_words_attach, which the lines of a chat go through as well. */
#include "presentation/cli/commands/request_words.h"
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
    enum err_code r = files_read(&(struct file_reader){ console, scope, arena, max_bytes }, path,
                                 out, &length, err);
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

enum err_code request_words_attach(const struct attachment_sources *from, struct scope *scope,
                                   struct arena *arena, const char *message, size_t max_bytes,
                                   struct request_words *out, struct err *err)
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
    *out = (struct request_words){ .message = arena_strdup(arena, buf_string(&words)),
                                   .attached = n ? arena_strdup(arena, buf_string(&text)) : NULL };
    return ERR_NONE;
}

static bool is_dash(const struct arguments *args)
{
    return args->n_operands == 1 && strcmp(args->operands[0], "-") == 0;
}

static enum err_code read_pipe(struct cli *cli, bool alone, struct request_words *words,
                               struct err *err)
{
    bool dash = is_dash(cli->args);
    bool wanted = dash || !console_is_terminal(cli->console, CONSOLE_IN);
    if (!wanted || (alone && !dash))
        return ERR_NONE;
    const char *text = NULL;
    size_t length = 0;
    size_t most = (size_t)cli->services->settings->limits_request_bytes;
    enum err_code r =
        files_read(&(struct file_reader){ cli->console, cli->scope, cli->arena, most }, "-", &text,
                   &length, err);
    if (r)
        return err_prefix(err, r, "request");
    if (strlen(text) != length)
        return err_set(err, ERR_INVALID, 0, "request: standard input is not text");
    if (!words->message)
        words->message = text;
    else if (length)
        words->attached = text;
    return ERR_NONE;
}

/* The files and resources that the request's words name with @ stand before what was piped in. */
static enum err_code attach_files(struct cli *cli, struct request_words *words, struct err *err)
{
    const struct attachment_sources from = { cli->console, cli->services };
    size_t most = (size_t)cli->services->settings->limits_request_bytes;
    const char *piped = words->attached;
    enum err_code r =
        request_words_attach(&from, cli->scope, cli->arena, words->message, most, words, err);
    if (!r && piped)
        words->attached =
            words->attached ? arena_printf(cli->arena, "%s\n%s", words->attached, piped) : piped;
    return r;
}

enum err_code request_words_read(struct cli *cli, bool alone, struct request_words *out,
                                 struct err *err)
{
    struct request_words words = { 0 };
    bool has_words = cli->args->n_operands && !is_dash(cli->args);
    if (has_words)
        words.message = arguments_joined(cli->arena, cli->args);
    enum err_code r = read_pipe(cli, alone, &words, err);
    if (!r && has_words)
        r = attach_files(cli, &words, err);
    if (!r)
        *out = words;
    return r;
}
