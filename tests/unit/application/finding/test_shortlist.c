#include "application/finding/shortlist.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include <string.h>

#define MOST 40

struct bench {
    struct arena arena;
    struct fake_services services; /* for its index */
    struct tool_catalogue *catalogue;
    const struct tool *tools[MOST];
    struct shortlist_request request;
    struct shortlist list;
    int64_t line; /* tokens of one line; every tool's is as long */
};

/* tool_00 to tool_NN, of one server each of five. */
static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    fake_services_init(&bench->services, NULL, SOURCE_DIR);
    bench->catalogue = tool_catalogue_create("dev");
    for (int i = 0; i < MOST; i++) {
        json_t *definition =
            json_pack("{s:o, s:s, s:{s:s}}", "name", json_sprintf("tool_%02d", i), "description",
                      i == 17   ? "draws zebras"
                      : i == 23 ? "mails owls.."
                                : "does nothing",
                      "inputSchema", "type", "object");
        assert_int_equal(tool_catalogue_add(bench->catalogue, definition, NULL), 0);
        json_decref(definition);
    }
    for (int i = 0; i < MOST; i++)
        bench->tools[i] = &bench->catalogue->tools[i];
    const struct offered_tool first = { .tool = bench->tools[0], .shown = "dev__tool_00" };
    bench->line = shortlist_tokens(shortlist_line(&bench->arena, &first));
    bench->request = (struct shortlist_request){
        .tools = bench->tools, .n_tools = MOST, .text = "zebra", .max_tokens = MOST * bench->line
    };
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    tool_catalogue_unref(bench->catalogue);
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

static void make(struct bench *bench)
{
    struct tool_index *index = &bench->services.index.base;
    assert_int_equal(tool_index_build(index, bench->tools, bench->request.n_tools, NULL), 0);
    assert_int_equal(shortlist_make(&bench->arena, index, &bench->services.assets.base,
                                    &bench->request, &bench->list, NULL),
                     0);
}

static size_t count(const struct bench *bench, enum offered_as as)
{
    size_t n = 0;
    for (size_t i = 0; i < bench->list.n; i++)
        n += bench->list.tools[i].as == as;
    return n;
}

static enum offered_as as_of(const struct bench *bench, const char *shown)
{
    for (size_t i = 0; i < bench->list.n; i++)
        if (strcmp(bench->list.tools[i].shown, shown) == 0)
            return bench->list.tools[i].as;
    fail_msg("%s is not there", shown);
    return OFFERED_NAME;
}

static void lines_that_fit_the_budget_are_all_shown_in_the_order_of_names(void **state)
{
    struct bench *bench = *state;

    make(bench);

    assert_true(bench->list.is_complete);
    assert_int_equal(bench->list.tokens, MOST * bench->line);
    assert_int_equal(count(bench, OFFERED_LINE), MOST);
    assert_string_equal(bench->list.tools[0].shown, "dev__tool_00");
    assert_string_equal(bench->list.tools[MOST - 1].shown, "dev__tool_39");
    assert_ptr_equal(bench->list.best[0], bench->tools[17]);
}

static void one_token_less_leaves_the_last_tool_its_name(void **state)
{
    struct bench *bench = *state;
    bench->request.max_tokens--;

    make(bench);

    assert_false(bench->list.is_complete);
    assert_int_equal(count(bench, OFFERED_LINE), MOST - 1);
    assert_int_equal(count(bench, OFFERED_NAME), 1);
}

static void the_likeliest_have_lines_and_the_next_names_for_a_third_of_the_budget(void **state)
{
    struct bench *bench = *state;
    int64_t name = shortlist_tokens("dev__tool_00") + 1;
    bench->request.max_tokens = 6 * bench->line;

    make(bench);

    assert_int_equal(count(bench, OFFERED_LINE), 6);
    assert_int_equal(as_of(bench, "dev__tool_17"), OFFERED_LINE);
    assert_int_equal(count(bench, OFFERED_NAME), 2 * bench->line / name);
}

static void the_bound_on_lines_holds_whatever_the_budget(void **state)
{
    struct bench *bench = *state;
    bench->request.max_lines = 3;
    make(bench);
    assert_int_equal(count(bench, OFFERED_LINE), 3);
    bench->request.max_lines = 4;
    make(bench);
    assert_int_equal(count(bench, OFFERED_LINE), 4);
}

static void one_tool_has_a_line_however_small_the_budget(void **state)
{
    struct bench *bench = *state;
    bench->request.max_tokens = 1;

    make(bench);

    assert_int_equal(bench->list.n, 1);
    assert_int_equal(as_of(bench, "dev__tool_17"), OFFERED_LINE);
}

static void what_must_be_there_comes_first(void **state)
{
    struct bench *bench = *state;
    const char *const always[] = { "dev/tool_31", "dev/unknown", "dev/tool_31" };
    bench->request.always = always;
    bench->request.n_always = 3;
    bench->request.max_tokens = bench->line;

    make(bench);

    assert_int_equal(as_of(bench, "dev__tool_31"), OFFERED_LINE);
    assert_ptr_equal(bench->list.best[0], bench->tools[31]);
    assert_ptr_equal(bench->list.best[1], bench->tools[17]);
}

static void two_wishes_find_a_tool_each(void **state)
{
    struct bench *bench = *state;
    bench->request.text = "zebras, then owls";
    bench->request.max_tokens = 2 * bench->line;

    make(bench);

    assert_int_equal(as_of(bench, "dev__tool_17"), OFFERED_LINE);
    assert_int_equal(as_of(bench, "dev__tool_23"), OFFERED_LINE);
}

static void a_tool_keeps_its_own_name_beside_one_that_is_only_shown_so(void **state)
{
    struct bench *bench = *state;
    static const char *const names[] = { "get.user", "get_user" };
    for (size_t i = 0; i < 2; i++) {
        json_auto_t *definition =
            json_pack("{s:s, s:{s:s}}", "name", names[i], "inputSchema", "type", "object");
        assert_int_equal(tool_catalogue_add(bench->catalogue, definition, NULL), 0);
    }
    for (size_t i = 0; i < 2; i++)
        bench->tools[i] = &bench->catalogue->tools[MOST + i];
    bench->request.n_tools = 2;
    make(bench);
    assert_string_equal(shortlist_shown(&bench->list, bench->tools[0]), "dev__get_user_2");
    assert_string_equal(shortlist_shown(&bench->list, bench->tools[1]), "dev__get_user");
}

static void a_tool_that_was_asked_for_by_name_gets_its_line_behind_the_names(void **state)
{
    struct bench *bench = *state;
    bench->request.max_tokens = 6 * bench->line;
    make(bench);
    const char *line = "- dev__tool_07()";
    assert_null(strstr(shortlist_tail(&bench->arena, &bench->list), line));

    shortlist_unfold(&bench->list, "dev/tool_07");
    shortlist_unfold(&bench->list, "dev__tool_17");
    shortlist_unfold(&bench->list, "dev__nothing");

    const char *tail = shortlist_tail(&bench->arena, &bench->list);
    assert_non_null(strstr(tail, line));
    assert_true(strstr(tail, line) > strstr(tail, "by name: "));
    assert_int_equal(as_of(bench, "dev__tool_17"), OFFERED_LINE);
    assert_int_equal(count(bench, OFFERED_NAME_LINE), 1);
}

static void the_tail_names_the_likeliest(void **state)
{
    struct bench *bench = *state;
    bench->request.text = "zebras, then owls";
    make(bench);

    assert_string_equal(shortlist_tail(&bench->arena, &bench->list),
                        "Likeliest: dev__tool_17, dev__tool_23\n");
}

static void without_a_word_in_common_tools_stand_by_name_and_the_tail_says_so(void **state)
{
    struct bench *bench = *state;
    bench->request.text = "quuxify";
    bench->request.max_tokens = 3 * bench->line;

    make(bench);

    assert_int_equal(bench->list.n_likely, 0);
    assert_int_equal(as_of(bench, "dev__tool_02"), OFFERED_LINE);
    assert_int_equal(as_of(bench, "dev__tool_03"), OFFERED_NAME);
    assert_non_null(strstr(shortlist_tail(&bench->arena, &bench->list), "No tool has a word"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(lines_that_fit_the_budget_are_all_shown_in_the_order_of_names),
        T(one_token_less_leaves_the_last_tool_its_name),
        T(the_likeliest_have_lines_and_the_next_names_for_a_third_of_the_budget),
        T(the_bound_on_lines_holds_whatever_the_budget),
        T(one_tool_has_a_line_however_small_the_budget),
        T(what_must_be_there_comes_first),
        T(two_wishes_find_a_tool_each),
        T(a_tool_keeps_its_own_name_beside_one_that_is_only_shown_so),
        T(a_tool_that_was_asked_for_by_name_gets_its_line_behind_the_names),
        T(the_tail_names_the_likeliest),
        T(without_a_word_in_common_tools_stand_by_name_and_the_tail_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
