#include "presentation/cli/output/stats_report.h"
#include "application/use_cases/runs/runs.h"
#include "domain/base/json.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"

enum { COLUMNS = 7 };

/* "14 requests", "1 request" */
static const char *counted(struct arena *arena, int64_t n, const char *what)
{
    return arena_printf(arena, "%lld %s%s", (long long)n, what, n == 1 ? "" : "s");
}

static int64_t sum_of(const json_t *rungs, const char *key)
{
    const char *name;
    json_t *rung;
    int64_t sum = 0;
    json_each_member (rungs, name, rung)
        sum += json_get_int(rung, key, 0);
    return sum;
}

static void add_row(struct table *table, const json_t *group, const char *rung, const char *answers,
                    int64_t requests, int64_t tokens, int64_t ms)
{
    struct arena *arena = table->arena;
    const char *model = json_get_string(group, "model");
    table_row(table, json_get_string(group, "contract"), model && *model ? model : "(no answer)",
              rung, answers, counted(arena, requests, "request"), counted(arena, tokens, "token"),
              arena_printf(arena, "%lld ms", (long long)ms));
}

/* The contract with its model as a whole, then what each rung did. */
static void add_group(struct table *table, const json_t *group)
{
    const json_t *rungs = json_object_get(group, "rungs");
    const char *name;
    json_t *rung;
    add_row(table, group, "all",
            arena_printf(table->arena, "%lld of %lld answered",
                         (long long)json_get_int(group, "answered", 0),
                         (long long)json_get_int(group, "asked", 0)),
            sum_of(rungs, "requests"), sum_of(rungs, "prompt_tokens") + sum_of(rungs, "tokens"),
            sum_of(rungs, "ms"));
    json_each_member (rungs, name, rung)
        add_row(table, group, name,
                counted(table->arena, json_get_int(rung, "answers", 0), "answer"),
                json_get_int(rung, "requests", 0),
                json_get_int(rung, "prompt_tokens", 0) + json_get_int(rung, "tokens", 0),
                json_get_int(rung, "ms", 0));
}

int stats_report(struct cli *cli)
{
    struct err err = { 0 };
    const json_t *summary = NULL;
    if (summarise_runs(cli->services, cli->scope, cli->arena, &summary, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return !output_json(cli, summary);
    const json_t *groups = json_object_get(summary, "contracts");
    struct table table;
    table_init(&table, cli->arena, COLUMNS);
    for (size_t i = 0; i < json_array_size(groups); i++)
        add_group(&table, json_array_get(groups, i));
    if (json_array_size(groups) == 0)
        output_note(cli, "no model was asked in the %lld runs of the log",
                    (long long)json_get_int(summary, "runs", 0));
    (void)table_print(&table, cli);
    return 0;
}
