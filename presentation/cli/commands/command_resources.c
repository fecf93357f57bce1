/* `mistro resources [SERVER]` and `mistro read SERVER URI`. */
#include "application/use_cases/tools/read_resource.h"
#include "domain/base/json.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/argument_values.h"
#include "presentation/cli/commands/call_arguments.h"
#include "presentation/cli/commands/resource_watch.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/call_output.h"
#include "presentation/cli/output/offering_output.h"
#include "presentation/cli/output/table.h"
#include <stdlib.h>
#include <string.h>

static json_t *listing_to_json(const struct offering_listing *listing)
{
    return json_pack("{s:o, s:o, s:o}", "resources", offerings_to_json(listing, OFFERING_RESOURCE),
                     "templates", offerings_to_json(listing, OFFERING_TEMPLATE), "failures",
                     offering_failures_to_json(listing));
}

int command_resources(struct cli *cli)
{
    struct offering_listing listing;
    struct err err = { 0 };
    struct table table;
    const char *only = cli->args->n_operands ? cli->args->operands[0] : NULL;
    if (list_offerings(cli->services, cli->scope, cli->arena, OFFERED_RESOURCES, only, &listing,
                       &err))
        return output_error(cli, &err);
    if (cli->args->json) {
        json_auto_t *value = listing_to_json(&listing);
        (void)output_json(cli, value);
        return 0;
    }
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
        return resource_watch(cli, cli->args->operands[0], cli->args->operands[1]);
    if (read_resource(cli->services, cli->scope, cli->arena, cli->args->operands[0],
                      cli->args->operands[1], &resource, &err))
        return output_error(cli, &err);
    struct step_result shown;
    if (as_result(cli->arena, &resource, &shown, &err))
        return output_error(cli, &err);
    return call_output_as(cli, &shown, resource.bytes, resource.length);
}
