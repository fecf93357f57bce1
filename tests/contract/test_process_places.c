#include "domain/base/text.h"
#include "infrastructure/runtime/process_places.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/virtual_runtime.h"
#include <string.h>

#define USERS 6
#define USE_MS 10

struct world {
    struct virtual_runtime *runtime;
    struct places *places;
    unsigned most, n_inside, most_inside;
    char order[USERS + 1];
    enum err_code codes[USERS];
};

struct user {
    struct world *world;
    const char *name; /* of what is used */
    unsigned index;
    int64_t patience_ms; /* 0: any */
};

static enum err_code use(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct user *user = argument;
    struct world *world = user->world;
    struct place *place = NULL;
    struct scope bounded = runtime_scope(runtime, scope, user->patience_ms);
    if (virtual_wait(world->runtime, scope, user->index, NULL)) /* one after another */
        return ERR_CANCELLED;
    enum err_code r = places_take(world->places, &bounded, user->name, world->most, &place, NULL);
    world->codes[user->index] = r;
    if (r)
        return r;
    world->order[strlen(world->order)] = (char)('a' + user->index);
    world->n_inside++;
    if (world->n_inside > world->most_inside)
        world->most_inside = world->n_inside;
    (void)!virtual_wait(world->runtime, scope, USE_MS, NULL);
    world->n_inside--;
    places_give_back(world->places, place);
    return ERR_NONE;
}

static struct user users[USERS];

static enum err_code use_all(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)argument;
    struct task *tasks[USERS];
    for (size_t i = 0; i < USERS; i++)
        tasks[i] = runtime_spawn(runtime, scope, use, &users[i]);
    for (size_t i = 0; i < USERS; i++)
        (void)runtime_wait(runtime, tasks[i]);
    return ERR_NONE;
}

/* other: the user that uses something else; impatient: the one that waits for a moment only. */
static struct world used(unsigned most, unsigned other, unsigned impatient)
{
    struct world world = { .runtime = virtual_runtime_create(1), .most = most };
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    world.places = process_places_create(virtual_runtime_port(world.runtime));
    for (unsigned i = 0; i < USERS; i++)
        users[i] = (struct user){ &world, i == other ? "others" : "shop", i,
                                  i == impatient ? USE_MS / 2 : 0 };
    (void)virtual_runtime_run(world.runtime, &scope, use_all, NULL);
    places_destroy(world.places);
    virtual_runtime_destroy(world.runtime);
    return world;
}

static void so_many_have_a_place_at_once_and_who_came_first_is_first(void **state)
{
    (void)state;
    const struct world world = used(2, USERS, USERS);
    assert_int_equal(world.most_inside, 2);
    assert_string_equal(world.order, "abcdef");
}

static void without_a_bound_nobody_waits(void **state)
{
    (void)state;
    assert_int_equal(used(0, USERS, USERS).most_inside, USERS);
}

static void each_name_has_places_of_its_own(void **state)
{
    (void)state;
    const struct world world = used(1, 5, USERS);
    assert_int_equal(world.most_inside, 2);
    assert_string_equal(world.order, "afbcde");
}

static void who_gives_up_waiting_leaves_the_others_in_their_order(void **state)
{
    (void)state;
    const struct world world = used(1, USERS, 2);
    assert_int_equal(world.codes[2], ERR_TIMEOUT);
    assert_string_equal(world.order, "abdef");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(so_many_have_a_place_at_once_and_who_came_first_is_first),
        cmocka_unit_test(without_a_bound_nobody_waits),
        cmocka_unit_test(each_name_has_places_of_its_own),
        cmocka_unit_test(who_gives_up_waiting_leaves_the_others_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
