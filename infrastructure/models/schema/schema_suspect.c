#include "infrastructure/models/schema/schema_suspect.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

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

static void add_part(struct search *search, struct parts *parts, const json_t *part)
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
            add_part(search, &parts, json_array_get(list, j));
    }
    json_each_member (json_object_get(schema, "properties"), name, property)
        add_part(search, &parts, property);
    for (size_t i = 0; i < ARRAY_LENGTH(single); i++)
        add_part(search, &parts, json_object_get(schema, single[i]));
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
