
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/schema/schema_quarantine.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return value;
}

/* part: as JSON text; NULL: none. */
static void assert_named(const char *schema, const char *text, const char *part)
{
    AUTO(arena) arena = { 0 };
    json_auto_t *parsed = parse(schema);
    const json_t *found = schema_suspect_named(&arena, parsed, text);
    auto_str printed = found ? json_print_sorted(found) : NULL;
    if (!text_equal(printed, part))
        fail_msg("%s, not %s", printed ? printed : "none", part ? part : "none");
}

static void finds_the_part_that_an_error_names(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"properties\":{\"a\":{\"items\":{\"anyOf\":[{},{\"const\":1}]}},\"b c\":{\"const\":2},"
        "\"d/e\":{\"const\":3},\"f~g\":{\"const\":4}}}";
    assert_named(schema, "JSON schema error at #/properties/a/items/anyOf/1: bad", "{\"const\":1}");
    assert_named(schema, "at #/properties/b c: bad", "{\"const\":2}");
    assert_named(schema, "at #/properties/d~1e", "{\"const\":3}");
    assert_named(schema, "at '#/properties/f~0g'.", "{\"const\":4}");
    assert_named(schema, "at #/properties/b c/type/0: bad", "{\"const\":2}");
}

static void blames_no_list_of_members_for_a_key_it_cannot_read(void **state)
{
    (void)state;
    assert_named("{\"properties\":{\"args\":{\"properties\":{\"x/y\":{\"type\":\"dict\"}}}}}",
                 "at #/properties/args/properties/x/y: unrecognized type",
                 "{\"properties\":{\"x/y\":{\"type\":\"dict\"}}}");
}

static void finds_nothing_where_nothing_or_the_whole_is_named(void **state)
{
    (void)state;
    assert_named("{\"properties\":{\"a\":{}}}", "failed to parse grammar", NULL);
    assert_named("{\"properties\":{\"a\":{}}}", "at #/properties/b: bad", NULL);
    assert_named("{\"properties\":{\"a\":{}}}", "at #/properties/a: empty", NULL);
    assert_named("{\"properties\":{\"a\":{\"const\":1}}}", "at #/", NULL);
}

/* An endpoint that refuses every schema with all of some words in its text. */
struct endpoint {
    const char *words[2];
    unsigned tries;
    enum err_code fails;
};

static enum err_code try_schema(void *context, const json_t *schema, bool *out_taken,
                                struct err *err)
{
    struct endpoint *endpoint = context;
    auto_str text = json_print(schema);
    endpoint->tries++;
    if (endpoint->fails)
        return err_set(err, endpoint->fails, 0, "gone");
    *out_taken = !strstr(text, endpoint->words[0]) ||
                 (endpoint->words[1] && !strstr(text, endpoint->words[1]));
    return ERR_NONE;
}

static void assert_finds(struct endpoint endpoint, const char *schema, const char *part)
{
    AUTO(arena) arena = { 0 };
    json_auto_t *parsed = parse(schema);
    const json_t *found = NULL;
    assert_int_equal(schema_suspect_search(&arena, parsed, try_schema, &endpoint, &found, NULL),
                     ERR_NONE);
    auto_str printed = found ? json_print_sorted(found) : NULL;
    assert_true(text_equal(printed, part));
    assert_in_range(endpoint.tries, 0, SCHEMA_SUSPECT_MAX_TRIES);
}

static void finds_the_smallest_part_that_is_refused_by_itself(void **state)
{
    (void)state;
    const struct endpoint bad = { { "BAD", NULL }, 0, ERR_NONE };
    assert_finds(
        bad, "{\"properties\":{\"a\":{\"const\":1},\"b\":{\"const\":\"BAD\"},\"c\":{\"const\":3}}}",
        "{\"const\":\"BAD\"}");
    assert_finds(bad, "{\"anyOf\":[{\"items\":{\"const\":\"BAD\"}},{\"const\":1}]}",
                 "{\"const\":\"BAD\"}");
    assert_finds(bad,
                 "{\"prefixItems\":[{\"const\":1},{\"additionalProperties\":{\"const\":\"BAD\"}}]}",
                 "{\"const\":\"BAD\"}");
}

static void stops_at_the_part_whose_parts_are_all_taken(void **state)
{
    (void)state;
    const struct endpoint both = { { "LEFT", "RIGHT" }, 0, ERR_NONE };
    assert_finds(both,
                 "{\"properties\":{\"a\":{\"properties\":{\"l\":{\"const\":\"LEFT\"},\"r\":{"
                 "\"const\":\"RIGHT\"}}},\"b\":{\"const\":1}}}",
                 "{\"properties\":{\"l\":{\"const\":\"LEFT\"},\"r\":{\"const\":\"RIGHT\"}}}");
    assert_finds(both, "{\"properties\":{\"l\":{\"const\":\"LEFT\"},\"r\":{\"const\":\"RIGHT\"}}}",
                 NULL);
}

static void finds_nothing_in_a_schema_without_parts(void **state)
{
    (void)state;
    const struct endpoint bad = { { "BAD", NULL }, 0, ERR_NONE };
    assert_finds(bad, "{\"const\":\"BAD\"}", NULL);
    assert_finds(bad, "{\"properties\":{\"a\":{}}}", NULL);
}

static void tries_so_often_and_no_more(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct endpoint endpoint = { { "BAD", NULL }, 0, ERR_NONE };
    json_t *schema = json_pack("{s:s}", "const", "BAD");
    for (size_t i = 0; i < SCHEMA_SUSPECT_MAX_TRIES + 5; i++)
        schema = json_pack("{s:o}", "items", schema);
    const json_t *found = NULL;
    assert_int_equal(schema_suspect_search(&arena, schema, try_schema, &endpoint, &found, NULL),
                     ERR_NONE);
    assert_int_equal(endpoint.tries, SCHEMA_SUSPECT_MAX_TRIES);
    assert_non_null(found);
    json_decref(schema);
}

static void ends_when_nothing_can_be_tried(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct endpoint endpoint = { { "BAD", NULL }, 0, ERR_UNAVAILABLE };
    json_auto_t *schema = parse("{\"properties\":{\"a\":{\"const\":1},\"b\":{\"const\":2}}}");
    const json_t *found = NULL;
    assert_int_equal(schema_suspect_search(&arena, schema, try_schema, &endpoint, &found, NULL),
                     ERR_UNAVAILABLE);
    assert_int_equal(endpoint.tries, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_part_that_an_error_names),
        cmocka_unit_test(blames_no_list_of_members_for_a_key_it_cannot_read),
        cmocka_unit_test(finds_nothing_where_nothing_or_the_whole_is_named),
        cmocka_unit_test(finds_the_smallest_part_that_is_refused_by_itself),
        cmocka_unit_test(stops_at_the_part_whose_parts_are_all_taken),
        cmocka_unit_test(finds_nothing_in_a_schema_without_parts),
        cmocka_unit_test(tries_so_often_and_no_more),
        cmocka_unit_test(ends_when_nothing_can_be_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
