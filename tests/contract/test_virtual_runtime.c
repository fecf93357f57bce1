/* What the seeded runtime promises beyond the port: the same seed is the same story. */
#include "tests/support/cmocka.h"
#include "tests/support/full/virtual_runtime.h"
#include <string.h>

#define MEMBERS 6

/* Tasks that write their letter whenever they run; the text is one interleaving. */
struct story {
    struct virtual_runtime *runtime;
    char text[MEMBERS * 3 + 1];
    int64_t ended_ms;
};

struct member {
    struct story *story;
    char letter;
};

static enum err_code write_letters(struct runtime *port, struct scope *scope, void *argument)
{
    struct member *member = argument;
    enum err_code code = ERR_NONE;
    for (unsigned i = 0; i < 3 && !code; i++) {
        member->story->text[strlen(member->story->text)] = member->letter;
        code = virtual_wait(member->story->runtime, scope, 10, NULL);
    }
    (void)port;
    return code;
}

static enum err_code tell(struct runtime *port, struct scope *scope, void *argument)
{
    struct story *story = argument;
    struct member members[MEMBERS];
    struct task *tasks[MEMBERS];
    enum err_code worst = ERR_NONE;
    for (size_t i = 0; i < MEMBERS; i++) {
        members[i] = (struct member){ .story = story, .letter = (char)('a' + i) };
        tasks[i] = runtime_spawn(port, scope, write_letters, &members[i]);
    }
    for (size_t i = 0; i < MEMBERS; i++) {
        enum err_code code = runtime_wait(port, tasks[i]);
        worst = code ? code : worst;
    }
    story->ended_ms = runtime_now_ms(port);
    return worst;
}

static struct story told_with(uint64_t seed)
{
    struct story story = { .runtime = virtual_runtime_create(seed) };
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    (void)virtual_runtime_run(story.runtime, &scope, tell, &story);
    virtual_runtime_destroy(story.runtime);
    return story;
}

static void repeats_a_story_with_its_seed(void **state)
{
    (void)state;

    struct story first = told_with(5), second = told_with(5);

    assert_string_equal(first.text, second.text);
    assert_int_equal(strlen(first.text), MEMBERS * 3);
}

static void tells_many_stories_with_many_seeds(void **state)
{
    (void)state;
    struct story first = told_with(0);
    size_t different = 0;

    for (uint64_t seed = 1; seed <= 100; seed++)
        different += strcmp(told_with(seed).text, first.text) != 0;

    assert_true(different >= 95);
}

static void lets_time_pass_only_when_everybody_waits(void **state)
{
    (void)state;

    struct story story = told_with(9);

    assert_int_equal(story.ended_ms, 30);
}

static void cancels_a_scope_at_the_moment_it_was_told(void **state)
{
    (void)state;
    struct story story = { .runtime = virtual_runtime_create(3) };
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    virtual_runtime_cancel_at(story.runtime, &scope, 15);

    enum err_code code = virtual_runtime_run(story.runtime, &scope, tell, &story);

    size_t left = virtual_runtime_tasks(story.runtime);
    size_t switches = virtual_runtime_switches(story.runtime);
    virtual_runtime_destroy(story.runtime);
    assert_int_equal(code, ERR_CANCELLED);
    assert_int_equal(story.ended_ms, 15);
    assert_int_equal(left, 0);
    assert_true(switches >= MEMBERS * 3);
}

static void draws_numbers_below_the_bound(void **state)
{
    (void)state;
    struct virtual_runtime *runtime = virtual_runtime_create(1);
    unsigned seen = 0;

    for (unsigned i = 0; i < 200; i++)
        seen |= 1U << virtual_runtime_random(runtime, 4);

    virtual_runtime_destroy(runtime);
    assert_int_equal(seen, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_a_story_with_its_seed),
        cmocka_unit_test(tells_many_stories_with_many_seeds),
        cmocka_unit_test(lets_time_pass_only_when_everybody_waits),
        cmocka_unit_test(cancels_a_scope_at_the_moment_it_was_told),
        cmocka_unit_test(draws_numbers_below_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
