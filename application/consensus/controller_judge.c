#include "application/consensus/controller_internal.h"
#include "domain/base/text.h"
#include "domain/consensus/canonical_text.h"
#include <assert.h>
#include <string.h>

static const char tag_solved[] = "[SOLVED]";

void controller_remark(struct controller_verdict *verdict, enum controller_note note,
                       const char *text)
{
    assert(verdict->n_remarks < CONTROLLER_MAX_REMARKS);
    verdict->remarks[verdict->n_remarks++] = (struct controller_remark){ note, text };
}

bool controller_note_is_problem(enum controller_note note)
{
    switch (note) {
    case NOTE_SOLVED_WITHOUT_TEXT:
    case NOTE_SOLVED_WITHOUT_TAG:
    case NOTE_CANDIDATE_REFUSED:
    case NOTE_CHECK_FAILED:
    case NOTE_CHANGE_REFUSED:
    case NOTE_UNREADABLE:
        return true;
    case NOTE_CONTACT_COERCED:
    case NOTE_TAG_WITHOUT_SOLVED:
    case NOTE_WORKING_WITH_TEXT:
    case NOTE_WRONG_HASH:
    case NOTE_FLIPPED:
    case NOTE_ADOPTED:
    case NOTE_PROMOTED:
        return false;
    }
    return false;
}

/* The peer would read a tag that does not count as one that does. */
static void drop_tag(struct arena *arena, struct envelope *envelope)
{
    const char *message = envelope->public_message;
    for (const char *at; (at = strcasestr(message, tag_solved));)
        message =
            arena_printf(arena, "%.*s%s", (int)(at - message), message, at + strlen(tag_solved));
    envelope->public_message = message;
    envelope->solved = false;
}

void controller_lower(struct arena *arena, struct envelope *envelope, enum envelope_status highest)
{
    if (envelope->status == ENVELOPE_NEED_PEER || envelope->status <= highest)
        return;
    envelope->status = highest;
    if (envelope->solved)
        drop_tag(arena, envelope);
}

/* SOLVED needs a text and its tag, and a text is at least a proposal. */
static void settle_status(struct arena *arena, struct controller_verdict *verdict,
                          const char *candidate)
{
    struct envelope *envelope = &verdict->envelope;
    if (envelope->contact && envelope->status != ENVELOPE_NEED_PEER) {
        envelope->status = ENVELOPE_NEED_PEER;
        controller_remark(verdict, NOTE_CONTACT_COERCED, "[CONTACT] makes the status NEED_PEER");
    }
    if (envelope->status == ENVELOPE_NEED_PEER && !envelope->contact) {
        envelope->contact = true;
        envelope->public_message = arena_printf(arena, "[CONTACT] %s", envelope->public_message);
        controller_remark(verdict, NOTE_CONTACT_COERCED, "NEED_PEER has its [CONTACT] now");
    }
    if (envelope->status == ENVELOPE_SOLVED && !candidate) {
        controller_lower(arena, envelope, ENVELOPE_WORKING);
        controller_remark(verdict, NOTE_SOLVED_WITHOUT_TEXT,
                          "put the complete final text into final_solution.canonical_text before "
                          "you say SOLVED");
    } else if (envelope->status == ENVELOPE_SOLVED && !envelope->solved) {
        envelope->status = ENVELOPE_READY_TO_SOLVE;
        controller_remark(verdict, NOTE_SOLVED_WITHOUT_TAG,
                          "write [SOLVED] in public_message when status is SOLVED");
    } else if (envelope->status == ENVELOPE_WORKING && candidate) {
        envelope->status = ENVELOPE_PROPOSED;
        controller_remark(verdict, NOTE_WORKING_WITH_TEXT, "with a final text it is a proposal");
    }
    if (envelope->solved && envelope->status != ENVELOPE_SOLVED) {
        drop_tag(arena, envelope);
        controller_remark(verdict, NOTE_TAG_WITHOUT_SOLVED,
                          "[SOLVED] does not count while the status is another");
    }
}

const char *controller_allowed(struct arena *arena, const struct controller_rules *rules,
                               const char *text, const char **out_why)
{
    struct err err = { 0 };
    const char *canonical = NULL, *why = NULL;
    if (!text)
        return NULL;
    if (canonical_text(arena, rules->kind, text, &canonical, &err) != ERR_NONE) {
        why = arena_printf(arena, "%s%s%s", err.message, *err.hint ? ": " : "", err.hint);
    } else {
        enum candidate_fault fault = candidate_fault(rules->kind, canonical, rules->task);
        why = fault ? candidate_fault_fix(fault) : NULL;
    }
    if (out_why)
        *out_why = why;
    return why ? NULL : canonical;
}

void controller_judge(struct arena *arena, struct digest *digest,
                      const struct controller_rules *rules, const struct envelope *said,
                      const char *check_failure, struct judged *out)
{
    const char *text = envelope_candidate(said), *why = NULL;
    *out = (struct judged){ .verdict.envelope = *said };
    struct envelope *envelope = &out->verdict.envelope;
    envelope->promoted = false;
    envelope->sha256 = "";
    settle_status(arena, &out->verdict, text);
    const char *canonical = controller_allowed(arena, rules, text, &why);
    if (!canonical) {
        if (why)
            controller_remark(&out->verdict, NOTE_CANDIDATE_REFUSED, why);
        controller_lower(arena, envelope, ENVELOPE_WORKING);
        envelope->canonical_text = "";
        return;
    }
    digest_sha256(digest, canonical, strlen(canonical), out->sha256);
    /* A wrong hash is worth a line in the log and nothing else: few models can compute one. */
    if (*said->sha256 && strcasecmp(said->sha256, out->sha256) != 0)
        controller_remark(&out->verdict, NOTE_WRONG_HASH,
                          "the sha256 it gave is not that of its text");
    envelope->canonical_text = text;
    envelope->sha256 = arena_strdup(arena, out->sha256);
    out->verdict.sha256 = envelope->sha256;
    if (check_failure) {
        controller_lower(arena, envelope, ENVELOPE_PROPOSED);
        controller_remark(&out->verdict, NOTE_CHECK_FAILED, arena_strdup(arena, check_failure));
        return;
    }
    out->text = text;
    out->canonical = canonical;
}

struct envelope controller_error_envelope(struct arena *arena)
{
    return (struct envelope){
        .role = "",
        .domain = "",
        .task_understanding = "",
        .public_message = "[CONTACT] the last answer could not be read",
        .artifact = ENVELOPE_ARTIFACT_RESULTS,
        .content = arena_keep_json(arena, json_object()),
        .needs = { "give the last answer again, as one plain JSON object" },
        .n_needs = 1,
        .handoff_to = "",
        .status = ENVELOPE_NEED_PEER,
        .contact = true,
        .canonical_text = "",
        .sha256 = "",
        .change_reason = "",
    };
}
