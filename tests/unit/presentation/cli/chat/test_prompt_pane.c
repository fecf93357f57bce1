
#include "domain/base/text.h"
#include "presentation/cli/chat/studio_view.h"
#include "tests/support/cmocka.h"
#include <string.h>

static struct image_prompt image_of(const char *prompt)
{
    return (struct image_prompt){ .prompt = prompt, .steps = 4, .cfg = 1, .seed = -1 };
}

static const char *pane_of(struct arena *arena, unsigned columns, const struct image_prompt *image)
{
    struct style style = style_make(true, NULL, "1", "xterm");
    return prompt_pane_text(arena, &style, columns, image);
}

/* Columns of its widest line. */
static size_t width_of(struct arena *arena, const char *pane)
{
    size_t widest = 0;
    for (size_t length; *pane; pane += length + 1) {
        length = strcspn(pane, "\n");
        size_t width = text_columns(arena_strndup(arena, pane, length));
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void the_prompt_stands_in_a_box_with_its_settings(void **state)
{
    AUTO(arena) arena = { 0 };
    struct image_prompt image = image_of("a cat");
    (void)state;
    assert_string_equal(pane_of(&arena, 80, &image), "┌─ prompt ─────────────────────┐\n"
                                                     "│ a cat                        │\n"
                                                     "└─ 4 steps, cfg 1, random seed ┘\n");
}

static void a_long_prompt_is_wrapped_at_words_and_no_line_reaches_the_last_column(void **state)
{
    AUTO(arena) arena = { 0 };
    struct image_prompt image = image_of("a tabby cat wearing a blue wizard hat in the rain");
    (void)state;
    const char *pane = pane_of(&arena, 40, &image);
    assert_string_equal(pane, "┌─ prompt ──────────────────────────┐\n"
                              "│ a tabby cat wearing a blue wizard │\n"
                              "│ hat in the rain                   │\n"
                              "└─ 4 steps, cfg 1, random seed ─────┘\n");
}

static void a_word_wider_than_the_box_is_cut_between_characters(void **state)
{
    AUTO(arena) arena = { 0 };
    struct image_prompt image = image_of("猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫");
    (void)state;
    const char *pane = pane_of(&arena, 40, &image);
    assert_int_equal(width_of(&arena, pane), 38);
    assert_non_null(strstr(pane, "│ 猫猫猫猫猫猫猫猫 "));
}

static void a_prompt_obeys_nothing_and_keeps_its_lines(void **state)
{
    AUTO(arena) arena = { 0 };
    struct image_prompt image = image_of("a\033[2Jb\n\tc");
    (void)state;
    const char *pane = pane_of(&arena, 80, &image);
    assert_non_null(strstr(pane, "│ a\\x1b[2Jb "));
    assert_non_null(strstr(pane, "│  c "));
    assert_null(strchr(pane, '\033'));
}

static void without_room_or_cursor_it_is_one_line(void **state)
{
    AUTO(arena) arena = { 0 };
    struct style dumb = style_make(true, NULL, NULL, "dumb");
    struct image_prompt image = image_of("");
    image.seed = 42;
    image.steps = 1;
    image.cfg = 7.5;
    (void)state;
    assert_string_equal(prompt_pane_text(&arena, &dumb, 80, &image),
                        "[prompt: (none yet); 1 step, cfg 7.5, seed 42]\n");
    assert_string_equal(pane_of(&arena, 26, &image),
                        "[prompt: (none yet); 1 step, cfg 7.5, seed 42]\n");
    assert_int_equal(width_of(&arena, pane_of(&arena, 30, &image)), 29);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_prompt_stands_in_a_box_with_its_settings),
        cmocka_unit_test(a_long_prompt_is_wrapped_at_words_and_no_line_reaches_the_last_column),
        cmocka_unit_test(a_word_wider_than_the_box_is_cut_between_characters),
        cmocka_unit_test(a_prompt_obeys_nothing_and_keeps_its_lines),
        cmocka_unit_test(without_room_or_cursor_it_is_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
