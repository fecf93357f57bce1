/* Prompts, schemas, migrations and defaults: embedded in the binary, overridden by files of the
 * same path in the settings folders. */
#ifndef APPLICATION_PORTS_ASSETS_H
#define APPLICATION_PORTS_ASSETS_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <string.h>

struct assets;

struct assets_ops {
    /* All mandatory but list. */
    enum err_code (*get)(struct assets *a, const char *path, struct arena *arena,
                         const char **out_text, const char **out_origin, struct err *err);
    enum err_code (*list)(struct assets *a, const char *folder, struct arena *arena,
                          const char ***out_names, size_t *out_n, struct err *err);
};

/* What was made of files that are costly to read, in an arena of its own. */
struct assets_kept {
    const char *name;
    const void *value;
    struct arena arena;
    struct assets_kept *next;
};

struct assets {
    const struct assets_ops *ops;
    struct assets_kept *kept;
};

#define ASSETS_BUILT_IN "built in"

/* path as in the tree: "config/prompts/intent.txt". origin: the overriding file, or
 * ASSETS_BUILT_IN. ERR_NOT_FOUND for a path that does not exist. */
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

/* What assets_keep was given under the name; NULL: nothing yet. */
static inline const void *assets_find_kept(const struct assets *a, const char *name)
{
    const struct assets_kept *kept = a->kept;
    while (kept && strcmp(kept->name, name) != 0)
        kept = kept->next;
    return kept ? kept->value : NULL;
}

/* Keeps the value for as long as the assets live. Its arena is stolen; the name stays the
 * caller's. On the loop's thread only. */
static inline void assets_keep(struct assets *a, const char *name, struct arena *arena,
                               const void *value)
{
    struct assets_kept *kept = arena_new(arena, struct assets_kept);
    *kept = (struct assets_kept){ name, value, *arena, a->kept };
    a->kept = kept;
}

/* For those who make assets: drops what was kept. */
static inline void assets_finish(struct assets *a)
{
    while (a->kept) {
        struct arena arena = a->kept->arena;
        a->kept = a->kept->next;
        arena_finish(&arena);
    }
}

#endif
