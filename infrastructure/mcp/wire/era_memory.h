/* Which era each server turned out to speak, from one process to the next: a server that leaves the
 * probe unanswered is waited for once, not at every start. A memory may be wrong or lost, which
 * costs a probe and nothing else. repositories/json_era_memory.c keeps it in a file. */
#ifndef INFRASTRUCTURE_MCP_WIRE_ERA_MEMORY_H
#define INFRASTRUCTURE_MCP_WIRE_ERA_MEMORY_H

#include "application/settings.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"

struct era_memory;

struct era_memory_ops {
    /* Mandatory. */
    enum server_era (*find)(struct era_memory *m, const char *identity);
    void (*keep)(struct era_memory *m, const struct scope *sc, const char *identity,
                 enum server_era era);
    void (*destroy)(struct era_memory *m);
};

struct era_memory {
    const struct era_memory_ops *ops;
};

/* ERA_AUTO: unknown. The identity (as in struct tool_server_status) is secret and not kept. */
static inline enum server_era era_memory_find(struct era_memory *m, const char *identity)
{
    return m->ops->find(m, identity);
}
/* ERA_AUTO forgets. A failure to keep it is ignored. */
awaits static inline void era_memory_keep(struct era_memory *m, const struct scope *sc,
                                          const char *identity, enum server_era era)
{
    m->ops->keep(m, sc, identity, era);
}
/* NULL is fine. */
awaits static inline void era_memory_destroy(struct era_memory *m)
{
    if (m)
        m->ops->destroy(m);
}

#endif
