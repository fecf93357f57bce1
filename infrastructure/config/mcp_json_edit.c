#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include "infrastructure/repositories/stored_file.h"
#include "infrastructure/runtime/descriptor.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SERVERS_SHOWN 200

static enum err_code failed(const char *path, struct err *err)
{
    return err_set(err, ERR_INVALID, errno, "%s: %s", path, strerror(errno));
}

/* Makes the folders above the file, for this user only. */
static enum err_code make_folders(struct arena *arena, const char *file, struct err *err)
{
    char *path = arena_strdup(arena, file);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) && errno != EEXIST)
            return failed(path, err);
        *slash = '/';
    }
    return ERR_NONE;
}

/* A rename lasts only when the folder is on disk as well. */
static void sync_folder(struct arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *folder = slash ? arena_strndup(arena, file, (size_t)(slash - file) + 1) : ".";
    int handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0)
        return;
    (void)fsync(handle);
    close(handle);
}

/* Either the old file or the whole new one is there, whatever happens. */
static enum err_code replace_file(struct arena *arena, const char *file, const char *text,
                                  struct err *err)
{
    char *temporary = arena_printf(arena, "%s.XXXXXX", file);
    int handle = mkostemp(temporary, O_CLOEXEC);
    if (handle < 0)
        return failed(temporary, err);
    bool written = descriptor_write(handle, text, strlen(text)) && fsync(handle) == 0;
    int why = errno;
    written = close(handle) == 0 && written;
    if (!written || rename(temporary, file)) {
        why = written ? errno : why;
        unlink(temporary);
        errno = why;
        return failed(file, err);
    }
    sync_folder(arena, file);
    return ERR_NONE;
}

/* The file as a value; an empty object where there is none. Comments would be lost by writing it
 * again, so a file with comments is left to its owner. */
static enum err_code read_value(struct arena *arena, const char *file, json_t **out,
                                struct err *err)
{
    const char *text = NULL;
    size_t length = 0;
    enum err_code r = config_read_file(file, arena, &text, &length, err);
    if (r == ERR_NOT_FOUND) {
        *out = arena_keep_json(arena, json_object());
        return ERR_NONE;
    }
    json_t *value = NULL;
    if (!r)
        r = json_parse(text, length, JSON_OURS, &value, err);
    if (r)
        return err_hint(err, err_prefix(err, r, "%s", file), "change that file by hand");
    *out = arena_keep_json(arena, value);
    return json_is_object(value) ? ERR_NONE
                                 : err_set(err, ERR_INVALID, 0, "%s: is not an object", file);
}

/* The map of servers in it, made where it is missing. */
static json_t *servers_of(json_t *value)
{
    json_t *servers = json_object_get(value, "mcpServers");
    if (!servers)
        servers = json_object_get(value, "servers");
    if (servers)
        return json_is_object(servers) ? servers : NULL;
    servers = json_object();
    json_object_set_new(value, "mcpServers", servers);
    return servers;
}

enum err_code config_open_servers(struct arena *arena, const char *file, json_t **out_value,
                                  json_t **out_servers, struct err *err)
{
    enum err_code r = read_value(arena, file, out_value, err);
    if (r)
        return r;
    *out_servers = servers_of(*out_value);
    return *out_servers ? ERR_NONE
                        : err_set(err, ERR_INVALID, 0, "%s: mcpServers is not an object", file);
}

enum err_code config_write_file(struct arena *arena, const char *file, const char *text,
                                struct err *err)
{
    enum err_code r = make_folders(arena, file, err);
    return r ? r : replace_file(arena, file, text, err);
}

enum err_code config_lock_servers(struct arena *arena, const char *file, int *out_lock,
                                  struct err *err)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (!slash)
        return err_hint(err,
                        err_set(err, ERR_INVALID, 0, "there is no home folder to keep mcp.json in"),
                        "set HOME or XDG_CONFIG_HOME");
    return stored_folder_lock(arena_strndup(arena, file, (size_t)(slash - file)), out_lock, err);
}

enum err_code config_save_servers(struct arena *arena, const char *file, const json_t *value,
                                  struct err *err)
{
    auto_str text = json_print_pretty(value);
    file = config_whole_path(arena, file); /* a link stays one */
    return config_write_file(arena, file, arena_printf(arena, "%s\n", text), err);
}

/* "NAME=value" or "Name: value" as a member. */
static bool set_pair(json_t *map, const char *pair, char between)
{
    AUTO(arena) scratch = { 0 };
    const char *sign = strchr(pair, between);
    if (!sign || sign == pair)
        return false;
    const char *name = arena_strndup(&scratch, pair, (size_t)(sign - pair));
    const char *value = sign + 1;
    if (between == ':')
        value += strspn(value, " \t");
    if (between == ':' && (strpbrk(name, " \t\r\n") || strpbrk(value, "\r\n")))
        return false;
    return json_object_set_new(map, name, json_string(value)) == 0;
}

static enum err_code set_pairs(json_t *server, bool is_url, const char *const *pairs,
                               size_t n_pairs, struct err *err)
{
    if (!n_pairs)
        return ERR_NONE;
    json_t *map = json_object();
    json_object_set_new(server, is_url ? "headers" : "env", map);
    for (size_t i = 0; i < n_pairs; i++)
        if (!set_pair(map, pairs[i], is_url ? ':' : '='))
            return is_url ? err_set(err, ERR_INVALID, 0, "--header: must be 'Name: value'")
                          : err_set(err, ERR_INVALID, 0, "\"%.60s\" is not NAME=value", pairs[i]);
    return ERR_NONE;
}

static json_t *server_value(const struct config_new_server *new)
{
    json_t *server = json_object();
    if (new->url) {
        json_object_set_new(server, "url", json_string(new->url));
        return server;
    }
    json_t *arguments = json_array();
    for (size_t i = 0; i < new->n_arguments; i++)
        json_array_append_new(arguments, json_string(new->arguments[i]));
    json_object_set_new(server, "command", json_string(new->command));
    json_object_set_new(server, "args", arguments);
    return server;
}

enum err_code config_add_server(const char *file, const struct config_new_server *new,
                                struct err *err)
{
    AUTO(arena) arena = { 0 };
    json_t *value = NULL, *servers = NULL;
    if (!config_server_name_is_valid(new->name))
        return err_hint(
            err, err_set(err, ERR_INVALID, 0, "\"%.80s\" is not a name for a server", new->name),
            "use letters, digits, \"_\", \"-\" and \".\", at most 64");
    if (!new->command == !new->url)
        return err_set(err, ERR_INVALID, 0, "a server needs a command or a url");
    auto_fd lock = -1;
    enum err_code r = config_lock_servers(&arena, file, &lock, err);
    if (!r)
        r = config_open_servers(&arena, file, &value, &servers, err);
    if (r)
        return r;
    if (json_object_get(servers, new->name))
        return err_hint(
            err,
            err_set(err, ERR_INVALID, 0, "%s: server \"%s\" is there already", file, new->name),
            "remove it first: mistro servers remove %s", new->name);
    json_t *server = server_value(new);
    json_object_set_new(servers, new->name, server);
    r = set_pairs(server, new->url != NULL, new->pairs, new->n_pairs, err);
    return r ? r : config_save_servers(&arena, file, value, err);
}

static enum err_code not_there(const char *file, const json_t *servers, const char *name,
                               struct err *err)
{
    const char *names[MAX_SERVERS_SHOWN], *key;
    const json_t *server;
    size_t n = 0, nearest;
    json_each_member (servers, key, server)
        if (n < MAX_SERVERS_SHOWN)
            names[n++] = key;
    enum err_code r =
        err_set(err, ERR_NOT_FOUND, 0, "%s: no server is named \"%.64s\"", file, name);
    err_about(err, r, "server");
    return text_nearest(name, names, n, &nearest, 1)
               ? err_hint(err, r, "did you mean %s?", names[nearest])
               : r;
}

enum err_code config_remove_server(const char *file, const char *name, struct err *err)
{
    AUTO(arena) arena = { 0 };
    json_t *value = NULL, *servers = NULL;
    auto_fd lock = -1;
    enum err_code r = config_lock_servers(&arena, file, &lock, err);
    if (!r)
        r = config_open_servers(&arena, file, &value, &servers, err);
    if (r)
        return r;
    if (json_object_del(servers, name))
        return not_there(file, servers, name, err);
    return config_save_servers(&arena, file, value, err);
}

enum err_code config_share_server(const char *file, const char *name, bool is_shared,
                                  struct err *err)
{
    AUTO(arena) arena = { 0 };
    json_t *value = NULL, *servers = NULL;
    enum err_code r = config_open_servers(&arena, file, &value, &servers, err);
    if (r)
        return r;
    json_t *server = json_object_get(servers, name);
    if (!json_is_object(server))
        return not_there(file, servers, name, err);
    json_object_set_new(server, "share", json_boolean(is_shared));
    return config_save_servers(&arena, file, value, err);
}
