
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
    find_geometry_faults(&f->findings, value);
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
          "on a page its letters are 1.5 points high: it is 56 by 1 inches");
    assert_false(f->findings.list[0].is_critical);
    assert_string_equal(f->findings.list[0].fix,
                        "let it run from top to bottom, or draw fewer nodes");
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
        TEST(finds_nothing_in_a_sound_picture), TEST(finds_text_that_is_wider_than_its_node),
        TEST(finds_text_beyond_the_picture),    TEST(counts_the_margin_to_the_picture),
        TEST(finds_nodes_on_each_other),        TEST(finds_a_label_on_a_node),
        TEST(finds_a_label_on_a_label),         TEST(finds_letters_that_are_too_small_on_a_page),
        TEST(is_content_with_any_junk),
    };
    return cmocka_run_group_tests_name("figure_geometry", tests, NULL, NULL);
}
