/* What all MCP servers of a process share. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_MCP_CONTEXT_H
#define INFRASTRUCTURE_MCP_CLIENT_MCP_CONTEXT_H

#include "application/ports/traffic.h"
#include "application/settings.h"
#include <stdbool.h>

struct digest;
struct era_memory;
struct http_client;
struct token_store;
struct uv_runtime;

/* Everything is borrowed and must outlive the servers. */
struct mcp_context {
    struct uv_runtime *runtime;
    const struct settings *settings;
    struct http_client *http;   /* for servers behind a URL */
    struct traffic *traffic;    /* is told what goes over the wire; NULL as a rule */
    struct era_memory *eras;    /* may be NULL */
    struct token_store *logins; /* NULL: nobody logs in to a server */
    struct digest *digest;      /* of logins */
    bool has_person;            /* servers are told that they may ask somebody */
    bool has_model;             /* … and a model, where the configuration lets them */
    bool has_consent;           /* somebody is there to consent to that, or did beforehand */
};

#endif
