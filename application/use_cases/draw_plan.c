#include "application/use_cases/draw_plan.h"
#include "application/figure/dot/graph_dot.h"
#include "application/runs/kept_plan.h"
#include "application/use_cases/figure_options.h"
#include "application/use_cases/plan_graph.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

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
    const json_t *last = NULL;
    bool is_of_last = false; /* the events, and not of a plan that was given up */
    for (size_t i = 0; i < plan->n_steps; i++)
        steps[i] = (struct recorded_step){ "not begun", -1 };
    for (size_t i = recorded->n_events; i-- > 0 && !last;)
        if (recorded->events[i].kind == EVENT_PLAN)
            last = json_object_get(recorded->events[i].data, "plan");
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
    }
    return steps;
}

static enum figure_emphasis emphasis_of(const char *status)
{
    bool did_run = !text_equal(status, "skipped") && !text_equal(status, "not begun");
    return text_equal(status, "error") ? FIGURE_EMPHASIS_ACCENT
           : did_run                   ? FIGURE_EMPHASIS_NORMAL
                                       : FIGURE_EMPHASIS_MUTED;
}

static struct figure_graph graph_of(struct arena *arena, const struct plan *plan,
                                    const struct recorded_run *recorded)
{
    const struct recorded_step *ended = recorded_steps(arena, plan, recorded);
    struct figure_graph graph = plan_graph(arena, plan);
    for (size_t i = 0; i < graph.n_nodes; i++) {
        struct figure_node *node = &graph.nodes[i];
        node->emphasis = emphasis_of(ended[i].status);
        if (node->emphasis == FIGURE_EMPHASIS_ACCENT)
            node->label = arena_printf(arena, "%s ✗%s", node->id, strchr(node->label, '\n'));
    }
    return graph;
}

awaits static const char *draw_in_style(struct services *services, struct scope *scope,
                                        struct arena *arena, struct renderer *renderer,
                                        const struct figure_graph *graph, const char *name)
{
    struct figure_style style;
    struct err err;
    if (figure_style_load(arena, services, name, &style, &err))
        return NULL;
    struct drawing drawing = { .dot = graph_dot(arena, graph, &style), .dpi = style.dpi };
    struct picture picture = { 0 };
    bool is_drawn = !renderer_render(renderer, scope, &drawing, arena, &picture, &err) &&
                    picture.bytes[PICTURE_SVG] &&
                    picture.lengths[PICTURE_SVG] <= DRAW_PLAN_MAX_BYTES;
    return is_drawn ? picture.bytes[PICTURE_SVG] : NULL;
}

void draw_plan(struct services *services, struct scope *scope, struct arena *arena,
               const struct plan *plan, const struct recorded_run *recorded,
               struct plan_picture *out)
{
    struct renderer *renderer = NULL;
    struct err err;
    *out = (struct plan_picture){ 0 };
    if (plan->n_steps > DRAW_PLAN_MAX_STEPS || services_renderer(services, &renderer, &err) ||
        !renderer || renderer->takes_plots) /* a program of the settings draws figures only */
        return;
    struct figure_graph graph = graph_of(arena, plan, recorded);
    if (!figure_graph_fits(&graph))
        return;
    const char *light = draw_in_style(services, scope, arena, renderer, &graph, "plain");
    const char *dark =
        light ? draw_in_style(services, scope, arena, renderer, &graph, "dark") : NULL;
    if (dark)
        *out = (struct plan_picture){ light, dark };
}
