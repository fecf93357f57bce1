
#include "domain/base/arena.h"
#include "domain/consensus/candidate.h"
#include "tests/support/cmocka.h"
#include <string.h>

static const char task[] = "Compute 3+1 and give the number.";

static void assert_fault(enum canonical_kind kind, const char *text, enum candidate_fault fault)
{
    enum candidate_fault found = candidate_fault(kind, text, task);
    if (found != fault)
        print_error("%s is %s\n", text, candidate_fault_name(found));
    assert_int_equal(found, fault);
}

static void assert_all(enum canonical_kind kind, const char *const *texts, size_t n,
                       enum candidate_fault fault)
{
    for (size_t i = 0; i < n; i++)
        assert_fault(kind, texts[i], fault);
}

static void gaps_are_no_answers(void **state)
{
    (void)state;
    static const char *const gaps[] = {
        "<NUMBER>",
        "<number>",
        "**<NUMBER>**",
        "\"<answer>\"",
        "<final text>",
        "<FINAL_TEXT>",
        "<<NUMBER>>",
        "{answer}",
        "{ANSWER}",
        "{{x}}",
        "${name}",
        "[your answer here]",
        "[Insert answer here]",
        "your answer here",
        "TBD",
        "<the complete answer>",
        "The answer is <NUMBER>.",
        "<NUMBER>.",
        "The answer is <NUM>",
        "The answer is {answer}.",
        "The sum: [number]",
        "&lt;NUMBER&gt;",
        "\xC2\xABNUMBER\xC2\xBB",
        "\xEF\xBC\x9CNUMBER\xEF\xBC\x9E",
        "3+1 = ____.",
    };
    assert_all(CANONICAL_TEXT, gaps, ARRAY_LENGTH(gaps), CANDIDATE_PLACEHOLDER);
}

static void brackets_that_mean_something_are_answers(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "<p>hello</p>",
        "<br>",
        "<T>",
        "<stdio.h>",
        "<a href=\"x\">",
        "</div>",
        "[1, 2]",
        "{1, 2}",
        "{x}",
        "{\"a\":1}",
        "[]",
        "a < b and c > d",
        "x[number]",
        "run it with <FILE>",
        "f(x) = {x}",
        "[citation needed]",
        "<>",
        "__init__",
        "a___b",
        "\xC2\xABParis\xC2\xBB",
        "print(f'{value}')",
        "Say {text} twice",
    };
    assert_all(CANONICAL_TEXT, answers, ARRAY_LENGTH(answers), CANDIDATE_NONE);
}

static void words_of_the_protocol_alone_are_no_answers(void **state)
{
    (void)state;
    static const char *const words[] = {
        "SOLVED",      "[SOLVED]",   "READY_TO_SOLVE", "ready to solve", "PLAN_READY",
        "APPROVED",    "TIE",        "turn_1",         "Turn 12",        "NEED_PEER",
        "IN PROGRESS", "**SOLVED**", "[solved]",       "final_solution", "CONSENSUS",
    };
    assert_all(CANONICAL_TEXT, words, ARRAY_LENGTH(words), CANDIDATE_STATUS_WORD);
}

static void one_word_and_one_letter_are_answers(void **state)
{
    (void)state;
    static const char *const words[] = { "A",      "B", "4", "Tie", "approved", "yes",
                                         "solved", "-", "*", "**",  "..",       "?" };
    assert_all(CANONICAL_TEXT, words, ARRAY_LENGTH(words), CANDIDATE_NONE);
    assert_int_equal(candidate_fault(CANONICAL_TEXT, "APPROVED", "Say APPROVED or REJECTED"),
                     CANDIDATE_NONE);
    assert_int_equal(candidate_fault(CANONICAL_TEXT, "TIE", "Who is a TIEFLING?"),
                     CANDIDATE_STATUS_WORD);
}

static void marks_alone_are_empty(void **state)
{
    (void)state;
    static const char *const marks[] = {
        "",     "...", "\xE2\x80\xA6", "___",          "---",
        "\"\"", "`'`", "\xC2\xAD",     "\xE3\x85\xA4", "\xE2\xA0\x80 \xEF\xBF\xBD"
    };
    assert_all(CANONICAL_TEXT, marks, ARRAY_LENGTH(marks), CANDIDATE_EMPTY);
}

static void sentences_of_the_template_are_no_answers(void **state)
{
    (void)state;
    assert_fault(CANONICAL_TEXT, "required when SOLVED; the complete final text",
                 CANDIDATE_TEMPLATE);
    assert_fault(CANONICAL_TEXT, "<required when SOLVED; complete solution text>",
                 CANDIDATE_TEMPLATE);
    assert_fault(CANONICAL_TEXT,
                 "The protocol asks for the complete final text in one member, which is then made "
                 "canonical and hashed by the controller.",
                 CANDIDATE_NONE);
}

static void the_task_said_back_is_no_answer(void **state)
{
    (void)state;
    assert_fault(CANONICAL_TEXT, "compute 3 + 1, and give the number", CANDIDATE_ECHO);
    assert_fault(CANONICAL_TEXT, "3+1", CANDIDATE_NONE);
    assert_int_equal(candidate_fault(CANONICAL_TEXT, "2+2", "2+2"), CANDIDATE_ECHO);
    assert_int_equal(candidate_fault(CANONICAL_TEXT, "hello", "Hello!"), CANDIDATE_NONE);
    assert_int_equal(
        candidate_fault(CANONICAL_TEXT, "\xE4\xBD\xA0\xE5\xA5\xBD", "\xE4\xBD\xA0\xE5\xA5\xBD"),
        CANDIDATE_ECHO);
    assert_int_equal(candidate_fault(CANONICAL_NUMBER, "3.14", "3.14"), CANDIDATE_NONE);
}

static void of_json_the_strings_count(void **state)
{
    (void)state;
    assert_fault(CANONICAL_JSON, "\"<NUMBER>\"", CANDIDATE_PLACEHOLDER);
    assert_fault(CANONICAL_JSON, "{\"sum\":[\"<NUMBER>\"]}", CANDIDATE_PLACEHOLDER);
    assert_fault(CANONICAL_JSON, "{\"sum\":\"the complete final text\"}", CANDIDATE_TEMPLATE);
    assert_fault(CANONICAL_JSON, "{\"sum\":\"your answer here\"}", CANDIDATE_PLACEHOLDER);
    assert_fault(CANONICAL_JSON, "{\"list\":\"todo\"}", CANDIDATE_NONE);
    assert_fault(CANONICAL_JSON, "\"SOLVED\"", CANDIDATE_STATUS_WORD);
    assert_fault(CANONICAL_JSON, "{\"state\":\"SOLVED\",\"html\":\"<p>hi</p>\"}", CANDIDATE_NONE);
    assert_fault(CANONICAL_JSON, "[]", CANDIDATE_NONE);
    assert_fault(CANONICAL_JSON, "{\"a\":{}}", CANDIDATE_NONE);
}

static void a_regex_and_sql_have_brackets_and_are_no_words_of_the_protocol(void **state)
{
    (void)state;
    static const char *const patterns[] = { "[a-z]+",   "a{3}",   "...",  "<c>",
                                            "<[a-z]+>", "[text]", "(?i)b" };
    assert_all(CANONICAL_REGEX, patterns, ARRAY_LENGTH(patterns), CANDIDATE_NONE);
    assert_fault(CANONICAL_REGEX, "<pattern>", CANDIDATE_PLACEHOLDER);
    assert_fault(CANONICAL_REGEX, "[your answer here]", CANDIDATE_PLACEHOLDER);
    assert_fault(CANONICAL_REGEX, "your answer here", CANDIDATE_PLACEHOLDER);
    assert_fault(CANONICAL_REGEX, "todo", CANDIDATE_NONE);
    assert_fault(CANONICAL_REGEX, "READY_TO_SOLVE", CANDIDATE_STATUS_WORD);
    assert_fault(CANONICAL_REGEX, "the complete final text", CANDIDATE_TEMPLATE);
    assert_fault(CANONICAL_SQL, "select [a] from t where b < 3 and c > 4", CANDIDATE_NONE);
    assert_fault(CANONICAL_SQL, "<sql query>", CANDIDATE_PLACEHOLDER);
    assert_fault(CANONICAL_SQL, "solved", CANDIDATE_STATUS_WORD);
    assert_fault(CANONICAL_SQL, "...", CANDIDATE_EMPTY);
    assert_fault(CANONICAL_NUMBER, "4", CANDIDATE_NONE);
}

static void assert_fault_for(enum canonical_kind kind, const char *asked, const char *text,
                             enum candidate_fault fault)
{
    enum candidate_fault found = candidate_fault(kind, text, asked);
    if (found != fault)
        print_error("%s is %s\n", text, candidate_fault_name(found));
    assert_int_equal(found, fault);
}

#define SKY "Why is the sky blue? Explain it in one sentence."

static void words_that_say_nothing_are_no_answers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "I agree with my peer.",
        "Yes, I fully agree.",
        "Same as before.",
        "N/A",
        "As an AI language model, I cannot answer this.",
        "I need more information from my peer.",
        "Final answer: see above.",
        "Your final explanation goes here.",
        "I don't know.",
        "I'm sorry, but I can't help with that.",
        "Could you clarify the question?",
        "Ich stimme meinem Partner zu.",
        "Siehe oben.",
        "Als KI-Sprachmodell kann ich das nicht beantworten.",
        "Ich brauche weitere Informationen.",
        "k. A.",
        "Je suis d'accord avec mon partenaire.",
        "Voir ci-dessus.",
        "J'ai besoin de plus d'informations.",
        "Estoy de acuerdo con mi compa\xC3\xB1"
        "ero.",
        "No lo s\xC3\xA9.",
        "V\xC3\xA9"
        "ase arriba.",
        "Sono d'accordo con il mio collega.",
        "Vedi sopra.",
        "Non posso rispondere a questa domanda.",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        assert_fault_for(CANONICAL_TEXT, SKY, texts[i], CANDIDATE_NON_ANSWER);
    assert_fault_for(CANONICAL_SQL, "All users as SQL.", "i need more information.",
                     CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_CODE, "A function.", "La fonction renvoie la somme.",
                     CANDIDATE_NON_ANSWER);
    assert_fault_for(CANONICAL_REGEX, "A date.", "The pattern matches every date.",
                     CANDIDATE_NON_ANSWER);
    assert_fault_for(CANONICAL_JSON, "The colour.", "{\"answer\":\"I cannot answer this.\"}",
                     CANDIDATE_PLACEHOLDER);
}

static void words_that_say_something_are_answers(void **state)
{
    (void)state;
    assert_fault_for(CANONICAL_TEXT, SKY,
                     "I agree with my peer: small molecules scatter blue light.", CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, SKY, "Air scatters blue light more than red light.",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, "Say I agree or I disagree.", "I disagree.", CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, "Answer with \"I agree\" or \"I disagree\".", "I agree.",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, "Translate into English: \"Siehe oben.\"", "See above.",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, "A greeting of the robot of a station.",
                     "As an AI of the station, I announce 14 trains.", CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, "Who won?", "Nobody.", CANDIDATE_NONE);
}

static void the_task_in_other_words_is_no_answer(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "You want to know why the sky is blue.",
        "The task is to explain why the sky is blue.",
        "The sky is blue.",
        "The question asks for an explanation.",
        "Here is the explanation.",
        "The final answer is the correct answer.",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        assert_fault_for(CANONICAL_TEXT, SKY, texts[i], CANDIDATE_ECHO);
    assert_fault_for(CANONICAL_TEXT, "Warum schwimmt Eis auf Wasser?",
                     "Eis schwimmt auf dem Wasser, weil es auf Wasser schwimmt.", CANDIDATE_ECHO);
    assert_fault_for(CANONICAL_TEXT, "Give the title of the film.", "The title of the film",
                     CANDIDATE_ECHO);
    assert_fault_for(CANONICAL_TEXT, "Is the sky blue?", "The sky is blue.", CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, "Who won, Ann against Bob?", "Ann won against Bob.",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, "Is it the red or the blue car?", "The blue car.",
                     CANDIDATE_NONE);
}

static void an_answer_may_be_made_of_words_of_the_task(void **state)
{
    (void)state;
    static const struct {
        const char *asked, *text;
    } all[] = {
        { "Quote the subject of: The engine failure caused the crash.", "The engine failure" },
        { "The old water mill burnt down. What burnt down?", "The old water mill" },
        { "Explain which is heavier, iron or wood.", "Iron is heavier than wood." },
        { "Give two synonyms of motive.", "reason, cause" },
        { "Which header has std::string?", "#include <string>" },
        { "She wrote the report in a form. The engine failed. What did?", "The engine failed" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        assert_fault_for(CANONICAL_TEXT, all[i].asked, all[i].text, CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, "Give the title of the film in one line.",
                     "The title of the film", CANDIDATE_ECHO);
    assert_fault_for(CANONICAL_TEXT, "Name the founder. Form: First LAST. Example: Ann LEE.",
                     "First LAST", CANDIDATE_ECHO);
    assert_fault_for(CANONICAL_REGEX, "Three letters, each before a point.", "a.b.c.",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_JSON, "The quarters of a year.", "[\"Q1\",\"Q2\",\"Q3\",\"Q4\"]",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_JSON, "A schema for a name.", "{\"type\":\"string\"}",
                     CANDIDATE_NONE);
}

static void a_long_task_is_read_to_its_end(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const char *text = "";
    for (int i = 0; i < 100; i++)
        text = arena_printf(&arena, "%sword%d ", text, i);
    assert_fault_for(CANONICAL_TEXT, arena_printf(&arena, "%sIs it agreed or disputed?", text),
                     "agreed", CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, arena_printf(&arena, "%s. Give the title of the film.", text),
                     "The title of the film", CANDIDATE_ECHO);
}

static void code_without_a_statement_of_its_own_is_a_placeholder(void **state)
{
    (void)state;
    static const char asked[] = "A function that returns the last element.";
    assert_fault_for(CANONICAL_CODE, asked, "def last(xs):\n    pass", CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_CODE, asked, "int last(int *xs)\n{\n    /* your code here */\n}",
                     CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_CODE, asked, "def last(xs):\n    raise NotImplementedError",
                     CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_CODE, asked, "# step 1\n# step 2", CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_CODE, asked, "def last(xs):  # TODO: empty lists\n    return xs[-1]",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_CODE, "A function that does nothing.", "def f():\n    pass",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_CODE, "last(xs) gives the last element or None.",
                     "def last(xs):\n    # your code here\n    return None", CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_CODE, asked,
                     "def last(xs):\n    \"\"\"Gives the last element.\n\n    xs: a list\n    "
                     "\"\"\"\n    raise NotImplementedError(\"later\")",
                     CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_CODE, asked,
                     "/* Gives the last\n   element. */\nint last(int *xs) { }",
                     CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_CODE, "The C function int sgn(int x).", "int sgn(int x);",
                     CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_CODE, "A form in HTML.",
                     "<form>\n  <!-- your fields go here -->\n</form>", CANDIDATE_PLACEHOLDER);
}

static void code_that_needs_no_statement_is_an_answer(void **state)
{
    (void)state;
    static const struct {
        const char *asked, *code;
    } all[] = {
        { "A Python exception class InvalidInput.", "class InvalidInput(Exception):\n    pass" },
        { "The Python import of sqrt.", "from math import sqrt" },
        { "A C macro MAX(a, b).", "#define MAX(a, b) ((a) > (b) ? (a) : (b))" },
        { "CSS that makes the main part red.", "#main { color: red }" },
        { "A function yes() that always returns true.", "function yes() {\n  return true;\n}" },
        { "Copy a string in C.",
          "void copy(char *d, const char *s) {\n    while ((*d++ = *s++)) {\n    }\n}" },
        { "Whether n is even.",
          "def is_even(n):\n    if n % 2 == 0:\n        return True\n    return False" },
        { "A class with an empty table.",
          "class A:\n    def __init__(self):\n        self.table = {}" },
        { "An exception class.", "class Missing(Exception):\n    \"\"\"A value is missing.\"\"\"" },
        { "Two exception classes.", "class A(Exception):\n    pass\nclass B(A):\n    pass" },
        { "The address of the host.", "const char *f(void) {\n  return \"http://a\";\n}" },
        { "Count down.", "while (n) {\n  --n;\n}" },
        { "Three calls g.", "void f(void) {\n  /* three */ g(), g(), g();\n}" },
        { "CSS for red text on black.", "p{color:#f00;background:#000}" },
        { "An XPath for all titles.", "//title" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        assert_fault_for(CANONICAL_CODE, all[i].asked, all[i].code, CANDIDATE_NONE);
    assert_fault_for(CANONICAL_CODE, "The root of x.", "import math\n# your code here",
                     CANDIDATE_PLACEHOLDER);
}

static void names_that_the_task_gives_are_no_placeholders(void **state)
{
    (void)state;
    assert_fault_for(CANONICAL_SQL, "All of Column1 in MyTable.", "select column1 from mytable",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_SQL, "All names in bold HTML, from people.",
                     "select '<b>' || name || '</b>' from people", CANDIDATE_NONE);
    assert_fault_for(CANONICAL_SQL, "Undo the transaction.", "rollback", CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, "Is it agreed, disputed or unknown?", "agreed",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_TEXT, "What is the capital of France?", "agreed",
                     CANDIDATE_NON_ANSWER);
    assert_fault_for(CANONICAL_TEXT, "Does the arrow point left or right?", "The answer is right",
                     CANDIDATE_NONE);
}

static void names_of_textbooks_are_placeholders(void **state)
{
    (void)state;
    static const char asked[] = "The names of all customers.";
    assert_fault_for(CANONICAL_SQL, asked, "select <columns> from <table>", CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_SQL, asked, "select column1 from table_name where condition",
                     CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_SQL, asked, "select ... from customers", CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_SQL, asked, "select name from customers where [condition]",
                     CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_SQL, asked, "select name from customers where a <b and c> d",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_SQL, asked, "select id from notes where body = '<name>'",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_SQL, "A table for tasks.",
                     "create table table_name (column1 datatype)", CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_SQL, "The table is called value.", "select * from value",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_SQL, asked, "with t as (select 1) select * from t", CANDIDATE_NONE);
    assert_fault_for(CANONICAL_REGEX, "A date.", "^your_pattern$", CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_REGEX, "A date.", "pattern1|pattern2", CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_REGEX, "The word pattern.", "pattern", CANDIDATE_NONE);
    assert_fault_for(CANONICAL_REGEX, "A placeholder.", "\\[your [a-z]+ here\\]", CANDIDATE_NONE);
}

static void json_that_says_what_should_be_in_it_is_a_placeholder(void **state)
{
    (void)state;
    static const char asked[] = "The book as JSON: title and year.";
    static const char *const forms[] = {
        "{\"title\":\"string\",\"year\":\"number\"}",
        "{\"title\":\"<title>\",\"year\":\"{year}\"}",
        "{\"title\":\"the title of the book\",\"year\":\"the year of the book\"}",
        "{\"title\":\"...\"}",
        "[\"book1\",\"book2\",\"book3\"]",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(forms); i++)
        assert_fault_for(CANONICAL_JSON, asked, forms[i], CANDIDATE_PLACEHOLDER);
    assert_fault_for(CANONICAL_JSON, asked, "{\"title\":\"string\",\"year\":1998}", CANDIDATE_NONE);
    assert_fault_for(CANONICAL_JSON, "The type of each field.", "{\"title\":\"string\"}",
                     CANDIDATE_NONE);
    assert_fault_for(CANONICAL_JSON, asked, "{\"title\":\"...\",\"year\":3}", CANDIDATE_NONE);
}

static void every_fault_has_a_name_and_an_instruction(void **state)
{
    (void)state;
    for (int fault = CANDIDATE_EMPTY; fault <= CANDIDATE_ECHO; fault++) {
        assert_true(*candidate_fault_name((enum candidate_fault)fault));
        assert_true(*candidate_fault_fix((enum candidate_fault)fault));
    }
    assert_string_equal(candidate_fault_fix(CANDIDATE_NONE), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_no_answers),
        cmocka_unit_test(brackets_that_mean_something_are_answers),
        cmocka_unit_test(words_of_the_protocol_alone_are_no_answers),
        cmocka_unit_test(one_word_and_one_letter_are_answers),
        cmocka_unit_test(marks_alone_are_empty),
        cmocka_unit_test(sentences_of_the_template_are_no_answers),
        cmocka_unit_test(the_task_said_back_is_no_answer),
        cmocka_unit_test(of_json_the_strings_count),
        cmocka_unit_test(a_regex_and_sql_have_brackets_and_are_no_words_of_the_protocol),
        cmocka_unit_test(words_that_say_nothing_are_no_answers),
        cmocka_unit_test(words_that_say_something_are_answers),
        cmocka_unit_test(the_task_in_other_words_is_no_answer),
        cmocka_unit_test(an_answer_may_be_made_of_words_of_the_task),
        cmocka_unit_test(a_long_task_is_read_to_its_end),
        cmocka_unit_test(code_without_a_statement_of_its_own_is_a_placeholder),
        cmocka_unit_test(code_that_needs_no_statement_is_an_answer),
        cmocka_unit_test(names_that_the_task_gives_are_no_placeholders),
        cmocka_unit_test(names_of_textbooks_are_placeholders),
        cmocka_unit_test(json_that_says_what_should_be_in_it_is_a_placeholder),
        cmocka_unit_test(every_fault_has_a_name_and_an_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
