/* `mistro runs resume ID`: goes on with the run of a plan. */
#include "application/use_cases/resume_plan.h"
#include "domain/base/json.h"
#include "presentation/cli/command.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/turn_output.h"
#include <string.h>

enum { RESULT_MAX_BYTES = 16 * 1024 * 1024 };

/* Splits "NAME=VALUE". */
static enum err_code split(struct cli *cli, const char *flag, const char *word,
                           const char **out_name, const char **out_value, struct err *err)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return err_set(err, ERR_INVALID, 0, "--%s %.60s: write NAME=VALUE", flag, word);
    *out_name = arena_strndup(cli->arena, word, (size_t)(equals - word));
    *out_value = equals + 1;
    return ERR_NONE;
}

static enum err_code read_answers(struct cli *cli, json_t *answers, struct err *err)
{
    const char *name, *value;
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < cli->args->answers.n; i++) {
        r = split(cli, "answer", cli->args->answers.values[i], &name, &value, err);
        if (!r)
            json_object_set_new(answers, name, json_string(value));
    }
    return r;
}

static enum err_code read_result(struct cli *cli, const char *text, json_t **out, struct err *err)
{
    const struct file_reader reader = { cli->console, cli->scope, cli->arena, RESULT_MAX_BYTES };
    size_t length = strlen(text);
    enum err_code r = *text == '@' ? files_read(&reader, text + 1, &text, &length, err) : ERR_NONE;
    return r ? r : json_parse(text, length, JSON_OURS, out, err);
}

static enum err_code read_results(struct cli *cli, json_t *results, struct err *err)
{
    const char *name, *text;
    json_t *value = NULL;
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < cli->args->results.n; i++) {
        r = split(cli, "set", cli->args->results.values[i], &name, &text, err);
        if (!r)
            r = read_result(cli, text, &value, err);
        if (!r)
            json_object_set_new(results, name, value);
        else
            err_prefix(err, r, "--set");
    }
    return r;
}

int command_runs_resume(struct cli *cli, const char *id)
{
    const struct arguments *args = cli->args;
    json_t *answers = arena_keep_json(cli->arena, json_object());
    json_t *results = arena_keep_json(cli->arena, json_object());
    struct err err = { 0 };
    struct turn_result result = { 0 };
    struct resume_request request = { .run_id = id,
                                      .uncertain = UNCERTAIN_ASK,
                                      .answers = answers,
                                      .results = results,
                                      .accepts_changes = args->accept_changes,
                                      .retries_failed = args->retry_failed };
    if (args->uncertain && !uncertain_choice_parse(args->uncertain, &request.uncertain))
        return command_misused(cli, "runs", "--uncertain takes ask, repeat, done or fail");
    if (read_answers(cli, answers, &err) || read_results(cli, results, &err))
        return output_error(cli, &err);
    if (resume_plan(cli->services, cli->scope, cli->arena, &request, &result, &err))
        return turn_output_failed(cli, &result, &err);
    return turn_output(cli, &result, false);
}
