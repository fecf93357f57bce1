#include "tests/support/full/test_assets.h"
#include "infrastructure/config/embedded_assets.h"
#include <stdlib.h>
#include <string.h>

static enum err_code get_embedded(struct assets *a, const char *path, struct arena *arena,
                                  const char **out_text, const char **out_origin, struct err *err)
{
    (void)a;
    for (const struct embedded_file *asset = embedded_assets; asset->path; asset++) {
        if (strcmp(asset->path, path) != 0)
            continue;
        *out_text = arena_strndup(arena, asset->text, asset->length);
        *out_origin = "built in";
        return ERR_NONE;
    }
    return err_set(err, ERR_NOT_FOUND, 0, "no asset %s", path);
}

/* The table is sorted by path, and so are the names. */
static enum err_code list_embedded(struct assets *a, const char *folder, struct arena *arena,
                                   const char ***out_names, size_t *out_n, struct err *err)
{
    size_t length = strlen(folder);
    *out_names = arena_array(arena, const char *, ASSETS_MAX_NAMES);
    *out_n = 0;
    (void)a;
    for (const struct embedded_file *asset = embedded_assets; asset->path; asset++) {
        if (strncmp(asset->path, folder, length) != 0 || asset->path[length] != '/' ||
            strchr(asset->path + length + 1, '/'))
            continue;
        if (*out_n == ASSETS_MAX_NAMES)
            return err_set(err, ERR_LIMIT, 0, "too many assets in %s", folder);
        (*out_names)[(*out_n)++] = asset->path + length + 1;
    }
    return ERR_NONE;
}

static const struct assets_ops test_assets_ops = { .get = get_embedded, .list = list_embedded };

static struct assets assets = { .ops = &test_assets_ops };

static void drop_what_was_kept(void)
{
    assets_finish(&assets);
}

struct assets *test_assets(void)
{
    static bool is_used;
    if (!is_used)
        is_used = atexit(drop_what_was_kept) == 0;
    return &assets;
}
