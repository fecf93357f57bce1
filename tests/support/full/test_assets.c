#include "tests/support/full/test_assets.h"
#include "infrastructure/config/embedded_assets.h"
#include <string.h>

static enum err_code get_embedded(struct assets *a, const char *path, struct arena *arena,
                                  const char **out_text, const char **out_origin, struct err *err)
{
    (void)a;
    for (const struct embedded_asset *asset = embedded_assets; asset->path; asset++) {
        if (strcmp(asset->path, path) != 0)
            continue;
        *out_text = arena_strndup(arena, asset->bytes, asset->length);
        *out_origin = "built in";
        return ERR_NONE;
    }
    return err_set(err, ERR_NOT_FOUND, 0, "no asset %s", path);
}

static const struct assets_ops test_assets_ops = { .get = get_embedded };

struct assets *test_assets(void)
{
    static struct assets assets = { &test_assets_ops };
    return &assets;
}
