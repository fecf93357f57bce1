#include "application/use_cases/plan_graph.h"
#include "application/figure/dot/graph_dot.h"
#include "application/use_cases/figure_options.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check.h"
#include <string.h>

enum { TOOL_COLUMNS = 60, GRAPH_MAX_BYTES = 16 * 1024 * 1024 };

static const char *tool_of(struct arena *arena, const struct step *step)
{
    return text_one_line(arena, step->tool, strlen(step->tool), TOOL_COLUMNS);
}

struct figure_graph plan_graph(struct arena *arena, const struct plan *plan)
{
    size_t capacity = 0, n = plan->n_steps;
    struct figure_graph graph = { .direction = FIGURE_TOP_TO_BOTTOM, .n_nodes = n };
    bool *needs = arena_array(arena, bool, n + 1);
    graph.nodes = arena_array(arena, struct figure_node, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct step *step = &plan->steps[i];
        const char *label = arena_printf(arena, "%s\n%s", step->id, tool_of(arena, step));
        graph.nodes[i] = (struct figure_node){ .id = step->id, .label = label };
        memset(needs, 0, n);
        plan_step_needs(arena, plan, i, needs);
        for (size_t other = 0; other < n; other++)
            if (needs[other])
                *arena_push(arena, graph.edges, graph.n_edges, capacity) = (struct figure_edge){
                    .from = plan->steps[other].id, .to = step->id, .label = ""
                };
    }
    return graph;
}

/* What a step waits for: its edges begin at *edge, in the order of the steps they lead to. */
static const char *needs_of(struct arena *arena, const struct figure_graph *graph, const char *id,
                            size_t *edge)
{
    const char *text = "";
    for (; *edge < graph->n_edges && strcmp(graph->edges[*edge].to, id) == 0; ++*edge)
        text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "  after ",
                            graph->edges[*edge].from);
    return text;
}

static bool print_text(struct arena *arena, const struct plan *plan,
                       const struct figure_graph *graph, struct buf *out)
{
    size_t id_width = 0, tool_width = 0, edge = 0;
    bool fits = true;
    for (size_t i = 0; i < plan->n_steps; i++) {
        size_t id = strlen(plan->steps[i].id), tool = text_columns(tool_of(arena, &plan->steps[i]));
        id_width = id > id_width ? id : id_width;
        tool_width = tool > tool_width ? tool : tool_width;
    }
    for (size_t i = 0; i < plan->n_steps && fits; i++) {
        const char *id = plan->steps[i].id, *tool = tool_of(arena, &plan->steps[i]);
        const char *needs = needs_of(arena, graph, id, &edge);
        int pad = *needs ? (int)(tool_width - text_columns(tool)) : 0;
        fits = buf_printf(out, "%-*s  %s%*s%s\n", (int)id_width, id, tool, pad, "", needs);
    }
    return fits;
}

/* Mermaid takes labels in quotes with the entities of HTML. */
static bool print_mermaid_label(const char *label, struct buf *out)
{
    bool fits = true;
    for (; *label && fits; label++)
        fits = *label == '\n'              ? buf_puts(out, "<br>")
               : strchr("\"#<>&`", *label) ? buf_printf(out, "#%d;", *label)
                                           : buf_append(out, label, 1);
    return fits;
}

static bool print_mermaid(const struct plan *plan, const struct figure_graph *graph,
                          struct buf *out)
{
    bool fits = buf_puts(out, "flowchart TD\n");
    for (size_t i = 0; i < graph->n_nodes && fits; i++)
        fits = buf_printf(out, "    n%zu[\"", i) &&
               print_mermaid_label(graph->nodes[i].label, out) && buf_puts(out, "\"]\n");
    for (size_t i = 0; i < graph->n_edges && fits; i++)
        fits = buf_printf(out, "    n%d --> n%d\n", plan_find_step(plan, graph->edges[i].from),
                          plan_find_step(plan, graph->edges[i].to));
    return fits;
}

static enum err_code print_dot(struct services *services, struct arena *arena,
                               const struct figure_graph *graph, struct drawing *out,
                               struct err *err)
{
    struct figure_style style;
    if (!graph->n_nodes || !figure_graph_fits(graph))
        return err_hint(err,
                        err_set(err, ERR_LIMIT, 0,
                                "a picture has 1 to %d steps and at most %d edges",
                                FIGURE_MAX_NODES, FIGURE_MAX_EDGES),
                        "--as text shows any plan");
    enum err_code r = figure_style_load(arena, services, "plain", &style, err);
    if (!r)
        *out = (struct drawing){ .dot = graph_dot(arena, graph, &style), .dpi = style.dpi };
    return r;
}

static enum err_code draw(struct services *services, struct scope *scope, struct arena *arena,
                          const struct drawing *drawing, const char **out, struct err *err)
{
    struct renderer *renderer = NULL;
    struct picture picture = { 0 };
    enum err_code r = services_renderer(services, &renderer, err);
    if (!r && (!renderer || renderer->takes_plots))
        r = err_set(err, ERR_UNAVAILABLE, 0, "Graphviz, which draws an SVG, is not here");
    if (!r)
        r = renderer_render(renderer, scope, drawing, arena, &picture, err);
    if (!r && !picture.bytes[PICTURE_SVG])
        r = err_set(err, ERR_UNAVAILABLE, 0, "Graphviz made no SVG");
    if (r)
        return err_hint(err, r, "--as text, mermaid and dot need nothing");
    *out = picture.bytes[PICTURE_SVG];
    return ERR_NONE;
}

enum err_code plan_graph_print(struct services *services, struct scope *scope, struct arena *arena,
                               const struct plan *plan, enum plan_graph_form form, const char **out,
                               struct err *err)
{
    AUTO(buf) text;
    struct drawing drawing = { 0 };
    const struct figure_graph graph = plan_graph(arena, plan);
    buf_init(&text, GRAPH_MAX_BYTES);
    if (form == PLAN_GRAPH_DOT || form == PLAN_GRAPH_SVG) {
        enum err_code r = print_dot(services, arena, &graph, &drawing, err);
        *out = drawing.dot;
        return r || form == PLAN_GRAPH_DOT ? r : draw(services, scope, arena, &drawing, out, err);
    }
    bool fits = form == PLAN_GRAPH_MERMAID ? print_mermaid(plan, &graph, &text)
                                           : print_text(arena, plan, &graph, &text);
    if (!fits)
        return err_set(err, ERR_LIMIT, 0, "the graph is larger than %d bytes", GRAPH_MAX_BYTES);
    *out = arena_strdup(arena, buf_string(&text));
    return ERR_NONE;
}
