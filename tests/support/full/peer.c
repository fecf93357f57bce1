#include "tests/support/full/peer.h"
#include "infrastructure/mcp/client/client.h"
#include "infrastructure/net/http_client.h"
#include "infrastructure/runtime/system_ports.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Something happened: whoever awaits it looks. */
static void wake(struct peer *peer)
{
    if (peer->awaiting)
        runtime_cancel(uv_runtime_port(peer->runtime), peer->awaiting);
}

static void on_tools_changed(void *context, struct tool_server *server)
{
    struct peer *peer = context;
    (void)server;
    peer->n_changes++;
    wake(peer);
}

static void on_resource_updated(void *context, struct tool_server *server, const char *uri)
{
    struct peer *peer = context;
    (void)server;
    peer->n_updates++;
    snprintf(peer->last_update, sizeof peer->last_update, "%s", uri ? uri : "any");
    wake(peer);
}

static void on_log(void *context, struct tool_server *server, const char *level, const char *text)
{
    struct peer *peer = context;
    (void)server;
    peer->n_logs++;
    snprintf(peer->last_log, sizeof peer->last_log, "%s: %s", level, text);
    wake(peer);
}

void peer_init(struct peer *peer, const char *const *arguments)
{
    *peer = (struct peer){ .tool = "echo" };
    settings_init(&peer->settings);
    peer->settings.mcp_probe_timeout_ms = 100;
    peer->settings.mcp_first_probe_timeout_ms = 100;
    peer->settings.mcp_close_wait_ms = 200;
    while (arguments[peer->config.n_arguments]) {
        size_t i = peer->config.n_arguments++;
        peer->arguments[i] = arguments[i];
    }
    peer->config.name = "peer";
    peer->config.command = BUILD_DIR "/tests/peer_mcp";
    peer->config.arguments = peer->arguments;
    peer->config.enabled = true;
    peer->runtime = uv_runtime_create();
}

void peer_keep_record(struct peer *peer)
{
    strcpy(peer->record, "/tmp/mistro-peer-XXXXXX");
    int fd = mkstemp(peer->record);
    if (fd < 0)
        abort();
    close(fd);
    peer->arguments[peer->config.n_arguments++] = "--record";
    peer->arguments[peer->config.n_arguments++] = peer->record;
}

const char *peer_record(struct peer *peer)
{
    static const size_t room = 65536;
    char *text = arena_alloc(&peer->arena, room);
    FILE *file = fopen(peer->record, "r");
    if (file) {
        text[fread(text, 1, room - 1, file)] = '\0';
        fclose(file);
    }
    return text;
}

struct work {
    struct peer *peer;
    task_fn *fn;
};

static void keep_status(struct peer *peer)
{
    struct tool_server_status *status = &peer->status;
    tool_server_status(peer->server, status);
    status->era = arena_strdup(&peer->arena, status->era);
    status->protocol_version = arena_strdup(&peer->arena, status->protocol_version);
    status->server_name = arena_strdup(&peer->arena, status->server_name);
    status->command = arena_strdup(&peer->arena, status->command);
    status->identity = arena_strdup(&peer->arena, status->identity);
    status->instructions = "";
}

static enum err_code work(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct work *work = argument;
    struct peer *peer = work->peer;
    enum err_code r = work->fn(runtime, scope, peer);
    keep_status(peer);
    int64_t began_ms = runtime_now_ms(runtime);
    tool_server_close(peer->server, scope);
    peer->close_ms = runtime_now_ms(runtime) - began_ms;
    return r;
}

void peer_run(struct peer *peer, task_fn *fn)
{
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    struct work todo = { .peer = peer, .fn = fn };
    struct tool_server_listener listener = { .on_tools_changed = on_tools_changed,
                                             .on_log = on_log,
                                             .on_resource_updated = on_resource_updated,
                                             .context = peer };
    struct mcp_context shared = { .runtime = peer->runtime,
                                  .settings = &peer->settings,
                                  .http = http_client_create(peer->runtime),
                                  .logins = peer->logins,
                                  .digest = system_digest(),
                                  .traffic = peer->traffic,
                                  .eras = peer->eras,
                                  .has_person = peer->on_question != NULL,
                                  .has_model = peer->on_sampling != NULL,
                                  .has_consent = true };
    if (peer->on_sampling)
        peer->config.sampling = SERVER_SAMPLING_ASK;
    peer->server = mcp_client_create(&shared, &peer->config);
    tool_server_listen(peer->server, &listener);
    (void)uv_runtime_run(peer->runtime, &scope, work, &todo);
    tool_server_destroy(peer->server);
    http_client_destroy(shared.http);
    peer->server = NULL;
}

void peer_await(struct peer *peer, struct runtime *runtime, struct scope *scope,
                const size_t *count, size_t n)
{
    enum { AWAITED_MS = 5000 };
    int64_t until_ms = runtime_now_ms(runtime) + AWAITED_MS;
    while (*count < n && runtime_now_ms(runtime) < until_ms) {
        struct scope awaiting = scope_child(scope, until_ms);
        peer->awaiting = &awaiting;
        (void)!runtime_sleep(runtime, &awaiting, AWAITED_MS, NULL);
        peer->awaiting = NULL;
    }
}

void peer_finish(struct peer *peer)
{
    uv_runtime_destroy(peer->runtime);
    arena_finish(&peer->arena);
    if (peer->record[0])
        unlink(peer->record);
}

const struct answerer *peer_answerer(struct peer *peer)
{
    peer->answerer = (struct answerer){ peer->on_question, peer->on_sampling, peer };
    return peer->on_question || peer->on_sampling ? &peer->answerer : NULL;
}

static void count_progress(void *context, double progress, double total, const char *message)
{
    struct peer *peer = context;
    peer->n_progress++;
    if (peer->on_progress)
        peer->on_progress(context, progress, total, message);
}

static void keep_task(void *context, const char *id, const char *status, const char *message)
{
    struct peer *peer = context;
    size_t length = strlen(peer->tasks);
    snprintf(peer->tasks + length, sizeof peer->tasks - length, "%s %s\n", id, status);
    if (peer->on_task)
        peer->on_task(context, id, status, message);
}

enum err_code peer_list(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct tool_catalogue *catalogue = NULL;
    (void)runtime;
    peer->code = tool_server_list(peer->server, scope, &catalogue, &peer->err);
    peer->n_tools = catalogue ? catalogue->n_tools : 0;
    tool_catalogue_unref(catalogue);
    return peer->code;
}

enum err_code peer_call(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    json_auto_t *arguments = json_pack("{s:i}", "a", 1);
    struct tool_call call = { .name = peer->tool,
                              .arguments = arguments,
                              .silence_ms = peer->silence_ms,
                              .max_ms = peer->max_ms,
                              .answerer = peer_answerer(peer),
                              .on_progress = count_progress,
                              .on_task = keep_task,
                              .trace = peer->trace,
                              .context = peer };
    (void)runtime;
    peer->code =
        tool_server_call(peer->server, scope, &call, &peer->arena, &peer->result, &peer->err);
    return peer->code;
}

enum err_code peer_call_then_call(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)!peer_call(runtime, scope, argument);
    return peer_call(runtime, scope, argument);
}

static enum err_code call_other(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct peer *peer = argument;
    struct tool_call call = { .name = "other" };
    (void)runtime;
    peer->other_code =
        tool_server_call(peer->server, scope, &call, &peer->arena, &peer->other_result, NULL);
    return peer->other_code;
}

enum err_code peer_call_both(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct task *task = runtime_spawn(runtime, scope, call_other, argument);
    (void)!peer_call(runtime, scope, argument);
    return runtime_wait(runtime, task);
}

enum err_code peer_list_then_list(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)!peer_list(runtime, scope, argument);
    return peer_list(runtime, scope, argument);
}
