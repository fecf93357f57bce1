/* The definitions of tools that a person agreed to, per server configuration: when a server was
 * configured its tools were accepted as they were first listed, and what it lists later is held
 * against that (application/tools/pins.h). The whole definition is kept, not only its hash, so that
 * a person can be shown what became of it.
 *
 * The fingerprint stands for the last list that held nothing but agreed definitions. It is all that
 * is read while nothing changes, and it is what a writer says it has seen: two processes cannot
 * write over each other. */
#ifndef DOMAIN_REPOSITORIES_PIN_REPOSITORY_H
#define DOMAIN_REPOSITORIES_PIN_REPOSITORY_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"

#define PIN_HASH_SIZE 65                  /* lower-case hex and its NUL */
#define PINS_MAX_BYTES (64 * 1024 * 1024) /* of one server, as they are stored */
#define PINS_MAX_SERVERS 1000             /* what was not written for longest gives way */

struct pin_repository;

struct pin {
    const char *name;       /* the server's own name of the tool */
    const char *hash;       /* of the definition */
    const char *definition; /* its text as it was hashed (entities/tool.h) */
};

struct pins {
    const char *identity;    /* hash of the server's configuration; hex, so fit for a file name */
    const char *server;      /* its configured name, for people who look at the store */
    const char *fingerprint; /* of the last list that was agreed to */
    struct pin *list;
    size_t n;
};

struct pin_repository_ops {
    /* All mandatory. */
    enum err_code (*fingerprint)(struct pin_repository *r, struct scope *sc, const char *identity,
                                 char out[static PIN_HASH_SIZE], struct err *err);
    enum err_code (*load)(struct pin_repository *r, struct scope *sc, const char *identity,
                          struct arena *arena, struct pins *out, struct err *err);
    enum err_code (*save)(struct pin_repository *r, struct scope *sc, const struct pins *pins,
                          const char *seen, struct err *err);
    void (*destroy)(struct pin_repository *r);
};

struct pin_repository {
    const struct pin_repository_ops *ops;
};

/* "" when nothing is pinned for that configuration. ERR_INVALID: the store is damaged (it stays as
 * it is); ERR_UNAVAILABLE: it cannot be read; ERR_LIMIT: it is larger than PINS_MAX_BYTES. */
awaits MUST_CHECK static inline enum err_code pin_repository_fingerprint(
    struct pin_repository *r, struct scope *sc, const char *identity,
    char out[static PIN_HASH_SIZE], struct err *err)
{
    return r->ops->fingerprint(r, sc, identity, out, err);
}

/* Everything in the arena; server is "". ERR_NOT_FOUND when nothing is pinned; else fails as
 * fingerprint does. */
awaits MUST_CHECK static inline enum err_code pin_repository_load(struct pin_repository *r,
                                                                  struct scope *sc,
                                                                  const char *identity,
                                                                  struct arena *arena,
                                                                  struct pins *out, struct err *err)
{
    return r->ops->load(r, sc, identity, arena, out, err);
}

/* Replaces what is pinned for the configuration; on disk when it returns. seen: the fingerprint
 * that was read before, "" for none. ERR_MISMATCH: somebody else wrote since, read again. */
awaits MUST_CHECK static inline enum err_code pin_repository_save(struct pin_repository *r,
                                                                  struct scope *sc,
                                                                  const struct pins *pins,
                                                                  const char *seen, struct err *err)
{
    return r->ops->save(r, sc, pins, seen, err);
}

static inline void pin_repository_destroy(struct pin_repository *r)
{
    if (r)
        r->ops->destroy(r);
}

#endif
