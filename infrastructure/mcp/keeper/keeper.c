/* Visitors (connections of commands) come and say what they want, and servers end, on the loop.
 * Ending a server is awaited, so each that is over is closed by a task of its own, which the task
 * of the keeper starts and cleans up after. A server that is lent belongs to its visitor; when that
 * one leaves without a note, or the server ends, it is over. */
#include "infrastructure/mcp/keeper/keeper.h"
#include "application/ports/runtime.h"
#include "domain/base/arena.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/keeper/keeper_wire.h"
#include "infrastructure/repositories/stored_file.h"
#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/descriptor.h"
#include "infrastructure/runtime/process.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#define LOCK_NAME "keeper.lock"
#define STOP_WAIT_MS 10000 /* for servers that are in use */
#define END_LOOK_MS 50     /* between looks whether an earlier keeper has ended */
#define END_LOOKS 100
#define CONNECT_MS 100
#define MAX_WORDS 2000 /* of a command, or of its environment */

struct keeper {
    struct uv_runtime *runtime;
    struct scope closing; /* of servers, which may take their time */
    const struct settings *settings;
    struct alarm *idle;
    int64_t idle_ms;
    struct kept *servers; /* the latest used first */
    struct visitor *visitors;
    size_t n_servers, n_visitors, n_lent; /* servers: with those that are ending */
    int stopper; /* socket of who is told that all have ended; -1: nobody */
    int socket;
    uv_poll_t listening;
    unsigned n_handles; /* that are not closed yet */
    bool is_stopping;
    struct completion wake; /* something is over */
    struct completion closed;
};

struct kept {
    struct keeper *keeper;
    struct kept *next;
    char *key; /* what it was opened with, as text */
    struct process *process;
    json_t *note;
    struct visitor *visitor; /* NULL: it waits for one */
    bool is_over;            /* lent to nobody any more */
    bool is_closed;
    struct task *closing; /* NULL: not yet */
    bool is_in_line;      /* its last line has not ended: not before that is it lent */
};

struct visitor {
    struct keeper *keeper;
    struct visitor *next;
    int socket;
    uv_poll_t poll;
    struct kept *server;
};

static void watch_idleness(struct keeper *keeper)
{
    if (keeper->n_lent)
        alarm_unset(keeper->idle);
    else
        alarm_set(keeper->idle, keeper->idle_ms);
}

static void on_idle(void *context)
{
    struct keeper *keeper = context;
    keeper->is_stopping = true;
    completion_complete(&keeper->wake);
}

static void unlink_server(struct kept *server)
{
    struct kept **at = &server->keeper->servers;
    while (*at != server)
        at = &(*at)->next;
    *at = server->next;
}

awaits static enum err_code close_server(struct runtime *runtime, struct scope *scope,
                                         void *argument)
{
    struct kept *server = argument;
    (void)runtime;
    process_close(server->process, scope);
    server->is_closed = true;
    completion_complete(&server->keeper->wake);
    return ERR_NONE;
}

/* It is lent to nobody any more, and closed when the keeper's task comes to it. */
static void end_server(struct kept *server)
{
    if (server->is_over)
        return;
    server->is_over = true;
    if (server->visitor) {
        server->visitor->server = NULL;
        server->visitor = NULL;
        server->keeper->n_lent--;
    }
    completion_complete(&server->keeper->wake);
}

awaits static void forget_server(struct kept *server)
{
    struct keeper *keeper = server->keeper;
    (void)runtime_wait(uv_runtime_port(keeper->runtime), server->closing);
    unlink_server(server);
    json_decref(server->note);
    free(server->key);
    free(server);
    keeper->n_servers--;
}

/* Closes what is over, and forgets what is closed. */
awaits static void sweep(struct keeper *keeper)
{
    struct runtime *runtime = uv_runtime_port(keeper->runtime);
    for (struct kept *server = keeper->servers, *next; server; server = next) {
        next = server->next;
        if (server->is_over && !server->closing)
            server->closing = runtime_spawn(runtime, &keeper->closing, close_server, server);
        if (server->is_closed)
            forget_server(server);
    }
}

static void on_stdout(void *context, const char *bytes, size_t length)
{
    struct kept *server = context;
    server->is_in_line = length && bytes[length - 1] != '\n';
}

static void on_stdout_end(void *context)
{
    end_server(context);
}

static void on_exit_status(void *context, int status, int signal)
{
    (void)status;
    (void)signal;
    end_server(context);
}

static const char *const *read_words(struct arena *arena, const json_t *open, const char *name)
{
    const json_t *list = json_object_get(open, name);
    size_t n = json_array_size(list);
    if (n > MAX_WORDS)
        return NULL;
    const char **words = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        words[i] = json_string_value(json_array_get(list, i));
        if (!words[i])
            return NULL;
    }
    return words;
}

/* Those of the command that it is started for. What it does not say, or not within the bounds,
 * stays as it is. */
static void read_settings(struct arena *arena, const json_t *open, struct settings *settings)
{
    (void)!settings_set(settings, arena, SETTING_mcp_stderr_bytes,
                        json_object_get(open, "stderr_bytes"), ORIGIN_FLAG, "open", NULL);
    (void)!settings_set(settings, arena, SETTING_mcp_close_wait_ms,
                        json_object_get(open, "close_wait_ms"), ORIGIN_FLAG, "open", NULL);
}

static struct kept *start_server(struct keeper *keeper, const json_t *open, const char *key,
                                 struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct settings settings = *keeper->settings;
    struct kept *server = calloc(1, sizeof *server);
    if (!server)
        abort();
    read_settings(&scratch, open, &settings);
    struct process_options options = {
        .command = json_get_string(open, "command"),
        .arguments = read_words(&scratch, open, "arguments"),
        .environment = read_words(&scratch, open, "environment"),
        .directory = json_get_string(open, "folder"),
        .stderr_bytes = (size_t)settings.mcp_stderr_bytes,
        .close_wait_ms = settings.mcp_close_wait_ms,
        .on_stdout = on_stdout,
        .on_stdout_end = on_stdout_end,
        .on_exit = on_exit_status,
        .context = server,
    };
    enum err_code r = ERR_NONE;
    mode_t own = umask((mode_t)json_get_int(open, "umask", 077));
    if (!options.command || !options.arguments || !options.environment || !options.directory)
        r = err_set(err, ERR_INVALID, 0, "the keeper cannot read what it is to start");
    else
        r = process_start(keeper->runtime, &options, &server->process, err);
    umask(own);
    if (r) {
        free(server);
        return NULL;
    }
    server->keeper = keeper;
    server->key = strdup(key);
    server->next = keeper->servers;
    keeper->servers = server;
    keeper->n_servers++;
    return server;
}

static bool is_free(const struct kept *server)
{
    return !server->is_over && !server->visitor;
}

/* One that has died, of which the loop does not know yet, is over. */
static struct kept *find_server(struct keeper *keeper, const char *key)
{
    for (struct kept *server = keeper->servers; server; server = server->next) {
        if (!is_free(server) || server->is_in_line || strcmp(server->key, key) != 0)
            continue;
        if (!process_has_ended(server->process))
            return server;
        end_server(server);
    }
    return NULL;
}

/* The one that nobody wanted for the longest time is ended, which takes a moment. */
static void make_room(struct keeper *keeper)
{
    struct kept *last = NULL;
    for (struct kept *server = keeper->servers; server; server = server->next)
        if (is_free(server))
            last = server;
    if (last)
        end_server(last);
}

static struct kept *find_or_start(struct keeper *keeper, const json_t *open, const char *key,
                                  bool is_new, struct err *err)
{
    struct kept *server = is_new ? NULL : find_server(keeper, key);
    if (server)
        return server;
    long long most = keeper->settings->mcp_kept_servers;
    if ((long long)keeper->n_servers >= most) {
        make_room(keeper);
        err_set(err, ERR_LIMIT, 0, "the keeper is full: it has %lld servers", most);
        return NULL;
    }
    return start_server(keeper, open, key, err);
}

static void answer(const struct visitor *visitor, json_t *message, const int *pipes)
{
    json_auto_t *owned = message;
    /* A visitor that is gone is noticed when its socket ends. */
    (void)!keeper_send(visitor->socket, owned, pipes, NULL);
}

static void lend(struct visitor *visitor, const json_t *open, bool is_new)
{
    struct keeper *keeper = visitor->keeper;
    auto_str key = json_print(open);
    struct err err = { 0 };
    int pipes[KEEPER_PIPES];
    struct kept *server = find_or_start(keeper, open, key, is_new, &err);
    if (!server) {
        answer(visitor, json_pack("{s:s}", "refused", err.message), NULL);
        return;
    }
    visitor->server = server;
    server->visitor = visitor;
    keeper->n_lent++;
    watch_idleness(keeper);
    process_lend(server->process, pipes);
    answer(visitor,
           json_pack("{s:i, s:O?}", "pid", process_id(server->process), "note", server->note),
           pipes);
}

static void take_back(struct visitor *visitor, json_t *note)
{
    struct kept *server = visitor->server;
    struct keeper *keeper = visitor->keeper;
    if (!server)
        return;
    json_decref(server->note);
    server->note = json_incref(note);
    server->visitor = NULL;
    visitor->server = NULL;
    keeper->n_lent--;
    unlink_server(server);
    server->next = keeper->servers;
    keeper->servers = server;
    process_take_back(server->process);
    watch_idleness(keeper);
    if (keeper->is_stopping)
        completion_complete(&keeper->wake);
}

static void on_visitor_closed(uv_handle_t *handle)
{
    struct visitor *visitor = handle->data;
    struct keeper *keeper = visitor->keeper;
    free(visitor);
    if (--keeper->n_handles == 0)
        completion_complete(&keeper->closed);
}

static void leave(struct visitor *visitor)
{
    struct keeper *keeper = visitor->keeper;
    struct visitor **at = &keeper->visitors;
    while (*at != visitor)
        at = &(*at)->next;
    *at = visitor->next;
    keeper->n_visitors--;
    if (visitor->server)
        end_server(visitor->server);
    watch_idleness(keeper);
    uv_close((uv_handle_t *)&visitor->poll, on_visitor_closed);
    descriptor_close(&visitor->socket);
}

static void stop(struct visitor *visitor)
{
    struct keeper *keeper = visitor->keeper;
    if (keeper->stopper < 0)
        keeper->stopper = fcntl(visitor->socket, F_DUPFD_CLOEXEC, 0);
    keeper->is_stopping = true;
    completion_complete(&keeper->wake);
}

/* Before its question was read, as after a while in which this process was stopped. */
static bool has_left(const struct visitor *visitor)
{
    char byte;
    return recv(visitor->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void serve(struct visitor *visitor, const json_t *message)
{
    struct keeper *keeper = visitor->keeper;
    json_t *open = json_object_get(message, "open"), *note = json_object_get(message, "note");
    int64_t idle_ms = json_get_int(message, "idle_ms", 0);
    if (json_is_object(note)) {
        take_back(visitor, note);
    } else if (json_get_bool(message, "stop", false)) {
        stop(visitor);
    } else if (json_get_int(message, "version", 0) != KEEPER_VERSION) {
        answer(visitor, json_pack("{s:s}", "refused", "the keeper is of another version"), NULL);
    } else if (json_is_object(open) && !visitor->server && !keeper->is_stopping) {
        if (!has_left(visitor))
            lend(visitor, open, json_get_bool(message, "new", false));
    } else if (idle_ms > 0 && !keeper->is_stopping) {
        keeper->idle_ms = idle_ms;
        watch_idleness(keeper);
        answer(visitor, json_pack("{s:I}", "servers", (json_int_t)keeper->n_servers), NULL);
    } else {
        answer(visitor, json_pack("{s:s}", "refused", "the keeper ends"), NULL);
    }
}

static void on_packet(uv_poll_t *poll, int status, int events)
{
    struct visitor *visitor = poll->data;
    json_auto_t *message = NULL;
    int pipes[KEEPER_PIPES] = { -1, -1, -1 };
    bool again = false;
    (void)status;
    (void)events;
    if (keeper_receive(visitor->socket, &message, pipes, &again))
        serve(visitor, message);
    else if (!again)
        leave(visitor);
    for (int i = 0; i < KEEPER_PIPES; i++)
        descriptor_close(&pipes[i]);
}

static void on_visitor(uv_poll_t *poll, int status, int events)
{
    struct keeper *keeper = poll->data;
    (void)status;
    (void)events;
    auto_fd fd = accept4(keeper->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE))
        make_room(keeper);
    if (fd < 0 || !keeper_peer_is_ours(fd) || keeper->n_visitors >= KEEPER_MAX_VISITORS)
        return;
    struct visitor *visitor = calloc(1, sizeof *visitor);
    if (!visitor)
        abort();
    *visitor = (struct visitor){ .keeper = keeper, .next = keeper->visitors, .socket = fd };
    fd = -1;
    keeper->visitors = visitor;
    keeper->n_visitors++;
    keeper->n_handles++;
    uv_poll_init(uv_runtime_loop(keeper->runtime), &visitor->poll, visitor->socket);
    visitor->poll.data = visitor;
    uv_poll_start(&visitor->poll, UV_READABLE, on_packet);
}

static void on_listening_closed(uv_handle_t *handle)
{
    struct keeper *keeper = handle->data;
    if (--keeper->n_handles == 0)
        completion_complete(&keeper->closed);
}

static void listen_for_visitors(struct keeper *keeper)
{
    keeper->n_handles = 1;
    uv_poll_init(uv_runtime_loop(keeper->runtime), &keeper->listening, keeper->socket);
    keeper->listening.data = keeper;
    uv_poll_start(&keeper->listening, UV_READABLE, on_visitor);
}

/* Nobody is let in any more; then the servers are ended, those that are lent as well. */
awaits static void end_all(struct keeper *keeper)
{
    size_t n = keeper->n_servers;
    keeper->is_stopping = true;
    uv_close((uv_handle_t *)&keeper->listening, on_listening_closed);
    for (struct kept *server = keeper->servers; server; server = server->next)
        end_server(server);
    sweep(keeper);
    while (keeper->servers)
        forget_server(keeper->servers);
    if (keeper->stopper >= 0) {
        json_auto_t *message = json_pack("{s:I}", "stopped", (json_int_t)n);
        (void)!keeper_send(keeper->stopper, message, NULL, NULL);
    }
    while (keeper->visitors)
        leave(keeper->visitors);
    completion_await_end(&keeper->closed);
}

/* Makes the folder where it is missing. A keeper that ends still holds the lock, but cannot be
 * reached any more. ERR_UNAVAILABLE: another keeper holds it. */
awaits static enum err_code take_lock(struct runtime *runtime, struct scope *scope,
                                      const char *folder, int *out_fd, struct err *err)
{
    enum err_code r = ERR_TIMEOUT;
    for (int i = 0; r == ERR_TIMEOUT && i < END_LOOKS; i++) {
        auto_fd other = -1;
        r = stored_lock_try(folder, LOCK_NAME, out_fd, err);
        if (r == ERR_TIMEOUT && !keeper_connect(folder, CONNECT_MS, &other, NULL))
            break;
        if (r == ERR_TIMEOUT && runtime_sleep(runtime, scope, END_LOOK_MS, err))
            break;
    }
    return r == ERR_TIMEOUT ? err_set(err, ERR_UNAVAILABLE, 0, "there is a keeper already") : r;
}

/* Servers that are in use are waited for, for a while: their commands did nothing wrong. */
awaits static void await_lent(struct keeper *keeper, const struct scope *scope)
{
    struct runtime *runtime = uv_runtime_port(keeper->runtime);
    int64_t until_ms = runtime_now_ms(runtime) + STOP_WAIT_MS;
    while (keeper->n_lent &&
           completion_await_until(&keeper->wake, scope, &until_ms, NULL) == ERR_NONE) {
        keeper->wake = completion_of(keeper->runtime);
        sweep(keeper);
    }
}

enum err_code keeper_run(struct uv_runtime *runtime, struct scope *scope,
                         const struct keeper_options *options, struct err *err)
{
    auto_fd folder_fd = -1, lock_fd = -1;
    struct keeper keeper = { .runtime = runtime,
                             .closing = scope_child(NULL, SCOPE_NO_DEADLINE),
                             .settings = options->settings,
                             .idle_ms = options->idle_ms,
                             .socket = -1,
                             .stopper = -1,
                             .wake = completion_of(runtime),
                             .closed = completion_of(runtime) };
    enum err_code r = take_lock(uv_runtime_port(runtime), scope, options->folder, &lock_fd, err);
    if (!r)
        r = keeper_folder_open(options->folder, &folder_fd, err);
    if (!r)
        r = keeper_listen(folder_fd, &keeper.socket, err);
    if (r)
        return r;
    keeper.idle = alarm_create(runtime, on_idle, &keeper);
    listen_for_visitors(&keeper);
    watch_idleness(&keeper);
    options->on_ready(options->context);
    while (!keeper.is_stopping && completion_await(&keeper.wake, scope, NULL) == ERR_NONE) {
        keeper.wake = completion_of(runtime);
        sweep(&keeper);
    }
    await_lent(&keeper, scope);
    keeper_unlisten(folder_fd);
    end_all(&keeper);
    alarm_destroy(keeper.idle);
    descriptor_close(&keeper.socket);
    descriptor_close(&keeper.stopper);
    return ERR_NONE;
}
