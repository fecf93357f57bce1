#include "domain/figure/stage_contract.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_findings.h"
#include "domain/figure/stage_contract_values.h"
#include <string.h>

#define MAX_FIELDS 6

struct stage_contract {
    struct stage_field input[MAX_FIELDS], output[MAX_FIELDS];
};

/* S1-5 … S1-17, as they are written in the seed. */
static const struct stage_contract contracts[] = {
    [STAGE_RETRIEVER] = {
        .input = { { "source_context", stage_check_text, false },
                   { "communicative_intent", stage_check_text, false },
                   { "caption", stage_check_text, false },
                   { "candidate_pool", stage_check_pool, false } },
        .output = { { "top_refs", stage_check_refs, false },
                    { "selection_rationale", stage_check_text, false },
                    { "retrieval_confidence", stage_check_confidence, false } },
    },
    [STAGE_PLANNER] = {
        .input = { { "source_context", stage_check_text, false },
                   { "communicative_intent", stage_check_text, false },
                   { "caption", stage_check_text, false },
                   { "retrieved_examples", stage_check_examples, false } },
        .output = { { "initial_description", stage_check_text, false },
                    { "assumption_block", stage_check_string, true } },
    },
    [STAGE_STYLIST] = {
        .input = { { "initial_description", stage_check_text, false },
                   { "style_guidelines", stage_check_text, false },
                   { "source_context", stage_check_text, false },
                   { "caption", stage_check_text, false } },
        .output = { { "optimized_description", stage_check_text, false },
                    { "style_actions", stage_check_texts, false } },
    },
    [STAGE_VISUALIZER] = {
        .input = { { "description_t", stage_check_text, false },
                   { "mode", stage_check_mode, false },
                   { "round", stage_check_round, false } },
        .output = { { "artifact", stage_check_artifact, false } },
    },
    [STAGE_CRITIC] = {
        .input = { { "artifact", stage_check_artifact, false },
                   { "description_t", stage_check_text, false },
                   { "source_context", stage_check_text, false },
                   { "caption", stage_check_text, false },
                   { "round", stage_check_round, false } },
        .output = { { "critic_suggestions", stage_check_text, false },
                    { "revised_description", stage_check_text, false },
                    { "stop_flag", stage_check_flag, false },
                    { "quality_gate", stage_check_gate, false } },
    },
};

static bool has_id(const json_t *pool, const json_t *id)
{
    const json_t *candidate;
    size_t i;
    json_array_foreach (pool, i, candidate)
        if (json_equal(json_object_get(candidate, "id"), id))
            return true;
    return false;
}

/* S1-8 */
static void check_refs_in_pool(const struct stage_check *check, const json_t *input,
                               const json_t *output)
{
    const json_t *pool = json_object_get(input, "candidate_pool"), *ref;
    const json_t *refs = json_object_get(output, "top_refs");
    size_t i;
    if (!json_is_array(pool) || json_array_size(refs) > FIGURE_MAX_REFS)
        return;
    json_array_foreach (refs, i, ref)
        if (json_is_string(ref) && !has_id(pool, ref))
            stage_problem(check, json_path_element(check->problems->arena, "/top_refs", i),
                          "name ids of the input's candidate_pool",
                          "there is no \"%.60s\" in the candidate_pool", json_string_value(ref));
}

/* S1-4. An output need not repeat the two; where it does, it repeats them. */
static void check_unchanged(const struct stage_check *check, const json_t *input,
                            const json_t *output)
{
    static const char *const kept[] = { "source_context", "caption" };
    for (size_t i = 0; i < ARRAY_LENGTH(kept); i++) {
        const json_t *before = json_object_get(input, kept[i]);
        const json_t *after = json_object_get(output, kept[i]);
        if (before && after && !json_equal(before, after))
            stage_problem(check, json_path_member(check->problems->arena, "", kept[i]),
                          "repeat it byte for byte, or leave it out",
                          "not what the input has: it stays the same to the end");
    }
}

/* S1-13 */
static void check_entities(const struct stage_check *check, const json_t *input,
                           const json_t *output)
{
    const char *before = json_get_string(input, "initial_description");
    const char *after = json_get_string(output, "optimized_description");
    struct figure_findings lost = { .arena = check->problems->arena };
    if (before && after)
        find_lost_entities(&lost, before, after);
    for (size_t i = 0; i < lost.n; i++)
        stage_problem(check, "/optimized_description", lost.list[i].fix, "%s",
                      lost.list[i].message);
}

static void check_together(const struct stage_check *check, enum figure_stage stage,
                           const json_t *input, const json_t *output)
{
    check_unchanged(check, input, output);
    if (stage == STAGE_RETRIEVER)
        check_refs_in_pool(check, input, output);
    if (stage == STAGE_STYLIST)
        check_entities(check, input, output);
    if (stage == STAGE_VISUALIZER)
        stage_check_artifact_of_mode(check, json_object_get(input, "mode"),
                                     json_object_get(output, "artifact"), "/artifact");
}

bool stage_contract_check(enum figure_stage stage, const json_t *input, const json_t *output,
                          struct problems *problems)
{
    const struct stage_contract *contract = &contracts[stage];
    const struct stage_check of_input = { "input", problems }, of_output = { "output", problems };
    size_t before = problems->n + problems->dropped;
    if (input)
        stage_check_fields(&of_input, input, "", contract->input);
    if (output)
        stage_check_fields(&of_output, output, "", contract->output);
    if (output && stage == STAGE_CRITIC)
        stage_check_stop(&of_output, output, "");
    if (input && output)
        check_together(&of_output, stage, input, output);
    return problems->n + problems->dropped == before;
}
