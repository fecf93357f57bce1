/* Fresh identifiers: short, sortable by time of creation, unguessable enough not to collide. And
 * secrets, which nobody can guess. */
#ifndef APPLICATION_PORTS_IDS_H
#define APPLICATION_PORTS_IDS_H

#define ID_SIZE 24
#define SECRET_SIZE 44

struct ids;

struct ids_ops {
    void (*fresh)(struct ids *i, char out_id[static ID_SIZE]);
    void (*secret)(struct ids *i, char out_secret[static SECRET_SIZE]);
};

struct ids {
    const struct ids_ops *ops;
};

/* Lower-case letters and digits, valid as conversation and run id. Returns out_id. */
static inline char *ids_fresh(struct ids *i, char out_id[static ID_SIZE])
{
    i->ops->fresh(i, out_id);
    return out_id;
}
/* 256 bits of chance as 43 characters of base64url. Returns out_secret. */
static inline char *ids_secret(struct ids *i, char out_secret[static SECRET_SIZE])
{
    i->ops->secret(i, out_secret);
    return out_secret;
}

#endif
