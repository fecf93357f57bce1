/* draw.io keeps a graph as cells in XML: each with an id, a style, a parent and its place within
 * that. A flow keeps the places of the picture; of a sequence, which draw.io lays out by lifelines,
 * only the order counts. Labels are plain text, which draw.io does not read as HTML. */
#include "application/figure/dot/graph_dot_internal.h"
#include "application/figure/dot/graph_export.h"
#include "domain/base/text.h"
#include "domain/figure/figure_geometry.h"
#include <math.h>
#include <string.h>

enum {
    LABEL_WRAP = 24,
    GRID_WIDTH = 200, /* a cell of the grid, where there is no picture */
    GRID_HEIGHT = 110,
    NODE_WIDTH = 150,
    NODE_HEIGHT = 60,
    COLUMN_WIDTH = 240, /* of a sequence */
    MESSAGE_HEIGHT = 48,
};

static void put_text(struct dot_writing *writing, const char *text)
{
    struct dot_label label = dot_label_wrap(writing->arena, text, LABEL_WRAP);
    (void)!dot_label_write_xml(&writing->out, &label);
}

/* The beginning of a cell up to its label, `<mxCell id="n3" value="`. */
static void put_begin(struct dot_writing *writing, const char *name, size_t i)
{
    dot_put(writing, "    <mxCell id=\"%s%zu\" value=\"", name, i);
}

static const char *colors(struct dot_writing *writing, struct figure_look look)
{
    return arena_printf(writing->arena, "fillColor=%s;strokeColor=%s;fontColor=%s;",
                        dot_hex(writing->arena, look.fill), dot_hex(writing->arena, look.stroke),
                        dot_hex(writing->arena, look.text));
}

/* The rest of a vertex, from its colours on. box: in the whole, from the upper left. */
static void put_place(struct dot_writing *writing, struct figure_look look, const char *parent,
                      struct figure_box box)
{
    dot_put(writing, "%sfontSize=%.0f;fontFamily=%s;\" vertex=\"1\" parent=\"%s\">",
            colors(writing, look), writing->style->font_size, writing->style->font, parent);
    dot_put(writing,
            "<mxGeometry x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" "
            "as=\"geometry\"/></mxCell>\n",
            box.left, box.low, box.right - box.left, box.high - box.low);
}

static void put_node(struct dot_writing *writing, size_t i, const char *style, const char *parent,
                     struct figure_box box)
{
    const struct figure_node *node = &writing->graph->nodes[i];
    put_begin(writing, "n", i);
    put_text(writing, node->label);
    if (node->sub_label) {
        dot_put(writing, "&#10;");
        put_text(writing, node->sub_label);
    }
    dot_put(writing, "\" style=\"%s;", style);
    put_place(writing, *dot_look(writing->style, node), parent, box);
}

/* With y from top to bottom, within the group around it. False where the picture has no place. */
static bool find_place(const json_t *geometry, const char *name, const struct figure_box *around,
                       struct figure_box *out)
{
    struct figure_box whole, box;
    if (!figure_geometry_find(geometry, NULL, &whole) ||
        !figure_geometry_find(geometry, name, &box))
        return false;
    *out = (struct figure_box){ box.left - around->left, whole.high - box.high - around->low,
                                box.right - around->left, whole.high - box.low - around->low };
    return true;
}

static struct figure_box grid_place(const struct figure_graph *graph, size_t i)
{
    size_t columns = (size_t)ceil(sqrt((double)graph->n_nodes));
    size_t row = i / columns;
    double x = (double)(i % columns * GRID_WIDTH), y = (double)(row * GRID_HEIGHT);
    return (struct figure_box){ x, y, x + NODE_WIDTH, y + NODE_HEIGHT };
}

/* The groups and nodes within parent, whose cell and place are given; as in graph_dot.c. Without
 * places there are no frames either: they would stand around other nodes. */
static void put_within(struct dot_writing *writing, const json_t *geometry, const char *parent,
                       const char *cell, const struct figure_box *around)
{
    const struct figure_graph *graph = writing->graph;
    for (size_t i = 0; i < graph->n_groups; i++) {
        const char *id = arena_printf(writing->arena, "g%zu", i);
        struct figure_box box, origin = { 0 };
        if (!text_equal(graph->groups[i].parent, parent))
            continue;
        const char *name = arena_printf(writing->arena, "cluster_%zu", i);
        if (!find_place(geometry, name, &origin, &origin) ||
            !find_place(geometry, name, around, &box)) {
            put_within(writing, geometry, graph->groups[i].id, cell, around);
            continue;
        }
        put_begin(writing, "g", i);
        put_text(writing, graph->groups[i].label);
        dot_put(writing, "\" style=\"rounded=1;arcSize=4;container=1;collapsible=0;"
                         "verticalAlign=top;align=left;spacingLeft=6;");
        put_place(writing, dot_group_look(writing->style), cell, box);
        put_within(writing, geometry, graph->groups[i].id, id, &origin);
    }
    for (size_t i = 0; i < graph->n_nodes; i++) {
        struct figure_box box;
        if (!text_equal(graph->nodes[i].group, parent))
            continue;
        if (!find_place(geometry, arena_printf(writing->arena, "n%zu", i), around, &box))
            box = grid_place(graph, i);
        put_node(writing, i, dot_shape_of(writing, &graph->nodes[i])->drawio, cell, box);
    }
}

/* The beginning of an edge, up to what is special about its way. */
static void put_edge(struct dot_writing *writing, size_t i, const char *way)
{
    const struct figure_edge *edge = &writing->graph->edges[i];
    const struct figure_style *style = writing->style;
    put_begin(writing, "e", i);
    put_text(writing, edge->label);
    dot_put(writing, "\" style=\"%s;endArrow=block;endFill=1;%s%s", way,
            edge->both_ways ? "startArrow=block;startFill=1;" : "",
            edge->line == FIGURE_LINE_DASHED ? "dashed=1;" : "");
    dot_put(writing, "strokeColor=%s;fontColor=%s;labelBackgroundColor=%s;fontSize=%.0f;\"",
            dot_hex(writing->arena, style->edge), dot_hex(writing->arena, style->edge_text),
            dot_hex(writing->arena, style->background), style->edge_font_size);
    dot_put(writing,
            " edge=\"1\" parent=\"1\" source=\"n%d\" target=\"n%d\">"
            "<mxGeometry relative=\"1\" as=\"geometry\">",
            figure_graph_find(writing->graph, edge->from),
            figure_graph_find(writing->graph, edge->to));
}

/* A message is level where both its lifelines are looked at from a point between them. */
static void put_message(struct dot_writing *writing, size_t i)
{
    int from = figure_graph_find(writing->graph, writing->graph->edges[i].from);
    int to = figure_graph_find(writing->graph, writing->graph->edges[i].to);
    int x = (from + to) * COLUMN_WIDTH / 2 + NODE_WIDTH / 2;
    int y = NODE_HEIGHT + MESSAGE_HEIGHT * ((int)i + 1);
    put_edge(writing, i, "verticalAlign=bottom");
    dot_put(writing, "<Array as=\"points\">");
    if (from == to)
        dot_put(writing, "<mxPoint x=\"%d\" y=\"%d\"/>", x + 40, y - MESSAGE_HEIGHT / 3);
    dot_put(writing, "<mxPoint x=\"%d\" y=\"%d\"/></Array></mxGeometry></mxCell>\n",
            from == to ? x + 40 : x, y);
}

static void put_sequence(struct dot_writing *writing)
{
    const struct figure_graph *graph = writing->graph;
    double height = NODE_HEIGHT + MESSAGE_HEIGHT * ((double)graph->n_edges + 1);
    for (size_t i = 0; i < graph->n_nodes; i++) {
        double x = (double)(i * COLUMN_WIDTH);
        put_node(writing, i,
                 "shape=umlLifeline;perimeter=lifelinePerimeter;container=1;collapsible=0;size=60",
                 "1", (struct figure_box){ x, 0, x + NODE_WIDTH, height });
    }
    for (size_t i = 0; i < graph->n_edges; i++)
        put_message(writing, i);
}

static void put_flow(struct dot_writing *writing, const json_t *geometry)
{
    put_within(writing, geometry, NULL, "1", &(struct figure_box){ 0 });
    for (size_t i = 0; i < writing->graph->n_edges; i++) {
        put_edge(writing, i, "edgeStyle=orthogonalEdgeStyle;rounded=1");
        dot_put(writing, "</mxGeometry></mxCell>\n");
    }
}

const char *graph_drawio(struct arena *arena, const struct figure_graph *graph,
                         const struct figure_style *style, const json_t *geometry)
{
    struct dot_writing writing = { .arena = arena, .graph = graph, .style = style };
    buf_init(&writing.out, SIZE_MAX);
    dot_put(&writing, "<mxfile><diagram id=\"figure\" name=\"figure\">\n"
                      "  <mxGraphModel><root>\n    <mxCell id=\"0\"/>\n"
                      "    <mxCell id=\"1\" parent=\"0\"/>\n");
    if (graph->kind == FIGURE_SEQUENCE)
        put_sequence(&writing);
    else
        put_flow(&writing, geometry);
    dot_put(&writing, "  </root></mxGraphModel>\n</diagram></mxfile>\n");
    return dot_finish(&writing);
}
