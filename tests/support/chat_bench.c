#include "tests/support/chat_bench.h"
#include "domain/base/json.h"
#include <stdlib.h>
#include <string.h>

struct chat_bench *chat_bench_create(const char *server, const char *tools)
{
    struct chat_bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    bench->model = &bench->services.model;
    bench->server = fake_services_add_server(&bench->services, server, tools);
    bench->chat = mistral_chat_create(&bench->services.base);
    return bench;
}

int chat_bench_tear_down(void **state)
{
    struct chat_bench *bench = *state;
    mistral_chat_destroy(bench->chat);
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

enum err_code chat_bench_send(struct chat_bench *bench, const struct turn_request *request)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    bench->result = (struct turn_result){ 0 };
    return mistral_chat_turn(bench->chat, &scope, &bench->arena, request, &bench->result,
                             &bench->err);
}

enum err_code chat_bench_say(struct chat_bench *bench, const char *message)
{
    const struct turn_request request = { .message = message, .session_id = "s" };
    return chat_bench_send(bench, &request);
}

void chat_bench_propose(struct chat_bench *bench, const char *tools, const char *parameters,
                        const char *steps)
{
    fake_model_reply(bench->model,
                     arena_printf(&bench->arena,
                                  "{\"reason\":\"it fits\",\"primary_goal\":\"the goal\","
                                  "\"tools_needed\":[%s],\"parameters\":%s,\"unclear_aspects\":[],"
                                  "\"needs_clarification\":false,\"confidence\":0.9,\"steps\":[%s]"
                                  "}",
                                  tools, parameters, steps));
}

void chat_bench_repeat(struct chat_bench *bench, const char *text, int times)
{
    for (int i = 0; i < times; i++)
        fake_model_reply(bench->model, text);
}

const json_t *chat_bench_event(const struct chat_bench *bench, enum event_kind kind)
{
    const struct event *found = fake_run_repository_event(&bench->services.runs, kind, 0);
    return found ? found->data : NULL;
}

bool chat_bench_warned_of(const struct chat_bench *bench, const char *words)
{
    const struct fake_run_repository *runs = &bench->services.runs;
    for (size_t i = 0; i < runs->n_events; i++)
        if (runs->events[i].kind == EVENT_WARNING &&
            strstr(json_get_string(runs->events[i].data, "text"), words))
            return true;
    return false;
}
