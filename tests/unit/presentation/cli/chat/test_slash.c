
#include "presentation/cli/chat/slash.h"
#include "presentation/cli/style.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <string.h>

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_console console;
    struct arguments args;
    struct arena arena;
    struct scope scope;
    struct cli cli;
    struct dialogue dialogue;
};

static const struct dialogue_kind kind = { .command = "chat" };

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    fake_console_init(&bench->console, "");
    bench->cli = (struct cli){ .args = &bench->args,
                               .services = &bench->services.base,
                               .console = &bench->console.base,
                               .scope = &bench->scope,
                               .arena = &bench->arena,
                               .style = style_make(false, NULL, NULL, NULL),
                               .answer_style = style_make(false, NULL, NULL, NULL) };
    bench->dialogue.cli = &bench->cli;
    bench->dialogue.kind = &kind;
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    arena_finish(&bench->arena);
    fake_console_finish(&bench->console);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

/* A session of n messages: "message 1", "message 2", … */
static void store_as(struct bench *bench, const char *id, int n, const char *title)
{
    struct conversation *conversation = conversation_create(&bench->arena, id, 1);
    conversation->title = title;
    for (int i = 1; i <= n; i++)
        conversation_add(&bench->arena, conversation, MESSAGE_USER,
                         arena_printf(&bench->arena, "message %d", i), NULL, i);
    assert_int_equal(conversation_repository_save(bench->services.conversations_port, &bench->scope,
                                                  conversation, 0, NULL),
                     ERR_NONE);
}

static void store(struct bench *bench, int n, const char *title)
{
    store_as(bench, "s", n, title);
}

static void history_shows_the_last_ten_messages(void **state)
{
    struct bench *bench = *state;
    store(bench, 12, NULL);
    strcpy(bench->dialogue.session_id, "s");

    slash_run(&bench->dialogue, &bench->scope, "/history");

    const char *out = buf_string(&bench->console.out);
    assert_non_null(strstr(out, "message 3\n"));
    assert_non_null(strstr(out, "message 12\n"));
    assert_null(strstr(out, "message 2\n"));
}

static void history_marks_where_a_session_was_cleared_or_begun(void **state)
{
    struct bench *bench = *state;
    store(bench, 2, NULL);
    strcpy(bench->dialogue.session_id, "s");
    slash_run(&bench->dialogue, &bench->scope, "/clear");
    slash_run(&bench->dialogue, &bench->scope, "/history");
    assert_non_null(strstr(buf_string(&bench->console.out),
                           "message 1\nuser      message 2\n-- cleared: what is above is not"));

    slash_run(&bench->dialogue, &bench->scope, "/new");
    store_as(bench, "t", 1, NULL);
    strcpy(bench->dialogue.session_id, "t");
    slash_run(&bench->dialogue, &bench->scope, "/history");
    assert_non_null(strstr(buf_string(&bench->console.out),
                           "-- new session; /load s goes back --\nuser      message 1\n"));
}

static void load_shows_what_the_session_was_about(void **state)
{
    struct bench *bench = *state;
    store(bench, 3, NULL);

    slash_run(&bench->dialogue, &bench->scope, "/load s");

    const char *shown = buf_string(&bench->console.err);
    assert_non_null(strstr(shown, "session s: message 1 ("));
    assert_non_null(
        strstr(shown, " ago, 3 messages)\n  user      message 2\n  user      message 3\n"));
}

static void with_json_what_a_command_says_stands_beside_the_answers(void **state)
{
    struct bench *bench = *state;
    store(bench, 1, NULL);
    strcpy(bench->dialogue.session_id, "s");
    bench->args.json = true;

    slash_run(&bench->dialogue, &bench->scope, "/help");
    slash_run(&bench->dialogue, &bench->scope, "/history");
    slash_run(&bench->dialogue, &bench->scope, "/sessions");
    assert_string_equal(buf_string(&bench->console.out), "");
    assert_non_null(strstr(buf_string(&bench->console.err), "/history"));
    assert_non_null(strstr(buf_string(&bench->console.err), "message 1\n"));

    slash_run(&bench->dialogue, &bench->scope, "/load other");
    assert_non_null(strstr(buf_string(&bench->console.out), "{\"error\":"));
    slash_run(&bench->dialogue, &bench->scope, "/export");
    assert_non_null(strstr(buf_string(&bench->console.out), "\"message 1\""));
}

static void load_goes_on_with_a_session_and_obeys_nothing_in_its_title(void **state)
{
    struct bench *bench = *state;
    store(bench, 1, "a\033[2Jb");

    slash_run(&bench->dialogue, &bench->scope, "/load s");

    assert_string_equal(bench->dialogue.session_id, "s");
    assert_non_null(strstr(buf_string(&bench->console.err), "a\\x1b[2Jb"));
    assert_null(strchr(buf_string(&bench->console.err), '\033'));
}

static void load_keeps_the_session_when_there_is_none_of_that_name(void **state)
{
    struct bench *bench = *state;
    strcpy(bench->dialogue.session_id, "mine");

    slash_run(&bench->dialogue, &bench->scope, "/load other");

    assert_string_equal(bench->dialogue.session_id, "mine");
    assert_non_null(strstr(buf_string(&bench->console.err), "no session"));
    /* What follows in a pipe was meant for the other session. */
    assert_true(bench->dialogue.leaving);
    assert_int_equal(bench->dialogue.status, 2);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(history_shows_the_last_ten_messages),
        TEST(history_marks_where_a_session_was_cleared_or_begun),
        TEST(load_shows_what_the_session_was_about),
        TEST(with_json_what_a_command_says_stands_beside_the_answers),
        TEST(load_goes_on_with_a_session_and_obeys_nothing_in_its_title),
        TEST(load_keeps_the_session_when_there_is_none_of_that_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
