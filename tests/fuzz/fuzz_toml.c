/* Any bytes are a value or a flaw with its place, as TOML and as JSON with comments. */
#include "infrastructure/config/clients/foreign_text.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

static void check(json_t *value, const struct text_flaw *flaw)
{
    if (!value == !flaw->why || (flaw->why && (flaw->line < 1 || flaw->column < 1)))
        abort();
    json_decref(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = { 0 };
    struct text_flaw flaw;
    const char *text = arena_strndup(&arena, (const char *)data, size);
    check(toml_read(text, size, &flaw), &flaw);
    check(jsonc_read(text, size, &flaw), &flaw);
    return 0;
}
