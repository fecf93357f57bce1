/* Prompts, schemas, migrations and defaults: embedded in the binary, overridden by files of the
 * same path in the settings folders. */
#ifndef APPLICATION_PORTS_ASSETS_H
#define APPLICATION_PORTS_ASSETS_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"

struct assets;

struct assets_ops {
    /* All mandatory. */
    enum err_code (*get)(struct assets *a, const char *path, struct arena *arena,
                         const char **out_text, const char **out_origin, struct err *err);
};

struct assets {
    const struct assets_ops *ops;
};

/* path as in the tree: "config/prompts/intent.txt". origin: the overriding file, or "built in".
 * ERR_NOT_FOUND for a path that does not exist. */
MUST_CHECK
static inline enum err_code assets_get(struct assets *a, const char *path, struct arena *arena,
                                       const char **out_text, const char **out_origin,
                                       struct err *err)
{
    return a->ops->get(a, path, arena, out_text, out_origin, err);
}

#endif
