/* The folder of a figure, read again: the same files, another round, damage. */
#include "domain/figure/stage_contract.h"
#include "tests/unit/application/figure/report/figure_made.h"

static const char red[] = "<svg xmlns='http://www.w3.org/2000/svg'><rect fill='red'/></svg>";

/* The figure with two pictures that differ, of which the second is shown, as its folder has it. */
static struct figure_file *kept_files(struct figure_made *made, size_t *out_n)
{
    size_t n = 0;
    for (size_t i = 0; i < 2; i++) {
        made->pictures[i].bytes[PICTURE_PNG] = NULL;
        made->rounds[i].artifact.value = i ? "round_1.svg" : "round_0.svg";
    }
    made->pictures[1].bytes[PICTURE_SVG] = red;
    made->pictures[1].lengths[PICTURE_SVG] = sizeof red - 1;
    struct figure_file *files = figure_files(&made->arena, &made->result, &made->style,
                                             made->request, NULL /* before */, &n);
    *out_n = 0;
    for (size_t i = 0; i < n; i++)
        if (figure_folder_keeps(files[i].name))
            files[(*out_n)++] = files[i];
    return files;
}

static void assert_same_files(struct figure_made *made, const struct figure_folder *folder,
                              struct figure_result *again)
{
    size_t n_first = 0, n_second = 0;
    const struct figure_file *first = figure_files(&made->arena, &made->result, &made->style,
                                                   made->request, NULL /* before */, &n_first);
    const struct figure_file *second =
        figure_files(&made->arena, again, &made->style, NULL /* request */, folder, &n_second);
    assert_int_equal(n_first, n_second);
    for (size_t i = 0; i < n_first; i++) {
        size_t k = 0;
        while (k < n_second && strcmp(first[i].name, second[k].name) != 0)
            k++;
        assert_true(k < n_second);
        assert_int_equal(first[i].length, second[k].length);
        assert_memory_equal(first[i].bytes, second[k].bytes, first[i].length);
    }
}

static void a_folder_that_is_read_again_gives_the_same_files(void **state)
{
    struct figure_made *made = *state;
    static const char *const ends[] = { "approved", "", "no_progress", "stage_failed" };
    static const enum figure_end meant[] = { FIGURE_END_APPROVED, FIGURE_END_MAX_ROUNDS,
                                             FIGURE_END_NO_PROGRESS, FIGURE_END_STAGE_FAILED };
    for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
        struct figure_folder folder;
        struct err err;
        size_t n;
        made->result.end = meant[i];
        made->result.log.termination_reason = ends[i];
        made->result.log.terminated_early = *ends[i];
        made->result.log.max_rounds = *ends[i] ? 3 : 2;
        figure_show_round(&made->arena, &made->result, i % 2, i > 1);
        const struct figure_file *files = kept_files(made, &n);

        assert_int_equal(figure_folder_read(&made->arena, files, n, &folder, &err), ERR_NONE);

        struct figure_result again = folder.result;
        again.input = made->result.input;
        assert_int_equal(again.best, i % 2);
        figure_show_round(&made->arena, &again, again.best, i > 1);
        assert_same_files(made, &folder, &again);
    }
}

static void a_round_that_a_person_chose_is_the_figure_everywhere(void **state)
{
    struct figure_made *made = *state;
    struct figure_folder folder;
    struct problems problems = { .arena = &made->arena };
    struct err err;
    size_t n;
    const struct figure_file *files = kept_files(made, &n);
    assert_int_equal(figure_folder_read(&made->arena, files, n, &folder, &err), ERR_NONE);
    folder.result.input = made->result.input;
    made->result = folder.result;
    made->before = &folder;

    figure_show_round(&made->arena, &made->result, 0, true);

    const json_t *log = read_file(made, "05_round_log.json");
    assert_int_equal(json_get_int(log, "best", -1), 0);
    assert_string_equal(json_get_string(log, "chosen_by"), "person");
    assert_true(round_log_check(log, 0, false, &problems).complete);
    assert_string_equal(find_file(made, "figure.svg")->bytes,
                        find_file(made, "round_0.svg")->bytes);
    assert_non_null(find_file(made, "figure.dot"));
    assert_non_null(strstr(find_file(made, FIGURE_INDEX)->bytes, "A person chose round 0"));
    assert_non_null(strstr(find_file(made, "scorecard.md")->bytes, "chosen by a person: round 0"));
    assert_non_null(strstr(made->result.unresolved, "the critic asks: Name the ACK."));
    assert_false(figure_is_ready(&made->result));
}

static void a_folder_that_is_damaged_is_not_read(void **state)
{
    struct figure_made *made = *state;
    static const struct {
        const char *file, *bytes, *says; /* bytes NULL: it is not there */
    } cases[] = {
        { "05_round_log.json", NULL, "there is no 05_round_log.json" },
        { "05_round_log.json", "{\"rounds\":", "05_round_log.json: " },
        { "05_round_log.json", "\xff", "05_round_log.json: " },
        { "05_round_log.json", "[]", "05_round_log.json: " },
        { "05_round_log.json", "{\"max_rounds\":3,\"rounds\":[{}]}", "05_round_log.json: " },
        { "round_1.svg", NULL, "there is no round_1.svg" },
        { "round_1.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "round_1.svg" },
        { "round_0.svg", "", "round_0.svg: empty" },
        { "round_0.graph.json", "{", "round_0.graph.json: " },
        { "stages.json", "nothing", "stages.json: " },
        { "stages.json", NULL, "there is no stages.json" },
        { "request.json", NULL, "there is no request.json" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct figure_folder folder;
        struct err err = { 0 };
        size_t n, left = 0;
        struct figure_file *files = kept_files(made, &n);
        for (size_t k = 0; k < n; k++) {
            bool is_it = strcmp(files[k].name, cases[i].file) == 0;
            const char *bytes = is_it ? cases[i].bytes : files[k].bytes;
            if (bytes)
                files[left++] = (struct figure_file){ files[k].name, bytes,
                                                      is_it ? strlen(bytes) : files[k].length };
        }
        assert_int_equal(figure_folder_read(&made->arena, files, left, &folder, &err), ERR_INVALID);
        assert_non_null(strstr(err.message, cases[i].says));
    }
}

static void a_log_says_nothing_that_cannot_be(void **state)
{
    struct figure_made *made = *state;
    static const char *const members[] = { "{\"best\":2}", "{\"best\":-1}", "{\"best\":\"1\"}",
                                           "{\"mode\":\"film\"}", "{\"max_rounds\":61}" };
    for (size_t i = 0; i < ARRAY_LENGTH(members); i++) {
        struct figure_folder folder;
        size_t n;
        struct figure_file *files = kept_files(made, &n);
        for (size_t k = 0; k < n; k++)
            if (strcmp(files[k].name, "05_round_log.json") == 0) {
                json_t *log = json_deep_copy(parsed(&made->arena, files[k].bytes));
                json_object_update(log, (json_t *)(uintptr_t)parsed(&made->arena, members[i]));
                files[k].bytes = json_print_in(&made->arena, arena_keep_json(&made->arena, log));
                files[k].length = strlen(files[k].bytes);
            }
        assert_int_equal(figure_folder_read(&made->arena, files, n, &folder, NULL), ERR_INVALID);
    }
}

static void keeps_only_names_that_mistro_writes(void **state)
{
    (void)state;
    static const char *const kept[] = {
        "01_input.json",     "02_retriever.json", "03_planner.json",   "04_stylist.json",
        "05_round_log.json", "stages.json",       "request.json",      "round_0.svg",
        "round_1.png",       "round_9.pdf",       "round_59.dot",      "round_10.graph.json",
        "round_0.mmd",       "round_0.drawio",    "round_0.plot.json", "round_0.vl.json",
        "round_0.py",        "round_0.txt",
    };
    static const char *const others[] = {
        "",
        "0.json",
        "06_notes.json",
        "01_input.json 02_retriever.json",
        "round_",
        "round_0",
        "round_.svg",
        "round_0svg",
        "round_01.svg",
        "round_100.svg",
        "round_0.html",
        "round_0.svg .png",
        "round_0.SVG",
        "round_0.",
        "round_x.svg",
        "round_0.svg.exe",
        "index.html",
        "figure.svg",
        "Stages.json",
        "round_0.graph",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(kept); i++)
        assert_true(figure_folder_keeps(kept[i]));
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        assert_false(figure_folder_keeps(others[i]));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_folder_that_is_read_again_gives_the_same_files),
        TEST(a_round_that_a_person_chose_is_the_figure_everywhere),
        TEST(a_folder_that_is_damaged_is_not_read),
        TEST(a_log_says_nothing_that_cannot_be),
        TEST(keeps_only_names_that_mistro_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
