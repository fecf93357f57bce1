/* Compiling: a queue of places, each becoming a node with its rules. Nothing recurses with the
 * depth of the schema here; the queue does. */
#include "domain/schema/json_schema_internal.h"
#include <string.h>

static size_t slot_of(const struct json_schema *schema, struct place place)
{
    uint64_t hash = ((uint64_t)(uintptr_t)place.value >> 4) * 0x9E3779B97F4A7C15u ^
                    ((uint64_t)(uintptr_t)place.resource >> 4) * 0xC2B2AE3D27D4EB4Fu;
    size_t at = (size_t)(hash >> 20) & (schema->table_size - 1);
    for (; schema->table[at]; at = (at + 1) & (schema->table_size - 1)) {
        struct place other = schema->table[at]->place;
        if (other.value == place.value && other.resource == place.resource)
            break;
    }
    return at;
}

static void grow_table(struct json_schema *schema)
{
    struct node **old = schema->table;
    size_t old_size = schema->table_size;
    schema->table_size = old_size ? old_size * 2 : 64;
    schema->table = arena_array(&schema->arena, struct node *, schema->table_size);
    for (size_t i = 0; i < old_size; i++)
        if (old[i])
            schema->table[slot_of(schema, old[i]->place)] = old[i];
}

static void queue_node(struct json_schema *schema, struct node *node)
{
    if (schema->last_queued)
        schema->last_queued->next_queued = node;
    else
        schema->first_queued = node;
    schema->last_queued = node;
}

enum err_code schema_node(struct json_schema *schema, struct place place, struct node **out,
                          struct err *err)
{
    if (schema->n_nodes * 2 >= schema->table_size)
        grow_table(schema);
    size_t at = slot_of(schema, place);
    if (!schema->table[at]) {
        if (schema->n_nodes == JSON_SCHEMA_MAX_SUBSCHEMAS)
            return err_set(err, ERR_LIMIT, 0, "a schema of more than %d subschemas",
                           JSON_SCHEMA_MAX_SUBSCHEMAS);
        struct node *node = arena_new(&schema->arena, struct node);
        *node = (struct node){ .place = place };
        schema->table[at] = node;
        schema->n_nodes++;
        queue_node(schema, node);
    }
    *out = schema->table[at];
    return ERR_NONE;
}

const struct rule *schema_node_rule(const struct node *node, enum keyword_id id)
{
    for (size_t i = 0; i < node->n_rules; i++)
        if (node->rules[i].keyword->id == id)
            return &node->rules[i];
    return NULL;
}

static enum err_code compile(struct json_schema *schema, const json_t *root, struct err *err)
{
    struct resource *resource;
    enum err_code r = schema_index_document(schema, root, "", DIALECT_2020_12, &resource, err);
    if (!r)
        r = schema_node(schema, (struct place){ root, resource }, &schema->root, err);
    while (!r && schema->first_queued) {
        struct node *node = schema->first_queued;
        schema->first_queued = node->next_queued;
        if (!schema->first_queued)
            schema->last_queued = NULL;
        r = schema_node_compile(schema, node, err);
    }
    return r;
}

enum err_code json_schema_compile(const json_t *schema,
                                  const struct json_schema_document *documents, size_t n_documents,
                                  struct json_schema **out, struct err *err)
{
    if (!schema_is_schema(schema))
        return err_set(err, ERR_INVALID, 0, "a schema must be an object or a boolean");
    struct json_schema *compiled = calloc(1, sizeof *compiled);
    if (!compiled)
        abort();
    compiled->documents = documents;
    compiled->n_documents = n_documents;
    compiled->uris = json_object();
    compiled->anchor_uris = json_object();
    enum err_code r = compile(compiled, schema, err);
    if (r) {
        json_schema_destroy(compiled);
        return r;
    }
    *out = compiled;
    return ERR_NONE;
}

void json_schema_destroy(struct json_schema *schema)
{
    if (!schema)
        return;
    for (size_t i = 0; i < schema->n_patterns; i++)
        pcre2_code_free(schema->patterns[i]);
    json_decref(schema->uris);
    json_decref(schema->anchor_uris);
    arena_finish(&schema->arena);
    free(schema);
}

enum err_code json_schema_check(const json_t *schema, const json_t *value,
                                struct problems *problems, bool *out_accepts, struct err *err)
{
    struct json_schema *compiled;
    enum err_code r = json_schema_compile(schema, NULL, 0, &compiled, err);
    if (r)
        return r;
    *out_accepts = json_schema_accepts(compiled, value, problems);
    json_schema_destroy(compiled);
    return ERR_NONE;
}
