/* The program of figure.renderer: what it is told, and what is taken of what it says. */

#include "domain/base/json.h"
#include "infrastructure/rendering/rendering.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/figure_bench.h"
#include <string.h>

struct fixture {
    struct figure_bench bench;
    const char *words[4];
};

static int setup(void **state)
{
    static struct fixture f;
    figure_bench_init(&f.bench);
    f.words[0] = "sh";
    f.words[1] = SOURCE_DIR "/tests/support/programs/draw.sh";
    f.bench.settings.renderer = (struct model_launch){ .words = f.words, .n_words = 3 };
    f.bench.renderer = command_renderer_create(f.bench.runtime, &f.bench.settings);
    f.bench.drawing.dot = "digraph figure {}";
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

static void draw(struct fixture *f, const char *what)
{
    f->words[2] = what;
    figure_bench_draw(&f->bench);
}

static void refuses(struct fixture *f, const char *what, enum err_code code, const char *message)
{
    draw(f, what);
    assert_int_equal(f->bench.rendered, code);
    assert_string_equal(f->bench.err.message, message);
    assert_null(f->bench.picture.code);
    assert_null(f->bench.picture.bytes[PICTURE_SVG]);
}

static void is_told_the_stage_the_graph_and_its_picture(void **state)
{
    struct fixture *f = *state;
    json_auto_t *input =
        json_pack("{ss ss si}", "description_t", "boxes", "mode", "diagram_image", "round", 1);
    json_auto_t *drawn = json_pack("{s[]}", "nodes");
    f->bench.drawing.input = input;
    f->bench.drawing.drawn = drawn;

    draw(f, "echo");

    assert_int_equal(f->bench.rendered, ERR_NONE);
    assert_string_equal(f->bench.picture.code,
                        "{'description_t':'boxes','mode':'diagram_image','round':1,"
                        "'drawn':{'nodes':[]},'dot':'digraph figure {}'}");
    assert_string_equal(f->bench.picture.renderer, "sh");
    assert_true(f->bench.renderer->takes_plots);
}

static void takes_a_picture_by_its_bytes(void **state)
{
    struct fixture *f = *state;

    draw(f, "svg");

    assert_int_equal(f->bench.rendered, ERR_NONE);
    assert_string_equal(f->bench.picture.bytes[PICTURE_SVG],
                        "<svg width=\"8pt\" height=\"8pt\"></svg>");
    assert_null(f->bench.picture.bytes[PICTURE_PNG]);
    assert_null(f->bench.picture.geometry);
}

static void refuses_a_picture_that_runs_something(void **state)
{
    refuses(*state, "script", ERR_PROTOCOL,
            "figure.renderer sh: it wrote an SVG that runs or loads something");
}

static void refuses_words(void **state)
{
    refuses(*state, "words", ERR_PROTOCOL,
            "figure.renderer sh: it wrote neither a picture nor an artifact of type code_text");
}

static void refuses_a_path(void **state)
{
    refuses(*state, "path", ERR_PROTOCOL,
            "figure.renderer sh: it wrote neither a picture nor an artifact of type code_text");
}

static void stops_reading_at_the_bound(void **state)
{
    struct fixture *f = *state;
    f->bench.settings.figure_max_picture_bytes = 4096;
    refuses(f, "much", ERR_LIMIT, "figure.renderer sh: it wrote more than 4096 bytes");
    assert_string_equal(f->bench.err.hint, "raise figure.max_picture_bytes");
}

static void ends_one_that_takes_too_long(void **state)
{
    struct fixture *f = *state;
    f->bench.settings.figure_render_seconds = 1;
    refuses(f, "silent", ERR_TIMEOUT, "figure.renderer sh: it was not done after 1 s");
}

static void ends_one_whose_turn_was_cancelled(void **state)
{
    struct fixture *f = *state;
    f->bench.is_cancelled = true;

    draw(f, "silent");

    assert_int_equal(f->bench.rendered, ERR_CANCELLED);
}

static void says_why_it_failed(void **state)
{
    refuses(*state, "fail", ERR_FAILED,
            "figure.renderer sh: it exited with status 3; its stderr says: \"error: no canvas\"");
}

static void says_that_the_program_is_not_there(void **state)
{
    struct fixture *f = *state;
    f->words[0] = "no-such-renderer";
    refuses(f, "svg", ERR_NOT_FOUND,
            "figure.renderer no-such-renderer: no such program: 'no-such-renderer'");
}

static void refuses_to_draw_nothing(void **state)
{
    struct fixture *f = *state;
    f->bench.drawing.dot = NULL;
    refuses(f, "svg", ERR_INVALID, "there is nothing to draw");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(is_told_the_stage_the_graph_and_its_picture),
        TEST(takes_a_picture_by_its_bytes),
        TEST(refuses_a_picture_that_runs_something),
        TEST(refuses_words),
        TEST(refuses_a_path),
        TEST(stops_reading_at_the_bound),
        TEST(ends_one_that_takes_too_long),
        TEST(ends_one_whose_turn_was_cancelled),
        TEST(says_why_it_failed),
        TEST(says_that_the_program_is_not_there),
        TEST(refuses_to_draw_nothing),
    };
    return cmocka_run_group_tests_name("command_renderer", tests, NULL, NULL);
}
