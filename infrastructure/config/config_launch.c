#include "domain/base/json.h"
#include "infrastructure/config/config_internal.h"

struct launch_reading {
    struct config_loading *loading;
    const struct config_source *source;
    const char *key, *path;
};

static enum err_code refuse(const struct launch_reading *reading, const char *path, const char *why,
                            struct err *err)
{
    enum err_code r = err_set(err, ERR_INVALID, 0, "%s: %s", reading->key, why);
    return config_at_place(reading->loading, reading->source, path, r, err);
}

/* "-c, 4096" is a number to YAML and a word to whoever writes it. */
static const char *word_of(struct arena *arena, const json_t *value)
{
    if (json_is_number(value))
        return json_print_in(arena, value);
    return json_string_has_nul(value) ? NULL : json_string_value(value);
}

static enum err_code read_word(const struct launch_reading *reading, size_t i, const json_t *value,
                               const char **out, const char **out_shown, struct err *err)
{
    struct arena *arena = reading->loading->arena;
    const char *path = json_path_element(arena, reading->path, i), *word = word_of(arena, value);
    if (!word)
        return refuse(reading, path, "a word must be text or a number; quote it", err);
    if (i == 0 && !*word)
        return refuse(reading, path, "the first word must name a program", err);
    *out_shown = arena_strdup(arena, word);
    enum err_code r = config_expand(arena, word, out, err);
    if (!r)
        return ERR_NONE;
    err_prefix(err, r, "%s", reading->key);
    return config_at_place(reading->loading, reading->source, path, r, err);
}

/* What is not approved is not looked into any further: its variables are nobody's business. */
enum err_code config_read_command(struct config_loading *loading,
                                  const struct config_source *source, const char *key,
                                  const json_t *list, const char *path, struct model_launch *out,
                                  struct err *err)
{
    struct launch_reading reading = { loading, source, key, path };
    struct model_launch launch = { .origin = source->origin, .origin_name = source->file };
    const json_t *value;
    size_t i;
    if (json_is_null(list))
        return ERR_NONE;
    if (!json_is_array(list) || json_array_size(list) > MODEL_LAUNCH_MAX_WORDS)
        return refuse(&reading, path,
                      arena_printf(loading->arena, "must be a list of at most %d words",
                                   MODEL_LAUNCH_MAX_WORDS),
                      err);
    bool starts = json_array_size(list) > 0;
    if (starts && source->origin == ORIGIN_PROJECT_FILE) {
        config_note_risk(loading, source->file, key, list);
        config_note_command(loading, NULL, list);
        if (!loading->project_approved)
            return ERR_NONE;
    }
    const char **words = arena_array(loading->arena, const char *, json_array_size(list) + 1);
    const char **shown = arena_array(loading->arena, const char *, json_array_size(list) + 1);
    json_array_foreach (list, i, value) {
        enum err_code r = read_word(&reading, i, value, &words[i], &shown[i], err);
        if (r)
            return r;
    }
    launch.words = words;
    launch.shown = shown;
    launch.n_words = json_array_size(list);
    *out = starts ? launch : (struct model_launch){ 0 };
    return ERR_NONE;
}
