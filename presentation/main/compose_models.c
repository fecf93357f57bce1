/* The models of this process: the one of the settings, and others that a role names. */
#include "domain/base/text.h"
#include "infrastructure/models/choose_model.h"
#include "infrastructure/models/endpoint/endpoint_memory.h"
#include "infrastructure/models/launch/launched_server.h"
#include "infrastructure/net/curl_library.h"
#include "presentation/main/composition.h"

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

void composition_expect_model(const struct composition *c)
{
    static const char *const asking[] = { "ask", "plan", "chat", "studio", "consensus", "figure" };
    const struct arguments *args = c->arguments;
    const char *name = c->settings.model_name;
    bool asks = text_is_one_of(c->command->name, asking, ARRAY_LENGTH(asking)) && !args->list &&
                !args->mock && !(args->n_operands && text_equal(c->command->name, "figure"));
    if (asks && !text_equal(name, "none") && !text_starts_with(name, "script:") &&
        !composition_is_taped(c, "model"))
        curl_library_begin(c->runtime);
}

static const struct model_sources *sources(struct composition *c)
{
    make_launched(c);
    c->named.from = (struct model_sources){ .runtime = c->runtime,
                                            .settings = &c->settings,
                                            .launched = c->launched,
                                            .endpoints = c->endpoints,
                                            .arena = &c->arena };
    return &c->named.from;
}

static enum err_code choose(struct composition *c, struct scope *scope, struct err *err)
{
    if (c->has_model)
        return ERR_NONE;
    enum err_code r = model_choose(sources(c), scope, &c->model, &c->model_choice, err);
    c->has_model = !r;
    if (!r)
        composition_record_model(c);
    return r;
}

/* One choice at a time; task_lock_release ends it. */
awaits static enum err_code begin_choice(struct composition *c, struct scope *scope,
                                         struct err *err)
{
    if (!c->endpoints)
        c->endpoints = endpoint_memory_create(c->runtime, c->paths.state_dir);
    return task_lock_take(&c->choosing, c->runtime, scope, err);
}

enum err_code composition_model(struct services *services, struct scope *scope, struct model **out,
                                enum model_choice *out_choice, struct err *err)
{
    struct composition *c = ((struct composition *)services)->process;
    if (composition_is_taped(c, "model"))
        return composition_replay_model(c, out, out_choice, err);
    enum err_code r = begin_choice(c, scope, err);
    if (r)
        return r;
    r = choose(c, scope, err);
    task_lock_release(&c->choosing);
    if (r)
        return r;
    *out = c->model;
    *out_choice = c->model_choice;
    return ERR_NONE;
}

enum err_code composition_model_of(struct services *services, struct scope *scope, const char *name,
                                   const char *base_url, struct model **out, struct err *err)
{
    struct composition *c = ((struct composition *)services)->process;
    if (composition_is_taped(c, "model"))
        return composition_replay_model_of(c, name, base_url, out, err);
    enum err_code r = begin_choice(c, scope, err);
    if (r)
        return r;
    (void)sources(c);
    r = named_models_get(&c->named, scope, name, base_url, out, err);
    task_lock_release(&c->choosing);
    return r;
}

void composition_close_models(struct composition *c)
{
    curl_library_end();
    named_models_close(&c->named);
    model_destroy(c->model);
    launched_server_destroy(c->launched, &c->closing);
    endpoint_memory_destroy(c->endpoints);
}
