/* A sequence has its places worked out here, in points from the lower left, and Graphviz draws them
 * as they are (its layout "nop2"), because its own layouts have no lifelines. Widths of text are
 * taken a little too large (dot_label_width), so what was not measured does not collide. */
#include "application/figure/dot/graph_dot_internal.h"
#include <math.h>
#include <string.h>

#define BOX_PADDING 14 /* points, on each side of a participant's name */
#define BOX_MIN_WIDTH 84
#define MESSAGE_GAP 14   /* between a line and the label of the next message */
#define LABEL_GAP 5      /* between a label and its line */
#define LABEL_PADDING 14 /* beside a label, to the lifelines */
#define LOOP_WIDTH 28    /* of a message to its own sender */
#define LOOP_HEIGHT 22
#define WIDEST_COLUMN 0.75 /* of the font's size; most letters are narrower */
#define ARROW 8            /* long, at arrowsize 0.8 */

struct column {
    struct dot_node_label label;
    double width, x;
    double gap; /* between its lifeline and the next one's */
};

struct message {
    const struct figure_edge *edge;
    size_t from, to;
    struct dot_label label;
    double label_width, label_height;
    size_t columns; /* of the label's lines */
    double y;       /* of the line, or the upper one of a loop */
    size_t gap;     /* where the label stands: right of that column */
};

struct plan {
    struct dot_writing *writing;
    struct column *columns;
    struct message *messages;
    size_t n_columns, n_messages;
    double box_height, bottom; /* y is 0 in the middle of the boxes and goes down, below 0 */
};

static double text_height(const struct dot_label *label, double font_size)
{
    return (double)label->n * font_size * LINE_HEIGHT;
}

static void plan_columns(struct plan *plan)
{
    const struct dot_writing *writing = plan->writing;
    for (size_t i = 0; i < plan->n_columns; i++) {
        struct column *column = &plan->columns[i];
        column->label = dot_node_label(writing, &writing->graph->nodes[i], dot_wrap(writing));
        column->width = fmax(dot_gap(writing, BOX_MIN_WIDTH),
                             column->label.width + dot_gap(writing, 2.0 * BOX_PADDING));
        plan->box_height = fmax(plan->box_height, column->label.height + 18);
    }
    for (size_t i = 0; i + 1 < plan->n_columns; i++)
        plan->columns[i].gap = (plan->columns[i].width + plan->columns[i + 1].width) / 2 +
                               dot_gap(writing, writing->style->node_gap) * POINTS_PER_INCH;
}

/* The label of a message, in lines of so many columns. */
static void wrap_message(const struct plan *plan, struct message *message, size_t columns)
{
    double size = dot_small_size(plan->writing);
    message->label = dot_label_wrap(plan->writing->arena, message->edge->label, columns);
    message->label_width = dot_label_width(&message->label) * size;
    message->label_height = text_height(&message->label, size);
}

static void plan_messages(struct plan *plan)
{
    const struct dot_writing *writing = plan->writing;
    for (size_t i = 0; i < writing->graph->n_edges; i++) {
        const struct figure_edge *edge = &writing->graph->edges[i];
        int from = figure_graph_find(writing->graph, edge->from);
        int to = figure_graph_find(writing->graph, edge->to);
        if (from < 0 || to < 0)
            continue;
        struct message *message = &plan->messages[plan->n_messages++];
        *message = (struct message){ .edge = edge, .from = (size_t)from, .to = (size_t)to };
        message->columns = dot_wrap(writing) * 3 / 2;
        wrap_message(plan, message, message->columns);
    }
}

/* The widest gap that the message passes; of several, the first from its sender. */
static size_t widest_gap(const struct plan *plan, const struct message *message)
{
    bool is_right = message->to > message->from;
    size_t n = is_right ? message->to - message->from : message->from - message->to;
    size_t best = is_right ? message->from : message->from - 1;
    for (size_t i = 0; i < n; i++) {
        size_t at = is_right ? message->from + i : message->from - 1 - i;
        if (plan->columns[at].gap > plan->columns[best].gap + 0.5)
            best = at;
    }
    return best;
}

/* Neighbours first: they alone say how wide their gap has to be. A longer message then puts its
 * label where there is room already, and widens a gap only where there is none. */
static void plan_gaps(struct plan *plan, bool of_neighbours)
{
    for (size_t i = 0; i < plan->n_messages; i++) {
        struct message *message = &plan->messages[i];
        size_t low = message->from < message->to ? message->from : message->to;
        size_t high = message->from + message->to - low;
        bool is_loop = low == high;
        if ((high - low <= 1) != of_neighbours)
            continue;
        message->gap = is_loop ? low : widest_gap(plan, message);
        double wanted = message->label_width + dot_gap(plan->writing, 2.0 * LABEL_PADDING) +
                        (is_loop ? LOOP_WIDTH : 0);
        if (message->gap + 1 < plan->n_columns)
            plan->columns[message->gap].gap = fmax(plan->columns[message->gap].gap, wanted);
    }
}

/* Labels take the room that their gap has in the end. Right of the last column is none, where only
 * a message to its own sender can have its label. */
static void fill_gaps(struct plan *plan)
{
    for (size_t i = 0; i < plan->n_messages; i++) {
        struct message *message = &plan->messages[i];
        if (message->from == message->to)
            continue;
        double room = plan->columns[message->gap].gap - dot_gap(plan->writing, 2.0 * LABEL_PADDING);
        size_t columns = (size_t)(room / dot_small_size(plan->writing) / WIDEST_COLUMN);
        if (columns > message->columns)
            wrap_message(plan, message, columns);
    }
}

static void plan_places(struct plan *plan)
{
    double x = plan->columns[0].width / 2, y = -plan->box_height / 2 - MESSAGE_GAP;
    for (size_t i = 0; i < plan->n_columns; i++) {
        plan->columns[i].x = x;
        x += plan->columns[i].gap;
    }
    for (size_t i = 0; i < plan->n_messages; i++) {
        struct message *message = &plan->messages[i];
        if (message->from == message->to) {
            double height = fmax(LOOP_HEIGHT, message->label_height);
            message->y = y - MESSAGE_GAP / 2.0;
            y = message->y - height - MESSAGE_GAP;
        } else {
            message->y = y - message->label_height - LABEL_GAP;
            y = message->y - MESSAGE_GAP;
        }
    }
    plan->bottom = y - MESSAGE_GAP / 2.0;
}

static void put_participant(struct plan *plan, size_t i)
{
    struct dot_writing *writing = plan->writing;
    const struct column *column = &plan->columns[i];
    const struct figure_node *node = &writing->graph->nodes[i];
    bool is_store = node->role == FIGURE_ROLE_STORE;
    dot_put(writing, "  n%zu [label=", i);
    dot_put_node_label(writing, &column->label, false);
    dot_put(writing, " shape=%s style=\"%s\" margin=\"0.05,0.05\" width=%.3f height=%.3f",
            is_store ? "cylinder" : "box", is_store ? "filled" : "filled,rounded",
            column->width / POINTS_PER_INCH, plan->box_height / POINTS_PER_INCH);
    dot_put_look(writing, node);
    dot_put(writing, " pos=\"%.1f,0\"];\n", column->x);
    dot_put(writing,
            "  b%zu [label=\"\" shape=point style=invis width=0.01 height=0.01 "
            "pos=\"%.1f,%.1f\"];\n",
            i, column->x, plan->bottom);
}

/* A line from one point to another as Graphviz has it: a curve whose middle points lie on it. */
static void put_straight(struct dot_writing *writing, double x1, double y1, double x2, double y2)
{
    dot_put(writing, "%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f", x1, y1, x1 + (x2 - x1) / 3,
            y1 + (y2 - y1) / 3, x1 + (x2 - x1) * 2 / 3, y1 + (y2 - y1) * 2 / 3, x2, y2);
}

static void put_lifeline(struct plan *plan, size_t i)
{
    struct dot_writing *writing = plan->writing;
    double x = plan->columns[i].x;
    dot_put(writing, "  n%zu -> b%zu [arrowhead=none style=dotted color=%s pos=\"", i, i,
            dot_color(writing, writing->style->group_stroke));
    put_straight(writing, x, -plan->box_height / 2, x, plan->bottom);
    dot_put(writing, "\"];\n");
}

static void put_label(struct plan *plan, const struct message *message, double x, double y)
{
    if (!message->label.n)
        return;
    dot_put(plan->writing, " label=");
    dot_put_label(plan->writing, &message->label, false);
    dot_put(plan->writing, " lp=\"%.1f,%.1f\"", x, y);
}

static void put_arrow(struct plan *plan, const struct message *message)
{
    struct dot_writing *writing = plan->writing;
    double from = plan->columns[message->from].x, to = plan->columns[message->to].x;
    double y = message->y, arrow = to > from ? ARROW : -ARROW;
    const struct column *column = &plan->columns[message->gap];
    put_label(plan, message, column->x + column->gap / 2,
              y + LABEL_GAP + message->label_height / 2 - 1);
    dot_put(writing, " pos=\"");
    if (message->edge->both_ways)
        dot_put(writing, "s,%.1f,%.1f ", from, y);
    dot_put(writing, "e,%.1f,%.1f ", to, y);
    put_straight(writing, message->edge->both_ways ? from + arrow : from, y, to - arrow, y);
    dot_put(writing, "\"");
}

/* Out to the right, down and back, with the label beside it. */
static void put_loop(struct plan *plan, const struct message *message)
{
    double x = plan->columns[message->from].x, far = x + LOOP_WIDTH, top = message->y;
    double low = top - LOOP_HEIGHT;
    put_label(plan, message, far + 6 + message->label_width / 2, (top + low) / 2);
    dot_put(plan->writing, " pos=\"e,%.1f,%.1f ", x, low);
    dot_put(plan->writing, "%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f ", x, top, x + 8, top, far - 8,
            top, far - 6, top);
    dot_put(plan->writing, "%.1f,%.1f %.1f,%.1f %.1f,%.1f ", far, top, far, top, far, top - 6);
    dot_put(plan->writing, "%.1f,%.1f %.1f,%.1f %.1f,%.1f ", far, top - 9, far, low + 9, far,
            low + 6);
    dot_put(plan->writing, "%.1f,%.1f %.1f,%.1f %.1f,%.1f ", far, low, far, low, far - 6, low);
    dot_put(plan->writing, "%.1f,%.1f %.1f,%.1f %.1f,%.1f\"", far - 10, low, x + ARROW + 4, low,
            x + ARROW, low);
}

static void put_message(struct plan *plan, const struct message *message)
{
    struct dot_writing *writing = plan->writing;
    dot_put(writing, "  n%zu -> n%zu [", message->from, message->to);
    if (message->edge->line == FIGURE_LINE_DASHED)
        dot_put(writing, "style=dashed");
    if (message->edge->both_ways)
        dot_put(writing, " dir=both");
    if (message->from == message->to)
        put_loop(plan, message);
    else
        put_arrow(plan, message);
    dot_put(writing, "];\n");
}

void dot_put_sequence(struct dot_writing *writing)
{
    const struct figure_graph *graph = writing->graph;
    struct plan plan = { .writing = writing, .n_columns = graph->n_nodes };
    plan.columns = arena_array(writing->arena, struct column, graph->n_nodes + 1);
    plan.messages = arena_array(writing->arena, struct message, graph->n_edges + 1);
    plan_columns(&plan);
    plan_messages(&plan);
    plan_gaps(&plan, true);
    plan_gaps(&plan, false);
    fill_gaps(&plan);
    plan_places(&plan);
    dot_put_defaults(writing, " layout=nop2");
    for (size_t i = 0; i < plan.n_columns; i++)
        put_participant(&plan, i);
    for (size_t i = 0; i < plan.n_columns; i++)
        put_lifeline(&plan, i);
    for (size_t i = 0; i < plan.n_messages; i++)
        put_message(&plan, &plan.messages[i]);
}
