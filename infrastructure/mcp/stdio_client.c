#include "infrastructure/mcp/stdio_client.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client.h"
#include "infrastructure/mcp/stdio_transport.h"
#include "infrastructure/mcp/watched_transport.h"
#include <string.h>

/* Foreign text on one line, escaped and whole. */
static const char *shown(struct arena *arena, const char *text)
{
    size_t length = strlen(text), columns_per_byte = 8;
    return text_one_line(arena, text, length, columns_per_byte * length + 1);
}

static const char *quote_word(struct arena *arena, const char *word)
{
    const char *text = shown(arena, word);
    if (*text && !strpbrk(text, " '\"\\$&|;<>()*?"))
        return text;
    return arena_printf(arena, "'%s'", text);
}

/* The command as people see it, in full: what is not shown cannot be approved. */
static const char *command_line(struct arena *arena, const struct server_config *config)
{
    const char *line = quote_word(arena, config->command);
    for (size_t i = 0; i < config->n_arguments; i++)
        line = arena_printf(arena, "%s %s", line, quote_word(arena, config->arguments[i]));
    return line;
}

/* Bytes that are no UTF-8 are escaped: JSON cannot hold them. */
static json_t *text_value(struct arena *arena, const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    return value ? value : json_string(shown(arena, text));
}

static json_t *text_values(struct arena *arena, const char *const *texts, size_t n)
{
    json_t *values = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(values, text_value(arena, texts[i]));
    return values;
}

/* Two configurations are the same server when they start the same program in the same place with
 * the same environment. It holds secrets: only its hash leaves the client. */
static const char *identity(struct arena *arena, const struct server_config *config)
{
    json_auto_t *all =
        json_pack("{s:o, s:o, s:o, s:o}", "command", text_value(arena, config->command),
                  "arguments", text_values(arena, config->arguments, config->n_arguments),
                  "directory", text_value(arena, config->directory), "environment",
                  text_values(arena, config->environment, config->n_environment));
    return json_print_in(arena, all);
}

struct tool_server *mcp_stdio_client_create(const struct mcp_shared *shared,
                                            const struct server_config *config)
{
    AUTO(arena) scratch = { 0 };
    struct transport *transport = stdio_transport_create(shared->runtime, config, shared->settings);
    if (shared->traffic)
        transport = watched_transport_create(transport, config->name, shared->traffic);
    struct mcp_client_options options = {
        .runtime = shared->runtime,
        .transport = transport,
        .transport_name = "stdio",
        .command = command_line(&scratch, config),
        .identity = identity(&scratch, config),
        .config = config,
        .settings = shared->settings,
        .eras = shared->eras,
        .has_person = shared->has_person,
        .has_model = shared->has_model && server_may_sample(config, shared->has_consent),
    };
    return mcp_client_create(&options);
}
