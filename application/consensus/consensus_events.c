#include "application/consensus/consensus_internal.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

static json_t *usage_to_json(const struct agent_usage *usage)
{
    return json_pack("{s:i, s:I, s:I, s:I}", "model_calls", (int)usage->model_calls,
                     "prompt_tokens", (json_int_t)usage->prompt_tokens, "tokens",
                     (json_int_t)usage->completion_tokens, "model_ms", (json_int_t)usage->model_ms);
}

/* What an agent stands for, null for nothing. */
static json_t *candidate_to_json(const struct standing *standing, bool with_text)
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

/* The last one as it counts: a promotion changes one that was reported before. */
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
                     "sha256", vote->sha256, "usage", usage_to_json(&vote->usage), "ms",
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
        candidate_to_json(&result->candidates[0], true),
        candidate_to_json(&result->candidates[1], true), "envelopes", last_envelope(result, 0),
        last_envelope(result, 1), "flips", (int)result->flips, "coercions", (int)result->coercions,
        "refused", (int)result->refused, "ms", (json_int_t)result->duration_ms, "usage",
        usage_to_json(&result->usage[0]), usage_to_json(&result->usage[1]), "vote",
        vote_to_json(&result->vote));
    if (result->err.code)
        json_object_set_new(value, "error", err_to_json(&result->err));
    return value;
}

static const char *const agent_names[ROLE_SET_AGENTS] = { "a", "b" };

/* A text of an agent, where the log keeps texts. */
static const char *kept(const struct consensus *consensus, const char *text)
{
    return consensus->session->journal.store_text ? text : NULL;
}

void consensus_emit_started(const struct consensus *consensus)
{
    json_t *agents = json_array(), *roles = role_set_to_json(consensus->roles);
    /* The examples stand beside the role set as well, as a value that is kept or not. */
    if (!consensus->session->journal.store_text)
        json_object_del(roles, "examples");
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++) {
        const struct consensus_agent *agent = consensus->agents[i];
        json_array_append_new(agents, json_pack("{s:s, s:s, s:s*}", "role",
                                                consensus->roles->agents[i].role, "by", agent->kind,
                                                "model", agent->model));
    }
    json_t *data = json_pack("{s:o, s:o, s:s, s:i, s:i, s:o, s:b}", "role_set", roles, "task",
                             journal_text(&consensus->session->journal, consensus->task), "kind",
                             canonical_kind_name(consensus->roles->kind), "max_rounds",
                             (int)consensus->max_rounds, "max_unreadable",
                             (int)consensus->session->services->settings->consensus_max_unreadable,
                             "agents", agents, "side_by_side", (int)consensus->side_by_side);
    if (consensus->examples)
        json_object_set_new(data, "examples",
                            journal_value(&consensus->session->journal, consensus->examples));
    journal_emit(&consensus->session->journal, EVENT_CONSENSUS_STARTED, data);
}

static json_t *remarks_of(const struct controller_verdict *verdict)
{
    json_t *remarks = json_array();
    for (size_t i = 0; i < verdict->n_remarks; i++)
        json_array_append_new(remarks, json_pack("{s:s, s:s}", "note",
                                                 controller_note_name(verdict->remarks[i].note),
                                                 "text", verdict->remarks[i].text));
    return remarks;
}

/* The envelope as it counts; and as it came, where the controller changed it. What stands in place
 * of none has a name of its own: no agent said it. */
static void add_envelope(const struct consensus *consensus, const struct consensus_turn_event *turn,
                         json_t *data)
{
    if (!turn->said) {
        json_object_set_new(data, "error_envelope",
                            envelope_to_json(&turn->verdict->envelope, NULL));
        return;
    }
    json_auto_t *said = envelope_to_json(turn->said, NULL);
    json_auto_t *counts = envelope_to_json(&turn->verdict->envelope, turn->verdict->sha256);
    json_auto_t *unhashed = envelope_to_json(&turn->verdict->envelope, NULL);
    json_object_set_new(data, "envelope", journal_value(&consensus->session->journal, counts));
    if (json_equal(said, unhashed))
        return;
    auto_str raw = json_print(said);
    json_object_set_new(data, "raw", journal_text(&consensus->session->journal, raw));
}

void consensus_emit_turn(const struct consensus *consensus, const struct consensus_turn_event *turn)
{
    const struct controller_verdict *verdict = turn->verdict;
    json_t *data = json_pack(
        "{s:i, s:s, s:b, s:s*, s:s*, s:o, s:s*, s:I, s:I, s:I}", "round", (int)turn->round, "agent",
        agent_names[turn->agent], "counts", (int)verdict->counts, "canonical",
        kept(consensus, turn->canonical), "sha256", verdict->sha256, "remarks", remarks_of(verdict),
        "checked", turn->check_failure, "prompt_tokens", (json_int_t)turn->usage->prompt_tokens,
        "tokens", (json_int_t)turn->usage->completion_tokens, "ms", (json_int_t)turn->ms);
    add_envelope(consensus, turn, data);
    journal_emit(&consensus->session->journal, EVENT_ENVELOPE, data);
}

void consensus_emit_hint(const struct consensus *consensus, unsigned round, const char *hint)
{
    journal_emit(&consensus->session->journal, EVENT_ARBITER_HINT,
                 json_pack("{s:i, s:s}", "round", (int)round, "text", hint));
}

void consensus_emit_vote(const struct consensus *consensus, const struct consensus_vote *vote)
{
    journal_emit(&consensus->session->journal, EVENT_VOTE,
                 json_pack("{s:i, s:i, s:i, s:s*, s:s*, s:o, s:I}", "samples", (int)vote->samples,
                           "usable", (int)vote->usable, "agree", (int)vote->agree, "text",
                           kept(consensus, vote->text), "sha256", vote->sha256, "usage",
                           usage_to_json(&vote->usage), "ms", (json_int_t)vote->duration_ms));
}

void consensus_emit_ended(const struct consensus *consensus, const struct consensus_result *result)
{
    struct journal *journal = &consensus->session->journal;
    json_t *candidates = json_array(), *envelopes = json_array();
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++) {
        json_auto_t *envelope = last_envelope(result, i);
        json_array_append_new(candidates,
                              candidate_to_json(&result->candidates[i], journal->store_text));
        json_array_append_new(envelopes, journal_value(journal, envelope));
    }
    json_t *data =
        json_pack("{s:s, s:i, s:b, s:s*, s:s*, s:s*, s:o, s:i, s:i, s:i}", "end",
                  consensus_end_name(result->end), "rounds", (int)result->rounds, "promoted",
                  (int)result->promoted, "text", kept(consensus, result->text), "canonical",
                  kept(consensus, result->canonical), "sha256", result->sha256, "candidates",
                  candidates, "flips", (int)result->flips, "coercions", (int)result->coercions,
                  "refused", (int)result->refused);
    json_object_set_new(data, "envelopes", envelopes);
    json_object_set_new(data, "ms", json_integer(result->duration_ms));
    json_object_set_new(
        data, "usage",
        json_pack("[o, o]", usage_to_json(&result->usage[0]), usage_to_json(&result->usage[1])));
    if (result->err.code)
        json_object_set_new(data, "error", err_to_json(&result->err));
    journal_emit(journal, EVENT_CONSENSUS_ENDED, data);
}
