#include "application/use_cases/runs/recorded_plan.h"
#include "application/runs/kept_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

const json_t *recorded_plan_value(const struct recorded_run *recorded)
{
    for (size_t i = recorded->n_events; i-- > 0;)
        if (recorded->events[i].kind == EVENT_PLAN)
            return json_object_get(recorded->events[i].data, "plan");
    return NULL;
}

const struct plan *recorded_plan(struct arena *arena, const struct recorded_run *recorded)
{
    struct plan *plan = NULL;
    for (size_t i = recorded->n_events; i-- > 0 && !plan;) {
        const struct event *event = &recorded->events[i];
        struct problems problems = { .arena = arena };
        if (event->kind == EVENT_PLAN)
            (void)plan_from_json(arena, json_object_get(event->data, "plan"), &plan, &problems);
    }
    return plan && plan->n_steps ? plan : NULL;
}

/* As the event leaves it; before: as it was. */
static const char *status_after(const struct event *event, const char *before)
{
    const json_t *data = event->data;
    bool is_error = json_object_get(data, "error") || json_get_bool(data, "is_error", false);
    const char *as = json_get_string(data, "as");
    if (event->kind == EVENT_STEP_STARTED || event->kind == EVENT_TOOL_CALL)
        return event->kind == EVENT_TOOL_CALL ? "unknown" : "begun";
    if (event->kind == EVENT_TOOL_RESULT)
        return is_error ? "error" : "ok";
    if (event->kind == EVENT_STEP_FINISHED)
        return json_get_string(data, "status");
    if (event->kind == EVENT_CALL_SETTLED && text_equal(as, "done"))
        return "done";
    return event->kind == EVENT_CALL_SETTLED && text_equal(as, "fail") ? "error" : before;
}

const struct recorded_step *recorded_steps(struct arena *arena, const struct plan *plan,
                                           const struct recorded_run *recorded)
{
    struct recorded_step *steps = arena_array(arena, struct recorded_step, plan->n_steps + 1);
    const json_t *last = recorded_plan_value(recorded);
    bool is_of_last = false; /* the events, and not of a plan that was given up */
    for (size_t i = 0; i < plan->n_steps; i++)
        steps[i] = (struct recorded_step){ "not begun", -1, NULL };
    for (size_t i = 0; i < recorded->n_events; i++) {
        const struct event *event = &recorded->events[i];
        const char *path = json_get_string(event->data, "step");
        int at = path ? plan_step_at(plan, kept_plan_step(path)) : -1;
        if (event->kind == EVENT_PLAN)
            is_of_last = json_equal(json_object_get(event->data, "plan"), last);
        if (at < 0 || !is_of_last)
            continue;
        struct recorded_step *step = &steps[at];
        step->status = status_after(event, step->status);
        step->duration_ms = json_get_int(event->data, "duration_ms", step->duration_ms);
        if (event->kind == EVENT_STEP_STARTED)
            step->args = json_object_get(event->data, "args");
    }
    return steps;
}
