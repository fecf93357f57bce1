
#include "domain/figure/color_contrast.h"
#include "tests/support/cmocka.h"

static const struct figure_color black = { 0, 0, 0 }, white = { 255, 255, 255 };
static const struct figure_color red = { 200, 60, 60 }, green = { 60, 140, 60 };

static void gives_black_on_white_the_largest_contrast(void **state)
{
    (void)state;
    assert_float_equal(color_contrast(black, white), 21, 0.001);
    assert_float_equal(color_contrast(white, black), 21, 0.001);
    assert_float_equal(color_contrast(red, red), 1, 0.001);
}

static void knows_the_grey_that_just_passes_on_white(void **state)
{
    (void)state;
    assert_true(color_contrast((struct figure_color){ 0x76, 0x76, 0x76 }, white) >=
                COLOR_TEXT_CONTRAST);
    assert_true(color_contrast((struct figure_color){ 0x77, 0x77, 0x77 }, white) <
                COLOR_TEXT_CONTRAST);
}

static void measures_black_to_white_as_one_for_everybody(void **state)
{
    (void)state;
    for (unsigned vision = COLOR_NORMAL; vision <= COLOR_TRITANOPIA; vision++)
        assert_float_equal(color_distance(black, white, vision), 1, 0.01);
}

static void sees_red_and_green_nearer_without_a_cone_for_green(void **state)
{
    (void)state;
    double seen = color_distance(red, green, COLOR_NORMAL);
    assert_true(color_distance(red, green, COLOR_DEUTERANOPIA) < seen * 0.6);
    assert_true(color_distance(red, green, COLOR_TRITANOPIA) > seen * 0.6);
}

static void says_who_sees_two_colours_nearest(void **state)
{
    enum color_vision vision;
    (void)state;

    double distance = color_smallest_distance(red, green, &vision);

    assert_string_equal(color_vision_name(vision), "deuteranopia");
    assert_float_equal(distance, color_distance(red, green, vision), 0.0001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_black_on_white_the_largest_contrast),
        cmocka_unit_test(knows_the_grey_that_just_passes_on_white),
        cmocka_unit_test(measures_black_to_white_as_one_for_everybody),
        cmocka_unit_test(sees_red_and_green_nearer_without_a_cone_for_green),
        cmocka_unit_test(says_who_sees_two_colours_nearest),
    };
    return cmocka_run_group_tests_name("color_contrast", tests, NULL, NULL);
}
