/* The folder in which a picture is drawn, and those that killed processes left beside it. */
#include "infrastructure/rendering/picture_folder.h"
#include "infrastructure/repositories/staged_leftovers.h"
#include "infrastructure/runtime/descriptor.h"
#include "tests/support/cmocka.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OLD "mistro-draw.aaaaaa"
#define YOUNG "mistro-draw.bbbbbb"
#define OTHER "mistro.cccccc" /* a server may still listen in it */

static int set_up(void **state)
{
    static char path[] = "/tmp/mistro-test.XXXXXX";
    strcpy(path + sizeof path - 7, "XXXXXX");
    assert_non_null(mkdtemp(path));
    unsetenv("XDG_RUNTIME_DIR");
    setenv("TMPDIR", path, 1);
    *state = path;
    return 0;
}

static int tear_down(void **state)
{
    AUTO(arena) arena = { 0 };
    return system(arena_printf(&arena, "rm -rf '%s'", (const char *)*state));
}

/* A folder with a file in it, last written so many seconds ago. */
static void leave(const char *parent, const char *name, time_t seconds)
{
    AUTO(arena) arena = { 0 };
    struct timespec times[2] = { { .tv_sec = time(NULL) - seconds },
                                 { .tv_sec = time(NULL) - seconds } };
    const char *folder = arena_printf(&arena, "%s/%s", parent, name);
    assert_int_equal(mkdir(folder, 0700), 0);
    auto_fd file = open(arena_printf(&arena, "%s/figure.gv", folder), O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    assert_int_equal(utimensat(AT_FDCWD, folder, times, 0), 0);
}

static bool is_there(const char *parent, const char *name)
{
    AUTO(arena) arena = { 0 };
    return access(arena_printf(&arena, "%s/%s", parent, name), F_OK) == 0;
}

static void create_and_finish(void)
{
    struct picture_folder folder = { 0 };
    assert_int_equal(picture_folder_create(&folder, NULL), ERR_NONE);
    picture_folder_finish(&folder);
}

static void is_gone_with_its_files_when_it_is_finished(void **state)
{
    struct picture_folder folder = { 0 };
    struct stat status;
    (void)state;
    assert_int_equal(picture_folder_create(&folder, NULL), ERR_NONE);
    assert_int_equal(picture_folder_write(&folder, "a.gv", "digraph {}", NULL), ERR_NONE);
    assert_int_equal(stat(folder.path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    char path[PRIVATE_FOLDER_BYTES];
    strcpy(path, folder.path);

    picture_folder_finish(&folder);

    assert_int_not_equal(access(path, F_OK), 0);
}

static void removes_what_a_killed_process_left_and_nothing_else(void **state)
{
    leave(*state, OLD, PICTURE_FOLDER_LEFT_SECONDS);
    leave(*state, YOUNG, PICTURE_FOLDER_LEFT_SECONDS / 2);
    leave(*state, OTHER, PICTURE_FOLDER_LEFT_SECONDS * 2);

    create_and_finish();

    assert_false(is_there(*state, OLD));
    assert_true(is_there(*state, YOUNG));
    assert_true(is_there(*state, OTHER));
}

static void leaves_a_folder_alone_that_is_in_use(void **state)
{
    AUTO(arena) arena = { 0 };
    leave(*state, OLD, PICTURE_FOLDER_LEFT_SECONDS * 2);
    const char *path = arena_printf(&arena, "%s/" OLD, (const char *)*state);
    auto_fd lock = staged_claim(AT_FDCWD, path);
    assert_true(lock >= 0);

    create_and_finish();

    assert_true(is_there(*state, OLD));
}

static void follows_no_link_to_a_foreign_folder(void **state)
{
    AUTO(arena) arena = { 0 };
    const char *link = arena_printf(&arena, "%s/" OLD, (const char *)*state);
    leave(*state, OTHER, PICTURE_FOLDER_LEFT_SECONDS * 2);
    assert_int_equal(symlink(OTHER, link), 0);

    create_and_finish();

    assert_true(is_there(*state, OTHER "/figure.gv"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(is_gone_with_its_files_when_it_is_finished),
        TEST(removes_what_a_killed_process_left_and_nothing_else),
        TEST(leaves_a_folder_alone_that_is_in_use),
        TEST(follows_no_link_to_a_foreign_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
