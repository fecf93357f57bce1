/* `mistro submit PLAN|--ask REQUEST`: a run for a worker. */
#include "application/use_cases/sessions.h"
#include "application/workers/submit_run.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "domain/entities/queued_run.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/plan_text.h"
#include "presentation/cli/duration.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/turn_output.h"
#include <string.h>

#define MAX_WAIT_MS (INT64_C(3650) * 24 * 60 * 60 * 1000)

/* NULL, or what is wrong. */
static const char *read_time(struct cli *cli, int64_t *out_ms)
{
    const char *text = cli->args->at;
    int64_t now_ms = runtime_wall_ms(cli->services->runtime), wait_ms = 0;
    if (!text || (rfc3339_parse(text, out_ms) && *out_ms - now_ms <= MAX_WAIT_MS))
        return NULL;
    if (!strchr(text, 'T') && duration_read(text, MAX_WAIT_MS, &wait_ms)) {
        *out_ms = now_ms + wait_ms;
        return NULL;
    }
    return "--at takes a time (2030-12-31T06:00:00Z) or how long from now (90s, 10m, 2h, 30d), "
           "within ten years";
}

/* NULL, or what is wrong. */
static const char *misused(const struct cli *cli, const struct submission *submission)
{
    const struct arguments *args = cli->args;
    if (args->ask ? args->n_operands > 0 : args->n_operands != 1)
        return "a plan file, or --ask REQUEST";
    if (args->ask && args->vars.n)
        return "--var belongs to a plan file";
    if (!args->ask && (args->session || args->continue_last || args->no_session))
        return "--session, --continue and --no-session belong to --ask";
    if (!queue_name_is_valid(submission->queue))
        return "a queue has a name of 1 to 64 letters, digits, '_', '-' or '.'";
    return args->key && !queue_key_is_valid(args->key) ? "--key takes a text of 1 to 200 bytes"
                                                       : NULL;
}

static enum err_code read_plan(struct cli *cli, struct run_plan_request *out, struct err *err)
{
    struct linked_plan *linked = arena_new(cli->arena, struct linked_plan);
    struct problems *faults = arena_new(cli->arena, struct problems);
    json_t *vars = NULL;
    faults->arena = cli->arena;
    enum err_code r = plan_linked_read(cli, cli->args->operands[0], linked, faults, err);
    if (!r)
        r = plan_vars_read(cli, linked->value, &vars, err);
    *out = (struct run_plan_request){
        .plan = linked->value, .linked = linked, .faults = faults->n ? faults : NULL, .vars = vars
    };
    return r;
}

static enum err_code read_turn(struct cli *cli, struct turn_request *out, struct err *err)
{
    const struct arguments *args = cli->args;
    *out = (struct turn_request){ .message = args->ask, .no_session = args->no_session };
    return choose_session(cli->services, cli->scope, cli->arena, args->session, args->continue_last,
                          &out->session_id, err);
}

static int submit(struct cli *cli, const struct submission *submission)
{
    struct turn_result result;
    struct err err = { 0 };
    bool was_there;
    if (submit_run(cli->services, cli->scope, cli->arena, submission, &result, &was_there, &err))
        return output_error(cli, &err);
    if (result.status != RUN_QUEUED)
        return turn_output(cli, &result, false);
    /* A run that was there may be in another queue, and over. */
    const char *status = was_there ? NULL : run_status_name(result.status);
    const char *in_queue = was_there ? NULL : submission->queue;
    if (cli->args->json)
        return output_status_json(cli,
                                  json_pack("{s:i, s:s, s:s*, s:s*, s:b}", "version", 1, "run_id",
                                            result.run_id, "status", status, "queue", in_queue,
                                            "was_there", was_there),
                                  0);
    if (was_there)
        output_note(cli, "submitted before, with the same key");
    return !output_line(cli, "%s", result.run_id);
}

int command_submit(struct cli *cli)
{
    const char *queue = cli->args->queue;
    struct run_plan_request plan;
    struct turn_request turn;
    struct err err = { 0 };
    struct submission submission = { .queue = queue ? queue : QUEUE_DEFAULT,
                                     .key = cli->args->key };
    const char *why = misused(cli, &submission);
    if (!why)
        why = read_time(cli, &submission.not_before_ms);
    if (why)
        return command_misused(cli, "submit", why);
    if (cli->args->ask ? read_turn(cli, &turn, &err) : read_plan(cli, &plan, &err))
        return output_error(cli, &err);
    if (cli->args->ask)
        submission.turn = &turn;
    else
        submission.plan = &plan;
    return submit(cli, &submission);
}
