
#include "infrastructure/mcp/client/hint_cache.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

#define NOW_MS 1000

static json_t *result_of(const char *text)
{
    return json_loads(text, 0, NULL);
}

static void keep(struct hint_cache *cache, const char *method, const char *key, const char *text)
{
    json_auto_t *result = result_of(text);
    const struct hint_answer answer = { method, key, result, text, strlen(text) };
    hint_cache_keep(cache, &answer, NOW_MS, cache->n_changes);
}

static bool has(const struct hint_cache *cache, const char *method, const char *key)
{
    return hint_cache_find(cache, method, key) != NULL;
}

static int64_t ttl_of(const char *text)
{
    json_auto_t *result = result_of(text);
    return hint_ttl_ms(result);
}

static void takes_a_hint_for_what_it_says_up_to_a_day(void **state)
{
    (void)state;
    assert_int_equal(ttl_of("{}"), 0);
    assert_int_equal(ttl_of("{\"ttlMs\":0}"), 0);
    assert_int_equal(ttl_of("{\"ttlMs\":-5}"), 0);
    assert_int_equal(ttl_of("{\"ttlMs\":\"60\"}"), 0);
    assert_int_equal(ttl_of("{\"ttlMs\":null}"), 0);
    assert_int_equal(ttl_of("{\"ttlMs\":1}"), 1);
    assert_int_equal(ttl_of("{\"ttlMs\":1500.0}"), 1500);
    assert_int_equal(ttl_of("{\"ttlMs\":0.5}"), 0);
    assert_int_equal(ttl_of("{\"ttlMs\":86400000}"), HINT_CACHE_MAX_TTL_MS);
    assert_int_equal(ttl_of("{\"ttlMs\":86400001}"), HINT_CACHE_MAX_TTL_MS);
    assert_int_equal(ttl_of("{\"ttlMs\":1e300}"), HINT_CACHE_MAX_TTL_MS);
}

static void an_answer_is_fresh_until_its_time_is_over_and_remains_afterwards(void **state)
{
    struct hint_cache cache = { 0 };
    (void)state;
    keep(&cache, "resources/read", "a:1", "{\"ttlMs\":100}");
    const struct hint_entry *entry = hint_cache_find(&cache, "resources/read", "a:1");
    assert_non_null(entry);
    assert_string_equal(entry->text, "{\"ttlMs\":100}");
    assert_true(hint_entry_is_fresh(entry, NOW_MS + 99));
    assert_false(hint_entry_is_fresh(entry, NOW_MS + 100));
    assert_false(hint_entry_is_fresh(NULL, NOW_MS));
    assert_false(has(&cache, "resources/read", "a:2"));
    assert_false(has(&cache, "resources/list", "a:1"));
    hint_cache_finish(&cache);
}

static void keeps_nothing_that_does_not_last_and_forgets_what_lasted_before(void **state)
{
    struct hint_cache cache = { 0 };
    (void)state;
    keep(&cache, "tools/list", "", "{\"ttlMs\":100}");
    keep(&cache, "tools/list", "", "{\"ttlMs\":0}");
    assert_false(has(&cache, "tools/list", ""));
    assert_int_equal(cache.n, 0);
    assert_int_equal(cache.bytes, 0);
    hint_cache_finish(&cache);
}

static void replaces_what_was_kept_of_the_same(void **state)
{
    struct hint_cache cache = { 0 };
    (void)state;
    keep(&cache, "tools/list", "", "{\"ttlMs\":100}");
    keep(&cache, "tools/list", "", "{\"ttlMs\":1000}");
    assert_int_equal(cache.n, 1);
    assert_int_equal(hint_cache_find(&cache, "tools/list", "")->until_ms, NOW_MS + 1000);
    hint_cache_finish(&cache);
}

static void does_not_keep_an_answer_that_was_overtaken_by_a_change(void **state)
{
    struct hint_cache cache = { 0 };
    json_auto_t *result = result_of("{\"ttlMs\":100}");
    (void)state;
    uint64_t before = cache.n_changes;
    hint_cache_drop(&cache, "tools/list");
    hint_cache_keep(
        &cache,
        &(struct hint_answer){ .method = "tools/list", .key = "", .value = result, .length = 13 },
        NOW_MS, before);
    assert_false(has(&cache, "tools/list", ""));
    hint_cache_finish(&cache);
}

static void a_change_of_a_list_drops_all_its_pages_and_nothing_else(void **state)
{
    struct hint_cache cache = { 0 };
    (void)state;
    keep(&cache, "tools/list", "", "{\"ttlMs\":100}");
    keep(&cache, "tools/list", "\"2\"", "{\"ttlMs\":100}");
    keep(&cache, "prompts/list", "", "{\"ttlMs\":100}");
    hint_cache_drop(&cache, "tools/list");
    assert_false(has(&cache, "tools/list", ""));
    assert_false(has(&cache, "tools/list", "\"2\""));
    assert_true(has(&cache, "prompts/list", ""));
    hint_cache_finish(&cache);
}

static void a_change_of_a_resource_drops_those_below_and_above_it(void **state)
{
    struct hint_cache cache = { 0 };
    (void)state;
    keep(&cache, "resources/read", "f:/a", "{\"ttlMs\":100}");
    keep(&cache, "resources/read", "f:/a/b", "{\"ttlMs\":100}");
    keep(&cache, "resources/read", "f:/a/b/c", "{\"ttlMs\":100}");
    keep(&cache, "resources/read", "f:/a/bc", "{\"ttlMs\":100}");
    keep(&cache, "resources/list", "f:/a/b", "{\"ttlMs\":100}");
    hint_cache_drop_resource(&cache, "f:/a/b");
    assert_false(has(&cache, "resources/read", "f:/a"));
    assert_false(has(&cache, "resources/read", "f:/a/b"));
    assert_false(has(&cache, "resources/read", "f:/a/b/c"));
    assert_true(has(&cache, "resources/read", "f:/a/bc"));
    assert_true(has(&cache, "resources/list", "f:/a/b"));
    hint_cache_finish(&cache);
}

static void somebody_else_gets_only_what_is_public(void **state)
{
    struct hint_cache cache = { 0 };
    (void)state;
    keep(&cache, "resources/read", "a", "{\"ttlMs\":100,\"cacheScope\":\"public\"}");
    keep(&cache, "resources/read", "b", "{\"ttlMs\":100,\"cacheScope\":\"private\"}");
    keep(&cache, "resources/read", "c", "{\"ttlMs\":100}");
    keep(&cache, "resources/read", "d", "{\"ttlMs\":100,\"cacheScope\":7}");
    hint_cache_drop_private(&cache);
    assert_true(has(&cache, "resources/read", "a"));
    assert_int_equal(cache.n, 1);
    hint_cache_finish(&cache);
}

static void keeps_as_many_as_allowed_and_then_drops_what_is_over_first(void **state)
{
    struct hint_cache cache = { 0 };
    char key[20];
    (void)state;
    keep(&cache, "resources/read", "short", "{\"ttlMs\":1}");
    for (int i = 1; i < HINT_CACHE_MAX_ENTRIES; i++) {
        snprintf(key, sizeof key, "%d", i);
        keep(&cache, "resources/read", key, "{\"ttlMs\":100}");
    }
    assert_int_equal(cache.n, HINT_CACHE_MAX_ENTRIES);
    assert_true(has(&cache, "resources/read", "short"));
    keep(&cache, "resources/read", "one more", "{\"ttlMs\":100}");
    assert_int_equal(cache.n, HINT_CACHE_MAX_ENTRIES);
    assert_false(has(&cache, "resources/read", "short"));
    assert_true(has(&cache, "resources/read", "1"));
    assert_true(has(&cache, "resources/read", "one more"));
    hint_cache_finish(&cache);
}

static void keeps_as_many_bytes_as_allowed(void **state)
{
    struct hint_cache cache = { 0 };
    json_auto_t *result = result_of("{\"ttlMs\":100}");
    struct hint_answer answer = { .method = "resources/list",
                                  .value = result,
                                  .length = HINT_CACHE_MAX_ENTRY_BYTES };
    char key[20];
    (void)state;
    for (int i = 0; i < 5; i++) {
        snprintf(key, sizeof key, "%d", i);
        answer.key = key;
        hint_cache_keep(&cache, &answer, NOW_MS + i, 0);
    }
    assert_int_equal(cache.bytes, HINT_CACHE_MAX_BYTES);
    assert_int_equal(cache.n, HINT_CACHE_MAX_BYTES / HINT_CACHE_MAX_ENTRY_BYTES);
    assert_false(has(&cache, "resources/list", "0"));
    answer.key = "big";
    answer.length++;
    hint_cache_keep(&cache, &answer, NOW_MS, 0);
    assert_false(has(&cache, "resources/list", "big"));
    hint_cache_finish(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_a_hint_for_what_it_says_up_to_a_day),
        cmocka_unit_test(an_answer_is_fresh_until_its_time_is_over_and_remains_afterwards),
        cmocka_unit_test(keeps_nothing_that_does_not_last_and_forgets_what_lasted_before),
        cmocka_unit_test(replaces_what_was_kept_of_the_same),
        cmocka_unit_test(does_not_keep_an_answer_that_was_overtaken_by_a_change),
        cmocka_unit_test(a_change_of_a_list_drops_all_its_pages_and_nothing_else),
        cmocka_unit_test(a_change_of_a_resource_drops_those_below_and_above_it),
        cmocka_unit_test(somebody_else_gets_only_what_is_public),
        cmocka_unit_test(keeps_as_many_as_allowed_and_then_drops_what_is_over_first),
        cmocka_unit_test(keeps_as_many_bytes_as_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
