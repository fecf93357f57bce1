/* The models of this process: the one of the settings, and others that a role names. */
#include "domain/base/text.h"
#include "infrastructure/models/choose_model.h"
#include "infrastructure/models/endpoint_memory.h"
#include "infrastructure/models/launched_server.h"
#include "presentation/main/composition.h"
#include <string.h>

#define NAMED_BY "a role"

static void relay(struct observer *observer, const struct event *event)
{
    const struct services *services = ((struct watcher_relay *)observer)->services;
    if (services->observer)
        observer_observe(services->observer, event);
}

static void on_launch_state(void *context, const char *state, const char *message,
                            int64_t since_start_ms)
{
    struct composition *c = context;
    json_t *data = json_pack("{s:s, s:I}", "state", state, "ms", (json_int_t)since_start_ms);
    if (message)
        json_object_set_new(data, "message", json_string(message));
    journal_emit(&c->launching, EVENT_MODEL_STATE, data);
}

/* It is started when a model is first needed, which may be outside of any run. */
static void make_launched(struct composition *c)
{
    static const struct observer_ops relaying = { relay };
    const struct services *services = &c->services;
    if (c->launched || !settings_launch_counts(&c->settings))
        return;
    journal_init(&c->launching, services->runtime, NULL, services->digest, services->ids, false);
    c->watcher = (struct watcher_relay){ { &relaying }, services };
    journal_add_observer(&c->launching, &c->watcher.base);
    c->launched = launched_server_create(c->runtime, &c->settings, on_launch_state, c);
}

static enum err_code choose(struct composition *c, struct scope *scope, struct err *err)
{
    if (c->has_model)
        return ERR_NONE;
    make_launched(c);
    enum err_code r = model_choose(c->runtime, scope, &c->settings, c->launched, c->endpoints,
                                   &c->arena, &c->model, &c->model_choice, err);
    c->has_model = !r;
    return r;
}

/* One choice at a time; request_queue_leave ends it. */
awaits static enum err_code begin_choice(struct composition *c, struct scope *scope,
                                         struct err *err)
{
    c->choosing.runtime = c->runtime;
    if (!c->endpoints)
        c->endpoints = endpoint_memory_create(c->runtime, c->paths.state_dir);
    return request_queue_enter(&c->choosing, scope, err);
}

enum err_code composition_model(struct services *services, struct scope *scope, struct model **out,
                                enum model_choice *out_choice, struct err *err)
{
    struct composition *c = (struct composition *)services;
    enum err_code r = begin_choice(c, scope, err);
    if (r)
        return r;
    r = choose(c, scope, err);
    request_queue_leave(&c->choosing);
    if (r)
        return r;
    *out = c->model;
    *out_choice = c->model_choice;
    return ERR_NONE;
}

static struct named_model *find_named(struct composition *c, const char *name, const char *base_url)
{
    for (size_t i = 0; i < c->n_named_models; i++)
        if (text_equal(c->named_models[i].name, name) &&
            text_equal(c->named_models[i].base_url, base_url))
            return &c->named_models[i];
    return NULL;
}

/* The settings of the process, but for the model and the address that are named. What else they say
 * of an address is not for another one: neither its key nor the server that is started for it. */
static struct settings *settings_for(struct composition *c, const char *name, const char *base_url)
{
    struct settings *own = arena_new(&c->arena, struct settings);
    *own = c->settings;
    if (name) {
        own->model_name = arena_strdup(&c->arena, name);
        own->origins[SETTING_model_name] = ORIGIN_FLAG;
        own->origin_names[SETTING_model_name] = NAMED_BY;
    }
    if (base_url && !text_equal(base_url, c->settings.model_base_url)) {
        own->model_base_url = arena_strdup(&c->arena, base_url);
        own->origins[SETTING_model_base_url] = ORIGIN_FLAG;
        own->origin_names[SETTING_model_base_url] = NAMED_BY;
        own->model_api_key = "";
        own->launch.n_words = 0;
    }
    return own;
}

static enum err_code no_such_model(const char *name, struct err *err)
{
    return err_set(err, ERR_UNAVAILABLE, 0, "there is no model \"%.60s\"", name ? name : "");
}

awaits static enum err_code choose_named(struct composition *c, struct scope *scope,
                                         const char *name, const char *base_url, struct model **out,
                                         struct err *err)
{
    enum model_choice choice;
    struct named_model *known = find_named(c, name, base_url);
    if (known) {
        *out = known->model;
        return ERR_NONE;
    }
    if (c->n_named_models == COMPOSITION_MAX_MODELS)
        return err_set(err, ERR_LIMIT, 0, "more than %d models are named", COMPOSITION_MAX_MODELS);
    const struct settings *own = settings_for(c, name, base_url);
    struct launched_server *launched = NULL;
    if (settings_launch_counts(own)) {
        make_launched(c);
        launched = c->launched;
    }
    struct model *model = NULL;
    enum err_code r = model_choose(c->runtime, scope, own, launched, c->endpoints, &c->arena,
                                   &model, &choice, err);
    if (!r && !model)
        r = no_such_model(name, err);
    if (r)
        return r;
    c->named_models[c->n_named_models++] =
        (struct named_model){ .name = arena_strdup(&c->arena, name),
                              .base_url = arena_strdup(&c->arena, base_url),
                              .model = model };
    *out = model;
    return ERR_NONE;
}

enum err_code composition_model_of(struct services *services, struct scope *scope, const char *name,
                                   const char *base_url, struct model **out, struct err *err)
{
    struct composition *c = (struct composition *)services;
    enum err_code r = begin_choice(c, scope, err);
    if (r)
        return r;
    r = choose_named(c, scope, name, base_url, out, err);
    request_queue_leave(&c->choosing);
    return r;
}

void composition_close_models(struct composition *c)
{
    for (size_t i = 0; i < c->n_named_models; i++)
        model_destroy(c->named_models[i].model);
    model_destroy(c->model);
    launched_server_destroy(c->launched);
    endpoint_memory_destroy(c->endpoints);
}
