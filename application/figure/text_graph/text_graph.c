/* Each sentence adds to a graph what its form says (text_arrows.c, text_sentence.c).
 * Then it is decided whether enough was understood; if not, the text is read once more as a process
 * (text_steps.c), whose steps stand in their own words. At the end the graph is tidied: what passes
 * from one node to the next becomes the name of the arrow between them, lonely names go, kind and
 * direction are chosen. */
#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include "domain/figure/figure_words.h"
#include <ctype.h>
#include <string.h>

enum {
    LISTED_SENTENCES = 10, /* that are drawn when the text is not understood */
    SENTENCE_BYTES = 90,
    NODES_PER_PIECE = 4,   /* on average, of a graph that falls apart into several */
    FEW_MESSAGES = 3,      /* fewer make no sequence */
    MANY_PARTICIPANTS = 6, /* more do not stand side by side */
    FEW_NODES = 4,         /* up to here a flow reads from left to right */
    LONGEST_JOINED_LABEL = 60,
    LONGEST_LABEL = 90,
    UNREAD_COLUMNS = 60,
};

/* Names that differ by a final "s" are of one thing. */
static bool is_same_name(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > m)
        return is_same_name(b, a);
    return strncasecmp(a, b, n) == 0 && (m == n || (m == n + 1 && b[n] == 's' && n > 2));
}

/* The node of that name. "The server" is also the "MCP server", when no other name ends in it;
 * *out_is_sure is false when several do. */
static int find_node(const struct growing_graph *graph, const char *name, bool is_definite,
                     bool *out_is_sure)
{
    int found = TEXT_GRAPH_NO_NODE;
    size_t length = strlen(name);
    *out_is_sure = true;
    for (size_t i = 0; i < graph->graph.n_nodes; i++) {
        const char *label = graph->graph.nodes[i].label;
        if (is_same_name(label, name))
            return (int)i;
    }
    for (size_t i = 0; is_definite && i < graph->graph.n_nodes; i++) {
        const char *label = graph->graph.nodes[i].label;
        size_t longer = strlen(label);
        if (longer <= length || label[longer - length - 1] != ' ' ||
            strcasecmp(label + longer - length, name) != 0)
            continue;
        *out_is_sure = found == TEXT_GRAPH_NO_NODE;
        found = (int)i;
    }
    return found;
}

static bool is_store(const char *lower)
{
    static const char *const words[] = { "database", "cache",      "store", "index",
                                         "queue",    "repository", "disk",  "memory" };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (text_ends_with(lower, words[i]))
            return true;
    return false;
}

static int add_node(struct growing_graph *graph, const char *label, enum figure_role role)
{
    struct figure_graph *out = &graph->graph;
    size_t n = out->n_nodes;
    if (n == TEXT_GRAPH_MAX_NODES) {
        graph->is_full = true;
        return TEXT_GRAPH_NO_NODE;
    }
    *arena_push(graph->arena, out->nodes, out->n_nodes, graph->node_capacity) =
        (struct figure_node){ .id = arena_printf(graph->arena, "n%zu", n + 1),
                              .label = label,
                              .role = role };
    return (int)n;
}

static int named_node(struct growing_graph *graph, struct phrase name, enum figure_role role,
                      bool is_definite)
{
    const struct figure_graph *out = &graph->graph;
    const char *lower = figure_lower_case(graph->arena, name.text, name.length);
    bool is_sure;
    int found = find_node(graph, lower, is_definite, &is_sure);
    for (size_t i = 0; i < out->n_groups; i++) /* a thing is a box or a frame */
        is_sure = is_sure && strcasecmp(out->groups[i].label, lower) != 0;
    if (found != TEXT_GRAPH_NO_NODE || !is_sure)
        return is_sure ? found : TEXT_GRAPH_NO_NODE;
    return add_node(graph, arena_strndup(graph->arena, name.text, name.length),
                    is_store(lower) ? FIGURE_ROLE_STORE : role);
}

int growing_node(struct growing_graph *graph, struct phrase phrase, enum figure_role role)
{
    struct phrase words = phrase_trim(phrase), name = phrase_name(phrase), first = words;
    bool is_definite = phrase_drop_listed(&first, " the this these ");
    /* "Its state" is another for each. */
    if (phrase_drop_listed(&first, " its their ") || !phrase_is_name(name))
        return TEXT_GRAPH_NO_NODE;
    return named_node(graph, name, role, is_definite);
}

int growing_node_of_words(struct growing_graph *graph, struct phrase words, enum figure_role role)
{
    struct phrase name = phrase_name(words);
    return name.length == 0 || name.length > TEXT_GRAPH_NAME_BYTES
               ? TEXT_GRAPH_NO_NODE
               : named_node(graph, name, role, false);
}

int growing_box(struct growing_graph *graph, struct phrase words, enum figure_role role)
{
    struct phrase name = phrase_name(words);
    size_t length = text_cut(name.text, name.length, SENTENCE_BYTES), blank = length;
    /* Cut between two words where there are several. */
    while (blank && length < name.length && name.text[blank] != ' ')
        blank--;
    bool is_question = role == FIGURE_ROLE_DECISION; /* the mark was trimmed off */
    const char *end = length < name.length ? "…" : is_question ? "?" : "";
    length = length < name.length && blank ? blank : length;
    return add_node(graph, arena_printf(graph->arena, "%.*s%s", (int)length, name.text, end), role);
}

bool growing_edge(struct growing_graph *graph, int from, int to, const char *label, bool is_answer)
{
    struct figure_graph *out = &graph->graph;
    const char *condition = graph->condition;
    if (from == TEXT_GRAPH_NO_NODE || to == TEXT_GRAPH_NO_NODE)
        return false;
    if (out->n_edges == TEXT_GRAPH_MAX_EDGES) {
        graph->is_full = true;
        return false;
    }
    if (condition)
        label = *label ? arena_printf(graph->arena, "%s, %s", label, condition) : condition;
    if (strlen(label) > LONGEST_LABEL)
        return false;

    *arena_push(graph->arena, out->edges, out->n_edges, graph->edge_capacity) =
        (struct figure_edge){ .from = out->nodes[from].id,
                              .to = out->nodes[to].id,
                              .label = label,
                              .line = is_answer ? FIGURE_LINE_DASHED : FIGURE_LINE_SOLID };
    return true;
}

/* Tries a reader; what it added counts only when it read all of the sentence. */
static bool reads(bool (*reader)(struct growing_graph *, const struct sentence *),
                  struct growing_graph *graph, const struct sentence *sentence)
{
    struct growing_graph before = *graph;
    if (reader(graph, sentence))
        return true;
    before.is_full = graph->is_full;
    *graph = before;
    return false;
}

static void read_sentence(struct growing_graph *graph, const struct sentence *sentence,
                          bool is_process)
{
    int state = graph->state;
    bool is_arrow = !is_process && reads(text_graph_read_arrows, graph, sentence);
    bool is_read = is_arrow || (!sentence->is_apart &&
                                reads(is_process ? text_graph_read_step : text_graph_read_sentence,
                                      graph, sentence));
    size_t n_unread = graph->n_sentences++ - graph->n_understood;
    graph->n_understood += is_read;
    graph->misses_step = graph->misses_step || (is_process && sentence->number && !is_read);
    graph->has_arrows = graph->has_arrows || is_arrow;
    if (graph->state == state) /* "In the A state" holds for one more sentence */
        graph->state = TEXT_GRAPH_NO_NODE;
    if (is_read)
        return;
    if (n_unread < TEXT_GRAPH_NAMED_SENTENCES)
        graph->unread[n_unread] = sentence->phrase;
    graph->n_gap++;
    graph->it = graph->decision = TEXT_GRAPH_NO_NODE;
    graph->condition = NULL;
}

static bool has_edge(const struct figure_graph *graph, const char *id)
{
    for (size_t i = 0; i < graph->n_edges; i++)
        if (strcmp(graph->edges[i].from, id) == 0 || strcmp(graph->edges[i].to, id) == 0)
            return true;
    return false;
}

/* Into how many pieces the graph falls; nodes without an edge do not count. A piece goes by one of
 * its nodes. */
static size_t pieces_of(const struct figure_graph *graph)
{
    int piece[TEXT_GRAPH_MAX_NODES];
    size_t n = 0;
    for (size_t i = 0; i < graph->n_nodes; i++)
        piece[i] = (int)i;
    for (size_t i = 0; i < graph->n_edges; i++) {
        int from = piece[figure_graph_find(graph, graph->edges[i].from)];
        int to = piece[figure_graph_find(graph, graph->edges[i].to)];
        for (size_t k = 0; k < graph->n_nodes; k++)
            piece[k] = piece[k] == to ? from : piece[k];
    }
    for (size_t i = 0; i < graph->n_nodes; i++)
        n += piece[i] == (int)i && has_edge(graph, graph->nodes[i].id);
    return n;
}

/* What speaks against the graph that was read, or NULL: it has to have two thirds of the text in
 * it, and hang together, unless it was written as arrows. */
static const char *doubt(const struct growing_graph *graph, const struct sentences *sentences)
{
    const struct figure_graph *out = &graph->graph;
    size_t pieces = out->n_groups ? 1 : pieces_of(out);
    if (out->n_edges == 0 && out->n_groups == 0)
        return "no relation was found in the text";
    if (graph->misses_step)
        return "one of its numbered steps is not understood";
    if (graph->is_full)
        return arena_printf(graph->arena, "it speaks of more than %d things", TEXT_GRAPH_MAX_NODES);
    if (graph->n_understood * 3 < graph->n_sentences * 2)
        return arena_printf(graph->arena, "rules can draw only %zu of its %zu sentences",
                            graph->n_understood, graph->n_sentences);
    if (graph->has_arrows)
        return sentences->may_be_titled
                   ? "a line before its arrows may be a title: end it with a colon"
               : pieces > 1 && sentences->may_be_wrapped
                   ? "its arrows do not hang together: a thing may have two names, or a name go on "
                     "in the next line; a full stop ends a line"
                   : NULL;
    return pieces > 1 && out->n_nodes < pieces * NODES_PER_PIECE
               ? "what rules read of the text falls apart"
               : NULL;
}

/* What was said, and the first sentences that were not read. */
static const char *with_unread(const struct growing_graph *graph, const char *said)
{
    size_t n = graph->n_sentences - graph->n_understood, i = 0;
    for (; i < n && i < TEXT_GRAPH_NAMED_SENTENCES; i++)
        said = arena_printf(graph->arena, "%s%s\"%s\"", said, i ? ", " : "; not read: ",
                            text_one_line(graph->arena, graph->unread[i].text,
                                          graph->unread[i].length, UNREAD_COLUMNS));
    return n > i ? arena_printf(graph->arena, "%s and %zu more", said, n - i) : said;
}

static void drop_edge(struct figure_graph *graph, size_t at)
{
    struct figure_edge *edge = &graph->edges[at];
    memmove(edge, edge + 1, (--graph->n_edges - at) * sizeof *edge);
}

/* The only edge into (or out of) the node; -1 when there is none, or several, or it has a name. */
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
    int i = figure_graph_find(graph, id);
    return i >= 0 && graph->nodes[i].role == FIGURE_ROLE_DATA;
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
            /* nodes behind it are still looked up by id */
            graph->nodes[i] = (struct figure_node){ .id = "", .label = "" };
    }
    graph->n_nodes = kept;
}

/* Two arrows side by side become one with both names. */
static void join_beside(struct arena *arena, struct figure_graph *graph)
{
    for (size_t i = 0; i < graph->n_edges; i++)
        for (size_t k = i + 1; k < graph->n_edges;) {
            struct figure_edge *a = &graph->edges[i];
            const struct figure_edge *b = &graph->edges[k];
            /* One without a name is not said under the condition that another has for its name. */
            bool fits = !*a->label == !*b->label &&
                        strlen(a->label) + strlen(b->label) <= LONGEST_JOINED_LABEL;
            bool is_beside =
                strcmp(a->from, b->from) == 0 && strcmp(a->to, b->to) == 0 && a->line == b->line;
            if (!is_beside || !fits) {
                k++;
                continue;
            }
            if (!strstr(a->label, b->label)) /* then both have one */
                a->label = arena_printf(arena, "%s, %s", a->label, b->label);
            drop_edge(graph, k);
        }
}

/* Drops names that were met in a form and then belonged to nothing. */
static void drop_lonely(struct figure_graph *graph)
{
    size_t n = 0;
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (graph->nodes[i].group || has_edge(graph, graph->nodes[i].id))
            graph->nodes[n++] = graph->nodes[i];
    graph->n_nodes = n;
}

/* Names begin with a capital, except for those that have a spelling of their own ("iPhone"). */
static const char *with_capital(struct arena *arena, const char *label)
{
    char *copy = arena_strdup(arena, label);
    if (!figure_word_is_name(arena_strndup(arena, label, strcspn(label, " "))) && label[0] >= 'a' &&
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

static void tidy(struct growing_graph *graph)
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

static struct growing_graph empty_graph(struct arena *arena)
{
    return (struct growing_graph){ .arena = arena,
                                   .it = TEXT_GRAPH_NO_NODE,
                                   .subject = TEXT_GRAPH_NO_NODE,
                                   .state = TEXT_GRAPH_NO_NODE,
                                   .decision = TEXT_GRAPH_NO_NODE };
}

/* Whether any sentence says what the others are, and that is no process or not so. */
static bool has_words(struct sentences sentences, const char *list)
{
    for (size_t i = 0; i < sentences.n; i++)
        if (phrase_has_listed(sentences.list[i].phrase, list))
            return true;
    return false;
}

/* Reads all sentences in one of the two ways; what speaks against the graph, or NULL. */
static const char *read_all(struct growing_graph *graph, struct sentences sentences,
                            bool is_process)
{
    for (size_t i = 0; i < sentences.n && !graph->is_full; i++)
        read_sentence(graph, &sentences.list[i], is_process);
    if (graph->has_arrows)
        text_graph_name_arrows(graph);
    return doubt(graph, &sentences);
}

bool text_graph(struct arena *arena, const char *text, struct figure_graph *out,
                const char **out_note)
{
    static const char supposing[] = " suppose imagine pretend hypothetically hypothetical naive "
                                    "naively fictional ";
    static const char listing[] =
        " reason reasons contributions advantages disadvantages benefits drawbacks requirements "
        "properties principles goals rules kinds types ways options questions assumptions criteria "
        "alternatively meanwhile simultaneously factors limitations differences problems "
        "challenges findings aspects ingredients ";
    static const char counted[] = " step steps stage stages phases process procedure algorithm ";
    struct growing_graph graph = empty_graph(arena), process = graph;
    struct sentences sentences = text_sentences(arena, text);
    *out = (struct figure_graph){ 0 };
    *out_note = "the text supposes something";
    if (has_words(sentences, supposing))
        return false;
    *out_note = read_all(&graph, sentences, false);
    if (*out_note) {
        if (has_words(sentences, listing) || read_all(&process, sentences, true) ||
            (process.counts && !has_words(sentences, counted))) {
            if (!graph.is_full) /* it was read to its end */
                *out_note = with_unread(&graph, *out_note);
            return false;
        }
        graph = process;
    }
    tidy(&graph);
    *out = graph.graph;
    size_t left = graph.n_sentences - graph.n_understood;
    *out_note = arena_printf(arena, "%zu of %zu sentences say nothing that rules can draw", left,
                             graph.n_sentences);
    *out_note = left ? with_unread(&graph, *out_note) : NULL;
    return true;
}

void text_graph_of_sentences(struct arena *arena, const char *text, struct figure_graph *out,
                             const char **out_note)
{
    struct growing_graph graph = empty_graph(arena);
    struct sentences sentences = text_sentences(arena, text);
    for (size_t i = 0; i < sentences.n && i < LISTED_SENTENCES; i++) {
        int node = growing_box(&graph, sentences.list[i].phrase, FIGURE_ROLE_PROCESS);
        growing_edge(&graph, node - 1, node, "", false);
    }
    tidy(&graph);
    *out = graph.graph;
    *out_note = sentences.n > LISTED_SENTENCES
                    ? arena_printf(arena, "the first %d of %zu sentences stand in their order",
                                   LISTED_SENTENCES, sentences.n)
                    : "the sentences of the text stand in their order";
}
