/* What other MCP clients write into their settings: where (client_places), and each of their
 * servers as mcp.json has it. One reader knows the members of all of them, since what they call
 * differently means the same; what differs in meaning, how they write references to variables, is
 * in the table. Nothing here opens a file. */
#ifndef INFRASTRUCTURE_CONFIG_CLIENTS_CLIENT_SERVERS_H
#define INFRASTRUCTURE_CONFIG_CLIENTS_CLIENT_SERVERS_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum client_format { CLIENT_JSON, CLIENT_TOML, CLIENT_YAML };

/* A file that a client reads. */
struct client_place {
    const char *client; /* "vscode" */
    char base;          /* 'h' home folder, 'c' XDG_CONFIG_HOME, 'p' project, 'x' CODEX_HOME */
    const char *path;   /* below it */
    enum client_format format;
    const char *servers; /* JSON Pointers of where servers may be, a blank between them */
};

extern const struct client_place client_places[]; /* the last one has no client */

struct client_server {
    const char *name;
    const char *project; /* to which folder its client confines it; NULL: to none */
    json_t *definition;  /* as in mcp.json, secrets as they are; kept by the arena; NULL: why_not */
    const char *why_not; /* static */
    const char *flaw;    /* JSON Pointer of the value that is of a wrong type; or NULL */
    bool is_disabled;
    const char *left_out;  /* members that mistro has nothing for, a comma between them; "" */
    const json_t *origins; /* variable that its client has not: "file:PATH" or "input:ID" */
};

struct client_servers {
    struct client_server *list;
    size_t n, capacity;
    const char *flaw; /* as in a server: there are no servers */
};

/* Reads the servers in the settings of a client. folder: of the project whose file it is, for
 * references to it; NULL: the user's. ${NAME} and ${NAME:-default} are what references become;
 * what is none for this client is written as `${:-$}{`. */
void client_servers_read(struct arena *arena, const struct client_place *place,
                         const json_t *settings, const char *folder, struct client_servers *out);
/* The variables that a definition refers to, or those that have no default, each once. In the
 * arena. */
size_t client_server_variables(struct arena *arena, const json_t *definition, bool also_optional,
                               const char ***out_names);

#endif
