#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/policy/command_risk.h"
#include "infrastructure/config/config_internal.h"
#include "infrastructure/config/embedded_assets.h"
#include <string.h>

void config_give_up(struct config_loading *loading)
{
    loading->risk_is_cut = true;
    buf_clear(&loading->risk);
    if (!buf_printf(&loading->risk, "more than can be shown: it cannot be approved\n"))
        abort();
}

/* The list is for a person who decides, so it is whole or it is refused: what does not fit is
 * said to be missing. */
void config_note_risk(struct config_loading *loading, const char *file, const char *what,
                      const json_t *value)
{
    if (loading->risk_is_cut)
        return;
    auto_str text = json_print(value);
    struct buf *risk = &loading->risk;
    if (text_append_visible(risk, file, strlen(file)) && buf_puts(risk, ": ") &&
        text_append_visible(risk, what, strlen(what)) && buf_puts(risk, ": ") &&
        text_append_visible(risk, text, strlen(text)) && buf_puts(risk, "\n"))
        return;
    config_give_up(loading);
}

void config_note_flaw(struct config_loading *loading, const char *file, const struct err *why)
{
    json_auto_t *message = json_string(why->message);
    config_note_risk(loading, file, "it cannot be read", message);
}

bool config_note_server(struct config_loading *loading, const char *file, const char *name,
                        size_t start)
{
    const struct config_request *request = loading->request;
    const char *text = loading->risk_is_cut ? "" : buf_string(&loading->risk) + start;
    bool counts =
        loading->project_approved ||
        (*text && text_is_one_of(text, request->approved_items, request->n_approved_items));
    if (!loading->n_items)
        loading->items_start = start;
    loading->items_end = loading->risk.length;
    *arena_push(loading->arena, loading->items, loading->n_items, loading->items_capacity) =
        (struct config_item){ .name = arena_strdup(loading->arena, name),
                              .file = file,
                              .text = arena_strdup(loading->arena, text),
                              .counts = counts };
    return counts;
}

void config_note_rest(struct config_loading *loading, const char *file)
{
    if (loading->risk_is_cut)
        return;
    const char *risk = buf_string(&loading->risk);
    const char *text = arena_printf(loading->arena, "%.*s%s", (int)loading->items_start, risk,
                                    risk + loading->items_end);
    if (*text)
        *arena_push(loading->arena, loading->items, loading->n_items, loading->items_capacity) =
            (struct config_item){ .file = file, .text = text, .counts = loading->project_approved };
}

const char *config_item_kept(struct arena *arena, const char *file)
{
    const char *text = NULL;
    struct err ignored;
    size_t length = 0;
    return config_read_file(file, arena, &text, &length, &ignored) ? NULL : text;
}

enum err_code config_item_keep(const char *file, const struct config_item *item, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    return config_write_file(&scratch, file, item->text, err);
}

void config_note_policy(struct config_loading *loading, const char *file)
{
    size_t i;
    const json_t *rule;
    if (!loading->policy_loosens && !loading->risk.length)
        return;
    json_array_foreach (loading->project_policy, i, rule)
        config_note_risk(loading, file, "policy", rule);
}

void config_note_command(struct config_loading *loading, const json_t *command,
                         const json_t *arguments)
{
    size_t n = 0, i;
    const json_t *argument;
    const char *risks[COMMAND_RISKS];
    const char **words = arena_array(loading->arena, const char *, json_array_size(arguments) + 1);
    if (json_is_string(command))
        words[n++] = json_string_value(command);
    json_array_foreach (arguments, i, argument)
        if (json_is_string(argument))
            words[n++] = json_string_value(argument);
    size_t n_risks = command_risk(words, n, risks);
    for (size_t risk = 0; risk < n_risks && !loading->risk_is_cut; risk++)
        if (!buf_printf(&loading->risk, "  careful: %s\n", risks[risk]))
            config_give_up(loading);
}

/* Bytes that are not UTF-8 are escaped: JSON cannot hold them. */
static json_t *text_value(const char *text, size_t length)
{
    AUTO(buf) shown;
    buf_init(&shown, length * 8 + 16);
    bool fits = text_append_escaped(&shown, text, length);
    return json_string(fits ? buf_string(&shown) : "(cannot be shown)");
}

static void note_file(struct config_loading *loading, const char *file, const char *what,
                      const struct embedded_file *same)
{
    AUTO(arena) scratch = { 0 };
    const char *text = NULL;
    size_t length = 0;
    struct err err;
    if (config_read_file(file, &scratch, &text, &length, &err)) {
        config_note_flaw(loading, file, &err);
        return;
    }
    if (same && length == same->length && memcmp(text, same->text, length) == 0)
        return;
    json_auto_t *value = text_value(text, length);
    config_note_risk(loading, file, what, value);
}

static bool is_embedded(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    for (const struct embedded_file *asset = embedded_assets; asset->path; asset++)
        if (strncmp(asset->path, folder, length) == 0 && asset->path[length] == '/' &&
            strcmp(asset->path + length + 1, name) == 0)
            return true;
    return false;
}

/* Folders that are listed (assets_list): a file there counts although the binary has none of its
 * name. */
static void note_additions(struct config_loading *loading, const char *root, const char *folder)
{
    struct err err;
    struct asset_names names = { .arena = loading->arena };
    const char *place = arena_printf(loading->arena, "%s/%s", root, folder);
    if (asset_names_add_folder(&names, place, &err)) {
        config_note_flaw(loading, place, &err);
        return;
    }
    asset_names_finish(&names);
    for (size_t i = 0; !loading->risk_is_cut && i < names.n; i++)
        if (!is_embedded(folder, names.names[i]))
            note_file(loading, arena_printf(loading->arena, "%s/%s", place, names.names[i]),
                      "beside what mistro brings", NULL);
}

void config_note_overrides(struct config_loading *loading)
{
    static const char *const listed[] = { "config/rolesets", "config/rolesets/packs",
                                          "config/styles", "data/references", "data/words" };
    const char *root = config_project_root(loading->arena);
    for (const struct embedded_file *asset = embedded_assets; root && asset->path; asset++) {
        const char *file = arena_printf(loading->arena, "%s/%s", root, asset->path);
        if (strcmp(asset->path, CONFIG_SETTINGS_PATH) != 0 && !loading->risk_is_cut &&
            config_is_file(file))
            note_file(loading, file, "instead of what mistro brings", asset);
    }
    for (size_t i = 0; root && i < ARRAY_LENGTH(listed); i++)
        note_additions(loading, root, listed[i]);
}
