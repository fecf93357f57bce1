/* Graphs of every kind become pictures that can be read: none has text that is clipped or lies on
 * something, in any style. Skipped where Graphviz is missing. */

#include "application/figure/dot/graph_dot.h"
#include "domain/base/json.h"
#include "domain/figure/figure_findings.h"
#include "domain/figure/picture_bytes.h"
#include "infrastructure/rendering/rendering.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/figure_bench.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GRAPHS SOURCE_DIR "/tests/fuzz/corpus/graph_dot/"

static const char *const graphs[] = { "flow", "groups",      "decision", "tcp",   "mcp",
                                      "long", "sixty_nodes", "scripts",  "markup" };
static const char *const styles[] = { "plain", "print", "dark", "slides" };

struct fixture {
    struct figure_bench bench;
    struct figure_findings findings;
};

static int setup(void **state)
{
    static struct fixture f;
    f.findings = (struct figure_findings){ .arena = &f.bench.arena };
    figure_bench_init(&f.bench);
    f.bench.renderer = dot_renderer_create(f.bench.runtime, &f.bench.settings);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    renderer_destroy(f->bench.renderer);
    figure_bench_finish(&f->bench);
    return 0;
}

static const char *read_graph(const char *name)
{
    static char text[65536];
    char path[sizeof GRAPHS + 64];
    snprintf(path, sizeof path, GRAPHS "%s.json", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

static void draw(struct fixture *f, const char *json, const char *style_name)
{
    struct figure_graph graph = figure_bench_graph(&f->bench, json);
    struct figure_style style = figure_bench_style(&f->bench, style_name);
    f->bench.drawing = (struct drawing){ .dot = graph_dot(&f->bench.arena, &graph, &style, NULL),
                                         .dpi = style.dpi };
    figure_bench_draw(&f->bench);
    if (f->bench.available == ERR_NOT_FOUND) {
        print_message("skipped: Graphviz is not installed\n");
        skip();
    }
}

static void must_be_drawn(struct fixture *f, const char *name)
{
    if (f->bench.rendered)
        fail_msg("%s: %s", name, f->bench.err.message);
}

static size_t count_critical(struct fixture *f, const char *name)
{
    json_t *geometry;
    size_t n = 0;
    f->findings.n = 0;
    assert_int_equal(json_parse(f->bench.picture.geometry, strlen(f->bench.picture.geometry),
                                JSON_FOREIGN, &geometry, NULL),
                     ERR_NONE);
    find_geometry_faults(&f->findings, geometry, &(struct figure_page){ 504, 0 });
    json_decref(geometry);
    for (size_t i = 0; i < f->findings.n; i++) {
        n += f->findings.list[i].is_critical;
        if (f->findings.list[i].is_critical)
            print_error("%s: %s\n", name, f->findings.list[i].message);
    }
    return n;
}

static void every_graph_is_readable_in_every_style(void **state)
{
    struct fixture *f = *state;
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(graphs); i++)
        for (size_t s = 0; s < ARRAY_LENGTH(styles); s++) {
            draw(f, read_graph(graphs[i]), styles[s]);
            must_be_drawn(f, graphs[i]);
            n += count_critical(f, graphs[i]);
        }
    assert_int_equal(n, 0);
}

static void a_png_has_as_many_dots_as_the_style_says(void **state)
{
    struct fixture *f = *state;
    double points[2], pixels[2];
    draw(f, read_graph("tcp"), "plain");
    must_be_drawn(f, "tcp");

    assert_true(picture_size(f->bench.picture.bytes[PICTURE_SVG],
                             f->bench.picture.lengths[PICTURE_SVG], &points[0], &points[1]));
    assert_true(picture_size(f->bench.picture.bytes[PICTURE_PNG],
                             f->bench.picture.lengths[PICTURE_PNG], &pixels[0], &pixels[1]));

    for (int side = 0; side < 2; side++)
        assert_float_equal(pixels[side], points[side] * 144 / 72, 3);
    assert_true(points[0] > 200 && points[0] < 500);
    assert_true(points[1] > 300 && points[1] < 700);
}

/* 16 inches at 144 dots. */
static void a_png_of_a_huge_picture_has_no_more_dots_than_a_large_page(void **state)
{
    struct fixture *f = *state;
    double width, height;
    draw(f, read_graph("sixty_nodes"), "slides");
    must_be_drawn(f, "sixty_nodes");
    assert_true(picture_size(f->bench.picture.bytes[PICTURE_SVG],
                             f->bench.picture.lengths[PICTURE_SVG], &width, &height));
    assert_true(width > 16 * 72 || height > 16 * 72);
    assert_true(picture_size(f->bench.picture.bytes[PICTURE_PNG],
                             f->bench.picture.lengths[PICTURE_PNG], &width, &height));
    assert_true(width <= 16 * 144 + 3 && height <= 16 * 144 + 3);
    assert_true(width >= 16 * 144 - 3 || height >= 16 * 144 - 3);
}

static void no_label_says_anything_to_graphviz(void **state)
{
    struct fixture *f = *state;
    draw(f, read_graph("markup"), "plain");
    must_be_drawn(f, "markup");

    const char *svg = f->bench.picture.bytes[PICTURE_SVG];
    assert_non_null(strstr(svg, "&lt;b&gt;&amp;&quot;\\n&quot;&lt;/b&gt;</text>"));
    assert_non_null(strstr(svg, ">\\N \\G \\L &amp;</text>"));
    assert_non_null(strstr(svg, "&lt;i&gt;\\E&lt;/i&gt;</text>"));
    assert_non_null(strstr(svg, ">\\\\</text>"));
    assert_non_null(strstr(svg, "]; n9 [label=x</text>"));
    assert_null(strstr(svg, "<title>n9</title>"));
}

static const char *one_group(const char *direction)
{
    static char json[512];
    snprintf(json, sizeof json,
             "{\"direction\": \"%s\", \"groups\": [{\"id\": \"g\", \"label\": \"Frame\"}], "
             "\"nodes\": [{\"id\": \"a\", \"label\": \"A\"}, {\"id\": \"b\", \"label\": \"B\", "
             "\"group\": \"g\"}, {\"id\": \"c\", \"label\": \"C\", \"group\": \"g\"}], "
             "\"edges\": [{\"from\": \"a\", \"to\": \"b\"}, {\"from\": \"a\", \"to\": \"c\"}]}",
             direction);
    return json;
}

/* Edges run through what a frame says itself, and keep away from a node. */
static void a_title_is_a_node_where_edges_come_from_above(void **state)
{
    struct fixture *f = *state;
    draw(f, one_group("top_to_bottom"), "plain");
    must_be_drawn(f, "top to bottom");
    assert_non_null(strstr(f->bench.drawing.dot, "t0 [label=\"Frame"));
    assert_null(strstr(f->bench.picture.bytes[PICTURE_SVG], "<title>t0&#45;&gt;n1</title>"));

    draw(f, one_group("left_to_right"), "plain");
    must_be_drawn(f, "left to right");
    assert_null(strstr(f->bench.drawing.dot, "t0 ["));
    assert_non_null(strstr(f->bench.drawing.dot, " label=\"Frame\" labeljust=l"));
}

static double x_of(struct fixture *f, const char *node)
{
    json_t *geometry = NULL;
    struct figure_box box = { 0 };
    assert_int_equal(json_parse(f->bench.picture.geometry, strlen(f->bench.picture.geometry),
                                JSON_FOREIGN, &geometry, NULL),
                     ERR_NONE);
    assert_true(figure_geometry_find(geometry, node, &box));
    json_decref(geometry);
    return (box.left + box.right) / 2;
}

/* Edges that skip a step go round it, and do not push it aside. */
static void what_follows_stands_straight_below(void **state)
{
    struct fixture *f = *state;
    draw(f,
         "{\"direction\": \"top_to_bottom\", \"nodes\": [{\"id\": \"a\", \"label\": \"A\"}, "
         "{\"id\": \"b\", \"label\": \"B\"}, {\"id\": \"c\", \"label\": \"C\"}, "
         "{\"id\": \"d\", \"label\": \"D\"}, {\"id\": \"e\", \"label\": \"E\"}], \"edges\": ["
         "{\"from\": \"a\", \"to\": \"b\"}, {\"from\": \"b\", \"to\": \"c\"}, "
         "{\"from\": \"c\", \"to\": \"d\"}, {\"from\": \"d\", \"to\": \"e\"}, "
         "{\"from\": \"a\", \"to\": \"c\", \"label\": \"skip\"}, "
         "{\"from\": \"c\", \"to\": \"e\", \"label\": \"skip\"}]}",
         "plain");
    must_be_drawn(f, "residual");
    for (const char *const *node = (const char *const[]){ "n1", "n2", "n3", "n4", NULL }; *node;
         node++)
        assert_float_equal(x_of(f, *node), x_of(f, "n0"), 1);
}

/* The pieces of the route of the nth edge. */
static size_t route_of(struct fixture *f, size_t nth, struct figure_segment *out, size_t max)
{
    json_t *geometry = NULL;
    const char *text = f->bench.picture.geometry;
    assert_int_equal(json_parse(text, strlen(text), JSON_FOREIGN, &geometry, &f->bench.err), 0);
    const json_t *edges = json_object_get(arena_keep_json(&f->bench.arena, geometry), "edges");
    return figure_route_read(json_get_string(json_array_get(edges, nth), "pos"), out, max);
}

static void an_edge_stays_off_the_one_that_leads_back(void **state)
{
    struct fixture *f = *state;
    struct figure_segment there[8], back[8];
    draw(f,
         "{\"direction\": \"top_to_bottom\", \"nodes\": [{\"id\": \"a\", \"label\": \"Store\"}, "
         "{\"id\": \"b\", \"label\": \"Index\"}], \"edges\": [{\"from\": \"a\", \"to\": \"b\"}, "
         "{\"from\": \"b\", \"to\": \"a\", \"label\": \"failed\"}]}",
         "print");
    must_be_drawn(f, "there and back");
    assert_int_equal(route_of(f, 0, there, 8), 8);
    assert_int_equal(route_of(f, 1, back, 8), 8);
    assert_true(back[4].x1 - there[4].x1 > 5 || there[4].x1 - back[4].x1 > 5);
}

static void an_edge_to_its_own_node_is_as_long_as_its_arrow_at_least(void **state)
{
    struct fixture *f = *state;
    struct figure_segment loop[16];
    const struct graph_layout dense = { .nearer = 75 };
    struct figure_graph graph = figure_bench_graph(
        &f->bench, "{\"direction\": \"top_to_bottom\", \"nodes\": [{\"id\": \"a\", \"label\": "
                   "\"Client\"}], \"edges\": [{\"from\": \"a\", \"to\": \"a\"}]}");
    struct figure_style style = figure_bench_style(&f->bench, "print");
    draw(f, "{\"nodes\": [{\"id\": \"a\", \"label\": \"A\"}]}", "print"); /* or skipped */
    f->bench.drawing.dot = graph_dot(&f->bench.arena, &graph, &style, &dense);
    figure_bench_draw(&f->bench);
    must_be_drawn(f, "loop");
    size_t n = route_of(f, 0, loop, 16);
    assert_int_equal(n, 16);
    assert_true(loop[n / 2].x1 - loop[0].x1 > 8);
}

/* A group is as wide as it is deep at the bound of everything. */
static const char *largest(struct arena *arena)
{
    json_auto_t *value = json_pack("{ss s[]s[]}", "direction", "top_to_bottom", "nodes", "edges");
    for (size_t i = 0; i < FIGURE_MAX_NODES; i++)
        json_array_append_new(json_object_get(value, "nodes"),
                              json_pack("{so so}", "id", json_sprintf("n%zu", i), "label",
                                        json_sprintf("Step %zu", i)));
    for (size_t i = 1; i < FIGURE_MAX_NODES; i++)
        json_array_append_new(json_object_get(value, "edges"),
                              json_pack("{so so}", "from", json_sprintf("n%zu", (i - 1) / 4), "to",
                                        json_sprintf("n%zu", i)));
    return json_print_in(arena, value);
}

static void as_many_nodes_as_fit_are_drawn(void **state)
{
    struct fixture *f = *state;
    draw(f, largest(&f->bench.arena), "plain");
    must_be_drawn(f, "largest");
    assert_int_equal(count_critical(f, "largest"), 0);
    assert_int_equal(f->findings.n, 1);
    assert_string_equal(f->findings.list[0].rule, "picture_too_large");
}

static void a_picture_beyond_the_bound_is_refused(void **state)
{
    struct fixture *f = *state;
    f->bench.settings.figure_max_picture_bytes = 1024;
    draw(f, read_graph("flow"), "plain");
    assert_int_equal(f->bench.rendered, ERR_LIMIT);
    assert_string_equal(f->bench.err.hint, "draw fewer nodes, or raise figure.max_picture_bytes");
}

static void a_graph_that_graphviz_refuses_is_its_failure(void **state)
{
    struct fixture *f = *state;
    draw(f, read_graph("tcp"), "plain");
    f->bench.drawing.dot = "digraph { no";

    figure_bench_draw(&f->bench);

    assert_int_equal(f->bench.rendered, ERR_FAILED);
    assert_non_null(strstr(f->bench.err.message, "dot: it exited with status 1"));
}

static void a_machine_without_graphviz_is_told_what_to_do(void **state)
{
    struct fixture *f = *state;
    auto_str path = strdup(getenv("PATH"));
    f->bench.drawing.dot = "digraph {}";
    setenv("PATH", "/nowhere", 1);

    figure_bench_draw(&f->bench);

    setenv("PATH", path, 1);
    assert_int_equal(f->bench.available, ERR_NOT_FOUND);
    assert_non_null(strstr(f->bench.err.hint, "apt install graphviz"));
}

static void a_graphviz_that_crashes_is_said_to(void **state)
{
    struct fixture *f = *state;
    auto_str path = strdup(getenv("PATH"));
    char folder[] = "/tmp/mistro_crash.XXXXXX", program[64];
    assert_non_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/dot", folder);
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\n[ \"$1\" = -V ] || kill -SEGV $$\n", file);
    fclose(file);
    assert_int_equal(chmod(program, 0700), 0);
    setenv("PATH", folder, 1);
    f->bench.drawing.dot = "digraph {}";

    figure_bench_draw(&f->bench);

    setenv("PATH", path, 1);
    unlink(program);
    rmdir(folder);
    assert_int_equal(f->bench.rendered, ERR_FAILED);
    assert_string_equal(f->bench.err.message,
                        "dot: it was ended by signal 11 (Segmentation fault)");
    assert_non_null(strstr(f->bench.err.hint, "Graphviz itself crashed"));
}

static size_t count_folders(const char *parent)
{
    size_t n = 0;
    DIR *directory = opendir(parent);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        n += strncmp(entry->d_name, "mistro.", 7) == 0;
    closedir(directory);
    return n;
}

static void no_folder_is_left_behind(void **state)
{
    struct fixture *f = *state;
    char parent[] = "/tmp/mistro_pictures.XXXXXX";
    assert_non_null(mkdtemp(parent));
    unsetenv("XDG_RUNTIME_DIR");
    setenv("TMPDIR", parent, 1);
    draw(f, read_graph("tcp"), "plain");
    f->bench.drawing.dot = "digraph { no";
    figure_bench_draw(&f->bench);
    f->bench.is_cancelled = true;
    figure_bench_draw(&f->bench);

    assert_int_equal(f->bench.rendered, ERR_CANCELLED);
    assert_int_equal(count_folders(parent), 0);
    assert_int_equal(rmdir(parent), 0);
    unsetenv("TMPDIR");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_graph_is_readable_in_every_style),
        TEST(a_png_has_as_many_dots_as_the_style_says),
        TEST(a_png_of_a_huge_picture_has_no_more_dots_than_a_large_page),
        TEST(no_label_says_anything_to_graphviz),
        TEST(a_title_is_a_node_where_edges_come_from_above),
        TEST(what_follows_stands_straight_below),
        TEST(an_edge_stays_off_the_one_that_leads_back),
        TEST(an_edge_to_its_own_node_is_as_long_as_its_arrow_at_least),
        TEST(as_many_nodes_as_fit_are_drawn),
        TEST(a_picture_beyond_the_bound_is_refused),
        TEST(a_graph_that_graphviz_refuses_is_its_failure),
        TEST(a_graphviz_that_crashes_is_said_to),
        TEST(a_machine_without_graphviz_is_told_what_to_do),
        TEST(no_folder_is_left_behind),
    };
    return cmocka_run_group_tests_name("figure_pictures", tests, NULL, NULL);
}
