#include "domain/base/json.h"
#include "domain/grounding/grounding.h"
#include "tests/support/cmocka.h"
#include <string.h>
#include <time.h>

struct example {
    const char *result; /* JSON where it is sound, else text */
    const char *said;
    const char *answer;
    const char *ungrounded; /* what is named, with commas between; NULL: nothing */
};

static json_t *words;

static json_t *result_of(const char *text)
{
    json_t *value = NULL;
    if (strchr("{[", *text) && !json_parse(text, strlen(text), JSON_FOREIGN, &value, NULL))
        return value;
    return json_string(text);
}

/* What is named, with commas between; in the arena. */
static const char *check(struct arena *arena, const struct example *example)
{
    const json_t *result = arena_keep_json(arena, result_of(example->result));
    const char *said = example->said ? example->said : "";
    const struct grounding_sources sources = { words, &result, 1, &said, 1 };
    struct grounding found;
    const char *named = "";
    grounding_check(arena, example->answer, &sources, &found);
    for (size_t i = 0; i < found.n; i++)
        named = arena_printf(arena, "%s%s%s", named, i ? ", " : "", found.ungrounded[i]);
    return named;
}

static void expect(const struct example *examples, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        AUTO(arena) arena = { 0 };
        const char *named = check(&arena, &examples[i]);
        const char *expected = examples[i].ungrounded ? examples[i].ungrounded : "";
        if (strcmp(named, expected) == 0)
            continue;
        wrong++;
        print_error("%s\n  for: %s\n  named: %s\n  expected: %s\n", examples[i].answer,
                    examples[i].result, *named ? named : "nothing",
                    *expected ? expected : "nothing");
    }
    assert_int_equal(wrong, 0);
}
#define EXPECT(examples) expect(examples, sizeof(examples) / sizeof *(examples))

#define SALES                                                                                      \
    "[{\"product\":\"plum\",\"units\":120,\"price\":2.5},"                                         \
    "{\"product\":\"pear\",\"units\":80,\"price\":3.2},"                                           \
    "{\"product\":\"fig\",\"units\":50,\"price\":6.15}]"
#define FILES                                                                                      \
    "{\"matches\":[{\"path\":\"src/main.c\",\"line\":14},{\"path\":\"src/util.c\",\"line\":203},"  \
    "{\"path\":\"docs/notes.md\",\"line\":7}],\"files_searched\":48}"
#define EVENT                                                                                      \
    "{\"title\":\"Planning\",\"start\":\"2026-03-05T14:35:00Z\",\"end\":\"2026-03-05T16:05:00Z\"," \
    "\"room\":\"B12\"}"

static void numbers_that_stand_there_are_grounded_in_any_spelling(void **state)
{
    (void)state;
    const struct example examples[] = {
        { "7 lines, 47 words", NULL, "The file has 7 lines and 47 words.", NULL },
        { "7 lines, 47 words", NULL, "Die Datei hat sieben Zeilen und 47 Wörter.", NULL },
        { "470", NULL, "The result is 470.", NULL },
        { "470", NULL, "**470**", NULL },
        { "{\"total\":1234567.891}", NULL, "The total is 1,234,567.89.", NULL },
        { "{\"total\":1234567.891}", NULL, "Die Summe beträgt 1.234.567,89.", NULL },
        { "{\"total\":1234567.891}", NULL, "Le total est de 1 234 567,9 €.", NULL },
        { "{\"total\":1234567.891}", NULL, "Il totale è 1'234'567,89 euro.", NULL },
        { "{\"total\":1234567.891}", NULL, "El total es 1.234.568 euros.", NULL },
        { "{\"total\":1234567}", NULL, "It is about 1.2 million.", NULL },
        { "{\"total\":1234567}", NULL, "Das sind rund 1,2 Millionen.", NULL },
        { "{\"total\":1234567}", NULL, "Environ 1,23 million d'habitants.", NULL },
        { "{\"total\":1286}", NULL, "There are over 1,200 of them, nearly 1,300.", NULL },
        { "{\"total\":3500000000}", NULL, "Etwa 3,5 Milliarden Euro.", NULL },
        { "{\"pi\":3.14159265}", NULL, "Pi is 3.14, or roughly 3.1416.", NULL },
        { "{\"temperature\":18.4,\"unit\":\"C\"}", NULL, "It is 18 °C.", NULL },
        { "{\"temperature\":-5.2}", NULL, "It is −5 °C outside.", NULL },
        { "[{\"low\":3,\"high\":10},{\"low\":5,\"high\":13}]", NULL, "8 °C lie between.", NULL },
        { "[{\"month\":\"2025-11\",\"n\":52}]", NULL, "November 2025 had 52.", NULL },
        { "Mix the dough. Let it rest. Bake it.", NULL, "Day 1: mix. Day 2: rest. Day 3: bake.",
          NULL },
        { "{\"price\":12.5}", NULL, "Das kostet 12,50 €.", NULL },
        { "{\"price\":12.5}", NULL, "It costs $12.50.", NULL },
        { "Es sind 12 Dateien.", NULL, "There are twelve files.", NULL },
        { "v1.4.0 of 2025-12-01", NULL, "Version 1.4.0 is from December 1, 2025.", NULL },
        { "commit 3f2a9c1 fixes #412", NULL, "Commit 3f2a9c1 fixes issue #412.", NULL },
        { "395", "what is 17 times 23 plus 4?", "17 × 23 is 391, plus 4 makes 395.", NULL },
        { "{\"n\":30}", NULL, "Hay treinta personas.", NULL },
        { "{\"n\":25}", NULL, "There are twenty-five chairs.", NULL },
        { "{\"n\":80}", NULL, "Il y a quatre-vingts chaises.", NULL },
        { "Population: 83.2 million", NULL, "Germany has 83,200,000 people.", NULL },
        { "version 2.14.3, 5 servers", NULL, "Version 2.14.3 runs on five servers.", NULL },
        { "address 192.168.0.17", NULL, "Its address is 192.168.0.17.", NULL },
        { "report2024.csv: 12 rows", NULL, "The report of 2024 has 12 rows.", NULL },
        { "  7  47 312 notes.txt", NULL, "7 lines, 47 words, 312 bytes.", NULL },
        { "12 345 €", NULL, "It is 12,345 euros.", NULL },
        { "{\"free\":\"42G\",\"size\":\"100G\"}", NULL, "42 GB of 100 GB are free.", NULL },
    };
    EXPECT(examples);
}

static void what_follows_from_numbers_is_grounded(void **state)
{
    (void)state;
    const struct example examples[] = {
        { SALES, NULL, "250 units were sold in total.", NULL },
        { SALES, NULL, "On average 83.3 units were sold.", NULL },
        { "{\"rows\":470,\"days\":220}", NULL, "Together they are 690.", NULL },
        { "{\"rows\":470,\"days\":220}", NULL, "Es sind 250 Zeilen mehr als Tage.", NULL },
        { "{\"a\":300,\"b\":20,\"c\":45}", NULL, "En tout, cela fait 365.", NULL },
        { "found 470", "and the 220 of before?", "La suma es 690.", NULL },
        { "found 470", "and the 220 of before?", "Sono 690 in totale.", NULL },
        { SALES, NULL, "Plums sold best with 120 units, figs least with 50.", NULL },
        { SALES, NULL, "Plums make up 48 % of all units.", NULL },
        { SALES, NULL, "40 more plums than pears were sold.", NULL },
        { SALES, NULL, "There are 3 products.", NULL },
        { SALES, NULL, "Plums brought in 300 euros (120 × 2.50).", NULL },
        { "plum,120\npear,80\nfig,50\n", NULL, "Together 250.", NULL },
        { "product,units,price\nplum,120,2.5\npear,80,3.2\n", NULL, "200 units at 2.85 on average.",
          NULL },
        { "{\"total\":500,\"used\":125}", NULL, "25 % of it is used, 375 are free.", NULL },
        { "{\"passed\":45,\"failed\":5}", NULL, "90% of the tests passed (45 of 50).", NULL },
        { "{\"before\":500,\"after\":600}", NULL, "It grew by 20 percent.", NULL },
        { "{\"rate\":0.149}", NULL, "The rate is 14.9 %.", NULL },
        { "{\"bytes\":2097152}", NULL, "The file has 2 MiB.", NULL },
        { "{\"bytes\":1468006}", NULL, "The file has about 1.5 MB.", NULL },
        { "{\"bytes\":1468006}", NULL, "Die Datei ist 1,4 MB groß.", NULL },
        { "{\"minutes\":90}", NULL, "It takes 1.5 hours.", NULL },
        { "{\"seconds\":5400}", NULL, "It takes 90 minutes.", NULL },
        { "{\"usd\":20,\"rate\":0.92}", NULL, "That is 18.40 euros.", NULL },
        { "0.92", "how much is 20 dollars in euros?", "20 dollars are 18.40 euros.", NULL },
        { "{\"a\":3,\"b\":12}", NULL, "b is 4 times as large as a.", NULL },
        { "alpha\nbeta\ngamma\ndelta\n", NULL, "The file has 4 lines and 4 words.", NULL },
        { "a.txt\nb.txt\nc.md\nd.txt\n", NULL, "3 of the 4 files are texts.", NULL },
        { "x TODO\ny TODO\nz\n TODO TODO TODO TODO TODO TODO TODO TODO TODO TODO", NULL,
          "The word TODO occurs 12 times.", NULL },
        { "{\"departure\":\"08:15\",\"arrival\":\"10:45\"}", NULL,
          "Die Fahrt dauert 2 Stunden und 30 Minuten, also 2,5 Stunden.", NULL },
        { "{\"duration_seconds\":7384}", NULL, "It is 2 hours, 3 minutes and 4 seconds long.",
          NULL },
        { "{\"from\":\"2026-11-20\",\"to\":\"2026-12-04\"}", NULL, "That is 14 days.", NULL },
        { "{\"temp\":72}", NULL, "Il fait 72 °F (environ 22 °C).", NULL },
        { "{\"lines\":120,\"words\":845}", NULL, "That is about 7 words per line.", NULL },
        { "{\"humidity\":0.63,\"wind\":14.2}", NULL, "Luftfeuchtigkeit 63 Prozent, Wind 14 km/h.",
          NULL },
        { "{\"rate\":1.0845}", "how much are 250 euros in dollars?", "They are $271.13.", NULL },
        { "[3,9,4,16,8]", NULL, "They add up to 40, on average 8; the largest is 16.", NULL },
        { "{\"yes\":620,\"no\":380}", NULL, "62 % said yes, 240 more than no, of 1,000.", NULL },
        { SALES, NULL, "All together they brought in 863.50 euros.", NULL },
        { "{\"price\":80,\"discount\":15}", NULL, "After 15 % off it costs 68 euros.", NULL },
        { "{\"n\":125,\"m\":1420}", NULL,
          "One hundred and twenty-five von 1,4k, fünfundzwanzig im Haus 125.", "fünfundzwanzig" },
        { "{\"distance_m\":5230}", NULL, "It is 5.2 km away, about 3.2 miles.", NULL },
        { "{\"weight_kg\":2.5}", NULL, "Das wiegt 2500 g.", NULL },
        { "[{\"used\":30,\"size\":40},{\"used\":12,\"size\":60},{\"used\":9,\"size\":90}]", NULL,
          "The disks are 75 %, 20 % and 10 % full.", NULL },
        { "[[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"],[\"g\",\"h\",\"i\",\"j\",\"k\",\"l\"]]", NULL,
          "There are 12 names in 2 lists.", NULL },
        { "id;amount\n1;10,50\n2;20,25\n", NULL, "Zusammen sind das 30,75.", NULL },
        { "plum 30, pear 45, fig 60, kiwi 15, lime 11, date 9, nut 8, sloe 14, hip 90", NULL,
          "Plum (30), pear (45) and fig (60) make 135 together.", NULL },
    };
    EXPECT(examples);
}

static void dates_and_times_count_in_any_format(void **state)
{
    (void)state;
    const struct example examples[] = {
        { EVENT, NULL, "The meeting is on March 5, 2026 at 2:35 pm.", NULL },
        { EVENT, NULL, "The meeting is on Thursday, 5 March 2026, 14:35.", NULL },
        { EVENT, NULL, "Das Treffen ist am 5. März um 14:35 Uhr.", NULL },
        { EVENT, NULL, "Das Treffen ist am 05.03.2026 um 14.35 Uhr.", NULL },
        { EVENT, NULL, "La réunion est le 5 mars 2026 à 14h35.", NULL },
        { EVENT, NULL, "La reunión es el 5 de marzo de 2026.", NULL },
        { EVENT, NULL, "La riunione è il 5 marzo alle 14:35.", NULL },
        { EVENT, NULL, "It is on 03/05/2026, or 2026/03/05.", NULL },
        { EVENT, NULL, "It is on March 5th, from 2:35 to 4:05 p.m.", NULL },
        { EVENT, NULL, "It is in March 2026.", NULL },
        { EVENT, NULL, "It is on Mar 5 in room B12.", NULL },
        { "opens at 9 am, closes at 17:00", NULL, "It is open from 9:00 to 5 pm.", NULL },
        { "Öffnet um 14 Uhr", NULL, "It opens at 2 pm.", NULL },
        { "{\"open\":\"09:00\",\"close\":\"18:30\"}", NULL, "Aperto dalle 9 alle 18.30.", NULL },
        { "{\"open\":\"09:00\",\"close\":\"18:30\"}", NULL, "C'est ouvert de 9 h à 18 h 30.",
          NULL },
        { "{\"start\":\"09:30\"}", NULL, "It starts at half past nine, um halb zehn.", NULL },
        { "{\"start\":\"08:45\"}", NULL, "Es beginnt um Viertel vor neun.", NULL },
        { "{\"start\":\"21:30\"}", NULL, "Empieza a las nueve y media.", NULL },
        { "{\"start\":\"12:00\",\"end\":\"00:00\"}", NULL, "From noon to midnight.", NULL },
        { "{\"done\":true}", "remind me at a quarter to five", "I remind you at 16:45.", NULL },
        { EVENT, NULL, "It takes place on the 5th.", NULL },
        { "Due: 1 April", NULL, "Il faut le rendre le 1er avril 2026.", NULL },
    };
    EXPECT(examples);
}

static void names_and_quotations_are_looked_for(void **state)
{
    (void)state;
    const struct example examples[] = {
        { FILES, NULL, "It is in src/main.c at line 14, in util.c at line 203.", NULL },
        { FILES, NULL, "Three files match: `main.c`, `util.c` and `notes.md`.", NULL },
        { "a.txt\nb.txt", "list /home/ann/texts", "They are /home/ann/texts/a.txt and b.txt.",
          NULL },
        { "{\"ok\":true}", "delete b.txt", "b.txt was deleted.", NULL },
        { "Plums are ripe.\nPears are not.", NULL, "The note says \"Plums are ripe\".", NULL },
        { "Plums are ripe.\nPears are not.", NULL, "Die Notiz sagt: „Plums are ripe.“", NULL },
        { "Plums are\n  ripe", NULL, "Elle dit « plums are ripe ».", NULL },
        { "Plums are ripe, and pears - not yet - too.", NULL,
          "It says \"Plums are ripe and pears, not yet, too!\".", NULL },
        { "card 4111222233334444, DE89 3704 0044 0532 0130 00", NULL,
          "It is 4111 2222 3333 4444, or DE89370400440532013000.", NULL },
        { "It's done", NULL, "The tool says “It’s done”.", NULL },
        { "first part, and much more, last part", NULL, "It begins \"first part, ...\".", NULL },
        { "ok", "mail Ann 'see you at 8'", "I mailed Ann \"see you at 8\".", NULL },
    };
    EXPECT(examples);
}

static void counting_words_and_numbering_are_no_claims(void **state)
{
    (void)state;
    const struct example examples[] = {
        { FILES, NULL, "1. src/main.c\n2. src/util.c\n3. docs/notes.md", NULL },
        { FILES, NULL, "The 1st, the 2nd and the 3rd match.", NULL },
        { FILES, NULL, "There are two kinds of files: C and Markdown.", NULL },
        { "done", NULL, "There was one change and 0 errors.", NULL },
        { "done", NULL, "Both are done, the two of them, e.g. today.", NULL },
        { "{\"text\":\"UTF-8 file\"}", NULL, "It is UTF-8, as COVID-19 or r2d2 are names.", NULL },
        { "{\"status\":\"open\"}", "run `head -n 20 a.txt`", "The first 20 lines: open.", NULL },
        { "a b c", NULL, "These hold:\n- a\n- b\n- c\nThat makes 3 points.", NULL },
        { "{\"on\":true}", NULL, "It runs 24 hours a day.", NULL },
    };
    EXPECT(examples);
}

static void what_is_nowhere_is_named(void **state)
{
    (void)state;
    const struct example examples[] = {
        { "7 lines, 47 words", NULL, "The file has 244 words and 12 lines.", "244, 12" },
        { "7 lines, 47 words", NULL, "The file has 8 lines and 47 words.", "8" },
        { "7 lines, 47 words", NULL, "The file has nine lines.", "nine" },
        { "470", NULL, "The result is 690.", "690" },
        { "470", NULL, "The result is 740.", "740" },
        { "{\"rows\":470,\"days\":220}", NULL, "690 rows, and 250 days.", "690, 250" },
        { "found 470", "look into 220 files", "Es sind 690.", "690" },
        { "470", NULL, "The result is 47.", "47" },
        { "470", NULL, "The result is 4.7.", "4.7" },
        { "470", NULL, "About 600.", "600" },
        { "470", NULL, "Das Ergebnis ist 4.700.", "4.700" },
        { "{\"total\":1234567}", NULL, "It is about 1.3 million.", "1.3" },
        { "{\"total\":1234567}", NULL, "Rund 12 Millionen.", "12" },
        { "{\"temperature\":18.4}", NULL, "It is 19 °C.", "19" },
        { "[{\"low\":3,\"high\":10},{\"low\":5,\"high\":13}]", NULL, "Up to 31 °C.", "31" },
        { "{\"temperature\":18.4}", NULL, "It is 18.6 °C.", "18.6" },
        { "{\"temperature\":18.4}", NULL, "It is 3 °C.", "3" },
        { "{\"price\":12.5}", NULL, "It costs 15.20 €.", "15.20" },
        { "{\"price\":12.5}", NULL, "It costs $9.", "9" },
        { "{\"pi\":3.14159265}", NULL, "Pi is 3.15.", "3.15" },
        { "{\"n\":30}", NULL, "There are forty of them.", "forty" },
        { "{\"n\":12}", NULL, "Es sind elf Dateien.", "elf" },
        { SALES, NULL, "270 units were sold in total.", "270" },
        { SALES, NULL, "On average 91.7 units were sold.", "91.7" },
        { SALES, NULL, "There are 4 products.", "4" },
        { SALES, NULL, "Plums make up 53.7 % of all units.", "53.7" },
        { "{\"total\":500,\"used\":125}", NULL, "31 % of it is used.", "31" },
        { "{\"bytes\":1468006}", NULL, "The file has 3.7 MB.", "3.7" },
        { "{\"minutes\":90}", NULL, "It takes 2.5 hours.", "2.5" },
        { "version 2.14.3", NULL, "It is version 2.14.5.", "2.14.5" },
        { "address 192.168.0.17", NULL, "It is 192.168.0.1.", "192.168.0.1" },
        { "invoice INV-2041", NULL, "It is INV-2047.", "2047" },
        { "card 4111222233334444", NULL, "It is 4111 2222 3333 4445.", "4111, 2222, 3333, 4445" },
        { EVENT, NULL, "It begins at half past four.", "half past four" },
        { EVENT, NULL, "It is on March 6, 2026.", "March 6, 2026" },
        { EVENT, NULL, "It is on May 5.", "May 5" },
        { EVENT, NULL, "Am 5. März 2025.", "5. März 2025" },
        { EVENT, NULL, "It is on 2026-03-15.", "2026-03-15" },
        { EVENT, NULL, "It begins at 15:35.", "15:35" },
        { EVENT, NULL, "It begins at 2:35 am.", "2:35 am" },
        { EVENT, NULL, "It begins at 3 pm.", "3 pm" },
        { "{\"ok\":true}", NULL, "It is 14:35 in Tokyo.", "14:35" },
        { FILES, NULL, "It is in src/parser.c.", "src/parser.c" },
        { FILES, NULL, "It is in ain.c.", "ain.c" },
        { FILES, NULL, "It is in lib/main.c.", "lib/main.c" },
        { FILES, NULL, "See /etc/passwd.", "/etc/passwd" },
        { FILES, NULL, "See https://example.com/x.", "https://example.com/x" },
        { "Plums are ripe.", NULL, "The note says \"Plums are sour\".", "Plums are sour" },
        { "Plums are ripe.", NULL, "Sie sagt: „Pflaumen kosten drei Euro“.",
          "Pflaumen kosten drei Euro" },
        { "{\"status\":\"open\"}", NULL, "Its status is 'closed'.", "closed" },
        { "done", NULL, "Plums are 3 euros, 3 euros each.", "3" },
        { "{\"departure\":\"08:15\",\"arrival\":\"10:45\"}", NULL, "It takes 3.5 hours.", "3.5" },
        { "{\"duration_seconds\":7384}", NULL, "It is 2 hours and 33 minutes long.", "33" },
        { "{\"temp\":72}", NULL, "Il fait 31 °C.", "31" },
        { "done", NULL, "It sold 1.5 million units in 2019.", "1.5, 2019" },
    };
    EXPECT(examples);
}

static char *text_of(size_t bytes)
{
    char *text = malloc(bytes + 1);
    for (size_t i = 0; i < bytes; i += 8)
        memcpy(text + i, "12345 7 ", bytes - i < 8 ? bytes - i : 8);
    text[bytes] = '\0';
    return text;
}

static void beyond_the_bound_nothing_is_judged(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        AUTO(arena) arena = { 0 };
        const char *answer = "It is 470.";
        char *text = text_of(GROUNDING_MAX_BYTES - 1 + more);
        const json_t *result = arena_keep_json(&arena, json_string(text));
        const struct grounding_sources sources = { words, &result, 1, NULL, 0 };
        struct grounding found;
        grounding_check(&arena, answer, &sources, &found);
        assert_int_equal(found.is_unjudged, more);
        assert_int_equal(found.n, !more);
        free(text);
    }
}

static void of_very_many_values_the_first_are_judged(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *answer = "";
    for (int i = 0; i <= GROUNDING_MAX_CLAIMS; i++)
        answer = arena_printf(&arena, "%s%d\n", answer, 1000 + i);
    const struct grounding_sources sources = { .words = words };
    struct grounding found;
    grounding_check(&arena, answer, &sources, &found);
    assert_int_equal(found.n, GROUNDING_MAX_CLAIMS);
}

static void large_results_take_a_few_milliseconds(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *answer = "";
    char *text = text_of(64 * 1024);
    const json_t *result = arena_keep_json(&arena, json_string(text));
    const struct grounding_sources sources = { words, &result, 1, NULL, 0 };
    struct grounding found;
    for (int i = 0; i < GROUNDING_MAX_CLAIMS; i++)
        answer = arena_printf(&arena, "%s word%d has %d\n", answer, i, 1000 + i);
    clock_t begun = clock();
    grounding_check(&arena, answer, &sources, &found);
    double ms = 1000.0 * (double)(clock() - begun) / CLOCKS_PER_SEC;
    print_message("%zu values took %.2f ms\n", found.n, ms);
    free(text);
    assert_true(ms < 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_stand_there_are_grounded_in_any_spelling),
        cmocka_unit_test(what_follows_from_numbers_is_grounded),
        cmocka_unit_test(dates_and_times_count_in_any_format),
        cmocka_unit_test(names_and_quotations_are_looked_for),
        cmocka_unit_test(counting_words_and_numbering_are_no_claims),
        cmocka_unit_test(what_is_nowhere_is_named),
        cmocka_unit_test(beyond_the_bound_nothing_is_judged),
        cmocka_unit_test(of_very_many_values_the_first_are_judged),
        cmocka_unit_test(large_results_take_a_few_milliseconds),
    };
    words = json_load_file(SOURCE_DIR "/config/words/values.json", 0, NULL);
    int failed = !words || cmocka_run_group_tests(tests, NULL, NULL);
    json_decref(words);
    return failed;
}
