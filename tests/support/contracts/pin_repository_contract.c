#include "tests/support/contracts/pin_repository_contract.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define ID PIN_CONTRACT_ID

struct operation {
    struct pin_fixture *f;
    enum { LOOK, LOAD, SAVE } kind;
    const char *identity;
    struct pins pins;
    struct pins_head head;
};

static enum err_code perform(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct operation *o = argument;
    struct pin_repository *r = o->f->repository;
    if (o->kind == LOOK)
        return pin_repository_look(r, scope, o->identity, &o->head, &o->f->err);
    if (o->kind == LOAD)
        return pin_repository_load(r, scope, o->identity, &o->f->arena, &o->pins, &o->f->err);
    return pin_repository_save(r, scope, &o->pins, &o->f->err);
}

static enum err_code run(struct pin_fixture *f, struct operation *o)
{
    o->f = f;
    return f->subject->run(f->subject, perform, o);
}

/* Under one offer, "". */
static struct pins_head head(int64_t revision, const char *fingerprint)
{
    struct pins_head head = { .revision = revision, .n_offers = 1 };
    strcpy(head.offers[0].fingerprint, fingerprint);
    return head;
}

enum err_code pin_save_all(struct pin_fixture *f, const char *identity, struct pins_head head,
                           struct pin *list, size_t n)
{
    struct operation o = {
        .kind = SAVE,
        .pins = { .identity = identity, .server = "weather", .head = head, .list = list, .n = n }
    };
    return run(f, &o);
}

enum err_code pin_save(struct pin_fixture *f, const char *identity, int64_t revision,
                       const char *fingerprint, struct pin *list, size_t n)
{
    return pin_save_all(f, identity, head(revision, fingerprint), list, n);
}

enum err_code pin_look(struct pin_fixture *f, const char *identity, struct pins_head *out)
{
    struct operation o = { .kind = LOOK, .identity = identity };
    enum err_code r = run(f, &o);
    *out = o.head;
    return r;
}

enum err_code pin_load(struct pin_fixture *f, const char *identity, struct pins *out)
{
    struct operation o = { .kind = LOAD, .identity = identity };
    enum err_code r = run(f, &o);
    *out = o.pins;
    return r;
}

static struct repository_subject *subject;

int pin_fixture_open(void **state, struct repository_subject *on)
{
    static struct pin_fixture f;
    f = (struct pin_fixture){ .subject = on, .repository = on->open(on) };
    *state = &f;
    return 0;
}

int pin_fixture_close(void **state)
{
    struct pin_fixture *f = *state;
    pin_repository_destroy(f->repository);
    f->subject->close(f->subject);
    arena_finish(&f->arena);
    return 0;
}

static int setup(void **state)
{
    return pin_fixture_open(state, subject);
}

struct pin pin_examples[2] = {
    { "read", "h1", "{\"description\":\"Reads \\\"it\\\".\\n\",\"name\":\"read\"}" },
    { "sch\303\266n\"", "h2", "{\"name\":\"x\",\"title\":\"T\"}" },
};

static void gives_back_what_was_pinned_byte_for_byte(void **state)
{
    struct pin_fixture *f = *state;
    struct pins_head head;
    struct pins pins;

    assert_int_equal(pin_save(f, ID, 0, "f1", pin_examples, 2), ERR_NONE);

    assert_int_equal(pin_look(f, ID, &head), ERR_NONE);
    assert_int_equal(head.revision, 1);
    assert_true(head.has_folders);
    assert_int_equal(head.n_offers, 1);
    assert_string_equal(head.offers[0].name, "");
    assert_string_equal(head.offers[0].fingerprint, "f1");
    assert_int_equal(pin_load(f, ID, &pins), ERR_NONE);
    assert_string_equal(pins.identity, ID);
    assert_int_equal(pins.head.revision, 1);
    assert_string_equal(pins.head.offers[0].fingerprint, "f1");
    assert_int_equal(pins.n, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(pins.list[i].name, pin_examples[i].name);
        assert_string_equal(pins.list[i].hash, pin_examples[i].hash);
        assert_string_equal(pins.list[i].definition, pin_examples[i].definition);
    }
}

static void knows_nothing_of_other_configurations(void **state)
{
    struct pin_fixture *f = *state;
    struct pins_head head;
    struct pins pins;
    assert_int_equal(pin_save(f, ID, 0, "f1", pin_examples, 2), ERR_NONE);

    assert_int_equal(pin_look(f, "abc", &head), ERR_NONE);
    assert_int_equal(head.revision, 0);
    assert_int_equal(head.n_offers, 0);
    assert_int_equal(pin_load(f, "abc", &pins), ERR_NOT_FOUND);
}

static void pins_a_server_without_tools(void **state)
{
    struct pin_fixture *f = *state;
    struct pins pins;
    assert_int_equal(pin_save(f, ID, 0, "f0", NULL, 0), ERR_NONE);
    assert_int_equal(pin_load(f, ID, &pins), ERR_NONE);
    assert_int_equal(pins.n, 0);
}

static void keeps_as_many_offers_as_there_may_be(void **state)
{
    struct pin_fixture *f = *state;
    struct pins_head written = { .n_offers = PINS_MAX_OFFERS }, read;
    for (size_t i = 0; i < PINS_MAX_OFFERS; i++) {
        struct pin_offer *offer = &written.offers[i];
        memset(offer->name, 'a' + (int)i, sizeof offer->name - 1);
        memset(offer->fingerprint, 'a' + (int)i, i % 2 ? sizeof offer->fingerprint - 1 : 0);
    }

    assert_int_equal(pin_save_all(f, ID, written, pin_examples, 2), ERR_NONE);
    assert_int_equal(pin_look(f, ID, &read), ERR_NONE);

    assert_int_equal(read.n_offers, PINS_MAX_OFFERS);
    for (size_t i = 0; i < PINS_MAX_OFFERS; i++) {
        assert_string_equal(read.offers[i].name, written.offers[i].name);
        assert_string_equal(read.offers[i].fingerprint, written.offers[i].fingerprint);
    }
}

static void refuses_a_writer_who_has_not_seen_the_latest(void **state)
{
    struct pin_fixture *f = *state;
    struct pins pins;

    assert_int_equal(pin_save(f, ID, 1, "f1", pin_examples, 2), ERR_MISMATCH);
    assert_int_equal(pin_save(f, ID, 0, "f1", pin_examples, 1), ERR_NONE);
    assert_int_equal(pin_save(f, ID, 0, "f2", pin_examples, 2), ERR_MISMATCH);
    assert_int_equal(pin_save(f, ID, 1, "f2", pin_examples, 2), ERR_NONE);
    assert_int_equal(pin_save(f, ID, 1, "f3", pin_examples, 1), ERR_MISMATCH);

    assert_int_equal(pin_load(f, ID, &pins), ERR_NONE);
    assert_int_equal(pins.head.revision, 2);
    assert_string_equal(pins.head.offers[0].fingerprint, "f2");
    assert_int_equal(pins.n, 2);
}

int run_pin_repository_contract(struct repository_subject *on)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, pin_fixture_close)
    const struct CMUnitTest tests[] = {
        T(gives_back_what_was_pinned_byte_for_byte),
        T(knows_nothing_of_other_configurations),
        T(pins_a_server_without_tools),
        T(keeps_as_many_offers_as_there_may_be),
        T(refuses_a_writer_who_has_not_seen_the_latest),
    };
#undef T
    subject = on;
    return cmocka_run_group_tests_name("pin repository", tests, NULL, NULL);
}
