/* What a request for a figure may say, at its bounds and one beyond. */
#include "application/use_cases/figure_options.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <stdlib.h>
#include <string.h>

#define LONG_TEXT 70000

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct arena arena;
    struct figure_request request;
    char text[LONG_TEXT];
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->runtime = immediate_runtime();
    fake_services_init(&b->services, &b->runtime.port, SOURCE_DIR);
    b->request = (struct figure_request){ .source_context = "A sends B.", .caption = "A and B" };
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    fake_services_finish(&b->services);
    arena_finish(&b->arena);
    free(b);
    return 0;
}

static enum err_code check(struct bench *b)
{
    return figure_request_check(&b->services.base, &b->request, NULL);
}

static const char *of_length(struct bench *b, size_t length)
{
    memset(b->text, 'a', length);
    b->text[length] = '\0';
    return b->text;
}

static void takes_a_caption_and_an_intent_as_long_as_they_may_be(void **state)
{
    struct bench *b = *state;
    b->request.caption = of_length(b, FIGURE_MAX_CAPTION_BYTES);
    assert_int_equal(check(b), ERR_NONE);
    b->request.caption = of_length(b, FIGURE_MAX_CAPTION_BYTES + 1);
    assert_int_equal(check(b), ERR_LIMIT);
    b->request.caption = "A and B";
    b->request.communicative_intent = of_length(b, FIGURE_MAX_CAPTION_BYTES + 1);
    assert_int_equal(check(b), ERR_LIMIT);
}

static void takes_a_context_as_long_as_the_settings_allow(void **state)
{
    struct bench *b = *state;
    b->services.settings.figure_max_context_bytes = LONG_TEXT - 2;
    b->request.source_context = of_length(b, LONG_TEXT - 2);
    assert_int_equal(check(b), ERR_NONE);
    b->request.source_context = of_length(b, LONG_TEXT - 1);
    assert_int_equal(check(b), ERR_LIMIT);
}

static void takes_as_many_rounds_and_references_as_there_may_be(void **state)
{
    static const char *const refs[FIGURE_MAX_REFS + 1] = { "dns" };
    struct bench *b = *state;
    b->request.max_rounds = FIGURE_MAX_ROUNDS;
    b->request.refs = refs;
    b->request.n_refs = FIGURE_MAX_REFS;
    assert_int_equal(check(b), ERR_NONE);
    b->request.n_refs = FIGURE_MAX_REFS + 1;
    assert_int_equal(check(b), ERR_INVALID);
    b->request.n_refs = 0;
    b->request.max_rounds = FIGURE_MAX_ROUNDS + 1;
    assert_int_equal(check(b), ERR_INVALID);
}

static void refuses_what_is_no_text_or_says_nothing(void **state)
{
    static const char *const bad[] = { "", " \r\n\t", "a\x01z", "a\xffz" };
    struct bench *b = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        b->request.caption = bad[i];
        assert_int_equal(check(b), ERR_INVALID);
    }
}

static void refuses_places_that_a_log_cannot_name(void **state)
{
    static const char *const bad[] = { "a\xffz", "a\nb", "a\x1b[2J", "a\x7f" };
    struct bench *b = *state;
    b->request.out = "runs/Übung";
    b->request.name = "عربي";
    assert_int_equal(check(b), ERR_NONE);
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        b->request.out = bad[i];
        b->request.name = NULL;
        assert_int_equal(check(b), ERR_INVALID);
        b->request.out = NULL;
        b->request.name = bad[i];
        assert_int_equal(check(b), ERR_INVALID);
    }
}

static void knows_a_page_by_its_width_or_else_by_the_style(void **state)
{
    static const char *const bad[] = { "", "0", "0.5", "101", "-7", "7in", "nan", "Slides" };
    struct bench *b = *state;
    b->request.width = "3.25";
    assert_int_equal(check(b), ERR_NONE);
    assert_float_equal(figure_page_of("3.25", "slides").width, 234, 0.1);
    assert_float_equal(figure_page_of("3.25", "slides").height, 0, 0.1);
    assert_float_equal(figure_page_of("column", "plain").width, 252, 0.1);
    assert_float_equal(figure_page_of("slides", "plain").height, 540, 0.1);
    assert_float_equal(figure_page_of(NULL, "slides").width, 936, 0.1);
    assert_float_equal(figure_page_of(NULL, "column").width, 504, 0.1);
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        b->request.width = bad[i];
        assert_int_equal(check(b), ERR_INVALID);
    }
}

static void names_a_case_after_its_caption_and_never_as_a_path(void **state)
{
    struct bench *b = *state;
    assert_string_equal(figure_case_name(&b->arena, "How TCP begins"), "how_tcp_begins");
    assert_string_equal(figure_case_name(&b->arena, "../../etc/passwd"), "etc_passwd");
    assert_string_equal(figure_case_name(&b->arena, ".hidden"), "hidden");
    assert_string_equal(figure_case_name(&b->arena, "كيف"), "figure");
    assert_string_equal(figure_case_name(&b->arena, "..."), "figure");
    assert_int_equal(strlen(figure_case_name(&b->arena, of_length(b, FIGURE_CASE_NAME_BYTES))),
                     FIGURE_CASE_NAME_BYTES);
    assert_int_equal(strlen(figure_case_name(&b->arena, of_length(b, FIGURE_CASE_NAME_BYTES + 1))),
                     FIGURE_CASE_NAME_BYTES);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(takes_a_caption_and_an_intent_as_long_as_they_may_be),
        TEST(takes_a_context_as_long_as_the_settings_allow),
        TEST(takes_as_many_rounds_and_references_as_there_may_be),
        TEST(refuses_what_is_no_text_or_says_nothing),
        TEST(refuses_places_that_a_log_cannot_name),
        TEST(knows_a_page_by_its_width_or_else_by_the_style),
        TEST(names_a_case_after_its_caption_and_never_as_a_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
