
#include "application/figure/dot/graph_dot_internal.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define MAX_EDGES 12

/* A graph of the nodes a, b, c … from its edges: "a>b b>c"; "a-c" is a dashed one. */
struct told {
    char names[8][2];
    struct figure_node nodes[8];
    struct figure_edge edges[MAX_EDGES];
    struct figure_graph graph;
};

static void tell(struct told *told, size_t n_nodes, const char *edges)
{
    *told = (struct told){ 0 };
    for (size_t i = 0; i < n_nodes; i++) {
        told->names[i][0] = (char)('a' + i);
        told->nodes[i] = (struct figure_node){ .id = told->names[i], .label = told->names[i] };
    }
    size_t n = 0;
    for (const char *at = edges; *at && n < MAX_EDGES; at += at[3] == ' ' ? 4 : 3)
        told->edges[n++] = (struct figure_edge){
            .from = told->names[at[0] - 'a'],
            .to = told->names[at[2] - 'a'],
            .label = "",
            .line = at[1] == '-' ? FIGURE_LINE_DASHED : FIGURE_LINE_SOLID,
        };
    told->graph = (struct figure_graph){
        .nodes = told->nodes, .n_nodes = n_nodes, .edges = told->edges, .n_edges = n
    };
}

/* expected: a letter per edge: '.' ahead, 'b' back, '=' beside. */
static void orders_graph(const struct told *told, const char *expected)
{
    struct arena arena = { 0 };
    char found[MAX_EDGES + 1] = "";
    struct graph_order order = graph_order_find(&arena, &told->graph);
    for (size_t i = 0; i < told->graph.n_edges; i++)
        found[i] = order.is_back[i] ? 'b' : order.is_beside[i] ? '=' : '.';
    assert_string_equal(found, expected);
    arena_finish(&arena);
}

static void orders(size_t n_nodes, const char *edges, const char *expected)
{
    struct told told;
    tell(&told, n_nodes, edges);
    orders_graph(&told, expected);
}

static void leaves_a_graph_without_circles_as_it_is(void **state)
{
    (void)state;
    orders(4, "a>b b>c a>c d>c", "....");
    orders(1, "", "");
}

static void takes_what_closes_a_circle_for_the_feedback(void **state)
{
    (void)state;
    orders(3, "a>b b>c c>a", "..b");
    orders(4, "a>b b>c c>b c>d", "..b.");
}

static void follows_the_order_of_the_nodes_and_not_that_of_the_edges(void **state)
{
    (void)state;
    orders(3, "c>a a>b b>c", "b..");
}

static void takes_a_dashed_edge_for_the_feedback_rather_than_a_solid_one(void **state)
{
    (void)state;
    orders(3, "a-b b>c c>a", "b..");
}

static void lets_a_node_that_is_told_late_stand_at_the_beginning(void **state)
{
    (void)state;
    orders(3, "a>b c>a", "..");
}

static void leaves_an_edge_to_oneself_alone(void **state)
{
    (void)state;
    orders(2, "a>a a>b", "..");
}

static void folds_a_circle_of_four_into_a_ring(void **state)
{
    (void)state;
    orders(4, "a>b b>c c>d d>a", "..bb");
    orders(5, "e>a a>b b>c c>d d>a", "...bb");
}

static void folds_no_circle_of_three(void **state)
{
    (void)state;
    orders(4, "d>a a>b b>c c>a", "...b");
}

static void folds_nothing_that_is_more_than_a_circle(void **state)
{
    (void)state;
    orders(5, "a>b b>c c>d d>a a>c", "...b.");
    orders(5, "a>b b>c c>d d-a", "...b");
    orders(6, "a>b b>c c>d d>a c>e e>f", "...b..");
}

static void folds_nothing_that_has_groups(void **state)
{
    (void)state;
    struct told told;
    struct figure_group group = { .id = "g", .label = "G" };
    tell(&told, 4, "a>b b>c c>d d>a");
    told.graph.groups = &group;
    told.graph.n_groups = 1;
    orders_graph(&told, "...b");
}

static void puts_leaves_of_a_tree_beside_each_other(void **state)
{
    (void)state;
    orders(5, "a>b a>c b>d c>e d-e", "....=");
}

static void places_what_hangs_on_a_dashed_edge_alone_by_it(void **state)
{
    (void)state;
    orders(3, "a>b a-c", "..");
    orders(3, "a>b c-a", "..");
}

static void passes_over_edges_whose_ends_are_not_there(void **state)
{
    (void)state;
    struct told told;
    tell(&told, 2, "a>b b>a");
    told.edges[0].to = "nobody";
    orders_graph(&told, "..");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_a_graph_without_circles_as_it_is),
        cmocka_unit_test(takes_what_closes_a_circle_for_the_feedback),
        cmocka_unit_test(follows_the_order_of_the_nodes_and_not_that_of_the_edges),
        cmocka_unit_test(takes_a_dashed_edge_for_the_feedback_rather_than_a_solid_one),
        cmocka_unit_test(lets_a_node_that_is_told_late_stand_at_the_beginning),
        cmocka_unit_test(leaves_an_edge_to_oneself_alone),
        cmocka_unit_test(folds_a_circle_of_four_into_a_ring),
        cmocka_unit_test(folds_no_circle_of_three),
        cmocka_unit_test(folds_nothing_that_is_more_than_a_circle),
        cmocka_unit_test(folds_nothing_that_has_groups),
        cmocka_unit_test(puts_leaves_of_a_tree_beside_each_other),
        cmocka_unit_test(places_what_hangs_on_a_dashed_edge_alone_by_it),
        cmocka_unit_test(passes_over_edges_whose_ends_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
