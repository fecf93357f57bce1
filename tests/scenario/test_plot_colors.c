/* The series of a plot in every built-in style, as a copier and people with each kind of sight see
 * them. Bars, areas and boxes are told apart by colour alone; lines and points
 * have dashes, widths and shapes (test_plot_code.c). */
#include "application/figure/plot/plot_palette.h"
#include "domain/figure/color_contrast.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/figure_bench.h"
#include <math.h>
#include <stdlib.h>

static const char *const styles[] = { "plain", "print", "slides", "dark" };

static struct figure_color color_of(const char *text)
{
    unsigned long value = strtoul(text + 1, NULL, 16);
    return (struct figure_color){ (uint8_t)(value >> 16), (uint8_t)(value >> 8 & 0xff),
                                  (uint8_t)(value & 0xff) };
}

/* The smallest distance of two series of n, in grey and for every kind of sight. */
static double nearest(const struct figure_style *style, enum plot_mark mark, size_t n)
{
    struct plot_palette palette;
    double least = 2;
    plot_palette_init(&palette, style, mark, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            enum color_vision whose;
            struct figure_color a = color_of(palette.series[i]), b = color_of(palette.series[j]);
            least = fmin(least, fabs(color_lightness(a) - color_lightness(b)));
            least = fmin(least, color_smallest_distance(a, b, &whose));
        }
    return least;
}

static void are_apart(enum plot_mark mark, size_t most, double distance)
{
    struct figure_bench bench;
    figure_bench_init(&bench);
    for (size_t i = 0; i < ARRAY_LENGTH(styles); i++) {
        struct figure_style style = figure_bench_style(&bench, styles[i]);
        for (size_t n = 2; n <= most; n++) {
            double found = nearest(&style, mark, n);
            if (found < distance)
                fail_msg("%s: of %zu series two are %.3f apart", styles[i], n, found);
        }
    }
    figure_bench_finish(&bench);
}

static void areas_are_apart_by_lightness_alone(void **state)
{
    (void)state;
    static const enum plot_mark filled[] = { PLOT_BAR, PLOT_AREA, PLOT_HISTOGRAM };
    for (size_t i = 0; i < ARRAY_LENGTH(filled); i++) {
        are_apart(filled[i], 4, 0.17);
        are_apart(filled[i], 6, 0.11);
        are_apart(filled[i], PLOT_MAX_SERIES, 0.04);
    }
}

static void boxes_are_apart_and_show_their_median(void **state)
{
    (void)state;
    struct figure_bench bench;
    are_apart(PLOT_BOX, 4, 0.09);
    are_apart(PLOT_BOX, PLOT_MAX_SERIES, COLOR_APART);
    figure_bench_init(&bench);
    for (size_t i = 0; i < ARRAY_LENGTH(styles); i++) {
        struct figure_style style = figure_bench_style(&bench, styles[i]);
        struct plot_palette palette;
        plot_palette_init(&palette, &style, PLOT_BOX, PLOT_MAX_SERIES);
        for (size_t series = 0; series < PLOT_MAX_SERIES; series++)
            assert_true(color_contrast(color_of(palette.series[series]), style.edge_text) > 2.9);
    }
    figure_bench_finish(&bench);
}

static void lines_and_points_stand_out_from_the_background(void **state)
{
    (void)state;
    static const enum plot_mark thin[] = { PLOT_LINE, PLOT_POINT };
    struct figure_bench bench;
    figure_bench_init(&bench);
    for (size_t i = 0; i < ARRAY_LENGTH(styles) * ARRAY_LENGTH(thin); i++) {
        struct figure_style style = figure_bench_style(&bench, styles[i / ARRAY_LENGTH(thin)]);
        for (size_t n = 1; n <= PLOT_MAX_SERIES; n++) {
            struct plot_palette palette;
            plot_palette_init(&palette, &style, thin[i % ARRAY_LENGTH(thin)], n);
            for (size_t series = 0; series < n; series++)
                assert_true(color_contrast(color_of(palette.series[series]), style.background) >
                            2.9);
        }
    }
    figure_bench_finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_are_apart_by_lightness_alone),
        cmocka_unit_test(boxes_are_apart_and_show_their_median),
        cmocka_unit_test(lines_and_points_stand_out_from_the_background),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
