/* Where conversations are kept. Two adapters and a fake pass one contract suite
 * (tests/support/contracts/conversation_repository_contract.h).
 *
 * An operation is whole: what it acknowledged is on disk, and a crash at any moment leaves the old
 * or the new version. Two processes on one store lose nothing: writes to different conversations
 * never meet, and save and append fail with ERR_MISMATCH when the conversation was changed since it
 * was loaded (compare updated_at_ms). The check and the write are one operation, so of several
 * writers that loaded the same version one succeeds; the others load again.
 *
 * A turn loads the end of its conversation with get_recent and stores what was said with append;
 * both cost the same however long the conversation is. */
#ifndef DOMAIN_REPOSITORIES_CONVERSATION_REPOSITORY_H
#define DOMAIN_REPOSITORIES_CONVERSATION_REPOSITORY_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include "domain/entities/conversation.h"

struct conversation_repository;

/* One line of a listing. */
struct conversation_summary {
    const char *id;
    const char *label;
    int64_t created_at_ms, updated_at_ms;
    size_t n_messages;
    const char *kind;         /* conversation_kind; NULL when it is damaged */
    const char *last_request; /* on one line; "" without one */
    const char *folder;       /* conversation_folder */
    const char *damage;       /* why it cannot be read, and where it is; NULL when it can */
};

struct conversation_repository_ops {
    /* All mandatory. Results live in the caller's arena. */
    enum err_code (*save)(struct conversation_repository *r, struct scope *sc,
                          const struct conversation *c, int64_t loaded_version_ms, struct err *err);
    enum err_code (*append)(struct conversation_repository *r, struct scope *sc,
                            const struct conversation *c, size_t from, int64_t loaded_version_ms,
                            struct err *err);
    enum err_code (*get_by_id)(struct conversation_repository *r, struct scope *sc, const char *id,
                               struct arena *arena, struct conversation **out, struct err *err);
    enum err_code (*get_recent)(struct conversation_repository *r, struct scope *sc, const char *id,
                                size_t max, struct arena *arena, struct conversation **out,
                                struct err *err);
    enum err_code (*get_all)(struct conversation_repository *r, struct scope *sc,
                             struct arena *arena, struct conversation_summary **out, size_t *out_n,
                             struct err *err);
    enum err_code (*remove)(struct conversation_repository *r, struct scope *sc, const char *id,
                            struct err *err);
    void (*destroy)(struct conversation_repository *r);
};

struct conversation_repository {
    const struct conversation_repository_ops *ops;
};

/* Creates or replaces a conversation that is whole. loaded_version_ms is the updated_at_ms the
 * conversation had when it was loaded, 0 for a new one. ERR_MISMATCH when the stored one is another
 * or was removed; ERR_LIMIT above storage.max_conversation_bytes; ERR_UNAVAILABLE when the disk
 * refuses. */
awaits MUST_CHECK static inline enum err_code conversation_repository_save(
    struct conversation_repository *r, struct scope *sc, const struct conversation *c,
    int64_t loaded_version_ms, struct err *err)
{
    return r->ops->save(r, sc, c, loaded_version_ms, err);
}

/* Puts the messages from the index `from` on behind those that are stored, of which those before
 * it are the last, and stores title and context. updated_at_ms is later than the loaded version.
 * Fails as save does. */
awaits MUST_CHECK static inline enum err_code conversation_repository_append(
    struct conversation_repository *r, struct scope *sc, const struct conversation *c, size_t from,
    int64_t loaded_version_ms, struct err *err)
{
    return r->ops->append(r, sc, c, from, loaded_version_ms, err);
}

/* ERR_NOT_FOUND when there is none; ERR_INVALID when the file is not a conversation (never lost:
 * it stays where it is, which the hint says). */
awaits MUST_CHECK static inline enum err_code conversation_repository_get_by_id(
    struct conversation_repository *r, struct scope *sc, const char *id, struct arena *arena,
    struct conversation **out, struct err *err)
{
    return r->ops->get_by_id(r, sc, id, arena, out, err);
}

/* The same with its last `max` messages at most. Damage of what is not loaded may go unnoticed. */
awaits MUST_CHECK static inline enum err_code conversation_repository_get_recent(
    struct conversation_repository *r, struct scope *sc, const char *id, size_t max,
    struct arena *arena, struct conversation **out, struct err *err)
{
    return r->ops->get_recent(r, sc, id, max, arena, out, err);
}

/* Newest first; those that cannot be read have an id, a time, and their damage. */
awaits MUST_CHECK static inline enum err_code conversation_repository_get_all(
    struct conversation_repository *r, struct scope *sc, struct arena *arena,
    struct conversation_summary **out, size_t *out_n, struct err *err)
{
    return r->ops->get_all(r, sc, arena, out, out_n, err);
}

/* ERR_NOT_FOUND when there is none. */
awaits MUST_CHECK static inline enum err_code conversation_repository_remove(
    struct conversation_repository *r, struct scope *sc, const char *id, struct err *err)
{
    return r->ops->remove(r, sc, id, err);
}

static inline void conversation_repository_destroy(struct conversation_repository *r)
{
    if (r)
        r->ops->destroy(r);
}

#endif
