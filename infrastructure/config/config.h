/* What configures mistro, read from where people put it: settings files, environment, mcp.json.
 * Nothing here starts or contacts anything. */
#ifndef INFRASTRUCTURE_CONFIG_CONFIG_H
#define INFRASTRUCTURE_CONFIG_CONFIG_H

#include "application/ports/assets.h"
#include "application/ports/documents.h"
#include "application/settings.h"

struct config_request {
    const char *settings_file; /* --config or MISTRO_CONFIG; NULL = look in the usual places */
    const char *mcp_file;      /* --mcp-config; NULL = look in the usual places */
    const char *base_url;      /* --base-url; NULL = not given */
    const char *const *only_servers; /* --servers; NULL = all */
    size_t n_only_servers;
    bool no_builtin; /* --no-builtin */
    const char *const
        *approved_items; /* texts of servers of the project that count by themselves */
    size_t n_approved_items;
    bool no_servers; /* none is read: a broken file of servers stops nothing */
};

/* A part of what the project brings, for the person who is asked. */
struct config_item {
    const char *name; /* of the server; NULL: its settings and other files */
    const char *file;
    const char *text; /* in full, escaped */
    bool counts;
};

/* What was found, for `config path`, `doctor` and consent. */
struct config_paths {
    const char *user_file, *project_file, *mcp_file; /* NULL where there is none */
    const char *user_mcp_file, *user_mcp_target;     /* target: where `servers add` writes */
    const char *data_dir;     /* absolute; conversations/ and runs.db live here */
    const char *data_root;    /* the project's folder where data_dir lies in it; else NULL */
    const char *approvals;    /* the user's file of them, never in a project; NULL without a home */
    const char *pins;         /* the folder of the tools that were agreed to; NULL likewise */
    const char *plans_dir;    /* absolute; NULL where plans.dir is empty */
    const char *logins;       /* the user's folder of tokens; NULL without a home */
    const char *persons;      /* the user's file of who is served over HTTP; NULL likewise */
    const char *state_dir;    /* history of the chat */
    bool project_brings_risk; /* the project folder brings servers, base_url, allow rules, … */
    bool project_risk_is_cut; /* it is more than can be shown, so it cannot be approved */
    const char *project_risk; /* those in full, for the person who is asked; escaped */
    struct config_item *project_items; /* its parts */
    size_t n_project_items;
};

/* Fills settings: defaults, user file, project file (only harmless keys unless project_approved),
 * environment, the endpoint of the command line. A key of the environment does not replace the one
 * that an approved project brings for its own endpoint. Unknown keys (nearest named), wrong types
 * and values out of range are ERR_INVALID with file, line and column. Everything lives in the
 * arena. */
MUST_CHECK
enum err_code config_load(const struct config_request *request, struct documents *documents,
                          bool project_approved, struct arena *arena, struct settings *out_settings,
                          struct config_paths *out_paths, struct err *err);

/* *out is the path of a file in the data folder, in the arena. ERR_INVALID: a project's data folder
 * is reached by a symbolic link, or the file is one, so that data would be written outside of the
 * project. A folder that the user's own settings name may be reached by links. */
MUST_CHECK
enum err_code config_data_file(const struct config_paths *paths, const char *name,
                               struct arena *arena, const char **out, struct err *err);

/* Where a person's own things are: in the same folders, below persons/NAME. The name is valid
 * (domain/entities/person.h). In the arena, and with what *own has. */
struct config_paths config_paths_of_person(const struct config_paths *own, const char *name,
                                           struct arena *arena);

/* The text of an item that was approved last, kept in a file of the user's to be compared with; in
 * the arena, NULL where there is none. And its keeping. */
const char *config_item_kept(struct arena *arena, const char *file);
MUST_CHECK
enum err_code config_item_keep(const char *file, const struct config_item *item, struct err *err);

/* A server as it is added to mcp.json. */
struct config_new_server {
    const char *name;
    const char *command; /* NULL: url */
    const char *const *arguments;
    size_t n_arguments;
    /* Of a command NAME=value (its environment), of a url 'Name: value' (its headers). */
    const char *const *pairs;
    size_t n_pairs;
    const char *url; /* NULL: command */
};

/* Adds or removes a server in the user's mcp.json; temp file, fsync, rename; unknown members of the
 * file are kept. ERR_INVALID when the name is taken, ERR_NOT_FOUND (nearest) when it does not
 * exist.
 */
MUST_CHECK
enum err_code config_add_server(const char *file, const struct config_new_server *new,
                                struct err *err);
MUST_CHECK
enum err_code config_remove_server(const char *file, const char *name, struct err *err);
/* Writes "share" beside the server, likewise. */
MUST_CHECK
enum err_code config_share_server(const char *file, const char *name, bool is_shared,
                                  struct err *err);

/* Headers that were given for this run only, beside those of mcp.json. They may hold a token, so
 * they go to one server and no other: where several have a URL, it must be said which. lines are
 * "Name: value" and borrowed; a name takes the place of a configured one. The servers of the
 * settings are replaced by copies in the arena. ERR_INVALID, which does not repeat the line, when
 * it is not a header, or when not exactly one enabled server has a URL. */
MUST_CHECK
enum err_code server_headers_add(struct arena *arena, struct settings *settings,
                                 const char *const *lines, size_t n, struct err *err);

/* YAML by libyaml, JSON by the bounded parser. */
struct documents *yaml_documents(void);
/* Embedded files, overridden by $XDG_CONFIG_HOME/mistro/<path> and, where approved, the project's
 * own file of that path. */
struct assets *config_assets_create(bool project_approved);
void config_assets_destroy(struct assets *assets);

#endif
