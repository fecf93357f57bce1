/* `mistro config`: every setting with its origin, the files, and whether they are right. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include <string.h>

static const char *origin_text(struct arena *arena, enum setting_origin origin, const char *name)
{
    static const char *const names[] = { "default", "user file", "project file", "environment",
                                         "flag" };
    return name ? arena_printf(arena, "%s %s", names[origin], name) : names[origin];
}

/* A key may be shown as set, never as what it is. A URL of PostgreSQL has a password in it. */
static json_t *shown_value(const struct settings *settings, enum setting_id id)
{
    if ((id == SETTING_model_api_key && *settings->model_api_key) ||
        (id == SETTING_storage_postgres && *settings->storage_postgres))
        return json_string("[redacted]");
    return settings_value(settings, id);
}

/* Steals value. */
static void show_one(struct cli *cli, json_t *all, const char *key, json_t *value,
                     const char *origin)
{
    if (!cli->args->json) {
        auto_str text = json_print(value);
        (void)output_line(cli, "%-38s %-24s %s# %s%s", key,
                          text_one_line(cli->arena, text, strlen(text), 200), cli->answer_style.dim,
                          text_one_line(cli->arena, origin, strlen(origin), 200),
                          cli->answer_style.reset);
    }
    json_object_set_new(all, key, json_pack("{s:o, s:s}", "value", value, "origin", origin));
}

static json_t *words_of(const struct model_launch *launch)
{
    json_t *words = json_array();
    for (size_t i = 0; i < launch->n_words; i++)
        json_array_append_new(words, json_string(launch->shown[i]));
    return words;
}

static void show_command(struct cli *cli, json_t *all, const char *key,
                         const struct model_launch *command)
{
    show_one(cli, all, key, words_of(command),
             origin_text(cli->arena, command->origin, command->origin_name));
}

static int show(struct cli *cli)
{
    const struct settings *settings = cli->services->settings;
    json_auto_t *all = json_object();
    for (int i = 0; i < SETTING_COUNT; i++) {
        enum setting_id id = (enum setting_id)i;
        show_one(cli, all, settings_table[id].key, shown_value(settings, id),
                 origin_text(cli->arena, settings->origins[id], settings->origin_names[id]));
    }
    show_command(cli, all, "model.launch", &settings->launch);
    show_command(cli, all, "figure.renderer", &settings->renderer);
    return cli->args->json ? !output_json(cli, all) : 0;
}

static int path(struct cli *cli)
{
    const char **labels, **values;
    size_t n = cli->host->ops->paths(cli->host, cli->arena, &labels, &values);
    json_auto_t *all = json_object();
    for (size_t i = 0; i < n; i++) {
        json_object_set_new(all, labels[i], values[i] ? json_string(values[i]) : json_null());
        if (!cli->args->json)
            (void)output_line(cli, "%-14s %s", labels[i], values[i] ? values[i] : "(none)");
    }
    return cli->args->json ? !output_json(cli, all) : 0;
}

int command_config(struct cli *cli)
{
    const char *what = cli->args->n_operands ? cli->args->operands[0] : "show";
    if (strcmp(what, "show") == 0)
        return show(cli);
    if (strcmp(what, "path") == 0)
        return path(cli);
    if (cli->args->json)
        return !output_line(cli, "{\"ok\":true}");
    output_note(cli, "the configuration is fine"); /* a faulty one never gets here */
    return 0;
}
