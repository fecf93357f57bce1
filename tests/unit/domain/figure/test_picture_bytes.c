
#include "domain/base/attributes.h"
#include "domain/figure/picture_bytes.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define PNG "\x89PNG\r\n\x1a\n"
#define IHDR "\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0CCCC"
#define IDAT "\0\0\0\x02IDATxxCCCC"
#define IEND "\0\0\0\0IENDCCCC"

static void knows_each_kind_by_its_first_bytes(void **state)
{
    (void)state;
    assert_int_equal(picture_kind_of(PNG "x", 9), PICTURE_KIND_PNG);
    assert_int_equal(picture_kind_of("%PDF-1.5", 8), PICTURE_KIND_PDF);
    assert_int_equal(picture_kind_of("<?xml version=\"1.0\"?>\n<!-- x -->\n<svg/>", 40),
                     PICTURE_KIND_SVG);
    assert_int_equal(picture_kind_of("<html><svg/>", 12), PICTURE_KIND_NONE);
    assert_int_equal(picture_kind_of("text <svg/>", 11), PICTURE_KIND_NONE);
    assert_int_equal(picture_kind_of("", 0), PICTURE_KIND_NONE);
}

static void finds_nothing_wrong_with_whole_pictures(void **state)
{
    static const char png[] = PNG IHDR IDAT IEND;
    static const char svg[] =
        "<?xml version='1.0'?><!DOCTYPE svg PUBLIC \"a\" \"b\">\n<svg width=\"10pt\">"
        "<g id='a>b'><path d=\"M0\"/></g><use xlink:href=\"#m\"/>"
        "<image href='data:image/png;base64,xx'/><rect fill=\"url(#g)\"/></svg>\n";
    static const char pdf[] = "%PDF-1.5\nstuff\n%%EOF\n";
    (void)state;
    assert_null(picture_fault(png, sizeof png - 1));
    assert_null(picture_fault(svg, sizeof svg - 1));
    assert_null(picture_fault(pdf, sizeof pdf - 1));
}

static void finds_a_png_that_ends_anywhere_before_its_end(void **state)
{
    static const char png[] = PNG IHDR IDAT IEND;
    (void)state;
    for (size_t length = 0; length + 1 < sizeof png; length++)
        assert_non_null(picture_fault(png, length));
}

static void finds_a_png_of_no_size_or_without_a_picture(void **state)
{
    static const char none[] = PNG "\0\0\0\x0dIHDR\0\0\0\0\0\0\x01\xe0\x08\x02\0\0\0CCCC" IDAT IEND;
    static const char empty[] = PNG IHDR IEND;
    static const char huge[] = PNG "\0\0\0\x0dIHDR\0\x01\0\0\0\0\x01\xe0\x08\x02\0\0\0C"
                                   "CCC" IDAT IEND;
    (void)state;
    assert_string_equal(picture_fault(none, sizeof none - 1), "a PNG of an impossible size");
    assert_string_equal(picture_fault(huge, sizeof huge - 1), "a PNG of an impossible size");
    assert_string_equal(picture_fault(empty, sizeof empty - 1), "a PNG without a picture");
}

static void finds_a_pdf_that_is_cut_off(void **state)
{
    (void)state;
    assert_string_equal(picture_fault("%PDF-1.5\nstuff", 14), "a PDF that is cut off");
}

static void finds_what_is_no_picture(void **state)
{
    (void)state;
    assert_string_equal(picture_fault("", 0), "empty");
    assert_string_equal(picture_fault("hello", 5), "neither SVG nor PNG nor PDF");
}

static void finds_an_svg_that_is_broken_or_reaches_out(void **state)
{
    static const char *const bad[] = {
        "<svg>",
        "<svg><g></svg>",
        "<svg></svg></g>",
        "<svg><g",
        "<svg><a b=\"></a></svg>",
        "<svg><!-- x </svg>",
        "<svg><script>x</script></svg>",
        "<svg><SCRIPT/></svg>",
        "<svg onload=\"x\"></svg>",
        "<svg><a href=\"http://x\"/></svg>",
        "<svg><image xlink:href=\"file:///etc/passwd\"/></svg>",
        "<svg><rect fill=\"url(http://x)\"/></svg>",
        "<svg><foreignObject/></svg>",
        "<svg>\xff</svg>",
        "<svg>\x1b(J</svg>",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
        if (!picture_fault(bad[i], strlen(bad[i])))
            fail_msg("nothing is wrong with %s", bad[i]);
}

static void finds_what_hides_in_an_svg(void **state)
{
    static const char *const bad[] = {
        "<svg xmlns:s=\"http://www.w3.org/2000/svg\"><s:script>x</s:script></svg>",
        "<svg><h:iframe src=\"#\"/></svg>",
        "<svg><animate attributeName=\"href\" to=\"javascript:x\"/></svg>",
        "<svg><set attributeName=\"onclick\" to=\"x\"/></svg>",
        "<svg><a href =\"javascript:x\"/></svg>",
        "<svg><a href\n=\n'javascript:x'/></svg>",
        "<svg><a href=\"&#106;avascript:x\"/></svg>",
        "<svg><a href=\"data:image/svg+xml,x\"/></svg>",
        "<svg><use href=\"data:image/svg+xml,x#y\"/></svg>",
        "<svg><rect fill=\"ur&#108;(http://x)\"/></svg>",
        "<svg><rect fill=\"u&#x52;l&#40;http://x)\"/></svg>",
        "<svg><rect fill=\"url&lpar;http://x)\"/></svg>",
        "<svg><rect style=\"fill:u\\72l(http://x)\"/></svg>",
        "<svg><rect style=\"background:image-set('http://x' 1x)\"/></svg>",
        "<svg><rect fill=\"url(&quot;http://x&quot;)\"/></svg>",
        "<svg><style>@import 'http://x';</style></svg>",
        "<svg><style>a{fill:url(http://x)}</style></svg>",
        "<svg><style>a{fill:u<!-- -->rl(http://x)}</style></svg>",
        "<svg><style><![CDATA[a{fill:url(http://x)}]]></style></svg>",
        "<svg><style>@im\\70ort 'http://x';</style></svg>",
        "<svg><g xml:base=\"http://x/\"/></svg>",
        "<svg><g onload/></svg>",
        "<svg><g ONLOAD=\"x\"/></svg>",
        "<?xml-stylesheet href=\"http://x\"?><svg/>",
        "<?xml version=\"1.0\" encoding=\"ISO-2022-JP\"?><svg/>",
        "<!DOCTYPE svg SYSTEM \">\" [<!ENTITY x \"&#60;script>\">]><svg>&x;</svg>",
        "<!DOCTYPE svg><!ENTITY x \"y\"><svg>&x;</svg>",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
        if (!picture_fault(bad[i], strlen(bad[i])))
            fail_msg("nothing is wrong with %s", bad[i]);
}

static void takes_what_programs_that_draw_write(void **state)
{
    static const char *const good[] = {
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?><svg viewBox=\"0 0 1 1\"/>",
        "<?xml version='1.0' encoding='utf-8'?><?plantuml 1.2023.7?><svg/>",
        "<svg><metadata><rdf:RDF><cc:Work><dc:type rdf:resource=\"http://purl.org/x\"/></cc:Work>"
        "</rdf:RDF></metadata></svg>",
        "<svg><style type=\"text/css\">*{stroke-linejoin: round}</style></svg>",
        "<svg><style><![CDATA[ @font-face{src:url(\"data:application/font-woff;base64,x\")} ]]>"
        "</style></svg>",
        "<svg><image href=\"data:image/svg+xml;base64,x\"/><rect "
        "fill=\"url(&quot;#g&quot;)\"/></svg>",
        "<svg><text font-family=\"&quot;DejaVu Sans&quot;, a\">C:\\x (y) &amp; "
        "url(http://x)</text></svg>",
        "<svg><filter id=\"f\"><feGaussianBlur stdDeviation=\"2\"/></filter></svg>",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(good); i++)
        if (picture_fault(good[i], strlen(good[i])))
            fail_msg("%s: %s", picture_fault(good[i], strlen(good[i])), good[i]);
}

static void refuses_entities_of_an_svg(void **state)
{
    static const char bomb[] = "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg>&a;</svg>";
    (void)state;
    assert_non_null(picture_fault(bomb, sizeof bomb - 1));
}

static void takes_an_svg_as_deep_as_the_bound_and_none_deeper(void **state)
{
    char text[16 * (PICTURE_MAX_DEPTH + 2)] = "<svg>";
    (void)state;
    for (int i = 1; i < PICTURE_MAX_DEPTH; i++)
        strcat(text, "<g>");
    for (int i = 1; i < PICTURE_MAX_DEPTH; i++)
        strcat(text, "</g>");
    strcat(text, "</svg>");
    assert_null(picture_fault(text, strlen(text)));

    text[0] = '\0';
    strcat(text, "<svg>");
    for (int i = 0; i < PICTURE_MAX_DEPTH; i++)
        strcat(text, "<g>");
    assert_string_equal(picture_fault(text, strlen(text)), "an SVG that is nested too deep");
}

static void reads_the_size_of_a_png_and_an_svg(void **state)
{
    static const char png[] = PNG IHDR IDAT IEND;
    static const char svg[] = "<svg width=\"670pt\" height=\"486\">";
    double width = 0, height = 0;
    (void)state;

    assert_true(picture_size(png, sizeof png - 1, &width, &height));
    assert_float_equal(width, 640, 0);
    assert_float_equal(height, 480, 0);
    assert_true(picture_size(svg, sizeof svg - 1, &width, &height));
    assert_float_equal(width, 670, 0);
    assert_float_equal(height, 364.5, 0);
    assert_false(picture_size("<svg width='x'/>", 16, &width, &height));
    assert_false(picture_size("%PDF-1.5", 8, &width, &height));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_each_kind_by_its_first_bytes),
        cmocka_unit_test(finds_nothing_wrong_with_whole_pictures),
        cmocka_unit_test(finds_a_png_that_ends_anywhere_before_its_end),
        cmocka_unit_test(finds_a_png_of_no_size_or_without_a_picture),
        cmocka_unit_test(finds_a_pdf_that_is_cut_off),
        cmocka_unit_test(finds_what_is_no_picture),
        cmocka_unit_test(finds_an_svg_that_is_broken_or_reaches_out),
        cmocka_unit_test(finds_what_hides_in_an_svg),
        cmocka_unit_test(takes_what_programs_that_draw_write),
        cmocka_unit_test(refuses_entities_of_an_svg),
        cmocka_unit_test(takes_an_svg_as_deep_as_the_bound_and_none_deeper),
        cmocka_unit_test(reads_the_size_of_a_png_and_an_svg),
    };
    return cmocka_run_group_tests_name("picture_bytes", tests, NULL, NULL);
}
