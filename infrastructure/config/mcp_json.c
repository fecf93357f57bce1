#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include <ctype.h>
#include <string.h>

#define SERVER_NAME_MAX 64
#define MAX_LIST 1000
#define MISSPELT_MIN_LENGTH 6
#define MISSPELT_MAX_DISTANCE 2
#define MAX_TIMEOUT_MS 86400000

/* One server being read. */
struct server_reading {
    struct config_loading *loading;
    const char *file, *name;
    const json_t *value;
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

static enum err_code refuse(const struct server_reading *reading, const char *member,
                            const char *what)
{
    return err_set(reading->err, ERR_INVALID, 0, "%s: server \"%.64s\": %s: %s", reading->file,
                   reading->name, member, what);
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

/* Hosts have members of their own in this file; but "samplng" is nobody's, and what it should have
 * said would be silently so. */
static enum err_code check_spelling(const struct server_reading *reading)
{
    static const char *const known[] = {
        "command",  "args",     "env",           "cwd",
        "roots",    "url",      "headers",       "oauth",
        "enabled",  "disabled", "timeout_ms",    "start_timeout_ms",
        "era",      "type",     "allowed_tools", "disabled_tools",
        "approval", "sampling", "pinning",
    };
    const char *meant = NULL;
    const char *key = config_misspelt(reading->value, known, ARRAY_LENGTH(known), &meant);
    if (!key)
        return ERR_NONE;
    enum err_code r =
        err_set(reading->err, ERR_INVALID, 0, "%s: server \"%.64s\": there is no \"%.64s\"",
                reading->file, reading->name, key);
    return err_hint(reading->err, r, "did you mean %s?", meant);
}

/* A scalar as text with its variables expanded; numbers and booleans are taken as written. */
static enum err_code read_text(const struct server_reading *reading, const char *member,
                               const json_t *value, const char **out)
{
    struct arena *arena = reading->loading->arena;
    if (json_is_number(value) || json_is_boolean(value)) {
        *out = json_print_in(arena, value);
        return ERR_NONE;
    }
    if (!json_is_string(value) || json_string_has_nul(value))
        return refuse(reading, member, "must be text");
    enum err_code r = config_expand(arena, json_string_value(value), out, reading->err);
    return r ? err_prefix(reading->err, r, "%s: server \"%.64s\": %s", reading->file, reading->name,
                          member)
             : ERR_NONE;
}

static enum err_code read_optional_text(const struct server_reading *reading, const char *member,
                                        const char **out)
{
    const json_t *value = json_object_get(reading->value, member);
    return value && !json_is_null(value) ? read_text(reading, member, value, out) : ERR_NONE;
}

static enum err_code read_list(const struct server_reading *reading, const char *member,
                               const char *const **out, size_t *out_n)
{
    const json_t *list = json_object_get(reading->value, member), *element;
    size_t i, n = json_array_size(list);
    if (!list || json_is_null(list))
        return ERR_NONE;
    if (!json_is_array(list) || n > MAX_LIST)
        return refuse(reading, member, "must be a list of at most 1000 texts");
    const char **texts = arena_array(reading->loading->arena, const char *, n + 1);
    json_array_foreach (list, i, element) {
        enum err_code r = read_text(reading, member, element, &texts[i]);
        if (r)
            return r;
    }
    *out = texts;
    *out_n = n;
    return ERR_NONE;
}

static bool is_one_line(const char *text)
{
    return !strpbrk(text, "\r\n");
}

/* A map as "NAME=value" or "Name: value". */
static enum err_code read_pairs(const struct server_reading *reading, const char *member,
                                const char *between, const char *const **out, size_t *out_n)
{
    struct arena *arena = reading->loading->arena;
    const json_t *map = json_object_get(reading->value, member), *value;
    const char *key;
    size_t n = 0;
    if (!map || json_is_null(map))
        return ERR_NONE;
    if (!json_is_object(map) || json_object_size(map) > MAX_LIST)
        return refuse(reading, member, "must be a map of at most 1000 names to texts");
    const char **pairs = arena_array(arena, const char *, json_object_size(map) + 1);
    json_each_member (map, key, value) {
        const char *text = NULL;
        bool is_header = *between == ':';
        if (!*key || strpbrk(key, is_header ? ": \t\r\n" : "=\r\n"))
            return refuse(reading, member, "a name is empty or has bytes that do not belong there");
        enum err_code r = read_text(reading, member, value, &text);
        if (!r && is_header && !is_one_line(text))
            r = refuse(reading, member, "a value with a line break");
        if (r)
            return r;
        pairs[n++] = arena_printf(arena, "%s%s%s", key, between, text);
    }
    *out = pairs;
    *out_n = n;
    return ERR_NONE;
}

static enum err_code read_time(const struct server_reading *reading, const char *member,
                               int64_t *out)
{
    const json_t *value = json_object_get(reading->value, member);
    if (!value)
        return ERR_NONE;
    if (!json_is_integer(value) || json_integer_value(value) < 1 ||
        json_integer_value(value) > MAX_TIMEOUT_MS)
        return refuse(reading, member, "must be a whole number from 1 to 86400000");
    *out = json_integer_value(value);
    return ERR_NONE;
}

/* A word of a list; its index becomes the value. The first word is the default. */
static enum err_code read_word(const struct server_reading *reading, const char *member,
                               const char *const *words, size_t n, const char *what, int *out)
{
    const json_t *value = json_object_get(reading->value, member);
    for (size_t i = 0; value && i < n; i++) {
        if (text_equal(json_string_value(value), words[i])) {
            *out = (int)i;
            return ERR_NONE;
        }
    }
    return value ? refuse(reading, member, what) : ERR_NONE;
}

/* Other programs write the oldest way over HTTP as a type. */
static enum err_code read_era(const struct server_reading *reading, struct server_config *server)
{
    static const char *const eras[] = { "auto", "modern", "legacy", "sse" };
    int era = ERA_AUTO;
    bool has_url = json_get_string(reading->value, "url") != NULL;
    enum err_code r = read_word(reading, "era", eras, ARRAY_LENGTH(eras),
                                "must be auto, modern, legacy or sse", &era);
    if (era == ERA_AUTO && has_url && text_equal(json_get_string(reading->value, "type"), "sse"))
        era = ERA_SSE;
    if (!r && era == ERA_SSE && !has_url)
        return refuse(reading, "era", "sse needs a url");
    server->era = (enum server_era)era;
    return r;
}

static enum err_code read_flags(const struct server_reading *reading, struct server_config *server)
{
    static const char *const approvals[] = { "default", "allow", "ask", "deny" };
    static const char *const pinnings[] = { "tools", "off" };
    static const char *const samplings[] = { "off", "ask", "allow" };
    int approval = SERVER_APPROVAL_DEFAULT, pinning = SERVER_PINNING_TOOLS;
    int sampling = SERVER_SAMPLING_OFF;
    const json_t *enabled = json_object_get(reading->value, "enabled");
    if (enabled && !json_is_boolean(enabled))
        return refuse(reading, "enabled", "must be true or false");
    server->enabled = !json_is_false(enabled) && !json_get_bool(reading->value, "disabled", false);
    enum err_code r = read_era(reading, server);
    if (!r)
        r = read_word(reading, "approval", approvals, ARRAY_LENGTH(approvals),
                      "must be default, allow, ask or deny", &approval);
    if (!r)
        r = read_word(reading, "pinning", pinnings, ARRAY_LENGTH(pinnings), "must be tools or off",
                      &pinning);
    if (!r)
        r = read_word(reading, "sampling", samplings, ARRAY_LENGTH(samplings),
                      "must be off, ask or allow", &sampling);
    server->sampling = (enum server_sampling)sampling;
    server->approval = (enum server_approval)approval;
    server->pinning = (enum server_pinning)pinning;
    return r;
}

static enum err_code check_kind(const struct server_reading *reading,
                                const struct server_config *server)
{
    if (server->command && server->url)
        return refuse(reading, "url", "a server has a command or a url, not both");
    if (!server->url && (!server->command || !*server->command))
        return refuse(reading, "command", "a server needs a command or a url");
    if (server->url && !text_starts_with(server->url, "http://") &&
        !text_starts_with(server->url, "https://"))
        return refuse(reading, "url", "must begin with http:// or https://");
    return server->url && !is_one_line(server->url) ? refuse(reading, "url", "has a line break")
                                                    : ERR_NONE;
}

/* The folder in full where it exists: servers compare such names with their own. */
static enum err_code read_roots(const struct server_reading *reading, struct server_config *server)
{
    struct arena *arena = reading->loading->arena;
    const char *const *folders = NULL;
    size_t n = 0;
    enum err_code r = read_list(reading, "roots", &folders, &n);
    if (r || !folders)
        return r;
    const char **roots = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (!*folders[i])
            return refuse(reading, "roots", "the name of a folder is empty");
        roots[i] = config_whole_path(arena, config_beside(arena, reading->file, folders[i]));
    }
    server->roots = roots;
    server->n_roots = n;
    return ERR_NONE;
}

/* An approved project may send the variables that it names in full view to its own address, but not
 * the key of the user's model. */
static enum err_code check_key(const struct server_reading *reading,
                               const struct server_config *server)
{
    auto_str text = json_print(reading->value);
    if (!server->from_project || !json_object_get(reading->value, "url") ||
        !(strstr(text, "${OPENAI_API_KEY") || strstr(text, "${env:OPENAI_API_KEY")))
        return ERR_NONE;
    enum err_code r =
        refuse(reading, "url", "OPENAI_API_KEY goes only to addresses that you name yourself");
    return err_hint(reading->err, r, "if you trust this file, name it: --mcp-config %s",
                    reading->file);
}

static enum err_code read_members(const struct server_reading *reading,
                                  struct server_config *server)
{
    enum err_code r = check_spelling(reading);
    if (!r)
        r = check_key(reading, server);
    if (!r)
        r = read_optional_text(reading, "command", &server->command);
    if (!r)
        r = read_optional_text(reading, "url", &server->url);
    if (!r)
        r = read_optional_text(reading, "cwd", &server->directory);
    if (!r)
        r = check_kind(reading, server);
    if (!r)
        r = read_list(reading, "args", &server->arguments, &server->n_arguments);
    if (!r)
        r = read_pairs(reading, "env", "=", &server->environment, &server->n_environment);
    if (!r)
        r = read_pairs(reading, "headers", ": ", &server->headers, &server->n_headers);
    if (!r)
        r = read_list(reading, "allowed_tools", &server->allowed_tools, &server->n_allowed_tools);
    if (!r)
        r = read_list(reading, "disabled_tools", &server->disabled_tools,
                      &server->n_disabled_tools);
    if (!r)
        r = read_time(reading, "timeout_ms", &server->timeout_ms);
    if (!r)
        r = read_time(reading, "start_timeout_ms", &server->start_timeout_ms);
    if (!r)
        r = read_roots(reading, server);
    if (!r && server->url)
        r = config_read_oauth(reading->loading->arena, reading->file, reading->name,
                              json_object_get(reading->value, "oauth"), &server->oauth,
                              reading->err);
    if (!r && server->directory)
        server->directory =
            config_beside(reading->loading->arena, reading->file, server->directory);
    return r;
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
static enum err_code read_server(const struct server_reading *reading, bool from_project)
{
    struct config_loading *loading = reading->loading;
    struct server_config server = {
        .name = arena_strdup(loading->arena, reading->name),
        .file = reading->file,
        .from_project = from_project,
        .enabled = true,
    };
    if (!config_server_name_is_valid(reading->name)) {
        enum err_code r = refuse(reading, "name", "not a name for a server");
        return err_hint(reading->err, r,
                        "use letters, digits, \"_\", \"-\" and \".\", at most 64, and rename it");
    }
    if (!json_is_object(reading->value))
        return refuse(reading, "value", "must be an object");
    if (is_taken(loading, reading->name))
        return ERR_NONE;
    if (loading->n_servers == CONFIG_MAX_SERVERS)
        return err_set(reading->err, ERR_LIMIT, 0, "%s: more than %d servers", reading->file,
                       CONFIG_MAX_SERVERS);
    enum err_code r = read_flags(reading, &server);
    if (!r)
        r = read_members(reading, &server);
    if (!r || !server.enabled)
        *arena_push(loading->arena, loading->servers, loading->n_servers,
                    loading->servers_capacity) = server;
    return server.enabled ? r : ERR_NONE;
}

/* Editors write // and block comments into their JSON; blanks in their place keep every line and
 * column where it was. */
static char *without_comments(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_strndup(arena, text, length);
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        if (in_string) {
            if (copy[i] == '\\')
                i++;
            else if (copy[i] == '"')
                in_string = false;
        } else if (copy[i] == '"') {
            in_string = true;
        } else if (copy[i] == '/' && copy[i + 1] == '/') {
            while (i < length && copy[i] != '\n')
                copy[i++] = ' ';
        } else if (copy[i] == '/' && copy[i + 1] == '*') {
            const char *end = strstr(copy + i + 2, "*/");
            size_t stop = end ? (size_t)(end - copy) + 2 : length;
            for (; i < stop; i++)
                copy[i] = copy[i] == '\n' ? '\n' : ' ';
            i--;
        }
    }
    return copy;
}

static enum err_code read_file(struct config_loading *loading, const char *file,
                               const json_t **out_servers, struct err *err)
{
    struct document document = { 0 };
    const char *text = NULL;
    size_t length = 0;
    enum err_code r = config_read_file(file, loading->arena, &text, &length, err);
    if (r)
        return r;
    r = documents_parse(loading->documents, without_comments(loading->arena, text, length), length,
                        loading->arena, &document, err);
    if (r)
        return err_prefix(err, r, "%s", file);
    const json_t *servers = json_object_get(document.value, "mcpServers");
    if (!servers)
        servers = json_object_get(document.value, "servers");
    if (!json_is_object(servers)) {
        r = err_set(err, ERR_INVALID, 0, "%s: has no \"mcpServers\"", file);
        return err_hint(err, r, "write {\"mcpServers\": {\"name\": {\"command\": …}}}");
    }
    *out_servers = servers;
    return ERR_NONE;
}

enum err_code config_read_servers(struct config_loading *loading, const char *file,
                                  bool from_project, struct err *err)
{
    const json_t *servers = NULL, *value;
    const char *name;
    enum err_code r = read_file(loading, file, &servers, err);
    if (r)
        return r;
    json_each_member (servers, name, value) {
        struct server_reading reading = { loading, file, name, value, err };
        if (from_project) {
            config_note_risk(loading, file, arena_printf(loading->arena, "server %s", name), value);
            config_note_command(loading, json_object_get(value, "command"),
                                json_object_get(value, "args"));
        }
        if (from_project && !loading->project_approved)
            continue;
        r = read_server(&reading, from_project);
        if (r)
            return r;
    }
    return ERR_NONE;
}
