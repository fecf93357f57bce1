#include "infrastructure/models/endpoint/endpoint_client.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

static const char unix_scheme[] = "unix:";

/* What follows the "://" of a whole address; nothing where it was cut. */
static const char *behind_scheme(const char *url)
{
    const char *scheme_end = strstr(url, "://");
    return scheme_end ? scheme_end + 3 : url + strlen(url);
}

static void cut_end(char *url, const char *end)
{
    if (text_ends_with(behind_scheme(url), end))
        url[strlen(url) - strlen(end)] = '\0';
}

static bool is_unix(const char *url)
{
    return text_starts_with(url, unix_scheme);
}

static void normalise(const char *url, char out[static ENDPOINT_MAX_URL])
{
    bool whole = is_unix(url) || strstr(url, "://");
    snprintf(out, ENDPOINT_MAX_URL, "%s%s", whole ? "" : "http://", url);
    if (is_unix(url))
        return;
    cut_end(out, "/");
    cut_end(out, "/v1");
    cut_end(out, "/");
}

/* "http://user:password@host" is shown as "http://host". */
static void hide_user(const char *url, char out[static ENDPOINT_MAX_URL])
{
    const char *host = is_unix(url) ? url : behind_scheme(url);
    size_t authority = strcspn(host, "/?#");
    const char *at = is_unix(url) ? NULL : memrchr(host, '@', authority);
    int length =
        snprintf(out, ENDPOINT_MAX_URL, "%.*s%s", (int)(host - url), url, at ? at + 1 : host);
    if (length >= ENDPOINT_MAX_URL)
        text_trim_broken_end(out);
}

/* A key in a file is for the address in the same file. OPENAI_API_KEY is for the address that the
 * user named in a file, a variable or a flag: not for one that a project folder names, also when
 * that folder was approved, and not for OLLAMA_HOST, which is there for another program. */
static bool belong_together(const struct settings *settings)
{
    const enum setting_id url = SETTING_model_base_url, key = SETTING_model_api_key;
    if (settings->origins[key] == ORIGIN_ENVIRONMENT)
        return settings->origins[url] != ORIGIN_PROJECT_FILE &&
               !text_equal(settings->origin_names[url], "OLLAMA_HOST");
    return settings->origins[key] == settings->origins[url] &&
           text_equal(settings->origin_names[key], settings->origin_names[url]);
}

/* A key is for the address it was configured with, not for whatever answers on this machine. */
static const char *key_for(const char *base_url, const struct settings *settings)
{
    char owner[ENDPOINT_MAX_URL];
    if (!settings->model_api_key[0] || !settings->model_base_url[0] || !belong_together(settings))
        return NULL;
    normalise(settings->model_base_url, owner);
    return strcmp(owner, base_url) == 0 ? settings->model_api_key : NULL;
}

void endpoint_client_init(struct endpoint_client *client, struct uv_runtime *runtime,
                          const char *base_url, const struct settings *settings)
{
    *client = (struct endpoint_client){ .runtime = runtime, .settings = settings };
    client->http = http_client_create(runtime);
    normalise(base_url, client->base_url);
    hide_user(client->base_url, client->shown_url);
    if (is_unix(client->base_url))
        client->unix_socket = client->base_url + strlen(unix_scheme);
    client->request_url = client->unix_socket ? "http://localhost" : client->base_url;
    client->key = key_for(client->base_url, settings);
    client->start_hint = "start it with: ollama serve (or name another one: model.base_url)";
}

void endpoint_client_finish(struct endpoint_client *client)
{
    http_client_destroy(client->http);
}

enum err_code endpoint_client_explain(const struct endpoint_client *client, enum err_code code,
                                      struct err *err)
{
    if (code == ERR_CANCELLED)
        return code;
    err_prefix(err, code, "model endpoint %s", client->shown_url);
    err_about(err, code, "model");
    if (code == ERR_UNAVAILABLE)
        err_hint(err, code, "%s", client->start_hint);
    return code;
}

static bool collect(void *context, const char *bytes, size_t length)
{
    return buf_append(context, bytes, length);
}

enum err_code endpoint_client_post(struct endpoint_client *client, const struct scope *scope,
                                   const char *path, const char *text, struct arena *arena,
                                   struct endpoint_answer *out, struct err *err)
{
    AUTO(buf) body = { 0 };
    buf_init(&body, ENDPOINT_MAX_JSON_BYTES);
    struct http_request request = {
        .url = arena_printf(arena, "%s%s", client->request_url, path),
        .accept = "application/json",
        .body = text,
        .body_length = text ? strlen(text) : 0,
        .bearer = client->key,
        .unix_socket = client->unix_socket,
        .closes = client->closes,
        .connect_timeout_ms = client->settings->model_connect_timeout_ms,
        .silence_ms = ENDPOINT_ANSWER_MS,
        .total_ms = 2 * ENDPOINT_ANSWER_MS,
        .max_bytes = ENDPOINT_MAX_JSON_BYTES,
        .on_bytes = collect,
        .context = &body,
    };
    struct http_response response;
    enum err_code r = http_client_perform(client->http, scope, &request, &response, err);
    if (r)
        return endpoint_client_explain(client, r, err);
    json_t *json = NULL;
    if (json_parse(buf_string(&body), body.length, JSON_FOREIGN, &json, NULL))
        json = NULL;
    *out = (struct endpoint_answer){ response.status, arena_keep_json(arena, json) };
    return ERR_NONE;
}

enum err_code endpoint_client_get(struct endpoint_client *client, const struct scope *scope,
                                  const char *path, struct arena *arena,
                                  struct endpoint_answer *out, struct err *err)
{
    return endpoint_client_post(client, scope, path, NULL, arena, out, err);
}
