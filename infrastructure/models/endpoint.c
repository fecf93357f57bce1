/* Finding a model server, and which dialect it speaks. Judged by the shape of what it answers:
 * some servers answer routes they do not know with status 200. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint_client.h"
#include "infrastructure/models/models.h"
#include <string.h>

static const char *const usual_urls[] = { "http://127.0.0.1:11434", "http://127.0.0.1:8080",
                                          "http://127.0.0.1:8000", "http://127.0.0.1:1234" };

static bool is_ollama(const json_t *version)
{
    return json_get_string(version, "version") && !json_object_get(version, "error");
}

static bool is_openai(int status, const json_t *models)
{
    return json_is_array(json_object_get(models, "data")) || status == 401 || status == 403 ||
           (status == 503 && endpoint_error_text(models)); /* it is still loading */
}

/* *out_kind stays NULL when something answers that is no model server. */
awaits static enum err_code find_kind(struct endpoint_client *client, const struct scope *scope,
                                      struct arena *arena, const char **out_kind, struct err *err)
{
    int status;
    const json_t *body;
    *out_kind = NULL;
    enum err_code r =
        endpoint_client_get(client, scope, "/api/version", arena, &status, &body, err);
    if (r)
        return r;
    if (is_ollama(body)) {
        *out_kind = "ollama";
        return ERR_NONE;
    }
    r = endpoint_client_get(client, scope, "/v1/models", arena, &status, &body, err);
    if (!r && is_openai(status, body))
        *out_kind = "openai";
    return r;
}

awaits static enum err_code ask_url(struct uv_runtime *runtime, const struct scope *scope,
                                    const struct settings *settings, const char *url,
                                    struct arena *arena, struct endpoint *out, struct err *err)
{
    struct endpoint_client client;
    const char *kind;
    endpoint_client_init(&client, runtime, url, settings);
    enum err_code r = find_kind(&client, scope, arena, &kind, err);
    if (!r && !kind) {
        r = err_set(err, ERR_UNAVAILABLE, 0, "%s answers, but is no model server",
                    client.shown_url);
        err_hint(err, r, "name the right address with model.base_url");
    }
    if (!r)
        *out = (struct endpoint){ arena_strdup(arena, client.base_url), kind };
    endpoint_client_finish(&client);
    return r;
}

awaits static enum err_code look_around(struct uv_runtime *runtime, const struct scope *scope,
                                        const struct settings *settings, struct arena *arena,
                                        struct endpoint *out, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LENGTH(usual_urls); i++) {
        enum err_code r = ask_url(runtime, scope, settings, usual_urls[i], arena, out, err);
        bool wanted = !r && (strcmp(settings->model_api, "auto") == 0 ||
                             strcmp(settings->model_api, out->kind) == 0);
        if (wanted || r == ERR_CANCELLED)
            return r;
    }
    err_set(err, ERR_UNAVAILABLE, 0,
            "no model endpoint on this machine (looked at the ports 11434, 8080, 8000, 1234)");
    err_about(err, ERR_UNAVAILABLE, "model");
    return err_hint(err, ERR_UNAVAILABLE, "start one with: ollama serve");
}

enum err_code model_endpoint_find(struct uv_runtime *runtime, struct scope *scope,
                                  const struct settings *settings, struct arena *arena,
                                  struct endpoint *out, struct err *err)
{
    const char *url = settings->model_base_url;
    if (!url[0])
        return look_around(runtime, scope, settings, arena, out, err);
    if (strlen(url) > ENDPOINT_MAX_URL - 64)
        return err_set(err, ERR_INVALID, 0, "model.base_url is longer than %d bytes",
                       ENDPOINT_MAX_URL - 64);
    if (strcmp(settings->model_api, "auto") == 0)
        return ask_url(runtime, scope, settings, url, arena, out, err);
    *out = (struct endpoint){ arena_strdup(arena, url), settings->model_api };
    return ERR_NONE;
}
