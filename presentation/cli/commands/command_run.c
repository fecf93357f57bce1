/* `mistro run FILE` and `mistro runs fork ID --plan FILE`: a plan from a file. */
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_inputs.h"
#include "presentation/cli/command.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/turn_output.h"
#include <string.h>

enum { PLAN_MAX_BYTES = 4 * 1024 * 1024 };

/* A file that cannot be read or understood is a bad plan (exit 7), whatever was wrong with it. */
static enum err_code read_plan(struct cli *cli, const char *path, struct document *out,
                               struct err *err)
{
    const char *text = NULL;
    size_t length = 0;
    enum err_code r =
        files_read(&(struct file_reader){ cli->console, cli->scope, cli->arena, PLAN_MAX_BYTES },
                   path, &text, &length, err);
    if (r == ERR_CANCELLED || r == ERR_TIMEOUT)
        return r;
    if (r)
        return err_prefix(err, ERR_BAD_PLAN, "plan");
    r = documents_parse(cli->services->documents, text, length, cli->arena, out, err);
    return r ? err_prefix(err, ERR_BAD_PLAN, "%.200s", path) : ERR_NONE;
}

/* NAME=TEXT. Version 2 has types: NAME=TEXT takes that of the input, NAME:=JSON is JSON, and
 * NAME@FILE has its text from a file. */
static enum err_code read_var(struct cli *cli, const char *word, const json_t *inputs, json_t *vars,
                              struct err *err)
{
    size_t length = strcspn(word, inputs ? "=@:" : "=");
    const char *name = arena_strndup(cli->arena, word, length), *sign = word + length;
    const json_t *input = json_object_get(inputs, name);
    const char *text = sign + 1;
    json_t *value = NULL;
    bool is_json = inputs && text_starts_with(sign, ":=");
    if (length == 0 || !*sign || (*sign == ':' && !is_json))
        return err_set(err, ERR_INVALID, 0, "--var %.60s: write NAME=VALUE%s", word,
                       inputs ? ", NAME:=JSON or NAME@FILE" : "");
    if (*sign == '@') {
        enum err_code r = files_read(
            &(struct file_reader){ cli->console, cli->scope, cli->arena, PLAN_MAX_BYTES }, text,
            &text, &(size_t){ 0 }, err);
        if (r)
            return err_prefix(err, r, "--var %.60s", name);
    }
    if (is_json && json_parse(sign + 2, strlen(sign + 2), JSON_OURS, &value, err))
        return err_prefix(err, ERR_INVALID, "--var %.60s", name);
    if (!is_json)
        value = input ? plan_input_from_text(input, text) : json_string(text);
    if (!value)
        return err_set(err, ERR_INVALID, 0, "--var %.60s: not text in UTF-8", name);
    json_object_set_new(vars, name, value);
    return ERR_NONE;
}

/* inputs: of a plan of version 2; else NULL. */
static enum err_code read_vars(struct cli *cli, const json_t *inputs, json_t **out, struct err *err)
{
    enum err_code r = ERR_NONE;
    *out = arena_keep_json(cli->arena, json_object());
    for (size_t i = 0; !r && i < cli->args->vars.n; i++)
        r = read_var(cli, cli->args->vars.values[i], inputs, *out, err);
    return r;
}

static const json_t *inputs_of(struct cli *cli, const json_t *plan)
{
    if (json_get_int(plan, "version", 1) == 1)
        return NULL;
    const json_t *inputs = json_object_get(plan, "inputs");
    return inputs ? inputs : arena_keep_json(cli->arena, json_object());
}

/* Without a warning, a mistyped name would leave the default in place unnoticed. */
static void warn_of_unused_vars(struct cli *cli, const json_t *vars, const json_t *plan)
{
    const char *name;
    const json_t *value;
    auto_str text = json_print(plan);
    json_each_member (vars, name, value) {
        const char *reference = arena_printf(cli->arena, "vars.%s", name);
        if (!json_object_get(json_object_get(plan, "vars"), name) && !strstr(text, reference))
            output_warning(
                cli, arena_printf(cli->arena, "--var %s: the plan has no such variable", name));
    }
}

/* The step a problem is about. Where two have the same id, the later one is wrong. */
static int step_of(const struct plan *plan, const struct problem *problem)
{
    int found = plan && problem->step ? plan_find_step(plan, problem->step) : -1;
    if (found < 0 || !text_equal(problem->path, "/id"))
        return found;
    for (size_t i = (size_t)found; i < plan->n_steps; i++)
        if (strcmp(plan->steps[i].id, problem->step) == 0)
            found = (int)i;
    return found;
}

/* Where the member stands that a problem names: one of the step's own, else an argument. */
static const char *place_in_document(struct arena *arena, const json_t *plan, int step,
                                     const char *path)
{
    const char *at = arena_printf(arena, json_is_array(plan) ? "/%d" : "/steps/%d", step);
    const json_t *value = json_path_find(plan, at);
    bool is_own = *path && json_path_find(value, path) &&
                  !json_path_find(json_object_get(value, "args"), path);
    return arena_printf(arena, "%s%s%s", at, is_own ? "" : "/args", path);
}

/* Problems of steps and arguments get the line and column where a person has to look. */
static void add_places(struct cli *cli, const struct document *document, struct turn_result *result)
{
    const struct problems *problems = result->problems;
    for (size_t i = 0; problems && i < problems->n; i++) {
        struct problem *problem = &problems->list[i];
        int line, column, step = step_of(result->plan, problem);
        const char *path = problem->path ? problem->path : "";
        if (step >= 0)
            path = place_in_document(cli->arena, document->value, step, path);
        if (documents_place(cli->services->documents, document, path, &line, &column))
            problem->message =
                arena_printf(cli->arena, "%s (line %d, column %d)", problem->message, line, column);
    }
}

int command_run_plan(struct cli *cli, const char *path, const char *forked)
{
    struct document document = { 0 };
    struct turn_result result;
    struct err err = { 0 };
    json_t *vars = NULL;
    if (read_plan(cli, path, &document, &err))
        return output_error(cli, &err);
    const json_t *inputs = inputs_of(cli, document.value);
    if (read_vars(cli, inputs, &vars, &err))
        return output_error(cli, &err);
    if (!inputs)
        warn_of_unused_vars(cli, vars, document.value);
    struct run_plan_request request = { .plan = document.value,
                                        .vars = vars,
                                        .dry_run = cli->args->dry_run };
    if (forked ? fork_plan(cli->services, cli->scope, cli->arena, forked, &request, &result, &err)
               : run_plan(cli->services, cli->scope, cli->arena, &request, &result, &err))
        return turn_output_failed(cli, &result, &err);
    add_places(cli, &document, &result);
    return turn_output(cli, &result, false);
}

int command_run(struct cli *cli)
{
    if (!cli->args->n_operands)
        return command_misused(cli, "run", "which plan file?");
    return command_run_plan(cli, cli->args->operands[0], NULL);
}
