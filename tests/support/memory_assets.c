#include "tests/support/memory_assets.h"
#include <string.h>

static enum err_code get(struct assets *base, const char *path, struct arena *arena,
                         const char **out_text, const char **out_origin, struct err *err)
{
    const struct memory_assets *assets = (const struct memory_assets *)base;
    for (size_t i = 0; i < assets->n_files; i++) {
        const struct memory_asset *file = &assets->files[i];
        if (strcmp(file->path, path) != 0 || !file->text)
            continue;
        *out_text = arena_strdup(arena, file->text);
        *out_origin = file->origin ? file->origin : "built in";
        return ERR_NONE;
    }
    return err_set(err, ERR_NOT_FOUND, 0, "no asset %s", path);
}

static enum err_code list(struct assets *base, const char *folder, struct arena *arena,
                          const char ***out_names, size_t *out_n, struct err *err)
{
    const struct memory_assets *assets = (const struct memory_assets *)base;
    size_t length = strlen(folder), n = 0;
    if (assets->list_fails)
        return err_set(err, assets->list_fails, 0, "the folder was told to fail");
    const char **names = arena_array(arena, const char *, assets->n_files + 1);
    for (size_t i = 0; i < assets->n_files; i++)
        if (strncmp(assets->files[i].path, folder, length) == 0)
            names[n++] = assets->files[i].path + length + 1;
    *out_names = names;
    *out_n = n;
    return ERR_NONE;
}

void memory_assets_init(struct memory_assets *assets, const struct memory_asset *files, size_t n)
{
    static const struct assets_ops ops = { .get = get, .list = list };
    *assets = (struct memory_assets){ .base.ops = &ops, .files = files, .n_files = n };
}
