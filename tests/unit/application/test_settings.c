
#include "application/settings.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

struct fixture {
    struct arena arena;
    struct settings settings;
};

static int open_fixture(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){ 0 };
    settings_init(&fixture.settings);
    *state = &fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    arena_finish(&fixture->arena);
    return 0;
}

static enum err_code set(struct fixture *f, enum setting_id id, json_t *value, struct err *err)
{
    enum err_code r =
        settings_set(&f->settings, &f->arena, id, value, ORIGIN_USER_FILE, "a file", err);
    json_decref(value);
    return r;
}

static json_t *number(const struct setting *setting, double value)
{
    return setting->kind == SETTING_INT ? json_integer((json_int_t)value) : json_real(value);
}

static double value_of(const struct fixture *f, enum setting_id id)
{
    json_auto_t *value = settings_value(&f->settings, id);
    return json_number_value(value);
}

static bool is_number(enum setting_id id)
{
    return settings_table[id].kind == SETTING_INT || settings_table[id].kind == SETTING_NUM;
}

static void every_number_is_taken_at_its_bounds(void **state)
{
    struct fixture *f = *state;
    for (enum setting_id id = 0; id < SETTING_COUNT; id++) {
        const struct setting *setting = &settings_table[id];
        if (!is_number(id))
            continue;
        assert_int_equal(set(f, id, number(setting, setting->low), NULL), ERR_NONE);
        assert_true(value_of(f, id) == setting->low);
        assert_int_equal(set(f, id, number(setting, setting->high), NULL), ERR_NONE);
        assert_true(value_of(f, id) == setting->high);
    }
}

static void every_number_beyond_its_bounds_is_refused_and_changes_nothing(void **state)
{
    struct fixture *f = *state;
    for (enum setting_id id = 0; id < SETTING_COUNT; id++) {
        const struct setting *setting = &settings_table[id];
        if (!is_number(id))
            continue;
        double before = value_of(f, id), step = setting->kind == SETTING_INT ? 1 : 0.001;
        struct err err = { 0 };
        assert_int_equal(set(f, id, number(setting, setting->high + step), &err), ERR_INVALID);
        assert_non_null(strstr(err.message, setting->key));
        assert_int_equal(set(f, id, number(setting, setting->low - step), &err), ERR_INVALID);
        assert_true(value_of(f, id) == before);
        assert_int_equal(f->settings.origins[id], ORIGIN_DEFAULT);
    }
}

static void every_default_is_within_its_bounds_and_as_the_table_says(void **state)
{
    struct fixture *f = *state;
    for (enum setting_id id = 0; id < SETTING_COUNT; id++) {
        const struct setting *setting = &settings_table[id];
        json_auto_t *before = settings_value(&f->settings, id);
        struct err err = { 0 };
        if (settings_set_text(&f->settings, &f->arena, id, setting->fallback, ORIGIN_FLAG, "--x",
                              &err))
            fail_msg("%s", err.message);
        json_auto_t *after = settings_value(&f->settings, id);
        assert_true(json_equal(before, after));
        assert_int_equal(settings_find(setting->key), id);
    }
}

static void a_value_remembers_where_it_came_from(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(set(f, SETTING_max_tokens, json_integer(100), NULL), ERR_NONE);
    assert_int_equal(f->settings.max_tokens, 100);
    assert_int_equal(f->settings.origins[SETTING_max_tokens], ORIGIN_USER_FILE);
    assert_string_equal(f->settings.origin_names[SETTING_max_tokens], "a file");
}

static void wrong_types_are_refused(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(set(f, SETTING_max_tokens, json_real(100.5), NULL), ERR_INVALID);
    assert_int_equal(set(f, SETTING_max_tokens, json_string("100"), NULL), ERR_INVALID);
    assert_int_equal(set(f, SETTING_temperature, json_true(), NULL), ERR_INVALID);
    assert_int_equal(set(f, SETTING_runs_enabled, json_string("yes"), NULL), ERR_INVALID);
    assert_int_equal(set(f, SETTING_model_name, json_integer(7), NULL), ERR_INVALID);
    assert_int_equal(set(f, SETTING_model_name, json_stringn("a\0b", 3), NULL), ERR_INVALID);
}

static void a_number_may_be_written_as_a_whole_one(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(set(f, SETTING_temperature, json_integer(1), NULL), ERR_NONE);
    assert_true(f->settings.temperature == 1);
}

static void a_choice_is_one_of_its_words(void **state)
{
    struct fixture *f = *state;
    struct err err = { 0 };
    assert_int_equal(set(f, SETTING_model_api, json_string("openai"), NULL), ERR_NONE);
    assert_string_equal(f->settings.model_api, "openai");
    static const char *const wrong[] = { "open", "ai", "", "auto ollama", "AUTO" };
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++)
        assert_int_equal(set(f, SETTING_model_api, json_string(wrong[i]), &err), ERR_INVALID);
    assert_string_equal(err.message, "model.api: \"AUTO\" is none of: auto ollama openai");
    assert_string_equal(f->settings.model_api, "openai");
}

static void text_of_flags_is_read_by_the_kind_of_the_setting(void **state)
{
    struct fixture *f = *state;
    struct arena *arena = &f->arena;
    struct settings *s = &f->settings;
    assert_int_equal(
        settings_set_text(s, arena, SETTING_runs_enabled, "false", ORIGIN_FLAG, "-x", NULL),
        ERR_NONE);
    assert_false(s->runs_enabled);
    assert_int_equal(
        settings_set_text(s, arena, SETTING_runs_enabled, "no", ORIGIN_FLAG, "-x", NULL),
        ERR_INVALID);
    assert_int_equal(
        settings_set_text(s, arena, SETTING_max_tokens, "1e3", ORIGIN_FLAG, "-x", NULL),
        ERR_INVALID);
    assert_int_equal(
        settings_set_text(s, arena, SETTING_model_name, "caf\xe9", ORIGIN_FLAG, "-m", NULL),
        ERR_INVALID);
    assert_int_equal(settings_find("no.such.key"), SETTING_COUNT);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(every_number_is_taken_at_its_bounds),
        T(every_number_beyond_its_bounds_is_refused_and_changes_nothing),
        T(every_default_is_within_its_bounds_and_as_the_table_says),
        T(a_value_remembers_where_it_came_from),
        T(wrong_types_are_refused),
        T(a_number_may_be_written_as_a_whole_one),
        T(a_choice_is_one_of_its_words),
        T(text_of_flags_is_read_by_the_kind_of_the_setting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
