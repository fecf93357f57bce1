
#include "domain/base/json.h"
#include "domain/plan/plan_check.h"
#include "tests/support/cmocka.h"
#include <string.h>

/* Two servers: files (read_file, write_file, search) and dev (review, search). */
static const char *const files_tools[] = {
    "{\"name\":\"read_file\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"path\":{"
    "\"type\":\"string\"},\"lines\":{\"type\":\"integer\",\"minimum\":1}},\"required\":[\"path\"],"
    "\"additionalProperties\":false},\"outputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"text\":{\"type\":\"string\"},\"lines\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"properties\":{\"n\":{\"type\":\"integer\"}}}},\"size\":{\"$ref\":\"#/$defs/size\"}},"
    "\"$defs\":{\"size\":{\"type\":\"integer\"}}}}",
    "{\"name\":\"write_file\",\"inputSchema\":{\"type\":\"object\",\"$defs\":{\"o\":{\"type\":"
    "\"object\",\"properties\":{\"mode\":{\"type\":\"string\"},\"mark\":{\"type\":\"string\"}},"
    "\"required\":[\"mode\",\"mark\"]}},\"properties\":{\"path\":{\"type\":\"string\"},"
    "\"text\":{\"type\":\"string\"},\"count\":{\"type\":\"number\"},\"options\":{\"$ref\":"
    "\"#/$defs/o\"},\"list\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":2}},"
    "\"required\":[\"path\",\"text\"],\"anyOf\":[{\"required\":[\"count\"]},{\"required\":["
    "\"text\"]}]}}",
    "{\"name\":\"search\",\"inputSchema\":{\"type\":\"object\"}}",
};
static const char *const dev_tools[] = {
    "{\"name\":\"review\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"code\":{\"type\":"
    "\"string\"}},\"required\":[\"code\"]}}",
    "{\"name\":\"search\",\"inputSchema\":{\"type\":\"object\"}}",
    "{\"name\":\"broken\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":"
    "\"#/nowhere\"}}}}",
};

struct fixture {
    struct arena arena;
    struct tool_catalogue *files, *dev;
    const struct tool *tools[6];
    struct plan_check_input input;
    struct problems problems;
};

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    struct err err = { 0 };
    if (json_parse(text, strlen(text), JSON_OURS, &value, &err))
        fail_msg("%s: %s", text, err.message);
    return value;
}

static struct tool_catalogue *catalogue_of(const char *server, const char *const *definitions,
                                           size_t n)
{
    struct tool_catalogue *catalogue = tool_catalogue_create(server);
    for (size_t i = 0; i < n; i++) {
        json_auto_t *definition = parse(definitions[i]);
        assert_int_equal(tool_catalogue_add(catalogue, definition, NULL), ERR_NONE);
    }
    return catalogue;
}

static int open_fixture(void **state)
{
    static struct fixture f;
    f = (struct fixture){ 0 };
    f.files = catalogue_of("files", files_tools, ARRAY_LENGTH(files_tools));
    f.dev = catalogue_of("dev", dev_tools, ARRAY_LENGTH(dev_tools));
    for (size_t i = 0; i < 3; i++) {
        f.tools[i] = &f.files->tools[i];
        f.tools[3 + i] = &f.dev->tools[i];
    }
    f.input = (struct plan_check_input){
        .tools = f.tools,
        .n_tools = 6,
        .vars = arena_keep_json(&f.arena, parse("{\"path\":\"n.md\",\"n\":\"many\",\"o\":{\"k\":"
                                                "[1]}}")),
        .max_steps = 10,
    };
    f.problems.arena = &f.arena;
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    tool_catalogue_unref(f->files);
    tool_catalogue_unref(f->dev);
    arena_finish(&f->arena);
    return 0;
}

static struct plan *plan_of(struct fixture *f, const char *text)
{
    struct plan *plan = NULL;
    json_t *value = arena_keep_json(&f->arena, parse(text));
    f->problems = (struct problems){ .arena = &f->arena };
    assert_true(plan_from_json(&f->arena, value, &plan, &f->problems));
    return plan;
}

static void passes(struct fixture *f, const char *text)
{
    if (!plan_check(&f->arena, plan_of(f, text), &f->input, &f->problems))
        fail_msg("%s", problem_print(&f->problems, &f->problems.list[0]));
}

static void has_problem(struct fixture *f, const char *text, const char *message, const char *fix)
{
    assert_false(plan_check(&f->arena, plan_of(f, text), &f->input, &f->problems));
    assert_string_equal(problem_print(&f->problems, &f->problems.list[0]), message);
    if (fix)
        assert_string_equal(f->problems.list[0].fix, fix);
    assert_int_equal(f->problems.n, 1);
}

#define READ "{\"tool\":\"read_file\",\"args\":{\"path\":\"a\"}}"
#define WRITE(reference) "{\"tool\":\"review\",\"args\":{\"code\":\"" reference "\"}}"

static void a_plan_without_steps_is_fine(void **state)
{
    passes(*state, "[]");
}

static void bare_tool_names_become_full_ones(void **state)
{
    struct fixture *f = *state;
    struct plan *plan = plan_of(f, "[" READ "]");
    assert_true(plan_check(&f->arena, plan, &f->input, &f->problems));
    assert_string_equal(plan->steps[0].tool, "files/read_file");
}

static void the_chain_of_the_seed_passes(void **state)
{
    passes(*state, "[" READ ",{\"tool\":\"dev/review\",\"args\":{\"code\":\"{prev_result.text}\"}},"
                   "{\"tool\":\"write_file\",\"args\":{\"path\":\"{vars.path}\",\"text\":\"see "
                   "{s1.lines[0].n} and {s2}\",\"count\":\"{s1.size}\"},\"needs\":[\"s1\"]}]");
}

static void an_unknown_tool_is_answered_with_the_nearest(void **state)
{
    has_problem(*state, "[{\"tool\":\"files/raed_file\"}]",
                "s1 /tool: there is no tool \"files/raed_file\"; nearest: files/read_file",
                "use files/read_file");
    has_problem(*state, "[{\"tool\":\"reviev\"}]",
                "s1 /tool: there is no tool \"reviev\"; nearest: dev/review", "use dev/review");
    has_problem(*state, "[{\"tool\":\"qqqqqqq\"}]", "s1 /tool: there is no tool \"qqqqqqq\"",
                "use one that mistro tools lists, or leave the step out");
}

static void a_bare_name_that_several_servers_have_is_refused(void **state)
{
    has_problem(*state, "[{\"tool\":\"search\"}]",
                "s1 /tool: several servers have a tool \"search\": files/search, dev/search",
                "write the full name: server/tool");
}

static void ids_are_unique(void **state)
{
    has_problem(*state, "[{\"id\":\"s2\",\"tool\":\"files/search\"},{\"tool\":\"dev/search\"}]",
                "s2 /id: an earlier step has the same id", "give every step an id of its own");
}

static void ten_steps_are_allowed_and_eleven_are_not(void **state)
{
    char text[2000] = "[";
    for (int i = 0; i < 10; i++)
        strcat(strcat(text, i ? "," : ""), READ);
    char *end = text + strlen(text);
    strcpy(end, "]");
    passes(*state, text);
    strcpy(end, "," READ "]");
    has_problem(*state, text, "/steps: 11 steps, at most 10 are allowed (max_plan_steps)",
                "make a plan of at most 10 steps");
}

/* What the check of so many steps, each with a variable, takes of the arena. */
static size_t bytes_for(struct fixture *f, size_t n)
{
    json_t *steps = json_array();
    struct plan *plan = NULL;
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            steps, parse("{\"tool\":\"read_file\",\"args\":{\"path\":\"in {vars.path}\"}}"));
    f->input.max_steps = n;
    assert_true(plan_from_json(&f->arena, arena_keep_json(&f->arena, steps), &plan, &f->problems));
    size_t before = f->arena.bytes;
    assert_true(plan_check(&f->arena, plan, &f->input, &f->problems));
    return f->arena.bytes - before;
}

static void memory_grows_as_the_plan_does(void **state)
{
    struct fixture *f = *state;
    size_t few = bytes_for(f, 100);
    assert_in_range(bytes_for(f, 1000), few, 15 * few);
}

static void needs_name_earlier_steps_only(void **state)
{
    has_problem(*state, "[{\"tool\":\"files/search\",\"needs\":[\"x\"]}]",
                "s1 /needs/0: there is no step \"x\"", NULL);
    has_problem(*state, "[{\"tool\":\"files/search\",\"needs\":[\"s1\"]}]",
                "s1 /needs/0: the step needs itself", "remove it");
    has_problem(*state, "[{\"tool\":\"files/search\",\"needs\":[\"s2\"]}," READ "]",
                "s1 /needs/0: needs s2, which comes later",
                "give the steps ids of their own, use these in references, and move step s2 before "
                "step s1");
    has_problem(*state,
                "[{\"id\":\"a\",\"tool\":\"files/search\",\"needs\":[\"b\"]},"
                "{\"id\":\"b\",\"tool\":\"read_file\",\"args\":{\"path\":\"x\"}}]",
                "a /needs/0: needs b, which comes later", "move step b before step a");
}

static void steps_that_wait_for_each_other_are_refused(void **state)
{
    has_problem(*state,
                "[{\"tool\":\"files/search\",\"needs\":[\"s3\"]},{\"tool\":\"review\",\"args\":{"
                "\"code\":\"{s1}\"}},{\"tool\":\"files/search\",\"needs\":[\"s2\"]}]",
                "s1 /needs/0: s1 and s3 wait for each other",
                "remove it here: step s3 already waits for step s1");
    has_problem(*state, "[" WRITE("{s2.text}") "," WRITE("{s1}") "]",
                "s1 /code: {s2.text} refers to a later step, which waits for s1",
                "write the value itself: step s2 already waits for step s1");
}

static void references_name_earlier_steps_only(void **state)
{
    has_problem(*state, "[" WRITE("{prev_result}") "]",
                "s1 /code: {prev_result} refers to an earlier step, but this is the first",
                "write the value itself in step s1, args.code");
    has_problem(*state, "[" READ "," WRITE("{s7.x}") "]",
                "s2 /code: {s7.x} refers to a step that does not exist",
                "write {s1.text}, or the value itself, in step s2, args.code");
    has_problem(*state, "[" WRITE("x {s1}") "]", "s1 /code: {s1} refers to its own step", NULL);
    has_problem(*state, "[" WRITE("{s2}") "," READ "]", "s1 /code: {s2} refers to a later step",
                "give the steps ids of their own, use these in references, and move step s2 before "
                "step s1");
}

static void variables_must_exist(void **state)
{
    has_problem(*state, "[" WRITE("{vars.pat}") "]",
                "s1 /code: {vars.pat} names a variable that does not exist",
                "use one of: path, n, o");
    has_problem(*state, "[" WRITE("a {vars.o.k[1]}") "]",
                "s1 /code: {vars.o.k[1]} asks for something the variable does not have", NULL);
    passes(*state, "[" WRITE("a {vars.o.k[0]}") "]");
}

static void fields_are_checked_where_an_output_schema_is_known(void **state)
{
    has_problem(*state, "[" READ "," WRITE("{s1.txt}") "]",
                "s2 /code: {s1.txt} asks for \"txt\", which files/read_file does not give",
                "write {s1.text} in step s2, args.code");
    has_problem(*state, "[" READ "," WRITE("a {s1.size[0]}") "]",
                "s2 /code: {s1.size[0]} asks for element 0, which files/read_file does not give",
                "use {s1.text} for the text, in step s2, args.code");
    has_problem(*state, "[" READ "," WRITE("{s1.n}") "]",
                "s2 /code: {s1.n} asks for \"n\", which files/read_file does not give",
                "use one of: text, lines, size, or {s1.text} for the text, in step s2, args.code");
    has_problem(*state,
                "[" READ ",{\"tool\":\"write_file\",\"args\":{\"path\":\"a\",\"text\":\"b\","
                "\"count\":\"{s1.n}\"}}]",
                "s2 /count: {s1.n} asks for \"n\", which files/read_file does not give",
                "write {s1.lines[0].n} in step s2, args.count");
    passes(*state, "[" WRITE("a") "," WRITE("{s1.anything[3].at_all}") "]");
}

static void a_gap_is_refused_where_the_request_is_known(void **state)
{
    struct fixture *f = *state;
    passes(f, "[" READ "," WRITE("see {1.text}") "]");
    f->input.request = "review it";
    has_problem(f, "[" READ "," WRITE("see {1.text}") "]",
                "s2 /code: \"{1.text}\" is a gap, not a value",
                "write {s1.text}, or the value itself, in step s2, args.code");
    has_problem(f, "[" WRITE("<code>") "]", "s1 /code: \"<code>\" is a gap, not a value",
                "write the value itself in step s1, args.code");
    passes(f, "[" READ "," WRITE("{s1.text} and {prev_result.text}") "]");
    f->input.request = "review <code>";
    passes(f, "[" WRITE("<code>") "]");
}

static void a_lone_reference_must_have_the_type_of_the_argument(void **state)
{
    has_problem(*state, "[" READ "," WRITE("{s1.size}") "]",
                "s2 /code: {s1.size} is of type integer, the argument must be string",
                "refer to a field of the right type, or write the value itself");
    passes(*state, "[" READ "," WRITE("{s1.size} lines") "]");
    passes(*state, "[" READ ",{\"tool\":\"write_file\",\"args\":{\"path\":\"a\",\"text\":\"b\","
                   "\"count\":\"{s1.size}\"}}]");
}

static struct problem *only_problem_of(struct fixture *f, const char *text)
{
    assert_false(plan_check(&f->arena, plan_of(f, text), &f->input, &f->problems));
    assert_int_equal(f->problems.n, 1);
    assert_string_equal(f->problems.list[0].step, "s1");
    return &f->problems.list[0];
}

static void arguments_are_held_against_the_input_schema(void **state)
{
    struct problem *missing = only_problem_of(*state, "[{\"tool\":\"read_file\"}]");
    assert_non_null(strstr(missing->message, "path"));
    struct problem *wrong =
        only_problem_of(*state, "[{\"tool\":\"read_file\",\"args\":{\"path\":\"a\",\"lines\":0}}]");
    assert_string_equal(wrong->path, "/lines");
    struct problem *unknown =
        only_problem_of(*state, "[{\"tool\":\"read_file\",\"args\":{\"path\":\"a\",\"x\":1}}]");
    assert_non_null(strstr(unknown->message, "x"));
}

static void variables_are_filled_in_before_the_check(void **state)
{
    struct problem *problem = only_problem_of(
        *state, "[{\"tool\":\"read_file\",\"args\":{\"path\":\"a\",\"lines\":\"{vars.n}\"}}]");
    assert_string_equal(problem->path, "/lines");
    passes(*state, "[{\"tool\":\"read_file\",\"args\":{\"path\":\"x/{vars.path}\"}}]");
}

static void what_a_reference_will_give_is_left_out_of_the_check(void **state)
{
    passes(*state,
           "[" WRITE("a") ",{\"tool\":\"write_file\",\"args\":{\"path\":\"{s1}\",\"text\":"
                          "\"{s1.a}\",\"options\":{\"mode\":\"{s1.b}\",\"mark\":\"m\"},\"list\":["
                          "\"{s1.c}\"]}}]");
}

static void what_stands_beside_a_reference_is_still_checked(void **state)
{
    struct fixture *f = *state;
    assert_false(plan_check(
        &f->arena,
        plan_of(f, "[" WRITE("a") ",{\"tool\":\"write_file\",\"args\":{\"path\":\"{s1}\",\"text\":"
                                  "7,\"options\":{\"mode\":\"{s1}\"},\"list\":[\"one\"]}}]"),
        &f->input, &f->problems));
    assert_int_equal(f->problems.n, 3);
    for (size_t i = 0; i < f->problems.n; i++)
        assert_string_equal(f->problems.list[i].step, "s2");
}

static void an_argument_the_tool_does_not_know_is_refused_whatever_it_holds(void **state)
{
    struct fixture *f = *state;
    assert_false(plan_check(&f->arena,
                            plan_of(f, "[" WRITE("a") ",{\"tool\":\"read_file\",\"args\":{\"path\":"
                                                      "\"a\",\"file\":\"{s1}\"}}]"),
                            &f->input, &f->problems));
    assert_non_null(strstr(f->problems.list[0].message, "file"));
}

static void a_tool_with_a_schema_that_cannot_be_used_is_refused(void **state)
{
    struct problem *problem = only_problem_of(*state, "[{\"tool\":\"broken\"}]");
    assert_string_equal(problem->path, "/tool");
    assert_string_equal(problem->fix, "use another tool");
}

static void every_problem_is_listed(void **state)
{
    struct fixture *f = *state;
    assert_false(plan_check(&f->arena,
                            plan_of(f, "[{\"tool\":\"nope\",\"needs\":[\"s1\"]},"
                                       "{\"tool\":\"read_file\",\"args\":{\"lines\":\"x\"}}]"),
                            &f->input, &f->problems));
    assert_int_equal(f->problems.n, 4);
}

static void a_plan_with_faults_of_shape_is_checked_as_far_as_it_can_be(void **state)
{
    struct fixture *f = *state;
    bool is_fine = true;
    f->problems = (struct problems){ .arena = &f->arena };
    json_t *value = parse("{\"gaol\":1,\"steps\":[7,{\"args\":[]},{\"id\":\"a b\",\"tool\":"
                          "\"nope\"},{\"tool\":\"read_file\",\"args\":{\"lines\":1},\"needs\":[1,"
                          "\"a b\",\"x\"]}]}");
    struct plan *plan =
        plan_read(&f->arena, arena_keep_json(&f->arena, value), &f->problems, &is_fine);
    assert_false(is_fine);
    assert_true(plan_check(&f->arena, plan, &f->input, &f->problems) == false);
    static const char *const places[] = { "/gaol",         "/steps/0",         "/steps/1/tool",
                                          "/steps/1/args", "/steps/2/id",      "/steps/3/needs/0",
                                          "/steps/2/tool", "/steps/3/needs/2", "/steps/3/args" };
    assert_int_equal(f->problems.n, ARRAY_LENGTH(places));
    for (size_t i = 0; i < f->problems.n; i++)
        assert_string_equal(f->problems.list[i].at, places[i]);
    assert_true(f->problems.list[0].is_name);
}

static void what_is_not_known_of_a_reference_can_be_asked_for(void **state)
{
    struct fixture *f = *state;
    struct problems unknown = { .arena = &f->arena };
    f->input.unknown = &unknown;
    passes(f, "[{\"tool\":\"files/search\"}," WRITE("{s1.matches[0].path}") "," WRITE(
                  "{s1.text}") "]");
    f->input.unknown = NULL;
    assert_int_equal(unknown.n, 1);
    assert_string_equal(unknown.list[0].at, "/1/args/code");
}

static void without_tools_order_and_references_are_checked(void **state)
{
    struct fixture *f = *state;
    f->input.has_no_tools = true;
    passes(f, "[{\"tool\":\"any/thing\",\"args\":{\"x\":1}}]");
    has_problem(f, "[{\"tool\":\"any/thing\",\"args\":{\"x\":\"{s9.text}\"}}]",
                "s1 /x: {s9.text} refers to an earlier step, but this is the first", NULL);
    f->input.has_no_tools = false;
}

static void dependence_is_by_need_or_by_reference(void **state)
{
    struct fixture *f = *state;
    struct plan *plan = plan_of(
        f, "[" READ "," WRITE("{prev_result}") "," READ
                                               ",{\"tool\":\"files/search\",\"needs\":[\"s2\"]}]");
    static const int needed[] = { -1, 0, -1, 1 };
    bool needs[4] = { true };
    for (size_t later = 0; later < plan->n_steps; later++) {
        plan_step_needs(&f->arena, plan, later, needs);
        for (int earlier = 0; earlier < 4; earlier++)
            assert_int_equal(needs[earlier], earlier == needed[later]);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(a_plan_without_steps_is_fine),
        T(bare_tool_names_become_full_ones),
        T(the_chain_of_the_seed_passes),
        T(an_unknown_tool_is_answered_with_the_nearest),
        T(a_bare_name_that_several_servers_have_is_refused),
        T(ids_are_unique),
        T(ten_steps_are_allowed_and_eleven_are_not),
        T(memory_grows_as_the_plan_does),
        T(needs_name_earlier_steps_only),
        T(steps_that_wait_for_each_other_are_refused),
        T(references_name_earlier_steps_only),
        T(variables_must_exist),
        T(fields_are_checked_where_an_output_schema_is_known),
        T(a_gap_is_refused_where_the_request_is_known),
        T(a_lone_reference_must_have_the_type_of_the_argument),
        T(arguments_are_held_against_the_input_schema),
        T(variables_are_filled_in_before_the_check),
        T(what_a_reference_will_give_is_left_out_of_the_check),
        T(what_stands_beside_a_reference_is_still_checked),
        T(an_argument_the_tool_does_not_know_is_refused_whatever_it_holds),
        T(a_tool_with_a_schema_that_cannot_be_used_is_refused),
        T(every_problem_is_listed),
        T(a_plan_with_faults_of_shape_is_checked_as_far_as_it_can_be),
        T(what_is_not_known_of_a_reference_can_be_asked_for),
        T(without_tools_order_and_references_are_checked),
        T(dependence_is_by_need_or_by_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
