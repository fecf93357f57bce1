/* The definitions of tools that a person agreed to, per server configuration: when a server was
 * configured its tools were accepted as they were first listed, and what it lists later is held
 * against that (application/tools/pins.h). The whole definition is kept, not only its hash, so that
 * a person can be shown what became of it.
 *
 * What a server lists depends on what it is offered, so it is remembered under which offers it was
 * listed. The fingerprint of an offer stands for the last list under it that held nothing but
 * agreed definitions. The head is all that is read while nothing changes, and its revision is what
 * a writer says it has seen: two processes cannot write over each other. */
#ifndef DOMAIN_REPOSITORIES_PIN_REPOSITORY_H
#define DOMAIN_REPOSITORIES_PIN_REPOSITORY_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIN_HASH_SIZE 65                  /* lower-case hex and its NUL */
#define PINS_MAX_BYTES (64 * 1024 * 1024) /* of one server, as they are stored */
#define PINS_MAX_SERVERS 1000             /* what was not written for longest gives way */
#define PINS_MAX_OFFERS 16                /* of one server */
#define PIN_OFFER_SIZE 64                 /* with its NUL */

struct pin_repository;

struct pin {
    const char *name;       /* the server's own name of the tool */
    const char *hash;       /* of the definition */
    const char *definition; /* its text as it was hashed (domain/tool/tool.h) */
};

struct pin_offer {
    char name[PIN_OFFER_SIZE];       /* as in struct tool_server_status; "" is one too */
    char fingerprint[PIN_HASH_SIZE]; /* "": no list under it was agreed to as a whole */
};

struct pins_head {
    int64_t revision; /* grows by one with each write; 0: nothing is pinned */
    struct pin_offer offers[PINS_MAX_OFFERS];
    size_t n_offers;
    /* Of what was read: it is kept under an identity that contains the server's folder where that
     * counts. Every save says so; a file that does not was made with identities without folders. */
    bool has_folders;
};

struct pins {
    const char *identity; /* hash of the server's configuration; hex, so fit for a file name */
    const char *server;   /* its configured name, for people who look at the store */
    struct pins_head head;
    struct pin *list;
    size_t n;
};

struct pin_repository_ops {
    /* All mandatory. */
    enum err_code (*look)(struct pin_repository *r, struct scope *sc, const char *identity,
                          struct pins_head *out, struct err *err);
    enum err_code (*load)(struct pin_repository *r, struct scope *sc, const char *identity,
                          struct arena *arena, struct pins *out, struct err *err);
    enum err_code (*save)(struct pin_repository *r, struct scope *sc, const struct pins *pins,
                          struct err *err);
    void (*destroy)(struct pin_repository *r);
};

struct pin_repository {
    const struct pin_repository_ops *ops;
};

/* Revision 0 when nothing is pinned for that configuration. ERR_INVALID: the store is damaged (it
 * stays as it is); ERR_UNAVAILABLE: it cannot be read; ERR_LIMIT: it is larger than PINS_MAX_BYTES.
 */
awaits MUST_CHECK static inline enum err_code pin_repository_look(struct pin_repository *r,
                                                                  struct scope *sc,
                                                                  const char *identity,
                                                                  struct pins_head *out,
                                                                  struct err *err)
{
    return r->ops->look(r, sc, identity, out, err);
}

/* Everything in the arena; server is "". ERR_NOT_FOUND when nothing is pinned; else fails as
 * look does. */
awaits MUST_CHECK static inline enum err_code pin_repository_load(struct pin_repository *r,
                                                                  struct scope *sc,
                                                                  const char *identity,
                                                                  struct arena *arena,
                                                                  struct pins *out, struct err *err)
{
    return r->ops->load(r, sc, identity, arena, out, err);
}

/* Replaces what is pinned for the configuration; on disk when it returns. The revision is the one
 * that was read before. ERR_MISMATCH: another process wrote since, read again. */
awaits MUST_CHECK static inline enum err_code pin_repository_save(struct pin_repository *r,
                                                                  struct scope *sc,
                                                                  const struct pins *pins,
                                                                  struct err *err)
{
    return r->ops->save(r, sc, pins, err);
}

static inline void pin_repository_destroy(struct pin_repository *r)
{
    if (r)
        r->ops->destroy(r);
}

#endif
