/* `mistro figure`: a text and a caption become a figure. */
#include "application/figure/plot/plot.h"
#include "application/figure/report/figure_files.h"
#include "application/use_cases/figure_options.h"
#include "application/use_cases/make_figure.h"
#include "application/use_cases/tools/call_tool.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/figure_output.h"
#include <errno.h>
#include <string.h>

enum { SHOWN_COLUMNS = 60 };

/* Bytes that are no text would be cut at their first NUL, so they are refused here. */
static enum err_code read_context(struct cli *cli, const char **out, struct err *err)
{
    size_t length = 0, most = (size_t)cli->services->settings->figure_max_context_bytes;
    enum err_code r = files_read(cli->console, cli->scope, cli->arena, cli->args->context, most,
                                 out, &length, err);
    if (r == ERR_LIMIT)
        (void)err_hint(err, r, "the bound is figure.max_context_bytes");
    if (r)
        return err_prefix(err, r, "context");
    bool is_input = text_equal(cli->args->context, "-");
    if (memchr(*out, '\0', length) || !text_is_utf8(*out, length))
        return err_set(err, ERR_INVALID, 0, "%.200s is no text",
                       is_input ? "standard input" : cli->args->context);
    return ERR_NONE;
}

static enum err_code read_mode(struct cli *cli, enum figure_mode *out, struct err *err)
{
    const char *mode = cli->args->mode;
    if (!mode || figure_mode_parse(mode, out))
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "--mode %s is unknown",
                              text_one_line(cli->arena, mode, strlen(mode), SHOWN_COLUMNS));
    return err_hint(err, r, "the modes: diagram_image, plot_code");
}

/* The data of a tool: it is called as `mistro call` would, without arguments. */
static enum err_code call_for_data(struct cli *cli, const char *tool, struct plot_data *out,
                                   struct err *err)
{
    struct call_outcome outcome = { 0 };
    const struct call_request request = { .tool = tool };
    size_t most = (size_t)cli->services->settings->figure_max_data_bytes;
    enum err_code r = call_tool(cli->services, cli->scope, cli->arena, &request, &outcome, err);
    return r ? r : plot_table_from_result(cli->arena, &outcome.result, most, tool, out, err);
}

static enum err_code read_file(struct cli *cli, const char *file, struct plot_data *out,
                               struct err *err)
{
    const char *bytes = NULL, *slash = strrchr(file, '/');
    size_t length = 0, most = (size_t)cli->services->settings->figure_max_data_bytes;
    enum err_code r =
        files_read(cli->console, cli->scope, cli->arena, file, most, &bytes, &length, err);
    return r ? r
             : plot_table_from_text(cli->arena, bytes, length, most, slash ? slash + 1 : file, out,
                                    err);
}

/* What has one slash and no dot can be a tool. */
static bool may_be_tool(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash && slash > name && slash[1] && !strchr(slash + 1, '/') && !strchr(name, '.');
}

/* A file that is there wins over a tool of that name. */
static enum err_code read_file_or_tool(struct cli *cli, const char *name, struct plot_data *out,
                                       struct err *err)
{
    struct err why = { 0 };
    enum err_code r = read_file(cli, name, out, &why);
    bool is_missing = r && (why.origin == ENOENT || why.origin == ENOTDIR);
    if (is_missing && may_be_tool(name))
        return call_for_data(cli, name, out, err);
    if (r && err)
        *err = why;
    return r;
}

static enum err_code read_data(struct cli *cli, struct figure_request *request, struct err *err)
{
    const char *name = cli->args->data;
    struct plot_data *data = arena_new(cli->arena, struct plot_data);
    if (!name)
        return ERR_NONE;
    if (request->mode != FIGURE_MODE_PLOT_CODE)
        return err_set(err, ERR_INVALID, 0, "--data goes with --mode plot_code");
    enum err_code r = read_file_or_tool(cli, name, data, err);
    if (r)
        return err_prefix(err, r, "data");
    request->data = data;
    return ERR_NONE;
}

static void read_refs(struct cli *cli, struct figure_request *request)
{
    const char *list = cli->args->refs;
    const char **refs = arena_array(cli->arena, const char *, FIGURE_MAX_REFS + 1);
    size_t n = 0;
    while (list && *list && n <= FIGURE_MAX_REFS) {
        size_t length = strcspn(list, ",");
        if (length)
            refs[n++] = arena_strndup(cli->arena, list, length);
        list += length + (list[length] == ',');
    }
    request->refs = refs;
    request->n_refs = n;
}

static enum err_code read_rounds(struct cli *cli, unsigned *out, struct err *err)
{
    int64_t rounds = 0;
    const char *text = cli->args->max_rounds;
    if (!text)
        return ERR_NONE;
    if (!text_to_int64(text, &rounds) || rounds < 1 || rounds > FIGURE_MAX_ROUNDS)
        return err_set(err, ERR_INVALID, 0, "--max-rounds %s: a number from 1 to %d is expected",
                       text_one_line(cli->arena, text, strlen(text), SHOWN_COLUMNS),
                       FIGURE_MAX_ROUNDS);
    *out = (unsigned)rounds;
    return ERR_NONE;
}

static enum err_code read_request(struct cli *cli, struct figure_request *out, struct err *err)
{
    const struct arguments *args = cli->args;
    *out = (struct figure_request){ .caption = args->caption,
                                    .communicative_intent = args->intent,
                                    .style = args->figure_style,
                                    .out = figure_output_parent(cli),
                                    .name = args->case_name };
    enum err_code r = figure_output_check(cli, err);
    if (!r)
        r = read_mode(cli, &out->mode, err);
    if (!r)
        r = read_rounds(cli, &out->max_rounds, err);
    if (!r)
        r = read_context(cli, &out->source_context, err);
    if (!r)
        r = read_data(cli, out, err);
    read_refs(cli, out);
    return r;
}

static int draw(struct cli *cli)
{
    struct figure_request request;
    struct figure_result result;
    const char *folder = "", *run_id = "";
    struct err err = { 0 };
    if (cli->args->n_operands)
        return command_misused(cli, "figure", "the text is named by --context FILE");
    if (!cli->args->context || !cli->args->caption)
        return command_misused(cli, "figure",
                               cli->args->context ? "what is its caption?"
                                                  : "which text is to be drawn?");
    enum err_code r = read_request(cli, &request, &err);
    if (!r)
        r = make_figure(cli->services, cli->scope, cli->arena, &request, &result, &folder, &run_id,
                        &err);
    return r ? output_error(cli, &err) : figure_output(cli, &result, run_id, folder);
}

int command_figure(struct cli *cli)
{
    const char *what = cli->args->n_operands ? cli->args->operands[0] : "";
    if (text_equal(what, "validate"))
        return command_figure_validate(cli);
    if (text_equal(what, "validate-log"))
        return command_figure_validate_log(cli);
    return draw(cli);
}
