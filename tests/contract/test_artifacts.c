/* What every kind of artifacts owes, on the fake and on files; then what only files can do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "infrastructure/repositories/file_artifacts.h"
#include "infrastructure/repositories/staged_folder.h"
#include "tests/support/fake_artifacts.h"
#include "tests/support/full/uv_subject.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    const char *name, *text;
};

/* One folder from opening to its end. */
struct making {
    const char *parent, *name;
    const struct file *files;
    size_t n_files;
    bool discards, cancels_before_commit;
    /* Outcomes. */
    enum err_code code;
    char path[256];
    struct err err;
};

struct fixture {
    struct fake_artifacts fake;
    struct uv_subject uv;
    struct artifacts *artifacts;
    bool is_fake;
};

static struct fixture fixture;

static enum err_code fill(struct making *m, struct artifact_folder *folder, struct scope *scope)
{
    enum err_code r = ERR_NONE;
    snprintf(m->path, sizeof m->path, "%s", folder->path);
    for (size_t i = 0; i < m->n_files && !r; i++)
        r = artifact_put(folder, scope, m->files[i].name, m->files[i].text,
                         strlen(m->files[i].text), &m->err);
    return r;
}

static enum err_code perform(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct making *m = argument;
    struct artifact_folder *folder = NULL;
    m->code = artifacts_open(fixture.artifacts, scope, m->parent, m->name, &folder, &m->err);
    if (m->code)
        return ERR_NONE;
    m->code = fill(m, folder, scope);
    if (m->code || m->discards) {
        artifact_folder_discard(folder);
        return ERR_NONE;
    }
    scope->cancelled = m->cancels_before_commit;
    m->code = artifact_folder_commit(folder, scope, &m->err);
    return ERR_NONE;
}

static enum err_code make(struct making *m)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    if (fixture.is_fake)
        (void)perform(NULL, &scope, m);
    else
        (void)uv_runtime_run(fixture.uv.runtime, &scope, perform, m);
    return m->code;
}

static const char *in_folder(struct arena *arena, const char *rest)
{
    return arena_printf(arena, "%s/%s", fixture.is_fake ? "mem" : fixture.uv.folder, rest);
}

/* The text of a file that appeared; NULL when there is none. */
static const char *text_of(struct arena *arena, const char *path, const char *name)
{
    char text[4096];
    if (fixture.is_fake)
        return fake_artifacts_text(&fixture.fake, path, name);
    FILE *file = fopen(arena_printf(arena, "%s/%s", path, name), "rb");
    if (!file)
        return NULL;
    size_t n = fread(text, 1, sizeof text, file);
    fclose(file);
    return arena_strndup(arena, text, n);
}

static void *connect(struct uv_subject *s)
{
    return file_artifacts_create(s->runtime);
}

static int setup_fake(void **state)
{
    (void)state;
    fixture = (struct fixture){ .is_fake = true };
    fake_artifacts_init(&fixture.fake);
    fixture.artifacts = &fixture.fake.base;
    return 0;
}

static int setup_files(void **state)
{
    (void)state;
    umask(022);
    fixture = (struct fixture){ .uv = uv_subject(connect) };
    fixture.artifacts = fixture.uv.base.open(&fixture.uv.base);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (fixture.is_fake) {
        fake_artifacts_finish(&fixture.fake);
        return 0;
    }
    file_artifacts_destroy(fixture.artifacts);
    fixture.uv.base.close(&fixture.uv.base);
    return 0;
}

static const struct file two[] = { { "a.txt", "one\n" }, { "b.txt", "" } };

static void a_committed_folder_has_what_was_put_into_it(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct making m = {
        .parent = in_folder(&arena, "runs/new"), .name = "tcp", .files = two, .n_files = 2
    };

    assert_int_equal(make(&m), ERR_NONE);

    assert_string_equal(m.path, in_folder(&arena, "runs/new/tcp"));
    assert_string_equal(text_of(&arena, m.path, "a.txt"), "one\n");
    assert_string_equal(text_of(&arena, m.path, "b.txt"), "");
}

static void the_same_name_once_more_replaces_a_file(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const struct file twice[] = { { "a.txt", "a long first text" }, { "a.txt", "two" } };
    struct making m = {
        .parent = in_folder(&arena, ""), .name = "x", .files = twice, .n_files = 2
    };

    assert_int_equal(make(&m), ERR_NONE);

    assert_string_equal(text_of(&arena, m.path, "a.txt"), "two");
}

static void a_second_folder_of_the_name_replaces_the_first(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const struct file other[] = { { "c.txt", "three" } };
    struct making first = {
        .parent = in_folder(&arena, "r"), .name = "x", .files = two, .n_files = 2
    };
    struct making second = {
        .parent = in_folder(&arena, "r"), .name = "x", .files = other, .n_files = 1
    };

    assert_int_equal(make(&first), ERR_NONE);
    assert_int_equal(make(&second), ERR_NONE);

    assert_null(text_of(&arena, second.path, "a.txt"));
    assert_string_equal(text_of(&arena, second.path, "c.txt"), "three");
}

static void a_discarded_folder_leaves_the_first_alone(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    static const struct file other[] = { { "a.txt", "other" } };
    struct making first = {
        .parent = in_folder(&arena, "r"), .name = "x", .files = two, .n_files = 2
    };
    struct making second = { .parent = in_folder(&arena, "r"),
                             .name = "x",
                             .files = other,
                             .n_files = 1,
                             .discards = true };

    assert_int_equal(make(&first), ERR_NONE);
    assert_int_equal(make(&second), ERR_NONE);

    assert_string_equal(text_of(&arena, first.path, "a.txt"), "one\n");
}

static void refuses_what_is_no_plain_name(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    char long_name[ARTIFACTS_MAX_NAME + 2];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const char *const bad[] = {
        "", ".", "..", ".hidden", "a/b", "../a", "a\nb", "\x7f", long_name
    };

    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct file file = { bad[i], "x" };
        struct making folder = { .parent = in_folder(&arena, "r"), .name = bad[i] };
        struct making within = {
            .parent = in_folder(&arena, "r"), .name = "ok", .files = &file, .n_files = 1
        };
        assert_int_equal(make(&folder), ERR_INVALID);
        assert_int_equal(make(&within), ERR_INVALID);
    }
}

static void takes_a_name_at_the_bound(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    char name[ARTIFACTS_MAX_NAME + 1];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct file file = { name, "x" };
    struct making m = {
        .parent = in_folder(&arena, ""), .name = name, .files = &file, .n_files = 1
    };

    assert_int_equal(make(&m), ERR_NONE);

    assert_string_equal(text_of(&arena, m.path, name), "x");
}

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

static void write_to(struct arena *arena, const char *path, const char *text)
{
    FILE *file = fopen(in_folder(arena, path), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void waits_for_what_was_posted(void)
{
    file_artifacts_destroy(fixture.artifacts);
    fixture.artifacts = file_artifacts_create(fixture.uv.runtime);
}

static void a_discarded_folder_leaves_nothing_not_even_its_parents(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct making m = { .parent = in_folder(&arena, "runs/new"),
                        .name = "tcp",
                        .files = two,
                        .n_files = 2,
                        .discards = true };

    assert_int_equal(make(&m), ERR_NONE);
    waits_for_what_was_posted();

    assert_int_equal(entries_of(fixture.uv.folder), 0);
}

static void a_commit_that_was_cancelled_leaves_nothing(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct making m = { .parent = in_folder(&arena, "runs"),
                        .name = "tcp",
                        .files = two,
                        .n_files = 2,
                        .cancels_before_commit = true };

    assert_int_equal(make(&m), ERR_CANCELLED);
    waits_for_what_was_posted();

    assert_int_equal(entries_of(fixture.uv.folder), 0);
}

static void gives_the_modes_of_the_umask(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct stat folder, file;
    struct making m = { .parent = in_folder(&arena, "r"), .name = "x", .files = two, .n_files = 2 };

    assert_int_equal(make(&m), ERR_NONE);

    assert_int_equal(stat(m.path, &folder), 0);
    assert_int_equal(stat(in_folder(&arena, "r/x/a.txt"), &file), 0);
    assert_int_equal(folder.st_mode & 0777, 0755);
    assert_int_equal(file.st_mode & 0777, 0644);
}

static void keeps_a_folder_with_files_that_are_not_mistros(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct making m = { .parent = in_folder(&arena, ""), .name = "x", .files = two, .n_files = 2 };
    assert_int_equal(make(&m), ERR_NONE);
    write_to(&arena, "x/notes.txt", "mine");

    assert_int_equal(make(&m), ERR_INVALID);

    assert_non_null(strstr(m.err.message, "notes.txt"));
    assert_string_not_equal(m.err.hint, "");
    assert_true(exists(in_folder(&arena, "x/notes.txt")));
    assert_int_equal(entries_of(fixture.uv.folder), 1);
}

static void keeps_what_stands_there_and_is_no_folder(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    write_to(&arena, "file", "mine");
    assert_int_equal(mkdir(in_folder(&arena, "elsewhere"), 0700), 0);
    assert_int_equal(symlink("elsewhere", in_folder(&arena, "link")), 0);
    struct making file = { .parent = in_folder(&arena, ""), .name = "file" };
    struct making link = { .parent = in_folder(&arena, ""), .name = "link" };
    struct making below = { .parent = in_folder(&arena, "file/runs"), .name = "x" };

    assert_int_equal(make(&file), ERR_INVALID);
    assert_int_equal(make(&link), ERR_INVALID);
    assert_int_equal(make(&below), ERR_INVALID);

    assert_int_equal(entries_of(fixture.uv.folder), 3);
}

static void replaces_an_empty_folder(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    assert_int_equal(mkdir(in_folder(&arena, "x"), 0700), 0);
    struct making m = { .parent = in_folder(&arena, ""), .name = "x", .files = two, .n_files = 2 };

    assert_int_equal(make(&m), ERR_NONE);

    assert_string_equal(text_of(&arena, m.path, "a.txt"), "one\n");
    assert_int_equal(entries_of(fixture.uv.folder), 1);
}

static void says_at_once_that_nothing_can_be_written(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct making nowhere = { .parent = "/proc/mistro", .name = "x" };
    assert_int_equal(make(&nowhere), ERR_INVALID);
    if (geteuid() == 0)
        return; /* root may write everywhere else */
    assert_int_equal(mkdir(in_folder(&arena, "locked"), 0500), 0);
    struct making m = { .parent = in_folder(&arena, "locked"), .name = "x" };
    struct making deep = { .parent = in_folder(&arena, "locked/a/b"), .name = "x" };

    assert_int_equal(make(&m), ERR_INVALID);
    assert_int_equal(make(&deep), ERR_INVALID);

    assert_string_not_equal(m.err.hint, "");
}

static void puts_as_many_files_as_it_may_and_no_more(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct file *files = arena_array(&arena, struct file, STAGED_FOLDER_MAX_FILES + 1);
    for (size_t i = 0; i <= STAGED_FOLDER_MAX_FILES; i++)
        files[i] = (struct file){ arena_printf(&arena, "%zu", i), "" };
    struct making fits = { .parent = in_folder(&arena, ""),
                           .name = "x",
                           .files = files,
                           .n_files = STAGED_FOLDER_MAX_FILES };
    struct making above = { .parent = in_folder(&arena, ""),
                            .name = "x",
                            .files = files,
                            .n_files = STAGED_FOLDER_MAX_FILES + 1 };

    assert_int_equal(make(&fits), ERR_NONE);
    assert_int_equal(make(&above), ERR_LIMIT);
}

/* What a process that was killed leaves: nobody holds the lock. */
static void leave_behind(struct arena *arena, const char *name)
{
    const char *path = in_folder(arena, name);
    assert_int_equal(mkdir(path, 0755), 0);
    write_to(arena, arena_printf(arena, "%s/" STAGED_FOLDER_LIST, name), "");
    write_to(arena, arena_printf(arena, "%s/half", name), "ha");
}

static void removes_what_dead_processes_left(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    leave_behind(&arena, ".x.mistro-0123456789abcdef");
    leave_behind(&arena, ".other.mistro-0123456789abcdef");
    assert_int_equal(mkdir(in_folder(&arena, ".y.mistro-0123456789abcdef"), 0755), 0);
    struct making m = { .parent = in_folder(&arena, ""), .name = "x" };

    assert_int_equal(make(&m), ERR_NONE);

    assert_int_equal(entries_of(fixture.uv.folder), 1);
}

static void leaves_alone_what_only_looks_left_behind(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    leave_behind(&arena, ".x.mistro-0123456789abcde");  /* a digit short */
    leave_behind(&arena, ".x.mistro-0123456789abcdeg"); /* none of ours */
    leave_behind(&arena, ".x.mistro-1123456789abcdef"); /* in use */
    assert_int_equal(mkdir(in_folder(&arena, ".z.mistro-2123456789abcdef"), 0755), 0);
    write_to(&arena, ".z.mistro-2123456789abcdef/mine", "no list beside it");
    int in_use = open(in_folder(&arena, ".x.mistro-1123456789abcdef"), O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(in_use, LOCK_EX), 0);
    struct making m = { .parent = in_folder(&arena, ""), .name = "x" };

    assert_int_equal(make(&m), ERR_NONE);
    close(in_use);

    assert_int_equal(entries_of(fixture.uv.folder), 5);
    assert_true(exists(in_folder(&arena, ".z.mistro-2123456789abcdef/mine")));
    assert_true(exists(in_folder(&arena, ".x.mistro-1123456789abcdef/half")));
}

static void gives_its_name_back_to_what_was_put_aside_and_never_replaced(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    leave_behind(&arena, ".old.mistro-0123456789abcdef~");
    leave_behind(&arena, ".x.mistro-0123456789abcdef~");
    assert_int_equal(mkdir(in_folder(&arena, "x"), 0755), 0);
    struct making m = { .parent = in_folder(&arena, ""), .name = "x" };

    assert_int_equal(make(&m), ERR_NONE);

    assert_true(exists(in_folder(&arena, "old/half")));
    assert_int_equal(entries_of(fixture.uv.folder), 2);
}

static void commit_in_steps(struct arena *arena, const char *text)
{
    struct staged_folder staged;
    assert_int_equal(staged_folder_open(&staged, in_folder(arena, ""), "x", NULL), ERR_NONE);
    staged.cannot_exchange = true;
    assert_int_equal(staged_folder_put(&staged, text, text, strlen(text), NULL), ERR_NONE);
    assert_int_equal(staged_folder_commit(&staged, NULL), ERR_NONE);
    staged_folder_finish(&staged);
}

static void replaces_where_the_file_system_exchanges_no_names(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };

    commit_in_steps(&arena, "first");
    commit_in_steps(&arena, "second");

    assert_string_equal(text_of(&arena, in_folder(&arena, "x"), "second"), "second");
    assert_null(text_of(&arena, in_folder(&arena, "x"), "first"));
    assert_int_equal(entries_of(fixture.uv.folder), 1);
}

static void keeps_the_old_folder_when_the_new_one_is_gone(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct staged_folder staged;
    struct err err;
    commit_in_steps(&arena, "first");
    assert_int_equal(staged_folder_open(&staged, in_folder(&arena, ""), "x", NULL), ERR_NONE);
    staged.cannot_exchange = true;
    char moved[128];
    snprintf(moved, sizeof moved, "%s/moved", fixture.uv.folder);
    assert_int_equal(rename(in_folder(&arena, staged.hidden), moved), 0);

    enum err_code r = staged_folder_commit(&staged, &err);
    staged_folder_finish(&staged);

    assert_int_equal(r, ERR_FAILED);
    assert_string_equal(text_of(&arena, in_folder(&arena, "x"), "first"), "first");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define FAKE(name) { "fake: " #name, name, setup_fake, teardown, NULL }
#define FILES(name)                                                                                \
    {                                                                                              \
        "files: " #name, name, setup_files, teardown, NULL                                         \
    }
#define BOTH(name) FAKE(name), FILES(name)
        BOTH(a_committed_folder_has_what_was_put_into_it),
        BOTH(the_same_name_once_more_replaces_a_file),
        BOTH(a_second_folder_of_the_name_replaces_the_first),
        BOTH(a_discarded_folder_leaves_the_first_alone),
        BOTH(refuses_what_is_no_plain_name),
        BOTH(takes_a_name_at_the_bound),
        FILES(a_discarded_folder_leaves_nothing_not_even_its_parents),
        FILES(a_commit_that_was_cancelled_leaves_nothing),
        FILES(gives_the_modes_of_the_umask),
        FILES(keeps_a_folder_with_files_that_are_not_mistros),
        FILES(keeps_what_stands_there_and_is_no_folder),
        FILES(replaces_an_empty_folder),
        FILES(says_at_once_that_nothing_can_be_written),
        FILES(puts_as_many_files_as_it_may_and_no_more),
        FILES(removes_what_dead_processes_left),
        FILES(leaves_alone_what_only_looks_left_behind),
        FILES(gives_its_name_back_to_what_was_put_aside_and_never_replaced),
        FILES(replaces_where_the_file_system_exchanges_no_names),
        FILES(keeps_the_old_folder_when_the_new_one_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
