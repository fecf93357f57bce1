#include "application/use_cases/tools/read_resource.h"
#include "application/tools/answering.h"
#include "application/tools/lookup.h"
#include "application/tools/server_events.h"
#include "application/use_cases/tools/list_offerings.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

/* The server does not know the URI: which of its resources may have been meant? */
awaits static enum err_code explain_unknown(struct tool_server *server, struct scope *scope,
                                            const char *uri, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct offerings known = { .arena = &scratch };
    if (tool_server_offerings(server, scope, OFFERING_RESOURCE, &known, NULL))
        return ERR_NOT_FOUND;
    const char **uris = arena_array(&scratch, const char *, known.n + 1);
    for (size_t i = 0; i < known.n; i++)
        uris[i] = known.list[i].key;
    (void)err_about(err, ERR_NOT_FOUND, "resource");
    (void)lookup_hint(err, ERR_NOT_FOUND, uri, uris, uris, known.n);
    return err_hint(err, ERR_NOT_FOUND, "mistro resources %s lists what there is",
                    tool_server_name(server));
}

awaits MUST_CHECK static enum err_code read_from(struct services *services, struct scope *scope,
                                                 struct arena *arena, struct tool_server *server,
                                                 const char *uri, struct offering_result *out,
                                                 struct err *err)
{
    struct server_watch watch;
    struct answering answering;
    server_watch_begin(&watch, services, &server, 1);
    answering_init(
        &answering, services, &watch.journal,
        (struct asker){ .server = tool_server_name(server), .work = ASKER_RESOURCE, .name = uri });
    enum err_code r =
        tool_server_read_resource(server, scope, uri, &answering.answerer, arena, out, err);
    if (r == ERR_NOT_FOUND)
        r = explain_unknown(server, scope, uri, err);
    server_watch_end(&watch);
    return r ? err_prefix(err, r, "server %s", tool_server_name(server)) : ERR_NONE;
}

enum err_code read_resource(struct services *services, struct scope *scope, struct arena *arena,
                            const char *server, const char *uri, struct offering_result *out,
                            struct err *err)
{
    struct tool_server *found = NULL;
    enum err_code r = lookup_configured(services, scope, server, &found, err);
    return r ? r : read_from(services, scope, arena, found, uri, out, err);
}

bool is_resource_name(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon && colon != name && colon[1];
}

/* The server of a URI alone. One that lists it goes before those with a template for it. */
static enum err_code choose_server(const struct offering_listing *listing, const char *uri,
                                   const char **out, struct err *err)
{
    const char *found = NULL;
    bool is_listed = false;
    for (size_t i = 0; i < listing->n; i++) {
        const struct listed_offering *l = &listing->list[i];
        bool lists = l->offering.kind == OFFERING_RESOURCE && strcmp(l->offering.key, uri) == 0;
        if (!lists && (is_listed || !offering_template_fits(&l->offering, uri)))
            continue;
        if (found && is_listed == lists && strcmp(found, l->server) != 0) {
            enum err_code r = err_set(err, ERR_INVALID, 0, "several servers have \"%.200s\"", uri);
            return err_hint(err, r, "say which: @%.60s:%.80s", found, uri);
        }
        found = l->server;
        is_listed = lists;
    }
    *out = found;
    return ERR_NONE;
}

static enum err_code no_such_resource(const struct offering_listing *listing, const char *uri,
                                      struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char **uris = arena_array(&scratch, const char *, listing->n + 1);
    for (size_t i = 0; i < listing->n; i++)
        uris[i] = listing->list[i].offering.key;
    char *shown = text_one_line(&scratch, uri, strlen(uri), 200);
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "no server lists \"%s\"", shown);
    (void)err_about(err, r, "resource");
    (void)lookup_hint(err, r, uri, uris, uris, listing->n);
    return err_hint(err, r, "mistro resources lists what there is; @@ is a plain @");
}

awaits MUST_CHECK static enum err_code read_anywhere(struct services *services, struct scope *scope,
                                                     struct arena *arena, const char *uri,
                                                     struct offering_result *out, struct err *err)
{
    struct offering_listing listing;
    const char *server = NULL;
    enum err_code r =
        list_offerings(services, scope, arena, OFFERED_RESOURCES, NULL, &listing, err);
    if (!r)
        r = choose_server(&listing, uri, &server, err);
    if (r)
        return r;
    if (!server)
        return no_such_resource(&listing, uri, err);
    return read_resource(services, scope, arena, server, uri, out, err);
}

/* "x://…" is a URI even where a server is named x. */
awaits MUST_CHECK static enum err_code read_named(struct services *services, struct scope *scope,
                                                  struct arena *arena, const char *name,
                                                  struct offering_result *out, struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n = 0, length = strcspn(name, ":");
    enum err_code r = services_servers(services, scope, &servers, &n, err);
    if (r)
        return r;
    struct tool_server *server = lookup_server(servers, n, name, length);
    if (!server || text_starts_with(name + length, "://"))
        return read_anywhere(services, scope, arena, name, out, err);
    return read_from(services, scope, arena, server, name + length + 1, out, err);
}

static enum err_code join_texts(const struct offering_result *result, const char *name,
                                struct buf *text, struct err *err)
{
    for (size_t i = 0; i < json_array_size(result->items); i++) {
        const json_t *one = json_object_get(json_array_get(result->items, i), "text");
        if (!json_is_string(one) || json_string_has_nul(one))
            return err_set(err, ERR_INVALID, 0, "%.200s: not a text", name);
        if ((i && !buf_puts(text, "\n")) || !buf_puts(text, json_string_value(one)))
            return err_set(err, ERR_LIMIT, 0, "%.200s: more than %zu bytes", name, text->max_bytes);
    }
    return ERR_NONE;
}

enum err_code read_resource_text(struct services *services, struct scope *scope,
                                 struct arena *arena, const char *name, size_t max_bytes,
                                 const char **out_text, struct err *err)
{
    struct offering_result result = { 0 };
    AUTO(arena) scratch = { 0 };
    AUTO(buf) text;
    buf_init(&text, max_bytes);
    enum err_code r = read_named(services, scope, &scratch, name, &result, err);
    if (!r)
        r = join_texts(&result, name, &text, err);
    if (!r)
        *out_text = arena_strdup(arena, buf_string(&text));
    return r;
}

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
