#include "infrastructure/config/client_files.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/clients/foreign_text.h"
#include "infrastructure/config/clients/references.h"
#include "infrastructure/config/clients/secret_text.h"
#include "infrastructure/config/config_internal.h"
#include <ctype.h>
#include <string.h>

#define HIDDEN "…"
#define NAME_MAX_BYTES 64
#define MAX_CLIENTS 64

static const char *folder_of(struct arena *arena, char base)
{
    const char *home = config_home_folder(arena);
    const char *variable = base == 'c' ? "XDG_CONFIG_HOME" : base == 'x' ? "CODEX_HOME" : NULL;
    const char *set = variable ? getenv(variable) : NULL;
    if (base == 'p')
        return config_current_folder(arena);
    if (set && *set == '/')
        return set;
    return base == 'h' ? home
                       : arena_printf(arena, "%s/%s", home, base == 'c' ? ".config" : ".codex");
}

static json_t *read_yaml(struct arena *arena, const char *text, size_t length,
                         struct text_flaw *flaw)
{
    struct problems problems = { .arena = arena };
    struct document document = { 0 };
    struct err ignored;
    if (!text_flaw_check_bytes(text, length, flaw))
        return NULL;
    if (documents_parse_all(yaml_documents(), text, length, arena, &problems, &document,
                            &ignored) == ERR_NONE)
        return json_share(document.value);
    *flaw = (struct text_flaw){ .why = "not YAML" };
    if (problems.n)
        *flaw = (struct text_flaw){ problems.list[problems.n - 1].line,
                                    problems.list[problems.n - 1].column, "not YAML" };
    return NULL;
}

bool client_file_read(struct arena *arena, const struct client_place *place,
                      struct client_file *out)
{
    const char *text = NULL, *folder = folder_of(arena, place->base);
    size_t length = 0;
    json_t *value = NULL;
    struct err err;
    *out = (struct client_file){ .place = place,
                                 .path = arena_printf(arena, "%s/%s", folder, place->path) };
    enum err_code r = config_read_file(out->path, arena, &text, &length, &err);
    if (r == ERR_NOT_FOUND)
        return false;
    if (r)
        out->flaw.why = r == ERR_LIMIT ? "it is too large" : "it cannot be read";
    else if (place->format == CLIENT_JSON)
        value = jsonc_read(text, length, &out->flaw);
    else if (place->format == CLIENT_TOML)
        value = toml_read(text, length, &out->flaw);
    else
        value = read_yaml(arena, text, length, &out->flaw);
    client_servers_read(arena, place, arena_keep_json(arena, value),
                        place->base == 'p' ? folder : NULL, &out->servers);
    if (out->servers.flaw)
        out->flaw = client_file_flaw(arena, out, out->servers.flaw,
                                     "its servers are not a map of names to objects");
    return true;
}

struct text_flaw client_file_flaw(struct arena *arena, const struct client_file *file,
                                  const char *pointer, const char *why)
{
    struct text_flaw flaw = { .why = why };
    struct document document = { 0 };
    const char *text = NULL;
    size_t length = 0;
    struct err ignored;
    if (file->place->format == CLIENT_TOML ||
        config_read_file(file->path, arena, &text, &length, &ignored))
        return flaw;
    if (file->place->format == CLIENT_JSON)
        text = jsonc_blanked(arena, text, length);
    if (!documents_parse(yaml_documents(), text, length, arena, &document, &ignored))
        (void)documents_value_place(yaml_documents(), &document, pointer, &flaw.line, &flaw.column);
    return flaw;
}

const char *client_server_name(struct arena *arena, const struct client_file *file,
                               const struct client_server *server)
{
    const char *name = server->name;
    char *out = arena_strndup(arena, name, text_cut(name, strlen(name), NAME_MAX_BYTES)), *to = out;
    for (const char *at = out; *at; at++)
        if (config_server_name_is_valid((char[]){ 'a', *at, '\0' }) &&
            (to > out || (*at != '-' && *at != '.')))
            *to++ = *at;
        else if (to > out && to[-1] != '-')
            *to++ = '-';
    *to = '\0';
    size_t number = (size_t)(server - file->servers.list) + 1;
    return *out ? out : arena_printf(arena, "%s-%zu", file->place->client, number);
}

/* A name in capitals is a variable's already. */
const char *client_secret_variable(void *context, const char *name, const char *secret)
{
    struct client_secrets *v = context;
    const char *server = variable_name(v->arena, v->server);
    bool is_variable = name && name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] == '\0';
    const char *end = !name                                    ? "SECRET"
                      : strcasecmp(name, "authorization") == 0 ? "TOKEN"
                                                               : variable_name(v->arena, name);
    const char *own = is_variable ? name : arena_printf(v->arena, "%s_%s", server, end), *found;
    for (unsigned i = 0; (found = json_get_string(v->values, own)) && strcmp(found, secret) != 0;
         i++)
        own = i ? arena_printf(v->arena, "%s_%s_%u", server, end, i + 1)
                : arena_printf(v->arena, "%s_%s", server, end);
    json_object_set_new(v->values, own, json_string(secret));
    return arena_printf(v->arena, "${%s}", own);
}

static const char *to_nothing(void *context, const char *name, const char *secret)
{
    (void)context, (void)name, (void)secret;
    return HIDDEN;
}

/* For a person: no secrets, and what only looks like a reference as its client has it. */
static json_t *shown(struct arena *arena, const json_t *definition)
{
    json_auto_t *hidden = secrets_replaced(arena, definition, true, to_nothing, NULL);
    char *text = json_print_in(arena, hidden);
    for (char *at; (at = strstr(text, REFERENCE_LITERAL));)
        memmove(at + 2, at + strlen(REFERENCE_LITERAL), strlen(at + strlen(REFERENCE_LITERAL)) + 1);
    json_t *value = NULL;
    struct err ignored;
    return json_parse(text, strlen(text), JSON_FOREIGN, &value, &ignored) ? NULL : value;
}

static json_t *names_of(const json_t *map)
{
    json_t *names = json_array();
    const char *key;
    const json_t *value;
    json_each_member (map, key, value)
        json_array_append_new(names, json_string(key));
    return names;
}

bool client_definition_is_same(const json_t *a, const json_t *b)
{
    json_auto_t *x = json_copy((json_t *)(uintptr_t)a), *y = json_copy((json_t *)(uintptr_t)b);
    static const char *const flags[] = { "enabled", "disabled" };
    for (size_t i = 0; i < ARRAY_LENGTH(flags); i++) {
        json_object_del(x, flags[i]);
        json_object_del(y, flags[i]);
    }
    return json_equal(x, y);
}

static bool is_configured(struct arena *arena, const struct client_file *file,
                          const struct client_server *server, const json_t *there)
{
    json_auto_t *values = json_object();
    struct client_secrets variables = { arena, values, client_server_name(arena, file, server) };
    json_auto_t *with_variables =
        secrets_replaced(arena, server->definition, false, client_secret_variable, &variables);
    return client_definition_is_same(with_variables, there) ||
           client_definition_is_same(server->definition, there);
}

static const char *state_of(struct arena *arena, const struct client_file *file,
                            const struct client_server *server, const json_t *configured)
{
    const json_t *there = json_object_get(configured, client_server_name(arena, file, server));
    if (!server->definition)
        return "unusable";
    if (there)
        return is_configured(arena, file, server, there) ? "configured" : "differs";
    return server->is_disabled ? "disabled" : "new";
}

static json_t *problem_of(const struct text_flaw *flaw)
{
    return flaw->why ? json_pack("{s:i, s:i, s:s}", "line", flaw->line, "column", flaw->column,
                                 "message", flaw->why)
                     : NULL;
}

static json_t *server_to_json(struct arena *arena, const struct client_file *file,
                              const struct client_server *server, const json_t *configured)
{
    json_auto_t *value = shown(arena, server->definition);
    const char **names = NULL;
    size_t n = client_server_variables(arena, server->definition, true, &names);
    bool has_url = json_object_get(value, "url");
    const char *transport = !server->definition              ? NULL
                            : !has_url                       ? "stdio"
                            : json_object_get(value, "type") ? "sse"
                                                             : "http";
    json_t *out =
        json_pack("{s:s, s:s?, s:s?, s:O?, s:O?, s:o, s:O?, s:o, s:s, s:s?, s:s, s:o}", "name",
                  server->name, "project", server->project, "transport", transport, "command",
                  json_object_get(value, "command"), "args", json_object_get(value, "args"), "env",
                  names_of(json_object_get(value, "env")), "url", json_object_get(value, "url"),
                  "headers", names_of(json_object_get(value, "headers")), "state",
                  state_of(arena, file, server, configured), "why", server->why_not, "left_out",
                  server->left_out, "variables", json_from_texts(names, n));
    struct text_flaw flaw = { 0 };
    if (server->flaw)
        flaw = client_file_flaw(arena, file, server->flaw, server->why_not);
    json_object_set_new(out, "problem", flaw.why ? problem_of(&flaw) : json_null());
    return out;
}

enum err_code client_check_name(const char *from, struct err *err)
{
    const char *names[MAX_CLIENTS];
    size_t n = 0, nearest;
    for (const struct client_place *place = client_places; place->client; place++)
        if (!n || strcmp(names[n - 1], place->client) != 0)
            names[n++] = place->client;
    if (!from || text_is_one_of(from, names, n))
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "--from: no client is called \"%.40s\"", from);
    return text_nearest(from, names, n, &nearest, 1)
               ? err_hint(err, r, "did you mean %s?", names[nearest])
               : err_hint(err, r, "mistro servers find lists them");
}

struct client_file *client_files_read(struct arena *arena, const char *from, size_t *out_n)
{
    struct client_file *files = NULL, file;
    size_t n = 0, capacity = 0;
    for (const struct client_place *place = client_places; place->client; place++)
        if ((!from || strcmp(from, place->client) == 0) && client_file_read(arena, place, &file))
            *arena_push(arena, files, n, capacity) = file;
    *out_n = n;
    return files;
}

enum err_code clients_find(const char *user_file, const char *from, json_t **out, struct err *err)
{
    AUTO(arena) arena = { 0 };
    json_t *value = NULL, *configured = NULL, *clients;
    size_t n = 0;
    struct err ignored;
    enum err_code r = client_check_name(from, err);
    if (r)
        return r;
    if (!user_file || config_open_servers(&arena, user_file, &value, &configured, &ignored))
        configured = NULL;
    const struct client_file *files = client_files_read(&arena, from, &n);
    clients = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *servers = json_array();
        for (size_t k = 0; k < files[i].servers.n; k++)
            json_array_append_new(
                servers, server_to_json(&arena, &files[i], &files[i].servers.list[k], configured));
        json_array_append_new(clients,
                              json_pack("{s:s, s:s, s:o?, s:o}", "client", files[i].place->client,
                                        "file", files[i].path, "problem",
                                        problem_of(&files[i].flaw), "servers", servers));
    }
    *out = json_pack("{s:i, s:o}", "version", 1, "clients", clients);
    return ERR_NONE;
}
