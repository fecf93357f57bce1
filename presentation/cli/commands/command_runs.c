/* `mistro runs`: the log of what was done. */
#include "application/use_cases/replay_kept.h"
#include "application/use_cases/resume_run.h"
#include "application/use_cases/run_plan.h"
#include "application/use_cases/runs/runs.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/list_options.h"
#include "presentation/cli/events/event_text.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"
#include "presentation/page/run_page.h"
#include <string.h>

enum { DIFFERENCE_COLUMNS = 400, STATS_COLUMNS = 7 };

static int list_of_runs(struct cli *cli)
{
    struct run *runs = NULL;
    size_t n = 0, most;
    struct err err = { 0 };
    if (!list_options_limit(cli, &most))
        return command_misused(cli, "runs", "-n takes a number, 0 for all");
    if (cli->args->queue)
        return command_runs_of_queue(cli, most);
    if (list_runs(cli->services, cli->scope, cli->arena, most, &runs, &n, &err))
        return output_error(cli, &err);
    json_auto_t *all = json_array();
    struct table table;
    table_init(&table, cli->arena, 7);
    for (size_t i = 0; i < n; i++) {
        int64_t ms = runs[i].finished_at_ms ? runs[i].finished_at_ms - runs[i].started_at_ms : -1;
        json_array_append_new(all, run_to_json(&runs[i]));
        table_row(&table, runs[i].id, list_options_local_time(cli, runs[i].started_at_ms),
                  runs[i].kind, run_status_name(runs[i].status),
                  ms < 0 ? "" : arena_printf(cli->arena, "%lld ms", (long long)ms),
                  list_options_folder(cli, json_get_string(runs[i].meta, "folder")), runs[i].title);
    }
    if (cli->args->json)
        return output_status_json(
            cli, json_pack("{s:i, s:O}", "version", LIST_OPTIONS_VERSION, "runs", all), 0);
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
    (void)output_line(cli, "started  %s", list_options_local_time(cli, run->started_at_ms));
    (void)output_line(cli, "ended    %s%s", run_status_name(run->status),
                      ms < 0 ? "" : arena_printf(cli->arena, " after %lld ms", (long long)ms));
    if (run->status == RUN_INTERRUPTED && resume_run_knows(run->kind))
        (void)output_line(cli, "go on    mistro runs resume %s", run->id);
    if (run->session_id && *run->session_id)
        (void)output_line(cli, "session  %s", run->session_id);
}

/* What the endpoint counted of all calls; the events have each. */
static void print_tokens(struct cli *cli, const struct recorded_run *recorded)
{
    int64_t in = recorded_sum(recorded, EVENT_MODEL_REPLIED, "prompt_tokens");
    int64_t cached = recorded_sum(recorded, EVENT_MODEL_REPLIED, "cached_tokens");
    if (in)
        (void)output_line(
            cli, "tokens   %lld in, %lld of them cached, %lld out", (long long)in,
            (long long)cached,
            (long long)recorded_sum(recorded, EVENT_MODEL_REPLIED, "completion_tokens"));
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

/* As a page, to stdout or the file of -o. */
static int show_one_page(struct cli *cli, const char *id)
{
    struct recorded_run recorded;
    struct run_page_input input = { .recorded = &recorded };
    struct err err = { 0 };
    if (cli->args->json || cli->args->events)
        return command_misused(cli, "runs",
                               "--html is a form of its own, without --json and --events");
    if (!cli->args->output && console_is_terminal(cli->console, CONSOLE_OUT))
        return command_misused(cli, "runs", "a page is for a browser; name its file: -o FILE.html");
    if (show_run(cli->services, cli->scope, cli->arena, id, &recorded, &err))
        return output_error(cli, &err);
    input.plan = recorded_plan(cli->arena, &recorded);
    if (input.plan)
        draw_plan(cli->services, cli->scope, cli->arena, input.plan, &recorded, &input.picture);
    const char *page = run_page(cli->arena, &input);
    return output_bytes(cli, page, strlen(page), &err) ? output_error(cli, &err) : 0;
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
        return command_misused(cli, "runs",
                               "--as takes run, transcript, final, round_log or otlp-json");
    if (cli->args->with_texts && form != RUN_FORM_OTLP_JSON)
        return command_misused(cli, "runs", "--with-texts belongs to export --as otlp-json");
    if (export_run(cli->services, cli->scope, cli->arena, id, form, cli->args->with_texts, &text,
                   &err) ||
        output_bytes(cli, text, strlen(text), &err))
        return output_error(cli, &err);
    return 0;
}

/* Why the events differ where the reason is that the cassette lacks something, which the event of
 * the replay tells; else NULL. */
static const char *what_is_missing(struct cli *cli, const struct replay_difference *difference)
{
    const struct err *miss = cli->host->ops->replay_miss(cli->host);
    bool is_told = difference->event && miss->code &&
                   strstr(json_print_in(cli->arena, difference->event), miss->message);
    return is_told ? miss->message : NULL;
}

static int report_replay(struct cli *cli, const struct kept_replay *replay,
                         const struct replay_difference *difference)
{
    const char *end = run_status_name(replay->run->status), *text = difference->text;
    const char *missing = what_is_missing(cli, difference);
    int status = err_exit_status(missing ? ERR_INVALID : text ? ERR_FAILED : ERR_NONE);
    if (cli->args->json || cli->args->events)
        return output_status_json(
            cli, json_pack("{s:b, s:s, s:s?}", "same", !text, "end", end, "difference", text),
            status);
    if (text)
        output_notice(cli, "the replay %s: %s", missing ? "lacks an answer" : "differs",
                      text_one_line(cli->arena, missing ? missing : text,
                                    strlen(missing ? missing : text), DIFFERENCE_COLUMNS));
    else
        (void)output_line(cli, "the same events, to the end: %s", end);
    return status;
}

static int replay_one_kept(struct cli *cli, const char *id)
{
    struct err err = { 0 };
    struct kept_replay replay;
    struct replay_difference difference;
    const char *live = cli->args->live;
    if (live && strcmp(live, "model") != 0 && strcmp(live, "tools") != 0)
        return command_misused(cli, "runs", "--live takes model or tools");
    enum err_code r = replay_kept_read(cli->services, cli->scope, cli->arena, id, &replay, &err);
    if (!r)
        r = cli->host->ops->replay_run(cli->host, replay.run->id, &err);
    if (!cli->args->events) /* what happened then is no news */
        cli->services->observer = NULL;
    if (!r)
        r = replay_kept(cli->services, cli->scope, cli->arena, &replay, &difference, &err);
    return r ? output_error(cli, &err) : report_replay(cli, &replay, &difference);
}

static bool is_consensus(struct cli *cli, const char *id)
{
    struct recorded_run recorded = { 0 };
    return !show_run(cli->services, cli->scope, cli->arena, id, &recorded, NULL) &&
           text_equal(recorded.run->kind, "consensus");
}

static int replay_one_run(struct cli *cli, const char *id)
{
    struct err err = { 0 };
    if (!is_consensus(cli, id))
        return replay_one_kept(cli, id);
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

/* NULL, or what is wrong: a flag of another part of the command would be left out of account. */
static const char *misplaced_flag(struct cli *cli, const char *what)
{
    const struct arguments *args = cli->args;
    const struct {
        bool is_given;
        const char *said, *parts;
    } flags[] = {
        { args->as, "--as belongs to export, fork and resume ID",
          args->resume_all ? " export fork " : " export fork resume " },
        { args->html, "--html belongs to show", " show " },
        { args->with_texts, "--with-texts belongs to export --as otlp-json", " export " },
        { args->live, "--live belongs to replay", " replay " },
        { args->limit, "-n belongs to list", " list " },
        { args->queue, "--queue belongs to list", " list " },
        { args->plan_file || args->vars.n, "--plan and --var belong to fork", " fork " },
        { args->dry_run, "--dry-run belongs to fork", " fork resume " },
        { args->output, "-o belongs to show --html, export, fork and resume ID",
          args->html         ? " show "
          : args->resume_all ? " export fork "
                             : " export fork resume " },
        { args->uncertain || args->results.n || args->answers.n || args->accept_changes ||
              args->retry_failed || args->resume_all,
          "--uncertain, --set, --answer, --accept-changes, --failed and --all belong to resume",
          " resume " },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(flags); i++)
        if (flags[i].is_given && !text_is_listed(flags[i].parts, what, strlen(what)))
            return flags[i].said;
    return NULL;
}

static int prune_log(struct cli *cli)
{
    struct err err = { 0 };
    struct removed_runs removed;
    if (remove_old_runs(cli->services, cli->scope, &removed, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli,
                                  json_pack("{s:I, s:I}", "removed", (json_int_t)removed.runs,
                                            "states", (json_int_t)removed.states),
                                  0);
    output_note(cli, "removed %s%s", counted(cli->arena, (int64_t)removed.runs, "run"),
                removed.states
                    ? arena_printf(cli->arena, " and %s",
                                   counted(cli->arena, (int64_t)removed.states, "kept state"))
                    : "");
    return 0;
}

int command_runs(struct cli *cli)
{
    struct err err = { 0 };
    const struct arguments *args = cli->args;
    const char *what = args->n_operands ? args->operands[0] : "list";
    const char *id = args->n_operands > 1 ? args->operands[1] : NULL;
    const char *misplaced = misplaced_flag(cli, what);
    if (misplaced)
        return command_misused(cli, "runs", misplaced);
    if (strcmp(what, "list") == 0)
        return list_of_runs(cli);
    if (strcmp(what, "stats") == 0)
        return show_stats(cli);
    if (strcmp(what, "prune") == 0)
        return prune_log(cli);
    if (id && args->resume_all)
        return command_misused(cli, "runs", "resume takes the id of a run or --all, not both");
    if (!id && !args->resume_all)
        return command_misused(cli, "runs", "the id of which run?");
    if (strcmp(what, "resume") == 0)
        return command_runs_resume(cli, id);
    if (strcmp(what, "fork") == 0)
        return args->plan_file ? command_run_plan(cli, args->plan_file, id)
                               : command_misused(cli, "runs", "fork ID takes --plan FILE");
    if (strcmp(what, "wait") == 0)
        return command_runs_wait(cli, id);
    if (strcmp(what, "cancel") == 0)
        return command_runs_cancel(cli, id);
    if (strcmp(what, "show") == 0)
        return args->html ? show_one_page(cli, id) : show_one_run(cli, id);
    if (strcmp(what, "export") == 0)
        return export_one_run(cli, id);
    if (strcmp(what, "replay") == 0)
        return replay_one_run(cli, id);
    if (visit_run_events(cli->services, cli->scope, id, print_event, cli, &err))
        return output_error(cli, &err);
    return 0;
}
