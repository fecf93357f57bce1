#include "application/use_cases/tools/review_tools.h"
#include "application/tools/server_events.h"
#include <string.h>

static bool is_from_project(const struct settings *settings, const char *server)
{
    for (size_t i = 0; i < settings->n_servers; i++)
        if (strcmp(settings->servers[i].name, server) == 0)
            return settings->servers[i].from_project;
    return false;
}

static enum err_code choose_servers(struct services *services, struct scope *scope,
                                    struct arena *arena, const struct review_request *request,
                                    struct tool_server ***out, size_t *out_n, struct err *err)
{
    struct tool_server **all = NULL;
    size_t n_all = 0, n = 0;
    enum err_code r = services_servers(services, scope, &all, &n_all, err);
    if (r)
        return r;
    struct tool_server **chosen = arena_array(arena, struct tool_server *, n_all + 1);
    for (size_t i = 0; i < n_all; i++)
        if (!request->without_project ||
            !is_from_project(services->settings, tool_server_name(all[i])))
            chosen[n++] = all[i];
    *out = chosen;
    *out_n = n;
    return ERR_NONE;
}

enum err_code review_tools(struct services *services, struct scope *scope, struct arena *arena,
                           const struct review_request *request, struct tool_review *out,
                           struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n = 0;
    struct server_watch watch;
    enum err_code r = choose_servers(services, scope, arena, request, &servers, &n, err);
    if (r)
        return r;
    struct tool_review review = { .toolbox = toolbox_create(services, servers, n),
                                  .servers = arena_array(arena, struct reviewed_server, n + 1) };
    server_watch_begin(&watch, services, servers, n);
    r = toolbox_refresh(review.toolbox, scope, request->only, err);
    server_watch_end(&watch);
    for (size_t i = 0; !r && i < n; i++) {
        struct reviewed_server *next = &review.servers[review.n_servers];
        r = reviewed_server_load(services, scope, arena, review.toolbox, servers[i], next, err);
        review.n_servers += next->n > 0;
    }
    if (r) {
        tool_review_finish(&review);
        return r;
    }
    review.failures = toolbox_failures(review.toolbox, &review.n_failures);
    *out = review;
    return ERR_NONE;
}

void tool_review_finish(struct tool_review *review)
{
    toolbox_destroy(review->toolbox);
    *review = (struct tool_review){ 0 };
}
