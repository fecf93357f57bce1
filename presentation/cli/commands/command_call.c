/* `mistro call SERVER/TOOL`: one call, or one per line of input. */
#include "application/tools/lookup.h"
#include "application/use_cases/tools/call_batch.h"
#include "application/use_cases/tools/call_tool.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/call_arguments.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/call_output.h"
#include <stdlib.h>
#include <string.h>

enum { BATCH_LINE_MAX_BYTES = 16 * 1024 * 1024 };

/* Lines of standard input, each within its bound. */
struct batch_input {
    struct cli *cli;
    struct buf pending;
    size_t consumed; /* of pending; dropped only when more is read */
    bool ended;
};

static enum err_code read_more(struct batch_input *in, struct scope *scope, struct err *err)
{
    enum { CHUNK_BYTES = 65536 };
    size_t n = 0;
    buf_consume(&in->pending, in->consumed);
    in->consumed = 0;
    if (!buf_reserve(&in->pending, CHUNK_BYTES))
        return err_set(err, ERR_LIMIT, 0, "a line of input longer than %d bytes",
                       BATCH_LINE_MAX_BYTES);
    enum err_code r = console_read(in->cli->console, scope, in->pending.bytes + in->pending.length,
                                   CHUNK_BYTES, &n, err);
    if (r)
        return r;
    in->pending.length += n;
    buf_terminate(&in->pending);
    in->ended = n == 0;
    return ERR_NONE;
}

static void hand_over(struct batch_input *in, size_t length, char **out_line, size_t *out_length)
{
    char *line = malloc(length + 1);
    if (!line)
        abort();
    memcpy(line, in->pending.bytes + in->consumed, length);
    line[length] = '\0';
    *out_line = line;
    *out_length = length;
}

static enum err_code read_line(void *context, struct scope *scope, char **out_line,
                               size_t *out_length, struct err *err)
{
    struct batch_input *in = context;
    *out_line = NULL;
    for (size_t searched = 0;;) {
        size_t rest = in->pending.length - in->consumed;
        const char *from = rest ? in->pending.bytes + in->consumed : "";
        const char *newline = rest ? memchr(from + searched, '\n', rest - searched) : NULL;
        if (newline || (in->ended && rest)) {
            size_t length = newline ? (size_t)(newline - from) : rest;
            hand_over(in, length, out_line, out_length);
            in->consumed += length + (newline != NULL);
            return ERR_NONE;
        }
        if (in->ended)
            return ERR_NONE;
        searched = rest;
        enum err_code r = read_more(in, scope, err);
        if (r)
            return r;
    }
}

static bool print_lines(void *context, const char *lines, size_t length)
{
    struct batch_input *in = context;
    struct cli to_stdout = *in->cli;
    to_stdout.answers_aside = false;
    return output_text(&to_stdout, lines, length);
}

/* --schema and --schema-mode; *out stays NULL without them. */
static enum err_code read_expected(struct cli *cli, const json_t **out, enum schema_mode *out_mode,
                                   struct err *err)
{
    const char *file = cli->args->schema, *mode = cli->args->schema_mode, *text = NULL;
    size_t length = 0;
    json_t *value = NULL;
    if (mode && (!file || (strcmp(mode, "strict") != 0 && strcmp(mode, "compatible") != 0)))
        return err_set(err, ERR_INVALID, 0,
                       "--schema-mode is strict or compatible and goes with --schema FILE");
    if (!file)
        return ERR_NONE;
    enum err_code r = files_read(
        &(struct file_reader){ cli->console, cli->scope, cli->arena, CALL_ARGUMENTS_MAX_BYTES },
        file, &text, &length, err);
    if (!r)
        r = json_parse(text, length, JSON_OURS, &value, err);
    if (r)
        return err_prefix(err, r, "--schema");
    arena_keep_json(cli->arena, value);
    if (!json_is_object(value))
        return err_set(err, ERR_INVALID, 0, "--schema: %.200s is not an object", file);
    *out = value;
    *out_mode = text_equal(mode, "compatible") ? SCHEMA_MODE_COMPATIBLE : SCHEMA_MODE_STRICT;
    return ERR_NONE;
}

static int call_lines(struct cli *cli)
{
    struct batch_input in = { .cli = cli };
    struct batch_outcome outcome = { 0 };
    struct err err = { 0 };
    int64_t in_flight = 1;
    const char *jobs = cli->args->parallel;
    if (cli->args->n_operands > 1)
        return command_misused(cli, "call", "the arguments of a batch are lines of standard input");
    if (jobs &&
        (!text_to_int64(jobs, &in_flight) || in_flight < 1 || in_flight > BATCH_MAX_IN_FLIGHT))
        return command_misused(cli, "call", "-j takes a number from 1 to 64");
    const json_t *expected = NULL;
    enum schema_mode mode = SCHEMA_MODE_STRICT;
    if (read_expected(cli, &expected, &mode, &err))
        return output_error(cli, &err);
    buf_init(&in.pending, BATCH_LINE_MAX_BYTES);
    struct batch_request request = { .tool = cli->args->operands[0],
                                     .in_flight = (unsigned)in_flight,
                                     .expected_definition = expected,
                                     .schema_mode = mode,
                                     .read_line = read_line,
                                     .print_lines = print_lines,
                                     .context = &in };
    enum err_code r = call_batch(cli->services, cli->scope, &request, &outcome, &err);
    buf_finish(&in.pending);
    if (r)
        return output_error(cli, &err);
    return outcome.n_failed ? err_exit_status(ERR_FAILED) : 0;
}

static enum err_code make_arguments(void *context, struct scope *scope, const json_t *input_schema,
                                    json_t **out, struct err *err)
{
    struct cli *cli = context;
    (void)scope; /* the command's own */
    return call_arguments_parse(cli, cli->args->operands + 1, cli->args->n_operands - 1,
                                input_schema, out, err);
}

/* Where `call SERVER TOOL` has a blank in the place of the slash, the hint says so. */
static int call_failed(struct cli *cli, struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n = 0;
    const char *const *words = cli->args->operands;
    if (err->code == ERR_NOT_FOUND && strcmp(err->what, "tool") == 0 && cli->args->n_operands > 1 &&
        !strpbrk(words[1], "=:@{") &&
        services_servers(cli->services, cli->scope, &servers, &n, NULL) == ERR_NONE &&
        lookup_server(servers, n, words[0], strlen(words[0]))) {
        err->hint[0] = '\0'; /* of tools that are named like the server */
        (void)err_hint(err, err->code, "did you mean %.100s/%.100s?", words[0], words[1]);
    }
    return output_error(cli, err);
}

int command_call(struct cli *cli)
{
    struct call_outcome outcome;
    struct err err = { 0 };
    if (!cli->args->n_operands)
        return command_misused(cli, "call", "which tool?");
    if (cli->args->batch && (cli->args->dry_run || cli->args->output))
        return command_misused(cli, "call",
                               "--batch makes its calls and prints: no --dry-run, no -o");
    if (cli->args->batch)
        return call_lines(cli);
    if (cli->lines)
        cli->lines->watch_calls = true;
    struct call_request request = { .tool = cli->args->operands[0],
                                    .make_arguments = make_arguments,
                                    .context = cli,
                                    .dry_run = cli->args->dry_run };
    if (read_expected(cli, &request.expected_definition, &request.schema_mode, &err))
        return output_error(cli, &err);
    if (call_tool(cli->services, cli->scope, cli->arena, &request, &outcome, &err))
        return call_failed(cli, &err);
    return call_output(cli, &outcome.result);
}
