#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "domain/rules/figure_findings.h"
#include <string.h>

static const struct figure_finding *find(const struct figure_findings *findings, const char *rule)
{
    for (size_t i = 0; i < findings->n; i++)
        if (strcmp(findings->list[i].rule, rule) == 0)
            return &findings->list[i];
    return NULL;
}

static struct figure_node node(const char *id, const char *label)
{
    return (struct figure_node){ .id = id, .label = label };
}

static struct figure_edge edge(const char *from, const char *to, const char *label)
{
    return (struct figure_edge){ .from = from, .to = to, .label = label };
}

static void finds_islands_lonely_nodes_and_twins(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_node nodes[] = { node("a", "one"),  node("b", "two"),  node("c", "three"),
                                   node("d", "four"), node("e", "five"), node("f", "ONE") };
    struct figure_edge edges[] = { edge("a", "b", ""), edge("c", "d", ""), edge("f", "a", "") };
    struct figure_graph graph = { .nodes = nodes, .n_nodes = 6, .edges = edges, .n_edges = 3 };
    find_graph_faults(&findings, &graph);
    assert_string_equal(find(&findings, "islands")->message,
                        "the picture falls into 2 parts that are not connected");
    assert_string_equal(find(&findings, "node_unconnected")->message,
                        "\"five\" is connected with nothing");
    assert_string_equal(find(&findings, "label_twice")->message, "two nodes are called \"ONE\"");
}

static void finds_nothing_in_a_graph_that_is_one(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_node nodes[] = { node("a", "one"), node("b", "two") };
    struct figure_edge edges[] = { edge("a", "b", "") };
    struct figure_graph graph = { .nodes = nodes, .n_nodes = 2, .edges = edges, .n_edges = 1 };
    find_graph_faults(&findings, &graph);
    assert_int_equal(findings.n, 0);
}

static void refuses_a_picture_of_nothing(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct figure_findings findings = { .arena = &arena };
    struct figure_graph graph = { 0 };
    find_graph_faults(&findings, &graph);
    assert_true(find(&findings, "graph_empty")->is_critical);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_islands_lonely_nodes_and_twins),
        cmocka_unit_test(finds_nothing_in_a_graph_that_is_one),
        cmocka_unit_test(refuses_a_picture_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
