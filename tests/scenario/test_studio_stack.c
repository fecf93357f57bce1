/* A turn of the studio on a real stack: the whole ladder, then an image, in at most half of it. */
#include "application/use_cases/studio_chat.h"
#include "infrastructure/runtime/fiber.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/full/virtual_runtime.h"
#include <stdio.h>

#define MOST_BYTES (FIBER_STACK_BYTES / 2)
#define DRAW                                                                                       \
    "[{\"name\":\"draw\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"prompt\":{"        \
    "\"type\":\"string\"}}}}]"
#define DRAW_A_CAT                                                                                 \
    "{\"prompt\": \"a cat\", \"generate_image\": true, \"steps\": 4, \"cfg\": 1.0, \"seed\": -1}"

struct talk {
    struct virtual_runtime *runtime;
    struct fake_services services;
    struct studio_chat *chat;
    struct arena arena;
    struct scope scope;
    struct studio_result result;
    enum err_code code;
};

static enum err_code take_turn(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct talk *talk = argument;
    const struct studio_request request = { .message = "a cat", .session_id = "s" };
    const char *session_id;
    talk->code = studio_chat_turn(talk->chat, scope, &talk->arena, &request, &session_id,
                                  &talk->result, NULL);
    return talk->code;
}

static void a_turn_with_every_rung_and_an_image_uses_at_most_half_of_its_stack(void **state)
{
    (void)state;
    static struct talk talk = { .scope.deadline_ms = SCOPE_NO_DEADLINE }; /* large for a frame */
    talk.runtime = virtual_runtime_create(1);
    fake_services_init(&talk.services, virtual_runtime_port(talk.runtime), SOURCE_DIR);
    fake_services_add_server(&talk.services, "art", DRAW);
    talk.services.settings.studio_image_tool = "art/draw";
    talk.services.base.approve_all = true;
    for (int i = 0; i < 3; i++)
        fake_model_reply(&talk.services.model, "no JSON");
    fake_model_reply(&talk.services.model, DRAW_A_CAT);
    talk.chat = studio_chat_create(&talk.services.base);

    fiber_pool_drain(); /* only stacks that were painted from the start are measured */
    fiber_paint_stacks(true);
    (void)virtual_runtime_run(talk.runtime, &talk.scope, take_turn, &talk);
    size_t bytes = fiber_high_water_bytes();
    fiber_paint_stacks(false);
    printf("%zu KiB of %d KiB\n", bytes / 1024, FIBER_STACK_BYTES / 1024);

    assert_int_equal(talk.code, ERR_NONE);
    assert_int_equal(talk.result.end, STUDIO_ANSWERED);
    assert_string_equal(talk.result.image, "ok");
    assert_in_range(bytes, 1, MOST_BYTES);
    assert_int_equal(virtual_runtime_tasks(talk.runtime), 0);
    studio_chat_destroy(talk.chat);
    arena_finish(&talk.arena);
    fake_services_finish(&talk.services);
    virtual_runtime_destroy(talk.runtime);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_with_every_rung_and_an_image_uses_at_most_half_of_its_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
