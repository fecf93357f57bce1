#include "infrastructure/config/config.h"
#include <string.h>
#include <strings.h>

static bool is_header(const char *line)
{
    size_t length = strcspn(line, ":");
    return length && line[length] == ':' && strcspn(line, " \t\r\n") >= length &&
           strcspn(line, "\r\n") == strlen(line);
}

static bool has_same_name(const char *a, const char *b)
{
    size_t length = strcspn(a, ":");
    return length == strcspn(b, ":") && strncasecmp(a, b, length) == 0;
}

/* What a header says is often a secret, and goes to no address that only a project folder names. */
static enum err_code refuse_project(const struct server_config *server, struct err *err)
{
    enum err_code r =
        err_set(err, ERR_INVALID, 0, "--header: the address of %.64s is named by this folder only",
                server->name);
    return err_hint(err, r, "if you trust this file, name it: --mcp-config %s", server->file);
}

static enum err_code find_only_url(const struct settings *settings, size_t *out_index,
                                   struct err *err)
{
    size_t n = 0;
    for (size_t i = 0; i < settings->n_servers; i++)
        if (settings->servers[i].enabled && settings->servers[i].url) {
            n++;
            *out_index = i;
        }
    if (n == 1 && settings->servers[*out_index].from_project)
        return refuse_project(&settings->servers[*out_index], err);
    if (n == 1)
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0,
                              n ? "--header: %zu servers have a url, and a header goes to one"
                                : "--header: no server has a url",
                              n);
    return n ? err_hint(err, r, "say which one: --servers NAME") : r;
}

static void add_headers(struct arena *arena, struct server_config *server, const char *const *lines,
                        size_t n)
{
    const char **all = arena_array(arena, const char *, server->n_headers + n);
    size_t n_all = 0;
    for (size_t i = 0; i < server->n_headers; i++) {
        bool is_replaced = false;
        for (size_t k = 0; k < n; k++)
            is_replaced = is_replaced || has_same_name(server->headers[i], lines[k]);
        if (!is_replaced)
            all[n_all++] = server->headers[i];
    }
    memcpy(all + n_all, lines, n * sizeof *lines);
    server->headers = all;
    server->n_headers = n_all + n;
}

enum err_code server_headers_add(struct arena *arena, struct settings *settings,
                                 const char *const *lines, size_t n, struct err *err)
{
    size_t index = 0;
    if (n == 0)
        return ERR_NONE;
    for (size_t i = 0; i < n; i++)
        if (!is_header(lines[i]))
            return err_set(err, ERR_INVALID, 0, "--header: must be 'Name: value'");
    enum err_code r = find_only_url(settings, &index, err);
    if (r)
        return r;
    struct server_config *servers = arena_array(arena, struct server_config, settings->n_servers);
    memcpy(servers, settings->servers, settings->n_servers * sizeof *servers);
    add_headers(arena, &servers[index], lines, n);
    settings->servers = servers;
    return ERR_NONE;
}
