/* What the conversation files owe beyond the contract: private, never lost, read as they are. */

#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct settings settings;
static char root[64], folder[80];

struct fixture {
    struct uv_runtime *runtime;
    struct conversation_repository *repository;
    struct arena arena;
    struct err err;
    /* of the task that runs */
    const char *id;
    struct conversation *conversation;
    struct conversation_summary *list;
    size_t n;
};

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .runtime = uv_runtime_create() };
    temporary_folder_create(root);
    snprintf(folder, sizeof folder, "%s/data/conv", root);
    settings_init(&settings);
    f.repository = json_conversation_repository_create(f.runtime, folder, &settings);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    conversation_repository_destroy(f->repository);
    uv_runtime_destroy(f->runtime);
    arena_finish(&f->arena);
    temporary_folder_remove(root);
    return 0;
}

static enum err_code save_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return conversation_repository_save(f->repository, scope,
                                        conversation_create(&f->arena, f->id, 1000), 0, &f->err);
}

static enum err_code load_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return conversation_repository_get_by_id(f->repository, scope, f->id, &f->arena,
                                             &f->conversation, &f->err);
}

static enum err_code list_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    return conversation_repository_get_all(f->repository, scope, &f->arena, &f->list, &f->n,
                                           &f->err);
}

static enum err_code run(struct fixture *f, task_fn *fn, const char *id)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    f->id = id;
    return uv_runtime_run(f->runtime, &scope, fn, f);
}

static const char *path_of(const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *out = fopen(path_of(name), "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 0777;
}

static void its_files_and_folders_are_private(void **state)
{
    struct fixture *f = *state;
    char above[80];
    snprintf(above, sizeof above, "%s/data", root);
    assert_int_equal(access(above, F_OK), -1); /* nothing is made before it is used */

    assert_int_equal(run(f, save_task, "a"), ERR_NONE);

    assert_int_equal(mode_of(above), 0700);
    assert_int_equal(mode_of(folder), 0700);
    assert_int_equal(mode_of(path_of("a.json")), 0600);
    assert_int_equal(mode_of(path_of(".lock")), 0600);
    assert_int_equal(access(path_of(".new"), F_OK), -1);
}

static void reports_a_damaged_file_and_leaves_it(void **state)
{
    struct fixture *f = *state;
    static const char *const bad[] = { "", "{", "[]", "{\"version\":7}",
                                       "{\"conversation_id\":1}" };
    assert_int_equal(run(f, save_task, "good"), ERR_NONE);

    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct stat info;
        write_file("bad.json", bad[i]);
        assert_int_equal(run(f, load_task, "bad"), ERR_INVALID);
        assert_non_null(strstr(f->err.message, "conversation bad"));
        assert_non_null(strstr(f->err.message, "is damaged"));
        assert_non_null(strstr(f->err.hint, "stays as it is"));
        assert_non_null(strstr(f->err.hint, folder));
        assert_int_equal(run(f, save_task, "bad"), ERR_INVALID); /* not overwritten either */
        assert_int_equal(stat(path_of("bad.json"), &info), 0);
        assert_int_equal(info.st_size, strlen(bad[i]));
    }
}

static void lists_what_can_be_read_and_names_what_is_damaged(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, save_task, "good"), ERR_NONE);
    write_file("bad.json", "{");
    write_file("notes.txt", "x");
    write_file("no id!.json", "{}");
    assert_int_equal(mkdir(path_of("folder.json"), 0700), 0);

    assert_int_equal(run(f, list_task, NULL), ERR_NONE);

    assert_int_equal(f->n, 2);
    const struct conversation_summary *bad = &f->list[strcmp(f->list[0].id, "bad") != 0];
    const struct conversation_summary *good = &f->list[bad == f->list];
    assert_string_equal(bad->id, "bad");
    assert_non_null(strstr(bad->damage, path_of("bad.json")));
    assert_null(bad->kind);
    assert_string_equal(good->id, "good");
    assert_string_equal(good->kind, "chat");
    assert_null(good->damage);
}

static void refuses_a_file_that_is_another_conversation(void **state)
{
    struct fixture *f = *state;
    char copy[160];
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    strcpy(copy, path_of("b.json"));
    assert_int_equal(link(path_of("a.json"), copy), 0);

    assert_int_equal(run(f, load_task, "b"), ERR_INVALID);
    assert_non_null(strstr(f->err.message, "conversation_id is \"a\""));
}

static void follows_no_link_out_of_its_folder(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    assert_int_equal(symlink("/etc/hostname", path_of("out.json")), 0);

    assert_int_equal(run(f, load_task, "out"), ERR_UNAVAILABLE);
}

static void is_not_stopped_by_what_a_killed_writer_left(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run(f, save_task, "a"), ERR_NONE);
    write_file(".new", "half of a conv");

    assert_int_equal(run(f, save_task, "b"), ERR_NONE);
    assert_int_equal(run(f, load_task, "b"), ERR_NONE);
    assert_int_equal(access(path_of(".new"), F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(its_files_and_folders_are_private),
        T(reports_a_damaged_file_and_leaves_it),
        T(lists_what_can_be_read_and_names_what_is_damaged),
        T(refuses_a_file_that_is_another_conversation),
        T(follows_no_link_out_of_its_folder),
        T(is_not_stopped_by_what_a_killed_writer_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
