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
#include "presentation/cli/output/turn_output.h"
#include <errno.h>
#include <string.h>

#define DEFAULT_FOLDER "runs"

enum {
    NOTE_COLUMNS = 300,
    MAX_NOTES = 8,
    FOLDER_MAX_BYTES = 256 * 1024 * 1024,
};

/* A NUL byte would end the text early, so it is refused here. */
static enum err_code read_context(struct cli *cli, const char **out, struct err *err)
{
    size_t length = 0, most = (size_t)cli->services->settings->figure_max_context_bytes;
    enum err_code r =
        files_read(&(struct file_reader){ cli->console, cli->scope, cli->arena, most },
                   cli->args->context, out, &length, err);
    if (r == ERR_LIMIT)
        (void)err_hint(err, r, "the bound is figure.max_context_bytes");
    if (r)
        return err_prefix(err, r, "context");
    if (memchr(*out, '\0', length) || !text_is_utf8(*out, length))
        return err_set(err, ERR_INVALID, 0, "%.200s is not text",
                       text_equal(cli->args->context, "-") ? "standard input" : cli->args->context);
    return ERR_NONE;
}

static enum err_code read_mode(struct cli *cli, enum figure_mode *out, struct err *err)
{
    const char *mode = cli->args->mode;
    if (!mode || figure_mode_parse(mode, out))
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "--mode %.60s is unknown", mode);
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
        files_read(&(struct file_reader){ cli->console, cli->scope, cli->arena, most }, file,
                   &bytes, &length, err);
    return r ? r
             : plot_table_from_text(cli->arena, bytes, length, most, slash ? slash + 1 : file, out,
                                    err);
}

/* A name with one slash and no dot can be a tool. */
static bool may_be_tool(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash && slash > name && slash[1] && !strchr(slash + 1, '/') && !strchr(name, '.');
}

/* A file that is there wins over a tool of that name. */
static enum err_code read_file_or_tool(struct cli *cli, const char *name, struct plot_data *out,
                                       struct err *err)
{
    enum err_code r = read_file(cli, name, out, err);
    bool is_missing = r && (err->origin == ENOENT || err->origin == ENOTDIR);
    return is_missing && may_be_tool(name) ? call_for_data(cli, name, out, err) : r;
}

static enum err_code read_data(struct cli *cli, struct figure_request *request, struct err *err)
{
    const char *name = cli->args->data;
    struct plot_data *data = arena_new(cli->arena, struct plot_data);
    if (!name)
        return ERR_NONE;
    enum err_code r = read_file_or_tool(cli, name, data, err);
    if (r)
        return err_prefix(err, r, "data");
    request->data = data;
    return ERR_NONE;
}

static void read_refs(struct cli *cli, struct figure_request *request)
{
    const char **refs = arena_array(cli->arena, const char *, FIGURE_MAX_REFS + 1);
    char *rest, *id = arena_strdup(cli->arena, cli->args->refs ? cli->args->refs : "");
    size_t n = 0;
    for (id = strtok_r(id, ",", &rest); id && n <= FIGURE_MAX_REFS; id = strtok_r(NULL, ",", &rest))
        refs[n++] = id;
    request->refs = refs;
    request->n_refs = n;
}

/* --out; on a terminal without -o and --json the default folder; else NULL. */
static const char *folder_of(struct cli *cli)
{
    const struct arguments *args = cli->args;
    if (args->out)
        return args->out;
    bool is_seen = console_is_terminal(cli->console, CONSOLE_OUT);
    return is_seen && !args->output && !args->json && !args->events ? DEFAULT_FOLDER : NULL;
}

static const char *suffix_of(const char *file)
{
    const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    return dot && (!slash || dot > slash) ? dot + 1 : "";
}

/* The file of -o, where that is not standard output; else NULL. */
static const char *file_of(const struct cli *cli)
{
    return text_equal(cli->args->output, "-") ? NULL : cli->args->output;
}

static bool has_suffix(const char *file, const char *list)
{
    return file && text_is_listed(list, suffix_of(file), strlen(suffix_of(file)));
}

/* ERR_INVALID: a suffix of -o that no figure has. */
static enum err_code check_output_suffix(struct cli *cli, struct err *err)
{
    const char *file = file_of(cli);
    if (!file || has_suffix(file, " svg png pdf dot mmd drawio json py txt "))
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "-o %.200s: which format is that?", file);
    return err_hint(err, r,
                    "name it FILE.svg, .png, .pdf, .dot, .mmd, .drawio, .json, .py (a plot) or "
                    ".txt (words)");
}

/* ERR_INVALID: a flag that would be left out of account. */
static enum err_code check_flags(const struct arguments *args, const struct figure_request *request,
                                 struct err *err)
{
    bool is_plot = request->mode == FIGURE_MODE_PLOT_CODE;
    const char *lost = args->data && !is_plot ? "--data goes with --mode plot_code"
                       : (args->width || args->as_list) && is_plot
                           ? "--width and --as-list go with a diagram, not with --mode plot_code"
                       : has_suffix(args->output, is_plot ? " dot mmd drawio " : " py ")
                           ? "-o: FILE.py is of a plot, .dot, .mmd and .drawio are of a diagram"
                       : args->events && has_suffix(args->output, " json ")
                           ? "--events prints the result itself: -o names a picture beside it"
                       : args->case_name && !request->out ? "--name goes with --out DIR"
                       : args->role || args->input        ? "--role and --input go with validate"
                                                          : NULL;
    return lost ? err_set(err, ERR_INVALID, 0, "%s", lost) : ERR_NONE;
}

static enum err_code read_request(struct cli *cli, struct figure_request *out, struct err *err)
{
    const struct arguments *args = cli->args;
    *out = (struct figure_request){ .caption = args->caption,
                                    .communicative_intent = args->intent,
                                    .style = args->figure_style,
                                    .width = args->width,
                                    .as_list = args->as_list,
                                    .wants_picture = has_suffix(args->output, " svg png pdf "),
                                    .out = folder_of(cli),
                                    .name = args->case_name };
    enum err_code r = check_output_suffix(cli, err);
    if (!r)
        r = read_mode(cli, &out->mode, err);
    if (!r)
        r = check_flags(args, out, err);
    if (!r)
        r = arguments_count("--max-rounds", args->max_rounds, FIGURE_MAX_ROUNDS, &out->max_rounds,
                            err);
    if (!r)
        r = read_context(cli, &out->source_context, err);
    if (!r)
        r = read_data(cli, out, err);
    read_refs(cli, out);
    return r;
}

static const struct figure_round *best_of(const struct figure_result *result)
{
    return result->log.n_rounds ? &result->log.rounds[result->best] : NULL;
}

/* Of the file that a person wants first: the picture as SVG, else the first there is. A plot is a
 * script, of which a folder may have a picture as well. */
static const char *best_suffix(const struct made_figure *made)
{
    const struct picture *picture = &made->result.pictures[made->result.best];
    bool is_code = best_of(&made->result)->artifact.type == FIGURE_ARTIFACT_CODE_TEXT;
    for (enum picture_format format = 0; format < PICTURE_N_FORMATS; format++)
        if (picture->bytes[format] && (!is_code || *made->folder))
            return picture_suffix(format);
    return is_code ? "py" : "txt";
}

/* The file that was asked for, else the best. err: why nothing was drawn. */
static enum err_code put_best(struct cli *cli, const struct made_figure *made, struct err *err)
{
    const struct figure_result *result = &made->result;
    const char *suffix = file_of(cli) ? suffix_of(file_of(cli)) : best_suffix(made);
    const struct figure_file *file = figure_file_of(cli->arena, result, &made->style, suffix);
    if (file)
        return output_bytes(cli, file->bytes, file->length, err);
    if (!best_of(result)->rendered)
        return err->code;
    enum err_code r = err_set(err, ERR_INVALID, 0, "there is no %s of this figure", suffix);
    return err_hint(err, r,
                    "FILE.txt is of what was not drawn, FILE.py of a plot, whose picture needs "
                    "matplotlib (Debian's package is python3-matplotlib)");
}

static void note_unresolved(struct cli *cli, const struct figure_result *result)
{
    size_t n = 0;
    if (!result->log.n_rounds)
        return; /* the error says it all */
    for (const char *line = result->unresolved; *line;) {
        size_t length = strcspn(line, "\n");
        if (length && n++ < MAX_NOTES)
            output_note(cli, "%s", text_one_line(cli->arena, line, length, NOTE_COLUMNS));
        line += length + (line[length] == '\n');
    }
    if (n > MAX_NOTES)
        output_note(cli, "and %zu more, which --json has", n - MAX_NOTES);
}

int command_figure_show(struct cli *cli, const struct made_figure *made)
{
    const struct figure_result *result = &made->result;
    const char *folder = made->folder, *file = file_of(cli);
    const struct figure_round *best = best_of(result);
    struct err err = result->err;
    bool is_json_file = has_suffix(file, " json "), is_drawn = best && best->rendered;
    bool wants_json = cli->args->json || cli->args->events || is_json_file;
    bool is_wanted = result->chosen_by_person || figure_is_usable(result);
    const char *why = best && !is_drawn ? best->artifact.value : figure_end_name(result->end);
    if (!err.code)
        (void)err_set(&err, ERR_FAILED, 0, "%s%.*s",
                      is_drawn ? "the figure was not approved: " : "", (int)strcspn(why, "\n"),
                      why);
    note_unresolved(cli, result);
    if (*folder && !wants_json)
        (void)output_line(cli, "%s/%s%s", folder, is_drawn ? "figure." : FIGURE_INDEX,
                          is_drawn ? best_suffix(made) : "");
    bool has_place = wants_json ? file && !is_json_file : cli->args->output || !*folder;
    enum err_code r = best && has_place ? put_best(cli, made, &err) : ERR_NONE;
    if (!wants_json || (r && is_wanted))
        return r || !is_wanted ? output_error(cli, &err) : 0;
    json_t *value = figure_result_to_json(result, made->end.run_id, folder);
    int status = is_wanted ? 0 : err_exit_status(err.code);
    bool is_beside = file && !is_json_file && !cli->args->events; /* the picture in the file */
    return is_beside ? output_status_json(cli, value, status)
                     : output_result_json(cli, value, status);
}

static int make(struct cli *cli, const struct figure_request *request)
{
    struct made_figure made = { .end.run_id = "" };
    struct err err = { 0 };
    enum err_code r = make_figure(cli->services, cli->scope, cli->arena, request, &made, &err);
    int status = r ? output_error(cli, &err) : command_figure_show(cli, &made);
    turn_output_resumption(cli, made.end.run_id, made.end.is_resumable);
    return status;
}

static int draw(struct cli *cli)
{
    struct figure_request request;
    struct err err = { 0 };
    if (!cli->args->context || !cli->args->caption)
        return command_misused(cli, "figure",
                               cli->args->context ? "what is its caption?"
                                                  : "which text is to be drawn?");
    return read_request(cli, &request, &err) ? output_error(cli, &err) : make(cli, &request);
}

/* The folder of a figure, DIR/CASE, and what is in it. */
static enum err_code read_folder(struct cli *cli, struct figure_request *out, struct err *err)
{
    static const char *const any[] = { "" };
    const char *folder = cli->args->operands[1], **names;
    size_t length = strlen(folder), n, left = FOLDER_MAX_BYTES;
    while (length > 1 && folder[length - 1] == '/')
        length--;
    folder = arena_strndup(cli->arena, folder, length);
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    bool is_nameless = !*name || text_equal(name, ".") || text_equal(name, "..");
    length = slash && slash != folder ? (size_t)(slash - folder) : 1;
    *out = (struct figure_request){ .out = slash ? arena_strndup(cli->arena, folder, length) : ".",
                                    .name = name };
    enum err_code r =
        is_nameless ? err_set(err, ERR_INVALID, 0, "\"%.200s\" has no name of its own", folder)
                    : files_list(cli->arena, folder, any, ARRAY_LENGTH(any), &names, &n, err);
    if (r)
        return err_hint(err, r, "name the folder of a figure from the folder above: runs/tcp");
    struct figure_file *files = arena_array(cli->arena, struct figure_file, n + 1);
    out->files = files;
    for (size_t i = 0; !r && i < n; i++) {
        struct figure_file *file = &files[out->n_files];
        if (!figure_folder_keeps(names[i]))
            continue;
        file->name = names[i];
        r = files_read_plain(&(struct file_reader){ cli->console, cli->scope, cli->arena, left },
                             arena_printf(cli->arena, "%s/%s", folder, names[i]), &file->bytes,
                             &file->length, err);
        left -= r ? 0 : file->length;
        out->n_files++;
    }
    return r;
}

/* `choose DIR ROUND` and `continue DIR FEEDBACK` */
static int change(struct cli *cli)
{
    const struct arguments *args = cli->args;
    struct figure_request request;
    struct err err = { 0 };
    if (args->n_operands != 3)
        return command_misused(cli, "figure", "which folder, and which round or feedback?");
    if (args->context || args->caption || args->intent || args->mode || args->data ||
        args->figure_style || args->refs || args->as_list || args->out || args->case_name ||
        args->width || (args->max_rounds && text_equal(args->operands[0], "choose")))
        return command_misused(cli, "figure", "what a figure was made of stays as it was");
    enum err_code r = read_folder(cli, &request, &err);
    if (!r)
        r = check_output_suffix(cli, &err);
    if (!r)
        r = arguments_count("--max-rounds", args->max_rounds, FIGURE_MAX_ROUNDS,
                            &request.max_rounds, &err);
    request.round = -1;
    if (text_equal(args->operands[0], "continue"))
        request.feedback = args->operands[2];
    else
        (void)text_to_int64(args->operands[2], &request.round);
    return r ? output_error(cli, &err) : make(cli, &request);
}

int command_figure(struct cli *cli)
{
    const char *what = cli->args->n_operands ? cli->args->operands[0] : "";
    if (text_equal(what, "validate"))
        return command_figure_validate(cli);
    if (text_equal(what, "validate-log"))
        return command_figure_validate_log(cli);
    return *what ? change(cli) : draw(cli);
}
