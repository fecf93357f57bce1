/* `mistro prompts [SERVER]` and `mistro prompt SERVER/NAME`. */
#include "application/use_cases/tools/get_prompt.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/argument_values.h"
#include "presentation/cli/commands/call_arguments.h"
#include "presentation/cli/commands/list_options.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/call_output.h"
#include "presentation/cli/output/offering_output.h"
#include "presentation/cli/output/table.h"
#include <string.h>

enum { SHOWN_ARGUMENTS = 32 };

/* "(topic, length?)": a question mark behind those that may be left out. */
static const char *signature(struct arena *arena, const struct offering *prompt)
{
    const json_t *list = json_object_get(prompt->definition, "arguments");
    const char *text = "(";
    size_t n = json_array_size(list);
    for (size_t i = 0; i < n && i < SHOWN_ARGUMENTS; i++) {
        const json_t *argument = json_array_get(list, i);
        const char *name = json_get_string(argument, "name");
        bool is_required = json_get_bool(argument, "required", false);
        name = name ? text_one_line(arena, name, strlen(name), 60) : "";
        text = arena_printf(arena, "%s%s%s%s", text, i ? ", " : "", name, is_required ? "" : "?");
    }
    return arena_printf(arena, "%s%s)", text, n > SHOWN_ARGUMENTS ? ", …" : "");
}

int command_prompts(struct cli *cli)
{
    struct offering_listing listing;
    struct err err = { 0 };
    struct table table;
    const char *only = cli->args->n_operands ? cli->args->operands[0] : NULL;
    if (list_offerings(cli->services, cli->scope, cli->arena, OFFERED_PROMPTS, only, &listing,
                       &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(cli,
                                  json_pack("{s:i, s:o, s:o}", "version", LIST_OPTIONS_VERSION,
                                            "prompts", offerings_to_json(&listing, OFFERING_PROMPT),
                                            "failures", offering_failures_to_json(&listing)),
                                  0);
    table_init(&table, cli->arena, 3);
    for (size_t i = 0; i < listing.n; i++) {
        const struct offering *prompt = &listing.list[i].offering;
        table_row(&table, arena_printf(cli->arena, "%s/%s", listing.list[i].server, prompt->key),
                  offering_summary(cli->arena, prompt), signature(cli->arena, prompt));
    }
    (void)table_print(&table, cli);
    offering_warnings(cli, &listing, "prompts");
    return 0;
}

static bool print_message(struct cli *cli, const json_t *message, bool is_only, bool is_first)
{
    const char *role = json_get_string(message, "role");
    bool open =
        is_only ||
        output_line(cli, "%s%s%s:%s", is_first ? "" : "\n", cli->answer_style.bold,
                    text_one_line(cli->arena, role, strlen(role), 40), cli->answer_style.reset);
    return open && call_output_block(cli, json_object_get(message, "content"));
}

static int print_prompt(struct cli *cli, const struct offering_result *prompt)
{
    size_t n = json_array_size(prompt->items);
    const char *text = NULL;
    struct err err = { 0 };
    bool is_open = true;
    if (cli->args->events) {
        output_result_event(cli, json_share(prompt->value));
    } else if (cli->args->json) {
        if (output_result_text(cli, prompt->bytes, &err))
            return output_error(cli, &err);
    } else if (cli->args->output) {
        if (prompt_text(cli->arena, prompt, prompt->length * 2 + 4096, &text, &err) ||
            output_bytes(cli, text, strlen(text), &err))
            return output_error(cli, &err);
    } else {
        for (size_t i = 0; is_open && i < n; i++)
            is_open = print_message(cli, json_array_get(prompt->items, i), n == 1, i == 0);
    }
    return 0;
}

int command_prompt(struct cli *cli)
{
    const struct arguments *args = cli->args;
    struct offering_result prompt;
    json_t *arguments = NULL;
    struct err err = { 0 };
    const char *slash = args->n_operands ? strchr(args->operands[0], '/') : NULL;
    if (!slash || slash == args->operands[0] || !slash[1])
        return command_misused(cli, "prompt", "which prompt of which server?");
    const char *server =
        arena_strndup(cli->arena, args->operands[0], (size_t)(slash - args->operands[0]));
    enum err_code r =
        call_arguments_parse(cli, args->operands + 1, args->n_operands - 1, NULL, &arguments, &err);
    if (!r && args->complete)
        return argument_values(cli, server, OFFERING_PROMPT, slash + 1, arguments);
    const struct prompt_request request = { .name = slash + 1, .arguments = arguments };
    if (!r)
        r = get_prompt(cli->services, cli->scope, cli->arena, server, &request, &prompt, &err);
    return r ? output_error(cli, &err) : print_prompt(cli, &prompt);
}
