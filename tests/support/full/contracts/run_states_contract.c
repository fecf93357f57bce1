#include "tests/support/full/contracts/run_states_contract.h"
#include "domain/base/text.h"
#include "domain/repositories/run_states.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

#define RUN "01run"

static struct repository_subject *subject;

/* One body of a test, inside a task. */
struct fixture {
    struct run_states *states;
    void (*body)(struct fixture *f);
    struct scope *scope;
    struct err err;
    bool is_wrong;
};

/* Within a task nothing may jump out of it. */
#define CHECK(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #claim);                            \
            f->is_wrong = true;                                                                    \
        }                                                                                          \
    } while (0)

static enum err_code run_body(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    f->scope = scope;
    f->body(f);
    return ERR_NONE;
}

static void in_task(void (*body)(struct fixture *f))
{
    struct fixture f = { .states = subject->open(subject), .body = body };
    assert_int_equal(subject->run(subject, run_body, &f), ERR_NONE);
    run_states_destroy(f.states);
    subject->close(subject);
    assert_false(f.is_wrong);
}

static struct run_claim *claimed_as(struct fixture *f, const char *id)
{
    struct run_claim *claim = NULL;
    f->is_wrong |= run_states_claim(f->states, f->scope, id, &claim, &f->err) != ERR_NONE;
    return claim;
}

static struct run_claim *claimed(struct fixture *f)
{
    return claimed_as(f, RUN);
}

static void create_and_release(struct fixture *f, const char *id, bool remove)
{
    struct run_claim *claim = claimed_as(f, id);
    struct run_state *state = NULL;
    CHECK(run_states_create(f->states, f->scope, id, &state, &f->err) == ERR_NONE);
    run_state_close(state, remove);
    run_states_release(f->states, claim);
}

static bool is_kept(struct fixture *f, const char *id)
{
    struct run_claim *claim = claimed_as(f, id);
    struct run_state *state = NULL;
    const struct run_contents *contents = NULL;
    enum err_code r = run_states_open(f->states, f->scope, id, &state, &contents, &f->err);
    CHECK(!r || r == ERR_NOT_FOUND);
    if (!r)
        run_state_close(state, false);
    run_states_release(f->states, claim);
    return !r;
}

static struct run_state *created(struct fixture *f)
{
    struct run_state *state = NULL;
    f->is_wrong |= run_states_create(f->states, f->scope, RUN, &state, &f->err) != ERR_NONE;
    return state;
}

static enum err_code reopened(struct fixture *f, struct run_state **out,
                              const struct run_contents **out_contents)
{
    return run_states_open(f->states, f->scope, RUN, out, out_contents, &f->err);
}

static struct call_record call(const char *path, enum call_state state)
{
    return (struct call_record){ .path = path,
                                 .state = state,
                                 .attempt = 1,
                                 .tool = "shop/charge",
                                 .args = "{\"cents\":5}",
                                 .effect_id = "abc",
                                 .sent_at_ms = 1700000000000 };
}

static void keep_and_look(struct fixture *f)
{
    struct run_claim *claim = claimed(f);
    struct run_state *state = created(f);
    const struct run_contents *contents = NULL;
    struct call_record second = call("b", CALL_SENT);
    struct call_record first = call("a", CALL_SENT);
    run_state_put_fact(state, "plan", "{}");
    run_state_put_call(state, &second);
    run_state_put_call(state, &first);
    CHECK(run_state_commit(state, f->scope, true, &f->err) == ERR_NONE);
    second.state = CALL_DONE;
    second.result = "{\"content\":[]}";
    second.result_length = strlen(second.result);
    second.duration_ms = 12;
    first.state = CALL_FAILED;
    first.error = "{\"code\":\"protocol\"}";
    first.attempt = 2;
    first.task = "t1";
    first.argument = "key";
    run_state_put_call(state, &second);
    run_state_put_call(state, &first);
    run_state_put_fact(state, "plan", "{\"goal\":\"\xc3\xa4\"}");
    CHECK(run_state_commit(state, f->scope, false, &f->err) == ERR_NONE);
    run_state_close(state, false);
    CHECK(reopened(f, &state, &contents) == ERR_NONE);
    CHECK(contents->n_calls == 2);
    CHECK(contents->n_facts == 1);
    CHECK(text_equal(run_contents_fact(contents, "plan"), "{\"goal\":\"\xc3\xa4\"}"));
    CHECK(text_equal(contents->calls[0].path, "b"));
    const struct call_record *done = run_contents_call(contents, "b");
    CHECK(done->state == CALL_DONE);
    CHECK(text_equal(done->result, second.result));
    CHECK(done->result_length == second.result_length);
    CHECK(!done->error);
    CHECK(done->sent_at_ms == 1700000000000);
    CHECK(done->duration_ms == 12);
    const struct call_record *failed = run_contents_call(contents, "a");
    CHECK(failed->state == CALL_FAILED);
    CHECK(!failed->result);
    CHECK(text_equal(failed->error, first.error));
    CHECK(failed->attempt == 2);
    CHECK(text_equal(failed->task, "t1"));
    CHECK(text_equal(failed->argument, "key"));
    CHECK(!done->argument);
    CHECK(!done->task);
    CHECK(text_equal(failed->args, "{\"cents\":5}"));
    CHECK(text_equal(failed->effect_id, "abc"));
    CHECK(!run_contents_call(contents, "c"));
    CHECK(!run_contents_fact(contents, "vars"));
    run_state_close(state, true);
    run_states_release(f->states, claim);
}

static void what_was_put_last_is_there_when_it_is_opened_again(void **unused)
{
    (void)unused;
    in_task(keep_and_look);
}

static void close_without_commit(struct fixture *f)
{
    struct run_claim *claim = claimed(f);
    struct run_state *state = created(f);
    const struct run_contents *contents = NULL;
    struct call_record one = call("a", CALL_SENT);
    run_state_put_call(state, &one);
    run_state_close(state, false);
    CHECK(reopened(f, &state, &contents) == ERR_NONE);
    CHECK(contents->n_calls == 1);
    run_state_put_fact(state, "ended", "1");
    run_state_close(state, false);
    CHECK(reopened(f, &state, &contents) == ERR_NONE);
    CHECK(run_contents_fact(contents, "ended"));
    run_state_close(state, true);
    run_states_release(f->states, claim);
}

static void closing_keeps_what_nobody_waited_for(void **unused)
{
    (void)unused;
    in_task(close_without_commit);
}

static void remove_and_look(struct fixture *f)
{
    struct run_claim *claim = claimed(f);
    struct run_state *state = created(f);
    const struct run_contents *contents = NULL;
    run_state_put_fact(state, "plan", "{}");
    CHECK(run_state_commit(state, f->scope, true, &f->err) == ERR_NONE);
    run_state_close(state, true);
    CHECK(reopened(f, &state, &contents) == ERR_NOT_FOUND);
    CHECK(*f->err.message);
    run_states_release(f->states, claim);
}

static void a_removed_state_is_not_found(void **unused)
{
    (void)unused;
    in_task(remove_and_look);
}

static bool is_owned(struct fixture *f)
{
    bool owned = false;
    CHECK(run_states_is_owned(f->states, f->scope, RUN, &owned, &f->err) == ERR_NONE);
    return owned;
}

static void claim_twice(struct fixture *f)
{
    struct run_claim *second = NULL;
    CHECK(!is_owned(f));
    struct run_claim *claim = claimed(f);
    CHECK(is_owned(f));
    CHECK(run_states_claim(f->states, f->scope, RUN, &second, &f->err) == ERR_INVALID);
    CHECK(strstr(f->err.message, "is being run by process "));
    CHECK(is_owned(f));
    run_states_release(f->states, claim);
    CHECK(!is_owned(f));
    run_states_release(f->states, claimed(f));
}

static void a_run_has_one_owner(void **unused)
{
    (void)unused;
    in_task(claim_twice);
}

static void prune_and_look(struct fixture *f)
{
    struct run_claim *claim = claimed(f);
    struct run_state *state = created(f);
    const struct run_contents *contents = NULL;
    size_t n_removed = 9;
    run_state_put_fact(state, "plan", "{}");
    run_state_close(state, false);
    CHECK(run_states_prune(f->states, f->scope, 0, 0, 0, &n_removed, &f->err) == ERR_NONE);
    CHECK(reopened(f, &state, &contents) == ERR_NONE);
    run_state_close(state, false);
    run_states_release(f->states, claim);
    CHECK(run_states_prune(f->states, f->scope, 0, 1 << 30, 0, &n_removed, &f->err) == ERR_NONE);
    CHECK(is_kept(f, RUN));
    CHECK(run_states_prune(f->states, f->scope, 0, 0, 0, &n_removed, &f->err) == ERR_NONE);
    CHECK(!is_kept(f, RUN));
}

static void pruning_spares_what_fits_and_what_is_owned(void **unused)
{
    (void)unused;
    in_task(prune_and_look);
}

static void prune_some(struct fixture *f)
{
    static const char *const ids[] = { "01run", "02run", "03run" };
    const size_t left[] = { 1, 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(ids); i++)
        create_and_release(f, ids[i], /* remove */ false);
    for (size_t round = 0; round < ARRAY_LENGTH(left); round++) {
        size_t n = 0, n_removed = 0;
        CHECK(run_states_prune(f->states, f->scope, 0, 0, 2, &n_removed, &f->err) == ERR_NONE);
        for (size_t i = 0; i < ARRAY_LENGTH(ids); i++)
            n += is_kept(f, ids[i]);
        CHECK(n == left[round]);
        CHECK(n_removed == (round ? 1 : 2));
    }
}

static void pruning_removes_no_more_states_at_once_than_it_is_told(void **unused)
{
    (void)unused;
    in_task(prune_some);
}

static void list_all(struct fixture *f)
{
    AUTO(arena) arena = { 0 };
    static const char *const made[] = { "02run", "03run", "01run" };
    const char **ids = NULL;
    size_t n = 9, n_removed;
    CHECK(run_states_prune(f->states, f->scope, 0, 0, 0, &n_removed, &f->err) == ERR_NONE);
    CHECK(run_states_list(f->states, f->scope, &arena, &ids, &n, &f->err) == ERR_NONE && n == 0);
    for (size_t i = 0; i < ARRAY_LENGTH(made); i++)
        create_and_release(f, made[i], /* remove */ made[i][1] == '2');
    CHECK(run_states_list(f->states, f->scope, &arena, &ids, &n, &f->err) == ERR_NONE && n == 2 &&
          text_equal(ids[0], "03run") && text_equal(ids[1], "01run"));
    CHECK(run_states_prune(f->states, f->scope, 0, 0, 0, &n_removed, &f->err) == ERR_NONE);
}

static void states_are_listed_newest_first(void **unused)
{
    (void)unused;
    in_task(list_all);
}

/* What is queued of one state waits behind what is written of another, longer than it is gathered.
 */
static void remove_while_writing(struct fixture *f)
{
    enum { LARGE = 48 * 1024 * 1024 };
    AUTO(arena) arena = { 0 };
    struct run_claim *claim = claimed(f), *other_claim = NULL;
    struct run_state *state = created(f), *other = NULL;
    char *bytes = arena_alloc(&arena, LARGE);
    CHECK(run_states_claim(f->states, f->scope, "02run", &other_claim, &f->err) == ERR_NONE);
    CHECK(run_states_create(f->states, f->scope, "02run", &other, &f->err) == ERR_NONE);
    struct call_record large = call("a", CALL_DONE), small = call("b", CALL_SENT);
    memset(bytes, 'x', LARGE);
    large.result = bytes;
    large.result_length = LARGE;
    run_state_put_call(other, &large);
    run_state_put_call(state, &small);
    run_state_close(state, true);
    run_state_close(other, true);
    run_states_release(f->states, claim);
    run_states_release(f->states, other_claim);
}

static void a_state_is_removed_while_another_one_is_written(void **unused)
{
    (void)unused;
    in_task(remove_while_writing);
}

int run_run_states_contract(struct repository_subject *under_test)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_last_is_there_when_it_is_opened_again),
        cmocka_unit_test(closing_keeps_what_nobody_waited_for),
        cmocka_unit_test(a_removed_state_is_not_found),
        cmocka_unit_test(a_run_has_one_owner),
        cmocka_unit_test(pruning_removes_no_more_states_at_once_than_it_is_told),
        cmocka_unit_test(states_are_listed_newest_first),
        cmocka_unit_test(a_state_is_removed_while_another_one_is_written),
        cmocka_unit_test(pruning_spares_what_fits_and_what_is_owned),
    };
    subject = under_test;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
