#include "presentation/cli/commands/resource_watch.h"
#include "application/use_cases/tools/watch_resource.h"
#include "domain/base/json.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/call_output.h"
#include <string.h>

struct shown {
    struct cli *cli;
    bool is_any; /* it was read at least once */
};

/* As the server sent it, unless that would be several lines. */
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
    shown->is_any = true;
    if (cli.args->events)
        output_result_event(&cli, "result", json_share(content->value));
    else
        return cli.args->json ? print_line(&cli, content) : print_text(&cli, content);
    return true;
}

int resource_watch(struct cli *cli, const char *server, const char *uri)
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
    bool ran_its_time = shown.is_any && r && scope_check(cli->scope, now_ms, NULL) == ERR_TIMEOUT;
    return !r || ran_its_time ? 0 : output_error(cli, &err);
}
