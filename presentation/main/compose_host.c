#include "domain/base/text.h"
#include "infrastructure/cassette/cassette_ports.h"
#include "infrastructure/config/client_files.h"
#include "infrastructure/mcp/keeper/keeper.h"
#include "infrastructure/mcp/server/http_endpoint.h"
#include "infrastructure/mcp/server/stdio_rpc.h"
#include "infrastructure/mock/mock_server.h"
#include "infrastructure/repositories/private_folder.h"
#include "infrastructure/runtime/terminal_program.h"
#include "infrastructure/web/web_listener.h"
#include "infrastructure/workspace/workspace_server.h"
#include "presentation/cli/files.h"
#include "presentation/main/composition.h"
#include "presentation/mcp/serve_tools.h"
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_EDITED_BYTES = 8 << 20 };

struct composition *composition_of_host(struct cli_host *host)
{
    return (struct composition *)(void *)((char *)host - offsetof(struct composition, host));
}

static struct composition *of(struct cli_host *host)
{
    return composition_of_host(host);
}

static size_t paths(struct cli_host *host, struct arena *arena, const char ***out_labels,
                    const char ***out_values)
{
    const struct config_paths *p = &of(host)->paths;
    const char *const rows[][2] = {
        { "user file", p->user_file },  { "project file", p->project_file },
        { "mcp file", p->mcp_file },    { "user mcp file", p->user_mcp_target },
        { "data folder", p->data_dir }, { "state folder", p->state_dir }
    };
    *out_labels = arena_array(arena, const char *, ARRAY_LENGTH(rows));
    *out_values = arena_array(arena, const char *, ARRAY_LENGTH(rows));
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        (*out_labels)[i] = rows[i][0];
        (*out_values)[i] = rows[i][1];
    }
    return ARRAY_LENGTH(rows);
}

static const char *state_dir(struct cli_host *host)
{
    return of(host)->paths.state_dir;
}

static const char *project_risk(struct cli_host *host)
{
    struct composition *c = of(host);
    const char *waiting = "";
    if (!c->paths.project_brings_risk || c->project_reviewed)
        return NULL;
    if (c->paths.project_risk_is_cut || !c->n_approved_items)
        return c->paths.project_risk;
    for (size_t i = 0; i < c->paths.n_project_items; i++)
        if (!c->paths.project_items[i].counts)
            waiting = arena_printf(&c->arena, "%s%s", waiting, c->paths.project_items[i].text);
    return waiting;
}

static size_t project_items(struct cli_host *host, struct project_item **out)
{
    struct composition *c = of(host);
    struct project_item *items =
        arena_array(&c->arena, struct project_item, c->paths.n_project_items + 1);
    size_t n = 0;
    for (size_t i = 0; i < c->paths.n_project_items; i++) {
        const struct config_item *item = &c->paths.project_items[i];
        const char *kept = composition_item_file(c, item), *before = NULL;
        if (item->counts || c->paths.project_risk_is_cut)
            continue;
        if (kept)
            before = config_item_kept(&c->arena, kept);
        items[n++] = (struct project_item){ item->name, item->text, before, i };
    }
    *out = items;
    return n;
}

static const char *project_hash(struct cli_host *host)
{
    return of(host)->project_hash;
}

/* Its text is kept beside the approval, for who reads what an edit changed. */
static enum err_code approve(struct composition *c, struct scope *scope,
                             const struct config_item *item, struct err *err)
{
    struct approval_repository *approvals = NULL;
    struct approval approval = composition_item_approval(c, item);
    const char *kept = composition_item_file(c, item);
    enum err_code r = services_approvals(&c->services, &approvals, err);
    if (!r && item->name)
        r = approval_repository_add(approvals, scope, &approval, err);
    return r || !kept ? r : config_item_keep(kept, item, err);
}

static enum err_code approve_item(struct cli_host *host, struct scope *scope,
                                  const struct project_item *item, struct err *err)
{
    struct composition *c = of(host);
    return approve(c, scope, &c->paths.project_items[item->index], err);
}

static enum err_code approve_project(struct cli_host *host, struct scope *scope, struct err *err)
{
    struct composition *c = of(host);
    struct approval approval = composition_project_approval(c);
    struct approval_repository *approvals = NULL;
    if (c->paths.project_risk_is_cut)
        return err_set(err, ERR_LIMIT, 0, "this folder brings more than can be shown");
    enum err_code r = services_approvals(&c->services, &approvals, err);
    for (size_t i = 0; !r && i < c->paths.n_project_items; i++)
        r = approve(c, scope, &c->paths.project_items[i], err);
    return r ? r : approval_repository_add(approvals, scope, &approval, err);
}

static enum err_code add_server(struct cli_host *host, const struct new_server *server,
                                const char **out_file, struct err *err)
{
    const char *file = of(host)->paths.user_mcp_target;
    const struct config_new_server new = { .name = server->name,
                                           .command = server->command,
                                           .arguments = server->arguments,
                                           .n_arguments = server->n_arguments,
                                           .pairs = server->pairs,
                                           .n_pairs = server->n_pairs,
                                           .url = server->url };
    enum err_code r = config_add_server(file, &new, err);
    if (!r)
        *out_file = file;
    return r;
}

static enum err_code remove_server(struct cli_host *host, const char *name, const char **out_file,
                                   struct err *err)
{
    const char *file = of(host)->paths.user_mcp_target;
    enum err_code r = config_remove_server(file, name, err);
    if (!r)
        *out_file = file;
    return r;
}

static enum err_code share_server(struct cli_host *host, const struct server_config *server,
                                  bool is_shared, struct err *err)
{
    (void)host;
    return config_share_server(server->file, server->name, is_shared, err);
}

static enum err_code find_clients(struct cli_host *host, const char *from, json_t **out,
                                  struct err *err)
{
    return clients_find(of(host)->paths.user_mcp_target, from, out, err);
}

static enum err_code import_clients(struct cli_host *host, const struct client_import *import,
                                    json_t **out, struct err *err)
{
    const struct clients_import request = { .user_file = of(host)->paths.user_mcp_target,
                                            .from = import->from,
                                            .names = import->names,
                                            .n_names = import->n_names,
                                            .with_secrets = import->with_secrets,
                                            .is_dry_run = import->dry_run };
    return clients_import(&request, out, err);
}

static enum err_code set_up_client(struct cli_host *host, const char *name, bool write,
                                   struct arena *arena, struct client_setup *out, struct err *err)
{
    static const char *const why_not[] = {
        [SETUP_DIFFERENT] = "it has another server called mistro",
        [SETUP_UNSAFE] = "it is broken, or nothing can safely be put into it",
        [SETUP_NO_TEXT] = "it is not UTF-8 text",
    };
    char program[PATH_MAX + 1] = { 0 };
    struct host_setup setup;
    (void)host;
    if (readlink(COMPOSITION_PROGRAM, program, PATH_MAX) < 0)
        return err_set(err, ERR_INTERNAL, errno, "the path of this program: %s", strerror(errno));
    enum err_code r = host_setup_plan(arena, name, program, &setup, err);
    if (r)
        return r;
    *out = (struct client_setup){ .file = setup.file,
                                  .snippet = setup.snippet,
                                  .is_there = setup.state == SETUP_THERE,
                                  .was_written = write && setup.merged,
                                  .why_not = why_not[setup.state] };
    return out->was_written ? host_setup_write(arena, &setup, &out->backup, err) : ERR_NONE;
}

static enum err_code no_folder(struct err *err)
{
    return err_set(err, ERR_INVALID, 0, "there is no home folder in which a keeper could listen");
}

/* With the settings of this command; their path is made whole, for it is in another folder. */
static enum err_code start_keeper(struct cli_host *host, int64_t idle_ms, struct err *err)
{
    char whole[PATH_MAX];
    const char *folder = composition_keeper(of(host)), *file = of(host)->paths.user_file;
    const char *path = file ? realpath(file, whole) : NULL;
    const char *const words[] = {
        "mistro", "servers", "keep", "--foreground", path ? "--config" : NULL, path, NULL
    };
    return folder ? keeper_start(folder, COMPOSITION_PROGRAM, words, idle_ms, err) : no_folder(err);
}

static enum err_code stop_keeper(struct cli_host *host, int64_t *out_n, struct err *err)
{
    const char *folder = composition_keeper(of(host));
    return folder ? keeper_stop(folder, out_n, err) : no_folder(err);
}

static enum err_code run_keeper(struct cli_host *host, struct scope *scope, int64_t idle_ms,
                                void (*on_ready)(void *context), void *context, struct err *err)
{
    struct composition *c = of(host);
    const struct keeper_options options = { .folder = composition_keeper(c),
                                            .settings = &c->settings,
                                            .idle_ms = idle_ms,
                                            .on_ready = on_ready,
                                            .context = context };
    return options.folder ? keeper_run(c->runtime, scope, &options, err) : no_folder(err);
}

static enum err_code workspace(struct cli_host *host, const char *root, bool write,
                               struct tool_server **out, struct err *err)
{
    struct composition *c = of(host);
    struct workspace_options options = {
        .name = "workspace", .root = root, .write = write, .child_program = COMPOSITION_PROGRAM
    };
    return workspace_server_create(c->runtime, &options, &c->settings, out, err);
}

static enum err_code replayed(struct cli_host *host, const char *file, const char *server,
                              struct tool_server **out, struct err *err)
{
    struct composition *c = of(host);
    struct cassette *cassette = NULL;
    enum err_code r = composition_read_cassette(c, file, &cassette, err);
    return r ? r : cassette_serve(cassette, server, out, err);
}

static enum err_code replay_run(struct cli_host *host, const char *run_id, struct err *err)
{
    return composition_replay_run(of(host), run_id, err);
}

static const struct err *replay_miss(struct cli_host *host)
{
    return cassette_miss(of(host)->cassette);
}

static struct rpc *stdio_rpc(struct cli_host *host)
{
    struct composition *c = of(host);
    return mcp_stdio_rpc_create(c->runtime, &c->settings);
}

static enum err_code mock(struct cli_host *host, json_t *fixture, struct tool_server **out,
                          struct serve_options *options, struct err *err)
{
    struct composition *c = of(host);
    struct tool_server_status mocked;
    enum err_code r = mock_server_create(c->services.runtime, "mock", fixture, out, err);
    if (r)
        return r;
    const struct mock_fixture *said = mock_server_fixture(*out);
    tool_server_status(*out, &mocked);
    if (*mocked.server_version)
        options->version = mocked.server_version;
    options->instructions = mocked.instructions;
    options->page_size = said->page_size;
    options->runs_tasks = mock_fixture_has_tasks(said);
    options->ttl_ms = said->ttl_ms ? said->ttl_ms : -1;
    options->is_public = said->is_public;
    if (strcmp(said->era, "modern") == 0)
        options->eras = SERVE_MODERN;
    else if (strcmp(said->era, "legacy") == 0)
        options->eras = SERVE_LEGACY;
    return ERR_NONE;
}

static struct rpc *mock_rpc(struct cli_host *host, struct tool_server *server)
{
    return mock_rpc_create(of(host)->services.runtime, server, stdio_rpc(host), STDOUT_FILENO);
}

static enum err_code listen_at(struct cli_host *host, const char *address, struct web_server **out,
                               bool *out_is_loopback, struct err *err)
{
    struct composition *c = of(host);
    enum err_code r = web_address_check(address, out_is_loopback, err);
    return r ? r : web_listener_create(c->runtime, &c->settings, address, out, err);
}

static struct rpc_endpoint *rpc_endpoint(struct cli_host *host,
                                         const struct rpc_endpoint_options *options)
{
    return http_endpoint_create(of(host)->runtime, &of(host)->settings, &of(host)->replays,
                                options);
}

static enum err_code edit_file(struct composition *c, const char *path, const char *text,
                               struct arena *arena, const char **out, struct err *err)
{
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    const char *command = visual && *visual ? visual : editor && *editor ? editor : "vi";
    const struct file_reader reader = { .arena = arena, .max_bytes = MAX_EDITED_BYTES };
    size_t length = 0;
    enum err_code r = files_create(path, text, strlen(text), err);
    if (!r)
        r = terminal_program_run(c->runtime, command, path, err);
    bool is_edited = !r;
    if (!r)
        r = files_read_plain(&reader, path, out, &length, err);
    if (!r && (strlen(*out) != length || !text_is_utf8(*out, length)))
        r = err_set(err, ERR_INVALID, 0, "the editor left a text that is not UTF-8");
    if (r && is_edited) /* nobody wrote it for nothing */
        return err_hint(err, r, "what was written is kept in %s", path);
    (void)unlink(path);
    return r;
}

static enum err_code edit_text(struct cli_host *host, const char *file, const char *text,
                               struct arena *arena, const char **out, struct err *err)
{
    char folder[PRIVATE_FOLDER_BYTES] = "";
    enum err_code r = private_folder_create("mistro-edit", folder, err);
    if (!r)
        r = edit_file(of(host), arena_printf(arena, "%s/%s", folder, file), text, arena, out, err);
    private_folder_remove(folder);
    return r;
}

void composition_provide_host(struct composition *c)
{
    static const struct cli_host_ops ops = { .paths = paths,
                                             .state_dir = state_dir,
                                             .project_risk = project_risk,
                                             .project_hash = project_hash,
                                             .approve_project = approve_project,
                                             .project_items = project_items,
                                             .approve_item = approve_item,
                                             .add_server = add_server,
                                             .remove_server = remove_server,
                                             .share_server = share_server,
                                             .find_clients = find_clients,
                                             .import_clients = import_clients,
                                             .set_up_client = set_up_client,
                                             .start_keeper = start_keeper,
                                             .stop_keeper = stop_keeper,
                                             .run_keeper = run_keeper,
                                             .workspace = workspace,
                                             .mock = mock,
                                             .mock_rpc = mock_rpc,
                                             .listen = listen_at,
                                             .rpc_endpoint = rpc_endpoint,
                                             .replayed = replayed,
                                             .replay_run = replay_run,
                                             .replay_miss = replay_miss,
                                             .stdio_rpc = stdio_rpc,
                                             .persons = composition_persons,
                                             .services_of = composition_services_of,
                                             .hold_services = composition_hold_services,
                                             .release_services = composition_release_services,
                                             .edit_text = edit_text };
    c->host = (struct cli_host){ .ops = &ops, .version = MISTRO_VERSION };
}
