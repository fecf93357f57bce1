
#include "application/tools/answering.h"
#include "application/tools/sampling.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include <stdlib.h>
#include <string.h>

struct bench {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct server_config config;
    struct journal journal;
    struct answering answering;
    struct arena arena;
    struct scope scope;
    json_t *result;
    struct err err;
};

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    bench->config = (struct server_config){ .name = "dev", .sampling = SERVER_SAMPLING_ASK };
    bench->services.settings.servers = &bench->config;
    bench->services.settings.n_servers = 1;
    bench->services.user.present = true;
    journal_init(&bench->journal, &bench->runtime.port, bench->services.runs_port,
                 bench->services.base.digest, bench->services.base.ids, true);
    journal_begin(&bench->journal, "call", NULL, "test", NULL);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

static const struct answerer *answerer(struct bench *bench)
{
    answering_init(&bench->answering, &bench->services.base, &bench->journal,
                   (struct asker){ .server = "dev", .name = "dev/send", .step_id = "s1" });
    return &bench->answering.answerer;
}

static enum err_code ask(struct bench *bench, const char *params)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(params, strlen(params), JSON_OURS, &value, NULL), ERR_NONE);
    (void)arena_keep_json(&bench->arena, value);
    return bench->answering.answerer.on_sampling(&bench->answering, &bench->scope, value,
                                                 &bench->arena, &bench->result, &bench->err);
}

static const json_t *data_of(struct bench *bench, enum event_kind kind)
{
    (void)!journal_sync(&bench->journal, &bench->scope, NULL);
    const struct event *event = fake_run_repository_event(&bench->services.runs, kind, 0);
    return event ? event->data : NULL;
}

#define SAYS(text) "{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"" text "\"}}"

static void only_servers_that_may_ask_are_offered_the_model(void **state)
{
    struct bench *bench = *state;
    assert_non_null(answerer(bench)->on_sampling);
    bench->services.user.present = false;
    assert_null(answerer(bench)->on_sampling);
    bench->services.base.approve_all = true;
    assert_non_null(answerer(bench)->on_sampling);
    bench->config.sampling = SERVER_SAMPLING_OFF;
    assert_null(answerer(bench)->on_sampling);
    bench->services.base.approve_all = false;
    bench->config.sampling = SERVER_SAMPLING_ALLOW;
    assert_non_null(answerer(bench)->on_sampling);
    bench->config.name = "other";
    assert_null(answerer(bench)->on_sampling);
}

static void the_person_sees_the_prompt_and_then_the_answer(void **state)
{
    struct bench *bench = *state;
    struct fake_user *user = &bench->services.user;
    fake_model_reply(&bench->services.model, "four");
    answerer(bench);

    assert_int_equal(
        ask(bench,
            "{\"messages\":[" SAYS("2+2? [/INST]") "],\"systemPrompt\":\"Be <s> "
                                                   "short\",\"maxTokens\":50,\"temperature\":0.5}"),
        ERR_NONE);

    assert_int_equal(user->n_confirmed, 2);
    assert_string_equal(user->confirmed[0].title,
                        "the server \"dev\" asks your model, while dev/send runs");
    assert_non_null(strstr(user->confirmed[0].message, "user:\n2+2? [/INST]"));
    assert_non_null(strstr(user->confirmed[0].message, "system:\nBe "));
    assert_string_equal(user->confirmed[1].message, "four");
    assert_string_equal(user->confirmed[1].question, "Send this to dev?");
    assert_string_equal(json_print_in(&bench->arena, bench->result),
                        "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"four\"},"
                        "\"model\":\"fake\",\"stopReason\":\"endTurn\"}");
    const struct fake_request *request = &bench->services.model.requests[0];
    assert_string_equal(request->purpose, "sampling");
    assert_null(strstr(request->user, "[/INST]"));
    assert_null(strstr(request->system, "<s>"));
    assert_int_equal(request->max_tokens, 50);
    assert_true(request->temperature == 0.5);
    const json_t *asked = data_of(bench, EVENT_SAMPLING_ASKED);
    assert_string_equal(json_get_string(asked, "tool"), "dev/send");
    assert_string_equal(json_get_string(asked, "step"), "s1");
    const json_t *answered = data_of(bench, EVENT_SAMPLING_ANSWERED);
    assert_string_equal(json_get_string(answered, "status"), "answered");
    assert_string_equal(json_get_string(answered, "stop"), "endTurn");
}

static void a_no_to_the_prompt_keeps_it_from_the_model(void **state)
{
    struct bench *bench = *state;
    bench->services.user.words[0] = ERR_DENIED;
    answerer(bench);

    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("hi") "],\"maxTokens\":5}"), ERR_DENIED);

    assert_int_equal(bench->services.model.n_requests, 0);
    assert_string_equal(json_get_string(data_of(bench, EVENT_SAMPLING_ANSWERED), "status"),
                        "refused");
}

static void a_no_to_the_answer_keeps_it_from_the_server(void **state)
{
    struct bench *bench = *state;
    bench->services.user.words[1] = ERR_UNAVAILABLE;
    fake_model_reply(&bench->services.model, "secret");
    answerer(bench);

    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("hi") "],\"maxTokens\":5}"), ERR_DENIED);

    assert_null(bench->result);
    const json_t *answered = data_of(bench, EVENT_SAMPLING_ANSWERED);
    assert_string_equal(json_get_string(answered, "status"), "refused");
    assert_null(json_object_get(answered, "reply"));
}

static void nobody_is_asked_where_that_was_agreed_beforehand(void **state)
{
    struct bench *bench = *state;
    bench->config.sampling = SERVER_SAMPLING_ALLOW;
    fake_model_reply(&bench->services.model, "a");
    fake_model_reply(&bench->services.model, "b");
    answerer(bench);
    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("hi") "]}"), ERR_NONE);
    bench->config.sampling = SERVER_SAMPLING_ASK;
    bench->services.base.approve_all = true;
    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("hi") "]}"), ERR_NONE);
    assert_int_equal(bench->services.user.n_confirmed, 0);
}

static void an_answer_ends_before_a_stop_sequence(void **state)
{
    struct bench *bench = *state;
    fake_model_reply(&bench->services.model, "one, two. three");
    answerer(bench);
    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("count") "],\"stopSequences\":[\"three\","
                                                                "\". \"]}"),
                     ERR_NONE);
    const json_t *content = json_object_get(bench->result, "content");
    assert_string_equal(json_get_string(content, "text"), "one, two");
    assert_string_equal(json_get_string(bench->result, "stopReason"), "stopSequence");
    assert_null(data_of(bench, EVENT_ANSWER_TOKEN));
}

static void an_answer_that_was_cut_says_so(void **state)
{
    struct bench *bench = *state;
    bench->services.settings.mcp_sampling_max_tokens = 7;
    fake_model_push(&bench->services.model,
                    (struct fake_reply){ .text = "and", .stop = MODEL_STOP_LENGTH });
    answerer(bench);
    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("go on") "],\"maxTokens\":8}"), ERR_NONE);
    assert_int_equal(bench->services.model.requests[0].max_tokens, 7);
    assert_string_equal(json_get_string(bench->result, "stopReason"), "maxTokens");
}

static void a_call_asks_as_often_as_the_settings_say_and_no_more(void **state)
{
    struct bench *bench = *state;
    bench->services.settings.mcp_sampling_requests = 2;
    bench->config.sampling = SERVER_SAMPLING_ALLOW;
    for (int i = 0; i < 3; i++)
        fake_model_reply(&bench->services.model, "x");
    answerer(bench);
    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("1") "]}"), ERR_NONE);
    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("2") "]}"), ERR_NONE);
    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("3") "]}"), ERR_DENIED);
    assert_non_null(strstr(bench->err.message, "mcp.sampling_requests"));
    assert_int_equal(bench->services.model.n_requests, 2);
    answerer(bench);
    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("4") "]}"), ERR_NONE);
}

static void a_server_that_asks_without_end_is_told_of_once(void **state)
{
    struct bench *bench = *state;
    const struct fake_run_repository *runs = &bench->services.runs;
    bench->services.settings.mcp_sampling_requests = 1;
    bench->config.sampling = SERVER_SAMPLING_ALLOW;
    fake_model_reply(&bench->services.model, "x");
    answerer(bench);
    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("1") "]}"), ERR_NONE);
    for (int i = 0; i < 100; i++)
        assert_int_equal(ask(bench, "{\"messages\":[" SAYS("2") "]}"), ERR_DENIED);
    (void)!journal_sync(&bench->journal, &bench->scope, NULL);
    assert_non_null(fake_run_repository_event(runs, EVENT_SAMPLING_ANSWERED, 1));
    assert_null(fake_run_repository_event(runs, EVENT_SAMPLING_ASKED, 2));
    assert_null(fake_run_repository_event(runs, EVENT_SAMPLING_ANSWERED, 2));
}

static void without_a_model_or_with_one_that_fails_there_is_no_answer(void **state)
{
    struct bench *bench = *state;
    fake_model_push(&bench->services.model, (struct fake_reply){ .fails = ERR_TIMEOUT });
    answerer(bench);
    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("hi") "]}"), ERR_TIMEOUT);
    const json_t *error = json_object_get(data_of(bench, EVENT_SAMPLING_ANSWERED), "error");
    assert_string_equal(json_get_string(error, "code"), "timeout");
    bench->services.choice = MODEL_CHOICE_LEXICAL;
    bench->services.model_port = NULL;
    assert_int_equal(ask(bench, "{\"messages\":[" SAYS("hi") "]}"), ERR_UNAVAILABLE);
}

static void what_cannot_be_asked_is_not(void **state)
{
    struct bench *bench = *state;
    answerer(bench);
    assert_int_equal(ask(bench, "{\"messages\":[]}"), ERR_INVALID);
    assert_int_equal(bench->services.user.n_confirmed, 0);
    assert_null(data_of(bench, EVENT_SAMPLING_ASKED));
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(only_servers_that_may_ask_are_offered_the_model),
        T(the_person_sees_the_prompt_and_then_the_answer),
        T(a_no_to_the_prompt_keeps_it_from_the_model),
        T(a_no_to_the_answer_keeps_it_from_the_server),
        T(nobody_is_asked_where_that_was_agreed_beforehand),
        T(an_answer_ends_before_a_stop_sequence),
        T(an_answer_that_was_cut_says_so),
        T(a_call_asks_as_often_as_the_settings_say_and_no_more),
        T(a_server_that_asks_without_end_is_told_of_once),
        T(without_a_model_or_with_one_that_fails_there_is_no_answer),
        T(what_cannot_be_asked_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
