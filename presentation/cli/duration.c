#include "presentation/cli/duration.h"
#include "domain/base/attributes.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool duration_read(const char *text, int64_t max_ms, int64_t *out_ms)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {
        { "", 1000 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 }
    };
    char *end = NULL;
    long long n = strtoll(text, &end, 10);
    if (end == text || n < 1 || n > max_ms / 1000)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(units); i++)
        if (strcmp(end, units[i].unit) == 0) {
            *out_ms = n * units[i].ms;
            return n <= max_ms / units[i].ms;
        }
    return false;
}
