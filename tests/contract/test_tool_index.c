/* What every tool index owes (application/ports/tool_index.h), on the one in memory. */

#include "domain/base/json.h"
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include <string.h>

static struct tool tool_of(struct arena *arena, const char *name, const char *description,
                           const char *schema)
{
    struct err err;
    json_t *value;
    if (json_parse(schema, strlen(schema), JSON_OURS, &value, &err))
        fail_msg("%s", err.message);
    return (struct tool){ .server = "s",
                          .name = name,
                          .description = description,
                          .input_schema = arena_keep_json(arena, value) };
}

struct fixture {
    struct arena arena;
    struct tool_index *index;
    struct tool tools[8];
    const struct tool *list[8];
    struct tool_hit *hits;
    size_t n;
};

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){ 0 };
    struct arena *a = &f.arena;
    f.tools[0] = tool_of(a, "read_file", "Returns the text of a file.",
                         "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\","
                         "\"description\":\"relative to the workspace\"}}}");
    f.tools[1] =
        tool_of(a, "getUserName", "Looks up an account.",
                "{\"type\":\"object\",\"properties\":{\"userId\":{\"type\":\"integer\"}}}");
    f.tools[2] = tool_of(a, "math.add", NULL,
                         "{\"type\":\"object\",\"properties\":{\"terms\":{\"type\":\"array\","
                         "\"items\":{\"type\":\"object\",\"properties\":{\"coefficient\":{}}}}}}");
    f.tools[3] = tool_of(a, "publish", "Sends the file to GitHub and closes the ticket.",
                         "{\"type\":\"object\",\"properties\":{\"state\":{\"enum\":[\"draft\","
                         "\"final\",3]}}}");
    f.tools[4] = tool_of(a, "wetter", "Größe der Wolken über Zürich", "{\"type\":\"object\"}");
    for (size_t i = 0; i < 5; i++)
        f.list[i] = &f.tools[i];
    struct err err;
    f.index = bm25_tool_index_create();
    if (tool_index_build(f.index, f.list, 5, &err))
        fail_msg("%s", err.message);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    tool_index_destroy(f->index);
    arena_finish(&f->arena);
    return 0;
}

static void search(struct fixture *f, const char *const *words, size_t n_words, size_t max)
{
    const struct tool_search search = { .words = words, .n_words = n_words, .max = max };
    struct err err;
    if (tool_index_search(f->index, &search, &f->arena, &f->hits, &f->n, &err))
        fail_msg("%s", err.message);
}

static void search_one(struct fixture *f, const char *word)
{
    search(f, &word, 1, 10);
}

static void assert_finds(struct fixture *f, const char *word, size_t tool)
{
    search_one(f, word);
    if (f->n != 1 || f->hits[0].tool != tool)
        fail_msg("\"%s\": %zu hits, the first %zu", word, f->n, f->n ? f->hits[0].tool : 99);
}

static void ranks_a_word_in_the_name_above_one_in_the_description(void **state)
{
    struct fixture *f = *state;

    search_one(f, "file");

    assert_int_equal(f->n, 2);
    assert_int_equal(f->hits[0].tool, 0);
    assert_int_equal(f->hits[1].tool, 3);
    assert_true(f->hits[0].score > f->hits[1].score);
}

static void compares_stems_in_any_case_and_without_accents(void **state)
{
    struct fixture *f = *state;

    assert_finds(f, "READING", 0);
    assert_finds(f, "closed", 3);
    assert_finds(f, "zurich", 4);
    assert_finds(f, "größe", 4);
}

static void splits_camel_case_snake_case_and_dots_on_both_sides(void **state)
{
    struct fixture *f = *state;

    assert_finds(f, "user", 1);
    assert_finds(f, "getusername", 1);
    assert_finds(f, "USERName", 1);
    assert_finds(f, "add", 2);
    assert_finds(f, "mathadd", 2);
    assert_finds(f, "readfile", 0);
    assert_finds(f, "github", 3);
}

static void searches_parameters_their_descriptions_and_choices_also_nested(void **state)
{
    struct fixture *f = *state;

    assert_finds(f, "path", 0);
    assert_finds(f, "workspace", 0);
    assert_finds(f, "coefficient", 2);
    assert_finds(f, "draft", 3);
}

static void finds_tools_that_hold_any_of_the_words_and_the_fullest_first(void **state)
{
    struct fixture *f = *state;
    const char *words[] = { "read", "path", "publish", "nothingofthekind" };

    search(f, words, 4, 10);

    assert_int_equal(f->n, 2);
    search(f, words, 4, 1);
    assert_int_equal(f->n, 1);
}

static void says_what_each_word_adds(void **state)
{
    struct fixture *f = *state;
    const char *words[] = { "read", "workspace", "absent" };

    search(f, words, 3, 10);

    assert_int_equal(f->n, 1);
    assert_int_equal(f->hits[0].n_matches, 2);
    assert_int_equal(f->hits[0].matches[0].word, 0);
    assert_string_equal(f->hits[0].matches[0].as, "read");
    assert_int_equal(f->hits[0].matches[1].word, 1);
    assert_true(f->hits[0].score == f->hits[0].matches[0].score + f->hits[0].matches[1].score);
}

static void finds_a_word_by_its_senses_which_weigh_less(void **state)
{
    struct fixture *f = *state;
    const char *const nothing = "absent", *const publish = "publish";
    const char *many[TOOL_INDEX_MAX_SENSES + 1];
    for (size_t i = 0; i < ARRAY_LENGTH(many); i++)
        many[i] = "zz";
    struct tool_senses senses = { &publish, 1 };
    struct tool_search by_sense = { .words = &nothing, .n_words = 1, .max = 10, .senses = &senses };
    search_one(f, "publish");
    double direct = f->hits[0].score;

    assert_int_equal(tool_index_search(f->index, &by_sense, &f->arena, &f->hits, &f->n, NULL), 0);
    assert_int_equal(f->n, 1);
    assert_int_equal(f->hits[0].tool, 3);
    assert_string_equal(f->hits[0].matches[0].as, "publish");
    assert_true(f->hits[0].score < direct);
    senses = (struct tool_senses){ many, ARRAY_LENGTH(many) };
    many[TOOL_INDEX_MAX_SENSES - 1] = "publish";
    assert_int_equal(tool_index_search(f->index, &by_sense, &f->arena, &f->hits, &f->n, NULL), 0);
    assert_int_equal(f->n, 1);
    many[TOOL_INDEX_MAX_SENSES - 1] = "zz";
    many[TOOL_INDEX_MAX_SENSES] = "publish";
    assert_int_equal(tool_index_search(f->index, &by_sense, &f->arena, &f->hits, &f->n, NULL), 0);
    assert_int_equal(f->n, 0);
}

static void compares_stems_in_the_language_of_the_search(void **state)
{
    struct fixture *f = *state;
    const char *const word = "Wölkchen", *const plural = "Wolke";
    struct tool_search german = { .words = &plural, .n_words = 1, .max = 10, .language = "de" };

    assert_int_equal(tool_index_search(f->index, &german, &f->arena, &f->hits, &f->n, NULL), 0);
    assert_int_equal(f->n, 1);
    assert_int_equal(f->hits[0].tool, 4);
    german.language = "xx"; /* unknown: as in English */
    german.words = &word;
    assert_int_equal(tool_index_search(f->index, &german, &f->arena, &f->hits, &f->n, NULL), 0);
    assert_int_equal(f->n, 0);
}

static void gives_the_stems_that_it_compares_by(void **state)
{
    struct fixture *f = *state;
    const char *const pairs[][3] = {
        { "en", "Mailing", "mails" },    { "de", "Rechnungen", "Rechnung" },
        { "fr", "factures", "Facture" }, { "es", "reunión", "reunion" },
        { "it", "fatture", "fattura" },  { NULL, "Größe", "GRÖSSE" },
    };

    for (size_t i = 0; i < ARRAY_LENGTH(pairs); i++)
        assert_string_equal(tool_index_stem(f->index, pairs[i][0], pairs[i][1], &f->arena),
                            tool_index_stem(f->index, pairs[i][0], pairs[i][2], &f->arena));
}

static void finds_tools_by_the_name_of_their_server(void **state)
{
    struct fixture *f = *state;
    f->tools[2].server = "abacus-desk";
    assert_int_equal(tool_index_build(f->index, f->list, 5, NULL), ERR_NONE);

    assert_finds(f, "abacus", 2);
}

static void treats_every_text_as_words_and_none_as_syntax(void **state)
{
    struct fixture *f = *state;
    const char *const hostile[] = { "\"",        "\"\"\"", "name:read", "NEAR(", "* OR *", "-",
                                    "a\"b OR c", "^",      "(",         "'; --", "",       "{}",
                                    "\xff\xfe",  "AND",    "NOT",       "OR" };

    for (size_t i = 0; i < ARRAY_LENGTH(hostile); i++) {
        search_one(f, hostile[i]);
    }
    search_one(f, "name:publish");
    assert_int_equal(f->n, 2); /* the words "name" and "publish" */
}

static void survives_a_word_of_any_length(void **state)
{
    struct fixture *f = *state;
    char *word = arena_alloc(&f->arena, 100001);
    for (size_t i = 0; i < 100000; i++)
        word[i] = i % 2 ? 'b' : 'A';

    search_one(f, word);
    assert_int_equal(f->n, 0);
    word[3] = '.'; /* the first piece is short: it and what fits beside it are looked for */
    search_one(f, word);
}

static void finds_nothing_without_words(void **state)
{
    struct fixture *f = *state;

    search(f, NULL, 0, 10);
    assert_int_equal(f->n, 0);
    search_one(f, "...");
    assert_int_equal(f->n, 0);
}

static void replaces_its_content_when_built_again(void **state)
{
    struct fixture *f = *state;
    struct err err;
    const struct tool *only[] = { &f->tools[2] };

    assert_int_equal(tool_index_build(f->index, only, 1, &err), ERR_NONE);

    search_one(f, "file");
    assert_int_equal(f->n, 0);
    assert_finds(f, "coefficient", 0);
    assert_int_equal(tool_index_build(f->index, NULL, 0, &err), ERR_NONE);
    search_one(f, "coefficient");
    assert_int_equal(f->n, 0);
}

static void looks_for_as_many_words_as_allowed_and_not_for_one_more(void **state)
{
    struct fixture *f = *state;
    const char *words[TOOL_INDEX_MAX_WORDS + 1];
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        words[i] = "zz";

    words[TOOL_INDEX_MAX_WORDS - 1] = "publish";
    search(f, words, TOOL_INDEX_MAX_WORDS, 10);
    assert_int_equal(f->n, 1);
    words[TOOL_INDEX_MAX_WORDS - 1] = "zz";
    words[TOOL_INDEX_MAX_WORDS] = "publish";
    search(f, words, TOOL_INDEX_MAX_WORDS + 1, 10);
    assert_int_equal(f->n, 0);
}

/* A description of so many words, the last of which is "needle". */
static void build_with_long_description(struct fixture *f, size_t words)
{
    struct err err;
    const char needle[] = "needle";
    char *text = arena_alloc(&f->arena, 2 * words + sizeof needle);
    for (size_t i = 0; i < 2 * (words - 1); i++)
        text[i] = i % 2 ? ' ' : 'x';
    memcpy(text + 2 * (words - 1), needle, sizeof needle);
    f->tools[0].description = text;
    assert_int_equal(tool_index_build(f->index, f->list, 1, &err), ERR_NONE);
}

static void indexes_texts_up_to_their_bound_and_not_beyond(void **state)
{
    struct fixture *f = *state;

    build_with_long_description(f, TOOL_INDEX_MAX_FIELD_WORDS);
    search_one(f, "needle");
    assert_int_equal(f->n, 1);
    build_with_long_description(f, TOOL_INDEX_MAX_FIELD_WORDS + 1);
    search_one(f, "needle");
    assert_int_equal(f->n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(ranks_a_word_in_the_name_above_one_in_the_description),
        T(compares_stems_in_any_case_and_without_accents),
        T(splits_camel_case_snake_case_and_dots_on_both_sides),
        T(searches_parameters_their_descriptions_and_choices_also_nested),
        T(finds_tools_that_hold_any_of_the_words_and_the_fullest_first),
        T(says_what_each_word_adds),
        T(finds_a_word_by_its_senses_which_weigh_less),
        T(compares_stems_in_the_language_of_the_search),
        T(gives_the_stems_that_it_compares_by),
        T(finds_tools_by_the_name_of_their_server),
        T(treats_every_text_as_words_and_none_as_syntax),
        T(survives_a_word_of_any_length),
        T(finds_nothing_without_words),
        T(replaces_its_content_when_built_again),
        T(looks_for_as_many_words_as_allowed_and_not_for_one_more),
        T(indexes_texts_up_to_their_bound_and_not_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
