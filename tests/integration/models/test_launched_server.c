/* A model server that mistro starts: that it is waited for, started again, explained and ended. */

#include "domain/base/text.h"
#include "infrastructure/models/choose_model.h"
#include "infrastructure/models/launch/launched_server.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/uv_subject.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PEER BUILD_DIR "/tests/peer_model"
#define MAX_WORDS 16

struct fixture {
    struct uv_runtime *runtime;
    struct settings settings;
    struct launched_server *server;
    struct scope scope;
    struct arena arena;
    char folder[64];
    const char *starts; /* the file in which the peer counts */
    const char *words[MAX_WORDS];
    char states[256]; /* "starting loading ready …": repetitions once */
    char last_message[512];
    task_fn *script;
    /* What came. */
    enum err_code r, second;
    struct err err, second_err;
    const char *reply, *reason, *url;
    int64_t took_ms;
};

static void on_state(void *context, const char *state, const char *message, int64_t ms)
{
    struct fixture *f = context;
    size_t length = strlen(f->states);
    (void)ms;
    snprintf(f->last_message, sizeof f->last_message, "%s", message ? message : "");
    if (!text_ends_with(f->states, state))
        snprintf(f->states + length, sizeof f->states - length, "%s%s", length ? " " : "", state);
}

static int open_fixture(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .runtime = uv_runtime_create(),
                          .scope = scope_child(NULL, SCOPE_NO_DEADLINE) };
    settings_init(&f.settings);
    temporary_folder_create(f.folder);
    f.starts = arena_printf(&f.arena, "%s/starts", f.folder);
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    uv_runtime_destroy(f->runtime);
    temporary_folder_remove(f->folder);
    arena_finish(&f->arena);
    return 0;
}

static enum err_code whole(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    f->server = launched_server_create(f->runtime, &f->settings, on_state, f);
    enum err_code r = f->script(runtime, scope, f);
    f->url = arena_strdup(&f->arena, launched_server_url(f->server));
    int64_t began = runtime_now_ms(runtime);
    launched_server_destroy(f->server, scope);
    f->took_ms = runtime_now_ms(runtime) - began;
    return r;
}

/* Runs the script against the peer with these words, then ends the server. */
#define RUN(f, script, ...) run(f, script, (const char *const[]){ __VA_ARGS__, NULL })
static void run(struct fixture *f, task_fn *script, const char *const *words)
{
    size_t n = 0;
    f->words[n++] = PEER;
    f->words[n++] = "--starts";
    f->words[n++] = f->starts;
    while (*words)
        f->words[n++] = *words++;
    f->settings.launch =
        (struct model_launch){ .words = f->words, .n_words = n, .origin = ORIGIN_USER_FILE };
    f->script = script;
    (void)uv_runtime_run(f->runtime, &f->scope, whole, f);
}

/* The process ids of all starts. */
static size_t starts_of(const struct fixture *f, int pids[static 8])
{
    FILE *file = fopen(f->starts, "r");
    size_t n = 0;
    while (file && n < 8 && fscanf(file, "%d", &pids[n]) == 1)
        n++;
    if (file)
        fclose(file);
    return n;
}

static void was_started(const struct fixture *f, size_t times)
{
    int pids[8];
    size_t n = starts_of(f, pids);
    assert_int_equal(n, times);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(kill(pids[i], 0), -1);
}

static enum err_code ensure(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    (void)runtime;
    return f->r = launched_server_ensure(f->server, scope, &f->err);
}

static enum err_code ensure_twice(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    (void)ensure(runtime, scope, f);
    return f->second = launched_server_ensure(f->server, scope, &f->second_err);
}

static enum err_code chat(struct fixture *f, struct model *model, struct scope *scope,
                          struct err *err)
{
    const struct model_part part = { MODEL_TEXT, "ping", NULL };
    const struct model_message message = { MODEL_USER, &part, 1 };
    const struct model_request request = { .purpose = "answer",
                                           .messages = &message,
                                           .n_messages = 1,
                                           .max_tokens = 10,
                                           .seed = -1,
                                           .first_token_ms = 5000,
                                           .silence_ms = 5000 };
    struct model_reply reply = { 0 };
    enum err_code r = model_chat(model, scope, &request, &f->arena, &reply, err);
    f->reply = r ? NULL : reply.text;
    return r;
}

/* Two requests, as a conversation makes them. */
static enum err_code chat_twice(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    struct model *model = NULL;
    struct model_status status = { 0 };
    enum model_choice choice = MODEL_CHOICE_LEXICAL;
    (void)runtime;
    const struct model_sources sources = {
        .runtime = f->runtime, .settings = &f->settings, .launched = f->server, .arena = &f->arena
    };
    f->r = model_choose(&sources, scope, &model, &choice, &f->err);
    if (f->r)
        return f->r;
    if (!model_check(model, scope, &f->arena, &status, NULL))
        f->reason = status.reason;
    f->r = chat(f, model, scope, &f->err);
    f->second = chat(f, model, scope, &f->second_err);
    model_destroy(model);
    return ERR_NONE;
}

static void waits_until_it_has_loaded_its_model(void **state)
{
    struct fixture *f = *state;

    RUN(f, ensure_twice, "--loads", "300");

    assert_int_equal(f->r, ERR_NONE);
    assert_int_equal(f->second, ERR_NONE);
    assert_string_equal(f->states, "starting loading ready closed");
    assert_true(text_starts_with(f->url, "http://127.0.0.1:"));
    was_started(f, 1);
}

static void gives_up_with_its_last_words_when_it_never_becomes_healthy(void **state)
{
    struct fixture *f = *state;
    f->settings.model_launch_timeout_seconds = 1;

    RUN(f, ensure_twice, "--loads", "-1", "--loud");

    assert_int_equal(f->r, ERR_UNAVAILABLE);
    assert_non_null(strstr(f->err.message, "model server peer_model: it is not healthy after 1 s; "
                                           "its stderr says: \"llama_model_loader: "));
    assert_non_null(strstr(f->err.message, "   16383 of many\""));
    assert_non_null(strstr(f->err.hint, "model.launch_timeout_seconds"));
    assert_int_equal(f->second, ERR_UNAVAILABLE);
    assert_string_equal(f->second_err.message, f->err.message);
    assert_string_equal(f->states, "starting loading failed");
    was_started(f, 1);
}

static void tells_why_it_did_not_start(void **state)
{
    struct fixture *f = *state;

    RUN(f, ensure, "--broken");

    assert_int_equal(f->r, ERR_UNAVAILABLE);
    assert_string_equal(f->err.message,
                        "model server peer_model: it exited with status 3; its stderr says: "
                        "\"error: there is no model at /nowhere.gguf\"");
    assert_string_equal(f->states, "starting failed");
    was_started(f, 1);
}

static enum err_code ensure_without_program(struct runtime *runtime, struct scope *scope,
                                            void *argument)
{
    struct fixture *f = argument;
    f->words[0] = "no-such-model-server";
    return ensure(runtime, scope, f);
}

static void a_program_that_is_not_there_is_a_model_that_is_not_there(void **state)
{
    struct fixture *f = *state;

    RUN(f, ensure_without_program, "--bare");

    assert_int_equal(f->r, ERR_UNAVAILABLE);
    assert_string_equal(f->err.message, "model.launch: no such program: 'no-such-model-server'");
    assert_non_null(strstr(f->err.hint, "PATH is "));
    assert_string_equal(f->states, "failed");
}

static void answers_through_the_model_port_and_says_that_mistro_started_it(void **state)
{
    struct fixture *f = *state;

    RUN(f, chat_twice, "--loads", "100");

    assert_int_equal(f->r, ERR_NONE);
    assert_int_equal(f->second, ERR_NONE);
    assert_string_equal(f->reply, "pong");
    assert_string_equal(f->reason, "the only model there; started by model.launch");
    was_started(f, 1);
}

static void starts_it_again_when_it_died_during_a_request(void **state)
{
    struct fixture *f = *state;

    RUN(f, chat_twice, "--dies", "1");

    assert_int_equal(f->r, ERR_UNAVAILABLE);
    assert_string_equal(f->err.message, "model server peer_model: it exited with status 9; its "
                                        "stderr says: \"RuntimeError: out of cheese\"");
    assert_int_equal(f->second, ERR_NONE);
    assert_string_equal(f->reply, "pong");
    assert_string_equal(f->states, "starting ready restarted starting ready closed");
    was_started(f, 2);
}

static enum err_code chat_until_it_is_over(struct runtime *runtime, struct scope *scope,
                                           void *argument)
{
    struct fixture *f = argument;
    enum err_code r = chat_twice(runtime, scope, f);
    if (!r)
        r = launched_server_ensure(f->server, scope, &f->err);
    return f->r = r;
}

static void is_not_started_a_third_time(void **state)
{
    struct fixture *f = *state;

    RUN(f, chat_until_it_is_over, "--dies", "2");

    assert_int_equal(f->second, ERR_UNAVAILABLE);
    assert_int_equal(f->r, ERR_UNAVAILABLE);
    assert_non_null(strstr(f->err.message, "out of cheese"));
    assert_string_equal(f->states, "starting ready restarted starting ready failed");
    was_started(f, 2);
}

/* Whoever has the port answers as a server that loads; whether it was asked before ours had died of
 * that is a matter of time. */
static const char *states_but_loading(struct fixture *f)
{
    static const char loading[] = " loading";
    char *at = strstr(f->states, loading);
    if (at)
        memmove(at, at + strlen(loading), strlen(at + strlen(loading)) + 1);
    return f->states;
}

static void looks_for_another_port_when_somebody_took_the_one_it_chose(void **state)
{
    struct fixture *f = *state;

    RUN(f, chat_twice, "--taken", "1");

    assert_int_equal(f->r, ERR_NONE);
    assert_string_equal(states_but_loading(f), "starting restarted starting ready closed");
    was_started(f, 2);
}

/* Its address is known by then: whoever took the port would get the requests. */
static void keeps_its_port_or_nothing_when_it_is_started_again(void **state)
{
    struct fixture *f = *state;

    RUN(f, chat_twice, "--dies", "1", "--taken", "2");

    assert_int_equal(f->second, ERR_UNAVAILABLE);
    assert_string_equal(states_but_loading(f), "starting ready restarted starting failed");
    was_started(f, 2);
}

static void serves_on_a_socket_in_a_private_folder(void **state)
{
    struct fixture *f = *state;
    struct stat info;

    RUN(f, chat_twice, "--socket", "{socket}");

    assert_int_equal(f->r, ERR_NONE);
    assert_string_equal(f->reply, "pong");
    assert_true(text_starts_with(f->url, "unix:/"));
    assert_true(text_ends_with(f->url, "/model.sock"));
    char *folder = arena_strdup(&f->arena, f->url + strlen("unix:"));
    folder[strlen(folder) - strlen("/model.sock")] = '\0';
    assert_int_equal(stat(folder, &info), -1);
    was_started(f, 1);
}

static void the_socket_of_one_that_died_is_in_nobodys_way(void **state)
{
    struct fixture *f = *state;

    RUN(f, chat_twice, "--socket", "{socket}", "--dies", "1");

    assert_int_equal(f->second, ERR_NONE);
    was_started(f, 2);
}

static void a_server_without_a_health_route_is_healthy_when_it_answers(void **state)
{
    struct fixture *f = *state;

    RUN(f, chat_twice, "--bare", "--port", "{port}");

    assert_int_equal(f->r, ERR_NONE);
    assert_string_equal(f->reply, "pong");
}

static void is_killed_when_it_does_not_end(void **state)
{
    struct fixture *f = *state;

    RUN(f, ensure, "--deaf");

    assert_int_equal(f->r, ERR_NONE);
    assert_in_range(f->took_ms, 2L * LAUNCHED_SERVER_CLOSE_MS, 30000);
    was_started(f, 1);
}

/* The person who cancelled is waiting. */
static enum err_code ensure_and_cancel(struct runtime *runtime, struct scope *scope, void *argument)
{
    enum err_code r = ensure(runtime, scope, argument);
    runtime_cancel(runtime, scope);
    return r;
}

static void is_killed_at_once_when_nobody_has_time(void **state)
{
    struct fixture *f = *state;

    RUN(f, ensure_and_cancel, "--deaf");

    assert_in_range(f->took_ms, 0, LAUNCHED_SERVER_CLOSE_MS);
    was_started(f, 1);
}

static void goes_on_whatever_it_prints(void **state)
{
    struct fixture *f = *state;

    RUN(f, chat_twice, "--loud");

    assert_int_equal(f->r, ERR_NONE);
    assert_string_equal(f->reply, "pong");
}

static enum err_code ensure_as_second(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct fixture *f = argument;
    (void)runtime;
    return f->second = launched_server_ensure(f->server, scope, &f->second_err);
}

static enum err_code ensure_side_by_side(struct runtime *runtime, struct scope *scope,
                                         void *argument)
{
    struct fixture *f = argument;
    struct task *second = runtime_spawn(runtime, scope, ensure_as_second, f);
    (void)ensure(runtime, scope, f);
    return runtime_wait(runtime, second);
}

static void is_started_once_for_all_who_need_it(void **state)
{
    struct fixture *f = *state;
    f->second = ERR_INTERNAL;

    RUN(f, ensure_side_by_side, "--loads", "100");

    assert_int_equal(f->r, ERR_NONE);
    assert_int_equal(f->second, ERR_NONE);
    was_started(f, 1);
}

static enum err_code ensure_impatiently(struct runtime *runtime, struct scope *scope,
                                        void *argument)
{
    struct fixture *f = argument;
    struct scope soon = runtime_scope(runtime, scope, 50);
    f->second = launched_server_ensure(f->server, &soon, &f->second_err);
    return ensure(runtime, scope, f);
}

static void goes_on_loading_when_somebody_stops_waiting(void **state)
{
    struct fixture *f = *state;

    RUN(f, ensure_impatiently, "--loads", "300");

    assert_int_equal(f->second, ERR_TIMEOUT);
    assert_int_equal(f->r, ERR_NONE);
    was_started(f, 1);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        T(waits_until_it_has_loaded_its_model),
        T(gives_up_with_its_last_words_when_it_never_becomes_healthy),
        T(tells_why_it_did_not_start),
        T(a_program_that_is_not_there_is_a_model_that_is_not_there),
        T(answers_through_the_model_port_and_says_that_mistro_started_it),
        T(starts_it_again_when_it_died_during_a_request),
        T(is_not_started_a_third_time),
        T(looks_for_another_port_when_somebody_took_the_one_it_chose),
        T(keeps_its_port_or_nothing_when_it_is_started_again),
        T(serves_on_a_socket_in_a_private_folder),
        T(the_socket_of_one_that_died_is_in_nobodys_way),
        T(a_server_without_a_health_route_is_healthy_when_it_answers),
        T(is_killed_when_it_does_not_end),
        T(is_killed_at_once_when_nobody_has_time),
        T(goes_on_whatever_it_prints),
        T(is_started_once_for_all_who_need_it),
        T(goes_on_loading_when_somebody_stops_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
