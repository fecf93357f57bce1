/* What is a gap in an argument, and what only looks like one. */
#include "domain/base/attributes.h"
#include "domain/plan/gap.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static void is_found(const char *text, const char *request, const char *expected)
{
    struct gap gap = { 0 };
    if (!gap_find(text, request, false, &gap))
        fail_msg("no gap in: %s", text);
    assert_int_equal(gap.length, strlen(expected));
    assert_memory_equal(text + gap.at, expected, gap.length);
}

static void is_none(const char *text, const char *request)
{
    struct gap gap = { 0 };
    if (gap_find(text, request, false, &gap))
        fail_msg("a gap in: %s: %.*s", text, (int)gap.length, text + gap.at);
}

static void what_stands_for_a_value_is_a_gap(void **state)
{
    (void)state;
    is_found("Hello {name}, it rains.", "", "{name}");
    is_found("{{ city }}", "", "{{ city }}");
    is_found("report_{date}.txt", "", "{date}");
    is_found("It is ${weather}.", "", "{weather}");
    is_found("{1.matches[0].path}", "", "{1.matches[0].path}");
    is_found("{steps.s9.text}", "", "{steps.s9.text}");
    is_found("{s1.items[*].path}", "", "{s1.items[*].path}");
    is_found("{s9.text | upper}", "", "{s9.text | upper}");
    is_found("The weather: <weather>.", "", "<weather>");
    is_found("<insert weather here>", "", "<insert weather here>");
    is_found("[insert weather here]", "mail me the weather", "[insert weather here]");
    is_found("Dear Ann,\n\nyours,\n[Your Name]", "", "[Your Name]");
    is_found("[Wetter hier einfügen]", "", "[Wetter hier einfügen]");
    is_found("[result of step 1]", "", "[result of step 1]");
    is_found("Today: [weather report from the tool].", "", "[weather report from the tool]");
    is_found("WHERE city = '[name of city]'", "", "[name of city]");
    is_found("SELECT * FROM t WHERE city = '[name of city]'", "", "[name of city]");
    is_found("Dear ___, hello", "", "___");
    is_found("Total: _____", "", "_____");
    is_found("____", "", "____");
    is_found("Output of step 1", "", "Output of step 1");
    is_found("the results from step 2.", "", "the results from step 2.");
    is_found("Ergebnis von Schritt 1", "", "Ergebnis von Schritt 1");
    is_found("SELECT sum(price) FROM sales WHERE city = '{city}'", "", "{city}");
    is_found("SELECT * FROM <table>", "", "<table>");
    is_found("def f():\n    print(\"{s9.text}\")\n", "", "{s9.text}");
}

static void plain_words_stand_for_a_value_too(void **state)
{
    (void)state;
    is_found("[weather]", "", "[weather]");
    is_found("The weather is [weather].", "mail me the weather", "[weather]");
    is_found("Dear [Name],", "", "[Name]");
    is_found("Bis [Datum].", "", "[Datum]");
    is_found("(insert weather)", "mail me the weather", "(insert weather)");
    is_found("Hello, (Wetter hier einfügen)", "", "(Wetter hier einfügen)");
    is_found("insert the weather here", "", "insert the weather here");
    is_found("s9.temp_c", "", "s9.temp_c");
    is_found("step2.matches[0].path", "", "step2.matches[0].path");
    is_found("TBD", "", "TBD");
    is_found("tbd", "", "tbd");
    is_found("The weather: TBD.", "", "TBD");
    is_found("__X__", "", "__X__");
    is_found("It is __WEATHER__ today", "how is the weather?", "__WEATHER__");
    is_found("the weather from step 1", "", "the weather from step 1");
    is_found("result of the previous step", "", "result of the previous step");
    is_found("das Wetter aus Schritt 1", "", "das Wetter aus Schritt 1");
    is_none("s1.png", "");
    is_none("s3.amazonaws.com", "");
    is_none("- [done] buy plums\n- [open] buy figs", "write a list of what is done and open");
    is_none("It is TBD", "write that it is TBD");
    is_none("The song [chorus] goes on", "");
    is_none("He left (see the insert)", "");
    is_none("__init__.py and __IMPORTANT__ words", "");
    is_none("Step 1: mix the dough", "");
}

static void in_code_only_references_to_steps_are_gaps(void **state)
{
    (void)state;
    static const char *const texts[] = { "echo ${first} ${user.name}", "usage <file>", "[weather]",
                                         "__X__", "{{ user.name }}" };
    struct gap gap;
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        assert_false(gap_find(texts[i], "", true, &gap));
    assert_true(gap_find("echo {s9.text}", "", true, &gap));
    assert_true(gap_find("SELECT * FROM <table>", "", true, &gap));
    is_none("Usage: tool [options] <file>", "");
    is_none("Aufruf: tool <Datei> {name}", "");
    is_none("Run `tool <file>` with [your name]: `{name}`", "run [your name]");
    is_found("Run `tool` on <file>", "", "<file>");
}

static void code_markup_patterns_and_prose_have_none(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "plain words",
        "{",
        "}",
        "{}",
        "{ \"a\": 1 }",
        "{1, 2}",
        "a{2,4}b{3}",
        "for (i) { x; }",
        "if (a < b && c > d) { return; }",
        "body { color: red }",
        "\\frac{a}{b} and \\textbf{word}",
        "[0-9]+",
        "echo ${HOME}",
        "\\usepackage{amsmath}",
        "{{.Name}}",
        "src/{a,b}.c",
        "Console.Write($\"Hi {name}\")",
        "[a-z]",
        "[sic]",
        "[x] done, [ ] open",
        "[Draft] report",
        "SELECT * FROM [Order Details]",
        "see [the second note][2]",
        "[the second note]: https://example.org",
        "[A Z] and [ -~]",
        "a\n___\nb",
        "__init__ and a___b and ___bold___",
        "Sign here: __",
        "see [your text](https://example.org)",
        "argv[your index]",
        "<b>",
        "<https://example.org>",
        "Ann <ann@example.org>",
        "vector<int>",
        "a <b",
        "(?<year>[0-9]{4})",
        "(?P<year>x)",
        "<p>Hello {name}</p>",
        "print(f\"Hello {name}\")",
        "f'{name}.txt'",
        "const a = `Hi ${name}`;\n",
        "import { useState } from 'react'",
        "int main(void)\n{\n    return 0;\n}\n",
        "{\"city\": \"{city}\"}",
        "{% for x in y %}{{ x }}{% endfor %}",
        ("Mix the dough from step 1 with the butter, then let the result rest for an hour at "
         "least, as in step 2."),
        "the first step",
        "\x01\x01\x01\x01 is the result of step 1",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        is_none(texts[i], "");
}

static void what_the_request_says_is_no_gap(void **state)
{
    (void)state;
    is_none("{name}", "search for {name} in notes");
    is_none("<Weather>", "find <weather>");
    is_none("[insert text here]", "where does it say [insert text here]?");
    is_none("fill in ___", "write \"fill in ___\" to a.txt");
    is_none("[the second note]", "search for [the second note]");
    is_none("Output of step 1", "search for \"output of step 1\"");
    is_found("{name} {city}", "search for {name}", "{city}");
}

static void a_template_may_have_names_in_brackets(void **state)
{
    (void)state;
    is_none("Dear {name},", "write a template for an invitation to t.txt");
    is_none("Liebe <Name>, [Text hier einfügen]", "schreib eine Vorlage");
    is_none("Dear ___,", "write a template for an invitation to t.txt");
    is_found("{name}", "write a template to t.txt", "{name}");
    is_found("Dear {s1.name},", "write a template to t.txt", "{s1.name}");
    is_found("Dear {user.name},", "write a template to t.txt", "{user.name}");
    is_none("Dear {{ user.name | upper }},", "write a Jinja template to t.txt");
    is_found("Dear {{ s1.name }},", "write a Jinja template to t.txt", "{{ s1.name }}");
}

static void a_gap_is_short_and_on_one_line(void **state)
{
    (void)state;
    char text[2 * GAP_MAX_BYTES];
    snprintf(text, sizeof text, "{%0*d}", GAP_MAX_BYTES, 0);
    text[1] = 'a';
    is_found(text, "", text);
    snprintf(text, sizeof text, "{%0*d}", GAP_MAX_BYTES + 1, 0);
    text[1] = 'a';
    is_none(text, "");
    is_none("{a\nb}", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_for_a_value_is_a_gap),
        cmocka_unit_test(plain_words_stand_for_a_value_too),
        cmocka_unit_test(in_code_only_references_to_steps_are_gaps),
        cmocka_unit_test(code_markup_patterns_and_prose_have_none),
        cmocka_unit_test(what_the_request_says_is_no_gap),
        cmocka_unit_test(a_template_may_have_names_in_brackets),
        cmocka_unit_test(a_gap_is_short_and_on_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
