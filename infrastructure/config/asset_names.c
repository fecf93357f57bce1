#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include "infrastructure/config/embedded_assets.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum err_code asset_names_add(struct asset_names *names, const char *name, struct err *err)
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
            r = asset_names_add(names, entry->d_name, err);
    closedir(entries);
    return r;
}

enum err_code asset_names_add_embedded(struct asset_names *names, const char *folder,
                                       struct err *err)
{
    size_t length = strlen(folder);
    enum err_code r = ERR_NONE;
    for (const struct embedded_asset *asset = embedded_assets; !r && asset->path; asset++) {
        if (strncmp(asset->path, folder, length) != 0 || asset->path[length] != '/')
            continue;
        const char *name = asset->path + length + 1;
        if (!strchr(name, '/'))
            r = asset_names_add(names, name, err);
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
