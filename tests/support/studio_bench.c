#include "tests/support/studio_bench.h"
#include "domain/base/json.h"
#include <assert.h>
#include <string.h>

#define DRAW                                                                                       \
    "[{\"name\":\"draw\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"prompt\":{"        \
    "\"type\":\"string\"},\"steps\":{\"type\":\"integer\"}},\"required\":[\"prompt\"]}}]"
#define SCREEN_MAX_BYTES (1024 * 1024)

static void show(struct observer *observer, const struct event *event)
{
    struct studio_screen *screen = (struct studio_screen *)observer;
    if (event->kind == EVENT_TOKEN) {
        bool fits = buf_puts(&screen->text, json_get_string(event->data, "text"));
        assert(fits);
        (void)fits;
    } else if (event->kind == EVENT_ATTEMPT_DISCARDED) {
        screen->text.length = screen->settled;
        if (screen->text.bytes)
            buf_terminate(&screen->text);
    } else if (event->kind == EVENT_RUN_FINISHED) {
        screen->settled = screen->text.length;
    }
}

int studio_bench_set_up(void **state)
{
    static const struct observer_ops screen_ops = { show };
    struct studio_bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    bench->server = fake_services_add_server(&bench->services, "art", DRAW);
    bench->services.base.approve_all = true;
    bench->screen.base.ops = &screen_ops;
    buf_init(&bench->screen.text, SCREEN_MAX_BYTES);
    bench->services.base.observer = &bench->screen.base;
    bench->chat = studio_chat_create(&bench->services.base);
    *state = bench;
    return 0;
}

int studio_bench_tear_down(void **state)
{
    struct studio_bench *bench = *state;
    studio_chat_destroy(bench->chat);
    buf_finish(&bench->screen.text);
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

enum err_code studio_bench_turn(struct studio_bench *bench, const char *message)
{
    const struct studio_request request = { .message = message,
                                            .session_id = STUDIO_BENCH_SESSION };
    return studio_chat_turn(bench->chat, &bench->scope, &bench->arena, &request, &bench->session_id,
                            &bench->result, &bench->err);
}

enum err_code studio_bench_edit(struct studio_bench *bench, const char *prompt)
{
    const struct studio_request request = { .message = prompt, .session_id = STUDIO_BENCH_SESSION };
    struct studio_state state;
    return studio_chat_edit_prompt(bench->chat, &bench->scope, &bench->arena, &request,
                                   &bench->session_id, &state, &bench->err);
}

struct studio_state studio_bench_state(struct studio_bench *bench)
{
    struct studio_state state = { .image = image_prompt_default() };
    enum err_code r = studio_chat_state(bench->chat, &bench->scope, &bench->arena,
                                        STUDIO_BENCH_SESSION, &state, &bench->err);
    assert(r == ERR_NONE);
    (void)r;
    return state;
}

struct conversation *studio_bench_stored(struct studio_bench *bench)
{
    struct conversation *conversation = NULL;
    if (conversation_repository_get_by_id(bench->services.conversations_port, &bench->scope,
                                          STUDIO_BENCH_SESSION, &bench->arena, &conversation, NULL))
        return NULL;
    return conversation;
}

const char *studio_bench_asked(const struct studio_bench *bench, size_t n)
{
    assert(n < bench->services.model.n_requests);
    return bench->services.model.requests[n].user;
}

const json_t *studio_bench_event(const struct studio_bench *bench, enum event_kind kind, size_t n)
{
    const struct event *event = fake_run_repository_event(&bench->services.runs, kind, n);
    return event ? event->data : NULL;
}

const char *studio_bench_shown(const struct studio_bench *bench)
{
    return buf_string(&bench->screen.text);
}
