
#include "domain/base/json.h"
#include "infrastructure/models/schema/schema_quarantine.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static const json_t *parse(struct arena *arena, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return arena_keep_json(arena, value);
}

static void add(struct schema_quarantine *quarantine, const char *part, const char *message)
{
    AUTO(arena) arena = { 0 };
    schema_quarantine_add(quarantine, parse(&arena, part), message);
}

static void leaves_a_good_schema_as_it_is(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    AUTO(schema_quarantine) quarantine = { .n = 0 };
    struct quarantine_hits hits;
    const json_t *schema = parse(&arena, "{\"properties\":{\"a\":{\"const\":1}}}");
    assert_ptr_equal(schema_quarantine_apply(&quarantine, &arena, schema, &hits), schema);
    assert_int_equal(hits.n, 0);
    add(&quarantine, "{\"const\":2}", "bad");
    assert_true(
        json_equal((json_t *)(uintptr_t)schema_quarantine_apply(&quarantine, &arena, schema, &hits),
                   (json_t *)(uintptr_t)schema));
    assert_int_equal(hits.n, 0);
}

static void lets_anything_stand_in_place_of_a_bad_part(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    AUTO(schema_quarantine) quarantine = { .n = 0 };
    struct quarantine_hits hits;
    add(&quarantine, "{\"const\":\"BAD\"}", "bad");
    add(&quarantine, "{\"type\":\"object\",\"properties\":{\"x\":{}}}", "worse");
    const json_t *schema = parse(
        &arena, "{\"anyOf\":[{\"const\":\"BAD\"},{\"items\":{\"const\":\"BAD\"}},{"
                "\"properties\":{\"args\":{\"type\":\"object\",\"properties\":{\"x\":{}}}}}]}");
    auto_str left = json_print_sorted(schema_quarantine_apply(&quarantine, &arena, schema, &hits));
    assert_string_equal(left, "{\"anyOf\":[{},{\"items\":{}},{\"properties\":{\"args\":{\"type\":"
                              "\"object\"}}}]}");
    assert_int_equal(hits.n, 3);
    assert_string_equal(hits.hits[2].path, "/anyOf/2/properties/args");
}

/* A list of bad elements may be bad itself: with anything in it, it is refused again. */
static void knows_a_part_with_its_own_bad_part_replaced(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    AUTO(schema_quarantine) quarantine = { .n = 0 };
    struct quarantine_hits hits;
    add(&quarantine, "{\"maxLength\":9}", "one");
    add(&quarantine, "{\"maxItems\":9,\"items\":{}}", "two");
    const json_t *schema =
        parse(&arena, "{\"properties\":{\"a\":{\"maxItems\":9,\"items\":{\"maxLength\":9}}}}");
    auto_str left = json_print_sorted(schema_quarantine_apply(&quarantine, &arena, schema, &hits));
    assert_string_equal(left, "{\"properties\":{\"a\":{}}}");
    assert_int_equal(hits.n, 2);
}

static void leaves_nothing_of_a_schema_that_is_bad_as_a_whole(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    AUTO(schema_quarantine) quarantine = { .n = 0 };
    struct quarantine_hits hits;
    add(&quarantine, "{\"const\":1}", "bad");
    assert_null(
        schema_quarantine_apply(&quarantine, &arena, parse(&arena, "{\"const\":1}"), &hits));
    assert_int_equal(hits.n, 1);
    assert_string_equal(hits.hits[0].path, "");
}

static void tells_of_a_part_once(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    AUTO(schema_quarantine) quarantine = { .n = 0 };
    struct quarantine_hits hits;
    struct model_reply reply = { .text = "" };
    add(&quarantine, "{\"const\":1}", "bad");
    const json_t *schema = parse(&arena, "{\"oneOf\":[{\"const\":1},{}]}");
    const json_t *lowered = parse(&arena, "{\"anyOf\":[{\"const\":1},{}]}");
    (void)schema_quarantine_apply(&quarantine, &arena, lowered, &hits);
    schema_quarantine_tell(&quarantine, &hits, schema, &arena, &reply);
    assert_int_equal(reply.n_notes, 1);
    assert_string_equal(reply.notes[0].path, "/oneOf/0");
    assert_string_equal(reply.notes[0].message, "bad");
    schema_quarantine_tell(&quarantine, &hits, schema, &arena, &reply);
    assert_int_equal(reply.n_notes, 0);
}

static bool knows(const struct schema_quarantine *quarantine, size_t i)
{
    AUTO(arena) arena = { 0 };
    struct quarantine_hits hits;
    const json_t *part = parse(&arena, arena_printf(&arena, "{\"const\":%zu}", i));
    return schema_quarantine_apply(quarantine, &arena, part, &hits) == NULL;
}

static void forgets_the_oldest_part(void **state)
{
    (void)state;
    AUTO(schema_quarantine) quarantine = { .n = 0 };
    char part[32];
    for (size_t i = 0; i <= SCHEMA_QUARANTINE_MAX_PARTS; i++) {
        assert_true(i == 0 || knows(&quarantine, 0));
        snprintf(part, sizeof part, "{\"const\":%zu}", i);
        add(&quarantine, part, "bad");
    }
    assert_false(knows(&quarantine, 0));
    assert_true(knows(&quarantine, 1));
    assert_true(knows(&quarantine, SCHEMA_QUARANTINE_MAX_PARTS));
}

static void bounds_notes_and_messages(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    AUTO(schema_quarantine) quarantine = { .n = 0 };
    struct quarantine_hits hits;
    struct model_reply reply = { .text = "" };
    static char message[SCHEMA_QUARANTINE_MAX_MESSAGE + 2];
    memset(message, 'm', sizeof message - 1);
    add(&quarantine, "{\"const\":1}", message);
    json_t *any_of = json_array();
    for (size_t i = 0; i <= SCHEMA_QUARANTINE_MAX_HITS; i++)
        json_array_append_new(any_of, json_pack("{s:i}", "const", 1));
    const json_t *schema = arena_keep_json(&arena, json_pack("{s:o}", "anyOf", any_of));
    (void)schema_quarantine_apply(&quarantine, &arena, schema, &hits);
    schema_quarantine_tell(&quarantine, &hits, schema, &arena, &reply);
    assert_int_equal(reply.n_notes, SCHEMA_QUARANTINE_MAX_HITS);
    assert_int_equal(strlen(reply.notes[0].message), SCHEMA_QUARANTINE_MAX_MESSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_a_good_schema_as_it_is),
        cmocka_unit_test(lets_anything_stand_in_place_of_a_bad_part),
        cmocka_unit_test(knows_a_part_with_its_own_bad_part_replaced),
        cmocka_unit_test(leaves_nothing_of_a_schema_that_is_bad_as_a_whole),
        cmocka_unit_test(tells_of_a_part_once),
        cmocka_unit_test(forgets_the_oldest_part),
        cmocka_unit_test(bounds_notes_and_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
