/* `mistro resources [SERVER]` and `mistro read SERVER URI`. */
#include "application/use_cases/tools/read_resource.h"
#include "domain/base/json.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/argument_values.h"
#include "presentation/cli/commands/call_arguments.h"
#include "presentation/cli/commands/list_options.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/call_output.h"
#include "presentation/cli/output/offering_output.h"
#include "presentation/cli/output/table.h"
#include <stdlib.h>
#include <string.h>

int command_resources(struct cli *cli)
{
    struct offering_listing listing;
    struct err err = { 0 };
    struct table table;
    const char *only = cli->args->n_operands ? cli->args->operands[0] : NULL;
    if (list_offerings(cli->services, cli->scope, cli->arena, OFFERED_RESOURCES, only, &listing,
                       &err))
        return output_error(cli, &err);
    if (cli->args->json)
        return output_status_json(
            cli,
            json_pack("{s:i, s:o, s:o, s:o}", "version", LIST_OPTIONS_VERSION, "resources",
                      offerings_to_json(&listing, OFFERING_RESOURCE), "templates",
                      offerings_to_json(&listing, OFFERING_TEMPLATE), "failures",
                      offering_failures_to_json(&listing)),
            0);
    table_init(&table, cli->arena, 4);
    for (size_t i = 0; i < listing.n; i++) {
        const struct offering *offering = &listing.list[i].offering;
        table_row(&table, listing.list[i].server, offering->key, offering->mime_type,
                  offering_summary(cli->arena, offering));
    }
    (void)table_print(&table, cli);
    offering_warnings(cli, &listing, "resources");
    return 0;
}

/* As the blocks of a tool's result, so that both are shown alike. */
MUST_CHECK
static enum err_code as_result(struct arena *arena, const struct offering_result *resource,
                               struct step_result *out, struct err *err)
{
    json_t *blocks = json_array();
    for (size_t i = 0; i < json_array_size(resource->items); i++) {
        json_t *item = json_array_get(resource->items, i), *text = json_object_get(item, "text");
        json_array_append_new(blocks,
                              text ? json_pack("{s:s, s:O}", "type", "text", "text", text)
                                   : json_pack("{s:s, s:O}", "type", "resource", "resource", item));
    }
    json_auto_t *value = json_pack("{s:o}", "content", blocks);
    auto_str text = json_print(value);
    return step_result_init(arena, text, strlen(text), out, err);
}

struct shown {
    struct cli *cli;
    bool was_read; /* at least once */
};

/* As the server sent it, or as one line where that has several. */
static bool print_line(struct cli *cli, const struct offering_result *content)
{
    bool is_line = !memchr(content->bytes, '\n', content->length);
    auto_str printed = is_line ? NULL : json_print(content->value);
    const char *text = printed ? printed : content->bytes;
    return output_text(cli, text, strlen(text));
}

static bool print_text(struct cli *cli, const struct offering_result *content)
{
    bool open = true;
    for (size_t i = 0; open && i < json_array_size(content->items); i++) {
        json_auto_t *block = json_pack("{s:O}", "resource", json_array_get(content->items, i));
        open = call_output_block(cli, block);
    }
    return open;
}

static bool on_content(void *context, const struct offering_result *content)
{
    struct shown *shown = context;
    AUTO(arena) scratch = { 0 };
    struct cli cli = *shown->cli; /* what each reading needs is not kept for the next */
    cli.arena = &scratch;
    shown->was_read = true;
    if (cli.args->events)
        output_result_event(&cli, json_share(content->value));
    else
        return cli.args->json ? print_line(&cli, content) : print_text(&cli, content);
    return true;
}

/* Until Ctrl-C, the end of --timeout, which is not a failure here, or a closed stdout. */
static int watch(struct cli *cli, const char *server, const char *uri)
{
    struct shown shown = { .cli = cli };
    struct err err = { 0 };
    struct resource_watch wanted = {
        .server = server, .uri = uri, .on_content = on_content, .context = &shown
    };
    if (cli->args->output)
        return command_misused(cli, "read", "--watch prints and does not write a file");
    enum err_code r = watch_resource(cli->services, cli->scope, &wanted, &err);
    int64_t now_ms = runtime_now_ms(cli->services->runtime);
    bool ran_its_time = shown.was_read && r && scope_check(cli->scope, now_ms, NULL) == ERR_TIMEOUT;
    return !r || ran_its_time ? 0 : output_error(cli, &err);
}

/* Behind the URI of a template: the variables that are known. */
static int complete_template(struct cli *cli)
{
    const struct arguments *args = cli->args;
    json_t *others = NULL;
    struct err err = { 0 };
    if (args->n_operands < 2)
        return command_misused(cli, "read", "which template of which server?");
    if (call_arguments_parse(cli, args->operands + 2, args->n_operands - 2, NULL, &others, &err))
        return output_error(cli, &err);
    return argument_values(cli, args->operands[0], OFFERING_TEMPLATE, args->operands[1], others);
}

int command_read(struct cli *cli)
{
    struct offering_result resource;
    struct err err = { 0 };
    if (cli->args->complete)
        return complete_template(cli);
    if (cli->args->n_operands != 2)
        return command_misused(cli, "read", "which resource of which server?");
    if (cli->args->watch)
        return watch(cli, cli->args->operands[0], cli->args->operands[1]);
    if (read_resource(cli->services, cli->scope, cli->arena, cli->args->operands[0],
                      cli->args->operands[1], &resource, &err))
        return output_error(cli, &err);
    struct step_result shown;
    if (as_result(cli->arena, &resource, &shown, &err))
        return output_error(cli, &err);
    return call_output_as(cli, &shown, resource.bytes, resource.length);
}
