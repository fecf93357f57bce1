#include "application/consensus/consensus_events.h"
#include "application/consensus/consensus_internal.h"
#include "domain/base/err_json.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

static const char *const agent_names[ROLE_SET_AGENTS] = { "a", "b" };

static void emit(const struct consensus *consensus, enum event_kind kind, json_t *data)
{
    journal_emit(consensus->journal, kind, data);
}

/* Of an agent: only where texts are kept at all. */
static const char *kept(const struct consensus *consensus, const char *text)
{
    return consensus->journal->store_text ? text : NULL;
}

/* Its examples stand beside it as well, as a value that is kept or not. */
static json_t *told_role_set(const struct consensus *consensus)
{
    json_t *roles = role_set_to_json(consensus->roles);
    if (!consensus->journal->store_text)
        json_object_del(roles, "examples");
    return roles;
}

void consensus_tell_started(const struct consensus *consensus)
{
    json_t *agents = json_array();
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++) {
        const struct consensus_agent *agent = consensus->agents[i];
        json_array_append_new(agents, json_pack("{s:s, s:s, s:s*}", "role",
                                                consensus->roles->agents[i].role, "by", agent->kind,
                                                "model", agent->model));
    }
    json_t *data = json_pack("{s:o, s:o, s:s, s:i, s:o, s:b}", "role_set", told_role_set(consensus),
                             "task", journal_text(consensus->journal, consensus->task), "kind",
                             canonical_kind_name(consensus->roles->kind), "max_rounds",
                             (int)consensus->max_rounds, "agents", agents, "side_by_side",
                             (int)consensus->side_by_side);
    if (consensus->examples)
        json_object_set_new(data, "examples",
                            journal_value(consensus->journal, consensus->examples));
    emit(consensus, EVENT_CONSENSUS_STARTED, data);
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
 * of none (S0-33) has a name of its own: no agent said it. */
static void add_envelope(const struct consensus *consensus, const struct consensus_turn_told *turn,
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
    json_object_set_new(data, "envelope", journal_value(consensus->journal, counts));
    if (json_equal(said, unhashed))
        return;
    auto_str raw = json_print(said);
    json_object_set_new(data, "raw", journal_text(consensus->journal, raw));
}

void consensus_tell_turn(const struct consensus *consensus, const struct consensus_turn_told *turn)
{
    const struct controller_verdict *verdict = turn->verdict;
    json_t *data = json_pack(
        "{s:i, s:s, s:b, s:s*, s:s*, s:o, s:s*, s:I, s:I, s:I}", "round", (int)turn->round, "agent",
        agent_names[turn->agent], "counts", (int)verdict->counts, "canonical",
        kept(consensus, turn->canonical), "sha256", verdict->sha256, "remarks", remarks_of(verdict),
        "checked", turn->check_failure, "prompt_tokens", (json_int_t)turn->usage->prompt_tokens,
        "tokens", (json_int_t)turn->usage->completion_tokens, "ms", (json_int_t)turn->ms);
    add_envelope(consensus, turn, data);
    emit(consensus, EVENT_ENVELOPE, data);
}

void consensus_tell_hint(const struct consensus *consensus, unsigned round, const char *hint)
{
    emit(consensus, EVENT_ARBITER_HINT, json_pack("{s:i, s:s}", "round", (int)round, "text", hint));
}

void consensus_tell_vote(const struct consensus *consensus, const struct consensus_vote *vote)
{
    emit(consensus, EVENT_VOTE,
         json_pack("{s:i, s:i, s:i, s:s*, s:s*, s:o, s:I}", "samples", (int)vote->samples, "usable",
                   (int)vote->usable, "agree", (int)vote->agree, "text",
                   kept(consensus, vote->text), "sha256", vote->sha256, "usage",
                   consensus_usage_to_json(&vote->usage), "ms", (json_int_t)vote->duration_ms));
}

/* The last of each: a promotion changes one that was told before. */
static json_t *envelopes_of(const struct consensus *consensus,
                            const struct consensus_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++) {
        const struct envelope *last = result->envelopes[i];
        json_auto_t *value =
            last ? envelope_to_json(last, *last->sha256 ? last->sha256 : NULL) : json_null();
        json_array_append_new(list, journal_value(consensus->journal, value));
    }
    return list;
}

void consensus_tell_ended(const struct consensus *consensus, const struct consensus_result *result)
{
    json_t *candidates = json_array();
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++)
        json_array_append_new(
            candidates,
            consensus_candidate_to_json(&result->candidates[i], consensus->journal->store_text));
    json_t *data =
        json_pack("{s:s, s:i, s:b, s:s*, s:s*, s:s*, s:o, s:i, s:i, s:i}", "end",
                  consensus_end_name(result->end), "rounds", (int)result->rounds, "promoted",
                  (int)result->promoted, "text", kept(consensus, result->text), "canonical",
                  kept(consensus, result->canonical), "sha256", result->sha256, "candidates",
                  candidates, "flips", (int)result->flips, "coercions", (int)result->coercions,
                  "refused", (int)result->refused);
    json_object_set_new(data, "envelopes", envelopes_of(consensus, result));
    json_object_set_new(data, "ms", json_integer(result->duration_ms));
    json_object_set_new(data, "usage",
                        json_pack("[o, o]", consensus_usage_to_json(&result->usage[0]),
                                  consensus_usage_to_json(&result->usage[1])));
    if (result->end == CONSENSUS_AGENTS_LOST)
        json_object_set_new(data, "error", err_to_json(&result->err));
    emit(consensus, EVENT_CONSENSUS_ENDED, data);
}
