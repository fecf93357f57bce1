/* Where a job leaves files for a person: a folder that appears whole or not at all. Files are put
 * into a hidden one beside it; commit makes it the named one, and what stood there under the same
 * name before is replaced only then. */
#ifndef APPLICATION_PORTS_ARTIFACTS_H
#define APPLICATION_PORTS_ARTIFACTS_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"

#define ARTIFACTS_MAX_NAME 120

struct artifacts;
struct artifact_folder;

/* Which folder: name is a plain name without a path; parent is made where it is missing, with its
 * parents. follows_no_links: where a part of parent is a symbolic link nothing is written, so that
 * a relative parent without ".." stays below the current folder. */
struct artifact_place {
    const char *parent, *name;
    bool follows_no_links;
};

struct artifacts_ops {
    /* All mandatory. */
    enum err_code (*open)(struct artifacts *a, struct scope *sc, const struct artifact_place *place,
                          struct artifact_folder **out, struct err *err);
    enum err_code (*put)(struct artifact_folder *f, struct scope *sc, const char *name,
                         const void *bytes, size_t length, struct err *err);
    enum err_code (*commit)(struct artifact_folder *f, struct scope *sc, struct err *err);
    void (*discard)(struct artifact_folder *f);
};

struct artifacts {
    const struct artifacts_ops *ops;
};

struct artifact_folder {
    struct artifacts *owner;
    const char *path; /* as it will be called: "runs/tcp"; lives as long as the folder */
};

/* ERR_INVALID: it cannot be written, or a link that may not be followed is on the way; that is
 * reported at once and not after the work. */
awaits MUST_CHECK static inline enum err_code artifacts_open(struct artifacts *a, struct scope *sc,
                                                             const struct artifact_place *place,
                                                             struct artifact_folder **out,
                                                             struct err *err)
{
    return a->ops->open(a, sc, place, out, err);
}
/* name: a plain name. A second file of that name replaces the first. */
awaits MUST_CHECK static inline enum err_code artifact_put(struct artifact_folder *f,
                                                           struct scope *sc, const char *name,
                                                           const void *bytes, size_t length,
                                                           struct err *err)
{
    return f->owner->ops->put(f, sc, name, bytes, length, err);
}
/* Makes everything appear under the name, synced to disk. Frees the folder, whatever it returns. */
awaits MUST_CHECK static inline enum err_code artifact_folder_commit(struct artifact_folder *f,
                                                                     struct scope *sc,
                                                                     struct err *err)
{
    return f->owner->ops->commit(f, sc, err);
}
/* Removes what was written. NULL is fine. */
static inline void artifact_folder_discard(struct artifact_folder *f)
{
    if (f)
        f->owner->ops->discard(f);
}

#endif
