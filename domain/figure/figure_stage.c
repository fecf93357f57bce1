#include "domain/figure/figure_stage.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

#define X(value, name) name,
static const char *const stage_names[] = { FIGURE_STAGES(X) };
static const char *const mode_names[] = { FIGURE_MODES(X) };
static const char *const artifact_names[] = { FIGURE_ARTIFACTS(X) };
#undef X

static int index_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text_equal(name, names[i]))
            return (int)i;
    return -1;
}

const char *figure_stage_name(enum figure_stage stage)
{
    return stage_names[stage];
}

bool figure_stage_parse(const char *name, enum figure_stage *out)
{
    int at = index_of(name, stage_names, ARRAY_LENGTH(stage_names));
    if (at >= 0)
        *out = (enum figure_stage)at;
    return at >= 0;
}

const char *figure_mode_name(enum figure_mode mode)
{
    return mode_names[mode];
}

bool figure_mode_parse(const char *name, enum figure_mode *out)
{
    int at = index_of(name, mode_names, ARRAY_LENGTH(mode_names));
    if (at >= 0)
        *out = (enum figure_mode)at;
    return at >= 0;
}

const char *figure_artifact_name(enum figure_artifact_type type)
{
    return artifact_names[type];
}

bool figure_artifact_parse(const char *name, enum figure_artifact_type *out)
{
    int at = index_of(name, artifact_names, ARRAY_LENGTH(artifact_names));
    if (at >= 0)
        *out = (enum figure_artifact_type)at;
    return at >= 0;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

json_t *figure_input_to_json(const struct figure_input *input)
{
    json_t *pool = json_array();
    for (size_t i = 0; i < input->n_pool; i++) {
        const struct figure_reference *entry = &input->pool[i];
        json_array_append_new(pool, json_pack("{s:s, s:s, s:s, s:s}", "id", or_empty(entry->id),
                                              "summary", or_empty(entry->summary), "domain",
                                              or_empty(entry->domain), "diagram_type",
                                              or_empty(entry->diagram_type)));
    }
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

struct figure_critique figure_critique_from_json(const json_t *value)
{
    const json_t *gate = json_object_get(value, "quality_gate");
    return (struct figure_critique){
        .critic_suggestions = json_get_string(value, "critic_suggestions"),
        .revised_description = json_get_string(value, "revised_description"),
        .stop_flag = json_get_bool(value, "stop_flag", false),
        .faithfulness_ok = json_get_bool(gate, "faithfulness_ok", false),
        .readability_ok = json_get_bool(gate, "readability_ok", false),
        .reviewed = json_get_bool(value, "reviewed", true),
    };
}

json_t *figure_round_log_to_json(const struct figure_round_log *log)
{
    json_t *rounds = json_array();
    for (size_t i = 0; i < log->n_rounds; i++) {
        const struct figure_round *round = &log->rounds[i];
        json_array_append_new(rounds, json_pack("{s:I, s:s, s:{s:s, s:s}, s:o, s:O*}", "round",
                                                (json_int_t)round->round, "description_t",
                                                or_empty(round->description_t), "artifact", "type",
                                                figure_artifact_name(round->artifact.type), "value",
                                                or_empty(round->artifact.value), "critique",
                                                figure_critique_to_json(&round->critique),
                                                "before_feedback", round->before_feedback));
    }
    return json_pack("{s:I, s:s, s:b, s:s, s:o}", "max_rounds", (json_int_t)log->max_rounds, "mode",
                     figure_mode_name(log->mode), "terminated_early", (int)log->terminated_early,
                     "termination_reason", or_empty(log->termination_reason), "rounds", rounds);
}
