#include "infrastructure/models/choose_model.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint/model_create.h"
#include "infrastructure/models/launch/launched_server.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SCRIPT_MAX_BYTES = 16 * 1024 * 1024 };

static bool is_named(const struct settings *settings)
{
    return settings_launch_counts(settings) ||
           settings->origins[SETTING_model_name] != ORIGIN_DEFAULT ||
           settings->origins[SETTING_model_base_url] != ORIGIN_DEFAULT;
}

static enum err_code read_script(const char *path, struct buf *text, struct err *err)
{
    char chunk[8192];
    size_t n;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return err_set(err, ERR_INVALID, errno, "model script:%.200s: %s", path, strerror(errno));
    enum err_code r = ERR_NONE;
    while (!r && (n = fread(chunk, 1, sizeof chunk, file)) > 0)
        if (!buf_append(text, chunk, n))
            r = err_set(err, ERR_LIMIT, 0, "model script:%.200s: larger than %d bytes", path,
                        SCRIPT_MAX_BYTES);
    fclose(file);
    return r;
}

static enum err_code choose_script(const struct model_sources *from, const char *path,
                                   struct model **out, struct err *err)
{
    AUTO(buf) text;
    buf_init(&text, SCRIPT_MAX_BYTES);
    enum err_code r = read_script(path, &text, err);
    if (r)
        return r;
    r = scripted_model_create(uv_runtime_port(from->runtime), path, buf_string(&text), text.length,
                              out, err);
    return r ? err_prefix(err, r, "model script:%.200s", path) : ERR_NONE;
}

/* known_as: to the memory, for an endpoint whose address changes; NULL: its address. */
awaits static enum err_code choose_endpoint(const struct model_sources *from, struct scope *scope,
                                            const char *known_as, struct model **out,
                                            struct err *err)
{
    struct endpoint *endpoint = arena_new(from->arena, struct endpoint);
    enum err_code r =
        model_endpoint_find(from->runtime, scope, from->settings, from->arena, endpoint, err);
    if (r)
        return r;
    endpoint->known_as = known_as;
    *out = endpoint_model_open(from->runtime, endpoint, from->settings, from->endpoints);
    return ERR_NONE;
}

/* To everything behind it a launched server is an endpoint that its file names. */
awaits static enum err_code choose_launched(const struct model_sources *from, struct scope *scope,
                                            struct model **out, struct err *err)
{
    enum err_code r = launched_server_ensure(from->launched, scope, err);
    if (r)
        return r;
    struct settings *own = arena_new(from->arena, struct settings);
    *own = *from->settings;
    own->model_base_url = launched_server_url(from->launched);
    own->origins[SETTING_model_base_url] = own->launch.origin;
    own->origin_names[SETTING_model_base_url] = own->launch.origin_name;
    struct model_sources at_its_address = *from;
    at_its_address.settings = own;
    struct model *inside = NULL;
    r = choose_endpoint(&at_its_address, scope, "model.launch", &inside, err);
    if (!r)
        *out = launched_model_create(from->launched, inside);
    return r;
}

/* The user named no model: an endpoint that was found counts only if it has the default one. */
static enum err_code keep_if_usable(struct scope *scope, struct arena *arena, struct model **model,
                                    enum model_choice *out_choice, struct err *err)
{
    struct model_status status;
    enum err_code r = model_check(*model, scope, arena, &status, err);
    if (r == ERR_CANCELLED)
        return r;
    *out_choice = r ? MODEL_CHOICE_LEXICAL : MODEL_CHOICE_FOUND;
    if (r) {
        model_destroy(*model);
        *model = NULL;
    }
    return ERR_NONE;
}

enum err_code model_choose(const struct model_sources *from, struct scope *scope,
                           struct model **out, enum model_choice *out_choice, struct err *err)
{
    const struct settings *settings = from->settings;
    bool named = is_named(settings);
    const char *name = settings->model_name;
    *out = NULL;
    *out_choice = MODEL_CHOICE_NAMED;
    if (strcmp(name, "none") == 0) {
        *out_choice = MODEL_CHOICE_LEXICAL;
        return ERR_NONE;
    }
    if (text_starts_with(name, "script:"))
        return choose_script(from, name + strlen("script:"), out, err);
    enum err_code r = from->launched ? choose_launched(from, scope, out, err)
                                     : choose_endpoint(from, scope, /* known_as= */ NULL, out, err);
    if (!r && named)
        return ERR_NONE;
    if (!r)
        return keep_if_usable(scope, from->arena, out, out_choice, err);
    if (r == ERR_CANCELLED || (named && strcmp(settings->model_fallback, "lexical") != 0))
        return r;
    *out_choice = MODEL_CHOICE_LEXICAL;
    return ERR_NONE;
}

static const struct named_model *find(const struct named_models *models, const char *name,
                                      const char *base_url)
{
    for (size_t i = 0; i < models->n; i++)
        if (text_equal(models->list[i].name, name) &&
            text_equal(models->list[i].base_url, base_url))
            return &models->list[i];
    return NULL;
}

static void set(struct settings *settings, enum setting_id id)
{
    settings->origins[id] = ORIGIN_FLAG;
    settings->origin_names[id] = "a role";
}

/* The settings of the process, but for what was named. */
static struct settings *settings_for(const struct named_models *models, const char *name,
                                     const char *base_url)
{
    struct settings *own = arena_new(models->from.arena, struct settings);
    *own = *models->from.settings;
    if (name) {
        own->model_name = arena_strdup(models->from.arena, name);
        set(own, SETTING_model_name);
    }
    if (base_url && !text_equal(base_url, models->from.settings->model_base_url)) {
        own->model_base_url = arena_strdup(models->from.arena, base_url);
        set(own, SETTING_model_base_url);
        own->model_api_key = "";
        own->launch.n_words = 0;
    }
    return own;
}

awaits static enum err_code make(const struct named_models *models, struct scope *scope,
                                 const char *name, const char *base_url, struct model **out,
                                 struct err *err)
{
    struct model_sources from = models->from;
    from.settings = settings_for(models, name, base_url);
    if (!settings_launch_counts(from.settings))
        from.launched = NULL;
    enum model_choice choice;
    enum err_code r = model_choose(&from, scope, out, &choice, err);
    if (r || *out)
        return r;
    return err_set(err, ERR_UNAVAILABLE, 0, "there is no model \"%.60s\"", name ? name : "");
}

enum err_code named_models_get(struct named_models *models, struct scope *scope, const char *name,
                               const char *base_url, struct model **out, struct err *err)
{
    struct model *model = NULL;
    const struct named_model *known = find(models, name, base_url);
    if (known) {
        *out = known->model;
        return ERR_NONE;
    }
    if (models->n == NAMED_MODELS_MAX)
        return err_set(err, ERR_LIMIT, 0, "more than %d models are named", NAMED_MODELS_MAX);
    enum err_code r = make(models, scope, name, base_url, &model, err);
    if (r)
        return r;
    if (models->wrap)
        model = models->wrap(models->context, name, base_url, model);
    models->list[models->n++] = (struct named_model){
        .name = arena_strdup(models->from.arena, name),
        .base_url = arena_strdup(models->from.arena, base_url),
        .model = model,
    };
    *out = model;
    return ERR_NONE;
}

void named_models_close(struct named_models *models)
{
    for (size_t i = 0; i < models->n; i++)
        model_destroy(models->list[i].model);
    models->n = 0;
}
