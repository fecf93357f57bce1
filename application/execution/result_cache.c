#include "application/execution/result_cache.h"
#include "domain/base/json.h"
#include <string.h>

struct cached_call {
    const char *key;
    unsigned times;
    const struct step_result *result; /* NULL while there is none */
};

static const char *key_of(struct arena *arena, const struct tool *tool, const json_t *args)
{
    auto_str text = json_print_sorted(args);
    return arena_printf(arena, "%s %s", tool->full_name, text ? text : "{}");
}

static struct cached_call *call_of(struct result_cache *cache, const struct tool *tool,
                                   const json_t *args)
{
    const char *key = key_of(cache->arena, tool, args);
    for (size_t i = 0; i < cache->n; i++)
        if (strcmp(cache->calls[i].key, key) == 0)
            return &cache->calls[i];
    struct cached_call *call = arena_push(cache->arena, cache->calls, cache->n, cache->capacity);
    *call = (struct cached_call){ .key = key };
    return call;
}

enum cache_verdict result_cache_ask(struct result_cache *cache, const struct tool *tool,
                                    const json_t *args, const struct step_result **out)
{
    if (!cache)
        return CACHE_CALL;
    struct cached_call *call = call_of(cache, tool, args);
    if (++call->times >= RESULT_CACHE_CIRCLE)
        return CACHE_CIRCLE;
    if (!call->result)
        return CACHE_CALL;
    *out = call->result;
    return CACHE_RESULT;
}

void result_cache_put(struct result_cache *cache, const struct tool *tool, const json_t *args,
                      const struct step_result *result)
{
    if (cache && tool->read_only == HINT_YES && !result->is_error)
        call_of(cache, tool, args)->result = result;
}
