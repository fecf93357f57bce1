/* `mistro runs list --queue Q`, `runs wait ID`, `runs cancel ID`: runs that workers do. */
#include "application/use_cases/runs/runs.h"
#include "application/workers/wait_run.h"
#include "application/workers/withdraw_run.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/repositories/run_queue.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/list_options.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"
#include "presentation/cli/output/turn_output.h"
#include <string.h>

static json_t *run_json(struct arena *arena, const struct queued_run *run)
{
    json_t *value =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:s*, s:s*, s:s*, s:o}", "run_id", run->run_id,
                  "queue", run->queue, "state", queue_state_name(run->state), "added_at",
                  list_options_time(arena, run->added_ms), "deaths", (int)run->n_deaths, "worker",
                  run->worker, "key", run->key, "reason", run->reason, "servers",
                  json_from_texts((const char **)(uintptr_t)run->servers, run->n_servers));
    if (run->not_before_ms)
        json_object_set_new(value, "not_before",
                            json_string(list_options_time(arena, run->not_before_ms)));
    if (run->is_cancelled && run->state == QUEUE_TAKEN)
        json_object_set_new(value, "cancelling", json_true());
    return value;
}

static json_t *worker_json(struct arena *arena, const struct queue_worker *worker)
{
    return json_pack("{s:s, s:s, s:i, s:i, s:s, s:o}", "name", worker->name, "queue", worker->queue,
                     "jobs", (int)worker->jobs, "busy", (int)worker->n_busy, "seen_at",
                     list_options_time(arena, worker->seen_ms), "servers",
                     json_from_texts((const char **)(uintptr_t)worker->servers, worker->n_servers));
}

static int print_json(struct cli *cli, const struct queued_run *runs, size_t n,
                      const struct queue_worker *workers, size_t n_workers)
{
    json_t *list = json_array(), *of_workers = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, run_json(cli->arena, &runs[i]));
    for (size_t i = 0; i < n_workers; i++)
        if (text_equal(workers[i].queue, cli->args->queue))
            json_array_append_new(of_workers, worker_json(cli->arena, &workers[i]));
    return output_status_json(cli,
                              json_pack("{s:i, s:o, s:o}", "version", LIST_OPTIONS_VERSION, "runs",
                                        list, "workers", of_workers),
                              0);
}

/* What there is to know of its state. */
static const char *remark(struct cli *cli, const struct queued_run *run)
{
    if (run->reason)
        return run->reason;
    if (run->state == QUEUE_QUEUED && run->not_before_ms)
        return arena_printf(cli->arena, "not before %s",
                            list_options_local_time(cli, run->not_before_ms));
    return run->state == QUEUE_TAKEN && run->is_cancelled ? "is to end" : "";
}

static int print_table(struct cli *cli, const struct queued_run *runs, size_t n)
{
    struct table table;
    table_init(&table, cli->arena, 5);
    for (size_t i = 0; i < n; i++)
        table_row(&table, runs[i].run_id, list_options_local_time(cli, runs[i].added_ms),
                  queue_state_name(runs[i].state), runs[i].worker ? runs[i].worker : "",
                  remark(cli, &runs[i]));
    (void)table_print(&table, cli);
    return 0;
}

int command_runs_of_queue(struct cli *cli, size_t most)
{
    struct run_queue *queue = NULL;
    struct queued_run *runs = NULL;
    struct queue_worker *workers = NULL;
    size_t n = 0, n_workers = 0;
    struct err err = { 0 };
    most = most && most < RUN_QUEUE_LIST_MAX ? most : RUN_QUEUE_LIST_MAX;
    if (services_queue(cli->services, &queue, &err) ||
        run_queue_list(queue, cli->scope, cli->args->queue, most, cli->arena, &runs, &n, &err))
        return output_error(cli, &err);
    if (!cli->args->json)
        return print_table(cli, runs, n);
    if (run_queue_workers(queue, cli->scope, cli->arena, &workers, &n_workers, &err))
        return output_error(cli, &err);
    return print_json(cli, runs, n, workers, n_workers);
}

int command_runs_wait(struct cli *cli, const char *id)
{
    struct err err = { 0 };
    const json_t *value = NULL;
    if (wait_for_run(cli->services, cli->scope, cli->arena, id, &value, &err))
        return output_error(cli, &err);
    const struct turn_result result = turn_result_from_json(cli->arena, value);
    if (cli->args->json || cli->args->events)
        return output_result_json(cli, json_share(value), turn_exit_status(&result));
    return turn_output(cli, &result, false);
}

int command_runs_cancel(struct cli *cli, const char *id)
{
    struct err err = { 0 };
    struct run *run = NULL;
    bool was_queued = false;
    if (find_run(cli->services, cli->scope, cli->arena, id, &run, &err) ||
        cancel_run(cli->services, cli->scope, run->id, &was_queued, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli,
                                  json_pack("{s:i, s:s, s:b}", "version", LIST_OPTIONS_VERSION,
                                            "run_id", run->id, "is_over", was_queued),
                                  0);
    output_note(cli, was_queued ? "cancelled" : "its worker was asked to end it");
    return 0;
}
