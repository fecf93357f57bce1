/* Whatever a model says: extraction ends, its span lies within the text, and what it finds without
 * mending is what the span says. */
#include "application/structured/extract.h"
#include "domain/base/json.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>

static void check_span(const char *text, const struct extraction *found)
{
    json_t *value = NULL;
    if (found->is_repaired)
        return;
    if (json_parse(text + found->at, found->length, JSON_FOREIGN, &value, NULL) ||
        !json_equal(value, found->value))
        abort();
    json_decref(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = { 0 };
    const char *text = (const char *)data;
    struct extraction found = extract_value(&arena, text, size);
    bool has_value = found.kind != EXTRACT_NOTHING && found.kind != EXTRACT_CUT;
    if (has_value != (found.value != NULL) || found.at > size || found.length > size - found.at)
        abort();
    json_t *plain = NULL;
    enum extract_kind kind = extract_json(text, size, &plain);
    if (plain && (kind != found.kind || found.is_repaired))
        abort();
    json_decref(plain);
    if (found.value)
        check_span(text, &found);
    return 0;
}
