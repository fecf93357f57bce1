#include "presentation/cli/commands/request_words.h"
#include "presentation/cli/commands/attachments.h"
#include "presentation/cli/files.h"
#include <string.h>

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
        files_read_input(cli->console, cli->scope, cli->arena, most, &text, &length, err);
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
    struct attachments found;
    const struct attachment_sources from = { cli->console, cli->services };
    size_t most = (size_t)cli->services->settings->limits_request_bytes;
    enum err_code r =
        attachments_read(&from, cli->scope, cli->arena, words->message, most, &found, err);
    if (r)
        return r;
    words->message = found.message;
    if (found.text && words->attached)
        words->attached = arena_printf(cli->arena, "%s\n%s", found.text, words->attached);
    else if (found.text)
        words->attached = found.text;
    return ERR_NONE;
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
