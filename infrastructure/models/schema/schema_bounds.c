#include "infrastructure/models/schema/schema_bounds.h"
#include "domain/base/attributes.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <math.h>
#include <string.h>

static void reconcile_counts(json_t *schema)
{
    static const char *const counts[][2] = { { "minLength", "maxLength" },
                                             { "minItems", "maxItems" } };
    for (size_t i = 0; i < ARRAY_LENGTH(counts); i++) {
        if (json_get_int(schema, counts[i][0], 0) <= json_get_int(schema, counts[i][1], INT64_MAX))
            continue;
        json_object_del(schema, counts[i][0]);
        json_object_del(schema, counts[i][1]);
    }
}

static double bound(const json_t *schema, const char *keyword, double none)
{
    return json_get_number(schema, keyword, none);
}

static void reconcile_numbers(json_t *schema)
{
    static const char *const all[] = { "minimum", "exclusiveMinimum", "maximum",
                                       "exclusiveMaximum" };
    const double none = INFINITY;
    double low = fmax(bound(schema, all[0], -none), bound(schema, all[1], -none));
    double high = fmin(bound(schema, all[2], none), bound(schema, all[3], none));
    if (text_equal(json_get_string(schema, "type"), "integer")) {
        low = fmax(ceil(bound(schema, all[0], -none)), floor(bound(schema, all[1], -none)) + 1);
        high = fmin(floor(bound(schema, all[2], none)), ceil(bound(schema, all[3], none)) - 1);
    }
    for (size_t i = 0; low > high && i < ARRAY_LENGTH(all); i++)
        json_object_del(schema, all[i]);
}

/* Through everything but values that only look like schemas, and names that only look like
 * keywords. */
void schema_bounds_reconcile(json_t *schema)
{
    const char *key, *name;
    json_t *member, *property;
    size_t i;
    json_array_foreach (schema, i, member)
        schema_bounds_reconcile(member);
    if (!json_is_object(schema))
        return;
    reconcile_counts(schema);
    reconcile_numbers(schema);
    json_each_member (schema, key, member) {
        if (strcmp(key, "properties") == 0)
            json_each_member (member, name, property)
                schema_bounds_reconcile(property);
        else if (strcmp(key, "const") != 0 && strcmp(key, "enum") != 0)
            schema_bounds_reconcile(member);
    }
}
