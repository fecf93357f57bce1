#include "application/figure/report/figure_files.h"
#include "application/figure/report/figure_page.h"
#include "application/figure/report/figure_scorecard_text.h"
#include "application/figure/report/figure_sources.h"
#include "domain/base/json.h"
#include "domain/figure/figure_findings.h"
#include <string.h>

/* The last record of a stage that runs once. */
static const struct figure_stage_record *record_of(const struct figure_result *result,
                                                   enum figure_stage stage)
{
    const struct figure_stage_record *found = NULL;
    for (size_t i = 0; i < result->n_stages; i++)
        if (result->stages[i].stage == stage)
            found = &result->stages[i];
    return found;
}

static void add_output(struct figure_file_list *list, enum figure_stage stage, const char *name)
{
    const struct figure_stage_record *record = record_of(list->result, stage);
    if (record && record->output)
        figure_file_add_json(list, name, json_share(record->output));
}

static json_t *input_of(const struct figure_result *result)
{
    json_t *input = figure_input_to_json(&result->input);
    json_object_set_new(input, "mode", json_string(figure_mode_name(result->input.mode)));
    return input;
}

static json_t *round_log_of(const struct figure_result *result)
{
    json_t *log = figure_round_log_to_json(&result->log);
    json_t *rounds = json_object_get(log, "rounds");
    for (size_t i = 0; i < result->log.n_rounds; i++) {
        const struct figure_round *round = &result->log.rounds[i];
        json_object_set_new(json_array_get(rounds, i), "findings",
                            figure_findings_to_json(round->findings, round->n_findings));
    }
    return log;
}

static json_t *or_null(const json_t *value)
{
    return value ? json_share(value) : json_null();
}

static json_t *stages_of(const struct figure_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->n_stages; i++) {
        const struct figure_stage_record *record = &result->stages[i];
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:s, s:s?, s:s?, s:I, s:o, s:o}", "stage",
                            figure_stage_name(record->stage), "round", (json_int_t)record->round,
                            "by", record->by_rules ? "rules" : "model", "model", record->model,
                            "note", record->note, "ms", (json_int_t)record->duration_ms, "input",
                            or_null(record->input), "output", or_null(record->output)));
    }
    return list;
}

struct figure_file *figure_files(struct arena *arena, const struct figure_result *result,
                                 const struct figure_style *style, size_t *out_n)
{
    struct figure_file_list list = { .arena = arena, .result = result, .style = style };
    const json_t *scorecard = arena_keep_json(arena, figure_scorecard(result));
    figure_file_add_json(&list, "01_input.json", input_of(result));
    add_output(&list, STAGE_RETRIEVER, "02_retriever.json");
    add_output(&list, STAGE_PLANNER, "03_planner.json");
    add_output(&list, STAGE_STYLIST, "04_stylist.json");
    if (result->log.n_rounds) /* a log of no rounds would not be well-formed */
        figure_file_add_json(&list, "05_round_log.json", round_log_of(result));
    figure_file_add_json(&list, "stages.json", stages_of(result));
    for (size_t i = 0; i < result->log.n_rounds; i++)
        figure_sources_add(&list, i, arena_printf(arena, "round_%zu", i));
    if (result->best < result->log.n_rounds)
        figure_sources_add(&list, result->best, "figure");
    figure_file_add_json(&list, "scorecard.json", json_share(scorecard));
    figure_file_add_text(&list, "scorecard.md", figure_scorecard_text(arena, result, scorecard));
    figure_file_add_text(&list, FIGURE_INDEX, figure_page(arena, result, style, scorecard));
    *out_n = list.n;
    return list.files;
}
