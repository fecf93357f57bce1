/* Fresh identifiers: short, sortable by time of creation, unguessable enough not to collide. */
#ifndef APPLICATION_PORTS_IDS_H
#define APPLICATION_PORTS_IDS_H

#define ID_SIZE 24

struct ids;

struct ids_ops {
    void (*fresh)(struct ids *i, char out_id[static ID_SIZE]);
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

#endif
