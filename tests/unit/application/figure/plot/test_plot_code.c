#include "application/figure/plot/plot.h"
#include "application/figure/plot/plot_palette.h"
#include "domain/base/json.h"
#include "domain/figure/color_contrast.h"
#include "tests/support/cmocka.h"
#include "tests/support/plain_style.h"
#include "tests/support/python_tokens.h"
#include <stdlib.h>
#include <string.h>

static const char rain[] = "city,year,rain\n"
                           "Oslo,2024,3\nOslo,2023,1\nKyiv,2023,10\nKyiv,2023,20\nRome,2023,\n";

struct drawn {
    json_t *vega;
    const char *python;
};

static struct drawn draw(struct arena *arena, const char *table, const char *text)
{
    struct plot_data data;
    struct plot_spec spec;
    struct problems problems = { .arena = arena };
    json_t *value = NULL;
    assert_int_equal(plot_table_from_text(arena, table, strlen(table), SIZE_MAX, "t", &data, NULL),
                     ERR_NONE);
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    assert_true(plot_spec_from_json(arena, arena_keep_json(arena, value), &data, &spec, &problems));
    struct drawn drawn = { plot_vega_lite(&spec, &data, &plain_style),
                           plot_matplotlib(arena, &spec, &data, &plain_style) };
    assert_non_null(arena_keep_json(arena, drawn.vega));
    return drawn;
}

static const char *at(struct arena *arena, const struct drawn *drawn, const char *path)
{
    const json_t *value = json_path_find(drawn->vega, path);
    return value ? json_print_in(arena, value) : "(absent)";
}

static void assert_says(const struct drawn *drawn, const char *text)
{
    if (!strstr(drawn->python, text))
        fail_msg("the script does not say %s:\n%s", text, drawn->python);
}

static void adds_up_bars_and_puts_them_by_height(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, rain,
                              "{\"mark\":\"bar\",\"x\":\"city\",\"y\":\"rain\","
                              "\"aggregate\":\"sum\",\"sorted\":true}");

    assert_string_equal(at(&arena, &drawn, "/$schema"),
                        "\"https://vega.github.io/schema/vega-lite/v5.json\"");
    assert_string_equal(at(&arena, &drawn, "/data/values"),
                        "[{\"x\":\"Kyiv\",\"y\":30},{\"x\":\"Oslo\",\"y\":4}]");
    assert_string_equal(at(&arena, &drawn, "/encoding/x/sort"), "[\"Kyiv\",\"Oslo\"]");
    assert_string_equal(at(&arena, &drawn, "/encoding/x/title"), "\"City\"");
    assert_string_equal(at(&arena, &drawn, "/encoding/y/title"), "\"Sum of rain\"");
    assert_string_equal(at(&arena, &drawn, "/encoding/color"), "(absent)");
    assert_says(&drawn, "PLACES = [\"Kyiv\", \"Oslo\"]\n");
    assert_says(&drawn, "    (0, 30, 0),\n");
    assert_says(&drawn, "    (1, 4, 0),\n");
}

static void means_counts_and_names_the_axis_after_it(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn mean = draw(&arena, rain,
                             "{\"mark\":\"bar\",\"x\":\"city\",\"y\":\"rain\","
                             "\"aggregate\":\"mean\"}");
    struct drawn count =
        draw(&arena, rain, "{\"mark\":\"bar\",\"x\":\"city\",\"aggregate\":\"count\"}");

    assert_string_equal(at(&arena, &mean, "/data/values"),
                        "[{\"x\":\"Oslo\",\"y\":2},{\"x\":\"Kyiv\",\"y\":15}]");
    assert_string_equal(at(&arena, &mean, "/encoding/y/title"), "\"Mean of rain\"");
    assert_string_equal(at(&arena, &count, "/data/values/2"), "{\"x\":\"Rome\",\"y\":1}");
    assert_string_equal(at(&arena, &count, "/encoding/y/title"), "\"Count\"");
}

static void draws_a_line_for_each_series_in_the_order_of_x(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, rain,
                              "{\"mark\":\"line\",\"x\":\"year\",\"y\":\"rain\","
                              "\"color\":\"city\",\"y_label\":\"Rain (mm)\"}");

    assert_string_equal(at(&arena, &drawn, "/data/values/0"),
                        "{\"x\":2023,\"y\":1,\"series\":\"Oslo\"}");
    assert_string_equal(at(&arena, &drawn, "/data/values/1/x"), "2024");
    assert_string_equal(at(&arena, &drawn, "/encoding/color/scale/domain"), "[\"Oslo\",\"Kyiv\"]");
    assert_string_equal(at(&arena, &drawn, "/encoding/strokeDash/field"), "\"series\"");
    assert_string_equal(at(&arena, &drawn, "/encoding/x/axis/format"), "\"d\"");
    assert_says(&drawn, "Y_TITLE = \"Rain (mm)\"\n");
    assert_says(&drawn, "SERIES_TITLE = \"City\"\n");
    assert_says(&drawn, "    (2023, 1, 0),\n    (2024, 3, 0),\n");
}

static void gives_an_area_every_place_of_every_series(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, "x,y,s\n1,5,a\n2,6,a\n2,7,b\n",
                              "{\"mark\":\"area\",\"x\":\"x\",\"y\":\"y\",\"color\":\"s\"}");

    assert_says(&drawn, "    (1, 5, 0),\n    (2, 6, 0),\n    (1, 0, 1),\n    (2, 7, 1),\n");
}

static void has_a_script_and_a_mark_for_every_kind(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *mark, *call;
    } cases[] = {
        { "{\"mark\":\"bar\",\"x\":\"city\",\"y\":\"rain\",\"color\":\"year\"}", "bar", ".bar(" },
        { "{\"mark\":\"line\",\"x\":\"city\",\"y\":\"rain\"}", "line", ".plot(" },
        { "{\"mark\":\"point\",\"x\":\"year\",\"y\":\"rain\",\"color\":\"city\"}", "point",
          ".scatter(" },
        { "{\"mark\":\"area\",\"x\":\"year\",\"y\":\"rain\"}", "area", ".stackplot(" },
        { "{\"mark\":\"histogram\",\"x\":\"rain\"}", "bar", ".hist(" },
        { "{\"mark\":\"box\",\"x\":\"city\",\"y\":\"rain\",\"color\":\"city\"}", "boxplot",
          ".boxplot(" },
        { "{\"mark\":\"point\",\"x\":\"year\",\"y\":\"rain\",\"log_x\":true,\"log_y\":true}",
          "point", "LOG_X = True" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(arena) arena = { 0 };
        size_t n_strings;

        struct drawn drawn = draw(&arena, rain, cases[i].spec);

        assert_string_equal(json_get_string(json_path_find(drawn.vega, "/mark"), "type"),
                            cases[i].mark);
        assert_says(&drawn, cases[i].call);
        assert_says(&drawn, "matplotlib.use(\"Agg\")");
        assert_says(&drawn, "sys.argv[1]");
        assert_null(strstr(drawn.python, "eval("));
        assert_true(python_tokens_balance(drawn.python, &n_strings));
    }
}

static void takes_days_for_points_in_time(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, "day,v\n2026-02-01,2\n2026-01-01,1\n",
                              "{\"mark\":\"line\",\"x\":\"day\",\"y\":\"v\"}");

    assert_string_equal(at(&arena, &drawn, "/encoding/x/type"), "\"temporal\"");
    assert_string_equal(at(&arena, &drawn, "/encoding/x/scale/type"), "\"utc\"");
    assert_says(&drawn, "    (\"2026-01-01\", 1, 0),\n    (\"2026-02-01\", 2, 0),\n");
    assert_says(&drawn, "strptime");
}

static void lets_no_cell_and_no_name_out_of_its_string(void **state)
{
    (void)state;
    static const char *const hostile[] = {
        "\"\"\"",       "\\",  "\\\"", "'''",      "</script>",        "\n",     "\r\nimport os\n",
        "\t\x01\x7f",   "{x}", "%s%n", "$x^2$",    "_hidden",          "a.b[0]", "\xe2\x80\xae",
        "\xe2\x80\xa8", "#",   "NaN",  "Infinity", "\xf0\x9f\x98\x80",
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        AUTO(arena) arena = { 0 };
        size_t n_strings, n_plain;
        const char *label = arena_printf(&arena, "%s of all", hostile[i]);
        json_t *rows = arena_keep_json(&arena, json_pack("[{s:s, s:i, s:s}, {s:s, s:i, s:s}]",
                                                         hostile[i], "a", "v", 1, "s", hostile[i],
                                                         hostile[i], hostile[i], "v", 2, "s", "b"));
        json_t *spec = arena_keep_json(&arena, json_pack("{s:s, s:s, s:s, s:s, s:s}", "mark", "bar",
                                                         "x", hostile[i], "y", "v", "color", "s",
                                                         "x_label", label));
        const char *plain = draw(&arena, "p,v,s\na,1,q\nc,2,b\n",
                                 "{\"mark\":\"bar\",\"x\":\"p\",\"y\":\"v\",\"color\":\"s\"}")
                                .python;

        struct drawn drawn = draw(&arena, json_print_in(&arena, rows), json_print_in(&arena, spec));

        assert_true(python_tokens_balance(plain, &n_plain));
        assert_true(python_tokens_balance(drawn.python, &n_strings));
        assert_int_equal(n_strings, n_plain);
        assert_null(strstr(drawn.python, "</script>"));
        assert_string_equal(json_string_value(json_path_find(drawn.vega, "/encoding/x/title")),
                            label);
        assert_string_equal(at(&arena, &drawn, "/encoding/x/field"), "\"x\"");
    }
}

static void writes_what_cannot_be_seen_as_escapes(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn =
        draw(&arena, "[{\"p\":\"\\\"\\\\\\n\\u00e9\\u202e\\ud83d\\ude00\\udb40\\udc41<\",\"v\":1}]",
             "{\"mark\":\"bar\",\"x\":\"p\",\"y\":\"v\"}");

    assert_says(&drawn, "PLACES = [\"\\x22\\x5c\\x0aé\\u202e😀\\U000e0041\\x3c\"]\n");
}

static void bounds_a_sum_that_no_number_holds(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, "p,v\na,1e308\na,1e308\nb,-1e308\nb,-1e308\n",
                              "{\"mark\":\"bar\",\"x\":\"p\",\"y\":\"v\"}");

    assert_true(json_is_number(json_path_find(drawn.vega, "/data/values/0/y")));
    assert_null(strstr(drawn.python, "inf"));
}

static void turns_the_names_of_many_places_and_widens_the_picture(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *table = "p,v\n";
    for (int i = 0; i < 60; i++)
        table = arena_printf(&arena, "%splace %d,%d\n", table, i, i);

    struct drawn drawn = draw(&arena, table, "{\"mark\":\"bar\",\"x\":\"p\",\"y\":\"v\"}");

    assert_string_equal(at(&arena, &drawn, "/encoding/x/axis/labelAngle"), "-40");
    assert_string_equal(at(&arena, &drawn, "/width"), "840");
}

static void has_a_colour_for_every_series(void **state)
{
    (void)state;
    struct plot_palette palette;

    plot_palette_init(&palette, &plain_style);

    assert_string_equal(palette.series[0], "#2f6ca8");
    assert_string_equal(palette.background, "#ffffff");
    for (size_t i = 0; i < PLOT_MAX_SERIES; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(palette.series[i], palette.series[j]);
}

static struct figure_color color_of(const char *text)
{
    unsigned long value = strtoul(text + 1, NULL, 16);
    return (struct figure_color){ (uint8_t)(value >> 16), (uint8_t)(value >> 8 & 0xff),
                                  (uint8_t)(value & 0xff) };
}

static void stands_out_and_stays_apart(const struct figure_style *style)
{
    struct plot_palette palette;
    plot_palette_init(&palette, style);
    for (size_t i = 0; i < PLOT_MAX_SERIES; i++) {
        struct figure_color color = color_of(palette.series[i]);
        assert_true(color_contrast(color, style->background) >= COLOR_LINE_CONTRAST);
        for (size_t j = 0; j < i; j++) {
            enum color_vision whose;
            assert_true(color_smallest_distance(color, color_of(palette.series[j]), &whose) >=
                        COLOR_APART);
        }
    }
}

static void has_colours_that_stand_out_and_stay_apart(void **state)
{
    (void)state;
    struct figure_style black = plain_style;
    for (size_t i = 0; i <= FIGURE_ROLE_NOTE; i++)
        black.roles[i].stroke = (struct figure_color){ 0, 0, 0 };
    struct figure_style dark = black;
    dark.background = (struct figure_color){ 0, 0, 0 };
    for (size_t i = 0; i <= FIGURE_ROLE_NOTE; i++)
        dark.roles[i].stroke = (struct figure_color){ 255, 255, 255 };

    stands_out_and_stays_apart(&plain_style);
    stands_out_and_stays_apart(&black);
    stands_out_and_stays_apart(&dark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up_bars_and_puts_them_by_height),
        cmocka_unit_test(means_counts_and_names_the_axis_after_it),
        cmocka_unit_test(draws_a_line_for_each_series_in_the_order_of_x),
        cmocka_unit_test(gives_an_area_every_place_of_every_series),
        cmocka_unit_test(has_a_script_and_a_mark_for_every_kind),
        cmocka_unit_test(takes_days_for_points_in_time),
        cmocka_unit_test(lets_no_cell_and_no_name_out_of_its_string),
        cmocka_unit_test(writes_what_cannot_be_seen_as_escapes),
        cmocka_unit_test(bounds_a_sum_that_no_number_holds),
        cmocka_unit_test(turns_the_names_of_many_places_and_widens_the_picture),
        cmocka_unit_test(has_a_colour_for_every_series),
        cmocka_unit_test(has_colours_that_stand_out_and_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
