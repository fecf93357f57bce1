/* Arrows as they are written: "A → B → C: the rows", and "B (the rows)" where B is a name
 * elsewhere. */
#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <string.h>

static const char *const arrows[] = { "→", "⇒", "⟶", "-->", "->", "=>" };

const char *phrase_find_arrow(struct phrase sentence, size_t from, size_t *out_length)
{
    for (size_t i = from; i < sentence.length; i++)
        for (size_t k = 0; k < ARRAY_LENGTH(arrows); k++) {
            size_t length = strlen(arrows[k]);
            if (i + length <= sentence.length &&
                strncmp(sentence.text + i, arrows[k], length) == 0) {
                *out_length = length;
                return sentence.text + i;
            }
        }
    return NULL;
}

/* "Parser (tokens)", where there is a "Parser" as well; or TEXT_GRAPH_NO_NODE. */
static int node_without_brackets(const struct figure_graph *graph, const char *label)
{
    const char *open = strchr(label, '(');
    if (!open || open == label || open[-1] != ' ' || !text_ends_with(label, ")"))
        return TEXT_GRAPH_NO_NODE;
    size_t length = (size_t)(open - label) - 1;
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (strlen(graph->nodes[i].label) == length &&
            strncasecmp(graph->nodes[i].label, label, length) == 0)
            return (int)i;
    return TEXT_GRAPH_NO_NODE;
}

void text_graph_name_arrows(struct growing_graph *graph)
{
    struct figure_graph *out = &graph->graph;
    for (size_t i = 0; i < out->n_edges; i++) {
        struct figure_edge *edge = &out->edges[i];
        const char *label = out->nodes[figure_graph_find(out, edge->to)].label;
        int node = node_without_brackets(out, label);
        if (node == TEXT_GRAPH_NO_NODE || *edge->label ||
            text_equal(out->nodes[node].id, edge->from))
            continue;
        const char *open = strchr(label, '(') + 1;
        edge->to = out->nodes[node].id;
        edge->label = arena_strndup(graph->arena, open, strlen(open) - 1);
    }
}

bool text_graph_read_arrows(struct growing_graph *graph, const struct sentence *whole)
{
    struct phrase sentence = whole->phrase;
    size_t at = 0, length = 0;
    int last = TEXT_GRAPH_NO_NODE;
    const char *arrow = phrase_find_arrow(sentence, 0, &length);
    while (arrow || at) {
        size_t end = arrow ? (size_t)(arrow - sentence.text) : sentence.length;
        struct phrase part = { sentence.text + at, end - at };
        const char *colon = memchr(part.text, ':', part.length);
        struct phrase label = { 0 };
        if (colon && !at) /* "The path: A" */
            part = phrase_behind(part, colon, 1);
        else if (colon && !arrow) { /* "B: label" behind the last arrow */
            label = phrase_name(phrase_behind(part, colon, 1));
            part = phrase_before(part, colon);
        }
        const char *open = memchr(part.text, '(', part.length);
        struct phrase name = open ? phrase_before(part, open) : part;
        bool is_clause = phrase_has_listed(name, " is are was which that if when ") ||
                         phrase_find(name, ", ") || /* "A, B -> C": one thing, or two */
                         phrase_find(name, "|") || phrase_find(name, "[") ||
                         phrase_find(name, "{"); /* Mermaid */
        int node = is_clause ? TEXT_GRAPH_NO_NODE
                             : growing_node_of_words(graph, part, FIGURE_ROLE_PROCESS);
        if (node == TEXT_GRAPH_NO_NODE)
            return false;
        const char *text = arena_strndup(graph->arena, label.text, label.length);
        if (at && !growing_edge(graph, last, node, text, false))
            return false;
        last = node;
        if (!arrow)
            return true;
        at = end + length;
        arrow = phrase_find_arrow(sentence, at, &length);
    }
    return false;
}
