#include "infrastructure/models/endpoint/endpoint_kind.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

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

enum err_code endpoint_kind_find(struct endpoint_client *client, const struct scope *scope,
                                 bool may_be_ollama, struct arena *arena, struct endpoint *out,
                                 struct err *err)
{
    struct endpoint found = { .context_tokens = -1 };
    for (size_t i = may_be_ollama ? 0 : 1; i < ARRAY_LENGTH(clues); i++) {
        int status;
        const json_t *body;
        enum err_code r =
            endpoint_client_get(client, scope, clues[i].path, arena, &status, &body, err);
        if (r)
            return r;
        if (clues[i].fits(status, body, &found))
            break;
    }
    *out = found;
    return ERR_NONE;
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
