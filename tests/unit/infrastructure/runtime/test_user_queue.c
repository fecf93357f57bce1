
#include "application/ports/runtime.h"
#include "infrastructure/runtime/user_queue.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"

enum { ASKERS = 4 };

/* A person who takes a moment for everything, and whoever wants something of them. */
struct fixture {
    struct user person; /* first: the port is cast to the fixture */
    struct uv_runtime *runtime;
    struct user_queue queue;
    struct scope giving_up;
    unsigned n_now, most, n_asked, n_approved, n_confirmed;
    enum err_code codes[ASKERS];
    unsigned n_begun;
};

static void think(struct fixture *f)
{
    if (++f->n_now > f->most)
        f->most = f->n_now;
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    (void)!runtime_sleep(uv_runtime_port(f->runtime), &scope, 5, NULL);
    f->n_now--;
}

static bool present(struct user *user)
{
    (void)user;
    return true;
}

static enum err_code answer(struct user *user, struct scope *scope, const struct form *form,
                            struct arena *arena, json_t **out_answers, struct err *err)
{
    struct fixture *f = (struct fixture *)user;
    (void)scope;
    (void)form;
    (void)arena;
    (void)out_answers;
    think(f);
    f->n_asked++;
    return err_set(err, ERR_DENIED, 0, "no");
}

static enum err_code decide(struct user *user, struct scope *scope,
                            const struct approval_request *request, enum approval_answer *out,
                            struct err *err)
{
    struct fixture *f = (struct fixture *)user;
    (void)scope;
    (void)request;
    (void)err;
    think(f);
    f->n_approved++;
    *out = APPROVAL_ONCE;
    return ERR_NONE;
}

static enum err_code confirm(struct user *user, struct scope *scope,
                             const struct confirmation *confirmation, struct err *err)
{
    struct fixture *f = (struct fixture *)user;
    (void)scope;
    (void)confirmation;
    think(f);
    f->n_confirmed++;
    return err_set(err, ERR_DENIED, 0, "no");
}

/* Askers want an approval, a yes or an answer in turn; the last one gives up while it waits. */
static enum err_code want(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    unsigned i = f->n_begun++;
    struct form form = { 0 };
    struct approval_request request = { 0 };
    struct confirmation confirmation = { 0 };
    enum approval_answer approval;
    struct arena arena = { 0 };
    json_t *answers = NULL;
    struct scope *mine = i == ASKERS - 1 ? &f->giving_up : scope;
    (void)runtime;
    f->codes[i] = i % 3 == 1   ? user_approve(&f->queue.base, mine, &request, &approval, NULL)
                  : i % 3 == 2 ? user_confirm(&f->queue.base, mine, &confirmation, NULL)
                               : user_ask(&f->queue.base, mine, &form, &arena, &answers, NULL);
    return ERR_NONE;
}

static enum err_code all_at_once(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    struct task *tasks[ASKERS];
    for (size_t i = 0; i < ASKERS; i++)
        tasks[i] = runtime_spawn(runtime, scope, want, f);
    while (f->n_begun < ASKERS)
        (void)!runtime_sleep(runtime, scope, 1, NULL);
    runtime_cancel(runtime, &f->giving_up);
    for (size_t i = 0; i < ASKERS; i++)
        (void)runtime_wait(runtime, tasks[i]);
    return ERR_NONE;
}

static void a_person_is_asked_one_thing_at_a_time(void **state)
{
    static const struct user_ops ops = { present, answer, confirm, decide };
    struct fixture f = { .person = { &ops }, .giving_up = scope_child(NULL, SCOPE_NO_DEADLINE) };
    struct scope scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    (void)state;
    f.runtime = uv_runtime_create();
    user_queue_init(&f.queue, &f.person, f.runtime);

    (void)uv_runtime_run(f.runtime, &scope, all_at_once, &f);

    assert_true(user_present(&f.queue.base));
    assert_int_equal(f.most, 1);
    assert_int_equal(f.n_asked, 1);
    assert_int_equal(f.n_confirmed, 1);
    assert_int_equal(f.n_approved, 1);
    assert_int_equal(f.codes[0], ERR_DENIED);
    assert_int_equal(f.codes[1], ERR_NONE);
    assert_int_equal(f.codes[2], ERR_DENIED);
    assert_int_equal(f.codes[3], ERR_CANCELLED);
    uv_runtime_destroy(f.runtime);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_person_is_asked_one_thing_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
