/* A folder of assets in memory: files by their paths, which a test writes down. */
#ifndef TESTS_SUPPORT_MEMORY_ASSETS_H
#define TESTS_SUPPORT_MEMORY_ASSETS_H

#include "application/ports/assets.h"

struct memory_asset {
    const char *path, *text;
    const char *origin; /* NULL: built in */
};

struct memory_assets {
    struct assets base; /* hand this to the code under test */
    const struct memory_asset *files;
    size_t n_files;
    enum err_code list_fails;
};

void memory_assets_init(struct memory_assets *assets, const struct memory_asset *files, size_t n);

#endif
