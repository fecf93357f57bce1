/* An MCP server behind any transport, as a tool_server. It is started by the first list or call,
 * shared by callers that come meanwhile, and started again after it died, later and later. Its
 * errors do not name the server: whoever has several of them does. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_CLIENT_H
#define INFRASTRUCTURE_MCP_CLIENT_CLIENT_H

#include "application/ports/tool_server.h"
#include "application/settings.h"
#include "infrastructure/mcp/wire/era_memory.h"
#include "infrastructure/mcp/wire/transport.h"

struct oauth;
struct uv_runtime;

struct mcp_client_options {
    struct uv_runtime *runtime;
    struct transport *transport;        /* owned by the client */
    const char *transport_name;         /* "stdio" or "http"; of static life */
    const char *command;                /* how people see what is started or contacted; copied */
    const char *identity;               /* as in struct tool_server_status; copied */
    const struct server_config *config; /* borrowed, as are the settings */
    const struct settings *settings;
    struct oauth *oauth;     /* owned; NULL: nobody logs in */
    struct era_memory *eras; /* borrowed, may be NULL */
    bool has_person;         /* whoever calls may be asked something, if the call says so */
    bool has_model;          /* … and mistro's model may be asked by this server */
};

struct tool_server *mcp_client_create(const struct mcp_client_options *options);

#endif
