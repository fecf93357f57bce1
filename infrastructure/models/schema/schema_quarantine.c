/* How a refused schema costs no more than the part that is refused. The endpoint's error text may
 * name the part; otherwise parts are tried alone, half of them at a time, as deep as one part is
 * refused by itself. Such a part is remembered, and replaced by "anything" in every schema that is
 * sent. */
#include "infrastructure/models/schema/schema_quarantine.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/schema/schema_lowering.h"
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

/* Arguments must stay an object: the reader of the answer relies on it. */
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

struct search {
    struct arena *arena;
    schema_try_fn *try_schema;
    void *context;
    unsigned tries;
};

/* The schemas directly below one. */
struct parts {
    const json_t **at;
    size_t n, capacity;
};

/* Whether a path ends at a schema, and not at the members of one. */
static bool leads_to_schema(const char *path)
{
    static const char *const lists[] = { "/properties/", "/anyOf/", "/prefixItems/" };
    static const char *const single[] = { "/items", "/additionalProperties" };
    while (*path) {
        size_t skip = 0;
        for (size_t i = 0; i < ARRAY_LENGTH(lists); i++)
            if (text_starts_with(path, lists[i]))
                skip = strlen(lists[i]) + strcspn(path + strlen(lists[i]), "/");
        for (size_t i = 0; i < ARRAY_LENGTH(single); i++)
            if (text_starts_with(path, single[i]))
                skip = strlen(single[i]);
        if (skip == 0)
            return false;
        path += skip;
    }
    return true;
}

/* A pointer in a text ends where no pointer of ours goes on, and llama.cpp escapes nothing in one:
 * a key may contain almost anything, so the longest beginning that leads somewhere counts. */
static const json_t *longest_match(struct arena *arena, const json_t *schema, const char *pointer)
{
    for (size_t length = strlen(pointer); length > 0; length--) {
        const char *path = arena_strndup(arena, pointer, length);
        const json_t *part = json_path_find(schema, path);
        if (json_is_object(part) && json_object_size(part) && leads_to_schema(path))
            return part;
    }
    return NULL;
}

const json_t *schema_suspect_named(struct arena *arena, const json_t *schema, const char *text)
{
    enum { LONGEST = 1024 };
    const char *at = strstr(text, "#/");
    if (!at)
        return NULL;
    const json_t *part =
        longest_match(arena, schema, arena_strndup(arena, at + 1, strnlen(at + 1, LONGEST)));
    return part == schema ? NULL : part;
}

static void add_below(struct search *search, struct parts *parts, const json_t *part)
{
    if (json_is_object(part) && json_object_size(part))
        *arena_push(search->arena, parts->at, parts->n, parts->capacity) = part;
}

static struct parts parts_of(struct search *search, const json_t *schema)
{
    static const char *const lists[] = { "anyOf", "prefixItems" };
    static const char *const single[] = { "items", "additionalProperties" };
    struct parts parts = { 0 };
    const char *name;
    const json_t *property;
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
        const json_t *list = json_object_get(schema, lists[i]);
        for (size_t j = 0; j < json_array_size(list); j++)
            add_below(search, &parts, json_array_get(list, j));
    }
    json_each_member (json_object_get(schema, "properties"), name, property)
        add_below(search, &parts, property);
    for (size_t i = 0; i < ARRAY_LENGTH(single); i++)
        add_below(search, &parts, json_object_get(schema, single[i]));
    return parts;
}

/* An object with the parts as its members: a schema that every kind of server could take. */
static json_t *schema_with(const struct parts *parts, size_t begin, size_t end)
{
    json_t *properties = json_object(), *required = json_array();
    for (size_t i = begin; i < end; i++) {
        char name[24];
        snprintf(name, sizeof name, "p%zu", i);
        json_object_set_new(properties, name, json_share(parts->at[i]));
        json_array_append_new(required, json_string(name));
    }
    return json_pack("{s:s, s:o, s:o}", "type", "object", "properties", properties, "required",
                     required);
}

/* Out of tries counts as taken: then nothing below is accused. */
awaits static enum err_code are_taken(struct search *search, const struct parts *parts,
                                      size_t begin, size_t end, bool *out_taken, struct err *err)
{
    *out_taken = true;
    if (search->tries == SCHEMA_SUSPECT_MAX_TRIES)
        return ERR_NONE;
    search->tries++;
    json_auto_t *schema = schema_with(parts, begin, end);
    return search->try_schema(search->context, schema, out_taken, err);
}

/* The one of several parts that is refused by itself, or NULL. */
awaits static enum err_code find_refused(struct search *search, const struct parts *parts,
                                         const json_t **out_part, struct err *err)
{
    size_t begin = 0, end = parts->n;
    bool taken = true;
    *out_part = NULL;
    while (end - begin > 1) {
        size_t middle = begin + (end - begin) / 2;
        enum err_code r = are_taken(search, parts, begin, middle, &taken, err);
        if (r)
            return r;
        if (taken)
            begin = middle;
        else
            end = middle;
    }
    enum err_code r = begin == end ? ERR_NONE : are_taken(search, parts, begin, end, &taken, err);
    if (!r && !taken)
        *out_part = parts->at[begin];
    return r;
}

enum err_code schema_suspect_search(struct arena *arena, const json_t *schema,
                                    schema_try_fn *try_schema, void *context,
                                    const json_t **out_part, struct err *err)
{
    struct search search = { arena, try_schema, context, 0 };
    const json_t *found = NULL, *below = schema;
    while (below) {
        struct parts parts = parts_of(&search, below);
        enum err_code r = find_refused(&search, &parts, &below, err);
        if (r)
            return r;
        found = below ? below : found;
    }
    *out_part = found;
    return ERR_NONE;
}
