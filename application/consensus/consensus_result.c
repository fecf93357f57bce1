#include "application/consensus/consensus_internal.h"
#include "domain/base/err_json.h"

json_t *consensus_usage_to_json(const struct agent_usage *usage)
{
    return json_pack("{s:i, s:I, s:I, s:I}", "model_calls", (int)usage->model_calls,
                     "prompt_tokens", (json_int_t)usage->prompt_tokens, "tokens",
                     (json_int_t)usage->completion_tokens, "model_ms", (json_int_t)usage->model_ms);
}

json_t *consensus_candidate_to_json(const struct standing *standing, bool with_text)
{
    if (!standing->exists)
        return json_null();
    return json_pack("{s:s*, s:s*, s:s, s:i, s:b}", "text", with_text ? standing->text : NULL,
                     "canonical_text", with_text ? standing->canonical : NULL, "sha256",
                     standing->sha256, "round", (int)standing->round, "adopted",
                     (int)standing->adopted);
}

const char *consensus_answer(const struct consensus_result *result, enum canonical_kind kind)
{
    return kind == CANONICAL_TEXT ? result->text : result->canonical;
}

static json_t *last_envelope(const struct consensus_result *result, size_t i)
{
    const struct envelope *last = result->envelopes[i];
    if (!last)
        return json_null();
    return envelope_to_json(last, *last->sha256 ? last->sha256 : NULL);
}

static json_t *vote_to_json(const struct consensus_vote *vote)
{
    if (!vote->samples)
        return json_null();
    return json_pack("{s:i, s:i, s:i, s:s?, s:s?, s:o, s:I}", "samples", (int)vote->samples,
                     "usable", (int)vote->usable, "agree", (int)vote->agree, "text", vote->text,
                     "sha256", vote->sha256, "usage", consensus_usage_to_json(&vote->usage), "ms",
                     (json_int_t)vote->duration_ms);
}

json_t *consensus_result_to_json(const struct consensus_result *result, const char *run_id,
                                 enum canonical_kind kind)
{
    bool agreed = result->end == CONSENSUS_CONSENSUS;
    json_t *value = json_pack(
        "{s:i, s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s, s:i, s:b, s:[o, o], s:[o, o], s:i, s:i, s:i, "
        "s:I, "
        "s:[o, o], s:o}",
        "version", 1, "run_id", run_id, "status", agreed ? "CONSENSUS" : "NO_CONSENSUS", "reason",
        consensus_end_name(result->end), "canonical_text", result->canonical, "text", result->text,
        "sha256", result->sha256, "kind", canonical_kind_name(kind), "rounds", (int)result->rounds,
        "promoted", (int)result->promoted, "candidates",
        consensus_candidate_to_json(&result->candidates[0], true),
        consensus_candidate_to_json(&result->candidates[1], true), "envelopes",
        last_envelope(result, 0), last_envelope(result, 1), "flips", (int)result->flips,
        "coercions", (int)result->coercions, "refused", (int)result->refused, "ms",
        (json_int_t)result->duration_ms, "usage", consensus_usage_to_json(&result->usage[0]),
        consensus_usage_to_json(&result->usage[1]), "vote", vote_to_json(&result->vote));
    if (result->end == CONSENSUS_AGENTS_LOST)
        json_object_set_new(value, "error", err_to_json(&result->err));
    return value;
}
