/* A flow whose places are known, from the geometry of an earlier layout. Nodes keep them; an edge
 * becomes a straight line where nothing is in its way, and keeps its route elsewhere; a label on a
 * frame moves off it. With rows, what was laid out in one line from left to right is cut where no
 * node stands, and every other piece is turned round, so that what follows on the last of a row
 * stands below it. Coordinates are points, y going up: those of the earlier layout until move_all,
 * and those of the picture from there on. Graphviz (layout "nop2") takes the places as they are and
 * finds routes where none is given. */
#include "application/figure/dot/graph_dot_internal.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_geometry.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 12, MAX_PIECES = 80, MAX_COLUMNS = 1000 };

#define ROW_GAP 40.0    /* points */
#define CUT_GROUP 90.0  /* points that a cut is moved rather than going through a group */
#define NEAR_LABEL 14.0 /* a straight line may be so far from its label */
#define STEP 4.0        /* by which a label or a title is moved */
#define FARTHEST 96.0
#define NEAR_MOVED 12.0 /* a label that was moved may be so far from its edge */
#define ARROW 8.0       /* long, at arrowsize 0.8 */
#define ROOM 4.0 /* round a title or label: where things touch, no edge finds a way past them */
#define TWIN_GAP 14.0 /* points between the lines of two edges between the same nodes */
#define COLUMN 0.62   /* of the font's size */

struct row {
    double begin;       /* x from which on nodes stand in it */
    double first, last; /* x of the middle of its first and last node */
    double low, high;
    double x, y; /* where first and high are in the picture */
    int step;    /* 1 to the right, -1 to the left */
};

struct route {
    const char *text; /* as Graphviz has it; NULL: it finds one */
    const char *side; /* of both nodes, where it begins and ends; NULL: as it comes */
    struct figure_segment pieces[MAX_PIECES];
    size_t n;
};

struct placing {
    struct dot_writing *writing;
    struct figure_box *nodes, *labels; /* a label that is not there has no width */
    struct figure_box *groups;         /* where there is one row */
    size_t *in_row;                    /* per node */
    const json_t **edges;              /* or NULL */
    struct route *routes;
    struct figure_box *titles; /* per group and row, MAX_ROWS each; without width: none */
    struct row rows[MAX_ROWS];
    size_t n_rows;
};

static bool read_point(const char *text, double *x, double *y)
{
    char *end = NULL;
    *x = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end != ',')
        return false;
    *y = strtod(end + 1, NULL);
    return true;
}

static struct figure_box box_at(double x, double y, double width, double height)
{
    return (struct figure_box){ x - width / 2, y - height / 2, x + width / 2, y + height / 2 };
}

static struct figure_box join(struct figure_box a, struct figure_box b)
{
    if (b.right <= b.left)
        return a;
    if (a.right <= a.left)
        return b;
    return (struct figure_box){ fmin(a.left, b.left), fmin(a.low, b.low), fmax(a.right, b.right),
                                fmax(a.high, b.high) };
}

static double middle(const struct figure_box *box)
{
    return (box->left + box->right) / 2;
}

static double middle_height(const struct figure_box *box)
{
    return (box->low + box->high) / 2;
}

/* Of a frame around its nodes: what the earlier layout has left free. */
static double padding(const struct placing *p)
{
    return dot_gap(p->writing, FRAME_MARGIN) - 1;
}

static size_t row_at(const struct placing *p, double x)
{
    size_t row = 0;
    while (row + 1 < p->n_rows && x >= p->rows[row + 1].begin)
        row++;
    return row;
}

/* False where the geometry lacks a node or an edge: it is that of something else. */
static bool read_places(struct placing *p)
{
    const struct figure_graph *graph = p->writing->graph;
    const json_t *geometry = p->writing->layout.places, *edge;
    struct arena *arena = p->writing->arena;
    size_t i;
    p->nodes = arena_array(arena, struct figure_box, graph->n_nodes + 1);
    p->labels = arena_array(arena, struct figure_box, graph->n_edges + 1);
    p->groups = arena_array(arena, struct figure_box, graph->n_groups + 1);
    p->in_row = arena_array(arena, size_t, graph->n_nodes + 1);
    p->routes = arena_array(arena, struct route, graph->n_edges + 1);
    p->titles = arena_array(arena, struct figure_box, (graph->n_groups + 1) * MAX_ROWS);
    p->edges = arena_array(arena, const json_t *, graph->n_edges + 1);
    for (i = 0; i < graph->n_nodes; i++)
        if (!figure_geometry_find(geometry, arena_printf(arena, "n%zu", i), &p->nodes[i]))
            return false;
    for (i = 0; i < graph->n_groups; i++)
        (void)figure_geometry_find(geometry, arena_printf(arena, "cluster_%zu", i), &p->groups[i]);
    json_array_foreach (json_object_get(geometry, "edges"), i, edge) {
        const char *nth = json_get_string(edge, "nth");
        size_t k = nth ? strtoul(nth, NULL, 10) : SIZE_MAX;
        double x, y;
        if (k >= graph->n_edges)
            continue;
        struct dot_label label = dot_edge_label(p->writing, k);
        double size = dot_small_size(p->writing);
        p->edges[k] = edge;
        if (label.n && read_point(json_get_string(edge, "lp"), &x, &y))
            p->labels[k] =
                box_at(x, y, dot_label_width(&label) * size, (double)label.n * size * LINE_HEIGHT);
    }
    for (i = 0; i < graph->n_edges; i++)
        if (!p->edges[i])
            return false;
    return true;
}

/* Near the target, behind the cut before. */
static double find_cut(const struct placing *p, double target, double before)
{
    const struct figure_graph *graph = p->writing->graph;
    double best = INFINITY, least = INFINITY;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        double x = p->nodes[i].right + 1, cost = fabs(x - target);
        for (size_t k = 0; k < graph->n_nodes; k++)
            if (p->nodes[k].left < x && x < p->nodes[k].right)
                cost = INFINITY;
        for (size_t g = 0; g < graph->n_groups; g++)
            cost += p->groups[g].left < x && x < p->groups[g].right ? CUT_GROUP : 0;
        if (x > before && cost < least) {
            least = cost;
            best = x;
        }
    }
    return best;
}

/* The lines of a group's title in a frame of that width. */
static struct dot_label title_of(const struct placing *p, size_t group, double width)
{
    double columns = p->n_rows == 1
                         ? dot_title_wrap(p->writing)
                         : (width - padding(p)) / (p->writing->style->font_size * COLUMN);
    return dot_label_wrap(p->writing->arena, p->writing->graph->groups[group].label,
                          columns >= 1 && columns < MAX_COLUMNS ? (size_t)columns : 1);
}

static double title_height(const struct placing *p, const struct dot_label *title)
{
    return (double)title->n * p->writing->style->font_size * LINE_HEIGHT;
}

/* The frame around what a group has in a row, with its title at the top; without width where that
 * is nothing. The depth of groups is bounded by figure_graph_fits. */
static struct figure_box frame_of(const struct placing *p, size_t group, size_t row)
{
    const struct figure_graph *graph = p->writing->graph;
    struct figure_box box = { 0 };
    if (p->n_rows == 1)
        return p->groups[group];
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (text_equal(graph->nodes[i].group, graph->groups[group].id) && p->in_row[i] == row)
            box = join(box, p->nodes[i]);
    for (size_t i = 0; i < graph->n_groups; i++)
        if (text_equal(graph->groups[i].parent, graph->groups[group].id))
            box = join(box, frame_of(p, i, row));
    if (box.right <= box.left)
        return box;
    struct dot_label title = title_of(p, group, box.right - box.left + padding(p) * 2);
    return (struct figure_box){ box.left - padding(p), box.low - padding(p), box.right + padding(p),
                                box.high + ROOM * 2 + title_height(p, &title) };
}

static void find_rows(struct placing *p)
{
    const struct figure_graph *graph = p->writing->graph;
    struct figure_box whole = { 0 };
    size_t wanted = p->writing->layout.rows;
    for (size_t i = 0; i < graph->n_nodes; i++)
        whole = join(whole, p->nodes[i]);
    p->n_rows = 1;
    p->rows[0].begin = whole.left;
    while (p->n_rows < wanted && p->n_rows < MAX_ROWS) {
        double before = p->rows[p->n_rows - 1].begin;
        double length = (whole.right - before) / (double)(wanted - p->n_rows + 1);
        double cut = find_cut(p, before + length, before);
        if (cut >= whole.right)
            break;
        p->rows[p->n_rows++].begin = cut;
    }
    for (size_t i = 0; i < graph->n_nodes; i++)
        p->in_row[i] = row_at(p, middle(&p->nodes[i]));
}

static void measure_row(struct placing *p, size_t at)
{
    const struct figure_graph *graph = p->writing->graph;
    struct row *row = &p->rows[at];
    struct figure_box box = { 0 };
    row->first = INFINITY;
    row->last = -INFINITY;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        if (p->in_row[i] != at)
            continue;
        box = join(box, p->nodes[i]);
        row->first = fmin(row->first, middle(&p->nodes[i]));
        row->last = fmax(row->last, middle(&p->nodes[i]));
    }
    for (size_t i = 0; i < graph->n_edges; i++)
        if (row_at(p, middle(&p->labels[i])) == at)
            box = join(box, p->labels[i]);
    for (size_t i = 0; i < graph->n_groups && p->n_rows > 1; i++)
        box = join(box, frame_of(p, i, at));
    row->low = box.low;
    row->high = box.high;
}

static void place_rows(struct placing *p)
{
    for (size_t i = 0; i < p->n_rows; i++) {
        const struct row *before = i ? &p->rows[i - 1] : NULL;
        struct row *row = &p->rows[i];
        measure_row(p, i);
        row->step = i % 2 ? -1 : 1;
        row->x = before ? before->x + before->step * (before->last - before->first) : row->first;
        row->y = before ? before->y - (before->high - before->low) - ROW_GAP : row->high;
    }
}

/* A point of the earlier layout in the picture. */
static void move(const struct row *row, double *x, double *y)
{
    *x = row->x + row->step * (*x - row->first);
    *y = row->y + *y - row->high;
}

static void move_box(const struct row *row, struct figure_box *box)
{
    double x = middle(box), y = middle_height(box);
    move(row, &x, &y);
    *box = box_at(x, y, box->right - box->left, box->high - box->low);
}

static struct figure_segment line_between(const struct placing *p, int from, int to)
{
    return (struct figure_segment){ middle(&p->nodes[from]), middle_height(&p->nodes[from]),
                                    middle(&p->nodes[to]), middle_height(&p->nodes[to]) };
}

/* The label of an edge between two rows begins at the middle of the straight line. */
static void move_all(struct placing *p)
{
    const struct figure_graph *graph = p->writing->graph;
    for (size_t i = 0; i < graph->n_nodes; i++)
        move_box(&p->rows[p->in_row[i]], &p->nodes[i]);
    for (size_t i = 0; i < graph->n_edges; i++) {
        int from = figure_graph_find(graph, graph->edges[i].from);
        int to = figure_graph_find(graph, graph->edges[i].to);
        struct figure_segment line = line_between(p, from, to);
        struct figure_box *label = &p->labels[i];
        if (p->in_row[from] == p->in_row[to])
            move_box(&p->rows[p->in_row[from]], label);
        else
            *label = box_at((line.x1 + line.x2) / 2, (line.y1 + line.y2) / 2,
                            label->right - label->left, label->high - label->low);
    }
}

/* "e,1,2 3,4 …" in the picture. */
static const char *route_text(const struct placing *p, size_t row, const char *route)
{
    const char *text = "";
    for (const char *at = route; *at;) {
        size_t length = strcspn(at, " ");
        int mark = *at == 'e' || *at == 's' ? 2 : 0;
        double x = 0, y = 0;
        (void)read_point(at + mark, &x, &y);
        move(&p->rows[row], &x, &y);
        text = arena_printf(p->writing->arena, "%s%s%.*s%.1f,%.1f", text, *text ? " " : "", mark,
                            at, x, y);
        at += length + strspn(at + length, " ");
    }
    return text;
}

/* Where the title of a group begins: where the earlier layout has it, or at the top of its frame,
 * away from the beginning of a row, where an edge comes from above. */
static struct figure_box title_place(const struct placing *p, size_t group, size_t row)
{
    struct figure_box box = { 0 }, frame = frame_of(p, group, row);
    struct dot_label title = title_of(p, group, frame.right - frame.left);
    double width = dot_label_width(&title) * p->writing->style->font_size;
    double height = title_height(p, &title);
    bool is_right = row > 0 && p->rows[row].step > 0;
    if (frame.right <= frame.left ||
        (p->n_rows == 1 &&
         figure_geometry_find(p->writing->layout.places,
                              arena_printf(p->writing->arena, "t%zu", group), &box)))
        return box;
    return box_at(is_right ? frame.right - (padding(p) + width) / 2
                           : frame.left + (padding(p) + width) / 2,
                  frame.high - height / 2 - ROOM, width, height);
}

static bool meets_route(const struct placing *p, const struct figure_box *box, double margin,
                        size_t first, size_t last)
{
    for (size_t i = first; i <= last && i < p->writing->graph->n_edges; i++)
        for (size_t k = 0; k < p->routes[i].n; k++)
            if (figure_line_meets(&p->routes[i].pieces[k], box, margin))
                return true;
    return false;
}

/* Whether nothing is in the box but what is left out: a label, or a title. */
static bool is_free(const struct placing *p, const struct figure_box *box,
                    const struct figure_box *itself)
{
    const struct figure_graph *graph = p->writing->graph;
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (figure_boxes_overlap(box, &p->nodes[i], -ROOM / 2))
            return false;
    for (size_t i = 0; i < graph->n_edges; i++)
        if (&p->labels[i] != itself && figure_boxes_overlap(box, &p->labels[i], 0))
            return false;
    for (size_t i = 0; i < graph->n_groups; i++)
        for (size_t row = 0; row < p->n_rows; row++) {
            const struct figure_box *title = &p->titles[i * MAX_ROWS + row];
            struct figure_box frame = frame_of(p, i, row);
            if ((figure_boxes_overlap(box, &frame, 0) && !figure_box_is_within(box, &frame, 0)) ||
                (title != itself && figure_boxes_overlap(box, title, 0)))
                return false;
        }
    return !meets_route(p, box, 1, 0, SIZE_MAX);
}

/* A label that is not free moves to the nearest place near its edge that is. */
static void settle_label(struct placing *p, size_t edge)
{
    struct figure_box *box = &p->labels[edge];
    if (box->right <= box->left || is_free(p, box, box))
        return;
    for (double way = STEP; way <= FARTHEST; way += STEP)
        for (int i = 0; i < 16; i++) {
            double angle = acos(-1) * i / 8, x = -way * cos(angle), y = way * sin(angle);
            struct figure_box moved = { box->left + x, box->low + y, box->right + x,
                                        box->high + y };
            bool is_near = !p->routes[edge].n || meets_route(p, &moved, NEAR_MOVED, edge, edge);
            if (is_near && is_free(p, &moved, box)) {
                *box = moved;
                return;
            }
        }
}

/* A title that is not free moves along the top of its frame. */
static void settle_title(struct placing *p, size_t group, size_t row)
{
    struct figure_box *title = &p->titles[group * MAX_ROWS + row];
    struct figure_box frame = frame_of(p, group, row);
    double width = title->right - title->left;
    if (width <= 0 || is_free(p, title, title))
        return;
    for (double x = frame.left + padding(p) / 2; x + width < frame.right; x += STEP) {
        struct figure_box moved = { x, title->low, x + width, title->high };
        if (is_free(p, &moved, title)) {
            *title = moved;
            return;
        }
    }
}

/* Whether the line from the middle of a node to that of another has nothing in its way, and runs
 * beside its label. */
static bool can_be_straight(const struct placing *p, size_t edge, int from, int to)
{
    const struct figure_graph *graph = p->writing->graph;
    const struct figure_segment line = line_between(p, from, to);
    for (size_t i = 0; i < graph->n_nodes; i++)
        if ((int)i != from && (int)i != to && figure_line_meets(&line, &p->nodes[i], 5))
            return false;
    for (size_t i = 0; i < graph->n_edges; i++)
        if (figure_line_meets(&line, &p->labels[i], 0))
            return false;
    for (size_t i = 0; i < graph->n_groups * MAX_ROWS; i++)
        if (figure_line_meets(&line, &p->titles[i], 2))
            return false;
    return !dot_twin(graph, edge) && (p->labels[edge].right <= p->labels[edge].left ||
                                      figure_line_meets(&line, &p->labels[edge], NEAR_LABEL));
}

/* The part of the way from the middle of a node to a point (x, y) from there that lies in it. */
static double part_within(const struct placing *p, int node, double x, double y)
{
    const char *shape = p->writing->style->roles[p->writing->graph->nodes[node].role].shape;
    double a = fabs(x) / (p->nodes[node].right - p->nodes[node].left) * 2;
    double b = fabs(y) / (p->nodes[node].high - p->nodes[node].low) * 2;
    if (strcmp(shape, "diamond") == 0)
        return 1 / (a + b);
    return 1 / (strcmp(shape, "ellipse") == 0 ? sqrt(a * a + b * b) : fmax(a, b));
}

/* A straight line between two nodes as Graphviz has it, laid out from `from`; so many points beside
 * their middles. */
static const char *straight_text(const struct placing *p, const struct figure_edge *edge,
                                 bool is_back, int from, int to, double beside)
{
    struct figure_segment line = line_between(p, from, to);
    double x = line.x2 - line.x1, y = line.y2 - line.y1, length = sqrt(x * x + y * y);
    line.x1 -= length > 0 ? y / length * beside : 0;
    line.y1 += length > 0 ? x / length * beside : 0;
    double begin = part_within(p, from, x, y), end = 1 - part_within(p, to, x, y);
    double arrow = length > 0 ? ARROW / length : 0;
    bool has_end = edge->both_ways || !is_back, has_begin = edge->both_ways || is_back;
    double first = begin + (has_begin ? arrow : 0), last = end - (has_end ? arrow : 0);
    const char *text = "";
    if (has_begin)
        text = arena_printf(p->writing->arena, "s,%.1f,%.1f ", line.x1 + x * begin,
                            line.y1 + y * begin);
    if (has_end)
        text = arena_printf(p->writing->arena, "%se,%.1f,%.1f ", text, line.x1 + x * end,
                            line.y1 + y * end);
    for (int i = 0; i < 4; i++) {
        double at = first + (last - first) * i / 3;
        text = arena_printf(p->writing->arena, "%s%s%.1f,%.1f", text, i ? " " : "",
                            line.x1 + x * at, line.y1 + y * at);
    }
    return text;
}

/* Of the first n edges others between the same two nodes; is_left: whose routes Graphviz finds. */
static size_t count_twins(const struct placing *p, size_t edge, size_t n, bool is_left)
{
    const struct figure_edge *all = p->writing->graph->edges, *one = &all[edge];
    size_t n_twins = 0;
    for (size_t i = 0; i < n; i++)
        n_twins += i != edge && !(is_left && p->routes[i].text) &&
                   ((text_equal(all[i].from, one->from) && text_equal(all[i].to, one->to)) ||
                    (text_equal(all[i].from, one->to) && text_equal(all[i].to, one->from)));
    return n_twins;
}

/* NULL, so that Graphviz finds it, for one edge at most between two nodes: for several that look
 * alike to it, makeMultiSpline of 2.43 writes behind its memory, and dot crashes. */
static void find_route(struct placing *p, const struct graph_order *order, size_t i)
{
    const struct figure_edge *edge = &p->writing->graph->edges[i];
    const char *route = json_get_string(p->edges[i], "pos");
    struct route *out = &p->routes[i];
    bool is_back = order->is_back[i];
    int from = figure_graph_find(p->writing->graph, is_back ? edge->to : edge->from);
    int to = figure_graph_find(p->writing->graph, is_back ? edge->from : edge->to);
    size_t n_twins = count_twins(p, i, i, false);
    if (from != to && can_be_straight(p, i, from, to))
        out->text = straight_text(p, edge, is_back, from, to, 0);
    else if (route && p->in_row[from] == p->in_row[to])
        out->text = route_text(p, p->in_row[from], route);
    else if (n_twins)
        out->text = straight_text(p, edge, is_back, from, to, TWIN_GAP * (double)n_twins);
    out->n = figure_route_read(out->text, out->pieces, MAX_PIECES);
}

static const char *place_text(const struct placing *p, const char *name,
                              const struct figure_box *box)
{
    return arena_printf(p->writing->arena, " %s=\"%.1f,%.1f\"", name, middle(box),
                        middle_height(box));
}

/* Graphviz finds routes through labels, and puts the label of an edge whose route it found where it
 * likes. Where it has to find any, a label is a node, which stays and which they avoid. */
static void put_edge(struct placing *p, const struct graph_order *order, size_t i)
{
    struct dot_writing *writing = p->writing;
    bool has_label = p->labels[i].right > p->labels[i].left;
    bool is_node = has_label && p->n_rows > 1;
    const char *place = is_node     ? " label=\"\""
                        : has_label ? place_text(p, "lp", &p->labels[i])
                                    : "";
    if (p->routes[i].text)
        place = arena_printf(writing->arena, "%s pos=\"%s\"", place, p->routes[i].text);
    if (p->routes[i].side)
        place = arena_printf(writing->arena, "%s tailport=%s headport=%s", place, p->routes[i].side,
                             p->routes[i].side);
    dot_put_edge(writing, order, i, place);
    if (!is_node)
        return;
    struct dot_label label = dot_edge_label(writing, i);
    dot_put(writing, "  l%zu [label=", i);
    dot_put_label(writing, &label, false);
    dot_put(writing, " shape=plain fontsize=%.1f fontcolor=%s%s];\n", dot_small_size(writing),
            dot_color(writing, writing->style->edge_text), place_text(p, "pos", &p->labels[i]));
}

static void put_frame(struct placing *p, size_t group, size_t row, bool is_first)
{
    struct dot_writing *writing = p->writing;
    struct figure_box frame = frame_of(p, group, row);
    const char *name = arena_printf(writing->arena, is_first ? "%zu" : "%zu_%zu", group, row);
    if (frame.right <= frame.left)
        return;
    dot_put(writing, "  subgraph cluster_%s { bb=\"%.1f,%.1f,%.1f,%.1f\"", name, frame.left,
            frame.low, frame.right, frame.high);
    dot_put_frame(writing);
    dot_put(writing, " }\n");
    struct dot_label lines = title_of(p, group, frame.right - frame.left);
    dot_put_title(writing, arena_printf(writing->arena, "t%s", name), &lines,
                  place_text(p, "pos", &p->titles[group * MAX_ROWS + row]));
}

/* The frames of the groups within parent, and then those within them. */
static void put_frames(struct placing *p, const char *parent)
{
    const struct figure_graph *graph = p->writing->graph;
    for (size_t i = 0; i < graph->n_groups; i++) {
        bool is_first = true;
        if (!text_equal(graph->groups[i].parent, parent))
            continue;
        for (size_t row = 0; row < p->n_rows; row++) {
            struct figure_box frame = frame_of(p, i, row);
            put_frame(p, i, row, is_first);
            is_first = is_first && frame.right <= frame.left;
        }
        put_frames(p, graph->groups[i].id);
    }
}

/* Graphviz finds a route round the titles that it runs through. Where it finds that of a twin as
 * well, they begin and end at different sides of their nodes, and are no twins to it. */
static void leave_route(struct placing *p, size_t edge)
{
    static const char *const sides[] = { NULL, "e", "w", "n", "s" };
    size_t n = count_twins(p, edge, p->writing->graph->n_edges, true);
    if (n < ARRAY_LENGTH(sides))
        p->routes[edge] = (struct route){ .side = sides[n] };
}

/* Routes first, then titles, which have less room than labels. */
static void settle(struct placing *p, const struct graph_order *order)
{
    const struct figure_graph *graph = p->writing->graph;
    for (size_t i = 0; i < graph->n_groups * MAX_ROWS; i++)
        if (i % MAX_ROWS < p->n_rows)
            p->titles[i] = title_place(p, i / MAX_ROWS, i % MAX_ROWS);
    for (size_t i = 0; i < graph->n_edges; i++)
        find_route(p, order, i);
    for (size_t i = 0; i < graph->n_groups * MAX_ROWS; i++)
        settle_title(p, i / MAX_ROWS, i % MAX_ROWS);
    for (size_t i = 0; p->n_rows > 1 && i < graph->n_edges; i++)
        for (size_t k = 0; k < graph->n_groups * MAX_ROWS; k++)
            if (meets_route(p, &p->titles[k], 0, i, i))
                leave_route(p, i);
    for (size_t i = 0; i < graph->n_edges; i++)
        settle_label(p, i);
}

bool dot_put_places(struct dot_writing *writing)
{
    const struct figure_graph *graph = writing->graph;
    struct graph_order order = graph_order_find(writing->arena, graph);
    struct placing placing = { .writing = writing };
    if (!read_places(&placing))
        return false;
    find_rows(&placing);
    place_rows(&placing);
    move_all(&placing);
    settle(&placing, &order);
    dot_put_defaults(writing, " layout=nop2 splines=true esep=\"+1\"");
    put_frames(&placing, NULL);
    for (size_t i = 0; i < graph->n_nodes; i++)
        dot_put_node(writing, i, place_text(&placing, "pos", &placing.nodes[i]));
    for (size_t i = 0; i < graph->n_edges; i++)
        put_edge(&placing, &order, i);
    return true;
}
