/* Our client and our mock, each the check of the other: what a tool asks in the middle of a call,
 * and calls that become tasks, in both eras, with `mistro serve mock` as the process. */

#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/asked_person.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>
#include <string.h>

#define TOOLS                                                                                      \
    "\"tools\":[{\"name\":\"form\",\"replies\":[{\"elicit\":{\"message\":\"Who?\",\"schema\":{"    \
    "\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}},"                       \
    "\"text\":\"hello {elicited.name}\"}]},"                                                       \
    "{\"name\":\"page\",\"replies\":[{\"elicit\":{\"message\":\"Pay\",\"url\":\"https://h/x\"},"   \
    "\"text\":\"thanks\"}]},"                                                                      \
    "{\"name\":\"both\",\"replies\":[{\"elicit\":{\"message\":\"Who?\",\"schema\":{"               \
    "\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}},"                       \
    "\"sample\":{\"prompt\":\"on {elicited.name}\"},\"text\":\"{elicited.name}: {sampled}\"}]},"   \
    "{\"name\":\"task\",\"task\":\"required\",\"replies\":[{\"delay_ms\":50,\"text\":\"baked\"}]}" \
    ",{\"name\":\"asking_task\",\"task\":\"required\",\"replies\":[{\"elicit\":{\"message\":"      \
    "\"Who?\",\"schema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}},"  \
    "\"text\":\"hello {elicited.name}\"}]}]"

struct fixture {
    struct peer peer;
    char folder[64], file[100];
};

static void open_mock(struct fixture *f, const char *era)
{
    temporary_folder_create(f->folder);
    snprintf(f->file, sizeof f->file, "%s/fixture.json", f->folder);
    FILE *file = fopen(f->file, "w");
    assert_non_null(file);
    fprintf(file, "{\"era\":\"%s\"," TOOLS "}", era);
    fclose(file);
    PEER(&f->peer, "serve", "mock", f->file);
    f->peer.config.command = BUILD_DIR "/mistro";
}

static int set_up_legacy(void **state)
{
    static struct fixture f;
    *state = &f;
    open_mock(&f, "legacy");
    return 0;
}

static int set_up_modern(void **state)
{
    static struct fixture f;
    *state = &f;
    open_mock(&f, "modern");
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    peer_finish(&f->peer);
    temporary_folder_remove(f->folder);
    return 0;
}

static enum err_code on_sampling(void *context, struct scope *scope, const json_t *params,
                                 struct arena *arena, json_t **out_result, struct err *err)
{
    (void)context;
    (void)scope;
    (void)err;
    const json_t *said = json_path_find(params, "/messages/0/content/text");
    *out_result =
        arena_keep_json(arena, json_pack("{s:s, s:s, s:{s:s, s:s}}", "role", "assistant", "model",
                                         "m", "content", "type", "text", "text",
                                         arena_printf(arena, "verse %s", json_string_value(said))));
    return ERR_NONE;
}

static const char *call(struct fixture *f, const char *tool, struct asked_person somebody)
{
    f->peer.tool = tool;
    asked_person = somebody;
    f->peer.on_question = asked_person_react;
    f->peer.on_sampling = on_sampling;
    peer_run(&f->peer, peer_call);
    assert_string_equal(f->peer.err.message, "");
    return step_result_text(&f->peer.arena, &f->peer.result);
}

static const struct asked_person willing = { .action = ELICITATION_ACCEPT };

static void fills_in_a_form(void **state)
{
    assert_string_equal(call(*state, "form", willing), "hello Ada");
    assert_string_equal(asked_person.message, "Who?");
}

static void opens_a_page(void **state)
{
    assert_string_equal(call(*state, "page", willing), "thanks");
    assert_string_equal(asked_person.url, "https://h/x");
}

static void answers_a_form_and_then_with_the_model(void **state)
{
    assert_string_equal(call(*state, "both", willing), "Ada: verse on Ada");
}

static void declines(void **state)
{
    struct fixture *f = *state;
    const struct asked_person unwilling = { .action = ELICITATION_DECLINE };
    assert_string_equal(call(f, "form", unwilling), "the person declined");
    assert_true(f->peer.result.is_error);
}

static void waits_for_a_task(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(call(f, "task", willing), "baked");
    assert_non_null(strstr(f->peer.tasks, " working"));
    assert_non_null(strstr(f->peer.tasks, " completed"));
}

static void answers_what_a_task_asks(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(call(f, "asking_task", willing), "hello Ada");
    assert_non_null(strstr(f->peer.tasks, " input_required"));
}

static void is_told_what_is_missing_where_nobody_is_present(void **state)
{
    struct fixture *f = *state;
    f->peer.tool = "form";
    peer_run(&f->peer, peer_call);
    assert_int_not_equal(f->peer.code, ERR_NONE);
    assert_non_null(strstr(f->peer.err.message, "elicitation.form"));
}

#define IN_BOTH_ERAS(test)                                                                         \
    { #test " (legacy)", test, set_up_legacy, tear_down, NULL },                                   \
    {                                                                                              \
#test " (modern)", test, set_up_modern, tear_down, NULL                                    \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_BOTH_ERAS(fills_in_a_form),
        IN_BOTH_ERAS(opens_a_page),
        IN_BOTH_ERAS(answers_a_form_and_then_with_the_model),
        IN_BOTH_ERAS(declines),
        IN_BOTH_ERAS(waits_for_a_task),
        IN_BOTH_ERAS(answers_what_a_task_asks),
        IN_BOTH_ERAS(is_told_what_is_missing_where_nobody_is_present),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
