#include "application/tools/lookup.h"
#include "application/tools/toolbox.h"
#include "infrastructure/cassette/cassette_ports.h"
#include "infrastructure/checking/candidate_checker.h"
#include "infrastructure/mcp/client/client.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include "infrastructure/mcp/wire/era_memory.h"
#include "infrastructure/net/http_client.h"
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_database.h"
#include "infrastructure/postgres/postgres_process.h"
#include "infrastructure/rendering/rendering.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/workspace/workspace_server.h"
#include "presentation/cli/output.h"
#include "presentation/main/composition.h"
#include <stdlib.h>
#include <string.h>

#define CLOSE_GRACE_MS 500
#define INTERRUPT_GRACE_MS 150

_Static_assert(COMPOSITION_MAX_SERVERS <= TOOLBOX_MAX_SERVERS,
               "every server that is made must fit the toolbox");

static struct composition *of(struct services *services)
{
    return (struct composition *)services;
}

/* Beside configured servers, of which one may have its name; a file of servers that the command
 * line names is all there is. */
static enum err_code add_builtin(struct composition *c, const char *name, const char *root,
                                 struct err *err)
{
    struct workspace_options options = { .name = name,
                                         .root = root,
                                         .write = c->settings.workspace_write,
                                         .child_program = COMPOSITION_PROGRAM };
    if (c->arguments->mcp_config || c->arguments->no_builtin || !c->settings.workspace_enabled ||
        lookup_config(&c->settings, options.name) || !composition_may_have_server(c, options.name))
        return ERR_NONE;
    enum err_code r =
        workspace_server_create(c->runtime, &options, &c->settings, &c->servers[c->n_servers], err);
    c->n_servers += !r;
    return r;
}

static bool shows_traffic(const struct composition *c)
{
    return c->arguments->verbose > 1 && !c->arguments->quiet;
}

/* Somebody on this terminal, or behind the host that is served: whether that one can be asked shows
 * with each call. */
static bool has_person(const struct composition *c)
{
    return user_present(c->services.user) || strcmp(c->command->name, "serve") == 0;
}

static bool has_consent(const struct composition *c)
{
    return has_person(c) || c->services.approve_all;
}

/* A desktop has one keyring, which is not that of the persons who are served. */
static enum token_store_kind login_store(const struct composition *c)
{
    bool has_keyring = c->process == c && strcmp(c->settings.mcp_keyring, "off") != 0;
    return has_keyring ? TOKEN_STORE_KEYRING : TOKEN_STORE_FILE;
}

const char *composition_keeper(struct composition *c)
{
    const char *state = c->paths.state_dir;
    return state && *state ? arena_printf(&c->arena, "%s/keeper", state) : NULL;
}

static void add_configured(struct composition *c, bool has_model)
{
    struct composition *process = c->process;
    if (!process->http) {
        process->http = http_client_create(c->runtime);
        process->eras =
            json_era_memory_create(c->runtime, c->services.digest, process->paths.state_dir);
    }
    /* A keeper lends a server to one after another, so it has none for a person. */
    c->keeper.folder = process == c ? composition_keeper(c) : NULL;
    c->logins = token_store_create(c->runtime, login_store(c), c->paths.logins);
    const struct mcp_context shared = { .runtime = c->runtime,
                                        .http = process->http,
                                        .eras = process->eras,
                                        .logins = c->logins,
                                        .keeper = &c->keeper,
                                        .digest = c->services.digest,
                                        .settings = &c->settings,
                                        .has_person = has_person(c),
                                        .has_model = has_model,
                                        .has_consent = has_consent(c),
                                        .traffic =
                                            shows_traffic(c) ? &process->traffic.base : NULL };
    for (size_t i = 0; i < c->settings.n_servers && c->n_servers < COMPOSITION_MAX_SERVERS; i++) {
        const struct server_config *config = &c->settings.servers[i];
        if (!config->enabled)
            continue;
        c->servers[c->n_servers++] = mcp_client_create(&shared, config);
    }
}

static bool wants_model(const struct composition *c)
{
    for (size_t i = 0; i < c->settings.n_servers; i++)
        if (c->settings.servers[i].enabled &&
            server_may_sample(&c->settings.servers[i], has_consent(c)))
            return true;
    return false;
}

/* Where a server may come to ask: with a tool, a resource or a prompt. Who said that there is to be
 * no model knows. */
static bool misses_model(const struct composition *c)
{
    static const char *const asking[] = { "ask", "chat", "call", "run", "read", "prompt", "serve" };
    for (size_t i = 0; i < ARRAY_LENGTH(asking); i++)
        if (strcmp(c->command->name, asking[i]) == 0)
            return strcmp(c->settings.model_name, "none") != 0;
    return false;
}

/* Whether servers may be told that there is a model. It is looked for only where one of them is
 * let near it; where there is none, who allowed it hears why nothing comes of it. Others may make
 * the servers meanwhile. Fails only when the caller no longer waits. */
awaits MUST_CHECK static enum err_code find_model(struct composition *c, struct scope *scope,
                                                  bool *out_has_model, struct err *err)
{
    struct model *found = NULL;
    enum model_choice choice;
    struct err why;
    if (c->has_servers || !wants_model(c))
        return ERR_NONE;
    enum err_code r = composition_model(&c->services, scope, &found, &choice, &why);
    enum err_code over = scope_check(scope, runtime_now_ms(c->services.runtime), err);
    if (over)
        return over;
    *out_has_model = !r && found;
    if (!*out_has_model && !c->has_servers && misses_model(c))
        output_warning(&c->cli, "servers that may ask a model (sampling) are not told of any: "
                                "none was found; mistro models says why");
    return ERR_NONE;
}

static enum err_code servers(struct services *services, struct scope *scope,
                             struct tool_server ***out, size_t *out_n, struct err *err)
{
    struct composition *c = of(services);
    bool has_model = false;
    if (composition_is_taped(c, "tools") && !c->has_servers)
        composition_replay_servers(c);
    enum err_code r = find_model(c, scope, &has_model, err);
    if (!r && !c->has_servers && c->settings.n_servers)
        add_configured(c, has_model);
    if (!r && !c->has_servers)
        r = add_builtin(c, LOOKUP_BUILT_IN_SERVER, ".", err);
    if (!r && !c->has_servers)
        r = add_builtin(c, LOOKUP_DATA_SERVER, /* root= */ NULL, err);
    if (r)
        return r;
    if (!c->has_servers) {
        composition_add_jobs(c);
        composition_add_plans(c);
        composition_record_servers(c);
    }
    c->has_servers = true;
    *out = c->servers;
    *out_n = c->n_servers;
    return ERR_NONE;
}

static enum err_code no_database(struct err *err)
{
    err_set(err, ERR_INVALID, 0, "storage.backend is postgres, and storage.postgres is empty");
    return err_hint(err, ERR_INVALID,
                    "set it in your own settings, or MISTRO_POSTGRES, to a URL: "
                    "postgresql://USER:PASSWORD@HOST:PORT/DATABASE");
}

enum err_code composition_database(struct composition *c, struct postgres_database **out,
                                   struct err *err)
{
    struct composition *process = c->process;
    *out = process->database;
    if (process->database || strcmp(c->settings.storage_backend, "postgres") != 0)
        return ERR_NONE;
    if (!*c->settings.storage_postgres)
        return no_database(err);
    /* The schema is not a project's to change, and approvals are looked at before it counts. */
    struct assets *assets = config_assets_create(false);
    process->database = postgres_database_create(c->runtime, c->settings.storage_postgres, assets);
    config_assets_destroy(assets);
    *out = process->database;
    return ERR_NONE;
}

static enum err_code make_conversations(struct composition *c, struct err *err)
{
    bool is_sqlite = strcmp(c->settings.storage_backend, "sqlite") == 0;
    const char *name = is_sqlite ? "conversations.db" : "conversations", *file;
    struct postgres_database *db;
    enum err_code r = composition_database(c, &db, err);
    if (!r && !db)
        r = config_data_file(&c->paths, name, &c->arena, &file, err);
    if (r)
        return r;
    if (db)
        c->conversations = postgres_conversations_create(c->runtime, db, c->person, &c->settings);
    else if (is_sqlite)
        c->conversations = sqlite_conversation_repository_create(c->runtime, file, &c->settings,
                                                                 c->services.assets);
    else
        c->conversations = json_conversation_repository_create(c->runtime, file, &c->settings);
    return ERR_NONE;
}

static enum err_code conversations(struct services *services, struct conversation_repository **out,
                                   struct err *err)
{
    struct composition *c = of(services);
    enum err_code r = c->conversations ? ERR_NONE : make_conversations(c, err);
    *out = c->conversations;
    return r;
}

static enum err_code make_runs(struct composition *c, struct err *err)
{
    const char *file;
    struct postgres_database *db;
    enum err_code r = composition_database(c, &db, err);
    if (!r && !db)
        r = config_data_file(&c->paths, "runs.db", &c->arena, &file, err);
    if (!r)
        c->runs = db ? postgres_run_log_create(c->runtime, db, c->person)
                     : sqlite_run_repository_create(c->runtime, file, c->services.assets);
    return r;
}

static enum err_code runs(struct services *services, struct run_repository **out, struct err *err)
{
    struct composition *c = of(services);
    enum err_code r = c->runs || !c->settings.runs_enabled ? ERR_NONE : make_runs(c, err);
    *out = c->cassette ? NULL : c->runs;
    return r;
}

static enum err_code queue(struct services *services, struct run_queue **out, struct err *err)
{
    struct composition *c = of(services);
    struct postgres_database *db;
    enum err_code r = composition_database(c, &db, err);
    if (!r && db && !c->queue)
        c->queue = postgres_queue_create(c->runtime, c->process->known_process, c->person);
    *out = c->queue;
    return r;
}

static enum err_code make_approvals(struct composition *c, struct err *err)
{
    struct postgres_database *db;
    enum err_code r = composition_database(c, &db, err);
    if (!r && !c->paths.approvals)
        r = err_set(err, ERR_INVALID, 0, "there is no home folder to keep approvals in");
    if (r)
        return r;
    c->approvals = db ? postgres_approvals_create(db, c->person)
                      : json_approval_repository_create(c->runtime, c->paths.approvals);
    if (c->recorder)
        cassette_record_approvals(c->recorder, c->approvals);
    return ERR_NONE;
}

static enum err_code approvals(struct services *services, struct approval_repository **out,
                               struct err *err)
{
    struct composition *c = of(services);
    enum err_code r = c->approvals ? ERR_NONE : make_approvals(c, err);
    if (r)
        return r;
    *out = c->kept_approvals ? c->kept_approvals : c->approvals;
    return ERR_NONE;
}

static enum err_code index_of_tools(struct services *services, struct tool_index **out,
                                    struct err *err)
{
    struct composition *c = of(services);
    (void)err;
    if (!c->index)
        c->index = bm25_tool_index_create();
    *out = c->index;
    return ERR_NONE;
}

static enum err_code new_index(struct services *services, struct tool_index **out, struct err *err)
{
    (void)services;
    (void)err;
    *out = bm25_tool_index_create();
    return ERR_NONE;
}

static enum err_code pins(struct services *services, struct pin_repository **out, struct err *err)
{
    struct composition *c = of(services);
    struct postgres_database *db = NULL;
    enum err_code r = c->pins ? ERR_NONE : composition_database(c, &db, err);
    if (!r && db && !c->pins)
        c->pins = postgres_pins_create(db, c->person);
    else if (!r && !c->pins && c->paths.pins)
        c->pins = json_pin_repository_create(c->runtime, c->paths.pins);
    *out = c->pins;
    return r;
}

static enum err_code renderer(struct services *services, struct renderer **out, struct err *err)
{
    struct composition *c = of(services);
    (void)err;
    if (!c->renderer && c->cassette)
        c->renderer = cassette_renderer(c->cassette);
    else if (!c->renderer) {
        c->renderer = c->settings.renderer.n_words
                          ? command_renderer_create(c->runtime, &c->settings)
                          : dot_renderer_create(c->runtime, &c->settings);
        if (c->recorder)
            cassette_record_renderer(c->recorder, c->renderer);
    }
    *out = c->renderer;
    return ERR_NONE;
}

static const char *variable(void *services, const char *name)
{
    (void)services;
    return getenv(name);
}

void composition_provide_services(struct composition *c)
{
    static const struct services_ops ops = { .servers = servers,
                                             .model = composition_model,
                                             .conversations = conversations,
                                             .runs = runs,
                                             .approvals = approvals,
                                             .index = index_of_tools,
                                             .pins = pins,
                                             .model_of = composition_model_of,
                                             .new_index = new_index,
                                             .renderer = renderer,
                                             .queue = queue,
                                             .variable = variable };
    c->services.ops = &ops;
}

static enum err_code close_one(struct runtime *runtime, struct scope *scope, void *server)
{
    (void)runtime;
    tool_server_close(server, scope);
    return ERR_NONE;
}

/* Servers may take their time to leave, in what is left of --timeout and at least CLOSE_GRACE_MS.
 * A person who interrupted is waiting for the prompt: then it is INTERRUPT_GRACE_MS, and nothing
 * more where they do it now (interrupted). */
static struct scope closing_scope(const struct composition *c, const struct scope *outer)
{
    int64_t now_ms = runtime_now_ms(c->services.runtime);
    int64_t deadline_ms = c->process->scope.deadline_ms;
    if (c->process->scope.cancelled)
        deadline_ms = now_ms + INTERRUPT_GRACE_MS;
    else if (deadline_ms < now_ms + CLOSE_GRACE_MS)
        deadline_ms = now_ms + CLOSE_GRACE_MS;
    return scope_child(outer, deadline_ms);
}

/* All at once. */
static void close_servers(struct composition *c)
{
    struct task *closing[COMPOSITION_MAX_SERVERS];
    struct runtime *runtime = c->services.runtime;
    for (size_t i = 0; i < c->n_servers; i++)
        closing[i] = runtime_spawn(runtime, &c->closing, close_one, c->servers[i]);
    for (size_t i = 0; i < c->n_servers; i++) {
        (void)runtime_wait(runtime, closing[i]);
        tool_server_destroy(c->servers[i]);
    }
}

static void close_own(struct composition *c)
{
    close_servers(c);
    token_store_destroy(c->logins);
    tool_index_destroy(c->index);
    renderer_destroy(c->renderer);
    conversation_repository_destroy(c->conversations);
    run_repository_destroy(c->runs);
    run_states_destroy(c->services.run_states);
    run_queue_destroy(c->queue);
    approval_repository_destroy(c->approvals);
    pin_repository_destroy(c->pins);
}

void composition_close_own(struct composition *c, const struct scope *outer)
{
    c->closing = closing_scope(c, outer);
    close_own(c);
}

void composition_close_services(struct composition *c)
{
    struct runtime *runtime = c->services.runtime;
    c->closing = closing_scope(c, NULL);
    struct task *persons =
        c->served ? runtime_spawn(runtime, &c->closing, composition_close_persons, c) : NULL;
    close_own(c);
    if (persons)
        (void)runtime_wait(runtime, persons);
    places_destroy(c->services.places);
    postgres_process_destroy(c->known_process);
    postgres_database_destroy(c->database);
    era_memory_destroy(c->eras);
    http_client_destroy(c->http);
    composition_close_models(c);
    candidate_checker_destroy(c->checker);
    person_repository_destroy(c->persons);
    file_artifacts_destroy(c->services.artifacts);
    composition_close_cassette(c); /* what was recorded has functions of it to its end */
}
