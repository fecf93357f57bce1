#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ROOT_KEY "mistral_orchestrator"
#define MAX_ALIASES 200

/* Keys of a project that could send data or a key elsewhere, or write where it should not. */
static bool is_risky(enum setting_id id)
{
    static const enum setting_id risky[] = { SETTING_model_base_url,    SETTING_model_api_key,
                                             SETTING_storage_dir,       SETTING_studio_image_tool,
                                             SETTING_figure_image_tool, SETTING_workspace_write,
                                             SETTING_plans_dir };
    for (size_t i = 0; i < ARRAY_LENGTH(risky); i++)
        if (risky[i] == id)
            return true;
    return false;
}

enum err_code config_at_place(const struct config_place *place, enum err_code code, struct err *err)
{
    const struct config_source *source = place->source;
    int line = 0, column = 0;
    if (documents_place(place->loading->documents, &source->document, place->path, &line, &column))
        return err_prefix(err, code, "%s:%d:%d", source->file, line, column);
    return err_prefix(err, code, "%s", source->file);
}

enum err_code config_refuse(const struct config_place *place, struct err *err, const char *format,
                            ...)
{
    char what[sizeof err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return config_at_place(place, err_set(err, ERR_INVALID, 0, "%s", what), err);
}

struct config_place config_place_member(const struct config_place *place, const char *key)
{
    return (struct config_place){ place->loading, place->source,
                                  json_path_member(place->loading->arena, place->path, key) };
}

struct config_place config_place_element(const struct config_place *place, size_t index)
{
    return (struct config_place){ place->loading, place->source,
                                  json_path_element(place->loading->arena, place->path, index) };
}

/* Whether keys below "section." exist. */
static bool is_section(const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (strncmp(settings_table[i].key, key, length) == 0 &&
            settings_table[i].key[length] == '.')
            return true;
    return false;
}

static enum err_code unknown_key(const struct config_place *place, const char *key, struct err *err)
{
    const char *known[SETTING_COUNT + 4];
    size_t nearest;
    for (size_t i = 0; i < SETTING_COUNT; i++)
        known[i] = settings_table[i].key;
    known[SETTING_COUNT] = "policy";
    known[SETTING_COUNT + 1] = "model.aliases";
    known[SETTING_COUNT + 2] = "model.launch";
    known[SETTING_COUNT + 3] = "figure.renderer";
    enum err_code r = err_set(err, ERR_INVALID, 0, "there is no setting \"%.80s\"", key);
    if (text_nearest(key, known, ARRAY_LENGTH(known), &nearest, 1))
        err_hint(err, r, "did you mean %s?", known[nearest]);
    else
        err_hint(err, r, "see the settings with: mistro config show");
    return config_at_place(place, r, err);
}

static enum err_code read_aliases(const struct config_place *place, const json_t *map,
                                  struct err *err)
{
    struct settings *settings = place->loading->settings;
    const char *name;
    const json_t *target;
    if (!json_is_object(map) || json_object_size(map) > MAX_ALIASES)
        return config_refuse(
            place, err, "model.aliases: must be a map of at most %d names to models", MAX_ALIASES);
    struct model_alias *aliases =
        arena_array(place->loading->arena, struct model_alias, json_object_size(map) + 1);
    size_t n = 0;
    json_each_member (map, name, target) {
        struct config_place of_target = config_place_member(place, name);
        if (!json_is_string(target))
            return config_refuse(&of_target, err, "model.aliases: must name a model");
        aliases[n++] = (struct model_alias){ name, json_string_value(target) };
    }
    settings->aliases = aliases;
    settings->n_aliases = n;
    return ERR_NONE;
}

/* A file that writes a default down changes nothing: not the value, and not that no one chose it.
 * So the file mistro ships, with every key in it, does not name a model. */
static bool is_untouched_default(const struct settings *settings, enum setting_id id,
                                 const json_t *value)
{
    json_auto_t *now = settings_value(settings, id);
    if (settings->origins[id] != ORIGIN_DEFAULT)
        return false;
    if (settings_table[id].kind == SETTING_NUM && json_is_number(value))
        return json_number_value(value) == json_number_value(now);
    return json_equal(now, value);
}

static bool uses_database(const struct settings *settings)
{
    return strcmp(settings->storage_backend, "postgres") == 0;
}

/* Whether data are in PostgreSQL, and where that is. */
static bool is_about_database(const struct settings *settings, enum setting_id id,
                              const json_t *value)
{
    if (id == SETTING_storage_backend)
        return uses_database(settings) || text_equal(json_string_value(value), "postgres");
    return id == SETTING_storage_postgres;
}

/* A project cannot say it, not even once it was approved: in another store nothing would be pinned
 * yet, and what is found there says what a person allowed. A file that has every key at its default
 * still changes nothing. */
static enum err_code keep_database(const struct config_place *place, enum setting_id id,
                                   const json_t *value, struct err *err)
{
    bool is_backend = id == SETTING_storage_backend;
    if (is_backend ? uses_database(place->loading->settings)
                   : text_equal(json_string_value(value), ""))
        return ERR_NONE;
    enum err_code r = config_refuse(place, err, "a project may not set %s%s",
                                    settings_table[id].key, is_backend ? " to postgres" : "");
    return err_hint(err, r, "set it in your own file");
}

static enum err_code apply_setting(const struct config_place *place, enum setting_id id,
                                   const json_t *value, struct err *err)
{
    struct config_loading *loading = place->loading;
    const struct config_source *source = place->source;
    if (is_untouched_default(loading->settings, id, value))
        return ERR_NONE;
    if (source->origin == ORIGIN_PROJECT_FILE && is_about_database(loading->settings, id, value))
        return keep_database(place, id, value, err);
    if (source->origin == ORIGIN_PROJECT_FILE && is_risky(id)) {
        config_note_risk(loading, source->file, settings_table[id].key, value);
        if (!loading->project_approved && id == SETTING_plans_dir)
            *arena_push(loading->arena, loading->waiting, loading->n_waiting,
                        loading->waiting_capacity) = PLANS_SERVER;
        if (!loading->project_approved)
            return ERR_NONE;
    }
    enum err_code r = settings_set(loading->settings, loading->arena, id, value, source->origin,
                                   source->file, err);
    return r ? config_at_place(place, r, err) : ERR_NONE;
}

static enum err_code apply_section(const struct config_place *place, const json_t *section,
                                   const char *prefix, struct err *err);

/* `off` is text in YAML 1.2. */
static bool is_off(const json_t *value)
{
    return json_is_false(value) || text_equal(json_string_value(value), "off");
}

static enum err_code apply_member(const struct config_place *place, const char *key,
                                  const json_t *value, struct err *err)
{
    struct settings *settings = place->loading->settings;
    enum setting_id id = settings_find(key);
    if (id != SETTING_COUNT)
        return apply_setting(place, id, value, err);
    if (strcmp(key, "model.aliases") == 0)
        return read_aliases(place, value, err);
    if (strcmp(key, "model.launch") == 0)
        return config_read_command(place, key, value, &settings->launch, err);
    if (strcmp(key, "figure.renderer") == 0)
        return config_read_command(place, key, value, &settings->renderer, err);
    if (strcmp(key, "policy") == 0)
        return config_read_policy(place, value, err);
    if (!is_section(key))
        return unknown_key(place, key, err);
    if (strcmp(key, "workspace") == 0 && is_off(value))
        return apply_setting(place, SETTING_workspace_enabled, json_false(), err);
    if (json_is_null(value)) /* a section whose keys are all commented out */
        return ERR_NONE;
    if (!json_is_object(value))
        return config_refuse(place, err, "%s: must be %sa map of settings", key,
                             strcmp(key, "workspace") == 0 ? "off or " : "");
    return apply_section(place, value, arena_printf(place->loading->arena, "%s.", key), err);
}

static enum err_code apply_section(const struct config_place *place, const json_t *section,
                                   const char *prefix, struct err *err)
{
    const char *key;
    const json_t *value;
    json_each_member (section, key, value) {
        struct config_place of_value = config_place_member(place, key);
        const char *whole = arena_printf(place->loading->arena, "%s%s", prefix, key);
        enum err_code r = apply_member(&of_value, whole, value, err);
        if (r)
            return r;
    }
    return ERR_NONE;
}

static enum err_code apply_root(struct config_loading *loading, const struct config_source *source,
                                struct err *err)
{
    const struct config_place whole = { loading, source, "" };
    const struct config_place place = { loading, source, "/" ROOT_KEY };
    const json_t *root = source->document.value, *member;
    const char *key;
    if (json_is_null(root))
        return ERR_NONE;
    json_each_member (root, key, member) {
        struct config_place other = config_place_member(&whole, key);
        if (strcmp(key, ROOT_KEY) != 0)
            return config_refuse(&other, err, "settings stand below " ROOT_KEY ", not \"%.60s\"",
                                 key);
    }
    member = json_object_get(root, ROOT_KEY);
    if (json_is_object(root) && json_is_null(member))
        return ERR_NONE;
    if (!json_is_object(member))
        return config_refuse(&place, err, "must be a map with the key " ROOT_KEY);
    return apply_section(&place, member, "", err);
}

enum err_code config_apply_file(struct config_loading *loading, const char *file,
                                enum setting_origin origin, struct err *err)
{
    const char *text = NULL;
    size_t length = 0;
    struct config_source source = { .file = file, .origin = origin };
    enum err_code r = config_read_file(file, loading->arena, &text, &length, err);
    if (r)
        return r;
    r = documents_parse(loading->documents, text, length, loading->arena, &source.document, err);
    if (r)
        return err_prefix(err, r, "%s", file);
    return apply_root(loading, &source, err);
}
