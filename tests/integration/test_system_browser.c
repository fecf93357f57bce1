
#include "infrastructure/runtime/system_ports.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A program that writes down what it was called with. */
struct bench {
    char folder[64], program[100], record[100];
};

static int set_up(void **state)
{
    static struct bench bench;
    temporary_folder_create(bench.folder);
    snprintf(bench.program, sizeof bench.program, "%s/browse", bench.folder);
    snprintf(bench.record, sizeof bench.record, "%s/record", bench.folder);
    FILE *file = fopen(bench.program, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "#!/bin/sh\necho \"$# $1\" >%s.new\nmv %s.new %s\n", bench.record,
                        bench.record, bench.record) > 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(bench.program, 0700), 0);
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    temporary_folder_remove(bench->folder);
    return 0;
}

/* It is not waited for: what it wrote is there a little later. */
static const char *recorded(const struct bench *bench)
{
    static char line[200];
    for (int i = 0; i < 500 && access(bench->record, R_OK) != 0; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 10 * 1000000L }, NULL);
    FILE *file = fopen(bench->record, "r");
    line[0] = '\0';
    if (file && fgets(line, sizeof line, file))
        line[strcspn(line, "\n")] = '\0';
    if (file)
        assert_int_equal(fclose(file), 0);
    (void)unlink(bench->record);
    return line;
}

static enum err_code open_url(const char *url, struct err *err)
{
    return browser_open(system_browser(), NULL, url, err);
}

static void hands_the_url_over_as_one_argument(void **state)
{
    const struct bench *bench = *state;
    setenv("BROWSER", bench->program, 1);
    assert_int_equal(open_url("https://h/?a=$(id)&b=;x|y", NULL), ERR_NONE);
    assert_string_equal(recorded(bench), "1 https://h/?a=$(id)&b=;x|y");
}

static void takes_the_first_of_several_that_is_there(void **state)
{
    const struct bench *bench = *state;
    char names[300];
    snprintf(names, sizeof names, "/nowhere/x:no-such-program:%s", bench->program);
    setenv("BROWSER", names, 1);
    assert_int_equal(open_url("http://localhost:1/", NULL), ERR_NONE);
    assert_string_equal(recorded(bench), "1 http://localhost:1/");
    char path[300];
    snprintf(path, sizeof path, ".:%s:/usr/bin:/bin", bench->folder);
    setenv("BROWSER", "browse", 1);
    setenv("PATH", path, 1);
    assert_int_equal(open_url("https://h/", NULL), ERR_NONE);
    assert_string_equal(recorded(bench), "1 https://h/");
}

/* Whether such a page may be opened was decided by who asks. */
static void opens_a_page_that_is_not_encrypted(void **state)
{
    const struct bench *bench = *state;
    setenv("BROWSER", bench->program, 1);
    assert_int_equal(open_url("http://example.org/", NULL), ERR_NONE);
    assert_string_equal(recorded(bench), "1 http://example.org/");
}

static void opens_pages_only(void **state)
{
    static const char *const no_pages[] = { "file:///etc/passwd",
                                            "javascript:alert(1)",
                                            "--help",
                                            " https://h/",
                                            "https://",
                                            "https://h/\n",
                                            "data:text/html,x",
                                            "https://h/\x1b[2J",
                                            "" };
    const struct bench *bench = *state;
    setenv("BROWSER", bench->program, 1);
    for (size_t i = 0; i < ARRAY_LENGTH(no_pages); i++)
        assert_int_equal(open_url(no_pages[i], NULL), ERR_INVALID);
    assert_int_not_equal(access(bench->record, F_OK), 0);
}

static void says_that_there_is_no_browser(void **state)
{
    struct err err;
    (void)state;
    setenv("BROWSER", "/nowhere/x", 1);
    assert_int_equal(open_url("https://h/", &err), ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "BROWSER names no program"));
    unsetenv("BROWSER");
    assert_int_equal(open_url("https://h/", &err), ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hands_the_url_over_as_one_argument, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_the_first_of_several_that_is_there, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(opens_a_page_that_is_not_encrypted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(opens_pages_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(says_that_there_is_no_browser, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
