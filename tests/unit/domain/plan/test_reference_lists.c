/* References of plans of version 2 that lead to elements from the end, to some and to all of a
 * list. In the texts ` stands for a double quote. */
#include "domain/base/json.h"
#include "domain/plan/references.h"
#include "tests/support/cmocka.h"
#include <string.h>

struct fixture {
    struct arena arena;
    struct step steps[2];
    struct plan plan;
    struct step_result result;
    const struct step_result *results[2];
};

static const json_t *parse(struct fixture *f, const char *text)
{
    json_t *value = NULL;
    char *quoted = arena_strdup(&f->arena, text);
    for (char *at = quoted; (at = strchr(at, '`')); at++)
        *at = '"';
    if (json_parse(quoted, strlen(quoted), JSON_OURS, &value, NULL))
        fail_msg("%s is no JSON", quoted);
    return arena_keep_json(&f->arena, value);
}

static int open_fixture(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .steps = { { .id = "s" }, { .id = "now" } } };
    f.plan = (struct plan){ .version = 2, .steps = f.steps, .n_steps = 2 };
    const json_t *data =
        parse(&f, "{`n`:[0,1,2,3,4],`none`:[],`o`:{`0`:`zero`,`*`:1,`a`:[7]},`t`:`text`,"
                  "`of`:[{`id`:1,`in`:[{`x`:`a`},{`x`:`b`}]},{`id`:null,`in`:[]},{`no`:1},5,"
                  "{`id`:3,`in`:[{`y`:0},{`x`:`c`}]}],`grid`:[[1,2],[],[3]]}");
    step_result_from_text(&f.arena, "the text", json_share(data), false, &f.result);
    f.results[0] = &f.result;
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    arena_finish(&f->arena);
    return 0;
}

static enum err_code bind(struct fixture *f, const char *reference, const json_t **out,
                          struct err *err)
{
    json_t *text = json_string(arena_printf(&f->arena, "{%s}", reference));
    f->steps[1].args = arena_keep_json(&f->arena, text);
    return references_bind(&f->arena, &f->plan, 1, NULL, f->results, out, err);
}

static void gives(struct fixture *f, const char *reference, const char *expected)
{
    const json_t *bound = NULL;
    struct err err = { .code = ERR_NONE };
    if (bind(f, reference, &bound, &err))
        fail_msg("{%s}: %s", reference, err.message);
    const char *printed = json_print_in(&f->arena, bound);
    const char *wanted = json_print_in(&f->arena, parse(f, expected));
    if (strcmp(printed, wanted) != 0)
        fail_msg("{%s} gives %s, not %s", reference, printed, wanted);
}

static void fails(struct fixture *f, const char *reference, const char *message)
{
    const json_t *bound = NULL;
    struct err err = { .code = ERR_NONE };
    assert_int_equal(bind(f, reference, &bound, &err), ERR_BAD_PLAN);
    assert_string_equal(err.message, message);
}

static void is_no_reference(struct fixture *f, const char *text)
{
    const struct reference_place place = reference_place_of(&f->plan, 1);
    if (!reference_parse(&f->arena, &place, text).is_malformed)
        fail_msg("{%s} is read as a reference", text);
}

static void negative_numbers_count_from_the_end(void **state)
{
    gives(*state, "s.n[-1]", "4");
    gives(*state, "s.n[-5]", "0");
    gives(*state, "s.n[-0]", "0");
    gives(*state, "s.grid[-1][-1]", "3");
    gives(*state, "s.n.4", "4");
    fails(*state, "s.n[-6]", "reference {s.n[-6]}: no [-6], there is a list of 5");
    fails(*state, "s.n[5]", "reference {s.n[5]}: no [5], there is a list of 5");
    fails(*state, "s.none[-1]", "reference {s.none[-1]}: no [-1], there is a list of 0");
    fails(*state, "s.o[-1]", "reference {s.o[-1]}: no [-1], there is an object with 0, *, a");
}

static void a_slice_has_the_elements_from_one_number_up_to_another(void **state)
{
    gives(*state, "s.n[1:3]", "[1,2]");
    gives(*state, "s.n[3:]", "[3,4]");
    gives(*state, "s.n[:2]", "[0,1]");
    gives(*state, "s.n[:]", "[0,1,2,3,4]");
    gives(*state, "s.n[-2:]", "[3,4]");
    gives(*state, "s.n[:-2]", "[0,1,2]");
    gives(*state, "s.n[-3:-1]", "[2,3]");
    gives(*state, "s.n[1:-1]", "[1,2,3]");
}

static void a_slice_beyond_the_ends_has_what_there_is(void **state)
{
    gives(*state, "s.n[3:99]", "[3,4]");
    gives(*state, "s.n[-99:2]", "[0,1]");
    gives(*state, "s.n[5:]", "[]");
    gives(*state, "s.n[:-5]", "[]");
    gives(*state, "s.n[:-6]", "[]");
    gives(*state, "s.n[2:2]", "[]");
    gives(*state, "s.n[3:1]", "[]");
    gives(*state, "s.none[0:10]", "[]");
    gives(*state, "s.n[999999999:]", "[]");
    gives(*state, "s.n[-999999999:999999999]", "[0,1,2,3,4]");
}

static void what_follows_a_slice_is_of_the_list_that_it_gives(void **state)
{
    gives(*state, "s.n[1:4][0]", "1");
    gives(*state, "s.n[1:4][-1]", "3");
    gives(*state, "s.n[1:][1:][1:]", "[3,4]");
    gives(*state, "s.of[:1][*].id", "[1]");
}

static void a_star_gives_what_every_element_has(void **state)
{
    gives(*state, "s.of[*].id", "[1,null,3]");
    gives(*state, "s.n[*]", "[0,1,2,3,4]");
    gives(*state, "s.of[*].nothing", "[]");
    gives(*state, "s.of[*].in[0].x", "[`a`]");
    gives(*state, "s.of[*].in[-1]", "[{`x`:`b`},{`x`:`c`}]");
    gives(*state, "s.of[*].in[:1]", "[[{`x`:`a`}],[],[{`y`:0}]]");
    gives(*state, "s.none[*]", "[]");
    gives(*state, "s.none[*].id", "[]");
}

static void a_star_within_a_star_gives_lists_of_lists(void **state)
{
    gives(*state, "s.grid[*][*]", "[[1,2],[],[3]]");
    gives(*state, "s.of[*].in[*].x", "[[`a`,`b`],[],[`c`]]");
    gives(*state, "s.n[*][*]", "[]");
    gives(*state, "s.grid[*][-1]", "[2,3]");
}

static void lists_of_what_is_no_list_are_nothing(void **state)
{
    fails(*state, "s.o[*]", "reference {s.o[*]}: no [*], there is an object with 0, *, a");
    fails(*state, "s.o[0:1]", "reference {s.o[0:1]}: no [0:1], there is an object with 0, *, a");
    fails(*state, "s.t[*]", "reference {s.t[*]}: no [*], there is text");
    fails(*state, "s.t[0:2]", "reference {s.t[0:2]}: no [0:2], there is text");
    fails(*state, "s[*]",
          "reference {s[*]}: no [*], there is an object with n, none, o, t, of, grid");
}

static void nine_digits_are_a_number_and_ten_are_none(void **state)
{
    fails(*state, "s.n[999999999]",
          "reference {s.n[999999999]}: no [999999999], there is a list of 5");
    fails(*state, "s.n[-999999999]",
          "reference {s.n[-999999999]}: no [-999999999], there is a list of 5");
    gives(*state, "s.n[000000001]", "1");
    is_no_reference(*state, "s.n[1000000000]");
    is_no_reference(*state, "s.n[-1000000000]");
    is_no_reference(*state, "s.n[1000000000:]");
    is_no_reference(*state, "s.n[:1000000000]");
    is_no_reference(*state, "s.n[0:-1000000000]");
}

static void what_only_looks_like_a_list_is_no_reference(void **state)
{
    static const char *const texts[] = {
        "s.n[]",   "s.n[-]",  "s.n[--1]", "s.n[1:2:3]", "s.n[**]", "s.n[*:1]", "s.n[1:*]",
        "s.n[ 1]", "s.n[1 ]", "s.n[+1]",  "s.n[1",      "s.n[1:",  "s.n[*",    "s.n[x]",
        "s.n.*",   "s.n[1]x", "s.n[1]]",  "s.n[[1]]",   "s.n.[1]", "s.n.-1."
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        is_no_reference(*state, texts[i]);
}

static void version_1_knows_no_lists_of_elements(void **state)
{
    static const char *const texts[] = { "s.n[-1]", "s.n[0:1]", "s.n[*]", "s.n[:]" };
    struct fixture *f = *state;
    f->plan.version = 1;
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        gives(f, texts[i], arena_printf(&f->arena, "`{%s}`", texts[i]));
}

static void sixteen_parts_are_a_reference_and_seventeen_are_none(void **state)
{
    struct fixture *f = *state;
    gives(f, "s.n[:][:][:][:][:][:][:][:][:][:][:][:][:][:][0]", "0");
    is_no_reference(f, "s.n[:][:][:][:][:][:][:][:][:][:][:][:][:][:][:][0]");
}

static void lists_are_printed_within_text(void **state)
{
    struct fixture *f = *state;
    gives(f, "s.of[*].id} of {s.n[-2:]", "`[1,null,3] of [3,4]`");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(negative_numbers_count_from_the_end),
        T(a_slice_has_the_elements_from_one_number_up_to_another),
        T(a_slice_beyond_the_ends_has_what_there_is),
        T(what_follows_a_slice_is_of_the_list_that_it_gives),
        T(a_star_gives_what_every_element_has),
        T(a_star_within_a_star_gives_lists_of_lists),
        T(lists_of_what_is_no_list_are_nothing),
        T(nine_digits_are_a_number_and_ten_are_none),
        T(what_only_looks_like_a_list_is_no_reference),
        T(version_1_knows_no_lists_of_elements),
        T(sixteen_parts_are_a_reference_and_seventeen_are_none),
        T(lists_are_printed_within_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
