/* The files of config/ and data/ as they were when the binary was built (cmake/Embed.cmake). The
 * table ends with an entry whose path is NULL. */
#ifndef INFRASTRUCTURE_CONFIG_EMBEDDED_ASSETS_H
#define INFRASTRUCTURE_CONFIG_EMBEDDED_ASSETS_H

#include <stddef.h>

struct embedded_asset {
    const char *path; /* relative to the tree: "config/prompts/intent.txt" */
    const char *bytes;
    size_t length;
};

extern const struct embedded_asset embedded_assets[];

#endif
