/* Tool calls in any bytes: each has a name and an object of arguments, and there is a bound. */
#include "application/structured/extract.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = { 0 };
    const json_t *calls = native_calls_find(&arena, (const char *)data, size);
    size_t n = json_array_size(calls);
    if (calls && (n == 0 || n > NATIVE_CALLS_MAX))
        abort();
    for (size_t i = 0; i < n; i++) {
        const json_t *call = json_array_get(calls, i);
        if (json_string_length(json_object_get(call, "name")) == 0 ||
            !json_is_object(json_object_get(call, "arguments")))
            abort();
    }
    return 0;
}
