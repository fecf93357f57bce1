/* A figure as `figure --json` prints it. */
#include "application/figure/report/figure_evidence.h"
#include "application/figure/report/figure_files.h"
#include "domain/base/json.h"
#include "domain/figure/figure_findings.h"

static json_t *rounds_of(const struct figure_result *result)
{
    json_t *log = figure_round_log_to_json(&result->log);
    json_t *rounds = json_incref(json_object_get(log, "rounds"));
    json_decref(log);
    for (size_t i = 0; i < result->log.n_rounds; i++) {
        const struct figure_round *round = &result->log.rounds[i];
        json_t *one = json_array_get(rounds, i);
        json_object_set_new(one, "rendered", json_boolean(round->rendered));
        json_object_set_new(one, "findings",
                            figure_findings_to_json(round->findings, round->n_findings));
    }
    return rounds;
}

static json_t *stages_of(const struct figure_result *result)
{
    json_t *stages = json_array();
    for (size_t i = 0; i < result->n_stages; i++) {
        const struct figure_stage_record *record = &result->stages[i];
        json_array_append_new(
            stages, json_pack("{s:s, s:I, s:s, s:s?, s:s?, s:I}", "stage",
                              figure_stage_name(record->stage), "round", (json_int_t)record->round,
                              "by", record->by_rules ? "rules" : "model", "model", record->model,
                              "note", record->note, "ms", (json_int_t)record->duration_ms));
    }
    return stages;
}

static json_t *error_of(const struct figure_result *result)
{
    if (result->end != FIGURE_END_STAGE_FAILED)
        return json_null();
    return json_pack("{s:s, s:s}", "code", err_name(result->err.code), "message",
                     result->err.message);
}

json_t *figure_result_to_json(const struct figure_result *result, const char *run_id,
                              const char *folder)
{
    bool has_folder = folder && *folder;
    json_t *best =
        result->best < result->log.n_rounds ? json_integer((json_int_t)result->best) : json_null();
    json_t *value = json_pack(
        "{s:i, s:s?, s:s, s:b, s:s, s:s, s:I, s:o, s:b, s:s, s:s?, s:s?}", "version", 1, "run_id",
        run_id, "end", figure_end_name(result->end), "ready_for_publish",
        (int)figure_is_ready(result), "mode", figure_mode_name(result->input.mode), "caption",
        result->input.caption, "max_rounds", (json_int_t)result->log.max_rounds, "best", best,
        "manual_review_required", (int)result->manual_review_required, "unresolved",
        result->unresolved ? result->unresolved : "", "retrieval_confidence",
        result->retrieval_confidence, "folder", has_folder ? folder : NULL);
    json_object_set_new(value, "rounds", rounds_of(result));
    json_object_set_new(value, "stages", stages_of(result));
    json_object_set_new(value, "scorecard", figure_scorecard(result));
    json_object_set_new(value, "error", error_of(result));
    json_object_set_new(value, "usage",
                        json_pack("{s:I, s:I}", "model_calls", (json_int_t)result->model_calls,
                                  "ms", (json_int_t)result->duration_ms));
    return value;
}
