#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include "infrastructure/config/embedded_assets.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

static enum err_code add_name(struct asset_names *names, const char *name, struct err *err)
{
    if (names->n == ASSETS_MAX_NAMES)
        return err_set(err, ERR_LIMIT, 0, "more than %d files in one folder", ASSETS_MAX_NAMES);
    *arena_push(names->arena, names->names, names->n, names->capacity) =
        arena_strdup(names->arena, name);
    return ERR_NONE;
}

static bool counts(struct arena *arena, const char *folder, const char *name)
{
    return name[0] != '.' && text_is_utf8(name, strlen(name)) &&
           config_is_file(arena_printf(arena, "%s/%s", folder, name));
}

enum err_code asset_names_add_folder(struct asset_names *names, const char *folder, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    enum err_code r = ERR_NONE;
    DIR *entries = *folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    if (!entries)
        return ERR_NONE;
    while (!r && (entry = readdir(entries)))
        if (counts(&scratch, folder, entry->d_name))
            r = add_name(names, entry->d_name, err);
    closedir(entries);
    return r;
}

static enum err_code add_embedded(struct asset_names *names, const char *folder, struct err *err)
{
    size_t length = strlen(folder);
    enum err_code r = ERR_NONE;
    for (const struct embedded_file *asset = embedded_assets; !r && asset->path; asset++) {
        if (strncmp(asset->path, folder, length) != 0 || asset->path[length] != '/')
            continue;
        const char *name = asset->path + length + 1;
        if (!strchr(name, '/'))
            r = add_name(names, name, err);
    }
    return r;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void asset_names_finish(struct asset_names *names)
{
    size_t kept = 0;
    if (!names->n)
        return;
    qsort(names->names, names->n, sizeof *names->names, by_name);
    for (size_t i = 1; i < names->n; i++)
        if (strcmp(names->names[kept], names->names[i]) != 0)
            names->names[++kept] = names->names[i];
    names->n = kept + 1;
}

struct file_assets {
    struct assets base;
    bool project_approved;
};

/* Relative, without "..": a path of the tree. */
static bool is_inside(const char *path)
{
    return path[0] && path[0] != '/' && !text_starts_with(path, "../") && !strstr(path, "/../") &&
           !text_ends_with(path, "/..") && strcmp(path, "..") != 0;
}

static enum err_code read_override(struct arena *arena, const char *folder, const char *path,
                                   const char **out_text, const char **out_origin, struct err *err)
{
    size_t length;
    if (!folder || !*folder)
        return ERR_NOT_FOUND;
    const char *file = arena_printf(arena, "%s/%s", folder, path);
    if (!config_is_file(file))
        return ERR_NOT_FOUND;
    enum err_code r = config_read_file(file, arena, out_text, &length, err);
    if (r)
        return r;
    *out_text += text_starts_with(*out_text, BYTE_ORDER_MARK) ? strlen(BYTE_ORDER_MARK) : 0;
    *out_origin = file;
    return ERR_NONE;
}

static enum err_code read_embedded(const char *path, const char **out_text, const char **out_origin,
                                   struct err *err)
{
    for (const struct embedded_file *asset = embedded_assets; asset->path; asset++) {
        if (strcmp(asset->path, path) != 0)
            continue;
        *out_text = asset->text;
        *out_origin = ASSETS_BUILT_IN;
        return ERR_NONE;
    }
    return err_set(err, ERR_NOT_FOUND, 0, "there is no file \"%.100s\" in mistro", path);
}

static enum err_code get(struct assets *a, const char *path, struct arena *arena,
                         const char **out_text, const char **out_origin, struct err *err)
{
    const struct file_assets *assets = (const struct file_assets *)a;
    enum err_code r = ERR_NOT_FOUND;
    if (!is_inside(path))
        return err_set(err, ERR_NOT_FOUND, 0, "\"%.100s\" is not a path of the tree", path);
    if (assets->project_approved)
        r = read_override(arena, config_project_root(arena), path, out_text, out_origin, err);
    if (r == ERR_NOT_FOUND)
        r = read_override(arena, config_xdg_folder(arena, "XDG_CONFIG_HOME", ".config"), path,
                          out_text, out_origin, err);
    return r == ERR_NOT_FOUND ? read_embedded(path, out_text, out_origin, err) : r;
}

static enum err_code list(struct assets *a, const char *folder, struct arena *arena,
                          const char ***out_names, size_t *out_n, struct err *err)
{
    const struct file_assets *assets = (const struct file_assets *)a;
    const char *roots[] = { config_xdg_folder(arena, "XDG_CONFIG_HOME", ".config"),
                            assets->project_approved ? config_project_root(arena) : NULL };
    struct asset_names names = { .arena = arena };
    if (!is_inside(folder))
        return err_set(err, ERR_NOT_FOUND, 0, "\"%.100s\" is not a folder of the tree", folder);
    enum err_code r = add_embedded(&names, folder, err);
    for (size_t i = 0; !r && i < ARRAY_LENGTH(roots); i++)
        if (roots[i] && *roots[i])
            r = asset_names_add_folder(&names, arena_printf(arena, "%s/%s", roots[i], folder), err);
    asset_names_finish(&names);
    if (r)
        return r;
    *out_names = names.names;
    *out_n = names.n;
    return ERR_NONE;
}

struct assets *config_assets_create(bool project_approved)
{
    static const struct assets_ops ops = { .get = get, .list = list };
    struct file_assets *assets = calloc(1, sizeof *assets);
    if (!assets)
        abort();
    assets->base.ops = &ops;
    assets->project_approved = project_approved;
    return &assets->base;
}

void config_assets_destroy(struct assets *assets)
{
    if (assets)
        assets_finish(assets);
    free(assets);
}
