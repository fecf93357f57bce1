/* What every approval repository owes, on the file and on the fake; then what only files can do. */
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/contracts/approval_repository_contract.h"
#include "tests/support/fakes/fake_approval_repository.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void *open_fake(struct repository_subject *s)
{
    (void)s;
    return fake_approval_repository_create();
}

static struct repository_subject fake_subject = {
    .open = open_fake,
    .run = repository_subject_run_at_once,
    .close = repository_subject_close_nothing,
};

static char file[128];

static void *connect_json(struct uv_subject *s)
{
    snprintf(file, sizeof file, "%s/data/approvals.json", s->folder);
    return json_approval_repository_create(s->runtime, file);
}

static struct uv_subject json_subject;

static int setup_json(void **state)
{
    json_subject = uv_subject(connect_json);
    return approval_fixture_open(state, &json_subject.base);
}

static void write_file(const char *text)
{
    char folder[128];
    strcpy(folder, file);
    *strrchr(folder, '/') = '\0';
    mkdir(folder, 0700);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void an_approval_from_before_lets_nothing_be_repeated(void **state)
{
    struct approval_fixture *f = *state;
    write_file("{\"version\":1,\"approvals\":[{\"kind\":\"tool\",\"subject\":\"cfg/read\","
               "\"hash\":\"h1\"}]}");
    assert_true(approval_has(f, APPROVAL_OF_TOOL, "cfg/read", "h1"));
    assert_false(approval_has(f, APPROVAL_OF_REPEATING, "cfg/read", "h1"));
    assert_int_equal(approval_add(f, APPROVAL_OF_REPEATING, "cfg/read", "h1"), ERR_NONE);
    assert_true(approval_has(f, APPROVAL_OF_TOOL, "cfg/read", "h1"));
    assert_true(approval_has(f, APPROVAL_OF_REPEATING, "cfg/read", "h1"));
    assert_false(approval_has(f, APPROVAL_OF_REPEATING, "cfg/read", "h2"));
}

static void keeps_approvals_in_a_private_file(void **state)
{
    struct approval_fixture *f = *state;
    struct stat info;
    assert_int_equal(approval_add(f, "tool", "a", "h"), ERR_NONE);

    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    approval_repository_destroy(f->repository);
    f->repository = f->subject->reopen(f->subject);
    assert_true(approval_has(f, "tool", "a", "h"));
}

static void approves_nothing_when_the_file_is_damaged_and_leaves_it(void **state)
{
    struct approval_fixture *f = *state;
    static const char *const bad[] = { "{", "[]", "{\"version\":2,\"approvals\":[]}",
                                       "{\"version\":1,\"approvals\":{}}", "" };

    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        bool answer = false;
        struct stat info;
        write_file(bad[i]);
        assert_int_equal(approval_ask(f, "tool", "a", "h", &answer), ERR_INVALID);
        assert_int_equal(approval_add(f, "tool", "a", "h"), ERR_INVALID);
        assert_false(answer);
        assert_int_equal(stat(file, &info), 0);
        assert_int_equal(info.st_size, strlen(bad[i]));
        assert_string_not_equal(f->err.hint, "");
    }
}

static void reads_a_file_at_the_bound_and_refuses_one_byte_more(void **state)
{
    struct approval_fixture *f = *state;
    static const char rest[] = "{\"version\":1,\"approvals\":[]}";
    bool answer;
    char *text = malloc(APPROVALS_MAX_BYTES + 2);
    assert_non_null(text);
    memset(text, ' ', APPROVALS_MAX_BYTES + 1);
    memcpy(text, rest, sizeof rest - 1);

    text[APPROVALS_MAX_BYTES] = '\0';
    write_file(text);
    enum err_code at_bound = approval_ask(f, "tool", "a", "h", &answer);
    text[APPROVALS_MAX_BYTES] = ' ';
    text[APPROVALS_MAX_BYTES + 1] = '\0';
    write_file(text);
    enum err_code above = approval_ask(f, "tool", "a", "h", &answer);
    free(text);

    assert_int_equal(at_bound, ERR_NONE);
    assert_int_equal(above, ERR_LIMIT);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup_json, approval_fixture_close)
    const struct CMUnitTest tests[] = {
        T(an_approval_from_before_lets_nothing_be_repeated),
        T(keeps_approvals_in_a_private_file),
        T(approves_nothing_when_the_file_is_damaged_and_leaves_it),
        T(reads_a_file_at_the_bound_and_refuses_one_byte_more),
    };
#undef T
    json_subject = uv_subject(connect_json);
    return run_approval_repository_contract(&fake_subject) +
           run_approval_repository_contract(&json_subject.base) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
