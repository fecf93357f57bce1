/* `mistro run FILE` and `mistro runs fork ID --plan FILE`: a plan from a file. */
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/plan_text.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/turn_output.h"
#include <string.h>

/* A file that cannot be read or understood is a bad plan (exit 7), whatever was wrong with it; one
 * with duplicate keys is told of them with everything else. */
static enum err_code read_plan(struct cli *cli, const char *path, struct document *out,
                               struct problems *faults, struct err *err)
{
    struct plan_text file;
    enum err_code r = plan_text_read(cli, path, &file, err);
    if (r == ERR_CANCELLED || r == ERR_TIMEOUT)
        return r;
    if (r)
        return err_prefix(err, ERR_BAD_PLAN, "plan");
    r = documents_parse_all(cli->services->documents, file.text, file.length, cli->arena, faults,
                            out, err);
    return r ? err_prefix(err, ERR_BAD_PLAN, "%.200s", path) : ERR_NONE;
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

int command_run_plan(struct cli *cli, const char *path, const char *forked)
{
    struct document document = { 0 };
    struct problems faults = { .arena = cli->arena };
    struct turn_result result;
    struct err err = { 0 };
    json_t *vars = NULL;
    if (read_plan(cli, path, &document, &faults, &err) ||
        plan_vars_read(cli, document.value, &vars, &err))
        return output_error(cli, &err);
    if (json_get_int(document.value, "version", 1) == 1)
        warn_of_unused_vars(cli, vars, document.value);
    struct run_plan_request request = { .plan = document.value,
                                        .document = &document,
                                        .faults = faults.n ? &faults : NULL,
                                        .vars = vars,
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
