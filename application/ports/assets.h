/* Prompts, schemas, migrations and defaults: embedded in the binary, overridden by files of the
 * same path in the settings folders. */
#ifndef APPLICATION_PORTS_ASSETS_H
#define APPLICATION_PORTS_ASSETS_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"

struct assets;

struct assets_ops {
    /* All mandatory but list. */
    enum err_code (*get)(struct assets *a, const char *path, struct arena *arena,
                         const char **out_text, const char **out_origin, struct err *err);
    enum err_code (*list)(struct assets *a, const char *folder, struct arena *arena,
                          const char ***out_names, size_t *out_n, struct err *err);
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

#define ASSETS_MAX_NAMES 2000 /* of one folder; more are ERR_LIMIT */

/* The files of a folder of the tree ("config/rolesets"), built in and of the settings folders, as
 * plain names, sorted, each once; without folders within it. An unknown folder is empty. */
MUST_CHECK
static inline enum err_code assets_list(struct assets *a, const char *folder, struct arena *arena,
                                        const char ***out_names, size_t *out_n, struct err *err)
{
    if (!a->ops->list)
        return err_set(err, ERR_FAILED, 0, "these assets cannot be listed");
    return a->ops->list(a, folder, arena, out_names, out_n, err);
}

#endif
