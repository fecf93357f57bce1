/* `mistro tools [SERVER]`, `mistro tools --search WORDS` and `mistro tool SERVER/TOOL`. */
#include "application/use_cases/tools/list_tools.h"
#include "application/use_cases/tools/search_tools.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/list_options.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"
#include <string.h>

/* The buffer has no bound, so everything fits. */
static void append_text(struct buf *out, const char *text)
{
    (void)!buf_puts(out, text);
}

static void append_member(struct buf *out, const char *before, const char *key, const char *value)
{
    append_text(out, before);
    append_text(out, key);
    json_append_string(out, value);
}

static void append_tool(struct buf *out, const struct listed_tool *tool)
{
    append_member(out, "{", "\"name\":", tool->full_name);
    append_member(out, ",", "\"server\":", tool->server);
    append_member(out, ",", "\"summary\":", tool->summary);
    append_member(out, ",", "\"signature\":", tool->signature);
    append_text(out, ",\"definition\":");
    json_append(out, tool->definition);
    if (tool->quarantined)
        append_member(out, ",", "\"quarantined\":", tool->quarantined);
    append_text(out, "}");
}

/* The definitions of thousands of tools are printed one by one, not copied into one value first. */
static bool print_json(struct cli *cli, const struct tool_listing *listing)
{
    AUTO(buf) text;
    json_auto_t *failures = json_array();
    buf_init(&text, SIZE_MAX);
    append_text(&text,
                arena_printf(cli->arena, "{\"version\":%d,\"tools\":[", LIST_OPTIONS_VERSION));
    for (size_t i = 0; i < listing->n_tools; i++) {
        if (i)
            append_text(&text, ",");
        append_tool(&text, &listing->tools[i]);
    }
    for (size_t i = 0; i < listing->n_failures; i++)
        json_array_append_new(
            failures, output_failure_json(listing->failures[i].server, &listing->failures[i].err));
    append_text(&text, "],\"failures\":");
    json_append(&text, failures);
    append_text(&text, "}");
    return output_json_text(cli, text.bytes, text.length);
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

/* "inbox (email), search" */
static const char *print_reasons(struct arena *arena, const json_t *tool)
{
    const char *text = "";
    const json_t *match;
    size_t i;
    json_array_foreach (json_object_get(tool, "matches"), i, match) {
        const char *word = json_get_string(match, "word"), *as = json_get_string(match, "as");
        const char *sense = text_equal(word, as) ? "" : arena_printf(arena, " (%.60s)", as);
        text = arena_printf(arena, "%s%s%.60s%s", text, i ? ", " : "", word, sense);
    }
    bool has_score = json_get_number(tool, "score", 0) > 0;
    return *text || !has_score ? text : "others of its server are likely";
}

static int search(struct cli *cli, const char *only)
{
    const json_t *found = NULL, *value;
    struct err err = { 0 };
    struct table table;
    unsigned max = SEARCH_TOOLS_DEFAULT;
    size_t i;
    if (arguments_count("--limit", cli->args->limit, SEARCH_TOOLS_MAX, &max, &err))
        return output_error(cli, &err);
    const struct search_tools_request request = { cli->args->search, only, max };
    if (search_tools(cli->services, cli->scope, cli->arena, &request, &found, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli, json_share(found), 0);
    table_init(&table, cli->arena, 4);
    json_array_foreach (json_object_get(found, "tools"), i, value)
        table_row(&table, json_get_string(value, "name"),
                  arena_printf(cli->arena, "%.2f", json_get_number(value, "score", 0)),
                  json_get_string(value, "shown"), print_reasons(cli->arena, value));
    (void)table_print(&table, cli);
    if (json_is_false(json_object_get(found, "matched")))
        output_note(cli, "no tool has a word of the request; prompts show tools by name");
    json_array_foreach (json_object_get(found, "failures"), i, value)
        output_warning(cli, json_string_value(value));
    return 0;
}

int command_tools(struct cli *cli)
{
    struct tool_listing listing;
    struct err err = { 0 };
    const char *only = cli->args->n_operands ? cli->args->operands[0] : NULL;
    if (cli->args->search)
        return search(cli, only);
    if (list_tools(cli->services, cli->scope, cli->arena, only, &listing, &err))
        return output_error(cli, &err);
    if (cli->args->json) {
        (void)print_json(cli, &listing);
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
    (void)output_quote(cli, text, 0);
}

static void print_quarantine(struct cli *cli, const struct shown_tool *tool)
{
    AUTO(buf) text;
    buf_init(&text, OUTPUT_DIFFERENCE_BYTES);
    if (!tool->quarantined)
        return;
    (void)output_line(cli, "quarantined: %s; it cannot be called before: mistro servers review%s",
                      tool->quarantined, output_file_flags(cli->arena, cli->args));
    if (!tool->change.n)
        return;
    bool fits = definition_change_print(&text, &tool->change);
    (void)output_line(cli, "since it was approved:");
    (void)output_quote(cli, buf_string(&text), DEFINITION_CHANGE_COLUMNS);
    if (!fits)
        output_warning(cli, "the difference is longer than can be shown");
}

int command_tool(struct cli *cli)
{
    struct shown_tool tool;
    struct err err = { 0 };
    if (!cli->args->n_operands)
        return command_misused(cli, "tool", "which tool?");
    if (show_tool(cli->services, cli->scope, cli->arena, cli->args->operands[0], &tool, &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli, shown_tool_to_json(&tool), 0);
    (void)output_quote(cli, text_one_line(cli->arena, tool.signature, strlen(tool.signature), 400),
                       0);
    if (tool.title)
        (void)output_quote(cli, tool.title, 0);
    if (tool.description)
        (void)output_quote(cli, tool.description, 0);
    (void)output_line(cli,
                      "\nhints of the server: read only %s, destructive %s, idempotent %s, "
                      "open world %s",
                      tool.read_only, tool.destructive, tool.idempotent, tool.open_world);
    (void)output_line(cli, "in ask and chat: %s%s", tool.policy,
                      tool.approved ? ", approved for good" : "");
    (void)output_line(cli, "when an answer is lost: %s",
                      tool.may_repeat ? "called again" : "not called again");
    (void)output_line(cli, "definition: sha256 %s", tool.sha256);
    print_quarantine(cli, &tool);
    print_schema(cli, "input schema", tool.input_schema);
    print_schema(cli, "output schema", tool.output_schema);
    return 0;
}
