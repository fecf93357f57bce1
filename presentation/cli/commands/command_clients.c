/* `mistro servers find` and `mistro servers import`: the servers of other MCP clients. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"
#include <string.h>

#define LINE_COLUMNS 400
#define LINE_BYTES (8 * LINE_COLUMNS)
#define NAME_COLUMNS 64

/* "FILE:3:7: what is wrong" */
static const char *place_of(struct arena *arena, const char *file, const json_t *problem)
{
    int64_t line = json_get_int(problem, "line", 0);
    const char *message = json_get_string(problem, "message");
    return line ? arena_printf(arena, "%s:%lld:%lld: %s", file, (long long)line,
                               (long long)json_get_int(problem, "column", 0), message)
                : arena_printf(arena, "%s: %s", file, message);
}

static const char *what_of(struct arena *arena, const char *file, const json_t *server)
{
    const json_t *problem = json_object_get(server, "problem"), *argument;
    const char *why = json_get_string(server, "why"), *text = json_get_string(server, "url");
    size_t i;
    if (why)
        return json_is_object(problem) ? place_of(arena, file, problem) : why;
    if (text)
        return text;
    text = json_get_string(server, "command");
    json_array_foreach (json_object_get(server, "args"), i, argument)
        if (strlen(text) < LINE_BYTES) /* more would be cut off again */
            text = arena_printf(arena, "%s %.*s", text, LINE_BYTES, json_string_value(argument));
    return text_one_line(arena, text, strlen(text), LINE_COLUMNS);
}

static void add_rows(struct arena *arena, struct table *table, const json_t *client, bool is_plain)
{
    const json_t *server, *problem = json_object_get(client, "problem");
    const char *name = json_get_string(client, "client"), *file = json_get_string(client, "file");
    size_t i;
    if (json_is_object(problem))
        table_row(table, is_plain ? name : "", "", "", "broken", place_of(arena, file, problem));
    json_array_foreach (json_object_get(client, "servers"), i, server) {
        const char *project = json_get_string(server, "project");
        const char *what = what_of(arena, file, server);
        const char *own = json_get_string(server, "name");
        table_row(table, is_plain ? name : "", text_one_line(arena, own, strlen(own), NAME_COLUMNS),
                  json_get_string(server, "transport"), json_get_string(server, "state"),
                  project ? arena_printf(arena, "%s (in %s)", what, project) : what);
    }
}

int command_servers_find(struct cli *cli)
{
    struct err err = { 0 };
    json_auto_t *found = NULL;
    const json_t *client;
    size_t i;
    bool is_plain = !cli->answer_style.is_terminal;
    if (cli->host->ops->find_clients(cli->host, cli->args->from, &found, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli, json_share(found), 0);
    const json_t *clients = json_object_get(found, "clients");
    json_array_foreach (clients, i, client) {
        struct table table;
        table_init(&table, cli->arena, 5);
        if (!is_plain)
            output_line(cli, "%s: %s", json_get_string(client, "client"),
                        json_get_string(client, "file"));
        add_rows(cli->arena, &table, client, is_plain);
        (void)table_print(&table, cli);
    }
    if (!json_array_size(clients))
        output_note(cli, "no other client has a file of servers here");
    return 0;
}

static void say_server(struct cli *cli, const json_t *server, bool is_dry_run)
{
    static const char *const states[] = { "imported", "on", "off", "disabled" };
    static const char *const how[] = { "", "", ", switched off until its variables are set",
                                       ", switched off as it is there" };
    const char *state = json_get_string(server, "state"), *name = json_get_string(server, "name");
    const char *was = json_get_string(server, "was"),
               *left_out = json_get_string(server, "left_out");
    const char *client = json_get_string(server, "client"), *why = json_get_string(server, "why");
    const char *shown = text_one_line(cli->arena, name, strlen(name), LINE_COLUMNS);
    int index = text_find(state, states, ARRAY_LENGTH(states));
    if (was)
        shown = arena_printf(cli->arena, "%s (%s there)", shown,
                             text_one_line(cli->arena, was, strlen(was), NAME_COLUMNS));
    if (index >= 0)
        output_note(cli, "%s %s of %s%s", is_dry_run ? "would import" : "imported", shown, client,
                    why ? arena_printf(cli->arena, ", switched off: %s", why) : how[index]);
    else if (strcmp(state, "there") == 0)
        output_note(cli, "%s of %s is there already", shown, client);
    else
        output_notice(cli, "not imported: %s of %s: %s", shown, client, why);
    if (*left_out)
        output_note(cli, "  without its %s, which mistro does not read", left_out);
}

static bool is_conflict(const json_t *server)
{
    return text_equal(json_get_string(server, "state"), "conflict");
}

static void say_variables(struct cli *cli, const json_t *variables)
{
    const json_t *variable;
    size_t i, n_missing = 0;
    json_array_foreach (variables, i, variable) {
        const char *name = json_get_string(variable, "name");
        const char *line = json_get_string(variable, "line");
        if (json_get_bool(variable, "differs", false))
            output_notice(cli, "%s is set, but not to what %s has", name,
                          json_get_string(variable, "file"));
        if (json_get_bool(variable, "set", false))
            continue;
        if (!n_missing++)
            output_notice(cli, "set these variables, then import once more:");
        output_notice(cli, "  %s   # %s, %s",
                      text_one_line(cli->arena, line, strlen(line), LINE_COLUMNS),
                      json_get_string(variable, "server"), json_get_string(variable, "file"));
    }
}

static int say_conflicts(struct cli *cli, const json_t *servers)
{
    struct err err = { 0 };
    const json_t *server;
    size_t i, n = 0;
    const char *name = "";
    json_array_foreach (servers, i, server)
        if (is_conflict(server) && !n++)
            name = json_get_string(server, "name");
    if (!n)
        return 0;
    err_set(&err, ERR_INVALID, 0, "%zu server%s not imported: the name is another one's", n,
            n == 1 ? " was" : "s were");
    err_hint(&err, ERR_INVALID,
             "say which, and give it a name: mistro servers import --from CLIENT %s=NEW", name);
    return cli->args->json ? err_exit_status(ERR_INVALID) : output_error(cli, &err);
}

int command_servers_import(struct cli *cli)
{
    const struct client_import import = { .names = cli->args->operands + 1,
                                          .n_names = cli->args->n_operands - 1,
                                          .from = cli->args->from,
                                          .with_secrets = cli->args->with_secrets,
                                          .dry_run = cli->args->dry_run };
    struct err err = { 0 };
    json_auto_t *result = NULL;
    const json_t *row, *servers;
    size_t i;
    if (cli->host->ops->import_clients(cli->host, &import, &result, &err))
        return output_error(cli, &err);
    servers = json_object_get(result, "servers");
    if (cli->args->json)
        return output_status_json(cli, json_share(result), say_conflicts(cli, servers));
    json_array_foreach (json_object_get(result, "problems"), i, row)
        output_warning(cli, place_of(cli->arena, json_get_string(row, "file"), row));
    json_array_foreach (servers, i, row)
        say_server(cli, row, import.dry_run);
    if (!json_array_size(servers))
        output_note(cli, "there is nothing to import; mistro servers find shows what there is");
    say_variables(cli, json_object_get(result, "variables"));
    return say_conflicts(cli, servers);
}
