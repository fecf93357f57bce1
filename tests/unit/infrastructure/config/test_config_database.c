/* Who may say where the database is. */
#include "infrastructure/config/config.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "config/mistral_orchestrator.yml"

/* The home is a folder of its own, and the project, where the process stands, is below it. */
struct fixture {
    struct arena arena;
    char root[64];
    struct settings settings;
    struct config_paths paths;
    struct err err;
};

static void put(struct fixture *f, const char *folder, const char *name, const char *storage)
{
    assert_int_equal(chdir(folder), 0);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "mistral_orchestrator:\n  storage: %s\n", storage) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chdir(arena_printf(&f->arena, "%s/project", f->root)), 0);
}

static void put_in_project(struct fixture *f, const char *storage)
{
    put(f, arena_printf(&f->arena, "%s/project", f->root), FILE_NAME, storage);
}

static int open_fixture(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .root = "/tmp/mistro_config.XXXXXX" };
    assert_non_null(mkdtemp(f.root));
    unsetenv("MISTRO_CONFIG");
    unsetenv("MISTRO_POSTGRES");
    setenv("HOME", f.root, 1);
    setenv("XDG_CONFIG_HOME", f.root, 1);
    static const char *const folders[] = { "mistro", "project", "project/config" };
    for (size_t i = 0; i < ARRAY_LENGTH(folders); i++)
        assert_int_equal(mkdir(arena_printf(&f.arena, "%s/%s", f.root, folders[i]), 0700), 0);
    put(&f, arena_printf(&f.arena, "%s/mistro", f.root), "mistral_orchestrator.yml",
        "{backend: postgres, postgres: 'postgresql://mine/db'}");
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(system(arena_printf(&f->arena, "rm -rf %s", f->root)), 0);
    arena_finish(&f->arena);
    return 0;
}

static enum err_code load(struct fixture *f, bool approved)
{
    struct config_request request = { 0 };
    f->err = (struct err){ 0 };
    return config_load(&request, yaml_documents(), approved, &f->arena, &f->settings, &f->paths,
                       &f->err);
}

static void a_project_names_none_even_when_it_is_approved(void **state)
{
    struct fixture *f = *state;
    put_in_project(f, "{postgres: 'postgresql://theirs/db'}");
    for (int approved = 0; approved < 2; approved++) {
        assert_int_equal(load(f, approved), ERR_INVALID);
        assert_non_null(strstr(f->err.message, "a project may not set storage.postgres"));
        assert_null(strstr(f->err.message, "theirs"));
    }
}

static void a_project_does_not_choose_it(void **state)
{
    struct fixture *f = *state;
    put(f, arena_printf(&f->arena, "%s/mistro", f->root), "mistral_orchestrator.yml",
        "{postgres: 'postgresql://mine/db'}");
    put_in_project(f, "{backend: postgres}");
    for (int approved = 0; approved < 2; approved++)
        assert_int_equal(load(f, approved), ERR_INVALID);
    put_in_project(f, "{backend: sqlite}");
    assert_int_equal(load(f, false), ERR_NONE);
    assert_string_equal(f->settings.storage_backend, "sqlite");
}

static void a_project_does_not_lead_away_from_it(void **state)
{
    struct fixture *f = *state;
    put_in_project(f, "{backend: json, postgres: ''}"); /* the defaults */
    assert_int_equal(load(f, true), ERR_NONE);
    assert_string_equal(f->settings.storage_backend, "postgres");
    assert_string_equal(f->settings.storage_postgres, "postgresql://mine/db");
}

static void the_environment_wins(void **state)
{
    struct fixture *f = *state;
    setenv("MISTRO_POSTGRES", "postgresql://other/db", 1);
    assert_int_equal(load(f, false), ERR_NONE);
    assert_string_equal(f->settings.storage_postgres, "postgresql://other/db");
    assert_string_equal(f->settings.origin_names[SETTING_storage_postgres], "MISTRO_POSTGRES");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(a_project_names_none_even_when_it_is_approved),
        T(a_project_does_not_choose_it),
        T(a_project_does_not_lead_away_from_it),
        T(the_environment_wins),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
