/* Nothing outside the folder can be reached, whether the kernel confines or the walk does. */
#include "tests/unit/infrastructure/workspace/workspace_fixture.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

static enum err_code normalise(const char *path, char *out)
{
    return confined_normalise(&ws.root, path, out, NULL);
}

static void brings_paths_into_one_form(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { ".", "." },
        { "./", "." },
        { "a", "a" },
        { "a/", "a" },
        { "./a//b/./c", "a/b/c" },
        { "a/../b", "b" },
        { "a/b/../..", "." },
        { "...", "..." },
        { "a/..b", "a/..b" },
    };
    char out[CONFINED_MAX_PATH + 1];
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        assert_int_equal(normalise(cases[i][0], out), ERR_NONE);
        assert_string_equal(out, cases[i][1]);
    }
}

static void takes_an_absolute_path_only_below_the_root(void **state)
{
    (void)state;
    char out[CONFINED_MAX_PATH + 1], path[300];
    snprintf(path, sizeof path, "%s/a/b", ws.root.path);
    assert_int_equal(normalise(path, out), ERR_NONE);
    assert_string_equal(out, "a/b");
    assert_int_equal(normalise(ws.root.path, out), ERR_NONE);
    assert_string_equal(out, ".");
    snprintf(path, sizeof path, "%s-other/a", ws.root.path);
    assert_int_equal(normalise(path, out), ERR_DENIED);
    snprintf(path, sizeof path, "%s/../secret", ws.root.path);
    assert_int_equal(normalise(path, out), ERR_DENIED);
    assert_int_equal(normalise("/etc/passwd", out), ERR_DENIED);
    assert_int_equal(normalise("/", out), ERR_DENIED);
}

static void refuses_to_climb_out(void **state)
{
    (void)state;
    char out[CONFINED_MAX_PATH + 1];
    assert_int_equal(normalise("..", out), ERR_DENIED);
    assert_int_equal(normalise("a/../../b", out), ERR_DENIED);
    assert_int_equal(normalise("./../x", out), ERR_DENIED);
    assert_int_equal(normalise("", out), ERR_INVALID);
}

static void bounds_the_length_of_a_path(void **state)
{
    (void)state;
    char out[CONFINED_MAX_PATH + 1], path[CONFINED_MAX_PATH + 2];
    memset(path, 'a', sizeof path);
    path[CONFINED_MAX_PATH] = '\0';
    assert_int_equal(normalise(path, out), ERR_NONE);
    path[CONFINED_MAX_PATH] = 'a';
    path[CONFINED_MAX_PATH + 1] = '\0';
    assert_int_equal(normalise(path, out), ERR_INVALID);
    char parts[2 * (CONFINED_MAX_COMPONENTS + 1) + 1] = "";
    for (int i = 0; i < CONFINED_MAX_COMPONENTS; i++)
        strcat(parts, "a/");
    assert_int_equal(normalise(parts, out), ERR_NONE);
    strcat(parts, "a");
    assert_int_equal(normalise(parts, out), ERR_INVALID);
}

static enum err_code open_path(const char *path)
{
    int fd = -1;
    struct stat found;
    enum err_code r = confined_open_file(&ws.root, path, &fd, &found, NULL);
    descriptor_close(&fd);
    return r;
}

/* The cases that are the same for the kernel and for the walk. */
static void check_confinement(void)
{
    put("plain.txt", "x");
    mkdir(inside_path("sub"), 0700);
    put("sub/deep.txt", "x");
    put_bytes(outside_path("secret"), "s", 1);
    assert_int_equal(symlink("../secret", inside_path("out")), 0);
    assert_int_equal(symlink(outside_path("secret"), inside_path("absolute")), 0);
    assert_int_equal(symlink("..", inside_path("up")), 0);
    assert_int_equal(symlink("loop", inside_path("loop")), 0);
    assert_int_equal(symlink("/proc/self/root/etc/passwd", inside_path("magic")), 0);
    assert_int_equal(mkfifo(inside_path("fifo"), 0600), 0);
    assert_int_equal(open_path("plain.txt"), ERR_NONE);
    assert_int_equal(open_path("sub/deep.txt"), ERR_NONE);
    assert_int_equal(open_path("absent"), ERR_NOT_FOUND);
    assert_int_equal(open_path("plain.txt/x"), ERR_NOT_FOUND);
    assert_int_equal(open_path("out"), ERR_DENIED);
    assert_int_equal(open_path("absolute"), ERR_DENIED);
    assert_int_not_equal(open_path("up/secret"), ERR_NONE);
    assert_int_equal(open_path("loop"), ERR_DENIED);
    assert_int_equal(open_path("magic"), ERR_DENIED);
    assert_int_equal(open_path("fifo"), ERR_INVALID);
    assert_int_equal(open_path("sub"), ERR_INVALID);
    succeed("file_info", "{\"path\":\"plain.txt\"}");
    succeed("file_info", "{\"path\":\"out\"}");
    assert_string_equal(json_string_value(structured("type")), "link");
    refuse("file_info", "{\"path\":\"up/secret\"}");
}

static void confines_with_the_kernel(void **state)
{
    (void)state;
    check_confinement();
    /* valgrind and some sandboxes do not know the call: then it is the walk after all. */
    bool is_known = syscall(SYS_openat2, -1, "", NULL, 0) != 0 && errno != ENOSYS;
    assert_int_equal(symlink("sub/deep.txt", inside_path("within")), 0);
    assert_int_equal(open_path("within"), is_known ? ERR_NONE : ERR_DENIED);
}

static void confines_with_the_walk(void **state)
{
    (void)state;
    ws.root.by_walk = true;
    check_confinement();
    assert_int_equal(symlink("sub/deep.txt", inside_path("within")), 0);
    assert_int_equal(open_path("within"), ERR_DENIED);
    char path[300] = "";
    memset(path, 'n', 256);
    assert_int_not_equal(open_path(path), ERR_NONE);
}

/* Somebody exchanges a folder for a link to the outside between two uses. */
static void check_exchange(void)
{
    int fd = -1;
    const char *name;
    mkdir(inside_path("sub"), 0700);
    put("sub/f", "inside");
    put_bytes(outside_path("f"), "outside", 7);
    assert_int_equal(confined_open_parent(&ws.root, "sub/f", &fd, &name, NULL), ERR_NONE);
    assert_int_equal(rename(inside_path("sub"), outside_path("moved")), 0);
    assert_int_equal(symlink("..", inside_path("sub")), 0);
    assert_int_not_equal(open_path("sub/f"), ERR_NONE);
    descriptor_close(&fd);
}

static void is_not_fooled_by_a_folder_that_becomes_a_link(void **state)
{
    (void)state;
    check_exchange();
}

static void the_walk_is_not_fooled_by_a_folder_that_becomes_a_link(void **state)
{
    (void)state;
    ws.root.by_walk = true;
    check_exchange();
}

static void refuses_a_root_that_is_no_folder(void **state)
{
    (void)state;
    struct confined_root root;
    put("file", "x");
    assert_int_equal(confined_root_init(&root, inside_path("file"), NULL), ERR_INVALID);
    assert_int_equal(confined_root_init(&root, inside_path("absent"), NULL), ERR_NOT_FOUND);
}

#define IN_WORKSPACE(test) cmocka_unit_test_setup_teardown(test, open_workspace, close_workspace)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORKSPACE(brings_paths_into_one_form),
        IN_WORKSPACE(takes_an_absolute_path_only_below_the_root),
        IN_WORKSPACE(refuses_to_climb_out),
        IN_WORKSPACE(bounds_the_length_of_a_path),
        IN_WORKSPACE(confines_with_the_kernel),
        IN_WORKSPACE(confines_with_the_walk),
        IN_WORKSPACE(is_not_fooled_by_a_folder_that_becomes_a_link),
        IN_WORKSPACE(the_walk_is_not_fooled_by_a_folder_that_becomes_a_link),
        IN_WORKSPACE(refuses_a_root_that_is_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
