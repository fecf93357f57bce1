/* The persons who may use a mistro that is served over HTTP, each with one token. The token itself
 * is never kept, only its hash. */
#ifndef DOMAIN_REPOSITORIES_PERSON_REPOSITORY_H
#define DOMAIN_REPOSITORIES_PERSON_REPOSITORY_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include "domain/entities/person.h"
#include <stddef.h>

#define PERSONS_MAX 1000
#define PERSON_TOKEN_PREFIX "mst_" /* so that a token is known for one wherever it turns up */
#define PERSON_TOKEN_MAX_BYTES 256 /* a longer text is none */

struct person_repository;

struct person_repository_ops {
    /* All mandatory. */
    enum err_code (*add)(struct person_repository *r, struct scope *sc, const struct person *person,
                         const char *token, struct err *err);
    enum err_code (*list)(struct person_repository *r, struct scope *sc, struct arena *arena,
                          struct person **out, size_t *out_n, struct err *err);
    enum err_code (*revoke)(struct person_repository *r, struct scope *sc, const char *name,
                            struct err *err);
    enum err_code (*find)(struct person_repository *r, struct scope *sc, const char *token,
                          int64_t now_ms, struct person *out, bool *out_found, struct err *err);
    void (*destroy)(struct person_repository *r);
};

struct person_repository {
    const struct person_repository_ops *ops;
};

/* On disk when it returns. ERR_INVALID: the name is none, or is there already; ERR_LIMIT: there are
 * PERSONS_MAX, with those whose token expired. */
awaits MUST_CHECK static inline enum err_code person_repository_add(struct person_repository *r,
                                                                    struct scope *sc,
                                                                    const struct person *person,
                                                                    const char *token,
                                                                    struct err *err)
{
    return r->ops->add(r, sc, person, token, err);
}
/* In the order in which they were added, in the arena. */
awaits MUST_CHECK static inline enum err_code person_repository_list(struct person_repository *r,
                                                                     struct scope *sc,
                                                                     struct arena *arena,
                                                                     struct person **out,
                                                                     size_t *out_n, struct err *err)
{
    return r->ops->list(r, sc, arena, out, out_n, err);
}
/* On disk when it returns. ERR_NOT_FOUND: there is no such person. */
awaits MUST_CHECK static inline enum err_code person_repository_revoke(struct person_repository *r,
                                                                       struct scope *sc,
                                                                       const char *name,
                                                                       struct err *err)
{
    return r->ops->revoke(r, sc, name, err);
}
/* Whose token that is, which comes from anybody; not found where it is nobody's, or expired. What
 * another process added or revoked before counts. Takes the same time for a wrong one as for a
 * right one. */
awaits MUST_CHECK static inline enum err_code person_repository_find(
    struct person_repository *r, struct scope *sc, const char *token, int64_t now_ms,
    struct person *out, bool *out_found, struct err *err)
{
    return r->ops->find(r, sc, token, now_ms, out, out_found, err);
}
static inline void person_repository_destroy(struct person_repository *r)
{
    if (r)
        r->ops->destroy(r);
}

#endif
