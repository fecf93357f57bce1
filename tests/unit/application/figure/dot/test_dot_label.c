
#include "application/figure/dot/graph_dot_internal.h"
#include "domain/base/text.h"
#include "tests/support/cmocka.h"
#include <string.h>

static struct arena arena;

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static void wraps(const char *text, size_t wrap, const char *lines)
{
    struct dot_label label = dot_label_wrap(&arena, text, wrap);
    const char *all = "";
    for (size_t i = 0; i < label.n; i++)
        all = arena_printf(&arena, "%s%s%s", all, i ? "|" : "", label.lines[i]);
    assert_string_equal(all, lines);
}

static void writes(const char *text, const char *plain, const char *padded)
{
    struct dot_label label = dot_label_wrap(&arena, text, 60);
    struct buf out;
    buf_init(&out, 1000);
    assert_true(dot_label_write(&out, &label, false));
    assert_string_equal(buf_string(&out), plain);
    buf_clear(&out);
    assert_true(dot_label_write_padded(&out, &label, 2));
    assert_non_null(strstr(buf_string(&out), padded));
    buf_finish(&out);
}

static void writes_a_smaller_line_below(void **state)
{
    (void)state;
    struct dot_label label = dot_label_wrap(&arena, "Add & Norm", 60);
    struct dot_label sub = dot_label_wrap(&arena, "6 <layers>", 60);
    struct buf out;
    buf_init(&out, 1000);
    assert_true(dot_label_write_with_sub(&out, &label, &sub, 9));
    assert_string_equal(buf_string(&out), "<Add &amp; Norm<br/><font point-size=\"9.0\">"
                                          "6 &lt;layers&gt;</font>>");
    buf_finish(&out);
}

static void leaves_a_short_label_as_it_is(void **state)
{
    (void)state;
    wraps("Client", 20, "Client");
    wraps("", 20, "");
}

static void wraps_at_blanks_in_lines_of_about_the_same_length(void **state)
{
    (void)state;
    wraps("Critic reviews findings and picture", 22, "Critic reviews|findings and picture");
    wraps("one two three four", 14, "one two|three four");
}

static void keeps_a_line_break_and_single_blanks(void **state)
{
    (void)state;
    wraps("  first\r\n\n second \t third  ", 20, "first|second third");
}

static void breaks_a_long_word_where_a_reader_would(void **state)
{
    (void)state;
    wraps("very_long_snake_case_name", 12, "very_long_|snake_|case_name");
    wraps("MetadataDiscoveryEndpoint", 12, "Metadata|Discovery|Endpoint");
    wraps("xxxxxxxxxxxxxxxxx", 10, "xxxxxxxxx|xxxxxxxx");
}

static void keeps_a_word_of_usual_length_whole(void **state)
{
    (void)state;
    wraps("Validation improves?", 9, "Validation|improves?");
    wraps("weathering, erosion", 17, "weathering,|erosion");
    wraps("xxxxxxxxxxxxxxxx", 10, "xxxxxxxxxxxxxxxx");
}

static void widens_a_line_rather_than_tear_a_word(void **state)
{
    (void)state;
    wraps("Nearest-neighbour search", 22, "Nearest-neighbour|search");
    wraps("Nearest-neighbour search", 12, "Nearest-neighbour|search");
    wraps("Nearest-neighbour search", 8, "Nearest-|neighbour|search");
    wraps("Contrastive loss", 15, "Contrastive|loss");
    wraps("Internationalization layer", 14, "Internationalization|layer");
}

static void breaks_ideographs_anywhere_by_their_width(void **state)
{
    (void)state;
    wraps("身份验证服务器", 8, "身份验证|服务器");
    wraps("OAuth 认证流程", 10, "OAuth|认证流程");
}

static void keeps_a_word_from_right_to_left_whole(void **state)
{
    (void)state;
    wraps("المصادقةالمصادقةالمصادقة", 8, "المصادقةالمصادقةالمصادقة");
    wraps("שרת האימות", 8, "שרת|האימות");
}

static void cuts_a_label_of_too_many_lines(void **state)
{
    (void)state;
    wraps("aaaaaa bbbbbb cccccc dddddd eeeeee ffffff gggggg hhhhhh iiiiii", 6,
          "aaaaaa|bbbbbb|cccccc|dddddd|eeeeee|ffffff|gggggg|hhhhh…");
    wraps("aaaaaa bbbbbb cccccc dddddd eeeeee ffffff gggggg hhhhhh", 6,
          "aaaaaa|bbbbbb|cccccc|dddddd|eeeeee|ffffff|gggggg|hhhhhh");
}

static void shows_control_characters_and_overrides_as_replaced(void **state)
{
    (void)state;
    wraps("a\x01"
          "b\x7f"
          "c\xc2\x85"
          "d\xe2\x80\xae"
          "e\xef\xbf\xbf"
          "f\xff"
          "g",
          40,
          "a\xEF\xBF\xBD"
          "b\xEF\xBF\xBD"
          "c\xEF\xBF\xBD"
          "d\xEF\xBF\xBD"
          "e\xEF\xBF\xBD"
          "f\xEF\xBF\xBD"
          "g");
}

static void takes_at_least_a_few_columns(void **state)
{
    (void)state;
    wraps("abcdef ghijkl", 0, "abcdef|ghijkl");
}

static void defuses_quotes_backslashes_and_entities(void **state)
{
    (void)state;
    writes("say \"\\N\" & <b>&lt;", "\"say \\\"\\\\N\\\" &amp; <b>&amp;lt;\"",
           "<td>say &quot;&#92;&#92;N&quot; &amp; &lt;b&gt;&amp;lt;</td>");
    writes("end\\", "\"end\\\\\"", "<td>end&#92;&#92;</td>");
}

static void separates_lines_as_each_form_does(void **state)
{
    struct buf out;
    struct dot_label label = dot_label_wrap(&arena, "one\ntwo", 20);
    (void)state;
    writes("one\ntwo", "\"one\\ntwo\"", "<td>one<br/>two</td>");
    buf_init(&out, 100);
    assert_true(dot_label_write(&out, &label, true));
    assert_string_equal(buf_string(&out), "\"one\\ltwo\\l\"");
    buf_finish(&out);
}

static void says_that_the_buffer_is_full(void **state)
{
    struct buf out;
    struct dot_label label = dot_label_wrap(&arena, "some words", 20);
    (void)state;
    for (size_t room = 0; room < 12; room++) {
        buf_init(&out, room);
        assert_false(dot_label_write(&out, &label, false));
        assert_false(dot_label_write_padded(&out, &label, 2));
        buf_finish(&out);
    }
}

static void takes_wide_letters_to_be_wider(void **state)
{
    struct dot_label narrow = dot_label_wrap(&arena, "ill", 20);
    struct dot_label wide = dot_label_wrap(&arena, "WWW", 20);
    struct dot_label ideographs = dot_label_wrap(&arena, "漢漢漢", 20);
    (void)state;
    assert_true(dot_label_width(&narrow) < dot_label_width(&wide));
    assert_true(dot_label_width(&wide) < dot_label_width(&ideographs));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
    const struct CMUnitTest tests[] = {
        TEST(writes_a_smaller_line_below),
        TEST(leaves_a_short_label_as_it_is),
        TEST(wraps_at_blanks_in_lines_of_about_the_same_length),
        TEST(keeps_a_line_break_and_single_blanks),
        TEST(breaks_a_long_word_where_a_reader_would),
        TEST(keeps_a_word_of_usual_length_whole),
        TEST(widens_a_line_rather_than_tear_a_word),
        TEST(breaks_ideographs_anywhere_by_their_width),
        TEST(keeps_a_word_from_right_to_left_whole),
        TEST(cuts_a_label_of_too_many_lines),
        TEST(shows_control_characters_and_overrides_as_replaced),
        TEST(takes_at_least_a_few_columns),
        TEST(defuses_quotes_backslashes_and_entities),
        TEST(separates_lines_as_each_form_does),
        TEST(says_that_the_buffer_is_full),
        TEST(takes_wide_letters_to_be_wider),
    };
    return cmocka_run_group_tests_name("dot_label", tests, NULL, NULL);
}
