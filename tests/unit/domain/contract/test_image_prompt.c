#include "domain/base/json.h"
#include "domain/contract/image_prompt.h"
#include "tests/support/cmocka.h"
#include <math.h>
#include <string.h>

static struct image_prompt read(struct arena *arena, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_FOREIGN, &value, NULL), ERR_NONE);
    return image_prompt_from_json(arena, arena_keep_json(arena, value));
}

static struct image_prompt image_of(int64_t steps, double cfg, int64_t seed)
{
    struct image_prompt image = image_prompt_default();
    image.steps = steps;
    image.cfg = cfg;
    image.seed = seed;
    return image;
}

static void begins_without_a_prompt_and_with_the_default_numbers(void **state)
{
    (void)state;
    struct image_prompt image = image_prompt_default();

    json_auto_t *value = image_prompt_to_json(&image);

    auto_str text = json_print(value);
    assert_string_equal(
        text, "{\"prompt\":\"\",\"generate_image\":false,\"steps\":4,\"cfg\":1.0,\"seed\":-1}");
}

static void reads_what_it_wrote(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct image_prompt image = image_of(28, 3.5, 42);
    image.prompt = "a tabby cat, \"wizard\" hat";
    image.generate_image = true;
    json_auto_t *value = image_prompt_to_json(&image);

    struct image_prompt back = image_prompt_from_json(&arena, value);

    assert_string_equal(back.prompt, image.prompt);
    assert_true(back.generate_image);
    assert_true(image_prompt_same_settings(&back, &image));
}

static void takes_whole_numbers_however_they_are_written(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct image_prompt image = read(&arena, "{\"steps\":20.0,\"cfg\":7,\"seed\":1e3}");

    assert_int_equal(image.steps, 20);
    assert_true(image.cfg == 7.0);
    assert_int_equal(image.seed, 1000);
}

static void numbers_beyond_64_bits_become_the_last_that_fit(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct image_prompt image = read(&arena, "{\"steps\":-1e300,\"seed\":99999999999999999999999}");

    assert_true(image.steps == INT64_MIN);
    assert_true(image.seed == INT64_MAX);
    assert_string_equal(image_prompt_clamp(&arena, &image),
                        "Settings adjusted: steps -9223372036854775808→1 (minimum is 1)");
    assert_true(image.seed == INT64_MAX);
}

static void what_is_missing_or_of_another_type_is_the_default(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    struct image_prompt image =
        read(&arena, "{\"prompt\":7,\"generate_image\":\"true\",\"steps\":\"4\",\"cfg\":null}");

    struct image_prompt fresh = image_prompt_default();
    assert_string_equal(image.prompt, "");
    assert_false(image.generate_image);
    assert_true(image_prompt_same_settings(&image, &fresh));
}

static void values_at_their_bounds_stay(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct image_prompt low = image_of(1, 0, -1), high = image_of(100, 20, INT64_MAX);

    assert_null(image_prompt_clamp(&arena, &low));
    assert_null(image_prompt_clamp(&arena, &high));

    assert_int_equal(low.steps, 1);
    assert_true(high.cfg == 20.0);
}

static void values_one_beyond_are_brought_back_and_said(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const struct {
        int64_t steps;
        double cfg;
        int64_t seed;
        const char *said;
    } cases[] = {
        { 101, 1, -1, "Settings adjusted: steps 101→100 (maximum is 100)" },
        { 150, 1, -1, "Settings adjusted: steps 150→100 (maximum is 100)" },
        { 0, 1, -1, "Settings adjusted: steps 0→1 (minimum is 1)" },
        { 4, 20.1, -1, "Settings adjusted: cfg 20.1→20.0 (maximum is 20)" },
        { 4, -0.1, -1, "Settings adjusted: cfg -0.1→0.0 (minimum is 0)" },
        { 4, 1e300, -1, "Settings adjusted: cfg 1e+300→20.0 (maximum is 20)" },
        { 4, 1, -2, "Settings adjusted: seed -2→-1 (minimum is -1)" },
        { 150, 25, -7,
          "Settings adjusted: steps 150→100 (maximum is 100), cfg 25.0→20.0 (maximum is 20), "
          "seed -7→-1 (minimum is -1)" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct image_prompt image = image_of(cases[i].steps, cases[i].cfg, cases[i].seed);
        assert_string_equal(image_prompt_clamp(&arena, &image), cases[i].said);
        assert_null(image_prompt_clamp(&arena, &image));
    }
}

static void what_is_no_number_becomes_the_default(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct image_prompt none = image_of(4, NAN, -1), endless = image_of(4, INFINITY, -1);
    json_auto_t *value = image_prompt_to_json(&none);

    const char *said = image_prompt_clamp(&arena, &none);

    assert_true(json_get_number(value, "cfg", 0) == IMAGE_CFG_DEFAULT);
    assert_string_equal(said, "Settings adjusted: cfg nan→1.0 (it was not a number)");
    assert_string_equal(image_prompt_clamp(&arena, &endless),
                        "Settings adjusted: cfg inf→20.0 (maximum is 20)");
}

static void a_prompt_is_cut_between_characters_and_not_before_its_bound(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    char *text = arena_alloc(&arena, IMAGE_PROMPT_MAX_BYTES + 3);
    memset(text, 'a', IMAGE_PROMPT_MAX_BYTES);
    struct image_prompt image = image_prompt_default();
    image.prompt = text;

    assert_null(image_prompt_clamp(&arena, &image));
    memcpy(text + IMAGE_PROMPT_MAX_BYTES - 1, "\xC3\xA4", 3);
    assert_string_equal(image_prompt_clamp(&arena, &image),
                        "Settings adjusted: prompt 10241→10239 bytes (maximum is 10240)");

    assert_int_equal(strlen(image.prompt), IMAGE_PROMPT_MAX_BYTES - 1);
}

static void settings_differ_in_each_of_their_numbers(void **state)
{
    (void)state;
    struct image_prompt image = image_of(4, 1, 7), other = image;
    assert_true(image_prompt_same_settings(&image, &other));
    other.steps = 5;
    assert_false(image_prompt_same_settings(&image, &other));
    other = image_of(4, 1.5, 7);
    assert_false(image_prompt_same_settings(&image, &other));
    other = image_of(4, 1, 8);
    assert_false(image_prompt_same_settings(&image, &other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_without_a_prompt_and_with_the_default_numbers),
        cmocka_unit_test(reads_what_it_wrote),
        cmocka_unit_test(takes_whole_numbers_however_they_are_written),
        cmocka_unit_test(numbers_beyond_64_bits_become_the_last_that_fit),
        cmocka_unit_test(what_is_missing_or_of_another_type_is_the_default),
        cmocka_unit_test(values_at_their_bounds_stay),
        cmocka_unit_test(values_one_beyond_are_brought_back_and_said),
        cmocka_unit_test(what_is_no_number_becomes_the_default),
        cmocka_unit_test(a_prompt_is_cut_between_characters_and_not_before_its_bound),
        cmocka_unit_test(settings_differ_in_each_of_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
