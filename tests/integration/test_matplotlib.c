/* The script of a plot, run by a real Python; by one with matplotlib where that is needed. */
#include "domain/figure/picture_bytes.h"
#include "infrastructure/rendering/rendering.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/figure_bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a Python without matplotlib says of the script. */
#define WITHOUT "raise ModuleNotFoundError(\"No module named 'matplotlib'\")\n"
/* Draws without matplotlib. */
#define SQUARE                                                                                     \
    "import sys\n"                                                                                 \
    "svg = b'<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8pt\" height=\"8pt\"></svg>'\n"     \
    "open(sys.argv[1], 'wb').write(svg)\n"                                                         \
    "open(sys.argv[2], 'wb').write(svg)\n"                                                         \
    "open(sys.argv[3], 'wb').write(svg)\n"

struct fixture {
    struct figure_bench bench;
    char *path; /* PATH as it was */
    char folder[32];
};

static int setup(void **state)
{
    static struct fixture f;
    figure_bench_init(&f.bench);
    f.path = strdup(getenv("PATH"));
    strcpy(f.folder, "/tmp/mistro-test-XXXXXX");
    assert_non_null(f.path);
    assert_non_null(mkdtemp(f.folder));
    f.bench.renderer = dot_renderer_create(f.bench.runtime, &f.bench.settings);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    char python[64];
    snprintf(python, sizeof python, "%s/python3", f->folder);
    unlink(python);
    rmdir(f->folder);
    setenv("PATH", f->path, 1);
    free(f->path);
    renderer_destroy(f->bench.renderer);
    figure_bench_finish(&f->bench);
    return 0;
}

/* Nothing is asked of Graphviz, which need not be there. */
static void draw(struct fixture *f, const char *script)
{
    f->bench.drawing = (struct drawing){ .script = script };
    figure_bench_draw(&f->bench);
}

/* A python3 before all others. */
static void put_first(struct fixture *f, const char *program)
{
    char name[64], path[4096];
    snprintf(name, sizeof name, "%s/python3", f->folder);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(program, file);
    fclose(file);
    assert_int_equal(chmod(name, 0700), 0);
    snprintf(path, sizeof path, "%s:%s", f->folder, f->path);
    setenv("PATH", path, 1);
}

/* That one has no matplotlib. */
static void put_a_poor_python_first(struct fixture *f)
{
    put_first(f, "#!/bin/sh\n"
                 "echo \"ModuleNotFoundError: No module named 'matplotlib'\" >&2\nexit 1\n");
}

static void gives_the_picture_in_every_format(void **state)
{
    struct fixture *f = *state;
    draw(f, SQUARE);
    assert_int_equal(f->bench.rendered, ERR_NONE);
    for (unsigned format = 0; format < PICTURE_N_FORMATS; format++)
        assert_null(
            picture_fault(f->bench.picture.bytes[format], f->bench.picture.lengths[format]));
    assert_string_equal(f->bench.picture.renderer, "matplotlib");
    assert_null(f->bench.picture.geometry);
}

static void asks_the_next_python_where_one_has_no_matplotlib(void **state)
{
    struct fixture *f = *state;
    put_a_poor_python_first(f);
    draw(f, SQUARE);
    assert_int_equal(f->bench.rendered, ERR_NONE);
}

static void asks_the_next_python_where_one_is_broken(void **state)
{
    struct fixture *f = *state;
    static const char *const broken[] = {
        "no program at all",
        "#!/nonexistent/python3\n",
        "#!/bin/sh\nexit 126\n",
        "#!/bin/sh\nexit 127\n",
        "#!/bin/sh\necho 'ImportError: numpy.core.multiarray failed to import' >&2\nexit 1\n",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(broken); i++) {
        setenv("PATH", f->path, 1);
        put_first(f, broken[i]);
        draw(f, SQUARE);
        assert_int_equal(f->bench.rendered, ERR_NONE);
    }
}

static void names_the_package_where_no_python_has_matplotlib(void **state)
{
    struct fixture *f = *state;
    draw(f, WITHOUT);
    assert_int_equal(f->bench.rendered, ERR_NOT_FOUND);
    assert_string_equal(f->bench.err.message, "no python3 with matplotlib was found");
    assert_string_equal(f->bench.err.hint, "Debian's package is python3-matplotlib");
    setenv("PATH", f->folder, 1);
    draw(f, SQUARE);
    assert_int_equal(f->bench.rendered, ERR_NOT_FOUND);
}

static void looks_for_no_python_in_a_folder_without_a_full_path(void **state)
{
    struct fixture *f = *state;
    char here[4096];
    put_a_poor_python_first(f);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(f->folder), 0);
    setenv("PATH", ".::relative", 1);
    draw(f, SQUARE);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(f->bench.rendered, ERR_NOT_FOUND);
}

static void runs_where_nothing_of_the_current_folder_is_found(void **state)
{
    struct fixture *f = *state;
    draw(f, "import os\nassert os.listdir('.') == ['figure.py'], os.listdir('.')\n" SQUARE);
    assert_int_equal(f->bench.rendered, ERR_NONE);
}

static void says_why_a_script_failed(void **state)
{
    struct fixture *f = *state;
    draw(f, "raise SystemExit('error: no canvas')\n");
    assert_int_equal(f->bench.rendered, ERR_FAILED);
    assert_string_equal(
        f->bench.err.message,
        "matplotlib: it exited with status 1; its stderr says: \"error: no canvas\"");
}

static void refuses_what_is_no_picture(void **state)
{
    struct fixture *f = *state;
    draw(f, "import sys\nopen(sys.argv[1], 'w').write('words')\n");
    assert_int_equal(f->bench.rendered, ERR_PROTOCOL);
    assert_null(f->bench.picture.bytes[PICTURE_SVG]);
}

static void ends_one_that_takes_too_long(void **state)
{
    struct fixture *f = *state;
    f->bench.settings.figure_render_seconds = 1;
    draw(f, "while True: pass\n");
    assert_int_equal(f->bench.rendered, ERR_TIMEOUT);
    assert_string_equal(f->bench.err.hint, "raise figure.render_seconds");
}

static void ends_one_whose_turn_was_cancelled(void **state)
{
    struct fixture *f = *state;
    f->bench.is_cancelled = true;
    draw(f, "while True: pass\n");
    assert_int_equal(f->bench.rendered, ERR_CANCELLED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(gives_the_picture_in_every_format),
        TEST(asks_the_next_python_where_one_has_no_matplotlib),
        TEST(asks_the_next_python_where_one_is_broken),
        TEST(names_the_package_where_no_python_has_matplotlib),
        TEST(looks_for_no_python_in_a_folder_without_a_full_path),
        TEST(runs_where_nothing_of_the_current_folder_is_found),
        TEST(says_why_a_script_failed),
        TEST(refuses_what_is_no_picture),
        TEST(ends_one_that_takes_too_long),
        TEST(ends_one_whose_turn_was_cancelled),
    };
    if (system("command -v python3 >/dev/null") != 0) {
        print_message("no python3 here\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
