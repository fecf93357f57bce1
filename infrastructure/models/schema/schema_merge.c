#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/schema/schema_lowering_internal.h"
#include <string.h>

static bool contains(const json_t *array, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (json_equal(json_array_get(array, i), value))
            return true;
    return false;
}

static json_t *merge_lists(const json_t *first, const json_t *second)
{
    json_t *merged = json_array();
    for (size_t i = 0; i < json_array_size(first); i++)
        json_array_append_new(merged, json_share(json_array_get(first, i)));
    for (size_t i = 0; i < json_array_size(second); i++)
        if (!contains(merged, json_array_get(second, i)))
            json_array_append(merged, json_array_get(second, i));
    return merged;
}

static json_t *merge_properties(const json_t *first, const json_t *second, size_t *budget)
{
    json_t *merged = json_object();
    const char *name;
    const json_t *property;
    json_each_member (first, name, property)
        json_object_set_new(merged, name, json_share(property));
    json_each_member (second, name, property) {
        const json_t *had = json_object_get(merged, name);
        json_object_set_new(merged, name,
                            had ? schema_merge(had, property, budget) : json_share(property));
    }
    return merged;
}

static json_t *merge_plain(const json_t *first, const json_t *second, size_t *budget)
{
    json_t *merged = json_object();
    const char *keyword;
    const json_t *value;
    json_each_member (first, keyword, value)
        json_object_set_new(merged, keyword, json_share(value));
    json_each_member (second, keyword, value) {
        const json_t *had = json_object_get(merged, keyword);
        json_t *both = NULL;
        if (had && strcmp(keyword, "properties") == 0)
            both = merge_properties(had, value, budget);
        else if (had && strcmp(keyword, "required") == 0)
            both = merge_lists(had, value);
        json_object_set_new(merged, keyword, both ? both : json_share(value));
    }
    return merged;
}

/* How much a merged schema adds to what is sent. */
static bool spend(const json_t *first, const json_t *second, size_t *budget)
{
    size_t cost = 1 + json_object_size(json_object_get(first, "properties")) +
                  json_object_size(json_object_get(second, "properties"));
    bool enough = cost <= *budget;
    *budget -= enough ? cost : *budget;
    return enough;
}

json_t *schema_merge(const json_t *first, const json_t *second, size_t *budget)
{
    const json_t *of_first = json_object_get(first, "anyOf");
    const json_t *of_second = json_object_get(second, "anyOf");
    if (!spend(first, second, budget))
        return json_share(first);
    if (!of_first && !of_second)
        return merge_plain(first, second, budget);
    json_t *merged = json_array();
    const json_t *alternatives = of_second ? of_second : of_first;
    for (size_t i = 0; *budget && i < json_array_size(alternatives); i++) {
        const json_t *one = json_array_get(alternatives, i);
        json_array_append_new(merged, of_second ? schema_merge(first, one, budget)
                                                : schema_merge(one, second, budget));
    }
    if (*budget)
        return json_pack("{s:o}", "anyOf", merged);
    json_decref(merged);
    return json_share(first);
}

/* What alternatives that are objects say together. */
struct united {
    json_t *variants; /* by name of a member: array of its schemas */
    json_t *required; /* by all; NULL before the first */
};

static void unite_required(struct united *united, const json_t *required)
{
    json_t *both = json_array();
    for (size_t i = 0; i < json_array_size(required); i++) {
        json_t *name = json_array_get(required, i);
        if (!united->required || contains(united->required, name))
            json_array_append(both, name);
    }
    json_decref(united->required);
    united->required = both;
}

/* False for a schema that is not an object with properties. */
static bool unite(struct united *united, const json_t *schema)
{
    const json_t *alternatives = json_object_get(schema, "anyOf");
    const json_t *properties = json_object_get(schema, "properties"), *property;
    const char *name;
    for (size_t i = 0; i < json_array_size(alternatives); i++)
        if (!unite(united, json_array_get(alternatives, i)))
            return false;
    if (alternatives)
        return true;
    json_each_member (properties, name, property) {
        json_t *variants = json_object_get(united->variants, name);
        if (!variants) {
            variants = json_array();
            json_object_set_new(united->variants, name, variants);
        }
        if (!contains(variants, property))
            json_array_append_new(variants, json_share(property));
    }
    unite_required(united, json_object_get(schema, "required"));
    return properties != NULL;
}

static json_t *one_of_variants(const json_t *variants)
{
    return json_array_size(variants) == 1 ? json_share(json_array_get(variants, 0))
                                          : json_pack("{s:O}", "anyOf", variants);
}

json_t *schema_merge_alternatives(const json_t *schema)
{
    struct united united = { .variants = json_object() };
    json_t *merged = NULL;
    if (unite(&united, schema)) {
        json_t *properties = json_object();
        const char *name;
        const json_t *variants;
        json_each_member (united.variants, name, variants)
            json_object_set_new(properties, name, one_of_variants(variants));
        merged = json_pack("{s:s, s:o, s:O}", "type", "object", "properties", properties,
                           "required", united.required);
    }
    json_decref(united.variants);
    json_decref(united.required);
    return merged;
}
