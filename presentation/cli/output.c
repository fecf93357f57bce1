#include "presentation/cli/output.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/entities/event.h"
#include "domain/text/known_secrets.h"
#include "presentation/cli/files.h"
#include "presentation/cli/terminal_quote.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool print(struct cli *cli, enum console_stream stream, const char *text)
{
    return console_write(cli->console, stream, text, strlen(text));
}

static enum console_stream answer_stream(const struct cli *cli)
{
    return cli->answers_aside ? CONSOLE_ERR : CONSOLE_OUT;
}

/* Nothing is printed of a line that exceeds the bound. */
PRINTF_LIKE(3, 0)
static bool print_line(struct cli *cli, enum console_stream stream, const char *format,
                       va_list args)
{
    char *line;
    int length = vasprintf(&line, format, args);
    if (length < 0)
        abort();
    bool is_open =
        length <= OUTPUT_LINE_BYTES && print(cli, stream, line) && print(cli, stream, "\n");
    free(line);
    return is_open;
}

bool output_line(struct cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool is_open = print_line(cli, answer_stream(cli), format, args);
    va_end(args);
    return is_open;
}

/* Foreign text without a line end of ours. */
static bool print_foreign(struct cli *cli, const char *text, size_t length)
{
    enum console_stream stream = answer_stream(cli);
    if (!cli->answer_style.is_terminal)
        return console_write(cli->console, stream, text, length);
    AUTO(buf) shown;
    buf_init(&shown, length * 8 + 16);
    return text_append_escaped(&shown, text, length) && print(cli, stream, buf_string(&shown));
}

bool output_text(struct cli *cli, const char *text, size_t length)
{
    bool ends = length && text[length - 1] == '\n';
    return print_foreign(cli, text, length) && (ends || print(cli, answer_stream(cli), "\n"));
}

bool output_quote(struct cli *cli, const char *text, unsigned indent)
{
    if (!cli->answer_style.is_terminal)
        return output_text(cli, text, strlen(text));
    return terminal_quote_all(cli->console, answer_stream(cli), text, indent);
}

bool output_string(struct cli *cli, struct json_slice string)
{
    enum { PIECE_BYTES = 64 * 1024 };
    AUTO(buf) piece;
    struct json_string_reader reader = json_string_read(string);
    bool ends = false, is_open = true;
    buf_init(&piece, PIECE_BYTES);
    if (!buf_reserve(&piece, PIECE_BYTES))
        return false;
    while (is_open && (piece.length = json_string_next(&reader, piece.bytes, PIECE_BYTES))) {
        ends = piece.bytes[piece.length - 1] == '\n';
        is_open = print_foreign(cli, piece.bytes, piece.length);
    }
    return is_open && (ends || print(cli, answer_stream(cli), "\n"));
}

/* Steals value. */
static json_t *event_of(const char *key, json_t *value)
{
    return json_pack("{s:i, s:s, s:o}", "v", EVENT_VERSION, "event", "result", key, value);
}

static bool is_indented(const struct cli *cli)
{
    return cli->answer_style.is_terminal && !cli->args->events;
}

bool output_json(struct cli *cli, const json_t *value)
{
    auto_str text = is_indented(cli) ? json_print_pretty(value) : json_print(value);
    return output_text(cli, text, strlen(text)); /* JSON may contain C1 controls as they are */
}

bool output_json_text(struct cli *cli, const char *text, size_t length)
{
    json_auto_t *value = NULL;
    if (!is_indented(cli) || json_parse(text, length, JSON_FOREIGN, &value, NULL))
        return output_text(cli, text, length);
    return output_json(cli, value);
}

enum err_code output_bytes(struct cli *cli, const char *bytes, size_t length, struct err *err)
{
    const char *file = cli->args->output;
    if (!file || strcmp(file, "-") == 0) {
        (void)console_write(cli->console, CONSOLE_OUT, bytes, length);
        return ERR_NONE;
    }
    AUTO(buf) masked;
    buf_init(&masked, SIZE_MAX);
    if (known_secrets_mask_bytes(bytes, length, &masked)) {
        bytes = masked.bytes;
        length = masked.length;
    }
    enum err_code r = files_write(file, bytes, length, err);
    return r ? err_prefix(err, r, "-o") : ERR_NONE;
}

enum err_code output_check(const struct arguments *args, struct err *err)
{
    bool is_input = text_equal(args->command, "figure") && args->n_operands; /* it is validated */
    if (!args->output || strcmp(args->output, "-") == 0 || is_input)
        return ERR_NONE;
    return err_prefix(err, files_may_write(args->output, err), "-o");
}

enum err_code output_result_text(struct cli *cli, const char *text, struct err *err)
{
    size_t length = strlen(text);
    AUTO(arena) scratch = { 0 };
    if (!cli->args->output) {
        (void)output_text(cli, text, length);
        return ERR_NONE;
    }
    if (length && text[length - 1] != '\n')
        text = arena_printf(&scratch, "%s\n", text);
    return output_bytes(cli, text, strlen(text), err);
}

int output_status_json(struct cli *cli, json_t *value, int status)
{
    (void)output_json(cli, value);
    json_decref(value);
    return status;
}

void output_result_event(struct cli *cli, json_t *value)
{
    (void)output_status_json(cli, event_of("result", value), 0);
}

int output_result_json(struct cli *cli, json_t *value, int status)
{
    struct err err;
    if (cli->args->events || !cli->args->output) {
        (void)output_status_json(cli, cli->args->events ? event_of("result", value) : value, 0);
        return status;
    }
    auto_str text = json_print(value);
    json_decref(value);
    return output_result_text(cli, text, &err) ? output_error(cli, &err) : status;
}

void output_note(struct cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!cli->args->quiet)
        (void)print_line(cli, CONSOLE_ERR, format, args);
    va_end(args);
}

void output_notice(struct cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)print_line(cli, CONSOLE_ERR, format, args);
    va_end(args);
}

void output_warning(struct cli *cli, const char *text)
{
    AUTO(arena) scratch = { 0 };
    output_note(cli, "%smistro: warning: %s%s", cli->style.yellow,
                text_one_line(&scratch, text, strlen(text), 1000), cli->style.reset);
}

const char *output_age(struct cli *cli, int64_t then_ms)
{
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = { { 86400000, "days" }, { 3600000, "h" }, { 60000, "min" }, { 1000, "s" } };
    int64_t age_ms = runtime_wall_ms(cli->services->runtime) - then_ms;
    size_t i = 0;
    while (i + 1 < ARRAY_LENGTH(units) && age_ms < 2 * units[i].ms)
        i++;
    return arena_printf(cli->arena, "%lld %s ago",
                        (long long)(age_ms > 0 ? age_ms / units[i].ms : 0), units[i].name);
}

json_t *output_failure_json(const char *server, const struct err *err)
{
    return json_pack("{s:o, s:s}", "error", err_to_json(err), "server", server);
}

/* {"error":…}, or with --events the event that says so. */
static json_t *error_json(const struct err *err, const struct arguments *args)
{
    json_auto_t *raw = err_to_json(err), *shown = known_secrets_mask_json(raw);
    return args->events ? event_of("error", json_incref(shown))
                        : json_pack("{s:O}", "error", shown);
}

static const char *add_flag(struct arena *arena, const char *flags, const char *name,
                            const char *value)
{
    return value ? arena_printf(arena, "%s --%s %s", flags, name, text_shell_word(arena, value))
                 : flags;
}

const char *output_file_flags(struct arena *arena, const struct arguments *args)
{
    const char *flags = add_flag(arena, "", "config", args->config);
    flags = add_flag(arena, flags, "mcp-config", args->mcp_config);
    return add_flag(arena, flags, "servers", args->servers);
}

const char *output_with_flags(struct arena *arena, const struct arguments *args, const char *text)
{
    static const char command[] = "mistro servers review";
    const char *at = strstr(text, command);
    const char *server = at ? at + strlen(command) : NULL;
    bool ends = server && (!*server || (*server == ' ' && !strchr(server + 1, ' ')));
    ends = ends || (strstr(text, "mistro runs resume ") && text_ends_with(text, "=…"));
    return ends ? arena_printf(arena, "%s%s", text, output_file_flags(arena, args)) : text;
}

int output_error(struct cli *cli, const struct err *err)
{
    if (cli->args->json || cli->args->events) {
        struct cli to_stdout = *cli;
        to_stdout.answers_aside = false;
        return output_status_json(&to_stdout, error_json(err, cli->args),
                                  err_exit_status(err->code));
    }
    return output_error_text(cli, err);
}

int output_error_text(struct cli *cli, const struct err *err)
{
    AUTO(arena) scratch = { 0 };
    cli->told = *err;
    const char *whole = known_secrets_mask(&scratch, err->message); /* it may have been cut */
    const char *message = text_one_line(&scratch, whole, strlen(whole), 2000);
    const char *hint = text_one_line(&scratch, err->hint, strlen(err->hint), 1000);
    hint = output_with_flags(&scratch, cli->args, hint);
    (void)print(
        cli, CONSOLE_ERR,
        arena_printf(&scratch, "%smistro: %s%s\n", cli->style.red, message, cli->style.reset));
    const char *seconds = cli->args->timeout;
    if (!err->hint[0] && err->code == ERR_TIMEOUT && seconds)
        hint = arena_printf(&scratch, "--timeout allows %s s for all of it", seconds);
    if (*hint)
        (void)print(cli, CONSOLE_ERR, arena_printf(&scratch, "  %s\n", hint));
    return err_exit_status(err->code);
}

int output_early_error(const struct err *err, const struct arguments *args)
{
    if (args->json || args->events) {
        json_auto_t *value = error_json(err, args);
        auto_str text = json_print(value);
        puts(text);
        return err_exit_status(err->code);
    }
    AUTO(arena) scratch = { 0 };
    fprintf(stderr, "mistro: %s\n",
            text_one_line(&scratch, err->message, strlen(err->message), 2000));
    if (err->hint[0])
        fprintf(stderr, "  %s\n", text_one_line(&scratch, err->hint, strlen(err->hint), 1000));
    return err_exit_status(err->code);
}
