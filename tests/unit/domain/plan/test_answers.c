#include "domain/base/text.h"
#include "domain/plan/answers.h"
#include "tests/support/cmocka.h"
#include <string.h>

/* Three questions wait: a text, one of some choices, and a whole number. */
struct fixture {
    struct arena arena;
    struct question questions[3];
    struct answer_reading reading;
    struct answers answers;
};

static const char *colours[] = { "red", "green", "stop" };
static const char *tools[] = { "files/read_file", "files/search_files", "none" };
static const char *yes_no[] = { "yes", "no" };

static bool fits(const void *context, const struct question *question, const char *value)
{
    int64_t number;
    struct arena *arena = (struct arena *)(uintptr_t)context;
    if (question->n_choices)
        return answers_choice(arena, NULL, question, value, false);
    return strcmp(question->key, "max_lines") != 0 || text_to_int64(value, &number);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->questions[0] = (struct question){ .key = "title" };
    f->questions[1] = (struct question){ .key = "colour", .choices = colours, .n_choices = 3 };
    f->questions[2] = (struct question){ .key = "max_lines" };
    f->reading = (struct answer_reading){
        .words = arena_keep_json(&f->arena,
                                 json_load_file(SOURCE_DIR "/config/words/answers.json", 0, NULL)),
        .questions = f->questions,
        .n = 3,
        .fits = fits,
        .context = &f->arena,
    };
    assert_non_null(f->reading.words);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    arena_finish(&f->arena);
    free(f);
    return 0;
}

static void read(struct fixture *f, const char *message)
{
    answers_read(&f->arena, &f->reading, message, &f->answers);
}

static void says(struct fixture *f, const char *message, const char *title, const char *colour,
                 const char *lines)
{
    const char *wanted[] = { title, colour, lines };
    read(f, message);
    if (f->answers.meaning != ANSWER_VALUES)
        fail_msg("not understood: %s", message);
    for (size_t i = 0; i < f->reading.n; i++)
        if (!text_equal(f->answers.values[i], wanted[i]))
            fail_msg("%s: value %zu is %s", message, i, f->answers.values[i]);
}

static void means(struct fixture *f, const char *message, enum answer_meaning meaning)
{
    read(f, message);
    if (f->answers.meaning != meaning)
        fail_msg("%s: meaning %d", message, (int)f->answers.meaning);
}

static void takes_answers_by_key(void **state)
{
    struct fixture *f = *state;
    says(f, "title=plums colour=red max_lines=3", "plums", "red", "3");
    says(f, "title: plums and pears, colour: red", "plums and pears", "red", NULL);
    says(f, "the title is plums, colour is red and max lines is 3", "plums", "red", "3");
    says(f, "max_lines=3; title=a and y; colour=green", "a and y", "green", "3");
    says(f, "of course\n title : a b \ncolour : red", "a b", "red", NULL);
    says(f, "colour ist red und max lines ist 3", NULL, "red", "3");
    says(f, "title=/etc/hosts colour: red", "/etc/hosts", "red", NULL);
}

static void what_is_quoted_or_bracketed_is_a_value(void **state)
{
    struct fixture *f = *state;
    says(f, "title=\"colour=red, y\" max_lines=2", "colour=red, y", NULL, "2");
    says(f, "title=[\"max_lines=1\", {\"colour\": 2}] colour=red",
         "[\"max_lines=1\", {\"colour\": 2}]", "red", NULL);
    says(f, "\"a, b\", red, 3", "a, b", "red", "3");
}

static void a_url_is_no_key(void **state)
{
    struct fixture *f = *state;
    f->questions[0].key = "http";
    says(f, "http: http://a.b/, colour: red", "http://a.b/", "red", NULL);
}

static void takes_answers_by_number(void **state)
{
    struct fixture *f = *state;
    says(f, "1) plums 2) red 3) 4", "plums", "red", "4");
    says(f, "1. plums\n3. 4", "plums", NULL, "4");
    says(f, "2: green", NULL, "green", NULL);
}

static void takes_answers_by_their_order(void **state)
{
    struct fixture *f = *state;
    says(f, "plums, red and 3", "plums", "red", "3");
    says(f, "plums and pears, red, and 3", "plums and pears", "red", "3");
    says(f, "plums, with cream\nred\n3", "plums, with cream", "red", "3");
    says(f, "Pflaumen, red und 3", "Pflaumen", "red", "3");
    says(f, "plums", "plums", NULL, NULL);
}

static void what_could_be_anyones_is_nobodys(void **state)
{
    struct fixture *f = *state;
    means(f, "plums, red", ANSWER_UNCLEAR);
    means(f, "plums, red, three", ANSWER_UNCLEAR);
    means(f, "3, red, plums", ANSWER_UNCLEAR);
    means(f, "title=a title=b", ANSWER_UNCLEAR);
    means(f, ",", ANSWER_UNCLEAR);
}

static size_t n_parts(struct fixture *f, const char *text)
{
    const char **parts;
    return answers_split(&f->arena, f->reading.words, text, 0, &parts);
}

static void a_list_has_and_before_its_last_part(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(n_parts(f, "plums, pears and apples"), 3);
    assert_int_equal(n_parts(f, "plums, pears, and apples"), 3);
    assert_int_equal(n_parts(f, "salt and pepper"), 2);
    assert_int_equal(n_parts(f, "rock and roll, jazz"), 2);
    assert_int_equal(n_parts(f, "rock and roll; jazz, soul and blues"), 2);
    assert_int_equal(n_parts(f, "plums"), 1);
    assert_int_equal(n_parts(f, ", ;"), 0);
}

static void one_question_takes_the_whole_message(void **state)
{
    struct fixture *f = *state;
    f->reading.n = 1;
    says(f, "plums, red and 3", "plums, red and 3", NULL, NULL);
    says(f, "1) plums", "1) plums", NULL, NULL);
    says(f, "The title is plums", "plums", NULL, NULL);
    says(f, "\"plums, red\"", "plums, red", NULL, NULL);
    says(f, "'tis \"plums\" and \"pears\"", "'tis \"plums\" and \"pears\"", NULL, NULL);
    says(f, "\"plums\" and \"pears\"", "\"plums\" and \"pears\"", NULL, NULL);
    says(f, "stop.md", "stop.md", NULL, NULL);
    means(f, "stop. ", ANSWER_DROP);
    means(f, "cancel...", ANSWER_DROP);
    f->reading.questions = &f->questions[2];
    means(f, "many", ANSWER_MISFIT);
}

static void is_told_to_forget_it_in_five_languages(void **state)
{
    static const char *const said[] = { "cancel",     "Never mind.",    "no",
                                        "no, thanks", "please cancel!", "Vergiss es!",
                                        "nein danke", "abbrechen",      "laisse tomber",
                                        "non merci",  "Annuler",        "olvídalo",
                                        "cancela",    "lascia perdere", "annulla" };
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(said); i++)
        means(f, said[i], ANSWER_DROP);
    means(f, "forget that, please list the notes", ANSWER_DROP);
    assert_string_equal(f->answers.rest, "please list the notes");
    read(f, "no, list the notes");
    assert_int_not_equal(f->answers.meaning, ANSWER_DROP);
    assert_string_equal(f->answers.rest, "list the notes");
}

static void is_asked_what_is_meant_in_five_languages(void **state)
{
    static const char *const said[] = { "?",
                                        "what do you mean?",
                                        "Help",
                                        "was meinst du?",
                                        "je ne comprends pas",
                                        "qué significa?",
                                        "cosa intendi?" };
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(said); i++)
        means(f, said[i], ANSWER_EXPLAIN);
}

static void a_word_that_is_a_choice_is_an_answer(void **state)
{
    struct fixture *f = *state;
    says(f, "stop", NULL, "stop", NULL);
    f->questions[1].choices = yes_no;
    f->questions[1].n_choices = 2;
    says(f, "no", NULL, "no", NULL);
    assert_string_equal(
        answers_choice(&f->arena, f->reading.words, &f->questions[1], "Oui, merci", false), "yes");
    assert_string_equal(
        answers_choice(&f->arena, f->reading.words, &f->questions[1], "falsch", false), "no");
}

static const char *tool(struct fixture *f, const char *text)
{
    const struct question question = { .key = "tool", .choices = tools, .n_choices = 3 };
    return answers_choice(&f->arena, f->reading.words, &question, text, true);
}

static void a_tool_is_told_by_name_number_or_words(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(tool(f, "FILES/read_file"), "files/read_file");
    assert_string_equal(tool(f, "2"), "files/search_files");
    assert_string_equal(tool(f, "the search one, please"), "files/search_files");
    assert_string_equal(tool(f, "keines davon"), "none");
    assert_null(tool(f, "4"));
    assert_null(tool(f, "the files one"));
    assert_null(tool(f, "not the search one"));
    assert_null(tool(f, "whatever"));
}

static void a_number_among_choices_is_that_number(void **state)
{
    static const char *numbers[] = { "10", "20", "3" };
    struct fixture *f = *state;
    const struct question question = { .key = "n", .choices = numbers, .n_choices = 3 };
    assert_string_equal(answers_choice(&f->arena, f->reading.words, &question, "3", true), "3");
    assert_null(answers_choice(&f->arena, f->reading.words, &question, "1", true));
}

static void a_long_message_is_one_answer_as_a_whole(void **state)
{
    struct fixture *f = *state;
    char *text = arena_alloc(&f->arena, ANSWERS_MAX_BYTES + 2);
    memset(text, 'x', ANSWERS_MAX_BYTES + 1);
    memcpy(text, "title=", strlen("title="));
    text[ANSWERS_MAX_BYTES] = '\0';
    says(f, text, text + strlen("title="), NULL, NULL);
    text[ANSWERS_MAX_BYTES] = 'x';
    text[ANSWERS_MAX_BYTES + 1] = '\0';
    means(f, text, ANSWER_UNCLEAR);
    f->reading.n = 1;
    says(f, text, text, NULL, NULL);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(takes_answers_by_key),
        TEST(what_is_quoted_or_bracketed_is_a_value),
        TEST(a_url_is_no_key),
        TEST(takes_answers_by_number),
        TEST(takes_answers_by_their_order),
        TEST(what_could_be_anyones_is_nobodys),
        TEST(a_list_has_and_before_its_last_part),
        TEST(one_question_takes_the_whole_message),
        TEST(is_told_to_forget_it_in_five_languages),
        TEST(is_asked_what_is_meant_in_five_languages),
        TEST(a_word_that_is_a_choice_is_an_answer),
        TEST(a_tool_is_told_by_name_number_or_words),
        TEST(a_number_among_choices_is_that_number),
        TEST(a_long_message_is_one_answer_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
