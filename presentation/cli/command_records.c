/* `mistro runs` and `mistro sessions`: what is kept. */
#include "application/use_cases/runs.h"
#include "application/use_cases/sessions.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/event_text.h"
#include "presentation/cli/output.h"
#include "presentation/cli/stats_report.h"
#include "presentation/cli/table.h"
#include <string.h>

enum { LISTED_BY_DEFAULT = 20 };

static const char *time_text(struct arena *arena, int64_t ms)
{
    char text[RFC3339_SIZE];
    return ms ? arena_strdup(arena, rfc3339_print(ms, text)) : "";
}

/* -n N; 0 lists all. */
static bool listed(const struct cli *cli, size_t *out_n)
{
    int64_t n = LISTED_BY_DEFAULT;
    if (cli->args->limit && (!text_to_int64(cli->args->limit, &n) || n < 0))
        return false;
    *out_n = (size_t)n;
    return true;
}

static int list_of_runs(struct cli *cli)
{
    struct run *runs = NULL;
    size_t n = 0, most;
    struct err err = { 0 };
    if (!listed(cli, &most))
        return command_misused(cli, "runs", "-n takes a number, 0 for all");
    if (list_runs(cli->services, cli->scope, cli->arena, most, &runs, &n, &err))
        return output_error(cli, &err);
    json_auto_t *all = json_array();
    struct table table;
    table_init(&table, cli->arena, 6);
    for (size_t i = 0; i < n; i++) {
        int64_t ms = runs[i].finished_at_ms ? runs[i].finished_at_ms - runs[i].started_at_ms : -1;
        json_array_append_new(all, run_to_json(&runs[i]));
        table_row(&table, runs[i].id, time_text(cli->arena, runs[i].started_at_ms), runs[i].kind,
                  run_status_name(runs[i].status),
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
    (void)output_line(cli, "started  %s", time_text(cli->arena, run->started_at_ms));
    (void)output_line(cli, "ended    %s%s", run_status_name(run->status),
                      ms < 0 ? "" : arena_printf(cli->arena, " after %lld ms", (long long)ms));
    if (run->session_id && *run->session_id)
        (void)output_line(cli, "session  %s", run->session_id);
    (void)output_line(cli, "%s", "");
}

static bool print_event_line(struct cli *cli, const struct run *run, const struct event *event)
{
    bool on_terminal = cli->answer_style.is_terminal;
    size_t columns = console_columns(cli->console), used = 2 + 8 + 2 + 15;
    const char *text = event_text(cli->arena, event);
    size_t room = on_terminal && columns > used + 20 ? columns - used : 1000;
    return output_line(cli, "%7lld ms  %s%-14s%s %s",
                       (long long)(event->time_ms - run->started_at_ms), cli->answer_style.bold,
                       event_kind_name(event->kind), cli->answer_style.reset,
                       text_one_line(cli->arena, text, strlen(text), room));
}

static int show_one_run(struct cli *cli, const char *id)
{
    struct run *run = NULL;
    struct event *events = NULL;
    size_t n = 0;
    struct err err = { 0 };
    if (show_run(cli->services, cli->scope, cli->arena, id, &run, &events, &n, &err))
        return output_error(cli, &err);
    json_auto_t *value = run_to_json(run);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, event_to_json(&events[i]));
    json_object_set_new(value, "events", list);
    if (cli->args->json)
        return !output_json(cli, value);
    print_run(cli, run);
    for (size_t i = 0; i < n; i++)
        if (!print_event_line(cli, run, &events[i]))
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

int command_runs(struct cli *cli)
{
    struct err err = { 0 };
    const struct arguments *args = cli->args;
    const char *what = args->n_operands ? args->operands[0] : "list";
    if (strcmp(what, "list") == 0)
        return list_of_runs(cli);
    if (strcmp(what, "stats") == 0 && args->n_operands == 1)
        return stats_report(cli);
    if (args->n_operands != 2)
        return command_misused(cli, "runs",
                               "list or stats, or show or events with the id of a run");
    if (strcmp(what, "show") == 0)
        return show_one_run(cli, args->operands[1]);
    if (strcmp(what, "events") != 0)
        return command_misused(cli, "runs", "list, show, events or stats?");
    if (visit_run_events(cli->services, cli->scope, args->operands[1], print_event, cli, &err))
        return output_error(cli, &err);
    return 0;
}

static int print_sessions(struct cli *cli, const struct conversation_summary *sessions, size_t n)
{
    json_auto_t *all = json_array();
    struct table table;
    table_init(&table, cli->arena, 4);
    for (size_t i = 0; i < n; i++) {
        const struct conversation_summary *s = &sessions[i];
        json_array_append_new(all,
                              json_pack("{s:s, s:s, s:s, s:s, s:I}", "id", s->id, "label", s->label,
                                        "created_at", time_text(cli->arena, s->created_at_ms),
                                        "updated_at", time_text(cli->arena, s->updated_at_ms),
                                        "messages", (json_int_t)s->n_messages));
        table_row(
            &table, s->id, time_text(cli->arena, s->updated_at_ms),
            arena_printf(cli->arena, "%zu message%s", s->n_messages, s->n_messages == 1 ? "" : "s"),
            s->label);
    }
    if (cli->args->json)
        return !output_json(cli, all);
    (void)table_print(&table, cli);
    return 0;
}

/* All, or those that contain the text. */
static int list_of_sessions(struct cli *cli, const char *text)
{
    struct conversation_summary *sessions = NULL;
    size_t n = 0, most;
    struct err err = { 0 };
    if (!listed(cli, &most))
        return command_misused(cli, "sessions", "-n takes a number, 0 for all");
    enum err_code r =
        text ? search_sessions(cli->services, cli->scope, cli->arena, text, &sessions, &n, &err)
             : list_sessions(cli->services, cli->scope, cli->arena, &sessions, &n, &err);
    if (r)
        return output_error(cli, &err);
    return print_sessions(cli, sessions, most && most < n ? most : n);
}

static int show_one_session(struct cli *cli, const char *id)
{
    struct conversation *conversation = NULL;
    struct err err = { 0 };
    if (show_session(cli->services, cli->scope, cli->arena, id, &conversation, &err))
        return output_error(cli, &err);
    json_auto_t *value = conversation_to_json(conversation);
    if (cli->args->json)
        return !output_json(cli, value);
    for (size_t i = 0; i < conversation->n_messages; i++) {
        const struct message *message = &conversation->messages[i];
        (void)output_line(cli, "%s%s %s%s", cli->answer_style.bold,
                          message_role_name(message->role),
                          time_text(cli->arena, message->timestamp_ms), cli->answer_style.reset);
        (void)output_text(cli, message->content, strlen(message->content));
    }
    return 0;
}

static int export_session(struct cli *cli, const char *id)
{
    struct conversation *conversation = NULL;
    struct err err = { 0 };
    if (show_session(cli->services, cli->scope, cli->arena, id, &conversation, &err))
        return output_error(cli, &err);
    json_auto_t *value = conversation_to_json(conversation);
    auto_str text = json_print_pretty(value);
    const char *line = arena_printf(cli->arena, "%s\n", text);
    return output_bytes(cli, line, strlen(line), &err) ? output_error(cli, &err) : 0;
}

static int remove_session(struct cli *cli, const char *id)
{
    struct err err = { 0 };
    if (delete_session(cli->services, cli->scope, id, &err))
        return output_error(cli, &err);
    output_note(cli, "deleted %s", id);
    return 0;
}

static int title_session(struct cli *cli, const char *id, const char *title)
{
    struct err err = { 0 };
    if (rename_session(cli->services, cli->scope, id, title, &err))
        return output_error(cli, &err);
    return 0;
}

int command_sessions(struct cli *cli)
{
    const struct arguments *args = cli->args;
    const char *what = args->n_operands ? args->operands[0] : "list";
    const char *first = args->n_operands > 1 ? args->operands[1] : NULL;
    if (strcmp(what, "list") == 0 && !first)
        return list_of_sessions(cli, NULL);
    if (strcmp(what, "rename") == 0 && args->n_operands == 3)
        return title_session(cli, first, args->operands[2]);
    if (!first || args->n_operands != 2)
        return command_misused(cli, "sessions", "which of them, and which session?");
    if (strcmp(what, "show") == 0)
        return show_one_session(cli, first);
    if (strcmp(what, "search") == 0)
        return list_of_sessions(cli, first);
    if (strcmp(what, "export") == 0)
        return export_session(cli, first);
    if (strcmp(what, "delete") == 0)
        return remove_session(cli, first);
    return command_misused(cli, "sessions", "which of them, and which session?");
}
