#include "tests/support/full/login/robot_login.h"
#include "domain/base/arena.h"
#include <stdio.h>
#include <strings.h>

#define PAGE_TIMEOUT_MS 5000
#define PAGE_MAX_BYTES 65536

struct browser_window {
    struct runtime *runtime;
    struct http_client *http;
    struct scope scope; /* of the task */
    struct task *task;  /* opens the page; NULL as long as there is none */
    struct arena arena;
    const char *url;
    const char *location; /* where the latest page redirects to, or NULL */
};

static void keep_location(void *context, const char *name, size_t name_length, const char *value,
                          size_t value_length)
{
    struct browser_window *window = context;
    if (name_length == 8 && strncasecmp(name, "location", 8) == 0)
        window->location = arena_strndup(&window->arena, value, value_length);
}

static bool ignore_bytes(void *context, const char *bytes, size_t length)
{
    (void)context, (void)bytes, (void)length;
    return true;
}

awaits static enum err_code get(struct browser_window *window, struct scope *scope, const char *url,
                                struct err *err)
{
    struct http_request request = { .url = url,
                                    .connect_timeout_ms = PAGE_TIMEOUT_MS,
                                    .silence_ms = PAGE_TIMEOUT_MS,
                                    .max_bytes = PAGE_MAX_BYTES,
                                    .on_header = keep_location,
                                    .on_bytes = ignore_bytes,
                                    .context = window };
    struct http_response response;
    window->location = NULL;
    return http_client_perform(window->http, scope, &request, &response, err);
}

static enum err_code browse(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct browser_window *window = argument;
    struct err err;
    (void)runtime;
    enum err_code r = get(window, scope, window->url, &err);
    if (!r && window->location)
        r = get(window, scope, window->location, &err);
    if (r)
        fprintf(stderr, "browser: %s\n", err.message);
    return r;
}

static void on_url(void *context, const char *url)
{
    struct browser_window *window = context;
    if (window->task)
        return;
    window->url = arena_strdup(&window->arena, url);
    window->task = runtime_spawn(window->runtime, &window->scope, browse, window);
}

enum err_code robot_login(struct runtime *runtime, struct http_client *http,
                          struct tool_server *server, struct scope *scope, struct err *err)
{
    struct browser_window window = { .runtime = runtime,
                                     .http = http,
                                     .scope = runtime_scope(runtime, scope, 0) };
    struct login login = { .on_url = on_url, .context = &window };
    enum err_code r = tool_server_log_in(server, scope, &login, err);
    if (window.task) {
        runtime_cancel(runtime, &window.scope);
        (void)runtime_wait(runtime, window.task);
    }
    arena_finish(&window.arena);
    return r;
}
