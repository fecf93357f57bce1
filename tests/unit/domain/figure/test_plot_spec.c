#include "domain/base/json.h"
#include "domain/figure/plot_spec.h"
#include "tests/support/cmocka.h"
#include <stdlib.h>
#include <string.h>

static json_t *parse(struct arena *arena, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return arena_keep_json(arena, value);
}

static struct plot_column columns[] = {
    { "city", false }, { "year", true }, { "rain", true }, { "change", true }, { "day", false }
};

static struct plot_data some_data(struct arena *arena)
{
    static const char rows[] = "[[\"Kyiv\",2023,612,-1,\"2026-01-01\"],"
                               "[\"Oslo\",2023,580.5,0,\"2026-02-28\"],"
                               "[\"Oslo\",2024,null,2,null]]";
    return (struct plot_data){ columns, 5, 3, parse(arena, rows), "rain.csv" };
}

static bool read(struct arena *arena, const struct plot_data *data, const char *text,
                 struct plot_spec *out, struct problems *problems)
{
    *problems = (struct problems){ .arena = arena };
    return plot_spec_from_json(arena, parse(arena, text), data, out, problems);
}

struct fixture {
    struct arena arena;
    struct plot_data data;
    struct plot_spec spec;
    struct problems problems;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->data = some_data(&f->arena);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    arena_finish(&f->arena);
    free(f);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

static bool reads(struct fixture *f, const char *text)
{
    return read(&f->arena, &f->data, text, &f->spec, &f->problems);
}

static void reads_a_spec_with_everything(void **state)
{
    struct fixture *f = *state;

    assert_true(reads(f, "{\"mark\":\"bar\",\"x\":\"city\",\"y\":\"rain\",\"color\":\"year\","
                         "\"aggregate\":\"mean\",\"x_label\":\"City\",\"y_label\":\"Rain (mm)\","
                         "\"sorted\":true,\"why\":\"unknown members do not matter\"}"));

    assert_int_equal(f->spec.mark, PLOT_BAR);
    assert_string_equal(f->spec.x, "city");
    assert_string_equal(f->spec.y, "rain");
    assert_string_equal(f->spec.color, "year");
    assert_int_equal(f->spec.aggregate, PLOT_AGGREGATE_MEAN);
    assert_string_equal(f->spec.x_label, "City");
    assert_string_equal(f->spec.y_label, "Rain (mm)");
    assert_true(f->spec.sorted);
    assert_false(f->spec.log_x || f->spec.log_y);
}

static void prints_what_it_reads(void **state)
{
    struct fixture *f = *state;
    static const char text[] =
        "{\"mark\":\"line\",\"x\":\"year\",\"y\":\"rain\",\"color\":\"city\","
        "\"aggregate\":\"none\",\"x_label\":\"\",\"y_label\":\"mm\",\"log_x\":true,"
        "\"log_y\":true,\"sorted\":false}";

    assert_true(reads(f, text));
    json_t *value = arena_keep_json(&f->arena, plot_spec_to_json(&f->spec));

    assert_string_equal(json_print_in(&f->arena, value), text);
    assert_string_equal(plot_mark_name(f->spec.mark), "line");
}

static void prints_no_column_that_is_not_used(void **state)
{
    struct fixture *f = *state;

    assert_true(reads(f, "{\"mark\":\"histogram\",\"x\":\"rain\",\"y\":null}"));
    json_t *value = arena_keep_json(&f->arena, plot_spec_to_json(&f->spec));

    assert_null(json_object_get(value, "y"));
    assert_null(json_object_get(value, "color"));
}

static void says_what_is_wrong_where_and_what_to_do(void **state)
{
    (void)state;
    static const struct {
        const char *text, *path, *message, *fix;
    } cases[] = {
        { "[]", "", "not an object", "mark, x and y" },
        { "{\"x\":\"year\",\"y\":\"rain\"}", "/mark", "missing", "bar, line, point" },
        { "{\"mark\":\"pie\",\"x\":\"year\",\"y\":\"rain\"}", "/mark",
          "\"pie\" is not a valid mark", "use one of bar" },
        { "{\"mark\":7,\"x\":\"year\",\"y\":\"rain\"}", "/mark", "not a text", "text" },
        { "{\"mark\":\"line\",\"y\":\"rain\"}", "/x", "missing", "city, year, rain" },
        { "{\"mark\":\"line\",\"x\":\"jahr\",\"y\":\"rain\"}", "/x", "no column \"jahr\"",
          "city, year" },
        { "{\"mark\":\"line\",\"x\":\"a\\u0000b\",\"y\":\"rain\"}", "/x", "not a text", "text" },
        { "{\"mark\":\"line\",\"x\":\"year\"}", "/y", "missing", "aggregate count" },
        { "{\"mark\":\"line\",\"x\":\"year\",\"y\":\"city\"}", "/y",
          "column \"city\" does not consist of numbers: row 1 has \"Kyiv\"", "column of numbers" },
        { "{\"mark\":\"line\",\"x\":\"year\",\"y\":\"rain\",\"color\":\"town\"}", "/color",
          "no column \"town\"", "city" },
        { "{\"mark\":\"bar\",\"x\":\"city\",\"y\":\"rain\",\"aggregate\":\"max\"}", "/aggregate",
          "\"max\" is not a valid aggregate", "none, sum, mean, count" },
        { "{\"mark\":\"bar\",\"x\":\"city\",\"y\":\"rain\",\"sorted\":1}", "/sorted",
          "neither true nor false", "true or false" },
        { "{\"mark\":\"bar\",\"x\":\"city\",\"y\":\"rain\",\"x_label\":[]}", "/x_label",
          "not a text", "text" },
        { "{\"mark\":\"histogram\",\"x\":\"city\"}", "/x", "not consist of numbers", "numbers" },
        { "{\"mark\":\"histogram\",\"x\":\"rain\",\"y\":\"year\"}", "/y", "has no y",
          "leave y out" },
        { "{\"mark\":\"histogram\",\"x\":\"rain\",\"aggregate\":\"sum\"}", "/aggregate", "counts",
          "leave aggregate out" },
        { "{\"mark\":\"box\",\"x\":\"city\",\"y\":\"rain\",\"aggregate\":\"count\"}", "/aggregate",
          "all values", "leave" },
        { "{\"mark\":\"line\",\"x\":\"year\",\"y\":\"change\",\"log_y\":true}", "/log_y",
          "not above 0", "leave it out" },
        { "{\"mark\":\"line\",\"x\":\"city\",\"y\":\"rain\",\"log_x\":true}", "/log_x",
          "not consist of numbers", "leave it out" },
        { "{\"mark\":\"bar\",\"x\":\"year\",\"y\":\"rain\",\"log_x\":true}", "/log_x",
          "no logarithmic x", "leave log_x out" },
        { "{\"mark\":\"area\",\"x\":\"year\",\"y\":\"rain\",\"log_y\":true}", "/log_y",
          "begins at 0", "line or point" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(arena) arena = { 0 };
        struct plot_data data = some_data(&arena);
        struct plot_spec spec;
        struct problems problems;

        assert_false(read(&arena, &data, cases[i].text, &spec, &problems));

        assert_int_equal(problems.n, 1);
        assert_string_equal(problems.list[0].path, cases[i].path);
        assert_non_null(strstr(problems.list[0].message, cases[i].message));
        assert_non_null(strstr(problems.list[0].fix, cases[i].fix));
    }
}

static void adds_up_nothing_that_has_no_sum(void **state)
{
    (void)state;
#define STACK "{\"mark\":\"area\",\"x\":\"epoch\",\"color\":\"run\","
    static struct plot_column some[] = { { "epoch", true },      { "run", false },
                                         { "train_loss", true }, { "rows", true },
                                         { "share", true },      { "change", true } };
    static const struct {
        const char *text, *path; /* NULL: it is fine */
    } cases[] = {
        { STACK "\"y\":\"train_loss\"}", "/mark" },
        { STACK "\"y\":\"rows\",\"aggregate\":\"mean\"}", "/aggregate" },
        { STACK "\"y\":\"change\"}", "/y" },
        { STACK "\"y\":\"rows\"}", NULL },
        { STACK "\"y\":\"share\"}", NULL },
        { "{\"mark\":\"area\",\"x\":\"epoch\",\"y\":\"change\"}", NULL },
        { "{\"mark\":\"bar\",\"x\":\"epoch\",\"y\":\"train_loss\"}", "/aggregate" },
        { "{\"mark\":\"line\",\"x\":\"epoch\",\"y\":\"train_loss\",\"aggregate\":\"sum\"}",
          "/aggregate" },
        { "{\"mark\":\"line\",\"x\":\"epoch\",\"y\":\"train_loss\"}", NULL },
        { "{\"mark\":\"bar\",\"x\":\"epoch\",\"y\":\"train_loss\",\"aggregate\":\"mean\"}", NULL },
        { "{\"mark\":\"bar\",\"x\":\"epoch\",\"y\":\"train_loss\",\"color\":\"run\"}", NULL },
        { "{\"mark\":\"bar\",\"x\":\"epoch\",\"y\":\"rows\"}", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(arena) arena = { 0 };
        struct plot_data data = { some, 6, 2,
                                  parse(&arena, "[[1,\"a\",2.5,7,30,-1],[1,\"b\",2.4,8,70,1]]"),
                                  "runs.csv" };
        struct plot_spec spec;
        struct problems problems;

        bool is_fine = read(&arena, &data, cases[i].text, &spec, &problems);

        assert_string_equal(is_fine ? "" : problems.list[0].path,
                            cases[i].path ? cases[i].path : "");
    }
}

static void counts_rows_without_a_column_of_values(void **state)
{
    struct fixture *f = *state;

    assert_true(reads(f, "{\"mark\":\"bar\",\"x\":\"city\",\"aggregate\":\"count\"}"));

    assert_null(f->spec.y);
}

static void sorts_nothing_but_bars(void **state)
{
    struct fixture *f = *state;

    assert_true(reads(f, "{\"mark\":\"line\",\"x\":\"year\",\"y\":\"rain\",\"sorted\":true}"));

    assert_false(f->spec.sorted);
}

static struct plot_data different(struct arena *arena, size_t n)
{
    static struct plot_column two[] = { { "name", false }, { "value", true } };
    json_t *rows = arena_keep_json(arena, json_array());
    for (size_t i = 0; i < n; i++)
        json_array_append_new(rows, json_pack("[s, i]", arena_printf(arena, "n%zu", i), (int)i));
    return (struct plot_data){ two, 2, n, rows, "" };
}

static bool fits(size_t n, const char *text, const char *says)
{
    AUTO(arena) arena = { 0 };
    struct plot_data data = different(&arena, n);
    struct plot_spec spec;
    struct problems problems;
    bool is_good = read(&arena, &data, text, &spec, &problems);
    if (!is_good)
        assert_non_null(strstr(problems.list[0].message, says));
    return is_good;
}

static void draws_as_many_series_as_can_be_told_apart(void **state)
{
    (void)state;
    static const char spec[] =
        "{\"mark\":\"point\",\"x\":\"value\",\"y\":\"value\",\"color\":\"name\"}";
    assert_true(fits(PLOT_MAX_SERIES, spec, ""));
    assert_false(fits(PLOT_MAX_SERIES + 1, spec, "more than 12 series"));
}

static void counts_what_has_no_colour_as_a_series(void **state)
{
    (void)state;
    static const char text[] =
        "{\"mark\":\"point\",\"x\":\"value\",\"y\":\"value\",\"color\":\"name\"}";
    AUTO(arena) arena = { 0 };
    struct plot_data data = different(&arena, PLOT_MAX_SERIES);
    struct plot_spec spec;
    struct problems problems;
    json_t *rows = arena_keep_json(&arena, json_deep_copy(data.rows));
    json_array_append_new(rows, json_pack("[n, i]", 1));
    data.rows = rows;
    data.n_rows++;

    assert_false(read(&arena, &data, text, &spec, &problems));

    assert_string_equal(problems.list[0].path, "/color");
}

static void draws_as_many_bars_as_fit_beside_each_other(void **state)
{
    (void)state;
    static const char bars[] = "{\"mark\":\"bar\",\"x\":\"name\",\"y\":\"value\"}";
    static const char boxes[] = "{\"mark\":\"box\",\"x\":\"name\",\"y\":\"value\"}";
    assert_true(fits(PLOT_MAX_CATEGORIES, bars, ""));
    assert_false(fits(PLOT_MAX_CATEGORIES + 1, bars, "more than 100 bars"));
    assert_false(fits(PLOT_MAX_CATEGORIES + 1, boxes, "more than 100 boxes"));
}

static bool takes_label(size_t length)
{
    AUTO(arena) arena = { 0 };
    struct plot_data data = some_data(&arena);
    struct plot_spec spec;
    struct problems problems;
    char *label = arena_alloc(&arena, length + 1);
    memset(label, 'l', length);
    const char *text = arena_printf(
        &arena, "{\"mark\":\"line\",\"x\":\"year\",\"y\":\"rain\",\"y_label\":\"%s\"}", label);
    return read(&arena, &data, text, &spec, &problems);
}

static void takes_a_label_of_the_bound_and_none_above(void **state)
{
    (void)state;
    assert_true(takes_label(PLOT_MAX_LABEL_BYTES));
    assert_false(takes_label(PLOT_MAX_LABEL_BYTES + 1));
}

static void knows_columns_of_points_in_time(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data = some_data(&arena);
    struct plot_data bad = data;
    bad.rows = parse(&arena, "[[\"2026-02-30\",1,\"x\",null,\"2026-01-01 25:00\"]]");
    bad.n_rows = 1;

    assert_true(plot_data_is_time(&data, 4));
    assert_false(plot_data_is_time(&data, 0));
    assert_false(plot_data_is_time(&data, 1));
    for (size_t i = 0; i < 5; i++)
        assert_false(plot_data_is_time(&bad, i));
}

static void reads_the_forms_of_a_point_in_time(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        { "1970-02", 2678400000 },        { "1970-01-02", 86400000 },
        { "1970/01/02", 86400000 },       { "1970-01-01 00:01", 60000 },
        { "1970-01-01T00:00:02", 2000 },  { "1970-01-01 00:00:02.25", 2250 },
        { "1970-01-01T00:00:02Z", 2000 }, { "1970-01-01T01:00:00+01:00", 0 },
    };
    static const char *const others[] = { "",
                                          "1970",
                                          "0012-05",
                                          "1970-13",
                                          "1970/01-02",
                                          "02.01.1970",
                                          "70-01",
                                          "1970-01-01 1:02",
                                          "1970-01-01T00:00:00.123456789012345678901234567890Z" };
    int64_t ms;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(plot_time_read(cases[i].text, &ms));
        assert_int_equal(ms, cases[i].ms);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(plot_time_read(others[i], &ms));
}

static void knows_years_by_name_and_value(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data = some_data(&arena);
    assert_true(plot_data_is_year(&data, 1));
    assert_false(plot_data_is_year(&data, 2));
    data.rows = parse(&arena, "[[\"Kyiv\",12,1,1,null],[\"Kyiv\",2023,1,1,null]]");
    data.n_rows = 2;
    assert_false(plot_data_is_year(&data, 1));
}

static void counts_different_values_up_to_a_bound(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data = some_data(&arena);

    assert_int_equal(plot_data_distinct(&data, 0, 10), 2);
    assert_int_equal(plot_data_distinct(&data, 2, 10), 2);
    assert_int_equal(plot_data_distinct(&data, 0, 1), 2);
    assert_int_equal(plot_data_find(&data, "rain"), 2);
    assert_int_equal(plot_data_find(&data, "Rain"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_a_spec_with_everything),
        TEST(prints_what_it_reads),
        TEST(prints_no_column_that_is_not_used),
        cmocka_unit_test(says_what_is_wrong_where_and_what_to_do),
        cmocka_unit_test(adds_up_nothing_that_has_no_sum),
        TEST(counts_rows_without_a_column_of_values),
        TEST(sorts_nothing_but_bars),
        cmocka_unit_test(draws_as_many_series_as_can_be_told_apart),
        cmocka_unit_test(counts_what_has_no_colour_as_a_series),
        cmocka_unit_test(draws_as_many_bars_as_fit_beside_each_other),
        cmocka_unit_test(takes_a_label_of_the_bound_and_none_above),
        cmocka_unit_test(knows_columns_of_points_in_time),
        cmocka_unit_test(reads_the_forms_of_a_point_in_time),
        cmocka_unit_test(knows_years_by_name_and_value),
        cmocka_unit_test(counts_different_values_up_to_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
