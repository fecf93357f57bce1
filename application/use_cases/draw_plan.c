#include "application/use_cases/draw_plan.h"
#include "application/figure/dot/graph_dot.h"
#include "application/use_cases/figure_options.h"
#include "application/use_cases/plan_graph.h"
#include "domain/base/text.h"
#include <string.h>

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
    struct drawing drawing = { .dot = graph_dot(arena, graph, &style, NULL), .dpi = style.dpi };
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
