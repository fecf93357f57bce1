#include "tests/support/contracts/conversation_repository_contract.h"

#include "domain/base/json.h"
#include "domain/repositories/conversation_repository.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct repository_subject *subject;

struct fixture {
    struct conversation_repository *repository;
    struct arena arena;
    struct err err;
};

/* One operation with its operands, so that it can run inside a task. */
struct operation {
    struct fixture *f;
    enum err_code (*perform)(struct operation *o, struct scope *scope);
    const struct conversation *conversation;
    int64_t loaded_version_ms;
    const char *id;
    size_t n;
    struct conversation *loaded;
    struct conversation_summary *summaries;
    size_t out_n;
};

static enum err_code perform_in_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct operation *o = argument;
    return o->perform(o, scope);
}

static enum err_code perform(struct operation *o)
{
    return subject->run(subject, perform_in_task, o);
}

static enum err_code perform_save(struct operation *o, struct scope *scope)
{
    return conversation_repository_save(o->f->repository, scope, o->conversation,
                                        o->loaded_version_ms, &o->f->err);
}

static enum err_code save(struct fixture *f, const struct conversation *c, int64_t loaded_ms)
{
    return perform(&(struct operation){
        .f = f, .perform = perform_save, .conversation = c, .loaded_version_ms = loaded_ms });
}

static enum err_code perform_load(struct operation *o, struct scope *scope)
{
    return conversation_repository_get_by_id(o->f->repository, scope, o->id, &o->f->arena,
                                             &o->loaded, &o->f->err);
}

static enum err_code load(struct fixture *f, const char *id, struct conversation **out)
{
    struct operation o = { .f = f, .perform = perform_load, .id = id };
    enum err_code r = perform(&o);
    *out = o.loaded;
    return r;
}

static enum err_code perform_list(struct operation *o, struct scope *scope)
{
    return conversation_repository_get_all(o->f->repository, scope, &o->f->arena, &o->summaries,
                                           &o->out_n, &o->f->err);
}

static const struct conversation_summary *list(struct fixture *f, size_t *out_n)
{
    struct operation o = { .f = f, .perform = perform_list };
    assert_int_equal(perform(&o), ERR_NONE);
    *out_n = o.out_n;
    return o.summaries;
}

static enum err_code perform_remove(struct operation *o, struct scope *scope)
{
    return conversation_repository_remove(o->f->repository, scope, o->id, &o->f->err);
}

static enum err_code remove_one(struct fixture *f, const char *id)
{
    return perform(&(struct operation){ .f = f, .perform = perform_remove, .id = id });
}

static enum err_code perform_recent(struct operation *o, struct scope *scope)
{
    return conversation_repository_get_recent(o->f->repository, scope, o->id, o->n, &o->f->arena,
                                              &o->loaded, &o->f->err);
}

static enum err_code recent(struct fixture *f, const char *id, size_t n, struct conversation **out)
{
    struct operation o = { .f = f, .perform = perform_recent, .id = id, .n = n };
    enum err_code r = perform(&o);
    *out = o.loaded;
    return r;
}

static enum err_code perform_append(struct operation *o, struct scope *scope)
{
    return conversation_repository_append(o->f->repository, scope, o->conversation, o->n,
                                          o->loaded_version_ms, &o->f->err);
}

/* From the message on, which is the n-th of those in c. */
static enum err_code append(struct fixture *f, const struct conversation *c, size_t n,
                            int64_t loaded_ms)
{
    return perform(&(struct operation){ .f = f,
                                        .perform = perform_append,
                                        .conversation = c,
                                        .n = n,
                                        .loaded_version_ms = loaded_ms });
}

/* As a turn does it that needs only the last message. */
static enum err_code add(struct fixture *f, const char *id, const char *content, int64_t time_ms)
{
    struct conversation *c;
    enum err_code r = recent(f, id, 1, &c);
    if (r)
        return r;
    int64_t loaded_ms = c->updated_at_ms;
    size_t n = c->n_messages;
    conversation_add(&f->arena, c, MESSAGE_USER, content, NULL, time_ms);
    return append(f, c, n, loaded_ms);
}

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .repository = subject->open(subject) };
    *state = &f;
    return f.repository ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    conversation_repository_destroy(f->repository);
    subject->close(subject);
    arena_finish(&f->arena);
    return 0;
}

/* Two messages at 1000 and 2000 ms. */
static struct conversation *two_messages(struct fixture *f, const char *id)
{
    struct conversation *c = conversation_create(&f->arena, id, 1000);
    conversation_add(&f->arena, c, MESSAGE_USER, "häng \"it\" up\n", NULL, 1000);
    conversation_add(&f->arena, c, MESSAGE_ASSISTANT, "done",
                     json_pack("{s:s, s:[i]}", "run", "r1", "n", 7), 2000);
    return c;
}

static void gives_back_what_was_saved(void **state)
{
    struct fixture *f = *state;
    struct conversation *c = two_messages(f, "a-1_B"), *back;
    c->title = "a title";
    json_object_set_new(c->context, "pending", json_pack("{s:s}", "key", "path"));

    assert_int_equal(save(f, c, 0), ERR_NONE);
    assert_int_equal(load(f, "a-1_B", &back), ERR_NONE);

    json_auto_t *before = conversation_to_json(c);
    json_auto_t *after = conversation_to_json(back);
    assert_true(json_equal(before, after));
    assert_int_equal(back->updated_at_ms, 2000);
    assert_int_equal(back->n_messages, 2);
}

static void keeps_what_was_acknowledged_when_it_is_opened_again(void **state)
{
    struct fixture *f = *state;
    struct conversation *back;
    if (!subject->reopen)
        skip();
    assert_int_equal(save(f, two_messages(f, "a"), 0), ERR_NONE);

    conversation_repository_destroy(f->repository);
    f->repository = subject->reopen(subject);

    assert_int_equal(load(f, "a", &back), ERR_NONE);
    assert_string_equal(back->messages[1].content, "done");
}

static void replaces_the_version_that_was_loaded(void **state)
{
    struct fixture *f = *state;
    struct conversation *c = two_messages(f, "a"), *back;
    assert_int_equal(save(f, c, 0), ERR_NONE);

    conversation_add(&f->arena, c, MESSAGE_USER, "more", NULL, 3000);
    assert_int_equal(save(f, c, 2000), ERR_NONE);
    c->n_messages = 1; /* cleared */
    c->updated_at_ms = 4000;
    assert_int_equal(save(f, c, 3000), ERR_NONE);

    assert_int_equal(load(f, "a", &back), ERR_NONE);
    assert_int_equal(back->n_messages, 1);
    assert_int_equal(back->updated_at_ms, 4000);
}

static void refuses_to_overwrite_what_somebody_else_changed(void **state)
{
    struct fixture *f = *state;
    struct conversation *mine = two_messages(f, "a"), *back;
    assert_int_equal(save(f, mine, 0), ERR_NONE);
    assert_int_equal(add(f, "a", "theirs", 2500), ERR_NONE);

    conversation_add(&f->arena, mine, MESSAGE_USER, "mine", NULL, 2600);

    assert_int_equal(save(f, mine, 2000), ERR_MISMATCH);
    assert_int_equal(load(f, "a", &back), ERR_NONE);
    assert_int_equal(back->n_messages, 3);
    assert_string_equal(back->messages[2].content, "theirs");
}

/* Two writers load the same version in every round: the second is refused, loads again and puts its
 * message behind that of the first, however often that happens and within one millisecond. */
static void takes_both_of_two_writers_when_the_refused_one_loads_again(void **state)
{
    struct fixture *f = *state;
    struct conversation *c = two_messages(f, "a"), *first, *second;
    enum { ROUNDS = 12 };
    assert_int_equal(save(f, c, 0), ERR_NONE);
    for (int i = 0; i < ROUNDS; i++) {
        assert_int_equal(load(f, "a", &first), ERR_NONE);
        assert_int_equal(load(f, "a", &second), ERR_NONE);
        int64_t version_ms = first->updated_at_ms;
        conversation_add(&f->arena, first, MESSAGE_USER, "first", NULL, 2000);
        conversation_add(&f->arena, second, MESSAGE_USER, "second", NULL, 2000);
        assert_int_equal(save(f, first, version_ms), ERR_NONE);
        assert_int_equal(save(f, second, version_ms), ERR_MISMATCH);
        assert_int_equal(load(f, "a", &second), ERR_NONE);
        version_ms = second->updated_at_ms;
        conversation_add(&f->arena, second, MESSAGE_USER, "second", NULL, 2000);
        assert_int_equal(save(f, second, version_ms), ERR_NONE);
    }
    assert_int_equal(load(f, "a", &c), ERR_NONE);
    assert_int_equal(c->n_messages, 2 + 2 * ROUNDS);
    for (int i = 0; i < 2 * ROUNDS; i++)
        assert_string_equal(c->messages[2 + i].content, i % 2 ? "second" : "first");
}

static void refuses_a_new_conversation_where_one_exists(void **state)
{
    struct fixture *f = *state;
    struct conversation *c = two_messages(f, "a");
    assert_int_equal(save(f, c, 0), ERR_NONE);

    assert_int_equal(save(f, c, 0), ERR_MISMATCH);
}

static void refuses_to_bring_back_what_somebody_removed(void **state)
{
    struct fixture *f = *state;
    struct conversation *c = two_messages(f, "a"), *back;
    assert_int_equal(save(f, c, 0), ERR_NONE);
    assert_int_equal(remove_one(f, "a"), ERR_NONE);

    assert_int_equal(save(f, c, 2000), ERR_MISMATCH);
    assert_int_equal(load(f, "a", &back), ERR_NOT_FOUND);
}

static void finds_nothing_in_an_empty_store(void **state)
{
    struct fixture *f = *state;
    struct conversation *back;
    size_t n;

    list(f, &n);
    assert_int_equal(n, 0);
    assert_int_equal(load(f, "a", &back), ERR_NOT_FOUND);
    assert_int_equal(remove_one(f, "a"), ERR_NOT_FOUND);
    assert_int_equal(add(f, "a", "x", 1), ERR_NOT_FOUND);
    assert_int_equal(recent(f, "a", 1, &back), ERR_NOT_FOUND);
    assert_int_equal(append(f, two_messages(f, "a"), 1, 1000), ERR_MISMATCH);
}

static void lists_the_newest_first(void **state)
{
    struct fixture *f = *state;
    size_t n;
    assert_int_equal(save(f, two_messages(f, "old"), 0), ERR_NONE);
    struct conversation *young = two_messages(f, "young");
    conversation_add(&f->arena, young, MESSAGE_USER, "x", NULL, 9000);
    assert_int_equal(save(f, young, 0), ERR_NONE);
    assert_int_equal(save(f, two_messages(f, "old2"), 0), ERR_NONE);

    const struct conversation_summary *all = list(f, &n);

    assert_int_equal(n, 3);
    assert_string_equal(all[0].id, "young");
    assert_int_equal(all[0].n_messages, 3);
    assert_int_equal(all[0].created_at_ms, 1000);
    assert_int_equal(all[0].updated_at_ms, 9000);
    assert_string_equal(all[1].id, "old");
    AUTO(arena) scratch = { 0 };
    assert_string_equal(all[1].label, conversation_label(&scratch, two_messages(f, "old")));
    assert_string_equal(all[2].id, "old2");
}

static void appends_what_was_said_and_takes_title_and_context_of_it(void **state)
{
    struct fixture *f = *state;
    struct conversation *c, *back;
    assert_int_equal(save(f, two_messages(f, "a"), 0), ERR_NONE);

    assert_int_equal(recent(f, "a", 1, &c), ERR_NONE);
    assert_int_equal(c->n_earlier, 1);
    c->title = "later";
    json_object_set_new(c->context, "pending", json_pack("{s:s}", "key", "path"));
    conversation_add(&f->arena, c, MESSAGE_USER, "how much", NULL, 2500);
    conversation_add(&f->arena, c, MESSAGE_TOOL, "42", json_pack("{s:s}", "tool", "math/add"),
                     3000);
    assert_int_equal(append(f, c, 1, 2000), ERR_NONE);

    assert_int_equal(load(f, "a", &back), ERR_NONE);
    assert_int_equal(back->n_earlier, 0);
    assert_int_equal(back->n_messages, 4);
    assert_string_equal(back->messages[2].content, "how much");
    assert_int_equal(back->messages[3].role, MESSAGE_TOOL);
    assert_string_equal(back->messages[3].content, "42");
    assert_int_equal(back->messages[3].timestamp_ms, 3000);
    assert_true(json_equal(back->messages[3].metadata, c->messages[2].metadata));
    assert_string_equal(back->title, "later");
    assert_true(json_equal(back->context, c->context));
    assert_int_equal(back->updated_at_ms, 3000);
    assert_int_equal(back->created_at_ms, 1000);
}

static void appends_a_change_of_the_context_alone(void **state)
{
    struct fixture *f = *state;
    struct conversation *c, *back;
    assert_int_equal(save(f, two_messages(f, "a"), 0), ERR_NONE);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(recent(f, "a", 2, &c), ERR_NONE);
        int64_t loaded_ms = c->updated_at_ms++;
        json_object_set_new(c->context, "n", json_integer(i));
        assert_int_equal(append(f, c, 2, loaded_ms), ERR_NONE);
    }

    assert_int_equal(load(f, "a", &back), ERR_NONE);
    assert_int_equal(back->n_messages, 2);
    assert_int_equal(json_get_int(back->context, "n", 0), 3);
}

/* So many that a store that keeps additions apart has put them together several times. */
static void keeps_a_long_conversation_whole(void **state)
{
    struct fixture *f = *state;
    enum { TURNS = 150, LOADED = 7 };
    struct conversation *c, *back;
    char said[64];
    assert_int_equal(save(f, two_messages(f, "a"), 0), ERR_NONE);
    for (int i = 0; i < TURNS; i++) {
        assert_int_equal(recent(f, "a", LOADED, &c), ERR_NONE);
        assert_int_equal(c->n_earlier + c->n_messages, 2 + i);
        int64_t loaded_ms = c->updated_at_ms;
        size_t n = c->n_messages;
        json_object_set_new(c->context, "turn", json_integer(i));
        snprintf(said, sizeof said, "%d %050d", i, 0);
        conversation_add(&f->arena, c, MESSAGE_USER, said, NULL, loaded_ms + 10);
        assert_int_equal(append(f, c, n, loaded_ms), ERR_NONE);
        if (i % 40 == 39 && subject->reopen) {
            conversation_repository_destroy(f->repository);
            f->repository = subject->reopen(subject);
        }
    }

    assert_int_equal(load(f, "a", &back), ERR_NONE);
    assert_int_equal(back->n_messages, 2 + TURNS);
    for (int i = 0; i < TURNS; i++)
        assert_int_equal(atoi(back->messages[2 + i].content), i);
    assert_int_equal(json_get_int(back->context, "turn", 0), TURNS - 1);
}

static void puts_messages_behind_a_whole_version_that_was_saved_over_additions(void **state)
{
    struct fixture *f = *state;
    struct conversation *c = two_messages(f, "a"), *back;
    assert_int_equal(save(f, c, 0), ERR_NONE);
    assert_int_equal(add(f, "a", "third", 3000), ERR_NONE);
    c->updated_at_ms = 4000;
    c->n_messages = 1; /* cleared */
    assert_int_equal(save(f, c, 3000), ERR_NONE);
    assert_int_equal(add(f, "a", "second", 5000), ERR_NONE);

    assert_int_equal(load(f, "a", &back), ERR_NONE);
    assert_int_equal(back->n_messages, 2);
    assert_string_equal(back->messages[1].content, "second");
}

static void changes_the_version_with_every_message_also_within_one_millisecond(void **state)
{
    struct fixture *f = *state;
    struct conversation *c = two_messages(f, "a");
    assert_int_equal(save(f, c, 0), ERR_NONE);

    assert_int_equal(add(f, "a", "same moment", 2000), ERR_NONE);

    assert_int_equal(save(f, c, 2000), ERR_MISMATCH);
}

static void gives_the_last_messages_in_order(void **state)
{
    struct fixture *f = *state;
    struct conversation *two, *many;
    assert_int_equal(save(f, two_messages(f, "a"), 0), ERR_NONE);
    assert_int_equal(add(f, "a", "third", 3000), ERR_NONE);

    assert_int_equal(recent(f, "a", 2, &two), ERR_NONE);
    assert_int_equal(recent(f, "a", 100, &many), ERR_NONE);

    assert_int_equal(two->n_messages, 2);
    assert_int_equal(two->n_earlier, 1);
    assert_int_equal(two->updated_at_ms, 3000);
    assert_string_equal(two->messages[0].content, "done");
    assert_string_equal(two->messages[1].content, "third");
    assert_int_equal(many->n_messages, 3);
    assert_int_equal(many->n_earlier, 0);
}

static void removes_one_conversation_and_only_that(void **state)
{
    struct fixture *f = *state;
    struct conversation *back;
    size_t n;
    assert_int_equal(save(f, two_messages(f, "a"), 0), ERR_NONE);
    assert_int_equal(save(f, two_messages(f, "b"), 0), ERR_NONE);

    assert_int_equal(remove_one(f, "a"), ERR_NONE);

    assert_int_equal(load(f, "a", &back), ERR_NOT_FOUND);
    assert_int_equal(load(f, "b", &back), ERR_NONE);
    list(f, &n);
    assert_int_equal(n, 1);
    assert_int_equal(add(f, "b", "third", 3000), ERR_NONE);
    assert_int_equal(remove_one(f, "b"), ERR_NONE);
    assert_int_equal(load(f, "b", &back), ERR_NOT_FOUND);
    assert_int_equal(save(f, two_messages(f, "b"), 0), ERR_NONE); /* the name is free again */
    assert_int_equal(load(f, "b", &back), ERR_NONE);
    assert_int_equal(back->n_messages, 2);
}

static void refuses_ids_that_are_no_ids(void **state)
{
    struct fixture *f = *state;
    static const char *const bad[] = { "", "..", "../a", "a/b", "a.b", "ä", "a b" };
    struct conversation *back, *c = two_messages(f, "a");

    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        c->id = bad[i];
        assert_int_equal(save(f, c, 0), ERR_INVALID);
        assert_int_equal(load(f, bad[i], &back), ERR_INVALID);
        assert_int_equal(remove_one(f, bad[i]), ERR_INVALID);
        assert_int_equal(add(f, bad[i], "x", 1), ERR_INVALID);
        assert_int_equal(append(f, c, 1, 1000), ERR_INVALID);
    }
}

/* How many bytes a message must have so that the stored conversation has exactly `bytes`. */
static size_t content_bytes_for(struct fixture *f, size_t bytes)
{
    struct conversation *c = conversation_create(&f->arena, "a", 1000);
    conversation_add(&f->arena, c, MESSAGE_USER, "", NULL, 1000);
    json_auto_t *value = conversation_to_json(c);
    auto_str text = json_print_pretty(value);
    return bytes - strlen(text) - 1;
}

static enum err_code save_with_content(struct fixture *f, size_t content_bytes)
{
    struct conversation *c = conversation_create(&f->arena, "a", 1000);
    char *content = arena_alloc(&f->arena, content_bytes + 1);
    memset(content, 'x', content_bytes);
    conversation_add(&f->arena, c, MESSAGE_USER, content, NULL, 1000);
    return save(f, c, 0);
}

static void keeps_a_conversation_at_the_bound_and_refuses_one_byte_more(void **state)
{
    struct fixture *f = *state;
    struct conversation *back;
    size_t at_bound = content_bytes_for(f, CONTRACT_MAX_CONVERSATION_BYTES);

    assert_int_equal(save_with_content(f, at_bound + 1), ERR_LIMIT);
    assert_int_equal(load(f, "a", &back), ERR_NOT_FOUND);
    assert_int_equal(save_with_content(f, at_bound), ERR_NONE);
    assert_int_equal(load(f, "a", &back), ERR_NONE);
    assert_int_equal(add(f, "a", "one too many", 2000), ERR_LIMIT);
    assert_int_equal(load(f, "a", &back), ERR_NONE);
    assert_int_equal(back->n_messages, 1);
}

/* Where additions are counted roughly, they are counted exactly before one is refused. */
static void adds_up_to_the_bound_and_refuses_what_passes_it(void **state)
{
    struct fixture *f = *state;
    struct conversation *back;
    enum { BYTES = 1000 };
    char said[BYTES + 1];
    size_t n = 1;
    memset(said, 'x', BYTES);
    said[BYTES] = '\0';
    assert_int_equal(save_with_content(f, 10), ERR_NONE);
    while (add(f, "a", said, 2000) == ERR_NONE)
        assert_in_range(++n, 1, CONTRACT_MAX_CONVERSATION_BYTES / BYTES);

    assert_int_equal(f->err.code, ERR_LIMIT);
    assert_int_equal(load(f, "a", &back), ERR_NONE);
    assert_int_equal(back->n_messages, n);
    json_auto_t *value = conversation_to_json(back);
    auto_str text = json_print_pretty(value);
    size_t bytes = strlen(text) + 1;
    assert_in_range(bytes, CONTRACT_MAX_CONVERSATION_BYTES - BYTES - 200,
                    CONTRACT_MAX_CONVERSATION_BYTES);
}

int run_conversation_repository_contract(struct repository_subject *on)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(gives_back_what_was_saved),
        T(keeps_what_was_acknowledged_when_it_is_opened_again),
        T(replaces_the_version_that_was_loaded),
        T(refuses_to_overwrite_what_somebody_else_changed),
        T(takes_both_of_two_writers_when_the_refused_one_loads_again),
        T(refuses_a_new_conversation_where_one_exists),
        T(refuses_to_bring_back_what_somebody_removed),
        T(finds_nothing_in_an_empty_store),
        T(lists_the_newest_first),
        T(appends_what_was_said_and_takes_title_and_context_of_it),
        T(appends_a_change_of_the_context_alone),
        T(keeps_a_long_conversation_whole),
        T(puts_messages_behind_a_whole_version_that_was_saved_over_additions),
        T(changes_the_version_with_every_message_also_within_one_millisecond),
        T(gives_the_last_messages_in_order),
        T(removes_one_conversation_and_only_that),
        T(refuses_ids_that_are_no_ids),
        T(keeps_a_conversation_at_the_bound_and_refuses_one_byte_more),
        T(adds_up_to_the_bound_and_refuses_what_passes_it),
    };
    subject = on;
    return cmocka_run_group_tests_name("conversation repository", tests, NULL, NULL);
}
