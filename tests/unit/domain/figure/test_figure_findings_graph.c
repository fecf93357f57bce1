
#include "tests/support/cmocka.h"
#include "tests/support/findings.h"
#include <string.h>

static void finds_islands_lonely_nodes_and_twins(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_node nodes[] = { plain_node("a", "one"),   plain_node("b", "two"),
                                   plain_node("c", "three"), plain_node("d", "four"),
                                   plain_node("e", "five"),  plain_node("f", "ONE") };
    struct figure_edge edges[] = { plain_edge("a", "b", ""), plain_edge("c", "d", ""),
                                   plain_edge("f", "a", "") };
    struct figure_graph graph = { .nodes = nodes, .n_nodes = 6, .edges = edges, .n_edges = 3 };
    find_graph_faults(&findings, &graph);
    assert_string_equal(findings_of(&findings, "islands")->message,
                        "the picture falls into 2 parts that are not connected");
    assert_string_equal(findings_of(&findings, "node_unconnected")->message,
                        "\"five\" is connected with nothing");
    assert_string_equal(findings_of(&findings, "label_twice")->message,
                        "2 nodes are called \"one\"");
}

static void counts_what_has_one_cause_as_one_finding(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_node nodes[] = { plain_node("a", "Add & Norm"), plain_node("b", "Add & Norm"),
                                   plain_node("c", "Add & Norm"), plain_node("d", "Attention"),
                                   plain_node("e", "Add & Norm") };
    struct figure_edge edges[] = { plain_edge("a", "d", ""), plain_edge("d", "b", ""),
                                   plain_edge("b", "c", ""), plain_edge("c", "e", "Add & Norm") };
    struct figure_graph graph = { .nodes = nodes, .n_nodes = 5, .edges = edges, .n_edges = 4 };
    find_graph_faults(&findings, &graph);
    find_label_faults(&findings, &graph, "Attention", "Attention comes first.", "");
    assert_int_equal(findings.n, 2);
    assert_string_equal(findings.list[0].message, "4 nodes are called \"Add & Norm\"");
    assert_string_equal(findings.list[1].message,
                        "the source does not say \"Add & Norm\" (in 5 places)");
    assert_int_equal(findings.list[1].count, 5);
    assert_true(findings.list[1].is_critical);
}

static void finds_nothing_in_a_graph_that_is_one(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_node nodes[] = { plain_node("a", "one"), plain_node("b", "two") };
    struct figure_edge edges[] = { plain_edge("a", "b", "") };
    struct figure_graph graph = { .nodes = nodes, .n_nodes = 2, .edges = edges, .n_edges = 1 };
    find_graph_faults(&findings, &graph);
    assert_int_equal(findings.n, 0);
}

static void a_smaller_line_tells_two_nodes_apart(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_node nodes[] = { plain_node("a", "Decoder"), plain_node("b", "Decoder") };
    struct figure_graph graph = { .nodes = nodes, .n_nodes = 2 };
    nodes[0].sub_label = "first layer";
    nodes[1].sub_label = "Figure 3: rotary tower";
    find_caption_in_picture(&findings, &graph, "");
    assert_int_equal(findings.n, 1);
    findings.n = 0;
    figure_graph_drop_numbers(&graph);
    find_caption_in_picture(&findings, &graph, "");
    find_graph_faults(&findings, &graph);
    assert_int_equal(findings.n, 0);
    find_label_faults(&findings, &graph, "", "A Decoder has a first layer.", "");
    assert_string_equal(findings_of(&findings, "label_invented")->message,
                        "the source does not say \"rotary tower\"");
}

static void refuses_a_picture_of_nothing(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_graph graph = { 0 };
    find_graph_faults(&findings, &graph);
    assert_true(findings_of(&findings, "graph_empty")->is_critical);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_islands_lonely_nodes_and_twins),
        cmocka_unit_test(counts_what_has_one_cause_as_one_finding),
        cmocka_unit_test(finds_nothing_in_a_graph_that_is_one),
        cmocka_unit_test(a_smaller_line_tells_two_nodes_apart),
        cmocka_unit_test(refuses_a_picture_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
