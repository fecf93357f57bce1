#include "infrastructure/mcp/unsupported_server.h"
#include <stdlib.h>

struct unsupported {
    struct tool_server base;
    const struct server_config *config;
};

static const struct server_config *config_of(struct tool_server *server)
{
    return ((struct unsupported *)server)->config;
}

static const char *name(struct tool_server *server)
{
    return config_of(server)->name;
}

static enum err_code refuse(struct tool_server *server, struct err *err)
{
    const struct server_config *config = config_of(server);
    enum err_code r =
        err_set(err, ERR_UNAVAILABLE, 0, "servers behind a URL are not supported yet");
    (void)err_about(err, r, "server");
    return err_hint(err, r, "give it a command in %s, or set \"enabled\": false", config->file);
}

static enum err_code list(struct tool_server *server, struct scope *scope,
                          struct tool_catalogue **out, struct err *err)
{
    (void)scope;
    (void)out;
    return refuse(server, err);
}

static enum err_code call(struct tool_server *server, struct scope *scope,
                          const struct tool_call *tool_call, struct arena *arena,
                          struct step_result *out, struct err *err)
{
    (void)scope;
    (void)tool_call;
    (void)arena;
    (void)out;
    return refuse(server, err);
}

static enum err_code offerings(struct tool_server *server, struct scope *scope,
                               enum offering_kind kind, struct offerings *out, struct err *err)
{
    (void)scope;
    (void)kind;
    (void)out;
    return refuse(server, err);
}

static enum err_code read_resource(struct tool_server *server, struct scope *scope, const char *uri,
                                   struct arena *arena, struct offering_result *out,
                                   struct err *err)
{
    (void)scope;
    (void)uri;
    (void)arena;
    (void)out;
    return refuse(server, err);
}

static enum err_code get_prompt(struct tool_server *server, struct scope *scope, const char *prompt,
                                const json_t *arguments, struct arena *arena,
                                struct offering_result *out, struct err *err)
{
    (void)scope;
    (void)prompt;
    (void)arguments;
    (void)arena;
    (void)out;
    return refuse(server, err);
}

static void status(struct tool_server *server, struct tool_server_status *out)
{
    const struct server_config *config = config_of(server);
    *out = (struct tool_server_status){ .name = config->name,
                                        .state = SERVER_FAILED,
                                        .transport = "http",
                                        .command = config->url ? config->url : "",
                                        .era = "",
                                        .protocol_version = "",
                                        .server_name = "",
                                        .server_version = "",
                                        .instructions = "",
                                        .identity = "",
                                        .start_ms = -1 };
    (void)refuse(server, &out->last_error);
}

static void close_nothing(struct tool_server *server, struct scope *scope)
{
    (void)server;
    (void)scope;
}

static void destroy(struct tool_server *server)
{
    free(server);
}

struct tool_server *mcp_unsupported_server_create(const struct server_config *config)
{
    static const struct tool_server_ops ops = { .name = name,
                                                .list = list,
                                                .call = call,
                                                .status = status,
                                                .offerings = offerings,
                                                .read_resource = read_resource,
                                                .get_prompt = get_prompt,
                                                .close = close_nothing,
                                                .destroy = destroy };
    struct unsupported *server = calloc(1, sizeof *server);
    if (!server)
        abort();
    *server = (struct unsupported){ .base = { &ops }, .config = config };
    return &server->base;
}
