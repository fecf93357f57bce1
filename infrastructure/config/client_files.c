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
#define MAX_TRIES 100
#define MODEL_KEY "OPENAI_API_KEY" /* mistro sends it to its model */

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

/* An empty document where that cannot be. */
static struct document *document_of(struct arena *arena, const struct client_file *file)
{
    struct document *document = arena_new(arena, struct document), none = { 0 };
    const char *text = NULL;
    size_t length = 0;
    struct err ignored;
    if (file->place->format == CLIENT_TOML ||
        config_read_file(file->path, arena, &text, &length, &ignored))
        return document;
    if (file->place->format == CLIENT_JSON)
        text = jsonc_blanked(arena, text, length);
    if (documents_parse(yaml_documents(), text, length, arena, document, &ignored))
        *document = none;
    return document;
}

struct text_flaw client_file_flaw(struct arena *arena, struct client_file *file,
                                  const char *pointer, const char *why)
{
    struct text_flaw flaw = { .why = why };
    if (!file->document)
        file->document = document_of(arena, file);
    if (file->document->value)
        (void)documents_value_place(yaml_documents(), file->document, pointer, &flaw.line,
                                    &flaw.column);
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

/* Adds the variables of a definition, but for those of the names. */
static void add_variables(struct arena *arena, json_t *to, const json_t *definition,
                          const json_t *but)
{
    const char **names = NULL;
    size_t n = client_server_variables(arena, definition, true, &names);
    for (size_t i = 0; i < n; i++)
        if (!json_object_get(but, names[i]))
            json_object_set_new(to, names[i], json_true());
}

static bool is_free(const struct client_secrets *v, const char *name, const char *secret)
{
    const char *same = json_get_string(v->values, name), *set = getenv(name);
    if (same || json_object_get(v->own, name))
        return !same || strcmp(same, secret) == 0;
    if (json_object_get(v->referred, name) || strcmp(name, MODEL_KEY) == 0)
        return false;
    return set ? strcmp(set, secret) == 0 : !json_object_get(v->used, name);
}

/* A secret_replace_fn. A name in capitals is a variable's already. */
static const char *secret_variable(void *context, const char *name, const char *secret)
{
    struct client_secrets *v = context;
    const char *server = variable_name(v->arena, v->server), *own = NULL;
    bool is_variable = name && name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] == '\0';
    const char *end = !name                                    ? "SECRET"
                      : strcasecmp(name, "authorization") == 0 ? "TOKEN"
                                                               : variable_name(v->arena, name);
    for (int pass = json_object_size(v->own) ? 0 : 1; pass < 2 && !own; pass++)
        for (size_t i = is_variable ? 0 : 1; !own && (pass || i < MAX_TRIES);
             i += i < MAX_TRIES ? 1 : 1 + json_object_size(v->values)) {
            const char *wish = i > 1 ? arena_printf(v->arena, "%s_%s_%zu", server, end, i)
                               : i   ? arena_printf(v->arena, "%s_%s", server, end)
                                     : name;
            bool may_be = pass || json_object_get(v->own, wish);
            own = may_be && is_free(v, wish, secret) ? wish : NULL;
        }
    json_object_set_new(v->values, own, json_string(secret));
    return arena_printf(v->arena, "${%s}", own);
}

void client_secrets_begin(struct arena *arena, struct client_secrets *out, const json_t *servers,
                          const json_t *referred)
{
    json_t *used = arena_keep_json(arena, json_object());
    add_variables(arena, used, servers, NULL);
    *out = (struct client_secrets){ .arena = arena,
                                    .values = arena_keep_json(arena, json_object()),
                                    .origins = arena_keep_json(arena, json_object()),
                                    .servers = servers,
                                    .referred = referred,
                                    .used = used };
}

struct renaming {
    struct arena *arena;
    const char *from, *to;
};

static json_t *renamed(void *context, const char *path, const json_t *string)
{
    const struct renaming *names = context;
    const char *text = json_string_value(string), *at;
    (void)path;
    for (; (at = strstr(text, names->from)); text = at)
        at = arena_printf(names->arena, "%.*s%s%s", (int)(at - text), text, names->to,
                          at + strlen(names->from));
    return json_string(text);
}

json_t *client_definition(struct client_secrets *v, const struct client_file *file,
                          const struct client_server *server, const char *name, bool with_secrets)
{
    const char *old;
    const json_t *origin;
    json_t *referred = arena_keep_json(v->arena, json_object());
    v->server = name;
    v->own = arena_keep_json(v->arena, json_object());
    add_variables(v->arena, referred, server->definition, server->origins);
    add_variables(v->arena, v->own, json_object_get(v->servers, name), referred);
    json_t *out = with_secrets
                      ? json_copy(server->definition)
                      : secrets_replaced(v->arena, server->definition, false, secret_variable, v);
    json_each_member (server->origins, old, origin) {
        const char *from = json_string_value(origin), *path = strchr(from, ':') + 1;
        const char *base = *from == 'f' && strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        const char *end = arena_printf(v->arena, "%.*s_%s", (int)(path - from) - 1, from, base);
        const char *to = secret_variable(v, end, arena_printf(v->arena, "%s %s", file->path, from));
        struct renaming names = { v->arena, arena_printf(v->arena, "${%s}", old), to };
        json_object_set_new(v->origins, arena_strndup(v->arena, to + 2, strlen(to) - 3),
                            json_string(from));
        if (strcmp(names.from, to) == 0)
            continue;
        json_t *before = arena_keep_json(v->arena, out);
        out = json_map_strings(v->arena, NULL, before, renamed, &names);
    }
    return out;
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

/* What one server is called does not change what another one is. */
static const char *state_of(struct arena *arena, const struct client_file *file,
                            const struct client_server *server, struct client_secrets secrets)
{
    const char *name = client_server_name(arena, file, server);
    const json_t *there = json_object_get(secrets.servers, name);
    if (!server->definition)
        return "unusable";
    if (!there)
        return server->is_disabled ? "disabled" : "new";
    secrets.values = arena_keep_json(arena, json_object());
    json_auto_t *written = client_definition(&secrets, file, server, name, false);
    json_auto_t *as_it_is = client_definition(&secrets, file, server, name, true);
    return client_definition_is_same(written, there) || client_definition_is_same(as_it_is, there)
               ? "configured"
               : "differs";
}

static json_t *problem_of(const struct text_flaw *flaw)
{
    return flaw->why ? json_pack("{s:i, s:i, s:s}", "line", flaw->line, "column", flaw->column,
                                 "message", flaw->why)
                     : NULL;
}

static json_t *server_to_json(struct arena *arena, struct client_file *file,
                              const struct client_server *server,
                              const struct client_secrets *secrets)
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
                  state_of(arena, file, server, *secrets), "why", server->why_not, "left_out",
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

struct client_file *client_files_read(struct arena *arena, const char *from, json_t *referred,
                                      size_t *out_n)
{
    struct client_file *files = NULL, file;
    size_t n = 0, capacity = 0;
    for (const struct client_place *place = client_places; place->client; place++) {
        if (!client_file_read(arena, place, &file))
            continue;
        for (size_t i = 0; i < file.servers.n; i++)
            add_variables(arena, referred, file.servers.list[i].definition,
                          file.servers.list[i].origins);
        if (!from || strcmp(from, place->client) == 0)
            *arena_push(arena, files, n, capacity) = file;
    }
    *out_n = n;
    return files;
}

enum err_code clients_find(const char *user_file, const char *from, json_t **out, struct err *err)
{
    AUTO(arena) arena = { 0 };
    json_t *value = NULL, *configured = NULL, *clients;
    json_t *referred = arena_keep_json(&arena, json_object());
    struct client_secrets secrets;
    size_t n = 0;
    struct err ignored;
    enum err_code r = client_check_name(from, err);
    if (r)
        return r;
    if (!user_file || config_open_servers(&arena, user_file, &value, &configured, &ignored))
        configured = NULL;
    struct client_file *files = client_files_read(&arena, from, referred, &n);
    client_secrets_begin(&arena, &secrets, configured, referred);
    clients = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *servers = json_array();
        for (size_t k = 0; k < files[i].servers.n; k++)
            json_array_append_new(
                servers, server_to_json(&arena, &files[i], &files[i].servers.list[k], &secrets));
        json_array_append_new(clients,
                              json_pack("{s:s, s:s, s:o?, s:o}", "client", files[i].place->client,
                                        "file", files[i].path, "problem",
                                        problem_of(&files[i].flaw), "servers", servers));
    }
    *out = json_pack("{s:i, s:o}", "version", 1, "clients", clients);
    return ERR_NONE;
}
