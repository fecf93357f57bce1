/* What both kinds of picture begin with, and a flow: nodes within their groups, edges laid out as
 * graph_order.c says, titles of groups. A sequence is graph_dot_sequence.c. */
#include "application/figure/dot/graph_dot_internal.h"
#include "domain/base/text.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MARGIN_INCHES 0.25
enum { EDGE_LABEL_PADDING = 3 };
#define LEAST_CHAIN 10 /* nodes */
#define DENSE 50       /* percent of graph_layout.nearer */
#define DENSEST 75
#define SLANT 0.21         /* of its width: what the slanted sides take */
#define LABELLED_GAP 0.6   /* of the style's, where edges have labels */
#define LOOP_GAP 0.17      /* inches */
#define TITLE_WRAP 0.7     /* of the style's: a title beside the nodes of its group */
#define SLANTED_PADDING 16 /* points, around its text, both sides together */

void dot_put(struct dot_writing *writing, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (length > 0)
        (void)!buf_append(&writing->out, text,
                          (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

const char *dot_finish(struct dot_writing *writing)
{
    const char *text = arena_strdup(writing->arena, buf_string(&writing->out));
    buf_finish(&writing->out);
    return text;
}

void dot_put_label(struct dot_writing *writing, const struct dot_label *label, bool left)
{
    (void)!dot_label_write(&writing->out, label, left);
}

struct dot_node_label dot_node_label(const struct dot_writing *writing,
                                     const struct figure_node *node, size_t wrap)
{
    const struct figure_style *style = writing->style;
    const char *sub_label = node->sub_label ? node->sub_label : "";
    struct dot_node_label label = { .label = dot_label_wrap(writing->arena, node->label, wrap),
                                    .sub = dot_label_wrap(writing->arena, sub_label, wrap) };
    label.width = fmax(dot_label_width(&label.label) * style->font_size,
                       dot_label_width(&label.sub) * dot_small_size(writing));
    label.height = LINE_HEIGHT * ((double)label.label.n * style->font_size +
                                  (double)label.sub.n * dot_small_size(writing));
    return label;
}

void dot_put_node_label(struct dot_writing *writing, const struct dot_node_label *label, bool left)
{
    if (label->sub.n)
        (void)!dot_label_write_with_sub(&writing->out, &label->label, &label->sub,
                                        dot_small_size(writing));
    else
        dot_put_label(writing, &label->label, left);
}

const char *dot_hex(struct arena *arena, struct figure_color color)
{
    return arena_printf(arena, "#%02x%02x%02x", (unsigned)color.red, (unsigned)color.green,
                        (unsigned)color.blue);
}

const char *dot_color(struct dot_writing *writing, struct figure_color color)
{
    return arena_printf(writing->arena, "\"%s\"", dot_hex(writing->arena, color));
}

const struct figure_look *dot_look(const struct figure_style *style, const struct figure_node *node)
{
    return node->emphasis == FIGURE_EMPHASIS_ACCENT  ? &style->accent
           : node->emphasis == FIGURE_EMPHASIS_MUTED ? &style->muted
                                                     : &style->roles[node->role];
}

struct figure_look dot_group_look(const struct figure_style *style)
{
    return (struct figure_look){ .fill = style->group_fill,
                                 .stroke = style->group_stroke,
                                 .text = style->group_text };
}

void dot_put_look(struct dot_writing *writing, const struct figure_node *node)
{
    const struct figure_look *look = dot_look(writing->style, node);
    dot_put(writing, " fillcolor=%s color=%s fontcolor=%s", dot_color(writing, look->fill),
            dot_color(writing, look->stroke), dot_color(writing, look->text));
}

/* A reader without the style's font has one of the others, whose letters are no wider. */
static const char *fonts(struct dot_writing *writing)
{
    static const char *const families[] = { "DejaVu Sans", "Helvetica", "Arial" };
    const char *own = writing->style->font, *all = own;
    for (size_t i = 0; i < ARRAY_LENGTH(families); i++)
        if (strcmp(families[i], own) != 0)
            all = arena_printf(writing->arena, "%s,%s", all, families[i]);
    return arena_printf(writing->arena, "\"%s,sans-serif\"", all);
}

void dot_put_defaults(struct dot_writing *writing, const char *extra)
{
    const struct figure_style *style = writing->style;
    const char *font = fonts(writing);
    dot_put(writing, "  graph [bgcolor=%s pad=%.2f outputorder=edgesfirst fontname=%s%s];\n",
            dot_color(writing, style->background), dot_gap(writing, MARGIN_INCHES), font, extra);
    dot_put(writing, "  node [fontname=%s fontsize=%.1f penwidth=%.2f];\n", font, style->font_size,
            style->line_width);
    dot_put(writing,
            "  edge [fontname=%s fontsize=%.1f penwidth=%.2f color=%s fontcolor=%s "
            "arrowsize=0.8];\n",
            font, dot_small_size(writing), style->line_width, dot_color(writing, style->edge),
            dot_color(writing, style->edge_text));
}

static const struct dot_shape shapes[] = {
    { "box", "shape=box style=filled", 0.18, 0.1, 1, "[", "]", "rounded=0" },
    { "rounded", "shape=box style=\"filled,rounded\"", 0.18, 0.1, 1, "(", ")", "rounded=1" },
    { "ellipse", "shape=ellipse style=filled", 0.06, 0.04, 0.8, "([", "])", "ellipse" },
    { "diamond", "shape=diamond style=filled", 0.06, 0.05, 0.45, "{", "}", "rhombus" },
    { "hexagon", "shape=hexagon style=filled", 0.04, 0.06, 0.8, "{{", "}}",
      "shape=hexagon;perimeter=hexagonPerimeter2" },
    { "cylinder", "shape=cylinder style=filled", 0.18, 0.1, 0.9, "[(", ")]",
      "shape=cylinder3;boundedLbl=1" },
    { "parallelogram", "shape=parallelogram style=filled fixedsize=true", 0, 0, 1, "[/", "/]",
      "shape=parallelogram;perimeter=parallelogramPerimeter" },
    { "note", "shape=note style=filled", 0.16, 0.1, 1.2, ">", "]",
      "shape=note;size=10;align=left;spacingLeft=6" },
    { "component", "shape=component style=filled", 0.22, 0.1, 1, "[[", "]]", "shape=component" },
    { "folder", "shape=folder style=filled", 0.18, 0.1, 1, "[[", "]]", "shape=folder" },
    { "plain", "shape=box style=filled", 0.04, 0.04, 1.2, "[", "]", "rounded=0" },
};

const struct dot_shape *dot_shape_of(const struct dot_writing *writing,
                                     const struct figure_node *node)
{
    for (size_t i = 0; i < ARRAY_LENGTH(shapes); i++)
        if (strcmp(shapes[i].name, writing->style->roles[node->role].shape) == 0)
            return &shapes[i];
    return &shapes[0];
}

/* Left to itself Graphviz makes a parallelogram twice as high and wide as its text. */
static void put_slanted_size(struct dot_writing *writing, const struct dot_node_label *label)
{
    double width = (label->width + dot_gap(writing, SLANTED_PADDING)) / (1 - SLANT);
    double height = label->height + dot_gap(writing, SLANTED_PADDING);
    dot_put(writing, " width=%.3f height=%.3f", width / POINTS_PER_INCH, height / POINTS_PER_INCH);
}

void dot_put_node(struct dot_writing *writing, size_t i, const char *place)
{
    const struct figure_node *node = &writing->graph->nodes[i];
    const struct dot_shape *shape = dot_shape_of(writing, node);
    struct dot_node_label label =
        dot_node_label(writing, node, (size_t)(dot_wrap(writing) * shape->wrap));
    dot_put(writing, "  n%zu [label=", i);
    dot_put_node_label(writing, &label, strcmp(shape->name, "note") == 0);
    dot_put(writing, " %s margin=\"%.3f,%.3f\"", shape->attributes,
            dot_gap(writing, shape->margin_x), dot_gap(writing, shape->margin_y));
    if (strcmp(shape->name, "parallelogram") == 0)
        put_slanted_size(writing, &label);
    dot_put_look(writing, node);
    dot_put(writing, "%s];\n", place);
}

static void put_group(struct dot_writing *writing, const char *parent);

static void put_members(struct dot_writing *writing, const char *group)
{
    for (size_t i = 0; i < writing->graph->n_nodes; i++)
        if (text_equal(writing->graph->nodes[i].group, group))
            dot_put_node(writing, i, "");
}

static bool is_to_the_right(const struct dot_writing *writing)
{
    return (writing->graph->direction == FIGURE_LEFT_TO_RIGHT) != writing->layout.is_turned;
}

/* From top to bottom, edges would run through a frame's own label where they enter or leave it.
 * There the title is a node, which edges avoid. */
static bool has_title_node(const struct dot_writing *writing, size_t group)
{
    return !is_to_the_right(writing) && *writing->graph->groups[group].label;
}

void dot_put_frame(struct dot_writing *writing)
{
    const struct figure_style *style = writing->style;
    dot_put(writing,
            " style=\"filled,rounded\" penwidth=%.2f fontsize=%.1f fillcolor=%s color=%s "
            "fontcolor=%s",
            style->line_width, style->font_size, dot_color(writing, style->group_fill),
            dot_color(writing, style->group_stroke), dot_color(writing, style->group_text));
}

unsigned dot_title_wrap(const struct dot_writing *writing)
{
    return is_to_the_right(writing) ? writing->style->wrap * 2
                                    : (unsigned)(dot_wrap(writing) * TITLE_WRAP);
}

void dot_put_title(struct dot_writing *writing, const char *name, const struct dot_label *title,
                   const char *place)
{
    dot_put(writing, "  %s [label=", name);
    dot_put_label(writing, title, true);
    dot_put(writing, " shape=plain fontcolor=%s%s];\n",
            dot_color(writing, writing->style->group_text), place);
}

static void put_cluster(struct dot_writing *writing, size_t i)
{
    const struct figure_group *group = &writing->graph->groups[i];
    struct dot_label title = dot_label_wrap(writing->arena, group->label, dot_title_wrap(writing));
    dot_put(writing, "  subgraph cluster_%zu {\n ", i);
    if (!has_title_node(writing, i)) {
        dot_put(writing, " label=");
        dot_put_label(writing, &title, false);
    }
    dot_put(writing, " labeljust=l margin=%.1f", dot_gap(writing, FRAME_MARGIN));
    dot_put_frame(writing);
    dot_put(writing, ";\n");
    if (has_title_node(writing, i))
        dot_put_title(writing, arena_printf(writing->arena, "t%zu", i), &title, "");
    put_members(writing, group->id);
    put_group(writing, group->id);
    dot_put(writing, "  }\n");
}

/* The groups within parent; NULL: those within none. The depth is bounded by figure_graph_fits. */
static void put_group(struct dot_writing *writing, const char *parent)
{
    for (size_t i = 0; i < writing->graph->n_groups; i++)
        if (text_equal(writing->graph->groups[i].parent, parent))
            put_cluster(writing, i);
}

static size_t levels_between(const struct graph_order *order, int from, int to)
{
    size_t a = order->levels[from], b = order->levels[to];
    return a > b ? a - b : b - a;
}

/* How much an edge that skips nothing is to be straight: then it stays so, and those that skip
 * something go round it. In a chain that counts more than that groups are narrow; where room is
 * short, less. */
static int step_weight(const struct dot_writing *writing, const struct graph_order *order)
{
    size_t n_levels = 0, n_nodes = writing->graph->n_nodes;
    for (size_t i = 0; i < n_nodes; i++)
        n_levels = order->levels[i] >= n_levels ? order->levels[i] + 1 : n_levels;
    bool is_chain = n_nodes >= LEAST_CHAIN && n_levels * 4 >= n_nodes * 3;
    return writing->layout.nearer >= DENSEST ? 1
           : is_chain                        ? 1000
           : writing->layout.nearer >= DENSE ? 1
                                             : 12;
}

struct dot_label dot_edge_label(const struct dot_writing *writing, size_t edge)
{
    return dot_label_wrap(writing->arena, writing->graph->edges[edge].label,
                          dot_wrap(writing) * 4 / 5);
}

const struct figure_edge *dot_twin(const struct figure_graph *graph, size_t edge)
{
    const struct figure_edge *one = &graph->edges[edge], *twin = NULL;
    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct figure_edge *other = &graph->edges[i];
        bool is_same = strcmp(one->from, other->from) == 0 && strcmp(one->to, other->to) == 0;
        is_same |= strcmp(one->from, other->to) == 0 && strcmp(one->to, other->from) == 0;
        if (i != edge && is_same && (!twin || *other->label))
            twin = other;
    }
    return twin;
}

void dot_put_edge(struct dot_writing *writing, const struct graph_order *order, size_t i,
                  const char *place)
{
    const struct figure_edge *edge = &writing->graph->edges[i];
    bool is_back = order->is_back[i];
    int from = figure_graph_find(writing->graph, edge->from);
    int to = figure_graph_find(writing->graph, edge->to);
    if (from < 0 || to < 0)
        return;
    dot_put(writing, "  n%d -> n%d [", is_back ? to : from, is_back ? from : to);
    struct dot_label label = dot_edge_label(writing, i);
    const struct figure_edge *twin = dot_twin(writing->graph, i);
    if (label.n || (twin && *twin->label && !writing->layout.places)) {
        dot_put(writing, "label="); /* an empty one keeps it off the twin's */
        (void)!dot_label_write_padded(&writing->out, &label, EDGE_LABEL_PADDING);
    }
    if (edge->line == FIGURE_LINE_DASHED)
        dot_put(writing, " style=dashed");
    if (edge->both_ways)
        dot_put(writing, " dir=both");
    else if (is_back)
        dot_put(writing, " dir=back");
    if (order->is_beside[i])
        dot_put(writing, " constraint=false");
    else if (levels_between(order, from, to) == 1)
        dot_put(writing, " weight=%d", step_weight(writing, order));
    (void)!buf_puts(&writing->out, place);
    dot_put(writing, " nth=%zu];\n", i);
}

static bool is_in_group(const struct figure_graph *graph, const char *group, const char *id)
{
    for (size_t depth = 0; group && depth <= FIGURE_MAX_GROUP_DEPTH; depth++) {
        const char *parent = NULL;
        if (strcmp(group, id) == 0)
            return true;
        for (size_t i = 0; i < graph->n_groups; i++)
            if (strcmp(graph->groups[i].id, group) == 0)
                parent = graph->groups[i].parent;
        group = parent;
    }
    return false;
}

bool dot_is_member(const struct figure_graph *graph, size_t group, int node)
{
    return node >= 0 && is_in_group(graph, graph->nodes[node].group, graph->groups[group].id);
}

/* Whether no other node of the group comes before this one. */
static bool is_first(const struct figure_graph *graph, const struct graph_order *order,
                     size_t group, const char *id)
{
    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct figure_edge *edge = &graph->edges[i];
        const char *above = order->is_back[i] ? edge->to : edge->from;
        const char *below = order->is_back[i] ? edge->from : edge->to;
        if (strcmp(below, id) == 0 && strcmp(above, id) != 0 &&
            dot_is_member(graph, group, figure_graph_find(graph, above)))
            return false;
    }
    return true;
}

/* The title stands in the row of the uppermost member: the first members are beside it or below. */
static void put_title_place(struct dot_writing *writing, const struct graph_order *order,
                            size_t group)
{
    const struct figure_graph *graph = writing->graph;
    for (int i = 0; i < (int)graph->n_nodes; i++)
        if (dot_is_member(graph, group, i) && is_first(graph, order, group, graph->nodes[i].id))
            dot_put(writing, "  t%zu -> n%d [style=invis minlen=0];\n", group, i);
}

/* A label between two rows has a row of its own, with a gap on both its sides. */
static double gap_of(const struct dot_writing *writing)
{
    for (size_t i = 0; i < writing->graph->n_edges; i++)
        if (*writing->graph->edges[i].label)
            return dot_gap(writing, writing->style->rank_gap) * LABELLED_GAP;
    return dot_gap(writing, writing->style->rank_gap);
}

/* An edge from a node to itself takes the room beside it. */
static double node_gap(const struct dot_writing *writing)
{
    double gap = dot_gap(writing, writing->style->node_gap);
    for (size_t i = 0; i < writing->graph->n_edges; i++)
        if (strcmp(writing->graph->edges[i].from, writing->graph->edges[i].to) == 0)
            gap = fmax(gap, LOOP_GAP);
    return gap;
}

/* newrank: nodes are ordered across groups, so that what follows from a node outside stands after
 * it. */
static void put_flow(struct dot_writing *writing)
{
    const struct figure_graph *graph = writing->graph;
    struct graph_order order = graph_order_find(writing->arena, graph);
    dot_put_defaults(writing, arena_printf(writing->arena,
                                           " rankdir=%s nodesep=%.2f ranksep=%.2f newrank=true",
                                           is_to_the_right(writing) ? "LR" : "TB",
                                           node_gap(writing), gap_of(writing)));
    put_members(writing, NULL);
    put_group(writing, NULL);
    for (size_t i = 0; i < graph->n_edges; i++)
        dot_put_edge(writing, &order, i, "");
    for (size_t i = 0; i < graph->n_groups; i++)
        if (has_title_node(writing, i))
            put_title_place(writing, &order, i);
}

const char *graph_dot(struct arena *arena, const struct figure_graph *graph,
                      const struct figure_style *style, const struct graph_layout *layout)
{
    struct dot_writing writing = { .arena = arena, .graph = graph, .style = style };
    if (layout)
        writing.layout = *layout;
    buf_init(&writing.out, SIZE_MAX);
    dot_put(&writing, "digraph figure {\n");
    if (graph->kind == FIGURE_SEQUENCE)
        dot_put_sequence(&writing);
    else if (!writing.layout.places || !dot_put_places(&writing))
        put_flow(&writing);
    dot_put(&writing, "}\n");
    return dot_finish(&writing);
}
