#include "presentation/cli/output/figure_output.h"
#include "application/figure/report/figure_files.h"
#include "application/use_cases/figure_options.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/output.h"
#include <string.h>

enum { NOTE_COLUMNS = 300 };

const char *figure_output_parent(struct cli *cli)
{
    const struct arguments *args = cli->args;
    if (args->out)
        return args->out;
    bool is_seen = console_is_terminal(cli->console, CONSOLE_OUT);
    return is_seen && !args->output && !args->json && !args->events ? FIGURE_DEFAULT_FOLDER : NULL;
}

static const char *suffix_of(const char *file)
{
    const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    return dot && (!slash || dot > slash) ? dot + 1 : "";
}

enum err_code figure_output_check(struct cli *cli, struct err *err)
{
    static const char *const known[] = { "svg", "png", "pdf", "json", "py", "txt" };
    const char *file = cli->args->output;
    if (!file || text_equal(file, "-"))
        return ERR_NONE;
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (strcasecmp(suffix_of(file), known[i]) == 0)
            return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "-o %.200s: which format is that?", file);
    return err_hint(err, r, "name it FILE.svg, .png, .pdf, .json, .py (a plot) or .txt (words)");
}

static const struct figure_round *best_of(const struct figure_result *result)
{
    return result->log.n_rounds ? &result->log.rounds[result->best] : NULL;
}

static enum err_code put_json(struct cli *cli, const struct figure_result *result,
                              const char *run_id, const char *folder, struct err *err)
{
    json_auto_t *value = figure_result_to_json(result, run_id, folder);
    if (!cli->args->events)
        return output_result_json(cli, value, err);
    output_result_event(cli, "result", json_share(value));
    return ERR_NONE;
}

/* The picture in the format that was asked for, else SVG, else what there is. */
static enum err_code put_picture(struct cli *cli, const struct picture *picture, const char *suffix,
                                 struct err *err)
{
    for (enum picture_format format = 0; format < PICTURE_N_FORMATS; format++) {
        bool is_asked = !*suffix || strcasecmp(suffix, picture_suffix(format)) == 0;
        if (is_asked && picture->bytes[format])
            return output_bytes(cli, picture->bytes[format], picture->lengths[format], err);
    }
    return err_set(err, ERR_INVALID, 0, "there is no %s of this figure",
                   *suffix ? suffix : "picture");
}

/* What is no picture goes into a file that is called what it is. */
static enum err_code put_text(struct cli *cli, const struct figure_artifact *artifact,
                              const char *suffix, struct err *err)
{
    bool is_words = artifact->type == FIGURE_ARTIFACT_IMAGE_PROMPT;
    if (!*suffix || strcasecmp(suffix, is_words ? "txt" : "py") == 0)
        return output_result_text(cli, artifact->value, err);
    if (is_words)
        return err_set(err, ERR_FAILED, 0, "%.*s", (int)strcspn(artifact->value, "\n"),
                       artifact->value);
    enum err_code r = err_set(err, ERR_INVALID, 0, "there is no %s of this figure", suffix);
    return err_hint(err, r, "it is a script: name it FILE.py and run it");
}

static bool has_format(const struct picture *picture, const char *suffix)
{
    for (enum picture_format format = 0; format < PICTURE_N_FORMATS; format++)
        if (picture->bytes[format] && strcasecmp(suffix, picture_suffix(format)) == 0)
            return true;
    return false;
}

/* A plot is a script, of which there may be a picture as well. */
static enum err_code put_best(struct cli *cli, const struct figure_result *result, struct err *err)
{
    const struct figure_round *best = best_of(result);
    const char *suffix = cli->args->output ? suffix_of(cli->args->output) : "";
    const struct picture *picture = &result->pictures[result->best];
    return best->artifact.type == FIGURE_ARTIFACT_IMAGE_PATH || has_format(picture, suffix)
               ? put_picture(cli, picture, suffix, err)
               : put_text(cli, &best->artifact, suffix, err);
}

/* The file in the folder that a person wants to see first. */
static const char *best_path(struct cli *cli, const struct figure_result *result,
                             const char *folder)
{
    const struct figure_round *best = best_of(result);
    if (!best || !best->rendered)
        return arena_printf(cli->arena, "%s/" FIGURE_INDEX, folder);
    if (best->artifact.type == FIGURE_ARTIFACT_CODE_TEXT)
        return arena_printf(cli->arena, "%s/figure.py", folder);
    const char *suffix = strrchr(best->artifact.value, '.');
    return arena_printf(cli->arena, "%s/figure%s", folder, suffix ? suffix : ".svg");
}

static void say_line(struct cli *cli, const char *line, size_t length)
{
    if (length)
        output_note(cli, "%s", text_one_line(cli->arena, line, length, NOTE_COLUMNS));
}

static void say_unresolved(struct cli *cli, const struct figure_result *result)
{
    if (result->end == FIGURE_END_CHECKED)
        output_note(cli, "checked by rules; no model has reviewed it");
    for (const char *line = result->unresolved; *line && result->end != FIGURE_END_CHECKED;) {
        size_t length = strcspn(line, "\n");
        say_line(cli, line, length);
        line += length + (line[length] == '\n');
    }
}

static int failed(struct cli *cli, const struct figure_result *result)
{
    struct err err = result->err;
    if (!err.code)
        err_set(&err, ERR_FAILED, 0, "the figure was not approved: %s",
                figure_end_name(result->end));
    return output_error(cli, &err);
}

static int status_of(const struct figure_result *result)
{
    if (figure_is_usable(result))
        return 0;
    return err_exit_status(result->err.code ? result->err.code : ERR_FAILED);
}

int figure_output(struct cli *cli, const struct figure_result *result, const char *run_id,
                  const char *folder)
{
    struct err err = { 0 };
    enum err_code r = ERR_NONE;
    const char *file = cli->args->output;
    bool as_json =
        cli->args->json || cli->args->events || (file && strcasecmp(suffix_of(file), "json") == 0);
    say_unresolved(cli, result);
    if (as_json)
        r = put_json(cli, result, run_id, folder, &err);
    else if (*folder)
        (void)output_line(cli, "%s", best_path(cli, result, folder));
    if (!as_json && !r && best_of(result) && (file || !*folder))
        r = put_best(cli, result, &err);
    if (r)
        return output_error(cli, &err);
    int status = status_of(result);
    return status && !as_json ? failed(cli, result) : status;
}
