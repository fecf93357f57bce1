/* Sentences by their verb: who sends whom what, what becomes what. A sentence is read clause by
 * clause: each has a verb of the list, whose form says what the words behind it are, and all have
 * the same subject. Unless it says more, an edge has no label. */
#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <string.h>

enum { MAX_OBJECTS = 6, MAX_CLAUSES = 6 };

/* What a verb says of its subject X and of what stands behind it. */
enum verb_form {
    VERB_SENDS,    /* X … M to Y */
    VERB_ANSWERS,  /* X … [Y] with M: back to where the last message came from */
    VERB_ASKS,     /* X … Y for M */
    VERB_REQUESTS, /* X … M from Y */
    VERB_TURNS,    /* X … B into C */
    VERB_MAKES,    /* X … C [from B] */
    VERB_TAKES,    /* X … B [from Y] */
    VERB_LEADS,    /* X … C */
    VERB_STORES,   /* X … B in C */
    VERB_IS_MOVED, /* B … C [by X] */
};

static const char *const verbs[][16] = {
    [VERB_SENDS] = { "sends", "send", "passes", "forwards", "transmits", "hands", "delivers",
                     "gives", "pushes", "reports", "submits", "uploads" },
    [VERB_ANSWERS] = { "returns", "answers", "replies", "responds", "acknowledges", "confirms" },
    [VERB_ASKS] = { "asks", "tells", "calls", "queries", "notifies" },
    [VERB_REQUESTS] = { "requests" },
    [VERB_TURNS] = { "turns", "turn", "converts", "transforms", "translates", "compiles", "parses",
                     "encodes", "maps", "splits", "combines", "rewrites" },
    [VERB_MAKES] = { "produces", "produce", "generates", "creates", "emits", "outputs", "yields",
                     "makes", "builds", "releases", "release", "computes", "writes" },
    [VERB_TAKES] = { "fetches", "downloads", "takes in", "take in", "take", "takes", "reads",
                     "receives", "uses", "consumes", "absorbs", "absorb", "compares" },
    [VERB_LEADS] = { "flows into", "flow into", "goes to", "goes into", "go into", "leads to",
                     "feeds into", "feeds", "feed", "enters", "enter", "drives", "drive", "powers",
                     "reaches", "becomes" },
    [VERB_STORES] = { "stores", "keeps", "saves" },
    [VERB_IS_MOVED] = { "are passed to", "is passed to", "are sent to", "is sent to",
                        "are stored in", "is stored in", "are turned into", "is turned into",
                        "are split into", "is split into", "is converted into",
                        "are converted into", "is fed into", "are fed into" },
};

struct verb {
    const char *word; /* NULL: there is none */
    enum verb_form form;
};

/* One clause: its subject, its verb, and what stands behind it. */
struct clause {
    struct growing_graph *graph;
    struct verb verb;
    struct phrase rest; /* behind the verb */
    int x;              /* node of the subject, or TEXT_GRAPH_NO_NODE */
};

/* The first verb; of two at one place the longer one. */
static struct verb find_verb(struct phrase phrase, const char **out_at)
{
    struct verb found = { 0 };
    *out_at = NULL;
    for (enum verb_form form = 0; form < ARRAY_LENGTH(verbs); form++)
        for (size_t i = 0; i < ARRAY_LENGTH(verbs[form]) && verbs[form][i]; i++) {
            const char *word = verbs[form][i], *at = phrase_find(phrase, word);
            bool is_first = at && (!*out_at || at < *out_at ||
                                   (at == *out_at && strlen(word) > strlen(found.word)));
            if (!is_first)
                continue;
            found = (struct verb){ word, form };
            *out_at = at;
        }
    return found;
}

static struct phrase cut_at(struct phrase phrase, const char *const *ends, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *end = phrase_find(phrase, ends[i]);
        if (end && end > phrase.text)
            phrase = phrase_before(phrase, end);
    }
    return phrase;
}

/* A name ends where the sentence goes on to say how, when or why. */
static struct phrase cut_name(struct phrase phrase)
{
    static const char *const ends[] = { "that",    "which", "with",  "for",    "by",     "from",
                                        "in",      "on",    "at",    "when",   "while",  "so",
                                        "until",   "as",    "where", "using",  "inside", "through",
                                        "to",      "into",  "after", "before", "during", "without",
                                        "because", "whose" };
    return phrase_name(cut_at(phrase, ends, ARRAY_LENGTH(ends)));
}

/* The node of one name, not of a list: "the server, and the session is open". */
static int single_node(struct clause *clause, struct phrase phrase, enum figure_role role)
{
    static const char *const ends[] = { ",", "and", "or", ":" };
    struct phrase name = cut_name(cut_at(phrase, ends, ARRAY_LENGTH(ends)));
    return growing_node(clause->graph, name, role);
}

static bool split(struct phrase phrase, const char *word, struct phrase *out_first,
                  struct phrase *out_second)
{
    const char *at = phrase_find(phrase, word);
    if (!at)
        return false;
    *out_first = phrase_before(phrase, at);
    *out_second = phrase_behind(phrase, at, strlen(word));
    return true;
}

/* The nodes of "B, C and D"; how many they are. */
static size_t nodes_of(struct clause *clause, struct phrase list, enum figure_role role, int *out)
{
    struct phrase names[MAX_OBJECTS];
    size_t n = phrase_list(list, names, MAX_OBJECTS), made = 0;
    for (size_t i = 0; i < n; i++) {
        int node = growing_node(clause->graph, cut_name(names[i]), role);
        if (node != TEXT_GRAPH_NO_NODE)
            out[made++] = node;
    }
    return made;
}

/* Edges between the subject and the things of a list, to them or from them. */
static void edges_with(struct clause *clause, struct phrase list, bool to_them)
{
    int nodes[MAX_OBJECTS];
    size_t n = nodes_of(clause, list, FIGURE_ROLE_DATA, nodes);
    for (size_t i = 0; i < n; i++)
        growing_edge(clause->graph, to_them ? clause->x : nodes[i], to_them ? nodes[i] : clause->x,
                     "", false);
}

/* The subject tells another thing something. False when there is no other. */
static bool add_message(struct clause *clause, int to, struct phrase what, bool is_answer)
{
    struct growing_graph *graph = clause->graph;
    if (to == TEXT_GRAPH_NO_NODE || to == clause->x)
        return false;
    growing_edge(graph, clause->x, to, phrase_label(graph->arena, what), is_answer);
    graph->n_messages++;
    graph->last_from = clause->x;
    graph->last_to = to;
    return true;
}

static int other_party(const struct clause *clause)
{
    const struct growing_graph *graph = clause->graph;
    if (clause->x == graph->last_to)
        return graph->last_from;
    return clause->x == graph->last_from ? graph->last_to : TEXT_GRAPH_NO_NODE;
}

static bool read_sends(struct clause *clause)
{
    struct phrase what = clause->rest, whom;
    int to = other_party(clause);
    if (split(clause->rest, "to", &what, &whom))
        to = single_node(clause, whom, FIGURE_ROLE_PROCESS);
    else if (to == TEXT_GRAPH_NO_NODE)
        return false;
    return add_message(clause, to, what, false);
}

/* "answers with M", "answers the client with M", "returns M [to Y]" */
static bool read_answers(struct clause *clause)
{
    struct phrase what = clause->rest, whom, first;
    int to = other_party(clause);
    bool is_named = split(clause->rest, "to", &first, &whom);
    if (is_named) {
        to = single_node(clause, whom, FIGURE_ROLE_PROCESS);
        what = first;
    }
    if (split(what, "with", &first, &what) && phrase_name(first).length)
        to = single_node(clause, first, FIGURE_ROLE_PROCESS);
    if (to != TEXT_GRAPH_NO_NODE)
        return add_message(clause, to, what, true);
    edges_with(clause, clause->rest, true);
    return true;
}

static bool read_asks(struct clause *clause)
{
    struct phrase whom = clause->rest, what = { clause->verb.word, strlen(clause->verb.word) };
    struct phrase behind_it;
    if (split(clause->rest, "for", &whom, &behind_it) ||
        split(clause->rest, "with", &whom, &behind_it) ||
        split(clause->rest, "that", &whom, &behind_it))
        what = behind_it;
    int to = single_node(clause, whom, FIGURE_ROLE_PROCESS);
    return add_message(clause, to, what, false);
}

static bool read_requests(struct clause *clause)
{
    struct phrase what, whom;
    if (!split(clause->rest, "from", &what, &whom))
        return false;
    int to = single_node(clause, whom, FIGURE_ROLE_PROCESS);
    return add_message(clause, to, what, false);
}

static bool read_turns(struct clause *clause)
{
    struct phrase what = clause->rest, result = { "", 0 };
    if (!split(clause->rest, "into", &what, &result) && !split(clause->rest, "to", &what, &result))
        what = clause->rest;
    edges_with(clause, what, false);
    edges_with(clause, result, true);
    return true;
}

static bool read_makes(struct clause *clause)
{
    struct phrase what = clause->rest, from = { "", 0 };
    if (split(clause->rest, "from", &what, &from))
        edges_with(clause, from, false);
    edges_with(clause, what, true);
    return true;
}

static bool read_takes(struct clause *clause)
{
    struct phrase what, from;
    if (!split(clause->rest, "from", &what, &from)) {
        edges_with(clause, clause->rest, false);
        return true;
    }
    int node = single_node(clause, from, FIGURE_ROLE_PROCESS);
    growing_edge(clause->graph, node, clause->x, phrase_label(clause->graph->arena, what), false);
    return true;
}

static bool read_leads(struct clause *clause)
{
    int nodes[MAX_OBJECTS];
    size_t n = nodes_of(clause, clause->rest, FIGURE_ROLE_PROCESS, nodes);
    for (size_t i = 0; i < n; i++)
        growing_edge(clause->graph, clause->x, nodes[i], "", false);
    return n > 0;
}

static bool read_stores(struct clause *clause)
{
    struct phrase what, where;
    if (!split(clause->rest, "in", &what, &where) && !split(clause->rest, "into", &what, &where))
        return false;
    int node = single_node(clause, where, FIGURE_ROLE_STORE);
    growing_edge(clause->graph, clause->x, node, phrase_label(clause->graph->arena, what), false);
    return true;
}

static bool read_is_moved(struct clause *clause)
{
    struct phrase what = clause->rest, who;
    int by = TEXT_GRAPH_NO_NODE;
    if (split(clause->rest, "by", &what, &who))
        by = single_node(clause, who, FIGURE_ROLE_PROCESS);
    growing_edge(clause->graph, clause->x, by, "", false);
    if (by != TEXT_GRAPH_NO_NODE)
        clause->x = by;
    return read_leads(&(struct clause){
        .graph = clause->graph, .verb = clause->verb, .rest = what, .x = clause->x });
}

static bool read_clause(struct clause *clause)
{
    static bool (*const readers[])(struct clause * clause) = {
        [VERB_SENDS] = read_sends,       [VERB_ANSWERS] = read_answers, [VERB_ASKS] = read_asks,
        [VERB_REQUESTS] = read_requests, [VERB_TURNS] = read_turns,     [VERB_MAKES] = read_makes,
        [VERB_TAKES] = read_takes,       [VERB_LEADS] = read_leads,     [VERB_STORES] = read_stores,
        [VERB_IS_MOVED] = read_is_moved,
    };
    if (clause->x == TEXT_GRAPH_NO_NODE)
        return false;
    clause->graph->last_subject = clause->x;
    return readers[clause->verb.form](clause);
}

/* The first part of "B and produces C"; *out_next begins with the next verb, and is empty when
 * there is none. */
static struct phrase until_next_verb(struct phrase rest, struct phrase *out_next)
{
    static const char *const joints[] = { ", and then ", " and then ", ", and ",
                                          " and ",       ", which ",   ", then " };
    static const char *const pronouns[] = { "it ", "they " };
    *out_next = (struct phrase){ "", 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(joints); i++) {
        const char *joint = phrase_find(rest, joints[i]), *at;
        if (!joint)
            continue;
        struct phrase tail = phrase_behind(rest, joint, strlen(joints[i]));
        for (size_t k = 0; k < ARRAY_LENGTH(pronouns); k++)
            if (phrase_find(tail, pronouns[k]) == tail.text) {
                tail = phrase_behind(tail, tail.text, strlen(pronouns[k]));
                break;
            }
        if (find_verb(tail, &at).word && at == tail.text) {
            *out_next = tail;
            return phrase_before(rest, joint);
        }
    }
    return rest;
}

bool text_graph_read_verb(struct growing_graph *graph, struct phrase sentence)
{
    const char *at;
    struct verb verb = find_verb(sentence, &at);
    if (!verb.word || at == sentence.text)
        return false;
    enum figure_role role = verb.form == VERB_IS_MOVED || verb.form == VERB_LEADS
                                ? FIGURE_ROLE_DATA
                                : FIGURE_ROLE_PROCESS;
    struct phrase subject = phrase_before(sentence, at);
    /* "In the stroma, the Calvin cycle": the place is not the subject. */
    const char *comma = phrase_find(subject, ", ");
    if (comma)
        subject = phrase_behind(subject, comma, 2);
    int x = growing_node(graph, cut_name(phrase_name(subject)), role);
    struct phrase rest = phrase_behind(sentence, at, strlen(verb.word));
    bool is_read = false;
    for (int i = 0; verb.word && i < MAX_CLAUSES; i++) {
        struct phrase next;
        struct clause clause = { .graph = graph, .verb = verb, .x = x };
        clause.rest = until_next_verb(rest, &next);
        is_read = read_clause(&clause) || is_read;
        verb = find_verb(next, &at);
        if (verb.word)
            rest = phrase_behind(next, at, strlen(verb.word));
    }
    return is_read;
}
