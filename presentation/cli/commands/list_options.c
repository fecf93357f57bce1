#include "presentation/cli/commands/list_options.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"

const char *list_options_time(struct arena *arena, int64_t ms)
{
    char text[RFC3339_SIZE];
    return ms ? arena_strdup(arena, rfc3339_print(ms, text)) : "";
}

const char *list_options_age(struct arena *arena, int64_t now_ms, int64_t then_ms)
{
    int64_t seconds = now_ms > then_ms ? (now_ms - then_ms) / 1000 : 0;
    if (seconds < 60)
        return arena_printf(arena, "%lld s ago", (long long)seconds);
    if (seconds < 3600)
        return arena_printf(arena, "%lld min ago", (long long)seconds / 60);
    if (seconds < 86400)
        return arena_printf(arena, "%lld h ago", (long long)seconds / 3600);
    bool is_one = seconds < 2 * 86400;
    return arena_printf(arena, "%lld day%s ago", (long long)seconds / 86400, is_one ? "" : "s");
}

bool list_options_limit(const struct cli *cli, size_t *out_n)
{
    int64_t n = LIST_OPTIONS_DEFAULT_LIMIT;
    if (cli->args->limit && (!text_to_int64(cli->args->limit, &n) || n < 0))
        return false;
    *out_n = (size_t)n;
    return true;
}
