/* Parts of schemas that an endpoint refuses, so that one bad tool does not cost all the others
 * their schema. A part is known by its content, since prompts put the tools of the moment together:
 * wherever it stands, anything may stand instead. Pure; as long as the process. */
#ifndef INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_QUARANTINE_H
#define INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_QUARANTINE_H

#include "application/ports/model.h"

#define SCHEMA_QUARANTINE_MAX_PARTS 32     /* the oldest leaves */
#define SCHEMA_QUARANTINE_MAX_MESSAGE 1024 /* kept of what the endpoint says, in bytes */
#define SCHEMA_QUARANTINE_MAX_HITS 32      /* noted of one schema */

struct quarantined_part {
    json_t *schema; /* lowered */
    char *message;
    bool told;
};

struct schema_quarantine {
    struct quarantined_part parts[SCHEMA_QUARANTINE_MAX_PARTS]; /* oldest first */
    size_t n;
};

/* Where a schema had such parts. */
struct quarantine_hits {
    struct {
        size_t part;      /* index; good until the next add */
        const char *path; /* JSON Pointer in the lowered schema; in the arena */
    } hits[SCHEMA_QUARANTINE_MAX_HITS];
    size_t n;
};

void schema_quarantine_finish(struct schema_quarantine *quarantine);
void schema_quarantine_add(struct schema_quarantine *quarantine, const json_t *part,
                           const char *message);
/* The schema with anything in place of its bad parts; itself when it has none, NULL when it is one
 * as a whole. */
const json_t *schema_quarantine_apply(const struct schema_quarantine *quarantine,
                                      struct arena *arena, const json_t *schema,
                                      struct quarantine_hits *out_hits);
/* Notes of the hits that nobody was told of yet, with paths in the original schema; in the arena.
 * They count as told from now on. */
void schema_quarantine_tell(struct schema_quarantine *quarantine,
                            const struct quarantine_hits *hits, const json_t *original,
                            struct arena *arena, struct model_reply *out);

#endif
