#include "application/consensus/consensus_record.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"

const json_t *consensus_event_data(const struct event *events, size_t n, enum event_kind kind)
{
    for (size_t i = 0; i < n; i++)
        if (events[i].kind == kind)
            return events[i].data;
    return NULL;
}

/* A member as it is, null where it is missing. Steals nothing. */
static void copy_member(json_t *to, const char *name, const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);
    json_object_set_new(to, name, value ? json_share(value) : json_null());
}

json_t *consensus_transcript_entry(const struct event *event, const json_t *roles)
{
    char time[RFC3339_SIZE];
    if (event->kind != EVENT_ENVELOPE)
        return NULL;
    size_t agent = text_equal(json_get_string(event->data, "agent"), "b") ? 1 : 0;
    const char *role = json_get_string(json_array_get(roles, agent), "role");
    json_t *entry = json_pack("{s:s}", "time", rfc3339_print(event->time_ms, time));
    copy_member(entry, "round", event->data, "round");
    copy_member(entry, "agent", event->data, "agent");
    if (role)
        json_object_set_new(entry, "role", json_string(role));
    bool is_read = json_object_get(event->data, "envelope") != NULL;
    copy_member(entry, "envelope", event->data, is_read ? "envelope" : "error_envelope");
    json_object_update_missing(entry, (json_t *)(uintptr_t)event->data);
    return entry;
}

const char *consensus_transcript(struct arena *arena, const struct event *events, size_t n)
{
    AUTO(buf) text;
    buf_init(&text, SIZE_MAX);
    const json_t *roles =
        json_object_get(consensus_event_data(events, n, EVENT_CONSENSUS_STARTED), "agents");
    for (size_t i = 0; i < n; i++) {
        json_auto_t *entry = consensus_transcript_entry(&events[i], roles);
        if (!entry)
            continue;
        json_append(&text, entry);
        if (!buf_puts(&text, "\n"))
            break;
    }
    return arena_strndup(arena, buf_string(&text), text.length);
}

/* As consensus_result_to_json has it. */
static json_t *vote_of(const json_t *vote)
{
    static const char *const members[] = { "samples", "usable", "agree", "text",
                                           "sha256",  "usage",  "ms" };
    if (!vote)
        return json_null();
    json_t *value = json_object();
    for (size_t i = 0; i < ARRAY_LENGTH(members); i++)
        copy_member(value, members[i], vote, members[i]);
    return value;
}

json_t *consensus_final(const char *run_id, const struct event *events, size_t n)
{
    static const char *const members[][2] = {
        { "reason", "end" },
        { "canonical_text", "canonical" },
        { "text", "text" },
        { "sha256", "sha256" },
        { "kind", NULL },
        { "rounds", "rounds" },
        { "promoted", "promoted" },
        { "envelopes", "envelopes" },
        { "candidates", "candidates" },
        { "flips", "flips" },
        { "coercions", "coercions" },
        { "refused", "refused" },
        { "ms", "ms" },
        { "usage", "usage" },
    };
    const json_t *started = consensus_event_data(events, n, EVENT_CONSENSUS_STARTED);
    const json_t *ended = consensus_event_data(events, n, EVENT_CONSENSUS_ENDED);
    if (!started || !ended)
        return NULL;
    bool agreed = text_equal(json_get_string(ended, "end"), "consensus");
    json_t *final = json_pack("{s:i, s:s, s:s}", "version", 1, "run_id", run_id, "status",
                              agreed ? "CONSENSUS" : "NO_CONSENSUS");
    for (size_t i = 0; i < ARRAY_LENGTH(members); i++)
        copy_member(final, members[i][0], members[i][1] ? ended : started,
                    members[i][1] ? members[i][1] : members[i][0]);
    json_object_set_new(final, "vote", vote_of(consensus_event_data(events, n, EVENT_VOTE)));
    if (json_object_get(ended, "error"))
        copy_member(final, "error", ended, "error");
    return final;
}
