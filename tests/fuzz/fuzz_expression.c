/* A condition of a plan: what reads as one ends with a value or an error, and what is known to fail
 * before the run fails in it. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/expression.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const samples[] = {
        "null", "true", "12", "\"a\"", "[1,\"a\"]", "{\"a\":[]}"
    };
    AUTO(arena) arena = { 0 };
    struct expression *expression = NULL;
    const json_t *values[EXPRESSION_MAX_REFERENCES], *out = NULL;
    unsigned types[EXPRESSION_MAX_REFERENCES], given = 0;
    struct err err;
    const char *text = arena_strndup(&arena, (const char *)data, size);
    if (!text_is_utf8(text, strlen(text)) || expression_parse(&arena, text, &expression, &err))
        return 0;
    for (size_t i = 0; i < expression_n_references(expression); i++) {
        size_t which = (strlen(expression_reference(expression, i)) + i) % ARRAY_LENGTH(samples);
        json_t *value = NULL;
        if (json_parse(samples[which], strlen(samples[which]), JSON_OURS, &value, NULL))
            abort();
        values[i] = arena_keep_json(&arena, value);
        types[i] = 1u << which;
    }
    enum err_code checked = expression_check(expression, types, &given, &err);
    enum err_code r = expression_evaluate(&arena, expression, values, &out, &err);
    if (!r && (!out || !given))
        abort();
    (void)expression_explain(&arena, expression, values);
    /* Where nothing decides early, all that was checked is evaluated. */
    bool is_whole = !strstr(text, "or") && !strstr(text, "and") && !strstr(text, "default");
    if (checked && !r && is_whole)
        abort();
    return 0;
}
