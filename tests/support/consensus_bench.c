#include "tests/support/consensus_bench.h"
#include <stdlib.h>
#include <string.h>

int consensus_bench_set_up(void **state)
{
    struct consensus_bench *bench = calloc(1, sizeof *bench);
    bench->runtime = immediate_runtime();
    bench->scope.deadline_ms = SCOPE_NO_DEADLINE;
    fake_services_init(&bench->services, &bench->runtime.port, SOURCE_DIR);
    bench->request = (struct consensus_request){ .task = "2+2", .role_set = "math" };
    *state = bench;
    return 0;
}

int consensus_bench_tear_down(void **state)
{
    struct consensus_bench *bench = *state;
    arena_finish(&bench->arena);
    fake_services_finish(&bench->services);
    free(bench);
    return 0;
}

enum err_code consensus_bench_reach(struct consensus_bench *bench)
{
    return reach_consensus(&bench->services.base, &bench->scope, &bench->arena, &bench->request,
                           &bench->reached, &bench->err);
}

const char *consensus_bench_envelope(struct consensus_bench *bench, const char *status,
                                     const char *text, const char *more)
{
    bool is_solved = strcmp(status, "SOLVED") == 0;
    return arena_printf(&bench->arena,
                        "{\"role\":\"Solver\",\"domain\":\"mathematics\",\"task_understanding\":"
                        "\"Add.\",\"artifact\":{\"type\":\"results\",\"content\":{}},"
                        "\"needs_from_peer\":[],\"handoff_to\":\"Checker\",\"final_solution\":{"
                        "\"canonical_text\":\"%s\"},\"public_message\":\"%s\",\"status\":\"%s\"%s}",
                        text, is_solved ? "[SOLVED]" : "So far.", status, more);
}

const json_t *consensus_bench_event(const struct consensus_bench *bench, enum event_kind kind,
                                    size_t n)
{
    const struct event *event = fake_run_repository_event(&bench->services.runs, kind, n);
    return event ? event->data : NULL;
}
