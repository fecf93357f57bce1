/* Arrows as they are written: "A → B → C: the rows". */
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

bool text_graph_read_arrows(struct growing_graph *graph, const struct sentence *whole)
{
    struct phrase sentence = whole->phrase;
    size_t at = 0, length = 0;
    int last = TEXT_GRAPH_NO_NODE;
    const char *arrow = phrase_find_arrow(sentence, 0, &length);
    while (arrow || at) {
        size_t end = arrow ? (size_t)(arrow - sentence.text) : sentence.length;
        struct phrase part = { sentence.text + at, end - at };
        const char *label = "", *colon = memchr(part.text, ':', part.length);
        if (colon && !at) /* "The path: A" */
            part = phrase_behind(part, colon, 1);
        else if (colon && !arrow) { /* "B: label" behind the last arrow */
            label = phrase_label(graph->arena, phrase_behind(part, colon, 1));
            part = phrase_before(part, colon);
        }
        bool is_clause = phrase_has_listed(part, " is are was which that if when ");
        int node = is_clause ? TEXT_GRAPH_NO_NODE
                             : growing_node_of_words(graph, part, FIGURE_ROLE_PROCESS);
        if (node == TEXT_GRAPH_NO_NODE || !label ||
            (at && !growing_edge(graph, last, node, label, false)))
            return false;
        last = node;
        if (!arrow)
            return true;
        at = end + length;
        arrow = phrase_find_arrow(sentence, at, &length);
    }
    return false;
}
