/* Labels are quoted, and whatever is neither a letter nor harmless is written as its number, so
 * that no label says anything in Mermaid, in the Markdown that Mermaid reads in labels, or in HTML.
 */
#include "application/figure/dot/graph_dot_internal.h"
#include "application/figure/dot/graph_export.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

enum { LABEL_WRAP = 40 };

static bool is_harmless(const char *text, size_t at)
{
    unsigned char c = (unsigned char)text[at];
    bool is_within = at > 0 && isalpha((unsigned char)text[at - 1]);
    return isalnum(c) || c >= 0x80 || c == ' ' || c == ',' || (is_within && strchr("-./()", c));
}

static void put_line(struct dot_writing *writing, const char *line)
{
    for (size_t i = 0; line[i]; i++)
        if (is_harmless(line, i))
            (void)!buf_append(&writing->out, line + i, 1);
        else
            dot_put(writing, "#%d;", (unsigned char)line[i]);
}

static void put_text(struct dot_writing *writing, const char *text)
{
    struct dot_label label = dot_label_wrap(writing->arena, text, LABEL_WRAP);
    for (size_t i = 0; i < label.n; i++) {
        dot_put(writing, "%s", i ? "<br/>" : "");
        put_line(writing, label.lines[i]);
    }
}

static void put_name(struct dot_writing *writing, const struct figure_node *node)
{
    put_text(writing, node->label);
    if (node->sub_label) {
        dot_put(writing, "<br/>");
        put_text(writing, node->sub_label);
    }
}

/* The looks of what has that name. */
static void put_style(struct dot_writing *writing, const char *name, size_t i,
                      struct figure_look look)
{
    dot_put(writing, "  style %s%zu fill:%s,stroke:%s,color:%s\n", name, i,
            dot_hex(writing->arena, look.fill), dot_hex(writing->arena, look.stroke),
            dot_hex(writing->arena, look.text));
}

static void put_node(struct dot_writing *writing, size_t i)
{
    const struct figure_node *node = &writing->graph->nodes[i];
    const struct dot_shape *shape = dot_shape_of(writing, node);
    dot_put(writing, "  n%zu%s\"", i, shape->before);
    put_name(writing, node);
    dot_put(writing, "\"%s\n", shape->behind);
    put_style(writing, "n", i, *dot_look(writing->style, node));
}

/* The groups and nodes within parent; NULL: those within none. figure_graph_fits bounds the depth.
 */
static void put_within(struct dot_writing *writing, const char *parent)
{
    const struct figure_graph *graph = writing->graph;
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (text_equal(graph->nodes[i].group, parent))
            put_node(writing, i);
    for (size_t i = 0; i < graph->n_groups; i++) {
        if (!text_equal(graph->groups[i].parent, parent))
            continue;
        dot_put(writing, "  subgraph g%zu[\"", i);
        put_text(writing, graph->groups[i].label);
        dot_put(writing, "\"]\n");
        put_within(writing, graph->groups[i].id);
        dot_put(writing, "  end\n");
        put_style(writing, "g", i, dot_group_look(writing->style));
    }
}

static void put_flow(struct dot_writing *writing)
{
    const struct figure_graph *graph = writing->graph;
    dot_put(writing, "flowchart %s\n", graph->direction == FIGURE_LEFT_TO_RIGHT ? "LR" : "TB");
    put_within(writing, NULL);
    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct figure_edge *edge = &graph->edges[i];
        dot_put(writing, "  n%d %s%s", figure_graph_find(graph, edge->from),
                edge->both_ways ? "<" : "", edge->line == FIGURE_LINE_DASHED ? "-.->" : "-->");
        if (*edge->label) {
            dot_put(writing, "|\"");
            put_text(writing, edge->label);
            dot_put(writing, "\"|");
        }
        dot_put(writing, " n%d\n", figure_graph_find(graph, edge->to));
    }
}

/* A message has to have a text: without a label it is a blank that is no white space. */
static void put_sequence(struct dot_writing *writing)
{
    const struct figure_graph *graph = writing->graph;
    dot_put(writing, "sequenceDiagram\n");
    for (size_t i = 0; i < graph->n_nodes; i++) {
        dot_put(writing, "  participant n%zu as ", i);
        put_name(writing, &graph->nodes[i]);
        dot_put(writing, "\n");
    }
    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct figure_edge *edge = &graph->edges[i];
        dot_put(writing, "  n%d%s%sn%d: ", figure_graph_find(graph, edge->from),
                edge->both_ways ? "<<" : "", edge->line == FIGURE_LINE_DASHED ? "-->>" : "->>",
                figure_graph_find(graph, edge->to));
        put_text(writing, *edge->label ? edge->label : "\xC2\xA0");
        dot_put(writing, "\n");
    }
}

const char *graph_mermaid(struct arena *arena, const struct figure_graph *graph,
                          const struct figure_style *style)
{
    struct dot_writing writing = { .arena = arena, .graph = graph, .style = style };
    buf_init(&writing.out, SIZE_MAX);
    if (graph->kind == FIGURE_SEQUENCE)
        put_sequence(&writing);
    else
        put_flow(&writing);
    return dot_finish(&writing);
}
