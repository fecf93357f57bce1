/* The rules of one node: each keyword of the table that the schema has, its shape checked, its
 * children, patterns and references resolved. */
#include "domain/schema/json_schema_internal.h"
#include <string.h>

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

static enum err_code at_keyword(const struct building *building, enum err_code r, struct err *err)
{
    return err_prefix(err, r, "%.200s/%s", location(&building->schema->arena, building->node),
                      building->rule->keyword->name);
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

static unsigned type_bit(const char *name)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {
        { "object", TYPE_BIT(JSON_OBJECT) }, { "array", TYPE_BIT(JSON_ARRAY) },
        { "string", TYPE_BIT(JSON_STRING) }, { "integer", TYPE_BIT(JSON_INTEGER) },
        { "boolean", TYPE_BIT(JSON_TRUE) },  { "null", TYPE_BIT(JSON_NULL) },
        { "number", TYPE_BIT(JSON_REAL) },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].bits;
    return 0;
}

static void add_types(struct rule *rule)
{
    size_t i;
    json_t *name;
    if (json_is_string(rule->value))
        rule->types = type_bit(json_string_value(rule->value));
    json_array_foreach (rule->value, i, name)
        rule->types |= type_bit(json_string_value(name));
}

static void add_hashes(struct arena *arena, struct rule *rule)
{
    size_t n = json_array_size(rule->value);
    uint64_t *hashes = arena_array(arena, uint64_t, n ? n : 1);
    for (size_t i = 0; i < n; i++)
        hashes[i] = schema_value_hash(json_array_get(rule->value, i));
    rule->hashes = hashes;
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
    if (shape == SHAPE_TYPE)
        add_types(rule);
    if (rule->keyword->id == KEYWORD_ENUM)
        add_hashes(&building->schema->arena, rule);
    return add_children(building, err);
}

/* In draft-07 nothing beside a $ref counts. */
static bool is_beside_ref(const struct node *node, const struct keyword *keyword)
{
    return node->place.resource->dialect == DIALECT_DRAFT_07 && keyword->id != KEYWORD_REF &&
           json_object_get(node->place.value, "$ref");
}

enum err_code schema_node_compile(struct json_schema *schema, struct node *node, struct err *err)
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
        if (!part || !schema_keyword_applies(keyword, node->place.resource) ||
            is_beside_ref(node, keyword))
            continue;
        struct rule *rule = &node->rules[node->n_rules++];
        *rule = (struct rule){ .keyword = keyword, .value = part };
        struct building building = { schema, node, rule };
        enum err_code r = fill_rule(&building, err);
        if (r)
            return at_keyword(&building, r, err);
        node->tracks = node->tracks || keyword->vocabulary == VOCABULARY_UNEVALUATED;
    }
    return ERR_NONE;
}
