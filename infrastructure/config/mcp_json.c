#include "application/ports/places.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/client_files.h"
#include "infrastructure/config/clients/foreign_text.h"
#include "infrastructure/config/config_internal.h"
#include <ctype.h>
#include <string.h>

#define SERVER_NAME_MAX 64
#define MAX_LIST 1000
#define MISSPELT_MIN_LENGTH 6
#define MISSPELT_MAX_DISTANCE 2
#define MAX_TIMEOUT_MS 86400000

/* One server being read. The first thing that is wrong is kept: then every reader leaves its output
 * as it is. */
struct server_reading {
    struct config_loading *loading;
    const char *file, *name;
    const json_t *value;
    enum err_code failed;
    struct err *err;
};

bool config_server_name_is_valid(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
            return false;
    return length >= 1 && length <= SERVER_NAME_MAX && name[0] != '-' && name[0] != '.';
}

static void refuse(struct server_reading *reading, const char *member, const char *what)
{
    if (!reading->failed)
        reading->failed = err_set(reading->err, ERR_INVALID, 0, "%s: server \"%.64s\": %s: %s",
                                  reading->file, reading->name, member, what);
}

/* NULL as well when something is wrong already. */
static const json_t *member_of(const struct server_reading *reading, const char *member)
{
    return reading->failed ? NULL : json_object_get(reading->value, member);
}

const char *config_misspelt(const json_t *object, const char *const *known, size_t n_known,
                            const char **out_meant)
{
    const char *key, *meant;
    const json_t *value;
    json_each_member (object, key, value) {
        meant = NULL;
        for (size_t i = 0; i < n_known; i++) {
            if (strcmp(key, known[i]) == 0) {
                meant = NULL;
                break;
            }
            if (strlen(known[i]) >= MISSPELT_MIN_LENGTH &&
                text_distance(key, known[i], MISSPELT_MAX_DISTANCE) <= MISSPELT_MAX_DISTANCE)
                meant = known[i];
        }
        if (meant) {
            *out_meant = meant;
            return key;
        }
    }
    return NULL;
}

/* Hosts have members of their own in this file; but "samplng" is a slip, and would otherwise be
 * passed over in silence. */
static void check_spelling(struct server_reading *reading)
{
    static const char *const known[] = {
        "command",      "args",     "env",           "cwd",
        "roots",        "url",      "headers",       "oauth",
        "enabled",      "disabled", "timeout_ms",    "start_timeout_ms",
        "era",          "type",     "allowed_tools", "disabled_tools",
        "approval",     "sampling", "pinning",       "share",
        "max_parallel",
    };
    const char *meant = NULL;
    const char *key = config_misspelt(reading->value, known, ARRAY_LENGTH(known), &meant);
    if (!key || reading->failed)
        return;
    reading->failed =
        err_set(reading->err, ERR_INVALID, 0, "%s: server \"%.64s\": there is no \"%.64s\"",
                reading->file, reading->name, key);
    err_hint(reading->err, reading->failed, "did you mean %s?", meant);
}

/* A scalar as text with its variables expanded; numbers and booleans are taken as written. */
static const char *read_text(struct server_reading *reading, const char *member,
                             const json_t *value)
{
    struct arena *arena = reading->loading->arena;
    const char *text = NULL;
    if (json_is_number(value) || json_is_boolean(value))
        return json_print_in(arena, value);
    if (!json_is_string(value) || json_string_has_nul(value)) {
        refuse(reading, member, "must be text");
        return NULL;
    }
    reading->failed = config_expand(arena, json_string_value(value), &text, reading->err);
    if (reading->failed)
        err_prefix(reading->err, reading->failed, "%s: server \"%.64s\": %s", reading->file,
                   reading->name, member);
    return text;
}

static void read_optional_text(struct server_reading *reading, const char *member, const char **out)
{
    const json_t *value = member_of(reading, member);
    if (value && !json_is_null(value))
        *out = read_text(reading, member, value);
}

static void read_list(struct server_reading *reading, const char *member, const char *const **out,
                      size_t *out_n)
{
    const json_t *list = member_of(reading, member);
    size_t n = json_array_size(list);
    if (!list || json_is_null(list))
        return;
    if (!json_is_array(list) || n > MAX_LIST) {
        refuse(reading, member, "must be a list of at most 1000 texts");
        return;
    }
    const char **texts = arena_array(reading->loading->arena, const char *, n + 1);
    for (size_t i = 0; i < n && !reading->failed; i++)
        texts[i] = read_text(reading, member, json_array_get(list, i));
    if (reading->failed)
        return;
    *out = texts;
    *out_n = n;
}

static bool is_one_line(const char *text)
{
    return !strpbrk(text, "\r\n");
}

/* A map as "NAME=value" or "Name: value". */
static void read_pairs(struct server_reading *reading, const char *member, const char *between,
                       const char *const **out, size_t *out_n)
{
    struct arena *arena = reading->loading->arena;
    const json_t *map = member_of(reading, member), *value;
    const char *key;
    bool is_header = *between == ':';
    if (!map || json_is_null(map))
        return;
    if (!json_is_object(map) || json_object_size(map) > MAX_LIST) {
        refuse(reading, member, "must be a map of at most 1000 names to texts");
        return;
    }
    const char **pairs = arena_array(arena, const char *, json_object_size(map) + 1);
    size_t n = 0;
    json_each_member (map, key, value) {
        if (!*key || strpbrk(key, is_header ? ": \t\r\n" : "=\r\n"))
            refuse(reading, member, "a name is empty or has bytes that do not belong there");
        const char *text = reading->failed ? NULL : read_text(reading, member, value);
        if (text && is_header && !is_one_line(text))
            refuse(reading, member, "a value with a line break");
        if (reading->failed)
            return;
        pairs[n++] = arena_printf(arena, "%s%s%s", key, between, text);
    }
    *out = pairs;
    *out_n = n;
}

static void read_time(struct server_reading *reading, const char *member, int64_t *out)
{
    const json_t *value = member_of(reading, member);
    if (!value)
        return;
    int64_t ms = json_integer_value(value);
    if (!json_is_integer(value) || ms < 1 || ms > MAX_TIMEOUT_MS)
        refuse(reading, member, "must be a whole number from 1 to 86400000");
    else
        *out = ms;
}

/* The index of a word in a list; 0, the default, where it is absent. */
static int read_word(struct server_reading *reading, const char *member, const char *const *words,
                     size_t n, const char *what)
{
    const json_t *value = member_of(reading, member);
    for (size_t i = 0; value && i < n; i++)
        if (text_equal(json_string_value(value), words[i]))
            return (int)i;
    if (value)
        refuse(reading, member, what);
    return 0;
}

static void read_max_parallel(struct server_reading *reading, struct server_config *server)
{
    const json_t *most = json_object_get(reading->value, "max_parallel");
    json_int_t n = json_integer_value(most);
    if (most && (!json_is_integer(most) || n < 1 || n > PLACES_MAX))
        refuse(reading, "max_parallel", "must be a whole number from 1 to 1000");
    else if (most)
        server->max_parallel = (unsigned)n;
}

static void read_flags(struct server_reading *reading, struct server_config *server)
{
    static const char *const eras[] = { "auto", "modern", "legacy", "sse" };
    static const char *const approvals[] = { "default", "allow", "ask", "deny" };
    static const char *const pinnings[] = { "tools", "off" };
    static const char *const samplings[] = { "off", "ask", "allow" };
    const json_t *enabled = json_object_get(reading->value, "enabled");
    const json_t *share = json_object_get(reading->value, "share");
    bool has_url = json_get_string(reading->value, "url") != NULL;
    if (enabled && !json_is_boolean(enabled)) {
        refuse(reading, "enabled", "must be true or false");
        return;
    }
    if (share && !json_is_boolean(share)) {
        refuse(reading, "share", "must be true or false");
        return;
    }
    read_max_parallel(reading, server);
    server->is_shared = !json_is_false(share);
    server->says_share = share != NULL;
    server->enabled = !json_is_false(enabled) && !json_get_bool(reading->value, "disabled", false);
    server->era = (enum server_era)read_word(reading, "era", eras, ARRAY_LENGTH(eras),
                                             "must be auto, modern, legacy or sse");
    /* Other programs write the oldest way over HTTP as a type. */
    if (server->era == ERA_AUTO && has_url &&
        text_equal(json_get_string(reading->value, "type"), "sse"))
        server->era = ERA_SSE;
    if (server->era == ERA_SSE && !has_url)
        refuse(reading, "era", "sse needs a url");
    server->approval =
        (enum server_approval)read_word(reading, "approval", approvals, ARRAY_LENGTH(approvals),
                                        "must be default, allow, ask or deny");
    server->pinning = (enum server_pinning)read_word(
        reading, "pinning", pinnings, ARRAY_LENGTH(pinnings), "must be tools or off");
    server->sampling = (enum server_sampling)read_word(
        reading, "sampling", samplings, ARRAY_LENGTH(samplings), "must be off, ask or allow");
}

static void check_kind(struct server_reading *reading, const struct server_config *server)
{
    if (server->command && server->url)
        refuse(reading, "url", "a server has a command or a url, not both");
    if (!server->url && (!server->command || !*server->command))
        refuse(reading, "command", "a server needs a command or a url");
    if (server->url && !text_starts_with(server->url, "http://") &&
        !text_starts_with(server->url, "https://"))
        refuse(reading, "url", "must begin with http:// or https://");
    if (server->url && !is_one_line(server->url))
        refuse(reading, "url", "has a line break");
}

/* The folder in full where it exists: servers compare such names with their own. */
static void read_roots(struct server_reading *reading, struct server_config *server)
{
    struct arena *arena = reading->loading->arena;
    const char *const *folders = NULL;
    size_t n = 0;
    read_list(reading, "roots", &folders, &n);
    const char **roots = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n && !reading->failed; i++) {
        if (!*folders[i])
            refuse(reading, "roots", "the name of a folder is empty");
        roots[i] = config_whole_path(arena, config_beside(arena, reading->file, folders[i]));
    }
    if (!folders || reading->failed)
        return;
    server->roots = roots;
    server->n_roots = n;
}

/* An approved project may send the variables that it names in full view to its own address, but not
 * the key of the user's model. */
static void check_key(struct server_reading *reading, const struct server_config *server)
{
    auto_str text = json_print(reading->value);
    if (reading->failed || !server->from_project || !json_object_get(reading->value, "url") ||
        !(strstr(text, "${OPENAI_API_KEY") || strstr(text, "${env:OPENAI_API_KEY")))
        return;
    refuse(reading, "url", "OPENAI_API_KEY goes only to addresses that you name yourself");
    err_hint(reading->err, reading->failed, "if you trust this file, name it: --mcp-config %s",
             reading->file);
}

static void read_members(struct server_reading *reading, struct server_config *server)
{
    struct arena *arena = reading->loading->arena;
    check_spelling(reading);
    check_key(reading, server);
    read_optional_text(reading, "command", &server->command);
    read_optional_text(reading, "url", &server->url);
    read_optional_text(reading, "cwd", &server->directory);
    check_kind(reading, server);
    read_list(reading, "args", &server->arguments, &server->n_arguments);
    read_pairs(reading, "env", "=", &server->environment, &server->n_environment);
    read_pairs(reading, "headers", ": ", &server->headers, &server->n_headers);
    read_list(reading, "allowed_tools", &server->allowed_tools, &server->n_allowed_tools);
    read_list(reading, "disabled_tools", &server->disabled_tools, &server->n_disabled_tools);
    read_time(reading, "timeout_ms", &server->timeout_ms);
    read_time(reading, "start_timeout_ms", &server->start_timeout_ms);
    read_roots(reading, server);
    if (!reading->failed && server->url)
        reading->failed = config_read_oauth(arena, reading->file, reading->name,
                                            json_object_get(reading->value, "oauth"),
                                            &server->oauth, reading->err);
    if (!reading->failed && server->directory)
        server->directory = config_beside(arena, reading->file, server->directory);
}

static bool is_taken(const struct config_loading *loading, const char *name)
{
    for (size_t i = 0; i < loading->n_servers; i++)
        if (strcmp(loading->servers[i].name, name) == 0)
            return true;
    return false;
}

/* What is wrong with a server that is switched off does not matter: its variables may well be
 * unset. */
static enum err_code read_server(struct server_reading *reading, bool from_project)
{
    struct config_loading *loading = reading->loading;
    struct server_config server = {
        .name = arena_strdup(loading->arena, reading->name),
        .file = reading->file,
        .from_project = from_project,
        .enabled = true,
    };
    if (!config_server_name_is_valid(reading->name)) {
        refuse(reading, "name", "not a name for a server");
        return err_hint(reading->err, reading->failed,
                        "use letters, digits, \"_\", \"-\" and \".\", at most 64, and rename it");
    }
    if (!json_is_object(reading->value)) {
        refuse(reading, "value", "must be an object");
        return reading->failed;
    }
    if (is_taken(loading, reading->name))
        return ERR_NONE;
    long long most = (long long)loading->settings->mcp_max_servers;
    if ((long long)loading->n_servers >= most) {
        err_set(reading->err, ERR_LIMIT, 0, "%s: more than %lld servers", reading->file, most);
        return err_hint(reading->err, ERR_LIMIT, "raise mcp.max_servers, or remove some");
    }
    read_flags(reading, &server);
    if (!reading->failed)
        read_members(reading, &server);
    if (!reading->failed || !server.enabled)
        *arena_push(loading->arena, loading->servers, loading->n_servers,
                    loading->servers_capacity) = server;
    return server.enabled ? reading->failed : ERR_NONE;
}

static enum err_code read_file(struct config_loading *loading, const char *file,
                               const json_t **out_servers, struct err *err)
{
    struct text_flaw flaw;
    const char *text = NULL;
    size_t length = 0;
    enum err_code r = config_read_file(file, loading->arena, &text, &length, err);
    if (r)
        return r;
    const json_t *value = arena_keep_json(loading->arena, jsonc_read(text, length, &flaw));
    if (!value)
        return flaw.line ? err_set(err, ERR_INVALID, 0, "%s:%d:%d: %s", file, flaw.line,
                                   flaw.column, flaw.why)
                         : err_set(err, ERR_LIMIT, 0, "%s: %s", file, flaw.why);
    const json_t *servers = json_object_get(value, "mcpServers");
    if (!servers)
        servers = json_object_get(value, "servers");
    if (!json_is_object(servers)) {
        r = err_set(err, ERR_INVALID, 0, "%s: has no \"mcpServers\"", file);
        return err_hint(err, r, "write {\"mcpServers\": {\"name\": {\"command\": …}}}");
    }
    *out_servers = servers;
    return ERR_NONE;
}

static enum err_code take_server(struct config_loading *loading, const char *file, const char *name,
                                 const json_t *value, bool from_project, struct err *err)
{
    struct server_reading reading = { loading, file, name, value, ERR_NONE, err };
    size_t start = loading->risk.length;
    if (from_project &&
        (long long)loading->n_items >= (long long)loading->settings->mcp_max_servers)
        config_give_up(loading);
    if (from_project && loading->risk_is_cut)
        return ERR_NONE;
    if (from_project) {
        config_note_risk(loading, file, arena_printf(loading->arena, "server %s", name), value);
        config_note_command(loading, json_object_get(value, "command"),
                            json_object_get(value, "args"));
    }
    if (!from_project || config_note_server(loading, file, name, start))
        return read_server(&reading, from_project);
    *arena_push(loading->arena, loading->waiting, loading->n_waiting, loading->waiting_capacity) =
        arena_strdup(loading->arena, name);
    return ERR_NONE;
}

enum err_code config_read_servers(struct config_loading *loading, const char *file,
                                  bool from_project, struct err *err)
{
    const json_t *servers = NULL, *value;
    const char *name;
    enum err_code r = read_file(loading, file, &servers, err);
    if (r && from_project) { /* who only looks into a folder is not stopped by it */
        config_note_flaw(loading, file, err);
        r = ERR_NONE;
    }
    json_each_member (servers, name, value)
        r = r ? r : take_server(loading, file, name, value, from_project, err);
    return r;
}

enum err_code config_check_server(struct arena *arena, const char *file, const char *name,
                                  const json_t *definition, struct err *err)
{
    struct settings settings;
    struct config_loading loading = { .arena = arena, .settings = &settings };
    struct server_reading reading = { &loading, file, name, definition, ERR_NONE, err };
    settings_init(&settings);
    return read_server(&reading, /* from_project= */ false);
}

/* They are written for another client, so what of them it alone can use is passed over, and a
 * server that cannot be read, or whose variables are not set, is off. */
enum err_code config_read_editor_servers(struct config_loading *loading, struct err *err)
{
    enum err_code r = ERR_NONE;
    struct client_file file;
    struct err ignored;
    for (const struct client_place *place = client_places; place->client; place++) {
        if (place->base != 'p' || !text_ends_with(place->path, "/mcp.json") ||
            !client_file_read(loading->arena, place, &file))
            continue;
        for (size_t i = 0; !r && i < file.servers.n; i++) {
            const struct client_server *server = &file.servers.list[i];
            if (!server->definition)
                continue;
            const char *name = client_server_name(loading->arena, &file, server);
            if (server->is_disabled ||
                config_check_server(loading->arena, file.path, name, server->definition, &ignored))
                json_object_set_new(server->definition, "enabled", json_false());
            r = take_server(loading, file.path, name, server->definition, /* from_project= */ true,
                            err);
        }
    }
    return r;
}
