/* What every renderer owes (application/ports/renderer.h), on Graphviz and on the fake. */

#include "application/figure/dot/graph_dot.h"
#include "domain/base/json.h"
#include "domain/figure/picture_bytes.h"
#include "infrastructure/rendering/rendering.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_renderer.h"
#include "tests/support/full/figure_bench.h"
#include <stdlib.h>
#include <string.h>

static const char two_nodes[] =
    "{\"nodes\":[{\"id\":\"a\",\"label\":\"Client\"},{\"id\":\"b\",\"label\":\"Server\"}],"
    "\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"asks\"}]}";

struct fixture {
    struct figure_bench bench;
    struct fake_renderer fake;
};

static void aim(struct fixture *f)
{
    struct figure_graph graph = figure_bench_graph(&f->bench, two_nodes);
    struct figure_style style = figure_bench_style(&f->bench, "plain");
    f->bench.drawing = (struct drawing){ .dot = graph_dot(&f->bench.arena, &graph, &style, NULL),
                                         .dpi = style.dpi };
}

static int setup_fake(void **state)
{
    static struct fixture f;
    figure_bench_init(&f.bench);
    fake_renderer_init(&f.fake);
    f.bench.renderer = &f.fake.base;
    aim(&f);
    *state = &f;
    return 0;
}

static int setup_dot(void **state)
{
    static struct fixture f;
    figure_bench_init(&f.bench);
    f.bench.renderer = dot_renderer_create(f.bench.runtime, &f.bench.settings);
    aim(&f);
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

static void draw(struct fixture *f)
{
    figure_bench_draw(&f->bench);
    if (f->bench.available == ERR_NOT_FOUND) {
        print_message("skipped: Graphviz is not installed\n");
        skip();
    }
}

static void draws_a_graph_in_every_format(void **state)
{
    struct fixture *f = *state;

    draw(f);

    assert_int_equal(f->bench.rendered, ERR_NONE);
    for (int format = 0; format < PICTURE_N_FORMATS; format++)
        assert_null(
            picture_fault(f->bench.picture.bytes[format], f->bench.picture.lengths[format]));
    assert_int_equal(
        picture_kind_of(f->bench.picture.bytes[PICTURE_PNG], f->bench.picture.lengths[PICTURE_PNG]),
        PICTURE_KIND_PNG);
    assert_int_equal(
        picture_kind_of(f->bench.picture.bytes[PICTURE_SVG], f->bench.picture.lengths[PICTURE_SVG]),
        PICTURE_KIND_SVG);
    assert_non_null(strchr(f->bench.picture.renderer, ' '));
}

static void gives_the_geometry_of_what_it_drew(void **state)
{
    struct fixture *f = *state;
    json_t *value = NULL;

    draw(f);

    assert_non_null(f->bench.picture.geometry);
    assert_int_equal(json_parse(f->bench.picture.geometry, strlen(f->bench.picture.geometry),
                                JSON_FOREIGN, &value, NULL),
                     ERR_NONE);
    assert_non_null(json_get_string(value, "bb"));
    json_decref(value);
}

static void draws_the_same_graph_in_the_same_way(void **state)
{
    struct fixture *f = *state;
    draw(f);
    struct picture first = f->bench.picture;

    draw(f);

    assert_int_equal(f->bench.picture.lengths[PICTURE_SVG], first.lengths[PICTURE_SVG]);
    assert_memory_equal(f->bench.picture.bytes[PICTURE_SVG], first.bytes[PICTURE_SVG],
                        first.lengths[PICTURE_SVG]);
}

static void refuses_to_draw_no_graph(void **state)
{
    struct fixture *f = *state;
    f->bench.drawing.dot = NULL;

    draw(f);

    assert_int_equal(f->bench.rendered, ERR_INVALID);
    assert_null(f->bench.picture.bytes[PICTURE_PNG]);
}

int main(void)
{
#define ON(test, name, start)                                                                      \
    {                                                                                              \
#test " (" name ")", test, start, teardown, NULL                                           \
    }
#define ON_BOTH(test) ON(test, "fake", setup_fake), ON(test, "dot", setup_dot)
    const struct CMUnitTest tests[] = {
        ON_BOTH(draws_a_graph_in_every_format),
        ON_BOTH(gives_the_geometry_of_what_it_drew),
        ON_BOTH(draws_the_same_graph_in_the_same_way),
        ON_BOTH(refuses_to_draw_no_graph),
    };
    return cmocka_run_group_tests_name("renderer", tests, NULL, NULL);
}
