#include "tests/support/contracts/approval_repository_contract.h"
#include "tests/support/cmocka.h"

struct operation {
    struct approval_fixture *f;
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

enum err_code approval_add(struct approval_fixture *f, const char *kind, const char *subject,
                           const char *hash)
{
    struct operation o = { .f = f, .approval = { kind, subject, hash }, .adds = true };
    return f->subject->run(f->subject, perform, &o);
}

enum err_code approval_ask(struct approval_fixture *f, const char *kind, const char *subject,
                           const char *hash, bool *out_has)
{
    struct operation o = { .f = f, .approval = { kind, subject, hash } };
    enum err_code r = f->subject->run(f->subject, perform, &o);
    *out_has = o.has;
    return r;
}

bool approval_has(struct approval_fixture *f, const char *kind, const char *subject,
                  const char *hash)
{
    bool answer;
    assert_int_equal(approval_ask(f, kind, subject, hash, &answer), ERR_NONE);
    return answer;
}

static struct repository_subject *subject;

int approval_fixture_open(void **state, struct repository_subject *on)
{
    static struct approval_fixture f;
    f = (struct approval_fixture){ .subject = on, .repository = on->open(on) };
    *state = &f;
    return 0;
}

int approval_fixture_close(void **state)
{
    struct approval_fixture *f = *state;
    approval_repository_destroy(f->repository);
    f->subject->close(f->subject);
    return 0;
}

static int setup(void **state)
{
    return approval_fixture_open(state, subject);
}

static void has_what_was_added_and_nothing_else(void **state)
{
    struct approval_fixture *f = *state;

    assert_false(approval_has(f, "tool", "cfg/read", "h1"));
    assert_int_equal(approval_add(f, "tool", "cfg/read", "h1"), ERR_NONE);
    assert_int_equal(approval_add(f, "tool", "cfg/write", "h2"), ERR_NONE);

    assert_true(approval_has(f, "tool", "cfg/read", "h1"));
    assert_true(approval_has(f, "tool", "cfg/write", "h2"));
    assert_false(approval_has(f, "tool", "cfg/read", "h2"));
    assert_false(approval_has(f, "tool", "other/read", "h1"));
    assert_false(approval_has(f, "project_file", "cfg/read", "h1"));
}

static void adding_twice_is_no_error(void **state)
{
    struct approval_fixture *f = *state;

    assert_int_equal(approval_add(f, "project_file", "/p/.mcp.json", "h"), ERR_NONE);
    assert_int_equal(approval_add(f, "project_file", "/p/.mcp.json", "h"), ERR_NONE);

    assert_true(approval_has(f, "project_file", "/p/.mcp.json", "h"));
}

int run_approval_repository_contract(struct repository_subject *on)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, approval_fixture_close)
    const struct CMUnitTest tests[] = {
        T(has_what_was_added_and_nothing_else),
        T(adding_twice_is_no_error),
    };
#undef T
    subject = on;
    return cmocka_run_group_tests_name("approval repository", tests, NULL, NULL);
}
