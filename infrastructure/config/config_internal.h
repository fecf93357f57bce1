/* The parts of config_load.c: finding and reading files, applying a settings file, mcp.json, and
 * the list of what a project folder brings that counts only once it was approved. */
#ifndef INFRASTRUCTURE_CONFIG_CONFIG_INTERNAL_H
#define INFRASTRUCTURE_CONFIG_CONFIG_INTERNAL_H

#include "application/ports/assets.h"
#include "domain/base/buf.h"
#include "infrastructure/config/config.h"

#define CONFIG_MAX_FILE_BYTES (4 * 1048576)
#define CONFIG_MAX_RISK_BYTES (8 * 1048576)
#define PLANS_SERVER "plan" /* of the tools that plans.dir makes */
#define CONFIG_SETTINGS_PATH "config/mistral_orchestrator.yml"

struct config_loading {
    struct documents *documents;
    struct arena *arena;
    struct settings *settings;
    bool project_approved;
    struct buf risk; /* what the project brings, one item a line, escaped */
    const struct config_request *request;
    struct config_item *items; /* the servers in it, which follow each other */
    size_t n_items, items_capacity, items_start, items_end; /* bytes of risk */
    bool risk_is_cut;
    struct policy_rule *rules;
    size_t n_rules, rules_capacity;
    const json_t *project_policy; /* NULL: none */
    bool policy_loosens;
    struct server_config *servers;
    size_t n_servers, servers_capacity;
    const char **waiting;
    size_t n_waiting, waiting_capacity;
};

/* A file being applied. */
struct config_source {
    const char *file;
    enum setting_origin origin;
    struct document document;
};

/* A value in such a file, by its JSON Pointer. */
struct config_place {
    struct config_loading *loading;
    const struct config_source *source;
    const char *path;
};

/* folders and files (config_files.c) */
const char *config_current_folder(struct arena *arena);
/* HOME, or what the user database says where that is unset, empty or relative; "" for none. */
const char *config_home_folder(struct arena *arena);
/* The XDG folder of mistro: `variable` or below the home folder; "" when there is neither. */
const char *config_xdg_folder(struct arena *arena, const char *variable, const char *below_home);
/* The path as absolute one, links resolved where it exists. */
const char *config_whole_path(struct arena *arena, const char *path);
/* The nearest folder, from the current one upwards, with a settings file; NULL when there is
 * none. */
const char *config_project_root(struct arena *arena);
bool config_is_file(const char *path);
/* A relative path is meant from where the file is. */
const char *config_beside(struct arena *arena, const char *file, const char *path);
/* Reads a regular file of at most CONFIG_MAX_FILE_BYTES. */
MUST_CHECK
enum err_code config_read_file(const char *path, struct arena *arena, const char **out_text,
                               size_t *out_length, struct err *err);

/* File names of several places, each once (assets.c). */
struct asset_names {
    struct arena *arena;
    const char **names;
    size_t n, capacity;
};
/* Regular files of a folder that are not hidden and whose names are UTF-8; a folder that does not
 * exist has none. ERR_LIMIT: more than ASSETS_MAX_NAMES, over all places. */
MUST_CHECK
enum err_code asset_names_add_folder(struct asset_names *names, const char *folder,
                                     struct err *err);
/* Sorts, and leaves each name once. */
void asset_names_finish(struct asset_names *names);

/* settings (config_settings.c, config_policy.c, config_launch.c) */
MUST_CHECK
enum err_code config_apply_file(struct config_loading *loading, const char *file,
                                enum setting_origin origin, struct err *err);
/* Puts the "file:line:column" of the place in front of the message. */
enum err_code config_at_place(const struct config_place *place, enum err_code code,
                              struct err *err);
/* ERR_INVALID, with the place in front of the message. */
PRINTF_LIKE(3, 4)
enum err_code config_refuse(const struct config_place *place, struct err *err, const char *format,
                            ...);
/* The place of a member, or of an element. */
struct config_place config_place_member(const struct config_place *place, const char *key);
struct config_place config_place_element(const struct config_place *place, size_t index);
MUST_CHECK
enum err_code config_read_policy(const struct config_place *place, const json_t *list,
                                 struct err *err);
/* A setting that is a command, under that key; null leaves *out as it is. */
MUST_CHECK
enum err_code config_read_command(const struct config_place *place, const char *key,
                                  const json_t *list, struct model_launch *out, struct err *err);
/* base_url: of the command line, or NULL. */
MUST_CHECK
enum err_code config_apply_environment(struct config_loading *loading, const char *base_url,
                                       struct err *err);

/* servers (mcp_json.c) */
MUST_CHECK
enum err_code config_read_servers(struct config_loading *loading, const char *file,
                                  bool from_project, struct err *err);
/* Whether a server is one that mcp.json may have: what is wrong with one there ends every command.
 * ERR_INVALID as well where a variable is not set. */
MUST_CHECK
enum err_code config_check_server(struct arena *arena, const char *file, const char *name,
                                  const json_t *definition, struct err *err);
/* Those of .vscode/mcp.json and .cursor/mcp.json in the current folder, which wait for approval
 * like the servers of .mcp.json. A broken file has none; `servers find` says what is wrong with it.
 */
MUST_CHECK
enum err_code config_read_editor_servers(struct config_loading *loading, struct err *err);
/* Expands ${VAR}, ${VAR:-default} and ${env:VAR}. ERR_INVALID names the variable. In the arena. */
MUST_CHECK
enum err_code config_expand(struct arena *arena, const char *text, const char **out_text,
                            struct err *err);
bool config_server_name_is_valid(const char *name);
/* The member "oauth" of a server (mcp_json_oauth.c); NULL is none. */
MUST_CHECK
enum err_code config_read_oauth(struct arena *arena, const char *file, const char *server,
                                const json_t *value, struct server_oauth *out, struct err *err);

/* editing mcp.json (mcp_json_edit.c) */
/* The file as a value, an empty object where there is none, and the map of servers in it; both
 * belong to the arena. ERR_INVALID: it has comments, which writing would lose, or is broken. */
MUST_CHECK
enum err_code config_open_servers(struct arena *arena, const char *file, json_t **out_value,
                                  json_t **out_servers, struct err *err);
/* For who changes the file: what is read under the lock is not changed by another process before it
 * is written. Closing *out_lock (auto_fd) releases it. Blocks, for STORED_FILE_LOCK_WAIT_MS at
 * most.
 */
MUST_CHECK
enum err_code config_lock_servers(struct arena *arena, const char *file, int *out_lock,
                                  struct err *err);
MUST_CHECK
enum err_code config_save_servers(struct arena *arena, const char *file, const json_t *value,
                                  struct err *err);
/* Makes the folders above it; either the old file or the whole new one is there. For this user
 * only. */
MUST_CHECK
enum err_code config_write_file(struct arena *arena, const char *file, const char *text,
                                struct err *err);

/* what a project brings (config_risk.c) */
/* Says instead of the list that it is too long, for good. */
void config_give_up(struct config_loading *loading);
/* Adds that a file of the folder cannot be read, and why: nothing of it counts. */
void config_note_flaw(struct config_loading *loading, const char *file, const struct err *why);
/* Adds a line to the list: where it stands, what it is, and its value, escaped. */
void config_note_risk(struct config_loading *loading, const char *file, const char *what,
                      const json_t *value);
/* Behind it, what a person should not read over in a command (domain/policy/command_risk.h). */
void config_note_command(struct config_loading *loading, const json_t *command,
                         const json_t *arguments);
/* Makes what was noted since the risk had so many bytes an item; true when it is approved. */
bool config_note_server(struct config_loading *loading, const char *file, const char *name,
                        size_t start);
/* Behind the servers, what else was noted. */
void config_note_rest(struct config_loading *loading, const char *file);
/* Adds the project's whole policy, in its order, where a rule loosens or anything else is noted: a
 * denial that is taken away, or moved before an allowance, loosens as well. */
void config_note_policy(struct config_loading *loading, const char *file);
/* Adds the project's prompts, schemas and migrations that differ from those in the binary, and the
 * role sets, packs, styles and references that the binary does not have. */
void config_note_overrides(struct config_loading *loading);

/* The first member that is not known but nearly one of those that are, and which; NULL: there is
 * none. A member that is not near belongs to another program and is left alone, as are words
 * shorter than six. */
const char *config_misspelt(const json_t *object, const char *const *known, size_t n_known,
                            const char **out_meant);

#endif
