/* The path in the lowered schema is followed part by part. For each part there is a list of places
 * in the original that it may come from, the nearest first: lowering follows references, merges
 * `allOf`, writes `anyOf` for `oneOf` and repeats what stands beside alternatives in each of them.
 */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/schema/schema_lowering.h"
#include "infrastructure/models/schema/schema_lowering_internal.h"
#include <stdbool.h>
#include <string.h>

#define MAX_PLACES 64 /* looked at for one step of a path */

struct place {
    const json_t *schema;
    const char *path;
};

struct places {
    struct place at[MAX_PLACES];
    size_t n;
};

struct walk {
    struct arena *arena;
    const json_t *root;
    struct places places;
    const char *rest; /* of the path, from a slash on, or empty */
};

const char *schema_reference_path(struct arena *arena, const char *reference)
{
    if (reference[0] != '#' || (reference[1] && reference[1] != '/'))
        return NULL;
    char *path = arena_strdup(arena, reference + 1), *out = path;
    for (const char *at = path; *at; at++) {
        int high = *at == '%' ? text_hex_digit(at[1]) : -1;
        int low = high >= 0 ? text_hex_digit(at[2]) : -1;
        *out++ = low >= 0 ? (char)(high * 16 + low) : *at;
        at += low >= 0 ? 2 : 0;
    }
    *out = '\0';
    return path;
}

/* One part of a pointer without ~0 and ~1. */
static const char *unescape(struct arena *arena, const char *part, size_t length)
{
    char *text = arena_strndup(arena, part, length), *out = text;
    for (const char *at = text; *at; at++) {
        bool escaped = *at == '~' && (at[1] == '0' || at[1] == '1');
        *out++ = !escaped ? *at : at[1] == '0' ? '~' : '/';
        at += escaped;
    }
    *out = '\0';
    return text;
}

static void add(struct places *places, const json_t *schema, const char *path)
{
    if (json_is_object(schema) && places->n < MAX_PLACES)
        places->at[places->n++] = (struct place){ schema, path };
}

/* What lowering merged into a schema stands elsewhere. */
static void add_merged(struct walk *walk)
{
    struct places *places = &walk->places;
    for (size_t i = 0; i < places->n; i++) {
        const struct place place = places->at[i];
        const char *reference = json_get_string(place.schema, "$ref");
        const char *target = reference ? schema_reference_path(walk->arena, reference) : NULL;
        if (target)
            add(places, json_path_find(walk->root, target), target);
        const json_t *all = json_object_get(place.schema, "allOf");
        const char *path = json_path_member(walk->arena, place.path, "allOf");
        for (size_t j = 0; j < json_array_size(all); j++)
            add(places, json_array_get(all, j), json_path_element(walk->arena, path, j));
    }
}

/* The next part of the path, decoded; NULL at its end. */
static const char *next_part(struct walk *walk)
{
    if (walk->rest[0] != '/')
        return NULL;
    const char *part = walk->rest + 1;
    size_t length = strcspn(part, "/");
    walk->rest = part + length;
    return unescape(walk->arena, part, length);
}

static void step_to_member(struct walk *walk, const char *keyword, const char *name)
{
    struct places next = { .n = 0 };
    for (size_t i = 0; i < walk->places.n; i++) {
        const struct place *place = &walk->places.at[i];
        const char *path = json_path_member(walk->arena, place->path, keyword);
        const json_t *value = json_object_get(place->schema, keyword);
        if (name)
            add(&next, json_object_get(value, name), json_path_member(walk->arena, path, name));
        else
            add(&next, value, path);
    }
    walk->places = next;
}

/* The alternatives of the nearest place that has any. What stands beside them stays. */
static void step_to_element(struct walk *walk, const char *const keywords[2], size_t index)
{
    struct places next = { .n = 0 };
    for (size_t i = 0; i < 2 * walk->places.n && next.n == 0; i++) {
        const struct place *place = &walk->places.at[i / 2];
        const char *path = json_path_member(walk->arena, place->path, keywords[i % 2]);
        add(&next, json_array_get(json_object_get(place->schema, keywords[i % 2]), index),
            json_path_element(walk->arena, path, index));
    }
    bool found = next.n > 0;
    for (size_t i = 0; found && i < walk->places.n; i++)
        add(&next, walk->places.at[i].schema, walk->places.at[i].path);
    walk->places = next;
}

static void step(struct walk *walk, const char *keyword)
{
    static const char *const alternatives[] = { "anyOf", "oneOf" };
    static const char *const tuple[] = { "prefixItems", "items" };
    int64_t index;
    add_merged(walk);
    if (strcmp(keyword, "items") == 0 || strcmp(keyword, "additionalProperties") == 0) {
        step_to_member(walk, keyword, NULL);
        return;
    }
    const char *part = next_part(walk);
    bool is_number = part && text_to_int64(part, &index) && index >= 0;
    if (part && strcmp(keyword, "properties") == 0)
        step_to_member(walk, keyword, part);
    else if (is_number && strcmp(keyword, "anyOf") == 0)
        step_to_element(walk, alternatives, (size_t)index);
    else if (is_number && strcmp(keyword, "prefixItems") == 0)
        step_to_element(walk, tuple, (size_t)index);
    else
        walk->places.n = 0;
}

const char *schema_origin_path(struct arena *arena, const json_t *original, const char *path)
{
    struct walk walk = { .arena = arena, .root = original, .rest = path };
    const char *deepest = "";
    add(&walk.places, original, "");
    for (const char *part; (part = next_part(&walk));) {
        step(&walk, part);
        if (walk.places.n == 0)
            break;
        deepest = walk.places.at[0].path;
    }
    return deepest;
}
