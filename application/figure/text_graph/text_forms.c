/* Forms that need no verb of text_verbs.c: arrows, and what something consists of or is part of. */
#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <string.h>

enum { MAX_PARTS = 12 };

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

bool text_graph_read_arrows(struct growing_graph *graph, struct phrase sentence)
{
    size_t at = 0, length = 0;
    int last = TEXT_GRAPH_NO_NODE;
    const char *arrow = phrase_find_arrow(sentence, 0, &length);
    if (!arrow)
        return false;
    for (;;) {
        size_t end = arrow ? (size_t)(arrow - sentence.text) : sentence.length;
        struct phrase part = { sentence.text + at, end - at };
        const char *label = "", *colon = memchr(part.text, ':', part.length);
        if (!arrow && colon) { /* "B: label" behind the last arrow */
            label = phrase_label(graph->arena, phrase_behind(part, colon, 1));
            part = phrase_before(part, colon);
        }
        int node = growing_node(graph, part, FIGURE_ROLE_PROCESS);
        growing_edge(graph, last, node, label, false);
        last = node;
        if (!arrow)
            return true;
        at = end + length;
        arrow = phrase_find_arrow(sentence, at, &length);
    }
}

size_t phrase_list(struct phrase list, struct phrase *out, size_t room)
{
    static const char *const marks[] = { ", and ", ", or ", ", ", " and ", " or ", "; " };
    size_t n = 0;
    while (list.length && n < room) {
        const char *first = NULL;
        size_t length = 0;
        for (size_t i = 0; i < ARRAY_LENGTH(marks); i++) {
            const char *found = phrase_find(list, marks[i]);
            if (found && (!first || found < first)) {
                first = found;
                length = strlen(marks[i]);
            }
        }
        out[n++] = first ? phrase_before(list, first) : list;
        list = first ? phrase_behind(list, first, length) : (struct phrase){ "", 0 };
    }
    return n;
}

/* The group of that name, made where there is none; NULL when there are too many. */
static const struct figure_group *group_of(struct growing_graph *graph, struct phrase whole)
{
    struct figure_graph *out = &graph->graph;
    struct phrase name = phrase_name(whole);
    const char *label = arena_strndup(graph->arena, name.text, name.length);
    for (size_t i = 0; i < out->n_groups; i++)
        if (strcasecmp(out->groups[i].label, label) == 0)
            return &out->groups[i];
    if (out->n_groups == FIGURE_MAX_GROUPS)
        return NULL;
    struct figure_group *group =
        arena_push(graph->arena, out->groups, out->n_groups, graph->group_capacity);
    *group = (struct figure_group){ .id = arena_printf(graph->arena, "g%zu", out->n_groups),
                                    .label = label };
    return group;
}

static void add_group(struct growing_graph *graph, struct phrase whole, const struct phrase *parts,
                      size_t n)
{
    struct figure_graph *out = &graph->graph;
    const struct figure_group *group = group_of(graph, whole);
    if (!group)
        return;
    const char *id = group->id;
    for (size_t i = 0; i < n; i++) {
        int node = growing_node(graph, parts[i], FIGURE_ROLE_PROCESS);
        if (node != TEXT_GRAPH_NO_NODE && !out->nodes[node].group)
            out->nodes[node].group = id;
    }
}

static bool read_whole(struct growing_graph *graph, struct phrase sentence)
{
    static const char *const forms[] = { "consists of",     "consist of",    "is made of",
                                         "are made of",     "is made up of", "comprises",
                                         "is divided into", "has the parts", "contains" };
    struct phrase parts[MAX_PARTS];
    for (size_t i = 0; i < ARRAY_LENGTH(forms); i++) {
        const char *at = phrase_find(sentence, forms[i]);
        if (!at || at == sentence.text)
            continue;
        struct phrase whole = phrase_name(phrase_before(sentence, at));
        struct phrase rest = phrase_behind(sentence, at, strlen(forms[i]));
        const char *colon = memchr(rest.text, ':', rest.length);
        if (colon)
            rest = phrase_behind(rest, colon, 1);
        size_t n = phrase_list(rest, parts, MAX_PARTS);
        if (n < 2 || whole.length == 0 || whole.length > TEXT_GRAPH_NAME_BYTES)
            return false;
        add_group(graph, whole, parts, n);
        return true;
    }
    return false;
}

/* "The light reactions take place in the thylakoid membrane" */
static bool read_place(struct growing_graph *graph, struct phrase sentence)
{
    static const char *const forms[] = { "takes place in", "take place in", "happens in",
                                         "happen in",      "is part of",    "are part of",
                                         "belongs to",     "belong to" };
    for (size_t i = 0; i < ARRAY_LENGTH(forms); i++) {
        const char *at = phrase_find(sentence, forms[i]);
        if (!at)
            continue;
        struct phrase part = phrase_name(phrase_before(sentence, at));
        struct phrase whole = phrase_name(phrase_behind(sentence, at, strlen(forms[i])));
        if (part.length == 0 || part.length > TEXT_GRAPH_NAME_BYTES ||
            whole.length > TEXT_GRAPH_NAME_BYTES || phrase_find(whole, ","))
            continue;
        graph->last_subject = growing_node(graph, part, FIGURE_ROLE_PROCESS);
        add_group(graph, whole, &part, 1);
        return true;
    }
    return false;
}

bool text_graph_read_parts(struct growing_graph *graph, struct phrase sentence)
{
    return read_whole(graph, sentence) || read_place(graph, sentence);
}
