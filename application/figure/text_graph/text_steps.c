/* A process told step by step: "First, … Then, …", items with numbers, "if P, A; otherwise B",
 * "repeat steps 2 and 3 until C". The words stand in the picture as they are written; what is read
 * is only their order. */
#include "application/figure/text_graph/text_graph_internal.h"
#include "domain/base/attributes.h"
#include "domain/figure/figure_words.h"
#include <stdio.h>
#include <string.h>

enum { LONGEST_STEP = 90, SHORT_NAME = 24 };

/* Takes the marker off; 0 when the sentence has none, 1 for the first step, 2 for one behind
 * another, 3 for one that only counts. */
static int drop_marker(struct phrase *sentence)
{
    static const char *const markers[][12] = {
        { "first, ", "firstly, ", "first the ", "in the first step, ", "the first step is to " },
        { "then ", "then, ", "next, ", "next the ", "after that, ", "afterwards, ", "finally, ",
          "lastly, ", "in the next step, ", "the next step is to ", "the last step is to ",
          "the final step is to " },
        { "second, ", "secondly, ", "in the second step, ", "the second step is to ", "third, ",
          "thirdly, ", "in the third step, ", "the third step is to ", "fourth, ",
          "the fourth step is to ", "fifth, ", "the fifth step is to " },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(markers); i++)
        for (size_t k = 0; k < ARRAY_LENGTH(*markers) && markers[i][k]; k++)
            if (phrase_find(*sentence, markers[i][k]) == sentence->text) {
                *sentence = phrase_behind(*sentence, sentence->text, strlen(markers[i][k]));
                return (int)i + 1;
            }
    return 0;
}

/* Whether something is done: "First, memory is cheap" is an argument, "1. The client" a thing. */
static bool is_deed(struct phrase step)
{
    struct phrase rest = step, word = { "", 0 };
    if (phrase_has_listed(step, " we i our should would could might there cannot not never "
                                "consider recall observe ") ||
        memchr(step.text, ':', step.length) ||
        (phrase_drop_listed(&rest, " the a an ") && rest.length < SHORT_NAME &&
         phrase_is_name(rest)))
        return false;
    while (phrase_next_word(&rest, &word) && !phrase_is_listed(word, " is are "))
        ;
    if (!phrase_is_listed(word, " is are "))
        return true;
    while (phrase_next_word(&rest, &word))
        if (!phrase_is_listed(word, " then again also ") &&
            memcmp(word.text + word.length - 2, "ly", 2) != 0)
            break;
    return (word.length > 3 && memcmp(word.text + word.length - 2, "ed", 2) == 0) ||
           phrase_is_listed(word, " sent fed read built split taken given kept made done put set "
                                  "cut found run chosen drawn shown held left written broken ");
}

/* A box that the open ends lead to, and behind which it goes on; TEXT_GRAPH_NO_NODE when there are
 * too many. */
static int add_box(struct growing_graph *graph, struct phrase words, enum figure_role role)
{
    int node = growing_box(graph, words, role);
    for (size_t i = 0; node != TEXT_GRAPH_NO_NODE && i < graph->n_ends; i++)
        if (!growing_edge(graph, graph->ends[i].node, node, graph->ends[i].label, false))
            return TEXT_GRAPH_NO_NODE;
    graph->ends[0] = (struct step_end){ node, "" };
    graph->n_ends = 1;
    return node;
}

/* The number of the step that "repeat steps 2 and 3" or "these two steps are repeated" goes back
 * to; 0 where that is not sure. */
static int first_repeated(const struct growing_graph *graph, const char *words)
{
    static const char *const counts[] = { "all", "two", "three", "four" };
    int first = 0, until = graph->n_steps, last = until;
    char count[8] = "";
    if (sscanf(words, "go back to step %d", &first) == 1 ||
        sscanf(words, "return to step %d", &first) == 1)
        return first;
    if (sscanf(words, "repeat steps %d and %d", &first, &until) == 2 ||
        sscanf(words, "repeat steps %d to %d", &first, &until) == 2 ||
        sscanf(words, "steps %d and %d are repeated", &first, &until) == 2)
        return until == last ? first : 0;
    if (sscanf(words, "these %7s steps are repeated", count) == 1 ||
        sscanf(words, "the last %7s steps are repeated", count) == 1 ||
        sscanf(words, "%3s steps are repeated", count) == 1)
        for (int i = 0; i < (int)ARRAY_LENGTH(counts); i++)
            if (strcmp(count, counts[i]) == 0)
                return i ? last - i : 1;
    return 0;
}

/* What is done on one answer of a decision. Where it ends there, or goes elsewhere, is no end. */
static bool add_branch(struct growing_graph *graph, int decision, const char *answer,
                       struct phrase deed)
{
    static const char endings[] =
        " stop stops abort aborts reject rejects rejected refuse refuses refused fail fails failed "
        "return returns returned exit exits finish finishes finished quit ends end ended discarded "
        "again terminates terminated repeat repeats repeated start starts restart restarts back "
        "skip skipped cancel cancelled denied close closes closed ";
    int number = first_repeated(graph, figure_lower_case(graph->arena, deed.text, deed.length));
    if (number > 0) /* an edge back */
        return number <= graph->n_steps &&
               growing_edge(graph, decision, graph->steps[number], answer, false);
    int node = growing_box(graph, deed, FIGURE_ROLE_PROCESS);
    if (deed.length > LONGEST_STEP || phrase_find(deed, ", ") ||
        !growing_edge(graph, decision, node, answer, false))
        return false;
    if (!phrase_has_listed(deed, endings))
        graph->ends[graph->n_ends++] = (struct step_end){ node, "" };
    return true;
}

/* "If P, A"; "otherwise B" may follow. */
static bool read_decision(struct growing_graph *graph, struct phrase sentence)
{
    struct phrase question = sentence;
    const char *comma = phrase_find(sentence, ", ");
    if (!comma || !phrase_drop_listed(&question, " if ") ||
        phrase_has_listed(sentence, " would could had were "))
        return false;
    struct phrase deed = phrase_behind(sentence, comma, 2);
    question = phrase_before(question, comma);
    phrase_drop_listed(&deed, " then ");
    int decision = phrase_find(question, " ") && question.length <= LONGEST_STEP
                       ? add_box(graph, question, FIGURE_ROLE_DECISION)
                       : TEXT_GRAPH_NO_NODE;
    graph->n_ends = 0;
    if (!add_branch(graph, decision, "yes", deed))
        return false;
    graph->ends[graph->n_ends++] = (struct step_end){ decision, "no" };
    graph->decision = decision;
    return true;
}

/* An edge back, with its condition. */
static bool read_loop(struct growing_graph *graph, struct phrase sentence)
{
    static const char *const words[] = { " until ", " if ", " while ", " as long as " };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        const char *at = phrase_find(sentence, words[i]);
        if (!at)
            continue;
        struct phrase condition = phrase_behind(sentence, at, 1);
        int number = first_repeated(
            graph, figure_lower_case(graph->arena, sentence.text, (size_t)(at - sentence.text)));
        return number > 0 && number <= graph->n_steps && graph->n_ends == 1 &&
               !*graph->ends[0].label && !phrase_find(condition, ", ") &&
               growing_edge(graph, graph->ends[0].node, graph->steps[number],
                            arena_strndup(graph->arena, condition.text, condition.length), false);
    }
    return false;
}

/* One sentence of the process, marked or numbered, or else a decision or loop behind such a one. */
static bool read_step(struct growing_graph *graph, struct phrase words, bool is_marked)
{
    struct growing_graph before = *graph;
    int node = (int)graph->graph.n_nodes;
    if (read_loop(graph, words)) {
        if (is_marked && graph->n_steps < TEXT_GRAPH_MAX_NODES)
            graph->steps[++graph->n_steps] = graph->ends[0].node;
        return true;
    }
    if (!is_marked && graph->is_choice)
        return false; /* two decisions that nothing puts in order */
    bool is_choice = read_decision(graph, words);
    if (!is_choice)
        *graph = before;
    graph->is_choice = is_choice && !is_marked;
    if (!is_marked || graph->n_steps == TEXT_GRAPH_MAX_NODES)
        return is_choice;
    graph->steps[++graph->n_steps] = node;
    return is_choice ||
           ((graph->n_steps == 1 || graph->n_ends) && !phrase_drop_listed(&words, " if ") &&
            is_deed(words) && add_box(graph, words, FIGURE_ROLE_PROCESS) != TEXT_GRAPH_NO_NODE);
}

bool text_graph_read_step(struct growing_graph *graph, const struct sentence *sentence)
{
    struct phrase words = sentence->phrase;
    int decision = graph->decision, marker = drop_marker(&words);
    graph->decision = TEXT_GRAPH_NO_NODE;
    if (phrase_drop_listed(&words, " otherwise else ")) {
        graph->n_ends--; /* "no" */
        return decision != TEXT_GRAPH_NO_NODE && add_branch(graph, decision, "no", words);
    }
    graph->counts = graph->counts || marker == 3;
    if (sentence->number == 1)
        graph->n_steps = 0, graph->n_ends = 0; /* another list */
    if (sentence->number)
        return sentence->number == graph->n_steps + 1 && read_step(graph, words, true);
    return (marker == 0 || (marker == 1) == (graph->n_steps == 0)) &&
           (!marker || words.length <= LONGEST_STEP) && read_step(graph, words, marker > 0);
}
