#include "presentation/cli/commands/list_options.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"

const char *list_options_time(struct arena *arena, int64_t ms)
{
    char text[RFC3339_SIZE];
    return ms ? arena_strdup(arena, rfc3339_print(ms, text)) : "";
}

bool list_options_limit(const struct cli *cli, size_t *out_n)
{
    int64_t n = LIST_OPTIONS_DEFAULT_LIMIT;
    if (cli->args->limit && (!text_to_int64(cli->args->limit, &n) || n < 0))
        return false;
    *out_n = (size_t)n;
    return true;
}
