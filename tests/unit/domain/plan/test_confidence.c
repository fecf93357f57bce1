
#include "domain/base/json.h"
#include "domain/plan/confidence.h"
#include "tests/support/cmocka.h"
#include <math.h>
#include <string.h>

static const char *const definitions[] = {
    ("{\"name\":\"read_file\",\"title\":\"Read a file\",\"inputSchema\":{\"type\":\"object\","
     "\"$defs\":{\"m\":{\"enum\":[\"fast\",\"slow\",3]}},\"properties\":{\"path\":{\"type\":"
     "\"string\",\"description\":\"the file to read\"},\"lines\":{\"type\":\"integer\"},\"mode\":{"
     "\"$ref\":\"#/$defs/m\"}},\"required\":[\"path\",\"mode\"]}}"),
    ("{\"name\":\"review\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"code\":{\"type\":"
     "\"string\"}},\"required\":[\"code\"]}}"),
    "{\"name\":\"list\",\"inputSchema\":{\"type\":\"object\"}}",
    "{\"name\":\"find\",\"inputSchema\":{\"type\":\"object\"}}",
    ("{\"name\":\"mail\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"to\":{\"type\":"
     "\"string\"},\"day\":{\"type\":\"string\"},\"copies\":{\"type\":\"integer\"},\"sender\":{"
     "\"type\":\"string\"},\"body\":{\"type\":\"string\"}},\"required\":[\"to\",\"day\","
     "\"copies\",\"sender\",\"body\"]}}"),
};

struct fixture {
    struct arena arena;
    struct tool_catalogue *catalogue;
    const struct tool *tools[5];
    struct confidence_input input;
    struct intent intent;
    const char *needed[2], *unclear[1];
};

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return value;
}

static int open_fixture(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .catalogue = tool_catalogue_create("files") };
    for (size_t i = 0; i < ARRAY_LENGTH(definitions); i++) {
        json_auto_t *definition = parse(definitions[i]);
        assert_int_equal(tool_catalogue_add(f.catalogue, definition, NULL), ERR_NONE);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(definitions); i++)
        f.tools[i] = &f.catalogue->tools[i];
    f.input = (struct confidence_input){
        .shortlist = f.tools, .n_shortlist = 5, .max_questions = 3, .threshold = 0.7
    };
    f.needed[0] = "files/read_file";
    f.needed[1] = "files/review";
    f.intent = (struct intent){
        .tools_needed = f.needed,
        .n_tools_needed = 1,
        .unclear_aspects = f.unclear,
        .reported_confidence = -1,
    };
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    tool_catalogue_unref(f->catalogue);
    arena_finish(&f->arena);
    return 0;
}

static double score(struct fixture *f, const char *parameters)
{
    f->intent.parameters = arena_keep_json(&f->arena, parse(parameters));
    confidence_score(&f->arena, &f->intent, &f->input);
    return f->intent.confidence.score;
}

static void is(double value, double expected)
{
    if (fabs(value - expected) > 1e-9)
        fail_msg("%.12g is not %.12g", value, expected);
}

static const struct question *ask(struct fixture *f, const char *parameters, size_t expected)
{
    score(f, parameters);
    confidence_make_questions(&f->arena, &f->intent, &f->input);
    assert_int_equal(f->intent.n_questions, expected);
    return f->intent.questions;
}

#define COMPLETE "{\"path\":\"a\",\"mode\":\"fast\"}"

static void a_named_tool_with_all_it_needs_is_certain(void **state)
{
    is(score(*state, COMPLETE), 1);
}

static void the_score_is_the_product_of_match_completeness_and_validity(void **state)
{
    struct fixture *f = *state;
    is(score(f, "{\"path\":\"a\"}"), 0.5);
    is(score(f, "{\"path\":\"a\",\"mode\":\"odd\"}"), 0.5);
    f->needed[0] = "read_file";
    is(score(f, COMPLETE), 0.9);
    f->needed[0] = "files__read_file";
    is(score(f, COMPLETE), 0.9);
    f->needed[0] = "Read a file";
    is(score(f, COMPLETE), 0.9);
    f->needed[0] = "files/raed_file";
    is(score(f, "{}"), 0.5);
    f->needed[0] = "zzzzzzzzzzz";
    is(score(f, COMPLETE), 0);
}

static void null_is_missing_and_an_empty_text_that_was_kept_is_not(void **state)
{
    is(score(*state, "{\"path\":null,\"mode\":null}"), 0);
    is(score(*state, "{\"path\":\"\",\"mode\":null}"), 0.5);
}

static void what_a_later_tool_lacks_may_come_from_earlier_ones(void **state)
{
    struct fixture *f = *state;
    f->intent.n_tools_needed = 2;
    is(score(f, COMPLETE), 1);
    is(score(f, "{\"path\":\"a\",\"mode\":\"fast\",\"code\":7}"), 2.0 / 3);
}

static void the_worst_tool_decides_the_match(void **state)
{
    struct fixture *f = *state;
    f->intent.n_tools_needed = 2;
    f->needed[1] = "review";
    is(score(f, COMPLETE), 0.9);
}

static void an_unclear_aspect_counts_only_when_it_names_a_parameter(void **state)
{
    struct fixture *f = *state;
    f->intent.n_unclear_aspects = 1;
    f->unclear[0] = "the tone of the answer";
    is(score(f, COMPLETE), 1);
    f->unclear[0] = "which Path is meant";
    is(score(f, COMPLETE), 0.9);
    f->unclear[0] = "pathology";
    is(score(f, COMPLETE), 1);
}

static void the_models_number_lowers_by_at_most_a_fifth_and_never_raises(void **state)
{
    struct fixture *f = *state;
    f->intent.reported_confidence = 0.85;
    is(score(f, COMPLETE), 0.85);
    f->intent.reported_confidence = 0.1;
    is(score(f, COMPLETE), 0.8);
    f->intent.reported_confidence = 1;
    is(score(f, "{\"path\":\"a\"}"), 0.5);
}

static void a_score_at_the_threshold_is_enough_and_below_is_not(void **state)
{
    struct fixture *f = *state;
    score(f, COMPLETE);
    f->intent.confidence.score = 0.7;
    assert_false(confidence_needs_questions(&f->intent, &f->input));
    f->intent.confidence.score = 0.6999;
    assert_true(confidence_needs_questions(&f->intent, &f->input));
}

static void the_flag_asks_only_about_something_real(void **state)
{
    struct fixture *f = *state;
    f->intent.needs_clarification = true;
    score(f, COMPLETE);
    assert_false(confidence_needs_questions(&f->intent, &f->input));
    f->intent.n_unclear_aspects = 1;
    f->unclear[0] = "path";
    score(f, COMPLETE);
    assert_true(confidence_needs_questions(&f->intent, &f->input));
}

static void an_intent_without_tools_is_asked_about_when_flagged(void **state)
{
    struct fixture *f = *state;
    f->intent.n_tools_needed = 0;
    is(score(f, "{}"), 1);
    assert_false(confidence_needs_questions(&f->intent, &f->input));
    f->intent.needs_clarification = true;
    assert_true(confidence_needs_questions(&f->intent, &f->input));
}

static void missing_parameters_are_asked_for_with_what_the_schema_says(void **state)
{
    const struct question *questions = ask(*state, "{}", 2);
    assert_string_equal(questions[0].key, "path");
    assert_string_equal(questions[0].text,
                        "What should \"path\" of files/read_file be? (the file to read)");
    assert_null(questions[0].choices);
    assert_string_equal(
        question_say(&((struct fixture *)*state)->arena, &questions[0]),
        "What should \"path\" of files/read_file be? (the file to read) A path, for "
        "instance notes.md");
    assert_string_equal(questions[1].key, "mode");
    assert_null(questions[1].wants);
    assert_int_equal(questions[1].n_choices, 3);
    assert_string_equal(questions[1].choices[1], "slow");
    assert_string_equal(questions[1].choices[2], "3");
}

static void many_choices_are_counted_and_the_first_ones_shown(void **state)
{
    struct fixture *f = *state;
    struct question question = { .key = "a", .text = "Which?" };
    const char *choices[QUESTION_MAX_CHOICES] = { "x", "y" };
    question.choices = choices;
    question.n_choices = 2;
    question.n_more_choices = 4998;
    assert_string_equal(question_choices(&f->arena, &question), " (x, y and 4,998 more)");
    json_auto_t *list = questions_to_json(&question, 1);
    assert_int_equal(json_get_int(json_array_get(list, 0), "more_choices", 0), 4998);
}

static void invalid_parameters_come_after_missing_ones(void **state)
{
    const struct question *questions = ask(*state, "{\"path\":\"a\",\"lines\":\"ten\"}", 2);
    assert_string_equal(questions[0].key, "mode");
    assert_string_equal(questions[1].key, "lines");
    assert_string_equal(questions[1].text, "\"ten\" does not fit \"lines\" of files/read_file, "
                                           "which must be integer. What should it be?");
}

static void a_doubtful_tool_is_a_choice_with_a_way_out(void **state)
{
    struct fixture *f = *state;
    f->needed[0] = "files/raed_file";
    const struct question *questions = ask(f, "{}", 1);
    assert_string_equal(questions[0].key, "tool");
    assert_int_equal(questions[0].n_choices, 4);
    assert_string_equal(questions[0].choices[0], "files/read_file");
    assert_string_equal(questions[0].choices[3], "none");
}

static void a_doubt_is_told_with_the_call_that_would_be_made(void **state)
{
    struct fixture *f = *state;
    json_auto_t *args = parse("{\"path\":\"a.txt\"}");
    confidence_ask_confirm(&f->arena, &f->intent, &f->input, f->tools[0], args,
                           "no tool covers \"last\"");
    assert_int_equal(f->intent.n_questions, 1);
    const struct question *question = f->intent.questions;
    assert_string_equal(question->key, "confirm");
    assert_string_equal(question->text,
                        arena_printf(&f->arena,
                                     "No tool covers \"last\". Call %s with %s all the same?",
                                     f->tools[0]->full_name, "{\"path\":\"a.txt\"}"));
    assert_int_equal(question->n_choices, 2);
    assert_string_equal(question->choices[0], "yes");
}

static void unclear_parameters_are_asked_about_last(void **state)
{
    struct fixture *f = *state;
    f->intent.n_unclear_aspects = 1;
    f->unclear[0] = "path or lines";
    const struct question *questions = ask(f, COMPLETE, 2);
    assert_string_equal(questions[0].text, "Is \"a\" right for \"path\" of files/read_file? What "
                                           "should it be? (the file to read)");
    assert_string_equal(questions[1].key, "lines");
}

static void no_more_than_the_maximum_is_asked(void **state)
{
    struct fixture *f = *state;
    f->intent.n_unclear_aspects = 1;
    f->unclear[0] = "lines";
    ask(f, "{}", 3);
    f->input.max_questions = 1;
    const struct question *questions = ask(f, "{}", 1);
    assert_string_equal(questions[0].key, "path");
}

static void when_nothing_else_is_left_the_goal_is_asked_for(void **state)
{
    struct fixture *f = *state;
    f->intent.n_tools_needed = 0;
    const struct question *questions = ask(f, "{}", 1);
    assert_string_equal(questions[0].key, "goal");
    assert_string_equal(questions[0].text, "What exactly should be done?");
    f->intent.n_unclear_aspects = 1;
    f->unclear[0] = "whose notes";
    questions = ask(f, "{}", 1);
    assert_string_equal(questions[0].text, "What exactly should be done? Unclear: whose notes");
}

#define MAIL "{\"to\":\"Ann\",\"copies\":2,\"sender\":\"Bob\""

static void a_missing_required_parameter_is_asked_for_whatever_the_score(void **state)
{
    struct fixture *f = *state;
    f->needed[0] = "files/mail";
    is(score(f, MAIL ",\"body\":\"hi\"}"), 0.8);
    assert_true(confidence_needs_questions(&f->intent, &f->input));
    assert_string_equal(ask(f, MAIL ",\"body\":\"hi\"}", 1)[0].key, "day");
}

static void a_text_to_write_is_left_to_the_planner(void **state)
{
    struct fixture *f = *state;
    f->needed[0] = "files/mail";
    f->input.has_planner = true;
    is(score(f, MAIL ",\"day\":\"Monday\"}"), 1);
    assert_true(f->intent.has_gaps_to_write);
    assert_false(confidence_needs_questions(&f->intent, &f->input));
    score(f, MAIL ",\"day\":\"Monday\",\"body\":\"hi\"}");
    assert_false(f->intent.has_gaps_to_write);
}

static void a_text_is_asked_for_when_it_is_unclear_or_no_planner_is_there(void **state)
{
    struct fixture *f = *state;
    f->needed[0] = "files/mail";
    is(score(f, MAIL ",\"day\":\"Monday\"}"), 0.8);
    assert_true(confidence_needs_questions(&f->intent, &f->input));
    f->input.has_planner = true;
    f->intent.n_unclear_aspects = 1;
    f->unclear[0] = "body";
    assert_string_equal(ask(f, MAIL ",\"day\":\"Monday\"}", 1)[0].key, "body");
}

static void a_list_where_one_value_is_taken_means_a_step_for_each(void **state)
{
    struct fixture *f = *state;
    f->input.has_planner = true;
    is(score(f, "{\"path\":[\"a\",\"b\"],\"mode\":\"fast\"}"), 1);
    assert_true(f->intent.has_lists_of_steps);
    is(score(f, "{\"path\":[\"a\",7],\"mode\":\"fast\"}"), 0.5);
    assert_false(f->intent.has_lists_of_steps);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(a_named_tool_with_all_it_needs_is_certain),
        T(the_score_is_the_product_of_match_completeness_and_validity),
        T(null_is_missing_and_an_empty_text_that_was_kept_is_not),
        T(what_a_later_tool_lacks_may_come_from_earlier_ones),
        T(the_worst_tool_decides_the_match),
        T(an_unclear_aspect_counts_only_when_it_names_a_parameter),
        T(the_models_number_lowers_by_at_most_a_fifth_and_never_raises),
        T(a_score_at_the_threshold_is_enough_and_below_is_not),
        T(the_flag_asks_only_about_something_real),
        T(an_intent_without_tools_is_asked_about_when_flagged),
        T(missing_parameters_are_asked_for_with_what_the_schema_says),
        T(many_choices_are_counted_and_the_first_ones_shown),
        T(invalid_parameters_come_after_missing_ones),
        T(a_doubtful_tool_is_a_choice_with_a_way_out),
        T(a_doubt_is_told_with_the_call_that_would_be_made),
        T(unclear_parameters_are_asked_about_last),
        T(no_more_than_the_maximum_is_asked),
        T(when_nothing_else_is_left_the_goal_is_asked_for),
        T(a_missing_required_parameter_is_asked_for_whatever_the_score),
        T(a_text_to_write_is_left_to_the_planner),
        T(a_text_is_asked_for_when_it_is_unclear_or_no_planner_is_there),
        T(a_list_where_one_value_is_taken_means_a_step_for_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
