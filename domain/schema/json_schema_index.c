/* The first pass over a document: which subschemas have a URI or an anchor of their own. It looks
 * only where the dialect has subschemas, so an "$id" inside an enum or an unknown keyword is what
 * it is there: data. */
#include "domain/base/json.h"
#include "domain/schema/json_schema_internal.h"
#include <string.h>

struct walk {
    struct json_schema *schema;
    struct resource *resource;
    int depth;
};

static enum err_code index_schema(struct json_schema *schema, const json_t *value,
                                  struct resource *resource, int depth, struct err *err);

struct resource *schema_find_resource(const struct json_schema *schema, const char *uri)
{
    const json_t *index = json_object_get(schema->uris, uri);
    return index ? schema->resources[json_integer_value(index)] : NULL;
}

/* The $id when it starts a resource; draft-07 ignores it beside a $ref, and "#name" is an anchor
 * there. */
static const char *resource_id(const json_t *value, enum dialect dialect)
{
    const char *id = json_string_value(json_object_get(value, "$id"));
    bool is_ignored = dialect == DIALECT_DRAFT_07 && json_object_get(value, "$ref");
    return id && id[0] != '#' && !is_ignored ? id : NULL;
}

static const char *resource_uri(struct json_schema *schema, const char *id, const char *base)
{
    const char *fragment;
    return schema_uri_split(&schema->arena, schema_uri_resolve(&schema->arena, base, id),
                            &fragment);
}

struct resource *schema_resource_at(struct json_schema *schema, const json_t *value,
                                    struct resource *enclosing)
{
    const char *id = resource_id(value, enclosing->dialect);
    struct resource *own =
        id ? schema_find_resource(schema, resource_uri(schema, id, enclosing->uri)) : NULL;
    return own && own->root == value ? own : enclosing;
}

static void name_resource(struct json_schema *schema, const char *uri, size_t index)
{
    if (!json_object_get(schema->uris, uri))
        json_object_set_new(schema->uris, uri, json_integer((json_int_t)index));
}

static enum err_code add_resource(struct json_schema *schema, const json_t *root, const char *uri,
                                  const struct resource *like, struct resource **out,
                                  struct err *err)
{
    struct resource *resource = arena_new(&schema->arena, struct resource);
    *resource = (struct resource){
        .uri = uri, .root = root, .dialect = like->dialect, .vocabularies = like->vocabularies
    };
    const char *dialect = json_string_value(json_object_get(root, "$schema"));
    enum err_code r = schema_dialect_read(schema, dialect, resource, err);
    if (r)
        return r;
    arena_push(&schema->arena, schema->resources, schema->n_resources, schema->resource_capacity);
    schema->resources[schema->n_resources - 1] = resource;
    name_resource(schema, uri, schema->n_resources - 1);
    *out = resource;
    return ERR_NONE;
}

static void add_anchor(struct json_schema *schema, const json_t *value, struct resource *resource,
                       const char *name)
{
    const char *key = arena_printf(&schema->arena, "%s#%s", resource->uri, name);
    if (json_object_get(schema->anchor_uris, key))
        return;
    arena_push(&schema->arena, schema->anchors, schema->n_anchors, schema->anchor_capacity);
    schema->anchors[schema->n_anchors - 1] = (struct place){ value, resource };
    json_object_set_new(schema->anchor_uris, key, json_integer((json_int_t)schema->n_anchors - 1));
}

static enum err_code add_dynamic_anchor(struct json_schema *schema, const json_t *value,
                                        struct resource *resource, const char *name,
                                        struct err *err)
{
    struct dynamic_anchor *anchor = arena_new(&schema->arena, struct dynamic_anchor);
    *anchor = (struct dynamic_anchor){ .next = resource->dynamic_anchors, .name = name };
    enum err_code r = schema_node(schema, (struct place){ value, resource }, &anchor->node, err);
    if (r)
        return r;
    resource->dynamic_anchors = anchor;
    return ERR_NONE;
}

static enum err_code add_anchors(struct json_schema *schema, const json_t *value,
                                 struct resource *resource, struct err *err)
{
    const char *id = json_string_value(json_object_get(value, "$id"));
    const char *anchor = json_string_value(json_object_get(value, "$anchor"));
    const char *dynamic = json_string_value(json_object_get(value, "$dynamicAnchor"));
    if (resource->dialect == DIALECT_DRAFT_07) {
        if (id && id[0] == '#' && id[1])
            add_anchor(schema, value, resource, id + 1);
        return ERR_NONE;
    }
    if (anchor)
        add_anchor(schema, value, resource, anchor);
    if (!dynamic)
        return ERR_NONE;
    add_anchor(schema, value, resource, dynamic);
    return add_dynamic_anchor(schema, value, resource, dynamic, err);
}

static enum err_code visit(void *context, const json_t *subschema, const char *token, size_t index,
                           struct err *err)
{
    struct walk *walk = context;
    (void)token;
    (void)index;
    return index_schema(walk->schema, subschema, walk->resource, walk->depth + 1, err);
}

static enum err_code index_children(struct json_schema *schema, const json_t *value,
                                    struct resource *resource, int depth, struct err *err)
{
    struct walk walk = { schema, resource, depth };
    enum err_code r = add_anchors(schema, value, resource, err);
    for (size_t i = 0; i < KEYWORD_COUNT && !r; i++) {
        const struct keyword *keyword = &schema_keywords[i];
        const json_t *part =
            keyword->dialects & resource->dialect ? json_object_get(value, keyword->name) : NULL;
        if (part)
            r = schema_shape_visit(keyword->shape, part, visit, &walk, err);
    }
    return r;
}

static enum err_code index_schema(struct json_schema *schema, const json_t *value,
                                  struct resource *resource, int depth, struct err *err)
{
    if (++schema->n_indexed > JSON_SCHEMA_MAX_SUBSCHEMAS)
        return err_set(err, ERR_LIMIT, 0, "a schema of more than %d subschemas",
                       JSON_SCHEMA_MAX_SUBSCHEMAS);
    if (depth > JSON_MAX_DEPTH)
        return err_set(err, ERR_LIMIT, 0, "a schema nested deeper than %d levels", JSON_MAX_DEPTH);
    if (!json_is_object(value))
        return ERR_NONE;
    const char *id = depth ? resource_id(value, resource->dialect) : NULL;
    if (id && strlen(id) > JSON_SCHEMA_MAX_URI_BYTES)
        return err_set(err, ERR_LIMIT, 0, "an $id longer than %d bytes", JSON_SCHEMA_MAX_URI_BYTES);
    const char *uri = id ? resource_uri(schema, id, resource->uri) : NULL;
    if (uri && !schema_find_resource(schema, uri)) {
        enum err_code r = add_resource(schema, value, uri, resource, &resource, err);
        if (r)
            return r;
    }
    return index_children(schema, value, resource, depth, err);
}

enum err_code schema_index_document(struct json_schema *schema, const json_t *root, const char *uri,
                                    enum dialect fallback, struct resource **out, struct err *err)
{
    struct resource like = { .uri = uri, .dialect = fallback, .vocabularies = VOCABULARY_ALL };
    enum err_code r = schema_dialect_read(
        schema, json_string_value(json_object_get(root, "$schema")), &like, err);
    if (r)
        return r;
    const char *id = resource_id(root, like.dialect);
    if (id && strlen(id) > JSON_SCHEMA_MAX_URI_BYTES)
        return err_set(err, ERR_LIMIT, 0, "an $id longer than %d bytes", JSON_SCHEMA_MAX_URI_BYTES);
    const char *own_uri = id ? resource_uri(schema, id, uri) : uri;
    struct resource *resource;
    r = add_resource(schema, root, own_uri, &like, &resource, err);
    if (r)
        return r;
    name_resource(schema, uri, schema->n_resources - 1);
    *out = resource;
    return index_schema(schema, root, resource, 0, err);
}
