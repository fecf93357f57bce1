/* `mistro servers review [NAME]`: everything that waits for a person, shown whole and asked about:
 * what the project folder brings, then the tools of each server that are not what was approved. */
#include "application/use_cases/tools/review_tools.h"
#include "domain/base/json.h"
#include "domain/text/text_difference.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/list_options.h"
#include "presentation/cli/output.h"
#include "presentation/cli/terminal_quote.h"
#include <string.h>

#define RISK_COLUMNS 4 /* a line that goes on stands deeper than any that begins */

static enum err_code ask_person(struct cli *cli, const char *question, bool *out, struct err *err)
{
    const struct form_field field = {
        .key = "answer", .label = question, .kind = FORM_BOOLEAN, .required = true
    };
    struct form form = { .fields = &field, .n_fields = 1 };
    json_t *answers = NULL;
    enum err_code r = user_ask(cli->services->user, cli->scope, &form, cli->arena, &answers, err);
    *out = !r && json_is_true(json_object_get(answers, "answer"));
    return r;
}

static bool person_approves(struct cli *cli, const char *question, struct err *err)
{
    bool is_yes = false;
    return ask_person(cli, question, &is_yes, err) == ERR_NONE && is_yes;
}

/* Whether what was just shown is approved: by --yes or by the person. */
static bool is_approved(struct cli *cli, const char *question, const char *again, struct err *err)
{
    if (cli->services->approve_all)
        return true;
    if (user_present(cli->services->user))
        return person_approves(cli, question, err);
    enum err_code r = err_set(err, ERR_DENIED, 0, "servers review: there is no one to ask");
    (void)err_hint(err, r, "approve what is shown above with: %s --yes", again);
    return false;
}

static int refused(struct cli *cli, const struct err *err)
{
    return err->code == ERR_DENIED && *err->hint ? output_error(cli, err)
                                                 : err_exit_status(ERR_DENIED);
}

/* Prints all of it, under -q as well: what was not shown must not be approved. */
static bool show(struct cli *cli, const char *text, unsigned indent)
{
    if (console_is_terminal(cli->console, CONSOLE_ERR))
        return terminal_quote_all(cli->console, CONSOLE_ERR, text, indent);
    return console_write(cli->console, CONSOLE_ERR, text, strlen(text));
}

/* The definition in the text of a server, spread over lines, so that a change shows where it is. */
static const char *spread(struct arena *arena, const char *text)
{
    const char *value = text ? strchr(text, '{') : NULL;
    size_t length = value ? strcspn(value, "\n") : 0;
    json_t *parsed = NULL;
    struct err ignored;
    if (!value || json_parse(value, length, JSON_FOREIGN, &parsed, &ignored))
        return text;
    auto_str pretty = json_print_pretty(arena_keep_json(arena, parsed));
    return arena_printf(arena, "%.*s\n%s%s", (int)(value - text), text, pretty, value + length);
}

static const char *change_of(struct arena *arena, const struct project_item *item)
{
    struct text_difference change =
        text_difference(arena, spread(arena, item->before), spread(arena, item->text));
    const char *out = "since it was approved:\n";
    for (size_t i = 0; i < change.n; i++)
        out = arena_printf(arena, "%s%c %.*s\n", out, change.lines[i].mark,
                           (int)change.lines[i].length, change.lines[i].text);
    return out;
}

/* 'a', 'r' or 's'. */
static char ask_about(struct cli *cli, const struct project_item *item)
{
    static const char *const choices[] = { "approve", "refuse", "stop" };
    const char *question =
        item->name ? arena_printf(cli->arena, "May this folder use server %s?", item->name)
                   : "May this folder's settings count?";
    const struct form_field field = { .key = "answer",
                                      .label = question,
                                      .kind = FORM_CHOICE,
                                      .choices = choices,
                                      .n_choices = 3,
                                      .required = true };
    struct form form = { .fields = &field, .n_fields = 1 };
    json_t *answers = NULL;
    struct err err = { 0 };
    if (user_ask(cli->services->user, cli->scope, &form, cli->arena, &answers, &err))
        return 's';
    const char *answer = json_get_string(answers, "answer");
    return answer ? *answer : 's';
}

/* One after another; settings count only with all of it. */
static int review_items(struct cli *cli, const struct project_item *items, size_t n)
{
    struct err err = { 0 };
    size_t n_approved = 0;
    char answer = 'a';
    for (size_t i = 0; i < n && answer != 's'; i++) {
        bool is_shown =
            show(cli, items[i].text, RISK_COLUMNS) &&
            (!items[i].before || show(cli, change_of(cli->arena, &items[i]), RISK_COLUMNS));
        answer = is_shown ? ask_about(cli, &items[i]) : 's';
        if (answer != 'a')
            continue;
        n_approved++;
        if (items[i].name && cli->host->ops->approve_item(cli->host, cli->scope, &items[i], &err))
            return output_error(cli, &err);
    }
    if (n_approved == n && cli->host->ops->approve_project(cli->host, cli->scope, &err))
        return output_error(cli, &err);
    output_note(cli, "%zu of %zu approved%s", n_approved, n,
                n_approved == n ? "; it is asked again when the files change"
                                : "; the others wait");
    return n_approved == n ? 0 : err_exit_status(ERR_DENIED);
}

static int review_project(struct cli *cli, const char *risk)
{
    struct err err = { 0 };
    struct project_item *items = NULL;
    size_t n = cli->host->ops->project_items(cli->host, &items);
    if (n > 1 && !cli->services->approve_all && user_present(cli->services->user))
        return review_items(cli, items, n);
    const char *hash =
        arena_printf(cli->arena, "  its hash: %s\n", cli->host->ops->project_hash(cli->host));
    bool has_changed = n == 1 && items[0].before;
    if (!show(cli, risk, RISK_COLUMNS) ||
        (has_changed && !show(cli, change_of(cli->arena, &items[0]), RISK_COLUMNS)) ||
        !show(cli, hash, RISK_COLUMNS))
        return err_exit_status(ERR_DENIED);
    if (!is_approved(cli, "May this folder do that from now on? (y/n)", "mistro servers review",
                     &err))
        return refused(cli, &err);
    if (cli->host->ops->approve_project(cli->host, cli->scope, &err))
        return output_error(cli, &err);
    output_note(cli, "approved; it is asked again when the files change");
    return 0;
}

static int review_server(struct cli *cli, const struct reviewed_server *server)
{
    struct err err = { 0 };
    AUTO(buf) shown;
    buf_init(&shown, OUTPUT_DIFFERENCE_BYTES);
    const char *question =
        arena_printf(cli->arena, "May the %zu tool%s of %s be used as shown? (y/n)", server->n,
                     server->n == 1 ? "" : "s", server->name);
    const char *again = arena_printf(cli->arena, "mistro servers review %s", server->name);
    if (!reviewed_server_print(&shown, server)) {
        enum err_code r = err_set(&err, ERR_LIMIT, 0,
                                  "server %s: its tools changed more than can "
                                  "be shown",
                                  server->name);
        (void)err_hint(&err, r, "do not use it");
        return output_error(cli, &err);
    }
    if (!show(cli, buf_string(&shown), DEFINITION_CHANGE_COLUMNS))
        return err_exit_status(ERR_DENIED);
    if (!is_approved(cli, question, again, &err))
        return refused(cli, &err);
    if (reviewed_server_approve(cli->services, cli->scope, cli->arena, server, &err))
        return output_error(cli, &err);
    output_note(cli, "server %s: approved; it is asked again when its tools change", server->name);
    return 0;
}

static int review_shown(struct cli *cli, const char *risk, const struct tool_review *review)
{
    int status = risk ? review_project(cli, risk) : 0;
    for (size_t i = 0; i < review->n_servers; i++) {
        int of_server = review_server(cli, &review->servers[i]);
        status = status ? status : of_server; /* a refusal stands, whatever else is approved */
    }
    for (size_t i = 0; i < review->n_failures; i++)
        output_warning(cli, review->failures[i].err.message);
    if (!risk && !review->n_servers)
        output_note(cli, "nothing waits for approval");
    return status;
}

static enum err_code approve_all(struct cli *cli, const char *risk,
                                 const struct tool_review *review, struct err *err)
{
    enum err_code r = risk ? cli->host->ops->approve_project(cli->host, cli->scope, err) : ERR_NONE;
    for (size_t i = 0; !r && i < review->n_servers; i++)
        r = reviewed_server_approve(cli->services, cli->scope, cli->arena, &review->servers[i],
                                    err);
    return r;
}

/* The listing, and with --yes the approval of what it lists. */
static int review_as_json(struct cli *cli, const char *risk, const struct tool_review *review)
{
    struct err err = { 0 };
    json_t *servers = json_array(), *failures = json_array();
    for (size_t i = 0; i < review->n_servers; i++)
        json_array_append_new(servers, reviewed_server_to_json(&review->servers[i]));
    for (size_t i = 0; i < review->n_failures; i++)
        json_array_append_new(
            failures, output_failure_json(review->failures[i].server, &review->failures[i].err));
    json_auto_t *value =
        json_pack("{s:i, s:s?, s:s?, s:o, s:o}", "version", LIST_OPTIONS_VERSION, "project", risk,
                  "project_hash", risk ? cli->host->ops->project_hash(cli->host) : NULL, "servers",
                  servers, "failures", failures);
    bool waits = risk || review->n_servers;
    if (waits && cli->services->approve_all && approve_all(cli, risk, review, &err))
        return output_error(cli, &err);
    (void)output_json(cli, value);
    return waits && !cli->services->approve_all ? err_exit_status(ERR_DENIED) : 0;
}

/* The program of the user's own that is reviewed, where its file does not say whether a keeper may
 * lend it to several commands. A folder's file is shared with others, and approved as it is. */
static const struct server_config *unsaid_share(const struct cli *cli, const char *name)
{
    const struct settings *settings = cli->services->settings;
    for (size_t i = 0; name && i < settings->n_servers; i++) {
        const struct server_config *server = &settings->servers[i];
        if (strcmp(server->name, name) == 0)
            return server->command && !server->says_share && !server->from_project ? server : NULL;
    }
    return NULL;
}

/* Asked once: the answer is written into its file. Who leaves without one is asked again. */
static int ask_about_sharing(struct cli *cli, const char *name)
{
    const struct server_config *server = unsaid_share(cli, name);
    struct err err = { 0 };
    bool is_shared = false;
    if (!server || cli->args->json || cli->services->approve_all ||
        !user_present(cli->services->user))
        return 0;
    const char *question = arena_printf(cli->arena,
                                        "May one process of %s serve several commands, one after "
                                        "another (mistro servers keep)? (y/n)",
                                        server->name);
    if (ask_person(cli, question, &is_shared, &err))
        return 0;
    if (cli->host->ops->share_server(cli->host, server, is_shared, &err))
        return output_error(cli, &err);
    output_note(cli, "server %s: \"share\": %s is in %s", server->name,
                is_shared ? "true" : "false", server->file);
    return 0;
}

int command_review(struct cli *cli)
{
    const char *only = cli->args->n_operands > 1 ? cli->args->operands[1] : NULL;
    const char *risk = only ? NULL : cli->host->ops->project_risk(cli->host);
    /* Servers that wait for approval themselves are not started to see whether their tools do. */
    const struct review_request request = { .only = only, .without_project = risk != NULL };
    struct tool_review review = { 0 };
    struct err err = { 0 };
    /* The folder can be reviewed even when no server can be reached. */
    if (review_tools(cli->services, cli->scope, cli->arena, &request, &review, &err) && !risk)
        return output_error(cli, &err);
    int status =
        cli->args->json ? review_as_json(cli, risk, &review) : review_shown(cli, risk, &review);
    if (!review.toolbox)
        output_warning(cli, err.message);
    tool_review_finish(&review);
    return status ? status : ask_about_sharing(cli, only);
}
