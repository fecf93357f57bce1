/* Any JSON as a schema: lowering ends, nests no deeper than its bound, and lowering again is
 * possible. */
#include "domain/base/json.h"
#include "infrastructure/models/schema/schema_lowering.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>

/* A schema adds up to three levels of JSON for each of its own (properties, anyOf); constants and
 * enumerations are copied as they are. */
enum { DEEPEST = 3 * SCHEMA_LOWERING_MAX_DEPTH + JSON_MAX_DEPTH };

static unsigned depth_of(const json_t *value)
{
    unsigned deepest = 0;
    const char *key;
    json_t *member;
    json_each_member (value, key, member) {
        unsigned depth = depth_of(member);
        deepest = depth > deepest ? depth : deepest;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        unsigned depth = depth_of(json_array_get(value, i));
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = { 0 };
    json_t *schema;
    if (json_parse((const char *)data, size, JSON_FOREIGN, &schema, NULL))
        return 0;
    arena_keep_json(&arena, schema);
    const json_t *lowered = schema_lower(&arena, schema);
    if (!lowered || depth_of(lowered) > DEEPEST || !schema_lower(&arena, lowered))
        abort();
    return 0;
}
