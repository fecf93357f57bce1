/* Edges are taken one after the other, those that lead on first. One whose beginning is reached
 * from its end already closes a circle and is laid out the other way round. What is reached from
 * where is kept as a matrix, to which every edge that is taken adds. */
#include "application/figure/dot/graph_dot_internal.h"

struct ordering {
    const struct figure_graph *graph;
    int *from, *to; /* of the edges, as indices; -1 where there is no such node */
    bool *is_back, *is_beside;
    bool *reaches; /* n_nodes by n_nodes: by the edges that were taken so far */
    size_t *ring;
    size_t n_ring;
};

static bool is_dashed(const struct ordering *o, size_t edge)
{
    return o->graph->edges[edge].line == FIGURE_LINE_DASHED;
}

static bool *row(const struct ordering *o, int node)
{
    return o->reaches + (size_t)node * o->graph->n_nodes;
}

static void connect(struct ordering *o, int from, int to)
{
    if (row(o, from)[to])
        return;
    size_t n = o->graph->n_nodes;
    const bool *beyond = row(o, to);
    for (int node = 0; node < (int)n; node++) {
        if (node != from && !row(o, node)[from])
            continue;
        bool *reached = row(o, node);
        for (size_t i = 0; i < n; i++)
            reached[i] |= beyond[i];
        reached[to] = true;
    }
}

static void take(struct ordering *o, size_t edge)
{
    int from = o->from[edge], to = o->to[edge];
    if (from < 0 || to < 0 || from == to)
        return;
    o->is_back[edge] = row(o, to)[from];
    if (!o->is_back[edge])
        connect(o, from, to);
}

/* First the edges that lead on in the order of the nodes, and dashed ones last. */
static void take_all(struct ordering *o)
{
    for (int pass = 0; pass < 4; pass++)
        for (size_t i = 0; i < o->graph->n_edges; i++)
            if (is_dashed(o, i) == (pass >= 2) && (o->from[i] > o->to[i]) == (pass % 2 == 1))
                take(o, i);
}

static bool is_in_ring(const struct ordering *o, int node)
{
    for (size_t i = 0; i < o->n_ring; i++)
        if ((int)o->ring[i] == node)
            return true;
    return false;
}

/* The next node on the way to end, which is reached from node by edges that were taken. */
static int next_towards(const struct ordering *o, int node, int end)
{
    for (size_t i = 0; i < o->graph->n_edges; i++)
        if (o->from[i] == node && !o->is_back[i] && o->to[i] >= 0 && o->to[i] != node &&
            (o->to[i] == end || row(o, o->to[i])[end]))
            return o->to[i];
    return end;
}

/* If a single edge leads back, and is not dashed, the way from its end forward to its beginning. */
static void follow_ring(struct ordering *o)
{
    size_t back = 0, n_back = 0;
    for (size_t i = 0; i < o->graph->n_edges; i++)
        if (o->is_back[i]) {
            back = i;
            n_back++;
        }
    if (n_back != 1 || is_dashed(o, back))
        return;
    int end = o->from[back], at = o->to[back];
    o->ring[o->n_ring++] = (size_t)at;
    while (at != end) {
        at = next_towards(o, at, end);
        o->ring[o->n_ring++] = (size_t)at;
    }
}

/* Whether the graph is one circle, and what hangs on it by a single edge. */
static bool is_ring(const struct ordering *o)
{
    const struct figure_graph *graph = o->graph;
    if (o->n_ring < GRAPH_ORDER_MIN_RING || graph->n_groups)
        return false;
    for (int node = 0; node < (int)graph->n_nodes; node++) {
        size_t all = 0, inside = 0;
        for (size_t i = 0; i < graph->n_edges; i++) {
            if (o->from[i] != node && o->to[i] != node)
                continue;
            all++;
            inside += is_in_ring(o, o->from[i]) && is_in_ring(o, o->to[i]);
        }
        if (is_in_ring(o, node) ? inside != 2 : all > 1)
            return false;
    }
    return true;
}

/* The second half of the circle is laid out backwards, beside the first. */
static void fold_ring(struct ordering *o)
{
    for (size_t i = o->n_ring / 2; i < o->n_ring; i++)
        for (size_t edge = 0; edge < o->graph->n_edges; edge++)
            if (o->from[edge] == (int)o->ring[i] &&
                o->to[edge] == (int)o->ring[(i + 1) % o->n_ring])
                o->is_back[edge] = true;
}

/* How far from the beginning each node stands, by the edges that are not dashed or by all that move
 * a node. They have no circle, so this ends. */
static void find_levels(const struct ordering *o, size_t *levels, bool by_all)
{
    bool moved = true;
    for (size_t round = 0; moved && round < o->graph->n_nodes; round++) {
        moved = false;
        for (size_t i = 0; i < o->graph->n_edges; i++) {
            int low = o->is_back[i] ? o->to[i] : o->from[i];
            int high = o->is_back[i] ? o->from[i] : o->to[i];
            bool counts = by_all ? !o->is_beside[i] : !is_dashed(o, i);
            if (low < 0 || high < 0 || low == high || !counts || levels[high] > levels[low])
                continue;
            levels[high] = levels[low] + 1;
            moved = true;
        }
    }
}

/* Whether an edge that is not dashed leads to the node and gives it its place. */
static bool has_place(const struct ordering *o, int node)
{
    for (size_t i = 0; i < o->graph->n_edges; i++)
        if (o->to[i] == node && o->from[i] != node && !is_dashed(o, i))
            return true;
    return false;
}

static void find_beside(struct ordering *o, const size_t *levels)
{
    for (size_t i = 0; i < o->graph->n_edges; i++) {
        int from = o->from[i], to = o->to[i];
        o->is_beside[i] = is_dashed(o, i) && from >= 0 && to >= 0 && from != to &&
                          levels[from] == levels[to] && has_place(o, from) && has_place(o, to);
    }
}

struct graph_order graph_order_find(struct arena *arena, const struct figure_graph *graph)
{
    size_t n = graph->n_nodes + 1, n_edges = graph->n_edges + 1;
    struct ordering o = {
        .graph = graph,
        .from = arena_array(arena, int, n_edges),
        .to = arena_array(arena, int, n_edges),
        .is_back = arena_array(arena, bool, n_edges),
        .is_beside = arena_array(arena, bool, n_edges),
        .reaches = arena_array(arena, bool, n *n),
        .ring = arena_array(arena, size_t, n),
    };
    for (size_t i = 0; i < graph->n_edges; i++) {
        o.from[i] = figure_graph_find(graph, graph->edges[i].from);
        o.to[i] = figure_graph_find(graph, graph->edges[i].to);
    }
    take_all(&o);
    follow_ring(&o);
    if (is_ring(&o))
        fold_ring(&o);
    size_t *levels = arena_array(arena, size_t, n);
    find_levels(&o, levels, false);
    find_beside(&o, levels);
    find_levels(&o, levels, true);
    return (struct graph_order){ .is_back = o.is_back, .is_beside = o.is_beside, .levels = levels };
}
