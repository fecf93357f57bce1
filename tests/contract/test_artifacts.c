/* What every kind of artifacts owes: the fake and files. */

#include "tests/support/cmocka.h"
#include "tests/support/full/artifact_subject.h"
#include <string.h>

static const struct artifact_file two[] = { { "a.txt", "one\n" }, { "b.txt", "" } };

static void a_committed_folder_has_what_was_put_into_it(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    struct artifact_making m = { .parent = artifact_subject_path(s, &arena, "runs/new"),
                                 .name = "tcp",
                                 .files = two,
                                 .n_files = 2 };

    assert_int_equal(artifact_subject_make(s, &m), ERR_NONE);

    assert_string_equal(m.path, artifact_subject_path(s, &arena, "runs/new/tcp"));
    assert_string_equal(artifact_subject_text(s, &arena, m.path, "a.txt"), "one\n");
    assert_string_equal(artifact_subject_text(s, &arena, m.path, "b.txt"), "");
}

static void the_same_name_once_more_replaces_a_file(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    static const struct artifact_file twice[] = { { "a.txt", "a long first text" },
                                                  { "a.txt", "two" } };
    struct artifact_making m = {
        .parent = artifact_subject_path(s, &arena, ""), .name = "x", .files = twice, .n_files = 2
    };

    assert_int_equal(artifact_subject_make(s, &m), ERR_NONE);

    assert_string_equal(artifact_subject_text(s, &arena, m.path, "a.txt"), "two");
}

static void a_second_folder_of_the_name_replaces_the_first(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    static const struct artifact_file other[] = { { "c.txt", "three" } };
    struct artifact_making first = {
        .parent = artifact_subject_path(s, &arena, "r"), .name = "x", .files = two, .n_files = 2
    };
    struct artifact_making second = {
        .parent = artifact_subject_path(s, &arena, "r"), .name = "x", .files = other, .n_files = 1
    };

    assert_int_equal(artifact_subject_make(s, &first), ERR_NONE);
    assert_int_equal(artifact_subject_make(s, &second), ERR_NONE);

    assert_null(artifact_subject_text(s, &arena, second.path, "a.txt"));
    assert_string_equal(artifact_subject_text(s, &arena, second.path, "c.txt"), "three");
}

static void a_discarded_folder_leaves_the_first_alone(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    static const struct artifact_file other[] = { { "a.txt", "other" } };
    struct artifact_making first = {
        .parent = artifact_subject_path(s, &arena, "r"), .name = "x", .files = two, .n_files = 2
    };
    struct artifact_making second = { .parent = artifact_subject_path(s, &arena, "r"),
                                      .name = "x",
                                      .files = other,
                                      .n_files = 1,
                                      .discards = true };

    assert_int_equal(artifact_subject_make(s, &first), ERR_NONE);
    assert_int_equal(artifact_subject_make(s, &second), ERR_NONE);

    assert_string_equal(artifact_subject_text(s, &arena, first.path, "a.txt"), "one\n");
}

static void refuses_what_is_no_plain_name(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    char long_name[ARTIFACTS_MAX_NAME + 2];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    const char *const bad[] = {
        "", ".", "..", ".hidden", "a/b", "../a", "a\nb", "\x7f", long_name
    };

    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        struct artifact_file file = { bad[i], "x" };
        struct artifact_making folder = { .parent = artifact_subject_path(s, &arena, "r"),
                                          .name = bad[i] };
        struct artifact_making within = { .parent = artifact_subject_path(s, &arena, "r"),
                                          .name = "ok",
                                          .files = &file,
                                          .n_files = 1 };
        assert_int_equal(artifact_subject_make(s, &folder), ERR_INVALID);
        assert_int_equal(artifact_subject_make(s, &within), ERR_INVALID);
    }
}

static void takes_a_name_at_the_bound(void **state)
{
    struct artifact_subject *s = *state;
    AUTO(arena) arena = { 0 };
    char name[ARTIFACTS_MAX_NAME + 1];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct artifact_file file = { name, "x" };
    struct artifact_making m = {
        .parent = artifact_subject_path(s, &arena, ""), .name = name, .files = &file, .n_files = 1
    };

    assert_int_equal(artifact_subject_make(s, &m), ERR_NONE);

    assert_string_equal(artifact_subject_text(s, &arena, m.path, name), "x");
}

int main(void)
{
#define FAKE(name)                                                                                 \
    {                                                                                              \
        "fake: " #name, name, artifact_subject_set_up_fake, artifact_subject_tear_down, NULL       \
    }
#define FILES(name)                                                                                \
    {                                                                                              \
        "files: " #name, name, artifact_subject_set_up_files, artifact_subject_tear_down, NULL     \
    }
#define BOTH(name) FAKE(name), FILES(name)
    const struct CMUnitTest tests[] = {
        BOTH(a_committed_folder_has_what_was_put_into_it),
        BOTH(the_same_name_once_more_replaces_a_file),
        BOTH(a_second_folder_of_the_name_replaces_the_first),
        BOTH(a_discarded_folder_leaves_the_first_alone),
        BOTH(refuses_what_is_no_plain_name),
        BOTH(takes_a_name_at_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
