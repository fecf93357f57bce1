#include "application/workers/run_result.h"
#include "domain/base/json.h"
#include "domain/entities/queued_run.h"
#include <string.h>

const char *run_result_text(struct arena *arena, const struct turn_result *result)
{
    json_auto_t *value = turn_result_to_json(result);
    const char *text = json_print_in(arena, value);
    if (strlen(text) <= QUEUE_RESULT_MAX)
        return text;
    struct turn_result instead = { .run_id = result->run_id,
                                   .status = result->status,
                                   .is_resumable = result->is_resumable,
                                   .usage = usage_none() };
    err_set(&instead.err, ERR_LIMIT, 0, "the result of the run has more than %d MiB",
            QUEUE_RESULT_MAX >> 20);
    err_hint(&instead.err, ERR_LIMIT, "mistro runs show %.40s has what the log kept",
             result->run_id);
    json_auto_t *small = turn_result_to_json(&instead);
    return json_print_in(arena, small);
}
