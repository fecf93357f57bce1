/* `mistro run FILE` and `mistro runs fork ID --plan FILE`: a plan from a file. */
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/plan_text.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/plan_outputs.h"
#include "presentation/cli/output/turn_output.h"
#include <string.h>

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

/* A plan that may ask a model says which one on the command line: no other run contacts any. */
static enum err_code check_words(struct cli *cli, const json_t *plan, const json_t *answers,
                                 struct err *err)
{
    const char *key;
    const json_t *value;
    json_each_member (answers, key, value)
        if (!text_starts_with(key, APPROVE_KEY))
            return err_set(err, ERR_INVALID, 0, "--answer %.80s: a key is " APPROVE_KEY "STEP",
                           key);
    if (plan_max_steps_refused(cli, plan_version_of(plan), err))
        return err->code;
    if (!json_get_string(plan, "model") || cli->args->model || cli->args->dry_run)
        return ERR_NONE;
    err_set(err, ERR_INVALID, 0, "the plan may ask a model, and none is named");
    return err_hint(err, ERR_INVALID, "name it with -m, or look at the calls with --dry-run");
}

int command_run_plan(struct cli *cli, const char *path, const char *forked)
{
    struct linked_plan linked = { 0 };
    struct problems faults = { .arena = cli->arena };
    struct turn_result result;
    struct err err = { 0 };
    json_t *vars = NULL, *answers = NULL;
    if (plan_outputs_misused(cli->args))
        return command_misused(cli, forked ? "runs" : "run", plan_outputs_misused(cli->args));
    if (plan_linked_read(cli, path, &linked, &faults, &err) ||
        plan_vars_read(cli, linked.value, &vars, &err) || plan_answers_read(cli, &answers, &err) ||
        check_words(cli, linked.value, answers, &err))
        return output_error(cli, &err);
    if (plan_version_of(linked.value) == 1)
        warn_of_unused_vars(cli, vars, linked.value);
    struct run_plan_request request = { .plan = linked.value,
                                        .linked = &linked,
                                        .faults = faults.n ? &faults : NULL,
                                        .vars = vars,
                                        .approvals = answers,
                                        .dry_run = cli->args->dry_run };
    if (forked ? fork_plan(cli->services, cli->scope, cli->arena, forked, &request, &result, &err)
               : run_plan(cli->services, cli->scope, cli->arena, &request, &result, &err))
        return turn_output_failed(cli, &result, &err);
    return turn_output(cli, &result, false);
}

int command_run(struct cli *cli)
{
    if (!cli->args->n_operands)
        return command_misused(cli, "run", "which plan file?");
    return command_run_plan(cli, cli->args->operands[0], NULL);
}
