/* Compiling: a queue of places, each becoming a node with its rules: each keyword of the table that
 * the schema has, its shape checked, its children, patterns and references resolved. What a rule
 * refers to is queued in turn, so nothing recurses with the depth of the schema. */
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
        if (schema->last_queued)
            schema->last_queued->next_queued = node;
        else
            schema->first_queued = node;
        schema->last_queued = node;
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

struct building {
    struct json_schema *schema;
    struct node *node;
    struct rule *rule;
};

/* "#/properties/a" of the node, as far as its parents are known. */
static const char *location(struct arena *arena, const struct node *node)
{
    if (!node->parent)
        return "#";
    const char *above = location(arena, node->parent);
    return arena_printf(arena, "%s/%s%s%.60s", above, node->keyword, node->token ? "/" : "",
                        node->token ? node->token : "");
}

static enum err_code add_child(void *context, const json_t *subschema, const char *token,
                               size_t index, struct err *err)
{
    struct building *building = context;
    struct json_schema *schema = building->schema;
    struct child *child = &building->rule->children[building->rule->n_children++];
    struct resource *enclosing = building->node->place.resource;
    struct place place = { subschema, schema_resource_at(schema, subschema, enclosing) };
    enum shape shape = building->rule->keyword->shape;
    enum err_code r = schema_node(schema, place, &child->node, err);
    if (r)
        return r;
    child->name = token;
    if (!child->node->parent && child->node != building->node && child->node != schema->root) {
        child->node->parent = building->node;
        child->node->keyword = building->rule->keyword->name;
        child->node->token = token ? token
                             : shape == SHAPE_SCHEMAS || shape == SHAPE_ITEMS
                                 ? arena_printf(&schema->arena, "%zu", index)
                                 : NULL;
    }
    return shape == SHAPE_PATTERN_MAP ? schema_pattern_compile(schema, token, &child->pattern, err)
                                      : ERR_NONE;
}

static int by_name(const void *a, const void *b)
{
    const struct child *one = a, *other = b;
    return strcmp(one->name, other->name);
}

static enum err_code add_children(struct building *building, struct err *err)
{
    struct rule *rule = building->rule;
    enum shape shape = rule->keyword->shape;
    size_t most = json_is_object(rule->value) && shape != SHAPE_SCHEMA && shape != SHAPE_ITEMS
                      ? json_object_size(rule->value)
                      : json_array_size(rule->value);
    rule->children = arena_array(&building->schema->arena, struct child, most ? most : 1);
    enum err_code r = schema_shape_visit(shape, rule->value, add_child, building, err);
    if (!r && shape == SHAPE_SCHEMA_MAP && rule->n_children)
        qsort(rule->children, rule->n_children, sizeof *rule->children, by_name);
    return r;
}

static enum err_code add_reference(struct building *building, struct err *err)
{
    struct rule *rule = building->rule;
    struct place place;
    struct dynamic_anchor *bookend;
    enum err_code r = schema_resolve(building->schema, building->node->place.resource,
                                     json_string_value(rule->value), &place, &bookend, err);
    if (r)
        return r;
    rule->children = arena_array(&building->schema->arena, struct child, 1);
    rule->n_children = 1;
    if (rule->keyword->id == KEYWORD_DYNAMIC_REF)
        rule->bookend = bookend;
    return schema_node(building->schema, place, &rule->children[0].node, err);
}

static enum err_code fill_rule(struct building *building, struct err *err)
{
    struct rule *rule = building->rule;
    enum shape shape = rule->keyword->shape;
    const char *wanted = schema_shape_wants(shape, rule->value);
    if (wanted)
        return err_set(err, ERR_INVALID, 0, "must be %s", wanted);
    if (shape == SHAPE_REFERENCE || shape == SHAPE_DYNAMIC_REFERENCE)
        return add_reference(building, err);
    if (shape == SHAPE_PATTERN) {
        rule->children = arena_array(&building->schema->arena, struct child, 1);
        return schema_pattern_compile(building->schema, json_string_value(rule->value),
                                      &rule->children[0].pattern, err);
    }
    size_t n = json_array_size(rule->value);
    if (shape == SHAPE_TYPE && json_is_string(rule->value))
        rule->types = schema_type_bit(json_string_value(rule->value));
    for (size_t i = 0; shape == SHAPE_TYPE && i < n; i++)
        rule->types |= schema_type_bit(json_string_value(json_array_get(rule->value, i)));
    if (rule->keyword->id == KEYWORD_ENUM) {
        rule->hashes = arena_array(&building->schema->arena, uint64_t, n ? n : 1);
        for (size_t i = 0; i < n; i++)
            rule->hashes[i] = schema_value_hash(json_array_get(rule->value, i));
    }
    return add_children(building, err);
}

/* Whether the keyword counts in the node: in draft-07 nothing does beside a $ref. */
static bool applies(const struct keyword *keyword, const struct node *node)
{
    const struct resource *resource = node->place.resource;
    bool is_beside_ref = resource->dialect == DIALECT_DRAFT_07 && keyword->id != KEYWORD_REF &&
                         json_object_get(node->place.value, "$ref");
    return (keyword->dialects & resource->dialect) &&
           (keyword->vocabulary & resource->vocabularies) && !is_beside_ref;
}

static enum err_code compile_node(struct json_schema *schema, struct node *node, struct err *err)
{
    const json_t *value = node->place.value;
    if (json_is_boolean(value)) {
        node->is_boolean = true;
        node->accepts = json_is_true(value);
        return ERR_NONE;
    }
    size_t most = json_object_size(value);
    node->rules = arena_array(&schema->arena, struct rule, most ? most : 1);
    for (size_t i = 0; i < KEYWORD_COUNT; i++) {
        const struct keyword *keyword = &schema_keywords[i];
        const json_t *part = json_object_get(value, keyword->name);
        if (!part || !applies(keyword, node))
            continue;
        struct rule *rule = &node->rules[node->n_rules++];
        *rule = (struct rule){ .keyword = keyword, .value = part };
        struct building building = { schema, node, rule };
        enum err_code r = fill_rule(&building, err);
        if (r)
            return err_prefix(err, r, "%.200s/%s", location(&schema->arena, node), keyword->name);
        node->tracks = node->tracks || keyword->vocabulary == VOCABULARY_UNEVALUATED;
    }
    return ERR_NONE;
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
        r = compile_node(schema, node, err);
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

enum err_code json_schema_require(const json_t *schema, const json_t *value, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    bool accepts = false;
    enum err_code r = json_schema_check(schema, value, &problems, &accepts, err);
    if (r || accepts)
        return r;
    const struct problem *first = problems.list;
    r = err_set(err, ERR_INVALID, 0, "%s",
                first ? problem_print(&problems, first) : "the value does not fit the schema");
    return first && first->fix ? err_hint(err, r, "%s", first->fix) : r;
}
