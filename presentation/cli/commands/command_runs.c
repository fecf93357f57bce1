/* `mistro runs`: the log of what was done. */
#include "application/use_cases/runs/runs.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/list_options.h"
#include "presentation/cli/events/event_text.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"
#include <string.h>

enum { DIFFERENCE_COLUMNS = 400, STATS_COLUMNS = 7 };

static int list_of_runs(struct cli *cli)
{
    struct run *runs = NULL;
    size_t n = 0, most;
    struct err err = { 0 };
    if (!list_options_limit(cli, &most))
        return command_misused(cli, "runs", "-n takes a number, 0 for all");
    if (list_runs(cli->services, cli->scope, cli->arena, most, &runs, &n, &err))
        return output_error(cli, &err);
    json_auto_t *all = json_array();
    struct table table;
    table_init(&table, cli->arena, 6);
    for (size_t i = 0; i < n; i++) {
        int64_t ms = runs[i].finished_at_ms ? runs[i].finished_at_ms - runs[i].started_at_ms : -1;
        json_array_append_new(all, run_to_json(&runs[i]));
        table_row(&table, runs[i].id, list_options_time(cli->arena, runs[i].started_at_ms),
                  runs[i].kind, run_status_name(runs[i].status),
                  ms < 0 ? "" : arena_printf(cli->arena, "%lld ms", (long long)ms), runs[i].title);
    }
    if (cli->args->json)
        return !output_json(cli, all);
    (void)table_print(&table, cli);
    return 0;
}

static void print_run(struct cli *cli, const struct run *run)
{
    int64_t ms = run->finished_at_ms ? run->finished_at_ms - run->started_at_ms : -1;
    const char *title = run->title ? run->title : "";
    (void)output_line(cli, "run      %s", run->id);
    (void)output_line(cli, "what     %s%s%s", run->kind, *title ? ": " : "",
                      text_one_line(cli->arena, title, strlen(title), 400));
    (void)output_line(cli, "started  %s", list_options_time(cli->arena, run->started_at_ms));
    (void)output_line(cli, "ended    %s%s", run_status_name(run->status),
                      ms < 0 ? "" : arena_printf(cli->arena, " after %lld ms", (long long)ms));
    if (run->session_id && *run->session_id)
        (void)output_line(cli, "session  %s", run->session_id);
}

static int64_t sum_of_replies(const struct recorded_run *recorded, const char *key)
{
    int64_t sum = 0;
    for (size_t i = 0; i < recorded->n_events; i++) {
        const struct event *event = &recorded->events[i];
        int64_t n = event->kind == EVENT_MODEL_REPLIED ? json_get_int(event->data, key, -1) : -1;
        sum += n > 0 ? n : 0;
    }
    return sum;
}

/* What the endpoint counted of all calls; the events have each. */
static void print_tokens(struct cli *cli, const struct recorded_run *recorded)
{
    int64_t in = sum_of_replies(recorded, "prompt_tokens");
    int64_t cached = sum_of_replies(recorded, "cached_tokens");
    if (in)
        (void)output_line(cli, "tokens   %lld in, %lld of them cached, %lld out", (long long)in,
                          (long long)cached,
                          (long long)sum_of_replies(recorded, "completion_tokens"));
}

static bool print_event_line(struct cli *cli, const struct run *run, const struct event *event)
{
    bool on_terminal = cli->answer_style.is_terminal;
    size_t columns = console_columns(cli->console), used = 2 + 8 + 2 + 19;
    const char *text = event_text(cli->arena, event);
    size_t room = on_terminal && columns > used + 20 ? columns - used : 1000;
    return output_line(cli, "%7lld ms  %s%-18s%s %s",
                       (long long)(event->time_ms - run->started_at_ms), cli->answer_style.bold,
                       event_kind_name(event->kind), cli->answer_style.reset,
                       text_one_line(cli->arena, text, strlen(text), room));
}

static int show_one_run(struct cli *cli, const char *id)
{
    struct recorded_run recorded;
    struct err err = { 0 };
    if (show_run(cli->services, cli->scope, cli->arena, id, &recorded, &err))
        return output_error(cli, &err);
    json_auto_t *value = run_to_json(recorded.run);
    json_t *list = json_array();
    for (size_t i = 0; i < recorded.n_events; i++)
        json_array_append_new(list, event_to_json(&recorded.events[i]));
    json_object_set_new(value, "events", list);
    if (cli->args->json)
        return !output_json(cli, value);
    print_run(cli, recorded.run);
    print_tokens(cli, &recorded);
    (void)output_line(cli, "%s", "");
    for (size_t i = 0; i < recorded.n_events; i++)
        if (!print_event_line(cli, recorded.run, &recorded.events[i]))
            break;
    return 0;
}

static bool print_event(void *context, const struct event *event)
{
    struct cli *cli = context;
    json_auto_t *value = event_to_json(event);
    auto_str text = json_print(value);
    return output_text(cli, text, strlen(text));
}

/* In the form of --as, to stdout or the file of -o. */
static int export_one_run(struct cli *cli, const char *id)
{
    struct err err = { 0 };
    enum run_form form = RUN_FORM_RUN;
    const char *text = NULL;
    if (cli->args->as && !run_form_parse(cli->args->as, &form))
        return command_misused(cli, "runs", "--as takes run, transcript, final or round_log");
    if (export_run(cli->services, cli->scope, cli->arena, id, form, &text, &err) ||
        output_bytes(cli, text, strlen(text), &err))
        return output_error(cli, &err);
    return 0;
}

static int replay_one_run(struct cli *cli, const char *id)
{
    struct err err = { 0 };
    struct consensus_replay replay = { 0 };
    if (replay_run(cli->services, cli->scope, cli->arena, id, &replay, &err))
        return output_error(cli, &err);
    int status = replay.difference ? err_exit_status(ERR_FAILED) : 0;
    if (cli->args->json)
        return output_status_json(cli,
                                  json_pack("{s:b, s:i, s:s, s:s?}", "same", !replay.difference,
                                            "turns", (int)replay.turns, "end",
                                            consensus_end_name(replay.end), "difference",
                                            replay.difference),
                                  status);
    if (replay.difference) {
        const char *text = text_one_line(cli->arena, replay.difference, strlen(replay.difference),
                                         DIFFERENCE_COLUMNS);
        output_notice(cli, "the replay differs: %s", text);
    } else {
        (void)output_line(cli, "the same end after %u turns: %s", replay.turns,
                          consensus_end_name(replay.end));
    }
    return status;
}

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

/* How dependable each model was for each contract, and what it took. */
static int show_stats(struct cli *cli)
{
    struct err err = { 0 };
    const json_t *summary = NULL;
    if (summarise_runs(cli->services, cli->scope, cli->arena, &summary, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return !output_json(cli, summary);
    const json_t *groups = json_object_get(summary, "contracts");
    struct table table;
    table_init(&table, cli->arena, STATS_COLUMNS);
    for (size_t i = 0; i < json_array_size(groups); i++)
        add_group(&table, json_array_get(groups, i));
    if (json_array_size(groups) == 0)
        output_note(cli, "no model was asked in the %lld runs of the log",
                    (long long)json_get_int(summary, "runs", 0));
    (void)table_print(&table, cli);
    return 0;
}

static int prune_log(struct cli *cli)
{
    struct err err = { 0 };
    size_t removed = 0;
    if (remove_old_runs(cli->services, cli->scope, &removed, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli, json_pack("{s:I}", "removed", (json_int_t)removed), 0);
    output_note(cli, "removed %s", counted(cli->arena, (int64_t)removed, "run"));
    return 0;
}

int command_runs(struct cli *cli)
{
    struct err err = { 0 };
    const struct arguments *args = cli->args;
    const char *what = args->n_operands ? args->operands[0] : "list";
    if (strcmp(what, "list") == 0)
        return list_of_runs(cli);
    if (strcmp(what, "stats") == 0 && args->n_operands == 1)
        return show_stats(cli);
    if (strcmp(what, "prune") == 0 && args->n_operands == 1)
        return prune_log(cli);
    if (args->n_operands != 2)
        return command_misused(
            cli, "runs",
            "list, stats or prune; show, events, export or replay with the id of a "
            "run");
    if (args->as && strcmp(what, "export") != 0)
        return command_misused(cli, "runs", "--as belongs to export");
    if (strcmp(what, "show") == 0)
        return show_one_run(cli, args->operands[1]);
    if (strcmp(what, "export") == 0)
        return export_one_run(cli, args->operands[1]);
    if (strcmp(what, "replay") == 0)
        return replay_one_run(cli, args->operands[1]);
    if (strcmp(what, "events") != 0)
        return command_misused(cli, "runs", "list, show, events, export, replay, stats or prune?");
    if (visit_run_events(cli->services, cli->scope, args->operands[1], print_event, cli, &err))
        return output_error(cli, &err);
    return 0;
}
