#include "presentation/cli/commands/plan_text.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_inputs.h"
#include "presentation/cli/files.h"
#include <string.h>

enum { PLAN_MAX_BYTES = 4 * 1024 * 1024 };

enum err_code plan_text_read(struct cli *cli, const char *path, struct plan_text *out,
                             struct err *err)
{
    const struct file_reader reader = { cli->console, cli->scope, cli->arena, PLAN_MAX_BYTES };
    return files_read(&reader, path, &out->text, &out->length, err);
}

/* inputs: of a plan of version 2; else NULL. */
static enum err_code read_var(struct cli *cli, const char *word, const json_t *inputs, json_t *vars,
                              struct err *err)
{
    size_t length = strcspn(word, inputs ? "=@:" : "=");
    const char *name = arena_strndup(cli->arena, word, length), *sign = word + length;
    const json_t *input = json_object_get(inputs, name);
    const char *text = sign + 1;
    json_t *value = NULL;
    bool is_json = inputs && text_starts_with(sign, ":=");
    if (length == 0 || !*sign || (*sign == ':' && !is_json))
        return err_set(err, ERR_INVALID, 0, "--var %.60s: write NAME=VALUE%s", word,
                       inputs ? ", NAME:=JSON or NAME@FILE" : "");
    if (*sign == '@') {
        enum err_code r = files_read(
            &(struct file_reader){ cli->console, cli->scope, cli->arena, PLAN_MAX_BYTES }, text,
            &text, &(size_t){ 0 }, err);
        if (r)
            return err_prefix(err, r, "--var %.60s", name);
    }
    if (is_json && json_parse(sign + 2, strlen(sign + 2), JSON_OURS, &value, err))
        return err_prefix(err, ERR_INVALID, "--var %.60s", name);
    if (!is_json)
        value = input ? plan_input_from_text(input, text) : json_string(text);
    if (!value)
        return err_set(err, ERR_INVALID, 0, "--var %.60s: not text in UTF-8", name);
    json_object_set_new(vars, name, value);
    return ERR_NONE;
}

static const json_t *inputs_of(struct cli *cli, const json_t *plan)
{
    const json_t *inputs = json_object_get(plan, "inputs");
    if (json_get_int(plan, "version", 1) == 1)
        return NULL;
    return inputs ? inputs : arena_keep_json(cli->arena, json_object());
}

enum err_code plan_vars_read(struct cli *cli, const json_t *plan, json_t **out, struct err *err)
{
    const json_t *inputs = inputs_of(cli, plan);
    enum err_code r = ERR_NONE;
    *out = arena_keep_json(cli->arena, json_object());
    for (size_t i = 0; !r && i < cli->args->vars.n; i++)
        r = read_var(cli, cli->args->vars.values[i], inputs, *out, err);
    return r;
}
