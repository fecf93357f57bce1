#include "infrastructure/models/endpoint/model_names.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

enum { SHOWN_NAMES = 8, SHOWN_COLUMNS = 40 };

struct endpoint_models endpoint_models_of(const json_t *entries, const char *key,
                                          struct arena *arena)
{
    size_t n = json_array_size(entries);
    struct endpoint_models models = { .names = arena_array(arena, const char *, n + 1),
                                      .has_list = json_is_array(entries),
                                      .entries = entries };
    for (size_t i = 0; i < n; i++) {
        const char *name = json_get_string(json_array_get(entries, i), key);
        if (name)
            models.names[models.n++] = name;
    }
    return models;
}

const json_t *endpoint_models_entry(const struct endpoint_models *models, const char *key,
                                    const char *name)
{
    for (size_t i = 0; i < json_array_size(models->entries); i++)
        if (text_equal(json_get_string(json_array_get(models->entries, i), key), name))
            return json_array_get(models->entries, i);
    return NULL;
}

static const char *find(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return names[i];
    return NULL;
}

/* The name itself, or its :latest. */
static const char *find_tagged(const char *const *names, size_t n, const char *name,
                               struct arena *arena)
{
    const char *found = find(names, n, name);
    return found || strchr(name, ':') ? found
                                      : find(names, n, arena_printf(arena, "%s:latest", name));
}

static const struct model_alias *find_alias(const struct settings *settings)
{
    for (size_t i = 0; i < settings->n_aliases; i++)
        if (strcmp(settings->aliases[i].name, settings->model_name) == 0)
            return &settings->aliases[i];
    return NULL;
}

bool model_name_resolve(const struct settings *settings, const char *const *names, size_t n,
                        struct arena *arena, struct model_name *out)
{
    const char *wanted = settings->model_name;
    const char *found = find_tagged(names, n, wanted, arena);
    if (found) {
        bool exact = strcmp(found, wanted) == 0;
        *out = (struct model_name){ found, exact ? "as written" : "as written, :latest" };
        return true;
    }
    const struct model_alias *alias = find_alias(settings);
    found = alias ? find_tagged(names, n, alias->target, arena) : NULL;
    *out = (struct model_name){ found   ? found
                                : alias ? alias->target
                                        : wanted,
                                alias ? arena_printf(arena, "alias %s", alias->name) : "" };
    return found != NULL;
}

/* The only one there, or NULL. Where "default" stands for it, it is listed twice. */
static const char *only_name(const struct endpoint_models *models)
{
    if (models->n == 2 && strcmp(models->names[0], "default") == 0)
        return models->names[1];
    return models->n == 1 ? models->names[0] : NULL;
}

static bool is_instruct(const char *name)
{
    return strcasestr(name, "instruct");
}

/* A base model continues texts and follows no instructions. Makers name them so; a name without a
 * word about it (Ollama's "mistral") is that of an Instruct model. */
static bool is_base(const char *name)
{
    static const char *const signs[] = { "-base", "7b-v0", "8b-v0", "22b-v0", "12b-v0" };
    for (size_t i = 0; i < ARRAY_LENGTH(signs); i++)
        if (strcasestr(name, signs[i]))
            return !is_instruct(name) && !strcasestr(name, "chat");
    return false;
}

/* The one that is trained to follow instructions, where there is just one; else NULL. */
static const char *only_instruct(const struct endpoint_models *models)
{
    const char *only = NULL;
    for (size_t i = 0; i < models->n; i++) {
        if (!is_instruct(models->names[i]))
            continue;
        if (only)
            return NULL;
        only = models->names[i];
    }
    return only;
}

static bool say_what_it_is(struct arena *arena, struct model_name *out)
{
    if (is_base(out->name))
        out->reason = arena_printf(arena,
                                   "%s; it is no Instruct model, and those keep to the form "
                                   "of an answer much better",
                                   out->reason);
    return true;
}

bool model_name_choose(const struct settings *settings, const struct endpoint_models *models,
                       bool only_model_is_meant, struct arena *arena, struct model_name *out)
{
    if (model_name_resolve(settings, models->names, models->n, arena, out))
        return say_what_it_is(arena, out);
    const char *only = only_name(models), *instruct = only_instruct(models);
    bool is_open = only_model_is_meant && settings->origins[SETTING_model_name] == ORIGIN_DEFAULT;
    if (!models->has_list)
        *out = (struct model_name){ settings->model_name, "as written: no list to look it up" };
    else if (is_open && only)
        *out = (struct model_name){ only, "the only model there" };
    else if (is_open && instruct)
        *out = (struct model_name){ instruct, "the only Instruct model there" };
    else
        return false;
    return say_what_it_is(arena, out);
}

const char *model_names_print(const char *const *names, size_t n, struct arena *arena)
{
    const char *list = n ? "" : "nothing";
    for (size_t i = 0; i < n && i < SHOWN_NAMES; i++)
        list = arena_printf(arena, "%s%s%s", list, i ? ", " : "",
                            text_one_line(arena, names[i], strlen(names[i]), SHOWN_COLUMNS));
    return n > SHOWN_NAMES ? arena_printf(arena, "%s, …", list) : list;
}
