#include "presentation/cli/commands/argument_values.h"
#include "application/use_cases/tools/list_offerings.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include <string.h>

static int print_as_json(struct cli *cli, const struct completion_values *values)
{
    json_t *list = json_array();
    for (size_t i = 0; i < values->n; i++)
        json_array_append_new(list, json_string(values->list[i]));
    json_auto_t *value = json_pack("{s:o, s:b}", "values", list, "has_more", values->has_more);
    (void)output_json(cli, value);
    return 0;
}

/* A value of several lines would look like several values. */
static int print(struct cli *cli, const struct completion_values *values)
{
    bool open = true;
    for (size_t i = 0; open && i < values->n; i++)
        if (!strpbrk(values->list[i], "\r\n"))
            open = output_text(cli, values->list[i], strlen(values->list[i]));
    if (open && values->has_more)
        output_note(cli, "there are more than these");
    return 0;
}

int argument_values(struct cli *cli, const char *server, enum offering_kind kind, const char *key,
                    const json_t *others)
{
    const char *word = cli->args->complete, *equals = strchr(word, '=');
    struct completion_values values = { 0 };
    struct err err = { 0 };
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    if (cli->args->output)
        return command_misused(cli, cli->args->command, "--complete prints: no -o");
    if (!length)
        return command_misused(cli, cli->args->command, "--complete takes NAME or NAME=TYPED");
    struct completion_request request = {
        .kind = kind,
        .key = key,
        .argument = arena_strndup(cli->arena, word, length),
        .typed = equals ? equals + 1 : "",
        .others = others,
    };
    if (complete_argument(cli->services, cli->scope, cli->arena, server, &request, &values, &err))
        return output_error(cli, &err);
    return cli->args->json ? print_as_json(cli, &values) : print(cli, &values);
}
