#include "application/use_cases/plan_graph.h"
#include "application/execution/step_outcome.h"
#include "application/figure/dot/graph_dot.h"
#include "application/use_cases/figure_options.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check.h"
#include <string.h>

enum { DEED_COLUMNS = 60, GRAPH_MAX_BYTES = 16 * 1024 * 1024 };

/* What a step does: "each {find.matches}: files/text_stats". */
static const char *deed_of(struct arena *arena, const struct step *step)
{
    const char *what = step->kind == STEP_USE && step->use->file
                           ? arena_printf(arena, "use %s", step->use->file)
                           : step_label(step);
    if (step->loop && step->loop->each)
        what = arena_printf(arena, "each %s: %s",
                            json_is_string(step->loop->each) ? json_string_value(step->loop->each)
                                                             : "of a list",
                            what);
    else if (step->loop)
        what = arena_printf(arena, "until %s: %s", step->loop->until_text, what);
    if (step->is_finally && step->body_of == step->unit)
        what = arena_printf(arena, "finally: %s", what);
    return text_one_line(arena, what, strlen(what), DEED_COLUMNS);
}

/* The ids of the steps around it and its own: "block.step". */
static const char *path_of(struct arena *arena, const struct plan *plan, size_t at)
{
    const struct step *step = &plan->steps[at];
    return !step->body_of
               ? step->id
               : arena_printf(arena, "%s.%s", path_of(arena, plan, step->body_of - 1), step->id);
}

static bool is_same_list(const struct step *a, const struct step *b)
{
    return a->body_of == b->body_of && a->is_finally == b->is_finally;
}

/* The step that edges to it begin at: those of its list that it waits for; else the block that it
 * is in. */
static void add_edges(struct arena *arena, const struct plan *plan, size_t at, const bool *needs,
                      struct figure_graph *graph, size_t *capacity)
{
    size_t before = graph->n_edges;
    const struct step *step = &plan->steps[at];
    for (size_t other = 0; other < plan->n_steps; other++)
        if (needs[other] && is_same_list(&plan->steps[other], step))
            *arena_push(arena, graph->edges, graph->n_edges, *capacity) = (struct figure_edge){
                .from = graph->nodes[other].id, .to = graph->nodes[at].id, .label = ""
            };
    if (graph->n_edges == before && step->body_of)
        *arena_push(arena, graph->edges, graph->n_edges, *capacity) = (struct figure_edge){
            .from = graph->nodes[step->body_of - 1].id, .to = graph->nodes[at].id, .label = ""
        };
}

static void add_group(struct arena *arena, const struct plan *plan, size_t at,
                      struct figure_graph *graph)
{
    const struct step *step = &plan->steps[at];
    if (step->end > at + 1)
        graph->groups[graph->n_groups++] = (struct figure_group){
            .id = arena_printf(arena, "%s.", graph->nodes[at].id),
            .label = step->id,
            .parent = graph->nodes[at].group,
        };
}

struct figure_graph plan_graph(struct arena *arena, const struct plan *plan)
{
    size_t capacity = 0, n = plan->n_steps;
    struct figure_graph graph = { .direction = FIGURE_TOP_TO_BOTTOM, .n_nodes = n };
    bool *needs = arena_array(arena, bool, n + 1);
    graph.nodes = arena_array(arena, struct figure_node, n + 1);
    graph.groups = arena_array(arena, struct figure_group, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct step *step = &plan->steps[i];
        struct figure_node *node = &graph.nodes[i];
        node->id = path_of(arena, plan, i);
        node->label = arena_printf(arena, "%s\n%s", step->id, deed_of(arena, step));
        if (step->body_of)
            node->group = arena_printf(arena, "%s.", graph.nodes[step->body_of - 1].id);
        add_group(arena, plan, i, &graph);
        memset(needs, 0, n);
        plan_step_needs(arena, plan, i, needs);
        add_edges(arena, plan, i, needs, &graph, &capacity);
    }
    return graph;
}

/* What a step waits for: its edges begin at *edge, in the order of the steps they lead to. The
 * block that it is in is told by its place. */
static const char *needs_of(struct arena *arena, const struct plan *plan,
                            const struct figure_graph *graph, size_t at, size_t *edge)
{
    const char *text = "";
    for (; *edge < graph->n_edges && strcmp(graph->edges[*edge].to, graph->nodes[at].id) == 0;
         ++*edge) {
        const char *from = graph->edges[*edge].from, *dot = strrchr(from, '.');
        size_t body_of = plan->steps[at].body_of;
        if (!body_of || strcmp(from, graph->nodes[body_of - 1].id) != 0)
            text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "  after ",
                                dot ? dot + 1 : from);
    }
    return text;
}

static size_t depth_of(const struct plan *plan, size_t at)
{
    size_t depth = 0;
    for (size_t of = plan->steps[at].body_of; of; of = plan->steps[of - 1].body_of)
        depth++;
    return depth;
}

/* Steps of a body stand below their block and further in. */
static bool print_text(struct arena *arena, const struct plan *plan,
                       const struct figure_graph *graph, struct buf *out)
{
    size_t id_width = 0, deed_width = 0, edge = 0;
    bool fits = true;
    for (size_t i = 0; i < plan->n_steps; i++) {
        size_t id = strlen(plan->steps[i].id) + 2 * depth_of(plan, i);
        size_t deed = text_columns(deed_of(arena, &plan->steps[i]));
        id_width = id > id_width ? id : id_width;
        deed_width = deed > deed_width ? deed : deed_width;
    }
    for (size_t i = 0; i < plan->n_steps && fits; i++) {
        const char *deed = deed_of(arena, &plan->steps[i]);
        const char *needs = needs_of(arena, plan, graph, i, &edge);
        int indent = (int)(2 * depth_of(plan, i));
        int pad = *needs ? (int)(deed_width - text_columns(deed)) : 0;
        fits = buf_printf(out, "%*s%-*s  %s%*s%s\n", indent, "", (int)id_width - indent,
                          plan->steps[i].id, deed, pad, "", needs);
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

static size_t number_of(const struct figure_graph *graph, const char *id)
{
    size_t i = 0;
    while (i < graph->n_nodes && strcmp(graph->nodes[i].id, id) != 0)
        i++;
    return i;
}

/* The nodes of a group, and the groups in it; NULL: what is in none. */
static bool print_mermaid_group(const struct figure_graph *graph, const char *group, int indent,
                                struct buf *out)
{
    bool fits = true;
    for (size_t i = 0; i < graph->n_nodes && fits; i++)
        fits = !text_equal(graph->nodes[i].group, group) ||
               (buf_printf(out, "%*sn%zu[\"", indent, "", i) &&
                print_mermaid_label(graph->nodes[i].label, out) && buf_puts(out, "\"]\n"));
    for (size_t i = 0; i < graph->n_groups && fits; i++)
        fits =
            !text_equal(graph->groups[i].parent, group) ||
            (buf_printf(out, "%*ssubgraph g%zu[\"%s\"]\n", indent, "", i, graph->groups[i].label) &&
             print_mermaid_group(graph, graph->groups[i].id, indent + 4, out) &&
             buf_printf(out, "%*send\n", indent, ""));
    return fits;
}

static bool print_mermaid(const struct figure_graph *graph, struct buf *out)
{
    bool fits =
        buf_puts(out, "flowchart TD\n") && print_mermaid_group(graph, NULL, /* indent */ 4, out);
    for (size_t i = 0; i < graph->n_edges && fits; i++)
        fits = buf_printf(out, "    n%zu --> n%zu\n", number_of(graph, graph->edges[i].from),
                          number_of(graph, graph->edges[i].to));
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
        *out = (struct drawing){ .dot = graph_dot(arena, graph, &style, NULL), .dpi = style.dpi };
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
    bool fits = form == PLAN_GRAPH_MERMAID ? print_mermaid(&graph, &text)
                                           : print_text(arena, plan, &graph, &text);
    if (!fits)
        return err_set(err, ERR_LIMIT, 0, "the graph is larger than %d bytes", GRAPH_MAX_BYTES);
    *out = arena_strdup(arena, buf_string(&text));
    return ERR_NONE;
}
