/* A figure as JSON: for the files of its folder, for `figure --json`, and from the events of its
 * run. */
#include "application/figure/report/figure_files_internal.h"
#include "domain/base/json.h"
#include "domain/figure/figure_findings.h"

json_t *figure_log_to_json(const struct figure_result *result, bool rendered)
{
    json_t *log = figure_round_log_to_json(&result->log);
    json_object_set_new(log, "best", json_integer((json_int_t)result->best));
    json_object_set_new(log, "chosen_by",
                        json_string(result->chosen_by_person ? "person" : "rules"));
    for (size_t i = 0; i < result->log.n_rounds; i++) {
        const struct figure_round *round = &result->log.rounds[i];
        json_t *value = json_array_get(json_object_get(log, "rounds"), i);
        if (rendered)
            json_object_set_new(value, "rendered", json_boolean(round->rendered));
        if (result->pictures && result->pictures[i].renderer)
            json_object_set_new(value, "renderer", json_string(result->pictures[i].renderer));
        json_object_set_new(value, "findings",
                            figure_findings_to_json(round->findings, round->n_findings));
    }
    return log;
}

static json_t *or_null(const json_t *value)
{
    return value ? json_share(value) : json_null();
}

json_t *figure_stages_to_json(const struct figure_result *result, bool payloads)
{
    json_t *stages = json_array();
    if (payloads)
        (void)json_array_extend(stages, (json_t *)(uintptr_t)result->stages_before);
    for (size_t i = 0; i < result->n_stages; i++) {
        const struct figure_stage_record *record = &result->stages[i];
        json_t *stage = json_pack(
            "{s:s, s:I, s:s, s:s?, s:s?, s:I}", "stage", figure_stage_name(record->stage), "round",
            (json_int_t)record->round, "by", record->by_rules ? "rules" : "model", "model",
            record->model, "note", record->note, "ms", (json_int_t)record->duration_ms);
        if (payloads) {
            json_object_set_new(stage, "input", or_null(record->input));
            json_object_set_new(stage, "output", or_null(record->output));
        }
        json_array_append_new(stages, stage);
    }
    return stages;
}

json_t *figure_result_to_json(const struct figure_result *result, const char *run_id,
                              const char *folder)
{
    bool has_folder = folder && *folder;
    json_t *best =
        result->best < result->log.n_rounds ? json_integer((json_int_t)result->best) : json_null();
    json_t *value = json_pack(
        "{s:i, s:s?, s:s, s:b, s:s, s:s, s:I, s:o, s:b, s:s, s:s?, s:s?}", "version", 1, "run_id",
        run_id && *run_id ? run_id : NULL, "end", figure_end_name(result->end), "ready_for_publish",
        (int)figure_is_ready(result), "mode", figure_mode_name(result->input.mode), "caption",
        result->input.caption, "max_rounds", (json_int_t)result->log.max_rounds, "best", best,
        "manual_review_required", (int)result->manual_review_required, "unresolved",
        result->unresolved ? result->unresolved : "", "retrieval_confidence",
        result->retrieval_confidence, "folder", has_folder ? folder : NULL);
    json_auto_t *log = figure_log_to_json(result, true);
    json_object_set(value, "chosen_by", json_object_get(log, "chosen_by"));
    json_object_set(value, "rounds", json_object_get(log, "rounds"));
    json_object_set_new(value, "stages", figure_stages_to_json(result, false));
    json_object_set_new(value, "scorecard", figure_scorecard(result));
    json_object_set_new(value, "error", result->err.code ? err_to_json(&result->err) : json_null());
    json_object_set_new(value, "usage",
                        json_pack("{s:I, s:I}", "model_calls", (json_int_t)result->model_calls,
                                  "ms", (json_int_t)result->duration_ms));
    return value;
}

/* A round log while it is made of events, which are read in their order. */
struct reading {
    const json_t *started, *ended;
    const char *description; /* of the round that is next */
    json_t *rounds;
    json_t *open; /* the round whose critique is not there yet; NULL: none */
};

static void close_round(struct reading *r, const json_t *critique)
{
    if (!r->open)
        return;
    if (critique)
        json_object_set_new(r->open, "critique", json_share(critique));
    json_array_append_new(r->rounds, r->open);
    r->open = NULL;
}

static void on_drawn(struct reading *r, const json_t *data)
{
    const json_t *artifact = json_object_get(json_object_get(data, "output"), "artifact");
    close_round(r, NULL);
    r->open = json_pack("{s:I, s:s}", "round", (json_int_t)json_get_int(data, "round", 0),
                        "description_t", r->description ? r->description : "");
    if (artifact)
        json_object_set_new(r->open, "artifact", json_share(artifact));
}

static void on_stage(struct reading *r, const json_t *data)
{
    const json_t *output = json_object_get(data, "output");
    const char *stage = json_get_string(data, "stage"), *text = NULL;
    enum figure_stage which;
    if (!stage || !figure_stage_parse(stage, &which))
        return;
    if (which == STAGE_PLANNER)
        text = json_get_string(output, "initial_description");
    if (which == STAGE_STYLIST)
        text = json_get_string(output, "optimized_description");
    if (which == STAGE_VISUALIZER)
        on_drawn(r, data);
    if (which == STAGE_CRITIC) {
        text = json_get_string(output, "revised_description");
        close_round(r, output);
    }
    if (text && *text)
        r->description = text;
}

static void on_event(struct reading *r, const struct event *event)
{
    if (event->kind == EVENT_FIGURE_STARTED)
        r->started = event->data;
    else if (event->kind == EVENT_FIGURE_ENDED)
        r->ended = event->data;
    else if (event->kind == EVENT_FIGURE_FINDINGS && r->open)
        json_object_set(r->open, "findings", json_object_get(event->data, "findings"));
    else if (event->kind == EVENT_STAGE_FINISHED)
        on_stage(r, event->data);
}

json_t *figure_log_from_events(const struct event *events, size_t n)
{
    struct reading r = { .rounds = json_array() };
    for (size_t i = 0; i < n; i++)
        on_event(&r, &events[i]);
    close_round(&r, NULL);
    json_auto_t *rounds = r.rounds;
    const char *end = json_get_string(r.ended, "end"), *mode = json_get_string(r.started, "mode");
    if (!end || !mode || json_get_int(json_array_get(rounds, 0), "round", 0))
        return NULL;
    int64_t max_rounds = json_get_int(r.started, "max_rounds", 0);
    bool early = (int64_t)json_array_size(rounds) < max_rounds;
    return json_pack("{s:I, s:s, s:b, s:s, s:O, s:I, s:s}", "max_rounds", (json_int_t)max_rounds,
                     "mode", mode, "terminated_early", (int)early, "termination_reason",
                     early ? end : "", "rounds", rounds, "best",
                     (json_int_t)json_get_int(r.ended, "best", 0), "chosen_by", "rules");
}
