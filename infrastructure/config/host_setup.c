#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/client_files.h"
#include "infrastructure/config/clients/foreign_text.h"
#include "infrastructure/config/config_internal.h"
#include <string.h>

#define NAME "mistro"
#define MAX_BACKUPS 100

static const struct host {
    const char *name, *servers; /* the member that has them */
} hosts[] = {
    { "claude-desktop", "mcpServers" }, { "vscode", "servers" },   { "cursor", "mcpServers" },
    { "zed", "context_servers" },       { "goose", "extensions" },
};

static const struct host *find_host(const char *name)
{
    size_t i = 0;
    while (i < ARRAY_LENGTH(hosts) && strcmp(hosts[i].name, name) != 0)
        i++;
    return i < ARRAY_LENGTH(hosts) ? &hosts[i] : NULL;
}

static json_t *entry_of(struct arena *arena, const struct host *host, const char *program)
{
    bool is_goose = strcmp(host->name, "goose") == 0, is_vscode = strcmp(host->name, "vscode") == 0;
    if (is_goose)
        return arena_keep_json(arena, json_pack("{s:s, s:s, s:b, s:s, s:[s, s], s:i}", "name", NAME,
                                                "type", "stdio", "enabled", 1, "cmd", program,
                                                "args", "serve", "agent", "timeout", 300));
    json_t *entry = json_pack("{s:s, s:[s, s]}", "command", program, "args", "serve", "agent");
    if (is_vscode)
        json_object_set_new(entry, "type", json_string("stdio"));
    return arena_keep_json(arena, entry);
}

/* The text with so many blanks behind each line break. */
static const char *indented(struct arena *arena, const char *text, size_t n)
{
    const char *out = "", *line;
    for (; (line = strchr(text, '\n')) && line[1]; text = line + 1)
        out = arena_printf(arena, "%s%.*s\n%*s", out, (int)(line - text), text, (int)n, "");
    return arena_printf(arena, "%s%s", out, text);
}

static const char *printed(struct arena *arena, const struct client_place *place,
                           const json_t *value)
{
    const char *text = NULL;
    struct err ignored;
    if (place->format == CLIENT_YAML &&
        !documents_print_yaml(yaml_documents(), value, arena, &text, &ignored))
        return text;
    auto_str json = json_print_pretty(value);
    return arena_printf(arena, "%s\n", json);
}

static const char *with(struct arena *arena, const char *text, size_t at, const char *added)
{
    return arena_printf(arena, "%.*s%s%s", (int)at, text, added, text + at);
}

static size_t offset_of(const char *text, int line, int column)
{
    size_t at = 0;
    for (; line > 1 && text[at]; at++)
        line -= text[at] == '\n';
    for (; column > 1 && text[at]; column--)
        at += text_utf8_next(text + at, strlen(text + at), NULL);
    return at;
}

/* Behind the bracket that opens the servers, or the file. */
static const char *merge_json(struct arena *arena, const struct host *host, const char *text,
                              const struct document *document, const json_t *entry)
{
    int line = 1, column = 1;
    const json_t *servers = json_object_get(document->value, host->servers);
    const char *path = servers ? arena_printf(arena, "/%s", host->servers) : "";
    const json_t *around = servers ? servers : document->value;
    if (!documents_value_place(yaml_documents(), document, path, &line, &column))
        return NULL;
    size_t at = offset_of(text, line, column), depth = servers ? 4 : 2;
    json_auto_t *outer = servers ? NULL : json_pack("{s:O}", NAME, entry);
    auto_str print = json_print_pretty(servers ? entry : outer);
    return text[at] != '{'
               ? NULL
               : with(arena, text, at + 1,
                      arena_printf(arena, "\n%*s\"%s\": %s%s", (int)depth, "",
                                   servers ? NAME : host->servers, indented(arena, print, depth),
                                   json_object_size(around) ? "," : "\n"));
}

/* Above the first of the servers, or at the end of the file. */
static const char *merge_yaml(struct arena *arena, const struct host *host, const char *text,
                              const struct document *document, const struct client_place *place,
                              const json_t *entry, const char *snippet)
{
    const json_t *servers = json_object_get(document->value, host->servers);
    void *first = json_object_iter((json_t *)(uintptr_t)servers);
    int line = 0, column = 0;
    bool is_blank = !document->value || json_is_null(document->value);
    if (!servers && (is_blank || json_is_object(document->value)))
        return arena_printf(arena, "%s%s%s", text, !*text || text_ends_with(text, "\n") ? "" : "\n",
                            snippet);
    if (!first ||
        !documents_place(yaml_documents(), document,
                         json_path_member(arena, arena_printf(arena, "/%s", host->servers),
                                          json_object_iter_key(first)),
                         &line, &column))
        return NULL;
    json_auto_t *outer = json_pack("{s:O}", NAME, entry);
    const char *added = indented(arena, printed(arena, place, outer), (size_t)column - 1);
    return with(arena, text, offset_of(text, line, column),
                arena_printf(arena, "%s%*s", added, column - 1, ""));
}

/* Whether the text says what the value did, and the entry beside it. */
static bool is_merged(struct arena *arena, const struct host *host, const char *text,
                      const json_t *before, const json_t *entry)
{
    struct document document = { 0 };
    struct err ignored;
    const char *plain = jsonc_blanked(arena, text, strlen(text));
    bool is_yaml = strcmp(host->name, "goose") == 0;
    if (documents_parse(yaml_documents(), is_yaml ? text : plain, strlen(text), arena, &document,
                        &ignored))
        return false;
    json_auto_t *wanted = json_is_object(before) ? json_deep_copy(before) : json_object();
    if (!json_is_object(json_object_get(wanted, host->servers)))
        json_object_set_new(wanted, host->servers, json_object());
    json_object_set(json_object_get(wanted, host->servers), NAME, (json_t *)(uintptr_t)entry);
    return json_equal(wanted, document.value);
}

static void merge(struct arena *arena, const struct host *host, const struct client_place *place,
                  const char *text, const json_t *entry, struct host_setup *out)
{
    struct document document = { 0 };
    struct err ignored;
    bool is_yaml = place->format == CLIENT_YAML;
    const char *mark = text_starts_with(text, "\xEF\xBB\xBF") ? "\xEF\xBB\xBF" : "";
    text += strlen(mark);
    const char *plain = is_yaml ? text : jsonc_blanked(arena, text, strlen(text));
    bool is_blank = !plain[strspn(plain, " \t\r\n")];
    if (!is_blank &&
        documents_parse(yaml_documents(), plain, strlen(plain), arena, &document, &ignored)) {
        out->state = SETUP_UNSAFE;
        return;
    }
    const json_t *there = json_object_get(json_object_get(document.value, host->servers), NAME);
    if (there) {
        out->state = json_equal(there, entry) ? SETUP_THERE : SETUP_DIFFERENT;
        return;
    }
    out->merged = is_blank && !is_yaml ? arena_printf(arena, "%s%s", text, out->snippet)
                  : is_yaml ? merge_yaml(arena, host, text, &document, place, entry, out->snippet)
                            : merge_json(arena, host, text, &document, entry);
    if (!out->merged || !is_merged(arena, host, out->merged, document.value, entry)) {
        out->merged = NULL;
        out->state = SETUP_UNSAFE;
    } else {
        out->merged = arena_printf(arena, "%s%s", mark, out->merged);
    }
}

enum err_code host_setup_plan(struct arena *arena, const char *name, const char *program,
                              struct host_setup *out, struct err *err)
{
    const struct host *host = find_host(name);
    const struct client_place *place = client_places;
    const char *text = "";
    struct client_file file;
    struct text_flaw ignored;
    size_t length = 0;
    if (!host)
        return err_set(err, ERR_NOT_FOUND, 0, "setup: there is no host \"%.40s\"", name);
    while (strcmp(place->client, name) != 0)
        place++;
    *out = (struct host_setup){ .is_new = !client_file_read(arena, place, &file) };
    out->file = config_whole_path(arena, file.path); /* a link stays one */
    json_t *entry = entry_of(arena, host, program);
    json_t *whole = arena_keep_json(arena, json_pack("{s:{s:O}}", host->servers, NAME, entry));
    out->snippet = printed(arena, place, whole);
    enum err_code r =
        out->is_new ? ERR_NONE : config_read_file(out->file, arena, &text, &length, err);
    if (!r && !text_flaw_check_bytes(text, length, &ignored))
        out->state = SETUP_NO_TEXT;
    else if (!r)
        merge(arena, host, place, text, entry, out);
    return r;
}

enum err_code host_setup_write(struct arena *arena, const struct host_setup *setup,
                               const char **out_backup, struct err *err)
{
    const char *text = "", *backup = arena_printf(arena, "%s.bak-mistro", setup->file);
    size_t length = 0;
    enum err_code r = ERR_NONE;
    for (unsigned i = 2; config_is_file(backup) && i < MAX_BACKUPS; i++)
        backup = arena_printf(arena, "%s.bak-mistro-%u", setup->file, i);
    *out_backup = setup->is_new ? NULL : backup;
    if (!setup->is_new && config_is_file(backup))
        r = err_set(err, ERR_LIMIT, 0, "%s: there are %d backups of it already", setup->file,
                    MAX_BACKUPS);
    if (!r && !setup->is_new)
        r = config_read_file(setup->file, arena, &text, &length, err);
    if (!r && !setup->is_new)
        r = config_write_file(arena, backup, text, err);
    return r ? r : config_write_file(arena, setup->file, setup->merged, err);
}
