/* Pages of HTML: what becomes markup, what stays text, and where a page ends. */
#include "domain/text/html_page.h"
#include "tests/support/cmocka.h"
#include <stdint.h>

#define STYLE "data/pages/figure.css"

static void shows(const char *text, const char *expected)
{
    AUTO(html_page) page;
    html_page_init(&page, 4096);
    html_add_text(&page, text);
    assert_string_equal(buf_string(&page.out), expected);
}

static void text_never_becomes_markup(void **state)
{
    (void)state;
    shows("<a href=\"javascript:x('&')\">]]></a>",
          "&lt;a href=&quot;javascript:x(&#39;&amp;&#39;)&quot;&gt;]]&gt;&lt;/a&gt;");
    shows(NULL, "");
}

static void what_nobody_would_see_is_an_escape(void **state)
{
    (void)state;
    shows("a\u202Eb\u200Bc", "a\\u{202e}b\\u{200b}c");
    shows("a\x1b[2J\x01", "a\\x1b[2J\\x01");
    shows("a\xff\xc3", "a\\xff\\xc3");
    shows("one\n\ttwo", "one\n\ttwo");
}

static void letters_of_every_script_stay_as_they_are(void **state)
{
    (void)state;
    shows("é 水 \u0645\u200C\u06CC", "é 水 \u0645\u200C\u06CC");
}

static void a_text_is_cut_between_characters_where_its_room_ends(void **state)
{
    (void)state;
    static const char text[] = "a<é";
    const struct {
        size_t room, length;
        const char *shown;
    } cases[] = { { 0, 0, "" },      { 1, 1, "a" },      { 4, 1, "a" },     { 5, 2, "a&lt;" },
                  { 6, 2, "a&lt;" }, { 7, 4, "a&lt;é" }, { 8, 4, "a&lt;é" } };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        AUTO(html_page) page;
        html_page_init(&page, 4096);
        size_t length = html_add_text_within(&page, text, strlen(text), cases[i].room);
        assert_int_equal(length, cases[i].length);
        assert_string_equal(buf_string(&page.out), cases[i].shown);
    }
}

static void a_page_that_is_full_stays_as_it_is(void **state)
{
    (void)state;
    AUTO(html_page) page;
    html_page_init(&page, 8);

    html_add(&page, "12345678");
    bool fits = page.fits;
    html_add_text(&page, "<");

    assert_true(fits);
    assert_false(page.fits);
    assert_string_equal(buf_string(&page.out), "12345678");
}

static void a_page_is_one_document_that_allows_nothing_from_outside(void **state)
{
    (void)state;
    AUTO(html_page) page;
    html_page_init(&page, SIZE_MAX);

    html_page_begin(&page, "</title><script>", STYLE);
    html_page_end(&page);

    const char *text = buf_string(&page.out);
    assert_non_null(strstr(text, "<html lang=\"en\">"));
    assert_non_null(strstr(text, "default-src 'none'"));
    assert_non_null(strstr(text, "<title>&lt;/title&gt;&lt;script&gt;</title>"));
    assert_non_null(strstr(text, embedded_file_find(page_styles, STYLE)->text));
    assert_non_null(strstr(text, "</body>\n</html>\n"));
    assert_null(strstr(text, "://"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_never_becomes_markup),
        cmocka_unit_test(what_nobody_would_see_is_an_escape),
        cmocka_unit_test(letters_of_every_script_stay_as_they_are),
        cmocka_unit_test(a_text_is_cut_between_characters_where_its_room_ends),
        cmocka_unit_test(a_page_that_is_full_stays_as_it_is),
        cmocka_unit_test(a_page_is_one_document_that_allows_nothing_from_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
