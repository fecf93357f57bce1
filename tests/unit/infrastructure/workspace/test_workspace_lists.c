/* query: SQL over lists of values. */
#include "infrastructure/workspace/sql_guard.h"
#include "infrastructure/workspace/table_load.h"
#include "tests/unit/infrastructure/workspace/workspace_fixture.h"

static const char notes[] = "{\"notes\":[{\"path\":\"a.md\",\"line\":3,\"tags\":[\"x\",\"y\"]},"
                            "{\"path\":\"b.md\",\"line\":1.5,\"by\":{\"name\":\"Ann\"}},"
                            "{\"path\":\"a.md\",\"line\":7,\"done\":true}]}";

/* The arguments, until the next call. others: further members, or "". */
static const char *given(const char *tables, const char *sql, const char *others)
{
    static char *text;
    json_auto_t *quoted = json_string(sql);
    auto_str printed = json_print(quoted);
    free(text);
    if (asprintf(&text, "{\"tables\":%s,\"sql\":%s%s}", tables, printed, others) < 0)
        abort();
    return text;
}

static const char *rows(void)
{
    static char text[4000];
    auto_str printed = json_print(structured("rows"));
    snprintf(text, sizeof text, "%s", printed);
    return text;
}

static void gives(const char *tables, const char *sql, const char *expected)
{
    succeed("query", given(tables, sql, ""));
    if (strcmp(rows(), expected) != 0)
        fail_msg("%s: %s", sql, rows());
}

static void gives_with(const char *params, const char *sql, const char *expected)
{
    succeed("query", given(notes, sql, params));
    if (strcmp(rows(), expected) != 0)
        fail_msg("%s: %s", sql, rows());
}

static void refuses(const char *tables, const char *sql, const char *because)
{
    const char *text = refuse("query", given(tables, sql, ""));
    if (!strstr(text, because))
        fail_msg("%.500s: %s", sql, text);
}

static void shapes_lists_and_keeps_the_types_of_values(void **state)
{
    (void)state;
    gives(notes, "SELECT path, count(*) AS n, sum(line) AS s FROM notes GROUP BY path ORDER BY n",
          "[{\"path\":\"b.md\",\"n\":1,\"s\":1.5},{\"path\":\"a.md\",\"n\":2,\"s\":10}]");
    assert_int_equal(json_integer_value(structured("count")), 2);
    assert_string_equal(result_text(), "path\tn\ts\nb.md\t1\t1.5\na.md\t2\t10\n");
    gives(notes, "SELECT * FROM notes LIMIT 2",
          "[{\"path\":\"a.md\",\"line\":3,\"tags\":\"[\\\"x\\\",\\\"y\\\"]\",\"by\":null,"
          "\"done\":null},{\"path\":\"b.md\",\"line\":1.5,\"tags\":null,"
          "\"by\":\"{\\\"name\\\":\\\"Ann\\\"}\",\"done\":null}]");
    gives(notes, "SELECT done, typeof(done) AS t FROM notes WHERE done",
          "[{\"done\":1,\"t\":\"integer\"}]");
    gives("{\"t\":[{\"a\":9007199254740993,\"b\":\"\",\"c\":\"007\"}]}", "SELECT * FROM t",
          "[{\"a\":9007199254740993,\"b\":\"\",\"c\":\"007\"}]");
}

static void reads_nested_values_with_the_functions_for_json(void **state)
{
    (void)state;
    gives(notes, "SELECT by ->> 'name' AS name FROM notes WHERE by IS NOT NULL",
          "[{\"name\":\"Ann\"}]");
    gives(notes, "SELECT notes.path, tag.value AS tag FROM notes, json_each(notes.tags) AS tag",
          "[{\"path\":\"a.md\",\"tag\":\"x\"},{\"path\":\"a.md\",\"tag\":\"y\"}]");
    gives(notes, "SELECT json_set('{}', '$.n', count(*)) AS o FROM notes",
          "[{\"o\":\"{\\\"n\\\":3}\"}]");
}

static void takes_lists_of_values_that_are_no_objects(void **state)
{
    (void)state;
    gives("{\"a\":[3,\"x\",null,[1],2.5],\"b\":[3]}",
          "SELECT a.value, b.value IS NOT NULL AS there FROM a LEFT JOIN b USING(value)",
          "[{\"value\":3,\"there\":1},{\"value\":\"x\",\"there\":0},{\"value\":null,\"there\":0},"
          "{\"value\":\"[1]\",\"there\":0},{\"value\":2.5,\"there\":0}]");
    gives("{\"a\":[null,{\"x\":1}]}", "SELECT * FROM a", "[{\"x\":null},{\"x\":1}]");
    gives("{\"a\":[],\"b\":[{},{}]}", "SELECT * FROM a UNION ALL SELECT * FROM b",
          "[{\"value\":null},{\"value\":null}]");
    gives("{}", "SELECT 1 AS n", "[{\"n\":1}]");
    succeed("query", "{\"sql\":\"SELECT 1\"}");
    refuses("{\"a\":[{\"x\":1},2]}", "SELECT 1",
            "table a: row 2: objects and other values are mixed");
    refuses("{\"a\":[1,{\"x\":1}]}", "SELECT 1", "table a: row 2");
    refuses("{\"a\":{}}", "SELECT 1", "tables");
}

static void a_list_that_may_be_empty_can_name_its_columns(void **state)
{
    (void)state;
    static const char columns[] = ",\"columns\":{\"notes\":[\"path\",\"owner\"]}";
    succeed("query", given("{\"notes\":[]}", "SELECT path, owner FROM notes", columns));
    assert_string_equal(rows(), "[]");
    assert_int_equal(json_integer_value(structured("count")), 0);
    succeed("query", given(notes, "SELECT owner, line FROM notes LIMIT 1", columns));
    assert_string_equal(rows(), "[{\"owner\":null,\"line\":3}]");
    refuse("query", given("{\"notes\":[]}", "SELECT path FROM notes", ""));
    assert_non_null(
        strstr(refuse("query", given("{}", "SELECT 1", columns)), "there is no table notes"));
}

static void binds_values_that_need_not_be_printed_into_the_sql(void **state)
{
    (void)state;
    gives_with(",\"params\":{\"p\":\"a.md\",\"least\":4,\"unused\":1}",
               "SELECT line FROM notes WHERE path = :p AND line > $least", "[{\"line\":7}]");
    gives_with(",\"params\":[4, \"a.md\"]", "SELECT line FROM notes WHERE line < ? AND path = ?",
               "[{\"line\":3}]");
    gives_with(",\"params\":{\"p\":\"' OR 1=1 --\"}", "SELECT line FROM notes WHERE path = :p",
               "[]");
    gives_with(",\"params\":{\"all\":[3,7],\"no\":null}",
               "SELECT line, :no AS no FROM notes WHERE line IN (SELECT value FROM "
               "json_each(:all))",
               "[{\"line\":3,\"no\":null},{\"line\":7,\"no\":null}]");
    assert_non_null(strstr(refuse("query", given(notes, "SELECT :p", ",\"params\":{\"q\":1}")),
                           "no value for the parameter :p"));
    assert_non_null(strstr(refuse("query", given(notes, "SELECT ?", "")), "the parameter ?"));
    assert_non_null(strstr(refuse("query", given(notes, "SELECT ?", ",\"params\":[1,2]")),
                           "2 values for the 1 parameters"));
}

static void only_reads(void **state)
{
    (void)state;
    static const char *const statements[] = {
        "ATTACH '/tmp/x' AS x",
        "DETACH main",
        "PRAGMA database_list",
        "PRAGMA writable_schema=1",
        "PRAGMA temp_store_directory='/tmp'",
        "CREATE TABLE x(a)",
        "CREATE TEMP TABLE x(a)",
        "CREATE VIRTUAL TABLE x USING fts5(a)",
        "INSERT INTO notes(path) VALUES('x')",
        "UPDATE notes SET path = 'x'",
        "DELETE FROM notes RETURNING path",
        "WITH x AS (SELECT 1) DELETE FROM notes",
        "REPLACE INTO notes(path) VALUES('x')",
        "DROP TABLE notes",
        "ALTER TABLE notes RENAME TO x",
        "VACUUM",
        "VACUUM INTO '/tmp/x'",
        "ANALYZE",
        "REINDEX",
        "BEGIN",
        "ROLLBACK",
        "SAVEPOINT x",
        "EXPLAIN DELETE FROM notes",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('/tmp/x', 'y')",
        "SELECT edit('x')",
        "SELECT fts3_tokenizer('x')",
        "SELECT sqlite_version()",
        "SELECT last_insert_rowid()",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM temp.sqlite_schema",
        "SELECT * FROM sqlite_dbpage",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM pragma_table_info('notes')",
        "SELECT * FROM dbstat",
        "SELECT * FROM fsdir('/')",
        "SELECT * FROM generate_series(1, 10)",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE notes",
        "",
        "-- nothing",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(statements); i++)
        refuses(notes, statements[i], "");
    assert_int_not_equal(access("/tmp/x", F_OK), 0);
}

static void what_would_fill_memory_is_an_error(void **state)
{
    (void)state;
    static const char *const statements[] = {
        "SELECT randomblob(1000000000)",
        "SELECT zeroblob(1000000000)",
        "SELECT printf('%1000000000d', 1)",
        "SELECT printf('%.*c', 10000000, 'x')",
        "SELECT hex(printf('%1000000d', 1))",
        "SELECT group_concat(printf('%1000000d', 1)) FROM notes",
        "SELECT json_group_array(printf('%1000000d', 1)) FROM notes",
        "SELECT replace(printf('%1000000d', 1), ' ', 'xxxxxxxxxx')",
    };
    ws.limits.query_ms = 60000; /* memory ends first, on a slow machine as well */
    for (size_t i = 0; i < ARRAY_LENGTH(statements); i++)
        refuse("query", given(notes, statements[i], ""));
    refuses(notes,
            "WITH RECURSIVE n(i, t) AS (SELECT 1, printf('%90000d', 1) UNION SELECT i + 1, "
            "printf('%90000d', i) FROM n) SELECT count(*) FROM n",
            "more than 64 MiB of memory");
}

static void what_would_not_end_is_ended(void **state)
{
    (void)state;
    static const char list[] = "{\"n\":[1,2,3,4,5,6,7,8,9,10]}";
    static const char *const statements[] = {
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        "SELECT count(*) FROM n a, n b, n c, n d, n e, n f, n g, n h, n i, n j, n k, n l",
        ("WITH RECURSIVE x(j) AS (SELECT '[1,1]' UNION ALL SELECT '[1,1]' FROM x, json_each(x.j)) "
         "SELECT count(*) FROM x"),
    };
    ws.limits.query_ms = 30;
    for (size_t i = 0; i < ARRAY_LENGTH(statements); i++)
        refuses(list, statements[i], "longer than 30 ms");
}

/* {"t":[0,0,…]} */
static char *zeros(size_t n)
{
    char *text = malloc(2 * n + 20), *at = text + sprintf(text, "{\"t\":[");
    for (size_t i = 0; i < n; i++)
        at += sprintf(at, i ? ",0" : "0");
    strcpy(at, "]}");
    return text;
}

static void takes_as_many_rows_as_the_bound_and_not_one_more(void **state)
{
    (void)state;
    auto_str at = zeros(WORKSPACE_LISTS_MAX_ROWS);
    auto_str above = zeros(WORKSPACE_LISTS_MAX_ROWS + 1);
    ws.limits.query_ms = 60000;
    gives(at, "SELECT count(*) AS n FROM t", "[{\"n\":100000}]");
    refuses(above, "SELECT 1", "the tables have 100001 rows, more than 100000");
    at[strlen(at) - 1] = '\0'; /* one of two tables */
    auto_str both = NULL;
    if (asprintf(&both, "%s,\"u\":[0]}", at) < 0)
        abort();
    refuses(both, "SELECT 1", "more than 100000");
}

static void gives_as_many_rows_as_the_bound_and_not_one_more(void **state)
{
    (void)state;
    static const char counting[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
                                   "n LIMIT %d) SELECT i FROM n";
    char sql[200];
    ws.limits.query_ms = 60000;
    ws.limits.max_result_bytes = 8388608;
    snprintf(sql, sizeof sql, counting, WORKSPACE_LISTS_MAX_ROWS);
    succeed("query", given("{}", sql, ""));
    assert_int_equal(json_integer_value(structured("count")), 100000);
    snprintf(sql, sizeof sql, counting, WORKSPACE_LISTS_MAX_ROWS + 1);
    refuses("{}", sql, "the result has more than 100000 rows");
}

static void a_result_that_is_too_large_is_an_error_and_not_cut(void **state)
{
    (void)state;
    for (size_t n = 20; n <= 4000; n *= 14) {
        char sql[200];
        snprintf(sql, sizeof sql,
                 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT %zu) "
                 "SELECT printf('%%900d', i) AS t FROM n",
                 n);
        if (n == 20)
            succeed("query", given("{}", sql, ""));
        else
            refuses("{}", sql, "larger than 262144 bytes");
    }
    assert_non_null(strstr(result_text(), "tools.max_result_bytes"));
    ws.limits.max_result_bytes = 1024;
    refuses("{}", "SELECT printf('%1500d', 1) AS t", "larger than 1024 bytes");
}

static void takes_any_name_of_a_table_but_those_of_sqlite(void **state)
{
    (void)state;
    static const char *const names[] = { "select", "a b",  "it's",      "🍐",    "main",
                                         "[x]",    "a;b",  "json_each", "t\n",  "%s",
                                         "123",    "TEMP", "rowid",     "näme", "`" };
    static const char *const refused[] = { "sqlite_x", "SQLite_sequence", "pragma_x", "dbstat",
                                           "fts_x" };
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        json_auto_t *tables = json_pack("{s[{si}]}", names[i], "n", 5);
        auto_str text = json_print(tables);
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT n FROM \"%s\"", names[i]);
        gives(text, sql, "[{\"n\":5}]");
    }
    gives("{\"a\\\"b\":[{\"c\\\"d\":1}]}", "SELECT \"c\"\"d\" FROM \"a\"\"b\"", "[{\"c\\\"d\":1}]");
    for (size_t i = 0; i < ARRAY_LENGTH(refused); i++) {
        json_auto_t *tables = json_pack("{s[]}", refused[i]);
        auto_str text = json_print(tables);
        refuses(text, "SELECT 1", "SQLite keeps names that begin so for itself");
    }
    refuses("{\"\":[]}", "SELECT 1", "1 to 100 bytes");
    refuses("{\"a\":[],\"A\":[]}", "SELECT 1", "already exists");
}

static void bounds_the_names_of_tables_and_columns(void **state)
{
    (void)state;
    char text[300], name[TABLE_MAX_NAME + 2] = "";
    memset(name, 'x', TABLE_MAX_NAME);
    for (int above = 0; above <= 1; above++) {
        name[TABLE_MAX_NAME] = above ? 'x' : '\0';
        for (int is_column = 0; is_column <= 1; is_column++) {
            snprintf(text, sizeof text, "{\"%s\":[{\"%s\":1}]}", is_column ? "t" : name,
                     is_column ? name : "c");
            if (above)
                refuses(text, "SELECT 1", "1 to 100 bytes");
            else
                gives(text, "SELECT 1 AS a", "[{\"a\":1}]");
        }
    }
}

static void bounds_the_number_of_tables_and_columns(void **state)
{
    (void)state;
    for (int above = 0; above <= 1; above++) {
        json_auto_t *tables = json_object(), *row = json_object();
        char name[20];
        for (int i = 0; i < 64 + above; i++) {
            snprintf(name, sizeof name, "t%d", i);
            json_object_set_new(tables, name, json_pack("[i]", i));
        }
        for (int i = 0; i < TABLE_MAX_COLUMNS + above; i++) {
            snprintf(name, sizeof name, "c%d", i);
            json_object_set_new(row, name, json_integer(i));
        }
        json_auto_t *wide = json_pack("{s[O]}", "t", row);
        auto_str many_tables = json_print(tables);
        auto_str many_columns = json_print(wide);
        if (above) {
            refuses(many_tables, "SELECT 1", "tables");
            refuses(many_columns, "SELECT 1", "more than 500 columns");
        } else {
            gives(many_tables, "SELECT value FROM t63", "[{\"value\":63}]");
            gives(many_columns, "SELECT c499 FROM t", "[{\"c499\":499}]");
        }
    }
}

static void keeps_columns_apart(void **state)
{
    (void)state;
    gives("{\"a\":[{\"id\":1}],\"b\":[{\"id\":2}]}", "SELECT * FROM a, b",
          "[{\"id\":1,\"id_2\":2}]");
    gives("{\"a\":[{\"order\":1,\"🍐 x\":2}]}", "SELECT \"order\", \"🍐 x\" FROM a",
          "[{\"order\":1,\"🍐 x\":2}]");
    refuses("{\"a\":[{\"id\":1},{\"ID\":2}]}", "SELECT 1",
            "table a: row 2: \"id\" and \"ID\" are the same column in SQL");
    refuses("{\"a\":[{\"\":1}]}", "SELECT 1", "1 to 100 bytes");
}

static void names_tables_and_columns_when_one_is_wrong(void **state)
{
    (void)state;
    refuses("{\"a\":[{\"x\":1,\"y\":2}],\"b\":[1]}", "SELECT z FROM a",
            "no such column: z; the tables: a: x, y; b: value");
    refuses("{}", "SELECT z FROM a", "no such table: a");
}

static void a_text_that_json_cannot_have_is_an_error(void **state)
{
    (void)state;
    refuses("{}", "SELECT char(0) AS a", "NUL character");
    refuses("{}", "SELECT CAST(x'ff' AS TEXT) AS a", "not UTF-8");
    gives("{}", "SELECT x'ff' AS a, 9e999 AS b", "[{\"a\":\"(1 bytes)\",\"b\":null}]");
}

#define IN_WORKSPACE(test) cmocka_unit_test_setup_teardown(test, open_workspace, close_workspace)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORKSPACE(shapes_lists_and_keeps_the_types_of_values),
        IN_WORKSPACE(reads_nested_values_with_the_functions_for_json),
        IN_WORKSPACE(takes_lists_of_values_that_are_no_objects),
        IN_WORKSPACE(a_list_that_may_be_empty_can_name_its_columns),
        IN_WORKSPACE(binds_values_that_need_not_be_printed_into_the_sql),
        IN_WORKSPACE(only_reads),
        IN_WORKSPACE(what_would_fill_memory_is_an_error),
        IN_WORKSPACE(what_would_not_end_is_ended),
        IN_WORKSPACE(takes_as_many_rows_as_the_bound_and_not_one_more),
        IN_WORKSPACE(gives_as_many_rows_as_the_bound_and_not_one_more),
        IN_WORKSPACE(a_result_that_is_too_large_is_an_error_and_not_cut),
        IN_WORKSPACE(takes_any_name_of_a_table_but_those_of_sqlite),
        IN_WORKSPACE(bounds_the_names_of_tables_and_columns),
        IN_WORKSPACE(bounds_the_number_of_tables_and_columns),
        IN_WORKSPACE(keeps_columns_apart),
        IN_WORKSPACE(names_tables_and_columns_when_one_is_wrong),
        IN_WORKSPACE(a_text_that_json_cannot_have_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
