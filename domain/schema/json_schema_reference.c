/* From the text of a reference to the subschema it names. The first pass over a document indexes
 * what has a URI of its own: resources, each with its dialect, and anchors. It looks only where the
 * dialect has subschemas, so an "$id" inside an enum or an unknown keyword is data. The network is
 * never asked: a document is known (given by the caller, embedded by $id, or one of the
 * metaschemas), or the reference is an error. */
#include "domain/base/json.h"
#include "domain/schema/json_schema_internal.h"
#include <string.h>

static const struct {
    const char *uri;
    enum dialect dialect;
} dialects[] = {
    { "https://json-schema.org/draft/2020-12/schema", DIALECT_2020_12 },
    { "http://json-schema.org/draft-07/schema", DIALECT_DRAFT_07 },
    { "https://json-schema.org/draft-07/schema", DIALECT_DRAFT_07 },
};

/* Annotations only, as far as this validator goes, have no bit. */
static const struct {
    const char *name;
    unsigned vocabulary;
} vocabularies[] = {
    { "core", VOCABULARY_CORE },
    { "applicator", VOCABULARY_APPLICATOR },
    { "unevaluated", VOCABULARY_UNEVALUATED },
    { "validation", VOCABULARY_VALIDATION },
    { "meta-data", 0 },
    { "format-annotation", 0 },
    { "content", 0 },
};

/* The two may differ by an empty fragment. */
static bool same_uri(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    n -= n && a[n - 1] == '#';
    m -= m && b[m - 1] == '#';
    return n == m && memcmp(a, b, n) == 0;
}

static const json_t *find_document(const struct json_schema *schema, const char *uri)
{
    for (size_t i = 0; i < schema->n_documents; i++)
        if (same_uri(schema->documents[i].uri, uri))
            return schema->documents[i].value;
    return NULL;
}

static bool find_vocabulary(const char *uri, unsigned *out_bits)
{
    static const char prefix[] = "https://json-schema.org/draft/2020-12/vocab/";
    if (strncmp(uri, prefix, sizeof prefix - 1) != 0)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(vocabularies); i++)
        if (strcmp(uri + sizeof prefix - 1, vocabularies[i].name) == 0) {
            *out_bits = vocabularies[i].vocabulary;
            return true;
        }
    return false;
}

static enum err_code read_vocabularies(const json_t *metaschema, struct resource *resource,
                                       struct err *err)
{
    const json_t *listed = json_object_get(metaschema, "$vocabulary");
    const char *uri;
    const json_t *required;
    if (!json_is_object(listed))
        return ERR_NONE;
    resource->vocabularies = VOCABULARY_CORE;
    json_each_member (listed, uri, required) {
        unsigned bits = 0;
        if (!find_vocabulary(uri, &bits) && json_is_true(required))
            return err_set(err, ERR_INVALID, 0, "unknown vocabulary \"%.120s\"", uri);
        resource->vocabularies |= bits;
    }
    return ERR_NONE;
}

/* Reads a "$schema", built in or among the documents, into resource->dialect and ->vocabularies.
 * Without one the resource keeps what it has. */
static enum err_code read_dialect(const struct json_schema *schema, const char *uri,
                                  struct resource *resource, int hops, struct err *err)
{
    if (!uri)
        return ERR_NONE;
    for (size_t i = 0; i < ARRAY_LENGTH(dialects); i++)
        if (same_uri(dialects[i].uri, uri)) {
            resource->dialect = dialects[i].dialect;
            resource->vocabularies = VOCABULARY_ALL;
            return ERR_NONE;
        }
    const json_t *metaschema = find_document(schema, uri);
    const char *above = json_string_value(json_object_get(metaschema, "$schema"));
    if (!metaschema || !above || hops >= JSON_SCHEMA_MAX_METASCHEMA_HOPS) {
        err_set(err, ERR_INVALID, 0, "unknown dialect \"%.120s\"", uri);
        return err_hint(err, ERR_INVALID, "supported are 2020-12 and draft-07");
    }
    enum err_code r = read_dialect(schema, above, resource, hops + 1, err);
    return r ? r : read_vocabularies(metaschema, resource, err);
}

struct walk {
    struct json_schema *schema;
    struct resource *resource;
    int depth;
};

static enum err_code index_schema(struct json_schema *schema, const json_t *value,
                                  struct resource *resource, int depth, struct err *err);

static struct resource *find_resource(const struct json_schema *schema, const char *uri)
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
        id ? find_resource(schema, resource_uri(schema, id, enclosing->uri)) : NULL;
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
    enum err_code r = read_dialect(schema, dialect, resource, 0, err);
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
    struct dynamic_anchor *added = arena_new(&schema->arena, struct dynamic_anchor);
    *added = (struct dynamic_anchor){ .next = resource->dynamic_anchors, .name = dynamic };
    resource->dynamic_anchors = added;
    return schema_node(schema, (struct place){ value, resource }, &added->node, err);
}

static enum err_code visit(void *context, const json_t *subschema, const char *token, size_t index,
                           struct err *err)
{
    struct walk *walk = context;
    (void)token;
    (void)index;
    return index_schema(walk->schema, subschema, walk->resource, walk->depth + 1, err);
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
    if (uri && !find_resource(schema, uri)) {
        enum err_code r = add_resource(schema, value, uri, resource, &resource, err);
        if (r)
            return r;
    }
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

enum err_code schema_index_document(struct json_schema *schema, const json_t *root, const char *uri,
                                    enum dialect fallback, struct resource **out, struct err *err)
{
    struct resource like = { .uri = uri, .dialect = fallback, .vocabularies = VOCABULARY_ALL };
    const char *dialect = json_string_value(json_object_get(root, "$schema"));
    enum err_code r = read_dialect(schema, dialect, &like, 0, err);
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

/* A document of the specification; NULL when it is none. */
static const json_t *find_metaschema(struct json_schema *schema, const char *uri)
{
    json_t *value = NULL;
    const char *rest = strstr(uri, "://");
    const char *path = arena_printf(&schema->arena, "data/metaschemas/%.*s/%s.json",
                                    rest ? (int)(rest - uri) : 0, uri, rest ? rest + 3 : "");
    const struct embedded_file *file = embedded_file_find(schema_metaschemas, path);
    if (file && json_parse(file->text, file->length, JSON_OURS, &value, NULL))
        abort();
    return arena_keep_json(&schema->arena, value);
}

static enum err_code find_or_index(struct json_schema *schema, const struct resource *from,
                                   const char *uri, struct resource **out, struct err *err)
{
    *out = find_resource(schema, uri);
    if (*out)
        return ERR_NONE;
    const json_t *document = find_document(schema, uri);
    document = document ? document : find_metaschema(schema, uri);
    if (document)
        return schema_index_document(schema, document, uri, from->dialect, out, err);
    err_set(err, ERR_INVALID, 0, "reference to an unknown document \"%.120s\"", uri);
    return err_hint(err, ERR_INVALID,
                    "references are not fetched; put the document under \"$defs\"");
}

static bool follow_pointer(struct json_schema *schema, const char *pointer, struct place *place)
{
    while (*pointer == '/') {
        place->value = json_path_step(&schema->arena, place->value, &pointer);
        if (!place->value)
            return false;
        place->resource = schema_resource_at(schema, place->value, place->resource);
    }
    return true;
}

static bool find_anchor(struct json_schema *schema, const char *name, struct place *place,
                        struct dynamic_anchor **out_bookend)
{
    const char *key = arena_printf(&schema->arena, "%s#%s", place->resource->uri, name);
    const json_t *index = json_object_get(schema->anchor_uris, key);
    if (!index)
        return false;
    *place = schema->anchors[json_integer_value(index)];
    struct dynamic_anchor *bookend = place->resource->dynamic_anchors;
    while (bookend && strcmp(bookend->name, name) != 0)
        bookend = bookend->next;
    *out_bookend = bookend;
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
        return err_set(err, ERR_INVALID, 0,
                       "reference \"%.120s\" leads to something that is not a schema", reference);
    *out = place;
    *out_bookend = bookend;
    return ERR_NONE;
}
