#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include <string.h>

#define DEFAULT_SERVER "files"
#define DATA_SERVER "data"
#define JOBS_SERVER "mistro"

static const char *existing(const char *path)
{
    return config_is_file(path) ? path : NULL;
}

static void find_files(struct arena *arena, const struct config_request *request,
                       const char *settings_file, struct config_paths *paths)
{
    const char *folder = config_xdg_folder(arena, "XDG_CONFIG_HOME", ".config");
    const char *root = config_project_root(arena);
    if (*folder) {
        paths->user_file = existing(arena_printf(arena, "%s/mistral_orchestrator.yml", folder));
        paths->user_mcp_target = arena_printf(arena, "%s/mcp.json", folder);
        paths->user_mcp_file = existing(paths->user_mcp_target);
    }
    if (root)
        paths->project_file =
            arena_printf(arena, "%s/%s", strcmp(root, "/") == 0 ? "" : root, CONFIG_SETTINGS_PATH);
    if (settings_file) {
        paths->user_file = settings_file;
        paths->project_file = NULL;
    }
    paths->mcp_file =
        request->mcp_file
            ? request->mcp_file
            : existing(arena_printf(arena, "%s/.mcp.json", config_current_folder(arena)));
    if (request->mcp_file)
        paths->user_mcp_file = NULL;
}

/* An endpoint that the user's own file names remains the user's, and gets the user's key, when the
 * project names it as well. A project with a key of its own for it sends that one. */
static void keep_users_endpoint(struct settings *settings, const char *users, const char *file)
{
    if (!*users || strcmp(settings->model_base_url, users) != 0 ||
        settings->origins[SETTING_model_api_key] == ORIGIN_PROJECT_FILE)
        return;
    settings->origins[SETTING_model_base_url] = ORIGIN_USER_FILE;
    settings->origin_names[SETTING_model_base_url] = file;
}

static enum err_code load_settings(struct config_loading *loading,
                                   const struct config_request *request,
                                   const struct config_paths *paths, struct err *err)
{
    enum err_code r = ERR_NONE;
    if (paths->user_file)
        r = config_apply_file(loading, paths->user_file, ORIGIN_USER_FILE, err);
    const char *users_endpoint = loading->settings->model_base_url;
    if (!r && paths->project_file)
        r = config_apply_file(loading, paths->project_file, ORIGIN_PROJECT_FILE, err);
    if (r)
        return r;
    keep_users_endpoint(loading->settings, users_endpoint, paths->user_file);
    return config_apply_environment(loading, request->base_url, err);
}

/* The project's servers come first: of two with the same name it is the nearer one that counts. */
static enum err_code load_servers(struct config_loading *loading,
                                  const struct config_request *request,
                                  const struct config_paths *paths, struct err *err)
{
    enum err_code r = ERR_NONE;
    if (request->no_servers)
        return r;
    if (paths->mcp_file)
        r = config_read_servers(loading, paths->mcp_file, !request->mcp_file, err);
    if (!r && !request->mcp_file)
        r = config_read_editor_servers(loading, err);
    if (!r && paths->user_mcp_file)
        r = config_read_servers(loading, paths->user_mcp_file, false, err);
    return r;
}

static int find_server(const struct config_loading *loading, const char *name)
{
    for (size_t i = 0; i < loading->n_servers; i++)
        if (strcmp(loading->servers[i].name, name) == 0)
            return (int)i;
    return -1;
}

static enum err_code unknown_server(const struct config_loading *loading, const char *name,
                                    struct err *err)
{
    const char **names = arena_array(loading->arena, const char *, loading->n_servers + 1);
    size_t nearest;
    if (text_is_one_of(name, loading->waiting, loading->n_waiting))
        return settings_server_waits(name, err);
    for (size_t i = 0; i < loading->n_servers; i++)
        names[i] = loading->servers[i].name;
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "no server is named \"%.64s\"", name);
    err_about(err, r, "server");
    if (text_nearest(name, names, loading->n_servers, &nearest, 1))
        return err_hint(err, r, "did you mean %s?", names[nearest]);
    if (loading->risk.length && !loading->project_approved)
        return err_hint(err, r, "this folder's own servers wait for: mistro servers review");
    return err_hint(err, r, "mistro servers lists the configured ones");
}

/* --servers: those and no others, in the order they were named. */
static enum err_code keep_only(struct config_loading *loading, const struct config_request *request,
                               struct err *err)
{
    if (!request->only_servers)
        return ERR_NONE;
    bool has_builtin =
        !request->mcp_file && !request->no_builtin && loading->settings->workspace_enabled;
    struct server_config *kept =
        arena_array(loading->arena, struct server_config, request->n_only_servers + 1);
    size_t n = 0;
    for (size_t i = 0; i < request->n_only_servers; i++) {
        const char *name = request->only_servers[i];
        int found = find_server(loading, name);
        if (found < 0 && has_builtin &&
            (strcmp(name, DEFAULT_SERVER) == 0 || strcmp(name, DATA_SERVER) == 0))
            continue;
        if (found < 0 && loading->settings->tools_jobs && strcmp(name, JOBS_SERVER) == 0)
            continue; /* mistro's own jobs */
        if (found < 0 && *loading->settings->plans_dir && strcmp(name, PLANS_SERVER) == 0)
            continue;
        if (found < 0)
            return unknown_server(loading, name, err);
        kept[n++] = loading->servers[found];
    }
    loading->servers = kept;
    loading->n_servers = n;
    return ERR_NONE;
}

static const char *absolute(struct arena *arena, const char *base, const char *path)
{
    return path[0] == '/' ? arena_strdup(arena, path) : arena_printf(arena, "%s/%s", base, path);
}

static enum err_code find_data(struct config_loading *loading, struct config_paths *paths,
                               struct err *err)
{
    struct arena *arena = loading->arena;
    const char *root = config_project_root(arena);
    const char *set = loading->settings->storage_dir;
    bool from_project = loading->settings->origins[SETTING_storage_dir] == ORIGIN_PROJECT_FILE;
    const char *folder = config_xdg_folder(arena, "XDG_DATA_HOME", ".local/share");
    if (*set ? from_project && set[0] != '/' : paths->project_file != NULL)
        paths->data_root = root;
    const char *base = paths->data_root ? root : config_current_folder(arena);
    if (*set || paths->data_root)
        paths->data_dir = absolute(arena, base, *set ? set : "data");
    else
        paths->data_dir = folder;
    if (*folder) {
        paths->approvals = arena_printf(arena, "%s/approvals.json", folder);
        paths->pins = arena_printf(arena, "%s/pins", folder);
        paths->logins = arena_printf(arena, "%s/logins", folder);
    }
    const char *state = config_xdg_folder(arena, "XDG_STATE_HOME", ".local/state");
    paths->state_dir = *state ? state : paths->data_dir;
    paths->persons = *state ? arena_printf(arena, "%s/persons.json", state) : NULL;
    if (*paths->data_dir)
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "there is no home folder to keep data in");
    return err_hint(err, r, "set HOME, XDG_DATA_HOME or storage.dir");
}

/* As storage.dir: a project's relative path begins in the project. */
static void find_plans(struct config_loading *loading, struct config_paths *paths)
{
    struct arena *arena = loading->arena;
    const char *set = loading->settings->plans_dir;
    bool from_project = loading->settings->origins[SETTING_plans_dir] == ORIGIN_PROJECT_FILE;
    const char *home = text_starts_with(set, "~/") ? config_home_folder(arena) : "";
    if (*home)
        paths->plans_dir = absolute(arena, home, set + strlen("~/"));
    else if (*set)
        paths->plans_dir = absolute(
            arena, from_project ? config_project_root(arena) : config_current_folder(arena), set);
}

static enum err_code load(struct config_loading *loading, const struct config_request *request,
                          struct config_paths *paths, struct err *err)
{
    const char *settings_file = request->settings_file;
    if (!settings_file)
        settings_file = getenv("MISTRO_CONFIG");
    if (settings_file && !*settings_file)
        settings_file = NULL;
    find_files(loading->arena, request, settings_file, paths);
    enum err_code r = load_settings(loading, request, paths, err);
    if (!r)
        config_note_overrides(loading);
    if (!r)
        r = load_servers(loading, request, paths, err);
    if (!r)
        config_note_policy(loading, paths->project_file);
    if (!r)
        r = keep_only(loading, request, err);
    if (!r)
        r = find_data(loading, paths, err);
    find_plans(loading, paths);
    config_note_rest(loading, paths->project_file);
    paths->project_items = loading->items;
    paths->n_project_items = loading->n_items;
    paths->project_brings_risk = loading->risk.length > 0;
    paths->project_risk_is_cut = loading->risk_is_cut;
    paths->project_risk = arena_strdup(loading->arena, buf_string(&loading->risk));
    return r;
}

enum err_code config_load(const struct config_request *request, struct documents *documents,
                          bool project_approved, struct arena *arena, struct settings *out_settings,
                          struct config_paths *out_paths, struct err *err)
{
    struct settings settings;
    struct config_paths paths = { 0 };
    struct config_loading loading = {
        .documents = documents,
        .arena = arena,
        .settings = &settings,
        .project_approved = project_approved,
        .request = request,
    };
    settings_init(&settings);
    buf_init(&loading.risk, CONFIG_MAX_RISK_BYTES);
    enum err_code r = load(&loading, request, &paths, err);
    buf_finish(&loading.risk);
    if (r)
        return r;
    settings.policy = loading.rules;
    settings.n_policy = loading.n_rules;
    settings.servers = loading.servers;
    settings.n_servers = loading.n_servers;
    settings.waiting_servers = loading.waiting;
    settings.n_waiting_servers = loading.n_waiting;
    *out_settings = settings;
    *out_paths = paths;
    return ERR_NONE;
}
