#include "infrastructure/mcp/client/server_identity.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/text/redact.h"
#include <string.h>
#include <strings.h>

/* Bytes that are no UTF-8 are escaped: JSON cannot hold them. */
static json_t *text_value(struct arena *arena, const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    size_t length = strlen(text), columns_per_byte = 8;
    return value ? value
                 : json_string(text_one_line(arena, text, length, columns_per_byte * length + 1));
}

static json_t *text_values(struct arena *arena, const char *const *texts, size_t n)
{
    json_t *values = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(values, text_value(arena, texts[i]));
    return values;
}

static bool ends_in(const char *name, const char *word)
{
    size_t length = strlen(name), n = strlen(word);
    return length >= n && strcasecmp(name + length - n, word) == 0;
}

/* RESTIC_PASSWORD_COMMAND, AWS_SHARED_CREDENTIALS_FILE */
static bool names_what_runs(const char *name, const char *value)
{
    static const char *const words[] = { "command", "cmd",     "program", "helper",
                                         "process", "askpass", "file",    "path" };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (ends_in(name, words[i]))
            return true;
    return *value == '/' || *value == '.' || *value == '~' || strpbrk(value, " \t\n");
}

static const char *without_secret(struct arena *arena, const char *pair, char separator,
                                  bool may_run)
{
    const char *mark = strchr(pair, separator);
    if (!mark)
        return pair;
    const char *name = arena_strndup(arena, pair, (size_t)(mark - pair));
    if (!redact_is_secret_name(name) || (may_run && names_what_runs(name, mark + 1)))
        return pair;
    return name;
}

static json_t *pairs(struct arena *arena, const char *const *list, size_t n, char separator,
                     bool may_run)
{
    json_t *values = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            values, text_value(arena, without_secret(arena, list[i], separator, may_run)));
    return values;
}

const char *server_identity(struct arena *arena, const struct server_config *config)
{
    json_t *all =
        config->url
            ? json_pack("{s:o, s:o}", "url", text_value(arena, config->url), "headers",
                        pairs(arena, config->headers, config->n_headers, ':', false))
            : json_pack("{s:o, s:o, s:o, s:o}", "command", text_value(arena, config->command),
                        "arguments", text_values(arena, config->arguments, config->n_arguments),
                        "directory", text_value(arena, config->directory), "environment",
                        pairs(arena, config->environment, config->n_environment, '=', true));
    return json_print_in(arena, arena_keep_json(arena, all));
}
