#include "infrastructure/models/launch/launched_server.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint/endpoint_client.h"
#include "infrastructure/models/launch/launch_command.h"
#include "infrastructure/repositories/private_folder.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/process.h"
#include "infrastructure/runtime/stderr_summary.h"
#include "infrastructure/runtime/task_lock.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { URL_BYTES = 160 };

#define LAUNCH_HINT "model.launch starts it: try its command by hand"

struct launched_server {
    struct uv_runtime *runtime;
    const struct settings *settings;
    launched_server_fn *on_state;
    void *context;
    struct task_lock turn;   /* one looks after it, the others wait */
    struct process *process; /* NULL: not started, or buried */
    struct completion ended; /* of this process */
    int status, signal;
    bool healthy, told_loading;
    unsigned restarts, ports; /* so far */
    int port;
    char folder[PRIVATE_FOLDER_BYTES], socket[URL_BYTES - 8], url[URL_BYTES];
    int64_t started_ms, told_ms;
    struct err failure; /* code NONE until it failed for good */
};

static int64_t now_ms(const struct launched_server *server)
{
    return runtime_now_ms(uv_runtime_port(server->runtime));
}

static const char *program(const struct launched_server *server)
{
    return launch_command_program(&server->settings->launch);
}

static void tell(struct launched_server *server, const char *state, const char *message)
{
    server->told_ms = now_ms(server);
    if (server->on_state)
        server->on_state(server->context, state, message, server->told_ms - server->started_ms);
}

static void ignore_output(void *context, const char *bytes, size_t length)
{
    (void)context, (void)bytes, (void)length;
}

static void ignore_end(void *context)
{
    (void)context;
}

static void on_exit_status(void *context, int status, int signal)
{
    struct launched_server *server = context;
    server->status = status;
    server->signal = signal;
    completion_complete(&server->ended);
}

/* why: what happened, and the end of its stderr behind it. */
static enum err_code set_failure(struct launched_server *server, const char *why, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    size_t length;
    const char *text = process_stderr(server->process, &length);
    const char *words = stderr_summary(&scratch, text, length);
    AUTO(arena) name = { 0 };
    err_set(err, ERR_UNAVAILABLE, 0, "model server %s: %s%s%s%s",
            text_one_line(&name, program(server), strlen(program(server)), 80), why,
            words ? "; its stderr says: \"" : "", words ? words : "", words ? "\"" : "");
    err_about(err, ERR_UNAVAILABLE, "model");
    return err_hint(err, ERR_UNAVAILABLE, LAUNCH_HINT);
}

static enum err_code set_end(struct launched_server *server, struct err *err)
{
    char why[96];
    if (server->signal)
        snprintf(why, sizeof why, "it was ended by signal %d (%s)", server->signal,
                 strsignal(server->signal));
    else
        snprintf(why, sizeof why, "it exited with status %d", server->status);
    return set_failure(server, why, err);
}

static enum err_code fail_for_good(struct launched_server *server, const struct err *why,
                                   struct err *err)
{
    server->failure = *why;
    tell(server, "failed", why->message);
    if (err)
        *err = *why;
    return why->code;
}

static enum err_code choose_address(struct launched_server *server, struct err *err)
{
    if (server->url[0])
        return ERR_NONE;
    server->port = loopback_port_find();
    if (!server->port)
        return err_set(err, ERR_UNAVAILABLE, 0, "no port of 127.0.0.1 is free");
    if (!launch_command_wants_socket(&server->settings->launch)) {
        snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d", server->port);
        return ERR_NONE;
    }
    enum err_code r = private_folder_create("mistro", server->folder, err);
    if (r)
        return r;
    snprintf(server->socket, sizeof server->socket, "%s/model.sock", server->folder);
    snprintf(server->url, sizeof server->url, "unix:%s", server->socket);
    return ERR_NONE;
}

static enum err_code start_process(struct launched_server *server, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const struct model_launch *launch = &server->settings->launch;
    char **environment = launch_command_environment();
    struct process_options options = {
        .command = launch->words[0],
        .arguments = launch_command_arguments(launch, server->port, server->socket, &scratch),
        .environment = (const char *const *)environment,
        .stderr_bytes = LAUNCHED_SERVER_LAST_WORDS,
        .close_wait_ms = LAUNCHED_SERVER_CLOSE_MS,
        .on_stdout = ignore_output,
        .on_stdout_end = ignore_end,
        .on_exit = on_exit_status,
        .context = server,
    };
    if (server->socket[0])
        unlink(server->socket); /* of the one that died: a server cannot listen where a file is */
    enum err_code r = process_start(server->runtime, &options, &server->process, err);
    process_environment_free(environment);
    return r;
}

static enum err_code start(struct launched_server *server, struct err *err)
{
    struct err why = { 0 };
    server->started_ms = now_ms(server);
    server->healthy = server->told_loading = false;
    server->ended = completion_of(server->runtime);
    enum err_code r = choose_address(server, &why);
    if (!r)
        r = start_process(server, &why);
    if (!r) {
        tell(server, "starting", program(server));
        return ERR_NONE;
    }
    /* Without its program there is no model: ERR_NOT_FOUND would not say that. */
    err_prefix(&why, ERR_UNAVAILABLE, "model.launch");
    err_about(&why, ERR_UNAVAILABLE, "model");
    return fail_for_good(server, &why, err);
}

static const struct scope no_hurry = { .deadline_ms = SCOPE_NO_DEADLINE };

/* Servers do not read their input: TERM comes first, not its end. */
awaits static void end_process(struct launched_server *server, const struct scope *scope)
{
    if (!server->ended.done)
        kill(-process_id(server->process), SIGTERM);
    process_close(server->process, scope);
    server->process = NULL;
}

/* It died. One that lost its port before it was ever healthy gets another, since the first one was
 * never told to anyone; one that was healthy is started again, so many times. */
awaits static enum err_code bury(struct launched_server *server, struct err *err)
{
    struct err why = { 0 };
    bool lost_port = !server->healthy && !server->restarts && !server->socket[0] &&
                     loopback_port_is_taken(server->port) &&
                     server->ports++ < LAUNCHED_SERVER_PORTS - 1;
    bool again = lost_port || (server->healthy && server->restarts++ < LAUNCHED_SERVER_RESTARTS);
    set_end(server, &why);
    end_process(server, &no_hurry);
    if (!again)
        return fail_for_good(server, &why, err);
    if (lost_port)
        server->url[0] = '\0';
    tell(server, "restarted", why.message);
    return ERR_NONE;
}

/* One look. Anything but "not yet" is an answer: not every server has a /health. */
awaits static enum err_code look(struct launched_server *server, struct endpoint_client *client,
                                 const struct scope *scope, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct endpoint_answer answer = { 0 };
    enum err_code r = endpoint_client_get(client, scope, "/health", &scratch, &answer, NULL);
    server->healthy = !r && answer.status < 500 && !server->ended.done;
    if (server->healthy)
        tell(server, "ready", NULL);
    else if ((answer.status && !server->told_loading) ||
             now_ms(server) >= server->told_ms + LAUNCHED_SERVER_TELL_MS) {
        server->told_loading = true;
        tell(server, "loading", NULL);
    }
    return scope_check(scope, now_ms(server), err);
}

awaits static enum err_code give_up(struct launched_server *server, struct err *err)
{
    char text[64];
    struct err why = { 0 };
    snprintf(text, sizeof text, "it is not healthy after %lld s",
             (long long)server->settings->model_launch_timeout_seconds);
    set_failure(server, text, &why);
    snprintf(why.hint, sizeof why.hint,
             "a large model may need longer to load: raise model.launch_timeout_seconds");
    end_process(server, &no_hurry);
    return fail_for_good(server, &why, err);
}

/* Until it is healthy or has ended; ERR_UNAVAILABLE when that takes too long. */
awaits static enum err_code wait_until_healthy(struct launched_server *server,
                                               const struct scope *scope, struct err *err)
{
    int64_t until_ms = server->started_ms + server->settings->model_launch_timeout_seconds * 1000;
    struct scope limited = scope_child(scope, until_ms);
    struct endpoint_client client;
    enum err_code r = ERR_NONE;
    endpoint_client_init(&client, server->runtime, server->url, server->settings);
    while (!server->healthy && !server->ended.done) {
        int64_t pause_ms = now_ms(server) + LAUNCHED_SERVER_POLL_MS;
        if (look(server, &client, &limited, NULL) != ERR_NONE)
            break;
        if (!server->healthy)
            (void)!completion_await_until(&server->ended, &limited, &pause_ms, NULL);
    }
    endpoint_client_finish(&client);
    if (server->healthy || server->ended.done)
        return ERR_NONE;
    r = scope_check(scope, now_ms(server), err);
    return r ? r : give_up(server, err);
}

awaits static enum err_code ensure_alone(struct launched_server *server, const struct scope *scope,
                                         struct err *err)
{
    enum err_code r = ERR_NONE;
    while (!r) {
        if (server->failure.code) {
            if (err)
                *err = server->failure;
            return server->failure.code;
        }
        if (!server->process)
            r = start(server, err);
        else if (server->ended.done)
            r = bury(server, err);
        else if (!server->healthy)
            r = wait_until_healthy(server, scope, err);
        else
            return ERR_NONE;
    }
    return r;
}

enum err_code launched_server_ensure(struct launched_server *server, const struct scope *scope,
                                     struct err *err)
{
    enum err_code r = task_lock_take(&server->turn, server->runtime, scope, err);
    if (r)
        return r;
    r = ensure_alone(server, scope, err);
    task_lock_release(&server->turn);
    return r;
}

const char *launched_server_url(const struct launched_server *server)
{
    return server->url;
}

enum err_code launched_server_explain(struct launched_server *server, enum err_code code,
                                      struct err *err)
{
    struct scope soon =
        runtime_scope(uv_runtime_port(server->runtime), NULL, LAUNCHED_SERVER_END_MS);
    if (code != ERR_UNAVAILABLE || task_lock_take(&server->turn, server->runtime, &soon, NULL))
        return code;
    if (server->process && completion_await(&server->ended, &soon, NULL) == ERR_NONE)
        set_end(server, err);
    else if (err)
        snprintf(err->hint, sizeof err->hint, LAUNCH_HINT);
    task_lock_release(&server->turn);
    return code;
}

struct launched_server *launched_server_create(struct uv_runtime *runtime,
                                               const struct settings *settings,
                                               launched_server_fn *on_state, void *context)
{
    struct launched_server *server = calloc(1, sizeof *server);
    if (!server)
        abort();
    server->runtime = runtime;
    server->settings = settings;
    server->on_state = on_state;
    server->context = context;
    return server;
}

void launched_server_destroy(struct launched_server *server, const struct scope *scope)
{
    if (!server)
        return;
    if (server->process) {
        end_process(server, scope);
        tell(server, "closed", NULL);
    }
    if (server->socket[0])
        unlink(server->socket);
    private_folder_remove(server->folder);
    free(server);
}

/* The model behind the server: every request first makes sure that the server is running. */
struct launched_model {
    struct model base;
    struct launched_server *server;
    struct model *inside;
};

static struct launched_model *model_of(struct model *base)
{
    return (struct launched_model *)base;
}

awaits static enum err_code check(struct model *base, struct scope *scope, struct arena *arena,
                                  struct model_status *out, struct err *err)
{
    struct launched_model *model = model_of(base);
    enum err_code r = launched_server_ensure(model->server, scope, err);
    if (r)
        return r;
    r = model_check(model->inside, scope, arena, out, err);
    if (r)
        return launched_server_explain(model->server, r, err);
    out->reason = arena_printf(arena, "%s; started by model.launch", out->reason);
    return ERR_NONE;
}

awaits static enum err_code list(struct model *base, struct scope *scope, struct arena *arena,
                                 const char ***out_names, size_t *out_n, struct err *err)
{
    struct launched_model *model = model_of(base);
    enum err_code r = launched_server_ensure(model->server, scope, err);
    if (r)
        return r;
    r = model_list(model->inside, scope, arena, out_names, out_n, err);
    return r ? launched_server_explain(model->server, r, err) : ERR_NONE;
}

awaits static enum err_code chat(struct model *base, struct scope *scope,
                                 const struct model_request *request, struct arena *arena,
                                 struct model_reply *out, struct err *err)
{
    struct launched_model *model = model_of(base);
    enum err_code r = launched_server_ensure(model->server, scope, err);
    if (r)
        return r;
    r = model_chat(model->inside, scope, request, arena, out, err);
    return r ? launched_server_explain(model->server, r, err) : ERR_NONE;
}

/* Neither is worth a start: a count can be estimated, and what is warmed is running already. */
awaits static enum err_code count_tokens(struct model *base, struct scope *scope, const char *text,
                                         int64_t *out_tokens, struct err *err)
{
    return model_count_tokens(model_of(base)->inside, scope, text, out_tokens, err);
}

awaits static enum err_code warm(struct model *base, struct scope *scope, const char *system,
                                 struct err *err)
{
    return model_warm(model_of(base)->inside, scope, system, err);
}

static void destroy(struct model *base)
{
    struct launched_model *model = model_of(base);
    model_destroy(model->inside);
    free(model);
}

struct model *launched_model_create(struct launched_server *server, struct model *inside)
{
    static const struct model_ops ops = { .check = check,
                                          .list = list,
                                          .chat = chat,
                                          .count_tokens = count_tokens,
                                          .warm = warm,
                                          .destroy = destroy };
    struct launched_model *model = calloc(1, sizeof *model);
    if (!model)
        abort();
    model->base.ops = &ops;
    model->server = server;
    model->inside = inside;
    return &model->base;
}
