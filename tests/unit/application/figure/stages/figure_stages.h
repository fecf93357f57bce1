/* A figure whose model says what it is told to, and whose renderer draws nothing that counts: the
 * stages alone. Its source is two sentences between a client and a server. */
#ifndef TESTS_UNIT_APPLICATION_FIGURE_STAGES_H
#define TESTS_UNIT_APPLICATION_FIGURE_STAGES_H

#include "application/figure/stages/figure.h"
#include "domain/base/json.h"
#include "domain/figure/stage_contract.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_renderer.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/immediate_runtime.h"
#include "tests/support/plain_style.h"
#include <string.h>

#define SOURCE "The client sends a SYN to the server. The server answers with a SYN-ACK."
#define PLAN "{\"initial_description\":\"\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\".\"}"
#define STYLED                                                                                     \
    "{\"optimized_description\":\"\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\", left to "    \
    "right.\",\"style_actions\":[\"direction\"]}"
#define GRAPH                                                                                      \
    "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"Client\"},{\"id\":\"b\",\"label\":"   \
    "\"Server\"}],\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"SYN\"}]}"
#define GRAPH_ANSWERED                                                                             \
    "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"Client\"},{\"id\":\"b\",\"label\":"   \
    "\"Server\"}],\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"SYN\"},{\"from\":\"b\","     \
    "\"to\":\"a\",\"label\":\"Acknowledgement\"}]}"
#define GRAPH_INVENTED                                                                             \
    "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"Client\"},{\"id\":\"b\",\"label\":"   \
    "\"Blockchain\"}],\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"SYN\"}]}"
#define CRITIC(suggestion, revised, stop, gate)                                                    \
    "{\"critic_suggestions\":\"" suggestion "\",\"revised_description\":\"" revised                \
    "\",\"stop_flag\":" stop ",\"quality_gate\":{\"faithfulness_ok\":" gate                        \
    ",\"readability_ok\":" gate "}}"
#define REVISED "\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\"; nothing else."
#define APPROVAL CRITIC("No changes needed.", REVISED, "true", "true")
#define WISH CRITIC("Say more.", REVISED, "false", "false")
#define GARBAGE "Looks good to me!"

struct figure_stages {
    struct immediate_runtime runtime;
    struct fake_services services;
    struct fake_renderer renderer;
    struct run_session session;
    struct engine engine;
    struct figure figure;
    struct figure_style style;
    struct figure_reference pool[1];
    struct figure_input input;
    struct figure_result result;
    struct arena arena;
    struct err err;
};

static inline int figure_stages_set_up(void **state)
{
    struct figure_stages *b = calloc(1, sizeof *b);
    b->runtime = immediate_runtime();
    fake_services_init(&b->services, &b->runtime.port, SOURCE_DIR);
    fake_renderer_init(&b->renderer);
    struct services *services = &b->services.base;
    b->session.services = services;
    b->session.arena = &b->arena;
    b->session.scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    journal_init(&b->session.journal, &b->runtime.port, b->services.runs_port, services->digest,
                 services->ids, true);
    journal_begin(&b->session.journal, "figure", NULL, "", NULL);
    b->style = plain_style;
    b->style.guide = "few colours";
    b->engine = (struct engine){ .model = b->services.model_port,
                                 .runtime = &b->runtime.port,
                                 .settings = services->settings,
                                 .journal = &b->session.journal };
    b->pool[0] = (struct figure_reference){
        .id = "dns", .summary = "a client asks a server", .domain = "net", .diagram_type = "flow"
    };
    b->input = (struct figure_input){ .source_context = SOURCE,
                                      .communicative_intent = "how it begins",
                                      .caption = "A client greets a server",
                                      .pool = b->pool,
                                      .n_pool = 1 };
    b->figure = (struct figure){ .session = &b->session,
                                 .engine = &b->engine,
                                 .model = "fake",
                                 .renderer = &b->renderer.base,
                                 .style = &b->style,
                                 .max_rounds = 3 };
    static const char *const chosen[] = { "dns" };
    b->figure.refs = chosen;
    b->figure.n_refs = 1;
    *state = b;
    return 0;
}

static inline int figure_stages_tear_down(void **state)
{
    struct figure_stages *b = *state;
    fake_services_finish(&b->services);
    arena_finish(&b->arena);
    free(b);
    return 0;
}

static inline void figure_stages_says(struct figure_stages *b, const char *const *replies, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fake_model_reply(&b->services.model, replies[i]);
}
#define SAYS(b, ...)                                                                               \
    figure_stages_says((b), (const char *const[]){ __VA_ARGS__ },                                  \
                       ARRAY_LENGTH(((const char *const[]){ __VA_ARGS__ })))

static inline enum figure_end figure_stages_run(struct figure_stages *b)
{
    assert_int_equal(figure_run(&b->figure, &b->input, &b->result, &b->err), ERR_NONE);
    return b->result.end;
}

/* Of all stages, a line each; in the arena. */
static inline const char *figure_stages_notes(struct figure_stages *b)
{
    const char *text = "";
    for (size_t i = 0; i < b->result.n_stages; i++)
        if (b->result.stages[i].note)
            text = arena_printf(&b->arena, "%s%s\n", text, b->result.stages[i].note);
    return text;
}

/* What holds for every figure, however it ended. */
static inline void figure_stages_assert_contracts(struct figure_stages *b)
{
    struct problems problems = { .arena = &b->arena };
    for (size_t i = 0; i < b->result.n_stages; i++)
        stage_contract_check(b->result.stages[i].stage, b->result.stages[i].input,
                             b->result.stages[i].output, &problems);
    json_auto_t *log = figure_round_log_to_json(&b->result.log);
    if (b->result.log.n_rounds)
        assert_true(round_log_check(log, 0, false, &problems).well_formed);
    for (size_t i = 0; i < problems.n; i++)
        if (!problems.list[i].rule || strcmp(problems.list[i].rule, "complete") != 0)
            fail_msg("%s", problem_print(&problems, &problems.list[i]));
    assert_string_equal(b->result.input.source_context, SOURCE);
}

#endif
