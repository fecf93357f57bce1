/* Sentences by their verb: who sends whom what, what becomes what. */
#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <string.h>

enum { MAX_OBJECTS = 6, MAX_CLAUSES = 6 };

/* What a verb says of the one before it and of what stands behind it. */
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

struct verb {
    const char *word;
    enum verb_form form;
};

static const struct verb verbs[] = {
    { "are passed to", VERB_IS_MOVED },
    { "is passed to", VERB_IS_MOVED },
    { "are sent to", VERB_IS_MOVED },
    { "is sent to", VERB_IS_MOVED },
    { "are stored in", VERB_IS_MOVED },
    { "is stored in", VERB_IS_MOVED },
    { "are turned into", VERB_IS_MOVED },
    { "is turned into", VERB_IS_MOVED },
    { "are split into", VERB_IS_MOVED },
    { "is split into", VERB_IS_MOVED },
    { "is converted into", VERB_IS_MOVED },
    { "are converted into", VERB_IS_MOVED },
    { "is fed into", VERB_IS_MOVED },
    { "are fed into", VERB_IS_MOVED },
    { "sends", VERB_SENDS },
    { "send", VERB_SENDS },
    { "passes", VERB_SENDS },
    { "forwards", VERB_SENDS },
    { "transmits", VERB_SENDS },
    { "hands", VERB_SENDS },
    { "delivers", VERB_SENDS },
    { "gives", VERB_SENDS },
    { "pushes", VERB_SENDS },
    { "reports", VERB_SENDS },
    { "submits", VERB_SENDS },
    { "uploads", VERB_SENDS },
    { "returns", VERB_ANSWERS },
    { "answers", VERB_ANSWERS },
    { "replies", VERB_ANSWERS },
    { "responds", VERB_ANSWERS },
    { "acknowledges", VERB_ANSWERS },
    { "confirms", VERB_ANSWERS },
    { "asks", VERB_ASKS },
    { "tells", VERB_ASKS },
    { "calls", VERB_ASKS },
    { "queries", VERB_ASKS },
    { "notifies", VERB_ASKS },
    { "requests", VERB_REQUESTS },
    { "fetches", VERB_TAKES },
    { "downloads", VERB_TAKES },
    { "turns", VERB_TURNS },
    { "turn", VERB_TURNS },
    { "converts", VERB_TURNS },
    { "transforms", VERB_TURNS },
    { "translates", VERB_TURNS },
    { "compiles", VERB_TURNS },
    { "parses", VERB_TURNS },
    { "encodes", VERB_TURNS },
    { "maps", VERB_TURNS },
    { "splits", VERB_TURNS },
    { "combines", VERB_TURNS },
    { "rewrites", VERB_TURNS },
    { "produces", VERB_MAKES },
    { "produce", VERB_MAKES },
    { "generates", VERB_MAKES },
    { "creates", VERB_MAKES },
    { "emits", VERB_MAKES },
    { "outputs", VERB_MAKES },
    { "yields", VERB_MAKES },
    { "makes", VERB_MAKES },
    { "builds", VERB_MAKES },
    { "releases", VERB_MAKES },
    { "release", VERB_MAKES },
    { "computes", VERB_MAKES },
    { "writes", VERB_MAKES },
    { "takes in", VERB_TAKES },
    { "take in", VERB_TAKES },
    { "take", VERB_TAKES },
    { "takes", VERB_TAKES },
    { "reads", VERB_TAKES },
    { "receives", VERB_TAKES },
    { "uses", VERB_TAKES },
    { "consumes", VERB_TAKES },
    { "absorbs", VERB_TAKES },
    { "absorb", VERB_TAKES },
    { "compares", VERB_TAKES },
    { "flows into", VERB_LEADS },
    { "flow into", VERB_LEADS },
    { "goes to", VERB_LEADS },
    { "goes into", VERB_LEADS },
    { "go into", VERB_LEADS },
    { "leads to", VERB_LEADS },
    { "feeds into", VERB_LEADS },
    { "feeds", VERB_LEADS },
    { "feed", VERB_LEADS },
    { "enters", VERB_LEADS },
    { "enter", VERB_LEADS },
    { "drives", VERB_LEADS },
    { "drive", VERB_LEADS },
    { "powers", VERB_LEADS },
    { "reaches", VERB_LEADS },
    { "becomes", VERB_LEADS },
    { "stores", VERB_STORES },
    { "keeps", VERB_STORES },
    { "saves", VERB_STORES },
};

/* One clause: the verb, who stands before it and what behind. */
struct clause {
    struct growing_graph *graph;
    const struct verb *verb;
    struct phrase subject, rest;
    int x; /* node of the subject; -1 before it was needed */
};

static struct phrase before(struct phrase phrase, const char *at)
{
    return (struct phrase){ phrase.text, (size_t)(at - phrase.text) };
}

static struct phrase behind(struct phrase phrase, const char *at, size_t length)
{
    size_t taken = (size_t)(at - phrase.text) + length;
    return (struct phrase){ phrase.text + taken, phrase.length - taken };
}

/* The first verb; of two at one place the longer one. */
static const struct verb *find_verb(struct phrase phrase, const char **out_at)
{
    const struct verb *found = NULL;
    *out_at = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(verbs); i++) {
        const char *at = phrase_find(phrase, verbs[i].word);
        bool is_first = at && (!*out_at || at < *out_at ||
                               (at == *out_at && strlen(verbs[i].word) > strlen(found->word)));
        if (is_first) {
            found = &verbs[i];
            *out_at = at;
        }
    }
    return found;
}

/* A name ends where the sentence goes on to say how, when or why. */
static struct phrase cut_name(struct phrase phrase)
{
    static const char *const ends[] = { "that",    "which", "with",  "for",    "by",     "from",
                                        "in",      "on",    "at",    "when",   "while",  "so",
                                        "until",   "as",    "where", "using",  "inside", "through",
                                        "to",      "into",  "after", "before", "during", "without",
                                        "because", "whose" };
    for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
        const char *end = phrase_find(phrase, ends[i]);
        if (end && end > phrase.text)
            phrase = before(phrase, end);
    }
    return phrase_name(phrase);
}

/* One name and no list: "the server, and the session is open". */
static struct phrase cut_single_name(struct phrase phrase)
{
    static const char *const ends[] = { ",", "and", "or", ":" };
    for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
        const char *end = phrase_find(phrase, ends[i]);
        if (end && end > phrase.text)
            phrase = before(phrase, end);
    }
    return cut_name(phrase);
}

static bool split(struct phrase phrase, const char *word, struct phrase *out_first,
                  struct phrase *out_second)
{
    const char *at = phrase_find(phrase, word);
    if (!at)
        return false;
    *out_first = before(phrase, at);
    *out_second = behind(phrase, at, strlen(word));
    return true;
}

/* Nodes of "B, C and D"; how many there are. */
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

static void edges_from(struct clause *clause, struct phrase list)
{
    int nodes[MAX_OBJECTS];
    size_t n = nodes_of(clause, list, FIGURE_ROLE_DATA, nodes);
    for (size_t i = 0; i < n; i++)
        growing_edge(clause->graph, nodes[i], clause->x, "", false);
}

static void edges_to(struct clause *clause, struct phrase list)
{
    int nodes[MAX_OBJECTS];
    size_t n = nodes_of(clause, list, FIGURE_ROLE_DATA, nodes);
    for (size_t i = 0; i < n; i++)
        growing_edge(clause->graph, clause->x, nodes[i], "", false);
}

static bool message(struct clause *clause, int to, const char *label, bool is_answer)
{
    struct growing_graph *graph = clause->graph;
    if (to == TEXT_GRAPH_NO_NODE || to == clause->x)
        return false;
    growing_edge(graph, clause->x, to, label, is_answer);
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
        to = growing_node(clause->graph, cut_single_name(whom), FIGURE_ROLE_PROCESS);
    else if (to == TEXT_GRAPH_NO_NODE)
        return false;
    return message(clause, to, phrase_label(clause->graph->arena, what), false);
}

/* "answers with M", "answers the client with M", "returns M [to Y]" */
static bool read_answers(struct clause *clause)
{
    struct phrase what = clause->rest, whom, first;
    int to = other_party(clause);
    bool is_named = split(clause->rest, "to", &first, &whom);
    if (is_named) {
        to = growing_node(clause->graph, cut_single_name(whom), FIGURE_ROLE_PROCESS);
        what = first;
    }
    if (split(what, "with", &first, &what) && phrase_name(first).length)
        to = growing_node(clause->graph, cut_single_name(first), FIGURE_ROLE_PROCESS);
    if (to != TEXT_GRAPH_NO_NODE)
        return message(clause, to, phrase_label(clause->graph->arena, what), true);
    edges_to(clause, clause->rest);
    return true;
}

static bool read_asks(struct clause *clause)
{
    struct phrase whom = clause->rest, what = { clause->verb->word, strlen(clause->verb->word) };
    struct phrase behind_it;
    if (split(clause->rest, "for", &whom, &behind_it) ||
        split(clause->rest, "with", &whom, &behind_it) ||
        split(clause->rest, "that", &whom, &behind_it))
        what = behind_it;
    int to = growing_node(clause->graph, cut_single_name(whom), FIGURE_ROLE_PROCESS);
    return message(clause, to, phrase_label(clause->graph->arena, what), false);
}

static bool read_requests(struct clause *clause)
{
    struct phrase what, whom;
    if (!split(clause->rest, "from", &what, &whom))
        return false;
    int to = growing_node(clause->graph, cut_single_name(whom), FIGURE_ROLE_PROCESS);
    return message(clause, to, phrase_label(clause->graph->arena, what), false);
}

static bool read_turns(struct clause *clause)
{
    struct phrase what = clause->rest, result = { "", 0 };
    if (!split(clause->rest, "into", &what, &result) && !split(clause->rest, "to", &what, &result))
        what = clause->rest;
    edges_from(clause, what);
    edges_to(clause, result);
    return true;
}

static bool read_makes(struct clause *clause)
{
    struct phrase what = clause->rest, from = { "", 0 };
    if (split(clause->rest, "from", &what, &from))
        edges_from(clause, from);
    edges_to(clause, what);
    return true;
}

static bool read_takes(struct clause *clause)
{
    struct phrase what, from;
    if (!split(clause->rest, "from", &what, &from)) {
        edges_from(clause, clause->rest);
        return true;
    }
    int node = growing_node(clause->graph, cut_single_name(from), FIGURE_ROLE_PROCESS);
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
    int node = growing_node(clause->graph, cut_single_name(where), FIGURE_ROLE_STORE);
    growing_edge(clause->graph, clause->x, node, phrase_label(clause->graph->arena, what), false);
    return true;
}

static bool read_is_moved(struct clause *clause)
{
    struct phrase what = clause->rest, who;
    int by = TEXT_GRAPH_NO_NODE;
    if (split(clause->rest, "by", &what, &who))
        by = growing_node(clause->graph, cut_single_name(who), FIGURE_ROLE_PROCESS);
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
    return readers[clause->verb->form](clause);
}

static struct phrase without_pronoun(struct phrase phrase)
{
    static const char *const pronouns[] = { "it ", "they " };
    for (size_t i = 0; i < ARRAY_LENGTH(pronouns); i++)
        if (phrase_find(phrase, pronouns[i]) == phrase.text)
            return behind(phrase, phrase.text, strlen(pronouns[i]));
    return phrase;
}

/* Of "B and produces C", the first part; *out_next begins with the next verb, NULL without one. */
static struct phrase until_next_verb(struct phrase rest, struct phrase *out_next)
{
    static const char *const joints[] = { ", and then ", " and then ", ", and ",
                                          " and ",       ", which ",   ", then " };
    *out_next = (struct phrase){ NULL, 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(joints); i++) {
        const char *joint = phrase_find(rest, joints[i]), *at;
        if (!joint)
            continue;
        struct phrase tail = without_pronoun(behind(rest, joint, strlen(joints[i])));
        if (find_verb(tail, &at) && at == tail.text) {
            *out_next = tail;
            return before(rest, joint);
        }
    }
    return rest;
}

/* "In the stroma, the Calvin cycle": the place is not the subject. */
static struct phrase subject_of(struct phrase phrase)
{
    const char *comma = phrase_find(phrase, ", ");
    if (comma)
        phrase = behind(phrase, comma, 2);
    return phrase_name(phrase);
}

bool text_graph_read_verb(struct growing_graph *graph, struct phrase sentence)
{
    const char *at = NULL;
    const struct verb *verb = find_verb(sentence, &at);
    if (!verb || at == sentence.text)
        return false;
    enum figure_role role = verb->form == VERB_IS_MOVED || verb->form == VERB_LEADS
                                ? FIGURE_ROLE_DATA
                                : FIGURE_ROLE_PROCESS;
    int x = growing_node(graph, cut_name(subject_of(before(sentence, at))), role);
    struct phrase rest = behind(sentence, at, strlen(verb->word));
    bool is_read = false;
    for (int i = 0; verb && i < MAX_CLAUSES; i++) {
        struct phrase next;
        struct clause clause = { .graph = graph, .verb = verb, .x = x };
        clause.rest = until_next_verb(rest, &next);
        is_read = read_clause(&clause) || is_read;
        verb = next.text ? find_verb(next, &at) : NULL;
        if (verb)
            rest = behind(next, at, strlen(verb->word));
    }
    return is_read;
}
