#include "application/figure/plot/plot.h"
#include "domain/base/csv_reader.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define MAX_BYTES 100000000

static void read(struct arena *arena, const char *text, struct plot_data *out)
{
    struct err err = { 0 };
    enum err_code r =
        plot_table_from_text(arena, text, strlen(text), MAX_BYTES, "rain.csv", out, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(r, ERR_NONE);
}

static const char *rows(struct arena *arena, const char *text)
{
    struct plot_data data;
    read(arena, text, &data);
    return json_print_in(arena, data.rows);
}

static const char *failure(struct arena *arena, enum err_code code, const char *text)
{
    struct err err;
    struct plot_data data;
    assert_int_equal(
        plot_table_from_text(arena, text, strlen(text), MAX_BYTES, "rain.csv", &data, &err), code);
    return arena_strdup(arena, err.message);
}

static void reads_separated_values(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;

    read(&arena, "city,year,rain\nKyiv,2023, 612 \nOslo,2024,580.5\n", &data);

    assert_int_equal(data.n_columns, 3);
    assert_int_equal(data.n_rows, 2);
    assert_string_equal(data.columns[0].name, "city");
    assert_false(data.columns[0].is_number);
    assert_true(data.columns[1].is_number);
    assert_true(data.columns[2].is_number);
    assert_string_equal(data.origin, "rain.csv");
    assert_string_equal(json_print_in(&arena, data.rows),
                        "[[\"Kyiv\",2023,612.0],[\"Oslo\",2024,580.5]]");
}

static void takes_for_missing_what_is_no_value(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    assert_string_equal(rows(&arena, "a,b\n1,x\n,\nNA,NA\nNaN,y\n- ,z\n-,z\n"),
                        "[[\"1\",\"x\"],[null,null],[\"NA\",\"NA\"],[\"NaN\",\"y\"],[\"- \",\"z\"],"
                        "[\"-\",\"z\"]]");
    assert_string_equal(rows(&arena, "a,b\n1,x\n,\nNA,NA\nNaN\n"),
                        "[[1,\"x\"],[null,null],[null,\"NA\"],[null,null]]");
}

static void tells_numbers_from_what_looks_like_them(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const struct {
        const char *cells;
        bool is_number;
    } cases[] = {
        { "1\n-2\n3e5", true }, { "0\n0.5", true },    { "007\n8", false },
        { "-01\n2", false },    { "inf\n1", false },   { "Infinity\n1", false },
        { "1e999\n1", false },  { "0x10\n1", false },  { "1,5", false },
        { "NA\nNaN", false },   { "12 km\n3", false }, { "9223372036854775808\n1", true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plot_data data;
        read(&arena, arena_printf(&arena, "v\tw\n%s", cases[i].cells), &data);
        bool is_number = data.columns[0].is_number;
        assert_int_equal(is_number, cases[i].is_number || strcmp(cases[i].cells, "1,5") == 0);
    }
}

static void reads_a_decimal_comma_where_it_separates_nothing(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    assert_string_equal(rows(&arena, "a;b\n1,5;2\n-0,25;3\n"), "[[1.5,2],[-0.25,3]]");
    assert_string_equal(rows(&arena, "a;b\n1,500,000;2\n"), "[[\"1,500,000\",2]]");
}

static void names_the_columns_of_a_table_without_names(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;

    read(&arena, "1,2\n3,4\n", &data);

    assert_string_equal(data.columns[0].name, "column 1");
    assert_string_equal(data.columns[1].name, "column 2");
    assert_int_equal(data.n_rows, 2);
}

static void gives_every_column_a_name_of_its_own(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;

    read(&arena, "a,,a,a (2),,\n1,2,3,4,,\n", &data);

    assert_int_equal(data.n_columns, 4);
    assert_string_equal(data.columns[0].name, "a");
    assert_string_equal(data.columns[1].name, "column 2");
    assert_string_equal(data.columns[2].name, "a (2)");
    assert_string_equal(data.columns[3].name, "a (2) (2)");
}

static void refuses_what_is_no_table(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct err err;
    struct plot_data data;

    assert_string_equal(failure(&arena, ERR_INVALID, ""), "rain.csv: there are no rows of data");
    assert_string_equal(failure(&arena, ERR_INVALID, "a,b\n"),
                        "rain.csv: there are no rows of data");
    assert_string_equal(failure(&arena, ERR_INVALID, "a,b\n1,2\n1,2,3\n"),
                        "rain.csv: row 2 has 3 fields, and there are 2 columns");
    assert_string_equal(failure(&arena, ERR_INVALID, "[]"), "rain.csv: this JSON is not a table");
    assert_string_equal(failure(&arena, ERR_INVALID, "{\"a\":1}"),
                        "rain.csv: this JSON is not a table");
    assert_string_equal(failure(&arena, ERR_INVALID, "[{\"a\":1},2]"),
                        "rain.csv: row 2 is not an object");
    assert_string_equal(failure(&arena, ERR_INVALID, "[[1,2],[1,2,3]]"),
                        "rain.csv: row 2 is not an array of at most 2 cells");
    assert_non_null(strstr(failure(&arena, ERR_INVALID, "[1,"), "rain.csv: "));
    assert_int_equal(plot_table_from_text(&arena, "a\0b", 3, MAX_BYTES, "x\x1b", &data, &err),
                     ERR_INVALID);
    assert_string_equal(err.message, "x\\x1b: it is binary, not a table");
}

static void reads_every_shape_of_json_that_is_a_table(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[{\"a\":1,\"b\":\"x\"},{\"b\":\"y\",\"a\":2}]",
        "\xef\xbb\xbf \n[[\"a\",\"b\"],[1,\"x\"],[2,\"y\"]]",
        "{\"data\":[{\"a\":1,\"b\":\"x\"},{\"a\":2,\"b\":\"y\"}]}",
        "{\"data\":{\"values\":[{\"a\":1,\"b\":\"x\"},{\"a\":2,\"b\":\"y\"}]},\"mark\":\"bar\"}",
        "{\"columns\":[\"a\",\"b\"],\"rows\":[[1,\"x\"],[2,\"y\"]],\"n\":2}",
        "{\"columns\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"data\":[[1,\"x\"],[2,\"y\"]]}",
        "{\"columns\":[\"a\",\"b\"],\"rows\":[{\"a\":1,\"b\":\"x\"},{\"a\":2,\"b\":\"y\"}]}",
        "{\"a\":[1,2],\"b\":[\"x\",\"y\"]}",
        "{\"result\":{\"items\":[{\"a\":\"1\",\"b\":\"x\"},{\"a\":2,\"b\":\"y\"}]}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        AUTO(arena) arena = { 0 };
        struct plot_data data;

        read(&arena, texts[i], &data);

        assert_int_equal(data.n_columns, 2);
        assert_string_equal(data.columns[0].name, "a");
        assert_string_equal(data.columns[1].name, "b");
        assert_true(data.columns[0].is_number);
        assert_string_equal(json_print_in(&arena, data.rows), "[[1,\"x\"],[2,\"y\"]]");
    }
}

static void reads_plain_values_as_one_column(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;

    read(&arena, "[3,null,5]", &data);

    assert_string_equal(data.columns[0].name, "value");
    assert_string_equal(json_print_in(&arena, data.rows), "[[3],[null],[5]]");
}

static void makes_text_of_values_that_are_no_cells(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    assert_string_equal(rows(&arena, "[{\"a\":{\"b\":[1]},\"c\":true,\"\":\"u\"},{\"c\":1.5},"
                                     "{\"\":\"\"}]"),
                        "[[\"{\\\"b\\\":[1]}\",\"true\",\"u\"],[null,\"1.5\",null],"
                        "[null,null,null]]");
}

static void follows_only_so_many_wrappers(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    assert_string_equal(rows(&arena, "{\"data\":{\"data\":{\"data\":{\"data\":[{\"a\":1}]}}}}"),
                        "[[1]]");
    assert_non_null(
        strstr(failure(&arena, ERR_INVALID,
                       "{\"data\":{\"data\":{\"data\":{\"data\":{\"data\":[{\"a\":1}]}}}}}"),
               "not a table"));
}

static void makes_text_sound(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;
    char *cell = arena_alloc(&arena, PLOT_MAX_CELL_BYTES + 2);
    memset(cell, 'c', PLOT_MAX_CELL_BYTES + 1);

    assert_string_equal(rows(&arena, "a\n\"x\xff y\"\n"), "[[\"x\xef\xbf\xbd y\"]]");
    assert_string_equal(rows(&arena, "[{\"a\":\"x\\u0000y\"}]"), "[[\"x\xef\xbf\xbdy\"]]");
    read(&arena, arena_printf(&arena, "a\n%s\n%.*s\n", cell, PLOT_MAX_CELL_BYTES, cell), &data);

    const char *above = json_string_value(plot_data_cell(&data, 0, 0));
    const char *at = json_string_value(plot_data_cell(&data, 1, 0));
    assert_int_equal(strlen(above), PLOT_MAX_CELL_BYTES + strlen("…"));
    assert_int_equal(strlen(at), PLOT_MAX_CELL_BYTES);
}

static const char *repeated(struct arena *arena, const char *head, const char *piece, size_t n,
                            const char *end)
{
    size_t length = strlen(piece);
    char *text = arena_alloc(arena, strlen(head) + n * length + strlen(end) + 1);
    char *at = text + strlen(head);
    memcpy(text, head, strlen(head));
    for (size_t i = 0; i < n; i++)
        memcpy(at + i * length, piece, length);
    memcpy(at + n * length, end, strlen(end));
    return text;
}

static void holds_as_many_rows_as_the_bound_and_refuses_one_more(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;

    read(&arena, repeated(&arena, "a,b\n", "1,x\n", PLOT_MAX_ROWS, ""), &data);
    assert_int_equal(data.n_rows, PLOT_MAX_ROWS);
    read(&arena, repeated(&arena, "[{\"a\":1}", ",{\"a\":2}", PLOT_MAX_ROWS - 1, "]"), &data);
    assert_int_equal(data.n_rows, PLOT_MAX_ROWS);

    assert_string_equal(
        failure(&arena, ERR_LIMIT, repeated(&arena, "a,b\n", "1,x\n", PLOT_MAX_ROWS + 1, "")),
        "rain.csv: more than 100000 rows");
    assert_string_equal(failure(&arena, ERR_LIMIT,
                                repeated(&arena, "[{\"a\":1}", ",{\"a\":2}", PLOT_MAX_ROWS, "]")),
                        "rain.csv: more than 100000 rows");
    assert_string_equal(
        failure(&arena, ERR_LIMIT, repeated(&arena, "[1", ",2", PLOT_MAX_ROWS, "]")),
        "rain.csv: more than 100000 rows");
    assert_string_equal(
        failure(&arena, ERR_LIMIT, repeated(&arena, "{\"a\":[1", ",2", PLOT_MAX_ROWS, "]}")),
        "rain.csv: more than 100000 rows");
    assert_string_equal(
        failure(&arena, ERR_LIMIT, repeated(&arena, "[[1]", ",[2]", PLOT_MAX_ROWS, "]")),
        "rain.csv: more than 100000 rows");
}

static void holds_as_many_columns_as_the_bound_and_refuses_one_more(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;

    read(&arena, repeated(&arena, "1", ",1", PLOT_MAX_COLUMNS - 1, ""), &data);
    assert_int_equal(data.n_columns, PLOT_MAX_COLUMNS);

    assert_string_equal(
        failure(&arena, ERR_LIMIT, repeated(&arena, "1", ",1", PLOT_MAX_COLUMNS, "")),
        "rain.csv: more than 256 columns");
    assert_string_equal(
        failure(&arena, ERR_LIMIT, repeated(&arena, "a,b\n1", ",", CSV_MAX_FIELDS, "")),
        "rain.csv: a row of more than 500 fields");
}

static void refuses_more_cells_than_the_bound(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *head = repeated(&arena, "[{\"a\":1", ",\"b\":1", 0, "");
    for (int i = 1; i < 41; i++)
        head = arena_printf(&arena, "%s,\"c%d\":1", head, i);
    const char *text =
        arena_printf(&arena, "%s}%s", head, repeated(&arena, "", ",{}", PLOT_MAX_ROWS - 1, "]"));

    assert_string_equal(failure(&arena, ERR_LIMIT, text), "rain.csv: more than 4000000 cells");
}

static void refuses_a_name_above_the_bound(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;

    read(&arena, repeated(&arena, "", "n", PLOT_MAX_NAME_BYTES, "\n1\n"), &data);
    assert_int_equal(strlen(data.columns[0].name), PLOT_MAX_NAME_BYTES);

    assert_string_equal(
        failure(&arena, ERR_LIMIT, repeated(&arena, "", "n", PLOT_MAX_NAME_BYTES + 1, "\n1\n")),
        "rain.csv: column 1 has a name of more than 200 bytes");
}

static void refuses_more_bytes_than_the_setting(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;
    struct err err;

    assert_int_equal(plot_table_from_text(&arena, "a\n1\n", 4, 4, "x", &data, &err), ERR_NONE);
    assert_int_equal(plot_table_from_text(&arena, "a\n1\n", 4, 3, "x", &data, &err), ERR_LIMIT);

    assert_string_equal(err.message, "x: 4 bytes are more than 3");
    assert_non_null(strstr(err.hint, "figure.max_data_bytes"));
}

static enum err_code from_result(struct arena *arena, const char *text, size_t max_bytes,
                                 struct plot_data *out, struct err *err)
{
    struct step_result result;
    assert_int_equal(step_result_init(arena, text, strlen(text), &result, NULL), ERR_NONE);
    return plot_table_from_result(arena, &result, max_bytes, "sql/query", out, err);
}

static void reads_what_a_tool_gave(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data structured, text, prose;
    struct err err;

    assert_int_equal(from_result(&arena,
                                 "{\"content\":[],\"structuredContent\":{\"rows\":[{\"a\":1}]}}",
                                 1000, &structured, &err),
                     ERR_NONE);
    assert_int_equal(from_result(&arena,
                                 "{\"content\":[{\"type\":\"text\",\"text\":\"a,b\\n1,2\"}]}", 1000,
                                 &text, &err),
                     ERR_NONE);
    assert_int_equal(from_result(&arena,
                                 "{\"content\":[{\"type\":\"text\",\"text\":\"[{\\\"a\\\":1}]\"}],"
                                 "\"structuredContent\":{\"ok\":true}}",
                                 1000, &prose, &err),
                     ERR_NONE);

    assert_string_equal(structured.origin, "sql/query");
    assert_int_equal(structured.n_rows, 1);
    assert_int_equal(text.n_columns, 2);
    assert_string_equal(prose.columns[0].name, "a");
}

static void says_that_a_tool_failed_or_gave_too_much(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;
    struct err err;

    assert_int_equal(from_result(&arena,
                                 "{\"isError\":true,\"content\":[{\"type\":\"text\","
                                 "\"text\":\"no such table\"}]}",
                                 1000, &data, &err),
                     ERR_FAILED);
    assert_string_equal(err.message, "sql/query: the tool failed: no such table");
    assert_int_equal(from_result(&arena, "{\"content\":[]}", 13, &data, &err), ERR_LIMIT);
    assert_int_equal(from_result(&arena, "{\"content\":[]}", 14, &data, &err), ERR_INVALID);
}

static void tells_the_columns_with_a_few_values_of_each_in_one_line(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct plot_data data;

    read(&arena, "city,rain,none\nOslo,1,\nOslo,2,\n\"Ro\nme\",2,\nKyiv,3,\nBonn,4,\n", &data);

    assert_string_equal(plot_data_in_words(&arena, &data),
                        "- \"city\": text, such as \"Oslo\", \"Ro\\nme\", \"Kyiv\"\n"
                        "- \"rain\": number, such as 1, 2, 3\n"
                        "- \"none\": text\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_separated_values),
        cmocka_unit_test(takes_for_missing_what_is_no_value),
        cmocka_unit_test(tells_numbers_from_what_looks_like_them),
        cmocka_unit_test(reads_a_decimal_comma_where_it_separates_nothing),
        cmocka_unit_test(names_the_columns_of_a_table_without_names),
        cmocka_unit_test(gives_every_column_a_name_of_its_own),
        cmocka_unit_test(refuses_what_is_no_table),
        cmocka_unit_test(reads_every_shape_of_json_that_is_a_table),
        cmocka_unit_test(reads_plain_values_as_one_column),
        cmocka_unit_test(makes_text_of_values_that_are_no_cells),
        cmocka_unit_test(follows_only_so_many_wrappers),
        cmocka_unit_test(makes_text_sound),
        cmocka_unit_test(holds_as_many_rows_as_the_bound_and_refuses_one_more),
        cmocka_unit_test(holds_as_many_columns_as_the_bound_and_refuses_one_more),
        cmocka_unit_test(refuses_more_cells_than_the_bound),
        cmocka_unit_test(refuses_a_name_above_the_bound),
        cmocka_unit_test(refuses_more_bytes_than_the_setting),
        cmocka_unit_test(reads_what_a_tool_gave),
        cmocka_unit_test(says_that_a_tool_failed_or_gave_too_much),
        cmocka_unit_test(tells_the_columns_with_a_few_values_of_each_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
