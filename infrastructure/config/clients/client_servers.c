#include "infrastructure/config/clients/client_servers.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/clients/references.h"
#include <ctype.h>
#include <string.h>

#define MCP "/mcpServers"
#define OPENCODE "/mcp/servers /mcp"
#define MAC "Library/Application Support/"

const struct client_place client_places[] = {
    { "claude-desktop", 'c', "Claude/claude_desktop_config.json", CLIENT_JSON, MCP },
    { "claude-desktop", 'h', MAC "Claude/claude_desktop_config.json", CLIENT_JSON, MCP },
    { "claude-code", 'h', ".claude.json", CLIENT_JSON, MCP },
    { "claude-code", 'p', ".mcp.json", CLIENT_JSON, MCP },
    { "vscode", 'c', "Code/User/mcp.json", CLIENT_JSON, "/servers " MCP },
    { "vscode", 'c', "Code/User/settings.json", CLIENT_JSON, "/mcp/servers" },
    { "vscode", 'h', MAC "Code/User/mcp.json", CLIENT_JSON, "/servers " MCP },
    { "vscode", 'h', MAC "Code/User/settings.json", CLIENT_JSON, "/mcp/servers" },
    { "vscode", 'p', ".vscode/mcp.json", CLIENT_JSON, "/servers " MCP },
    { "cursor", 'h', ".cursor/mcp.json", CLIENT_JSON, MCP },
    { "cursor", 'p', ".cursor/mcp.json", CLIENT_JSON, MCP },
    { "windsurf", 'h', ".codeium/windsurf/mcp_config.json", CLIENT_JSON, MCP },
    { "windsurf", 'h', ".codeium/mcp_config.json", CLIENT_JSON, MCP },
    { "codex", 'x', "config.toml", CLIENT_TOML, "/mcp_servers" },
    { "codex", 'p', ".codex/config.toml", CLIENT_TOML, "/mcp_servers" },
    { "opencode", 'c', "opencode/opencode.json", CLIENT_JSON, OPENCODE },
    { "opencode", 'c', "opencode/opencode.jsonc", CLIENT_JSON, OPENCODE },
    { "opencode", 'p', "opencode.json", CLIENT_JSON, OPENCODE },
    { "opencode", 'p', "opencode.jsonc", CLIENT_JSON, OPENCODE },
    { "opencode", 'p', ".opencode/opencode.json", CLIENT_JSON, OPENCODE },
    { "opencode", 'p', ".opencode/opencode.jsonc", CLIENT_JSON, OPENCODE },
    { "gemini-cli", 'h', ".gemini/settings.json", CLIENT_JSON, MCP },
    { "gemini-cli", 'p', ".gemini/settings.json", CLIENT_JSON, MCP },
    { "goose", 'c', "goose/config.yaml", CLIENT_YAML, "/extensions" },
    { "zed", 'c', "zed/settings.json", CLIENT_JSON, "/context_servers" },
    { "zed", 'p', ".zed/settings.json", CLIENT_JSON, "/context_servers" },
    { "lm-studio", 'h', ".lmstudio/mcp.json", CLIENT_JSON, MCP },
    { "lm-studio", 'h', ".cache/lm-studio/mcp.json", CLIENT_JSON, MCP },
    { "mistral-vibe", 'h', ".vibe/config.toml", CLIENT_TOML, "/mcp_servers" },
    { "mistral-vibe", 'p', ".vibe/config.toml", CLIENT_TOML, "/mcp_servers" },
    { .client = NULL },
};

/* Those of one client; what is in no row expands nothing. */
static const struct {
    const char *client;
    unsigned references;
} client_references[] = {
    { "claude-code", REFERENCE_BRACES },
    { "vscode", REFERENCE_ENV | REFERENCE_EDITOR },
    { "cursor", REFERENCE_ENV | REFERENCE_EDITOR },
    { "lm-studio", REFERENCE_ENV | REFERENCE_EDITOR },
    { "windsurf", REFERENCE_ENV | REFERENCE_FILE },
    { "opencode", REFERENCE_CURLY },
    { "gemini-cli", REFERENCE_BRACES | REFERENCE_DOLLAR },
    { "goose", REFERENCE_BRACES | REFERENCE_DOLLAR },
};

struct reading {
    struct arena *arena;
    const struct client_place *place;
    struct reference_style style;
    const json_t *entry;
    const char *path; /* of the entry */
    struct client_server *server;
};

static void refuse(struct reading *r, const char *member, const char *why)
{
    if (r->server->why_not)
        return;
    r->server->why_not = why;
    r->server->flaw = *member ? json_path_member(r->arena, r->path, member) : r->path;
}

/* The first member that is there, of names with a blank between them. */
static const json_t *member(const json_t *entry, const char *names, const char **out_name)
{
    char name[32];
    for (size_t n; *names; names += n + (names[n] == ' ')) {
        n = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        const json_t *value = json_object_get(entry, name);
        if (out_name)
            *out_name = names;
        if (value && !json_is_null(value))
            return value;
    }
    return NULL;
}

static const char *text_in(const json_t *entry, const char *names)
{
    return json_string_value(member(entry, names, NULL));
}

/* A scalar as text; goose expands nothing in what it starts. NULL: it is none. */
static const char *text_of(struct reading *r, const json_t *value, bool of_command)
{
    struct reference_style style = r->style;
    if (of_command && strcmp(r->place->client, "goose") == 0)
        style.kinds = 0;
    if (json_is_number(value) || json_is_boolean(value))
        return json_print_in(r->arena, value);
    return json_is_string(value) && !json_string_has_nul(value)
               ? references_translated(r->arena, &style, json_string_value(value))
               : NULL;
}

static void add_texts(struct reading *r, json_t *to, const char *name, const json_t *list)
{
    const json_t *element;
    size_t i;
    if (list && !json_is_array(list))
        refuse(r, name, "must be a list of texts");
    json_array_foreach (list, i, element) {
        const char *text = text_of(r, element, true);
        if (text)
            json_array_append_new(to, json_string(text));
        else
            refuse(r, name, "must be a list of texts");
    }
}

static void add_pairs(struct reading *r, json_t *to, const char *name, const json_t *map,
                      bool of_command)
{
    const char *key;
    const json_t *value;
    if (map && !json_is_object(map))
        refuse(r, name, "must be a map of names to texts");
    json_each_member (map, key, value) {
        const char *text = text_of(r, value, of_command);
        if (text)
            json_object_set_new(to, key, json_string(text));
        else if (!json_is_null(value))
            refuse(r, name, "must be a map of names to texts");
    }
}

/* Each variable of the list under its own name; Codex also writes {name, source}. */
static void pass_variables(struct reading *r, json_t *env, const json_t *list)
{
    const json_t *element;
    size_t i;
    json_array_foreach (list, i, element) {
        const char *name =
            json_is_object(element) ? json_get_string(element, "name") : json_string_value(element);
        if (name && !json_object_get(env, name))
            json_object_set_new(env, name, json_string(reference_to(r->arena, name)));
    }
}

static void set_map(json_t *definition, const char *name, json_t *map)
{
    if (json_object_size(map))
        json_object_set(definition, name, map);
    json_decref(map);
}

/* The words of a command as a shell splits them. */
static void add_words(struct arena *arena, json_t *to, const char *text)
{
    while (*(text += strspn(text, " \t"))) {
        char *word = arena_alloc(arena, strlen(text) + 1), quote = '\0';
        for (size_t n = 0; *text && (quote || !strchr(" \t", *text)); text++) {
            if (*text == quote)
                quote = '\0';
            else if (!quote && (*text == '"' || *text == '\''))
                quote = *text;
            else
                word[n++] = *text == '\\' && quote != '\'' && text[1] ? *++text : *text;
        }
        json_array_append_new(to, json_string(word));
    }
}

static void read_program(struct reading *r, json_t *definition)
{
    const json_t *command = member(r->entry, "command cmd", NULL), *entry = r->entry;
    json_t *words = json_array(), *env = json_object();
    if (json_is_object(command)) { /* Zed once had all of it in there */
        entry = command;
        command = json_object_get(entry, "path");
    }
    if (json_is_array(command))
        add_texts(r, words, "command", command);
    else if (text_of(r, command, true) && strcmp(r->place->client, "mistral-vibe") == 0)
        add_words(r->arena, words, json_string_value(command));
    else if (json_is_string(command))
        json_array_append_new(words, json_string(text_of(r, command, true)));
    if (!json_is_string(json_array_get(words, 0)))
        refuse(r, "command", "must be text");
    add_texts(r, words, "args", member(entry, "args", NULL));
    const char *name = "env";
    const json_t *map = member(entry, "env environment envs", &name);
    add_pairs(r, env, map ? arena_strndup(r->arena, name, strcspn(name, " ")) : name, map, true);
    pass_variables(r, env, member(entry, "env_vars env_keys", NULL));
    json_object_set(definition, "command", json_array_get(words, 0));
    json_array_remove(words, 0);
    json_object_set_new(definition, "args", words);
    set_map(definition, "env", env);
    const char *folder = text_of(r, member(entry, "cwd", NULL), true);
    if (folder && r->style.folder && !strchr("/~$", *folder))
        folder = arena_printf(r->arena, "%s/%s", r->style.folder, folder);
    if (folder)
        json_object_set_new(definition, "cwd", json_string(folder));
}

/* Variables that Codex and vibe name in members of their own. */
static void add_tokens(struct reading *r, json_t *headers)
{
    const char *bearer = text_in(r->entry, "bearer_token_env_var");
    const char *literal = text_in(r->entry, "bearer_token");
    const char *key = text_in(r->entry, "api_key_env"), *name;
    const char *header = text_in(r->entry, "api_key_header");
    const char *format = text_in(r->entry, "api_key_format");
    const char *token = format ? strstr(format, "{token}") : NULL;
    const json_t *variable;
    if (bearer || literal)
        json_object_set_new(
            headers, "Authorization",
            json_string(bearer ? arena_printf(r->arena, "Bearer %s", reference_to(r->arena, bearer))
                               : arena_printf(r->arena, "Bearer %s", literal)));
    if (key && *key)
        json_object_set_new(
            headers, header ? header : "Authorization",
            json_string(token ? arena_printf(r->arena, "%.*s%s%s", (int)(token - format), format,
                                             reference_to(r->arena, key), token + strlen("{token}"))
                              : arena_printf(r->arena, "Bearer %s", reference_to(r->arena, key))));
    json_each_member (json_object_get(r->entry, "env_http_headers"), name, variable)
        if (json_is_string(variable))
            json_object_set_new(headers, name,
                                json_string(reference_to(r->arena, json_string_value(variable))));
}

/* The client that is known to the authorization server. */
static void add_oauth(struct reading *r, json_t *definition)
{
    static const char *const names[][2] = {
        { "client_id", "clientId client_id CLIENT_ID" },
        { "client_secret", "clientSecret client_secret CLIENT_SECRET" },
        { "scope", "scope scopes" },
    };
    const json_t *from = member(r->entry, "oauth auth", NULL);
    json_t *oauth = json_object();
    for (size_t i = 0; i < ARRAY_LENGTH(names) && text_in(from, names[0][1]); i++) {
        const json_t *value = member(from, names[i][1], NULL);
        const char *text = json_is_array(value) ? json_join_elements(r->arena, value, " ")
                                                : text_of(r, value, false);
        if (text && *text)
            json_object_set_new(oauth, names[i][0], json_string(text));
    }
    set_map(definition, "oauth", oauth);
}

static void read_remote(struct reading *r, json_t *definition, const json_t *url, const char *type)
{
    json_t *headers = json_object();
    const char *text = text_of(r, url, false), *name = "headers";
    if (!text)
        refuse(r, "url", "must be text");
    else if (!text_starts_with(text, "http://") && !text_starts_with(text, "https://") &&
             !text_starts_with(text, "${"))
        r->server->why_not = "its URL is not http or https";
    bool is_codex = strcmp(r->place->client, "codex") == 0; /* it passes over "headers" */
    const json_t *map = member(r->entry, is_codex ? "http_headers" : "headers", &name);
    add_pairs(r, headers, map ? arena_strndup(r->arena, name, strcspn(name, " ")) : name, map,
              false);
    add_tokens(r, headers);
    json_object_set_new(definition, "url", json_string(text));

    bool is_gemini_url = strcmp(r->place->client, "gemini-cli") == 0 && !type &&
                         url == json_object_get(r->entry, "url");
    if (text_equal(type, "sse") || is_gemini_url)
        json_object_set_new(definition, "type", json_string("sse"));
    set_map(definition, "headers", headers);
    add_oauth(r, definition);
}

/* Tools that a person switched off stay so. */
static void read_tools(struct reading *r, json_t *definition)
{
    static const char *const names[][2] = {
        { "disabled_tools", "disabled_tools disabledTools excludeTools" },
        { "allowed_tools", "enabled_tools includeTools available_tools" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        json_t *list = json_array();
        add_texts(r, list, names[i][0], member(r->entry, names[i][1], NULL));
        if (json_array_size(list))
            json_object_set(definition, names[i][0], list);
        json_decref(list);
    }
}

static void note_left_out(struct reading *r)
{
    static const char *const names[] = { "envFile", "env_file", "headersHelper",
                                         "authProviderType" };
    r->server->left_out = "";
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (json_object_get(r->entry, names[i]))
            r->server->left_out = arena_printf(r->arena, "%s%s%s", r->server->left_out,
                                               *r->server->left_out ? ", " : "", names[i]);
}

static void read_entry(struct reading *r)
{
    static const char *const own[] = { "builtin", "platform", "frontend", "inline_python" };
    const char *type = text_in(r->entry, "type transport");
    const json_t *url = member(r->entry, "httpUrl serverUrl uri url", NULL);
    const json_t *command = member(r->entry, "command cmd", NULL);
    json_t *definition = arena_keep_json(r->arena, json_object());
    bool is_remote =
        url &&
        (!command || (type && !text_is_one_of(type, (const char *const[]){ "stdio", "local" }, 2)));
    note_left_out(r);
    if (!json_is_object(r->entry))
        refuse(r, "", "must be an object");
    else if (text_is_one_of(type, own, ARRAY_LENGTH(own)))
        r->server->why_not = "it is a part of its client, no MCP server";
    else if (!url && !command)
        r->server->why_not = "it has no command and no URL";
    else if (is_remote)
        read_remote(r, definition, url, type);
    else
        read_program(r, definition);
    read_tools(r, definition);
    r->server->is_disabled = json_is_true(json_object_get(r->entry, "disabled")) ||
                             json_is_false(json_object_get(r->entry, "enabled"));
    r->server->definition = r->server->why_not ? NULL : definition;
}

/* What a list of names has, as a map; NULL: it is none. */
static const json_t *listed(struct arena *arena, const json_t *list)
{
    json_t *names = json_is_array(list) ? arena_keep_json(arena, json_object()) : NULL;
    const json_t *name;
    size_t i;
    json_array_foreach (list, i, name)
        if (json_is_string(name))
            json_object_set_new(names, json_string_value(name), json_true());
    return names;
}

static void read_servers(struct reading *r, const json_t *settings, const json_t *servers,
                         const char *path, const char *project, struct client_servers *out)
{
    const char *key;
    const json_t *entry;
    size_t i;
    bool is_list = strcmp(r->place->client, "mistral-vibe") == 0;
    if (is_list ? !json_is_array(servers) : !json_is_object(servers)) {
        out->flaw = path;
        return;
    }
    json_t *named = arena_keep_json(r->arena, json_object());
    const json_t *allowed = listed(r->arena, json_path_find(settings, "/mcp/allowed"));
    const json_t *excluded = listed(r->arena, json_path_find(settings, "/mcp/excluded"));
    const json_t *off = listed(r->arena, json_object_get(settings, "disabledMcpServers"));
    json_array_foreach (servers, i, entry)
        if (json_get_string(entry, "name"))
            json_object_set_new(named, json_get_string(entry, "name"), json_share(entry));
    json_each_member (is_list ? named : servers, key, entry) {
        r->server = arena_push(r->arena, out->list, out->n, out->capacity);
        *r->server = (struct client_server){ .name = key, .project = project };
        r->entry = entry;
        r->path = json_path_member(r->arena, path, key);
        r->style.origins = arena_keep_json(r->arena, json_object());
        r->server->origins = r->style.origins;
        r->style.server = key;
        read_entry(r);
        r->server->is_disabled = r->server->is_disabled || json_object_get(excluded, key) ||
                                 json_object_get(off, key) ||
                                 (allowed && !json_object_get(allowed, key));
    }
}

/* The first place that has something, of pointers with a blank between them. */
static const json_t *find_servers(struct arena *arena, const json_t *settings, const char *paths,
                                  const char **out_path)
{
    for (size_t n; *paths; paths += n + (paths[n] == ' ')) {
        n = strcspn(paths, " ");
        *out_path = arena_strndup(arena, paths, n);
        const json_t *found = json_path_find(settings, *out_path);
        bool is_server = json_is_string(json_object_get(found, "type")); /* called "servers" */
        if (found && !json_is_null(found) && !is_server)
            return found;
    }
    return NULL;
}

void client_servers_read(struct arena *arena, const struct client_place *place,
                         const json_t *settings, const char *folder, struct client_servers *out)
{
    struct reading r = { .arena = arena, .place = place, .style = { .folder = folder } };
    const char *path = "", *project;
    const json_t *of_project;
    *out = (struct client_servers){ 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(client_references); i++)
        if (strcmp(place->client, client_references[i].client) == 0)
            r.style.kinds = client_references[i].references;
    const json_t *servers = find_servers(arena, settings, place->servers, &path);
    if (servers || (settings && !json_is_object(settings) && !json_is_null(settings)))
        read_servers(&r, settings, servers, servers ? path : "", NULL, out);
    if (strcmp(place->client, "claude-code") != 0)
        return;
    json_each_member (json_object_get(settings, "projects"), project, of_project) {
        path = json_path_member(arena, json_path_member(arena, "/projects", project), "mcpServers");
        servers = json_object_get(of_project, "mcpServers");
        r.style.folder = project;
        if (servers)
            read_servers(&r, of_project, servers, path, project, out);
    }
}

size_t client_server_variables(struct arena *arena, const json_t *definition, bool also_optional,
                               const char ***out_names)
{
    const char **names = NULL;
    size_t n = 0, capacity = 0;
    json_auto_t *seen = json_object();
    const char *text = definition ? json_print_in(arena, definition) : "";
    while ((text = strstr(text, "${"))) {
        text += 2;
        size_t length = strcspn(text, ":}");
        const char *name = arena_strndup(arena, text, length);
        if (!length || (!also_optional && text[length] != '}') || json_object_get(seen, name) ||
            strcmp(name, "workspaceFolder") == 0)
            continue;
        json_object_set_new(seen, name, json_true());
        *arena_push(arena, names, n, capacity) = name;
    }
    *out_names = names;
    return n;
}
