#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "infrastructure/models/chat_messages.h"

static void folds_every_turn_into_one_system_and_one_user_text(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const struct model_part rules = { MODEL_TEXT, "Rules.", NULL }, q = { MODEL_TEXT, "Q", NULL },
                            a = { MODEL_TEXT, "A", NULL }, late = { MODEL_TEXT, "Late.", NULL };
    const struct model_message messages[] = { { MODEL_SYSTEM, &rules, 1 },
                                              { MODEL_USER, &q, 1 },
                                              { MODEL_ASSISTANT, &a, 1 },
                                              { MODEL_SYSTEM, &late, 1 } };
    const struct model_request request = { .messages = messages, .n_messages = 4 };
    struct chat_messages folded = chat_messages_fold(&arena, &request);
    assert_string_equal(folded.system, "Rules.\n\nLate.");
    assert_string_equal(folded.user, "Q\n\nA");
}

static void leaves_neither_text_empty(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    const struct model_request request = { 0 };
    struct chat_messages folded = chat_messages_fold(&arena, &request);
    assert_string_not_equal(folded.system, "");
    assert_string_not_equal(folded.user, "");
}

static void takes_eight_images_and_no_more(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct model_part parts[9];
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        parts[i] = (struct model_part){ MODEL_IMAGE, "aGk=", "image/png" };
    struct model_message message = { MODEL_USER, parts, 8 };
    const struct model_request request = { .messages = &message, .n_messages = 1 };
    assert_int_equal(chat_messages_fold(&arena, &request).n_images, 8);
    message.n_parts = 9;
    assert_int_equal(chat_messages_fold(&arena, &request).n_images, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_every_turn_into_one_system_and_one_user_text),
        cmocka_unit_test(leaves_neither_text_empty),
        cmocka_unit_test(takes_eight_images_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
