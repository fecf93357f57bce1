#include "application/use_cases/tools/watch_resource.h"
#include "application/tools/lookup.h"
#include "application/tools/server_events.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define LONG_MS (24 * 60 * 60 * 1000)

struct watching {
    struct observer base; /* of the journal: hears what the server announces */
    struct services *services;
    struct tool_server *server;
    const struct resource_watch *wanted;
    struct scope *waiting; /* for a change; ended when one comes */
    bool has_changed, is_certain;
    const char *told;  /* the latest content that was told, or NULL */
    struct arena kept; /* that content */
};

/* Of this resource or one below it: certain; else perhaps. */
static void observe(struct observer *observer, const struct event *event)
{
    struct watching *w = (struct watching *)observer;
    if (event->kind != EVENT_RESOURCE_UPDATED)
        return;
    const char *uri = json_get_string(event->data, "uri");
    w->has_changed = true;
    w->is_certain = w->is_certain || (uri && offering_uri_is_within(uri, w->wanted->uri));
    if (w->waiting)
        runtime_cancel(w->services->runtime, w->waiting);
}

/* Then a little longer: changes often come in bursts. */
awaits MUST_CHECK static enum err_code await_change(struct watching *w, struct scope *scope,
                                                    struct err *err)
{
    struct runtime *runtime = w->services->runtime;
    enum err_code r = ERR_NONE;
    while (!w->has_changed && !r) {
        struct scope waiting = scope_child(scope, SCOPE_NO_DEADLINE);
        w->waiting = &waiting;
        (void)!runtime_sleep(runtime, &waiting, LONG_MS, NULL);
        w->waiting = NULL;
        r = scope_check(scope, runtime_now_ms(runtime), err);
    }
    return r ? r
             : runtime_sleep(runtime, scope, w->services->settings->mcp_list_changed_delay_ms, err);
}

/* *out_more: whether to go on. */
awaits MUST_CHECK static enum err_code tell(struct watching *w, struct scope *scope,
                                            bool is_certain, bool *out_more, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct offering_result content;
    enum err_code r =
        tool_server_read_resource(w->server, scope, w->wanted->uri, NULL, &scratch, &content, err);
    if (r)
        return r == ERR_NOT_FOUND ? err_hint(err, r, "mistro resources %s lists what there is",
                                             tool_server_name(w->server))
                                  : r;
    *out_more = true;
    if (!is_certain && text_equal(w->told, content.bytes))
        return ERR_NONE;
    arena_finish(&w->kept);
    w->told = arena_strdup(&w->kept, content.bytes);
    *out_more = w->wanted->on_content(w->wanted->context, &content);
    return ERR_NONE;
}

/* Where the server may have missed to say something it is asked once more to do so. */
awaits MUST_CHECK static enum err_code follow(struct watching *w, struct scope *scope,
                                              struct err *err)
{
    bool is_certain = false, more = true;
    enum err_code r = ERR_NONE;
    while (!r && more) {
        w->has_changed = w->is_certain = false;
        if (!is_certain)
            r = tool_server_watch_resource(w->server, scope, w->wanted->uri, err);
        if (!r)
            r = tell(w, scope, is_certain, &more, err);
        if (r || !more)
            return r;
        r = await_change(w, scope, err);
        is_certain = w->is_certain;
    }
    return r;
}

enum err_code watch_resource(struct services *services, struct scope *scope,
                             const struct resource_watch *wanted, struct err *err)
{
    static const struct observer_ops ops = { .observe = observe };
    struct watching w = { .base = { &ops }, .services = services, .wanted = wanted };
    enum err_code r = lookup_configured(services, scope, wanted->server, &w.server, err);
    if (r)
        return r;
    struct journal journal;
    journal_init(&journal, services->runtime, NULL, services->digest, services->ids, false);
    if (services->observer)
        journal_add_observer(&journal, services->observer);
    journal_add_observer(&journal, &w.base);
    server_events_listen(&journal, &w.server, 1, services->wants_server_logs);
    r = follow(&w, scope, err);
    server_events_stop(&w.server, 1);
    arena_finish(&w.kept);
    return r ? err_prefix(err, r, "server %s", wanted->server) : ERR_NONE;
}
