
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/findings.h"
#include <string.h>

static void tells_names_that_got_lost_between_two_texts(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    find_lost_entities(&findings, "The Query Tower feeds ANN.", "A query\n  tower, and no index.");
    assert_int_equal(findings.n, 1);
    assert_string_equal(findings.list[0].message, "\"ANN\" was lost on the way");
    assert_true(findings.list[0].is_critical);
    assert_false(findings.list[0].is_readability);
}

static void does_not_take_a_part_of_a_word_for_the_name(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    find_lost_entities(&findings, "uses SYN only", "synthesis");
    assert_non_null(findings_of(&findings, "entity_lost"));
}

static void finds_labels_that_were_invented_and_names_that_are_missing(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_node nodes[] = { plain_node("a", "Client"),
                                   plain_node("b", "Blockchain ledger") };
    struct figure_graph graph = { .nodes = nodes, .n_nodes = 2 };
    find_label_faults(&findings, &graph, "The client sends SYN to the server.",
                      "A client sends SYN to a server.", "handshake");
    assert_non_null(findings_of(&findings, "label_invented"));
    assert_true(findings_of(&findings, "label_invented")->is_critical);
    assert_string_equal(findings_of(&findings, "label_invented")->message,
                        "the source does not say \"Blockchain ledger\"");
    assert_string_equal(findings_of(&findings, "entity_missing")->message,
                        "\"SYN\" is described but not in the picture");
}

static void takes_yes_and_no_at_edges_for_answers(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_node nodes[] = { plain_node("a", "stock is low"), plain_node("b", "order") };
    struct figure_edge edges[] = { { .from = "a", .to = "b", .label = "Yes" },
                                   { .from = "a", .to = "a", .label = "no" },
                                   { .from = "b", .to = "a", .label = "maybe" } };
    struct figure_graph graph = { .nodes = nodes, .n_nodes = 2, .edges = edges, .n_edges = 3 };
    find_label_faults(&findings, &graph, "If stock is low, order.", "If stock is low, order.", "x");
    assert_int_equal(findings.n, 1);
    assert_string_equal(findings.list[0].message, "the source does not say \"maybe\"");
}

static void lets_the_caption_name_what_the_whole_figure_is_about(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_node nodes[] = { plain_node("a", "client"), plain_node("b", "server") };
    struct figure_graph graph = { .nodes = nodes, .n_nodes = 2 };
    find_label_faults(&findings, &graph, "TCP between client and server",
                      "In TCP a client calls a server.", "How TCP begins");
    assert_int_equal(findings.n, 0);
}

static void finds_numbers_that_neither_text_nor_data_have(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    find_foreign_numbers(&findings,
                         "fig(figsize=(64, 48), dpi=150)\nx2 = [41.5, 1e3, 99.5]\nc = '#556677'\n",
                         "the values were 41.5 and 1000");
    assert_int_equal(findings.n, 1);
    assert_string_equal(findings.list[0].message, "neither text nor data have the number 99.5");
}

static void finds_the_number_of_a_figure_and_its_caption_in_the_picture(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_node nodes[] = { plain_node("a", "Figure 3: overview"),
                                   plain_node("b", "How it works"), plain_node("c", "figurative") };
    struct figure_graph graph = { .nodes = nodes, .n_nodes = 3 };
    find_caption_in_picture(&findings, &graph, "How it works");
    assert_int_equal(findings.n, 2);
    assert_true(findings.list[0].is_critical && findings.list[0].is_readability);
    assert_false(findings.list[1].is_critical);
}

static void drops_the_number_of_a_figure_where_the_label_says_more(void **state)
{
    (void)state;
    struct figure_node nodes[] = { plain_node("a", "Figure 3: Documents"),
                                   plain_node("b", "Fig. 2.1a. Index"), plain_node("c", "Figure 4"),
                                   plain_node("d", "Figure 8 knot") };
    struct figure_graph graph = { .nodes = nodes, .n_nodes = 4 };
    figure_graph_drop_numbers(&graph);
    assert_string_equal(nodes[0].label, "Documents");
    assert_string_equal(nodes[1].label, "Index");
    assert_string_equal(nodes[2].label, "Figure 4");
    assert_string_equal(nodes[3].label, "Figure 8 knot");
}

static void counts_what_it_has_no_room_for_and_prints_a_line_each(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    const char *text = "";
    for (int i = 0; i <= FIGURE_MAX_FINDINGS; i++)
        text = arena_printf(&arena, "%s, Z%d", text, i);
    find_lost_entities(&findings, text, "nothing");
    assert_int_equal(findings.n, FIGURE_MAX_FINDINGS);
    assert_int_equal(findings.dropped, 1);
    const char *printed = figure_findings_print(&findings);
    assert_non_null(strstr(printed, "- critical, faithfulness: \"Z0\" was lost on the way; write"));
    assert_non_null(strstr(printed, "- and 1 more\n"));
    json_auto_t *json = figure_findings_to_json(findings.list, 1);
    assert_string_equal(json_get_string(json_array_get(json, 0), "about"), "faithfulness");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_names_that_got_lost_between_two_texts),
        cmocka_unit_test(does_not_take_a_part_of_a_word_for_the_name),
        cmocka_unit_test(finds_labels_that_were_invented_and_names_that_are_missing),
        cmocka_unit_test(takes_yes_and_no_at_edges_for_answers),
        cmocka_unit_test(lets_the_caption_name_what_the_whole_figure_is_about),
        cmocka_unit_test(finds_numbers_that_neither_text_nor_data_have),
        cmocka_unit_test(finds_the_number_of_a_figure_and_its_caption_in_the_picture),
        cmocka_unit_test(drops_the_number_of_a_figure_where_the_label_says_more),
        cmocka_unit_test(counts_what_it_has_no_room_for_and_prints_a_line_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
