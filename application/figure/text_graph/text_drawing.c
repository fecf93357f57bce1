/* What a sentence that fits a pattern adds to the graph. */
#include "application/figure/text_graph/text_patterns.h"
#include "domain/base/attributes.h"
#include <string.h>

enum { MAX_NAMES = 12 };

struct drawing {
    struct growing_graph *graph;
    const struct text_match *match;
    bool is_last; /* clause of its sentence */
};

static struct phrase slot_of(const struct drawing *drawing, char slot)
{
    return drawing->match->slots[slot - 'A'];
}

/* The nodes of "B, C and D", or of "it"; 0 unless every one is sure. */
static size_t nodes_of(const struct drawing *drawing, char slot, int *out)
{
    struct growing_graph *graph = drawing->graph;
    struct phrase names[MAX_NAMES], words = slot_of(drawing, slot);
    bool is_state = slot == 'D' || slot == 'A';
    enum figure_role role = slot == 'B' || slot == 'C' ? FIGURE_ROLE_DATA
                            : slot == 'S'              ? FIGURE_ROLE_STORE
                                                       : FIGURE_ROLE_PROCESS;
    if (phrase_is(words, "it") || phrase_is(words, "they")) {
        out[0] = graph->it;
        return slot == 'X' && drawing->match->subject == 'X' && graph->it != TEXT_GRAPH_NO_NODE &&
               (graph->it_number & phrase_number(words));
    }
    /* "by mistake", "in order", "to waste" lead in no things. */
    bool wants_mark = strchr("SY", slot) || (slot == 'X' && drawing->match->subject != 'X');
    bool ends_clause = drawing->is_last && drawing->match->last == slot && slot != 'P' && !is_state;
    size_t n = phrase_list(graph->arena, words, ends_clause, names, MAX_NAMES);
    for (size_t i = 0; i < n; i++) {
        size_t n_known = graph->graph.n_nodes;
        const char *suffix = phrase_find(names[i], " state"); /* "the open state" */
        out[i] = growing_node(
            graph, is_state && suffix ? phrase_before(names[i], suffix) : names[i], role);
        if (out[i] == TEXT_GRAPH_NO_NODE ||
            (wants_mark && graph->graph.n_nodes > n_known && !phrase_is_marked(names[i])))
            return 0;
        graph->is_state[out[i]] = graph->is_state[out[i]] || is_state;
    }
    return n;
}

/* Whom an answer of the node is for: the only one who told it something and has no answer yet.
 * Behind a sentence that was not understood that must be all it knows. */
static int asker_of(const struct growing_graph *graph, const char *node)
{
    const struct figure_graph *out = &graph->graph;
    const struct figure_edge *last = out->n_edges ? &out->edges[out->n_edges - 1] : NULL;
    const char *asker = NULL;
    size_t n_askers = 0, n_others = 0;
    for (size_t i = 0; i < out->n_nodes; i++) {
        const char *id = out->nodes[i].id;
        bool asked = false, talked = false;
        for (size_t k = 0; k < out->n_edges; k++) {
            const struct figure_edge *edge = &out->edges[k];
            bool to_it = strcmp(edge->from, id) == 0 && strcmp(edge->to, node) == 0;
            bool from_it = strcmp(edge->from, node) == 0 && strcmp(edge->to, id) == 0;
            bool is_answer = edge->line == FIGURE_LINE_DASHED;
            asked = (asked || (to_it && *edge->label && !is_answer)) && !(from_it && is_answer);
            talked = talked || to_it || from_it;
        }
        asker = asked ? id : asker;
        n_askers += asked;
        n_others += talked;
    }
    /* "otherwise it answers with …" */
    if (graph->was_if && last && strcmp(last->from, node) == 0)
        return figure_graph_find(out, last->to);
    return n_askers == 1 && (graph->n_gap == 0 || n_others == 1) ? figure_graph_find(out, asker)
                                                                 : TEXT_GRAPH_NO_NODE;
}

/* The label that ":M", ":@" or ":@M" asks for; NULL for what cannot be one. */
static const char *edge_label(const struct drawing *drawing, const char *name)
{
    struct arena *arena = drawing->graph->arena;
    struct phrase verb = drawing->match->verb, what = slot_of(drawing, 'M');
    if (*name != ':')
        return "";
    const char *label = what.text ? phrase_label(arena, what) : "";
    if (!label || name[1] == 'M')
        return label;
    return arena_printf(arena, "%.*s%s%s", (int)verb.length, verb.text, *label ? " the " : "",
                        label);
}

/* "B>X:M" */
static bool draw_edge(const struct drawing *drawing, const char *edge, bool is_answer)
{
    struct growing_graph *graph = drawing->graph;
    int from[MAX_NAMES], to[MAX_NAMES];
    struct phrase source = slot_of(drawing, edge[0]);
    size_t n_known = graph->graph.n_nodes, n_from = nodes_of(drawing, edge[0], from), n_to = 1;
    const char *label = edge_label(drawing, edge + 3);
    const char *id = n_from == 1 ? graph->graph.nodes[from[0]].id : "";
    /* "reads a vector" means another than "produces a vector" did. */
    bool is_another = *edge == 'B' && drawing->match->subject == 'X' &&
                      graph->graph.n_nodes == n_known && phrase_drop_listed(&source, " a an ");
    n_known = graph->graph.n_nodes;
    if (edge[2] == '?')
        to[0] = asker_of(graph, id);
    else
        n_to = nodes_of(drawing, edge[2], to);
    /* "answers the question" answers nobody who is known. */
    bool is_unknown = edge[2] == 'K' && graph->graph.n_nodes > n_known;
    bool is_drawn = n_from && n_to && label && !is_another && !is_unknown;
    for (size_t i = 0; is_drawn && i < n_from * n_to; i++)
        is_drawn = from[i / n_to] != to[i % n_to] &&
                   growing_edge(graph, from[i / n_to], to[i % n_to], label, is_answer);
    return is_drawn;
}

/* "A>D" or "X>D": from the state that is said, else the one the subject is called by. */
static bool draw_change(const struct drawing *drawing, const char *edge)
{
    struct growing_graph *graph = drawing->graph;
    struct phrase target = slot_of(drawing, 'D'), event = graph->event;
    const char *condition = graph->condition;
    int from[MAX_NAMES] = { graph->state }, to[MAX_NAMES];
    bool is_said = *edge == 'X' && graph->state != TEXT_GRAPH_NO_NODE;
    size_t n_from = is_said ? 1 : nodes_of(drawing, *edge, from), n_known = graph->graph.n_nodes;
    if (!event.length || n_from != 1 || !graph->is_state[from[0]] ||
        nodes_of(drawing, 'D', to) != 1)
        return false;
    /* "becomes slow" is no state. */
    if (*edge == 'X' && graph->graph.n_nodes > n_known && !phrase_find(target, "state") &&
        !phrase_drop_listed(&target, " a an the "))
        return false;
    graph->condition = NULL; /* the event is the name of the arrow */
    bool is_drawn = growing_edge(graph, from[0], to[0],
                                 arena_strndup(graph->arena, event.text, event.length), false);
    graph->condition = condition;
    return is_drawn;
}

static bool draw_group(const struct drawing *drawing)
{
    struct growing_graph *graph = drawing->graph;
    struct figure_graph *out = &graph->graph;
    struct phrase whole = phrase_name(slot_of(drawing, 'G'));
    const char *label = arena_strndup(graph->arena, whole.text, whole.length), *id = NULL;
    int nodes[MAX_NAMES];
    for (size_t i = 0; i < out->n_groups; i++)
        if (strcasecmp(out->groups[i].label, label) == 0)
            id = out->groups[i].id;
    size_t n = nodes_of(drawing, 'P', nodes);
    for (size_t i = 0; i < out->n_nodes; i++) /* a thing is a box or a frame */
        if (strcasecmp(out->nodes[i].label, label) == 0)
            return false;
    if (!n || graph->condition || !phrase_is_name(whole) || out->n_groups == FIGURE_MAX_GROUPS)
        return false;
    if (!id) {
        id = arena_printf(graph->arena, "g%zu", out->n_groups);
        *arena_push(graph->arena, out->groups, out->n_groups, graph->group_capacity) =
            (struct figure_group){ .id = id, .label = label };
    }
    for (size_t i = 0; i < n; i++)
        if (!out->nodes[nodes[i]].group)
            out->nodes[nodes[i]].group = id;
    return true;
}

bool text_pattern_draw(struct growing_graph *graph, const char *steps,
                       const struct text_match *match, bool is_last)
{
    struct drawing drawing = { graph, match, is_last };
    int nodes[MAX_NAMES];
    bool is_drawn = !(strchr(steps, ',') && is_last), is_change = *steps == '*';
    /* The subject is the first of the nodes. */
    size_t n =
        strchr("MTG", match->subject) || is_change ? 0 : nodes_of(&drawing, match->subject, nodes);
    for (const char *at = steps; is_drawn && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        bool is_message = strchr("!~", *at);
        if (is_change)
            is_drawn =
                at[1] == 'D' ? nodes_of(&drawing, 'D', nodes) : draw_change(&drawing, at + 1);
        else if (!strchr(".,", *at))
            is_drawn = at[1] == '@' ? draw_group(&drawing)
                                    : draw_edge(&drawing, at + is_message, *at == '~');
        graph->n_messages += is_message;
        graph->n_gap = is_message ? 0 : graph->n_gap;
    }
    graph->subject = n == 1 ? nodes[0] : TEXT_GRAPH_NO_NODE;
    graph->it = strchr(steps, '.') ? graph->subject : TEXT_GRAPH_NO_NODE;
    graph->it_number = match->number & phrase_number(match->slots[match->subject - 'A']);
    return is_drawn;
}
