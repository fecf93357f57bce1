#include "tests/support/full/contracts/places_contract.h"
#include "tests/support/cmocka.h"
#include <string.h>

enum { USERS = 6, NOBODY = USERS, USE_MS = 10, POLLS = 5000 };

struct world {
    struct runtime *runtime;
    struct places *places;
    unsigned most, n_come, n_inside, most_inside;
    unsigned expected; /* who is inside stays until there were so many at once */
    char order[USERS + 1];
    enum err_code codes[USERS];
};

struct user {
    struct world *world;
    const char *name; /* of what is used */
    unsigned index;
    int64_t patience_ms; /* 0: any */
};

static const struct places_subject *subject;
static struct user users[USERS];

static void stay(struct world *world, struct scope *scope)
{
    world->n_inside++;
    if (world->n_inside > world->most_inside)
        world->most_inside = world->n_inside;
    (void)!runtime_sleep(world->runtime, scope, USE_MS, NULL);
    for (int i = 0; world->most_inside < world->expected && i < POLLS; i++)
        (void)!runtime_sleep(world->runtime, scope, 1, NULL);
    world->n_inside--;
}

static enum err_code use(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct user *user = argument;
    struct world *world = user->world;
    struct place *place = NULL;
    while (world->n_come < user->index) /* one after another */
        (void)!runtime_sleep(runtime, scope, 1, NULL);
    world->n_come++;
    struct scope bounded = runtime_scope(runtime, scope, user->patience_ms);
    enum err_code r = places_take(world->places, &bounded, user->name, world->most, &place, NULL);
    world->codes[user->index] = r;
    if (r)
        return r;
    world->order[strlen(world->order)] = (char)('a' + user->index);
    stay(world, scope);
    places_give_back(world->places, place);
    return ERR_NONE;
}

static enum err_code use_all(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct task *tasks[USERS];
    (void)argument;
    for (size_t i = 0; i < USERS; i++)
        tasks[i] = runtime_spawn(runtime, scope, use, &users[i]);
    for (size_t i = 0; i < USERS; i++)
        (void)runtime_wait(runtime, tasks[i]);
    return ERR_NONE;
}

/* other: the user that uses something else; impatient: the one that waits for a moment only. */
static struct world used(unsigned most, unsigned expected, unsigned other, unsigned impatient)
{
    struct world world = { .most = most, .expected = expected };
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    subject->open(&world.runtime, &world.places);
    for (unsigned i = 0; i < USERS; i++)
        users[i] = (struct user){ &world, i == other ? "others" : "shop", i,
                                  i == impatient ? USE_MS / 2 : 0 };
    subject->run(&scope, use_all, NULL);
    places_destroy(world.places);
    subject->close();
    return world;
}

static void so_many_have_a_place_at_once_and_who_came_first_is_first(void **state)
{
    (void)state;
    const struct world world = used(2, 2, NOBODY, NOBODY);
    assert_int_equal(world.most_inside, 2);
    assert_string_equal(world.order, "abcdef");
}

static void without_a_bound_nobody_waits(void **state)
{
    (void)state;
    assert_int_equal(used(0, USERS, NOBODY, NOBODY).most_inside, USERS);
}

static void each_name_has_places_of_its_own(void **state)
{
    (void)state;
    const struct world world = used(1, 2, 5, NOBODY);
    assert_int_equal(world.most_inside, 2);
    assert_string_equal(world.order, "afbcde");
}

static void who_gives_up_waiting_leaves_the_others_in_their_order(void **state)
{
    (void)state;
    const struct world world = used(1, 1, NOBODY, 2);
    assert_int_equal(world.codes[2], ERR_TIMEOUT);
    assert_int_equal(world.most_inside, 1);
    assert_string_equal(world.order, "abdef");
}

int run_places_contract(const struct places_subject *of)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(so_many_have_a_place_at_once_and_who_came_first_is_first),
        cmocka_unit_test(without_a_bound_nobody_waits),
        cmocka_unit_test(each_name_has_places_of_its_own),
        cmocka_unit_test(who_gives_up_waiting_leaves_the_others_in_their_order),
    };
    subject = of;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
