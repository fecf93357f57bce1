#include "tests/support/full/figure_job.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/stage_contract.h"
#include "infrastructure/config/config.h"
#include <stdlib.h>
#include <string.h>

#define SOURCE "The client sends a SYN to the server. The server answers with a SYN-ACK."
#define FOLDER "runs/x"

static enum err_code check(struct model *m, struct scope *sc, struct arena *arena,
                           struct model_status *out, struct err *err)
{
    (void)sc, (void)arena, (void)err;
    int64_t tokens = ((struct drawing_model *)m)->context_tokens;
    *out = (struct model_status){ .kind = "script",
                                  .base_url = "",
                                  .model = "sure",
                                  .requested = "sure",
                                  .reason = "as written",
                                  .context_tokens = tokens ? tokens : -1,
                                  .sees = true };
    return ERR_NONE;
}

static const char *graph(struct drawing_model *model)
{
    return model->n_graphs++ == 0
               ? "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"Client\"},{\"id\":\"b\","
                 "\"label\":\"Blockchain\"}],\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":"
                 "\"SYN\"}]}"
               : "{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"Client\"},{\"id\":\"b\","
                 "\"label\":\"Server\"}],\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":"
                 "\"SYN\"}]}";
}

static const char *critique(struct drawing_model *model, struct arena *arena)
{
    return arena_printf(arena,
                        "{\"critic_suggestions\":\"Fine.\",\"revised_description\":"
                        "\"\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\", round %u.\","
                        "\"stop_flag\":true,\"quality_gate\":{\"faithfulness_ok\":true,"
                        "\"readability_ok\":true}}",
                        model->n_critiques++);
}

static const char *answer(struct drawing_model *model, const char *purpose, struct arena *arena)
{
    if (text_equal(purpose, "figure_retriever"))
        return "{\"top_refs\":[\"tcp_connection\"],\"selection_rationale\":\"near\","
               "\"retrieval_confidence\":\"high\"}";
    if (text_equal(purpose, "figure_planner"))
        return "{\"initial_description\":\"\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\".\","
               "\"assumption_block\":\"none needed\"}";
    if (text_equal(purpose, "figure_stylist"))
        return "{\"optimized_description\":\"\\\"Client\\\" sends \\\"SYN\\\" to \\\"Server\\\", "
               "left to right.\",\"style_actions\":[\"direction\"]}";
    if (text_equal(purpose, "figure_graph"))
        return graph(model);
    if (text_equal(purpose, "figure_plot"))
        return "{\"mark\":\"bar\",\"x\":\"city\",\"y\":\"rain\"}";
    return critique(model, arena);
}

static enum err_code chat(struct model *m, struct scope *sc, const struct model_request *request,
                          struct arena *arena, struct model_reply *out, struct err *err)
{
    (void)sc, (void)err;
    *out = (struct model_reply){ .text = answer((struct drawing_model *)m, request->purpose, arena),
                                 .model = "sure",
                                 .prompt_tokens = 2000,
                                 .cached_tokens = -1,
                                 .completion_tokens = 50,
                                 .duration_ms = 1 };
    return ERR_NONE;
}

static void nothing(struct model *m)
{
    (void)m;
}

int figure_job_set_up(void **state)
{
    static const struct model_ops ops = { .check = check, .chat = chat, .destroy = nothing };
    struct figure_job *job = calloc(1, sizeof *job);
    if (!job)
        return 1;
    job->runtime = immediate_runtime();
    job->scope.deadline_ms = SCOPE_NO_DEADLINE;
    job->folder = "";
    fake_services_init(&job->services, &job->runtime.port, SOURCE_DIR);
    fake_renderer_init(&job->renderer);
    job->model.base.ops = &ops;
    job->services.model_port = &job->model.base;
    job->services.renderer_port = &job->renderer.base;
    job->services.base.documents = yaml_documents();
    job->request = (struct figure_request){
        .source_context = SOURCE, .caption = "A client greets a server", .out = "runs", .name = "x"
    };
    *state = job;
    return 0;
}

int figure_job_tear_down(void **state)
{
    struct figure_job *job = *state;
    fake_services_finish(&job->services);
    arena_finish(&job->arena);
    free(job);
    return 0;
}

void figure_job_plots(struct figure_job *job)
{
    static struct plot_column columns[] = { { .name = "city" },
                                            { .name = "rain", .is_number = true } };
    job->data = (struct plot_data){
        .columns = columns,
        .n_columns = 2,
        .n_rows = 2,
        .origin = "rain.csv",
        .rows = arena_keep_json(&job->arena, json_pack("[[s,i],[s,i]]", "Oslo", 71, "Rome", 52)),
    };
    job->request.mode = FIGURE_MODE_PLOT_CODE;
    job->request.data = &job->data;
}

enum err_code figure_job_draw(struct figure_job *job)
{
    struct made_figure made;
    enum err_code r =
        make_figure(&job->services.base, &job->scope, &job->arena, &job->request, &made, &job->err);
    job->result = made.result;
    job->folder = made.folder;
    job->run_id = made.end.run_id;
    return r;
}

static unsigned critical(const struct figure_round *round)
{
    unsigned n = 0;
    for (size_t i = 0; i < round->n_findings; i++)
        n += round->findings[i].is_critical;
    return n;
}

static bool passes(const struct figure_round *round)
{
    return round->critique.faithfulness_ok && round->critique.readability_ok;
}

/* The documented order as a number: less is better. */
static unsigned long rank(const struct figure_round *round)
{
    return ((round->rendered ? 0UL : 1UL) << 40) + ((unsigned long)critical(round) << 20) +
           ((passes(round) ? 0UL : 1UL) << 16) + (unsigned long)round->n_findings;
}

static const char *fault_of_rounds(const struct figure_result *result)
{
    const struct figure_round *rounds = result->log.rounds;
    for (size_t i = 0; i < result->log.n_rounds; i++) {
        if (rank(&rounds[i]) < rank(&rounds[result->best]) ||
            (i < result->best && rank(&rounds[i]) == rank(&rounds[result->best])))
            return "another round is better than the best";
        if (passes(&rounds[i]) && critical(&rounds[i]))
            return "both gates are true beside a critical finding";
        if (rounds[i].critique.stop_flag && !(passes(&rounds[i]) && rounds[i].rendered))
            return "a stop without its gates";
    }
    return NULL;
}

static const char *fault_of_end(const struct figure_result *result)
{
    if (result->end == FIGURE_END_STAGE_FAILED)
        return result->err.message[0] ? NULL : "a stage failed and nobody knows why";
    if (result->log.n_rounds == 0)
        return "it ended without a round";
    const struct figure_round *last = &result->log.rounds[result->log.n_rounds - 1];
    if (result->end == FIGURE_END_APPROVED &&
        !(last->critique.reviewed && last->critique.stop_flag && passes(last)))
        return "approved by nobody";
    if (result->end != FIGURE_END_APPROVED && !result->manual_review_required)
        return "not approved, and nobody is to look";
    return NULL;
}

static const char *fault_of_contracts(struct figure_job *job)
{
    const struct figure_result *result = &job->result;
    struct problems problems = { .arena = &job->arena };
    for (size_t i = 0; i < result->n_stages; i++)
        stage_contract_check(result->stages[i].stage, result->stages[i].input,
                             result->stages[i].output, &problems);
    if (problems.n)
        return problem_print(&problems, &problems.list[0]);
    json_auto_t *log = figure_round_log_to_json(&result->log);
    if (result->log.n_rounds && !round_log_check(log, 0, false, &problems).well_formed)
        return problem_print(&problems, &problems.list[0]);
    return strcmp(result->input.source_context, SOURCE) ? "the source is another one" : NULL;
}

static const char *fault_of_files(const struct figure_job *job, enum err_code code)
{
    const struct fake_artifacts *files = &job->services.artifacts;
    if (files->n_open)
        return "a folder is neither there nor gone";
    if (code || !job->result.log.n_rounds)
        return json_object_size(files->folders) ? "there is a folder of a figure that failed"
                                                : NULL;
    if (!fake_artifacts_text(files, FOLDER, "index.html"))
        return "the folder is not complete";
    bool has_log = fake_artifacts_text(files, FOLDER, "05_round_log.json");
    return has_log ? NULL : "the log of its rounds is missing";
}

const char *figure_job_broken_rule(struct figure_job *job, enum err_code code)
{
    if (fake_services_count(&job->services, EVENT_RUN_STARTED) !=
        fake_services_count(&job->services, EVENT_RUN_FINISHED))
        return "a run was not closed";
    if (code && !job->err.message[0])
        return "an error says nothing";
    const char *fault = fault_of_files(job, code);
    if (code || fault)
        return fault;
    fault = fault_of_rounds(&job->result);
    if (!fault)
        fault = fault_of_end(&job->result);
    return fault ? fault : fault_of_contracts(job);
}
