#include "presentation/mcp/shared_tools.h"
#include <stdlib.h>

struct view {
    struct tool_server base;
    struct shared_tools *shared;
    struct tool_server_listener listener;
    struct view *next;
};

struct shared_tools {
    struct tool_server *server;
    struct tool_server_ops ops; /* of views: what the server can do, and no more */
    struct view *views;
    size_t n_calls; /* that run */
};

static struct tool_server *server_of(struct tool_server *base)
{
    return ((struct view *)base)->shared->server;
}

static const char *name(struct tool_server *s)
{
    return tool_server_name(server_of(s));
}

static enum err_code list(struct tool_server *s, struct scope *sc, struct tool_catalogue **out,
                          struct err *err)
{
    return tool_server_list(server_of(s), sc, out, err);
}

static enum err_code call(struct tool_server *s, struct scope *sc, const struct tool_call *request,
                          struct arena *arena, struct step_result *out, struct err *err)
{
    struct shared_tools *shared = ((struct view *)s)->shared;
    shared->n_calls++;
    enum err_code r = tool_server_call(shared->server, sc, request, arena, out, err);
    shared->n_calls--;
    return r;
}

static void status(struct tool_server *s, struct tool_server_status *out)
{
    tool_server_status(server_of(s), out);
}

static void set_listener(struct tool_server *s, const struct tool_server_listener *listener)
{
    struct view *view = (struct view *)s;
    view->listener = listener ? *listener : (struct tool_server_listener){ 0 };
}

static enum err_code offerings(struct tool_server *s, struct scope *sc, enum offering_kind kind,
                               struct offerings *out, struct err *err)
{
    return tool_server_offerings(server_of(s), sc, kind, out, err);
}

static enum err_code read_resource(struct tool_server *s, struct scope *sc, const char *uri,
                                   const struct answerer *answerer, struct arena *arena,
                                   struct offering_result *out, struct err *err)
{
    return tool_server_read_resource(server_of(s), sc, uri, answerer, arena, out, err);
}

static enum err_code get_prompt(struct tool_server *s, struct scope *sc,
                                const struct prompt_request *request, struct arena *arena,
                                struct offering_result *out, struct err *err)
{
    return tool_server_get_prompt(server_of(s), sc, request, arena, out, err);
}

static enum err_code complete(struct tool_server *s, struct scope *sc,
                              const struct completion_request *request, struct arena *arena,
                              struct completion_values *out, struct err *err)
{
    return tool_server_complete(server_of(s), sc, request, arena, out, err);
}

static enum err_code watch_resource(struct tool_server *s, struct scope *sc, const char *uri,
                                    struct err *err)
{
    return tool_server_watch_resource(server_of(s), sc, uri, err);
}

static void leave_open(struct tool_server *s, struct scope *sc)
{
    (void)s;
    (void)sc;
}

static void destroy_view(struct tool_server *s)
{
    struct view *view = (struct view *)s;
    struct view **at = &view->shared->views;
    while (*at != view)
        at = &(*at)->next;
    *at = view->next;
    free(view);
}

static void on_tools_changed(void *context, struct tool_server *server)
{
    struct shared_tools *shared = context;
    for (struct view *at = shared->views; at; at = at->next)
        if (at->listener.on_tools_changed)
            at->listener.on_tools_changed(at->listener.context, server);
}

static void on_log(void *context, struct tool_server *server, const char *level, const char *text)
{
    struct shared_tools *shared = context;
    for (struct view *at = shared->views; at; at = at->next)
        if (at->listener.on_log)
            at->listener.on_log(at->listener.context, server, level, text);
}

static void on_resource_updated(void *context, struct tool_server *server, const char *uri)
{
    struct shared_tools *shared = context;
    for (struct view *at = shared->views; at; at = at->next)
        if (at->listener.on_resource_updated)
            at->listener.on_resource_updated(at->listener.context, server, uri);
}

struct shared_tools *shared_tools_create(struct tool_server *server)
{
    struct shared_tools *shared = calloc(1, sizeof *shared);
    if (!shared)
        abort();
    const struct tool_server_ops *of_server = server->ops;
    shared->server = server;
    shared->ops = (struct tool_server_ops){
        .name = name,
        .list = list,
        .call = call,
        .status = status,
        .listen = of_server->listen ? set_listener : NULL,
        .offerings = of_server->offerings ? offerings : NULL,
        .read_resource = of_server->read_resource ? read_resource : NULL,
        .get_prompt = of_server->get_prompt ? get_prompt : NULL,
        .complete = of_server->complete ? complete : NULL,
        .watch_resource = of_server->watch_resource ? watch_resource : NULL,
        .close = leave_open,
        .destroy = destroy_view,
        .holds_calls = of_server->holds_calls,
    };
    const struct tool_server_listener listener = { .on_tools_changed = on_tools_changed,
                                                   .on_log = on_log,
                                                   .on_resource_updated = on_resource_updated,
                                                   .context = shared };
    tool_server_listen(server, &listener);
    return shared;
}

void shared_tools_destroy(struct shared_tools *shared)
{
    static const struct tool_server_listener none = { 0 };
    if (!shared)
        return;
    tool_server_listen(shared->server, &none);
    free(shared);
}

struct tool_server *shared_tools_view(struct shared_tools *shared)
{
    struct view *view = calloc(1, sizeof *view);
    if (!view)
        abort();
    view->base.ops = &shared->ops;
    view->shared = shared;
    view->next = shared->views;
    shared->views = view;
    return &view->base;
}

bool shared_tools_are_busy(const struct shared_tools *shared)
{
    return shared->n_calls > 0;
}
