/* What every approval repository owes, on the file and on the fake; then what only files can do. */

#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_approval_repository.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct fixture {
    struct repository_subject *subject;
    struct approval_repository *repository;
    struct err err;
};

struct operation {
    struct fixture *f;
    struct approval approval;
    bool adds, has;
};

static enum err_code perform(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct operation *o = argument;
    if (o->adds)
        return approval_repository_add(o->f->repository, scope, &o->approval, &o->f->err);
    return approval_repository_has(o->f->repository, scope, &o->approval, &o->has, &o->f->err);
}

static enum err_code add(struct fixture *f, const char *kind, const char *subject, const char *hash)
{
    struct operation o = { .f = f, .approval = { kind, subject, hash }, .adds = true };
    return f->subject->run(f->subject, perform, &o);
}

static enum err_code ask(struct fixture *f, const char *kind, const char *subject, const char *hash,
                         bool *out_has)
{
    struct operation o = { .f = f, .approval = { kind, subject, hash } };
    enum err_code r = f->subject->run(f->subject, perform, &o);
    *out_has = o.has;
    return r;
}

static bool has(struct fixture *f, const char *kind, const char *subject, const char *hash)
{
    bool answer;
    assert_int_equal(ask(f, kind, subject, hash, &answer), ERR_NONE);
    return answer;
}

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
static struct fixture fixture;

static int open_subject(void **state, struct repository_subject *subject)
{
    fixture = (struct fixture){ .subject = subject, .repository = subject->open(subject) };
    *state = &fixture;
    return 0;
}

static int setup_fake(void **state)
{
    return open_subject(state, &fake_subject);
}

static int setup_json(void **state)
{
    json_subject = uv_subject(connect_json);
    return open_subject(state, &json_subject.base);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    approval_repository_destroy(f->repository);
    f->subject->close(f->subject);
    return 0;
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

static void has_what_was_added_and_nothing_else(void **state)
{
    struct fixture *f = *state;

    assert_false(has(f, "tool", "cfg/read", "h1"));
    assert_int_equal(add(f, "tool", "cfg/read", "h1"), ERR_NONE);
    assert_int_equal(add(f, "tool", "cfg/write", "h2"), ERR_NONE);

    assert_true(has(f, "tool", "cfg/read", "h1"));
    assert_true(has(f, "tool", "cfg/write", "h2"));
    assert_false(has(f, "tool", "cfg/read", "h2"));
    assert_false(has(f, "tool", "other/read", "h1"));
    assert_false(has(f, "project_file", "cfg/read", "h1"));
}

static void adding_twice_is_no_error(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(add(f, "project_file", "/p/.mcp.json", "h"), ERR_NONE);
    assert_int_equal(add(f, "project_file", "/p/.mcp.json", "h"), ERR_NONE);

    assert_true(has(f, "project_file", "/p/.mcp.json", "h"));
}

static void an_approval_from_before_lets_nothing_be_repeated(void **state)
{
    struct fixture *f = *state;
    write_file("{\"version\":1,\"approvals\":[{\"kind\":\"tool\",\"subject\":\"cfg/read\","
               "\"hash\":\"h1\"}]}");
    assert_true(has(f, APPROVAL_OF_TOOL, "cfg/read", "h1"));
    assert_false(has(f, APPROVAL_OF_REPEATING, "cfg/read", "h1"));
    assert_int_equal(add(f, APPROVAL_OF_REPEATING, "cfg/read", "h1"), ERR_NONE);
    assert_true(has(f, APPROVAL_OF_TOOL, "cfg/read", "h1"));
    assert_true(has(f, APPROVAL_OF_REPEATING, "cfg/read", "h1"));
    assert_false(has(f, APPROVAL_OF_REPEATING, "cfg/read", "h2"));
}

static void keeps_approvals_in_a_private_file(void **state)
{
    struct fixture *f = *state;
    struct stat info;
    assert_int_equal(add(f, "tool", "a", "h"), ERR_NONE);

    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    approval_repository_destroy(f->repository);
    f->repository = f->subject->reopen(f->subject);
    assert_true(has(f, "tool", "a", "h"));
}

static void approves_nothing_when_the_file_is_damaged_and_leaves_it(void **state)
{
    struct fixture *f = *state;
    static const char *const bad[] = { "{", "[]", "{\"version\":2,\"approvals\":[]}",
                                       "{\"version\":1,\"approvals\":{}}", "" };

    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        bool answer = false;
        struct stat info;
        write_file(bad[i]);
        assert_int_equal(ask(f, "tool", "a", "h", &answer), ERR_INVALID);
        assert_int_equal(add(f, "tool", "a", "h"), ERR_INVALID);
        assert_false(answer);
        assert_int_equal(stat(file, &info), 0);
        assert_int_equal(info.st_size, strlen(bad[i]));
        assert_string_not_equal(f->err.hint, "");
    }
}

static void reads_a_file_at_the_bound_and_refuses_one_byte_more(void **state)
{
    struct fixture *f = *state;
    static const char rest[] = "{\"version\":1,\"approvals\":[]}";
    bool answer;
    char *text = malloc(APPROVALS_MAX_BYTES + 2);
    assert_non_null(text);
    memset(text, ' ', APPROVALS_MAX_BYTES + 1);
    memcpy(text, rest, sizeof rest - 1);

    text[APPROVALS_MAX_BYTES] = '\0';
    write_file(text);
    enum err_code at_bound = ask(f, "tool", "a", "h", &answer);
    text[APPROVALS_MAX_BYTES] = ' ';
    text[APPROVALS_MAX_BYTES + 1] = '\0';
    write_file(text);
    enum err_code above = ask(f, "tool", "a", "h", &answer);
    free(text);

    assert_int_equal(at_bound, ERR_NONE);
    assert_int_equal(above, ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define FAKE(name) { "fake: " #name, name, setup_fake, teardown, NULL }
#define FILES(name)                                                                                \
    {                                                                                              \
        "json: " #name, name, setup_json, teardown, NULL                                           \
    }
        FAKE(has_what_was_added_and_nothing_else),
        FAKE(adding_twice_is_no_error),
        FILES(has_what_was_added_and_nothing_else),
        FILES(adding_twice_is_no_error),
        FILES(an_approval_from_before_lets_nothing_be_repeated),
        FILES(keeps_approvals_in_a_private_file),
        FILES(approves_nothing_when_the_file_is_damaged_and_leaves_it),
        FILES(reads_a_file_at_the_bound_and_refuses_one_byte_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
