#include "infrastructure/models/choose_model.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint/model_create.h"
#include "infrastructure/models/launch/launched_model.h"
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

static enum err_code choose_script(struct uv_runtime *runtime, const char *path, struct model **out,
                                   struct err *err)
{
    AUTO(buf) text;
    buf_init(&text, SCRIPT_MAX_BYTES);
    enum err_code r = read_script(path, &text, err);
    if (r)
        return r;
    r = scripted_model_create(uv_runtime_port(runtime), path, buf_string(&text), text.length, out,
                              err);
    return r ? err_prefix(err, r, "model script:%.200s", path) : ERR_NONE;
}

static enum err_code choose_endpoint(struct uv_runtime *runtime, struct scope *scope,
                                     const struct settings *settings, const char *known_as,
                                     struct endpoint_memory *memory, struct arena *arena,
                                     struct model **out, struct err *err)
{
    struct endpoint *endpoint = arena_new(arena, struct endpoint);
    enum err_code r = model_endpoint_find(runtime, scope, settings, arena, endpoint, err);
    if (r)
        return r;
    endpoint->known_as = known_as;
    *out = endpoint_model_open(runtime, endpoint, settings, memory);
    return ERR_NONE;
}

/* To everything behind it a launched server is an endpoint that its file names. */
awaits static enum err_code choose_launched(struct uv_runtime *runtime, struct scope *scope,
                                            const struct settings *settings,
                                            struct launched_server *launched,
                                            struct endpoint_memory *memory, struct arena *arena,
                                            struct model **out, struct err *err)
{
    enum err_code r = launched_server_ensure(launched, scope, err);
    if (r)
        return r;
    struct settings *own = arena_new(arena, struct settings);
    *own = *settings;
    own->model_base_url = launched_server_url(launched);
    own->origins[SETTING_model_base_url] = settings->launch.origin;
    own->origin_names[SETTING_model_base_url] = settings->launch.origin_name;
    struct model *inside = NULL;
    r = choose_endpoint(runtime, scope, own, "model.launch", memory, arena, &inside, err);
    if (!r)
        *out = launched_model_create(launched, inside);
    return r;
}

/* Nothing was named: what was found counts only if it has the model. */
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

enum err_code model_choose(struct uv_runtime *runtime, struct scope *scope,
                           const struct settings *settings, struct launched_server *launched,
                           struct endpoint_memory *memory, struct arena *arena, struct model **out,
                           enum model_choice *out_choice, struct err *err)
{
    bool named = is_named(settings);
    const char *name = settings->model_name;
    *out = NULL;
    *out_choice = MODEL_CHOICE_NAMED;
    if (strcmp(name, "none") == 0) {
        *out_choice = MODEL_CHOICE_LEXICAL;
        return ERR_NONE;
    }
    if (text_starts_with(name, "script:"))
        return choose_script(runtime, name + strlen("script:"), out, err);
    enum err_code r =
        launched ? choose_launched(runtime, scope, settings, launched, memory, arena, out, err)
                 : choose_endpoint(runtime, scope, settings, NULL, memory, arena, out, err);
    if (!r && named)
        return ERR_NONE;
    if (!r)
        return keep_if_usable(scope, arena, out, out_choice, err);
    if (r == ERR_CANCELLED || (named && strcmp(settings->model_fallback, "lexical") != 0))
        return r;
    *out_choice = MODEL_CHOICE_LEXICAL;
    return ERR_NONE;
}
