#include "infrastructure/models/schema/schema_quarantine.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/schema/schema_origin.h"
#include <stdlib.h>
#include <string.h>

/* A copy that is being made, and what was met in it. */
struct applying {
    const struct schema_quarantine *quarantine;
    struct arena *arena;
    struct quarantine_hits *hits;
};

static void part_finish(struct quarantined_part *part)
{
    json_decref(part->schema);
    free(part->message);
}

void schema_quarantine_finish(struct schema_quarantine *quarantine)
{
    for (size_t i = 0; i < quarantine->n; i++)
        part_finish(&quarantine->parts[i]);
    quarantine->n = 0;
}

void schema_quarantine_add(struct schema_quarantine *quarantine, const json_t *part,
                           const char *message)
{
    if (quarantine->n == SCHEMA_QUARANTINE_MAX_PARTS) {
        part_finish(&quarantine->parts[0]);
        memmove(&quarantine->parts[0], &quarantine->parts[1],
                (SCHEMA_QUARANTINE_MAX_PARTS - 1) * sizeof quarantine->parts[0]);
        quarantine->n--;
    }
    char *copy =
        strndup(message, text_cut(message, strlen(message), SCHEMA_QUARANTINE_MAX_MESSAGE));
    if (!copy)
        abort();
    quarantine->parts[quarantine->n++] =
        (struct quarantined_part){ .schema = json_deep_copy(part), .message = copy };
}

/* Which bad part this is; n when it is none. */
static size_t find(const struct schema_quarantine *quarantine, const json_t *schema)
{
    size_t i = 0;
    while (i < quarantine->n && !json_equal(quarantine->parts[i].schema, schema))
        i++;
    return i;
}

static void note_hit(struct applying *applying, size_t part, const char *path)
{
    struct quarantine_hits *hits = applying->hits;
    if (hits->n == SCHEMA_QUARANTINE_MAX_HITS)
        return;
    hits->hits[hits->n].part = part;
    hits->hits[hits->n++].path = path;
}

/* Arguments must stay an object: whoever reads the answer relies on it. */
static json_t *anything_like(const json_t *part)
{
    bool is_object =
        text_equal(json_get_string(part, "type"), "object") || json_object_get(part, "properties");
    return is_object ? json_pack("{s:s}", "type", "object") : json_object();
}

static json_t *copy(struct applying *applying, const json_t *value, const char *path);

static json_t *copy_object(struct applying *applying, const json_t *object, const char *path)
{
    json_t *out = json_object();
    const char *key;
    const json_t *member;
    json_each_member (object, key, member)
        json_object_set_new(out, key,
                            copy(applying, member, json_path_member(applying->arena, path, key)));
    return out;
}

static json_t *copy_array(struct applying *applying, const json_t *array, const char *path)
{
    json_t *out = json_array();
    for (size_t i = 0; i < json_array_size(array); i++)
        json_array_append_new(out, copy(applying, json_array_get(array, i),
                                        json_path_element(applying->arena, path, i)));
    return out;
}

/* Lowered schemas nest no deeper than SCHEMA_LOWERING_MAX_DEPTH. A part may be a bad one as it
 * stands or with its own bad parts replaced: the endpoint was sent the latter when it refused it.
 */
static json_t *copy(struct applying *applying, const json_t *value, const char *path)
{
    if (json_is_array(value))
        return copy_array(applying, value, path);
    if (!json_is_object(value))
        return json_share(value);
    size_t part = find(applying->quarantine, value);
    json_t *copied = NULL;
    if (part == applying->quarantine->n) {
        copied = copy_object(applying, value, path);
        part = find(applying->quarantine, copied);
    }
    if (part == applying->quarantine->n)
        return copied;
    json_decref(copied);
    note_hit(applying, part, path);
    return anything_like(value);
}

const json_t *schema_quarantine_apply(const struct schema_quarantine *quarantine,
                                      struct arena *arena, const json_t *schema,
                                      struct quarantine_hits *out_hits)
{
    struct applying applying = { quarantine, arena, out_hits };
    out_hits->n = 0;
    if (quarantine->n == 0)
        return schema;
    size_t whole = find(quarantine, schema);
    if (whole < quarantine->n) {
        note_hit(&applying, whole, "");
        return NULL;
    }
    return arena_keep_json(arena, copy(&applying, schema, ""));
}

void schema_quarantine_tell(struct schema_quarantine *quarantine,
                            const struct quarantine_hits *hits, const json_t *original,
                            struct arena *arena, struct model_reply *out)
{
    struct model_schema_note *notes = arena_array(arena, struct model_schema_note, hits->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < hits->n; i++) {
        const struct quarantined_part *part = &quarantine->parts[hits->hits[i].part];
        if (!part->told)
            notes[n++] = (struct model_schema_note){
                .path = schema_origin_path(arena, original, hits->hits[i].path),
                .message = arena_strdup(arena, part->message),
            };
    }
    for (size_t i = 0; i < hits->n; i++)
        quarantine->parts[hits->hits[i].part].told = true;
    out->notes = notes;
    out->n_notes = n;
}
