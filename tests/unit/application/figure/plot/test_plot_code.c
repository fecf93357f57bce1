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
        { "{\"mark\":\"bar\",\"x\":\"city\",\"y\":\"rain\",\"color\":\"year\"}", "bar",
          "axes.bar" },
        { "{\"mark\":\"line\",\"x\":\"city\",\"y\":\"rain\"}", "line", ".plot(" },
        { "{\"mark\":\"point\",\"x\":\"year\",\"y\":\"rain\",\"color\":\"city\"}", "point",
          ".scatter(" },
        { "{\"mark\":\"area\",\"x\":\"year\",\"y\":\"rain\"}", "area", ".stackplot(" },
        { "{\"mark\":\"histogram\",\"x\":\"rain\"}", "bar", "EDGES" },
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
        assert_says(&drawn, "sys.argv[1:]");
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
    assert_says(&drawn, "fromisoformat");
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

static const char *table_of_places(struct arena *arena, const char *column, const char *name, int n)
{
    const char *table = arena_printf(arena, "%s,v\n", column);
    for (int i = 0; i < n; i++)
        table = arena_printf(arena, "%s%s %d,%d\n", table, name, i, i);
    return table;
}

static void lays_bars_down_whose_names_do_not_fit_beside_each_other(void **state)
{
    (void)state;
    static const char bars[] = "{\"mark\":\"bar\",\"x\":\"p\",\"y\":\"v\"}";
    AUTO(arena) arena = { 0 };

    struct drawn few = draw(&arena, table_of_places(&arena, "p", "A", 6), bars);
    struct drawn many =
        draw(&arena, table_of_places(&arena, "p", "Bosnia and Herzegovina", 20), bars);

    assert_string_equal(at(&arena, &few, "/encoding/x/type"), "\"ordinal\"");
    assert_string_equal(at(&arena, &few, "/encoding/x/axis/labelAngle"), "0");
    assert_says(&few, "LIES = False\n");
    assert_string_equal(at(&arena, &many, "/encoding/y/type"), "\"ordinal\"");
    assert_string_equal(at(&arena, &many, "/encoding/x/field"), "\"y\"");
    assert_string_equal(at(&arena, &many, "/height"), "340");
    assert_says(&many, "LIES = True\n");
    assert_says(&many, "WIDTH, HEIGHT = 480, 340\n");
}

static void turns_the_names_along_a_line_and_widens_the_picture(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, table_of_places(&arena, "p", "place", 60),
                              "{\"mark\":\"line\",\"x\":\"p\",\"y\":\"v\"}");

    assert_string_equal(at(&arena, &drawn, "/encoding/x/axis/labelAngle"), "-40");
    assert_string_equal(at(&arena, &drawn, "/width"), "840");
    assert_says(&drawn, "TURNED = True\n");
}

static void names_every_so_many_places_where_there_are_too_many(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, table_of_places(&arena, "p", "place", 400),
                              "{\"mark\":\"line\",\"x\":\"p\",\"y\":\"v\"}");

    assert_string_equal(at(&arena, &drawn, "/width"), "1600");
    assert_string_equal(at(&arena, &drawn, "/encoding/x/axis/values/1"), "\"place 4\"");
    assert_says(&drawn, "LABEL_STEP = 4\n");
}

static void cuts_the_names_of_places_that_are_longer_than_an_axis_shows(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn =
        draw(&arena, "p,v\nA name of a place that has more than forty columns,1\nB,2\n",
             "{\"mark\":\"bar\",\"x\":\"p\",\"y\":\"v\"}");

    assert_says(&drawn, "PLACES = [\"A name of a place that has more than for…\", \"B\"]\n");
}

static void leaves_room_between_bars_for_the_months_that_are_missing(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn months = draw(&arena, "month,v\n2026-03,3\n2025-11,1\n2026-01,2\n",
                               "{\"mark\":\"bar\",\"x\":\"month\",\"y\":\"v\"}");
    struct drawn years = draw(&arena, "year,v\n2020,3\n2010,1\n2015,2\n",
                              "{\"mark\":\"bar\",\"x\":\"year\",\"y\":\"v\"}");
    struct drawn days = draw(&arena, "day,v\n2026-02-28,3\n2026-03-02,1\n",
                             "{\"mark\":\"bar\",\"x\":\"day\",\"y\":\"v\"}");

    assert_says(&months, "PLACES = [\"2025-11\", \"2026-01\", \"2026-03\"]\n");
    assert_says(&years, "PLACES = [\"2010\", \"2015\", \"2020\"]\n");
    assert_says(&days, "PLACES = [\"2026-02-28\", \"2026-03-02\"]\n");
}

static void takes_days_that_all_begin_a_month_for_months(void **state)
{
    (void)state;
    static const char bars[] = "{\"mark\":\"bar\",\"x\":\"day\",\"y\":\"v\"}";
    AUTO(arena) arena = { 0 };

    struct drawn gap = draw(&arena, "day,v\n2026-01-01,3\n2026-02-01,1\n2026-04-01,2\n", bars);
    struct drawn ranked = draw(&arena, "day,v\n2026-01-01,3\n2026-02-01,1\n2026-04-01,2\n",
                               "{\"mark\":\"bar\",\"x\":\"day\",\"y\":\"v\",\"sorted\":true}");
    struct drawn decade = draw(&arena, "day,v\n2016-01-01,3\n2016-02-01,1\n2026-01-01,2\n", bars);
    struct drawn single = draw(&arena, "day,v\n2026-01-01,3\n", bars);
    struct drawn noon = draw(&arena, "day,v\n2026-01-01 12:00,3\n2026-02-01,1\n", bars);

    assert_says(&gap, "PLACES = [\"2026-01\", \"2026-02\", \"2026-03\", \"2026-04\"]\n");
    assert_says(&gap, "    (0, 3, 0),\n    (1, 1, 0),\n    (3, 2, 0),\n");
    assert_says(&ranked, "PLACES = [\"2026-01\", \"2026-04\", \"2026-02\"]\n");
    assert_string_equal(at(&arena, &decade, "/encoding/x/scale/domain/120"), "\"2026-01\"");
    assert_says(&single, "PLACES = [\"2026-01-01\"]\n");
    assert_says(&noon, "PLACES = [\"2026-01-01T12:00:00\", ");
}

static void keeps_a_gap_in_time_as_wide_as_it_is(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, "year,v\n2020,3\n2010,1\n2011,2\n",
                              "{\"mark\":\"bar\",\"x\":\"year\",\"y\":\"v\"}");

    assert_string_equal(at(&arena, &drawn, "/encoding/x/scale/domain/9"), "\"2019\"");
    assert_string_equal(at(&arena, &drawn, "/data/values/2/x"), "\"2020\"");
    assert_says(&drawn, "    (0, 1, 0),\n    (1, 2, 0),\n    (10, 3, 0),\n");
}

static void writes_years_without_and_numbers_with_a_thousands_separator(void **state)
{
    (void)state;
    static const char years[] = "{\"mark\":\"line\",\"x\":\"year\",\"y\":\"v\"}";
    static const char steps[] = "{\"mark\":\"line\",\"x\":\"step\",\"y\":\"v\"}";
    AUTO(arena) arena = { 0 };

    struct drawn year = draw(&arena, "year,v\n2020,3\n2010,1\n", years);
    struct drawn step = draw(&arena, "step,v\n2020,3\n2010,1\n", steps);

    assert_string_equal(at(&arena, &year, "/encoding/x/axis/format"), "\"d\"");
    assert_says(&year, "YEARS = True\n");
    assert_string_equal(at(&arena, &step, "/encoding/x/axis/format"), "(absent)");
    assert_says(&step, "YEARS = False\n");
}

static void labels_an_axis_of_time_in_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *first, *last, *format;
    } cases[] = {
        { "1990-01-01", "2026-01-01", "\"%Y\"" },
        { "2025-11", "2026-12", "\"%Y-%m\"" },
        { "2026-01-01", "2026-02-11", "\"%Y-%m-%d\"" },
        { "2026-01-01 22:00", "2026-01-02 03:00", "\"%m-%d %H:%M\"" },
        { "2026-01-01 22:00:10", "2026-01-01 22:01:00", "\"%H:%M:%S\"" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(arena) arena = { 0 };
        const char *table =
            arena_printf(&arena, "t,v\n%s,1\n%s,2\n", cases[i].first, cases[i].last);

        struct drawn drawn = draw(&arena, table, "{\"mark\":\"line\",\"x\":\"t\",\"y\":\"v\"}");

        assert_string_equal(at(&arena, &drawn, "/encoding/x/axis/format"), cases[i].format);
        assert_string_equal(at(&arena, &drawn, "/encoding/x/axis/labelFlush"), "false");
        assert_says(&drawn, "AutoDateFormatter(");
    }
}

static void labels_a_logarithmic_axis_in_one_form(void **state)
{
    (void)state;
    static const char log[] = "{\"mark\":\"point\",\"x\":\"a\",\"y\":\"b\",\"log_x\":true,"
                              "\"log_y\":true}";
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, "a,b\n0.001,1\n20000,100000\n", log);
    struct drawn small = draw(&arena, "a,b\n0.0001,1\n20,90000\n", log);

    assert_string_equal(at(&arena, &drawn, "/encoding/x/axis/labelExpr"), "(absent)");
    assert_non_null(strstr(at(&arena, &drawn, "/encoding/y/axis/labelExpr"), "×10"));
    assert_null(strstr(at(&arena, &drawn, "/encoding/y/axis/labelExpr"), "datum.value >"));
    assert_says(&drawn, "POWERS_X = False\nPOWERS_Y = True\n");
    assert_says(&small, "POWERS_X = True\nPOWERS_Y = False\n");
}

static void counts_the_same_bins_in_both_texts(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, "v,s\n0.12,a\n0.31,b\n0.3,a\n0.55,a\n0.5,b\n",
                              "{\"mark\":\"histogram\",\"x\":\"v\",\"color\":\"s\"}");

    assert_says(&drawn, "EDGES = [0.1");
    assert_string_equal(at(&arena, &drawn, "/data/values/0"),
                        "{\"x\":0.1,\"x2\":0.2,\"y\":1,\"series\":\"a\",\"order\":0}");
    assert_string_equal(at(&arena, &drawn, "/data/values/2"),
                        "{\"x\":0.3,\"x2\":0.4,\"y\":1,\"series\":\"a\",\"order\":0}");
    assert_string_equal(at(&arena, &drawn, "/encoding/x/bin/binned"), "true");
    assert_says(&drawn, "    (0, 1, 0),\n    (1, 0, 0),\n    (2, 1, 0),\n");
}

static void puts_a_bin_around_each_of_a_few_whole_numbers(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, "v\n1\n2\n2\n4\n", "{\"mark\":\"histogram\",\"x\":\"v\"}");

    assert_says(&drawn, "EDGES = [0.5, 1.5, 2.5, 3.5, 4.5]\n");
    assert_says(&drawn, "    (0, 1, 0),\n    (1, 2, 0),\n    (2, 0, 0),\n    (3, 1, 0),\n");
}

static void makes_bins_of_any_numbers(void **state)
{
    (void)state;
    static const char *const tables[] = {
        "v\n1e308\n-1e308\n",       "v\n1e-320\n2e-320\n", "v\n7\n",        "v\n1e300\n",
        "v\n5.00000000000001\n5\n", "v\n-0.5\n0.5\n",      "v,w\n,1\n2,3\n"
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        AUTO(arena) arena = { 0 };
        struct drawn drawn = draw(&arena, tables[i], "{\"mark\":\"histogram\",\"x\":\"v\"}");
        assert_null(strstr(drawn.python, "inf"));
        assert_null(strstr(drawn.python, "nan"));
        double total = 0;
        size_t at_value;
        json_t *value;
        json_array_foreach (json_path_find(drawn.vega, "/data/values"), at_value, value)
            total += json_number_value(json_object_get(value, "y"));
        assert_true(total >= 1);
    }
}

static void stacks_the_first_series_at_the_bottom_and_lists_it_last(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, "x,y,s\n1,5,a\n2,6,a\n2,7,b\n",
                              "{\"mark\":\"area\",\"x\":\"x\",\"y\":\"y\",\"color\":\"s\"}");

    assert_string_equal(at(&arena, &drawn, "/encoding/order/field"), "\"order\"");
    assert_string_equal(at(&arena, &drawn, "/data/values/0/order"), "0");
    assert_string_equal(at(&arena, &drawn, "/encoding/color/scale/domain"), "[\"b\",\"a\"]");
    assert_says(&drawn, "SERIES = [\"a\", \"b\"]\n");
    assert_says(&drawn, "STACKED = True\n");
}

static void puts_series_of_numbers_in_their_order(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct drawn drawn = draw(&arena, "x,y,size\n1,5,10\n1,6,2\n2,7,\n2,8,7\n",
                              "{\"mark\":\"point\",\"x\":\"x\",\"y\":\"y\",\"color\":\"size\"}");

    assert_says(&drawn, "SERIES = [\"2\", \"7\", \"10\", \"(none)\"]\n");
}

static void tells_twelve_lines_apart_without_colour(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *table = "x,y,s\n";
    for (int i = 0; i < PLOT_MAX_SERIES; i++)
        table = arena_printf(&arena, "%s1,1,s%d\n2,2,s%d\n", table, i, i);

    struct drawn drawn =
        draw(&arena, table, "{\"mark\":\"line\",\"x\":\"x\",\"y\":\"y\",\"color\":\"s\"}");

    const json_t *dashes = json_path_find(drawn.vega, "/encoding/strokeDash/scale/range");
    const json_t *widths = json_path_find(drawn.vega, "/encoding/strokeWidth/scale/range");
    const json_t *shapes = json_path_find(drawn.vega, "/encoding/shape/scale/range");
    size_t n_dashes = json_array_size(dashes); /* the list begins again where it ends */
    for (size_t i = 0; i < PLOT_MAX_SERIES; i++)
        for (size_t j = 0; j < i; j++) {
            assert_false(json_equal(json_array_get(dashes, i % n_dashes),
                                    json_array_get(dashes, j % n_dashes)) &&
                         json_equal(json_array_get(widths, i), json_array_get(widths, j)));
            assert_false(json_equal(json_array_get(shapes, i), json_array_get(shapes, j)));
        }
}

static void gives_a_single_series_the_colour_of_the_style(void **state)
{
    (void)state;
    struct plot_palette palette;

    plot_palette_init(&palette, &plain_style, PLOT_LINE, 1);

    assert_string_equal(palette.series[0], "#2f6ca8");
    assert_string_equal(palette.background, "#ffffff");
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
        cmocka_unit_test(lays_bars_down_whose_names_do_not_fit_beside_each_other),
        cmocka_unit_test(turns_the_names_along_a_line_and_widens_the_picture),
        cmocka_unit_test(names_every_so_many_places_where_there_are_too_many),
        cmocka_unit_test(cuts_the_names_of_places_that_are_longer_than_an_axis_shows),
        cmocka_unit_test(leaves_room_between_bars_for_the_months_that_are_missing),
        cmocka_unit_test(takes_days_that_all_begin_a_month_for_months),
        cmocka_unit_test(keeps_a_gap_in_time_as_wide_as_it_is),
        cmocka_unit_test(writes_years_without_and_numbers_with_a_thousands_separator),
        cmocka_unit_test(labels_an_axis_of_time_in_one_form),
        cmocka_unit_test(labels_a_logarithmic_axis_in_one_form),
        cmocka_unit_test(counts_the_same_bins_in_both_texts),
        cmocka_unit_test(puts_a_bin_around_each_of_a_few_whole_numbers),
        cmocka_unit_test(makes_bins_of_any_numbers),
        cmocka_unit_test(stacks_the_first_series_at_the_bottom_and_lists_it_last),
        cmocka_unit_test(puts_series_of_numbers_in_their_order),
        cmocka_unit_test(tells_twelve_lines_apart_without_colour),
        cmocka_unit_test(gives_a_single_series_the_colour_of_the_style),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
