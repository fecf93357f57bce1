/* `mistro runs` and `mistro sessions`: what is kept. */
#include "application/use_cases/runs.h"
#include "application/use_cases/sessions.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include "presentation/cli/table.h"
#include <string.h>

enum { LISTED_BY_DEFAULT = 20 };

static const char *time_text(struct arena *arena, int64_t ms)
{
    char text[RFC3339_SIZE];
    return ms ? arena_strdup(arena, rfc3339_print(ms, text)) : "";
}

/* -n N; 0 when it is no number. */
static size_t listed(const struct cli *cli)
{
    int64_t n = LISTED_BY_DEFAULT;
    if (cli->args->limit && (!text_to_int64(cli->args->limit, &n) || n < 0))
        return 0;
    return (size_t)n;
}

static int list_of_runs(struct cli *cli)
{
    struct run *runs = NULL;
    size_t n = 0;
    struct err err = { 0 };
    if (list_runs(cli->services, cli->scope, cli->arena, listed(cli), &runs, &n, &err))
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
    (void)output_line(cli, "%s %s %s, %s", run->id, run->kind, run_status_name(run->status),
                      time_text(cli->arena, run->started_at_ms));
    for (size_t i = 0; i < n; i++) {
        auto_str data = json_print(events[i].data);
        (void)output_line(
            cli, "%4lld ms  %s%-14s%s %s", (long long)(events[i].time_ms - run->started_at_ms),
            cli->answer_style.bold, event_kind_name(events[i].kind), cli->answer_style.reset,
            data ? text_one_line(cli->arena, data, strlen(data), 160) : "");
    }
    return 0;
}

static bool print_event(void *context, const struct event *event)
{
    struct cli *cli = context;
    json_auto_t *value = event_to_json(event);
    auto_str text = json_print(value);
    return console_write(cli->console, CONSOLE_OUT, text, strlen(text)) &&
           console_write(cli->console, CONSOLE_OUT, "\n", 1);
}

int command_runs(struct cli *cli)
{
    struct err err = { 0 };
    const struct arguments *args = cli->args;
    const char *what = args->n_operands ? args->operands[0] : "list";
    if (strcmp(what, "list") == 0)
        return list_of_runs(cli);
    if (args->n_operands != 2)
        return command_misused(cli, "runs", "which run?");
    if (strcmp(what, "show") == 0)
        return show_one_run(cli, args->operands[1]);
    if (strcmp(what, "events") != 0)
        return command_misused(cli, "runs", "list, show or events?");
    if (visit_run_events(cli->services, cli->scope, args->operands[1], print_event, cli, &err))
        return output_error(cli, &err);
    return 0;
}

static int list_of_sessions(struct cli *cli)
{
    struct conversation_summary *sessions = NULL;
    size_t n = 0, most = listed(cli);
    struct err err = { 0 };
    if (list_sessions(cli->services, cli->scope, cli->arena, &sessions, &n, &err))
        return output_error(cli, &err);
    json_auto_t *all = json_array();
    struct table table;
    table_init(&table, cli->arena, 4);
    for (size_t i = 0; i < n && (!most || i < most); i++) {
        const struct conversation_summary *s = &sessions[i];
        json_array_append_new(all,
                              json_pack("{s:s, s:s, s:s, s:s, s:I}", "id", s->id, "label", s->label,
                                        "created_at", time_text(cli->arena, s->created_at_ms),
                                        "updated_at", time_text(cli->arena, s->updated_at_ms),
                                        "messages", (json_int_t)s->n_messages));
        table_row(&table, s->id, time_text(cli->arena, s->updated_at_ms),
                  arena_printf(cli->arena, "%zu messages", s->n_messages), s->label);
    }
    if (cli->args->json)
        return !output_json(cli, all);
    (void)table_print(&table, cli);
    return 0;
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

int command_sessions(struct cli *cli)
{
    struct err err = { 0 };
    const struct arguments *args = cli->args;
    const char *what = args->n_operands ? args->operands[0] : "list";
    if (strcmp(what, "list") == 0)
        return list_of_sessions(cli);
    if (args->n_operands != 2)
        return command_misused(cli, "sessions", "which session?");
    if (strcmp(what, "show") == 0)
        return show_one_session(cli, args->operands[1]);
    if (strcmp(what, "delete") != 0)
        return command_misused(cli, "sessions", "list, show or delete?");
    if (delete_session(cli->services, cli->scope, args->operands[1], &err))
        return output_error(cli, &err);
    return 0;
}
