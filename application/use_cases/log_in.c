#include "application/use_cases/log_in.h"
#include "application/tools/lookup.h"
#include "domain/base/rfc3339.h"
#include <string.h>

/* The browser is opened by a task of its own, while the login waits for the person. */
struct opening {
    struct services *services;
    const struct log_in_request *request;
    struct scope scope;
    struct arena *arena;
    const char *url;
    struct task *task; /* NULL before there is a page */
};

static enum err_code open_browser(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct opening *opening = argument;
    struct browser *browser = opening->services->browser;
    struct err why = { 0 };
    (void)runtime;
    enum err_code r = browser ? browser_open(browser, scope, opening->url, &why)
                              : err_set(&why, ERR_NOT_FOUND, 0, "there is no browser");
    if (r && opening->request->on_no_browser)
        opening->request->on_no_browser(opening->request->context, &why);
    return r;
}

static void on_url(void *context, const char *url)
{
    struct opening *opening = context;
    if (opening->task)
        return;
    opening->url = arena_strdup(opening->arena, url);
    opening->request->on_page(opening->request->context, opening->url);
    opening->task =
        runtime_spawn(opening->services->runtime, &opening->scope, open_browser, opening);
}

static struct login_outcome outcome_of(struct arena *arena, struct tool_server *server)
{
    struct tool_server_status status = { .login_issuer = "", .login_scope = "" };
    tool_server_status(server, &status);
    return (struct login_outcome){ .server = arena_strdup(arena, tool_server_name(server)),
                                   .issuer = arena_strdup(arena, status.login_issuer),
                                   .scope = arena_strdup(arena, status.login_scope),
                                   .until_ms = status.login_until_ms };
}

enum err_code log_in(struct services *services, struct scope *scope, struct arena *arena,
                     const struct log_in_request *request, struct login_outcome *out,
                     struct err *err)
{
    struct tool_server *server = NULL;
    enum err_code r = lookup_configured(services, scope, request->server, &server, err);
    if (r)
        return r;
    struct opening opening = { .services = services,
                               .request = request,
                               .scope = scope_child(scope, SCOPE_NO_DEADLINE),
                               .arena = arena };
    struct login login = { .on_url = on_url, .context = &opening };
    r = tool_server_log_in(server, scope, &login, err);
    if (opening.task) {
        runtime_cancel(services->runtime, &opening.scope);
        (void)runtime_wait(services->runtime, opening.task);
    }
    if (r)
        return err_prefix(err, r, "server %s", request->server);
    *out = outcome_of(arena, server);
    return ERR_NONE;
}

json_t *login_outcome_to_json(const struct login_outcome *outcome)
{
    char until[RFC3339_SIZE];
    json_t *value = json_pack("{s:s, s:s, s:s}", "server", outcome->server, "issuer",
                              outcome->issuer, "scope", outcome->scope);
    if (outcome->until_ms)
        json_object_set_new(value, "until", json_string(rfc3339_print(outcome->until_ms, until)));
    return value;
}

enum err_code log_out(struct services *services, struct scope *scope, const char *name,
                      bool *out_was_in, struct err *err)
{
    struct tool_server *server = NULL;
    enum err_code r = lookup_configured(services, scope, name, &server, err);
    if (r)
        return r;
    r = tool_server_log_out(server, scope, out_was_in, err);
    return r ? err_prefix(err, r, "server %s", name) : ERR_NONE;
}
