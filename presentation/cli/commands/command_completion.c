/* `mistro completion SHELL` is a script (data/help/completion.*), which main prints. It asks
 * `mistro completion words` at each press of Tab. That is answered by typed_line.c and, for what
 * only stores know, here: no server is started, nothing is contacted. */
#include "application/use_cases/reach_consensus.h"
#include "application/use_cases/runs/runs.h"
#include "application/use_cases/sessions.h"
#include "application/use_cases/tools/list_tools.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include "presentation/cli/typed_line.h"
#include <string.h>

enum { HELP_COLUMNS = 60, MOST_RUNS = 50 };

static const char *in_short(struct arena *arena, const char *text)
{
    return text ? text_one_line(arena, text, strlen(text), HELP_COLUMNS) : "";
}

static enum err_code offer_servers(struct cli *cli, const struct typed_line *line, const char *end,
                                   struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n = 0;
    enum err_code r = services_servers(cli->services, cli->scope, &servers, &n, err);
    for (size_t i = 0; !r && i < n; i++)
        typed_line_offer(line, arena_printf(cli->arena, "%s%s", tool_server_name(servers[i]), end),
                         "");
    return r;
}

static void offer_arguments(struct cli *cli, const struct typed_line *line, const struct tool *tool)
{
    const char *name;
    const json_t *schema, *all = tool ? json_object_get(tool->input_schema, "properties") : NULL;
    json_each_member (all, name, schema)
        typed_line_offer(line, arena_printf(cli->arena, "%s=", name),
                         in_short(cli->arena, json_get_string(schema, "description")));
}

/* The servers first, then the tools of the one that was typed (the others are not even read), then
 * the arguments of the tool. */
static enum err_code offer_tools(struct cli *cli, const struct typed_line *line,
                                 enum typed_kind kind, struct err *err)
{
    const char *word = kind == TYPED_TOOL ? line->begun : line->before.operands[0];
    const char *slash = strchr(word, '/');
    struct tool_catalogue *tools = NULL;
    if (!slash)
        return kind == TYPED_TOOL ? offer_servers(cli, line, "/", err) : ERR_NONE;
    const char *server = arena_strndup(cli->arena, word, (size_t)(slash - word));
    enum err_code r = remembered_tools(cli->services, cli->scope, server, slash + 1, &tools, err);
    if (r)
        return r;
    for (size_t i = 0; kind == TYPED_TOOL && i < tools->n_tools; i++)
        typed_line_offer(line, tools->tools[i].full_name,
                         tool_summary(cli->arena, &tools->tools[i], HELP_COLUMNS));
    if (kind == TYPED_ARGUMENT)
        offer_arguments(cli, line, tool_catalogue_find(tools, slash + 1));
    tool_catalogue_unref(tools);
    return ERR_NONE;
}

static enum err_code offer_stored(struct cli *cli, const struct typed_line *line,
                                  enum typed_kind kind, struct err *err)
{
    struct run *runs = NULL;
    struct conversation_summary *sessions = NULL;
    const char **role_sets = NULL;
    size_t n = 0;
    enum err_code r;
    if (kind == TYPED_RUN)
        r = list_runs(cli->services, cli->scope, cli->arena, MOST_RUNS, &runs, &n, err);
    else if (kind == TYPED_SESSION)
        r = list_sessions(cli->services, cli->scope, cli->arena, &sessions, &n, err);
    else
        r = list_role_sets(cli->services, cli->arena, &role_sets, &n, err);
    if (!r && n && kind == TYPED_RUN)
        typed_line_offer(line, RUN_LATEST, "the newest one");
    for (size_t i = 0; !r && i < n; i++) {
        if (kind == TYPED_RUN)
            typed_line_offer(line, runs[i].id, in_short(cli->arena, runs[i].title));
        else if (kind == TYPED_SESSION)
            typed_line_offer(line, sessions[i].id, in_short(cli->arena, sessions[i].label));
        else
            typed_line_offer(line, role_sets[i], "");
    }
    return r;
}

static enum err_code offer_persons(struct cli *cli, const struct typed_line *line, struct err *err)
{
    struct person_repository *persons = NULL;
    struct person *all = NULL;
    size_t n = 0;
    enum err_code r = cli->host->ops->persons(cli->host, &persons, err);
    if (!r)
        r = person_repository_list(persons, cli->scope, cli->arena, &all, &n, err);
    for (size_t i = 0; !r && i < n; i++)
        typed_line_offer(line, all[i].name, "");
    return r;
}

static int complete(struct cli *cli)
{
    AUTO(buf) text;
    struct typed_line line;
    struct err err = { 0 };
    buf_init(&text, SIZE_MAX);
    enum typed_kind kind = typed_line_read(cli->arena, cli->args, &text, &line);
    enum err_code r = kind == TYPED_SERVER   ? offer_servers(cli, &line, "", &err)
                      : kind == TYPED_PROMPT ? offer_servers(cli, &line, "/", &err)
                      : kind == TYPED_PERSON ? offer_persons(cli, &line, &err)
                      : kind == TYPED_TOOL || kind == TYPED_ARGUMENT
                          ? offer_tools(cli, &line, kind, &err)
                          : offer_stored(cli, &line, kind, &err);
    if (r)
        return output_error(cli, &err);
    return text.length && !output_text(cli, text.bytes, text.length);
}

int command_completion(struct cli *cli)
{
    return typed_line_is_asked(cli->args)
               ? complete(cli)
               : command_misused(cli, "completion", "bash, zsh or fish?");
}
