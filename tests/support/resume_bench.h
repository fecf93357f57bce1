/* What tests of `runs resume` share: a shop that charges and notes, a plan of three calls, and runs
 * of it that lose the answer of the second one. */
#ifndef TESTS_SUPPORT_RESUME_BENCH_H
#define TESTS_SUPPORT_RESUME_BENCH_H

#include "application/use_cases/resume_run.h"
#include "application/use_cases/run_plan.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/service_bench.h"
#include <string.h>

#define TOOLS "[{\"name\":\"charge\",\"inputSchema\":{\"type\":\"object\"}}," NOTE_TOOL "]"
#define NOTE_TOOL "{\"name\":\"note\",\"inputSchema\":{\"type\":\"object\"}}"
#define CHARGES_TWICE                                                                              \
    "{\"name\":\"charge\",\"description\":\"twice\",\"inputSchema\":{\"type\":\"object\"}}"
static const char plan_text[] =
    "{\"vars\":{\"cents\":5},\"steps\":["
    "{\"id\":\"a\",\"tool\":\"shop/note\",\"args\":{\"text\":\"{vars.cents}\"}},"
    "{\"id\":\"b\",\"tool\":\"shop/charge\",\"args\":{\"n\":1},\"needs\":[\"a\"]},"
    "{\"id\":\"c\",\"tool\":\"shop/note\",\"args\":{\"text\":\"{b.text}\"}}]}";

static struct fake_run_states states;

static inline int set_up(void **state)
{
    struct service_bench *bench = service_bench_create("shop", TOOLS);
    fake_run_states_init(&states);
    bench->services.base.run_states = &states.base;
    *state = bench;
    return 0;
}

static inline int tear_down(void **state)
{
    fake_run_states_finish(&states);
    return service_bench_tear_down(state);
}

/* From now on the shop has this in the place of the tool charge; "": nothing. */
static inline void redefine_charge(struct service_bench *bench, const char *definition)
{
    const char *tools =
        arena_printf(&bench->arena, "[%s%s" NOTE_TOOL "]", definition, *definition ? "," : "");
    fake_tool_server_redefine(bench->server, tools);
    bench->services.pins_port = NULL;
}

static inline const json_t *parsed(struct service_bench *bench, const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return arena_keep_json(&bench->arena, value);
}

static inline struct turn_result run(struct service_bench *bench, const char *vars)
{
    struct turn_result result;
    const struct run_plan_request request = { .plan = parsed(bench, plan_text),
                                              .vars = vars ? parsed(bench, vars) : NULL };
    assert_int_equal(run_plan(&bench->services.base, &bench->scope, &bench->arena, &request,
                              &result, &bench->err),
                     ERR_NONE);
    return result;
}

/* The call of step b takes effect, and its answer is lost. */
static inline struct turn_result run_with_loss(struct service_bench *bench)
{
    fake_tool_server_reply(
        bench->server,
        (struct fake_tool_reply){ .tool = "charge", .fails = ERR_UNAVAILABLE, .is_lost = true });
    struct turn_result result = run(bench, "{\"cents\":\"7\"}");
    assert_int_equal(result.status, RUN_FAILED);
    assert_true(result.is_resumable);
    assert_int_equal(bench->server->n_calls, 2);
    return result;
}

static inline enum err_code resume(struct service_bench *bench, struct resume_request request,
                                   struct turn_result *out)
{
    if (!request.run_id)
        request.run_id = "id000001";
    return resume_run(&bench->services.base, &bench->scope, &bench->arena, &request, out,
                      &bench->err);
}

static inline struct turn_result resumed(struct service_bench *bench, struct resume_request request)
{
    struct turn_result result;
    assert_int_equal(resume(bench, request, &result), ERR_NONE);
    return result;
}

#define ASK .uncertain = UNCERTAIN_ASK

#endif
