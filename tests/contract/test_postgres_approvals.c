#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/contracts/approval_repository_contract.h"
#include "tests/support/full/postgres/postgres_server.h"
#include "tests/support/full/postgres/postgres_subject.h"
#include <stdlib.h>
#include <string.h>

static struct postgres_subject subject;

static void *connect_person(struct postgres_subject *s)
{
    return postgres_approvals_create(s->db, "ada");
}

static int setup(void **state)
{
    return approval_fixture_open(state, &subject.uv.base);
}

static void keeps_what_another_person_did_not_allow(void **state)
{
    struct approval_fixture *f = *state;
    assert_int_equal(approval_add(f, "tool", "a", "h"), ERR_NONE);
    postgres_server_run("UPDATE mistro.approvals SET person = 'bob'");
    assert_false(approval_has(f, "tool", "a", "h"));
    approval_repository_destroy(f->repository);
    f->repository = f->subject->reopen(f->subject);
    assert_int_equal(approval_add(f, "tool", "a", "h"), ERR_NONE);
    assert_true(approval_has(f, "tool", "a", "h"));
}

static void takes_approvals_up_to_the_bound(void **state)
{
    struct approval_fixture *f = *state;
    char *subject_text = malloc(APPROVALS_MAX_BYTES + 1);
    assert_non_null(subject_text);
    memset(subject_text, 's', APPROVALS_MAX_BYTES);
    subject_text[APPROVALS_MAX_BYTES - 4] = '\0'; /* "tool" */
    assert_int_equal(approval_add(f, "tool", subject_text, "h"), ERR_LIMIT);
    assert_false(approval_has(f, "tool", subject_text, "h"));
    assert_int_equal(approval_add(f, "tool", subject_text, ""), ERR_NONE);
    assert_true(approval_has(f, "tool", subject_text, ""));
    assert_int_equal(approval_add(f, "tool", subject_text, ""), ERR_NONE);
    assert_int_equal(approval_add(f, "tool", "", "h"), ERR_LIMIT);
    free(subject_text);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, approval_fixture_close)
    const struct CMUnitTest tests[] = {
        T(keeps_what_another_person_did_not_allow),
        T(takes_approvals_up_to_the_bound),
    };
#undef T
    subject = postgres_subject(connect_person);
    return run_approval_repository_contract(&subject.uv.base) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
