#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include <string.h>

#define EXPANDED_MAX_BYTES 65536

/* The host of OLLAMA_HOST is what a server binds to as well: without scheme, often without port,
 * and 0.0.0.0 for "everywhere", which no client can connect to. */
static const char *ollama_url(struct arena *arena, const char *host)
{
    if (strstr(host, "://"))
        return host;
    const char *port = strrchr(host, ':');
    const char *bracket = strrchr(host, ']');
    if (port && bracket && port < bracket)
        port = NULL;
    size_t length = port ? (size_t)(port - host) : strlen(host);
    const char *name = arena_strndup(arena, host, length);
    if (!*name || strcmp(name, "0.0.0.0") == 0)
        name = "127.0.0.1";
    return arena_printf(arena, "http://%s%s", name, port ? port : ":11434");
}

static enum err_code set_from(struct config_loading *loading, enum setting_id id, const char *text,
                              const char *variable, struct err *err)
{
    enum err_code r = settings_set_text(loading->settings, loading->arena, id, text,
                                        ORIGIN_ENVIRONMENT, variable, err);
    return r ? err_prefix(err, r, "environment variable %s", variable) : ERR_NONE;
}

static const char *variable_text(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

/* Its key is for its endpoint, and no other key goes there. */
static bool project_brings_endpoint_and_key(const struct settings *settings)
{
    enum setting_origin endpoint = settings_launch_counts(settings)
                                       ? settings->launch.origin
                                       : settings->origins[SETTING_model_base_url];
    return endpoint == ORIGIN_PROJECT_FILE &&
           settings->origins[SETTING_model_api_key] == ORIGIN_PROJECT_FILE;
}

static enum err_code set_from_flag(struct config_loading *loading, const char *base_url,
                                   struct err *err)
{
    enum err_code r = settings_set_text(loading->settings, loading->arena, SETTING_model_base_url,
                                        base_url, ORIGIN_FLAG, "--base-url", err);
    return r ? err_prefix(err, r, "--base-url") : ERR_NONE;
}

enum err_code config_apply_environment(struct config_loading *loading, const char *base_url,
                                       struct err *err)
{
    enum err_code r = ERR_NONE;
    const char *ollama = variable_text("OLLAMA_HOST"), *openai = variable_text("OPENAI_BASE_URL");
    const char *key = variable_text("OPENAI_API_KEY"), *model = variable_text("MISTRO_MODEL");
    const char *postgres = variable_text("MISTRO_POSTGRES");
    if (base_url)
        r = set_from_flag(loading, base_url, err);
    else if (openai)
        r = set_from(loading, SETTING_model_base_url, openai, "OPENAI_BASE_URL", err);
    else if (ollama)
        r = set_from(loading, SETTING_model_base_url, ollama_url(loading->arena, ollama),
                     "OLLAMA_HOST", err);
    if (!r && key && !project_brings_endpoint_and_key(loading->settings))
        r = set_from(loading, SETTING_model_api_key, key, "OPENAI_API_KEY", err);
    if (!r && model)
        r = set_from(loading, SETTING_model_name, model, "MISTRO_MODEL", err);
    if (!r && postgres)
        r = set_from(loading, SETTING_storage_postgres, postgres, "MISTRO_POSTGRES", err);
    return r;
}

/* The value for what stands between the braces, or NULL. */
static const char *value_of(struct arena *arena, const char *inside, const char **out_name)
{
    static const char env[] = "env:";
    if (text_starts_with(inside, env))
        inside += sizeof env - 1;
    const char *otherwise = strstr(inside, ":-");
    const char *name =
        otherwise ? arena_strndup(arena, inside, (size_t)(otherwise - inside)) : inside;
    *out_name = name;
    if (strcmp(name, "workspaceFolder") == 0)
        return config_current_folder(arena);
    const char *value = getenv(name);
    if (otherwise && (!value || !*value))
        return otherwise + 2;
    return value;
}

static enum err_code unset(const char *name, struct err *err)
{
    bool is_input = text_starts_with(name, "input:");
    enum err_code r = err_set(err, ERR_INVALID, 0,
                              is_input ? "${%.60s} would need a person to ask"
                                       : "the variable ${%.60s} is not set",
                              name);
    return err_hint(err, r, "set it, or give a default: ${NAME:-default}");
}

enum err_code config_expand(struct arena *arena, const char *text, const char **out_text,
                            struct err *err)
{
    AUTO(buf) out;
    buf_init(&out, EXPANDED_MAX_BYTES);
    bool fits = true;
    while (fits && *text) {
        const char *start = strstr(text, "${");
        const char *end = start ? strchr(start, '}') : NULL;
        if (!end) {
            fits = buf_puts(&out, text);
            break;
        }
        const char *name = NULL;
        const char *value =
            value_of(arena, arena_strndup(arena, start + 2, (size_t)(end - start - 2)), &name);
        if (!value)
            return unset(name, err);
        fits = buf_append(&out, text, (size_t)(start - text)) && buf_puts(&out, value);
        text = end + 1;
    }
    if (!fits)
        return err_set(err, ERR_LIMIT, 0, "longer than %d bytes once expanded", EXPANDED_MAX_BYTES);
    *out_text = arena_strdup(arena, buf_string(&out));
    return ERR_NONE;
}
