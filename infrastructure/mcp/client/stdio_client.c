#include "infrastructure/mcp/client/stdio_client.h"
#include "domain/base/text.h"
#include "domain/text/redact.h"
#include "infrastructure/mcp/client/client.h"
#include "infrastructure/mcp/client/server_identity.h"
#include "infrastructure/mcp/stdio/stdio_transport.h"
#include "infrastructure/mcp/wire/watched_transport.h"
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

/* The command as people see it in lists. What is to be approved is shown from the configuration, in
 * full; a password in an argument is for no screen otherwise. */
static const char *command_line(struct arena *arena, const struct server_config *config)
{
    const char *line = quote_word(arena, config->command);
    for (size_t i = 0; i < config->n_arguments; i++)
        line = arena_printf(arena, "%s %s", line, quote_word(arena, config->arguments[i]));
    return redact_text(arena, line);
}

struct tool_server *mcp_stdio_client_create(const struct mcp_context *shared,
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
        .identity = server_identity(&scratch, config),
        .config = config,
        .settings = shared->settings,
        .eras = shared->eras,
        .has_person = shared->has_person,
        .has_model = shared->has_model && server_may_sample(config, shared->has_consent),
    };
    return mcp_client_create(&options);
}
