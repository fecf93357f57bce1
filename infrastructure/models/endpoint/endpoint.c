/* Finding a model server: at the address of the settings, or where they usually are. */
#include "infrastructure/models/endpoint/endpoint_kind.h"
#include <string.h>

static const char *const usual_urls[] = { "http://127.0.0.1:11434", "http://127.0.0.1:8080",
                                          "http://127.0.0.1:8000", "http://127.0.0.1:1234" };

awaits static enum err_code ask_url(struct uv_runtime *runtime, const struct scope *scope,
                                    const struct settings *settings, const char *url,
                                    struct arena *arena, struct endpoint *out, struct err *err)
{
    struct endpoint_client client;
    struct endpoint found;
    bool may_be_ollama = strcmp(settings->model_api, "openai") != 0;
    endpoint_client_init(&client, runtime, url, settings);
    enum err_code r = endpoint_kind_find(&client, scope, may_be_ollama, arena, &found, err);
    if (!r && !found.kind) {
        r = err_set(err, ERR_UNAVAILABLE, 0, "%s answers, but is no model server",
                    client.shown_url);
        err_hint(err, r, "name the right address with model.base_url");
    }
    if (!r) {
        *out = found;
        out->base_url = arena_strdup(arena, client.base_url);
    }
    endpoint_client_finish(&client);
    return r;
}

awaits static enum err_code look_around(struct uv_runtime *runtime, const struct scope *scope,
                                        const struct settings *settings, struct arena *arena,
                                        struct endpoint *out, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LENGTH(usual_urls); i++) {
        enum err_code r = ask_url(runtime, scope, settings, usual_urls[i], arena, out, err);
        bool wanted =
            !r && (strcmp(settings->model_api, "ollama") != 0 || strcmp(out->kind, "ollama") == 0);
        if (wanted || r == ERR_CANCELLED)
            return r;
    }
    err_set(err, ERR_UNAVAILABLE, 0,
            "no model endpoint on this machine (looked at the ports 11434, 8080, 8000, 1234)");
    err_about(err, ERR_UNAVAILABLE, "model");
    return err_hint(err, ERR_UNAVAILABLE, "start one with: ollama serve");
}

static enum err_code check_address(const char *url, struct err *err)
{
    bool is_unix = strncmp(url, "unix:", 5) == 0;
    const char *colon = is_unix ? strchr(url, ':') : strstr(url, "://");
    const char *place = !colon ? url : is_unix ? colon + 1 : colon + 3;
    if (strlen(url) > ENDPOINT_MAX_URL - 64)
        return err_set(err, ERR_INVALID, 0, "model.base_url is longer than %d bytes",
                       ENDPOINT_MAX_URL - 64);
    if (*place && (is_unix || !strchr("/:?#", *place)))
        return ERR_NONE;
    err_set(err, ERR_INVALID, 0, "model.base_url names no host");
    return err_hint(err, ERR_INVALID, "it is like http://127.0.0.1:8080, or unix:PATH");
}

enum err_code model_endpoint_find(struct uv_runtime *runtime, struct scope *scope,
                                  const struct settings *settings, struct arena *arena,
                                  struct endpoint *out, struct err *err)
{
    const char *url = settings->model_base_url;
    if (!url[0])
        return look_around(runtime, scope, settings, arena, out, err);
    enum err_code r = check_address(url, err);
    if (r)
        return r;
    if (strcmp(settings->model_api, "ollama") != 0) {
        r = ask_url(runtime, scope, settings, url, arena, out, err);
        if (!r || r == ERR_CANCELLED || strcmp(settings->model_api, "auto") == 0)
            return r;
    }
    /* A dialect that was named needs no proof: what is wrong there is told by whoever asks. */
    *out = (struct endpoint){ .base_url = arena_strdup(arena, url),
                              .kind = settings->model_api,
                              .version = "",
                              .context_tokens = -1 };
    return ERR_NONE;
}
