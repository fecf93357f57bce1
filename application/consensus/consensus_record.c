#include "application/consensus/consensus_record.h"
#include "application/consensus/consensus.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include <string.h>

const json_t *consensus_event_data(const struct event *events, size_t n, enum event_kind kind)
{
    for (size_t i = 0; i < n; i++)
        if (events[i].kind == kind)
            return events[i].data;
    return NULL;
}

/* Copies a member, or null where it is missing. */
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

/* The members of the event that consensus_result_to_json has as well. */
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

struct replaying {
    struct arena *arena;
    struct controller *controller;
    const json_t *ended;
    const struct event *last_unread; /* the turn in which an agent was lost; NULL: none was */
    struct consensus_replay out;
};

static enum err_code no_record(struct err *err)
{
    enum err_code r = err_set(err, ERR_UNAVAILABLE, 0, "the log kept no texts of this run");
    return err_hint(err, r, "set runs.store_text to true before a run that is to be replayed");
}

/* The envelope as the agent gave it, before the controller changed anything in it. */
static enum err_code read_envelope(struct replaying *p, const json_t *data, struct envelope *out,
                                   struct err *err)
{
    struct problems problems = { .arena = p->arena };
    const json_t *value = json_object_get(data, "envelope"), *raw = json_object_get(data, "raw");
    const char *text = json_get_string(raw, "text");
    json_t *parsed = NULL;
    if (raw && !text)
        return no_record(err);
    enum err_code r = raw ? json_parse(text, strlen(text), JSON_FOREIGN, &parsed, err) : ERR_NONE;
    if (r)
        return err_prefix(err, r, "round %lld", (long long)json_get_int(data, "round", 0));
    if (raw)
        value = arena_keep_json(p->arena, parsed);
    if (!json_object_get(value, "status"))
        return no_record(err);
    if (!envelope_from_json(p->arena, value, out, &problems))
        return err_set(err, ERR_INVALID, 0, "round %lld: %s",
                       (long long)json_get_int(data, "round", 0),
                       problems.n ? problem_print(&problems, problems.list) : "no envelope");
    return ERR_NONE;
}

static void differ(struct replaying *p, const char *text)
{
    if (!p->out.difference)
        p->out.difference = text;
}

static const char *shown(const char *text)
{
    return text ? text : "nothing";
}

static void compare_turn(struct replaying *p, const json_t *data,
                         const struct controller_verdict *verdict)
{
    const char *where =
        arena_printf(p->arena, "round %lld, agent %.8s", (long long)json_get_int(data, "round", 0),
                     shown(json_get_string(data, "agent")));
    const char *hash = json_get_string(data, "sha256");
    const char *status = json_get_string(json_object_get(data, "envelope"), "status");
    bool counted = json_get_bool(data, "counts", false);
    if (counted != verdict->counts)
        differ(p, arena_printf(p->arena, "%s: the candidate %s and now %s", where,
                               counted ? "counted" : "did not count",
                               verdict->counts ? "counts" : "does not"));
    if (!text_equal(hash, verdict->sha256))
        differ(p, arena_printf(p->arena, "%s: the hash was %.64s and now is %.64s", where,
                               shown(hash), shown(verdict->sha256)));
    const char *now = envelope_status_name(verdict->envelope.status);
    if (status && !text_equal(status, now))
        differ(p, arena_printf(p->arena, "%s: the status was %.40s and now is %s", where, status,
                               now));
}

static enum err_code play_turn(struct replaying *p, const struct event *event, struct err *err)
{
    const json_t *data = event->data;
    unsigned agent = text_equal(json_get_string(data, "agent"), "b") ? 1 : 0;
    struct controller_verdict verdict;
    struct envelope envelope;
    if (controller_end(p->controller) != CONSENSUS_RUNNING) {
        differ(p, arena_printf(p->arena, "round %lld: the run is over by now",
                               (long long)json_get_int(data, "round", 0)));
        return ERR_NONE;
    }
    if (!controller_may_speak(p->controller, agent))
        return err_set(err, ERR_INVALID, 0, "round %lld: agent %c speaks out of turn",
                       (long long)json_get_int(data, "round", 0), agent ? 'b' : 'a');
    if (json_object_get(data, "envelope")) {
        enum err_code r = read_envelope(p, data, &envelope, err);
        if (r)
            return r;
        verdict =
            controller_take(p->controller, agent, &envelope, json_get_string(data, "checked"));
    } else {
        const json_t *remark = json_array_get(json_object_get(data, "remarks"), 0);
        const char *why = json_get_string(remark, "text");
        verdict = controller_take_nothing(p->controller, agent, why ? why : "no envelope came",
                                          event == p->last_unread);
    }
    p->out.turns++;
    (void)controller_take_hint(p->controller);
    compare_turn(p, data, &verdict);
    return ERR_NONE;
}

/* The end of the record says whether an agent was lost; the last turn without an envelope is the
 * one in which that happened. */
static const struct event *find_lost(const struct event *events, size_t n, const json_t *ended)
{
    const struct event *last = NULL;
    if (!text_equal(json_get_string(ended, "end"), consensus_end_name(CONSENSUS_AGENTS_LOST)))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (events[i].kind == EVENT_ENVELOPE && !json_object_get(events[i].data, "envelope"))
            last = &events[i];
    return last;
}

static void compare_end(struct replaying *p)
{
    const char *was = json_get_string(p->ended, "end"), *now = consensus_end_name(p->out.end);
    const char *hash = json_get_string(p->ended, "sha256"), *ours = NULL;
    if (p->out.end == CONSENSUS_CONSENSUS)
        ours = controller_standing(p->controller, 0)->sha256;
    if (!text_equal(was, now))
        differ(p,
               arena_printf(p->arena, "the run ended with %.40s and now with %s", shown(was), now));
    if (!text_equal(hash, ours))
        differ(p, arena_printf(p->arena, "the agreed hash was %.64s and now is %.64s", shown(hash),
                               shown(ours)));
}

static enum err_code read_rules(const json_t *started, struct controller_rules *out,
                                struct err *err)
{
    const char *kind = json_get_string(started, "kind");
    int64_t max_rounds = json_get_int(started, "max_rounds", 0);
    out->task = json_get_string(json_object_get(started, "task"), "text");
    if (!out->task)
        return no_record(err);
    if (!kind || !canonical_kind_parse(kind, &out->kind) || max_rounds < 1 ||
        max_rounds > CONTROLLER_MAX_ROUNDS)
        return err_set(err, ERR_INVALID, 0, "the record of its start is broken");
    out->max_rounds = (unsigned)max_rounds;
    out->max_unreadable = (unsigned)json_get_int(started, "max_unreadable", 0);
    return ERR_NONE;
}

enum err_code consensus_replay(struct arena *arena, struct digest *digest,
                               const struct event *events, size_t n, struct consensus_replay *out,
                               struct err *err)
{
    const json_t *started = consensus_event_data(events, n, EVENT_CONSENSUS_STARTED);
    struct replaying p = { .arena = arena };
    struct controller_rules rules = { 0 };
    p.ended = consensus_event_data(events, n, EVENT_CONSENSUS_ENDED);
    if (!started || !p.ended)
        return err_set(err, ERR_INVALID, 0, "%s",
                       started ? "the run was cut off" : "this is not a run of two agents");
    enum err_code r = read_rules(started, &rules, err);
    if (r)
        return r;
    p.controller = controller_create(arena, digest, &rules);
    p.last_unread = find_lost(events, n, p.ended);
    for (size_t i = 0; i < n && !r && p.out.turns < CONSENSUS_REPLAY_MAX_TURNS; i++)
        if (events[i].kind == EVENT_ENVELOPE)
            r = play_turn(&p, &events[i], err);
    if (r)
        return r;
    p.out.end = controller_end(p.controller);
    compare_end(&p);
    *out = p.out;
    return ERR_NONE;
}
