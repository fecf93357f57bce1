
#include "domain/base/json.h"
#include "domain/figure/figure_findings.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define NODE(words, x, y, width, text)                                                             \
    "{\"name\":\"n\",\"pos\":\"" x "," y "\",\"width\":\"" width "\",\"height\":\"0.5\","          \
    "\"_ldraw_\":[{\"op\":\"F\",\"size\":12.0,\"face\":\"x\"},{\"op\":\"T\",\"pt\":[" x "," y      \
    "],\"align\":\"c\",\"width\":" text ",\"text\":\"" words "\"}]}"
#define EDGE(words, x, y)                                                                          \
    "{\"_ldraw_\":[{\"op\":\"F\",\"size\":10.0},{\"op\":\"T\",\"pt\":[" x "," y                    \
    "],\"align\":\"l\",\"width\":40,\"text\":\"" words "\"}]}"
#define GRAPH(bb, objects, edges)                                                                  \
    "{\"bb\":\"" bb "\",\"objects\":[" objects "],\"edges\":[" edges "]}"

static const struct figure_page page = { 504, 0 }; /* 7 inches wide */

struct fixture {
    struct arena arena;
    struct figure_findings findings;
};

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .findings = { .arena = &f.arena } };
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    arena_finish(&((struct fixture *)*state)->arena);
    return 0;
}

static void look(struct fixture *f, const char *text)
{
    json_t *value;
    struct err err;
    if (json_parse(text, strlen(text), JSON_FOREIGN, &value, &err))
        fail_msg("%s", err.message);
    find_geometry_faults(&f->findings, value, &page);
    json_decref(value);
}

static void finds(struct fixture *f, const char *text, const char *rule, const char *message)
{
    look(f, text);
    assert_int_equal(f->findings.n, 1);
    assert_string_equal(f->findings.list[0].rule, rule);
    assert_string_equal(f->findings.list[0].message, message);
    assert_true(f->findings.list[0].is_readability);
}

static void finds_nothing_in_a_sound_picture(void **state)
{
    struct fixture *f = *state;
    look(f, GRAPH("0,0,400,100",
                  NODE("A", "50", "50", "1.2", "60") "," NODE("B", "300", "50", "1.2", "60"),
                  EDGE("asks", "150", "60") "," EDGE("answers", "150", "30")));
    assert_int_equal(f->findings.n, 0);
}

static void finds_text_that_is_wider_than_its_node(void **state)
{
    finds(*state, GRAPH("0,0,400,100", NODE("A long name", "100", "50", "1", "90"), ""),
          "text_clipped", "\"A long name\" is larger than its box");
}

static void finds_text_beyond_the_picture(void **state)
{
    finds(*state, GRAPH("0,0,400,100", "", EDGE("lost", "380", "50")), "text_outside",
          "\"lost\" goes beyond the edge of the picture");
}

static void counts_the_margin_to_the_picture(void **state)
{
    struct fixture *f = *state;
    look(f, "{\"bb\":\"0,0,400,100\",\"pad\":\"0.5\",\"edges\":[" EDGE("near", "380", "50") "]}");
    assert_int_equal(f->findings.n, 0);
}

static void finds_nodes_on_each_other(void **state)
{
    finds(*state,
          GRAPH("0,0,400,100",
                NODE("A", "100", "50", "1", "20") "," NODE("B", "150", "50", "1", "20"), ""),
          "nodes_overlap", "the boxes of \"A\" and \"B\" overlap");
}

static void finds_a_label_on_a_node(void **state)
{
    finds(*state,
          GRAPH("0,0,400,100", NODE("A", "100", "50", "1", "20"), EDGE("asks", "110", "45")),
          "text_overlaps", "\"asks\" lies on \"A\"");
}

static void finds_a_label_on_a_label(void **state)
{
    finds(*state,
          GRAPH("0,0,400,100", "", EDGE("asks", "110", "45") "," EDGE("answers", "130", "47")),
          "text_overlaps", "\"asks\" lies on \"answers\"");
}

static void finds_letters_that_are_too_small_on_a_page(void **state)
{
    struct fixture *f = *state;
    finds(f, GRAPH("0,0,4000,100", NODE("A", "100", "50", "1", "20"), ""), "picture_too_large",
          "printed 7.0 inches wide its letters are 1.5 points high: it is 56 by 1 inches");
    assert_false(f->findings.list[0].is_critical);
    assert_string_equal(f->findings.list[0].fix, "draw fewer nodes, or shorten the labels");
}

static void finds_a_label_that_a_frame_runs_through(void **state)
{
    finds(*state,
          GRAPH("0,0,400,100", "{\"name\":\"cluster_0\",\"bb\":\"10,10,130,90\"}",
                EDGE("asks", "110", "45")),
          "text_struck", "the frame of a group runs through \"asks\"");
}

static void finds_nothing_in_a_label_within_a_frame(void **state)
{
    struct fixture *f = *state;
    look(f, GRAPH("0,0,400,100", "{\"name\":\"cluster_0\",\"bb\":\"10,10,180,90\"}",
                  EDGE("asks", "110", "45")));
    assert_int_equal(f->findings.n, 0);
}

static void finds_a_label_and_a_node_that_an_edge_runs_through(void **state)
{
    struct fixture *f = *state;
    look(f, GRAPH("0,0,400,100",
                  "{\"_gvid\":0,\"name\":\"n0\",\"pos\":\"200,50\",\"width\":\"1\","
                  "\"height\":\"0.5\"}",
                  EDGE("asks", "110", "45") ",{\"tail\":1,\"head\":2,\"pos\":"
                                            "\"e,390,50 20,50 100,50 300,50 380,50\"}"));
    assert_int_equal(f->findings.n, 2);
    assert_string_equal(f->findings.list[0].message, "an edge runs through \"asks\"");
    assert_string_equal(f->findings.list[1].rule, "edge_through_node");
}

static double cost_of(struct fixture *f, const char *text, const struct figure_page *on, bool *fits)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_FOREIGN, &value, NULL), ERR_NONE);
    double cost = figure_geometry_cost(&f->arena, value, on, fits);
    json_decref(value);
    return cost;
}

static void a_picture_fits_by_its_letters_its_shape_and_what_is_found(void **state)
{
    struct fixture *f = *state;
    const struct figure_page column = { 252, 0 }, low = { 504, 40 };
    static const char square[] = GRAPH("0,0,500,400", NODE("A", "100", "50", "1", "20"), "");
    bool fits;
    double good = cost_of(f, square, &page, &fits);
    assert_true(fits);
    assert_true(cost_of(f, square, &column, &fits) > good);
    assert_true(fits); /* 12 points become 6 */
    assert_true(cost_of(f, square, &low, &fits) > good);
    assert_false(fits);
    assert_true(
        cost_of(f, GRAPH("0,0,500,200", NODE("A", "100", "50", "1", "20"), ""), &page, &fits) > 0);
    assert_false(fits); /* two and a half times as wide as high */
    assert_true(cost_of(f, GRAPH("0,0,500,400", NODE("A", "100", "50", "1", "90"), ""), &page,
                        &fits) > good + 100);
    assert_false(fits);
}

static void edges_that_cross_or_bend_cost(void **state)
{
    struct fixture *f = *state;
    bool fits;
    double straight = cost_of(f,
                              GRAPH("0,0,400,300", "",
                                    "{\"pos\":\"0,0 10,10 90,90 100,100\"},"
                                    "{\"pos\":\"0,50 10,60 90,140 100,150\"}"),
                              &page, &fits);
    double bent = cost_of(f,
                          GRAPH("0,0,400,300", "",
                                "{\"pos\":\"0,0 10,40 60,90 100,100\"},"
                                "{\"pos\":\"0,50 10,60 90,140 100,150\"}"),
                          &page, &fits);
    double crossed = cost_of(f,
                             GRAPH("0,0,400,300", "",
                                   "{\"pos\":\"0,0 10,10 90,90 100,100\"},"
                                   "{\"pos\":\"0,100 10,90 90,10 100,0\"}"),
                             &page, &fits);
    assert_true(straight < bent);
    assert_true(bent < crossed);
}

static void says_where_a_node_and_a_group_stand(void **state)
{
    struct fixture *f = *state;
    struct figure_box box;
    json_t *value = NULL;
    const char *text = GRAPH("0,0,400,100",
                             "{\"name\":\"cluster_0\",\"bb\":\"1,2,3,4\"},"
                             "{\"name\":\"n0\",\"pos\":\"50,50\","
                             "\"width\":\"1\",\"height\":\"0.5\"}",
                             "");
    assert_int_equal(json_parse(text, strlen(text), JSON_FOREIGN, &value, NULL), ERR_NONE);
    arena_keep_json(&f->arena, value);
    assert_true(figure_geometry_find(value, "n0", &box));
    assert_float_equal(box.left, 14, 0.01);
    assert_float_equal(box.high, 68, 0.01);
    assert_true(figure_geometry_find(value, "cluster_0", &box));
    assert_float_equal(box.right, 3, 0.01);
    assert_true(figure_geometry_find(value, NULL, &box));
    assert_float_equal(box.right, 400, 0.01);
    assert_false(figure_geometry_find(value, "n1", &box));
}

static void a_line_meets_the_boxes_on_its_way(void **state)
{
    (void)state;
    const struct figure_segment line = { 0, 0, 100, 50 };
    assert_true(figure_line_meets(&line, &(struct figure_box){ 40, 10, 60, 40 }, 0));
    assert_false(figure_line_meets(&line, &(struct figure_box){ 40, 40, 60, 60 }, 0));
    assert_true(figure_line_meets(&line, &(struct figure_box){ 40, 40, 60, 60 }, 12));
    assert_false(figure_line_meets(&line, &(struct figure_box){ 110, 50, 120, 60 }, 0));
    assert_false(figure_line_meets(&line, &(struct figure_box){ 0 }, 20));
}

static void is_content_with_any_junk(void **state)
{
    static const char *const junk[] = {
        "null",
        "[]",
        "{}",
        "{\"bb\":7}",
        "{\"bb\":\"0,0\"}",
        "{\"bb\":\"0,0,x,1\"}",
        "{\"bb\":\"0,0,9,9,9\"}",
        "{\"bb\":\"0,0,0,0\",\"objects\":{\"a\":1},\"edges\":7}",
        "{\"bb\":\"0,0,9,9\",\"objects\":[1,null,{\"pos\":\"1\",\"width\":\"1\"},"
        "{\"_ldraw_\":\"x\"},{\"_ldraw_\":[7,{\"op\":\"T\"},{\"op\":7}]}],"
        "\"edges\":[null,{\"_ldraw_\":[{\"op\":\"F\",\"size\":\"x\"},{\"op\":\"T\",\"text\":7}]}]}",
        "{\"bb\":\"1e308,-1e308,1e308,1e308\",\"pad\":\"1e308\"}",
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(junk); i++)
        look(f, junk[i]);
    assert_int_equal(f->findings.n, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(finds_nothing_in_a_sound_picture),
        TEST(finds_text_that_is_wider_than_its_node),
        TEST(finds_text_beyond_the_picture),
        TEST(counts_the_margin_to_the_picture),
        TEST(finds_nodes_on_each_other),
        TEST(finds_a_label_on_a_node),
        TEST(finds_a_label_on_a_label),
        TEST(finds_letters_that_are_too_small_on_a_page),
        TEST(finds_a_label_that_a_frame_runs_through),
        TEST(finds_nothing_in_a_label_within_a_frame),
        TEST(finds_a_label_and_a_node_that_an_edge_runs_through),
        TEST(a_picture_fits_by_its_letters_its_shape_and_what_is_found),
        TEST(edges_that_cross_or_bend_cost),
        TEST(says_where_a_node_and_a_group_stand),
        TEST(a_line_meets_the_boxes_on_its_way),
        TEST(is_content_with_any_junk),
    };
    return cmocka_run_group_tests_name("figure_geometry", tests, NULL, NULL);
}
