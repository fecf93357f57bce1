#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include "infrastructure/config/embedded_assets.h"
#include <string.h>

struct file_assets {
    struct assets base;
    bool project_approved;
};

/* Relative, without "..": a path of the tree, whoever asks for it. */
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
    if (!r)
        *out_origin = file;
    return r;
}

static enum err_code read_embedded(const char *path, struct arena *arena, const char **out_text,
                                   const char **out_origin, struct err *err)
{
    for (const struct embedded_asset *asset = embedded_assets; asset->path; asset++) {
        if (strcmp(asset->path, path) != 0)
            continue;
        *out_text = arena_strndup(arena, asset->bytes, asset->length);
        *out_origin = "built in";
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
        return err_set(err, ERR_NOT_FOUND, 0, "\"%.100s\" is no path of the tree", path);
    if (assets->project_approved)
        r = read_override(arena, config_project_root(arena), path, out_text, out_origin, err);
    if (r == ERR_NOT_FOUND)
        r = read_override(arena, config_xdg_folder(arena, "XDG_CONFIG_HOME", ".config"), path,
                          out_text, out_origin, err);
    return r == ERR_NOT_FOUND ? read_embedded(path, arena, out_text, out_origin, err) : r;
}

static enum err_code list(struct assets *a, const char *folder, struct arena *arena,
                          const char ***out_names, size_t *out_n, struct err *err)
{
    const struct file_assets *assets = (const struct file_assets *)a;
    const char *roots[] = { config_xdg_folder(arena, "XDG_CONFIG_HOME", ".config"),
                            assets->project_approved ? config_project_root(arena) : NULL };
    struct asset_names names = { .arena = arena };
    if (!is_inside(folder))
        return err_set(err, ERR_NOT_FOUND, 0, "\"%.100s\" is no folder of the tree", folder);
    enum err_code r = asset_names_add_embedded(&names, folder, err);
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
    free(assets);
}
