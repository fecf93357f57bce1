/* How the configuration of a server is told to others: to people as the command or address that
 * they know it by, to the stores as an identity, and to the server itself as the folders it is
 * given. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/text/redact.h"
#include "infrastructure/mcp/client/client_internal.h"
#include "infrastructure/net/http_address.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Foreign text on one line, escaped and whole. */
static const char *shown(struct arena *arena, const char *text)
{
    size_t length = strlen(text), columns_per_byte = 8;
    return text_one_line(arena, text, length, columns_per_byte * length + 1);
}

static const char *quote_word(struct arena *arena, const char *word)
{
    const char *text = shown(arena, word);
    if (*text && !strpbrk(text, " '\"\\$&|;<>()*?"))
        return text;
    return arena_printf(arena, "'%s'", text);
}

/* What is to be approved is shown from the configuration, in full; a password in an argument
 * belongs on no screen otherwise. */
const char *server_command(struct arena *arena, const struct server_config *config)
{
    if (config->url)
        return http_address_shown(arena, config->url);
    const char *line = quote_word(arena, config->command);
    for (size_t i = 0; i < config->n_arguments; i++)
        line = arena_printf(arena, "%s %s", line, quote_word(arena, config->arguments[i]));
    return redact_text(arena, line);
}

/* Bytes that are not UTF-8 are escaped: JSON cannot hold them. */
static json_t *text_value(struct arena *arena, const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    return value ? value : json_string(shown(arena, text));
}

static json_t *text_values(struct arena *arena, const char *const *texts, size_t n)
{
    json_t *values = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(values, text_value(arena, texts[i]));
    return values;
}

static bool ends_in(const char *name, const char *word)
{
    size_t length = strlen(name), n = strlen(word);
    return length >= n && strcasecmp(name + length - n, word) == 0;
}

/* RESTIC_PASSWORD_COMMAND, AWS_SHARED_CREDENTIALS_FILE */
static bool names_what_runs(const char *name, const char *value)
{
    static const char *const words[] = { "command", "cmd",     "program", "helper",
                                         "process", "askpass", "file",    "path" };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (ends_in(name, words[i]))
            return true;
    return *value == '/' || *value == '.' || *value == '~' || strpbrk(value, " \t\n");
}

static const char *without_secret(struct arena *arena, const char *pair, char separator,
                                  bool may_run)
{
    const char *mark = strchr(pair, separator);
    if (!mark)
        return pair;
    const char *name = arena_strndup(arena, pair, (size_t)(mark - pair));
    if (!redact_is_secret_name(name) || (may_run && names_what_runs(name, mark + 1)))
        return pair;
    return name;
}

static json_t *pairs(struct arena *arena, const char *const *list, size_t n, char separator,
                     bool may_run)
{
    json_t *values = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            values, text_value(arena, without_secret(arena, list[i], separator, may_run)));
    return values;
}

/* The text where it is a relative path of something in the folder; options are none. */
static const char *lying_in(struct arena *arena, const char *folder, const char *text,
                            size_t length)
{
    struct stat info;
    if (length == 0 || strchr("/-", *text))
        return NULL;
    const char *path = arena_printf(arena, "%s/%.*s", folder, (int)length, text);
    return stat(path, &info) == 0 ? path + strlen(folder) + 1 : NULL;
}

/* An argument as it stands, or a word in it: `--fixture=a.yml`, `exec ./server --port 1`. */
static const char *path_in(struct arena *arena, const char *folder, const char *argument)
{
    static const char between[] = " \t\n=";
    const char *path = lying_in(arena, folder, argument, strlen(argument));
    for (const char *word = argument; !path && *word; word += strspn(word, between)) {
        size_t length = strcspn(word, between);
        path = lying_in(arena, folder, word, length);
        word += length;
    }
    return path;
}

/* What of the command is another file in another folder; NULL: nothing. A command without a slash
 * is looked for along PATH. */
static const char *folder_path(struct arena *arena, const struct server_config *config,
                               const char *folder)
{
    const char *path =
        strchr(config->command, '/') ? path_in(arena, folder, config->command) : NULL;
    for (size_t i = 0; !path && i < config->n_arguments; i++)
        path = path_in(arena, folder, config->arguments[i]);
    return path;
}

static void add_folder(struct arena *arena, const struct server_config *config, json_t *all,
                       struct server_identity *out)
{
    const char *folder = config->directory ? config->directory : ".";
    const char *path = folder[0] == '/' ? NULL : folder_path(arena, config, folder);
    char whole[PATH_MAX];
    if (!path || !realpath(folder, whole))
        return;
    json_object_set_new(all, "folder", text_value(arena, whole));
    *out = (struct server_identity){ .text = json_print_in(arena, all),
                                     .without_folder = out->text,
                                     .path = path };
}

struct server_identity server_identity(struct arena *arena, const struct server_config *config)
{
    json_t *all =
        config->url
            ? json_pack("{s:o, s:o}", "url", text_value(arena, config->url), "headers",
                        pairs(arena, config->headers, config->n_headers, ':', false))
            : json_pack("{s:o, s:o, s:o, s:o}", "command", text_value(arena, config->command),
                        "arguments", text_values(arena, config->arguments, config->n_arguments),
                        "directory", text_value(arena, config->directory), "environment",
                        pairs(arena, config->environment, config->n_environment, '=', true));
    (void)arena_keep_json(arena, all);
    struct server_identity identity = { .text = json_print_in(arena, all) };
    if (!config->url)
        add_folder(arena, config, all, &identity);
    return identity;
}

/* What RFC 3986 lets stand as it is in a path. */
static bool stands_for_itself(char byte)
{
    return isascii((unsigned char)byte) &&
           (isalnum((unsigned char)byte) || strchr("/-._~", byte) != NULL);
}

static const char *file_uri(struct arena *arena, const char *path)
{
    size_t length = strlen(path);
    char *uri = arena_alloc(arena, sizeof "file://" + 3 * length);
    char *at = stpcpy(uri, "file://");
    for (size_t i = 0; i < length; i++) {
        if (stands_for_itself(path[i]))
            *at++ = path[i];
        else
            at += sprintf(at, "%%%02X", (unsigned char)path[i]);
    }
    *at = '\0';
    return uri;
}

static const char *last_part(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash && slash[1] ? slash + 1 : path;
    size_t length = strlen(name);
    return text_is_utf8(name, length) ? name : text_one_line(arena, name, length, 4 * length + 1);
}

const char *server_roots(struct arena *arena, const struct server_config *config)
{
    if (!config->roots)
        return NULL;
    json_t *roots = json_array();
    json_auto_t *result = json_pack("{s:o}", "roots", roots);
    for (size_t i = 0; i < config->n_roots; i++)
        json_array_append_new(roots,
                              json_pack("{s:s, s:s}", "uri", file_uri(arena, config->roots[i]),
                                        "name", last_part(arena, config->roots[i])));
    return json_print_in(arena, result);
}
