/* `mistro servers login NAME`: the page is shown and opened, and waited for. The page's address
 * goes to stderr in any case: a person may open it somewhere else. */
#include "application/use_cases/log_in.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include <string.h>

#define HOST_COLUMNS 200

static const char *shown(struct cli *cli, const char *text, size_t length)
{
    size_t columns_per_byte = 8;
    return text_one_line(cli->arena, text, length, columns_per_byte * length + 1);
}

/* The host, between scheme and path: where the person is about to log in. */
static const char *host_of(struct cli *cli, const char *url)
{
    const char *begin = strstr(url, "://");
    begin = begin ? begin + 3 : url;
    return text_one_line(cli->arena, begin, strcspn(begin, "/?#"), HOST_COLUMNS);
}

static void on_page(void *context, const char *url)
{
    struct cli *cli = context;
    output_notice(cli, "log in at %s; the page is", host_of(cli, url));
    output_notice(cli, "  %s", shown(cli, url, strlen(url)));
}

static void on_no_browser(void *context, const struct err *why)
{
    struct cli *cli = context;
    output_notice(cli, "%s: open the page by hand, on this machine", why->message);
}

static const char *scopes_shown(struct cli *cli, const struct login_outcome *outcome)
{
    if (!*outcome->scope)
        return "";
    return arena_printf(cli->arena, ", scopes %s",
                        shown(cli, outcome->scope, strlen(outcome->scope)));
}

static const char *until_shown(struct cli *cli, const struct login_outcome *outcome)
{
    char until[RFC3339_SIZE];
    if (!outcome->until_ms)
        return "";
    return arena_printf(cli->arena, ", token good until %s",
                        rfc3339_print(outcome->until_ms, until));
}

int command_login(struct cli *cli)
{
    struct err err = { 0 };
    struct login_outcome outcome;
    if (cli->args->n_operands != 2)
        return command_misused(cli, "servers", "login NAME");
    struct log_in_request request = { .server = cli->args->operands[1],
                                      .on_page = on_page,
                                      .on_no_browser = on_no_browser,
                                      .context = cli };
    if (log_in(cli->services, cli->scope, cli->arena, &request, &outcome, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli, login_outcome_to_json(&outcome), 0);
    output_note(cli, "logged in to %s with %s%s%s", outcome.server,
                shown(cli, outcome.issuer, strlen(outcome.issuer)), scopes_shown(cli, &outcome),
                until_shown(cli, &outcome));
    return 0;
}

int command_logout(struct cli *cli)
{
    struct err err = { 0 };
    bool was_in = false;
    if (cli->args->n_operands != 2)
        return command_misused(cli, "servers", "logout NAME");
    const char *name = cli->args->operands[1];
    if (log_out(cli->services, cli->scope, name, &was_in, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli, json_pack("{s:s, s:b}", "server", name, "was_in", was_in),
                                  0);
    output_note(cli, "%s %s", was_in ? "logged out of" : "there was no login to", name);
    return 0;
}
