#include "domain/figure/figure_stage.h"
#include "domain/base/text.h"

static const char *const stage_names[] = {
#define X(stage, name) name,
    FIGURE_STAGES(X)
#undef X
};

static const char *const mode_names[] = {
#define X(mode, name) name,
    FIGURE_MODES(X)
#undef X
};

static const char *const artifact_names[] = {
#define X(type, name) name,
    FIGURE_ARTIFACTS(X)
#undef X
};

static bool find_name(const char *name, const char *const *names, size_t n, size_t *out)
{
    for (size_t i = 0; i < n; i++) {
        if (!text_equal(name, names[i]))
            continue;
        *out = i;
        return true;
    }
    return false;
}

const char *figure_stage_name(enum figure_stage stage)
{
    return stage_names[stage];
}

bool figure_stage_parse(const char *name, enum figure_stage *out)
{
    size_t at;
    if (!find_name(name, stage_names, ARRAY_LENGTH(stage_names), &at))
        return false;
    *out = (enum figure_stage)at;
    return true;
}

const char *figure_mode_name(enum figure_mode mode)
{
    return mode_names[mode];
}

bool figure_mode_parse(const char *name, enum figure_mode *out)
{
    size_t at;
    if (!find_name(name, mode_names, ARRAY_LENGTH(mode_names), &at))
        return false;
    *out = (enum figure_mode)at;
    return true;
}

const char *figure_artifact_name(enum figure_artifact_type type)
{
    return artifact_names[type];
}

bool figure_artifact_parse(const char *name, enum figure_artifact_type *out)
{
    size_t at;
    if (!find_name(name, artifact_names, ARRAY_LENGTH(artifact_names), &at))
        return false;
    *out = (enum figure_artifact_type)at;
    return true;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static json_t *reference_to_json(const struct figure_reference *reference)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "id", or_empty(reference->id), "summary",
                     or_empty(reference->summary), "domain", or_empty(reference->domain),
                     "diagram_type", or_empty(reference->diagram_type));
}

json_t *figure_input_to_json(const struct figure_input *input)
{
    json_t *pool = json_array();
    for (size_t i = 0; i < input->n_pool; i++)
        json_array_append_new(pool, reference_to_json(&input->pool[i]));
    return json_pack("{s:s, s:s, s:s, s:o}", "source_context", or_empty(input->source_context),
                     "communicative_intent", or_empty(input->communicative_intent), "caption",
                     or_empty(input->caption), "candidate_pool", pool);
}

json_t *figure_critique_to_json(const struct figure_critique *critique)
{
    json_t *value =
        json_pack("{s:s, s:s, s:b, s:{s:b, s:b}}", "critic_suggestions",
                  or_empty(critique->critic_suggestions), "revised_description",
                  or_empty(critique->revised_description), "stop_flag", (int)critique->stop_flag,
                  "quality_gate", "faithfulness_ok", (int)critique->faithfulness_ok,
                  "readability_ok", (int)critique->readability_ok);
    if (!critique->reviewed)
        json_object_set_new(value, "reviewed", json_false());
    return value;
}

static json_t *round_to_json(const struct figure_round *round)
{
    return json_pack("{s:I, s:s, s:{s:s, s:s}, s:o}", "round", (json_int_t)round->round,
                     "description_t", or_empty(round->description_t), "artifact", "type",
                     figure_artifact_name(round->artifact.type), "value",
                     or_empty(round->artifact.value), "critique",
                     figure_critique_to_json(&round->critique));
}

json_t *figure_round_log_to_json(const struct figure_round_log *log)
{
    json_t *rounds = json_array();
    for (size_t i = 0; i < log->n_rounds; i++)
        json_array_append_new(rounds, round_to_json(&log->rounds[i]));
    return json_pack("{s:I, s:s, s:b, s:s, s:o}", "max_rounds", (json_int_t)log->max_rounds, "mode",
                     figure_mode_name(log->mode), "terminated_early", (int)log->terminated_early,
                     "termination_reason", or_empty(log->termination_reason), "rounds", rounds);
}
