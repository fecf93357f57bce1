/* A sentence of one or more clauses: what stands before the first, and what joins them. */
#include "application/figure/text_graph/text_patterns.h"
#include "domain/base/attributes.h"
#include <ctype.h>
#include <string.h>

enum { MAX_TRIES = 6, LONGEST_SENTENCE = 400, LONGEST_ASIDE = 40 };

/* Words that make a sentence say something else than its clauses do. */
static const char bending_words[] =
    " not no never none neither nor cannot without unless except only hardly rarely seldom barely "
    "may might could should would must instead rather than although though but whereas despite "
    "either or whether however like unlike until before after if when while whenever once since "
    "used sometimes often usually normally possibly perhaps maybe probably optionally "
    "alternatively suppose imagine assume claims claimed supposedly allegedly want wants try tries "
    "attempts fails refuses stops avoids prevents needs was were had did via vs versus ";

static bool is_plain(struct phrase sentence)
{
    static const char *const marks[] = { "—", "–", "n't", "n’t", " - ", "[", "]", "..." };
    for (size_t i = 0; i < ARRAY_LENGTH(marks); i++)
        if (strstr(sentence.text, marks[i]))
            return false;
    return !phrase_has_listed(sentence, bending_words);
}

static bool read_clause(struct growing_graph *graph, struct phrase clause, bool is_last,
                        struct text_match *out)
{
    struct growing_graph before = *graph;
    for (size_t i = 0; i < n_text_patterns; i++) {
        const char *words = text_patterns[i].words;
        for (; *words; words += strcspn(words, ";"), words += strspn(words, "; ")) {
            if (text_pattern_fits(words, clause, out) &&
                text_pattern_draw(graph, text_patterns[i].drawing, out, is_last))
                return true;
            before.is_full = graph->is_full;
            *graph = before;
        }
    }
    return false;
}

static struct phrase joined(struct growing_graph *graph, struct phrase a, struct phrase b)
{
    const char *text =
        arena_printf(graph->arena, "%.*s %.*s", (int)a.length, a.text, (int)b.length, b.text);
    return (struct phrase){ text, strlen(text) };
}

/* "and waits", "and approves the plan", ", and the session is open": nothing to draw. */
static bool is_undrawn(struct phrase tail, enum number number, bool has_comma)
{
    struct phrase rest = tail, word = tail, object;
    phrase_next_word(&rest, &word);
    object = phrase_trim(rest);
    if ((phrase_other_verb(word) & number) ||
        (phrase_is_name(word) && islower((unsigned char)*word.text) &&
         phrase_drop_listed(&object, " the a an its their ")))
        return true;
    while (has_comma && phrase_next_word(&rest, &word))
        if (phrase_is_listed(word, " is are has have ") &&
            phrase_is_name(phrase_name(phrase_before(tail, word.text))))
            return true;
    return false;
}

/* The clause that a tail behind a joint makes with the clause before it; empty where it is none. */
static struct phrase next_clause(struct growing_graph *graph, const struct text_match *match,
                                 struct phrase tail, bool is_which)
{
    struct phrase subject = match->slots[match->subject - 'A'], none = { "", 0 }, word, rest = tail;
    char last = is_which && match->last != 'M' ? match->last : 0;
    if (last) /* "…, which produces C": what was named last */
        subject = match->slots[last - 'A'];
    else if (phrase_is_listed(subject, " it they "))
        graph->it = graph->subject;
    if (text_verb_at(tail))
        return is_which && (!last || phrase_find(subject, "and")) ? none
                                                                  : joined(graph, subject, tail);
    return !is_which && phrase_next_word(&rest, &word) &&
                   (phrase_is_marked(tail) || phrase_is_listed(word, " it they "))
               ? tail
               : none;
}

static bool read_clauses(struct growing_graph *graph, struct phrase sentence, int *tries)
{
    static const char *const joints[] = { ", and then ", " and then ", ", and ",
                                          " and ",       ", then ",    ", which " };
    struct growing_graph before = *graph;
    struct text_match match;
    for (size_t i = 0; i < sentence.length; i++)
        for (size_t k = 0; k < ARRAY_LENGTH(joints); k++) {
            size_t length = strlen(joints[k]);
            if (i + length > sentence.length || strncmp(sentence.text + i, joints[k], length) != 0)
                continue;
            struct phrase tail = phrase_behind(sentence, sentence.text + i, length), next;
            bool is_which = k + 1 == ARRAY_LENGTH(joints), has_comma = *joints[k] == ',';
            if (--*tries > 0 &&
                read_clause(graph, phrase_before(sentence, sentence.text + i), false, &match)) {
                if (!is_which && !text_verb_at(tail) && is_undrawn(tail, match.number, has_comma))
                    return true;
                next = next_clause(graph, &match, tail, is_which);
                if (next.length && read_clauses(graph, next, tries))
                    return true;
            }
            *graph = before;
            i += length - 2; /* ", and" is no " and" */
            break;
        }
    return read_clause(graph, sentence, true, &match);
}

/* "if" or "when" behind a clause: "… to the server if the token is valid". */
static bool cut_condition(struct growing_graph *graph, struct phrase *sentence)
{
    static const char *const words[] = { " if ", " when ", " once ", " as soon as " };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        const char *at = phrase_find(*sentence, words[i]);
        if (!at)
            continue;
        struct phrase condition = phrase_behind(*sentence, at, 1);
        if (graph->event.length || memchr(condition.text, ',', condition.length) ||
            phrase_has_listed(*sentence, " only even what just exactly "))
            return false;
        graph->event = phrase_behind(*sentence, at, strlen(words[i]));
        graph->condition = arena_strndup(graph->arena, condition.text, condition.length);
        *sentence = phrase_trim(phrase_before(*sentence, at));
    }
    return true;
}

/* What was said before a comma and is settled when the sentence goes on: "When the server receives
 * the request, …", but not "When the cache has no entry, …". */
static bool is_over(struct phrase word, struct phrase clause)
{
    return phrase_is_listed(word, " after once ") ||
           (phrase_is(word, "when") && !phrase_has_listed(clause, " no not never ") &&
            phrase_has_listed(clause, " receives receive gets get has have arrives arrive finishes "
                                      "finish done ready complete "));
}

/* "When the server …, it …": the subject of such a clause is what "it" means. */
static void find_it(struct growing_graph *graph, struct phrase clause)
{
    struct phrase rest = clause, word, subject;
    graph->it = TEXT_GRAPH_NO_NODE;
    while (phrase_next_word(&rest, &word)) {
        subject = phrase_trim(phrase_before(clause, word.text));
        if (!subject.length || !(phrase_other_verb(word) ||
                                 phrase_is_listed(word, " is are has have receives reads ")))
            continue;
        graph->it = growing_node(graph, subject, FIGURE_ROLE_PROCESS);
        graph->it_number = phrase_number(subject);
        return;
    }
}

/* "To close, …", "At query time, …", "In the second step, …": true when it may be left out. */
static bool is_idle_front(struct phrase front, struct phrase word)
{
    return (phrase_is(word, "to") && front.length <= LONGEST_ASIDE && is_plain(front)) ||
           (phrase_is_listed(word, " at in during after ") &&
            phrase_is_listed(phrase_last_word(front),
                             " time last first step stage phase turn response training "
                             "inference that ")) ||
           phrase_is_listed(front, " first firstly second secondly third thirdly then next finally "
                                   "lastly afterwards subsequently ");
}

/* "In the open state, …", "From open, …": the state in which the rest happens. */
static bool drop_state(struct growing_graph *graph, struct phrase *sentence, struct phrase word)
{
    struct phrase rest = phrase_behind(*sentence, sentence->text, word.length);
    bool is_from = phrase_is(word, "from");
    const char *end = is_from ? phrase_find(rest, ", ") : phrase_find(rest, " state");
    if (!end || !(is_from || phrase_is(word, "in")))
        return false;
    graph->state = growing_node(graph, phrase_trim(phrase_before(rest, end)), FIGURE_ROLE_PROCESS);
    if (graph->state == TEXT_GRAPH_NO_NODE)
        return false;
    graph->is_state[graph->state] = true;
    *sentence = phrase_trim(phrase_behind(rest, end, strlen(is_from ? ", " : " state")));
    return true;
}

/* Takes off what stands before the first clause. */
static void drop_fronts(struct growing_graph *graph, struct phrase *sentence)
{
    graph->was_if = graph->condition && strncmp(graph->condition, "if ", 3) == 0;
    graph->condition = NULL;
    graph->event = (struct phrase){ "", 0 };
    for (;;) {
        struct phrase rest = *sentence, word = { "", 0 };
        const char *comma = phrase_find(*sentence, ", ");
        phrase_next_word(&rest, &word);
        struct phrase front = comma ? phrase_before(*sentence, comma) : word;
        struct phrase behind = phrase_trim(rest);
        if (phrase_is(word, "otherwise") && graph->was_if) {
            graph->condition = "otherwise";
            graph->it = graph->subject;
            graph->it_number = NUMBER_ONE;
            *sentence = behind;
        } else if (comma && is_idle_front(front, word))
            *sentence = phrase_behind(*sentence, comma, 2);
        else if (phrase_is_listed(word, " then finally afterwards ") ||
                 (phrase_is_listed(word, " first next ") &&
                  phrase_drop_listed(&behind, " the a an ")))
            *sentence = phrase_trim(rest);
        else if (comma && phrase_is_listed(word, " if when once after ") && !graph->event.length) {
            graph->event = phrase_trim(phrase_behind(front, front.text, word.length));
            if (!is_over(word, graph->event))
                graph->condition =
                    arena_printf(graph->arena, "%s %.*s", phrase_is(word, "if") ? "if" : "when",
                                 (int)graph->event.length, graph->event.text);
            find_it(graph, graph->event);
            *sentence = phrase_behind(*sentence, comma, 2);
        } else if (!drop_state(graph, sentence, word))
            return;
    }
}

bool text_graph_read_sentence(struct growing_graph *graph, const struct sentence *whole)
{
    int tries = MAX_TRIES, state = graph->state;
    struct phrase sentence = whole->phrase;
    if (sentence.length > LONGEST_SENTENCE)
        return false;
    drop_fronts(graph, &sentence);
    return cut_condition(graph, &sentence) && is_plain(sentence) &&
           (read_clauses(graph, sentence, &tries) || graph->state != state);
}
