
#include "infrastructure/config/config.h"
#include "infrastructure/config/embedded_assets.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ASSET "config/mistral_orchestrator.yml"

struct fixture {
    struct arena arena;
    char root[64];
};

static void run(struct fixture *f, const char *script)
{
    assert_int_equal(system(arena_printf(&f->arena, "cd %s && %s", f->root, script)), 0);
}

static int open_fixture(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .root = "/tmp/mistro_assets.XXXXXX" };
    assert_non_null(mkdtemp(f.root));
    run(&f, "mkdir -p user/mistro/config project/config");
    setenv("XDG_CONFIG_HOME", arena_printf(&f.arena, "%s/user", f.root), 1);
    assert_int_equal(chdir(arena_printf(&f.arena, "%s/project", f.root)), 0);
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(chdir("/"), 0);
    run(f, "rm -rf user project");
    assert_int_equal(rmdir(f->root), 0);
    arena_finish(&f->arena);
    return 0;
}

static const char *text_of(struct fixture *f, bool approved, const char **out_origin)
{
    const char *text = NULL;
    struct assets *assets = config_assets_create(approved);
    assert_int_equal(assets_get(assets, ASSET, &f->arena, &text, out_origin, NULL), ERR_NONE);
    config_assets_destroy(assets);
    return text;
}

static void what_nobody_overrides_is_built_in(void **state)
{
    const char *origin = NULL;
    const char *text = text_of(*state, true, &origin);
    assert_string_equal(origin, "built in");
    assert_non_null(strstr(text, "mistral_orchestrator:"));
}

static void the_users_file_wins_over_the_built_in_one(void **state)
{
    struct fixture *f = *state;
    const char *origin = NULL;
    run(f, "echo user > user/mistro/" ASSET);
    assert_string_equal(text_of(f, true, &origin), "user\n");
    assert_string_equal(origin, arena_printf(&f->arena, "%s/user/mistro/" ASSET, f->root));
}

/* Editors write it; as a part of the first word it would hide that. */
static void a_byte_order_mark_is_not_part_of_the_text(void **state)
{
    struct fixture *f = *state;
    const char *origin = NULL;
    run(f, "printf '\\357\\273\\277user\\n' > user/mistro/" ASSET);
    assert_string_equal(text_of(f, true, &origin), "user\n");
}

static void the_projects_file_counts_only_when_approved(void **state)
{
    struct fixture *f = *state;
    const char *origin = NULL;
    run(f, "echo user > user/mistro/" ASSET " && echo project > project/" ASSET);
    assert_string_equal(text_of(f, false, &origin), "user\n");
    assert_string_equal(text_of(f, true, &origin), "project\n");
}

static void paths_outside_the_tree_do_not_exist(void **state)
{
    static const char *const paths[] = {
        "", "/etc/passwd", "../x", "config/../../x", "..", "a/..", "config/nothing.txt"
    };
    struct fixture *f = *state;
    struct assets *assets = config_assets_create(true);
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
        const char *text = NULL, *origin = NULL;
        assert_int_equal(assets_get(assets, paths[i], &f->arena, &text, &origin, NULL),
                         ERR_NOT_FOUND);
        assert_null(text);
    }
    config_assets_destroy(assets);
}

/* The names of a folder, with a blank between them. */
static const char *names_in(struct fixture *f, bool approved, const char *folder)
{
    const char **names = NULL, *all = "";
    size_t n = 0;
    struct assets *assets = config_assets_create(approved);
    assert_int_equal(assets_list(assets, folder, &f->arena, &names, &n, NULL), ERR_NONE);
    config_assets_destroy(assets);
    for (size_t i = 0; i < n; i++)
        all = arena_printf(&f->arena, "%s%s%s", all, i ? " " : "", names[i]);
    return all;
}

static void lists_what_is_built_in_and_what_the_user_has_sorted_and_once(void **state)
{
    struct fixture *f = *state;
    run(f, "touch user/mistro/config/zebra.json user/mistro/config/ant.json");
    run(f, "touch user/mistro/" ASSET " user/mistro/config/.hidden && "
           "mkdir user/mistro/config/folder");
    assert_string_equal(names_in(f, true, "config"),
                        "ant.json mistral_orchestrator.yml zebra.json");
}

static void lists_the_projects_files_only_when_approved(void **state)
{
    struct fixture *f = *state;
    run(f, "touch project/" ASSET " project/config/own.json");
    assert_string_equal(names_in(f, false, "config"), "mistral_orchestrator.yml");
    assert_string_equal(names_in(f, true, "config"), "mistral_orchestrator.yml own.json");
}

static void a_folder_that_nobody_has_is_empty(void **state)
{
    assert_string_equal(names_in(*state, true, "config/nothing"), "");
}

static void a_folder_outside_the_tree_is_not_listed(void **state)
{
    struct fixture *f = *state;
    const char **names = NULL;
    size_t n = 0;
    struct assets *assets = config_assets_create(true);
    assert_int_equal(assets_list(assets, "../..", &f->arena, &names, &n, NULL), ERR_NOT_FOUND);
    assert_int_equal(assets_list(assets, "/etc", &f->arena, &names, &n, NULL), ERR_NOT_FOUND);
    assert_null(names);
    config_assets_destroy(assets);
}

static void lists_so_many_files_and_not_one_more(void **state)
{
    struct fixture *f = *state;
    const char **names = NULL;
    size_t n = 0;
    struct err err = { 0 };
    struct assets *assets = config_assets_create(true);
    run(f, arena_printf(&f->arena,
                        "mkdir -p user/mistro/many && cd user/mistro/many && touch $(seq %d)",
                        ASSETS_MAX_NAMES));
    assert_int_equal(assets_list(assets, "many", &f->arena, &names, &n, &err), ERR_NONE);
    assert_int_equal(n, ASSETS_MAX_NAMES);
    run(f, "touch user/mistro/many/one_more");
    assert_int_equal(assets_list(assets, "many", &f->arena, &names, &n, &err), ERR_LIMIT);
    assert_string_equal(err.message, "more than 2000 files in one folder");
    config_assets_destroy(assets);
}

static void every_embedded_file_is_the_file_of_the_tree(void **state)
{
    struct fixture *f = *state;
    for (const struct embedded_file *asset = embedded_assets; asset->path; asset++) {
        FILE *file = fopen(arena_printf(&f->arena, SOURCE_DIR "/%s", asset->path), "rb");
        assert_non_null(file);
        char *bytes = arena_alloc(&f->arena, asset->length + 1);
        assert_int_equal(fread(bytes, 1, asset->length + 1, file), asset->length);
        assert_memory_equal(bytes, asset->text, asset->length);
        assert_int_equal(fclose(file), 0);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(what_nobody_overrides_is_built_in),
        T(the_users_file_wins_over_the_built_in_one),
        T(a_byte_order_mark_is_not_part_of_the_text),
        T(the_projects_file_counts_only_when_approved),
        T(paths_outside_the_tree_do_not_exist),
        T(lists_what_is_built_in_and_what_the_user_has_sorted_and_once),
        T(lists_the_projects_files_only_when_approved),
        T(a_folder_that_nobody_has_is_empty),
        T(a_folder_outside_the_tree_is_not_listed),
        T(lists_so_many_files_and_not_one_more),
        T(every_embedded_file_is_the_file_of_the_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
