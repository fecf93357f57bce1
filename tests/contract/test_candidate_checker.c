/* What runs candidates: the same rules for the fake and for the adapter, then what the adapter
 * finds, what it bounds, and what it never lets through. */
#include "domain/base/json.h"
#include "infrastructure/checking/candidate_checker.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_candidate_checker.h"
#include <string.h>

struct bench {
    struct uv_runtime *runtime;
    struct settings settings;
    struct candidate_checker *checker;
    struct arena arena;
    /* One check: what is asked, and what came of it. */
    struct candidate_checker *asked;
    enum canonical_kind kind;
    const char *candidate;
    const json_t *examples;
    const char *failure;
    struct err err;
    bool is_cancelled;
};

static enum err_code check_on_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct bench *bench = argument;
    if (bench->is_cancelled)
        runtime_cancel(runtime, scope);
    const struct candidate_trial trial = { bench->kind, bench->candidate, bench->examples };
    return candidate_check(bench->asked, scope, &trial, &bench->arena, &bench->failure,
                           &bench->err);
}

static enum err_code run(struct bench *bench, struct candidate_checker *checker,
                         enum canonical_kind kind, const char *candidate, const char *examples)
{
    json_t *value = NULL;
    if (examples)
        assert_int_equal(json_parse(examples, strlen(examples), JSON_OURS, &value, NULL), ERR_NONE);
    bench->asked = checker;
    bench->kind = kind;
    bench->candidate = candidate;
    bench->examples = arena_keep_json(&bench->arena, value);
    bench->failure = "untouched";
    bench->err = (struct err){ 0 };
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    return uv_runtime_run(bench->runtime, &scope, check_on_task, bench);
}

static void passes(struct bench *bench, enum canonical_kind kind, const char *candidate,
                   const char *examples)
{
    enum err_code r = run(bench, bench->checker, kind, candidate, examples);
    if (r || bench->failure)
        print_error("%s: %s%s\n", candidate, bench->err.message,
                    bench->failure ? bench->failure : "");
    assert_int_equal(r, ERR_NONE);
    assert_null(bench->failure);
}

static void fails(struct bench *bench, enum canonical_kind kind, const char *candidate,
                  const char *examples, const char *because)
{
    enum err_code r = run(bench, bench->checker, kind, candidate, examples);
    if (r)
        print_error("%s\n", bench->err.message);
    assert_int_equal(r, ERR_NONE);
    assert_non_null(bench->failure);
    if (!strstr(bench->failure, because))
        print_error("%s\n", bench->failure);
    assert_non_null(strstr(bench->failure, because));
}

static void refuses(struct bench *bench, enum canonical_kind kind, const char *examples,
                    const char *message)
{
    enum err_code r = run(bench, bench->checker, kind, "x", examples);
    if (!strstr(bench->err.message, message))
        print_error("%s\n", bench->err.message);
    assert_int_equal(r, ERR_INVALID);
    assert_non_null(strstr(bench->err.message, message));
}

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    settings_init(&bench->settings);
    bench->runtime = uv_runtime_create();
    bench->checker = candidate_checker_create(bench->runtime, &bench->settings, NULL);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    candidate_checker_destroy(bench->checker);
    uv_runtime_destroy(bench->runtime);
    arena_finish(&bench->arena);
    free(bench);
    return 0;
}

/* The contract of the port, for either. */
static void keep_the_contract(struct bench *bench, struct candidate_checker *checker)
{
    static const char examples[] = "{\"max\":4}";
    assert_int_equal(run(bench, checker, CANONICAL_NUMBER, "4", examples), ERR_NONE);
    assert_null(bench->failure);
    assert_int_equal(run(bench, checker, CANONICAL_NUMBER, "5", examples), ERR_NONE);
    assert_non_null(strstr(bench->failure, "at most 4"));
    assert_int_equal(run(bench, checker, CANONICAL_TEXT, "five", NULL), ERR_NONE);
    assert_null(bench->failure);
}

static void the_fake_keeps_the_contract(void **state)
{
    struct fake_candidate_checker fake;
    fake_candidate_checker_init(&fake);
    fake.refuses = "5";
    fake.failure = "it must be at most 4";
    keep_the_contract(*state, &fake.base);
}

static void the_adapter_keeps_the_contract(void **state)
{
    struct bench *bench = *state;
    keep_the_contract(bench, bench->checker);
}

static void a_regex_is_tried_on_texts(void **state)
{
    struct bench *bench = *state;
    static const char examples[] = "{\"match\":[\"a1\",\"b22\"],\"reject\":[\"1a\"],\"full\":true}";
    passes(bench, CANONICAL_REGEX, "[a-z]\\d+", examples);
    fails(bench, CANONICAL_REGEX, "[a-z]\\d", examples, "it must match \"b22\" and does not");
    fails(bench, CANONICAL_REGEX, "\\w+", examples, "it must not match \"1a\" and does");
    fails(bench, CANONICAL_REGEX, "[a-z", examples, "it is no regular expression");
    passes(bench, CANONICAL_REGEX, "a", NULL);
    fails(bench, CANONICAL_REGEX, "(", NULL, "it is no regular expression");
}

static void a_regex_that_explodes_is_stopped(void **state)
{
    struct bench *bench = *state;
    bench->settings.consensus_check_ms = 60000;
    fails(bench, CANONICAL_REGEX, "^(a+)+$",
          "{\"match\":[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"]}",
          "it needs too many steps");
}

/* Every place of the text costs less than a match may, and all together take minutes. */
static void a_regex_is_bounded_in_time_within_one_text(void **state)
{
    struct bench *bench = *state;
    json_auto_t *examples = json_pack("{s:[]}", "reject");
    char *text = arena_alloc(&bench->arena, 60001);
    memset(text, 'a', 60000);
    json_array_append_new(json_object_get(examples, "reject"), json_string(text));
    bench->settings.consensus_check_ms = 100;
    fails(bench, CANONICAL_REGEX, "(?:a|a){17}[bc]", json_print_in(&bench->arena, examples),
          "longer than 100 ms");
}

#define TABLE "\"setup\":\"create table t(id, name); insert into t values (1,'x'),(2,'y')\""

static void a_select_is_run_on_what_the_examples_fill(void **state)
{
    struct bench *bench = *state;
    static const char examples[] = "{" TABLE ",\"rows\":[[2,\"y\"],[1,\"x\"]],\"columns\":[\"id\","
                                   "\"name\"]}";
    passes(bench, CANONICAL_SQL, "select id, name from t", examples);
    fails(bench, CANONICAL_SQL, "select id, name from t where id=1", examples,
          "it must give the row [2,\"y\"] and does not");
    fails(bench, CANONICAL_SQL, "select id, name from t union all select 3, 'z'", examples,
          "one too many");
    fails(bench, CANONICAL_SQL, "select id, name as n from t", examples, "column 2 must be named");
    fails(bench, CANONICAL_SQL, "select id from t", examples, "it must give 2 columns");
    fails(bench, CANONICAL_SQL, "select colour from t", examples, "no such column");
    fails(bench, CANONICAL_SQL, "drop table t", examples, "give one SELECT");
}

static void the_order_counts_where_it_is_asked_for(void **state)
{
    struct bench *bench = *state;
    static const char examples[] = "{" TABLE ",\"rows\":[[2],[1]],\"ordered\":true}";
    passes(bench, CANONICAL_SQL, "select id from t order by id desc", examples);
    fails(bench, CANONICAL_SQL, "select id from t order by id", examples, "row 1 must be [2]");
    fails(bench, CANONICAL_SQL, "select id from t where id=2", examples, "there is none");
}

static void numbers_of_rows_compare_by_value(void **state)
{
    passes(*state, CANONICAL_SQL, "select 1.0, 0.1+0.2, 1=1, null",
           "{\"setup\":\"\",\"rows\":[[1,0.3,true,null]]}");
}

static void sql_without_examples_is_only_parsed(void **state)
{
    struct bench *bench = *state;
    passes(bench, CANONICAL_SQL, "select id from nowhere", NULL);
    fails(bench, CANONICAL_SQL, "selekt id from nowhere", NULL, "it does not run");
    fails(bench, CANONICAL_SQL, "select id from nowhere", "{\"rows\":[[1]]}", "no such table");
}

static void a_candidate_changes_and_reaches_nothing(void **state)
{
    struct bench *bench = *state;
    static const char *const bad[] = {
        "delete from t",
        "insert into t values (3,'z')",
        "attach 'other.db' as o",
        "pragma user_version",
        "select load_extension('x')",
        "select readfile('/etc/hostname')",
        "select * from pragma_database_list",
        "select * from sqlite_master",
        "select 1; select 2",
        "with x as (select 1) delete from t",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
        fails(bench, CANONICAL_SQL, bad[i], "{" TABLE "}", "it ");
}

static void a_select_is_bounded_in_time_and_rows(void **state)
{
    struct bench *bench = *state;
    static const char endless[] = "with recursive c(n) as (select 1 union all select n+1 from c) "
                                  "select ";
    bench->settings.consensus_check_ms = 50;
    bench->settings.consensus_check_rows = 3;
    fails(bench, CANONICAL_SQL, arena_printf(&bench->arena, "%scount(*) from c", endless), "{}",
          "longer than 50 ms");
    passes(bench, CANONICAL_SQL, arena_printf(&bench->arena, "%sn from c limit 3", endless), "{}");
    fails(bench, CANONICAL_SQL, arena_printf(&bench->arena, "%sn from c limit 4", endless), "{}",
          "more than 3 rows");
}

static void a_select_is_bounded_in_memory(void **state)
{
    struct bench *bench = *state;
    static const char *const wide[] = { "select zeroblob(1e9)",
                                        "select replace(printf('%1000d', 1), ' ', "
                                        "printf('%1000d', 1))" };
    bench->settings.consensus_check_ms = 60000;
    for (size_t i = 0; i < ARRAY_LENGTH(wide); i++)
        fails(bench, CANONICAL_SQL, wide[i], "{}", "it does not run");
    passes(bench, CANONICAL_SQL, "select length(printf('%100000d', 1))", "{}");
    fails(bench, CANONICAL_SQL,
          "with recursive c(n) as (select 1 union all select n+1 from c limit 999) "
          "select printf('%100000d', n) from c",
          "{}", "its rows have more than 16777216 bytes");
}

static void what_fills_the_database_is_bounded_in_memory(void **state)
{
    struct bench *bench = *state;
    bench->settings.consensus_check_ms = 60000;
    refuses(bench, CANONICAL_SQL,
            "{\"setup\":\"create table t as with recursive c(n) as (select 1 union all select n+1 "
            "from c) select randomblob(100000) from c\"}",
            "/setup: it needs more than 33554432 bytes");
}

static void what_fills_the_database_reaches_nothing_either(void **state)
{
    struct bench *bench = *state;
    refuses(bench, CANONICAL_SQL, "{\"setup\":\"attach 'other.db' as o\"}", "/setup");
    refuses(bench, CANONICAL_SQL, "{\"setup\":\"pragma journal_mode=wal\"}", "/setup");
    refuses(bench, CANONICAL_SQL, "{\"setup\":\"create tabel t\"}", "/setup");
    refuses(bench, CANONICAL_SQL, "{\"setup\":\"vacuum into 'other.db'\"}", "/setup");
    bench->settings.consensus_check_ms = 50;
    refuses(bench, CANONICAL_SQL,
            "{\"setup\":\"create table t as with recursive c(n) as (select 1 union all select n+1 "
            "from c) select n from c\"}",
            "longer than 50 ms");
}

static void a_number_has_a_value_and_a_range(void **state)
{
    struct bench *bench = *state;
    passes(bench, CANONICAL_NUMBER, "4", "{\"equals\":\"4.0\"}");
    passes(bench, CANONICAL_NUMBER, "4", "{\"equals\":4}");
    fails(bench, CANONICAL_NUMBER, "5", "{\"equals\":\"4\"}", "not the number");
    passes(bench, CANONICAL_NUMBER, "10", "{\"min\":0,\"max\":10,\"integer\":true}");
    fails(bench, CANONICAL_NUMBER, "10.5", "{\"max\":10}", "at most 10");
    fails(bench, CANONICAL_NUMBER, "-1", "{\"min\":0}", "at least 0");
    fails(bench, CANONICAL_NUMBER, "0.5", "{\"integer\":true}", "whole number");
    fails(bench, CANONICAL_NUMBER, "9007199254740993.5", "{\"integer\":true}", "whole number");
    fails(bench, CANONICAL_NUMBER, "1e-8", "{\"integer\":true}", "whole number");
    passes(bench, CANONICAL_NUMBER, "1.25e22", "{\"integer\":true}");
}

static void json_is_held_against_a_schema(void **state)
{
    struct bench *bench = *state;
    static const char schema[] = "{\"schema\":{\"required\":[\"a\"]}}";
    passes(bench, CANONICAL_JSON, "{\"a\":1}", schema);
    fails(bench, CANONICAL_JSON, "{}", schema, "it does not fit the schema");
    refuses(bench, CANONICAL_JSON, "{\"schema\":{\"type\":\"thing\"}}", "/schema");
}

static void a_text_has_words_and_a_length(void **state)
{
    struct bench *bench = *state;
    static const char examples[] = "{\"contains\":[\"Ray\"],\"min_words\":2,\"max_words\":3}";
    passes(bench, CANONICAL_TEXT, "cosmic rays", examples);
    fails(bench, CANONICAL_TEXT, "rays", examples, "at least 2 words and has 1");
    passes(bench, CANONICAL_TEXT, "the cosmic rays", examples);
    fails(bench, CANONICAL_TEXT, "the cosmic rays fall", examples, "at most 3 words and has 4");
    fails(bench, CANONICAL_TEXT, "cosmic dust", examples, "must contain \"Ray\"");
}

static void examples_of_another_form_are_named_with_their_path(void **state)
{
    struct bench *bench = *state;
    refuses(bench, CANONICAL_REGEX, "[]", "an object is expected");
    refuses(bench, CANONICAL_REGEX, "{\"mach\":[]}", "/mach: there is no such member");
    assert_string_equal(bench->err.hint, "there may be: match, reject, full");
    refuses(bench, CANONICAL_REGEX, "{\"match\":\"a\"}", "/match: a list of texts");
    refuses(bench, CANONICAL_REGEX, "{\"match\":[\"a\",1]}", "/match/1: a text");
    refuses(bench, CANONICAL_REGEX, "{\"full\":1}", "/full: true or false");
    refuses(bench, CANONICAL_SQL, "{\"rows\":[[1],2]}", "/rows/1: a list of plain values");
    refuses(bench, CANONICAL_SQL, "{\"rows\":[[{}]]}", "/rows/0: a list of plain values");
    refuses(bench, CANONICAL_SQL, "{\"setup\":1}", "/setup: a text");
    refuses(bench, CANONICAL_NUMBER, "{\"equals\":\"four\"}", "/equals: a number");
    refuses(bench, CANONICAL_NUMBER, "{\"min\":\"0\"}", "/min: a number");
    refuses(bench, CANONICAL_TEXT, "{\"min_words\":-1}", "/min_words: a whole number");
}

static const char *many_texts(struct bench *bench, size_t n)
{
    json_auto_t *value = json_pack("{s:[]}", "match");
    for (size_t i = 0; i < n; i++)
        json_array_append_new(json_object_get(value, "match"), json_string("x"));
    return json_print_in(&bench->arena, value);
}

static void examples_are_bounded(void **state)
{
    struct bench *bench = *state;
    passes(bench, CANONICAL_REGEX, "x", many_texts(bench, CANDIDATE_MAX_EXAMPLES));
    refuses(bench, CANONICAL_REGEX, many_texts(bench, CANDIDATE_MAX_EXAMPLES + 1),
            "201 of them, at most 200");
    char *text = arena_alloc(&bench->arena, CANDIDATE_MAX_EXAMPLE_BYTES + 1);
    memset(text, 'x', CANDIDATE_MAX_EXAMPLE_BYTES - strlen("{\"match\":[\"\"]}"));
    const char *fits = arena_printf(&bench->arena, "{\"match\":[\"%s\"]}", text);
    passes(bench, CANONICAL_REGEX, "x", fits);
    refuses(bench, CANONICAL_REGEX, arena_printf(&bench->arena, "{\"match\":[\"x%s\"]}", text),
            "65537 bytes");
}

static void a_check_that_is_cancelled_says_so(void **state)
{
    struct bench *bench = *state;
    bench->is_cancelled = true;
    assert_int_equal(run(bench, bench->checker, CANONICAL_REGEX, "x", NULL), ERR_CANCELLED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_fake_keeps_the_contract),
        TEST(the_adapter_keeps_the_contract),
        TEST(a_regex_is_tried_on_texts),
        TEST(a_regex_that_explodes_is_stopped),
        TEST(a_regex_is_bounded_in_time_within_one_text),
        TEST(a_select_is_run_on_what_the_examples_fill),
        TEST(the_order_counts_where_it_is_asked_for),
        TEST(numbers_of_rows_compare_by_value),
        TEST(sql_without_examples_is_only_parsed),
        TEST(a_candidate_changes_and_reaches_nothing),
        TEST(a_select_is_bounded_in_time_and_rows),
        TEST(a_select_is_bounded_in_memory),
        TEST(what_fills_the_database_is_bounded_in_memory),
        TEST(what_fills_the_database_reaches_nothing_either),
        TEST(a_number_has_a_value_and_a_range),
        TEST(json_is_held_against_a_schema),
        TEST(a_text_has_words_and_a_length),
        TEST(examples_of_another_form_are_named_with_their_path),
        TEST(examples_are_bounded),
        TEST(a_check_that_is_cancelled_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
