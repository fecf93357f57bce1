#include "application/finding/query_words.h"
#include "application/finding/word_files.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include <string.h>

struct bench {
    struct arena arena;
    struct fake_services services; /* for its index and its assets: the words of the tree */
    struct query_words words;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    fake_services_init(&bench->services, NULL, SOURCE_DIR);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

static enum err_code try_to_read(struct bench *bench, const char *text)
{
    return query_words_read(&bench->arena, &bench->services.index.base,
                            &bench->services.assets.base, text, &bench->words, &bench->err);
}

/* What is left of a request: the words that are looked for, "|" between clauses. */
static const char *left_of(struct bench *bench, const char *text)
{
    const char *left = "";
    uint32_t clause = 0;
    assert_int_equal(try_to_read(bench, text), ERR_NONE);
    for (size_t i = 0; i < bench->words.n; i++) {
        const struct query_word *word = &bench->words.words[i];
        if (word->is_dropped)
            continue;
        left = arena_printf(&bench->arena, "%s%s%s", left,
                            word->clause != clause ? " | "
                            : *left                ? " "
                                                   : "",
                            word->plain);
        clause = word->clause;
    }
    return left;
}

/* Whether the word of the request that was read last has the sense. */
static bool has_sense(const struct bench *bench, const char *plain, const char *sense)
{
    for (size_t i = 0; i < bench->words.n; i++)
        for (size_t s = 0; s < bench->words.words[i].n_senses; s++)
            if (strcmp(bench->words.words[i].plain, plain) == 0 &&
                strcmp(bench->words.words[i].senses[s], sense) == 0)
                return true;
    return false;
}

static const char *language_of(struct bench *bench, const char *text)
{
    assert_int_equal(try_to_read(bench, text), ERR_NONE);
    return bench->words.language;
}

static void words_that_say_nothing_are_dropped(void **state)
{
    struct bench *bench = *state;

    assert_string_equal(left_of(bench, "How much is 20 dollars in euros?"), "dollars euros");
    assert_string_equal(left_of(bench, "could you please do it for me"), "");
    assert_string_equal(left_of(bench, "Wie wird das Wetter in Kiel?"), "wetter kiel");
}

static void a_word_without_meaning_is_not_taken_for_a_form_of_another_one(void **state)
{
    struct bench *bench = *state;

    assert_string_equal(left_of(bench, "das Wetter wegen der Feier"), "wetter feier");
}

static void the_language_is_that_of_most_words(void **state)
{
    struct bench *bench = *state;

    assert_string_equal(language_of(bench, "what is the weather like in Kiel"), "en");
    assert_string_equal(language_of(bench, "wie wird das Wetter in Kiel"), "de");
    assert_string_equal(language_of(bench, "quel temps fait-il à Kiel"), "fr");
    assert_string_equal(language_of(bench, "¿qué tiempo hace en Kiel?"), "es");
    assert_string_equal(language_of(bench, "che tempo fa a Kiel?"), "it");
    assert_string_equal(language_of(bench, "Kiel"), "en");
    assert_string_equal(language_of(bench, ""), "en");
}

static void clauses_end_at_punctuation_and_at_words_that_join(void **state)
{
    struct bench *bench = *state;

    assert_string_equal(left_of(bench, "chart sales and mail it to Ann"), "chart sales | mail ann");
    assert_string_equal(left_of(bench, "chart sales, then print"), "chart sales | print");
    assert_string_equal(left_of(bench, "Zeichne Umsatz und drucke ihn"), "zeichne umsatz | drucke");
    assert_string_equal(left_of(bench, "dessine ventes puis imprime"), "dessine ventes | imprime");
    assert_string_equal(left_of(bench, "stampa foglio e spegni lampada"),
                        "stampa foglio | spegni lampada");
    assert_string_equal(left_of(bench, "imprime hoja y apaga lámpara"),
                        "imprime hoja | apaga lampara");
    assert_string_equal(left_of(bench, "and, then: chart."), "chart");
}

static void everyday_words_have_the_senses_of_tools(void **state)
{
    struct bench *bench = *state;

    (void)left_of(bench, "is there anything in my inbox?");
    assert_true(has_sense(bench, "inbox", "email"));
    (void)left_of(bench, "brauche ich einen Regenschirm?");
    assert_true(has_sense(bench, "regenschirm", "forecast"));
    (void)left_of(bench, "Ai-je besoin d'un parapluie ?");
    assert_true(has_sense(bench, "parapluie", "forecast"));
    (void)left_of(bench, "¿necesito un paraguas?");
    assert_true(has_sense(bench, "paraguas", "forecast"));
    (void)left_of(bench, "mi serve l’ombrello?");
    assert_true(has_sense(bench, "ombrello", "forecast"));
}

static void a_phrase_is_known_where_its_words_follow_each_other(void **state)
{
    struct bench *bench = *state;

    (void)left_of(bench, "get rid of the old table");
    assert_true(has_sense(bench, "get", "delete"));
    (void)left_of(bench, "get the old table rid");
    assert_false(has_sense(bench, "get", "delete"));
}

static void german_words_are_known_by_their_parts(void **state)
{
    struct bench *bench = *state;

    (void)left_of(bench, "zeig mir die Wetterkarte für das Kalenderblatt");
    assert_true(has_sense(bench, "wetterkarte", "weather"));
    assert_true(has_sense(bench, "kalenderblatt", "calendar"));
}

static void words_of_another_language_are_borrowed_from_english_only(void **state)
{
    struct bench *bench = *state;

    (void)left_of(bench, "mach mir einen Screenshot von der Seite");
    assert_string_equal(bench->words.language, "de");
    assert_true(has_sense(bench, "screenshot", "capture"));
}

static void what_stands_out_by_its_form_is_known_by_that(void **state)
{
    struct bench *bench = *state;

    (void)left_of(bench,
                  "ann@example.org notes/a.txt https://example.org WEB-118 #support 3.5 e.g.");

    assert_true(has_sense(bench, "ann@example.org", "email"));
    assert_true(has_sense(bench, "notes/a.txt", "file"));
    assert_true(has_sense(bench, "https://example.org", "url"));
    assert_true(has_sense(bench, "web-118", "issue"));
    assert_true(has_sense(bench, "#support", "channel"));
    for (size_t i = 0; i < bench->words.n; i++)
        if (strcmp(bench->words.words[i].plain, "a") == 0)
            fail_msg("the name of a file is not looked for");
}

static void quoted_words_have_no_senses_and_end_no_clause(void **state)
{
    struct bench *bench = *state;

    assert_string_equal(left_of(bench, "replace \"inbox, and mail\" by «rain»"),
                        "replace inbox mail rain");
    assert_false(has_sense(bench, "inbox", "email"));
    assert_false(has_sense(bench, "rain", "weather"));
    assert_true(has_sense(bench, "replace", "edit"));
}

static void as_many_words_as_allowed_are_read_and_not_one_more(void **state)
{
    struct bench *bench = *state;
    const char *text = "";
    for (size_t i = 0; i < QUERY_MAX_WORDS; i++)
        text = arena_printf(&bench->arena, "%szebra ", text);

    query_words_split(&bench->arena, text, &bench->words);
    assert_int_equal(bench->words.n, QUERY_MAX_WORDS);
    query_words_split(&bench->arena, arena_printf(&bench->arena, "%szebra", text), &bench->words);
    assert_int_equal(bench->words.n, QUERY_MAX_WORDS);
}

static void as_many_clauses_as_allowed_are_told_apart_and_the_last_has_the_rest(void **state)
{
    struct bench *bench = *state;
    const char *text = "";
    for (size_t i = 0; i < QUERY_MAX_CLAUSES; i++)
        text = arena_printf(&bench->arena, "%szebra, ", text);

    assert_int_equal(try_to_read(bench, text), ERR_NONE);
    assert_int_equal(bench->words.n_clauses, QUERY_MAX_CLAUSES);
    assert_int_equal(try_to_read(bench, arena_printf(&bench->arena, "%szebra, ", text)), ERR_NONE);
    assert_int_equal(bench->words.n_clauses, QUERY_MAX_CLAUSES);
}

static void override_words(struct bench *bench, const char *text)
{
    assets_finish(&bench->services.assets.base); /* of what was read before */
    bench->services.assets.override_path = "data/words/en.txt";
    bench->services.assets.override_text = text;
}

static void a_file_at_its_bound_is_read_and_one_byte_more_is_an_error(void **state)
{
    struct bench *bench = *state;
    char *text = arena_alloc(&bench->arena, WORD_FILE_MAX_BYTES + 2);
    const char first[] = "zebra -> animal\n";
    memset(text, '\n', WORD_FILE_MAX_BYTES);
    memcpy(text, first, sizeof first - 1);
    override_words(bench, text);

    assert_int_equal(try_to_read(bench, "zebra"), ERR_NONE);
    assert_true(has_sense(bench, "zebra", "animal"));
    text[WORD_FILE_MAX_BYTES] = '\n';
    override_words(bench, text);
    assert_int_equal(try_to_read(bench, "zebra"), ERR_LIMIT);
    assert_non_null(strstr(bench->err.message, "larger than 65536 bytes"));
}

static const char *entry_text(struct arena *arena, const struct word_table *table,
                              const struct word_entry *entry)
{
    return arena_printf(arena, "%s (%s) ->%s|%s, next %u", table->texts + entry->key,
                        table->texts + entry->part, table->texts + entry->meanings,
                        table->texts + entry->marks, entry->next);
}

/* The file as it is in the tree makes the table that is in the binary. */
static void check_built_in(struct bench *bench, const struct named_word_table *named)
{
    struct arena *arena = &bench->arena;
    const struct word_table *built = &named->table;
    struct word_table made;
    const char *text, *origin;
    size_t line;
    assert_int_equal(
        assets_get(&bench->services.assets.base, named->path, arena, &text, &origin, &bench->err),
        ERR_NONE);
    assert_true(word_table_make(arena, text, &made, &line));
    assert_int_equal(built->n, made.n);
    for (size_t i = 0; i < made.n; i++)
        assert_string_equal(entry_text(arena, built, &built->entries[i]),
                            entry_text(arena, &made, &made.entries[i]));
    assert_memory_equal(built->first, made.first, WORD_TABLE_BUCKETS * sizeof *made.first);
}

static void tables_in_the_binary_are_those_of_the_files(void **state)
{
    size_t n = 0;
    for (; word_tables[n].path; n++)
        check_built_in(*state, &word_tables[n]);
    assert_in_range(n, 10, WORD_FILES_MAX);
}

static void files_are_read_once_unless_they_could_not_be_read(void **state)
{
    struct bench *bench = *state;
    override_words(bench, "zebra animal\n");
    assert_int_equal(try_to_read(bench, "zebra"), ERR_INVALID);
    bench->services.assets.override_text = "zebra -> animal\n";
    assert_int_equal(try_to_read(bench, "zebra"), ERR_NONE);
    bench->services.assets.override_text = "zebra animal\n";

    assert_int_equal(try_to_read(bench, "zebra"), ERR_NONE);

    assert_true(has_sense(bench, "zebra", "animal"));
}

static void a_line_without_an_arrow_is_an_error_that_names_it(void **state)
{
    struct bench *bench = *state;
    override_words(bench, "# mine\n\nzebra -> animal\nzebra animal\n");

    assert_int_equal(try_to_read(bench, "zebra"), ERR_INVALID);

    assert_non_null(strstr(bench->err.message, "line 4: there is no \"->\""));
    assert_non_null(strstr(bench->err.hint, "->"));
}

static void a_word_has_as_many_senses_as_allowed_and_not_one_more(void **state)
{
    struct bench *bench = *state;
    const char *text = "zebra ->";
    for (size_t i = 0; i <= TOOL_INDEX_MAX_SENSES; i++)
        text = arena_printf(&bench->arena, "%s s%zu", text, i);
    override_words(bench, text);

    assert_int_equal(try_to_read(bench, "zebra"), ERR_NONE);

    assert_int_equal(bench->words.words[0].n_senses, TOOL_INDEX_MAX_SENSES);
}

static void any_bytes_are_read(void **state)
{
    struct bench *bench = *state;
    const char *const texts[] = { "\xff\xfe", "\xC3", "\xE2\x80",  "\"",  "@",      "#",   "->",
                                  "a/",       "...",  "\xC2\xBF?", "'’'", "A-1 -1", "www." };

    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        assert_int_equal(try_to_read(bench, texts[i]), ERR_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(words_that_say_nothing_are_dropped),
        T(a_word_without_meaning_is_not_taken_for_a_form_of_another_one),
        T(the_language_is_that_of_most_words),
        T(clauses_end_at_punctuation_and_at_words_that_join),
        T(everyday_words_have_the_senses_of_tools),
        T(a_phrase_is_known_where_its_words_follow_each_other),
        T(german_words_are_known_by_their_parts),
        T(words_of_another_language_are_borrowed_from_english_only),
        T(what_stands_out_by_its_form_is_known_by_that),
        T(quoted_words_have_no_senses_and_end_no_clause),
        T(as_many_words_as_allowed_are_read_and_not_one_more),
        T(as_many_clauses_as_allowed_are_told_apart_and_the_last_has_the_rest),
        T(a_file_at_its_bound_is_read_and_one_byte_more_is_an_error),
        T(tables_in_the_binary_are_those_of_the_files),
        T(files_are_read_once_unless_they_could_not_be_read),
        T(a_line_without_an_arrow_is_an_error_that_names_it),
        T(a_word_has_as_many_senses_as_allowed_and_not_one_more),
        T(any_bytes_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
