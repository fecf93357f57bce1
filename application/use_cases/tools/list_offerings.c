#include "application/use_cases/tools/list_offerings.h"
#include "application/tools/lookup.h"
#include "application/tools/server_events.h"
#include <string.h>

/* One server being asked; the servers are asked side by side. */
struct visit {
    struct tool_server *server;
    enum offering_group group;
    struct offerings found;
    struct err err;
    struct task *task;
};

static enum err_code visit(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct visit *v = argument;
    bool wants_prompts = v->group == OFFERED_PROMPTS;
    (void)runtime;
    enum err_code r = tool_server_offerings(
        v->server, scope, wants_prompts ? OFFERING_PROMPT : OFFERING_RESOURCE, &v->found, &v->err);
    if (!r && !wants_prompts)
        r = tool_server_offerings(v->server, scope, OFFERING_TEMPLATE, &v->found, &v->err);
    if (r) {
        err_prefix(&v->err, r, "server %s", tool_server_name(v->server));
        err_about(&v->err, r, "server");
    } else {
        v->err = (struct err){ .code = ERR_NONE };
    }
    return ERR_NONE;
}

static void visit_all(struct services *services, struct scope *scope, struct visit *visits,
                      size_t n)
{
    for (size_t i = 0; i < n; i++)
        visits[i].task = runtime_spawn(services->runtime, scope, visit, &visits[i]);
    for (size_t i = 0; i < n; i++)
        (void)runtime_wait(services->runtime, visits[i].task);
}

static void take(struct arena *arena, const struct visit *v, struct offering_listing *out)
{
    const char *server = arena_strdup(arena, tool_server_name(v->server));
    if (v->err.code && v->err.code != ERR_NOT_FOUND)
        out->failures[out->n_failures++] = (struct listed_failure){ server, v->err };
    for (size_t i = 0; !v->err.code && i < v->found.n; i++)
        *arena_push(arena, out->list, out->n, out->capacity) =
            (struct listed_offering){ server, v->found.list[i] };
}

static enum err_code gather(struct services *services, struct scope *scope,
                            struct tool_server **servers, struct visit *visits, size_t n,
                            struct err *err)
{
    struct server_watch watch;
    server_watch_begin(&watch, services, servers, n);
    visit_all(services, scope, visits, n);
    server_watch_end(&watch);
    return scope_check(scope, runtime_now_ms(services->runtime), err);
}

static enum err_code fail_with(const struct err *why, struct err *err)
{
    if (err)
        *err = *why;
    return why->code;
}

/* mistro's own servers are always there: they do not make up for the configured ones. */
static size_t count_configured(struct tool_server **servers, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        struct tool_server_status status = { 0 };
        tool_server_status(servers[i], &status);
        count += !status.is_builtin;
    }
    return count;
}

enum err_code list_offerings(struct services *services, struct scope *scope, struct arena *arena,
                             enum offering_group group, const char *only,
                             struct offering_listing *out, struct err *err)
{
    struct tool_server **servers = NULL, *named = NULL;
    struct offering_listing listing = { 0 };
    size_t n = 0;
    enum err_code r = services_servers(services, scope, &servers, &n, err);
    if (r)
        return r;
    if (only) {
        named = lookup_server(servers, n, only, strlen(only));
        if (!named)
            return lookup_no_server(services->settings, servers, n, only, strlen(only), err);
        servers = &named;
        n = 1;
    }
    struct visit *visits = arena_array(arena, struct visit, n + 1);
    for (size_t i = 0; i < n; i++)
        visits[i] =
            (struct visit){ .server = servers[i], .group = group, .found = { .arena = arena } };
    r = gather(services, scope, servers, visits, n, err);
    if (r)
        return r;
    listing.failures = arena_array(arena, struct listed_failure, n + 1);
    for (size_t i = 0; i < n; i++)
        take(arena, &visits[i], &listing);
    if (only && visits[0].err.code)
        return fail_with(&visits[0].err, err);
    if (listing.n_failures && listing.n_failures >= count_configured(servers, n))
        return fail_with(&listing.failures[0].err, err);
    *out = listing;
    return ERR_NONE;
}

enum err_code complete_argument(struct services *services, struct scope *scope, struct arena *arena,
                                const char *server, const struct completion_request *request,
                                struct completion_values *out, struct err *err)
{
    struct tool_server *found = NULL;
    struct server_watch watch;
    enum err_code r = lookup_configured(services, scope, server, &found, err);
    if (r)
        return r;
    server_watch_begin(&watch, services, &found, 1);
    r = tool_server_complete(found, scope, request, arena, out, err);
    server_watch_end(&watch);
    return r ? err_prefix(err, r, "server %s", server) : ERR_NONE;
}
