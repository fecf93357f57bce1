
#include "application/figure/dot/graph_dot.h"
#include "tests/unit/application/figure/dot/graph_fixture.h"

/* A node of one inch by half an inch, an edge between two of them. */
#define NODE(name, x, y)                                                                           \
    "{\"name\":\"" name "\",\"pos\":\"" x "," y "\",\"width\":\"1\",\"height\":\"0.5\"}"
#define EDGE(nth, route, rest) "{\"nth\":\"" nth "\",\"pos\":\"" route "\"" rest "}"

static const char *place(struct graph_fixture *f, const char *graph, const char *geometry,
                         unsigned rows)
{
    struct graph_layout layout = { .places = parsed(f, geometry), .rows = rows };
    read_graph(f, graph);
    return graph_dot(&f->arena, &f->graph, &f->style, &layout);
}

static const char chain[] =
    "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\"},{\"id\":\"b\",\"label\":\"B\"},"
    "{\"id\":\"c\",\"label\":\"C\"},{\"id\":\"d\",\"label\":\"D\"}],\"edges\":["
    "{\"from\":\"a\",\"to\":\"b\"},{\"from\":\"b\",\"to\":\"c\"},{\"from\":\"c\",\"to\":\"d\"}]}";
static const char line[] = "{\"bb\":\"0,0,400,36\",\"objects\":[" NODE("n0", "36", "18") "," NODE(
    "n1", "136",
    "18") "," NODE("n2", "236",
                   "18") "," NODE("n3", "336",
                                  "18") "],\"edges\":[" EDGE("0", "72,18 80,30 90,30 100,18",
                                                             "") "," EDGE("1",
                                                                          "172,18 180,18 190,18 "
                                                                          "200,18",
                                                                          "") "," EDGE("2",
                                                                                       "272,18 "
                                                                                       "280,18 "
                                                                                       "290,18 "
                                                                                       "300,18",
                                                                                       "") "]}";

static void nodes_keep_their_places_and_edges_become_straight(void **state)
{
    const char *dot = place(*state, chain, line, 1);
    has(dot, "layout=nop2");
    has(dot, " pos=\"136.0,18.0\"");
    has(dot, "n0 -> n1 [ weight=");
    has(dot, "pos=\"e,100.0,18.0 72.0,18.0 78.7,18.0 85.3,18.0 92.0,18.0\" nth=0");
}

static void a_second_row_runs_back_below_the_first(void **state)
{
    const char *dot = place(*state, chain, line, 2);
    has(dot, "n0 [label=\"A\"");
    has(dot, " pos=\"36.0,18.0\"");
    has(dot, " pos=\"136.0,18.0\"");
    has(dot, " pos=\"136.0,-58.0\"");
    has(dot, " pos=\"36.0,-58.0\"");
    has(dot, "pos=\"e,136.0,-40.0 136.0,0.0 "); /* from B down to C */
}

static void an_edge_keeps_its_way_round_a_node(void **state)
{
    const char *dot = place(
        *state,
        "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\"},{\"id\":\"b\",\"label\":\"B\"},"
        "{\"id\":\"c\",\"label\":\"C\"}],\"edges\":[{\"from\":\"a\",\"to\":\"c\"}]}",
        "{\"bb\":\"0,0,300,80\",\"objects\":[" NODE("n0", "36", "18") "," NODE(
            "n1", "136",
            "18") "," NODE("n2", "236",
                           "18") "],\"edges\":[" EDGE("0", "e,200,18 72,18 100,60 150,60 195,20",
                                                      "") "]}",
        1);
    has(dot, "pos=\"e,200.0,18.0 72.0,18.0 100.0,60.0 150.0,60.0 195.0,20.0\"");
}

static void a_label_leaves_the_frame_that_runs_through_it(void **state)
{
    struct graph_fixture *f = *state;
    const char *dot =
        place(f,
              "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\"},{\"id\":\"b\",\"label\":\"B\",\"group\":"
              "\"g\"}],\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"asks\"}],\"groups\":["
              "{\"id\":\"g\",\"label\":\"G\"}]}",
              "{\"bb\":\"0,0,300,120\",\"objects\":[{\"name\":\"cluster_0\",\"bb\":\"160,0,300,"
              "100\"}," NODE("n0", "36", "40") "," NODE("n1", "236", "40") "],\"edges\":[" EDGE(
                  "0", "e,200,40 72,40 100,40 150,40 195,40", ",\"lp\":\"150,50\"") "]}",
              1);
    has(dot, "subgraph cluster_0 { bb=\"160.0,0.0,300.0,100.0\"");
    has(dot, "t0 [label=\"G\\l\" shape=plain");
    has(dot, " lp=\"");
    assert_null(strstr(dot, " lp=\"150.0,50.0\""));
}

static void a_group_has_a_frame_in_each_of_its_rows(void **state)
{
    const char *dot = place(*state,
                            "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\",\"group\":\"g\"},"
                            "{\"id\":\"b\",\"label\":\"B\",\"group\":\"g\"}],\"edges\":[],"
                            "\"groups\":[{\"id\":\"g\",\"label\":\"G\"}]}",
                            "{\"bb\":\"0,0,300,80\",\"objects\":[" NODE("n0", "36", "18") "," NODE(
                                "n1", "236", "18") "]}",
                            2);
    has(dot, "subgraph cluster_0 { bb=\"");
    has(dot, "subgraph cluster_0_1 { bb=\"");
    has(dot, "  t0_1 [label=\"G\\l\"");
}

/* How many lines of edges leave their route to Graphviz, from wherever it likes on a node. */
static size_t count_twins_left(const char *dot)
{
    size_t n = 0;
    for (const char *at = dot, *end; (at = strstr(at, " -> ")); at = end) {
        const char *route = strstr(at, " pos=\""), *side = strstr(at, " tailport=");
        end = at + strcspn(at, "\n");
        n += (!route || route > end) && (!side || side > end);
    }
    return n;
}

static void no_two_routes_that_are_left_to_graphviz_look_alike_to_it(void **state)
{
    static const char twins[] =
        "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\"},{\"id\":\"b\",\"label\":\"B\"},"
        "{\"id\":\"c\",\"label\":\"C\",\"group\":\"g\"},"
        "{\"id\":\"d\",\"label\":\"D\"}],\"edges\":["
        "{\"from\":\"b\",\"to\":\"c\"},{\"from\":\"c\",\"to\":\"b\"},"
        "{\"from\":\"b\",\"to\":\"c\"}],"
        "\"groups\":[{\"id\":\"g\",\"label\":\"as wide as its frame\"}]}";
    const char *dot = place(*state, twins, line, 2);
    assert_int_equal(count_twins_left(dot), 1);
    has(dot, " tailport=e headport=e nth=1");
    assert_null(strstr(strstr(dot, "tailport=e") + 1, "tailport=e"));
}

static void places_of_something_else_are_not_taken(void **state)
{
    const char *dot = place(*state, chain, "{\"bb\":\"0,0,8,8\",\"objects\":[]}", 2);
    assert_null(strstr(dot, "nop2"));
    has(dot, "rankdir=LR");
    dot = place(*state, chain, "{\"objects\":[7],\"edges\":[{\"nth\":\"9\"}]}", 1);
    assert_null(strstr(dot, "nop2"));
}

static void a_layout_turns_shortens_and_packs(void **state)
{
    struct graph_fixture *f = *state;
    const struct graph_layout layout = { .is_turned = true, .narrower = 50, .nearer = 50 };
    read_graph(f, "{\"nodes\":[{\"id\":\"a\",\"label\":\"one two three four\"}],\"edges\":[]}");
    has(graph_dot(&f->arena, &f->graph, &f->style, NULL), "label=\"one two three four\"");
    const char *dot = graph_dot(&f->arena, &f->graph, &f->style, &layout);
    has(dot, "rankdir=TB nodesep=0.15 ranksep=0.25");
    has(dot, "label=\"one two\\nthree four\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(nodes_keep_their_places_and_edges_become_straight),
        GRAPH_TEST(a_second_row_runs_back_below_the_first),
        GRAPH_TEST(an_edge_keeps_its_way_round_a_node),
        GRAPH_TEST(a_label_leaves_the_frame_that_runs_through_it),
        GRAPH_TEST(a_group_has_a_frame_in_each_of_its_rows),
        GRAPH_TEST(no_two_routes_that_are_left_to_graphviz_look_alike_to_it),
        GRAPH_TEST(places_of_something_else_are_not_taken),
        GRAPH_TEST(a_layout_turns_shortens_and_packs),
    };
    return cmocka_run_group_tests_name("graph_places", tests, NULL, NULL);
}
