#include "application/tools/lookup.h"
#include "domain/base/text.h"
#include <string.h>

#define NEAREST_SHOWN 3

enum err_code lookup_hint(struct err *err, enum err_code code, const char *name,
                          const char *const *candidates, const char *const *shown, size_t n)
{
    size_t near[NEAREST_SHOWN];
    size_t n_near = text_nearest(name, candidates, n, near, NEAREST_SHOWN);
    if (n_near == 0 || !err)
        return code;
    AUTO(arena) scratch = { 0 };
    struct buf text;
    buf_init(&text, sizeof err->hint);
    bool fits = buf_puts(&text, "did you mean ");
    for (size_t i = 0; fits && i < n_near; i++) {
        const char *between = i == 0 ? "" : i + 1 < n_near ? ", " : " or ";
        const char *candidate = shown[near[i]];
        fits = buf_printf(&text, "%s%s", between,
                          text_one_line(&scratch, candidate, strlen(candidate), 60));
    }
    err_hint(err, code, "%s?", buf_string(&text));
    buf_finish(&text);
    return code;
}

const struct server_config *lookup_config(const struct settings *settings, const char *server)
{
    for (size_t i = 0; i < settings->n_servers; i++)
        if (strcmp(settings->servers[i].name, server) == 0)
            return &settings->servers[i];
    return NULL;
}

struct tool_server *lookup_server(struct tool_server *const *servers, size_t n, const char *name,
                                  size_t length)
{
    for (size_t i = 0; i < n; i++) {
        const char *candidate = tool_server_name(servers[i]);
        if (strlen(candidate) == length && memcmp(candidate, name, length) == 0)
            return servers[i];
    }
    return NULL;
}

enum err_code lookup_no_server(const struct settings *settings, struct tool_server *const *servers,
                               size_t n, const char *name, size_t length, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char **names = arena_array(&scratch, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        names[i] = tool_server_name(servers[i]);
    char *wanted = text_one_line(&scratch, name, length, 60);
    if (text_is_one_of(wanted, settings->waiting_servers, settings->n_waiting_servers))
        return settings_server_waits(wanted, err);
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "no server is named \"%s\"", wanted);
    err_about(err, r, "server");
    if (strcmp(wanted, LOOKUP_BUILT_IN_SERVER) == 0 || strcmp(wanted, LOOKUP_DATA_SERVER) == 0)
        return err_hint(err, r,
                        "--no-builtin, workspace: off and --mcp-config leave the built-in one out, "
                        "--servers all that it does not name");
    (void)lookup_hint(err, r, wanted, names, names, n);
    return err_hint(err, r, "mistro servers lists the configured ones");
}

enum err_code lookup_configured(struct services *services, struct scope *scope, const char *name,
                                struct tool_server **out, struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n = 0, length = strlen(name);
    enum err_code r = services_servers(services, scope, &servers, &n, err);
    if (r)
        return r;
    struct tool_server *found = lookup_server(servers, n, name, length);
    if (!found)
        return lookup_no_server(services->settings, servers, n, name, length, err);
    *out = found;
    return ERR_NONE;
}
