
#include "domain/base/json.h"
#include "domain/figure/figure_style.h"
#include "tests/support/cmocka.h"
#include <string.h>

/* What most roles look like, behind their shape. */
#define PLAIN "\"fill\":\"#ffffff\",\"stroke\":\"#000000\",\"text\":\"#000000\"}"
#define GRAY "\"fill\":\"#c0c0c0\",\"stroke\":\"#000000\",\"text\":\"#000000\"}"

/* A sound style, of which each test changes one member. */
static const char sound[] =
    "{\"description\":\"d\",\"guide\":\"g\",\"font\":\"DejaVu Sans\",\"font_size\":12,"
    "\"edge_font_size\":10,\"node_gap\":0.4,\"rank_gap\":0.5,\"line_width\":1,\"wrap\":20,"
    "\"dpi\":144,\"background\":\"#ffffff\",\"edge\":\"#000000\",\"edge_text\":\"#000000\","
    "\"group_fill\":\"#fafafa\",\"group_stroke\":\"#707070\",\"group_text\":\"#000000\","
    "\"roles\":{"
    "\"process\":{\"shape\":\"box\"," PLAIN ","
    "\"data\":{\"shape\":\"parallelogram\"," PLAIN ","
    "\"store\":{\"shape\":\"cylinder\"," PLAIN ","
    "\"decision\":{\"shape\":\"diamond\"," PLAIN ","
    "\"actor\":{\"shape\":\"component\"," PLAIN ","
    "\"start\":{\"shape\":\"ellipse\"," PLAIN ","
    "\"end\":{\"shape\":\"ellipse\"," GRAY ","
    "\"note\":{\"shape\":\"note\"," PLAIN "},"
    "\"accent\":{\"fill\":\"#202020\",\"stroke\":\"#000000\",\"text\":\"#ffffff\"},"
    "\"muted\":{\"fill\":\"#ffffff\",\"stroke\":\"#8c8c8c\",\"text\":\"#5e5e5e\"}}";

struct fixture {
    struct arena arena;
    struct problems problems;
    struct figure_style style;
    json_t *value;
};

static int setup(void **state)
{
    static struct fixture f;
    struct err err;
    f = (struct fixture){ .problems = { .arena = &f.arena } };
    if (json_parse(sound, strlen(sound), JSON_OURS, &f.value, &err))
        fail_msg("%s", err.message);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    json_decref(f->value);
    arena_finish(&f->arena);
    return 0;
}

static bool read(struct fixture *f)
{
    return figure_style_from_json(&f->arena, "test", f->value, &f->style, &f->problems);
}

static void refuses(struct fixture *f, const char *path, const char *message)
{
    assert_false(read(f));
    assert_string_equal(f->problems.list[0].path, path);
    assert_string_equal(f->problems.list[0].message, message);
}

static json_t *look_of(struct fixture *f, const char *role)
{
    return json_object_get(json_object_get(f->value, "roles"), role);
}

static void reads_a_sound_style(void **state)
{
    struct fixture *f = *state;

    assert_true(read(f));

    assert_string_equal(f->style.name, "test");
    assert_string_equal(f->style.roles[FIGURE_ROLE_STORE].shape, "cylinder");
    assert_int_equal(f->style.roles[FIGURE_ROLE_END].fill.green, 0xc0);
    assert_int_equal(f->style.wrap, 20);
    assert_null(f->style.accent.shape);
}

static void refuses_a_missing_role(void **state)
{
    struct fixture *f = *state;
    json_object_del(json_object_get(f->value, "roles"), "note");
    refuses(f, "/roles/note", "is missing");
}

static void refuses_a_colour_by_name(void **state)
{
    struct fixture *f = *state;
    json_object_set_new(f->value, "edge", json_string("black"));
    refuses(f, "/edge", "must be a colour");
}

static void refuses_digits_that_are_none(void **state)
{
    struct fixture *f = *state;
    json_object_set_new(f->value, "edge", json_string("#00g000"));
    refuses(f, "/edge", "must be a colour");
}

static void refuses_a_shape_it_does_not_know(void **state)
{
    struct fixture *f = *state;
    json_object_set_new(look_of(f, "store"), "shape", json_string("star\"]; x["));
    refuses(f, "/roles/store/shape", "\"star\"]; x[\" is not a valid shape");
}

static void refuses_a_font_that_is_not_safe(void **state)
{
    struct fixture *f = *state;
    json_object_set_new(f->value, "font", json_string("Comic Sans"));
    refuses(f, "/font", "\"Comic Sans\" is not a valid font");
}

static void takes_a_size_at_each_bound_and_none_beyond(void **state)
{
    struct fixture *f = *state;
    json_object_set_new(f->value, "font_size", json_real(6));
    assert_true(read(f));
    json_object_set_new(f->value, "font_size", json_integer(48));
    assert_true(read(f));
    json_object_set_new(f->value, "font_size", json_real(48.1));
    refuses(f, "/font_size", "must be a number from 6 to 48");
}

static void refuses_an_unknown_member_and_names_the_nearest(void **state)
{
    struct fixture *f = *state;
    json_object_set_new(f->value, "rankgap", json_integer(1));
    refuses(f, "/rankgap", "there is no member of that name");
    assert_string_equal(f->problems.list[0].fix, "write \"rank_gap\" instead");
}

static void refuses_text_that_can_hardly_be_read(void **state)
{
    struct fixture *f = *state;
    json_object_set_new(look_of(f, "store"), "text", json_string("#808080"));
    refuses(f, "/roles/store/text", "contrast to its fill is 3.95, less than 4.5");
}

static void refuses_a_line_that_can_hardly_be_seen(void **state)
{
    struct fixture *f = *state;
    json_object_set_new(f->value, "edge", json_string("#aaaaaa"));
    refuses(f, "/edge", "contrast to the background is 2.32, less than 3.0");
}

static void refuses_two_fills_that_some_people_do_not_tell_apart(void **state)
{
    struct fixture *f = *state;
    json_object_set_new(look_of(f, "process"), "fill", json_string("#dcebfa"));
    json_object_set_new(look_of(f, "actor"), "fill", json_string("#e6dcf5"));
    refuses(f, "/roles/actor/fill", "is too near to that of process for deuteranopia (0.023)");
}

static void refuses_one_fill_with_one_shape_for_two_roles(void **state)
{
    struct fixture *f = *state;
    json_object_set_new(look_of(f, "end"), "fill", json_string("#ffffff"));
    refuses(f, "/roles/end/fill", "the fill and the shape are those of start");
}

static void refuses_an_accent_that_does_not_stand_out(void **state)
{
    struct fixture *f = *state;
    json_t *accent = json_object_get(f->value, "accent");
    json_object_set_new(accent, "fill", json_string("#ffffff"));
    json_object_set_new(accent, "text", json_string("#000000"));
    refuses(f, "/accent", "looks like a plain process for normal sight");
}

static void takes_a_guide_at_the_bound_and_none_above(void **state)
{
    struct fixture *f = *state;
    static char guide[FIGURE_MAX_GUIDE_BYTES + 2];
    memset(guide, 'x', FIGURE_MAX_GUIDE_BYTES);
    json_object_set_new(f->value, "guide", json_string(guide));
    assert_true(read(f));
    guide[FIGURE_MAX_GUIDE_BYTES] = 'x';
    json_object_set_new(f->value, "guide", json_string(guide));
    refuses(f, "/guide", "must be text of 1 to 8192 bytes");
}

static void refuses_what_is_no_object(void **state)
{
    struct fixture *f = *state;
    json_decref(f->value);
    f->value = json_array();
    refuses(f, "", "a style must be an object");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(reads_a_sound_style),
        TEST(refuses_a_missing_role),
        TEST(refuses_a_colour_by_name),
        TEST(refuses_digits_that_are_none),
        TEST(refuses_a_shape_it_does_not_know),
        TEST(refuses_a_font_that_is_not_safe),
        TEST(takes_a_size_at_each_bound_and_none_beyond),
        TEST(refuses_an_unknown_member_and_names_the_nearest),
        TEST(refuses_text_that_can_hardly_be_read),
        TEST(refuses_a_line_that_can_hardly_be_seen),
        TEST(refuses_two_fills_that_some_people_do_not_tell_apart),
        TEST(refuses_one_fill_with_one_shape_for_two_roles),
        TEST(refuses_an_accent_that_does_not_stand_out),
        TEST(takes_a_guide_at_the_bound_and_none_above),
        TEST(refuses_what_is_no_object),
    };
    return cmocka_run_group_tests_name("figure_style", tests, NULL, NULL);
}
