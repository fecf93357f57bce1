/* `mistro servers`: how each configured server was reached; add, remove; the
 * others have files of their own. */
#include "application/tools/lookup.h"
#include "application/use_cases/log_in.h"
#include "application/use_cases/tools/list_servers.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"
#include <string.h>

/* `13 tools, 341 ms`, and how often it had to be started again. */
static const char *describe_state(struct arena *arena, const struct tool_server_status *s)
{
    const char *start = "", *restarts = "";
    if (s->start_ms >= 0)
        start = arena_printf(arena, ", %lld ms", (long long)s->start_ms);
    if (s->restarts)
        restarts = arena_printf(arena, ", restarted %u times", s->restarts);
    return arena_printf(arena, "%zu tool%s%s%s", s->n_tools, s->n_tools == 1 ? "" : "s", start,
                        restarts);
}

static const char *protocol_of(struct arena *arena, const struct tool_server_status *s)
{
    return arena_printf(arena, "%s%s%s", s->era, *s->era ? " " : "", s->protocol_version);
}

/* What to do about a missing login fits on the line; other failures say it elsewhere. */
static const char *why(struct arena *arena, const struct err *err)
{
    if (err->code != ERR_AUTH || !*err->hint)
        return err->message;
    return arena_printf(arena, "%s; %s", err->message, err->hint);
}

static bool has_failed(const struct tool_server_status *s)
{
    return s->last_error.code && s->state != SERVER_READY;
}

/* In a pipe a server is one line, for cut(1) and awk. */
static void print_plain(struct cli *cli, const struct server_listing *listing)
{
    struct arena *arena = cli->arena;
    struct table table;
    table_init(&table, arena, 6);
    for (size_t i = 0; i < listing->n_servers; i++) {
        const struct tool_server_status *s = &listing->servers[i];
        bool failed = has_failed(s);
        table_row(&table, s->name, tool_server_state_name(s->state), s->transport,
                  protocol_of(arena, s), failed ? "" : describe_state(arena, s),
                  failed ? why(arena, &s->last_error) : s->command);
    }
    (void)table_print(&table, cli);
}

/* On a terminal what to do about it stands below what is wrong. */
static void print_for_people(struct cli *cli, const struct server_listing *listing)
{
    struct arena *arena = cli->arena;
    struct table table;
    table_init(&table, arena, 4);
    table.folds = true;
    for (size_t i = 0; i < listing->n_servers; i++) {
        const struct tool_server_status *s = &listing->servers[i];
        bool failed = has_failed(s);
        const char *how =
            arena_printf(arena, "%s%s%s", s->transport, *s->era ? ", " : "", protocol_of(arena, s));
        const char *what = arena_printf(arena, "%s  %s", describe_state(arena, s), s->command);
        table_row(&table, s->name, tool_server_state_name(s->state), failed ? s->transport : how,
                  failed ? s->last_error.message : what);
        if (failed && *s->last_error.hint)
            table_row(&table, "", "", "", arena_printf(arena, "→ %s", s->last_error.hint));
    }
    (void)table_print(&table, cli);
}

/* Who has servers of their own may not expect it. */
static void note_builtin(struct cli *cli)
{
    output_note(cli,
                "the built-in server %s stays beside configured ones; without it: "
                "--no-builtin, or workspace: off in the settings",
                LOOKUP_BUILT_IN_SERVER);
}

/* Of the servers, which are all there are. */
static bool has_builtin_beside(struct cli *cli, const struct server_listing *listing)
{
    const struct settings *settings = cli->services->settings;
    bool is_there = false;
    for (size_t i = 0; i < listing->n_servers; i++)
        is_there |= strcmp(listing->servers[i].name, LOOKUP_BUILT_IN_SERVER) == 0;
    return is_there && settings->n_servers && !lookup_config(settings, LOOKUP_BUILT_IN_SERVER);
}

static int list_of_servers(struct cli *cli)
{
    struct server_listing listing;
    struct err err = { 0 };
    if (list_servers(cli->services, cli->scope, cli->arena, &listing, &err))
        return output_error(cli, &err);
    int status = listing.n_failed ? err_exit_status(ERR_UNAVAILABLE) : 0;
    if (cli->args->json)
        return output_status_json(cli, server_listing_to_json(&listing), status);
    if (cli->answer_style.is_terminal)
        print_for_people(cli, &listing);
    else
        print_plain(cli, &listing);
    if (has_builtin_beside(cli, &listing))
        note_builtin(cli);
    for (size_t i = 0; i < listing.n_servers; i++)
        if (listing.quarantined[i])
            output_warning(cli, quarantine_sentence(cli->arena, listing.quarantined[i]));
    return status;
}

static int refuse_url(struct cli *cli, const char *name, const char *what)
{
    struct err err = { 0 };
    err_set(&err, ERR_INVALID, 0, "servers: \"%.80s\" is not an http or https URL", what);
    err_hint(&err, ERR_INVALID, "a program stands behind --: mistro servers add %.64s -- %.80s …",
             name, what);
    return output_error(cli, &err);
}

static int add(struct cli *cli)
{
    const struct arguments *args = cli->args;
    struct err err = { 0 };
    const char *file = NULL;
    if (args->n_operands < 3)
        return command_misused(cli, "servers", "add NAME URL, or add NAME -- COMMAND ARGS…");
    const char *what = args->operands[2];
    bool is_url = args->n_before_dashes > 2;
    const struct argument_list *pairs = is_url ? &args->headers : &args->environment;
    if (is_url && !text_starts_with(what, "http://") && !text_starts_with(what, "https://"))
        return refuse_url(cli, args->operands[1], what);
    if (is_url && (args->n_operands > 3 || args->environment.n))
        return command_misused(cli, "servers", "a url has no arguments and no environment");
    if (!is_url && args->headers.n)
        return command_misused(cli, "servers", "a program has no headers");
    const struct new_server server = { .name = args->operands[1],
                                       .command = is_url ? NULL : what,
                                       .url = is_url ? what : NULL,
                                       .arguments = args->operands + 3,
                                       .n_arguments = args->n_operands - 3,
                                       .pairs = pairs->values,
                                       .n_pairs = pairs->n };
    if (cli->host->ops->add_server(cli->host, &server, &file, &err))
        return output_error(cli, &err);
    output_note(cli, "added %s to %s", args->operands[1], file);
    if (cli->services->settings->workspace_enabled &&
        strcmp(args->operands[1], LOOKUP_BUILT_IN_SERVER) != 0)
        note_builtin(cli);
    return 0;
}

/* The login of a server is removed with it. Most servers have none, which is not an error. */
static void forget_login(struct cli *cli, const char *name)
{
    struct err err = { 0 };
    bool was_in = false;
    enum err_code r = log_out(cli->services, cli->scope, name, &was_in, &err);
    if (r == ERR_NONE && was_in)
        output_note(cli, "logged out of %s", name);
    else if (r && r != ERR_INVALID && r != ERR_NOT_FOUND)
        output_notice(cli, "%s", err.message);
}

static int remove_one(struct cli *cli)
{
    struct err err = { 0 };
    const char *file = NULL;
    if (cli->args->n_operands != 2)
        return command_misused(cli, "servers", "remove NAME");
    if (cli->host->ops->remove_server(cli->host, cli->args->operands[1], &file, &err))
        return output_error(cli, &err);
    output_note(cli, "removed %s from %s", cli->args->operands[1], file);
    forget_login(cli, cli->args->operands[1]);
    return 0;
}

/* A flag of another word would be passed over, and what it was to prevent be done. */
static const char *misplaced_flag(const struct arguments *args, const char *what)
{
    const struct {
        bool is_given;
        const char *name, *words;
    } flags[] = {
        { args->dry_run, "--dry-run", " import " },
        { args->with_secrets, "--with-secrets", " import " },
        { args->from, "--from", " find import " },
        { args->keep_for, "--for", " keep " },
        { args->stop, "--stop", " keep " },
        { args->foreground, "--foreground", " keep " },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(flags); i++)
        if (flags[i].is_given && !arguments_names(flags[i].words, what))
            return flags[i].name;
    return NULL;
}

int command_servers(struct cli *cli)
{
    const char *what = cli->args->n_operands ? cli->args->operands[0] : "list";
    const char *flag = misplaced_flag(cli->args, what);
    if (flag)
        return command_misused(cli, "servers",
                               arena_printf(cli->arena, "%s does not go with %s", flag, what));
    if (strcmp(what, "list") == 0)
        return list_of_servers(cli);
    if (strcmp(what, "add") == 0)
        return add(cli);
    if (strcmp(what, "remove") == 0)
        return remove_one(cli);
    if (strcmp(what, "review") == 0)
        return command_review(cli);
    if (strcmp(what, "keep") == 0)
        return command_keep(cli);
    if (strcmp(what, "find") == 0)
        return command_servers_find(cli);
    if (strcmp(what, "import") == 0)
        return command_servers_import(cli);
    if (strcmp(what, "login") == 0)
        return command_login(cli);
    return command_logout(cli);
}
