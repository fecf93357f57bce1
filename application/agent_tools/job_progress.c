#include "application/agent_tools/job_progress.h"
#include "domain/base/json.h"

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

const char *job_progress_text(struct arena *arena, const struct event *event)
{
    const json_t *data = event->data;
    long long round = (long long)json_get_int(data, "round", 0);
    const char *status = json_get_string(json_object_get(data, "envelope"), "status");
    if (event->kind == EVENT_ENVELOPE)
        return arena_printf(arena, "round %lld, agent %s: %s", round,
                            or_nothing(json_get_string(data, "agent")),
                            status ? status : "nothing that can be read");
    if (event->kind == EVENT_ARBITER_HINT)
        return arena_printf(arena, "round %lld: both are told that they repeat themselves", round);
    if (event->kind == EVENT_STAGE_STARTED)
        return arena_printf(arena, "round %lld: %s", round,
                            or_nothing(json_get_string(data, "stage")));
    return NULL;
}
