#include "domain/base/csv_reader.h"
#include "infrastructure/workspace/sql_guard.h"
#include "tests/unit/infrastructure/workspace/workspace_fixture.h"

static const char sales[] = "name,Price,code,when\n"
                            "pear,1.5,007,2026-01-01\n"
                            "apple,2,008,\n"
                            "pear,,009,x\n";

static const char *query(const char *path, const char *sql)
{
    static char arguments[2000];
    snprintf(arguments, sizeof arguments, "{\"path\":\"%s\",\"sql\":\"%s\"}", path, sql);
    return arguments;
}

static const char *rows(void)
{
    static char text[2000];
    auto_str printed = json_print(structured("rows"));
    snprintf(text, sizeof text, "%s", printed);
    return text;
}

static void queries_a_csv_file(void **state)
{
    (void)state;
    put("sales.csv", sales);
    succeed("query_table", query("sales.csv", "SELECT name, sum(price) AS total FROM t "
                                              "GROUP BY name ORDER BY name"));
    assert_string_equal(rows(), "[{\"name\":\"apple\",\"total\":2.0},"
                                "{\"name\":\"pear\",\"total\":1.5}]");
    assert_string_equal(result_text(), "name\ttotal\napple\t2.0\npear\t1.5\n");
    assert_int_equal(json_integer_value(structured("table_rows")), 3);
    assert_int_equal(json_array_size(structured("table_columns")), 4);
}

static void calls_the_table_by_the_name_of_the_file(void **state)
{
    (void)state;
    put("my sales.csv", sales);
    put("t.csv", "a\n1\n");
    put("sqlite_x.csv", "a\n1\n");
    succeed("query_table", query("my sales.csv", "SELECT count(*) AS n FROM [my sales]"));
    assert_string_equal(rows(), "[{\"n\":3}]");
    succeed("query_table", query("t.csv", "SELECT a FROM t"));
    succeed("query_table", query("sqlite_x.csv", "SELECT a FROM t"));
    assert_string_equal(json_string_value(structured("table")), "t");
}

static void infers_types_from_all_values(void **state)
{
    (void)state;
    put("sales.csv", sales);
    succeed("query_table", query("sales.csv", "SELECT typeof(Price) a, typeof(code) b, "
                                              "typeof([when]) c FROM t LIMIT 3"));
    assert_string_equal(rows(), "[{\"a\":\"real\",\"b\":\"text\",\"c\":\"text\"},"
                                "{\"a\":\"real\",\"b\":\"text\",\"c\":\"text\"},"
                                "{\"a\":\"null\",\"b\":\"text\",\"c\":\"text\"}]");
    put("n.tsv", "a\tb\n1\t-2\n3\t4\n");
    succeed("query_table", query("n.tsv", "SELECT sum(a) AS a, min(b) AS b FROM t"));
    assert_string_equal(rows(), "[{\"a\":4,\"b\":-2}]");
}

static void copes_with_headers_as_people_write_them(void **state)
{
    (void)state;
    put("h.csv", "a,A,,a\n1,2,3,4,5\n6\n");
    succeed("query_table", query("h.csv", "SELECT * FROM t"));
    assert_string_equal(rows(),
                        "[{\"a\":1,\"A_2\":2,\"column_3\":3,\"a_3\":4,\"column_5\":5},"
                        "{\"a\":6,\"A_2\":null,\"column_3\":null,\"a_3\":null,\"column_5\":null}]");
    put("empty.csv", "");
    refuse("query_table", query("empty.csv", "SELECT 1"));
}

static void queries_json_lines_and_arrays(void **state)
{
    (void)state;
    put("e.jsonl", "{\"a\":1,\"b\":\"x\"}\n\n{\"a\":2.5,\"c\":[1,2],\"d\":true}\n");
    succeed("query_table", query("e.jsonl", "SELECT * FROM e"));
    assert_string_equal(rows(), "[{\"a\":1,\"b\":\"x\",\"c\":null,\"d\":null},"
                                "{\"a\":2.5,\"b\":null,\"c\":\"[1,2]\",\"d\":1}]");
    put("e.json", "[{\"a\":1},{\"a\":2}]");
    succeed("query_table", query("e.json", "SELECT sum(a) AS s FROM e"));
    assert_string_equal(rows(), "[{\"s\":3}]");
    put("bytes.json", "[{\"a\":1},{\"a\":\"\xff\"}]");
    succeed("query_table", query("bytes.json", "SELECT a FROM bytes"));
    assert_string_equal(rows(), "[{\"a\":1},{\"a\":\"\xEF\xBF\xBD\"}]");
    put("two.json", "[{\"a\":1},\n2]");
    assert_non_null(strstr(refuse("query_table", query("two.json", "SELECT 1")), "row 2"));
    put("cut.json", "[{\"a\":1},\n{]");
    assert_non_null(strstr(refuse("query_table", query("cut.json", "SELECT 1")), "line 2"));
    put("bad.jsonl", "{\"a\":1}\n{\"a\":\n");
    assert_non_null(strstr(refuse("query_table", query("bad.jsonl", "SELECT 1")), "line 2"));
    put("bad.json", "{\"a\":1}");
    refuse("query_table", query("bad.json", "SELECT 1"));
    put("n.jsonl", "1\n");
    assert_non_null(strstr(refuse("query_table", query("n.jsonl", "SELECT 1")), "row 1"));
}

static void only_reads(void **state)
{
    (void)state;
    static const char *const statements[] = {
        "ATTACH '/tmp/x' AS x",
        "PRAGMA database_list",
        "CREATE TABLE x(a)",
        "INSERT INTO t VALUES(1,2,3,4)",
        "UPDATE t SET name = 1",
        "DELETE FROM t",
        "DROP TABLE t",
        "VACUUM INTO '/tmp/x'",
        "BEGIN",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('/tmp/x', 'y')",
        "SELECT fts3_tokenizer('x')",
        "SELECT zeroblob(1000)",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM sqlite_schema",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM pragma_table_info('t')",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE t",
        "EXPLAIN DELETE FROM t",
        "",
        "-- nothing",
    };
    put("sales.csv", sales);
    for (size_t i = 0; i < ARRAY_LENGTH(statements); i++)
        refuse("query_table", query("sales.csv", statements[i]));
}

static void allows_what_analysts_write(void **state)
{
    (void)state;
    static const char *const statements[] = {
        "SELECT 1;",
        "SELECT 1; -- the end",
        "WITH a AS (SELECT * FROM t) SELECT count(*) FROM a JOIN t USING(name)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<5) SELECT i FROM n",
        "SELECT name, row_number() OVER (PARTITION BY name ORDER BY code) FROM t",
        "SELECT upper(name) || ' ' || round(price, 1) FROM t WHERE name LIKE 'p%'",
        "SELECT strftime('%Y', '2026-01-01'), substr(name, 1, 2), coalesce(price, 0) FROM t",
        "SELECT value FROM json_each('[1,2]')",
        "SELECT * FROM t UNION SELECT * FROM sales ORDER BY 1",
        "SELECT group_concat(DISTINCT name) FROM t HAVING count(*) > 1",
        "VALUES (1)",
    };
    put("sales.csv", sales);
    for (size_t i = 0; i < ARRAY_LENGTH(statements); i++)
        succeed("query_table", query("sales.csv", statements[i]));
}

static void names_the_columns_when_one_is_wrong(void **state)
{
    (void)state;
    put("sales.csv", sales);
    const char *text = refuse("query_table", query("sales.csv", "SELECT prise FROM t"));
    assert_non_null(strstr(text, "no such column: prise"));
    assert_non_null(strstr(text, "name, Price, code, when"));
}

static void gives_rows_up_to_the_bound(void **state)
{
    (void)state;
    ws.limits.max_rows = 3;
    put("sales.csv", sales);
    succeed("query_table", query("sales.csv", "SELECT name FROM t"));
    assert_false(json_is_true(structured("truncated")));
    assert_non_null(
        strstr(succeed("query_table", query("sales.csv", "SELECT name FROM t UNION ALL SELECT 1")),
               "(there are more rows: bounded by workspace.max_rows)"));
    assert_int_equal(json_integer_value(structured("row_count")), 3);
    assert_true(json_is_true(structured("truncated")));
    succeed("query_table", "{\"path\":\"sales.csv\",\"sql\":\"SELECT * FROM t\",\"limit\":2}");
    assert_int_equal(json_array_size(structured("rows")), 2);
    assert_string_equal(json_string_value(structured("bounded_by")), "limit");
}

static void ends_a_query_that_takes_too_long(void **state)
{
    (void)state;
    ws.limits.query_ms = 30;
    put("sales.csv", sales);
    const char *text =
        refuse("query_table", query("sales.csv", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
                                                 "SELECT i+1 FROM n) SELECT count(*) FROM n"));
    assert_non_null(strstr(text, "longer than 30 ms"));
}

static void a_value_that_is_too_long_is_an_error_and_never_empty(void **state)
{
    (void)state;
    static const char *const too_long[] = {
        "SELECT printf('%.*c', 1048577, 'x') AS a",
        "SELECT format('%1048577d', 1) AS a",
        "SELECT length(printf('%s', printf('%1048577d', 1))) AS a",
        "SELECT hex(printf('%600000d', 1)) AS a",
        "SELECT group_concat(printf('%600000d', 1)) AS a FROM t",
        "SELECT quote(printf('%1048575d', 1)) AS a",
        "SELECT printf('%600000d', 1) || printf('%600000d', 1) AS a",
        "SELECT strftime(printf('%1048570d', 1) || '%Y-%m-%d', 'now') AS a",
        "SELECT json_array(printf('%1048576d', 1)) AS a",
        "SELECT concat(printf('%600000d', 1), printf('%600000d', 1)) AS a",
    };
    put("sales.csv", sales);
    for (size_t i = 0; i + 1 < ARRAY_LENGTH(too_long); i++) {
        const char *text = refuse("query_table", query("sales.csv", too_long[i]));
        if (!strstr(text, "longer than 1048576 bytes") || !strstr(text, "tools.max_result_bytes"))
            fail_msg("%s: %s", too_long[i], text);
    }
    refuse("query_table", query("sales.csv", too_long[ARRAY_LENGTH(too_long) - 1]));
    succeed("query_table", query("sales.csv", "SELECT length(printf('%1000000d', 1)) AS n"));
    assert_string_equal(rows(), "[{\"n\":1000000}]");
}

static void printf_does_what_it_does_in_sqlite(void **state)
{
    (void)state;
    put("sales.csv", sales);
    succeed("query_table",
            query("sales.csv", "SELECT printf('%05.1f|%-4s|%c|%d%%', 2.25, 'ab', "
                               "'xyz', 7) AS a, printf('') AS b, printf(NULL) AS c, "
                               "format('%s', NULL) AS d, printf('%,d', 12345) AS e"));
    assert_string_equal(rows(), "[{\"a\":\"002.3|ab  |x|7%\",\"b\":\"\",\"c\":null,\"d\":\"\","
                                "\"e\":\"12,345\"}]");
    succeed("query_table", query("sales.csv", "SELECT printf('%s:%d', name, rowid) AS a, "
                                              "printf(name) AS b FROM t LIMIT 2"));
    assert_string_equal(rows(), "[{\"a\":\"pear:1\",\"b\":\"pear\"},"
                                "{\"a\":\"apple:2\",\"b\":\"apple\"}]");
}

static void a_field_that_is_too_long_is_an_error_and_never_empty(void **state)
{
    (void)state;
    enum { BOUND = 1048576, RECORD_HEADER = 5 };
    static char text[BOUND + 100];
    ws.limits.max_file_bytes = sizeof text;
    for (int above = 0; above <= 1; above++) {
        size_t length = BOUND - RECORD_HEADER + (size_t)above;
        memset(text, 'x', sizeof text);
        memcpy(text, "a\n", 2);
        text[2 + length] = '\0';
        put("long.csv", text);
        text[2 + length] = 'x';
        memcpy(text, "{\"a\":\"", 6);
        snprintf(text + 6 + length, 4, "\"}\n");
        put("long.jsonl", text);
        for (int i = 0; i < 2; i++) {
            const char *call = query(i ? "long.jsonl" : "long.csv", "SELECT length(a) AS n FROM t");
            if (above)
                assert_non_null(strstr(refuse("query_table", call), "longer than 1048576 bytes"));
            else
                succeed("query_table", call);
        }
    }
}

static void bounds_large_values_and_results(void **state)
{
    (void)state;
    put("sales.csv", sales);
    refuse("query_table",
           query("sales.csv", "SELECT replace(printf('%1000000d', 1), ' ', 'xxxxxxxxxx') FROM t"));
    succeed("query_table", query("sales.csv", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
                                              "i+1 FROM n LIMIT 90) SELECT i, "
                                              "printf('%5000d', i) AS big FROM n"));
    assert_true(json_is_true(structured("truncated")));
}

static void keeps_result_columns_apart(void **state)
{
    (void)state;
    put("sales.csv", sales);
    succeed("query_table", query("sales.csv", "SELECT 1 AS a, 2 AS a, 3 AS a"));
    assert_string_equal(rows(), "[{\"a\":1,\"a_2\":2,\"a_3\":3}]");
}

static void bounds_the_number_of_columns(void **state)
{
    (void)state;
    char text[2 * CSV_MAX_FIELDS + 10] = "";
    for (int i = 0; i < CSV_MAX_FIELDS; i++)
        strcat(text, i ? ",1" : "1");
    put("at.csv", text);
    strcat(text, ",1");
    put("above.csv", text);
    succeed("query_table", query("at.csv", "SELECT count(*) FROM t"));
    refuse("query_table", query("above.csv", "SELECT count(*) FROM t"));
}

static void bounds_the_length_of_the_sql(void **state)
{
    (void)state;
    static char arguments[WORKSPACE_MAX_SQL_BYTES + 100], sql[WORKSPACE_MAX_SQL_BYTES + 2];
    put("sales.csv", sales);
    memset(sql, ' ', sizeof sql - 1);
    memcpy(sql, "SELECT 1", 8);
    sql[WORKSPACE_MAX_SQL_BYTES] = '\0';
    snprintf(arguments, sizeof arguments, "{\"path\":\"sales.csv\",\"sql\":\"%s\"}", sql);
    succeed("query_table", arguments);
    sql[WORKSPACE_MAX_SQL_BYTES] = ' ';
    snprintf(arguments, sizeof arguments, "{\"path\":\"sales.csv\",\"sql\":\"%s\"}", sql);
    assert_non_null(strstr(refuse("query_table", arguments), "longer than 65536 bytes"));
}

/* "1+1+…" is as deep as it has terms. */
static const char *sum_of(size_t n)
{
    static char sql[1000];
    size_t length = (size_t)snprintf(sql, sizeof sql, "SELECT 1");
    for (size_t i = 1; i < n; i++)
        length += (size_t)snprintf(sql + length, sizeof sql - length, "+1");
    snprintf(sql + length, sizeof sql - length, " AS n");
    return query("sales.csv", sql);
}

static void bounds_the_depth_of_an_expression(void **state)
{
    (void)state;
    put("sales.csv", sales);
    succeed("query_table", sum_of(SQL_MAX_EXPRESSION_DEPTH));
    assert_string_equal(rows(), "[{\"n\":200}]");
    assert_non_null(strstr(refuse("query_table", sum_of(SQL_MAX_EXPRESSION_DEPTH + 1)), "200"));
}

static const char *union_of(size_t n)
{
    static char sql[1500];
    size_t length = (size_t)snprintf(sql, sizeof sql, "SELECT 1 AS n");
    for (size_t i = 1; i < n; i++)
        length += (size_t)snprintf(sql + length, sizeof sql - length, " UNION SELECT 1");
    return query("sales.csv", sql);
}

static void bounds_the_parts_of_a_compound_select(void **state)
{
    (void)state;
    put("sales.csv", sales);
    succeed("query_table", union_of(SQL_MAX_COMPOUND));
    assert_string_equal(rows(), "[{\"n\":1}]");
    assert_non_null(
        strstr(refuse("query_table", union_of(SQL_MAX_COMPOUND + 1)), "compound SELECT"));
}

#define IN_WORKSPACE(test) cmocka_unit_test_setup_teardown(test, open_workspace, close_workspace)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORKSPACE(queries_a_csv_file),
        IN_WORKSPACE(calls_the_table_by_the_name_of_the_file),
        IN_WORKSPACE(infers_types_from_all_values),
        IN_WORKSPACE(copes_with_headers_as_people_write_them),
        IN_WORKSPACE(queries_json_lines_and_arrays),
        IN_WORKSPACE(only_reads),
        IN_WORKSPACE(allows_what_analysts_write),
        IN_WORKSPACE(names_the_columns_when_one_is_wrong),
        IN_WORKSPACE(gives_rows_up_to_the_bound),
        IN_WORKSPACE(ends_a_query_that_takes_too_long),
        IN_WORKSPACE(a_value_that_is_too_long_is_an_error_and_never_empty),
        IN_WORKSPACE(printf_does_what_it_does_in_sqlite),
        IN_WORKSPACE(a_field_that_is_too_long_is_an_error_and_never_empty),
        IN_WORKSPACE(bounds_large_values_and_results),
        IN_WORKSPACE(keeps_result_columns_apart),
        IN_WORKSPACE(bounds_the_number_of_columns),
        IN_WORKSPACE(bounds_the_length_of_the_sql),
        IN_WORKSPACE(bounds_the_depth_of_an_expression),
        IN_WORKSPACE(bounds_the_parts_of_a_compound_select),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
