#include "presentation/cli/commands/plan_text.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_inputs.h"
#include "presentation/cli/files.h"
#include "presentation/cli/plan_files.h"
#include <string.h>
#include <unistd.h>

enum err_code plan_linked_read(struct cli *cli, const char *path, struct linked_plan *out,
                               struct problems *problems, struct err *err)
{
    struct plan_text file;
    struct documents *documents = cli->services->documents;
    enum err_code r = plan_text_read(cli, path, &file, err);
    if (r == ERR_CANCELLED || r == ERR_TIMEOUT)
        return r;
    if (r)
        return err_prefix(err, ERR_BAD_PLAN, "plan");
    r = documents_parse_all(documents, file.text, file.length, cli->arena, problems, &out->document,
                            err);
    if (r)
        return err_prefix(err, ERR_BAD_PLAN, "%.200s", path);
    return link_plan(documents, file.files, cli->arena, problems, out, err);
}

/* What a person may have meant by the name of a file that is not there. */
static enum err_code hint_at_plan(struct cli *cli, const char *path, enum err_code code,
                                  struct err *err)
{
    static const struct {
        const char *folder, *ending;
    } forms[] = { { "", ".yml" }, { "", ".yaml" }, { "", ".json" }, { "plans/", ".yml" } };
    for (size_t i = 0; i < ARRAY_LENGTH(forms); i++) {
        const char *meant =
            arena_printf(cli->arena, "%s%s%s", forms[i].folder, path, forms[i].ending);
        if (access(meant, R_OK) == 0)
            return err_hint(err, code, "did you mean %s?", meant);
    }
    return err_hint(err, code, "name the file of a plan; mistro help run says what is in one");
}

enum err_code plan_text_read(struct cli *cli, const char *path, struct plan_text *out,
                             struct err *err)
{
    const struct file_reader reader = { cli->console, cli->scope, cli->arena,
                                        PLAN_FILES_MAX_BYTES };
    out->files = plan_files_beside(cli, path);
    enum err_code r = files_read(&reader, path, &out->text, &out->length, err);
    bool is_missing = r == ERR_INVALID && access(path, F_OK) != 0 && !text_equal(path, "-");
    return is_missing ? hint_at_plan(cli, path, r, err) : r;
}

enum err_code plan_max_steps_refused(struct cli *cli, int version, struct err *err)
{
    if (!cli->args->max_steps || version == PLAN_FORMAT_VERSION)
        return ERR_NONE;
    err_set(err, ERR_INVALID, 0, "--max-steps is for plans of version 1");
    return err_hint(err, ERR_INVALID, "leave it out: a plan of version 2 may have %d steps",
                    PLAN_MAX_STEPS);
}

enum err_code plan_word_split(struct cli *cli, const char *flag, const char *word,
                              const json_t *said, const char **out_name, const char **out_value,
                              struct err *err)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return err_set(err, ERR_INVALID, 0, "--%s %.60s: write NAME=VALUE", flag, word);
    *out_name = arena_strndup(cli->arena, word, (size_t)(equals - word));
    *out_value = equals + 1;
    if (json_object_get(said, *out_name))
        return err_set(err, ERR_INVALID, 0, "--%s %.60s is given twice", flag, *out_name);
    return ERR_NONE;
}

static enum err_code read_file(struct cli *cli, const char *name, const char *path, bool is_secret,
                               const char **out, struct err *err)
{
    const struct file_reader reader = { cli->console, cli->scope, cli->arena,
                                        PLAN_FILES_MAX_BYTES };
    size_t length = 0;
    enum err_code r = files_read(&reader, path, out, &length, err);
    if (r)
        return err_prefix(err, r, "--var %.60s", name);
    if (strlen(*out) != length)
        return err_set(err, ERR_INVALID, 0, "--var %.60s: not text: it has a NUL byte", name);
    if (is_secret && length && (*out)[length - 1] == '\n')
        *out = arena_strndup(cli->arena, *out, length - 1);
    return ERR_NONE;
}

static enum err_code refuse_shown(const char *name, struct err *err)
{
    err_set(err, ERR_INVALID, 0,
            "--var %.60s: the input is secret, and others see what stands on a command line", name);
    return err_hint(err, ERR_INVALID, PLAN_SECRET_REMEDY, name, name);
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
    bool is_json = inputs && text_starts_with(sign, ":="), is_secret = plan_input_is_secret(input);
    if (is_secret && *sign != '@')
        return refuse_shown(name, err);
    if (length == 0 || !*sign || (*sign == ':' && !is_json))
        return err_set(err, ERR_INVALID, 0, "--var %.60s: write NAME=VALUE%s", word,
                       inputs ? ", NAME:=JSON or NAME@FILE" : "");
    if (*sign == '@' && read_file(cli, name, text, is_secret, &text, err))
        return err->code;
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
    if (plan_version_of(plan) == 1)
        return NULL;
    return inputs ? inputs : arena_keep_json(cli->arena, json_object());
}

static enum err_code refuse_second_input(const struct arguments *args, struct err *err)
{
    size_t n = text_equal(args->plan_file, "-") ||
               (args->n_operands && strcmp(args->operands[0], "-") == 0);
    for (size_t i = 0; i < args->vars.n; i++) {
        const char *word = args->vars.values[i];
        n += strcmp(word + strcspn(word, "=@:"), "@-") == 0;
    }
    return n > 1 ? err_set(err, ERR_INVALID, 0, "standard input can be read only once") : ERR_NONE;
}

enum err_code plan_vars_read(struct cli *cli, const json_t *plan, json_t **out, struct err *err)
{
    const json_t *inputs = inputs_of(cli, plan);
    enum err_code r = inputs ? refuse_second_input(cli->args, err) : ERR_NONE;
    *out = arena_keep_json(cli->arena, json_object());
    for (size_t i = 0; !r && i < cli->args->vars.n; i++)
        r = read_var(cli, cli->args->vars.values[i], inputs, *out, err);
    return r;
}

enum err_code plan_answers_read(struct cli *cli, json_t **out, struct err *err)
{
    *out = arena_keep_json(cli->arena, json_object());
    for (size_t i = 0; i < cli->args->answers.n; i++) {
        const char *name, *value;
        enum err_code r =
            plan_word_split(cli, "answer", cli->args->answers.values[i], *out, &name, &value, err);
        if (r)
            return r;
        json_object_set_new(*out, name, json_string(value));
    }
    return ERR_NONE;
}
