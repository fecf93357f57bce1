#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/figure/figure_words.h"
#include <ctype.h>
#include <string.h>

enum {
    FEW_MESSAGES = 3,      /* fewer make no sequence */
    MANY_PARTICIPANTS = 6, /* more do not stand side by side */
    FEW_NODES = 4,         /* up to here a flow reads from left to right */
    LONGEST_JOINED_LABEL = 60,
};

static const struct figure_node *node_of(const struct figure_graph *graph, const char *id)
{
    int i = figure_graph_find(graph, id);
    return i < 0 ? NULL : &graph->nodes[i];
}

static void drop_edge(struct figure_graph *graph, size_t at)
{
    graph->n_edges--;
    for (size_t i = at; i < graph->n_edges; i++)
        graph->edges[i] = graph->edges[i + 1];
}

/* The only edge into (or out of) the node, or -1: there are none, several or one with a name. */
static int only_edge(const struct figure_graph *graph, const char *id, bool into)
{
    int found = -1;
    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct figure_edge *edge = &graph->edges[i];
        if (strcmp(into ? edge->to : edge->from, id) != 0)
            continue;
        if (found >= 0 || *edge->label)
            return -1;
        found = (int)i;
    }
    return found;
}

static bool is_data(const struct figure_graph *graph, const char *id)
{
    const struct figure_node *node = node_of(graph, id);
    return node && node->role == FIGURE_ROLE_DATA;
}

/* "lexer → tokens → parser" says the same as an arrow named tokens. */
static bool fold_into_edge(struct figure_graph *graph, const struct figure_node *node)
{
    int in = only_edge(graph, node->id, true), out = only_edge(graph, node->id, false);
    if (node->role != FIGURE_ROLE_DATA || node->group || in < 0 || out < 0)
        return false;
    struct figure_edge *first = &graph->edges[in];
    const char *target = graph->edges[out].to;
    if (strcmp(first->from, target) == 0 || is_data(graph, first->from) || is_data(graph, target))
        return false;
    first->to = target;
    first->label = node->label;
    drop_edge(graph, (size_t)out);
    return true;
}

static void fold_data(struct figure_graph *graph)
{
    size_t kept = 0, n = graph->n_nodes;
    for (size_t i = 0; i < n; i++) {
        struct figure_node node = graph->nodes[i];
        if (!fold_into_edge(graph, &node))
            graph->nodes[kept++] = node;
        else if (kept <= i)
            /* what is behind is still looked up by its id */
            graph->nodes[i] = (struct figure_node){ .id = "", .label = "" };
    }
    graph->n_nodes = kept;
}

static bool is_beside(const struct figure_edge *a, const struct figure_edge *b)
{
    return strcmp(a->from, b->from) == 0 && strcmp(a->to, b->to) == 0 && a->line == b->line;
}

/* Two arrows side by side become one with both names. */
static void join_beside(struct arena *arena, struct figure_graph *graph)
{
    for (size_t i = 0; i < graph->n_edges; i++)
        for (size_t k = i + 1; k < graph->n_edges;) {
            struct figure_edge *a = &graph->edges[i];
            const struct figure_edge *b = &graph->edges[k];
            bool fits = strlen(a->label) + strlen(b->label) <= LONGEST_JOINED_LABEL;
            if (!is_beside(a, b) || !fits) {
                k++;
                continue;
            }
            bool is_more = *b->label && !strstr(a->label, b->label);
            if (is_more)
                a->label = *a->label ? arena_printf(arena, "%s, %s", a->label, b->label) : b->label;
            drop_edge(graph, k);
        }
}

static bool has_edge(const struct figure_graph *graph, const char *id)
{
    for (size_t i = 0; i < graph->n_edges; i++)
        if (strcmp(graph->edges[i].from, id) == 0 || strcmp(graph->edges[i].to, id) == 0)
            return true;
    return false;
}

/* A name that was met in a form, and then belonged to nothing. */
static void drop_lonely(struct figure_graph *graph)
{
    size_t n = 0;
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (graph->nodes[i].group || has_edge(graph, graph->nodes[i].id))
            graph->nodes[n++] = graph->nodes[i];
    graph->n_nodes = n;
}

/* Names of nodes begin with a capital, but for those that are written as they are. */
static const char *with_capital(struct arena *arena, const char *label)
{
    size_t first = strcspn(label, " ");
    char *copy = arena_strdup(arena, label);
    if (!figure_word_is_name(arena_strndup(arena, label, first)) && label[0] >= 'a' &&
        label[0] <= 'z')
        copy[0] = (char)toupper((unsigned char)label[0]);
    return copy;
}

static void choose_kind(struct growing_graph *graph)
{
    struct figure_graph *out = &graph->graph;
    bool is_talk = graph->n_messages >= FEW_MESSAGES && graph->n_messages == out->n_edges &&
                   out->n_nodes <= MANY_PARTICIPANTS && out->n_groups == 0;
    out->kind = is_talk ? FIGURE_SEQUENCE : FIGURE_FLOW;
    for (size_t i = 0; is_talk && i < out->n_nodes; i++)
        out->nodes[i].role = FIGURE_ROLE_ACTOR;
}

void text_graph_tidy(struct growing_graph *graph)
{
    struct figure_graph *out = &graph->graph;
    choose_kind(graph);
    if (out->n_edges)
        drop_lonely(out);
    if (out->kind == FIGURE_FLOW) {
        fold_data(out);
        join_beside(graph->arena, out);
    }
    out->direction = out->n_nodes <= FEW_NODES ? FIGURE_LEFT_TO_RIGHT : FIGURE_TOP_TO_BOTTOM;
    for (size_t i = 0; i < out->n_nodes; i++)
        out->nodes[i].label = with_capital(graph->arena, out->nodes[i].label);
    for (size_t i = 0; i < out->n_groups; i++)
        out->groups[i].label = with_capital(graph->arena, out->groups[i].label);
}
