/* What only artifacts in files can do: modes, leftovers, folders of others, names that cannot be
 * exchanged. */

#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/staged_folder.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/artifact_subject.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct artifact_file two[] = { { "a.txt", "one\n" }, { "b.txt", "" } };

static size_t entries_of(const char *path)
{
    AUTO(arena) arena = { 0 };
    FILE *list = popen(arena_printf(&arena, "ls -A '%s' 2>/dev/null | wc -l", path), "r");
    size_t n = 999;
    if (!list || fscanf(list, "%zu", &n) != 1)
        n = 999;
    if (list)
        pclose(list);
    return n;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void write_to(const struct artifact_subject *s, struct arena *arena, const char *path,
                     const char *text)
{
    FILE *file = fopen(artifact_subject_path(s, arena, path), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void wait_for_what_was_posted(struct artifact_subject *s)
{
    file_artifacts_destroy(s->artifacts);
    s->artifacts = file_artifacts_create(s->uv.runtime);
}

static void a_discarded_folder_leaves_nothing_not_even_its_parents(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    struct artifact_making m = { .parent = artifact_subject_path(s, &arena, "runs/new"),
                                 .name = "tcp",
                                 .files = two,
                                 .n_files = 2,
                                 .discards = true };

    assert_int_equal(artifact_subject_make(s, &m), ERR_NONE);
    wait_for_what_was_posted(s);

    assert_int_equal(entries_of(s->uv.folder), 0);
}

static void a_commit_that_was_cancelled_leaves_nothing(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    struct artifact_making m = { .parent = artifact_subject_path(s, &arena, "runs"),
                                 .name = "tcp",
                                 .files = two,
                                 .n_files = 2,
                                 .cancels_before_commit = true };

    assert_int_equal(artifact_subject_make(s, &m), ERR_CANCELLED);
    wait_for_what_was_posted(s);

    assert_int_equal(entries_of(s->uv.folder), 0);
}

static void gives_the_modes_of_the_umask(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    struct stat folder, file;
    struct artifact_making m = {
        .parent = artifact_subject_path(s, &arena, "r"), .name = "x", .files = two, .n_files = 2
    };

    assert_int_equal(artifact_subject_make(s, &m), ERR_NONE);

    assert_int_equal(stat(m.path, &folder), 0);
    assert_int_equal(stat(artifact_subject_path(s, &arena, "r/x/a.txt"), &file), 0);
    assert_int_equal(folder.st_mode & 0777, 0755);
    assert_int_equal(file.st_mode & 0777, 0644);
}

static void keeps_a_folder_with_files_that_are_not_mistros(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    struct artifact_making m = {
        .parent = artifact_subject_path(s, &arena, ""), .name = "x", .files = two, .n_files = 2
    };
    assert_int_equal(artifact_subject_make(s, &m), ERR_NONE);
    write_to(s, &arena, "x/notes.txt", "mine");

    assert_int_equal(artifact_subject_make(s, &m), ERR_INVALID);

    assert_non_null(strstr(m.err.message, "notes.txt"));
    assert_string_not_equal(m.err.hint, "");
    assert_true(exists(artifact_subject_path(s, &arena, "x/notes.txt")));
    assert_int_equal(entries_of(s->uv.folder), 1);
}

static void keeps_what_stands_there_and_is_no_folder(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    write_to(s, &arena, "file", "mine");
    assert_int_equal(mkdir(artifact_subject_path(s, &arena, "elsewhere"), 0700), 0);
    assert_int_equal(symlink("elsewhere", artifact_subject_path(s, &arena, "link")), 0);
    struct artifact_making file = { .parent = artifact_subject_path(s, &arena, ""),
                                    .name = "file" };
    struct artifact_making link = { .parent = artifact_subject_path(s, &arena, ""),
                                    .name = "link" };
    struct artifact_making below = { .parent = artifact_subject_path(s, &arena, "file/runs"),
                                     .name = "x" };

    assert_int_equal(artifact_subject_make(s, &file), ERR_INVALID);
    assert_int_equal(artifact_subject_make(s, &link), ERR_INVALID);
    assert_int_equal(artifact_subject_make(s, &below), ERR_INVALID);

    assert_int_equal(entries_of(s->uv.folder), 3);
}

static void a_link_on_the_way_is_followed_only_where_it_may_be(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    const char *folder = artifact_subject_path(s, &arena, "");
    assert_int_equal(mkdir(artifact_subject_path(s, &arena, "outside"), 0700), 0);
    assert_int_equal(symlink("outside", artifact_subject_path(s, &arena, "ln")), 0);
    struct artifact_making below = { .parent = arena_printf(&arena, "%s/ln/x", folder),
                                     .name = "c",
                                     .follows_no_links = true };
    struct artifact_making last = { .parent = arena_printf(&arena, "%s/ln", folder),
                                    .name = "c",
                                    .follows_no_links = true };
    struct artifact_making plain = { .parent = arena_printf(&arena, "%s/new/a", folder),
                                     .name = "c",
                                     .files = two,
                                     .n_files = 2,
                                     .follows_no_links = true };
    struct artifact_making free_to = {
        .parent = below.parent, .name = "c", .files = two, .n_files = 2
    };

    assert_int_equal(artifact_subject_make(s, &below), ERR_INVALID);
    assert_int_equal(artifact_subject_make(s, &last), ERR_INVALID);
    assert_non_null(strstr(below.err.message, "a symbolic link on the way is not followed"));
    assert_int_equal(entries_of(artifact_subject_path(s, &arena, "outside")), 0);

    assert_int_equal(artifact_subject_make(s, &plain), ERR_NONE);
    assert_string_equal(artifact_subject_text(s, &arena, plain.path, "a.txt"), "one\n");
    assert_int_equal(artifact_subject_make(s, &free_to), ERR_NONE);
    assert_string_equal(artifact_subject_text(s, &arena, free_to.path, "a.txt"), "one\n");
}

static void replaces_an_empty_folder(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    assert_int_equal(mkdir(artifact_subject_path(s, &arena, "x"), 0700), 0);
    struct artifact_making m = {
        .parent = artifact_subject_path(s, &arena, ""), .name = "x", .files = two, .n_files = 2
    };

    assert_int_equal(artifact_subject_make(s, &m), ERR_NONE);

    assert_string_equal(artifact_subject_text(s, &arena, m.path, "a.txt"), "one\n");
    assert_int_equal(entries_of(s->uv.folder), 1);
}

static void says_at_once_that_nothing_can_be_written(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    struct artifact_making nowhere = { .parent = "/proc/mistro", .name = "x" };
    assert_int_equal(artifact_subject_make(s, &nowhere), ERR_INVALID);
    if (geteuid() == 0)
        return; /* root may write everywhere else */
    assert_int_equal(mkdir(artifact_subject_path(s, &arena, "locked"), 0500), 0);
    struct artifact_making m = { .parent = artifact_subject_path(s, &arena, "locked"),
                                 .name = "x" };
    struct artifact_making deep = { .parent = artifact_subject_path(s, &arena, "locked/a/b"),
                                    .name = "x" };

    assert_int_equal(artifact_subject_make(s, &m), ERR_INVALID);
    assert_int_equal(artifact_subject_make(s, &deep), ERR_INVALID);

    assert_string_not_equal(m.err.hint, "");
}

static void puts_as_many_files_as_it_may_and_no_more(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    struct artifact_file *files =
        arena_array(&arena, struct artifact_file, STAGED_FOLDER_MAX_FILES + 1);
    for (size_t i = 0; i <= STAGED_FOLDER_MAX_FILES; i++)
        files[i] = (struct artifact_file){ arena_printf(&arena, "%zu", i), "" };
    struct artifact_making fits = { .parent = artifact_subject_path(s, &arena, ""),
                                    .name = "x",
                                    .files = files,
                                    .n_files = STAGED_FOLDER_MAX_FILES };
    struct artifact_making above = { .parent = artifact_subject_path(s, &arena, ""),
                                     .name = "x",
                                     .files = files,
                                     .n_files = STAGED_FOLDER_MAX_FILES + 1 };

    assert_int_equal(artifact_subject_make(s, &fits), ERR_NONE);
    assert_int_equal(artifact_subject_make(s, &above), ERR_LIMIT);
}

/* What a process that was killed leaves: nobody holds the lock. */
static void leave_behind(const struct artifact_subject *s, struct arena *arena, const char *name)
{
    const char *path = artifact_subject_path(s, arena, name);
    assert_int_equal(mkdir(path, 0755), 0);
    write_to(s, arena, arena_printf(arena, "%s/" STAGED_FOLDER_LIST, name), "");
    write_to(s, arena, arena_printf(arena, "%s/half", name), "ha");
}

static void removes_what_dead_processes_left(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    leave_behind(s, &arena, ".x.mistro-0123456789abcdef");
    leave_behind(s, &arena, ".other.mistro-0123456789abcdef");
    assert_int_equal(mkdir(artifact_subject_path(s, &arena, ".y.mistro-0123456789abcdef"), 0755),
                     0);
    struct artifact_making m = { .parent = artifact_subject_path(s, &arena, ""), .name = "x" };

    assert_int_equal(artifact_subject_make(s, &m), ERR_NONE);

    assert_int_equal(entries_of(s->uv.folder), 1);
}

static void leaves_alone_what_only_looks_left_behind(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    leave_behind(s, &arena, ".x.mistro-0123456789abcde");  /* a digit short */
    leave_behind(s, &arena, ".x.mistro-0123456789abcdeg"); /* none of ours */
    leave_behind(s, &arena, ".x.mistro-1123456789abcdef"); /* in use */
    assert_int_equal(mkdir(artifact_subject_path(s, &arena, ".z.mistro-2123456789abcdef"), 0755),
                     0);
    write_to(s, &arena, ".z.mistro-2123456789abcdef/mine", "no list beside it");
    int in_use = open(artifact_subject_path(s, &arena, ".x.mistro-1123456789abcdef"),
                      O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(in_use, LOCK_EX), 0);
    struct artifact_making m = { .parent = artifact_subject_path(s, &arena, ""), .name = "x" };

    assert_int_equal(artifact_subject_make(s, &m), ERR_NONE);
    close(in_use);

    assert_int_equal(entries_of(s->uv.folder), 5);
    assert_true(exists(artifact_subject_path(s, &arena, ".z.mistro-2123456789abcdef/mine")));
    assert_true(exists(artifact_subject_path(s, &arena, ".x.mistro-1123456789abcdef/half")));
}

static void gives_its_name_back_to_what_was_put_aside_and_never_replaced(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    leave_behind(s, &arena, ".old.mistro-0123456789abcdef~");
    leave_behind(s, &arena, ".x.mistro-0123456789abcdef~");
    assert_int_equal(mkdir(artifact_subject_path(s, &arena, "x"), 0755), 0);
    struct artifact_making m = { .parent = artifact_subject_path(s, &arena, ""), .name = "x" };

    assert_int_equal(artifact_subject_make(s, &m), ERR_NONE);

    assert_true(exists(artifact_subject_path(s, &arena, "old/half")));
    assert_int_equal(entries_of(s->uv.folder), 2);
}

static void commit_in_steps(const struct artifact_subject *s, struct arena *arena, const char *text)
{
    struct staged_folder staged;
    assert_int_equal(
        staged_folder_open(
            &staged, &(struct artifact_place){ artifact_subject_path(s, arena, ""), "x", false },
            NULL),
        ERR_NONE);
    staged.cannot_exchange = true;
    assert_int_equal(staged_folder_put(&staged, text, text, strlen(text), NULL), ERR_NONE);
    assert_int_equal(staged_folder_commit(&staged, NULL), ERR_NONE);
    staged_folder_finish(&staged);
}

static void replaces_where_the_file_system_exchanges_no_names(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };

    commit_in_steps(s, &arena, "first");
    commit_in_steps(s, &arena, "second");

    assert_string_equal(
        artifact_subject_text(s, &arena, artifact_subject_path(s, &arena, "x"), "second"),
        "second");
    assert_null(artifact_subject_text(s, &arena, artifact_subject_path(s, &arena, "x"), "first"));
    assert_int_equal(entries_of(s->uv.folder), 1);
}

static void keeps_the_old_folder_when_the_new_one_is_gone(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    struct staged_folder staged;
    struct err err;
    commit_in_steps(s, &arena, "first");
    assert_int_equal(
        staged_folder_open(
            &staged, &(struct artifact_place){ artifact_subject_path(s, &arena, ""), "x", false },
            NULL),
        ERR_NONE);
    staged.cannot_exchange = true;
    char moved[128];
    snprintf(moved, sizeof moved, "%s/moved", s->uv.folder);
    assert_int_equal(rename(artifact_subject_path(s, &arena, staged.hidden), moved), 0);

    enum err_code r = staged_folder_commit(&staged, &err);
    staged_folder_finish(&staged);

    assert_int_equal(r, ERR_FAILED);
    assert_string_equal(
        artifact_subject_text(s, &arena, artifact_subject_path(s, &arena, "x"), "first"), "first");
}

int main(void)
{
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, artifact_subject_set_up_files, artifact_subject_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_discarded_folder_leaves_nothing_not_even_its_parents),
        TEST(a_commit_that_was_cancelled_leaves_nothing),
        TEST(gives_the_modes_of_the_umask),
        TEST(keeps_a_folder_with_files_that_are_not_mistros),
        TEST(keeps_what_stands_there_and_is_no_folder),
        TEST(a_link_on_the_way_is_followed_only_where_it_may_be),
        TEST(replaces_an_empty_folder),
        TEST(says_at_once_that_nothing_can_be_written),
        TEST(puts_as_many_files_as_it_may_and_no_more),
        TEST(removes_what_dead_processes_left),
        TEST(leaves_alone_what_only_looks_left_behind),
        TEST(gives_its_name_back_to_what_was_put_aside_and_never_replaced),
        TEST(replaces_where_the_file_system_exchanges_no_names),
        TEST(keeps_the_old_folder_when_the_new_one_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
