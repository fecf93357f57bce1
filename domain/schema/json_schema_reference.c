/* From the text of a reference to the subschema it names. The network is never asked: a document
 * is known (given by the caller, embedded by $id, or one of the metaschemas) or it is an error. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/json_schema_internal.h"
#include <stdlib.h>
#include <string.h>

static const json_t *find_document(struct json_schema *schema, const char *uri)
{
    const char *fragment;
    for (size_t i = 0; i < schema->n_documents; i++)
        if (strcmp(schema_uri_split(&schema->arena, schema->documents[i].uri, &fragment), uri) == 0)
            return schema->documents[i].value;
    const char *text = schema_metaschema_text(uri);
    json_t *metaschema = NULL;
    if (text && json_parse(text, strlen(text), JSON_OURS, &metaschema, NULL))
        abort();
    return arena_keep_json(&schema->arena, metaschema);
}

static enum err_code find_or_index(struct json_schema *schema, const struct resource *from,
                                   const char *uri, struct resource **out, struct err *err)
{
    *out = schema_find_resource(schema, uri);
    if (*out)
        return ERR_NONE;
    const json_t *document = find_document(schema, uri);
    if (document)
        return schema_index_document(schema, document, uri, from->dialect, out, err);
    err_set(err, ERR_INVALID, 0, "reference to an unknown document \"%.120s\"", uri);
    return err_hint(err, ERR_INVALID,
                    "references are not fetched; put the document under \"$defs\"");
}

static const json_t *array_element(const json_t *array, const char *token)
{
    int64_t index;
    bool is_index = text_to_int64(token, &index) && index >= 0 && token[0] != '+' &&
                    token[0] != '-' && (token[0] != '0' || !token[1]);
    return is_index ? json_array_get(array, (size_t)index) : NULL;
}

/* Takes one token off the pointer, unescaped in place; returns the rest, NULL at the end. */
static char *cut_token(char *token)
{
    char *rest = strchr(token, '/');
    if (rest)
        *rest++ = '\0';
    char *to = token;
    for (const char *from = token; *from; to++, from++) {
        bool is_escape = from[0] == '~' && (from[1] == '0' || from[1] == '1');
        *to = is_escape ? (from[1] == '0' ? '~' : '/') : *from;
        from += is_escape;
    }
    *to = '\0';
    return rest;
}

static bool follow_pointer(struct json_schema *schema, const char *pointer, struct place *place)
{
    char *token = arena_strdup(&schema->arena, pointer + 1);
    while (token) {
        char *rest = cut_token(token);
        place->value = json_is_array(place->value) ? array_element(place->value, token)
                                                   : json_object_get(place->value, token);
        if (!place->value)
            return false;
        place->resource = schema_resource_at(schema, place->value, place->resource);
        token = rest;
    }
    return true;
}

static struct dynamic_anchor *find_dynamic(const struct resource *resource, const char *name)
{
    struct dynamic_anchor *anchor = resource->dynamic_anchors;
    while (anchor && strcmp(anchor->name, name) != 0)
        anchor = anchor->next;
    return anchor;
}

static bool find_anchor(struct json_schema *schema, const char *name, struct place *place,
                        struct dynamic_anchor **out_bookend)
{
    const char *key = arena_printf(&schema->arena, "%s#%s", place->resource->uri, name);
    const json_t *index = json_object_get(schema->anchor_uris, key);
    if (!index)
        return false;
    *place = schema->anchors[json_integer_value(index)];
    *out_bookend = find_dynamic(place->resource, name);
    return true;
}

enum err_code schema_resolve(struct json_schema *schema, const struct resource *from,
                             const char *reference, struct place *out,
                             struct dynamic_anchor **out_bookend, struct err *err)
{
    if (strlen(reference) > JSON_SCHEMA_MAX_URI_BYTES)
        return err_set(err, ERR_LIMIT, 0, "a reference longer than %d bytes",
                       JSON_SCHEMA_MAX_URI_BYTES);
    const char *fragment;
    const char *absolute = schema_uri_resolve(&schema->arena, from->uri, reference);
    const char *uri = schema_uri_split(&schema->arena, absolute, &fragment);
    struct resource *resource;
    enum err_code r = find_or_index(schema, from, uri, &resource, err);
    if (r)
        return r;
    struct place place = { resource->root, resource };
    struct dynamic_anchor *bookend = NULL;
    bool found = fragment[0] == '/' ? follow_pointer(schema, fragment, &place)
                 : fragment[0]      ? find_anchor(schema, fragment, &place, &bookend)
                                    : true;
    if (!found)
        return err_set(err, ERR_INVALID, 0, "reference \"%.120s\" leads nowhere", reference);
    if (!schema_is_schema(place.value))
        return err_set(err, ERR_INVALID, 0, "reference \"%.120s\" leads to no schema", reference);
    *out = place;
    *out_bookend = bookend;
    return ERR_NONE;
}
