
#include "domain/base/json.h"
#include "domain/entities/conversation.h"
#include "tests/support/cmocka.h"
#include <string.h>

static int open_arena(void **state)
{
    static struct arena arena;
    *state = &arena;
    return 0;
}

static int close_arena(void **state)
{
    arena_finish(*state);
    return 0;
}

static void ids_are_names_that_are_safe_as_files(void **state)
{
    (void)state;
    char id[CONVERSATION_ID_MAX + 2];
    memset(id, 'a', sizeof id);
    id[CONVERSATION_ID_MAX] = '\0';
    assert_true(conversation_id_is_valid(id));
    id[CONVERSATION_ID_MAX] = 'a';
    id[CONVERSATION_ID_MAX + 1] = '\0';
    assert_false(conversation_id_is_valid(id));
    assert_true(conversation_id_is_valid("2026-11-21_a"));
    assert_false(conversation_id_is_valid(""));
    assert_false(conversation_id_is_valid(NULL));
    assert_false(conversation_id_is_valid("../x"));
    assert_false(conversation_id_is_valid("a.b"));
}

static void the_last_messages_are_a_window(void **state)
{
    struct conversation *conversation = conversation_create(*state, "c1", 1000);
    size_t n = 9;
    assert_null(conversation_recent(conversation, 5, &n));
    assert_int_equal(n, 0);
    for (int i = 0; i < 7; i++)
        conversation_add(*state, conversation, MESSAGE_USER, "hello", NULL, 2000 + i);
    const struct message *recent = conversation_recent(conversation, 5, &n);
    assert_int_equal(n, 5);
    assert_int_equal(recent[0].timestamp_ms, 2002);
    assert_int_equal(conversation->updated_at_ms, 2006);
    conversation_recent(conversation, 50, &n);
    assert_int_equal(n, 7);
}

static void a_label_is_the_title_or_the_first_thing_the_user_said(void **state)
{
    struct conversation *conversation = conversation_create(*state, "c1", 0);
    assert_string_equal(conversation_label(*state, conversation), "(empty)");
    conversation_add(*state, conversation, MESSAGE_ASSISTANT, "hi", NULL, 0);
    conversation_add(*state, conversation, MESSAGE_USER, "read\nthe notes", NULL, 0);
    assert_string_equal(conversation_label(*state, conversation), "read\\nthe notes");
    conversation->title = "Notes";
    assert_string_equal(conversation_label(*state, conversation), "Notes");
}

static void bytes_that_are_no_utf8_are_replaced(void **state)
{
    struct conversation *conversation = conversation_create(*state, "c1", 0);
    struct message *message = conversation_add(*state, conversation, MESSAGE_USER,
                                               "a\xff"
                                               "b",
                                               NULL, 0);
    assert_string_equal(message->content, "a\xEF\xBF\xBD"
                                          "b");
}

static void a_conversation_reads_back_as_it_was_written(void **state)
{
    struct conversation *written = conversation_create(*state, "c1", 1732176000123);
    written->title = "Notes";
    json_object_set_new(written->context, "later_key", json_true());
    conversation_add(*state, written, MESSAGE_USER, "hällo", json_pack("{s:i}", "n", 1),
                     1732176000500);
    conversation_add(*state, written, MESSAGE_TOOL, "", NULL, 1732176000500);

    json_auto_t *stored = conversation_to_json(written);
    struct conversation *read = NULL;
    assert_int_equal(conversation_from_json(*state, stored, &read, NULL), ERR_NONE);

    json_auto_t *again = conversation_to_json(read);
    assert_true(json_equal(stored, again));
    assert_int_equal(read->created_at_ms, 1732176000123);
    assert_int_equal(read->updated_at_ms, 1732176000501); /* every message is a new version */
    assert_true(json_get_bool(read->context, "later_key", false));
    assert_int_equal(read->messages[1].role, MESSAGE_TOOL);
    conversation_add(*state, read, MESSAGE_USER, "more", NULL, 7);
    assert_int_equal(read->n_messages, 3);
}

static void the_update_time_of_an_old_file_is_its_creation(void **state)
{
    json_auto_t *stored = json_pack("{s:s,s:s,s:[]}", "conversation_id", "c1", "created_at",
                                    "2026-11-21T08:15:30Z", "messages");
    struct conversation *read = NULL;
    assert_int_equal(conversation_from_json(*state, stored, &read, NULL), ERR_NONE);
    assert_int_equal(read->updated_at_ms, read->created_at_ms);
    assert_true(json_is_object(read->context));
    assert_null(read->title);
}

static void a_member_that_does_not_fit_is_named(void **state)
{
#define HEAD "\"conversation_id\":\"c\",\"created_at\":\"2026-11-21T08:15:30Z\""
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "[]", "a conversation must be an object" },
        { "{\"version\":2}", "version 2 is not known, only 1" },
        { "{}", "conversation_id is not 1 to 64 letters, digits, \"-\" and \"_\"" },
        { "{\"conversation_id\":\"c\"}", "created_at is not a date-time" },
        { "{" HEAD ",\"title\":1}", "title is not a string" },
        { "{" HEAD ",\"context\":1}", "context is not an object" },
        { "{" HEAD ",\"updated_at\":\"now\"}", "updated_at is not a date-time" },
        { "{" HEAD "}", "messages is not an array" },
        { "{" HEAD ",\"messages\":[{}]}",
          "message 0: role is none of system, user, assistant, tool" },
        { "{" HEAD ",\"messages\":[{\"role\":\"user\"}]}", "message 0: content is not a string" },
        { "{" HEAD ",\"messages\":[{\"role\":\"user\",\"content\":\"a\\u0000\"}]}",
          "message 0: content is not a string" },
        { "{" HEAD ",\"messages\":[{\"role\":\"user\",\"content\":\"\"}]}",
          "message 0: timestamp is not a date-time" },
        { "{" HEAD ",\"messages\":[{\"role\":\"user\",\"content\":\"\",\"metadata\":1}]}",
          "message 0: metadata is not an object" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        json_t *value = NULL;
        struct conversation *read = NULL;
        struct err err = { 0 };
        assert_int_equal(json_parse(cases[i].text, strlen(cases[i].text), JSON_OURS, &value, NULL),
                         ERR_NONE);
        assert_int_equal(conversation_from_json(*state, value, &read, &err), ERR_INVALID);
        assert_string_equal(err.message, cases[i].message);
        assert_null(read);
        json_decref(value);
    }
}

static struct conversation *with_messages(struct arena *arena, size_t n)
{
    struct conversation *c = conversation_create(arena, "a", 1000);
    for (size_t i = 0; i < n; i++)
        conversation_add(arena, c, MESSAGE_USER, arena_printf(arena, "%zu", i), NULL, 1000);
    return c;
}

static void the_end_of_a_conversation_counts_from_where_it_is_cut(void **state)
{
    struct arena *arena = *state;
    struct conversation *c = with_messages(arena, 6);
    json_object_set_new(c->context, CONVERSATION_CLEARED_KEY, json_integer(3));

    conversation_keep_recent(c, 6);
    assert_int_equal(c->n_earlier, 0);
    assert_int_equal(conversation_live_start(c), 3);
    conversation_keep_recent(c, 4);
    assert_int_equal(c->n_earlier, 2);
    assert_string_equal(c->messages[0].content, "2");
    assert_int_equal(conversation_live_start(c), 1);
    conversation_keep_recent(c, 2);
    assert_int_equal(conversation_live_start(c), 0);

    conversation_start_fresh(c);
    assert_int_equal(json_get_int(c->context, CONVERSATION_CLEARED_KEY, 0), 6);
    assert_int_equal(conversation_live_start(c), 2);
    conversation_keep_recent(c, 0);
    conversation_add(arena, c, MESSAGE_USER, "6", NULL, 1000);
    assert_int_equal(c->n_earlier + c->n_messages, 7);
}

static void a_part_is_joined_to_what_it_follows(void **state)
{
    struct arena *arena = *state;
    struct conversation *whole = with_messages(arena, 3), *part = NULL;
    struct conversation *longer = with_messages(arena, 5);
    longer->title = "t";
    json_t *end = arena_keep_json(arena, conversation_end_to_json(longer, 3));
    assert_int_equal(json_get_int(end, "earlier", 0), 3);
    assert_int_equal(conversation_from_json(arena, end, &part, NULL), ERR_NONE);

    assert_true(conversation_join(arena, whole, part));
    json_t *joined = arena_keep_json(arena, conversation_to_json(whole));
    assert_true(json_equal(joined, arena_keep_json(arena, conversation_to_json(longer))));

    assert_false(conversation_join(arena, whole, part)); /* it has them already */
    whole->n_messages = 2;
    assert_false(conversation_join(arena, whole, part));
    whole->n_messages = 3;
    whole->id = "b";
    assert_false(conversation_join(arena, whole, part));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
    const struct CMUnitTest tests[] = {
        T(ids_are_names_that_are_safe_as_files),
        T(the_last_messages_are_a_window),
        T(a_label_is_the_title_or_the_first_thing_the_user_said),
        T(bytes_that_are_no_utf8_are_replaced),
        T(a_conversation_reads_back_as_it_was_written),
        T(the_update_time_of_an_old_file_is_its_creation),
        T(the_end_of_a_conversation_counts_from_where_it_is_cut),
        T(a_part_is_joined_to_what_it_follows),
        T(a_member_that_does_not_fit_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
