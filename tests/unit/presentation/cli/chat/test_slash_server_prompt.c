
#include "presentation/cli/chat/slash.h"
#include "presentation/cli/commands/request_words.h"
#include "presentation/cli/style.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_console.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <stdlib.h>
#include <string.h>

#define SAYS(text)                                                                                 \
    "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"" text "\"}}]}"

struct bench {
    struct dialogue dialogue; /* first: what the turn gets */
    char said[200];
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_tool_server *server;
    struct fake_console console;
    struct arguments args;
    struct arena arena;
    struct scope scope;
    struct cli cli;
};

static void keep_said(struct dialogue *dialogue, struct scope *scope, const char *text)
{
    struct bench *b = (struct bench *)dialogue;
    (void)scope;
    strncpy(b->said, text, sizeof b->said - 1);
}

static const struct dialogue_kind chat = { .command = "chat", .take_prompt = keep_said };
static const struct dialogue_kind studio = { .command = "studio" };

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->runtime = immediate_runtime();
    b->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&b->services, &b->runtime.port, SOURCE_DIR);
    b->server = fake_services_add_server(&b->services, "notes", "[]");
    b->server->offered[OFFERING_PROMPT] =
        "[{\"name\":\"summary\",\"arguments\":[{\"name\":\"topic\"},{\"name\":\"tone\"},"
        "{\"name\":\"to\\u001b\"}]},{\"name\":\"sum\\u001b\"},{\"name\":\"other\"}]";
    b->server->completions[0] =
        (struct fake_completion){ "topic", { "plums", "plum cake", "pl\"um", "pl\x1b[31mum" } };
    b->server->offered[OFFERING_RESOURCE] = "[{\"uri\":\"n:1\"}]";
    fake_tool_server_offer(b->server, (struct fake_offering_reply){ .kind = OFFERING_PROMPT,
                                                                    .key = "summary",
                                                                    .result = SAYS("say @this") });
    fake_tool_server_offer(b->server, (struct fake_offering_reply){
                                          .kind = OFFERING_RESOURCE,
                                          .key = "n:1",
                                          .result = "{\"contents\":[{\"text\":\"plums\"}]}" });
    fake_console_init(&b->console, "");
    b->cli = (struct cli){ .args = &b->args,
                           .services = &b->services.base,
                           .console = &b->console.base,
                           .scope = &b->scope,
                           .arena = &b->arena,
                           .style = style_make(false, NULL, NULL, NULL),
                           .answer_style = style_make(false, NULL, NULL, NULL) };
    b->dialogue = (struct dialogue){ .cli = &b->cli, .kind = &chat, .turn = &b->scope };
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    arena_finish(&b->arena);
    fake_console_finish(&b->console);
    fake_services_finish(&b->services);
    free(b);
    return 0;
}

static void says_the_prompt_as_it_is(void **state)
{
    struct bench *b = *state;
    slash_run(&b->dialogue, &b->scope, "/notes:summary topic=\"two plums\" 'tone=very dry' x=");
    assert_string_equal(buf_string(&b->console.err), "");
    assert_string_equal(b->said, "say @this");
}

static void refuses_words_that_are_no_arguments_and_asks_nobody(void **state)
{
    static const char *const lines[] = { "/notes:summary plums", "/notes:summary =plums",
                                         "/notes:summary a=\xff" };
    struct bench *b = *state;
    for (size_t i = 0; i < ARRAY_LENGTH(lines); i++)
        slash_run(&b->dialogue, &b->scope, lines[i]);
    assert_string_equal(b->said, "");
    assert_int_equal(b->server->n_offering_requests, 0);
    assert_non_null(strstr(buf_string(&b->console.err), "\"plums\" is not an argument"));
}

static void says_no_prompt_longer_than_a_request_may_be(void **state)
{
    struct bench *b = *state;
    b->services.settings.limits_request_bytes = strlen("say @this") - 1;
    slash_run(&b->dialogue, &b->scope, "/notes:summary");
    assert_string_equal(b->said, "");
    b->services.settings.limits_request_bytes = strlen("say @this");
    slash_run(&b->dialogue, &b->scope, "/notes:summary");
    assert_string_equal(b->said, "say @this");
}

static void is_an_unknown_command_where_prompts_mean_nothing(void **state)
{
    struct bench *b = *state;
    b->dialogue.kind = &studio;
    slash_run(&b->dialogue, &b->scope, "/notes:summary");
    assert_string_equal(b->said, "");
    assert_non_null(strstr(buf_string(&b->console.err), "unknown command"));
}

static void completes_names_that_a_line_can_hold(void **state)
{
    struct bench *b = *state;
    const char **found = NULL;
    size_t n = 0;
    slash_complete(&b->dialogue, &b->arena, "/notes:su", &found, &n);
    assert_int_equal(n, 1);
    assert_string_equal(found[0], "/notes:summary");
    slash_complete(&b->dialogue, &b->arena, "/nobody:su", &found, &n);
    assert_int_equal(n, 0);
}

static void completes_the_first_letters_of_a_server_to_its_prompts(void **state)
{
    struct bench *b = *state;
    static struct server_config configured[] = { { .name = "notes", .enabled = true },
                                                 { .name = "nope" } };
    struct settings settings = *b->services.base.settings;
    const char **found = NULL;
    size_t n = 0;
    settings.servers = configured;
    settings.n_servers = 2;
    b->services.base.settings = &settings;

    slash_complete(&b->dialogue, &b->arena, "/no", &found, &n);

    assert_int_equal(n, 2);
    assert_string_equal(found[0], "/notes:summary");
    assert_string_equal(found[1], "/notes:other");
}

static void completes_the_arguments_that_are_not_given_yet(void **state)
{
    struct bench *b = *state;
    const char **found = NULL;
    size_t n = 0;
    slash_complete(&b->dialogue, &b->arena, "/notes:summary ", &found, &n);
    assert_int_equal(n, 2);
    assert_string_equal(found[0], "topic=");
    assert_string_equal(found[1], "tone=");
    slash_complete(&b->dialogue, &b->arena, "/notes:summary topic=\"a b\" to", &found, &n);
    assert_int_equal(n, 1);
    assert_string_equal(found[0], "tone=");
    slash_complete(&b->dialogue, &b->arena, "/notes:nothing to", &found, &n);
    assert_int_equal(n, 0);
    slash_complete(&b->dialogue, &b->arena, "/notes: to", &found, &n);
    assert_int_equal(n, 0);
}

static void completes_values_that_a_line_can_hold_by_the_word_of_the_server(void **state)
{
    struct bench *b = *state;
    const char **found = NULL;
    size_t n = 0;
    slash_complete(&b->dialogue, &b->arena, "/notes:summary tone=dry topic=", &found, &n);
    assert_int_equal(n, 2);
    assert_string_equal(found[0], "topic=plums");
    assert_string_equal(found[1], "topic=\"plum cake\"");
    assert_int_equal(b->server->completed.kind, OFFERING_PROMPT);
    assert_string_equal(b->server->completed.key, "summary");
    assert_string_equal(json_string_value(json_object_get(b->server->completed.others, "tone")),
                        "dry");
    slash_complete(&b->dialogue, &b->arena, "/notes:summary topic='plum", &found, &n);
    assert_int_equal(n, 2);
    assert_string_equal(found[1], "topic='plum cake'");
    slash_complete(&b->dialogue, &b->arena, "/notes:summary topic=plum", &found, &n);
    assert_int_equal(n, 1);
    slash_complete(&b->dialogue, &b->arena, "/nobody:summary topic=", &found, &n);
    assert_int_equal(n, 0);
}

static void waits_for_no_slow_server(void **state)
{
    struct bench *b = *state;
    const char **found = NULL;
    size_t n = 0;
    b->server->completion_delay_ms = SLASH_COMPLETE_MS;
    slash_complete(&b->dialogue, &b->arena, "/notes:summary topic=", &found, &n);
    assert_int_equal(n, 0);
    b->server->completion_delay_ms = SLASH_COMPLETE_MS - 1;
    slash_complete(&b->dialogue, &b->arena, "/notes:summary topic=", &found, &n);
    assert_int_equal(n, 2);
}

static void a_word_with_an_at_and_a_colon_attaches_a_resource_within_the_bound(void **state)
{
    struct bench *b = *state;
    const struct attachment_sources from = { &b->console.base, &b->services.base };
    struct request_words found;
    struct err err = { 0 };
    size_t most = strlen("notes:n:1:\nplums");
    const char *message = "what is @notes:n:1?";
    assert_int_equal(request_words_attach(&from, &b->scope, &b->arena, message, most, &found, &err),
                     ERR_NONE);
    assert_string_equal(found.message, "what is notes:n:1?");
    assert_string_equal(found.attached, "notes:n:1:\nplums");
    assert_int_equal(
        request_words_attach(&from, &b->scope, &b->arena, message, most - 1, &found, &err),
        ERR_LIMIT);
    assert_int_equal(request_words_attach(&from, &b->scope, &b->arena, "@n:2", 99, &found, &err),
                     ERR_NOT_FOUND);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(says_the_prompt_as_it_is),
        TEST(refuses_words_that_are_no_arguments_and_asks_nobody),
        TEST(says_no_prompt_longer_than_a_request_may_be),
        TEST(is_an_unknown_command_where_prompts_mean_nothing),
        TEST(completes_names_that_a_line_can_hold),
        TEST(completes_the_first_letters_of_a_server_to_its_prompts),
        TEST(completes_the_arguments_that_are_not_given_yet),
        TEST(completes_values_that_a_line_can_hold_by_the_word_of_the_server),
        TEST(waits_for_no_slow_server),
        TEST(a_word_with_an_at_and_a_colon_attaches_a_resource_within_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
