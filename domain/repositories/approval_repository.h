/* What a person allowed for good. A tool is approved under (server configuration, tool, definition
 * hash), so neither a changed command nor a changed definition inherits an approval; a project
 * file is approved under (path, hash of its text), and so is one server in it (path#name). That a
 * tool's call may be repeated, because the person saw it say that it only reads, is an approval of
 * its own kind: one that only lets the tool be called does not include it. */
#ifndef DOMAIN_REPOSITORIES_APPROVAL_REPOSITORY_H
#define DOMAIN_REPOSITORIES_APPROVAL_REPOSITORY_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stdbool.h>

#define APPROVAL_OF_TOOL "tool"
#define APPROVAL_OF_REPEATING "tool_repeat"
#define APPROVAL_OF_PROJECT "project_file"
#define APPROVAL_OF_SERVER "project_server"

struct approval_repository;

struct approval {
    const char *kind;    /* one of the above */
    const char *subject; /* server configuration hash + "/" + tool, or absolute path */
    const char *hash;    /* of the definition, or of the file */
};

struct approval_repository_ops {
    /* All mandatory. */
    enum err_code (*has)(struct approval_repository *r, struct scope *sc,
                         const struct approval *approval, bool *out_has, struct err *err);
    enum err_code (*add)(struct approval_repository *r, struct scope *sc,
                         const struct approval *approval, struct err *err);
    void (*destroy)(struct approval_repository *r);
};

struct approval_repository {
    const struct approval_repository_ops *ops;
};

awaits MUST_CHECK static inline enum err_code approval_repository_has(
    struct approval_repository *r, struct scope *sc, const struct approval *approval, bool *out_has,
    struct err *err)
{
    return r->ops->has(r, sc, approval, out_has, err);
}

/* On disk when it returns. Adding twice is fine. */
awaits MUST_CHECK static inline enum err_code approval_repository_add(
    struct approval_repository *r, struct scope *sc, const struct approval *approval,
    struct err *err)
{
    return r->ops->add(r, sc, approval, err);
}

static inline void approval_repository_destroy(struct approval_repository *r)
{
    if (r)
        r->ops->destroy(r);
}

#endif
