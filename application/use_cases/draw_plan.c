#include "application/use_cases/draw_plan.h"
#include "application/figure/dot/graph_dot.h"
#include "application/use_cases/figure_options.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check.h"
#include <string.h>

enum { TOOL_COLUMNS = 60 };

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

static enum figure_emphasis emphasis_of(const struct recorded_run *recorded, const char *step)
{
    for (size_t i = recorded->n_events; i-- > 0;) {
        const struct event *event = &recorded->events[i];
        if (event->kind != EVENT_STEP_FINISHED ||
            !text_equal(json_get_string(event->data, "step"), step))
            continue;
        const char *status = json_get_string(event->data, "status");
        return text_equal(status, "error")     ? FIGURE_EMPHASIS_ACCENT
               : text_equal(status, "skipped") ? FIGURE_EMPHASIS_MUTED
                                               : FIGURE_EMPHASIS_NORMAL;
    }
    return FIGURE_EMPHASIS_MUTED;
}

static struct figure_graph graph_of(struct arena *arena, const struct plan *plan,
                                    const struct recorded_run *recorded)
{
    size_t capacity = 0;
    struct figure_graph graph = { .direction = FIGURE_TOP_TO_BOTTOM, .n_nodes = plan->n_steps };
    graph.nodes = arena_array(arena, struct figure_node, plan->n_steps);
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct step *step = &plan->steps[i];
        const char *tool = text_one_line(arena, step->tool, strlen(step->tool), TOOL_COLUMNS);
        enum figure_emphasis emphasis = emphasis_of(recorded, step->id);
        const char *mark = emphasis == FIGURE_EMPHASIS_ACCENT ? " ✗" : "";
        const char *label = arena_printf(arena, "%s%s\n%s", step->id, mark, tool);
        graph.nodes[i] =
            (struct figure_node){ .id = step->id, .label = label, .emphasis = emphasis };
        for (size_t earlier = 0; earlier < i; earlier++)
            if (plan_step_depends(arena, plan, i, earlier))
                *arena_push(arena, graph.edges, graph.n_edges, capacity) = (struct figure_edge){
                    .from = plan->steps[earlier].id, .to = step->id, .label = ""
                };
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
