/* Repair of any bytes: what was JSON already keeps its value, a result that is JSON needs no
 * second repair, and a value that was cut is never closed. */
#include "application/structured/repair.h"
#include "domain/base/json.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>

static json_t *parse(const char *text, size_t length)
{
    json_t *value = NULL;
    return json_parse(text, length, JSON_FOREIGN, &value, NULL) ? NULL : value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = { 0 };
    const char *text = (const char *)data, *mended, *again;
    size_t length, again_length;
    if (!repair_json(&arena, text, size, &mended, &length))
        return 0;
    json_t *before = parse(text, size), *after = parse(mended, length);
    if (before && (!after || !json_equal(before, after)))
        abort();
    if (after && repair_json(&arena, mended, length, &again, &again_length))
        abort();
    json_decref(before);
    json_decref(after);
    return 0;
}
