#include "infrastructure/models/named_models.h"
#include "domain/base/text.h"
#include "infrastructure/models/choose_model.h"

#define NAMED_BY "a role"

static struct named_model *find(struct named_models *models, const char *name, const char *base_url)
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
    settings->origin_names[id] = NAMED_BY;
}

/* The settings of the process, but for what was named. */
static struct settings *settings_for(const struct named_models *models, const char *name,
                                     const char *base_url)
{
    struct settings *own = arena_new(models->arena, struct settings);
    *own = *models->settings;
    if (name) {
        own->model_name = arena_strdup(models->arena, name);
        set(own, SETTING_model_name);
    }
    if (base_url && !text_equal(base_url, models->settings->model_base_url)) {
        own->model_base_url = arena_strdup(models->arena, base_url);
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
    const struct settings *own = settings_for(models, name, base_url);
    struct launched_server *launched = settings_launch_counts(own) ? models->launched : NULL;
    enum model_choice choice;
    *out = NULL;
    enum err_code r = model_choose(models->runtime, scope, own, launched, models->endpoints,
                                   models->arena, out, &choice, err);
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
    models->list[models->n++] = (struct named_model){
        .name = arena_strdup(models->arena, name),
        .base_url = arena_strdup(models->arena, base_url),
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
