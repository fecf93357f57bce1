/* `mistro servers keep`: starts the keeper where there is none, and has it start the configured
 * servers as this folder sees them, by listing them through it. */
#include "application/use_cases/tools/list_servers.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/list_options.h"
#include "presentation/cli/duration.h"
#include "presentation/cli/output.h"
#include <string.h>

#define DEFAULT_MS (10 * 60 * INT64_C(1000))
#define MAX_MS (7 * 24 * 60 * 60 * INT64_C(1000))

static int stop(struct cli *cli)
{
    struct err err = { 0 };
    int64_t n = 0;
    enum err_code r = cli->host->ops->stop_keeper(cli->host, &n, &err);
    if (r && r != ERR_NOT_FOUND)
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli,
                                  json_pack("{s:i, s:I}", "version", LIST_OPTIONS_VERSION, "ended",
                                            (json_int_t)(r ? 0 : n)),
                                  0);
    if (r)
        output_note(cli, "nothing is kept");
    else
        output_note(cli, "ended %lld kept server%s", (long long)n, n == 1 ? "" : "s");
    return 0;
}

static void on_ready(void *context)
{
    struct cli *cli = context;
    (void)console_write(cli->console, CONSOLE_OUT, "ready\n", strlen("ready\n"));
}

static int be_keeper(struct cli *cli, int64_t idle_ms)
{
    struct err err = { 0 };
    if (cli->host->ops->run_keeper(cli->host, cli->scope, idle_ms, on_ready, cli, &err))
        return output_error(cli, &err);
    return 0;
}

static const char *time_shown(struct arena *arena, int64_t ms)
{
    int64_t seconds = ms / 1000;
    if (seconds % 3600 == 0)
        return arena_printf(arena, "%lld h", (long long)(seconds / 3600));
    return seconds % 60 == 0 ? arena_printf(arena, "%lld min", (long long)(seconds / 60))
                             : arena_printf(arena, "%lld s", (long long)seconds);
}

/* A server behind a URL, or one that is not shared, is listed as well and not kept. */
static bool is_kept(const struct cli *cli, const struct tool_server_status *status)
{
    const struct settings *settings = cli->services->settings;
    for (size_t i = 0; i < settings->n_servers; i++)
        if (strcmp(settings->servers[i].name, status->name) == 0)
            return settings->servers[i].is_shared && settings->servers[i].command &&
                   status->state == SERVER_READY;
    return false;
}

static int start(struct cli *cli, int64_t idle_ms)
{
    struct server_listing listing;
    struct err err = { 0 };
    const char *names = "";
    if (cli->host->ops->start_keeper(cli->host, idle_ms, &err) ||
        list_servers(cli->services, cli->scope, cli->arena, &listing, &err))
        return output_error(cli, &err);
    int status = listing.n_failed ? err_exit_status(ERR_UNAVAILABLE) : 0;
    if (cli->args->json)
        return output_status_json(cli, server_listing_to_json(&listing), status);
    for (size_t i = 0; i < listing.n_servers; i++) {
        const struct tool_server_status *s = &listing.servers[i];
        if (is_kept(cli, s))
            names = arena_printf(cli->arena, "%s%s%s", names, *names ? ", " : "", s->name);
        if (s->last_error.code && s->state != SERVER_READY)
            output_warning(cli, arena_printf(cli->arena, "%s: %s", s->name, s->last_error.message));
    }
    output_note(cli, "%s%s; the keeper ends %s after the last use",
                *names ? "kept: " : "no server is kept", names, time_shown(cli->arena, idle_ms));
    return status;
}

int command_keep(struct cli *cli)
{
    const struct arguments *args = cli->args;
    int64_t idle_ms = DEFAULT_MS;
    if (args->keep_for && !duration_read(args->keep_for, MAX_MS, &idle_ms))
        return command_misused(cli, "servers", "--for takes a time up to 168h: 90s, 10m or 2h");
    if (args->stop)
        return stop(cli);
    return args->foreground ? be_keeper(cli, idle_ms) : start(cli, idle_ms);
}
