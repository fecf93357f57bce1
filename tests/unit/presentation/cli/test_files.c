
#include "presentation/cli/files.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
    struct fake_console console;
    struct arena arena;
    struct scope scope;
    const char *bytes;
    size_t length;
    struct err err;
};

static void set_up(struct fixture *f, const char *input)
{
    *f = (struct fixture){ .scope = { .deadline_ms = SCOPE_NO_DEADLINE } };
    fake_console_init(&f->console, input);
    f->console.chunk = 3;
}

static void tear_down(struct fixture *f)
{
    arena_finish(&f->arena);
    fake_console_finish(&f->console);
}

static enum err_code read_path(struct fixture *f, const char *path, size_t max_bytes)
{
    return files_read(&(struct file_reader){ &f->console.base, &f->scope, &f->arena, max_bytes },
                      path, &f->bytes, &f->length, &f->err);
}

static void reads_a_file_up_to_the_bound(void **state)
{
    struct fixture f;
    char file[] = "/tmp/mistro-test-XXXXXX";
    (void)state;
    set_up(&f, "");
    int fd = mkstemp(file);
    assert_int_equal(write(fd, "a\0c\n", 4), 4);
    assert_int_equal(read_path(&f, file, 4), ERR_NONE);
    assert_int_equal(f.length, 4);
    assert_memory_equal(f.bytes, "a\0c\n", 5);
    assert_int_equal(read_path(&f, file, 3), ERR_LIMIT);
    assert_non_null(strstr(f.err.message, ": larger than 3 bytes"));
    close(fd);
    unlink(file);
    tear_down(&f);
}

static void reads_standard_input_up_to_the_bound(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "plums\n");
    assert_int_equal(read_path(&f, "-", 6), ERR_NONE);
    assert_int_equal(f.length, 6);
    assert_string_equal(f.bytes, "plums\n");
    f.console.input = "plums\n";
    assert_int_equal(read_path(&f, "-", 5), ERR_LIMIT);
    assert_string_equal(f.err.message, "standard input: larger than 5 bytes");
    tear_down(&f);
}

static void names_the_file_that_cannot_be_read(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "");
    assert_int_equal(read_path(&f, "/nowhere/notes", 10), ERR_INVALID);
    assert_string_equal(f.err.message, "/nowhere/notes: No such file or directory");
    assert_int_equal(read_path(&f, "/", 10), ERR_INVALID);
    assert_string_equal(f.err.message, "/: Is a directory");
    tear_down(&f);
}

struct folder {
    char path[32], file[48], link[48];
};

static void make_folder(struct folder *folder)
{
    strcpy(folder->path, "/tmp/mistro-test-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    snprintf(folder->file, sizeof folder->file, "%s/page", folder->path);
    snprintf(folder->link, sizeof folder->link, "%s/link", folder->path);
}

static void remove_folder(struct folder *folder)
{
    (void)unlink(folder->file);
    (void)unlink(folder->link);
    assert_int_equal(rmdir(folder->path), 0); /* nothing else was left in it */
}

static enum err_code write_text(const char *path, const char *text)
{
    return files_write(path, text, strlen(text), NULL);
}

static void assert_file(const char *path, const char *text)
{
    struct fixture f;
    set_up(&f, "");
    assert_int_equal(read_path(&f, path, 100), ERR_NONE);
    assert_string_equal(f.bytes, text);
    tear_down(&f);
}

static ino_t number_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_ino;
}

static void replaces_a_file_by_another_one_and_keeps_its_mode(void **state)
{
    struct folder folder;
    struct stat info;
    (void)state;
    make_folder(&folder);
    assert_int_equal(write_text(folder.file, "old"), ERR_NONE);
    assert_int_equal(chmod(folder.file, 0640), 0);
    int old = open(folder.file, O_RDONLY | O_CLOEXEC);
    char seen[4] = "";
    assert_int_equal(write_text(folder.file, "new"), ERR_NONE);
    assert_file(folder.file, "new");
    assert_int_equal(read(old, seen, 3), 3);
    assert_string_equal(seen, "old");
    close(old);
    assert_int_equal(stat(folder.file, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    remove_folder(&folder);
}

static void replaces_what_a_link_leads_to(void **state)
{
    struct folder folder;
    struct stat info;
    (void)state;
    make_folder(&folder);
    assert_int_equal(write_text(folder.file, "old"), ERR_NONE);
    assert_int_equal(symlink(folder.file, folder.link), 0);
    assert_int_equal(write_text(folder.link, "new"), ERR_NONE);
    assert_file(folder.file, "new");
    assert_int_equal(lstat(folder.link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    remove_folder(&folder);
}

static void leaves_the_old_file_whole_when_the_disk_is_full(void **state)
{
    struct folder folder;
    struct rlimit before, full;
    (void)state;
    make_folder(&folder);
    assert_int_equal(write_text(folder.file, "old"), ERR_NONE);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    full = (struct rlimit){ 2, before.rlim_max };
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    enum err_code code = write_text(folder.file, "much longer");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(code, ERR_INVALID);
    assert_file(folder.file, "old");
    remove_folder(&folder);
}

static void writes_straight_to_what_is_no_plain_file(void **state)
{
    struct folder folder;
    char path[32], seen[4] = "";
    (void)state;
    make_folder(&folder);
    assert_int_equal(mkfifo(folder.file, 0600), 0);
    int fifo = open(folder.file, O_RDWR | O_CLOEXEC);
    assert_int_equal(write_text(folder.file, "new"), ERR_NONE);
    assert_int_equal(read(fifo, seen, 3), 3);
    assert_string_equal(seen, "new");
    close(fifo);
    assert_int_equal(unlink(folder.file), 0);
    int fd = open(folder.file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ino_t number = number_of(folder.file);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    assert_int_equal(write_text(path, "new"), ERR_NONE);
    assert_true(number_of(folder.file) == number);
    assert_file(folder.file, "new");
    close(fd);
    remove_folder(&folder);
}

static void names_the_file_that_cannot_be_written(void **state)
{
    struct err err;
    (void)state;
    assert_int_equal(files_write("/nowhere/page", "new", 3, &err), ERR_INVALID);
    assert_string_equal(err.message, "/nowhere/page: No such file or directory");
    assert_int_equal(files_write("/dev/full", "new", 3, &err), ERR_INVALID);
    assert_string_equal(err.message, "/dev/full: No space left on device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_file_up_to_the_bound),
        cmocka_unit_test(reads_standard_input_up_to_the_bound),
        cmocka_unit_test(names_the_file_that_cannot_be_read),
        cmocka_unit_test(replaces_a_file_by_another_one_and_keeps_its_mode),
        cmocka_unit_test(replaces_what_a_link_leads_to),
        cmocka_unit_test(leaves_the_old_file_whole_when_the_disk_is_full),
        cmocka_unit_test(writes_straight_to_what_is_no_plain_file),
        cmocka_unit_test(names_the_file_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
