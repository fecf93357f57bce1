/* Parts of schemas that an endpoint refuses, so that one bad tool does not cost all the others
 * their schema: they are found, remembered for the life of the process, and left out of what is
 * sent. A part is known by its content, since prompts put the tools of the moment together:
 * wherever it stands, anything may stand instead. Only schema_suspect_search waits; the rest is
 * pure. */
#ifndef INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_QUARANTINE_H
#define INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_QUARANTINE_H

#include "application/ports/model.h"
#include "domain/base/attributes.h"

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
/* Notes of the hits that were not told yet, with paths in the original schema; in the arena. They
 * count as told from now on. */
void schema_quarantine_tell(struct schema_quarantine *quarantine,
                            const struct quarantine_hits *hits, const json_t *original,
                            struct arena *arena, struct model_reply *out);

#define SCHEMA_SUSPECT_MAX_TRIES 24

/* Does the endpoint take this schema? Waits. Fails when that cannot be found out. */
typedef enum err_code schema_try_fn(void *context, const json_t *schema, bool *out_taken,
                                    struct err *err);

/* The part named as "#/properties/…" in a text, as far as there is one; NULL when the text names
 * none, or only the whole. */
const json_t *schema_suspect_named(struct arena *arena, const json_t *schema, const char *text);

/* The schema as a whole was refused. *out_part is its smallest part that is refused by itself, or
 * NULL when none is, as when it is only too large. */
awaits MUST_CHECK enum err_code schema_suspect_search(struct arena *arena, const json_t *schema,
                                                      schema_try_fn *try_schema, void *context,
                                                      const json_t **out_part, struct err *err);

#endif
