/* An MCP server as a tool_server: a child process, or a server behind a URL, which is spoken to by
 * Streamable HTTP or HTTP+SSE of 2024-11-05. It is started or contacted by the first list or call,
 * shared by callers that come meanwhile, and started again after it died, later and later. Its
 * errors do not name the server: a caller that has several of them does. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_CLIENT_H
#define INFRASTRUCTURE_MCP_CLIENT_CLIENT_H

#include "application/ports/tool_server.h"
#include "application/ports/traffic.h"
#include "application/settings.h"

struct digest;
struct era_memory;
struct keeper_access;
struct http_client;
struct token_store;
struct uv_runtime;

/* What all MCP servers of a process share. Everything is borrowed and must outlive the servers. */
struct mcp_context {
    struct uv_runtime *runtime;
    const struct settings *settings;
    struct http_client *http;     /* for servers behind a URL */
    struct traffic *traffic;      /* is told what goes over the wire; NULL as a rule */
    struct era_memory *eras;      /* may be NULL */
    struct token_store *logins;   /* NULL: no one logs in to a server */
    struct digest *digest;        /* of logins */
    struct keeper_access *keeper; /* that may lend programs (lease.h); NULL: none does */
    bool has_person;              /* servers are told that they may ask a person */
    bool has_model;               /* and a model, where the configuration lets them */
    bool has_consent;             /* a person is there to consent to that, or did beforehand */
};

/* config is borrowed and must outlive the server; the context is copied. */
struct tool_server *mcp_client_create(const struct mcp_context *context,
                                      const struct server_config *config);

#endif
