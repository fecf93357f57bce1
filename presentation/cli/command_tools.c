/* `mistro tools [SERVER]` and `mistro tool SERVER/TOOL`. */
#include "application/use_cases/list_tools.h"
#include "application/use_cases/show_tool.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include "presentation/cli/table.h"
#include <string.h>

static json_t *listing_to_json(const struct tool_listing *listing)
{
    json_t *tools = json_array(), *failures = json_array();
    for (size_t i = 0; i < listing->n_tools; i++) {
        const struct listed_tool *tool = &listing->tools[i];
        json_t *entry =
            json_pack("{s:s, s:s, s:s, s:s}", "name", tool->full_name, "server", tool->server,
                      "summary", tool->summary, "signature", tool->signature);
        json_object_set(entry, "definition", (json_t *)(uintptr_t)tool->definition);
        if (tool->quarantined)
            json_object_set_new(entry, "quarantined", json_string(tool->quarantined));
        json_array_append_new(tools, entry);
    }
    for (size_t i = 0; i < listing->n_failures; i++) {
        json_t *failure = output_error_json(&listing->failures[i].err);
        json_object_set_new(failure, "server", json_string(listing->failures[i].server));
        json_array_append_new(failures, failure);
    }
    return json_pack("{s:o, s:o}", "tools", tools, "failures", failures);
}

static bool print_listing(struct cli *cli, const struct tool_listing *listing)
{
    struct table table;
    table_init(&table, cli->arena, 3);
    for (size_t i = 0; i < listing->n_tools; i++) {
        const struct listed_tool *tool = &listing->tools[i];
        const char *signature = tool->signature;
        if (text_starts_with(signature, tool->full_name)) /* the first column has it */
            signature += strlen(tool->full_name);
        const char *summary = tool->summary;
        if (tool->quarantined)
            summary = arena_printf(cli->arena, "(quarantined: %s) %s", tool->quarantined, summary);
        table_row(&table, tool->full_name, summary, signature);
    }
    return table_print(&table, cli);
}

int command_tools(struct cli *cli)
{
    struct tool_listing listing;
    struct err err = { 0 };
    const char *only = cli->args->n_operands ? cli->args->operands[0] : NULL;
    if (list_tools(cli->services, cli->scope, cli->arena, only, &listing, &err))
        return output_error(cli, &err);
    if (cli->args->json) {
        json_auto_t *value = listing_to_json(&listing);
        (void)output_json(cli, value);
        return 0;
    }
    (void)print_listing(cli, &listing);
    for (size_t i = 0; i < listing.n_failures; i++)
        output_warning(cli, listing.failures[i].err.message);
    for (size_t i = 0; i < listing.n_warnings; i++)
        output_warning(cli, listing.warnings[i]);
    return 0;
}

static void print_schema(struct cli *cli, const char *title, const json_t *schema)
{
    if (!schema)
        return;
    auto_str text = json_print_pretty(schema);
    (void)output_line(cli, "\n%s:", title);
    (void)output_text(cli, text, strlen(text));
}

static void print_quarantine(struct cli *cli, const struct shown_tool *tool)
{
    AUTO(buf) text;
    buf_init(&text, OUTPUT_DIFFERENCE_BYTES);
    if (!tool->quarantined)
        return;
    (void)output_line(cli, "quarantined: %s; it cannot be called before: mistro servers review",
                      tool->quarantined);
    if (!tool->change.n)
        return;
    bool fits = definition_change_print(&text, &tool->change);
    (void)output_line(cli, "since it was approved:");
    (void)output_text(cli, buf_string(&text), text.length);
    if (!fits)
        output_warning(cli, "the difference is longer than can be shown");
}

int command_tool(struct cli *cli)
{
    struct shown_tool tool;
    struct err err = { 0 };
    if (cli->args->n_operands != 1)
        return command_misused(cli, "tool", "which tool?");
    if (show_tool(cli->services, cli->scope, cli->arena, cli->args->operands[0], &tool, &err))
        return output_error(cli, &err);
    if (cli->args->json) {
        json_auto_t *value = shown_tool_to_json(&tool);
        (void)output_json(cli, value);
        return 0;
    }
    (void)output_line(cli, "%s",
                      text_one_line(cli->arena, tool.signature, strlen(tool.signature), 400));
    if (tool.title)
        (void)output_text(cli, tool.title, strlen(tool.title));
    if (tool.description)
        (void)output_text(cli, tool.description, strlen(tool.description));
    (void)output_line(cli,
                      "\nhints of the server: read only %s, destructive %s, idempotent %s, "
                      "open world %s",
                      tool.read_only, tool.destructive, tool.idempotent, tool.open_world);
    (void)output_line(cli, "in ask and chat: %s%s", tool.policy,
                      tool.approved ? ", approved for good" : "");
    (void)output_line(cli, "definition: sha256 %s", tool.sha256);
    print_quarantine(cli, &tool);
    print_schema(cli, "input schema", tool.input_schema);
    print_schema(cli, "output schema", tool.output_schema);
    return 0;
}
