#include "domain/plan/data_flow.h"
#include "domain/base/json.h"
#include "domain/plan/references.h"
#include <string.h>

static bool takes_url(const struct tool *tool)
{
    static const char *const names[] = { "url", "urls", "uri", "href", "link" };
    const char *key;
    const json_t *property;
    json_each_member (json_object_get(tool->input_schema, "properties"), key, property) {
        for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
            if (strcasecmp(key, names[i]) == 0)
                return true;
    }
    return false;
}

/* A schema that names no parameters takes none, unless it says that others are welcome. */
static bool takes_arguments(const struct tool *tool)
{
    const json_t *others = json_object_get(tool->input_schema, "additionalProperties");
    return json_object_size(json_object_get(tool->input_schema, "properties")) > 0 ||
           (others && !json_is_false(others));
}

static struct data_kinds kinds_of_local(const struct tool *tool)
{
    bool only_reads = tool->read_only == HINT_YES;
    bool is_open =
        tool->open_world == HINT_YES || (tool->open_world == HINT_UNSAID && takes_url(tool));
    return (struct data_kinds){ .is_private = only_reads && !is_open,
                                .is_outside = is_open,
                                .sends_out = is_open && !only_reads };
}

struct data_kinds data_kinds_of(const struct tool *tool, enum tool_place place)
{
    if (!tool)
        return (struct data_kinds){ 0 };
    switch (place) {
    case TOOL_BUILTIN:
        return (struct data_kinds){ .is_private = tool->read_only == HINT_YES };
    case TOOL_LOCAL:
        return kinds_of_local(tool);
    case TOOL_REMOTE:
        break;
    }
    return (struct data_kinds){ .is_outside = true, .sends_out = takes_arguments(tool) };
}

/* Notes the reference in the row of the step whose arguments are looked at. */
static bool note(void *context, const char *path, const struct reference *reference)
{
    bool *row = context;
    (void)path;
    if (reference->root == REFERENCE_STEP && reference->step >= 0)
        row[reference->step] = true;
    return true;
}

const bool *data_flow_reach(struct arena *arena, const struct plan *plan)
{
    size_t n = plan->n_steps;
    bool *reach = arena_array(arena, bool, n *n + 1);
    for (size_t i = 0; i < n; i++)
        (void)references_visit(arena, plan, i, plan->steps[i].args, note, reach + i * n);
    for (size_t by = 0; by < n; by++)
        for (size_t to = 0; to < n; to++)
            for (size_t from = 0; reach[to * n + by] && from < n; from++)
                reach[to * n + from] = reach[to * n + from] || reach[by * n + from];
    return reach;
}

bool data_flow_meets(const struct data_step *steps, size_t n, const bool *reach, size_t at,
                     const struct data_meeting *heard, struct data_meeting *out)
{
    struct data_meeting meeting = *heard;
    bool flows = heard->private_from || heard->outside_from;
    if (!steps[at].kinds.sends_out)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct data_step *step = &steps[i];
        bool reaches = reach[at * n + i];
        if (i == at || (i > at && !reaches))
            continue;
        flows = flows || (reaches && (step->kinds.is_private || step->kinds.is_outside));
        data_flow_hear(&meeting, step);
    }
    if (!flows || !meeting.private_from || !meeting.outside_from)
        return false;
    *out = meeting;
    return true;
}

const struct tool *data_flow_stranger(const struct data_step *steps, size_t n, const bool *reach,
                                      size_t at)
{
    for (size_t i = 0; steps[at].tool && i < n; i++)
        if (reach[at * n + i] && steps[i].tool &&
            strcmp(steps[i].tool->server, steps[at].tool->server) != 0)
            return steps[i].tool;
    return NULL;
}

void data_flow_hear(struct data_meeting *heard, const struct data_step *step)
{
    if (step->kinds.is_private && !heard->private_from)
        heard->private_from = step->tool->full_name;
    if (step->kinds.is_outside && !heard->outside_from)
        heard->outside_from = step->tool->full_name;
}
