
#include "application/figure/text_graph/text_graph.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const char *label_of(const struct figure_graph *graph, const char *id)
{
    int i = figure_graph_find(graph, id);
    return i < 0 ? "?" : graph->nodes[i].label;
}

/* "A -x-> B; " per edge, "~>" where the line is dashed. */
static const char *edges_of(struct arena *arena, struct figure_graph graph)
{
    const char *line = "";
    for (size_t i = 0; i < graph.n_edges; i++) {
        const struct figure_edge *edge = &graph.edges[i];
        line =
            arena_printf(arena, "%s%s -%s-%s %s; ", line, label_of(&graph, edge->from), edge->label,
                         edge->line == FIGURE_LINE_DASHED ? "~>" : ">", label_of(&graph, edge->to));
    }
    return line;
}

static const char *drawn(struct arena *arena, const char *text, const char **note)
{
    struct figure_graph graph;
    const char *ignored = NULL;
    bool is_understood = text_graph(arena, text, &graph, note ? note : &ignored);
    assert_true(is_understood || graph.n_nodes == 0);
    return is_understood ? edges_of(arena, graph) : "";
}

static const char *listed(struct arena *arena, const char *text, const char **note)
{
    struct figure_graph graph;
    text_graph_of_sentences(arena, text, &graph, note);
    return edges_of(arena, graph);
}

#define assert_drawn(text, expected)                                                               \
    do {                                                                                           \
        AUTO(arena) arena = { 0 };                                                                 \
        assert_string_equal(drawn(&arena, (text), NULL), (expected));                              \
    } while (0)

static void reads_who_sends_whom_what(void **state)
{
    (void)state;
    assert_drawn("The client sends a SYN to the server. The server answers with a SYN-ACK.",
                 "Client -SYN-> Server; Server -SYN-ACK-~> Client; ");
    assert_drawn("Alice asks Bob for the key. Bob returns the key.",
                 "Alice -key-> Bob; Bob -key-~> Alice; ");
}

static void lets_what_passes_on_name_the_arrow(void **state)
{
    (void)state;
    assert_drawn("The lexer turns text into tokens. The parser turns the tokens into a tree.",
                 "Text --> Lexer; Lexer -tokens-> Parser; Parser --> Tree; ");
}

static void reads_several_verbs_pronouns_and_lists(void **state)
{
    (void)state;
    assert_drawn("The plant takes in water and light, and it produces sugar. It releases oxygen.",
                 "Water --> Plant; Light --> Plant; Plant --> Sugar; Plant --> Oxygen; ");
    assert_drawn("The vectors are stored in the index.", "Vectors --> Index; ");
}

static void reads_arrows_and_their_label(void **state)
{
    (void)state;
    assert_drawn("read -> check → write: the rows", "Read --> Check; Check -rows-> Write; ");
}

static void reads_numbered_steps_in_their_order(void **state)
{
    (void)state;
    assert_drawn("1. Wash hands\n2. Cut onions\n3. Fry", "Wash hands --> Cut onions; "
                                                         "Cut onions --> Fry; ");
}

static void groups_what_something_consists_of(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_graph graph;
    const char *note = NULL;
    text_graph(&arena,
               "The cell consists of a nucleus, a membrane and a ribosome. The ribosome takes "
               "place in the cell.",
               &graph, &note);
    assert_int_equal(graph.n_groups, 1);
    assert_string_equal(graph.groups[0].label, "Cell");
    assert_int_equal(graph.n_nodes, 3);
    assert_string_equal(graph.nodes[2].group, graph.groups[0].id);
}

static void takes_messages_alone_for_a_sequence(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_graph graph;
    const char *note = NULL;
    text_graph(&arena, "A sends x to B. B sends y to A. A sends z to B.", &graph, &note);
    assert_int_equal(graph.kind, FIGURE_SEQUENCE);
    text_graph(&arena, "A sends x to B. B sends y to A. A turns z into w.", &graph, &note);
    assert_int_equal(graph.kind, FIGURE_FLOW);
    text_graph(&arena, "A sends x to B. A sends y to B. B sends y to A. A produces z.", &graph,
               &note);
    assert_int_equal(graph.n_edges, 3);
    assert_int_equal(graph.kind, FIGURE_FLOW);
}

static void draws_nothing_of_a_text_it_does_not_understand(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *note = NULL;
    assert_string_equal(drawn(&arena, "Rain is wet. Snow is cold!", &note), "");
    assert_string_equal(note, "no relation was found in the text; not read: \"Rain is wet\", "
                              "\"Snow is cold\"");
    assert_string_equal(drawn(&arena, "הלקוח שולח. השרת עונה.", &note), "");
}

static void draws_nothing_of_a_text_of_which_it_understands_less_than_two_thirds(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *note = NULL;
    assert_string_equal(drawn(&arena, "It rains. Ann sends x to Bob. Bob sends y to Ann.", &note),
                        "Ann -x-> Bob; Bob -y-> Ann; ");
    assert_string_equal(drawn(&arena, "It rains. Ann sends x to Bob. We wait.", &note), "");
    assert_string_equal(note, "rules can draw only 1 of its 3 sentences; not read: \"It rains\", "
                              "\"We wait\"");
    assert_string_equal(drawn(&arena, "a -> b\n\nIt rains.", &note), "");
}

static void draws_nothing_where_what_it_read_falls_apart(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *note = NULL;
    drawn(&arena, "Ann sends a letter to Bob. Carl sends an offer to Dora.", &note);
    assert_non_null(strstr(note, "falls apart"));
}

static void lists_the_first_ten_sentences_in_their_order(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *note = NULL, *text = "";
    assert_string_equal(listed(&arena, "Rain is wet. Ann sends x to Bob.\n- snow", &note),
                        "Rain is wet --> Ann sends x to Bob; Ann sends x to Bob --> Snow; ");
    assert_string_equal(note, "the sentences of the text stand in their order");
    for (int i = 0; i < 11; i++)
        text = arena_printf(&arena, "%sNumber %d.\n", text, i);
    listed(&arena, text, &note);
    assert_string_equal(note, "the first 10 of 11 sentences stand in their order");
}

static void draws_two_pieces_of_some_size(void **state)
{
    (void)state;
    assert_drawn("A sends w to B. B sends x to C. C sends y to D. E sends z to F. F sends q to G. "
                 "G sends r to H.",
                 "A -w-> B; B -x-> C; C -y-> D; E -z-> F; F -q-> G; G -r-> H; ");
}

static void takes_arrows_as_they_are_written(void **state)
{
    (void)state;
    assert_drawn("a -> b\n\nc -> d\n\nNothing.", "A --> B; C --> D; ");
}

static void reads_arrows_a_line_each(void **state)
{
    (void)state;
    assert_drawn("Documents → Chunker\nChunker → Embedding model\nEmbedding model → Index",
                 "Documents --> Chunker; Chunker --> Embedding model; Embedding model --> Index; ");
    assert_drawn("The path:\n  a -> b\r\n  b -> c: the rows\r\n", "A --> B; B -rows-> C; ");
    assert_drawn("A → B\nThe client sends x to B.", "A --> B; Client -x-> B; ");
}

static void reads_a_chain_of_arrows_over_wrapped_lines(void **state)
{
    (void)state;
    assert_drawn("Documents → Chunker →\nEmbedding model\n→ Index → Reader",
                 "Documents --> Chunker; Chunker --> Embedding model; Embedding model --> Index; "
                 "Index --> Reader; ");
    assert_drawn("a -> b\n\nb -> the table of\nall rows", "A --> B; B --> Table of all rows; ");
}

static void takes_no_title_and_no_mark_of_mermaid_into_a_name(void **state)
{
    (void)state;
    AUTO(arena) whole = { 0 };
    const char *note = NULL;
    assert_string_equal(drawn(&whole, "My pipeline\na -> b\nb -> c", &note), "");
    assert_non_null(strstr(note, "may be a title"));
    assert_drawn("graph TD\nA --> B\nB --> C", "");
    assert_drawn("A: a thing\nB: another\nA -> B", "");
    assert_drawn("A[Client] --> B[Server]", "");
    assert_drawn("A -->|yes| B", "");
    assert_drawn("A --> B{Ready}", "");
    assert_drawn("My pipeline:\na -> b\nb -> c", "A --> B; B --> C; ");
    assert_drawn("# My pipeline\n\na -> b\nb -> c\nc -> d", "A --> B; B --> C; C --> D; ");
}

static void makes_no_thing_of_a_clause_or_a_pronoun(void **state)
{
    (void)state;
    assert_drawn("A sends x to B. B reads x and approves the plan. B sends it to A.",
                 "A -x-> B; X --> B; B --> A; ");
    assert_drawn("Will sends x to Ann. Ann answers with y.", "Will -x-> Ann; Ann -y-~> Will; ");
}

static void reads_who_requests_what_from_whom(void **state)
{
    (void)state;
    assert_drawn("A browser requests a page from the proxy. The proxy returns the page.",
                 "Browser -page-> Proxy; Proxy -page-~> Browser; ");
}

static void cuts_a_long_sentence_between_two_words(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_graph graph;
    const char *note = NULL;
    text_graph_of_sentences(&arena,
                            "Some ninety bytes are what a sentence of this kind may have, and then "
                            "it is cut between two words.",
                            &graph, &note);
    assert_string_equal(graph.nodes[0].label, "Some ninety bytes are what a sentence of this kind "
                                              "may have, and then it is cut between…");
}

static void says_what_it_left_out(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *note = NULL;
    drawn(&arena, "It was late. A sends x to B. B sends y to A.", &note);
    assert_string_equal(note,
                        "1 of 3 sentences say nothing that rules can draw; not read: \"It was "
                        "late\"");
}

static void names_three_of_the_sentences_it_does_not_read(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *note = NULL;
    drawn(&arena,
          "The \x1b[31m bell rings over all of the roofs and gardens of the town by the river. It "
          "rains. It snows. It is late.",
          &note);
    assert_string_equal(note, "no relation was found in the text; not read: \"The \\x1b[31m bell "
                              "rings over all of the roofs and gardens o…\", \"It rains\", "
                              "\"It snows\" and 1 more");
}

static void takes_no_time_for_a_party(void **state)
{
    (void)state;
    static const char *const times[][2] = {
        { "Monday", "Friday" },
        { "March", "June" },
        { "Mon", "Fri" },
        { "Monday morning", "Friday evening" },
        { "5 March 2026", "8 June" },
        { "the morning", "the end of the month" },
        { "The 5th", "The 9th" },
        { "May", "Bob" },
        { "Ann", "2026-11-27" },
        { "Noon", "Midnight" },
    };
    static const char *const forms[][2] = {
        { "The report is sent from", "to" },
        { "", "sends x to" },
        { "The deadline moves from", "to" },
    };
    AUTO(arena) texts = { 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(times); i++)
        for (size_t k = 0; k < ARRAY_LENGTH(forms); k++)
            assert_drawn(arena_printf(&texts, "%s %s %s %s.", forms[k][0], times[i][0], forms[k][1],
                                      times[i][1]),
                         "");
    assert_drawn("The conference takes place in May.", "");
    assert_drawn("The PM sends x to the team. The team answers with y.",
                 "PM -x-> Team; Team -y-~> PM; ");
    assert_drawn("Friday Ltd sends x to the Monday meeting. The Monday meeting answers with y.",
                 "Friday Ltd -x-> Monday meeting; Monday meeting -y-~> Friday Ltd; ");
}

static void stops_at_its_bounds(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *text = "", *note = NULL;
    struct figure_graph graph;
    for (int i = 0; i < TEXT_GRAPH_MAX_NODES - 1; i++)
        text = arena_printf(&arena, "%sw%dw -> w%dw.\n\n", text, i, i + 1);
    assert_true(text_graph(&arena, text, &graph, &note));
    assert_int_equal(graph.n_nodes, TEXT_GRAPH_MAX_NODES);
    assert_null(note);
    text = arena_printf(&arena, "%sw0w -> onemore.", text);
    assert_false(text_graph(&arena, text, &graph, &note));
    assert_string_equal(note, "it speaks of more than 40 things");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_who_sends_whom_what),
        cmocka_unit_test(lets_what_passes_on_name_the_arrow),
        cmocka_unit_test(reads_several_verbs_pronouns_and_lists),
        cmocka_unit_test(reads_arrows_and_their_label),
        cmocka_unit_test(reads_numbered_steps_in_their_order),
        cmocka_unit_test(groups_what_something_consists_of),
        cmocka_unit_test(takes_messages_alone_for_a_sequence),
        cmocka_unit_test(draws_nothing_of_a_text_it_does_not_understand),
        cmocka_unit_test(draws_nothing_of_a_text_of_which_it_understands_less_than_two_thirds),
        cmocka_unit_test(draws_nothing_where_what_it_read_falls_apart),
        cmocka_unit_test(lists_the_first_ten_sentences_in_their_order),
        cmocka_unit_test(draws_two_pieces_of_some_size),
        cmocka_unit_test(takes_arrows_as_they_are_written),
        cmocka_unit_test(reads_arrows_a_line_each),
        cmocka_unit_test(reads_a_chain_of_arrows_over_wrapped_lines),
        cmocka_unit_test(takes_no_title_and_no_mark_of_mermaid_into_a_name),
        cmocka_unit_test(makes_no_thing_of_a_clause_or_a_pronoun),
        cmocka_unit_test(reads_who_requests_what_from_whom),
        cmocka_unit_test(cuts_a_long_sentence_between_two_words),
        cmocka_unit_test(says_what_it_left_out),
        cmocka_unit_test(names_three_of_the_sentences_it_does_not_read),
        cmocka_unit_test(takes_no_time_for_a_party),
        cmocka_unit_test(stops_at_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
