/* `mistro models` and `mistro doctor`: what is there and whether it works. */
#include "application/use_cases/diagnose.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"
#include <string.h>

/* The endpoint in one line: "llama-server at http://…, context of 4096 tokens, schemas enforced".
 */
static void note_endpoint(struct cli *cli, const struct model_status *status)
{
    const char *context = "", *schemas = "";
    if (!status->base_url || !*status->base_url)
        return;
    if (status->context_tokens > 0)
        context =
            arena_printf(cli->arena, ", context of %lld tokens", (long long)status->context_tokens);
    if (status->schema_support != MODEL_SCHEMA_UNKNOWN)
        schemas = arena_printf(cli->arena, ", schemas %s",
                               model_schema_support_name(status->schema_support));
    output_note(cli, "%s at %s%s%s", status->kind ? status->kind : "endpoint", status->base_url,
                context, schemas);
}

int command_models(struct cli *cli)
{
    struct model_listing listing;
    struct err err = { 0 };
    if (list_models(cli->services, cli->scope, cli->arena, &listing, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli, model_listing_to_json(&listing), 0);
    if (listing.choice == MODEL_CHOICE_LEXICAL) {
        bool is_off = text_equal(cli->services->settings->model_name, "none");
        output_note(cli, "no model%s: the lexical analyst chooses tools",
                    is_off ? ", as is set" : "");
        if (!is_off)
            output_note(cli, "  start one with: ollama serve, ollama pull mistral:7b");
        return 0;
    }
    struct table table;
    table_init(&table, cli->arena, 2);
    for (size_t i = 0; i < listing.n_names; i++) {
        bool used = text_equal(listing.names[i], listing.status.model);
        table_row(&table, listing.names[i],
                  used ? arena_printf(cli->arena, "used: %s", listing.status.reason) : "");
    }
    (void)table_print(&table, cli);
    note_endpoint(cli, &listing.status);
    return listing.problem.code ? output_error(cli, &listing.problem) : 0;
}

int command_doctor(struct cli *cli)
{
    struct diagnosis diagnosis;
    struct err err = { 0 };
    if (diagnose(cli->services, cli->scope, cli->arena, &diagnosis, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli, diagnosis_to_json(&diagnosis),
                                  diagnosis.n_failed ? err_exit_status(ERR_UNAVAILABLE) : 0);
    struct table table;
    bool hint_below = cli->answer_style.is_terminal; /* in a pipe one check is one line */
    table_init(&table, cli->arena, hint_below ? 4 : 5);
    table.folds = true;
    for (size_t i = 0; i < diagnosis.n_checks; i++) {
        const struct check *check = &diagnosis.checks[i];
        table_row(&table, check_verdict_name(check->verdict), check->name,
                  arena_printf(cli->arena, "%lld ms", (long long)check->duration_ms), check->detail,
                  check->hint);
        if (hint_below && check->hint && *check->hint)
            table_row(&table, "", "", "", arena_printf(cli->arena, "→ %s", check->hint));
    }
    (void)table_print(&table, cli);
    return diagnosis.n_failed ? err_exit_status(ERR_UNAVAILABLE) : 0;
}
