#include "infrastructure/mcp/client/client_headers.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/header_parameters.h"
#include <string.h>

static bool sends_parameters(const struct client *client)
{
    return client->session.era == ERA_MODERN && client->options.config->url;
}

enum err_code client_headers_check(const struct client *client, const json_t *definition,
                                   struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *name = json_get_string(definition, "name");
    if (!sends_parameters(client))
        return ERR_NONE;
    enum err_code r = header_parameters_check(json_object_get(definition, "inputSchema"), err);
    return r && name
               ? err_prefix(err, r, "tool \"%s\"", text_one_line(&scratch, name, strlen(name), 60))
               : r;
}

awaits MUST_CHECK static enum err_code list_unless_known(struct client *client, struct scope *scope,
                                                         struct err *err)
{
    struct tool_catalogue *catalogue = NULL;
    if (client->catalogue && !client->is_stale)
        return ERR_NONE;
    (void)!client_list(&client->base, scope, &catalogue, NULL);
    tool_catalogue_unref(catalogue);
    return scope_check(scope, runtime_now_ms(client->runtime), err);
}

enum err_code client_headers_prepare(struct client *client, struct scope *scope,
                                     const struct tool_call *call, struct arena *arena,
                                     struct request *out, struct err *err)
{
    out->headers = NULL;
    out->n_headers = 0;
    if (!sends_parameters(client))
        return ERR_NONE;
    enum err_code r = list_unless_known(client, scope, err);
    if (r)
        return r;
    const struct tool *tool =
        client->catalogue ? tool_catalogue_find(client->catalogue, call->name) : NULL;
    return tool ? header_parameters_lines(arena, tool->input_schema, call->arguments, &out->headers,
                                          &out->n_headers, err)
                : ERR_NONE;
}

bool client_headers_were_refused(struct client *client, const json_t *error, struct err *err)
{
    if (!sends_parameters(client) || jsonrpc_error_code(error) != JSONRPC_HEADER_MISMATCH)
        return false;
    client->is_stale = true;
    (void)err_hint(err, err ? err->code : ERR_FAILED,
                   "does a proxy on the way take headers out of requests?");
    return true;
}
