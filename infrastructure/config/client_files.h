/* The servers of other MCP clients (clients/client_servers.h): which there are on this machine, and
 * copies of them in the user's mcp.json. Nothing is copied that was not asked for, and what is
 * handed out for people or programs to read holds no secret. */
#ifndef INFRASTRUCTURE_CONFIG_CLIENT_FILES_H
#define INFRASTRUCTURE_CONFIG_CLIENT_FILES_H

#include "application/ports/documents.h"
#include "domain/base/err.h"
#include "infrastructure/config/clients/client_servers.h"
#include "infrastructure/config/clients/foreign_text.h"

struct client_file {
    const struct client_place *place;
    const char *path;
    struct text_flaw flaw; /* why is NULL: it could be read */
    struct client_servers servers;
    struct document *document; /* with the places of its values, once one was looked for; or NULL */
};

/* Reads a client's file; false where there is none. What is wrong with it is in *out. */
bool client_file_read(struct arena *arena, const struct client_place *place,
                      struct client_file *out);
/* Where the flaw of a server, or of all of them, is; line 0 where that is not known. */
struct text_flaw client_file_flaw(struct arena *arena, struct client_file *file,
                                  const char *pointer, const char *why);
/* Its name as mcp.json may have it; of one without letters its client and number. In the arena. */
const char *client_server_name(struct arena *arena, const struct client_file *file,
                               const struct client_server *server);

/* All of them, or those of one client. referred gets the names of the variables that servers of any
 * client refer to. */
struct client_file *client_files_read(struct arena *arena, const char *from, json_t *referred,
                                      size_t *out_n);
/* ERR_NOT_FOUND: no client is called that. */
MUST_CHECK
enum err_code client_check_name(const char *from, struct err *err);
/* Whether two definitions are the same but for being switched on. */
bool client_definition_is_same(const json_t *a, const json_t *b);

/* Secrets that become variables of the environment: of a name that means nothing else, to a client,
 * to another server in the user's file, or in the environment. What a server is there with already
 * keeps its name, so that importing it once more finds it the same. Maps are of names. */
struct client_secrets {
    struct arena *arena;
    json_t *values;        /* NAME: the secret; no two share one */
    json_t *origins;       /* NAME: "file:PATH" or "input:ID" where it is that of a client */
    const json_t *servers; /* of the user's file; or NULL */
    const json_t *referred, *used; /* by clients; in the user's file */
    const char *server;            /* whose secrets they are, in mcp.json */
    json_t *own;                   /* what that server is there with */
};
void client_secrets_begin(struct arena *arena, struct client_secrets *out, const json_t *servers,
                          const json_t *referred);
/* A server's definition as it is written under that name; owned by the caller. */
json_t *client_definition(struct client_secrets *secrets, const struct client_file *file,
                          const struct client_server *server, const char *name, bool with_secrets);

/* {"version":1,"clients":[{client, file, problem, servers:[{name, project, transport, command,
 * args, env, url, headers, state, why, left_out, variables}]}]}: env and headers are names only;
 * what is a secret is "…". state: new, disabled, configured (in user_file), differs (another one
 * has the name there), unusable. Owned by the caller. ERR_NOT_FOUND: no client is called `from`. */
MUST_CHECK
enum err_code clients_find(const char *user_file, const char *from, json_t **out, struct err *err);

struct clients_import {
    const char *user_file, *from;
    const char *const *names; /* NAME or OLD=NEW */
    size_t n_names;           /* 0: all that are switched on */
    bool with_secrets, is_dry_run;
};

/* {"version":1,"file","dry_run","servers":[{name, client, file, was, state, why, left_out}],
 * "variables":[{name, server, file, set, differs, line}],"problems":[{file, line, column,
 * message}]}. state: imported, off (until its variables are set, or as why says), disabled (as it
 * is there), on (was off), there, conflict, unnamed (of this folder), unusable. Owned by the
 * caller. ERR_NOT_FOUND: a name that no client has; then nothing is written. */
MUST_CHECK
enum err_code clients_import(const struct clients_import *request, json_t **out, struct err *err);

/* mistro as a tool of such a client: the entry for its settings, and the file with that entry in it
 * (host_setup.c). The file's own text stays, comments and all: the entry is put into it where its
 * servers begin, and what came of that is read again before anything is written. */
enum host_setup_state {
    SETUP_MISSING,   /* the entry is not there */
    SETUP_THERE,     /* it is, as it should be */
    SETUP_DIFFERENT, /* another one of the name mistro is */
    SETUP_UNSAFE,    /* the file is broken, or written in a way that nothing is put into */
    SETUP_NO_TEXT,   /* it is not UTF-8, but UTF-16 perhaps */
};

struct host_setup {
    const char *file;
    const char *snippet; /* what the file should have, as text in its format */
    enum host_setup_state state;
    const char *merged; /* the whole file with it; NULL unless it is missing */
    bool is_new;        /* there is no such file */
};

/* Everything is in the arena. ERR_NOT_FOUND: no such host can be set up. */
MUST_CHECK
enum err_code host_setup_plan(struct arena *arena, const char *host, const char *program,
                              struct host_setup *out, struct err *err);
/* Writes the merged file; what was there is kept as *out_backup (NULL: it is new), beside older
 * backups. */
MUST_CHECK
enum err_code host_setup_write(struct arena *arena, const struct host_setup *setup,
                               const char **out_backup, struct err *err);

#endif
