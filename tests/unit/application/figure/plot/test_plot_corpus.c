/* Requests for plots of eight tables, each with the plot that is right, why it is, and which other
 * mark would do (tests/data/figure/plots). Rules alone choose; what they choose otherwise, the
 * figure has to say. */
#include "application/figure/plot/plot.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

#define FOLDER SOURCE_DIR "/tests/data/figure/plots/"

/* A rule that makes one of these worse has to make more of them better. */
#define LEAST_RIGHT 13
#define MOST_SILENT 2

static char *file_text(struct arena *arena, const char *name)
{
    FILE *file = fopen(arena_printf(arena, FOLDER "%s", name), "re");
    assert_non_null(file);
    char *text = arena_alloc(arena, 1 << 20);
    text[fread(text, 1, (1 << 20) - 1, file)] = 0;
    fclose(file);
    return text;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_right(const struct plot_spec *spec, const json_t *expected)
{
    const char *mark = plot_mark_name(spec->mark);
    return (is_same(mark, json_get_string(expected, "mark")) ||
            is_same(mark, json_get_string(expected, "also_mark"))) &&
           is_same(spec->x, json_get_string(expected, "x")) &&
           is_same(spec->y, json_get_string(expected, "y")) &&
           is_same(spec->color, json_get_string(expected, "color"));
}

static void draws_what_was_asked_for_or_says_what_differs(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    size_t n = 0, n_right = 0, n_silent = 0;
    for (char *line = strtok(file_text(&arena, "plots.jsonl"), "\n"); line;
         line = strtok(NULL, "\n"), n++) {
        json_t *request = NULL;
        struct plot_data data;
        struct plot_spec spec;
        struct figure_findings findings = { .arena = &arena };
        assert_int_equal(json_parse(line, strlen(line), JSON_OURS, &request, NULL), ERR_NONE);
        arena_keep_json(&arena, request);
        const char *caption = json_get_string(request, "caption");
        const char *intent = json_get_string(request, "intent");
        const char *table = file_text(&arena, json_get_string(request, "data"));
        assert_int_equal(
            plot_table_from_text(&arena, table, strlen(table), SIZE_MAX, "t", &data, NULL),
            ERR_NONE);
        assert_true(plot_spec_guess(&arena, &data, caption, intent, &spec));
        find_plot_faults(&findings, &data, caption, intent, &spec, true);
        if (is_right(&spec, json_object_get(request, "expect"))) {
            n_right++;
            continue;
        }
        n_silent += findings.n == 0;
        fprintf(stderr, "%s: %s of %s over %s by %s: %s\n", json_get_string(request, "id"),
                plot_mark_name(spec.mark), spec.y ? spec.y : "rows", spec.x,
                spec.color ? spec.color : "nothing",
                findings.n ? findings.list[0].message : "nothing is said");
    }
    assert_int_equal(n, 16);
    assert_true(n_right >= LEAST_RIGHT);
    assert_true(n_silent <= MOST_SILENT);
}

/* Losses of several models have no sum, which the figure says where it draws lines instead. */
static void says_that_losses_are_not_stacked(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const char caption[] = "Stacked area of the validation losses of all models";
    struct plot_data data;
    struct plot_spec spec;
    struct figure_findings findings = { .arena = &arena };
    const char *table = file_text(&arena, "training_losses.csv");
    assert_int_equal(plot_table_from_text(&arena, table, strlen(table), SIZE_MAX, "t", &data, NULL),
                     ERR_NONE);

    assert_true(plot_spec_guess(&arena, &data, caption, "", &spec));
    find_plot_faults(&findings, &data, caption, "", &spec, true);

    assert_int_equal(spec.mark, PLOT_LINE);
    assert_int_equal(findings.n, 1);
    assert_string_equal(findings.list[0].rule, "mark_replaced");
    assert_non_null(strstr(findings.list[0].message, "\"validation_loss\" has no sum"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_what_was_asked_for_or_says_what_differs),
        cmocka_unit_test(says_that_losses_are_not_stacked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
