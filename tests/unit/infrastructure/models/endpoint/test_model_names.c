
#include "domain/base/json.h"
#include "infrastructure/models/endpoint/model_names.h"
#include "tests/support/cmocka.h"
#include <string.h>

static void assert_resolves(const char *wanted, const char *const *names, size_t n, bool found,
                            const char *name, const char *reason)
{
    AUTO(arena) arena = { 0 };
    struct settings settings;
    struct model_name got;
    settings_init(&settings);
    settings.model_name = wanted;
    assert_int_equal(model_name_resolve(&settings, names, n, &arena, &got), found);
    assert_string_equal(got.name, name);
    assert_string_equal(got.reason, reason);
}

static void prefers_the_name_as_written(void **state)
{
    (void)state;
    const char *names[] = { "mistral:7b", "mistral:latest", "mistral" };
    assert_resolves("mistral", names, 3, true, "mistral", "as written");
}

static void knows_that_latest_may_be_left_out(void **state)
{
    (void)state;
    const char *names[] = { "mistral:7b", "mistral:latest" };
    assert_resolves("mistral", names, 2, true, "mistral:latest", "as written, :latest");
    assert_resolves("mistral:x", names, 2, false, "mistral:x", "");
}

static void looks_into_the_alias_table_last(void **state)
{
    (void)state;
    const char *names[] = { "other", "mistral:7b" };
    assert_resolves("mistral", names, 2, true, "mistral:7b", "alias mistral");
}

static void says_what_to_get_when_there_is_none(void **state)
{
    (void)state;
    assert_resolves("mistral", NULL, 0, false, "mistral:7b", "alias mistral");
    assert_resolves("llama", NULL, 0, false, "llama", "");
}

static struct model_name chosen(const char *wanted, enum setting_origin origin,
                                const char *const *names, size_t n, struct arena *arena)
{
    struct settings settings;
    struct model_name got = { "none", "" };
    json_auto_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:s}", "id", names[i]));
    settings_init(&settings);
    settings.model_name = wanted;
    settings.origins[SETTING_model_name] = origin;
    const struct endpoint_models models = endpoint_models_of(list, "id", arena);
    (void)model_name_choose(&settings, &models, true, arena, &got);
    got.name = arena_strdup(arena, got.name);
    return got;
}

static void prefers_an_instruct_model_and_says_that_a_base_model_is_none(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *names[] = { "mistral-7b-v0.1", "mistral-7b-instruct-v0.2" };
    struct model_name open = chosen("nemo", ORIGIN_DEFAULT, names, 2, &arena);
    assert_string_equal(open.name, "mistral-7b-instruct-v0.2");
    assert_string_equal(open.reason, "the only Instruct model there");
    struct model_name said = chosen("mistral-7b-v0.1", ORIGIN_FLAG, names, 2, &arena);
    assert_string_equal(said.name, "mistral-7b-v0.1");
    assert_non_null(strstr(said.reason, "it is no Instruct model"));
    struct model_name other = chosen("mistral-7b-instruct-v0.2", ORIGIN_FLAG, names, 2, &arena);
    assert_string_equal(other.reason, "as written");
    assert_string_equal(chosen("nemo", ORIGIN_FLAG, names, 2, &arena).name, "nemo");
}

static void prints_at_most_eight_names(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *names[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9" };
    assert_string_equal(model_names_print(names, 0, &arena), "nothing");
    assert_string_equal(model_names_print(names, 8, &arena), "1, 2, 3, 4, 5, 6, 7, 8");
    assert_string_equal(model_names_print(names, 9, &arena), "1, 2, 3, 4, 5, 6, 7, 8, …");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefers_the_name_as_written),
        cmocka_unit_test(knows_that_latest_may_be_left_out),
        cmocka_unit_test(looks_into_the_alias_table_last),
        cmocka_unit_test(says_what_to_get_when_there_is_none),
        cmocka_unit_test(prefers_an_instruct_model_and_says_that_a_base_model_is_none),
        cmocka_unit_test(prints_at_most_eight_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
