/* `mistro plans save RUN NAME`, and `/plan save NAME` in a chat. */
#include "application/use_cases/plans/save_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/files.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/table.h"
#include <errno.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64, SHOWN_COLUMNS = 200, COMMAND_COLUMNS = 2000 };

static bool is_name(const char *name)
{
    size_t length = strlen(name);
    return length && length <= NAME_MAX_BYTES &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               length;
}

static enum err_code write_plan(struct cli *cli, const char *run_id, const char *file,
                                const char *text, struct err *err)
{
    if (cli->args->output)
        return output_bytes(cli, text, strlen(text), err);
    enum err_code r = files_create(file, text, strlen(text), err);
    if (r && err->origin == EEXIST)
        return err_hint(err, r,
                        "take another name, or replace it: mistro plans save %.40s -o %.80s",
                        run_id, file);
    return r;
}

/* The inputs that have no value in the file, as the flags that give them. */
static const char *flags_of(struct arena *arena, const json_t *inputs)
{
    const char *flags = "", *name;
    const json_t *input;
    json_each_member (inputs, name, input)
        if (!json_object_get(input, "default") && json_get_bool(input, "required", true))
            flags = arena_printf(
                arena, "%s --var %s", flags,
                text_shell_word(
                    arena, arena_printf(arena, "%s%s", name,
                                        json_get_bool(input, "secret", false) ? "@FILE" : "=…")));
    return flags;
}

static void print_saved(struct cli *cli, const char *file, const json_t *plan)
{
    const json_t *inputs = json_object_get(plan, "inputs"), *input;
    size_t n = json_array_size(json_object_get(plan, "steps"));
    const char *name;
    struct table table;
    table_init(&table, cli->arena, 3);
    (void)output_line(cli, "written to %s: %zu step%s, %s",
                      text_one_line(cli->arena, file, strlen(file), SHOWN_COLUMNS), n,
                      n == 1 ? "" : "s",
                      json_object_size(inputs) ? "with the inputs" : "no inputs");
    json_each_member (inputs, name, input) {
        const json_t *fallback = json_object_get(input, "default"),
                     *type = json_object_get(input, "type");
        const char *text = fallback ? json_print_in(cli->arena, fallback)
                           : json_get_bool(input, "secret", false) ? "secret: not in the file"
                                                                   : "no default";
        table_row(&table, name,
                  json_is_string(type) ? json_string_value(type)
                  : type               ? json_print_in(cli->arena, type)
                                       : "",
                  text_one_line(cli->arena, text, strlen(text), SHOWN_COLUMNS));
    }
    (void)table_print(&table, cli);
    const char *command =
        arena_printf(cli->arena, "mistro run %s%s%s", text_shell_word(cli->arena, file),
                     flags_of(cli->arena, inputs), output_file_flags(cli->arena, cli->args));
    (void)output_line(cli, "run it: %s",
                      text_one_line(cli->arena, command, strlen(command), COMMAND_COLUMNS));
}

int command_plans_save(struct cli *cli, const char *run_id, const char *name)
{
    struct err err = { 0 };
    const json_t *plan = NULL;
    const char *text = NULL, *file = cli->args->output;
    enum err_code r = ERR_NONE;
    if (name && !is_name(name))
        r = err_hint(&err,
                     err_set(&err, ERR_INVALID, 0, "\"%.80s\" is not a name for a plan", name),
                     "use letters, digits, \"_\" and \"-\", at most %d", NAME_MAX_BYTES);
    if (name && !file)
        file = arena_printf(cli->arena, "%s.yml", name);
    if (!r)
        r = save_plan(cli->services, cli->scope, cli->arena, run_id, &plan, &err);
    if (!r)
        r = documents_print_yaml(cli->services->documents, plan, cli->arena, &text, &err);
    if (!r)
        r = write_plan(cli, run_id, file, text, &err);
    if (r)
        return output_error(cli, &err);
    if (strcmp(file, "-") == 0)
        return 0;
    if (!cli->args->json) {
        print_saved(cli, file, plan);
        return 0;
    }
    const json_t *inputs = json_object_get(plan, "inputs");
    json_t *given = inputs ? json_share(inputs) : json_object();
    return output_status_json(
        cli, json_pack("{s:i, s:s, s:o}", "version", 1, "file", file, "inputs", given), 0);
}
