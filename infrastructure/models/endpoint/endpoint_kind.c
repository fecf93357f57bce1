/* Finding a model server, at the address of the settings or where model servers usually listen, and
 * which kind it is. That is judged by the shape of what it answers, not by the status: some servers
 * answer routes they do not know with 200. Ollama's route is asked first, then all others at once;
 * of the answers that fit, the one of the first route in the table counts. */
#include "infrastructure/models/endpoint/endpoint_kind.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint/endpoint_client.h"
#include "infrastructure/models/endpoint/model_create.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <string.h>

/* One route and what its answer, if it fits, says of the server. */
struct clue {
    const char *path;
    bool (*fits)(int status, const json_t *body, struct endpoint *out);
};

static bool fits_ollama(int status, const json_t *body, struct endpoint *out)
{
    const char *version = json_get_string(body, "version");
    (void)status;
    if (!version || json_object_get(body, "error"))
        return false;
    *out = (struct endpoint){ .kind = "ollama", .version = version, .context_tokens = -1 };
    return true;
}

/* While it loads its model it says so at every route. */
static bool is_loading_llama_server(int status, const json_t *body)
{
    const char *type = json_get_string(json_object_get(body, "error"), "type");
    return status == 503 && text_equal(type, "unavailable_error");
}

bool endpoint_kind_sees(const json_t *props)
{
    return json_get_bool(json_object_get(props, "modalities"), "vision", false);
}

static bool fits_llama_server(int status, const json_t *body, struct endpoint *out)
{
    const json_t *defaults = json_object_get(body, "default_generation_settings");
    if (!json_is_object(defaults) && !is_loading_llama_server(status, body))
        return false;
    const char *build = json_get_string(body, "build_info");
    *out = (struct endpoint){ .kind = "llama-server",
                              .version = build ? build : "",
                              .context_tokens = json_get_int(defaults, "n_ctx", -1),
                              .sees = endpoint_kind_sees(body) };
    return true;
}

static bool fits_tgi(int status, const json_t *body, struct endpoint *out)
{
    const char *version = json_get_string(body, "version");
    (void)status;
    if (!json_get_string(body, "model_id"))
        return false;
    int64_t input = json_get_int(body, "max_input_tokens", -1);
    *out = (struct endpoint){ .kind = "tgi",
                              .version = version ? version : "",
                              .context_tokens = json_get_int(body, "max_total_tokens", input) };
    return true;
}

static bool fits_lm_studio(int status, const json_t *body, struct endpoint *out)
{
    const json_t *models = json_object_get(body, "models");
    (void)status;
    if (!json_get_string(json_array_get(models, 0), "key"))
        return false;
    *out = (struct endpoint){ .kind = "lm-studio", .version = "", .context_tokens = -1 };
    return true;
}

static bool fits_any(int status, const json_t *body, struct endpoint *out)
{
    const json_t *data = json_object_get(body, "data");
    bool is_list = json_is_array(data) || status == 401 || status == 403 ||
                   (status == 503 && endpoint_error_text(body)); /* it is still loading */
    if (is_list)
        *out = (struct endpoint){ .kind = endpoint_kind_of_list(data),
                                  .version = "",
                                  .context_tokens = -1 };
    return is_list;
}

static const struct clue clues[] = { { "/api/version", fits_ollama },
                                     { "/props", fits_llama_server },
                                     { "/info", fits_tgi },
                                     { "/api/v1/models", fits_lm_studio },
                                     { "/v1/models", fits_any } };

enum { N_CLUES = ARRAY_LENGTH(clues), CLUE_OLLAMA = 0, CLUE_LIST = N_CLUES - 1 };

/* Lies in the frame of the task that waits for the answer. */
struct question {
    struct endpoint_client *client;
    const char *path;
    struct arena *arena;
    struct task *task;
    struct endpoint_answer answer;
    struct err err;
};

awaits static enum err_code ask(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct question *q = argument;
    (void)runtime;
    return endpoint_client_get(q->client, scope, q->path, q->arena, &q->answer, &q->err);
}

/* Asks the routes from first up to end, and judges the answers in their order. */
awaits static enum err_code ask_at_once(struct endpoint_client *client, struct scope *scope,
                                        size_t first, size_t end, struct arena *arena,
                                        struct endpoint *out, struct err *err)
{
    struct runtime *runtime = uv_runtime_port(client->runtime);
    struct scope asking = scope_child(scope, SCOPE_NO_DEADLINE);
    struct question questions[N_CLUES];
    enum err_code code = ERR_NONE;
    for (size_t i = first; i < end; i++) {
        questions[i] = (struct question){ .client = client, .path = clues[i].path, .arena = arena };
        questions[i].task = runtime_spawn(runtime, &asking, ask, &questions[i]);
    }
    for (size_t i = first; i < end; i++) {
        const struct endpoint_answer *answer = &questions[i].answer;
        enum err_code r = runtime_wait(runtime, questions[i].task);
        bool is_open = !code && !out->kind;
        if (is_open && r && err)
            *err = questions[i].err;
        if (is_open)
            code = r;
        bool fits = is_open && !r && clues[i].fits(answer->status, answer->json, out);
        if (is_open && (r || fits))
            runtime_cancel(runtime, &asking);
        if (i == CLUE_LIST && !r && out->kind)
            out->models = json_object_get(answer->json, "data");
    }
    return code;
}

/* Fills all of *out but base_url. kind is NULL when something answers that is not a model server.
 */
awaits static enum err_code find_kind(struct endpoint_client *client, struct scope *scope,
                                      bool may_be_ollama, struct arena *arena, struct endpoint *out,
                                      struct err *err)
{
    *out = (struct endpoint){ .context_tokens = -1 };
    enum err_code r = ERR_NONE;
    if (may_be_ollama)
        r = ask_at_once(client, scope, CLUE_OLLAMA, CLUE_OLLAMA + 1, arena, out, err);
    if (!r && !out->kind)
        r = ask_at_once(client, scope, CLUE_OLLAMA + 1, N_CLUES, arena, out, err);
    return r;
}

const char *endpoint_kind_of_list(const json_t *data)
{
    const json_t *first = json_array_get(data, 0);
    const char *owner = json_get_string(first, "owned_by");
    if (text_equal(owner, "llamacpp"))
        return "llama-server";
    if (text_equal(owner, "vllm"))
        return "vllm";
    bool is_mistral_rs =
        text_equal(owner, "local") && text_equal(json_get_string(first, "id"), "default");
    return is_mistral_rs ? "mistral.rs" : "openai";
}

int64_t endpoint_kind_context(const json_t *entry)
{
    int64_t of_slot = json_get_int(json_object_get(entry, "meta"), "n_ctx", -1);
    return json_get_int(entry, "max_model_len", of_slot);
}

bool endpoint_kind_counts_cached(const char *kind)
{
    return text_equal(kind, "llama-server") || text_equal(kind, "vllm");
}

static const char *const usual_urls[] = { "http://127.0.0.1:11434", "http://127.0.0.1:8080",
                                          "http://127.0.0.1:8000", "http://127.0.0.1:1234" };

awaits static enum err_code ask_url(struct uv_runtime *runtime, struct scope *scope,
                                    const struct settings *settings, const char *url,
                                    struct arena *arena, struct endpoint *out, struct err *err)
{
    struct endpoint_client client;
    struct endpoint found;
    bool may_be_ollama = strcmp(settings->model_api, "openai") != 0;
    endpoint_client_init(&client, runtime, url, settings);
    client.closes = true; /* a server that takes one connection at a time answers all in turn */
    enum err_code r = find_kind(&client, scope, may_be_ollama, arena, &found, err);
    if (!r && !found.kind) {
        r = err_set(err, ERR_UNAVAILABLE, 0, "%s answers, but is not a model server",
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

awaits static enum err_code look_around(struct uv_runtime *runtime, struct scope *scope,
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
    /* A dialect that was named needs no proof: the first request tells what is wrong there. */
    *out = (struct endpoint){ .base_url = arena_strdup(arena, url),
                              .kind = settings->model_api,
                              .version = "",
                              .context_tokens = -1 };
    return ERR_NONE;
}
