/* Results of this turn's calls, by tool and arguments. An identical call gets the result there is
 * instead of a second run, unless the tool may change something; a call that is made
 * a third time shows that the plan goes round in circles: the answer is made of what there is. */
#ifndef APPLICATION_EXECUTION_RESULT_CACHE_H
#define APPLICATION_EXECUTION_RESULT_CACHE_H

#include "domain/base/arena.h"
#include "domain/tool/step_result.h"
#include "domain/tool/tool.h"

#define RESULT_CACHE_CIRCLE 3 /* the identical call that is refused */

struct cached_call;

struct result_cache {
    struct arena *arena;
    struct cached_call *calls;
    size_t n, capacity;
};

enum cache_verdict {
    CACHE_CALL,   /* make the call */
    CACHE_RESULT, /* *out is the result of the earlier one */
    CACHE_CIRCLE, /* neither: answer now */
};

/* Without a cache (NULL) every call is made.
 *
 * ask: counts the call. *out (borrowed) is written for CACHE_RESULT. */
enum cache_verdict result_cache_ask(struct result_cache *cache, const struct tool *tool,
                                    const json_t *args, const struct step_result **out);
/* put: the result of a call that was made; it is the arena's. Failures are not kept. */
void result_cache_put(struct result_cache *cache, const struct tool *tool, const json_t *args,
                      const struct step_result *result);

#endif
