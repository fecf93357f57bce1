#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/client_files.h"
#include "infrastructure/config/config_internal.h"
#include "infrastructure/runtime/descriptor.h"
#include <string.h>

/* A server of a client, and what becomes of it. */
struct candidate {
    const struct client_file *file;
    const struct client_server *server;
    const char *name; /* in mcp.json */
    const char *state, *why;
};

struct importing {
    struct arena *arena;
    const struct clients_import *request;
    json_t *configured; /* the servers of the user's file */
    struct candidate *list;
    size_t n, capacity;
    struct client_secrets secrets;
    json_t *variables; /* rows of the result */
    bool is_changed;
};

static void add(struct importing *im, const struct client_file *file,
                const struct client_server *server, const char *name)
{
    *arena_push(im->arena, im->list, im->n, im->capacity) =
        (struct candidate){ .file = file,
                            .server = server,
                            .name = name ? name : client_server_name(im->arena, file, server) };
}

static void set_state(struct candidate *c, const char *state, const char *why)
{
    c->state = state;
    c->why = why;
}

/* Under one name there is one server: the same again is passed over, of one file that of no project
 * counts, and where others differ none is taken. */
static void settle(struct importing *im)
{
    for (size_t i = 0; i < im->n; i++) {
        struct candidate *a = &im->list[i];
        if (!a->state && !a->server->definition)
            set_state(a, "unusable", a->server->why_not);
        for (size_t k = 0; !a->state && k < i; k++) {
            struct candidate *b = &im->list[k];
            if (strcmp(a->name, b->name) != 0 || (b->state && strcmp(b->state, "conflict") != 0))
                continue;
            if (client_definition_is_same(a->server->definition, b->server->definition))
                set_state(a, "same", NULL);
            else
                set_state(a, "conflict", "clients have different ones of that name");
            bool is_for_all = a->file == b->file && a->server->project && !b->server->project;
            if (strcmp(a->state, "conflict") == 0 && !is_for_all)
                *b = (struct candidate){ b->file, b->server, b->name, a->state, a->why };
        }
    }
}

/* All that are switched on. What a folder brings is not made the user's own without being named. */
static void choose_all(struct importing *im, const struct client_file *files, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < files[i].servers.n; k++) {
            const struct client_server *server = &files[i].servers.list[k];
            if (server->is_disabled)
                continue;
            add(im, &files[i], server, NULL);
            if (files[i].place->base == 'p')
                set_state(&im->list[im->n - 1], "unnamed", "a file of this folder brings it");
        }
}

static enum err_code choose(struct importing *im, const struct client_file *files, size_t n,
                            const char *wish, struct err *err)
{
    const char *sign = strchr(wish, '='), **names = NULL;
    const char *old = sign ? arena_strndup(im->arena, wish, (size_t)(sign - wish)) : wish;
    size_t before = im->n, n_names = 0, capacity = 0, nearest;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < files[i].servers.n; k++) {
            const struct client_server *server = &files[i].servers.list[k];
            *arena_push(im->arena, names, n_names, capacity) = server->name;
            if (strcmp(server->name, old) == 0 ||
                (!sign && strcmp(client_server_name(im->arena, &files[i], server), old) == 0))
                add(im, &files[i], server, sign ? sign + 1 : NULL);
        }
    if (sign && !config_server_name_is_valid(sign + 1))
        return err_hint(
            err, err_set(err, ERR_INVALID, 0, "\"%.80s\" is not a name for a server", sign + 1),
            "use letters, digits, \"_\", \"-\" and \".\", at most 64");
    if (im->n > before)
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "no client has a server \"%.64s\"", old);
    err_about(err, r, "server");
    return names && text_nearest(old, names, n_names, &nearest, 1)
               ? err_hint(err, r, "did you mean %.80s?", names[nearest])
               : err_hint(err, r, "mistro servers find lists them");
}

/* What a shell has to be told, so that the variable is there; the values are known to the file. */
static const char *shell_line(const struct importing *im, const char *name)
{
    const char *file = json_get_string(im->secrets.origins, name);
    if (!file || !text_starts_with(file, "file:"))
        return arena_printf(im->arena, "export %s=…", name);
    file += strlen("file:");
    bool is_home = text_starts_with(file, "~/");
    return arena_printf(im->arena, "export %s=\"$(cat %s%s)\"", name, is_home ? "~/" : "",
                        text_shell_word(im->arena, file + (is_home ? 2 : 0)));
}

/* Adds its variables to the result; true when all are set. */
static bool note_variables(struct importing *im, const struct candidate *c,
                           const json_t *definition)
{
    const char **names = NULL;
    size_t n = client_server_variables(im->arena, definition, false, &names);
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        const char *value = getenv(names[i]),
                   *secret = json_get_string(im->secrets.values, names[i]);
        all = all && value;
        if (json_object_get(im->secrets.origins, names[i]))
            secret = NULL; /* what is known is where it comes from */
        json_array_append_new(
            im->variables, json_pack("{s:s, s:s, s:s, s:b, s:b, s:s}", "name", names[i], "server",
                                     c->name, "file", c->file->path, "set", value != NULL,
                                     "differs", value && secret && strcmp(value, secret) != 0,
                                     "line", shell_line(im, names[i])));
    }
    return all;
}

/* A server that mistro cannot read, as where variables are missing, would be an error of every
 * command, so it is off; where they are there, importing it once more switches it on. */
static void take(struct importing *im, struct candidate *c)
{
    json_t *definition =
        client_definition(&im->secrets, c->file, c->server, c->name, im->request->with_secrets);
    json_t *there = json_object_get(im->configured, c->name);
    arena_keep_json(im->arena, definition);
    if (there && !client_definition_is_same(there, definition)) {
        set_state(c, "conflict", "mistro has another one of that name");
        return;
    }
    struct err err = { 0 };
    bool is_on = note_variables(im, c, definition) && !c->server->is_disabled;
    if (is_on && config_check_server(im->arena, c->file->path, c->name, definition, &err)) {
        c->why = arena_strdup(im->arena, err.message);
        is_on = false;
    }
    bool was_off = json_is_false(json_object_get(there, "enabled"));
    c->state = there                    ? (is_on && was_off ? "on" : "there")
               : is_on                  ? "imported"
               : c->server->is_disabled ? "disabled"
                                        : "off";
    if (there && strcmp(c->state, "there") == 0)
        return;
    if (!is_on)
        json_object_set_new(definition, "enabled", json_false());
    json_object_set(im->configured, c->name, definition);
    im->is_changed = true;
}

static json_t *result_of(struct importing *im, const struct client_file *files, size_t n)
{
    json_t *servers = json_array(), *problems = json_array();
    for (size_t i = 0; i < im->n; i++) {
        const struct candidate *c = &im->list[i];
        if (strcmp(c->state, "same") != 0)
            json_array_append_new(
                servers,
                json_pack("{s:s, s:s, s:s, s:s?, s:s, s:s?, s:s}", "name", c->name, "client",
                          c->file->place->client, "file", c->file->path, "was",
                          strcmp(c->name, c->server->name) ? c->server->name : NULL, "state",
                          c->state, "why", c->why, "left_out", c->server->left_out));
    }
    for (size_t i = 0; i < n; i++)
        if (files[i].flaw.why)
            json_array_append_new(problems,
                                  json_pack("{s:s, s:i, s:i, s:s}", "file", files[i].path, "line",
                                            files[i].flaw.line, "column", files[i].flaw.column,
                                            "message", files[i].flaw.why));
    return json_pack("{s:i, s:s, s:b, s:o, s:o, s:o}", "version", 1, "file", im->request->user_file,
                     "dry_run", im->request->is_dry_run, "servers", servers, "variables",
                     im->variables, "problems", problems);
}

enum err_code clients_import(const struct clients_import *request, json_t **out, struct err *err)
{
    AUTO(arena) arena = { 0 };
    json_t *value = NULL;
    size_t n = 0;
    struct importing im = { .arena = &arena, .request = request };
    json_t *referred = arena_keep_json(&arena, json_object());
    auto_fd lock = -1;
    enum err_code r = client_check_name(request->from, err);
    if (r)
        return r;
    const struct client_file *files = client_files_read(&arena, request->from, referred, &n);
    for (size_t i = 0; !r && i < request->n_names; i++)
        r = choose(&im, files, n, request->names[i], err);
    if (!r && !request->n_names)
        choose_all(&im, files, n);
    if (!r && im.n && !request->is_dry_run)
        r = config_lock_servers(&arena, request->user_file, &lock, err);
    if (!r)
        r = config_open_servers(&arena, request->user_file, &value, &im.configured, err);
    if (r)
        return r;
    client_secrets_begin(&arena, &im.secrets, im.configured, referred);
    im.variables = json_array();
    settle(&im);
    for (size_t i = 0; i < im.n; i++)
        if (!im.list[i].state)
            take(&im, &im.list[i]);
    if (im.is_changed && !request->is_dry_run)
        r = config_save_servers(&arena, request->user_file, value, err);
    if (r)
        json_decref(im.variables);
    else
        *out = result_of(&im, files, n);
    return r;
}
