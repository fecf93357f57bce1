#include "domain/base/json.h"
#include "infrastructure/config/config_internal.h"

/* "-c, 4096" is a number to YAML and a word to its writer. */
static const char *word_of(struct arena *arena, const json_t *value)
{
    if (json_is_number(value))
        return json_print_in(arena, value);
    return json_string_has_nul(value) ? NULL : json_string_value(value);
}

static enum err_code read_word(const struct config_place *place, const char *key, bool is_first,
                               const json_t *value, const char **out, const char **out_shown,
                               struct err *err)
{
    struct arena *arena = place->loading->arena;
    const char *word = word_of(arena, value);
    if (!word)
        return config_refuse(place, err, "%s: a word must be text or a number; quote it", key);
    if (is_first && !*word)
        return config_refuse(place, err, "%s: the first word must name a program", key);
    *out_shown = arena_strdup(arena, word);
    enum err_code r = config_expand(arena, word, out, err);
    return r ? config_at_place(place, err_prefix(err, r, "%s", key), err) : ERR_NONE;
}

/* A command that is not approved is not read any further: its variables need not be set. */
enum err_code config_read_command(const struct config_place *place, const char *key,
                                  const json_t *list, struct model_launch *out, struct err *err)
{
    struct config_loading *loading = place->loading;
    const char *file = place->source->file;
    size_t i, n = json_array_size(list);
    const json_t *value;
    if (json_is_null(list))
        return ERR_NONE;
    if (!json_is_array(list) || n > MODEL_LAUNCH_MAX_WORDS)
        return config_refuse(place, err, "%s: must be a list of at most %d words", key,
                             MODEL_LAUNCH_MAX_WORDS);
    if (n && place->source->origin == ORIGIN_PROJECT_FILE) {
        config_note_risk(loading, file, key, list);
        config_note_command(loading, NULL, list);
        if (!loading->project_approved)
            return ERR_NONE;
    }
    const char **words = arena_array(loading->arena, const char *, n + 1);
    const char **shown = arena_array(loading->arena, const char *, n + 1);
    json_array_foreach (list, i, value) {
        struct config_place of_word = config_place_element(place, i);
        enum err_code r = read_word(&of_word, key, i == 0, value, &words[i], &shown[i], err);
        if (r)
            return r;
    }
    *out = (struct model_launch){ 0 };
    if (n)
        *out = (struct model_launch){ .words = words,
                                      .shown = shown,
                                      .n_words = n,
                                      .origin = place->source->origin,
                                      .origin_name = file };
    return ERR_NONE;
}
