/* A document {"schema": …, "value": …}: compiling and validating end within their limits, and the
 * verdict is the same with and without problems. */
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>

static void validate(const json_t *schema, const json_t *value)
{
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    struct json_schema *compiled;
    struct err err;
    if (!schema || !value || json_schema_compile(schema, NULL, 0, &compiled, &err))
        return;
    bool accepted = json_schema_accepts(compiled, value, NULL);
    bool told = json_schema_accepts(compiled, value, &problems);
    if (!told && !problems.n)
        abort(); /* refused without a word */
    if (told && !accepted)
        abort(); /* telling does more steps, so only the other way round may a limit differ */
    json_schema_destroy(compiled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *document;
    if (json_parse((const char *)data, size, JSON_FOREIGN, &document, NULL))
        return 0;
    validate(json_object_get(document, "schema"), json_object_get(document, "value"));
    json_decref(document);
    return 0;
}
