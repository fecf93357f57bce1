/* `mistro runs resume ID|--all`: goes on with a run, or with all that were interrupted. */
#include "application/use_cases/kept_run.h"
#include "application/use_cases/resume_run.h"
#include "application/use_cases/runs/runs.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/plan_text.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/consensus_output.h"
#include "presentation/cli/output/plan_outputs.h"
#include "presentation/cli/output/turn_output.h"
#include <string.h>

enum { RESULT_MAX_BYTES = 16 * 1024 * 1024, ERROR_COLUMNS = 400 };

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
        r = plan_word_split(cli, "set", cli->args->results.values[i], results, &name, &text, err);
        if (!r)
            r = read_result(cli, text, &value, err);
        if (!r)
            json_object_set_new(results, name, value);
        else
            err_prefix(err, r, "--set");
    }
    return r;
}

/* A consensus or a figure is shown as its command would show it. */
static int resume_one(struct cli *cli, struct resume_request request)
{
    struct err err = { 0 };
    struct turn_result result = { 0 };
    struct resumed_job job = { 0 };
    request.job = &job;
    if (resume_run(cli->services, cli->scope, cli->arena, &request, &result, &err))
        return turn_output_failed(cli, &result, &err);
    if (!job.consensus && !job.figure)
        return turn_output(cli, &result, false);
    int status = job.consensus ? consensus_output(cli, &job.consensus->result,
                                                  job.consensus->run_id, job.consensus->kind)
                               : command_figure_show(cli, job.figure);
    turn_output_resumption(cli, result.run_id, result.is_resumable);
    return status;
}

/* A line, or an element of the list, for each run. Those that left nothing to go on with are not
 * counted: nobody can do anything about them. One that was forked is left as it is. */
static int resume_as_one_of_many(struct cli *cli, struct resume_request request, json_t *list)
{
    struct err err = { 0 };
    struct turn_result result = { 0 };
    enum err_code r = resume_run(cli->services, cli->scope, cli->arena, &request, &result, &err);
    if (r == ERR_NOT_FOUND && text_equal(err.what, KEPT_RUN_NOTHING))
        return 0;
    bool is_skipped = r && text_equal(err.what, RESUME_RUN_FORKED);
    int status = is_skipped ? 0 : r ? err_exit_status(r) : turn_exit_status(&result);
    const char *name = run_status_name(is_skipped ? RUN_INTERRUPTED
                                       : r        ? run_status_of(r)
                                                  : result.status);
    const struct err *why = r ? &err : &result.err;
    json_array_append_new(list, r ? json_pack("{s:s, s:s, s:o}", "run_id", request.run_id, "status",
                                              name, "error", err_to_json(&err))
                                  : turn_result_to_json(&result));
    if (cli->args->json || cli->args->events)
        return status;
    (void)output_line(
        cli, "%s  %s%s%s", request.run_id, name, why->code ? ": " : "",
        why->code ? text_one_line(cli->arena, why->message, strlen(why->message), ERROR_COLUMNS)
                  : "");
    return status;
}

static int resume_next(const struct cli *cli, struct resume_request request, const char *id,
                       json_t *list)
{
    AUTO(arena) arena = { 0 };
    struct cli cli_of_run = *cli;
    cli_of_run.arena = &arena;
    request.run_id = id;
    request.is_one_of_all = true;
    return resume_as_one_of_many(&cli_of_run, request, list);
}

/* Oldest first, those that the log does not have behind the others. The highest status is the
 * command's. */
static int resume_all(struct cli *cli, const struct resume_request *request)
{
    struct err err = { 0 };
    struct run *runs = NULL;
    const char **unlogged = NULL;
    size_t n = 0, n_unlogged = 0;
    int status = 0;
    if (list_interrupted_runs(cli->services, cli->scope, cli->arena, &runs, &n, &err) ||
        list_unlogged_runs(cli->services, cli->scope, cli->arena, &unlogged, &n_unlogged, &err))
        return output_error(cli, &err);
    json_auto_t *list = json_array();
    while (n + n_unlogged > 0 && !cli->scope->cancelled) {
        const char *id = n ? runs[n - 1].id : unlogged[n_unlogged - 1];
        bool is_known = !n || resume_run_knows(runs[n - 1].kind);
        int one = is_known ? resume_next(cli, *request, id, list) : 0;
        if (n)
            n--;
        else
            n_unlogged--;
        status = one > status ? one : status;
    }
    if (cli->args->json || cli->args->events)
        return output_status_json(cli, json_incref(list), status);
    return status;
}

int command_runs_resume(struct cli *cli, const char *id)
{
    const struct arguments *args = cli->args;
    json_t *answers = NULL;
    json_t *results = arena_keep_json(cli->arena, json_object());
    struct err err = { 0 };
    struct resume_request request = { .run_id = id,
                                      .uncertain = UNCERTAIN_ASK,
                                      .results = results,
                                      .accepts_changes = args->accept_changes,
                                      .retries_failed = args->retry_failed };
    if (args->dry_run)
        return command_misused(cli, "runs", "resume makes the calls that are left: no --dry-run");
    if (args->uncertain && !uncertain_choice_parse(args->uncertain, &request.uncertain))
        return command_misused(cli, "runs", "--uncertain takes ask, repeat, done or fail");
    if (!id && (args->answers.n || args->results.n))
        return command_misused(cli, "runs", "--answer and --set are about a call of one run");
    if (plan_outputs_misused(args))
        return command_misused(cli, "runs", plan_outputs_misused(args));
    if (plan_answers_read(cli, &answers, &err) || read_results(cli, results, &err))
        return output_error(cli, &err);
    request.answers = answers;
    return id ? resume_one(cli, request) : resume_all(cli, &request);
}
