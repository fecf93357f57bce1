#include "infrastructure/mcp/server/request_headers.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/wire/header_parameters.h"
#include "infrastructure/mcp/wire/http_headers.h"
#include <string.h>

/* The member of params that Mcp-Name repeats, by method. */
static const char *named_by(const char *method)
{
    static const char *const rows[][2] = {
        { "tools/call", "name" },  { "prompts/get", "name" },    { "resources/read", "uri" },
        { "tasks/get", "taskId" }, { "tasks/update", "taskId" }, { "tasks/cancel", "taskId" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (strcmp(rows[i][0], method) == 0)
            return rows[i][1];
    return NULL;
}

static const char *compare(struct arena *arena, const struct web_exchange *x, const char *name,
                           const char *expected)
{
    const char *value = web_header(x, name);
    const char *text = value ? http_header_text(arena, value) : NULL;
    if (!value)
        return arena_printf(arena, "the header %s is missing", name);
    return text && text_equal(text, expected)
               ? NULL
               : arena_printf(arena, "the header %s differs from the body", name);
}

static const char *parameters_fault(struct arena *arena, const struct web_exchange *x,
                                    const json_t *schema, const json_t *arguments)
{
    const char *names[HEADER_PARAMETERS_MAX], *const *lines = NULL, *fault = NULL;
    size_t n = header_parameters_names(schema, names), n_lines = 0;
    struct err err;
    if (header_parameters_lines(arena, schema, arguments, &lines, &n_lines, &err))
        return arena_strdup(arena, err.message);
    for (size_t i = 0; i < n && !fault; i++) {
        const char *name = arena_printf(arena, HEADER_PARAMETER_PREFIX "%s", names[i]);
        const char *expected = NULL;
        for (size_t k = 0; k < n_lines; k++)
            if (text_starts_with(lines[k], name) && lines[k][strlen(name)] == ':')
                expected = lines[k] + strlen(name) + 2;
        if (expected)
            fault = compare(arena, x, name, http_header_text(arena, expected));
        else if (web_header(x, name))
            fault = arena_printf(arena, "the header %s has no argument", name);
    }
    return fault;
}

const char *request_headers_fault(struct arena *arena, const struct web_exchange *x,
                                  const struct rpc_message *message, const json_t *schema)
{
    const json_t *meta = json_object_get(message->params, "_meta");
    const char *version = json_get_string(meta, "io.modelcontextprotocol/protocolVersion");
    const char *member = named_by(message->method);
    const char *fault = compare(arena, x, "MCP-Protocol-Version", version ? version : "");
    if (!fault)
        fault = compare(arena, x, "Mcp-Method", message->method);
    const char *name = member ? json_get_string(message->params, member) : NULL;
    if (!fault && name)
        fault = compare(arena, x, "Mcp-Name", name);
    if (!fault && schema)
        fault = parameters_fault(arena, x, schema, json_object_get(message->params, "arguments"));
    return fault;
}
